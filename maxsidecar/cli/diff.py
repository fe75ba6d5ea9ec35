"""``maxsidecar diff``: what differs between two scenes, by meaning."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, add_command, add_json
from maxsidecar.cli.scenes import opened

if TYPE_CHECKING:
    from maxsidecar.sidecar.diff import Difference

_SHOWN = 20


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "diff",
        "Show what differs between two scenes: nodes, properties, AppData, classes, streams.",
        "maxsidecar diff old.max street.max",
        "maxsidecar diff --json old.max street.max",
        more="Nodes are matched by handle where both scenes have handles, else by storage index\n"
        "and name, then by name. A difference is no failure: the exit code is 0 then too,\n"
        "unless --exit-code is given.",
    )
    parser.add_argument("old", help="scene file")
    parser.add_argument("new", help="scene file")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 when they differ")
    parser.add_argument(
        "--all", action="store_true", help=f"show more than {_SHOWN} differences of one object"
    )
    add_json(parser, "difference")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.sidecar.diff import compare

    with opened(args.old) as old, opened(args.new) as new:
        found: Iterable[Difference] = compare(old, new)
        count = 0
        for (kind, name), group in groupby(found, key=lambda d: (d.kind, d.name)):
            differences = list(group)
            count += len(differences)
            if args.json:
                for difference in differences:
                    output.print_json(_typed(difference))
                continue
            whole = [d for d in differences if not d.field]
            for d in whole:
                output.line(f"{_MARKS.get(d.change, '~')} {kind} {output.safe(name)}{_about(d)}")
            fields = [d for d in differences if d.field]
            if fields and not whole:
                output.line(f"~ {kind} {output.safe(name)}".rstrip())
            for d in fields if args.all else fields[:_SHOWN]:
                output.line(f"    {output.safe(f'{d.field}: {_shown(d.old)} -> {_shown(d.new)}')}")
            if len(fields) > _SHOWN and not args.all:
                output.line(f"    {len(fields) - _SHOWN} more, see --all")
    return int(bool(count) and args.exit_code)


_MARKS = {"added": "+", "removed": "-"}


def _about(difference: object) -> str:
    old, new = getattr(difference, "old", None), getattr(difference, "new", None)
    if old is not None and new is not None:
        return f": {output.safe(f'{old} -> {new}')}"
    text = new if old is None else old
    return f" ({output.safe(str(text))})" if text else ""


def _shown(text: str | None) -> str:
    return "(not set)" if text is None else text


def _typed(difference: Difference) -> dict[str, Any]:
    """Return a difference with the values of nodes and objects as get and set print them."""
    from maxsidecar.sidecar.text_values import toml_or_text

    found = difference.as_dict()
    if difference.kind in ("node", "object") and difference.field:
        found |= {side: toml_or_text(found[side]) for side in ("old", "new")}
    return found
