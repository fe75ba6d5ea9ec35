"""What writing triangle and polygon meshes has in common: checks, origins, bits."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, Where
from maxsidecar.scene.geometry.edit import Origins
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh

__all__ = [
    "bits_body",
    "check_mesh",
    "floats_body",
    "origins_pair",
    "remap",
    "same",
    "same_map",
    "same_normals",
]

Ints: TypeAlias = npt.NDArray[np.int64]

#: From this Scene root id on, bit arrays fill whole bytes; before, words of 32 bits.
BYTE_BITS: Final = 0x2017
_CHANNELS: Final = range(-2, 100)


def same(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    """Return whether two arrays are equal, not-a-number and signs of zero included."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def same_map(old: MapChannel | None, new: MapChannel | None) -> bool:
    """Return whether two map channels are equal."""
    if old is None or new is None:
        return old is new
    return same(old.vertices, new.vertices) and same(old.corners, new.corners)


def same_normals(old: Mesh, new: Mesh) -> bool:
    """Return whether two meshes have the same explicit normals."""
    a, b = old.normals, new.normals
    if a is None or b is None:
        return a is b
    return same(a.vectors, b.vectors) and same(a.corners, b.corners)


def _shape(what: str, array: Any, shape: tuple[int, ...], dtype: Any, where: Where) -> None:
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        raise EditError(
            f"{what} of the mesh do not fit",
            where,
            expected=f"{shape} {np.dtype(dtype).name}",
            found=f"{getattr(array, 'shape', None)} {getattr(array, 'dtype', None)}",
        )


def _range(what: str, numbers: npt.NDArray[Any], low: int, limit: int, where: Where) -> None:
    if len(numbers) and (int(numbers.min()) < low or int(numbers.max()) >= limit):
        raise EditError(
            f"{what} out of range",
            where,
            expected=f"{low} to {limit - 1}",
            found=f"{int(numbers.min())} to {int(numbers.max())}",
        )


def check_mesh(mesh: Mesh, where: Where) -> None:
    """Refuse a mesh whose arrays do not fit one another.

    Raises:
        EditError: One does not.
    """
    vertices, corners, polygons = len(mesh.positions), len(mesh.corners), mesh.polygon_count
    _shape("positions", mesh.positions, (vertices, 3), np.float32, where)
    _shape("corners", mesh.corners, (corners,), np.int32, where)
    _shape("starts", mesh.starts, (polygons + 1,), np.int32, where)
    _shape("material ids", mesh.material_ids, (polygons,), np.int32, where)
    _shape("smoothing groups", mesh.smoothing, (polygons,), np.uint32, where)
    _shape("edge visibility", mesh.edge_visible, (corners,), np.bool_, where)
    if polygons < 0 or int(mesh.starts[0]) != 0 or int(mesh.starts[-1]) != corners:
        raise EditError("the starts of the mesh do not span its corners", where)
    if np.any(np.diff(mesh.starts) < 0):
        raise EditError("the starts of the mesh go backwards", where)
    _range("a vertex", mesh.corners, 0, vertices, where)
    _range("a material id", mesh.material_ids, 0, 1 << 16, where)
    for channel, mapping in mesh.maps.items():
        if channel not in _CHANNELS:
            raise EditError("no such map channel", where, expected="-2 to 99", found=channel)
        _shape("map vertices", mapping.vertices, (len(mapping.vertices), 3), np.float32, where)
        _shape("map corners", mapping.corners, (corners,), np.int32, where)
        _range("a map vertex", mapping.corners, 0, len(mapping.vertices), where)
    if mesh.normals is not None:
        count = len(mesh.normals.vectors)
        _shape("normals", mesh.normals.vectors, (count, 3), np.float32, where)
        _shape("normals of corners", mesh.normals.corners, (corners,), np.int32, where)
        _range("a normal", mesh.normals.corners, -1, count, where)
    selection = mesh.selection
    for what, bits, count in (
        ("selected vertices", selection.vertices, vertices),
        ("selected polygons", selection.polygons, polygons),
        ("selected corners", selection.corners, corners),
    ):
        if bits is not None:
            _shape(what, bits, (count,), np.bool_, where)
    if selection.weights is not None:
        _shape("weights", selection.weights, (vertices,), np.float32, where)


def _origins_of(
    given: npt.NDArray[Any] | None, new: int, old: int, what: str, where: Where
) -> Ints:
    """Return for each new thing the number of the old one, -1 for none.

    Args:
        given: What the caller says; ``None``: the same where there are as many, else all are new.
        new: How many there are.
        old: How many there were.
        what: For the message.
        where: For the message.

    Raises:
        EditError: The caller's numbers do not fit.
    """
    if given is None:
        return np.arange(new) if new == old else np.full(new, -1)
    numbers = np.asarray(given)
    if numbers.shape != (new,) or numbers.dtype.kind not in "iu":
        raise EditError(f"origins of {what} do not fit", where, expected=f"({new},) integers")
    _range(f"an origin of {what}", numbers, -1, old, where)
    return numbers.astype(np.int64)


def origins_pair(
    origins: Origins | None, mesh: Mesh, vertices: int, polygons: int, where: Where
) -> tuple[Ints, Ints]:
    """Return the origins of vertices and of polygons, see :class:`~.edit.Origins`.

    Raises:
        EditError: They do not fit.
    """
    given = origins or Origins()
    return (
        _origins_of(given.vertices, len(mesh.positions), vertices, "vertices", where),
        _origins_of(given.polygons, mesh.polygon_count, polygons, "polygons", where),
    )


def remap(values: npt.NDArray[Any], origins: Ints, default: Any) -> npt.NDArray[Any]:
    """Return the values of old things for the new ones."""
    if not len(values):
        return np.full(len(origins), default, values.dtype)
    return np.where(origins >= 0, values[np.maximum(origins, 0)], values.dtype.type(default))


def bits_body(bits: npt.NDArray[np.bool_], version: int) -> bytes:
    """Return the body of a bit array as the release of a Scene root id writes it."""
    octets = np.packbits(bits, bitorder="little").tobytes()
    if version < BYTE_BITS:
        octets += bytes(-len(octets) % 4)
    return len(bits).to_bytes(4, "little") + octets


def floats_body(rows: npt.NDArray[Any]) -> bytes:
    """Return ``u32 count`` and the rows as 32-bit floats."""
    return len(rows).to_bytes(4, "little") + np.ascontiguousarray(rows, "<f4").tobytes()
