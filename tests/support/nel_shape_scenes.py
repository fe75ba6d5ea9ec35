"""Scenes with the game's materials and scripted shapes, made from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maxsidecar
from maxsidecar.nel.shape import ShapeOptions, ShapeResult, export_shape
from maxsidecar.nel.shape.script_names import ordinal_names
from maxsidecar.scene.authoring_chunks import NewClass
from maxsidecar.scene.authoring_parameters import record
from tests.support.nel_scenes import GameScene

FLARE = NewClass("nel_flare", 0x4E913532, 0x3C2F2307, 0x10)
PARTICLES = NewClass("nel_ps", 0x58CE2893, 0x1CF8BCD, 0x10)
WAVE_MAKER = NewClass("nel_wave_maker", 0x77E24828, 0x329C31CB, 0x10)
NEL_MATERIAL = NewClass("NeL Material", 0x64C75FEC, 0x222B9EB9, 0xC00)

FLOAT, INTEGER, COLOR, BOOLEAN, PERCENT, STRING, MAP = 0, 1, 2, 4, 6, 8, 15
#: The owner of a block holds what its parameters refer to.
OWNER = 0x100

#: First letters of parameters of the material, by type.
_LETTERS = {"b": BOOLEAN, "c": COLOR, "f": FLOAT, "i": INTEGER, "p": PERCENT, "t": MAP}
_EMPTY: dict[int, object] = {
    FLOAT: 0.0, INTEGER: 1, COLOR: (1.0, 1.0, 1.0), BOOLEAN: 0, PERCENT: 0.0, STRING: "",
    MAP: -1,
}  # fmt: skip


class ShapeScene(GameScene):
    """A scene whose scripted objects are known by names of parameters."""

    def block(self, class_a: int, count: int, values: Mapping[str, Any], slot: int = 0) -> int:
        """Add a block of a scripted class; what is not given is 0, 1 or white."""
        records = []
        for number, name in enumerate(ordinal_names(class_a, count, slot)):
            value = values.get(name)
            code = _code(class_a, name, value)
            flags = OWNER if code == MAP else 0
            stored = _EMPTY[code] if value is None else value
            if code == BOOLEAN:
                stored = int(bool(stored))
            records.append(record(number, code, flags, stored))
        return self._add_block(records)

    def scripted_object(self, new: NewClass, count: int, **values: Any) -> int:
        """Add a scripted object that extends a Sphere."""
        block = self.block(new.a, count, values)
        return self._own(self.add_object(new, (), [self.add_sphere(1.0, 8), block]), block)

    def nel_material(self, name: str, **values: Any) -> int:
        """Add a NeL Material of the current script, with one texture slot's mixing."""
        inner = self.add_standard_material(name)
        a = NEL_MATERIAL.a
        blocks = [self.block(a, count, values) for count in (10, 37, 24)]
        blocks += [self.block(a, 19, values, slot) for slot in range(4)]
        head = [(0x4001, name.encode("utf-16-le"))]
        found = self.add_object(NEL_MATERIAL, [(0x4000, head)], [inner, *blocks])
        return self._own(found, *blocks)

    def exported(
        self, folder: Path, name: str = "node", options: ShapeOptions | None = None
    ) -> ShapeResult:
        """Write the scene, open it and export a node."""
        path = self.save(folder / "scene.max")
        with maxsidecar.open(path) as scene_file:
            (node,) = scene_file.nodes.find(name)
            return export_shape(scene_file, node, options)


def _code(class_a: int, name: str, value: object) -> int:
    if class_a == NEL_MATERIAL.a:
        return _LETTERS[name[0]]
    if isinstance(value, str):
        return STRING
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, tuple):
        return COLOR
    if isinstance(value, int):
        return INTEGER
    return FLOAT
