"""The export stage of build_gamedata: scenes of a project's folders, into the folders it names.

The folders, tags and words of the log are those of the pipeline (facts: its public scripts), so
that the stages before and after it need no change.  Differences: nothing is ever made in the
database, and settings are read as data, see :mod:`~maxsidecar.nel.export.settings`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from maxsidecar.errors import MaxSidecarError, SettingsError, Where
from maxsidecar.nel.export.names import OutputNames
from maxsidecar.nel.export.registry import MAIN, Job, Process, chosen, process
from maxsidecar.nel.export.report import Report
from maxsidecar.nel.export.run import make_folder, run_process
from maxsidecar.nel.export.settings import Value, read_settings, text_list, text_value
from maxsidecar.nel.export.tags import fingerprint, is_fresh, read_tag, write_tag
from maxsidecar.nel.export.view import SceneView
from maxsidecar.scene.maxfile import open_file

__all__ = [
    "BuildItem",
    "BuildResult",
    "Plan",
    "Site",
    "build_item",
    "not_built",
    "plan_project",
    "written_twice",
]

#: Status of a result.
DONE: Final = "done"
SKIPPED: Final = "skipped"
FAILED: Final = "failed"

#: Where tags of processes that have no tag folder go, within their output folder.
_OWN_TAGS: Final = ".maxsidecar"


@dataclass(frozen=True, slots=True)
class Site:
    """Where a build reads and writes: the settings of ``buildsite.py``.

    Attributes:
        database: Folder of the sources (``DatabaseDirectory``).
        export: Folder of the exports (``ExportBuildDirectory``).
    """

    database: Path
    export: Path

    @classmethod
    def read(cls, path: Path) -> Site:
        """Return the folders that a ``buildsite.py`` names.

        Raises:
            SettingsError: They are missing, or it does more than assign values.
        """
        held = read_settings(path)
        database = text_value(held, "DatabaseDirectory", path)
        export = text_value(held, "ExportBuildDirectory", path)
        return cls(Path(database), Path(export))


@dataclass(frozen=True, slots=True)
class BuildItem:
    """One tag: a process over one scene, or over all of that name.

    Attributes:
        process: Name of the process.
        scenes: The scenes, each with its output folders by folder of a product.
        tag: The tag.
        force: Whether it is exported whatever the tag says.
        particle_folders: Where particle systems are looked for.
    """

    process: str
    scenes: tuple[tuple[str, Mapping[str, str]], ...]
    tag: str
    force: bool = False
    particle_folders: tuple[str, ...] = ()


@dataclass(slots=True)
class BuildResult:
    """What became of an item.

    Attributes:
        item: The item.
        status: ``done``, ``skipped`` or ``failed``.
        log: Lines of the log.
        outputs: The files that its tag stands for.
        reports: What became of the nodes, by scene.
    """

    item: BuildItem
    status: str
    log: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    reports: dict[str, Report] = field(default_factory=dict)


@dataclass(slots=True)
class Plan:
    """What a project asks for.

    Attributes:
        items: What to do, process by process.
        log: Lines about folders, process by process.
        missing: How many source folders are missing.
    """

    items: list[BuildItem] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    missing: int = 0


def plan_project(
    workspace: Path,
    project: str,
    site: Site,
    *,
    processes: Iterable[str] | None = None,
    force: bool = False,
    particle_folders: Iterable[str] = (),
) -> Plan:
    """Return what a project asks for.

    Args:
        workspace: Folder of the projects.
        project: Name of the project, such as ``common/objects``.
        site: Where to read and write.
        processes: Names of processes; ``None`` for those of the project that are known here.
        force: Whether to export what the tags say is done.
        particle_folders: Where particle systems are looked for.

    Raises:
        SettingsError: The project is not there, or its settings are not plain values.
        EditError: There is no such process.
    """
    folder = _project_folder(workspace, project)
    directories = folder / "directories.py"
    settings = read_settings(directories)
    options = folder / "process.py"
    wanted = _wanted(options, processes)
    plan = Plan()
    held = read_settings(options) if options.is_file() else {}
    shapes = any(item.name == "shape" for item in wanted)
    if shapes and held.get("ShapeExportOptExportLighting") == "true":
        plan.log.append("WARNING shape: light maps are not computed")
    particles = tuple(particle_folders)
    for item in wanted:
        asked = processes is not None
        _plan_process(item, settings, directories, site, plan, asked, force, particles)
    return plan


def _project_folder(workspace: Path, project: str) -> Path:
    if not workspace.is_dir():
        raise SettingsError("there is no such workspace", Where(str(workspace)))
    relative = _relative(project)
    folder = None if relative is None else workspace / relative
    if folder is None or not (folder / "directories.py").is_file():
        found = sorted(
            path.parent.relative_to(workspace).as_posix()
            for depth in ("*", "*/*")
            for path in workspace.glob(f"{depth}/directories.py")
            if path.is_file()
        )
        expected = ", ".join(found[:20]) or "a folder with directories.py"
        message = "there is no such project"
        raise SettingsError(message, Where(str(workspace)), expected=expected, found=project)
    return folder


def _relative(text: str) -> Path | None:
    """Return a path that leads down, ``None`` for any other."""
    for kind in (PurePosixPath, PureWindowsPath):
        path = kind(text)
        if path.is_absolute() or path.drive or path.root or ".." in path.parts or not path.parts:
            return None
    try:
        os.fsencode(text)
    except UnicodeError:
        return None
    return None if "\0" in text else Path(*PureWindowsPath(text).parts)


def _wanted(path: Path, processes: Iterable[str] | None) -> list[Process]:
    if processes is not None:
        return chosen(processes)
    listed = set(text_list(read_settings(path), "ProcessToComplete", path))
    return [item for item in chosen() if item.stage is not None and item.stage.name in listed]


def _plan_process(
    item: Process,
    settings: Mapping[str, Value],
    path: Path,
    site: Site,
    plan: Plan,
    asked: bool,
    force: bool,
    particles: tuple[str, ...],
) -> None:
    stage = item.stage
    if stage is None:
        raise SettingsError(f"{item.name} is no process of the pipeline", Where(str(path)))
    names = [name for pair in stage.folders for name in pair]
    if not asked and not any(name in settings for name in names):
        plan.log.append(f"WARNING {stage.name}: {path} names none of its folders")
        return
    plan.log.append(f">>> Export {stage.name} <<<")
    others = {key: str(_output(settings, name, path, site)) for key, name in stage.others.items()}
    tags = _output(settings, stage.tags, path, site) if stage.tags in settings else None
    for name in stage.made:
        if name in settings:
            make_folder(_output(settings, name, path, site))
    by_tag: dict[Path, list[tuple[str, Mapping[str, str]]]] = {}
    for source, target in stage.folders:
        if source not in settings and not asked and len(stage.folders) > 1:
            continue
        output = _output(settings, target, path, site)
        for text in text_list(settings, source, path):
            relative = _relative(text)
            if relative is None:
                message = f"{source}: a source folder must lie in the database"
                raise SettingsError(message, Where(str(path)), found=text)
            for scene in _scenes(site.database / relative, plan):
                tag = (output / _OWN_TAGS if tags is None else tags) / f"{scene.name}.tag"
                place = str(scene), {MAIN: str(output), **others}
                # A folder may be listed twice.
                if place not in by_tag.setdefault(tag, []):
                    by_tag[tag].append(place)
    for tag, scenes in by_tag.items():
        plan.items.append(BuildItem(item.name, tuple(scenes), str(tag), force, particles))


def _output(settings: Mapping[str, Value], name: str, path: Path, site: Site) -> Path:
    """Return an output folder.

    Raises:
        SettingsError: It is not set, or leads out of the folder of exports.
    """
    text = text_value(settings, name, path)
    relative = _relative(text)
    if relative is None:
        message = f"{name}: an output folder must lie in the folder of exports"
        raise SettingsError(message, Where(str(path)), found=text)
    return site.export / relative


def _scenes(folder: Path, plan: Plan) -> list[Path]:
    """Return the scenes directly in a folder, sorted."""
    try:
        found = sorted(
            path for path in folder.iterdir() if path.suffix.lower() == ".max" and path.is_file()
        )
    except OSError:
        plan.log.append(f"MISSING {folder}")
        plan.missing += 1
        return []
    if not found:
        plan.log.append(f"WARNING no *.max file in folder {folder}")
    return found


def build_item(item: BuildItem) -> BuildResult:
    """Do one item: skip it by its tag, or export its scenes and write the tag.

    Never fails: what goes wrong is in the result.
    """
    result = BuildResult(item, DONE)
    scenes = [Path(scene) for scene, _ in item.scenes]
    tag_path = Path(item.tag)
    try:
        tag = read_tag(tag_path)
        fresh, touched = (False, None) if item.force else is_fresh(tag, scenes)
        if fresh and tag is not None:
            if touched is not None:
                write_tag(tag_path, touched, tag.outputs)
            result.status = SKIPPED
            result.outputs += tag.outputs
            result.log += [f"SKIPPED BY TAG {scene}" for scene in scenes]
            return result
        # What is hashed is what is exported, or the tag would vouch for something else.
        before = {path: fingerprint(path) for path in scenes}
        if tag is not None:
            # A tag that is there must not vouch for half of a new export.
            os.unlink(tag_path)
        names = OutputNames()
        for scene, folders in item.scenes:
            _export(item, scene, folders, result, names)
        if result.status == DONE and {path: fingerprint(path) for path in scenes} != before:
            result.status = FAILED
            result.log.append("ERROR a scene was changed while it was exported")
        if tag is not None:
            made = {_same_name(output) for output in result.outputs}
            old = [output for output in tag.outputs if _same_name(output) not in made]
            result.log += [
                f"WARNING {output} is of an earlier export, and not written now"
                for output in old
                if os.path.isfile(output)
            ]
        if result.status == DONE:
            make_folder(tag_path.parent)
            write_tag(tag_path, before, result.outputs)
    except (MaxSidecarError, OSError) as error:
        result.status = FAILED
        result.log.append(f"ERROR exporting '{item.process}': {error}")
    return result


def _export(
    item: BuildItem, scene: str, folders: Mapping[str, str], result: BuildResult, names: OutputNames
) -> None:
    result.log.append(f"Scanning file {scene} ...")
    report = result.reports[scene] = Report()
    try:
        with open_file(scene) as scene_file:
            job = Job(
                SceneView(scene_file),
                Path(scene).stem,
                particle_folders=item.particle_folders,
            )
            targets = {name: Path(folder) for name, folder in folders.items()}
            run_process(process(item.process), job, targets, report, names)
            report.problems += [str(problem) for problem in scene_file.problems()]
    except (MaxSidecarError, OSError) as error:
        result.status = FAILED
        result.log.append(f"ERROR exporting '{item.process}': can't open the file {scene}: {error}")
        return
    result.outputs += [output.path for output in report.outputs]
    result.log += [f"OK {output.path}" for output in report.outputs]
    result.log += [f"WARNING {problem}" for problem in report.problems]
    for entry in report.written:
        result.log += [f"WARNING {entry.node}: {note}" for note in entry.notes]
    for entry in report.failed:
        result.status = FAILED
        result.log.append(f"ERROR exporting {item.process} {entry.node} in {scene}: {entry.reason}")


def not_built(item: BuildItem, reason: str) -> BuildResult:
    """Return the result of an item that no worker finished."""
    scenes = ", ".join(scene for scene, _ in item.scenes)
    return BuildResult(item, FAILED, [f"ERROR exporting '{item.process}' of {scenes}: {reason}"])


def written_twice(results: Iterable[BuildResult]) -> Iterator[str]:
    """Yield lines about files that several scenes write: which one stays is chance."""
    owners: dict[str, tuple[str, dict[str, None]]] = {}
    for result in results:
        for output in result.outputs:
            _, scenes = owners.setdefault(_same_name(output), (output, {}))
            scenes[result.item.scenes[0][0]] = None
    for output, scenes in owners.values():
        if len(scenes) > 1:
            first, *others = scenes
            yield f"WARNING {output} is written for {first}, and again for {', '.join(others)}"


def _same_name(path: str) -> str:
    """Return a path as systems tell them apart where case does not count."""
    return os.path.normcase(path).casefold()
