"""``maxsidecar apply``: write edited sidecars back into their scenes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import (
    SubParsers,
    add_command,
    add_json,
    add_scene_output,
    check_one_output,
)
from maxsidecar.cli.scenes import Damage
from maxsidecar.errors import MaxSidecarError, SidecarError, Where, shorten

if TYPE_CHECKING:
    from maxsidecar.sidecar.apply import Plan
    from maxsidecar.sidecar.plan import Change

_SUFFIX = ".max.toml"

#: More lines than this help nobody; a damaged text may have a hundred thousand wrong keys.
MOST_LINES = 100


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "apply",
        "Write the values of edited sidecars into the scenes beside them.",
        "maxsidecar apply street.max.toml",
        "maxsidecar apply --dry-run street.max.toml",
        "maxsidecar apply --backup street.max.toml",
        "maxsidecar apply --scene copy.max street.max.toml",
        more="Nothing is written while any line of the sidecar is wrong. A value that the scene\n"
        "changed since the extraction is a conflict: --force lets the sidecar win, --keep the\n"
        "scene: --force 'house.nel.*'. FIELD is what the message says, such as\n"
        "house.nel.lod.dist_max; * stands for anything. After --output and --scene the\n"
        "sidecar still belongs to the scene that it names.",
    )
    parser.add_argument("sidecar", nargs="+", help=f"sidecar, or folder to search for *{_SUFFIX}")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument(
        "--force", action="append", default=[], metavar="FIELD", help="the sidecar wins (repeat)"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="FIELD", help="the scene wins (repeat)"
    )
    parser.add_argument(
        "--scene", metavar="FILE", help="apply to this scene; the sidecar stays as it is"
    )
    add_scene_output(parser)
    add_json(parser, "change, conflict or problem")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.sidecar.files import apply_file

    check_one_output(args.output, args.sidecar)
    check_one_output(args.scene, args.sidecar, "--scene")

    unused: set[str] | None = None

    def apply(path: Path) -> None:
        nonlocal unused
        damage = Damage()
        try:
            plan, scene = apply_file(
                path,
                scene=args.scene,
                out=args.output,
                overwrite=args.overwrite,
                dry_run=args.dry_run,
                backup=args.backup,
                force=args.force,
                keep=args.keep,
                warn=damage.tell,
            )
        except (MaxSidecarError, OSError) as error:
            if args.json:
                output.print_json({"sidecar": str(path), **_failure(error)})
            raise
        for text in plan.notes:
            output.note(f"warning: {text}")
        unused = plan.unused if unused is None else unused & plan.unused
        state = "would change" if args.dry_run else "changed"
        if args.json:
            _print_json(path, scene, plan, state)
            for problem in damage.problems:
                about = {"sidecar": str(path), "scene": str(scene)}
                output.print_json({**about, "state": "warning", "message": problem})
        elif plan.ok:
            _print_changes(scene, plan, state, damage)
        if not plan.ok:
            _report(path, plan, quiet=args.json)

    code = each(args.sidecar, apply, label="applying", suffix=_SUFFIX)
    for pattern in sorted(unused or ()):
        output.note(f"warning: {pattern} matches no conflict")
    return code


def _failure(error: MaxSidecarError | OSError) -> dict[str, Any]:
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    return {"state": "error", "message": str(error), "line": line, "column": column}


def _print_changes(scene: Path, plan: Plan, state: str, damage: Damage) -> None:
    for change in plan.changes:
        output.line(output.safe(str(change)))
    for kept in plan.kept:
        output.line(output.safe(kept.kept_text))
    values = output.count(len(plan.changes), "value")
    output.line(output.safe(f"{scene}: {values} {state}{damage.note}"))
    output.backup_line(plan.scene_file.backup)


def _report(path: Path, plan: Plan, *, quiet: bool) -> None:
    """Tell about everything that is wrong, in the order of the text, and fail.

    Raises:
        SidecarError: Always; it sums up.
    """
    if not quiet:
        where = Where(str(path))
        found = plan.problems + [
            SidecarError(str(conflict), where, line=conflict.line, column=conflict.column)
            for conflict in plan.conflicts
        ]
        found.sort(key=lambda e: (e.line or 0, e.column or 0))
        for problem in found[:MOST_LINES]:
            output.error(problem)
        if len(found) > MOST_LINES:
            output.error(SidecarError(f"and {len(found) - MOST_LINES} more", where))
    errors = output.count(len(plan.problems), "error")
    text = f"nothing was written: {errors}, {output.count(len(plan.conflicts), 'conflict')}"
    if plan.conflicts:
        scene = shorten(plan.document.scene)
        text += (
            f"; maxsidecar extract {scene} takes what only the scene changed and keeps your edits, "
            "--force FIELD or --keep FIELD decides a conflict"
        )
    raise SidecarError(text, Where(str(path)))


def _print_json(path: Path, scene: Path, plan: Plan, state: str) -> None:
    about = {"sidecar": str(path), "scene": str(scene)}
    for change in plan.changes if plan.ok else ():
        output.print_json({**about, "state": state, **_values(change)})
    for kept in plan.kept if plan.ok else ():
        output.print_json({**about, "state": "kept", **_values(kept)})
    wrong = [{"state": "conflict", **_values(conflict)} for conflict in plan.conflicts]
    wrong += [_failure(problem) for problem in plan.problems]
    for found in sorted(wrong, key=lambda f: (f["line"] or 0, f["column"] or 0)):
        output.print_json({**about, **found})


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
