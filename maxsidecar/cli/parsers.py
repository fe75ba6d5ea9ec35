"""What the parsers of all commands have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten

__all__ = [
    "SubParsers",
    "UsageError",
    "add_command",
    "add_common",
    "add_json",
    "add_scene_output",
    "add_workers",
    "check_one_output",
    "key_path",
]

_TIMEOUT: Final = 300.0
_MOST_JOBS: Final = 1024
_LONGEST_TIMEOUT: Final = 1_000_000

SubParsers = Any  # argparse keeps the type of its sub-parser groups private


def add_command(
    group: SubParsers, name: str, description: str, *examples: str, more: str = ""
) -> argparse.ArgumentParser:
    """Add the parser of a command.

    Args:
        group: Where to.
        name: The command.
        description: What it does, one or two sentences.
        examples: Command lines that run as they are.
        more: Text behind the examples.
    """
    epilog = "example:\n" + "\n".join(f"  {example}" for example in examples)
    if more:
        epilog += "\n\n" + more
    parser: argparse.ArgumentParser = group.add_parser(
        name,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option for output that programs read."""
    parser.add_argument("--json", action="store_true", help=f"print JSON, one line per {what}")


def add_common(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options of one of several actions of a command."""
    add_json(parser, what)
    # Options of the command may stand behind the action as well.
    parser.add_argument("--debug", action="store_true", help="show tracebacks of errors")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options about the processes that share the files."""
    parser.add_argument(
        "--jobs",
        type=_count,
        default=None,
        metavar="N",
        help="number of processes (default: one per processor; 0: work in this process)",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=_TIMEOUT,
        metavar="S",
        help=f"seconds after which a file counts as failed (default: {_TIMEOUT:g})",
    )


def _count(text: str) -> int:
    if not (text.isdecimal() and len(text) <= 9 and int(text) <= _MOST_JOBS):
        raise argparse.ArgumentTypeError(f"not a number from 0 to {_MOST_JOBS}: {shorten(text)}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST_TIMEOUT:
        reason = f"not a number of seconds above 0 and up to {_LONGEST_TIMEOUT:,}: {shorten(text)}"
        raise argparse.ArgumentTypeError(reason)
    return number


def add_scene_output(parser: argparse.ArgumentParser) -> None:
    """Add the options about where a changed scene goes."""
    parser.add_argument(
        "--backup", action="store_true", help="keep the old scene as FILE.bak, .bak1 and so on"
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="save the scene here instead")
    parser.add_argument(
        "--overwrite", action="store_true", help="OUT may be a scene that is there already"
    )


def check_one_output(target: str | None, files: Sequence[str], option: str = "--output") -> None:
    """Refuse one file of an option for several inputs.

    Raises:
        UsageError: There are several, or a folder.
    """
    if target is not None and (len(files) > 1 or Path(files[0]).is_dir()):
        raise UsageError(f"{option} goes with one input file only")


def key_path(text: str) -> tuple[str, ...]:
    """Return the path of a key as sidecars have it, AppData keys in their normal spelling.

    Raises:
        UsageError: It is no key.
    """
    from maxsidecar.sidecar.edit_values import parse_key
    from maxsidecar.sidecar.paths import canonical

    try:
        return canonical(parse_key(text))
    except EditError as error:
        raise UsageError(str(error)) from None


class UsageError(MaxSidecarError):
    """The command line is wrong in a way that the parser cannot see."""
