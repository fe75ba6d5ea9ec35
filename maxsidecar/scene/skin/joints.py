"""The joints of Skin and Physique: nodes, and the matrices they were bound with.

Facts: docs/format/skin.md, sections 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.physique_views import Physique, TreePlace
from maxsidecar.scene.skin.skin_views import MatrixChunk, Skin

__all__ = [
    "Joint",
    "Link",
    "matrix_of",
    "physique_joints",
    "physique_links",
    "physique_tree",
    "skin_joints",
]

F64: TypeAlias = npt.NDArray[np.float64]

#: Class of the objects that a biped shows its bones as; their stored inverse holds their size.
_BIPED_OBJECT: Final = (0x9125, 0)


@dataclass(slots=True, frozen=True, eq=False)
class Joint:
    """A node that moves vertices.

    Attributes:
        node: The node.
        bind: (4, 4) its world matrix when the mesh was bound.
        own: Whether that matrix was stored for this very node.
    """

    node: Node
    bind: F64
    own: bool = True


@dataclass(slots=True, frozen=True)
class Link:
    """A link of Physique, by the joints at its ends.

    Attributes:
        start: Number of the joint that it starts at.
        rigid: What moves vertices that keep their place to it; ``None`` where no node is known.
        curved: What moves vertices that bend along it.
    """

    start: int
    rigid: Joint | None
    curved: Joint | None


def matrix_of(chunk: MatrixChunk | None) -> F64 | None:
    """Return the matrix in a container, (4, 4); ``None`` where there is none.

    Raises:
        DecodeError: It is not stored as is known, or not finite.
    """
    rows = None if chunk is None else chunk.rows
    if chunk is None or rows is None:
        return None
    out = np.eye(4)
    out[:, :3] = np.array(rows.numbers).reshape(4, 3)
    if not np.isfinite(out).all():
        raise DecodeError("a matrix is not finite", chunk.where)
    return out


def skin_joints(skin: Skin) -> list[Joint | None]:
    """Return the joints of a Skin by bone number; ``None`` for dead bones.

    Raises:
        DecodeError: Bones or matrices are not stored as is known, or do not fit together.
    """
    bones = skin.bones
    if bones is None:
        raise DecodeError("the Skin has no list of bones", skin.where)
    binds = [matrix_of(chunk) for chunk in skin.bind]
    inverses = [] if binds else [matrix_of(chunk) for chunk in skin.inverse_bind]
    stored = binds or inverses
    count = len(bones.nodes)
    if len(stored) != count:
        raise DecodeError(
            "the Skin has not one matrix for each bone",
            skin.where,
            expected=count,
            found=len(stored),
        )
    slots = skin.references
    out: list[Joint | None] = []
    for slot, matrix in zip(bones.nodes.tolist(), stored, strict=True):
        index = slots.get(slot)
        node = None if index is None else skin.scene.nodes.get(index)
        if node is None or matrix is None:
            out.append(None)
            continue
        out.append(Joint(node, matrix if binds else _from_inverse(matrix, node)))
    return out


def _from_inverse(inverse: F64, node: Node) -> F64:
    """Return a node's matrix from the inverse that release 4 stores, with its size in it."""
    try:
        out = np.array(np.linalg.inv(inverse), np.float64)
    except np.linalg.LinAlgError:
        raise DecodeError("the matrix of a bone has no inverse", node.where) from None
    base = node.base_object
    class_id = None if base is None else base.class_id
    if class_id is not None and (class_id.a, class_id.b) == _BIPED_OBJECT:
        # A^-1 = diag(length, width, height) · B: rows of B have length 1.
        lengths = np.linalg.norm(out[:3, :3], axis=1, keepdims=True)
        out[:3, :3] /= np.where(lengths > 0, lengths, 1.0)
    return out


def physique_tree(physique: Physique) -> tuple[list[TreePlace | None], list[F64 | None]]:
    """Return place in the tree and bind matrix of each joint of a Physique.

    Raises:
        DecodeError: A matrix is not stored as is known, or not finite.
    """
    places: list[TreePlace | None] = []
    binds: list[F64 | None] = []
    for entry in physique.joints:
        joint = entry.joint
        places.append(None if joint is None else joint.place)
        # The place of release 1 has the turn of the node; later ones store the node besides.
        kept = None if joint is None else joint.node or joint.origin
        stored = None if kept is None else kept.rows
        if stored is None:
            binds.append(None)
            continue
        matrix = np.array(stored).reshape(4, 4)
        matrix[:, 3] = 0.0, 0.0, 0.0, 1.0
        if not np.isfinite(matrix).all():
            raise DecodeError("the matrix of a joint is not finite", entry.where)
        binds.append(matrix)
    return places, binds


def _nodes(physique: Physique, count: int) -> list[Node | None]:
    slots, nodes = physique.references, physique.scene.nodes
    return [nodes.get(slots[slot]) if slot in slots else None for slot in range(count)]


def physique_joints(physique: Physique) -> list[Joint | None]:
    """Return the joints of a Physique by number; ``None`` for copies at branches.

    Raises:
        DecodeError: The tree is not stored as is known.
    """
    _, binds = physique_tree(physique)
    return [
        None if node is None or bind is None else Joint(node, bind)
        for node, bind in zip(_nodes(physique, len(binds)), binds, strict=True)
    ]


def physique_links(physique: Physique) -> tuple[list[Link], Joint | None]:
    """Return the links of a Physique by number, and its root joint.

    Link k ends at joint k + 1 and is moved by the joint that it starts at: the parent of joint
    k + 1 in the tree.  Where that is the copy of a joint at a branch, which has no node of its
    own, the scene's parent of the node of joint k + 1 moves it.  The root moves links that end at
    such a copy, and what bends along a link that starts outside the tree.

    Raises:
        DecodeError: The tree is not stored as is known.
    """
    places, binds = physique_tree(physique)
    nodes = _nodes(physique, len(places))
    joints = physique_joints(physique)
    by_node = {joint.node.index: joint for joint in joints if joint is not None}
    root = _root(joints, binds)
    links: list[Link] = []
    for end in range(1, len(places)):
        place, node = places[end], nodes[end]
        start = -1 if place is None else place.parent
        if node is None or not 0 <= start < len(places):
            links.append(Link(start, root, root))
            continue
        joint = joints[start]
        if joint is not None:
            links.append(Link(start, joint, joint))
            continue
        parent, bind = node.parent, binds[start]
        known = None if parent is None else by_node.get(parent.index)
        if known is not None or parent is None or bind is None:
            links.append(Link(start, known or root, known or root))
        else:
            links.append(Link(start, Joint(parent, bind, own=False), root))
    return links, root


def _root(joints: list[Joint | None], binds: list[F64 | None]) -> Joint | None:
    """Return the joint of slot 0, else the scene's parent of the first node there is."""
    first = next((joint for joint in joints if joint is not None), None)
    if first is None or joints[0] is not None:
        return first
    parent, bind = first.node.parent, binds[0]
    return first if parent is None or bind is None else Joint(parent, bind, own=False)
