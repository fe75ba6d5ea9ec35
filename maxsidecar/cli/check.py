"""``maxsidecar check``: the round-trip gate, over files and folders."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from maxsidecar import plugins
from maxsidecar.batch.files import Problem, find_files
from maxsidecar.batch.pool import map_isolated
from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, add_command, add_json
from maxsidecar.errors import shorten
from maxsidecar.scene.roundtrip import FAILED, NOT_MAX, OK, CheckResult, check_file, not_checked

_TIMEOUT = 300.0
_SHOWN_PROBLEMS = 10
_MOST_JOBS = 1024
_LONGEST_TIMEOUT = 1_000_000


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "check",
        "Prove that scenes can be read, edited and saved without loss; no file is changed.",
        "maxsidecar check street.max",
        "maxsidecar check --json --jobs 4 .",
        more="Every chunk stream rebuilt from its index must equal the original, every typed\n"
        "record decoded and encoded must give the same bytes, a save without an edit must give\n"
        "the file, and an edit with its reversal must give it back. Files that are no scenes are\n"
        "counted separately and do not make the check fail.",
    )
    parser.add_argument("path", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument(
        "--jobs",
        type=_count,
        default=None,
        metavar="N",
        help="number of processes (default: one per processor; 0: work in this process)",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=_TIMEOUT,
        metavar="S",
        help=f"seconds after which a file counts as failed (default: {_TIMEOUT:g})",
    )
    add_json(parser, "file")
    return parser


def _count(text: str) -> int:
    if not (text.isdecimal() and len(text) <= 9 and int(text) <= _MOST_JOBS):
        raise argparse.ArgumentTypeError(f"not a number from 0 to {_MOST_JOBS}: {shorten(text)}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST_TIMEOUT:
        reason = f"not a number of seconds above 0 and up to {_LONGEST_TIMEOUT:,}: {shorten(text)}"
        raise argparse.ArgumentTypeError(reason)
    return number


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    results: list[CheckResult] = []
    files, problems = find_files(args.path)
    for result in _results(args, files, problems):
        results.append(result)
        if args.json:
            output.print_json(result.as_dict())
    if not args.json:
        _print_summary(results[len(problems) :])
        for missing in results[: len(problems)]:
            output.error(missing.problems[0])
    return int(any(result.status == FAILED for result in results))


def _results(
    args: argparse.Namespace, files: list[Path], problems: list[Problem]
) -> Iterator[CheckResult]:
    for path, reason in problems:
        yield not_checked(path, reason)
    jobs = args.jobs if args.jobs is not None else os.cpu_count() or 1
    checked = map_isolated(
        check_file,
        [str(path) for path in files],
        not_checked,
        jobs=jobs,
        timeout=args.timeout,
        set_up=plugins.load,
    )
    yield from _in_order(output.progress(checked, len(files), "checking"))


def _in_order(numbered: Iterable[tuple[int, CheckResult]]) -> Iterator[CheckResult]:
    """Yield results in the order of the command line, each as soon as those before it are out."""
    early: dict[int, CheckResult] = {}
    position = 0
    for number, result in numbered:
        early[number] = result
        while position in early:
            yield early.pop(position)
            position += 1


def _print_summary(results: list[CheckResult]) -> None:
    scenes = [result for result in results if result.status != NOT_MAX]
    if scenes:
        _print_releases(scenes)
    for status, title in ((NOT_MAX, "not scenes"), (FAILED, "failed")):
        listed = [result for result in results if result.status == status]
        if listed and scenes:
            output.line()
        if listed:
            output.line(f"{title}: {len(listed)}")
        for result in listed:
            _print_problems(result)


def _print_problems(result: CheckResult) -> None:
    for problem in result.problems[:_SHOWN_PROBLEMS]:
        output.line(f"  {output.safe(problem)}")
    more = len(result.problems) - _SHOWN_PROBLEMS
    if more > 0:
        output.line(f"  {output.safe(result.path)}: {more} more, see --json")


def _print_releases(results: list[CheckResult]) -> None:
    releases: dict[str, list[CheckResult]] = {}
    for result in results:
        releases.setdefault(result.release or "(not read)", []).append(result)
    rows = [_row(release, releases[release]) for release in sorted(releases, key=_release_key)]
    rows.append(_row("all", results))
    headers = ("release", "files", "ok", "failed", "compressed", "chunks", "objects", "typed",
               "Scene bytes", "typed")  # fmt: skip
    output.table(headers, rows, right=range(1, len(headers)))


def _row(release: str, results: list[CheckResult]) -> tuple[object, ...]:
    objects = sum(result.objects for result in results)
    size = sum(result.scene_bytes for result in results)
    return (
        release,
        len(results),
        sum(result.status == OK for result in results),
        sum(result.status == FAILED for result in results),
        sum(result.compressed for result in results),
        sum(result.chunks for result in results),
        objects,
        _share(sum(result.typed_objects for result in results), objects),
        size,
        _share(sum(result.typed_bytes for result in results), size),
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _release_key(release: str) -> tuple[int, int, str]:
    """Sort R1/R2, 3 to 9, then the years, then what is unknown."""
    if release.startswith("R"):
        return 0, 0, release
    digits = "".join(c if c.isdecimal() else " " for c in release).split()
    return (1, int(digits[0]), release) if release[:1].isdecimal() and digits else (2, 0, release)
