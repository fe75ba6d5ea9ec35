"""Bones and hubs of a CAT rig: boxes, or a mesh of their own.

(Construction and chunks: the public samples of the 3ds Max SDK.  All 106 in the corpus are boxes
whose length runs along x; none has an export.)
"""

from __future__ import annotations

from struct import unpack_from
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.primitives.box import build_box
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["CAT_BONE", "CAT_HUB", "build_cat", "cat_bone", "cat_hub"]

CAT_BONE: Final = (0x2E6A0C09, 0x43D5C9C0)
CAT_HUB: Final = (0x73DC4833, 0x65C93CAA)

F32 = npt.NDArray[np.float32]

#: Chunks of the object: vertices and faces of its own mesh, and flags.
_VERTICES, _FACES, _FLAGS = 0x0008, 0x0010, 0x0020
_USES_MESH: Final = 1 << 1
_ALONG_X: Final = 1 << 3
#: Bytes of a face: three vertices, smoothing groups, flags with the material id above.
_FACE: Final = 20


@generator(CAT_BONE)
def cat_bone(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a CATBone."""
    values = Values(obj, call)
    extents = tuple(_scaled(values, name) for name in ("width", "depth", "length"))
    call.approximate("no file proves the order of its vertices")
    return _made(obj, extents, (0.0, 0.0, 0.0))


@generator(CAT_HUB)
def cat_hub(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a hub: its pivot may be anywhere in it."""
    values = Values(obj, call)
    extents = tuple(_scaled(values, name) for name in ("width", "length", "height"))
    pivot = (0.0, values.number("pivot_y", 0.0), values.number("pivot_z", 0.0) + 1.0)
    call.approximate("no file proves the order of its vertices")
    return _made(obj, extents, pivot)


def _scaled(values: Values, name: str) -> float:
    return float(np.float32(values.number(name)) * np.float32(values.number("cat_units", 1.0)))


def _made(obj: SceneObject, extents: tuple[float, ...], pivot: tuple[float, float, float]) -> Mesh:
    chunks = {chunk.id: bytes(chunk.data) for chunk in obj.data.chunks()}
    flags = chunks.get(_FLAGS, b"")
    bits = unpack_from("<I", flags)[0] if len(flags) >= 4 else 0
    own = None
    if bits & _USES_MESH:
        own = _own_mesh(chunks.get(_VERTICES, b""), chunks.get(_FACES, b""))
    return build_cat((extents[0], extents[1], extents[2]), pivot, bool(bits & _ALONG_X), own)


def build_cat(
    extents: tuple[float, float, float],
    pivot: tuple[float, float, float] = (0.0, 0.0, 0.0),
    along_x: bool = False,
    own: Mesh | None = None,
) -> Mesh:
    """Return a CAT object.

    Args:
        extents: Along x, y and z, before it is laid down.
        pivot: Where the pivot is along each of them: 0 for the lower end along z and for the
            middle along x and y, 1 half an extent further up.
        along_x: Whether it is laid down, so that z becomes x.
        own: A mesh of its own, in half widths and whole lengths.
    """
    half = np.array(extents, np.float32) * np.array([0.5, 0.5, 1.0], np.float32)
    if own is not None:
        positions = own.positions * half
        mesh = own
    else:
        mesh = build_box(extents, (1, 1, 1))
        shift = np.array(extents, np.float32) * np.array(pivot, np.float32) * np.float32(0.5)
        positions = mesh.positions - shift
    if along_x:
        positions = np.stack([positions[:, 2], positions[:, 1], -positions[:, 0]], axis=1)
    return mesh.with_positions(positions)


def _own_mesh(vertices: bytes, faces: bytes) -> Mesh:
    """Return the stored mesh.

    Raises:
        NotSupportedError: It is not stored as is known.
    """
    if len(vertices) % 12 or len(faces) % _FACE:
        raise NotSupportedError("its own mesh is stored in another way")
    check_triangles(len(faces) // _FACE)
    positions = np.frombuffer(vertices, "<f4").reshape(-1, 3)
    rows = np.frombuffer(faces, "<u4").reshape(-1, 5)
    if rows[:, :3].max(initial=0) >= max(len(positions), 1) or not np.isfinite(positions).all():
        raise NotSupportedError("its own mesh has faces without vertices")
    return Mesh.of_triangles(
        positions,
        rows[:, :3],
        smoothing=rows[:, 3],
        material_ids=rows[:, 4] >> 16,
        edge_flags=rows[:, 4] & 7,
    )
