"""``maxsidecar mesh``: the meshes of a scene as a file that other programs read."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar.cli import output
from maxsidecar.cli.missing import add_exit_code, report, show_missing
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_json
from maxsidecar.cli.scenes import Damage, opened, told_of
from maxsidecar.errors import MaxSidecarError, Where

if TYPE_CHECKING:
    from maxsidecar.io.chunks import Buffer
    from maxsidecar.preview.collect import ShownNode
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.node import Node

_KINDS: Final = ("obj", "ply", "stl", "off")
_MOST_BYTES: Final = 2 << 30


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "mesh",
        "Write the meshes of a scene, or of one node, as 3ds Max shows them. Coordinates are those"
        " of the world, in units of the scene.",
        "maxsidecar mesh street.max -o street.obj",
        "maxsidecar mesh street.max house --children -o house.obj --y-up",
        "maxsidecar mesh street.max house -o house.stl",
        more="NODE is a name (in any case), name@id where several share it, or @id.\n"
        ".obj keeps polygons, texture coordinates, normals, groups and, in a .mtl beside it,\n"
        "materials by name. .ply, .stl and .off have triangles, and need trimesh:\n"
        "pip install 'maxsidecar[mesh]'\n"
        "Modifiers that cannot be evaluated are left out, and listed.",
    )
    parser.add_argument("file", help="scene file")
    parser.add_argument("node", nargs="?", help="node: name, name@id or @id (default: all)")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="file to write: " + _endings()
    )
    parser.add_argument("--children", action="store_true", help="also all nodes below NODE")
    parser.add_argument("--hidden", action="store_true", help="also hidden nodes")
    parser.add_argument(
        "--triangles", action="store_true", help=".obj: triangles in place of polygons"
    )
    parser.add_argument("--y-up", action="store_true", help="turn Z up to Y up")
    add_exit_code(parser)
    add_json(parser, "file")
    return parser


def _endings() -> str:
    return ", ".join(f".{kind}" for kind in _KINDS)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.io.outputs import check_output
    from maxsidecar.io.save import save_segments
    from maxsidecar.preview.collect import collect

    target = Path(args.output)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in _KINDS:
        raise UsageError(f"OUT must end with one of {_endings()}")
    if args.children and args.node is None:
        raise UsageError("--children goes with a NODE only")
    beside = target.with_suffix(".mtl")
    targets = [target, beside] if kind == "obj" else [target]
    for path in targets:
        check_output(path, inputs=[args.file])
    damage = Damage()
    with opened(args.file, damage) as scene_file:
        nodes = _nodes(args, scene_file)
        with told_of(args.file):
            shown = collect(scene_file, only=nodes, most_bytes=_MOST_BYTES)
        for problem in shown.problems:
            damage.tell(problem)
    # A node that was asked for by name is written though it is hidden.
    chosen = shown.with_mesh(hidden=args.hidden or args.node is not None)
    hidden = len(shown.with_mesh(hidden=True)) - len(chosen)
    if not chosen:
        show_missing(shown)
        raise MaxSidecarError(_nothing(args, hidden), Where(args.file))
    for path, pieces in zip(targets, _contents(args, kind, chosen, beside.name), strict=True):
        save_segments(path, pieces)
    counts = {
        "nodes": len(chosen),
        "vertices": sum(len(mesh.positions) for _, mesh in chosen),
        "triangles": sum(len(mesh.triangles) for _, mesh in chosen),
        "hidden_left_out": hidden,
    }
    text = f"{output.count(len(chosen), 'node')}, {counts['vertices']} vertices"
    text += f", {counts['triangles']} triangles"
    if hidden:
        text += f"; {output.count(hidden, 'hidden node')} left out (--hidden)"
    return report(args, shown, damage, target, counts, text)


def _nodes(args: argparse.Namespace, scene_file: MaxFile) -> list[Node] | None:
    """Return the nodes that are asked for; ``None`` for all."""
    from maxsidecar.sidecar.labels import Labels

    if args.node is None:
        return None
    with told_of(args.file):
        found = Labels(scene_file.scene).find(args.node)
    if not args.children:
        return [found]
    below = {found.index: found}
    waiting = [found]
    while waiting:
        for child in waiting.pop().children:
            if child.index not in below:
                below[child.index] = child
                waiting.append(child)
    return list(below.values())


def _contents(
    args: argparse.Namespace, kind: str, chosen: list[tuple[ShownNode, Mesh]], library: str
) -> Iterable[list[Buffer]]:
    if kind != "obj":
        from maxsidecar.preview.triangle_files import write_triangles

        return [[write_triangles(chosen, kind, y_up=args.y_up)]]
    from maxsidecar.preview.wavefront import write_obj

    files = write_obj(chosen, library, triangles=args.triangles, y_up=args.y_up)
    return [list(files.obj), [files.mtl]]


def _nothing(args: argparse.Namespace, hidden: int) -> str:
    if hidden:
        return f"all {hidden} nodes with a mesh are hidden; --hidden writes them, too"
    return "no node has a mesh" if args.node is None else "the node has no mesh"
