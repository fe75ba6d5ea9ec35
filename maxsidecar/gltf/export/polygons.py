"""What triangles cannot say of a mesh: polygons, smoothing groups, material ids, visible edges.

It is kept in the extras of the glTF mesh, so that the way back finds the polygons again; with
``_VERTEX``, an attribute of the vertices that numbers those of the scene's mesh, everything is
there to build it anew.  Arrays are one text each: the type of the numbers, a colon, and zlib's form
of them in base64; an array of all the same number is that number.

================== =================================================================================
``max_channels``   map channels of ``TEXCOORD_0``, ``TEXCOORD_1``, …
``max_vertices``   number of vertices of the scene's mesh
``max_corners``    number of corners of each polygon
``max_ids``        material id of each polygon
``max_primitives`` for each material id that is used, ascending, the number of its primitive; a
                   primitive holds its polygons in the scene's order
``max_smoothing``  smoothing groups of each polygon
``max_edges``      for each corner whether the edge to the next one is shown, eight to a byte from
                   the lowest bit up
``max_triangles``  for each corner of each triangle, in the scene's order, which corner of its
                   polygon it is
``max_polymesh``   whether 3ds Max keeps a polygon mesh
================== =================================================================================
"""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, shorten
from maxsidecar.gltf.export.channels import texture_channels

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["pack", "polygon_extras", "unpack"]

Array = npt.NDArray[Any]


def polygon_extras(mesh: Mesh, groups: list[int]) -> dict[str, Any]:
    """Return what the triangles of a mesh lack, as extras.

    Args:
        mesh: The mesh.
        groups: For each material id that is used, ascending, the number of its primitive.
    """
    starts = mesh.starts[:-1]
    of_polygon = mesh.triangles - starts[mesh.triangle_polygons][:, None]
    return {
        "max_vertices": len(mesh.positions),
        "max_channels": texture_channels(mesh),
        "max_corners": pack(mesh.degrees),
        "max_ids": pack(mesh.material_ids),
        "max_primitives": groups,
        "max_smoothing": pack(mesh.smoothing),
        "max_edges": pack(np.packbits(mesh.edge_visible, bitorder="little")),
        "max_triangles": pack(of_polygon.reshape(-1)),
        "max_polymesh": mesh.is_polygons,
    }


def pack(array: Array) -> str | int:
    """Return whole numbers as one text, or as one number if they are all the same.

    Numbers beyond 31 bits are always text, since programs read extras as signed ones.
    """
    flat = array.reshape(-1)
    if not flat.size:
        return "u1:"
    low, high = int(flat.min()), int(flat.max())
    if low == high and -(1 << 31) <= low < 1 << 31:
        return low
    kinds = ("u1", "u2", "u4") if low >= 0 else ("i1", "i2", "i4")
    kind = next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    data = np.ascontiguousarray(flat, f"<{kind}").tobytes()
    return f"{kind}:{base64.b64encode(zlib.compress(data)).decode('ascii')}"


def unpack(value: str | int, count: int) -> npt.NDArray[np.int64]:
    """Return the numbers of :func:`pack`.

    Args:
        value: What it returned.
        count: How many numbers there are to be.

    Raises:
        DecodeError: It is no such value, or holds another number of them.
    """
    if isinstance(value, int):
        return np.full(count, value, np.int64)
    kind, _, text = value.partition(":")
    if kind not in ("u1", "u2", "u4", "i1", "i2", "i4"):
        raise DecodeError("no packed numbers", found=shorten(value))
    size = count * int(kind[1])
    try:
        packed = base64.b64decode(text, validate=True)
        # A text of a few letters may unpack to gigabytes.
        data = zlib.decompressobj().decompress(packed, size + 1) if packed else b""
    except (ValueError, zlib.error) as error:
        raise DecodeError(f"packed numbers are damaged: {error}") from None
    if len(data) != size:
        raise DecodeError("wrong number of packed numbers", expected=count)
    return np.frombuffer(data, f"<{kind}").astype(np.int64)
