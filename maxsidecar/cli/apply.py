"""``maxsidecar apply``: write edited sidecars back into their scenes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, add_command, add_json, check_one_output
from maxsidecar.cli.scenes import Damage
from maxsidecar.errors import SidecarError, Where

if TYPE_CHECKING:
    from maxsidecar.sidecar.apply import Plan
    from maxsidecar.sidecar.plan import Change

_SUFFIX = ".max.toml"


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "apply",
        "Write the values of edited sidecars into the scenes beside them.",
        "maxsidecar apply street.max.toml",
        "maxsidecar apply --dry-run street.max.toml",
        "maxsidecar apply --backup --force 'house.nel.*' street.max.toml",
        "maxsidecar apply --scene copy.max street.max.toml",
        more="Nothing is written while any line of the sidecar is wrong. A value that the scene\n"
        "changed since the extraction is a conflict: --force lets the sidecar win, --keep the\n"
        "scene. FIELD is what the message says, such as house.nel.lod.dist_max; * stands for\n"
        "anything.",
    )
    parser.add_argument("sidecar", nargs="+", help=f"sidecar, or folder to search for *{_SUFFIX}")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--backup", action="store_true", help="keep the old scene as FILE.bak")
    parser.add_argument(
        "--force", action="append", default=[], metavar="FIELD", help="the sidecar wins (repeat)"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="FIELD", help="the scene wins (repeat)"
    )
    parser.add_argument(
        "--scene", metavar="FILE", help="apply to this scene; the sidecar stays as it is"
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="save the scene here instead")
    add_json(parser, "change, conflict or problem")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.sidecar.files import apply_file

    check_one_output(args.output, args.sidecar)
    check_one_output(args.scene, args.sidecar, "--scene")

    def apply(path: Path) -> None:
        damage = Damage()
        plan, scene = apply_file(
            path,
            scene=args.scene,
            out=args.output,
            dry_run=args.dry_run,
            backup=args.backup,
            force=args.force,
            keep=args.keep,
            warn=damage.tell,
        )
        state = "would change" if args.dry_run else "changed"
        if args.json:
            _print_json(path, scene, plan, state)
            for problem in damage.problems:
                about = {"sidecar": str(path), "scene": str(scene)}
                output.print_json({**about, "state": "warning", "message": problem})
        elif plan.ok:
            for change in plan.changes:
                output.line(output.safe(str(change)))
            output.line(output.safe(f"{scene}: {len(plan.changes)} values {state}{damage.note}"))
        if not plan.ok:
            _report(path, plan, quiet=args.json)

    return each(args.sidecar, apply, label="applying", suffix=_SUFFIX)


def _report(path: Path, plan: Plan, *, quiet: bool) -> None:
    """Tell about everything that is wrong, and fail.

    Raises:
        SidecarError: Always; it sums up.
    """
    if not quiet:
        for problem in plan.problems:
            output.error(problem)
        for conflict in plan.conflicts:
            output.error(
                SidecarError(
                    str(conflict), Where(str(path)), line=conflict.line, column=conflict.column
                )
            )
    text = f"nothing was written: {len(plan.problems)} errors, {len(plan.conflicts)} conflicts"
    if plan.conflicts:
        text += "; --force FIELD or --keep FIELD decides a conflict"
    raise SidecarError(text, Where(str(path)))


def _print_json(path: Path, scene: Path, plan: Plan, state: str) -> None:
    about = {"sidecar": str(path), "scene": str(scene)}
    for change in plan.changes if plan.ok else ():
        output.print_json({**about, "state": state, **_values(change)})
    for conflict in plan.conflicts:
        output.print_json({**about, "state": "conflict", **_values(conflict)})
    for problem in plan.problems:
        place = {"line": problem.line, "column": problem.column}
        output.print_json({**about, "state": "error", "message": str(problem), **place})


def _values(change: Change) -> dict[str, Any]:
    from maxsidecar.sidecar.fields import MISSING

    return {
        "field": change.field,
        "object": change.label,
        "key": list(change.path),
        "old": None if change.old is MISSING else change.old,
        "new": None if change.new is MISSING else change.new,
        "line": change.line,
        "column": change.column,
    }
