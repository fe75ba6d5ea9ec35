"""Where mapping modifiers work, and what they put into a map channel."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.animated import value_at
from maxsidecar.scene.controllers import Controller
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import ModifierCall, NotSupportedError
from maxsidecar.scene.transform import Pose

__all__ = ["chosen_faces", "context_matrix", "gizmo_matrix", "numbers_of", "put_coordinates"]

F64: TypeAlias = npt.NDArray[np.float64]
Bits: TypeAlias = npt.NDArray[np.bool_]


def context_matrix(call: ModifierCall) -> F64:
    """Return the (4, 4) row-vector matrix from the object to where the modifier works.

    Raises:
        DecodeError: It is not stored as is known.
    """
    matrix = np.eye(4)
    context = call.context
    chunk = None if context is None else context.container()
    if context is None or chunk is None or not chunk.container:
        return matrix
    stored = context.transform
    if stored is not None:
        numbers = list(stored.__dict__.values())[:12]
        matrix[:, :3] = np.array(numbers, np.float64).reshape(4, 3)
    return matrix


def gizmo_matrix(call: ModifierCall, slot: int = 0) -> F64:
    """Return the (4, 4) row-vector matrix of the controller in a reference slot."""
    controller = call.obj.reference(slot)
    if not isinstance(controller, Controller):
        return np.eye(4)
    if controller.reason is not None:
        call.approximate(f"its gizmo: {controller.reason}")
    pose = Pose(call.evaluator.scene, call.time)
    return np.array(pose.controller_matrix(controller).reshape(-1, 4, 4)[0])


def numbers_of(call: ModifierCall, *parameters: int) -> dict[int, float]:
    """Return the numbers in some parameters of a modifier; those that are not there are left out.

    Raises:
        DecodeError: A parameter or its controller cannot be read.
    """
    found: dict[int, float] = {}
    for block in call.obj.param_blocks:
        for number in parameters:
            parameter = block.get(number)
            value = None if parameter is None else value_at(parameter, call.time)
            if isinstance(value, int | float) and isfinite(value):
                found[number] = float(value)
    return found


def chosen_faces(mesh: Mesh) -> Bits | None:
    """Return which polygons a modifier works on: those that are selected; ``None`` for all."""
    selection = mesh.selection
    if selection.level != "face":
        return None
    if selection.polygons is None:
        return np.zeros(mesh.polygon_count, np.bool_)
    return selection.polygons


def put_coordinates(
    mesh: Mesh, channel: int, coordinates: npt.NDArray[Any], corners: npt.NDArray[Any]
) -> Mesh:
    """Return the mesh with new coordinates, on the selected faces when some are selected.

    Args:
        mesh: The mesh.
        channel: Number of the map channel.
        coordinates: (m, 3) map vertices.
        corners: (c,) index into them for each corner of the mesh.

    Raises:
        NotSupportedError: Coordinates are no finite numbers.
    """
    with np.errstate(over="ignore"):
        vertices = np.ascontiguousarray(coordinates, np.float32)
    if not np.isfinite(vertices).all():
        raise NotSupportedError("coordinates that are no finite numbers")
    new = MapChannel(vertices, np.ascontiguousarray(corners, np.int32))
    chosen = chosen_faces(mesh)
    if chosen is not None:
        old = mesh.maps.get(channel)
        if old is None or not len(old.vertices):
            old = MapChannel(np.zeros((1, 3), np.float32), np.zeros(len(mesh.corners), np.int32))
        here = np.repeat(chosen, mesh.degrees)
        both = np.concatenate([old.vertices, new.vertices])
        mixed = np.where(here, new.corners + len(old.vertices), old.corners)
        new = MapChannel(both, mixed.astype(np.int32))
    return replace(mesh, maps={**mesh.maps, channel: new})
