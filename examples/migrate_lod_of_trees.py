"""Trees are seen from farther away: ``maxsidecar migrate run migrate_lod_of_trees.py scenes``.

Raises the distance up to which nodes called ``tree...`` are drawn, where it is stored and smaller.
"""

from __future__ import annotations

from maxsidecar import MaxFile
from maxsidecar.migrate.log import Log
from maxsidecar.scene.appdata_registry import REGISTRY

TREES = "tree"
DISTANCE = 300.0  # metres


def migrate(scene: MaxFile, log: Log) -> None:
    """Raise the distances of one scene."""
    distance = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
    if distance is None:
        raise RuntimeError("this version does not know the distance")
    for node in scene.nodes.values():
        if not node.name.lower().startswith(TREES):
            continue
        old = node.appdata.value(distance)
        # None: the node has no distance of its own.
        if isinstance(old, float) and old < DISTANCE:
            node.appdata.edit(distance, DISTANCE)
            log.change(node, "nel.lod.dist_max", old, DISTANCE)
