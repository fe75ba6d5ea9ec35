"""Bringing an existing sidecar up to date with its scene, without touching what a person wrote.

Every change is a splice of the text: comments, order, spelling of values and blank lines stay.
"""

from __future__ import annotations

from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import Conflict, Plan, find_object, make_plan
from maxsidecar.sidecar.base import encode_base
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.extract import (
    Options,
    base_key,
    base_lines,
    file_sha256,
    object_lines,
    selected,
    value_line,
)
from maxsidecar.sidecar.fields import MISSING, Path, read_fields
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.toml_text import format_path, format_value

__all__ = ["refreshed_text", "updated_text"]

_Splice = tuple[int, int, str]


def updated_text(
    document: SidecarDocument,
    scene_file: MaxFile,
    options: Options | None = None,
    *,
    discard: bool = False,
) -> str:
    """Return the sidecar's text with the scene's values, where no person edited them.

    Edits that were not applied yet stay edits.  Objects that came into the scene since, and
    everything that ``options.all`` asks for, are added at the end.

    Args:
        document: The existing sidecar.
        scene_file: The scene as it is now.
        options: What to show.
        discard: Let the scene win where both sides changed a value.

    Raises:
        SidecarError: The sidecar is wrong, or both sides changed a value.
    """
    options = options or Options()
    plan = make_plan(scene_file, document)
    if plan.problems:
        raise plan.problems[0]
    splices: list[_Splice] = []
    for conflict in plan.conflicts:
        if conflict.edited and not discard:
            error = document.error(f"{conflict}; apply with --force or --keep, or edit it")
            error.line, error.column = conflict.line, conflict.column
            raise error
        splices += _take_scene_value(document, conflict)
    labels = Labels(scene_file.scene)
    objects = {find_object(t, labels, document).index: t for t in document.tables}
    if not plan.same_scene:
        for index, table in objects.items():
            splices += _added_values(plan, table, labels, index)
    text = _splice(document.text, splices)
    added: list[str] = []
    for kind, label, obj, values in selected(scene_file, labels, options):
        known = obj.index in objects or base_key(labels, obj) in document.base
        # Whoever deleted a table does not want it back, unless the scene or the options ask.
        if known or (plan.same_scene and not options.all):
            continue
        added += [*object_lines(kind, label, obj, values, labels, options), ""]
    again = SidecarDocument(text, document.file)
    if added:
        spot = again.locator.tables.get(("sidecar", "base"))
        at = len(text) if spot is None else spot.key
        text = text[:at] + "\n".join(added) + "\n" + text[at:]
        again = SidecarDocument(text, document.file)
    return refreshed_text(again, scene_file)


def _take_scene_value(document: SidecarDocument, conflict: Conflict) -> list[_Splice]:
    kind = (
        "node"
        if any(t.label == conflict.label and t.kind == "node" for t in document.tables)
        else "object"
    )
    key = (kind, conflict.label, *conflict.path)
    spot = document.locator.spots.get(key)
    if spot is None:
        return []
    if conflict.old is not MISSING:
        return [(spot.value, spot.end, format_value(conflict.old))]
    start = document.text.rfind("\n", 0, spot.key) + 1
    end = document.text.find("\n", spot.end)
    return [(start, len(document.text) if end < 0 else end + 1, "")]


def _added_values(plan: Plan, table: ObjectTable, labels: Labels, index: int) -> list[_Splice]:
    """Return the lines for values that came into the scene since the extraction."""
    obj = labels.scene[index]
    base = plan.document.base.get(base_key(labels, obj))
    locator = plan.document.locator
    new: dict[Path, list[str]] = {}
    for path, value in read_fields(obj).items():
        if path not in table.values and not (base is not None and base.has(path)):
            new.setdefault(path[:-1], []).append(value_line(path[-1], value))
    out: list[_Splice] = []
    head: Path = (table.kind, table.label)
    inside = [
        s for group in (locator.spots, locator.tables) for p, s in group.items() if p[:2] == head
    ]
    last = max((spot.end for spot in inside), default=len(plan.document.text))
    for group, lines in new.items():
        full = head + group
        own = [s.end for p, s in locator.spots.items() if p[:-1] == full]
        header = locator.tables.get(full)
        if own or header is not None:
            at = _line_end(plan.document.text, max(own, default=0) or (header.end if header else 0))
            out.append((at, at, "".join("\n" + line for line in lines)))
        else:
            at = _line_end(plan.document.text, last)
            block = ["", "", f"[{format_path(full)}]", *lines]
            out.append((at, at, "\n".join(block)))
    return out


def _line_end(text: str, offset: int) -> int:
    found = text.find("\n", offset)
    return len(text) if found < 0 else found


def _splice(text: str, splices: list[_Splice]) -> str:
    for start, end, new in sorted(splices, key=lambda s: s[0], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def refreshed_text(document: SidecarDocument, scene_file: MaxFile) -> str:
    """Return the sidecar's text for the scene as it is now.

    Only the hash and the table of values at extraction change; what a person wrote stays.

    Raises:
        SidecarError: An object of the sidecar is not in the scene.
    """
    labels = Labels(scene_file.scene)
    base: dict[str, str] = {}
    for table in document.tables:
        obj = find_object(table, labels, document)
        values = read_fields(obj)
        if values:
            base[base_key(labels, obj)] = encode_base(values)
    text = document.text
    locator = document.locator
    spots = [
        spot
        for group in (locator.tables, locator.spots)
        for path, spot in group.items()
        if path[:2] == ("sidecar", "base")
    ]
    lines = "\n".join(base_lines(base))
    splices: list[_Splice] = []
    if spots:
        splices.append((min(s.key for s in spots), max(s.end for s in spots), lines))
    else:
        splices.append((len(text), len(text), f"\n{lines}\n"))
    hash_spot = locator.spots.get(("sidecar", "sha256"))
    if hash_spot is None:
        raise document.error("the scene's hash must be a line of its own", ("sidecar",))
    splices.append((hash_spot.value, hash_spot.end, format_value(file_sha256(scene_file))))
    return _splice(text, splices)
