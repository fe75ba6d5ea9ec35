"""``maxsidecar nel build``: the export stage of build_gamedata."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, TextIO

from maxsidecar import plugins
from maxsidecar.batch.order import in_order
from maxsidecar.batch.pool import map_isolated
from maxsidecar.cli import output
from maxsidecar.cli.nel_export import add_process, process_list
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_common, add_workers

if TYPE_CHECKING:
    from maxsidecar.nel.export.build import BuildResult, Plan, Site

__all__ = ["add_build", "run_build"]


def add_build(actions: SubParsers) -> None:
    """Add the parser of ``nel build``."""
    parser = add_command(
        actions,
        "build",
        "Export the scenes of a project of a build_gamedata workspace, in place of its export "
        "stage: the same folders, tags and words in the log.",
        "maxsidecar nel build --workspace ws --project common/sky --database db --export-dir out",
        more="directories.py and process.py of the project are read as data, never executed.\n"
        "The folders are those of --database and --export-dir, or of a buildsite.py: that of\n"
        "--buildsite, or the one in the workspace.\n"
        "A scene is skipped when its tag is newer, or when it has not changed since. The tag is\n"
        "written only when everything of the scene was exported. A build that was interrupted\n"
        "goes on where it stopped.",
    )
    parser.add_argument("--workspace", required=True, metavar="DIR", help="folder of the projects")
    parser.add_argument(
        "--project",
        required=True,
        action="append",
        metavar="NAME",
        help="project, such as common/objects; can be given several times",
    )
    add_process(parser)
    parser.add_argument("--buildsite", metavar="FILE", help="buildsite.py with the folders")
    parser.add_argument("--database", metavar="DIR", help="folder of the sources")
    parser.add_argument("--export-dir", metavar="DIR", help="folder of the exports")
    parser.add_argument(
        "--ps-path",
        action="append",
        default=[],
        metavar="DIR",
        help="folder with particle systems that nodes name; can be given several times",
    )
    parser.add_argument("--force", action="store_true", help="export what the tags say is done")
    parser.add_argument("--log", metavar="FILE", help="also append the log to a file")
    add_workers(parser)
    add_common(parser, "tag")


def run_build(args: argparse.Namespace) -> int:
    """Run ``nel build``."""
    from maxsidecar.nel.export.build import plan_project

    processes = process_list(args.process)
    site = _site(args)
    # Two of one project would write the same files at once.
    projects = {Path(PureWindowsPath(project)): project for project in args.project}
    plans = [
        plan_project(
            Path(args.workspace),
            project,
            site,
            processes=processes,
            force=args.force,
            particle_folders=args.ps_path,
        )
        for project in projects.values()
    ]
    with ExitStack() as stack:
        log: TextIO | None = None
        if args.log is not None:
            log = stack.enter_context(open(args.log, "a", encoding="utf-8"))
        return _run(args, plans, log)


def _site(args: argparse.Namespace) -> Site:
    from maxsidecar.nel.export.build import Site

    if args.database is not None and args.export_dir is not None:
        return Site(Path(args.database), Path(args.export_dir))
    own = Path(args.workspace) / "buildsite.py"
    if args.buildsite is None and not own.is_file():
        raise UsageError("give --database and --export-dir, or --buildsite")
    held = Site.read(own if args.buildsite is None else Path(args.buildsite))
    database = held.database if args.database is None else Path(args.database)
    export = held.export if args.export_dir is None else Path(args.export_dir)
    return Site(database, export)


def _run(args: argparse.Namespace, plans: list[Plan], log: TextIO | None) -> int:
    from maxsidecar.nel.export.build import FAILED, SKIPPED, written_twice

    def say(text: str, *, of_scene: bool = False) -> None:
        if not args.json:
            output.line(output.safe(text))
        elif not of_scene and text.startswith(("WARNING ", "MISSING ")):
            output.note(text)  # in no line of JSON
        if log is not None:
            log.write(output.safe(text) + "\n")

    for plan in plans:
        for text in plan.log:
            say(text)
    results: list[BuildResult] = []
    for result in _results(args, plans):
        results.append(result)
        for text in result.log:
            say(text, of_scene=True)
        if args.json:
            output.print_json(_as_dict(result))
    for text in written_twice(results):
        say(text)
    statuses = Counter(result.status for result in results)
    done = len(results) - statuses[SKIPPED] - statuses[FAILED]
    missing = sum(plan.missing for plan in plans)
    total = f"Exported {done} .max files! SKIP {statuses[SKIPPED]}; FAIL {statuses[FAILED]}"
    say(f"{total}; MISSING {missing}" if missing else total)
    if statuses[FAILED] or missing:
        say("FAIL One or more issues occurred")
        return 1
    say("SUCCESS All .max files have been successfully exported")
    return 0


def _results(args: argparse.Namespace, plans: list[Plan]) -> Iterator[BuildResult]:
    from maxsidecar.nel.export.build import build_item, not_built

    items = [item for plan in plans for item in plan.items]
    # Never more workers than scenes: each costs the start of an interpreter.
    jobs = min(os.cpu_count() or 1, len(items)) if args.jobs is None else args.jobs
    built = map_isolated(
        build_item,
        items,
        not_built,
        jobs=0 if jobs == 1 and args.jobs is None else jobs,
        timeout=args.timeout,
        set_up=plugins.load,
    )
    yield from in_order(output.progress(built, len(items), "exporting"))


def _as_dict(result: BuildResult) -> dict[str, Any]:
    return {
        "process": result.item.process,
        "scenes": [scene for scene, _ in result.item.scenes],
        "tag": result.item.tag,
        "status": result.status,
        "outputs": result.outputs,
        "log": result.log,
        "nodes": [
            {"scene": scene, **entry.as_dict()}
            for scene, report in result.reports.items()
            for entry in report.entries
        ],
    }
