"""``maxsidecar text``: a scene as text, for version control."""

from __future__ import annotations

import argparse
from pathlib import Path

from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, add_command


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "text",
        "Print everything in a scene as text that stays the same where the scene does.",
        "maxsidecar text street.max",
        more="For git diff:\n"
        '  echo "*.max diff=max" >> .gitattributes\n'
        '  git config diff.max.textconv "maxsidecar text"\n'
        "  git config diff.max.xfuncname '^\\[.*'\n\n"
        "git needs the whole path of a program in a virtual environment, and quotation marks\n"
        "inside the others where that has spaces: '\"/my tools/bin/maxsidecar\" text'\n\n"
        "Damaged files, and files that are no scenes, are shown as far as they can be read.",
    )
    parser.add_argument("file", help="scene file")
    parser.add_argument("--full", action="store_true", help="show all bytes of long chunks")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.sidecar.text import file_lines

    data = Path(args.file).read_bytes()
    output.use_utf8()
    for text in file_lines(data, full=args.full):
        output.line(text)
    return 0
