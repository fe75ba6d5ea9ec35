"""``maxsidecar gltf export``: one scene, or folders of them, as ``.glb`` or ``.gltf``."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar import __version__, plugins
from maxsidecar.batch.files import find_files
from maxsidecar.batch.order import in_order
from maxsidecar.batch.pool import map_isolated
from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_common, add_workers
from maxsidecar.errors import shorten
from maxsidecar.gltf.export.report import Outcome

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Options
    from maxsidecar.gltf.export.report import Entry
    from maxsidecar.gltf.export.work import TaskResult

__all__ = ["PARTIAL", "add_export", "run_export"]

#: Exit code when something of a scene could not be exported.
PARTIAL: Final = 3
_MOST_ROWS: Final = 50
_MOST_FRAMES: Final = 10_000_000.0


def add_export(actions: SubParsers) -> None:
    """Add the parser of ``gltf export``."""
    parser = add_command(
        actions,
        "export",
        "Export a scene: nodes, meshes, skins, morph targets, animation, materials, cameras and\n"
        "lights, with AppData, user-defined properties and custom attributes as extras.",
        "maxsidecar gltf export street.max -o street.glb",
        "maxsidecar gltf export street.max -o web/street.gltf --textures copy",
        "maxsidecar gltf export street.max -o rig.glb --rig-only --range 0 40",
        "maxsidecar gltf export . -o out --jobs 4 --report report.json",
        more="A table shows what is not quite as in 3ds Max, and what is not there, and why;\n"
        "--report lists every node, modifier, material and controller.\n"
        f"exit code {PARTIAL}: written, but something of the scene is not there",
    )
    parser.add_argument("path", nargs="+", metavar="FILE", help="scene file, or folder of scenes")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="file to write, .glb or .gltf; for several scenes a folder",
    )
    parser.add_argument(
        "--format",
        choices=("glb", "gltf"),
        default="glb",
        help="of files in a folder (default: glb)",
    )
    parser.add_argument("--report", metavar="FILE", help="write everything that became of it, JSON")
    _add_choices(parser)
    _add_animation(parser)
    _add_textures(parser)
    add_workers(parser)
    add_common(parser, "scene")


def _add_choices(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is exported")
    group.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NODE",
        help="only this node, by name or id, and what is below it (repeat); joints come along",
    )
    group.add_argument("--selection-set", default="", metavar="NAME", help="only nodes of this set")
    group.add_argument(
        "--rig-only", action="store_true", help="only nodes and animation, no meshes"
    )
    for name in ("animation", "materials", "cameras", "lights"):
        group.add_argument(f"--no-{name}", action="store_true", help=f"leave out {name}")
    group.add_argument("--no-hidden", action="store_true", help="leave out hidden nodes")
    group.add_argument(
        "--bone-meshes", action="store_true", help="the shapes that bones are drawn as, too"
    )
    group.add_argument(
        "--triangulated",
        action="store_true",
        help="leave out what a later import needs to know polygons again",
    )


def _add_animation(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("animation")
    group.add_argument(
        "--range",
        nargs=2,
        type=_frame,
        metavar=("FROM", "TO"),
        help="frames (default: the scene's active range)",
    )
    group.add_argument(
        "--sample",
        nargs="?",
        type=_step,
        const=1.0,
        metavar="FRAMES",
        help="sample everything, every so many frames (default: keys as they are stored)",
    )
    group.add_argument(
        "--bind",
        choices=("stored", "first-frame"),
        default="stored",
        help="the pose that skins are bound in (default: stored)",
    )


def _add_textures(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("textures")
    group.add_argument(
        "--textures",
        choices=("embed", "copy", "reference", "none"),
        default="embed",
        help="what happens with pictures that are found (default: embed)",
    )
    group.add_argument(
        "--texture-root",
        action="append",
        default=[],
        metavar="DIR",
        help="folder that is searched for pictures, behind the scene's own (repeat)",
    )


def _frame(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) <= _MOST_FRAMES:
        raise argparse.ArgumentTypeError(f"not a frame: {shorten(text)}")
    return number


def _step(text: str) -> float:
    number = _frame(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"not a number of frames above 0: {shorten(text)}")
    return number


def _options(args: argparse.Namespace) -> Options:
    from maxsidecar.gltf.export.context import Options

    return Options(
        nodes=args.node,
        selection_set=args.selection_set,
        rig_only=args.rig_only,
        animation=not args.no_animation,
        materials=not args.no_materials,
        cameras=not args.no_cameras,
        lights=not args.no_lights,
        hidden=not args.no_hidden,
        bone_meshes=args.bone_meshes,
        sample=args.sample,
        range=None if args.range is None else (args.range[0], args.range[1]),
        bind=args.bind,
        textures=args.textures,
        texture_roots=[Path(root) for root in args.texture_root],
        triangulated=args.triangulated,
    )


def run_export(args: argparse.Namespace) -> int:
    """Run ``gltf export``."""
    from maxsidecar.gltf.export.work import ExportTask, export_task, failed_task, plan
    from maxsidecar.io.outputs import check_output

    for root in args.texture_root:
        if not Path(root).is_dir():
            raise UsageError(f"--texture-root {root}: there is no such folder")
    options, generator = _options(args), f"maxsidecar {__version__}"
    files, problems = find_files(args.path)
    for path, reason in problems:
        output.error(f"{path}: {reason}")
    target = Path(args.output)
    one = target.suffix.lower() in (".glb", ".gltf") and not target.is_dir()
    roots = [Path(path) for path in args.path if Path(path).is_dir()]
    if one and (len(files) > 1 or roots):
        raise UsageError("for several scenes OUT must be a folder")
    if not one:
        _check_folder(target, several=len(files) > 1 or bool(roots))
    pairs = [(file, target) for file in files]
    if not one:
        pairs = plan(files, roots, target, f".{args.format}")
    if args.report is not None:
        check_output(args.report, inputs=files)
        if Path(args.report).resolve() in {place.resolve() for _, place in pairs}:
            raise UsageError("the report would be written over an export")
    tasks = [ExportTask(source, place, options, generator) for source, place in pairs]
    jobs = args.jobs
    if jobs is None:
        jobs = 0 if len(tasks) == 1 else os.cpu_count() or 1
    done = map_isolated(
        export_task, tasks, failed_task, jobs=jobs, timeout=args.timeout, set_up=plugins.load
    )
    results = []
    for result in in_order(output.progress(done, len(tasks), "exporting")):
        results.append(result)
        _show(args, result)
    if args.report is not None:
        _write_report(Path(args.report), results)
    if problems or any(result.error for result in results):
        return 1
    return 0 if all(result.complete for result in results) else PARTIAL


def _check_folder(target: Path, *, several: bool) -> None:
    """Refuse a name that is more likely meant as one of a file than of a folder."""
    if target.is_dir():
        return
    if target.exists():
        raise UsageError("OUT is a file, but neither .glb nor .gltf, and no folder")
    if target.suffix and not several:
        raise UsageError("OUT must end with .glb or .gltf, or be a folder that is there")


def _show(args: argparse.Namespace, result: TaskResult) -> None:
    for problem in result.problems:
        output.note(f"warning: {problem}")
    if args.json:
        output.print_json(result.as_json())
    if result.error:
        output.error(result.error)
    elif not args.json:
        for line in _lines(result):
            output.line(line)


def _lines(result: TaskResult) -> Iterator[str]:
    """Print the table of a scene, then yield lines that sum it up."""
    rows = _rows(result.entries)
    if rows:
        output.table(("what", "of", "class", "is", "reason"), rows[:_MOST_ROWS])
        if len(rows) > _MOST_ROWS:
            yield f"and {len(rows) - _MOST_ROWS} more (--report or --json list all)"
    there, missing = [], []
    for kind, numbers in result.report.counts.items():
        lost = numbers[Outcome.LEFT_OUT]
        there += [_count(numbers.total() - lost, kind)] if numbers.total() > lost else []
        missing += [_count(lost, kind)] if lost else []
    ending = f"; not there: {', '.join(missing)}" if missing else ""
    size = sum(path.stat().st_size for path in result.files if path.is_file())
    text = f"{result.files[0]}: {', '.join(there) or 'nothing'}, {_size(size)}{ending}"
    yield output.safe(text)


def _count(number: int, kind: str) -> str:
    return f"{number} meshes" if kind == "mesh" and number != 1 else output.count(number, kind)


def _rows(entries: list[Entry]) -> list[tuple[str, ...]]:
    """Return what is not there, then what is not exact; what is alike makes one row."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for entry in entries:
        if entry.reason:
            key = (entry.kind, entry.class_name, entry.outcome.value, entry.reason)
            alike.setdefault(key, []).append(entry.name or "(no name)")
    rows = []
    for (kind, class_name, outcome, reason), found in alike.items():
        names = list(dict.fromkeys(found))
        shown = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        rows.append((kind, shown, class_name, outcome, reason))
    return sorted(rows, key=lambda row: row[3] != Outcome.LEFT_OUT.value)


def _size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB" if count >= 1 << 20 else f"{max(count >> 10, 1)} KiB"


def _write_report(path: Path, results: list[TaskResult]) -> None:
    from maxsidecar.io.save import save_segments

    found = [result.as_json() for result in results]
    whole = found[0] if len(found) == 1 else {"scenes": found}
    save_segments(path, [json.dumps(whole, indent=1).encode("ascii")])
