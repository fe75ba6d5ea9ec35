"""Unwrap UVW in place of a Map Extender: the arrays, and the chunks that hold them.

Layouts are those that all Unwrap UVW of real scenes have, see docs/format/map-extender.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_chunks import ChunkTree, Plugin
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.stored.write_common import bits_body, floats_body
from maxsidecar.scene.modifiers.map_extender_views import ExtenderMap
from maxsidecar.scene.modifiers.unwrap_records import UnwrapFaces, UnwrapVertices
from maxsidecar.scene.modifiers.unwrap_views import EARLY_FACES, EARLY_VERTICES, FACES, VERTICES
from maxsidecar.scene.modifiers.uvw_space import chosen_faces
from maxsidecar.scene.release import release_name

__all__ = ["Form", "UnwrapMap", "form_of", "local_chunks", "modifier_chunks", "plugin", "unwrap"]

#: ``early``: the map belongs to the modifier; ``late``: to each object that it modifies.
Form: TypeAlias = Literal["early", "late"]

#: Scene root ids of the releases 4 to 8, and of the first one with the late form, 2010.
_EARLY: Final = range(0x2006, 0x200C)
_LATE: Final = 0x2012

_FILE: Final = "uvwunwrap.dlm"
_PLUGINS: Final[dict[Form, Plugin]] = {
    "early": Plugin("Standard modifiers (Discreet)", _FILE),
    "late": Plugin("Standard Modifiers (Autodesk)", _FILE),
}

#: Flag of a map vertex that no face uses.
_UNUSED: Final = 1
#: Flags of a triangle: its first edge is hidden; the others follow.  Release 4 has none of them.
_HIDDEN_EDGE: Final = 0x100
_HIDDEN_EDGES_SINCE: Final = 0x200A

# Settings of the program that are the same in every Unwrap UVW of the form (8 and 10 modifiers), by
# the ids of their leaves.  `channel` is the map channel, `vertices` the mesh's in early files.
_SETTINGS: Final[dict[Form, str]] = {
    "early": """
    0140=0000803f 0170=00010000 0180=00010000 0250=00000000 0190=01000000 0200=00000000
    0210=ffffff00 0220=ff000000 channel 0290=ffffff00ff0000000ad7233c000000000000000000000000
    vertices 0340=01000000 0350=00000000 0370=01000000
    """,
    "late": """
    0140=0000803f 0250=00000000 0190=01000000 0200=01000000 0210=ffffff00 0220=ff000000 channel
    0300= 0340=01000000 0350=00000000 0370=01000000 0400=01000000 0410=0100000010000000
    0440=01000000 0450=010000000000003f 0470=0000704100000000 0480=0100000000000000 0500=00000000
    0510=00000000 0550=00ff000001000000 0560=000000000000000000000000 0570=ffff0000ff643200
    0580=04000000 0590=01000000 0600=00000000 0610=010000000000ff00 0630=01000000
    0640=0100000000000000 0650=0800000008000000 0660=02000000
    0670=cdcccc3d000000000000000096969600cdcccc3d00000000 0680=00000000 0690=00000000
    0700=0100000000000000 0710=00000000 0730=01000000 0740=01000000 0760=01000000 0780=5f000000
    0850=01000000 0891=00000000 0920=00000000
    """,
}


@dataclass(frozen=True, slots=True)
class UnwrapMap:
    """What Unwrap UVW stores of one object.

    Attributes:
        channel: Number of the map channel: 0 colour, from 1 texture coordinates.
        coordinates: (n, 3) float32: u, v, w of the map vertices.
        faces: The faces, as Unwrap UVW has them.
        positions: (v, 3) float32: the vertices of the mesh.
    """

    channel: int
    coordinates: npt.NDArray[np.float32]
    faces: UnwrapFaces
    positions: npt.NDArray[np.float32]

    def key(self) -> tuple[object, ...]:
        """Return what is equal where two objects may share an early modifier."""
        return self.channel, self.coordinates.tobytes(), self.faces, self.positions.tobytes()


def form_of(version: int, unproven: bool) -> Form:
    """Return where a release keeps the map.

    Args:
        version: The Scene root id.
        unproven: Take the early form where no file shows which one it is.

    Raises:
        EditError: No file shows it.
    """
    if version >= _LATE:
        return "late"
    if version in _EARLY or unproven:
        return "early"
    raise EditError(
        f"no scene of release {release_name(version)} shows how it stores Unwrap UVW",
        expected="4 to 8, 2010 or later; --unproven writes the form of 4 to 8",
        found=f"{version:04x}",
    )


def plugin(form: Form) -> Plugin:
    """Return the entry of the plug-in directory for Unwrap UVW."""
    return _PLUGINS[form]


def unwrap(found: ExtenderMap, mesh: Mesh, version: int) -> UnwrapMap:
    """Return the map as Unwrap UVW stores it.

    Args:
        found: The stored map, triangle by triangle.
        mesh: What the modifier gets: triangles stay, polygons are described as such.
        version: The Scene root id.

    Raises:
        EditError: The map was made for another mesh, cuts through a polygon, or changes faces
            that are not selected, which Unwrap UVW leaves alone.
    """
    count = len(mesh.triangles) if mesh.is_polygons else mesh.polygon_count
    if len(found.faces) != count:
        raise EditError(f"it was made for {len(found.faces)} faces, and there are {count}")
    used = found.faces.reshape(-1).astype(np.int64)
    if len(used) and int(used.max()) >= len(found.vertices):
        raise EditError(
            f"a corner of map vertex {int(used.max())}, and there are {len(found.vertices)}"
        )
    coordinates = np.ascontiguousarray(found.vertices, "<f4")
    if mesh.is_polygons:
        corners = _polygon_corners(used, coordinates, mesh)
    else:
        mesh = to_triangles(mesh)
        corners = used
    _check_selection(found.channel, coordinates, corners, mesh)
    faces = mesh.polygon_count
    flags = np.zeros(faces, "<u4")
    if not mesh.is_polygons and version >= _HIDDEN_EDGES_SINCE:
        for side in range(3):
            hidden = ~mesh.edge_visible.reshape(-1, 3)[:, side]
            flags |= np.where(hidden, _HIDDEN_EDGE << side, 0).astype("<u4")
    return UnwrapMap(
        found.channel,
        coordinates,
        UnwrapFaces(
            mesh.degrees.astype(np.int64),
            corners.astype("<u4"),
            np.arange(faces, dtype="<u4"),
            mesh.material_ids.astype("<u4"),
            flags,
            mesh.corners.astype("<u4"),
        ),
        np.ascontiguousarray(mesh.positions, "<f4"),
    )


def _polygon_corners(
    used: npt.NDArray[np.int64], coordinates: npt.NDArray[np.float32], mesh: Mesh
) -> npt.NDArray[np.int64]:
    """Return the map vertex of each corner of a polygon mesh."""
    corners = mesh.triangles.reshape(-1)
    result = np.full(len(mesh.corners), -1, np.int64)
    result[corners[::-1]] = used[::-1]  # the first triangle of a polygon decides
    if (result < 0).any():
        raise EditError("a polygon has corners that are in none of its triangles")
    bits = coordinates.view("<u4")
    if not np.array_equal(bits[result[corners]], bits[used]):
        raise EditError("the map cuts through polygons, and Unwrap UVW keeps them whole")
    return result


def _check_selection(
    channel: int,
    coordinates: npt.NDArray[np.float32],
    corners: npt.NDArray[np.int64],
    mesh: Mesh,
) -> None:
    """Refuse a map of faces that are not selected, but for one that is there already."""
    chosen = chosen_faces(mesh)
    if chosen is None or chosen.all():
        return
    spared = np.repeat(~chosen, mesh.degrees)
    old = mesh.maps.get(channel)
    if old is None or not np.array_equal(
        np.ascontiguousarray(old.vertices[old.corners[spared]], "<f4").view("<u4"),
        coordinates[corners[spared]].view("<u4"),
    ):
        raise EditError(
            f"{int((~chosen).sum())} of {len(chosen)} faces are not selected below it, "
            "and Unwrap UVW leaves such faces alone"
        )


def _edges(faces: UnwrapFaces, ends: npt.NDArray[np.uint32]) -> int:
    """Return how many edges there are, each counted once."""
    if not len(ends):
        return 0
    degrees = faces.degrees
    starts = np.cumsum(degrees) - degrees
    following = np.arange(1, len(ends) + 1)
    filled = degrees > 0
    following[(starts + degrees - 1)[filled]] = starts[filled]
    pairs = np.sort(np.column_stack([ends, ends[following]]).astype(np.uint64), axis=1)
    return len(np.unique((pairs[:, 0] << np.uint64(32)) | pairs[:, 1]))


def _vertices(found: UnwrapMap, *, early: bool) -> UnwrapVertices:
    vertices = UnwrapVertices.of(found.coordinates, early=early)
    vertices.flags[:] = _UNUSED
    vertices.flags[found.faces.corners] = 0
    return vertices


def _count(count: int) -> bytes:
    return count.to_bytes(4, "little")


def _bits(chunk_id: int, count: int, version: int) -> ChunkTree:
    """Return an empty selection."""
    return chunk_id, [(0x2700, bits_body(np.zeros(count, np.bool_), version))]


def modifier_chunks(
    form: Form, version: int, channel: int, found: UnwrapMap | None
) -> list[ChunkTree]:
    """Return the chunks of the modifier behind those that every modifier has.

    Args:
        form: Where the release keeps the map.
        version: The Scene root id.
        channel: Number of the map channel: 0 colour, from 1 texture coordinates.
        found: The map, which only early files keep here; ``None`` for none.
    """
    early = form == "early"
    chunks: list[ChunkTree] = []
    if early and found is not None:
        count = len(found.coordinates)
        chunks += [
            (0x0100, _count(count)),
            (0x0270, EARLY_VERTICES.encode(_vertices(found, early=True))),
            (0x0230, _count(len(found.faces.degrees))),
            (0x0310, EARLY_FACES.encode(found.faces)),
            _bits(0x0120, count, version),
        ]
    for word in _SETTINGS[form].split():
        if word == "channel":
            chunks.append((0x0260, _count({0: 1, 1: 0}.get(channel, channel))))
        elif word == "vertices":
            if found is not None:
                chunks.append((0x0320, _count(len(found.positions))))
                chunks.append((0x0330, found.positions.tobytes()))
        else:
            chunk_id, _, body = word.partition("=")
            chunks.append((int(chunk_id, 16), bytes.fromhex(body)))
    return chunks


def local_chunks(form: Form, version: int, found: UnwrapMap) -> list[ChunkTree]:
    """Return the local data of one object."""
    faces = found.faces
    count = len(faces.degrees)
    if form == "early":
        return [_bits(0x0210, count, version)]
    return [
        (0x0860, VERTICES.encode(_vertices(found, early=False))),
        (0x0870, FACES.encode(faces)),
        (0x0330, floats_body(found.positions)),
        _bits(0x0120, len(found.coordinates), version),
        _bits(0x0880, len(found.positions), version),
        _bits(0x0810, _edges(faces, faces.corners), version),
        _bits(0x0800, _edges(faces, faces.vertices), version),
        _bits(0x0820, count, version),
        (0x0770, b""),
        (0x0930, _count(count) + b"\xff" * (4 * count)),
    ]
