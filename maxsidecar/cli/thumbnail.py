"""``maxsidecar thumbnail``: save the preview picture of a scene."""

from __future__ import annotations

import argparse
from pathlib import Path

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, add_command, add_json, check_one_output
from maxsidecar.cli.scenes import opened
from maxsidecar.errors import MaxSidecarError, Where


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "thumbnail",
        "Save the preview picture of scenes as PNG, by default beside the scene.",
        "maxsidecar thumbnail street.max",
        "maxsidecar thumbnail street.max -o street.png",
    )
    parser.add_argument("file", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument("-o", "--output", metavar="OUT", help="PNG file to write")
    add_json(parser, "picture")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.io.outputs import check_output
    from maxsidecar.io.save import save_segments

    check_one_output(args.output, args.file)

    def save(path: Path) -> None:
        target = Path(args.output) if args.output else path.with_name(f"{path.name}.png")
        check_output(target, inputs=[path])
        with opened(path) as scene_file:
            picture = scene_file.thumbnail
        if picture is None:
            raise MaxSidecarError("the scene has no thumbnail", Where(str(path)))
        save_segments(target, [picture.png_bytes()])
        if args.json:
            about = {"path": str(path), "output": str(target)}
            output.print_json({**about, "width": picture.width, "height": picture.height})
        else:
            size = f"{picture.width} x {picture.height}"
            output.line(f"{output.safe(str(target))}: {size}")

    return each(args.file, save, label="saving")
