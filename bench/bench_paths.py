"""Paths of a folder of real scenes: ``python bench/bench_paths.py [FOLDER]``.

Prints figure, target and what was measured, best of three; nothing here fails for being slow.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from timing import best

import maxsidecar
from maxsidecar import plugins
from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.rename import rename_paths
from maxsidecar.migrate.rules.load import parse_rules
from maxsidecar.migrate.rules.regex import Regex

REPOSITORY = Path(__file__).resolve().parent.parent
REPEATS = 3
RULES = "[[rule]]\nregex = '^([c-y]):'\nreplace = 'Z:\\{1}'\n"


def opens(path: Path) -> bool:
    try:
        maxsidecar.open(path)
    except MaxSidecarError:
        return False
    return True


def list_all(files: list[Path]) -> int:
    count = 0
    for path in files:
        with maxsidecar.open(path) as scene_file:
            count += len(find_paths(scene_file))
    return count


def rename_all(files: list[Path]) -> int:
    rules = parse_rules(RULES, Path("rules.toml"))
    count = 0
    for path in files:
        with maxsidecar.open(path) as scene_file:
            count += len(rename_paths(scene_file, rules).renamed)
            scene_file.to_bytes()
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", nargs="?", default=REPOSITORY.parent / "shared" / "corpus", type=Path
    )
    folder = parser.parse_args().folder
    plugins.load()
    files = [path for path in sorted(folder.rglob("*.max")) if opens(path)]
    print(f"{len(files)} scenes, {list_all(files)} paths, {rename_all(files)} to rename")
    print(f"list all            a few s   {best(lambda: list_all(files), REPEATS):8.2f} s")
    print(f"rename, no save     -         {best(lambda: rename_all(files), REPEATS):8.2f} s")
    regex = Regex(r"^(?:[a-z]+\\?)+:\\(.*\\)*([^\\]+)\.(tga|png)$")
    text = "C:\\" + "folder\\" * 20 + "file.jpg"
    print(
        f"nested repeats      bounded   {1000 * best(lambda: regex.search(text), REPEATS):8.2f} ms"
    )


if __name__ == "__main__":
    main()
