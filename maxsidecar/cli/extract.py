"""``maxsidecar extract``: write scenes as TOML sidecars."""

from __future__ import annotations

import argparse
from pathlib import Path

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, UsageError, add_command, add_json, check_one_output
from maxsidecar.cli.scenes import Damage
from maxsidecar.errors import EditError


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "extract",
        "Write scenes as TOML sidecars, by default beside them: street.max.toml.",
        "maxsidecar extract street.max",
        "maxsidecar extract --include transform,parameters street.max",
        "maxsidecar extract --all --defaults street.max -o all.toml",
        more="A sidecar that is there already is brought up to date: comments, order and edits\n"
        "that were not applied yet stay.",
    )
    parser.add_argument("file", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="sidecar to write, in the scene's folder"
    )
    parser.add_argument(
        "--all", action="store_true", help="list every node, and every object with AppData"
    )
    parser.add_argument(
        "--defaults", action="store_true", help="also list known values that are not set"
    )
    parser.add_argument(
        "--include",
        metavar="GROUPS",
        action="append",
        default=[],
        help="also list transform, parameters, material (maps and bitmap paths too), layers, "
        "biped, or appdata (that of all objects); several with commas between them, or all",
    )
    parser.add_argument(
        "--no-schema", action="store_true", help="write no JSON Schema beside the sidecar"
    )
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument(
        "--force", action="store_true", help="write over an existing sidecar, whatever is in it"
    )
    existing.add_argument(
        "--discard",
        action="store_true",
        help="let the scene win where the sidecar and the scene both changed a value",
    )
    add_json(parser, "sidecar")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from maxsidecar.sidecar.extract import APPDATA_GROUP, NOTHING_LISTED, Options
    from maxsidecar.sidecar.files import extract_file
    from maxsidecar.sidecar.groups import parse_groups

    check_one_output(args.output, args.file)
    try:
        include = frozenset[str]().union(*map(parse_groups, args.include))
    except EditError as error:
        raise UsageError(f"--include: {error}") from None
    named = {name.strip() for names in args.include for name in names.split(",")}
    if named & {"all", APPDATA_GROUP}:
        include |= {APPDATA_GROUP}
    options = Options(all=args.all, defaults=args.defaults, include=include)

    def extract(path: Path) -> None:
        if path.suffix.lower() == ".toml":
            raise UsageError(f"{path}: extract takes scenes, not sidecars")
        damage = Damage()
        done = extract_file(
            path,
            args.output,
            options,
            fresh=args.force,
            discard=args.discard,
            schema=not args.no_schema,
            warn=damage.tell,
        )
        if args.json:
            about = {"path": str(path), "output": str(done.path), "state": done.state}
            schema = str(done.schema) if done.schema is not None else None
            found = {"tables": done.tables, "schema": schema, "problems": damage.problems}
            output.print_json({**about, **found})
            return
        objects = output.count(done.tables, "object")
        output.line(output.safe(f"{done.path}: {done.state}, {objects}{damage.note}"))
        if not done.tables:
            output.line(f"{NOTHING_LISTED}; use --all to list every node")
        if done.schema is not None:
            output.line(output.safe(f"{done.schema}: written"))

    return each(args.file, extract, label="extracting")
