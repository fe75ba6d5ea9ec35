"""A scene file as plain data: what it is and holds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.attempts import Attempts
from maxsidecar.scene.config import TICKS_PER_SECOND
from maxsidecar.scene.directories import BUILTIN_DLL, SCRIPT_DLL
from maxsidecar.scene.maxfile import MaxFile, Stream
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.summary import SUMMARY_FIELDS
from maxsidecar.scene.units import read_unit

if TYPE_CHECKING:
    from maxsidecar.scene.coverage import ClassCoverage

__all__ = ["describe"]

_ORIGINS: Final = {BUILTIN_DLL: "(built in)", SCRIPT_DLL: "(script)"}


def describe(scene_file: MaxFile, *, coverage: bool = False) -> dict[str, Any]:
    """Return what there is to say about a file, as plain data.

    What cannot be read is ``None`` or empty, with the reason among ``problems``.

    Args:
        scene_file: The file.
        coverage: Tell for each class how far it is understood, which takes longer.
    """
    attempt = Attempts()
    about: dict[str, Any] = {
        "size": len(scene_file.compound.data),
        "release": attempt(lambda: scene_file.release),
        "written_by": attempt(lambda: scene_file.program_name),
        "compressed": attempt(lambda: scene_file.compressed),
        "code_page": attempt(lambda: scene_file.code_page),
        "sector_size": scene_file.compound.sector_size,
        "streams": [_stream(stream, attempt) for stream in scene_file.streams.values()],
        "objects": None,
        "nodes": None,
        "classes": _classes(scene_file, attempt, coverage),
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
    told = [*attempt.problems, *scene_file.problems(), *scene_file.compound.defects]
    about["problems"] = list(dict.fromkeys(map(str, told)))
    return about


def _stream(stream: Stream, attempt: Attempts) -> dict[str, Any]:
    raw = attempt(lambda: stream.raw)
    data = attempt(lambda: stream.data) if raw is not None else None
    packing = attempt(lambda: stream.packing) if data is not None else None
    return {
        "stored_name": stream.path,
        "name": stream.name,
        "stored_size": None if raw is None else len(raw),
        "size": None if data is None else len(data),
        "packing": packing,
    }


def _classes(scene_file: MaxFile, attempt: Attempts, coverage: bool) -> list[dict[str, Any]]:
    """Return how many objects of which class there are, by plug-in."""
    scene = attempt(lambda: scene_file.scene)
    if scene is None:
        return []
    counts = Counter(map(scene.chunk_id, range(len(scene))))
    known: dict[int, ClassCoverage] = {}
    if coverage:
        from maxsidecar.scene.coverage import cover

        known = {found.chunk_id: found for found in cover(scene)}
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
        about |= {
            "start_frame": start * rate / TICKS_PER_SECOND,
            "end_frame": end * rate / TICKS_PER_SECOND,
        }
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
    values = {name: getattr(summary, name) for name in SUMMARY_FIELDS}
    out = {name: str(value) for name, value in values.items() if value not in (None, "")}
    with suppress(MaxSidecarError):
        if summary.thumbnail is not None:
            out["thumbnail"] = f"{summary.thumbnail.width} x {summary.thumbnail.height}"
    return out


def _totals(scene_file: MaxFile) -> dict[str, int]:
    document = scene_file.document_summary
    return {**document.mesh_totals, **document.scene_totals} if document is not None else {}
