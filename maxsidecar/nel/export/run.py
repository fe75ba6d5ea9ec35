"""Running export processes over one scene, and writing what they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError, SaveError, Where
from maxsidecar.io.outputs import check_output
from maxsidecar.nel.export.names import OutputNames, safe_name
from maxsidecar.nel.export.registry import (
    AUTOMATIC,
    COARSE,
    MAIN,
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Step,
    chosen,
)
from maxsidecar.nel.export.report import FAILED, LEFT_OUT, WRITTEN, Entry, Output, Report
from maxsidecar.nel.export.view import SceneView

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.node import Node

__all__ = ["AUTOMATIC_FOLDER", "COARSE_FOLDER", "export_scene", "output_folders", "run_process"]

#: Where shapes with a coarse mesh go within the output folder, as in build_gamedata.
COARSE_FOLDER: Final = "shape_with_coarse_mesh"
#: Where animations go that shapes play by themselves.
AUTOMATIC_FOLDER: Final = "shape_anim"
#: Where the view keeps what was told of nodes.
_TOLD: Final = "told of nodes"


def output_folders(folder: Path) -> dict[str, Path]:
    """Return the folders of an export that goes to one folder."""
    return {
        MAIN: folder,
        COARSE: folder / COARSE_FOLDER,
        AUTOMATIC: folder / AUTOMATIC_FOLDER,
    }


def export_scene(
    scene_file: MaxFile,
    folder: Path,
    *,
    processes: Iterable[str] | None = None,
    only: tuple[int, ...] | None = None,
    group: str = "",
    particle_folders: Iterable[str] = (),
    names: OutputNames | None = None,
) -> Report:
    """Export a scene into a folder.

    Args:
        scene_file: The scene.
        folder: Where the files go; made if it is not there.
        processes: Names of the processes; ``None`` for all.
        only: Storage indices of the nodes to export, in the order of a selection; ``None`` for all.
        group: Instance group for nodes that name none; empty: they go nowhere.
        particle_folders: Where particle systems that nodes name are looked for.
        names: The names that other scenes have taken, for several scenes in one folder.

    Returns:
        What became of each node in each process.

    Raises:
        EditError: There is no such process or node.
    """
    wanted = chosen(processes)
    view = SceneView(scene_file, only)
    path = scene_file.path
    stem = Path(path).stem if path is not None else "scene"
    job = Job(view, stem, group, tuple(particle_folders))
    report = Report()
    taken = OutputNames() if names is None else names
    for process in wanted:
        run_process(process, job, output_folders(folder), report, taken)
    report.problems += [str(problem) for problem in scene_file.problems()]
    return report


def run_process(
    process: Process,
    job: Job,
    folders: Mapping[str, Path],
    report: Report,
    names: OutputNames,
) -> None:
    """Run one process; what goes wrong is in the report.

    An error that no node is to blame for is one of the scene; a folder that cannot be made is one
    of each file in it.

    Args:
        process: The process.
        job: The scene.
        folders: Where its files go.
        report: Takes what became of the nodes.
        names: The names that are taken.
    """
    first = len(report.entries)
    steps = process.run(job)
    while True:
        try:
            step = next(steps, None)
        except MaxSidecarError as error:
            report.entries.append(Entry(process.name, "", -1, FAILED, reason=str(error)))
            break
        if step is None:
            break
        _take(process.name, step, job.view, folders, report, names)
    if process.suffix:
        _tell_of_old_files(process.suffix, folders, report, names, first)


def _tell_of_old_files(
    suffix: str, folders: Mapping[str, Path], report: Report, names: OutputNames, first: int
) -> None:
    """Tell of files that an earlier export made of a node, and this one does not.

    They stay, since somebody else may have put them there; but who has set a flag would take them
    for its effect.
    """
    for number, entry in enumerate(report.entries[first:], first):
        if entry.status == LEFT_OUT and not entry.chosen:
            continue
        wanted = [safe_name(entry.node, suffix, lower=lower) for lower in (True, False)]
        old: list[str] = []
        for folder in folders.values():
            there = (name for name in wanted if (folder / name).is_file())
            # Where case does not count both are one file.
            old += [str(folder / name) for name in there if not names.has(folder, name)][:1]
        if old:
            told = f"older and not written now: {', '.join(old)}"
            notes = (*entry.notes, told)
            reason = f"{entry.reason}; {told}" if entry.reason else ""
            report.entries[number] = replace(entry, reason=reason, notes=notes)


def _take(
    process: str,
    step: Step,
    view: SceneView,
    folders: Mapping[str, Path],
    report: Report,
    names: OutputNames,
) -> None:
    if isinstance(step, LeftOut):
        entry = _entry(process, view, step.node, LEFT_OUT, reason=step.reason)
        report.entries.append(replace(entry, chosen=step.chosen))
    elif isinstance(step, Failure):
        report.entries.append(_entry(process, view, step.node, FAILED, reason=step.reason))
    else:
        _write(process, step, view, folders, report, names)


def _write(
    process: str,
    product: Product,
    view: SceneView,
    folders: Mapping[str, Path],
    report: Report,
    names: OutputNames,
) -> None:
    folder = folders[product.folder]
    name = safe_name(product.name, product.suffix, lower=product.lower)
    notes = list(product.notes)
    if name.removesuffix(product.suffix) not in (product.name, product.name.lower()):
        notes.append(f"no file can have the name {product.name!r}, so it is {name}")
    scene = "" if view.file.path is None else str(view.file.path)
    owner = view.name(product.nodes[0]) if product.nodes else product.name
    path, first, same = names.claim(folder, name, owner, _source(view, product), scene)
    status, reason = WRITTEN, ""
    if path is None:
        status = LEFT_OUT if same else FAILED
        reason = f"{name} is written already, for {first}"
        reason += ", which shows the same object" if same else ""
    else:
        try:
            make_folder(folder)
            read = [view.file.path] if view.file.path is not None else []
            check_output(path, inputs=read)
            product.file.save(path)
        except MaxSidecarError as error:
            error.locate(file=str(path))
            status, reason = FAILED, str(error)
    if not reason:
        report.outputs.append(Output(process, str(path), len(product.nodes)))
    output = "" if reason else str(path)
    for node in product.nodes or (None,):
        of_node = product.node_notes.get(node.index, ()) if node is not None else ()
        every = [*notes, *of_node]
        entry = _entry(process, view, node, status, output, reason, every)
        report.entries.append(replace(entry, chosen=status == LEFT_OUT))


def _source(view: SceneView, product: Product) -> object:
    """Return what a file of one node is made of: the object that the node shows."""
    if len(product.nodes) != 1:
        return None
    shown = product.nodes[0].references.get(1)
    return None if shown is None else (str(view.file.path), shown)


def _entry(
    process: str,
    view: SceneView,
    node: Node | None,
    status: str,
    output: str = "",
    reason: str = "",
    notes: Iterable[str] = (),
) -> Entry:
    if node is None:
        return Entry(process, "", -1, status, output, reason, tuple(notes))
    name = view.name(node)
    # What is wrong with the node itself is told once among its files, by the first of them.
    told: set[tuple[int, str]] = view.kept.setdefault(_TOLD, set())
    problems = [text for text in view.problems(node) if (node.index, text) not in told]
    if status == WRITTEN:
        told.update((node.index, text) for text in problems)
    every = tuple(dict.fromkeys([*notes, *problems]))
    return Entry(process, name, node.index, status, output, reason, every)


def make_folder(folder: Path) -> None:
    """Make a folder, if it is not there.

    Raises:
        SaveError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SaveError(f"cannot make the folder: {reason}", Where(str(folder))) from error
