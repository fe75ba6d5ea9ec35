"""Print the node tree of scenes: ``python list_nodes.py FILE...``."""

from __future__ import annotations

import os
import sys

import maxsidecar
from maxsidecar import MaxSidecarError


def main(paths: list[str]) -> int:
    """Print each scene; go on behind a file that cannot be read."""
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    for path in paths:
        try:
            with maxsidecar.open(path) as scene_file:
                print(f"{path}: 3ds Max {scene_file.release}, {len(scene_file.nodes)} nodes")
                for depth, node in scene_file.nodes.walk():
                    shown = node.base_object
                    kind = shown.class_name if shown else node.class_name
                    marks = [flag for flag in ("hidden", "frozen") if node.flag(flag)]
                    print(
                        "  " * (depth + 1) + " ".join([node.name or "(root)", f"[{kind}]", *marks])
                    )
        except BrokenPipeError:
            raise
        except (MaxSidecarError, OSError) as error:
            print(error, file=sys.stderr)
            failed += 1
    sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        # Nobody reads on, such as behind "| head": keep Python from complaining at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
