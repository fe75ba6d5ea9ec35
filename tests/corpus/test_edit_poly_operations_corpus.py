"""Operations of real scenes, against what the operations behind them stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import maxsidecar
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.polygons import to_polygons
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.modifiers.edit_poly_records import OPERATIONS, read_operations
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork
from maxsidecar.scene.modifiers.view_base import local_container

_MOVES = Rows("moves", "f", 3, counted=False)
_TRANSFORM, _STORED = 53, 0x12C4


def test_each_vertex_is_where_the_scaling_behind_it_found_it(corpus: Path) -> None:
    """Vertices, then edges (four old, four new ones), then 24 faces are extruded, then scaled.

    The moves of a scaling about a point are a number times the places: so they tell where each of
    the 103 vertices was.
    """
    path = corpus / "max" / "FroggerRevolution" / "01-Models__Strasse.max"
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find("Ebene001")
    stack = node.object
    assert isinstance(stack, DerivedObject)
    assert stack.stands_on is not None
    evaluator = Evaluator(scene_file.scene)
    below = evaluator.object(stack.stands_on).mesh
    local = local_container(stack.contexts[1].container())
    assert below is not None
    assert local is not None
    work = PolyWork.of(to_polygons(below))
    names, stored = [], None
    for op in read_operations(local):
        stored = None if op.data is None else op.data.find(_STORED)
        if op.number == _TRANSFORM and stored is not None:
            break
        OPERATIONS[op.number](work, op)
        names.append(op.name)
    assert names.count("extrude vertex") == names.count("extrude face") == 1
    assert names.count("extrude edge") == 2
    assert stored is not None
    moves: Any = _MOVES.decode(stored.data).array.astype(np.float64)
    assert moves.shape == work.positions.shape == (103, 3)
    places = work.positions.astype(np.float64)
    factor = np.ptp(moves[:, 0]) / -np.ptp(places[:, 0])
    found = moves / factor
    found += (places - found)[0]
    assert np.abs(found - places).max() <= 1e-7 * np.ptp(places)

    evaluation = evaluator.node(node)
    assert evaluation.complete
    # The box that the Mirror above keeps is that of the result.
    box = stack.contexts[0].box
    assert box is not None
    result = evaluator.below(stack, 0).mesh
    assert result is not None
    size = [box.max_x - box.min_x, box.max_y - box.min_y, box.max_z - box.min_z]
    assert np.abs(np.ptp(result.positions, axis=0) - size).max() <= 1e-6 * max(size)


def test_all_operations_on_joined_triangles_fit(corpus: Path) -> None:
    """A mesh of 2,064 triangles, three polygons with holes, eight vertices with two fans.

    Its 82 operations, of which 42 and 22 sides are extruded, count vertices and faces; so do the
    selections behind the last one.
    """
    path = corpus / "max" / "Proyecto-animacion" / "Modelos__Nave2_03_2016.max"
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find("spacecraft")
    stack = node.object
    assert isinstance(stack, DerivedObject)
    assert stack.stands_on is not None
    evaluator = Evaluator(scene_file.scene)
    below = evaluator.object(stack.stands_on).mesh
    assert below is not None
    assert (len(below.positions), below.polygon_count) == (1824, 2064)
    joined = to_polygons(below)
    assert joined.polygon_count == 117
    # The polygons that are extruded, by the numbers that their selections have.
    assert joined.degrees[[86, 104]].tolist() == [42, 22]
    found = evaluator.node(node)
    assert found.complete, found.skipped
    assert found.mesh is not None
    assert found.mesh.edges is not None
    counts = (len(found.mesh.positions), len(found.mesh.edges.vertices), found.mesh.polygon_count)
    assert counts == (1440, 1506, 179)


def test_places_are_those_that_turns_and_scalings_found(corpus: Path) -> None:
    """A partial MeshSmooth, deletions and bridges, and turns and scalings between and behind.

    The moves of a turn or a scaling are a linear map of the places: what is left over by the best
    one tells how far any of the 86, then 58 vertices is from where it should be.
    """
    path = corpus / "max" / "FroggerRevolution" / "01-Models__auto.max"
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find("Motorhaube Ausschachtung (Boolen)")
    stack = node.object
    assert isinstance(stack, DerivedObject)
    assert stack.stands_on is not None
    evaluator = Evaluator(scene_file.scene)
    below = evaluator.object(stack.stands_on).mesh
    local = local_container(stack.contexts[0].container())
    assert below is not None
    assert local is not None
    work = PolyWork.of(to_polygons(below))
    checked = []
    for op in read_operations(local):
        stored = None if op.data is None else op.data.find(_STORED)
        if op.number == _TRANSFORM and stored is not None:
            moves: Any = _MOVES.decode(stored.data).array.astype(np.float64)
            places = np.column_stack([work.positions.astype(np.float64), np.ones(len(moves))])
            if np.ptp(moves, axis=0).max() > 0.1 and np.all(np.abs(moves).max(axis=1) > 1e-4):
                found, *_ = np.linalg.lstsq(places, moves, rcond=None)
                assert np.abs(places @ found - moves).max() <= 5e-7 * np.ptp(places[:, :3])
                checked.append(len(moves))
        OPERATIONS[op.number](work, op)
    assert checked.count(86) >= 1
    assert checked.count(58) >= 4
    assert work.counts == (58, 106, 49)
    assert evaluator.node(node).complete


def test_a_crystal_of_487_operations_fits_throughout(corpus: Path) -> None:
    """Vertices put into edges, connected, welded and moved, and faces extruded: counts of all.

    Pairs that do not lie in one face would not be connected, and vertices that are not near would
    not be welded: every count behind them would be another.
    """
    path = corpus / "max" / "doggo" / "scenes__Crystals.max"
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find("Cone001")
    stack = node.object
    assert isinstance(stack, DerivedObject)
    local = local_container(stack.contexts[0].container())
    assert local is not None
    names = [op.name for op in read_operations(local)]
    assert len(names) == 487
    assert names.count("insert vertex in edge") == 13
    assert names.count("connect vertex") >= 50
    assert names.count("weld vertex") >= 15
    found = Evaluator(scene_file.scene).node(node)
    assert found.complete, found.skipped
    assert found.mesh is not None
    assert found.mesh.edges is not None
    counts = (len(found.mesh.positions), len(found.mesh.edges.vertices), found.mesh.polygon_count)
    assert counts == (156, 353, 199)
