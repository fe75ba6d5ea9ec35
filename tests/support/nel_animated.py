"""Scenes in which parameters of materials, lights and scripted objects move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack
from typing import Any

from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass
from maxsidecar.scene.authoring_keys import bezier_float_keys
from maxsidecar.scene.authoring_objects import BEZIER_FLOAT
from maxsidecar.scene.authoring_parameters import RECORD
from maxsidecar.scene.authoring_store import _Object
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.layouts import KeyLayout, KeyTable
from maxsidecar.scene.directories import OSM_DERIVED
from maxsidecar.scene.params.records import ANIMATED, ParamRecord, RecordCodec
from maxsidecar.scene.skin.morpher_views import FIRST_BLOCK, FIRST_TARGET
from tests.support.nel_shape_scenes import ShapeScene

BEZIER_POINT3 = NewClass("Bezier Point3", 0x200A, 0, 0x9005)
BEZIER_COLOR = NewClass("Bezier Color", 0x2011, 0, 0x9005)
BEZIER_POSITION = NewClass("Bezier Position", 0x2008, 0, 0x900B)
TCB_POINT3 = NewClass("TCB Point3", 0x442314, 0, 0x9005)
TCB_POSITION = NewClass("TCB Position", 0x442312, 0, 0x900B)
TCB_ROTATION = NewClass("TCB Rotation", 0x442313, 0, 0x900C)
LINEAR_FLOAT = NewClass("Linear Float", 0x2001, 0, 0x9003)
LINEAR_SCALE = NewClass("Linear Scale", 0x2004, 0, 0x900D)
ON_OFF = NewClass("On/Off", 0x984B8D27, 0x938F3E43, 0x9003)
MORPHER = NewClass("Morpher", 0x17BB6854, 0xA5CBA2A3, 0x810)
DERIVED = NewClass("OSM Derived", 0x29263A68, 0x405F22F5, 0x1F0)

_RECORDS = RecordCodec(RECORD)
#: Value and key table by layout.
_IDS = {
    id(layouts.LINEAR_FLOAT): (0x2501, 0x2511, "f"),
    id(layouts.BEZIER_FLOAT): (0x2501, 0x2525, "f"),
    id(layouts.BEZIER_POINT3): (0x2503, 0x2526, "3f"),
    id(layouts.LINEAR_POSITION): (0x2503, 0x2513, "3f"),
    id(layouts.TCB_POSITION): (0x2503, 0x2521, "3f"),
    id(layouts.TCB_ROTATION): (0x2504, 0x2522, "4f"),
    id(layouts.LINEAR_SCALE): (0x2505, 0x2515, "7f"),
}
_COLORED = (0x200A, 0x2011, 0x442314)


def keyed(
    layout: KeyLayout,
    keys: Sequence[Mapping[str, Any]],
    *,
    span: tuple[int, int] | None = None,
    flags: int = 0,
    colored: bool = False,
) -> list[ChunkTree]:
    """Return the chunks of a controller; columns that are not given are 0.

    Args:
        layout: How a key is stored.
        keys: Columns by name.
        span: The controller's own range; ``None`` for that of the keys.
        flags: Of the track; 16 loops behind it.
        colored: Whether it is of points or colours.
    """
    value_id, table_id, form = _IDS[id(layout)]
    rows = []
    for key in keys:
        row = []
        for column in layout.columns:
            empty: Any = 0 if column.count == 1 else (0,) * column.count
            row.append(key.get(column.name, empty))
        rows.append(tuple(row))
    first, last = rows[0][0], rows[-1][0]
    count = int(form[:-1] or 1)
    return [
        (0x2501 if colored else value_id, pack(f"<{count}f", *([0.0] * count))),
        (0x2500, pack("<2i", -(2**31), -(2**31))),
        (0x3002, pack("<I", flags)),
        (0x3003, pack("<2i", *(span or (first, last)))),
        (table_id, KeyTable(layout).encode(tuple(rows))),
    ]


def on_off(state: int, *times: int) -> list[ChunkTree]:
    """Return an On/Off controller that switches at some ticks."""
    keys = [part for t in times for part in ((0x0100, pack("<i", t)), (0x0110, bytes(4)))]
    return [(0x0130, pack("<I", len(times))), *keys, (0x0140, pack("<I", state))]


class AnimatedScene(ShapeScene):
    """A scene whose parameters may have controllers."""

    def controller(
        self,
        new: NewClass,
        layout: KeyLayout,
        *keys: Mapping[str, Any],
        span: tuple[int, int] | None = None,
        flags: int = 0,
    ) -> int:
        """Add a controller with keys."""
        colored = new.a in _COLORED
        chunks = keyed(layout, keys, span=span, flags=flags, colored=colored)
        return self.add_object(new, chunks, {})

    def number(self, **values: float) -> int:
        """Add a Bezier Float with keys, as ``t0=1.0, t480=2.0``."""
        keys = {int(name[1:]): value for name, value in values.items()}
        return self.add_object(BEZIER_FLOAT, bezier_float_keys(keys, "linear"), {})

    def animate(self, block: int, number: int, controller: int) -> None:
        """Let a controller give a parameter of a block that exists."""
        obj: Any = self._objects[block]
        controlled = []
        chunks = []
        for chunk_id, data in obj.chunks:
            if chunk_id == RECORD:
                found = _RECORDS.decode(data)
                if found.id == number:
                    element = (ANIMATED, None)
                    changed = ParamRecord(number, found.type, found.flags, (element,))
                    data = _RECORDS.encode(changed)
                if _is_controlled(data):
                    controlled.append(found.id)
            elif chunk_id == 0x0002 and isinstance(data, list):
                own = int.from_bytes(data[0][1], "little")
                if own == number:
                    data = [data[0], (0x0004, b""), (0x0200, b"")]
                if data[-1][0] == 0x0200:
                    controlled.append(own)
            chunks.append((chunk_id, data))
        obj.chunks = chunks
        slots = list(obj.references or [])
        slots.insert(controlled.index(number), controller)
        obj.references = slots

    def annotate(self, node: int, notes: Mapping[int, str]) -> int:
        """Hang notes on a node, by ticks; return the node."""
        obj: Any = self._objects[node]
        obj.chunks = [note_chunks(notes), *obj.chunks]
        return node

    def parts_of(self, index: int) -> list[int | None]:
        """Return what an object refers to, by slot."""
        found: Any = self._objects[index].references
        return list(found)

    def parts_of_node(self, node: int) -> int:
        """Return the object of a node."""
        found: Any = self._objects[node].references
        index: int = found[1]
        return index

    def shader_block(self, material: int) -> int:
        """Return the block with the colours of a Standard material."""
        shader = self.parts_of(material)[2]
        assert shader is not None
        block = self.parts_of(shader)[0]
        assert block is not None
        return block

    def coordinates_block(self, picture: int) -> int:
        """Return the block with the shift of a map."""
        coordinates = self.parts_of(picture)[0]
        assert coordinates is not None
        block = self.parts_of(coordinates)[0]
        assert block is not None
        return block

    def morphed(
        self, name: str, target: int, factor: int, *, channel: int = 0, **flags: Any
    ) -> int:
        """Add a Box with a Morpher whose channel goes to a node."""
        settings = self.add_object(NewClass("ParamBlock", 8, 0, 0x8), (), [factor])
        slots = {FIRST_BLOCK + channel: settings, FIRST_TARGET + channel: target}
        morpher = self.add_object(MORPHER, (), slots)
        references = [morpher, self.add_box(1.0, 1.0, 1.0)]
        self._objects.append(_Object(OSM_DERIVED, [(0x2500, []), (0x2501, b"")], references, 2))
        stack = len(self._objects) - 1
        node = self.add_node(name, stack, transform=self.add_transform())
        return self.flag(node, **flags)

    def class_of(self, index: int) -> NewClass:
        """Return the class of an object; that of stacks is in no directory."""
        if 0 <= index < len(self._objects) and self._objects[index].class_index == OSM_DERIVED:
            return DERIVED
        return super().class_of(index)


def _is_controlled(data: bytes) -> bool:
    return any(not flag & 0x40 for flag, _ in _RECORDS.decode(data).elements)


def note_chunks(notes: Mapping[int, str], tracks: int = 1) -> ChunkTree:
    """Return the note tracks of an object, by ticks."""
    rows: list[ChunkTree] = [(0x0130, pack("<I", tracks))]
    for time, text in notes.items():
        rows += [
            (0x0100, pack("<i", time)),
            (0x0110, pack("<I", 4)),
            (0x0120, text.encode("utf-16-le")),
        ]
    return 0x2140, rows
