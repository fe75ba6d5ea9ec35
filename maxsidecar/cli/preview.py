"""``maxsidecar preview``: a page, or a picture, that shows a scene."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final

from maxsidecar.cli import output
from maxsidecar.cli.missing import add_exit_code, report
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_json
from maxsidecar.cli.scenes import Damage, opened, told_of

_SIZE: Final = re.compile(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})")
_VIEWS: Final = ("perspective", "front", "back", "left", "right", "top", "bottom")
_MIB: Final = 1 << 20


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "preview",
        "Show a scene: as one page for a browser, with its tree of nodes, that needs no network;"
        " or with --png as a picture, which needs no browser.",
        "maxsidecar preview street.max",
        "maxsidecar preview street.max -o scene.html",
        "maxsidecar preview street.max --png -o street.png --size 1920x1080 --view front",
        more="Modifiers that cannot be evaluated are left out, and listed here and in the page.",
    )
    parser.add_argument("file", help="scene file")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="file to write, .html or .png (default: FILE.html, with --png FILE.png)",
    )
    parser.add_argument("--png", action="store_true", help="a picture in place of a page")
    parser.add_argument(
        "--size", type=_size, default=None, metavar="WxH", help="of the picture (default: 1280x960)"
    )
    parser.add_argument("--view", choices=_VIEWS, help="of the picture (default: perspective)")
    parser.add_argument("--hidden", action="store_true", help="hidden nodes in the picture, too")
    parser.add_argument(
        "--limit",
        type=_limit,
        default=512,
        metavar="MIB",
        help="what the geometry may take in memory (default: 512)",
    )
    add_exit_code(parser)
    add_json(parser, "file")
    return parser


def _size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError("not a size such as 1280x960")
    return int(match[1]), int(match[2])


def _limit(text: str) -> int:
    if not (text.isdecimal() and 0 < len(text) <= 6 and int(text) > 0):
        raise argparse.ArgumentTypeError("not a number of MiB")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.io.outputs import check_output
    from maxsidecar.io.save import save_segments
    from maxsidecar.preview.collect import collect

    source = Path(args.file)
    named = None if args.output is None else Path(args.output)
    as_picture = args.png or (named is not None and named.suffix.lower() == ".png")
    ending = ".png" if as_picture else ".html"
    target = named or source.with_name(source.name + ending)
    if target.suffix.lower() != ending:
        raise UsageError(f"OUT must end with {ending if as_picture else '.html or .png'}")
    if not as_picture and (args.size or args.view or args.hidden):
        raise UsageError("--size, --view and --hidden go with a picture only")
    check_output(target, inputs=[source])
    damage = Damage()
    with opened(source, damage) as scene_file, told_of(source):
        shown = collect(scene_file, curves=True, most_bytes=args.limit * _MIB)
        for problem in shown.problems:
            damage.tell(problem)
        if as_picture:
            from maxsidecar.preview.picture import picture

            size = args.size or (1280, 960)
            made = picture(shown, *size, view=args.view or "perspective", hidden=args.hidden)
            data = made.png_bytes()
        else:
            from maxsidecar.preview.page import page

            data = page(shown, source.name, most_bytes=args.limit * _MIB)
    save_segments(target, [data])
    size_text = f"{len(data) / _MIB:.1f} MiB" if len(data) >= _MIB else f"{len(data) >> 10} KiB"
    counts = {"nodes": len(shown.nodes), "meshes": len(shown.with_mesh(hidden=True))}
    text = f"{output.count(counts['nodes'], 'node')}, {counts['meshes']} with a mesh, {size_text}"
    return report(args, shown, damage, target, counts, text)
