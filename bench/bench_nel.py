"""Time to check and read the game's files: ``python bench/bench_nel.py [FOLDER]``.

Prints a table of figure, target and what was measured, the best of a few runs.  Nothing here fails
for being slow: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from timing import best

from maxsidecar.nel.serial.check import OK, check_bytes
from maxsidecar.nel.serial.formats import FORMATS, read_bytes

REPOSITORY = Path(__file__).resolve().parent.parent
REPEATS = 5


def main() -> int:
    """Print the figures."""
    default = REPOSITORY.parent / "shared" / "corpus"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    folder = Path(os.environ.get("MAXSIDECAR_CORPUS") or default) / "nel"
    parser.add_argument("folder", nargs="?", type=Path, default=folder)
    args = parser.parse_args()
    suffixes = {suffix for item in FORMATS for suffix in item.suffixes}
    paths = sorted(p for p in args.folder.rglob("*") if p.suffix.lower() in suffixes)
    files = [(path, path.read_bytes()) for path in paths]
    if not files:
        print(f"no files of the game in {args.folder}")
        return 0
    sound = [(p, d) for p, d in files if check_bytes(d, p).status == OK]
    size = sum(len(data) for _, data in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, {len(sound)} sound\n")
    command = [sys.executable, "-m", "maxsidecar", "nel", "check", str(args.folder)]
    whole = best(
        lambda: subprocess.run(command, check=False, capture_output=True, cwd=REPOSITORY), REPEATS
    )
    print(f"{'figure':<44}{'target':>10}{'measured':>12}")
    print(f"{'nel check, the command, all files':<44}{'5 s':>10}{whole:>10.2f} s")
    read = best(lambda: [read_bytes(data, path) for path, data in sound], REPEATS)
    print(f"{'read all sound files, in this process':<44}{'':>10}{read:>10.2f} s")
    both = best(lambda: [read_bytes(data, path).to_bytes() for path, data in sound], REPEATS)
    print(f"{'read and write them':<44}{'':>10}{both:>10.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
