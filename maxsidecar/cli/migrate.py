"""``maxsidecar migrate``: change many scenes in the same way, safely."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from maxsidecar import __version__, plugins
from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_json, add_workers
from maxsidecar.cli.rate import progress_with_rate
from maxsidecar.migrate.registry import Migration, MigrationError, Option, library

if TYPE_CHECKING:
    from maxsidecar.migrate.engine import Run
    from maxsidecar.migrate.undo import Undo, UndoResult
    from maxsidecar.migrate.work import FileResult

_TIMEOUT: Final = 300.0
_PREFIX: Final = "option "
#: Lines about one file; all of them are in --json, reports and the journal.
_MOST_LINES: Final = 200


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser, with one of its own for each migration."""
    parser = add_command(
        group,
        "migrate",
        "Change many scenes in the same way. Each is saved in one step, a journal lets an\n"
        "interrupted run go on, and everything can be undone.",
        "maxsidecar migrate --list",
        "maxsidecar migrate run my.py . --dry-run",
        "maxsidecar migrate run my.py . --journal old --report report.html",
        "maxsidecar migrate --undo old",
        more="maxsidecar migrate NAME --help tells what a migration may change.",
    )
    parser.add_argument("--list", action="store_true", help="list the migrations")
    parser.add_argument("--undo", metavar="JOURNAL", help="give back the files of a journal")
    parser.add_argument(
        "--dry-run", action="store_true", dest="dry_undo", help="only show what would be undone"
    )
    add_json(parser, "migration or file")
    names = parser.add_subparsers(dest="migration", metavar="NAME", prog="maxsidecar migrate")
    for migration in library().values():
        _add_migration(names, migration)
    return parser


def _add_migration(group: SubParsers, migration: Migration) -> None:
    parser: argparse.ArgumentParser = group.add_parser(
        migration.name,
        help=migration.summary,
        description=f"{migration.summary[:1].upper()}{migration.summary[1:]}.",
        epilog=f"what it may change:\n{_indented(migration.changes)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for option in migration.options:
        _add_option(parser, option)
    parser.add_argument("root", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--verbose", action="store_true", help="show every change")
    parser.add_argument("--backup", metavar="DIR", help="keep the old files in this folder")
    parser.add_argument(
        "--journal",
        metavar="DIR",
        help="folder of the journal (default: .maxsidecar/NAME-... in the first ROOT)",
    )
    parser.add_argument(
        "--again", action="store_true", help="also do files that the journal says are done"
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FILE",
        help="write a report: .toml, .json or .html (repeat)",
    )
    add_workers(parser)
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="work on this dask.distributed cluster instead"
    )
    add_json(parser, "file")
    # A wrong option is told with the usage of this migration.
    parser.set_defaults(parser=parser)


def _add_option(parser: argparse.ArgumentParser, option: Option) -> None:
    flags: dict[str, Any] = {"help": option.help}
    if option.kind == "flag":
        flags["action"] = "store_true"
    else:
        if option.metavar:
            flags["metavar"] = option.metavar
        if option.many and not option.positional:
            flags |= {"action": "append", "default": []}
        if option.values > 1:
            flags["nargs"] = option.values
        if option.kind == "number":
            flags["type"] = float
        elif option.kind in ("file", "folder"):
            flags["type"] = os.path.abspath
    if option.positional:
        parser.add_argument(_PREFIX + option.name, **flags)
    else:
        flags |= {"dest": _PREFIX + option.name, "required": option.required}
        parser.add_argument(f"--{option.name}", **flags)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    chosen = [name for name in ("list", "undo", "migration") if getattr(args, name)]
    if len(chosen) != 1:
        raise UsageError("give the name of a migration, or --list, or --undo JOURNAL")
    if args.list:
        return _list(args)
    with _terminable():
        if args.undo is not None:
            return _undo(args)
        if args.jobs == 0:
            with output.apart_from_scripts():
                return _migrate(library()[args.migration], args)
        return _migrate(library()[args.migration], args)


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl+C does: with its reports, and with a word."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # only the main thread has signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _list(args: argparse.Namespace) -> int:
    for number, migration in enumerate(library().values()):
        if args.json:
            options = [
                {"name": o.name, "kind": o.kind, "help": o.help, "required": o.required}
                for o in migration.options
            ]
            about = {"name": migration.name, "summary": migration.summary}
            output.print_json({**about, "changes": migration.changes, "options": options})
            continue
        if number:
            output.line()
        output.line(f"{migration.name}: {migration.summary}")
        output.line(_indented(migration.changes))
    return 0


def _migrate(migration: Migration, args: argparse.Namespace) -> int:
    from maxsidecar.migrate.engine import Run, Settings, line_of
    from maxsidecar.migrate.journal import journal_folder
    from maxsidecar.migrate.report import report_for

    given = vars(args)
    options = {option.name: given[_PREFIX + option.name] for option in migration.options}
    settings = Settings(
        jobs=args.jobs if args.jobs is not None else os.cpu_count() or 1,
        timeout=args.timeout,
        scheduler=args.scheduler,
        journal=None if args.journal is None else journal_folder(os.path.abspath(args.journal)),
        backup=None if args.backup is None else Path(args.backup),
        dry_run=args.dry_run,
        again=args.again,
        set_up=plugins.load,
        program=f"maxsidecar {__version__}",
    )
    try:
        job = Run(migration, options, args.root, settings)
    except MigrationError as error:
        raise UsageError(str(error)) from error
    reports = [report_for(path) for path in args.report]
    with ExitStack() as stack:
        for report in reports:
            stack.enter_context(report).begin(job.about())
        try:
            for result in progress_with_rate(
                job.results(), job.count, "migrating", lambda: job.seen
            ):
                _tell(result, args)
                for report in reports:
                    report.add(line_of(result))
        except KeyboardInterrupt:
            if job.journal is not None:
                output.note("the same command goes on where this run stops")
            raise
        finally:
            for report in reports:
                report.end(job.totals())
    for path, reason in job.search.problems:
        output.error(f"{path}: {reason}")
    _sum_up(job, args)
    return int(job.failed)


def _tell(result: FileResult, args: argparse.Namespace) -> None:
    from maxsidecar.migrate.engine import line_of

    if args.json:
        output.print_json(line_of(result))
    elif result.state == "changed":
        words = "would change" if args.dry_run else "changed"
        told = f" ({output.count(result.changes, 'change')})" if result.changes else ""
        output.line(output.safe(f"{result.path}: {words}{told}"))
    if result.message:
        tell = output.note if result.state == "not-max" else output.error
        tell(result.message)
    if args.json:
        return
    shown = 0
    for entry in result.entries:
        if entry.kind in ("problem", "warning"):
            output.note(f"{result.path}: {entry}")
        elif (args.dry_run or args.verbose) and shown < _MOST_LINES:
            shown += 1
            output.line(output.safe(f"  {entry}"))
    more = len(result.entries) + result.left_out - _MOST_LINES
    if shown == _MOST_LINES and more > 0:
        output.line(f"  and {more} more; --report tells all")


def _sum_up(job: Run, args: argparse.Namespace) -> None:
    if args.json:
        return
    counts = job.counts
    if job.nothing_done:
        if counts["done"]:
            files = "the scene was" if counts["done"] == 1 else f"all {counts['done']} scenes were"
            output.line(f"nothing to do: {files} dealt with before; --again does it all the same")
            output.line(output.safe(f"journal: {job.journal}"))
        return
    words = [f"{counts['changed']} {'would change' if args.dry_run else 'changed'}"]
    words.append(f"{counts['unchanged']} unchanged")
    for state, text in (("done", "done before"), ("not-max", "no scenes"), ("failed", "failed")):
        if counts[state]:
            words.append(f"{counts[state]} {text}")
    if job.problems:
        words.append(output.count(job.problems, "problem"))
    rate = f"{(job.seen - counts['done']) / job.seconds:.0f} a second" if job.seconds else ""
    output.line(f"{', '.join(words)} ({job.seconds:.1f} s, {rate})")
    if job.journal is not None:
        output.line(output.safe(f"journal: {job.journal}"))
        if counts["changed"]:
            output.line(output.safe(f'undo:    maxsidecar migrate --undo "{job.journal}"'))


def _undo(args: argparse.Namespace) -> int:
    from maxsidecar.migrate.journal import journal_folder
    from maxsidecar.migrate.undo import Undo

    undo = Undo(
        journal_folder(os.path.abspath(args.undo)),
        jobs=os.cpu_count() or 1,
        timeout=_TIMEOUT,
        dry_run=args.dry_undo,
    )
    done = progress_with_rate(undo.results(), undo.count, "undoing", undo.counts.total)
    for result in done:
        _tell_undo(result, args)
    if not args.json:
        _sum_up_undo(undo, args)
    return int(undo.counts["refused"] > 0)


def _tell_undo(result: UndoResult, args: argparse.Namespace) -> None:
    if args.json:
        about: Mapping[str, Any] = {"path": result.path, "state": result.state}
        output.print_json({**about, "message": result.message, "sha256": result.sha256})
    elif result.state == "undone":
        output.line(output.safe(f"{result.path}: {'would be ' if args.dry_undo else ''}undone"))
    if result.message:
        output.error(result.message)


def _sum_up_undo(undo: Undo, args: argparse.Namespace) -> None:
    counts = undo.counts
    if not counts:
        output.line("nothing to undo: the journal's runs changed no file")
        return
    words = [f"{counts['undone']} {'would be ' if args.dry_undo else ''}undone"]
    if counts["as-before"]:
        words.append(f"{counts['as-before']} as before already")
    if counts["refused"]:
        words.append(f"{counts['refused']} refused")
    output.line(", ".join(words))
