"""Everything that a user may do with a file, done to any bytes.

Only :class:`~maxsidecar.errors.MaxSidecarError` may come out of the calls made here, and it is
swallowed; anything else reaches the caller and is a finding, and so is an :class:`AssertionError`
from a promise that was not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.index import ChunkIndex
from maxsidecar.io.views import check_leaves
from maxsidecar.nel import appdata_ids  # noqa: F401 - registers the NeL export flags
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.notes import read_notes
from maxsidecar.scene.stream_check import check_stream
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import extract

__all__ = ["Outcome", "exercise"]

_KEY = AppDataKey(0xF00D, 0, 0x1020, 1)
_VIEWS = (
    "config", "class_data", "video_post_queue", "save_config", "custom_attribute_definitions",
    "asset_metadata", "summary", "document_summary", "thumbnail", "code_page", "program",
)  # fmt: skip


@dataclass
class Outcome:
    """How far a file let itself be used, to see that cases reach deep enough."""

    opened: int = 0
    nodes: int = 0
    edited: int = 0
    applied: int = 0
    errors: list[MaxSidecarError] = field(default_factory=list)


def exercise(data: bytes) -> Outcome:
    """Use a file in every way, lenient and strict."""
    outcome = Outcome()
    for lenient in (True, False):
        with _tolerated(outcome):
            file = MaxFile(data, lenient=lenient)
            outcome.opened += 1
            assert file.to_bytes() == data, "saving without an edit changed the file"
            if lenient:
                _streams(file, outcome)
            _scene(file, outcome, thorough=lenient)
            if lenient:
                assert file.to_bytes() == data, "reading changed the file"
                _edit(data, outcome)
                _sidecar(data, outcome)
    return outcome


@contextmanager
def _tolerated(outcome: Outcome) -> Iterator[None]:
    try:
        yield
    except MaxSidecarError as error:
        text = str(error)
        assert text, "an error without a message"
        assert "\n" not in text, f"an error of several lines: {text!r}"
        outcome.errors.append(error)


def _streams(file: MaxFile, outcome: Outcome) -> None:
    for stream in file.streams.values():
        with _tolerated(outcome):
            _ = stream.raw, stream.packing
        with _tolerated(outcome):
            if stream.view is not None:
                index = ChunkIndex(stream.data, strict=False, where=stream.where)
                assert len(index) == sum(1 for _ in index.walk())
        with _tolerated(outcome):
            check_stream(stream, outcome.errors.append)
    for name in _VIEWS:
        with _tolerated(outcome):
            getattr(file, name, None)


def _scene(file: MaxFile, outcome: Outcome, *, thorough: bool) -> None:
    scene = file.scene
    outcome.nodes += len(file.nodes)
    for depth, node in file.nodes.walk():
        with _tolerated(outcome):
            _ = depth, node.name, node.parent, node.children, node.where
        with _tolerated(outcome):
            _ = node.base_object, node.material, node.controller
            _ = node.layer.name if node.layer else None
        with _tolerated(outcome):
            _ = node.user_properties, node.handle, node.wire_color, node.version
        for flag in NODE_FLAGS:
            with _tolerated(outcome):
                node.flag(flag)
    if not thorough:
        return
    for obj, item in scene.appdata():
        with _tolerated(outcome):
            prop = REGISTRY.by_key(item.key)
            if prop is not None:
                prop.decode(item.value, scene.code_page)
            _ = obj.appdata.problems()
    for obj in scene:
        with _tolerated(outcome):
            _ = obj.references, obj.class_name, obj.class_id, obj.dll_name
        with _tolerated(outcome):
            check_leaves(obj.typed_leaves(), outcome.errors.append)
        if obj.index % 16 == 0:
            with _tolerated(outcome):
                read_notes(obj)
    for error in (*scene.problems, *file.problems()):
        assert str(error)


def _edit(data: bytes, outcome: Outcome) -> None:
    """Edit the first node that lets itself be edited, and look at the result."""
    file = MaxFile(data)
    node = next((n for n in file.nodes.values() if _named(n)), None)
    if node is None:
        return
    wanted = f"{node.name}é"
    with _tolerated(outcome):
        node.name = wanted
        with _tolerated(outcome):
            node.appdata.set(_KEY, b"1\0")
        value = node.appdata.get(_KEY)
        with _tolerated(outcome):
            node.set_flag("hidden", not node.flag("hidden"))
        hidden = node.flag("hidden")
        saved = file.to_bytes()
        again = MaxFile(saved)
        other = again.scene.node(node.index)
        assert other.name == wanted, "the edit was not saved"
        assert other.appdata.get(_KEY) == value, "the AppData was not saved"
        assert other.flag("hidden") == hidden, "the flag was not saved"
        assert len(again.scene) == len(file.scene), "an edit changed the number of objects"
        for stream in file.streams.values():
            if stream.name != "Scene":
                before = _raw(stream.raw) if _readable(file, stream.name) else None
                if before is not None:
                    assert _raw(again.streams[stream.name].raw) == before, "another stream changed"
        outcome.edited += 1


def _named(node: Node) -> bool:
    try:
        return bool(node.name) and node.parent_link is not None
    except MaxSidecarError:
        return False


def _readable(file: MaxFile, name: str) -> bool:
    try:
        file.streams[name].raw  # noqa: B018
    except MaxSidecarError:
        return False
    return True


def _raw(view: memoryview) -> bytes:
    return bytes(view)


def _sidecar(data: bytes, outcome: Outcome) -> None:
    """Extract a sidecar; applied as it is, it must not change anything."""
    file = MaxFile(data)
    with _tolerated(outcome):
        text = extract(file, "x.max")
        plan = make_plan(file, parse(text.encode(), "x.max.toml"))
        assert not plan.problems, f"our own sidecar is wrong: {plan.problems[0]}"
        assert not plan.conflicts, f"our own sidecar conflicts: {plan.conflicts[0]}"
        assert not plan.changes, f"our own sidecar changes something: {plan.changes[0]}"
        outcome.applied += 1
