"""Telling what a mesh, page or picture lacks of what 3ds Max shows."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar.cli import output

if TYPE_CHECKING:
    from maxsidecar.cli.scenes import Damage
    from maxsidecar.preview.collect import Shown

__all__ = ["add_exit_code", "report", "show_missing"]

_MOST_ROWS: Final = 50


def add_exit_code(parser: argparse.ArgumentParser) -> None:
    """Add the option that makes something left out a failure."""
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="exit code 1 when something could not be evaluated (the file is written all the same)",
    )


def report(
    args: argparse.Namespace,
    shown: Shown,
    damage: Damage,
    target: Path,
    counts: dict[str, int],
    text: str,
) -> int:
    """Tell what was written and what it lacks, and return the exit code.

    Args:
        args: The command line, with ``json`` and ``exit_code``.
        shown: What there was to see.
        damage: What is damaged in the scene.
        target: The file that was written.
        counts: For programs.
        text: The same for people.
    """
    if args.json:
        missing = [
            {
                "node": shown.nodes[entry.node].name,
                "id": shown.nodes[entry.node].id,
                "class": entry.class_name,
                "approximate": entry.approximate,
                "reason": entry.reason,
            }
            for entry in shown.missing
        ]
        about = {"path": args.file, "output": str(target), **counts}
        output.print_json({**about, "missing": missing, "problems": damage.problems})
    else:
        show_missing(shown)
        output.line(output.safe(f"{target}: {text}") + damage.note)
    return int(args.exit_code and not shown.complete)


def show_missing(shown: Shown) -> None:
    """Print a table of what was not evaluated, or not exactly; what is alike makes one row."""
    if not shown.missing:
        return
    alike: dict[tuple[str, str, str], list[str]] = {}
    for entry in shown.missing:
        state = "not exact" if entry.approximate else "left out"
        names = alike.setdefault((entry.class_name, state, entry.reason), [])
        names.append(shown.nodes[entry.node].name or "(no name)")
    rows = [(_together(names), *about) for about, names in alike.items()]
    output.table(("node", "class", "is", "reason"), rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    if more > 0:
        output.line(f"and {more} more (--json lists all)")


def _together(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
