"""Renaming the paths of a scene file by rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.paths.find import FoundPaths, find_paths
from maxsidecar.migrate.paths.place import SUMMARY, Place
from maxsidecar.migrate.rules.rules import Decision, Rules
from maxsidecar.migrate.rules.windows import file_name, fold

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["Renaming", "Result", "plan_renames", "rename_paths"]


@dataclass(frozen=True, slots=True)
class Renaming:
    """What becomes of one path.

    Attributes:
        place: Where it stands.
        new: The new path; the old one where it stays.
        problem: Why it stays although a rule matched, or nothing.
        again: Line of another rule that would rename the new path; 0 for none.
    """

    place: Place
    new: str
    problem: str = ""
    again: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """What was done to a scene file.

    Attributes:
        renamed: The paths that changed, in order.
        refused: The paths that a rule matched and that stay, with the reason.
        damaged: What is damaged in the scene, so that paths may be missing.
    """

    renamed: tuple[Renaming, ...]
    refused: tuple[Renaming, ...]
    damaged: tuple[MaxSidecarError, ...]


def rename_paths(scene_file: MaxFile, rules: Rules) -> Result:
    """Rename every path of an opened file that the rules match; nothing is saved.

    All places follow the same rules.  Names among the document properties, which are copies of
    others, follow those.
    """
    found = find_paths(scene_file)
    planned = plan_renames(found, rules)
    renamed: list[Renaming] = []
    refused: list[Renaming] = []
    for (holder, _), row in zip(found.found, planned, strict=True):
        todo = [renaming for renaming in row if not renaming.problem]
        changes = {r.place.number: r.new for r in todo if r.new != r.place.path}
        refused += [renaming for renaming in row if renaming.problem]
        if not changes:
            continue
        done = [renaming for renaming in todo if renaming.place.number in changes]
        try:
            holder.write(changes)
        except MaxSidecarError as error:
            refused += [Renaming(r.place, r.place.path, str(error.message)) for r in done]
        else:
            renamed += done
    return Result(tuple(renamed), tuple(refused), tuple(found.problems))


def plan_renames(found: FoundPaths, rules: Rules) -> list[list[Renaming]]:
    """Return what becomes of each path, holder by holder."""
    rows = [[_decide(place, rules) for place in places] for _, places in found.found]
    names = _new_names(renaming for row in rows for renaming in row)
    return [
        [
            _follow(renaming, names, rules) if renaming.place.kind == SUMMARY else renaming
            for renaming in row
        ]
        for row in rows
    ]


def _decide(place: Place, rules: Rules) -> Renaming:
    decision: Decision = rules.apply(place.path, place.kind)
    problem = decision.problem
    new = decision.path
    if new != place.path and not place.proven and not rules.unproven:
        problem = "only its looks say that it is a path; rules with unproven = true rename it"
    if new != place.path and place.read_only:
        problem = place.read_only
    return Renaming(place, place.path if problem else new, problem, decision.again)


def _new_names(renamings: Iterator[Renaming]) -> dict[str, set[str]]:
    """Return the new file names by the old ones; a name that several files had may have several."""
    names: dict[str, set[str]] = {}
    for renaming in renamings:
        if renaming.place.kind != SUMMARY:
            old = fold(file_name(renaming.place.path))
            names.setdefault(old, set()).add(file_name(renaming.new))
    return names


def _follow(renaming: Renaming, names: Mapping[str, set[str]], rules: Rules) -> Renaming:
    """Let a name among the properties follow the file that it is a copy of."""
    place = renaming.place
    if file_name(place.path) != place.path:
        return renaming  # a whole path follows the rules
    new = names.get(fold(place.path), set())
    if len(new) != 1:
        return renaming
    (name,) = new
    if fold(name) == fold(place.path):
        # The file keeps its name, whatever the rules would make of the name alone.
        return Renaming(place, place.path)
    again = rules.apply(name, SUMMARY)
    return Renaming(place, name, again=again.line if again.path != name else 0)
