"""``maxsidecar check``: the round-trip gate, over files and folders."""

from __future__ import annotations

import argparse

from maxsidecar import plugins
from maxsidecar.cli import output
from maxsidecar.cli.checking import check_all, print_listed
from maxsidecar.cli.parsers import SubParsers, add_command, add_json, add_workers
from maxsidecar.scene.coverage import STATES
from maxsidecar.scene.roundtrip import FAILED, NOT_MAX, OK, CheckResult, check_file, not_checked

_SHOWN_PROBLEMS = 10


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "check",
        "Prove that scenes can be read, edited and saved without loss; no file is changed.",
        "maxsidecar check street.max",
        "maxsidecar check --json --jobs 4 .",
        more="Every chunk stream rebuilt from its index must equal the original, every typed\n"
        "record decoded and encoded must give the same bytes, what objects say of one another\n"
        "must fit together, a save without an edit must give the file, and an edit with its\n"
        "reversal must give it back. Files that are no scenes are counted separately and do not\n"
        "make the check fail, and neither do notes.",
    )
    parser.add_argument("path", nargs="+", help="scene file, or folder to search for scenes")
    add_workers(parser)
    add_json(parser, "file")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    return check_all(args, check_file, not_checked, set_up=plugins.load, summary=_print_summary)


def _print_summary(results: list[CheckResult]) -> None:
    scenes = [result for result in results if result.status != NOT_MAX]
    if scenes:
        _print_releases(scenes)
    print_listed(
        results,
        ((NOT_MAX, "not scenes"), (FAILED, "failed")),
        lambda result: _print_texts(result, result.problems),
        first=not scenes,
    )
    noted = [result for result in results if result.notes]
    if noted:
        output.line()
        output.line(f"with notes: {len(noted)}")
    for result in noted:
        _print_texts(result, result.notes)


def _print_texts(result: CheckResult, texts: list[str]) -> None:
    for text in texts[:_SHOWN_PROBLEMS]:
        output.line(f"  {output.safe(text)}")
    more = len(texts) - _SHOWN_PROBLEMS
    if more > 0:
        output.line(f"  {output.safe(result.path)}: {more} more, see --json")


def _print_releases(results: list[CheckResult]) -> None:
    releases: dict[str, list[CheckResult]] = {}
    for result in results:
        releases.setdefault(result.release or "(not read)", []).append(result)
    rows = [_row(release, releases[release]) for release in sorted(releases, key=_release_key)]
    rows.append(_row("all", results))
    headers = ("release", "files", "ok", "failed", "notes", "compressed", "chunks", "objects",
               *STATES, "Scene bytes", "typed")  # fmt: skip
    output.table(headers, rows, right=range(1, len(headers)))


def _row(release: str, results: list[CheckResult]) -> tuple[object, ...]:
    size = sum(result.scene_bytes for result in results)
    return (
        release,
        len(results),
        sum(result.status == OK for result in results),
        sum(result.status == FAILED for result in results),
        sum(len(result.notes) for result in results),
        sum(result.compressed for result in results),
        sum(result.chunks for result in results),
        sum(result.objects for result in results),
        sum(result.typed_objects for result in results),
        sum(result.partly_typed_objects for result in results),
        sum(result.read_only_objects for result in results),
        sum(result.raw_objects for result in results),
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
