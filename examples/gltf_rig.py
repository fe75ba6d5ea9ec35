"""Export only a rig: ``python gltf_rig.py SCENE.max OUT.glb [ROOT]``.

Nodes with their animation and no meshes: all of the scene, or what hangs on the node ROOT.
"""

from __future__ import annotations

import sys

import maxsidecar
from maxsidecar import MaxSidecarError
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.context import Options


def main(arguments: list[str]) -> int:
    """Export the nodes, and list those that move."""
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    source, target, *roots = arguments
    options = Options(nodes=roots, rig_only=True, cameras=False, lights=False, sample=1)
    try:
        with maxsidecar.open(source) as scene_file:
            done = export_file(scene_file, target, options)
    except (MaxSidecarError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    moving: dict[str, list[str]] = {}
    for animation in done.document.animations[:1]:
        for channel in animation.channels:
            moving.setdefault(channel.target.name, []).append(channel.path)
    for name, paths in moving.items():
        print(f"{name}: {', '.join(paths)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
