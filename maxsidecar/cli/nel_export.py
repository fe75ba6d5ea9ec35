"""``maxsidecar nel export``: a scene as files of the game."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.batch.files import find_files
from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_common
from maxsidecar.cli.scenes import Damage, opened, told_of
from maxsidecar.errors import EditError, MaxSidecarError, cut

if TYPE_CHECKING:
    from maxsidecar.nel.export.names import OutputNames
    from maxsidecar.nel.export.report import Entry, Report
    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["add_export", "add_process", "process_list", "run_export"]

_MOST_ROWS: Final = 50
#: Characters of a node's name in a table; one that is longer would push the reasons away.
_LONGEST_NAME: Final = 60


def add_export(actions: SubParsers) -> None:
    """Add the parser of ``nel export``."""
    from maxsidecar.nel.export.registry import process_names

    parser = add_command(
        actions,
        "export",
        "Export scenes into files of the game, as NeL's plug-in for 3ds Max does: the same rules "
        "for which nodes are exported, by their export flags.",
        "maxsidecar nel export street.max -o out",
        "maxsidecar nel export street.max -o out --process shape,ig --json",
        "maxsidecar nel export street.max -o out --process ig --ig-name x --node house",
        more="Nodes that a flag keeps out are listed with the reason; --all lists those too that\n"
        "are of another kind. Nodes of --node are exported in the order that is given.\n"
        "Shapes with a coarse mesh go to OUT/shape_with_coarse_mesh.\n"
        "exit code 1: something that should have been exported could not be\n"
        "processes: " + ", ".join(process_names()),
    )
    parser.add_argument("path", nargs="+", metavar="FILE", help="scene file, or folder of scenes")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="folder to write to")
    add_process(parser)
    parser.add_argument(
        "--node",
        action="append",
        metavar="NODE",
        help="export this node only: name, name@id or @id; can be given several times",
    )
    parser.add_argument(
        "--ig-name",
        default="",
        metavar="NAME",
        help="instance group of nodes that have no IGNAME (default: they go to none)",
    )
    parser.add_argument(
        "--ps-path",
        action="append",
        default=[],
        metavar="DIR",
        help="folder with particle systems that nodes name; can be given several times",
    )
    parser.add_argument("--all", action="store_true", help="list all nodes that are left out")
    add_common(parser, "scene")


def add_process(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses processes."""
    parser.add_argument(
        "--process",
        action="append",
        metavar="NAME,...",
        help="what to export, separated by commas or given again (default: everything)",
    )


def process_list(texts: list[str] | None) -> list[str] | None:
    """Return the processes of all options given, ``None`` for all.

    Raises:
        UsageError: One of them does not exist.
    """
    from maxsidecar.nel.export.registry import chosen

    if texts is None:
        return None
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("--process names no process")
    try:
        chosen(names)
    except EditError as error:
        raise UsageError(str(error)) from None
    return names


def run_export(args: argparse.Namespace) -> int:
    """Run ``nel export``."""
    from maxsidecar.nel.export.names import OutputNames
    from maxsidecar.nel.export.run import make_folder

    processes = process_list(args.process)
    files, problems = find_files(args.path, ".max")
    for path, reason in problems:
        output.error(f"{path}: {reason}")
    if args.node and len(files) > 1:
        raise UsageError("--node goes with one scene only")
    failed = bool(problems)
    if files:
        # Told once, and before the work.
        make_folder(Path(args.output))
    names = OutputNames()
    for path in output.progress(files, len(files), "exporting"):
        try:
            failed |= _export(args, path, processes, names)
        except BrokenPipeError:
            raise
        except (MaxSidecarError, OSError) as problem:
            if args.json:
                output.print_json({"path": str(path), "error": str(problem)})
            output.error(problem)
            failed = True
    return int(failed)


def _export(
    args: argparse.Namespace, path: Path, processes: list[str] | None, names: OutputNames
) -> bool:
    """Export one scene; return whether anything failed."""
    from maxsidecar.nel.export.run import export_scene

    damage = Damage()
    with opened(path, damage) as scene_file:
        only = _only(args, scene_file, path)
        with told_of(path):
            report = export_scene(
                scene_file,
                Path(args.output),
                processes=processes,
                only=only,
                group=args.ig_name,
                particle_folders=args.ps_path,
                names=names,
            )
    if args.json:
        output.print_json({"path": str(path), **report.as_dict()})
    else:
        _show(report, path, everything=args.all, note=damage.note)
    return bool(report.failed)


def _only(args: argparse.Namespace, scene_file: MaxFile, path: Path) -> tuple[int, ...] | None:
    from maxsidecar.sidecar.labels import Labels

    if not args.node:
        return None
    with told_of(path):
        labels = Labels(scene_file.scene)
        return tuple(dict.fromkeys(labels.find(node).index for node in args.node))


def _show(report: Report, path: Path, *, everything: bool, note: str) -> None:
    output.line(output.safe(f"{path}: {output.count(len(report.outputs), 'file')} written") + note)
    if report.outputs:
        rows: list[tuple[Any, ...]] = [
            (out.process, out.nodes, Path(out.path).name) for out in report.outputs
        ]
        output.table(("process", "nodes", "file"), rows, right=[1])
    noted = [(entry, text) for entry in report.written for text in entry.notes]
    _list("notes", noted)
    _list("not exported", [(entry, entry.reason) for entry in report.failed])
    left = [entry for entry in report.left_out if everything or entry.chosen]
    _list("left out", [(entry, entry.reason) for entry in left])
    hidden = len(report.left_out) - len(left)
    if hidden:
        counts = Counter(entry.process for entry in report.left_out if not entry.chosen)
        text = ", ".join(f"{name} {number}" for name, number in counts.items())
        output.line(f"left out as of another kind, or not marked for export: {text} (--all)")
    if _lacks_group(report):
        output.line("no node says which instance group it goes to (ig_name): --ig-name NAME does")


def _lacks_group(report: Report) -> bool:
    """Return whether there is no group only because no node names one."""
    from maxsidecar.nel.export.groups import NO_GROUP
    from maxsidecar.nel.export.report import LEFT_OUT

    entries = [entry for entry in report.entries if entry.process == "ig"]
    if any(entry.status != LEFT_OUT for entry in entries):
        return False
    return any(entry.reason == NO_GROUP for entry in entries)


def _list(title: str, items: list[tuple[Entry, str]]) -> None:
    if not items:
        return
    output.line()
    output.line(f"{title}: {len(items)}")
    rows = [
        (e.process, cut(e.node, _LONGEST_NAME) if e.node else _unnamed(e), text)
        for e, text in items[:_MOST_ROWS]
    ]
    output.table(("process", "node", "reason"), rows)
    if len(items) > _MOST_ROWS:
        output.line(f"and {len(items) - _MOST_ROWS} more (--json lists all)")


def _unnamed(entry: Entry) -> str:
    return "(scene)" if entry.index < 0 else f"@{entry.index}"
