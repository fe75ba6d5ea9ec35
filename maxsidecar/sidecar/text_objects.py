"""The objects of a scene as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.index_links import ATTRIBUTES, attribute_container, header_meaning
from maxsidecar.scene.node import Node, NodeParent
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.objects import DENSE_REFERENCES, SPARSE_REFERENCES, SceneObject
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.object_names import ObjectNames
from maxsidecar.sidecar.raw_text import show_raw
from maxsidecar.sidecar.text_chunks import chunk_lines, problem_text, typed_by_offset
from maxsidecar.sidecar.text_values import bytes_lines, quoted, show
from maxsidecar.sidecar.toml_text import format_path

__all__ = ["appdata_values", "node_flag_values", "object_blocks"]

_PARENT: Final = 0x0960
_NAME: Final = 0x0962


def object_blocks(scene: Scene, *, full: bool = False) -> Iterator[str]:
    """Yield every object, each under a heading, in storage order."""
    names = ObjectNames(scene)
    for problem in scene.problems:
        yield ""
        yield problem_text(problem)
    for index in range(len(scene)):
        yield ""
        yield from _object_lines(scene[index], names, full)


def _object_lines(obj: SceneObject, names: ObjectNames, full: bool) -> Iterator[str]:
    heading = f"[{names.name(obj.index)}]"
    if isinstance(obj, Node):
        try:
            heading += f" {quoted(obj.name)}"
        except MaxSidecarError:
            heading += " (name not read)"
    yield heading
    scene = obj.scene
    if not scene.is_container(obj.index):
        _, _, body, end, _, _ = scene.span(obj.index)
        yield from bytes_lines(scene.data[body:end], full=full)
        return
    try:
        # The outermost level first: where it is damaged there is nothing but bytes.
        chunks = list(obj.chunks())
    except MaxSidecarError as error:
        yield problem_text(error)
        yield from bytes_lines(obj.data.data, full=full)
        return
    known: dict[int, list[str]] = {}
    hidden: set[int] = set()
    for chunk in chunks:
        lines = _known_lines(obj, chunk.id, names)
        if lines is not None and chunk.id not in known:
            known[chunk.id] = lines
            hidden.add(chunk.start)
    if isinstance(obj, Node):
        hidden |= _partners(obj)
    for lines in known.values():
        yield from lines
    typed, problems = typed_by_offset(obj)
    yield from map(problem_text, problems)
    yield from chunk_lines(
        obj.data,
        typed,
        "Scene",
        skip=hidden,
        full=full,
        meaning=lambda value: header_meaning(value, scene, names.name),
    )


def _known_lines(obj: SceneObject, chunk_id: int, names: ObjectNames) -> list[str] | None:
    """Return lines that say all that a chunk holds in a clearer way, ``None`` if there are none."""
    try:
        if chunk_id == _NAME and isinstance(obj, Node) and quoted(obj.name):
            return []  # the heading tells it
        if chunk_id == _PARENT and isinstance(obj, Node):
            return _parent_lines(obj, names)
        if chunk_id in (DENSE_REFERENCES, SPARSE_REFERENCES):
            return _reference_lines(obj, chunk_id, names)
        if chunk_id == ATTRIBUTES:
            link = attribute_container(obj)
            return None if link is None else [f"attributes = {names.name(link)}"]
        if chunk_id == APPDATA and not obj.appdata.problems():
            return [f"{key} = {value}" for key, value in appdata_values(obj)]
    except MaxSidecarError:
        return None
    return None


def node_flag_values(link: NodeParent) -> dict[str, str]:
    """Return the flags beside a node's parent, each known one by name."""
    rest = link.flags
    values: dict[str, str] = {}
    for name, flag in NODE_FLAGS.items():
        if flag.chunk == _PARENT:
            rest &= ~flag.mask
            values[f"flags.{name}"] = show(bool(link.flags & flag.mask) != flag.inverted)
    values["flags.other_bits"] = f"{rest:#010x}"
    return values


def _parent_lines(node: Node, names: ObjectNames) -> list[str] | None:
    link = node.parent_link
    if link is None:
        return None
    flags = [f"{name} = {value}" for name, value in node_flag_values(link).items()]
    return [f"parent = {names.name(link.parent)}", *flags]


def _partners(node: Node) -> set[int]:
    """Return the chunks that only repeat a flag, and do so rightly."""
    try:
        link = node.parent_link
    except MaxSidecarError:
        return set()
    if link is None:
        return set()
    found: set[int] = set()
    for flag in NODE_FLAGS.values():
        chunk = node.find(flag.partner) if flag.partner is not None else None
        if chunk is not None and link.flags & flag.mask and not len(chunk.data):
            found.add(chunk.start)
    return found


def _reference_lines(obj: SceneObject, chunk_id: int, names: ObjectNames) -> list[str] | None:
    if chunk_id == DENSE_REFERENCES:
        dense = obj.dense_references
        if dense is None:
            return None
        shown = [f"reference {s} = {names.name(i)}" for s, i in enumerate(dense) if i != -1]
        return [f"references = {len(dense)} slots", *shown]
    sparse = obj.sparse_references
    if sparse is None:
        return None
    head, pairs = sparse
    shown = [
        f"reference {slot} = {names.name(i) if i != -1 else 'none'}" for slot, i in pairs.items()
    ]
    return [f"references = head {head}", *shown]


def appdata_values(obj: SceneObject) -> list[tuple[str, str]]:
    """Return the AppData entries as (name, value) texts in stored order.

    A value that is not spelled as this package would spell it is followed by how it is stored.
    """
    code_page = obj.scene.code_page
    seen: dict[AppDataKey, int] = {}
    out: list[tuple[str, str]] = []
    for key, raw in obj.appdata:
        seen[key] = seen.get(key, 0) + 1
        prop = REGISTRY.by_key(key) if seen[key] == 1 else None
        if prop is not None:
            try:
                decoded = prop.decode(raw, code_page)
            except DecodeError:
                pass
            else:
                note = "" if decoded.canonical else f" (stored {quoted(show_raw(raw, code_page))})"
                out += [(path, text + note) for path, text in _parts(prop.path, decoded.value)]
                continue
        number = f"#{seen[key]}" if seen[key] > 1 else ""
        out.append((f"appdata {key}{number}", quoted(show_raw(raw, code_page))))
    return out


def _parts(path: tuple[str, ...], value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [(format_path((*path, key)), show(part)) for key, part in value.items()]
    return [(format_path(path), show(value))]
