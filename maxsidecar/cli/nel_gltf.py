"""``maxsidecar nel gltf``: a shape, with skeleton and animation, to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_common
from maxsidecar.errors import DecodeError, MaxSidecarError, Where

__all__ = ["add_gltf", "run_gltf"]


def add_gltf(actions: SubParsers) -> None:
    """Add the parser of ``nel gltf``."""
    parser = add_command(
        actions,
        "gltf",
        "Write a shape as glTF, to look at it in Blender and elsewhere; with a skeleton it is "
        "skinned, with an animation it moves.",
        "maxsidecar nel gltf tree.shape -o tree.glb",
        "maxsidecar nel gltf body.shape --skeleton human.skel --animation walk.anim -o walk.glb",
        more="Of several levels of detail the finest is written. FILE may be a skeleton as well.\n"
        "Names of textures are kept in the materials' extras.",
    )
    parser.add_argument("file", metavar="FILE", help=".shape or .skel")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="file to write: .glb or .gltf"
    )
    parser.add_argument("--skeleton", metavar="FILE", help=".skel that moves the shape")
    parser.add_argument("--animation", metavar="FILE", help=".anim that moves it")
    add_common(parser, "file")


def run_gltf(args: argparse.Namespace) -> int:
    """Run ``nel gltf``."""
    from maxsidecar.gltf.records import document_of
    from maxsidecar.gltf.write import write
    from maxsidecar.nel.records.models import model_of

    if Path(args.output).suffix.lower() not in (".glb", ".gltf"):
        raise UsageError("OUT must end with .glb or .gltf")
    inputs = [path for path in (args.file, args.skeleton, args.animation) if path is not None]
    main = _content(args.file, ("shape", "skel"))
    skeleton = None if args.skeleton is None else _content(args.skeleton, ("skel",))
    animation = None if args.animation is None else _content(args.animation, ("anim",))
    try:
        record = model_of(
            main,
            name=Path(args.file).stem,
            skeleton=skeleton,
            animation=animation,
            motion_name="" if args.animation is None else Path(args.animation).stem,
        )
    except MaxSidecarError as error:
        raise error.locate(file=args.file) from None
    document = document_of(record)
    Path(args.output).parent.mkdir(parents=True, exist_ok=True)
    files = write(document, args.output, inputs=inputs)
    if args.json:
        mesh = record.mesh
        row = {
            "path": args.file,
            "outputs": [str(path) for path in files],
            "vertices": 0 if mesh is None else len(mesh.positions),
            "triangles": 0 if mesh is None else sum(len(part.triangles) for part in mesh.parts),
            "bones": len(record.bones),
            "frames": 0 if record.motion is None else len(record.motion.times),
            "notes": record.notes,
        }
        output.print_json(row)
        return 0
    for path in files:
        output.line(output.safe(str(path)))
    for note in record.notes:
        output.note(note)
    return 0


def _content(path: str, kinds: tuple[str, ...]) -> Any:
    """Return what a file holds.

    Raises:
        DecodeError: It is of another kind.
    """
    from maxsidecar.nel.serial.formats import read_file

    file = read_file(path)
    if file.kind not in kinds:
        message = "this is another kind of file"
        raise DecodeError(message, Where(path), expected=" or ".join(kinds), found=file.kind)
    return file.content
