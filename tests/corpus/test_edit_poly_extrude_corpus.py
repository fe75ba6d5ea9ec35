"""Extruded vertices and edges of real scenes, against what later operations stored."""

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
