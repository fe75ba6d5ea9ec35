"""Reading bindings: from a node's stack to :class:`~maxsidecar.scene.skin.binding.SkinBinding`.

Facts: docs/format/skin.md, sections 1 to 3.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.view_base import local_container
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.skin.arrays import LinkWeights
from maxsidecar.scene.skin.binding import SkinBinding, gather
from maxsidecar.scene.skin.codecs import LINKS
from maxsidecar.scene.skin.curves import spline_difference
from maxsidecar.scene.skin.joints import (
    Joint,
    matrix_of,
    physique_links,
    skin_joints,
)
from maxsidecar.scene.skin.physique_views import Physique, PhysiqueLocal
from maxsidecar.scene.skin.skin_views import Skin, SkinLocal
from maxsidecar.scene.skin.stacks import Layer, layers
from maxsidecar.scene.transform import object_offset

__all__ = ["input_positions", "read_binding", "skin_layers"]

F64: TypeAlias = npt.NDArray[np.float64]

_LINKS, _EARLY_LINK, _POSITION, _EARLY_POSITIONS = 0x2506, 0x2503, 0x2807, 0x2505
_LIST, _ONE = 0x0989, 0x0988
#: 1997: numbers in front of the positions of all vertices, and of each.
_EARLY_HEAD, _EARLY_ROW = 13, 4


def _deforms(obj: SceneObject) -> bool:
    return isinstance(obj, Skin | Physique)


def skin_layers(node: Node) -> list[Layer]:
    """Return the Skin and Physique modifiers of a node that are not off, from the top down.

    Raises:
        DecodeError: A stack cannot be read.
    """
    return [layer for layer in layers(node.object, _deforms) if not layer.off]


def read_binding(node: Node) -> SkinBinding | None:
    """Return how a node's mesh is bound; ``None`` where nothing binds it.

    It is what the topmost Skin or Physique says of the vertices that come into it.

    Raises:
        DecodeError: It is not stored as is known.
    """
    found = skin_layers(node)
    if not found:
        return None
    top = found[0]
    if isinstance(top.modifier, Skin):
        binding = _skin(node, top, top.modifier)
    elif isinstance(top.modifier, Physique):
        binding = _physique(node, top, top.modifier)
    else:
        return None
    if len(found) > 1:
        below = found[1].modifier.class_name
        binding.notes += (f"a second modifier below it, {below}, bends the mesh first: left out",)
    return binding


def _local(layer: Layer) -> Chunk:
    context = None if layer.context is None else layer.context.container()
    chunk = local_container(context)
    if chunk is None:
        raise DecodeError("the modifier keeps nothing on this object", layer.derived.where)
    return chunk


def _skin(node: Node, layer: Layer, skin: Skin) -> SkinBinding:
    chunk = _local(layer)
    local = SkinLocal(chunk.owner, chunk)
    lists = local.late_weights or local.early_weights
    mesh_bind = matrix_of(local.object_transform)
    if lists is None or mesh_bind is None:
        raise DecodeError("the Skin has no weights, or no place of the mesh", chunk.where)
    count = local.vertex_count
    if count is not None and count != len(lists.counts):
        raise DecodeError(
            "the Skin has not one list for each vertex",
            chunk.where,
            expected=count,
            found=len(lists.counts),
        )
    slots = skin_joints(skin)
    joints, number = _distinct(slots)
    bones = lists.bones.astype(np.int64)
    sound = (bones >= 0) & (bones < len(slots))
    entries = np.where(sound, number[np.clip(bones, 0, max(len(slots) - 1, 0))], -1)
    vertex = np.repeat(np.arange(len(lists.counts)), lists.counts)
    influence = lists.influences.astype(np.float64)
    notes: list[str] = []
    lost = int(np.count_nonzero((entries < 0) & (influence > 0)))
    if lost:
        notes.append(f"{lost} influences are of bones that are gone")
    dual = local.dual_quaternion_weights
    if dual is not None and any(dual):
        notes.append("some vertices follow dual quaternions, which are written as linear")
    home = local.node_index
    if home is not None and home >= 0 and home != node.index:
        notes.append("the Skin was bound to another node that shows the same object")
    keep = entries >= 0
    return _bound(
        node,
        SkinBinding(
            "Skin",
            layer,
            tuple(joint.node for joint in joints),
            _stack([joint.bind for joint in joints]),
            mesh_bind,
            np.zeros(len(lists.counts) + 1, np.int32),
            np.zeros(0, np.int32),
            np.zeros(0),
            notes=tuple(notes),
        ),
        vertex[keep],
        entries[keep],
        influence[keep],
    )


def _stack(matrices: list[F64]) -> F64:
    return np.stack(matrices) if matrices else np.zeros((0, 4, 4))


def _distinct(slots: list[Joint | None]) -> tuple[list[Joint], npt.NDArray[np.int64]]:
    """Return each joint once, and its number for each slot, -1 for none.

    A node in two slots is one joint where it was bound with the same matrix.
    """
    joints: list[Joint] = []
    numbers = np.full(max(len(slots), 1), -1, np.int64)
    known: dict[tuple[int, bytes], int] = {}
    for slot, joint in enumerate(slots):
        if joint is None:
            continue
        key = joint.node.index, joint.bind.tobytes()
        if key not in known:
            known[key] = len(joints)
            joints.append(joint)
        numbers[slot] = known[key]
    return joints, numbers


def _bound(
    node: Node, binding: SkinBinding, vertex: npt.ArrayLike, joint: npt.ArrayLike, weight: F64
) -> SkinBinding:
    """Fill in the entries; vertices without any stay with the mesh's own node."""
    count = binding.vertex_count
    starts, numbers, weights = gather(vertex, joint, weight, count, len(binding.joints))
    loose = np.nonzero(np.diff(starts) == 0)[0]
    binding.loose = len(loose)
    if len(loose):
        # v · mesh_bind · inverse(bind) · node is to be v · offset · node.
        try:
            bind = np.linalg.inv(object_offset(node)) @ binding.mesh_bind
        except np.linalg.LinAlgError:
            raise DecodeError("the object offset is flat", node.where) from None
        own = len(binding.joints)
        binding.joints += (node,)
        binding.bind = np.concatenate([binding.bind, bind[None]])
        binding.notes += (f"{len(loose)} vertices follow no joint: they stay with their node",)
        vertices = np.concatenate([np.repeat(np.arange(count), np.diff(starts)), loose])
        starts, numbers, weights = gather(
            vertices,
            np.concatenate([numbers, np.full(len(loose), own)]),
            np.concatenate([weights, np.ones(len(loose))]),
            count,
            own + 1,
        )
    binding.starts, binding.joint, binding.weight = starts, numbers, weights
    return binding


def _mesh_chunks(layer: Layer) -> tuple[Chunk, PhysiqueLocal]:
    chunk = _local(layer)
    local = PhysiqueLocal(chunk.owner, chunk)
    mesh = chunk.find(0x2504)
    if mesh is None or not mesh.container:
        raise DecodeError("the Physique keeps nothing on this mesh", chunk.where)
    return mesh, local


def _physique(node: Node, layer: Layer, physique: Physique) -> SkinBinding:
    chunk, local = _mesh_chunks(layer)
    mesh_bind = None if local.mesh is None else matrix_of(local.mesh.object_transform)
    if mesh_bind is None:
        raise DecodeError("the Physique has no place of the mesh", chunk.where)
    lists = _lists(chunk)
    numbers, weights, counts, straight = _entries(chunk, lists)
    links, root = physique_links(physique)
    slots = [*(link.rigid for link in links), *(link.curved for link in links), root]
    joints, of_slot = _distinct(slots)
    # Negative: link ~n, rigid; positive: link n - 1, along its curve; 0 the root itself.
    link = np.where(numbers < 0, ~numbers, numbers - 1)
    total, last = len(links), len(slots) - 1
    lost = int(np.count_nonzero(link >= total))
    entries = of_slot[np.where((link < 0) | (link >= total), last, link + total * (numbers > 0))]
    curved = int(np.count_nonzero(numbers > 0))
    notes = []
    if lost:
        notes.append(f"{lost} influences are of links that are not there: they follow the root")
    if curved:
        note = f"{100 * curved / len(numbers):.0f} % of the influences bend along splines"
        apart = spline_difference(lists, mesh_bind, physique, input_positions(layer))
        if apart is not None:
            note += f", which are up to {100 * apart:.1f} % of the mesh's size beside the links"
        notes.append(note + ": written as linear")
    vertex = np.repeat(np.arange(len(counts)), counts)
    values = np.ones(len(numbers)) if straight else weights.astype(np.float64)
    keep = entries >= 0
    vertex, entries, values = vertex[keep], entries[keep], values[keep]
    root_number = int(of_slot[last])
    if root_number >= 0:
        # A vertex without links goes with the root.
        pull = np.bincount(vertex, np.maximum(values, 0.0), len(counts))
        alone = np.nonzero(~(pull > 0))[0]
        if len(alone):
            notes.append(f"{len(alone)} vertices have no weights: they follow the root")
        vertex = np.concatenate([vertex, alone])
        entries = np.concatenate([entries, np.full(len(alone), root_number)])
        values = np.concatenate([values, np.ones(len(alone))])
    return _bound(
        node,
        SkinBinding(
            "Physique",
            layer,
            tuple(joint.node for joint in joints),
            _stack([joint.bind for joint in joints]),
            mesh_bind,
            np.zeros(len(counts) + 1, np.int32),
            np.zeros(0, np.int32),
            np.zeros(0),
            notes=tuple(notes),
        ),
        vertex,
        entries,
        values,
    )


def _lists(chunk: Chunk) -> list[LinkWeights]:
    """Return the lists of the vertices; none in 1997."""
    return [
        decode(_inner(child, _LIST), LINKS)
        for child in chunk.chunks()
        if child.id == _LINKS and child.container
    ]


def _entries(
    chunk: Chunk, lists: list[LinkWeights]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int64], bool]:
    """Return link number and weight of each entry, and the number of entries of each vertex."""
    if lists:
        words = np.concatenate([value.words for value in lists])
        counts = np.array([len(value.words) for value in lists], np.int64)
        numbers = np.ascontiguousarray(words[:, 0]).view("<i4").astype(np.int64)
        return numbers, np.ascontiguousarray(words[:, 4]).view("<f4"), counts, False
    early = [
        _inner(child, _ONE)
        for child in chunk.chunks()
        if child.id == _EARLY_LINK and child.container
    ]
    rows = [bytes(leaf.data) for leaf in early]
    if any(len(row) != 4 * _EARLY_ROW for row in rows):
        raise DecodeError("a link of a vertex has the wrong size", chunk.where, expected=16)
    words = np.frombuffer(b"".join(rows), "<i4").reshape(-1, _EARLY_ROW)
    ones = np.ones(len(words), np.int64)
    return words[:, 0].astype(np.int64), ones.astype(np.float32), ones, True


def _inner(chunk: Chunk, chunk_id: int) -> Chunk:
    leaf = chunk.find(chunk_id)
    if leaf is None or leaf.container:
        raise DecodeError("a vertex has no list of links", chunk.where)
    return leaf


def input_positions(layer: Layer) -> F64 | None:
    """Return where Physique last saw the vertices, (v, 3), in the mesh's space.

    ``None`` where it is not stored, as by Skin.

    Raises:
        DecodeError: It is not stored as is known.
    """
    if not isinstance(layer.modifier, Physique):
        return None
    chunk, _ = _mesh_chunks(layer)
    rows = [bytes(c.data) for c in chunk.chunks() if c.id == _POSITION and not c.container]
    if rows:
        if any(len(row) != 4 * _EARLY_ROW for row in rows):
            raise DecodeError("the position of a vertex has the wrong size", chunk.where)
        return _positions(np.frombuffer(b"".join(rows), "<f4"))
    early = chunk.find(_EARLY_POSITIONS)
    if early is None or early.container or len(early.data) % 4:
        return None
    words = np.frombuffer(bytes(early.data), "<f4")[_EARLY_HEAD:]
    if len(words) % _EARLY_ROW:
        raise DecodeError("positions of vertices have the wrong size", early.where)
    return _positions(words)


def _positions(words: npt.NDArray[np.float32]) -> F64:
    """Return the last three of each four numbers; the first one is an index."""
    with np.errstate(invalid="ignore"):
        return words.reshape(-1, _EARLY_ROW)[:, 1:].astype(np.float64)
