"""Exporting many scenes: one task for each, which another process can do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.context import Options
from maxsidecar.gltf.export.report import Entry, Report
from maxsidecar.scene.maxfile import open_file

__all__ = ["ExportTask", "TaskResult", "export_task", "failed_task", "plan"]


@dataclass(frozen=True, slots=True)
class ExportTask:
    """One scene to be exported.

    Attributes:
        source: The scene file.
        target: The file to write.
        generator: What the file says it was written by.
    """

    source: Path
    target: Path
    options: Options
    generator: str = "maxsidecar"


@dataclass(slots=True)
class TaskResult:
    """What became of a task.

    Attributes:
        source: The scene file.
        files: What was written, the target first; empty after an error.
        entries: The lines of the report.
        problems: What is damaged in the scene.
        error: Why nothing was written; empty if something was.
    """

    source: Path
    files: list[Path] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def report(self) -> Report:
        """The lines as a report."""
        return Report(self.entries)

    @property
    def complete(self) -> bool:
        """Whether everything was written, at least approximated."""
        return not self.error and self.report.complete

    def as_json(self) -> dict[str, Any]:
        """Return the result for a program."""
        out: dict[str, Any] = {
            "path": str(self.source),
            "output": [str(path) for path in self.files],
            "complete": self.complete,
            "counts": {
                kind: {str(outcome): number for outcome, number in sorted(counts.items())}
                for kind, counts in self.report.counts.items()
            },
            "entries": self.report.as_json(),
            "problems": self.problems,
        }
        if self.error:
            out["error"] = self.error
        return out


def export_task(task: ExportTask) -> TaskResult:
    """Do a task; errors of the scene and of the disk are in the result."""
    result = TaskResult(task.source)
    try:
        task.target.parent.mkdir(parents=True, exist_ok=True)
        with open_file(task.source) as scene_file:
            done = export_file(scene_file, task.target, task.options, generator=task.generator)
            result.files, result.entries = done.files, done.report.entries
            result.problems = list(dict.fromkeys(map(str, scene_file.problems())))
    except MaxSidecarError as error:
        result.error = str(error.locate(file=str(task.source)))
    except OSError as error:
        result.error = f"{error.filename or task.source}: {error.strerror or error}"
    return result


def failed_task(task: ExportTask, reason: str) -> TaskResult:
    """Return the result of a task whose process ended."""
    return TaskResult(task.source, error=f"{task.source}: {reason}")


def plan(
    files: Iterable[Path], roots: Iterable[Path], folder: Path, suffix: str
) -> list[tuple[Path, Path]]:
    """Return where scenes are exported to: a folder with the same tree.

    Args:
        files: The scenes.
        roots: Folders that were searched for them; a scene in none of them goes to the top.
        folder: Where to.
        suffix: ``.glb`` or ``.gltf``.
    """
    tops = list(roots)
    taken: set[str] = set()
    out = []
    for path in files:
        top = next((top for top in tops if path.is_relative_to(top)), path.parent)
        inside = path.relative_to(top)
        wanted = [inside.with_suffix(suffix), inside.with_name(inside.name + suffix)]
        wanted += [inside.with_name(f"{inside.stem}-{n}{suffix}") for n in range(2, 1000)]
        name = next(name for name in wanted if str(name).casefold() not in taken)
        taken.add(str(name).casefold())
        out.append((path, folder / name))
    return out
