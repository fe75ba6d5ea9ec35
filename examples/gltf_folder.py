"""Send a folder of scenes to Blender: ``python gltf_folder.py FOLDER OUT``.

OUT gets the same tree of folders.  For many files ``maxsidecar gltf export FOLDER -o OUT --jobs 4``
does the same in several processes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import maxsidecar
from maxsidecar import MaxSidecarError
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.context import Options
from maxsidecar.gltf.export.report import Outcome


def main(arguments: list[str]) -> int:
    """Export every scene; go on behind one that cannot be read."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, out = map(Path, arguments)
    failed = 0
    for path in sorted(p for p in source.rglob("*") if p.suffix.lower() == ".max"):
        target = (out / path.relative_to(source)).with_suffix(".glb")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with maxsidecar.open(path) as scene_file:
                done = export_file(scene_file, target, Options(sample=1))
        except (MaxSidecarError, OSError) as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        lost = sum(entry.outcome is Outcome.LEFT_OUT for entry in done.report.entries)
        print(f"{target}: {len(done.report.entries)} things, {lost} of them left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
