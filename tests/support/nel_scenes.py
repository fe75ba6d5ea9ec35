"""Scenes with export flags, lights and the game's scripted objects, made from nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import maxsidecar
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.nel.export.registry import Product, Step
from maxsidecar.nel.export.view import SceneView
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass
from maxsidecar.scene.authoring_objects import PARAM_BLOCK
from maxsidecar.scene.authoring_parameters import OldEntry, old_block, old_float, old_int, record
from maxsidecar.scene.maxfile import MaxFile

KEYS = {prop.name: prop.key for prop in PROPERTIES}

OMNI = NewClass("Omni", 0x1011, 0, 0x30)
FREE_SPOT = NewClass("Free Spot", 0x1014, 0, 0x30)
FREE_DIRECT = NewClass("Free Direct", 0x1013, 0, 0x30)
CYLINDER = NewClass("Cylinder", 0x12, 0, 0x10)
PACS_BOX = NewClass("nel_pacs_box", 0x7F374277, 0x5D3971DF, 0x10)
PACS_CYLINDER = NewClass("nel_pacs_cylinder", 0x62A56810, 0x4B3D601C, 0x10)
PARTICLES = NewClass("nel_ps", 0x58CE2893, 0x1CF8BCD, 0x10)
PATCHES = NewClass("RklPatch", 0x368C679F, 0x711C22EE, 0x10)

INTEGER, FLOAT, BOOLEAN = 1, 0, 4


def color(red: float, green: float, blue: float) -> OldEntry:
    """Return a colour for an old block."""
    from struct import pack

    return 0x0102, pack("<3f", red, green, blue), True


class GameScene(SceneBuilder):
    """A scene whose nodes have flags by the plug-in's names."""

    def flag(self, node: int, **flags: Any) -> int:
        """Set flags of a node, as the texts that the plug-in stores; return the node."""
        for name, value in flags.items():
            raw = value if isinstance(value, bytes) else f"{value}".encode("cp1252") + b"\0"
            self.add_appdata(node, KEYS[name], raw)
        return node

    def box_node(
        self,
        name: str,
        size: Sequence[float] = (2.0, 2.0, 2.0),
        at: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        parent: int | None = None,
        euler: Sequence[float] = (0.0, 0.0, 0.0),
        **flags: Any,
    ) -> int:
        """Add a Box (width, length, height) that stands on a place."""
        width, length, height = size
        box = self.add_box(length, width, height)
        place = self.add_transform(at, euler)
        return self.flag(self.add_node(name, box, parent=parent, transform=place), **flags)

    def mesh_node(
        self,
        name: str,
        vertices: Sequence[Sequence[float]],
        faces: Sequence[Sequence[int]],
        *,
        at: Sequence[float] = (0.0, 0.0, 0.0),
        material_ids: Sequence[int] | None = None,
        edge_flags: Sequence[int] | None = None,
        uv: bool = False,
        **flags: Any,
    ) -> int:
        """Add an Editable Mesh."""
        mapped = ([(x, y, z) for x, y, z in vertices], faces) if uv else None
        mesh = self.add_mesh(
            vertices, faces, material_ids=material_ids, edge_flags=edge_flags, uv=mapped
        )
        return self.flag(self.add_node(name, mesh, transform=self.add_transform(at)), **flags)

    def light_node(
        self,
        name: str,
        new: NewClass,
        values: Sequence[OldEntry],
        *chunks: ChunkTree,
        at: Sequence[float] = (0.0, 0.0, 0.0),
        euler: Sequence[float] = (0.0, 0.0, 0.0),
        **flags: Any,
    ) -> int:
        """Add a light with the values of its block and its flag chunks."""
        block = self.add_object(PARAM_BLOCK, old_block(0, *values))
        light = self.add_object(new, chunks, [block])
        place = self.add_transform(at, euler)
        return self.flag(self.add_node(name, light, transform=place), **flags)

    def add_cylinder(self, radius: float, height: float) -> int:
        """Add a Cylinder of 3 sides."""
        counts = [old_int(count) for count in (1, 1, 3, 1, 0)]
        rest = [old_float(0.0), old_float(0.0), old_int(1)]
        block = old_block(1, old_float(radius), old_float(height), *counts, *rest)
        return self.add_object(CYLINDER, (), [self.add_object(PARAM_BLOCK, block)])

    def scripted(
        self, new: NewClass, extends: int, values: Mapping[int, tuple[int, object]]
    ) -> int:
        """Add a scripted object: what it extends, and its own parameters by number."""
        records = [record(number, code, 0, value) for number, (code, value) in values.items()]
        block = self._add_block(records)
        return self._own(self.add_object(new, (), [extends, block]), block)

    def primitive(self, new: NewClass, extends: int, **values: float) -> int:
        """Add a collision primitive; what is not given has the script's own default."""
        from maxsidecar.nel.export.primitives import _NAMES as names

        defaults: dict[str, float] = {"Reaction": 1, "OcclusionMask": 1, "Obstacle": 1}
        given = {**defaults, "Absorbtion": 1.0, **values}
        kinds = dict.fromkeys(names, INTEGER)
        kinds |= {name: BOOLEAN for name in names if name.endswith("Trigger")}
        kinds |= {"Obstacle": BOOLEAN, "Absorbtion": FLOAT}
        return self.scripted(
            new,
            extends,
            {number: (kinds[name], given.get(name, 0)) for number, name in enumerate(names)},
        )

    def save(self, path: Path) -> Path:
        """Write the scene."""
        path.write_bytes(self.to_bytes())
        return path


@contextmanager
def viewed(scene: SceneBuilder, folder: Path, name: str = "scene.max") -> Iterator[SceneView]:
    """Open the scene, and look at it as an export does."""
    path = folder / name
    path.write_bytes(scene.to_bytes())
    with maxsidecar.open(path) as scene_file:
        yield SceneView(scene_file)


def nodes_by_name(scene_file: MaxFile) -> dict[str, int]:
    """Return the storage index of each node."""
    return {node.name: node.index for node in scene_file.scene.nodes.values()}


def steps_by_node(steps: Iterable[Step]) -> dict[str, Any]:
    """Return the steps of a process whose products hold one node each."""
    found: dict[str, Any] = {}
    for step in steps:
        node = step.nodes[0] if isinstance(step, Product) else step.node
        found["" if node is None else node.name] = step
    return found
