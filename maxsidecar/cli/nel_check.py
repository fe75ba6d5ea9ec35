"""``maxsidecar nel check`` and ``nel dump``: the game's own files, checked and shown."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from maxsidecar.cli import output
from maxsidecar.cli.checking import check_all, print_listed
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, add_command, add_common, add_workers
from maxsidecar.nel.serial.check import FAILED, NOT_NEL, OK, NelCheck, check_file, not_checked
from maxsidecar.nel.serial.formats import FORMATS, read_file

__all__ = ["SUFFIXES", "add_check", "add_dump", "run_check", "run_dump"]

SUFFIXES = tuple(suffix for item in FORMATS for suffix in item.suffixes)
#: A worker costs as much as this many files.
_FILES_PER_WORKER = 100


def add_check(actions: SubParsers) -> None:
    """Add the parser of ``nel check``."""
    parser = add_command(
        actions,
        "check",
        "Prove that files are read to the last byte and written back the same; none is changed.",
        "maxsidecar nel check tree.shape",
        "maxsidecar nel check --json --jobs 2 .",
        more="A class version that the game refuses, and a file that a transfer damaged, fail\n"
        "with the place and the reason. Files of other kinds are counted separately and do not\n"
        "make the check fail.",
    )
    parser.add_argument("path", nargs="+", help="file, or folder to search for files of the game")
    add_workers(parser)
    add_common(parser, "file")


def add_dump(actions: SubParsers) -> None:
    """Add the parser of ``nel dump``."""
    parser = add_command(
        actions,
        "dump",
        "Show what a file holds, field by field.",
        "maxsidecar nel dump tree.shape",
        "maxsidecar nel dump --json tree.shape",
        more="Lists of numbers are cut to their first elements; --full and --json show all.",
    )
    parser.add_argument("path", nargs="+", help="file, or folder to search for files of the game")
    parser.add_argument("--full", action="store_true", help="show lists whole")
    add_common(parser, "file")


def run_dump(args: argparse.Namespace) -> int:
    """Run ``nel dump``."""
    from maxsidecar.nel.serial.dump import to_lines, to_plain

    def show(path: Path) -> None:
        file = read_file(path)
        if args.json:
            plain: dict[str, Any] = {"path": str(path), "kind": file.kind}
            output.print_json({**plain, "root": to_plain(file.root)})
            return
        output.line(output.safe(f"{path}: {file.kind}"))
        for text in to_lines(file.root, full=args.full):
            output.line(output.safe(text))

    return each(args.path, show, suffix=SUFFIXES)


def run_check(args: argparse.Namespace) -> int:
    """Run ``nel check``."""
    return check_all(
        args, check_file, not_checked, suffix=SUFFIXES, jobs=_jobs, summary=_print_summary
    )


def _jobs(files: int) -> int:
    return -(-files // _FILES_PER_WORKER)


def _print_summary(results: list[NelCheck]) -> None:
    known = [result for result in results if result.status != NOT_NEL]
    if known:
        kinds = Counter((result.kind, result.status) for result in known)
        names = sorted({kind for kind, _ in kinds})
        rows = [(name, kinds[name, OK], kinds[name, FAILED]) for name in names]
        rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
        headers = ("kind", "files", "ok", "failed")
        counted = [(name or "(not read)", ok + failed, ok, failed) for name, ok, failed in rows]
        output.table(headers, counted, right=range(1, len(headers)))
    print_listed(
        results,
        ((NOT_NEL, "not files of the game"), (FAILED, "failed")),
        _print_problems,
        first=not known,
    )


def _print_problems(result: NelCheck) -> None:
    for problem in result.problems:
        output.line(f"  {output.safe(problem)}")
