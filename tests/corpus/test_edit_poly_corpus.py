"""Edit Poly, against what modifiers above it stored of its result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.derived import ContextTransform, DerivedObject, ModifierContext
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.modifiers.edit_poly_views import EditPoly
from maxsidecar.scene.modifiers.multires import MULTI_RES
from maxsidecar.scene.modifiers.unwrap_views import UnwrapUVW
from maxsidecar.scene.modifiers.view_base import local_container
from maxsidecar.scene.transform import Pose, object_offset
from tests.support.indexed_3ds import read_indexed

_SNAPSHOT = 0x0330


def _stacks(path: Path, name: str | None = None) -> Iterator[tuple[Evaluator, DerivedObject, int]]:
    """Yield each Edit Poly: its stack and slot."""
    scene_file = maxsidecar.open(path)
    evaluator = Evaluator(scene_file.scene)
    for node in scene_file.nodes.values():
        if name is not None and node.name != name:
            continue
        stack = node.object
        while isinstance(stack, DerivedObject):
            for slot, found in enumerate(stack.modifiers):
                if isinstance(found, EditPoly):
                    yield evaluator, stack, slot
            stack = stack.stands_on


def _evaluation(path: Path, name: str) -> tuple[Evaluation, DerivedObject, int]:
    evaluator, stack, slot = next(_stacks(path, name))
    return evaluator.below(stack, slot - 1), stack, slot


def _polygons(mesh: Mesh) -> list[list[int]]:
    return [part.tolist() for part in np.split(mesh.corners, mesh.starts[1:-1])]


@pytest.mark.parametrize(
    ("file", "name", "tolerance"),
    [
        # Inset, extrude, delete.
        ("GameJam1/New__models__cubeframe.max", "Box001", 0.0),
        # Nothing.
        ("GameJam1/New__models__arena_pylon.max", "rotor2", 1e-5),
        # Detach, delete, attach, above a cylinder.
        ("3DSMax/3DSMax__Environment__Wire.max", "Wire", 2e-4),
    ],
)
def test_polygons_are_those_that_an_unwrap_above_stored(
    corpus: Path, file: str, name: str, tolerance: float
) -> None:
    """Unwrap UVW keeps the vertices, and which of them each polygon has, in their order."""
    found, stack, slot = _evaluation(corpus / "max" / file, name)
    mesh = found.mesh
    assert mesh is not None
    above = next(m for m in stack.modifiers[:slot] if isinstance(m, UnwrapUVW))
    context = stack.contexts[stack.modifiers.index(above)]
    local = local_container(context.container())
    assert local is not None
    snapshot = local.find(_SNAPSHOT)
    stored = above.read_map(context)
    assert snapshot is not None
    assert stored is not None
    points = Rows("vertices", "f", 3).decode(snapshot.data).array
    assert points.shape == mesh.positions.shape
    assert np.abs(points - mesh.positions).max() <= tolerance
    faces = stored[1]
    theirs = [part.tolist() for part in np.split(faces.vertices, np.cumsum(faces.degrees)[:-1])]
    assert _polygons(mesh) == theirs


def test_chamfers_are_those_of_the_export(corpus: Path) -> None:
    """Loops of edges with two and with four other edges at their vertices; index by index."""
    folder = corpus / "max" / "Turres-Monacorum"
    path, name = folder / "src__towers__rob_tower00.max", "tower01_top"
    found, stack, slot = _evaluation(path, name)
    assert slot == 1
    assert stack.modifiers[slot].index in found.applied  # type: ignore[union-attr]
    mesh = found.mesh
    assert mesh is not None
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find(name)
    world = object_offset(node) @ Pose(scene_file.scene, 0).world(node).reshape(4, 4)
    theirs = read_indexed(folder / "src__towers__rob_tower00.3DS")["tower01_to"]
    positions = mesh.positions @ world[:3, :3] + world[3, :3]
    assert positions.shape == theirs.positions.shape == (468, 3)
    assert np.abs(positions - theirs.positions).max() <= 3.1e-5
    assert np.array_equal(mesh.faces, theirs.faces)


def _rows(transform: ContextTransform) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    names = ("x_axis", "y_axis", "z_axis", "translation")
    rows = [[getattr(transform, f"{name}_{part}") for part in "xyz"] for name in names]
    return np.array(rows, np.float64)


def _box(context: ModifierContext) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
    box = context.box
    if box is None:
        return None
    return np.array([[box.min_x, box.min_y, box.min_z], [box.max_x, box.max_y, box.max_z]])


@pytest.fixture(scope="module")
def results(corpus_files: tuple[Path, ...]) -> list[tuple[Evaluation, DerivedObject, int]]:
    return [
        (evaluator.below(stack, slot - 1), stack, slot)
        for path in corpus_files
        for evaluator, stack, slot in _stacks(path)
    ]


def test_boxes_above_hold_the_result(
    results: list[tuple[Evaluation, DerivedObject, int]],
) -> None:
    """The box of a modifier is that of what the one below it gives."""
    compared = 0
    for found, stack, slot in results:
        modifier = stack.modifiers[slot]
        assert modifier is not None
        if slot == 0 or modifier.index not in found.applied or not found.complete:
            continue
        context = stack.contexts[slot - 1]
        box, mesh = _box(context), found.mesh
        assert mesh is not None
        if box is None or box[0, 0] > box[1, 0]:  # 1e30 to -1e30: not known
            continue
        matrix = np.eye(4)
        if context.transform is not None:
            matrix[:, :3] = _rows(context.transform)
        points = mesh.positions @ matrix[:3, :3] + matrix[3, :3]
        size = float((box[1] - box[0]).max())
        assert np.abs(np.stack([points.min(axis=0), points.max(axis=0)]) - box).max() <= 1e-6 * size
        compared += 1
    assert compared >= 8


def test_how_many_are_evaluated(results: list[tuple[Evaluation, DerivedObject, int]]) -> None:
    done = sum(stack.modifiers[slot].index in found.applied for found, stack, slot in results)  # type: ignore[union-attr]
    assert done >= 13


def test_multi_res_with_all_vertices_is_what_is_below(corpus: Path) -> None:
    """All 17 of the buggy are made for the mesh below them, and leave all of its vertices."""
    scene_file = maxsidecar.open(corpus / "max" / "OpenMBU" / "shapes__buggy__buggy.max")
    evaluator = Evaluator(scene_file.scene)
    done = 0
    for node in scene_file.nodes.values():
        stack = node.object
        if not isinstance(stack, DerivedObject):
            continue
        for found in stack.modifiers:
            key = None if found is None else found.class_id
            if key is not None and (key.a, key.b) == MULTI_RES:
                evaluation = evaluator.node(node)
                assert evaluation.complete, evaluation.skipped
                done += 1
    assert done == 17
