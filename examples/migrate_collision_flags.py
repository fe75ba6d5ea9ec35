"""What is called a collision is one: ``maxsidecar migrate run migrate_collision_flags.py scenes``.

Sets the export flag of collision meshes on nodes whose names begin with one of ``NAMES``, and tells
nodes that have the flag without such a name.
"""

from __future__ import annotations

from maxsidecar import MaxFile
from maxsidecar.migrate.log import Log
from maxsidecar.scene.appdata_registry import REGISTRY

NAMES = ("col_", "collision")


def migrate(scene: MaxFile, log: Log) -> None:
    """Set the flags of one scene."""
    flag = REGISTRY.by_toml_path(("nel", "collision", "enabled"))
    if flag is None:
        raise RuntimeError("this version does not know the flag")
    for node in scene.nodes.values():
        named = node.name.lower().startswith(NAMES)
        old = node.appdata.value(flag)
        if named and old is not True:
            node.appdata.edit(flag, True)
            log.change(node, "nel.collision.enabled", old, True)
        elif old is True and not named:
            log.warning("is exported as collision, but its name does not say so", place=node)
