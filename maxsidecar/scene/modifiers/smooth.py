"""Smooth: smoothing groups, given or by the angle between faces."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import cos
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.face_sets import components, face_normals, neighbours
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["SMOOTH", "auto_smooth", "smooth"]

Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]

SMOOTH: Final = (0xF8613, 0)
_GROUPS: Final = 32


@modifier(SMOOTH)
def smooth(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the smoothing groups of the selected faces, else of all."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    if values.switch("auto_smooth"):
        prevent = values.switch("prevent_indirect")
        groups, leaks = auto_smooth(mesh, values.number("threshold"), prevent=prevent)
        call.approximate("no file proves which group a set of faces gets")
        if leaks and prevent:
            call.approximate(f"{leaks} edges are smooth or sharp against their angle")
    else:
        bits = int(values.number("smoothing_bits")) & 0xFFFFFFFF
        groups = np.full(mesh.polygon_count, bits, np.uint32)
    chosen = chosen_faces(mesh)
    if chosen is not None:
        groups = np.where(chosen, groups, mesh.smoothing).astype(np.uint32)
    return replace(mesh, smoothing=groups)


def auto_smooth(mesh: Mesh, threshold: float, *, prevent: bool = False) -> tuple[U32, int]:
    """Return smoothing groups so that faces are smooth where they meet at a small angle.

    Args:
        mesh: The mesh.
        threshold: Largest angle between faces, in radians.
        prevent: Whether faces that meet at a larger angle must not be smooth over others.

    Returns:
        (p,) groups, and the number of edges whose faces share a group though they meet at a larger
        angle, or share none though they do not.
    """
    one, other = neighbours(mesh)
    faces = mesh.corner_polygons.astype(np.int64)
    a, b = faces[one], faces[other]
    normals = face_normals(mesh)
    near = np.einsum("ij,ij->i", normals[a], normals[b]) > cos(threshold)
    labels = components(mesh.polygon_count, a[near], b[near])
    shares = np.zeros(mesh.polygon_count, np.int64)
    if prevent:
        shares = _shares(mesh, labels, one[near], other[near])
    # Sets that meet at a vertex must not have the same group.
    pairs = np.unique(np.column_stack([mesh.corners.astype(np.int64), labels[faces]]), axis=0)
    groups = _colored(labels, shares, pairs)
    return groups, int(((groups[a] & groups[b] != 0) != near).sum())


def _shares(mesh: Mesh, labels: Ints, one: Ints, other: Ints) -> Ints:
    """Return which share of its set each face belongs to, from 1; 0 for all shares.

    Around a vertex the faces of a set may form several fans that no smooth edge joins there.
    Faces of different fans must be in different shares; all other faces are in every one.

    Args:
        mesh: The mesh.
        labels: (p,) set of each face.
        one: (n,) corners whose sides are smooth.
        other: (n,) the corner of the other face on the same edge.
    """
    following = mesh.next_corners.astype(np.int64)
    # Both ends of the edge: a side begins where the other one ends.
    fans = components(
        len(mesh.corners),
        np.concatenate([one, following[one]]),
        np.concatenate([following[other], other]),
    )
    faces = mesh.corner_polygons.astype(np.int64)
    vertices = mesh.corners.astype(np.int64)
    rows = np.unique(np.column_stack([vertices, labels[faces], fans]), axis=0)
    split = np.zeros(len(rows), np.bool_)
    same = (rows[1:, :2] == rows[:-1, :2]).all(axis=1)
    split[1:] |= same
    split[:-1] |= same
    shares = np.zeros(mesh.polygon_count, np.int64)
    if not split.any():
        return shares
    # Faces of one fan go together; so do those that a face joins.
    torn = np.isin(fans, rows[split, 2])
    units = components(
        len(mesh.corners) + mesh.polygon_count, fans[torn], faces[torn] + len(mesh.corners)
    )
    unit = units[len(mesh.corners) :]
    torn_faces = np.zeros(mesh.polygon_count, np.bool_)
    torn_faces[faces[torn]] = True
    chosen = _apart(rows[split], units, _beside(unit, torn_faces, faces[one], faces[other]))
    shares[torn_faces] = [min(chosen.get(int(n), 1), _GROUPS) for n in unit[torn_faces]]
    return shares


def _beside(unit: Ints, torn: npt.NDArray[np.bool_], a: Ints, b: Ints) -> dict[int, Counter[int]]:
    """Return for each unit those that it has smooth edges with, and how many."""
    out: dict[int, Counter[int]] = {}
    both = torn[a] & torn[b] & (unit[a] != unit[b])
    for one, other in zip(unit[a[both]].tolist(), unit[b[both]].tolist(), strict=True):
        out.setdefault(one, Counter())[other] += 1
        out.setdefault(other, Counter())[one] += 1
    return out


def _apart(rows: Ints, units: Ints, beside: dict[int, Counter[int]]) -> dict[int, int]:
    """Return shares of units, from 1, so that those that meet at a vertex have different ones.

    Args:
        rows: (n, 3) vertex, set and fan, sorted: the fans that must be apart.
        units: Unit of each fan.
        beside: Units that should have the same share, with weights.
    """
    rivals: dict[int, set[int]] = {}
    fresh = np.any(rows[1:, :2] != rows[:-1, :2], axis=1)
    for group in np.split(rows[:, 2], np.nonzero(fresh)[0] + 1):
        # More than there are groups cannot be kept apart.
        names = set(units[group[:_GROUPS]].tolist())
        for name in names:
            rivals.setdefault(name, set()).update(names - {name})
    chosen: dict[int, int] = {}
    # From one unit to those beside it, so that they can agree.
    waiting = sorted(rivals, reverse=True)
    while waiting:
        name = waiting.pop()
        if name in chosen:
            continue
        taken = {chosen[rival] for rival in rivals[name] if rival in chosen}
        wishes: Counter[int] = Counter()
        for friend, weight in beside.get(name, Counter()).items():
            if friend in chosen:
                wishes[chosen[friend]] += weight
            else:
                waiting.append(friend)
        wanted = [share for share, _ in wishes.most_common() if share not in taken]
        first = next(n for n in range(1, len(rivals) + 2) if n not in taken)
        chosen[name] = wanted[0] if wanted else first
    return chosen


def _colored(labels: Ints, shares: Ints, pairs: Ints) -> U32:
    """Give each share of each set the lowest group that no set has that it meets.

    Args:
        labels: (p,) set of each face.
        shares: (p,) share of each face, 0 for all.
        pairs: (n, 2) vertex and set, sorted.
    """
    sets = np.unique(labels)
    number = np.searchsorted(sets, pairs[:, 1])
    of_face = np.searchsorted(sets, labels)
    needed = np.ones(len(sets), np.int64)
    np.maximum.at(needed, of_face, shares)
    # Each vertex remembers the groups of the sets around it.
    around = np.zeros(int(pairs[:, 0].max()) + 1 if len(pairs) else 0, np.uint32)
    order = np.argsort(number, kind="stable")
    vertices, starts = pairs[order, 0], np.searchsorted(number[order], np.arange(len(sets) + 1))
    most = int(needed.max(initial=1))
    # Groups of each set: all of them, then those of each share.
    groups = np.zeros((len(sets), most + 1), np.uint32)
    for index in range(len(sets)):
        mine = vertices[starts[index] : starts[index + 1]]
        used = int(np.bitwise_or.reduce(around[mine])) if len(mine) else 0
        free = [n for n in range(_GROUPS) if not used >> n & 1]
        for share in range(1, int(needed[index]) + 1):
            bit = free[share - 1] if share <= len(free) else _GROUPS - 1
            groups[index, share] = 1 << bit
        groups[index, 0] = np.bitwise_or.reduce(groups[index, 1:])
        around[mine] |= groups[index, 0]
    return groups[of_face, shares]
