"""What the commands that check many files share: results as they come, then a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from maxsidecar.cli import output

__all__ = ["show_checks"]

_FAILED = "failed"


class _Result(Protocol):
    """What is known of one file."""

    status: str
    problems: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""


R = TypeVar("R", bound=_Result)


def show_checks(
    results: Iterable[R], *, missing: int, as_json: bool, summary: Callable[[list[R]], None]
) -> int:
    """Print results and return the exit code.

    Args:
        results: One for each file.
        missing: How many of the first ones are files that could not be found; they are told
            behind the summary.
        as_json: Whether to print a line of JSON for each, as it comes, and no summary.
        summary: Prints the results of the files that were found.
    """
    done: list[R] = []
    for result in results:
        done.append(result)
        if as_json:
            output.print_json(result.as_dict())
    if not as_json:
        summary(done[missing:])
        for result in done[:missing]:
            output.error(result.problems[0])
    return int(any(result.status == _FAILED for result in done))
