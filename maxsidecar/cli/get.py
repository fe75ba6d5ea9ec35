"""``maxsidecar get``: print values of a node."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from functools import partial
from typing import Any

from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, add_command, add_json, key_path
from maxsidecar.cli.scenes import opened, told_of
from maxsidecar.errors import EditError
from maxsidecar.scene.attempts import Attempts
from maxsidecar.scene.node import Node
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.sidecar.edit_values import NAME
from maxsidecar.sidecar.fields import read_fields, resolve
from maxsidecar.sidecar.groups import groups_of, is_optional
from maxsidecar.sidecar.labels import Labels, shown_name
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.text_values import one_line
from maxsidecar.sidecar.toml_text import format_path

_FIXED_FLAGS = [("flags", name) for name, flag in NODE_FLAGS.items() if not flag.editable]


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "get",
        "Print values by the names that sidecars use: one, all of a node, or all of a scene.",
        "maxsidecar get street.max",
        "maxsidecar get street.max house",
        "maxsidecar get street.max house nel.lod.dist_max",
        "maxsidecar get street.max @3 nel",
        more="NODE is a name (in any case), name@id where several share it, or @id.\n"
        "A single value is printed alone: text as it is, anything else as TOML.",
    )
    parser.add_argument("file", help="scene file")
    parser.add_argument("node", nargs="?", help="node: name, name@id or @id")
    parser.add_argument("key", nargs="?", help="key or table, such as flags.hidden or nel.lod")
    add_json(parser, "value")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    with opened(args.file) as scene_file:
        labels = Labels(scene_file.scene)
        if args.node is None:
            nodes: Iterable[Node] = scene_file.nodes.values()
        else:
            with told_of(args.file):
                nodes = [labels.find(args.node)]
        wanted = key_path(args.key) if args.key is not None else ()
        groups = groups_of([wanted])
        rows: list[tuple[str, str, str]] = []
        for node in nodes:
            problems: list[str] = []
            values = {NAME: shown_name(node)} | read_fields(node, problems, groups)
            values |= _fixed_flags(node)
            for text in problems:
                output.note(f"warning: {labels.label(node)}: {text}")
            with told_of(args.file, labels.label(node)):
                found = _select(values, wanted)
            if args.json:
                for path, value in found.items():
                    output.print_json(_json(node, labels, path, value))
            elif wanted in found and len(found) == 1:
                _print_one(found[wanted])
            else:
                rows += [
                    (labels.label(node), format_path(path), one_line(value))
                    for path, value in found.items()
                ]
        if rows and args.node is None:
            output.table(("node", "key", "value"), rows)
        for _, key, text in rows if args.node is not None else ():
            output.line(output.safe(f"{key} = {text}"))
    return 0


def _select(values: dict[KeyPath, Any], wanted: KeyPath) -> dict[KeyPath, Any]:
    """Return the values at a key or below it.

    Raises:
        EditError: There is none, and there could be none or it is not set.
    """
    found = {path: value for path, value in values.items() if path[: len(wanted)] == wanted}
    if not found:
        if wanted not in _FIXED_FLAGS and not is_optional(wanted):
            resolve(wanted, table=True)
        raise EditError(f"{format_path(wanted)} is not set")
    return found


def _fixed_flags(node: Node) -> dict[KeyPath, bool]:
    """Return the flags that cannot be edited, so that sidecars do not list them."""
    attempt = Attempts()
    found = {path: attempt(partial(node.flag, path[1])) for path in _FIXED_FLAGS}
    return {path: value for path, value in found.items() if value is not None}


def _print_one(value: Any) -> None:
    text = value if isinstance(value, str) else one_line(value)
    # Line breaks of the text are wanted; whatever else could control a terminal is not.
    for part in text.split("\n"):
        output.line(output.safe(part))


def _json(node: Node, labels: Labels, path: KeyPath, value: Any) -> dict[str, Any]:
    return {
        "node": shown_name(node),
        "id": labels.ids.id_of(node)[1],
        "index": node.index,
        "key": format_path(path),
        "value": value,
    }
