"""``maxsidecar schema``: the JSON Schema of sidecars."""

from __future__ import annotations

import argparse
from pathlib import Path

from maxsidecar.cli import output
from maxsidecar.cli.parsers import SubParsers, add_command


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "schema",
        "Write the JSON Schema of sidecars, with which editors complete and check keys.",
        "maxsidecar schema -o maxsidecar.schema.json",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="file to write (default: standard output)"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.sidecar.files import schema_text

    text = schema_text()
    if args.output is None:
        output.use_utf8()
        output.line(text.rstrip("\n"))
        return 0
    from maxsidecar.io.outputs import check_output
    from maxsidecar.io.save import save_segments

    check_output(args.output)
    save_segments(Path(args.output), [text.encode()])
    return 0
