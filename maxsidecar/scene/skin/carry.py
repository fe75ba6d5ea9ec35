"""Weights and morph targets at the top of the stack, above modifiers that change the vertices.

Weights go up the stack as texture coordinates do, in map channels of their own whose faces are
those of the mesh: modifiers that divide, cut, mirror or weld treat both alike.  The positions go
up in one more such channel, and how much edges are longer there than in the mesh is the error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.skin.binding import SkinBinding
from maxsidecar.scene.skin.stacks import Layer, run_above

__all__ = ["carry_binding", "carry_positions", "input_mesh"]

F64: TypeAlias = npt.NDArray[np.float64]
I64: TypeAlias = npt.NDArray[np.int64]

#: Map channels of real meshes have numbers up to 99; these are far above them.
_FIRST_CHANNEL: Final = 1 << 20
#: Joints whose weights go up at once, three to a channel.
_JOINTS: Final = 96
#: Weights below this are left over from rounding.
_LEAST: Final = 1e-6
#: An error of lengths, over the size of the mesh, that is only rounding.
_ROUNDING: Final = 1e-4
#: Distances that are computed at once.
_BLOCK: Final = 1 << 22


def input_mesh(evaluator: Evaluator, layer: Layer, count: int) -> Mesh:
    """Return the mesh that comes into a modifier.

    Args:
        evaluator: Evaluates the modifiers below.
        layer: The modifier.
        count: Vertices that the modifier's data is for.

    Raises:
        DecodeError: It is no mesh, or has another number of vertices.
    """
    geometry = evaluator.below(layer.derived, layer.slot).geometry
    if not isinstance(geometry, Mesh):
        kind = "nothing" if geometry is None else f"a {type(geometry).__name__}"
        raise DecodeError("what comes into the modifier is no mesh", found=kind)
    if len(geometry.positions) != count:
        raise DecodeError(
            "the modifier's data is for another number of vertices",
            layer.modifier.where,
            expected=len(geometry.positions),
            found=count,
        )
    return geometry


def _same_faces(first: Mesh, second: Mesh) -> bool:
    return (
        first.positions.shape == second.positions.shape
        and np.array_equal(first.starts, second.starts)
        and np.array_equal(first.corners, second.corners)
    )


def carry_binding(
    binding: SkinBinding, evaluator: Evaluator, obj: SceneObject | None, top: Mesh
) -> SkinBinding:
    """Return the binding of the vertices of a mesh at the top of the stack.

    Args:
        binding: Of the vertices that come into the modifier.
        evaluator: Evaluates the modifiers below and above.
        obj: The object: the top of the stack.
        top: What the object looks like.

    Raises:
        DecodeError: What comes into the modifier is not what it was bound to, or the modifiers
            above do not make the mesh ``top`` again.
    """
    mesh = input_mesh(evaluator, binding.layer, binding.vertex_count)
    if _same_faces(mesh, top):
        return binding
    if not binding.vertex_count:
        raise DecodeError("nothing comes into the modifier, and modifiers above make a mesh")
    found = _Carried(binding, evaluator, obj, mesh, top)
    weights = [found.weights(first) for first in range(0, len(binding.joints), _JOINTS)]
    vertex = np.concatenate([part[0] for part in weights])
    joint = np.concatenate([part[1] for part in weights])
    weight = np.concatenate([part[2] for part in weights])
    out = binding.with_entries(vertex, joint, weight, len(top.positions))
    notes = list(binding.notes)
    empty = np.nonzero(out.counts == 0)[0]
    if len(empty):
        out = _from_nearest(out, empty, top, binding, mesh)
        notes.append(f"{len(empty)} vertices have the weights of the nearest vertex")
    if found.error > _ROUNDING:
        notes.append(
            "modifiers above change the vertices: weights are interpolated, with an error of "
            f"{100 * found.error:.2g} % of the size of the mesh where positions are so, too"
        )
    return replace(out, notes=tuple(notes))


@dataclass(slots=True, eq=False)
class _Carried:
    """Runs of the modifiers above with weights in map channels."""

    binding: SkinBinding
    evaluator: Evaluator
    obj: SceneObject | None
    mesh: Mesh
    top: Mesh
    error: float = 0.0

    def weights(self, first: int) -> tuple[I64, I64, F64]:
        """Return vertices, joints and weights of a block of joints."""
        binding = self.binding
        width = min(_JOINTS, len(binding.joints) - first)
        columns = -(-width // 3) * 3
        table = np.zeros((binding.vertex_count, columns + 3), np.float32)
        here = (binding.joint >= first) & (binding.joint < first + width)
        table[binding.vertex[here], binding.joint[here] - first] = binding.weight[here]
        table[:, columns:] = self.mesh.positions
        result = self._run(table)
        self._measure(result[:, columns:])
        values = result[:, :width]
        vertex, joint = np.nonzero(values > _LEAST)
        return vertex, joint + first, values[vertex, joint]

    def _run(self, table: npt.NDArray[np.float32]) -> F64:
        channels = {
            _FIRST_CHANNEL + number: MapChannel(
                np.ascontiguousarray(table[:, 3 * number : 3 * number + 3]), self.mesh.corners
            )
            for number in range(table.shape[1] // 3)
        }
        mesh = replace(self.mesh, maps={**self.mesh.maps, **channels})
        above = run_above(self.evaluator, self.obj, self.binding.layer, mesh)
        out = above.mesh
        if out is None or not _same_faces(out, self.top):
            raise DecodeError("the modifiers above do not give the same mesh again")
        count = len(out.positions)
        uses = np.maximum(np.bincount(out.corners, minlength=count), 1)
        result = np.full((count, table.shape[1]), np.nan)
        for number in channels:
            channel = out.maps.get(number)
            if channel is None:
                continue
            values = channel.vertices[channel.corners].astype(np.float64)
            column = 3 * (number - _FIRST_CHANNEL)
            for axis in range(3):
                sums = np.bincount(out.corners, values[:, axis], count)
                result[:, column + axis] = sums / uses
        result[np.bincount(out.corners, minlength=count) == 0] = np.nan
        return result

    def _measure(self, positions: F64) -> None:
        """Compare lengths of edges, since a modifier that mirrors the mesh does not mirror maps."""
        top = self.top
        ends = np.stack([top.corners, top.corners[top.next_corners]], axis=1)
        ends = ends[np.isfinite(positions[ends]).all(axis=(1, 2))]
        if not len(ends):
            return
        real = top.positions.astype(np.float64)
        size = float(np.linalg.norm(np.ptp(real, axis=0))) or 1.0
        first, second = (
            np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
            for places in (positions, real)
        )
        self.error = max(self.error, float(np.abs(first - second).max()) / size)


def _from_nearest(
    out: SkinBinding, empty: I64, top: Mesh, binding: SkinBinding, mesh: Mesh
) -> SkinBinding:
    """Fill empty lists with those of the nearest vertex that came into the modifier."""
    places = mesh.positions.astype(np.float64)
    wanted = top.positions[empty].astype(np.float64)
    nearest = np.zeros(len(empty), np.int64)
    step = max(_BLOCK // max(len(places), 1), 1)
    for first in range(0, len(empty), step):
        block = wanted[first : first + step, None, :] - places[None]
        nearest[first : first + step] = np.einsum("abi,abi->ab", block, block).argmin(axis=1)
    counts = binding.counts[nearest].astype(np.int64)
    starts = binding.starts[nearest].astype(np.int64)
    offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    entries = np.repeat(starts, counts) + offsets
    return out.with_entries(
        np.concatenate([out.vertex, np.repeat(empty, counts)]),
        np.concatenate([out.joint, binding.joint[entries]]),
        np.concatenate([out.weight, binding.weight[entries]]),
        out.vertex_count,
    )


def carry_positions(
    layer: Layer, evaluator: Evaluator, obj: SceneObject | None, mesh: Mesh, top: Mesh, places: F64
) -> F64:
    """Return where the vertices at the top of the stack are when a modifier moves its own.

    Args:
        layer: The modifier.
        evaluator: Evaluates the modifiers above.
        obj: The object: the top of the stack.
        mesh: What comes into the modifier.
        top: What the object looks like while the modifier moves nothing.
        places: (v, 3) where the modifier moves the vertices of ``mesh``.

    Returns:
        (n, 3) float64 for the vertices of ``top``; ``places`` itself where nothing is above.

    Raises:
        DecodeError: The moved mesh comes out with other vertices.
    """
    below = mesh.with_positions(places.astype(np.float32))
    moved = run_above(evaluator, obj, layer, below).mesh
    if moved is None or len(moved.positions) != len(top.positions):
        raise DecodeError("the modifiers above give other vertices when it moves its own")
    # Where nothing above touches them, nothing need be rounded.
    return places if moved is below else moved.positions.astype(np.float64)
