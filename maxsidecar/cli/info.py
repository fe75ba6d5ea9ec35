"""``maxsidecar info``: what a scene file is and holds."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import maxsidecar
from maxsidecar.cli import output
from maxsidecar.cli.files import each
from maxsidecar.cli.parsers import SubParsers, add_command, add_json
from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.coverage import ClassCoverage, cover
from maxsidecar.scene.directories import BUILTIN_DLL, SCRIPT_DLL
from maxsidecar.scene.maxfile import MaxFile, Stream
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.units import read_unit

_TICKS: Final = 4800
_SUMMARY: Final = ("title", "subject", "author", "comments", "revision", "created", "saved")
_ORIGINS: Final = {BUILTIN_DLL: "(built in)", SCRIPT_DLL: "(script)"}


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
        help="say of each class whether its objects are typed, read-only (and why) or raw",
    )
    add_json(parser, "file")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    first = True

    def show(path: Path) -> None:
        nonlocal first
        about = describe(path, coverage=args.classes)
        if args.json:
            output.print_json(about)
            return
        if not first:
            output.line()
        first = False
        (_print_classes if args.classes else _print)(about)

    return each(args.file, show)


class _Reader:
    """Reads parts of a file, noting what is damaged."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def attempt(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except MaxSidecarError as error:
            text = str(error)
            if text not in self.problems:
                self.problems.append(text)
            return None


def describe(path: Path, *, coverage: bool = False) -> dict[str, Any]:
    """Return what there is to say about a file, as plain data.

    Args:
        path: The file.
        coverage: Tell for each class how far it is understood, which takes longer.

    Raises:
        MaxSidecarError: It is no scene, or its tables are damaged.
        OSError: It cannot be read.
    """
    reader = _Reader()
    with maxsidecar.open(path) as scene_file:
        attempt = reader.attempt
        about: dict[str, Any] = {
            "path": str(path),
            "size": len(scene_file.compound.data),
            "release": attempt(lambda: scene_file.release),
            "written_by": attempt(lambda: scene_file.program_name),
            "compressed": attempt(lambda: scene_file.compressed),
            "code_page": attempt(lambda: scene_file.code_page),
            "sector_size": scene_file.compound.sector_size,
            "streams": [_stream(stream, reader) for stream in scene_file.streams.values()],
            "objects": None,
            "nodes": None,
            "classes": _classes(scene_file, reader, coverage),
            "unit": None,
            "time": attempt(lambda: _time(scene_file)),
            "summary": attempt(lambda: _summary(scene_file)) or {},
            "totals": attempt(lambda: _totals(scene_file)) or {},
        }
        scene = attempt(lambda: scene_file.scene)
        if scene is not None:
            about["objects"] = len(scene)
            about["unit"] = attempt(lambda: _unit(scene))
            nodes = attempt(lambda: scene.nodes)
            if nodes is not None:
                about["nodes"] = sum(not isinstance(n, RootNode) for n in nodes.values())
                reader.problems += map(str, nodes.problems)
        reader.problems += map(str, scene_file.problems())
        reader.problems += scene_file.compound.defects
    about["problems"] = list(dict.fromkeys(reader.problems))
    return about


def _stream(stream: Stream, reader: _Reader) -> dict[str, Any]:
    raw = reader.attempt(lambda: stream.raw)
    data = reader.attempt(lambda: stream.data) if raw is not None else None
    packing = reader.attempt(lambda: stream.packing) if data is not None else None
    return {
        "stored_name": stream.path,
        "name": stream.name,
        "stored_size": None if raw is None else len(raw),
        "size": None if data is None else len(data),
        "packing": packing,
    }


def _classes(scene_file: MaxFile, reader: _Reader, coverage: bool) -> list[dict[str, Any]]:
    """Return how many objects of which class there are, by plug-in."""
    scene = reader.attempt(lambda: scene_file.scene)
    if scene is None:
        return []
    counts = Counter(map(scene.chunk_id, range(len(scene))))
    known = {found.chunk_id: found for found in cover(scene)} if coverage else {}
    out: list[dict[str, Any]] = []
    for chunk_id, count in counts.items():
        info = scene.class_info(chunk_id)
        out.append(
            {
                "class": info.name if info else f"(unknown {chunk_id:04x})",
                "class_id": str(info.class_id) if info else None,
                "superclass": f"{info.superclass:x}" if info else None,
                "plugin": (_ORIGINS.get(info.dll) or scene.dll_name(info.dll)) if info else "",
                "objects": count,
                **({"coverage": _coverage(known[chunk_id])} if chunk_id in known else {}),
            }
        )
    return sorted(out, key=lambda row: (row["plugin"].casefold(), -row["objects"], row["class"]))


def _coverage(found: ClassCoverage) -> dict[str, Any]:
    return {
        "text": found.text,
        "states": dict(found.states),
        "reasons": dict(found.reasons.most_common()),
        "bytes": found.size,
        "typed_bytes": found.typed_size,
    }


def _time(scene_file: MaxFile) -> dict[str, Any] | None:
    config = scene_file.config
    time = config.time if config is not None else None
    if time is None:
        return None
    rate, start, end = time.frame_rate, time.start, time.end
    about: dict[str, Any] = {"frame_rate": rate, "start_ticks": start, "end_ticks": end}
    if rate and start is not None and end is not None:
        about |= {"start_frame": start * rate / _TICKS, "end_frame": end * rate / _TICKS}
    return about


def _unit(scene: Scene) -> dict[str, Any] | None:
    unit = read_unit(scene)
    if unit is None:
        return None
    return {"name": unit.name, "factor": unit.factor, "metres": unit.metres}


def _summary(scene_file: MaxFile) -> dict[str, Any]:
    summary = scene_file.summary
    if summary is None:
        return {}
    values = {name: getattr(summary, name) for name in _SUMMARY}
    out = {name: str(value) for name, value in values.items() if value not in (None, "")}
    with suppress(MaxSidecarError):
        if summary.thumbnail is not None:
            out["thumbnail"] = f"{summary.thumbnail.width} x {summary.thumbnail.height}"
    return out


def _totals(scene_file: MaxFile) -> dict[str, int]:
    document = scene_file.document_summary
    return {**document.mesh_totals, **document.scene_totals} if document is not None else {}


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
    _print_problems(about)


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
    _print_problems(about)


def _print_problems(about: dict[str, Any]) -> None:
    if about["problems"]:
        output.line()
        output.line(f"problems: {len(about['problems'])}")
        for problem in about["problems"]:
            output.line(f"  {output.safe(problem)}")


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)
