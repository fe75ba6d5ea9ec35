"""``maxsidecar tree``: the nodes of a scene."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, add_command, add_json
from maxsidecar.cli.scenes import opened
from maxsidecar.scene.describe_nodes import NodeReader

#: Flags that the table shows; the others are on for most nodes.
_SHOWN_FLAGS = ("hidden", "frozen", "bone", "group_head", "group_member", "target")


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "tree",
        "Show the nodes of a scene as a tree: name, class, flags, layer and id.",
        "maxsidecar tree street.max",
        "maxsidecar tree --all street.max",
        "maxsidecar tree --json street.max",
        more="The id is the node's handle, or its storage index in files without handles.",
    )
    parser.add_argument("file", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument(
        "--all", action="store_true", help="also show modifiers, controllers and materials"
    )
    add_json(parser, "node")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    many = len(args.file) > 1 or Path(args.file[0]).is_dir()

    def show(path: Path) -> None:
        if many and not args.json:
            output.line(output.safe(str(path)))
        _show(path, args)

    return each(args.file, show)


def _show(path: Path, args: argparse.Namespace) -> None:
    reader = NodeReader()
    with opened(path, more=reader.attempt.problems) as scene_file:
        rows: list[tuple[object, ...]] = []
        for depth, node in scene_file.nodes.walk():
            about = reader.summary(node)
            parts = reader.parts(node) if args.all else {}
            if args.json:
                output.print_json({"path": str(path), **about, **parts})
            else:
                rows.append(_row(depth, about))
                rows += [("  " * depth + "    " + text, "", "", "", "") for text in _extra(parts)]
        if not args.json:
            output.table(("name", "class", "flags", "layer", "id"), rows, right=(4,))


def _row(depth: int, about: dict[str, Any]) -> tuple[object, ...]:
    shown = [name for name in _SHOWN_FLAGS if about["flags"].get(name)]
    number = about["handle"] if about["handle"] is not None else about["index"]
    name = "  " * depth + (about["name"] or "(no name)")
    return name, about["class"], " ".join(shown), about["layer"] or "", number


def _extra(parts: dict[str, Any]) -> list[str]:
    lines = [f"modifier: {name or '?'}" for name in parts.get("modifiers", ())]
    for key in ("object", "controller", "material"):
        if parts.get(key):
            lines.append(f"{key}: {parts[key]}")
    return lines
