"""Set an export flag on nodes: ``python edit_flag.py lod.dist_max=350 NODE FILE...``.

The name is that of the sidecar below ``nel``; the value is written as in TOML.  Every node of that
name is changed, with its other bytes left as they are, and the old file is kept as ``FILE.bak``.
"""

from __future__ import annotations

import sys
import tomllib

import maxsidecar
from maxsidecar import MaxSidecarError, plugins
from maxsidecar.scene.appdata_registry import REGISTRY, Property
from maxsidecar.scene.maxfile import MaxFile


def set_flag(scene_file: MaxFile, name: str, prop: Property, value: object) -> int:
    """Set a property on the nodes of a name; return how many were changed."""
    nodes = scene_file.nodes.find(name)
    if not nodes:
        raise MaxSidecarError(f"{scene_file.path}: there is no node {name!r}")
    return sum(node.appdata.edit(prop, value) for node in nodes)


def main(arguments: list[str]) -> int:
    """Edit every file of the command line."""
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    assignment, name, *paths = arguments
    flag, _, text = assignment.partition("=")
    plugins.load()  # the flags have names then; maxsidecar.open does that too
    prop = REGISTRY.by_toml_path(("nel", *flag.split(".")))
    if prop is None:
        print(f"no such flag: {flag}", file=sys.stderr)
        return 2
    try:
        value = tomllib.loads(f"value = {text}")["value"]
        for path in paths:
            with maxsidecar.open(path) as scene_file:
                changed = set_flag(scene_file, name, prop, value)
                if changed:
                    scene_file.save(backup=True)
                print(f"{path}: {changed} node{'' if changed == 1 else 's'} changed")
    except (MaxSidecarError, OSError, tomllib.TOMLDecodeError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
