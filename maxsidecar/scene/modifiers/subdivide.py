"""TurboSmooth and MeshSmooth: subdivision surfaces (docs/format/modifiers-shape.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.catmull_clark import catmull_clark
from maxsidecar.scene.modifiers.spaces import check_corners
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["MESH_SMOOTH", "TURBO_SMOOTH", "mesh_smooth", "turbo_smooth"]

Bits: TypeAlias = npt.NDArray[np.bool_]

TURBO_SMOOTH: Final = (0x0D727B3E, 0x491D29A7)
MESH_SMOOTH: Final = (0x32, 0x7F9E)
_NURMS: Final = 2
#: Iterations are bounded by the corners of the result; this bounds those of an empty mesh.
_MOST_ITERATIONS: Final = 16


@dataclass(frozen=True, slots=True)
class _Rules:
    iterations: int
    by_material: bool
    by_smoothing: bool
    smooth_result: bool
    alternate: bool


@modifier(TURBO_SMOOTH)
def turbo_smooth(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Divide the polygons as often as the viewport does."""
    values = Values(call.obj, call)
    rules = _Rules(
        iterations=int(values.number("iterations", 1.0)),
        by_material=values.switch("separate_by_material"),
        by_smoothing=values.switch("separate_by_smoothing_groups"),
        smooth_result=values.switch("smooth_result", default=True),
        alternate=True,
    )
    return _subdivide(as_polygons(geometry, call), call, rules)


@modifier(MESH_SMOOTH)
def mesh_smooth(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Divide the polygons, where the method is NURMS."""
    values = Values(call.obj, call)
    method = int(values.number("subdivision_method", _NURMS))
    if method != _NURMS:
        raise NotSupportedError(f"only its method NURMS is known, and it has {method}")
    mesh = call.convert(geometry)
    if not values.switch("whole_mesh", default=True) and mesh.selection.level != "object":
        raise NotSupportedError("it works on a selection, which no file proves")
    if values.number("smoothness", 1.0) < 1.0:
        call.approximate("its smoothness is below 1 and taken as 1")
    if values.switch("old_style_mapping"):
        call.approximate("its mapping of old style is left out")
    _check_control_mesh(call)
    rules = _Rules(
        iterations=int(values.number("iterations", 0.0)),
        by_material=values.switch("separate_by_material"),
        by_smoothing=values.switch("separate_by_smoothing_groups"),
        smooth_result=values.switch("smooth_result", default=True),
        alternate=False,
    )
    if values.number("face_type", 1.0):
        mesh = as_polygons(geometry, call)
    elif not mesh.is_polygons:
        mesh = replace(mesh, is_polygons=True, edges=None)
    return _subdivide(mesh, call, rules)


def _check_control_mesh(call: ModifierCall) -> None:
    """Tell that vertices or edges of a control mesh were edited."""
    local = local_container(None if call.context is None else call.context.container())
    for chunk in () if local is None else local.chunks():
        # A count comes first.
        if not chunk.container and any(chunk.data[4:]):
            call.approximate("what was edited in its control mesh is left out")
            return


def _subdivide(mesh: Mesh, call: ModifierCall, rules: _Rules) -> Mesh:
    if not 0 <= rules.iterations <= _MOST_ITERATIONS:
        raise NotSupportedError(f"it has {rules.iterations} iterations")
    check_corners(len(mesh.corners) * 4**rules.iterations)
    hard = _hard_edges(mesh, call, rules)
    for _ in range(rules.iterations):
        mesh, hard = catmull_clark(mesh, hard, alternate=rules.alternate)
    if rules.smooth_result and rules.iterations:
        mesh = replace(mesh, smoothing=_smoothed(mesh, rules))
    return mesh if mesh.normals is None else replace(mesh, normals=None)


def _hard_edges(mesh: Mesh, call: ModifierCall, rules: _Rules) -> Bits:
    """Return which edges stay sharp, (e,): creases, and borders of what is kept separate."""
    edges = edge_list(mesh)
    hard = np.zeros(len(edges.vertices), np.bool_)
    crease = None if mesh.edges is None else mesh.edges.crease
    if crease is not None and np.any(crease > 0):
        if np.any((crease > 0) & (crease < 1)):
            call.approximate("edges with a crease between 0 and 1 are rounded to one of both")
        hard = crease >= 0.5
    one, other = edges.corners.T
    polygons = mesh.corner_polygons
    inner = np.nonzero((one >= 0) & (other >= 0))[0]
    left, right = polygons[one[inner]], polygons[other[inner]]
    if rules.by_smoothing:
        a, b = mesh.smoothing[left], mesh.smoothing[right]
        # Two polygons without any group are not kept apart.
        hard[inner] |= ((a & b) == 0) & (a != b)
    if rules.by_material:
        hard[inner] |= mesh.material_ids[left] != mesh.material_ids[right]
    return hard


def _smoothed(mesh: Mesh, rules: _Rules) -> npt.NDArray[np.uint32]:
    """Return smoothing groups, (p,): one for all, or for those without any when kept separate."""
    old = mesh.smoothing
    if not rules.by_smoothing:
        return np.ones_like(old)
    used = int(np.bitwise_or.reduce(old, initial=np.uint32(0)))
    free = next((bit for bit in range(32) if not used >> bit & 1), None)
    return old if free is None else np.where(old == 0, np.uint32(1 << free), old)
