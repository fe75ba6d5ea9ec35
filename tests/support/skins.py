"""Made scenes with Skin, Physique and Morpher on a small mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.modifiers.identity import MORPHER, PHYSIQUE, SKIN
from tests.support.blocks import old_block
from tests.support.scenes import References, SceneMaker, f32, u32
from tests.support.stacks import IDENTITY, Layer

Matrix = npt.NDArray[np.float64]
#: Bone number, influence.
Pull = tuple[int, float]


def i32(*values: int) -> bytes:
    return pack(f"<{len(values)}i", *values)


def place(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Matrix:
    """Return the matrix of a node that is moved, and not turned."""
    out = np.eye(4)
    out[3, :3] = x, y, z
    return out


def about_z(degrees: float, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Matrix:
    """Return the row-vector matrix of a turn about Z, then a move."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    out = place(x, y, z)
    out[:2, :2] = [[c, s], [-s, c]]
    return out


def matrix_chunks(matrix: Matrix | None = None) -> list[ChunkTree]:
    rows = IDENTITY if matrix is None else matrix[:, :3].reshape(-1)
    return [(0x03E8, f32(*rows)), (0x03F2, u32(0))]


def weight_bytes(lists: Sequence[Sequence[Pull]]) -> bytes:
    """Return the lists of a Skin as it stores them, with garbage where nothing is known."""
    out = b""
    for pulls in lists:
        out += i32(len(pulls), 2)
        for bone, influence in pulls:
            out += i32(bone) + f32(influence) + b"\xcd" * 36
    return out


def bone_bytes(nodes: Sequence[int]) -> bytes:
    """Return the bones of a Skin by reference slot, -1 for dead ones."""
    out = b""
    for slot in nodes:
        if slot < 0:
            out += i32(0) + pack("<H", 0x40) + i32(-1, -1, -1)
            continue
        sections = b"".join(f32(u) + i32(slot + 1, slot + 2) for u in (0.0, 1.0))
        out += i32(2) + sections + pack("<H", 2) + i32(slot, slot + 3, slot + 4)
    return out


def skin_layer(
    bones: Sequence[int | None],
    binds: Sequence[Matrix],
    lists: Sequence[Sequence[Pull]],
    *,
    mesh: Matrix | None = None,
    early: bool = False,
    chunks: Sequence[ChunkTree] = (),
    local: Sequence[ChunkTree] = (),
) -> Layer:
    """Return a Skin.

    Args:
        bones: Nodes of the bones; ``None`` for dead ones.
        binds: World matrices of the bones when bound.
        lists: Bone number and influence, for each vertex.
        mesh: Where the mesh was when it was bound.
        early: Whether it is stored as release 4 does: inverse matrices only.
        chunks: More chunks of the modifier.
        local: More chunks of the local data.
    """
    slots = [-1 if bone is None else number for number, bone in enumerate(bones)]
    own: list[ChunkTree] = [(0x0020, i32(len(bones)))]
    own += [(0x0025, matrix_chunks(np.array(np.linalg.inv(bind), float))) for bind in binds]
    if not early:
        own += [(0x0480, matrix_chunks(bind)) for bind in binds]
    own += [(0x0030, bone_bytes(slots)), *chunks]
    inner: list[ChunkTree] = [
        (0x0010, matrix_chunks(mesh)),
        (0x0040, i32(len(lists))),
        (0x0050 if early else 0x0490, weight_bytes(lists)),
        *local,
    ]
    return Layer(SKIN, own, list(bones), inner)


def link_bytes(links: Sequence[tuple[int, float]]) -> bytes:
    """Return the list of a vertex of a Physique: link numbers and weights."""
    return u32(len(links)) + b"".join(i32(n) + f32(0.5, 0.25, 90.0, w) for n, w in links)


def physique_layer(
    joints: Sequence[tuple[int | None, int, Matrix]],
    lists: Sequence[Sequence[tuple[int, float]]],
    *,
    mesh: Matrix | None = None,
    positions: Sequence[Sequence[float]] = (),
    node_matrices: bool = True,
) -> Layer:
    """Return a Physique.

    Args:
        joints: Node (``None`` for the copy of a joint), parent joint and world matrix of each.
        lists: Link number and weight, for each vertex.
        mesh: Where the mesh was when it was attached.
        positions: Of the vertices that came into it.
        node_matrices: Whether the joints' own turn is stored.
    """
    tree: list[ChunkTree] = []
    for node, parent, bind in joints:
        flag = 0x00010001 if node is not None else -65535
        inner: list[ChunkTree] = [
            (0x2500, i32(flag, parent, -1, -1, -1, 0, 0)),
            # Every joint has the turn of the root here, and its own only in the other chunk.
            (0x2501, [(0x3000, f32(*place(*bind[3, :3]).reshape(-1)))]),
        ]
        if node_matrices:
            inner.append((0x2513, [(0x3000, f32(*bind.reshape(-1)))]))
        tree.append((0x3204, [(0x3206, inner)]))
    own: list[ChunkTree] = [(0x2703, [(0x2704, [(0x3202, u32(0)), *tree])])]
    data: list[ChunkTree] = [
        (0x2501, u32(1, len(lists), 0)),
        (0x2502, matrix_chunks(mesh)),
        *((0x2506, [(0x0989, link_bytes(links))]) for links in lists),
        *((0x2807, i32(n) + f32(*row)) for n, row in enumerate(positions)),
    ]
    nodes = [node for node, _, _ in joints]
    return Layer(PHYSIQUE, own, nodes, [(0x2504, data)])


def morpher_layer(
    maker: SceneMaker,
    channels: Mapping[int, tuple[str, Sequence[Sequence[float]]]],
    percents: Mapping[int, float] | None = None,
    *,
    limits: tuple[bool, float, float] = (False, 0.0, 100.0),
    nodes: Mapping[int, int] | None = None,
    inactive: Sequence[int] = (),
    further: Mapping[int, int] | None = None,
) -> Layer:
    """Return a Morpher.

    Args:
        maker: Gets the parameter blocks.
        channels: Name and displacements for 100 % of each channel in use, by number.
        percents: Percent of each channel.
        limits: Whether they are limited, least and most.
        nodes: More references by slot: nodes of targets.
        inactive: Channels that are switched off.
        further: Numbers of further targets by channel.
    """
    references: dict[int, int] = {0: old_block(maker, [limits[0], limits[1], limits[2]])}
    own: list[ChunkTree] = [(0x0195, f32(8.0)), (0x0191, i32(100))]
    for number in range(100):
        percent = (percents or {}).get(number, 0.0)
        references[1 + number] = old_block(maker, [float(percent)])
        name, deltas = channels.get(number, ("- empty -", ()))
        used = number in channels
        rows = b"".join(f32(*(part / 100 for part in row)) for row in deltas)
        settings = i32(number not in inactive, used, 0, 0) + f32(0, 100) + i32(1)
        own.append(
            (
                0x0200 + number,
                [
                    (0x0101, i32(len(deltas))),
                    (0x0110, b""),
                    (0x0120, name.encode("utf-16-le")),
                    (0x0130, settings),
                    (0x0140, rows),
                    (0x0160, rows),
                    (0x0180, i32((further or {}).get(number, 0))),
                    (0x0182, f32(100.0)),
                    (0x0183, f32(0.5)),
                ],
            )
        )
    whole: References = {**references, **(nodes or {})}
    return Layer(MORPHER, own, whole)
