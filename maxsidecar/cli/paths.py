"""``maxsidecar paths``: every path of scenes, where it is stored, and whether its file exists."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_json
from maxsidecar.cli.scenes import Damage, opened

if TYPE_CHECKING:
    from maxsidecar.migrate.paths.exist import Existence, FileFinder
    from maxsidecar.migrate.paths.place import Place

_STATES: Final = {True: "found", False: "missing", None: "-"}


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "paths",
        "List every path that scenes store, where it is stored, and whether its file exists.",
        "maxsidecar paths street.max",
        "maxsidecar paths --missing --root . street.max",
        "maxsidecar paths --json .",
        more="A file exists when it is at its path, relative to the scene, or under a --root by\n"
        "name. Files that are written (kind output) and copies of names (kind summary) are not\n"
        "looked for, and servers that a scene names are never asked.\n"
        "maxsidecar migrate paths --help tells how to rename paths.",
    )
    parser.add_argument("path", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="DIR",
        help="look for files by name under this folder, too (repeat)",
    )
    parser.add_argument("--missing", action="store_true", help="only paths whose file is missing")
    add_json(parser, "path")
    return parser


class _Lister:
    """Lists the paths of one file after another."""

    def __init__(self, args: argparse.Namespace, finder: FileFinder) -> None:
        self.args = args
        self.finder = finder
        self.counts: Counter[bool | None] = Counter()
        self.scenes = 0

    def list(self, path: Path) -> None:
        """List the paths of a scene."""
        from maxsidecar.migrate.paths.assets import asset_users
        from maxsidecar.migrate.paths.find import find_paths

        damage = Damage()
        with opened(path, damage) as scene_file:
            found = find_paths(scene_file)
            for problem in found.problems:
                damage.tell(problem)
            users = asset_users(scene_file) if any(place.asset for place in found) else {}
        self.scenes += 1
        rows = [
            (place, self.finder.look(place, path), users.get(place.asset, ())) for place in found
        ]
        self.counts.update(existence.exists for _, existence, _ in rows)
        if self.args.missing:
            # An asset is there when one of its two paths is.
            there = {place.asset for place, existence, _ in rows if existence.exists} - {""}
            rows = [row for row in rows if row[1].exists is False and row[0].asset not in there]
        if self.args.json:
            for place, existence, used in rows:
                output.print_json(_as_dict(path, place, existence, used))
        elif rows:
            _print(path, rows)


def _as_dict(
    path: Path, place: Place, existence: Existence, used: tuple[str, ...]
) -> dict[str, Any]:
    where = place.where
    return {
        "file": str(path),
        "path": place.path,
        "kind": place.kind,
        "exists": existence.exists,
        "found": existence.found or None,
        "stream": (where.stream or "").lstrip("\x05"),
        "object": place.owner or None,
        "index": place.index,
        "field": place.field,
        "chunk": where.path,
        "offset": where.offset,
        "asset": place.asset or None,
        "used_by": list(used),
        "proven": place.proven,
        "read_only": place.read_only or None,
    }


def _print(path: Path, rows: list[tuple[Place, Existence, tuple[str, ...]]]) -> None:
    output.line(output.safe(str(path)))
    output.table(
        ("file", "kind", "path", "stored in"),
        [
            (_STATES[existence.exists], place.kind, place.path, _stored_in(place, used))
            for place, existence, used in rows
        ],
    )
    output.line()


def _stored_in(place: Place, used: tuple[str, ...]) -> str:
    owner = place.owner or (place.where.stream or "").lstrip("\x05")
    text = f"{owner}: {place.field}"
    if used:
        more = f" and {len(used) - 1} more" if len(used) > 1 else ""
        text += f" ({used[0]}{more})"
    elif place.asset:
        text += " (used by nothing)"
    if not place.proven:
        text += " (by its looks only)"
    return text


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.migrate.paths.exist import FileFinder

    for root in args.root:
        if not Path(root).is_dir():
            raise UsageError(f"--root {root}: there is no such folder")
    finder = FileFinder(args.root)
    lister = _Lister(args, finder)
    for problem in finder.problems:
        output.note(f"warning: {problem}")
    code = each(args.path, lister.list, label="listing")
    if not args.json:
        _sum_up(lister)
    return code


def _sum_up(lister: _Lister) -> None:
    counts = lister.counts
    parts = [f"{counts[True]} found", f"{counts[False]} missing", f"{counts[None]} not looked for"]
    total = output.count(sum(counts.values()), "path")
    output.line(f"{total} in {output.count(lister.scenes, 'scene')}: {', '.join(parts)}")
