"""Rename a key of user-defined properties: ``python batch_rename_userprops.py OLD NEW PATH...``.

A path may be a file or a folder, which is searched for ``.max`` files.  Only the key's own letters
change: the other lines, their spaces and their line ends stay.  ``--dry-run`` saves nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import maxsidecar
from maxsidecar import MaxSidecarError


def scenes(paths: list[Path]) -> Iterator[Path]:
    """Yield the files, and the scenes below the folders."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix.lower() == ".max")
        else:
            yield path


def rename(path: Path, old: str, new: str, *, save: bool) -> int:
    """Rename the key in one scene; return how many nodes had it."""
    line = re.compile(rf"^(\s*){re.escape(old)}(?=\s*=)", re.MULTILINE)
    changed = 0
    with maxsidecar.open(path) as scene_file:
        for node in scene_file.nodes.values():
            text = node.user_properties_text
            renamed = line.sub(lambda match: match[1] + new, text)
            if renamed != text:
                node.user_properties_text = renamed
                changed += 1
        if changed and save:
            scene_file.save(backup=True)
    return changed


def main(arguments: list[str] | None = None) -> int:
    """Go through all files, and on behind those that cannot be read."""
    parser = argparse.ArgumentParser(description="Rename a key of user-defined properties.")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    options = parser.parse_args(arguments)
    failed = 0
    for path in scenes(options.paths):
        try:
            changed = rename(path, options.old, options.new, save=not options.dry_run)
        except (MaxSidecarError, OSError) as error:
            print(error, file=sys.stderr)
            failed += 1
        else:
            print(f"{path}: {changed} node{'' if changed == 1 else 's'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
