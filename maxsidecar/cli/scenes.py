"""Opening scenes for a command, so that nothing is missing from a damaged one without a word."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import maxsidecar
from maxsidecar.cli import output
from maxsidecar.errors import MaxSidecarError, shorten
from maxsidecar.scene.maxfile import MaxFile

__all__ = ["Damage", "opened", "told_of"]


class Damage:
    """What is damaged in the scenes of a command; each thing is told once, on standard error.

    Attributes:
        problems: Everything that was told.
    """

    def __init__(self) -> None:
        self._told: dict[str, None] = {}

    @property
    def problems(self) -> list[str]:
        """Everything that was told so far."""
        return list(self._told)

    @property
    def note(self) -> str:
        """The end of a line about something that was made from the scene; empty if all is sound."""
        if not self._told:
            return ""
        places = "1 place" if len(self._told) == 1 else f"{len(self._told)} places"
        return f"; the scene is damaged in {places}, so something may be missing"

    def tell(self, problem: object) -> None:
        """Tell about a problem that was not told yet."""
        text = str(problem)
        if text not in self._told:
            self._told[text] = None
            output.note(f"warning: {text}")


@contextmanager
def opened(
    path: str | os.PathLike[str], damage: Damage | None = None, *, more: Iterable[object] = ()
) -> Iterator[MaxFile]:
    """Open a scene, and tell at the end what lenient reading passed over, also after an error.

    Args:
        path: The scene file.
        damage: Takes the problems, for a command that does more with them.
        more: Other problems that the command comes across, filled meanwhile.
    """
    told = damage or Damage()
    with maxsidecar.open(path) as scene_file:
        try:
            yield scene_file
        finally:
            for problem in (*scene_file.problems(), *more):
                told.tell(problem)


@contextmanager
def told_of(path: str | os.PathLike[str], node: str | None = None) -> Iterator[None]:
    """Put the file, and the node if one is known, in front of what an error inside says."""
    try:
        yield
    except MaxSidecarError as error:
        if error.where.file is None:
            if node is not None:
                error.message = f"node {shorten(node)}: {error.message}"
            error.locate(file=os.fspath(path))
        raise
