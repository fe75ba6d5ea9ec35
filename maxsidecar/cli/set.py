"""``maxsidecar set``: change one value of a node."""

from __future__ import annotations

import argparse

from maxsidecar.cli import output
from maxsidecar.cli.parsers import (
    SubParsers,
    UsageError,
    add_command,
    add_json,
    add_scene_output,
    key_path,
)
from maxsidecar.cli.scenes import opened, told_of
from maxsidecar.io.outputs import check_output
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.edit_values import change_value
from maxsidecar.sidecar.fields import MISSING
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.plan import shown
from maxsidecar.sidecar.toml_text import format_path

#: A value is shown in full, unless it is no longer something to read.
_LONGEST = 10_000


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "set",
        "Change one value of a node and save the scene; nothing else in the file changes.",
        "maxsidecar set street.max house nel.lod.dist_max 150.0",
        "maxsidecar set street.max house flags.hidden true --dry-run",
        "maxsidecar set street.max house name villa --backup",
        "maxsidecar set street.max villa nel.instance_name --unset",
        more='VALUE is a TOML value (true, 1.5, "text"); text needs no quotation marks.\n'
        "NODE is a name (in any case), name@id where several share it, or @id.",
    )
    parser.add_argument("file", help="scene file")
    parser.add_argument("node", help="node: name, name@id or @id")
    parser.add_argument("key", help="key as in a sidecar, or name to rename the node")
    parser.add_argument("value", nargs="?", help="new value")
    parser.add_argument("--unset", action="store_true", help="take the value away instead")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    add_scene_output(parser)
    add_json(parser, "change")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if (args.value is None) != args.unset:
        raise UsageError("give a value, or --unset")
    path = key_path(args.key)
    if args.output is not None:
        check_output(args.output, scene=True, overwrite=args.overwrite, inputs=[args.file])
    with opened(args.file) as scene_file:
        labels = Labels(scene_file.scene)
        with told_of(args.file):
            node = labels.find(args.node)
        label = labels.label(node)
        with told_of(args.file, label):
            old, new = change_value(node, path, args.value)
        changed = scene_file.edited
        # Told once it is done, so that a save that fails does not look like one that did not.
        if not args.dry_run:
            _save(scene_file, changed, args)
        if args.json:
            about = {"path": args.file, "node": label, "key": format_path(path)}
            problems = [str(problem) for problem in scene_file.problems()]
            backup = None if scene_file.backup is None else str(scene_file.backup)
            found = {"changed": changed, "backup": backup, "problems": problems}
            output.print_json({**about, **_values(old, new), **found})
        else:
            text = f"{label}.{format_path(path)}: {shown(old, _LONGEST)}"
            output.line(
                output.safe(text + (f" -> {shown(new, _LONGEST)}" if changed else " (unchanged)"))
            )
            output.backup_line(scene_file.backup)
    return 0


def _save(scene_file: MaxFile, changed: bool, args: argparse.Namespace) -> None:
    if args.output is not None:
        scene_file.save(args.output, backup=args.backup)
    elif changed:
        scene_file.save(backup=args.backup)


def _values(old: object, new: object) -> dict[str, object]:
    return {
        "old": None if old is MISSING else old,
        "new": None if new is MISSING else new,
    }
