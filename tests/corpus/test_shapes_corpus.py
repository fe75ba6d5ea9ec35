"""Shapes against an export of the same scene, and against boxes that modifiers keep of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.normals import triangle_normals
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.shapes.outlines import outlines
from maxsidecar.scene.geometry.shapes.shape_views import StoredShape
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.transform import Pose, object_offset
from tests.support.indexed_3ds import Indexed, read_indexed

SHAPE = 0x40


def shapes_of(scene_file: MaxFile) -> list[SceneObject]:
    return [obj for obj in scene_file.scene if obj.superclass == SHAPE]


TWINS = [
    ("src__towers__rob_tower01", "src__towers__rob_tower_01", "Line001"),
    ("src__towers__rob_tower01", "src__towers__rob_tower_01", "Line002"),
    ("src__environment__stones00", "src__environment__stones00", "Shape001"),
]


def twin(corpus: Path, scene: str, export: str, name: str) -> tuple[MaxFile, Indexed]:
    folder = corpus / "max" / "Turres-Monacorum"
    return maxsidecar.open(folder / f"{scene}.max"), read_indexed(folder / f"{export}.3DS")[name]


@pytest.mark.parametrize(("scene", "export", "name"), TWINS)
def test_triangles_are_those_of_the_export_corner_by_corner(
    corpus: Path, scene: str, export: str, name: str
) -> None:
    scene_file, theirs = twin(corpus, scene, export, name)
    (node,) = scene_file.nodes.find(name)
    found = node.evaluate_mesh()
    mesh = found.mesh
    assert mesh is not None
    assert found.complete
    world = object_offset(node) @ Pose(scene_file.scene, 0).world(node).reshape(4, 4)
    positions = mesh.positions @ world[:3, :3] + world[3, :3]
    # The export has places in the world, some hundreds of units away, as 32-bit floats.
    assert np.abs(positions[mesh.faces] - theirs.positions[theirs.faces]).max() < 6e-4
    channel = mesh.maps.get(1)
    if channel is not None:
        ours = channel.vertices[channel.corners[mesh.triangles]][..., :2]
        assert np.abs(ours - theirs.coordinates[theirs.faces]).max() < 1e-6


@pytest.mark.parametrize(("line", "share"), [("Line001", 0.96), ("Line002", 0.72)])
def test_groups_make_the_normals_of_the_export(corpus: Path, line: str, share: float) -> None:
    """Faces that touch at less than the angle share a group, at a vertex too, and others do not."""
    scene_file, theirs = twin(corpus, *TWINS[0][:2], line)
    mesh = scene_file.nodes.find(line)[0].evaluate_mesh().mesh
    assert mesh is not None
    exported = triangle_normals(replace(mesh, smoothing=theirs.smoothing))
    assert np.abs(triangle_normals(mesh) - exported).max() < 1e-6
    assert np.mean(mesh.smoothing == theirs.smoothing) > share


BOXES = [
    # Letters of three fonts' sizes, an arc, and the knots that an Edit Spline makes.
    ("3DSMax-Setup/CAT__Gizmos__Gizmos", "Text"),
    ("maxscript/animation__original 3ds2ae__3ds to AE 03", "Text01"),
    ("maxscript/dev__icons__options", "Donut01"),
    ("maxscript/dev__icons__options", "Rectangle01"),
]


@pytest.mark.parametrize(("scene", "name"), BOXES)
def test_the_lowest_modifier_keeps_the_box_of_its_shape(
    corpus: Path, scene: str, name: str
) -> None:
    scene_file = maxsidecar.open(corpus / "max" / f"{scene}.max")
    nodes = [n for n in scene_file.nodes.find(name) if isinstance(n.object, DerivedObject)]
    (node,) = nodes
    derived = node.object
    assert isinstance(derived, DerivedObject)
    while isinstance(derived.stands_on, DerivedObject):
        derived = derived.stands_on
    box = derived.contexts[-1].box
    below = derived.stands_on
    assert below is not None
    shape = Evaluator(scene_file.scene).object(below).geometry
    assert box is not None
    assert isinstance(shape, Shape)
    points = np.concatenate([spline.points for spline in shape.splines])
    low, high = points.min(axis=0), points.max(axis=0)
    assert low == pytest.approx([box.min_x, box.min_y, box.min_z], abs=1e-5)
    assert high == pytest.approx([box.max_x, box.max_y, box.max_z], abs=1e-5)


def test_each_modifier_of_a_stack_keeps_the_box_of_the_one_below(corpus: Path) -> None:
    """Rectangle, Edit Spline, Bevel, XForm; what is on top of them is of another plug-in."""
    scene_file = maxsidecar.open(corpus / "max" / "maxscript/dev__icons__options.max")
    (node,) = scene_file.nodes.find("Rectangle01")
    derived = node.object
    assert isinstance(derived, DerivedObject)
    found = node.evaluate_mesh()
    mesh = found.mesh
    box = derived.contexts[0].box
    assert mesh is not None
    assert box is not None
    assert [entry.class_name for entry in found.skipped if not entry.approximate] == ["Clone"]
    assert mesh.positions.min(axis=0) == pytest.approx([box.min_x, box.min_y, box.min_z], abs=1e-4)
    assert mesh.positions.max(axis=0) == pytest.approx([box.max_x, box.max_y, box.max_z], abs=1e-4)
    # The Edit Spline moved points of the rectangle, and nothing else: no reason tells otherwise.
    assert not [entry for entry in found.skipped if entry.class_name == "Edit Spline"]


def test_extruded_letters_are_closed_and_as_high_as_it_says(corpus: Path) -> None:
    count = 0
    for name in ("xyz", "xyz01", "xyz02"):
        path = corpus / "max" / f"maxscript/animation__original 3ds2ae__{name}.max"
        for node in maxsidecar.open(path).nodes.values():
            derived = node.object
            if not isinstance(derived, DerivedObject):
                continue
            (extrude,) = (m for m in derived.modifiers if m is not None)
            found = node.evaluate_mesh()
            mesh = found.mesh
            assert mesh is not None
            assert found.complete
            assert mesh.positions[:, 2].max() == extrude.parameters["amount"].value
            sides = np.stack([mesh.faces, np.roll(mesh.faces, -1, axis=1)], axis=2).reshape(-1, 2)
            there = {(int(a), int(b)) for a, b in sides}
            assert len(there) == len(sides)
            assert all((b, a) in there for a, b in there)
            count += 1
    assert count == 10


def test_every_spline_is_read_and_written_as_it_was(corpus_files: list[Path]) -> None:
    count = 0
    for path in corpus_files:
        try:
            scene_file = maxsidecar.open(path)
        except MaxSidecarError:
            continue  # text files that are named like scenes
        for obj in shapes_of(scene_file):
            if not isinstance(obj, StoredShape):
                continue
            shape = obj.read_shape()
            assert shape is not None
            assert not obj.write_shape(shape)
            shape.splines[0].points[0] += 1.0
            assert obj.write_shape(shape)
            assert obj.edited
            count += 1
    assert count == 8


def test_every_shape_but_one_class_is_evaluated(corpus_files: list[Path]) -> None:
    done, left = 0, set()
    for path in corpus_files:
        try:
            scene_file = maxsidecar.open(path)
        except MaxSidecarError:
            continue  # text files that are named like scenes
        evaluator = Evaluator(scene_file.scene)
        for obj in shapes_of(scene_file):
            geometry = evaluator.object(obj).geometry
            if not isinstance(geometry, Shape):
                left.add(obj.class_id)
                continue
            done += 1
            assert all(np.isfinite(line.points).all() for line in outlines(geometry))
    assert done == 36
    # CV Curve: NURBS.
    assert {(found.a, found.b) for found in left if found} == {(0x76A11646, 0x12A822FB)}
