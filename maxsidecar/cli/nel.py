"""``maxsidecar nel``: the game's own files, checked, shown, and made of scenes."""

from __future__ import annotations

import argparse

from maxsidecar.cli import nel_build, nel_check, nel_export, nel_gltf
from maxsidecar.cli.parsers import SubParsers, add_command


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "nel",
        "Check and show files of the game (NeL serial formats), and export scenes into them.",
        "maxsidecar nel check tree.shape",
        "maxsidecar nel dump tree.shape",
        "maxsidecar nel export street.max -o out",
        more="formats: " + " ".join(nel_check.SUFFIXES) + "\n"
        "maxsidecar nel ACTION --help tells more about an action.",
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="check|dump|export|build|gltf"
    )
    nel_check.add_check(actions)
    nel_check.add_dump(actions)
    nel_export.add_export(actions)
    nel_build.add_build(actions)
    nel_gltf.add_gltf(actions)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    actions = {
        "check": nel_check.run_check,
        "dump": nel_check.run_dump,
        "export": nel_export.run_export,
        "build": nel_build.run_build,
        "gltf": nel_gltf.run_gltf,
    }
    return actions[args.action](args)
