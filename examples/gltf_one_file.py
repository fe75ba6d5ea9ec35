"""Send one scene to Blender: ``python gltf_one_file.py SCENE.max OUT.glb``.

Everything is sampled at every frame, since Blender joins glTF's keys in its own way.
"""

from __future__ import annotations

import sys

import maxsidecar
from maxsidecar import MaxSidecarError
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.context import Options
from maxsidecar.gltf.export.report import Outcome


def main(arguments: list[str]) -> int:
    """Export the scene, and say what is not there."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = arguments
    try:
        with maxsidecar.open(source) as scene_file:
            done = export_file(scene_file, target, Options(sample=1))
    except (MaxSidecarError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for entry in done.report.entries:
        if entry.outcome is not Outcome.CONVERTED:
            print(f"{entry.name}: {entry.class_name} {entry.outcome}: {entry.reason}")
    names = [animation.name for animation in done.document.animations]
    print(f"{done.files[0]}: animations {', '.join(names) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
