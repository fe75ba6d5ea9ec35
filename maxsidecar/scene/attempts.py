"""Reading parts of a damaged file: what cannot be read is left out, and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from maxsidecar.errors import MaxSidecarError

__all__ = ["Attempts"]

P = ParamSpec("P")
T = TypeVar("T")


class Attempts:
    """Calls what may find damage.

    Attributes:
        problems: The damage found so far, each once.
    """

    __slots__ = ("_noted", "problems")

    def __init__(self) -> None:
        """Start without problems."""
        self.problems: list[MaxSidecarError] = []
        self._noted: set[str] = set()

    def __call__(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return what ``read`` returns, or ``None`` where the file is damaged."""
        try:
            return read(*args, **kwargs)
        except MaxSidecarError as error:
            self.note(error)
            return None

    def get(self, obj: object, name: str) -> Any:
        """Return an attribute, or ``None`` where the file is damaged."""
        return self(getattr, obj, name)

    def note(self, error: MaxSidecarError) -> None:
        """Note a problem that somebody else came across."""
        if str(error) not in self._noted:
            self._noted.add(str(error))
            self.problems.append(error.with_traceback(None))
