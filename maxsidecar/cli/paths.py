"""``maxsidecar paths``: every path of scenes, where it is stored, and whether its file exists."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar import plugins
from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_json, add_workers

if TYPE_CHECKING:
    from maxsidecar.migrate.paths.listing import ListedPath, SceneListing

_STATES: Final = {True: "found", False: "missing", None: "-"}
#: Fewer files are listed faster than processes start.
_FEW: Final = 40


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
    add_workers(parser)
    add_json(parser, "path")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    for root in args.root:
        if not Path(root).is_dir():
            raise UsageError(f"--root {root}: there is no such folder")
    failed = False
    counts: Counter[bool | None] = Counter()
    scenes = 0
    for listing in _listings(args):
        if listing.error:
            output.error(listing.error)
            failed = True
            continue
        for problem in listing.problems:
            output.note(f"warning: {problem}")
        scenes += 1
        counts.update(row.existence.exists for row in listing.paths)
        rows = listing.missing() if args.missing else listing.paths
        if args.json:
            for row in rows:
                output.print_json({"file": listing.path, **row.as_dict()})
        elif rows:
            _print(listing.path, rows)
    if not args.json:
        _sum_up(scenes, counts)
    return int(failed)


def _listings(args: argparse.Namespace) -> Iterator[SceneListing]:
    """Yield what each file holds, in the order of the files."""
    from maxsidecar.batch.files import find_files
    from maxsidecar.batch.order import in_order
    from maxsidecar.batch.pool import map_isolated
    from maxsidecar.migrate.paths.listing import ListingTask, list_scene, not_listed

    files, problems = find_files(args.path)
    for path, reason in problems:
        yield not_listed(ListingTask(str(path)), f"{path}: {reason}")
    jobs = args.jobs
    if jobs is None:
        jobs = 0 if len(files) < _FEW else os.cpu_count() or 1
    tasks = [ListingTask(str(path), tuple(args.root)) for path in files]
    done = map_isolated(
        list_scene,
        tasks,
        lambda task, reason: not_listed(task, f"{task.path}: {reason}"),
        jobs=jobs,
        timeout=args.timeout,
        set_up=plugins.load,
    )
    yield from in_order(output.progress(done, len(files), "listing"))


def _print(path: str, rows: Sequence[ListedPath]) -> None:
    output.line(output.safe(path))
    output.table(
        ("file", "kind", "path", "stored in"),
        [
            (_STATES[row.existence.exists], row.place.kind, row.place.path, _stored_in(row))
            for row in rows
        ],
    )
    output.line()


def _stored_in(row: ListedPath) -> str:
    place = row.place
    text = f"{place.owner or row.stream}: {place.field}"
    if row.users:
        more = f" and {len(row.users) - 1} more" if len(row.users) > 1 else ""
        text += f" ({row.users[0]}{more})"
    elif place.asset:
        text += " (used by nothing)"
    if not place.proven:
        text += " (by its looks only)"
    return text


def _sum_up(scenes: int, counts: Counter[bool | None]) -> None:
    parts = [f"{counts[True]} found", f"{counts[False]} missing", f"{counts[None]} not looked for"]
    total = output.count(sum(counts.values()), "path")
    output.line(f"{total} in {output.count(scenes, 'scene')}: {', '.join(parts)}")
