"""``maxsidecar info``: what a scene file is and holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, add_command, add_json
from maxsidecar.cli.scenes import Damage, opened
from maxsidecar.scene.describe import describe


def add_parser(group: SubParsers) -> argparse.ArgumentParser:
    """Add the command's parser."""
    parser = add_command(
        group,
        "info",
        "Show what scene files are and hold: release, streams, counts, time range, summary.",
        "maxsidecar info street.max",
        "maxsidecar info --json street.max",
        "maxsidecar info --classes street.max",
    )
    parser.add_argument("file", nargs="+", help="scene file, or folder to search for scenes")
    parser.add_argument(
        "--classes",
        action="store_true",
        help="say of each class how many objects are typed, read-only (and why) or raw",
    )
    add_json(parser, "file")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    first = True

    def show(path: Path) -> None:
        nonlocal first
        damage = Damage()
        with opened(path, damage) as scene_file:
            about = {"path": str(path), **describe(scene_file, coverage=args.classes)}
            for problem in about["problems"]:
                damage.tell(problem)
        if args.json:
            output.print_json(about)
            return
        if not first:
            output.line()
        first = False
        (_print_classes if args.classes else _print)(about)

    return each(args.file, show)


def _print_classes(about: dict[str, Any]) -> None:
    output.line(output.safe(about["path"]))
    rows = [
        (
            row["plugin"],
            row["class"],
            row["class_id"] or "?",
            row["superclass"] or "?",
            row["objects"],
            row["coverage"]["bytes"],
            _percent(row["coverage"]["typed_bytes"], row["coverage"]["bytes"]),
            row["coverage"]["text"],
        )
        for row in about["classes"]
    ]
    headers = ("plug-in", "class", "class id", "superclass", "objects", "bytes", "typed", "state")
    output.table(headers, rows, right=(4, 5, 6))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _print(about: dict[str, Any]) -> None:
    facts = [
        ("file", about["path"]),
        ("size", f"{about['size']} bytes, sectors of {about['sector_size']}"),
        ("saved as", f"3ds Max {about['release']}" if about["release"] else "?"),
        ("written by", f"3ds Max {about['written_by']}" if about["written_by"] else "?"),
        ("compressed", {True: "yes", False: "no"}.get(about["compressed"], "?")),
        ("code page", about["code_page"] or "?"),
        ("objects", about["objects"]),
        ("nodes", about["nodes"]),
    ]
    if about["unit"]:
        facts.append(("unit", f"{about['unit']['factor']:g} {about['unit']['name']}"))
    if about["time"]:
        time = about["time"]
        text = f"{time['frame_rate']} frames per second"
        if "start_frame" in time:
            text += f", frames {time['start_frame']:g} to {time['end_frame']:g}"
        facts.append(("time", text))
    facts += list(about["summary"].items())
    totals = [f"{value} {key.replace('_', ' ')}" for key, value in about["totals"].items() if value]
    if totals:
        facts.append(("properties", ", ".join(totals)))
    if about["problems"]:
        facts.append(("problems", len(about["problems"])))
    for key, value in facts:
        output.line(f"{output.safe(key):<12} {output.safe(str(value))}".rstrip())
    output.line()
    output.table(
        ("stream", "stored as", "stored bytes", "bytes", "packing"),
        [
            (
                stream["name"],
                stream["stored_name"] if stream["stored_name"] != stream["name"] else "",
                _number(stream["stored_size"]),
                _number(stream["size"]),
                stream["packing"] or "?",
            )
            for stream in about["streams"]
        ],
        right=(2, 3),
    )
    output.line()
    output.table(
        ("plug-in", "class", "objects"),
        [(row["plugin"], row["class"], row["objects"]) for row in about["classes"]],
        right=(2,),
    )


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)
