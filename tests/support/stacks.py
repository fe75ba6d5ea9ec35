"""Stacks of modifiers on a small mesh, and what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.scene import Scene
from tests.support.scenes import Class, References, SceneMaker, f32, u32
from tests.support.stored_meshes import square_poly, tri_chunks

EDITABLE_MESH = (0xE44F10B3, 0, 0x10)
EDITABLE_POLY = (0x1BF8338D, 0x192F6098, 0x10)
DERIVED = (0x29263A68, 0x405F22F5, 0x1F0)

IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)


@dataclass
class Layer:
    """A modifier: class id, own chunks, references, and what its context holds."""

    class_id: tuple[int, int]
    chunks: Sequence[ChunkTree] = ()
    references: References = None
    local: Sequence[ChunkTree] | bytes | None = None
    matrix: Sequence[float] | None = None
    more: Sequence[ChunkTree] = ()


@dataclass
class Stack:
    """A scene with one stack: layers are named from the top down, as they are stored."""

    layers: Sequence[Layer]
    base: Sequence[ChunkTree] = field(default_factory=tri_chunks)
    base_class: Class = EDITABLE_MESH
    maker: SceneMaker = field(default_factory=SceneMaker)

    def __post_init__(self) -> None:
        maker = self.maker
        modifiers = [
            maker.add((*layer.class_id, 0x810), layer.chunks, layer.references)
            for layer in self.layers
        ]
        base = maker.add(self.base_class, [(0x08FE, list(self.base))])
        contexts: list[ChunkTree] = []
        for layer in self.layers:
            inner: list[ChunkTree] = []
            if layer.matrix is not None:
                inner.append((0x2510, f32(*layer.matrix) + u32(0)))
            inner += layer.more
            if layer.local is not None:
                inner.append((0x2512, layer.local))
            contexts.append((0x2500, inner))
        self.top = maker.add(DERIVED, contexts, [*modifiers, base])
        self.modifiers = modifiers
        self.scene: Scene = maker.scene()

    @property
    def derived(self) -> DerivedObject:
        obj = self.scene[self.top]
        assert isinstance(obj, DerivedObject)
        return obj

    def evaluation(self, time: int = 0) -> Evaluation:
        return Evaluator(self.scene, time).object(self.derived)

    def mesh(self, time: int = 0) -> Mesh:
        """Return the mesh; everything must have been evaluated."""
        found = self.evaluation(time)
        assert found.complete, found.skipped
        assert found.mesh is not None
        return found.mesh

    def reasons(self) -> list[str]:
        return [entry.reason for entry in self.evaluation().skipped]


def poly_stack(layers: Sequence[Layer]) -> Stack:
    """Return a stack on a quad and a triangle."""
    return Stack(layers, square_poly(), EDITABLE_POLY)
