"""``maxsidecar gltf``: scenes as glTF 2.0."""

from __future__ import annotations

import argparse

from maxsidecar.cli import gltf_export
from maxsidecar.cli.parsers import SubParsers, add_command


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "gltf",
        "Export scenes as glTF 2.0, for Blender and other programs.",
        "maxsidecar gltf export street.max -o street.glb",
        more="maxsidecar gltf ACTION --help tells more about an action.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="export")
    gltf_export.add_export(actions)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    actions = {"export": gltf_export.run_export}
    return actions[args.action](args)
