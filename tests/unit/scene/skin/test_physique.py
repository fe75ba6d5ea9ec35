"""Physique on bytes made by hand: the rules for what moves a vertex."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.binding import SkinBinding
from maxsidecar.scene.skin.bindings import input_positions, read_binding
from maxsidecar.scene.skin.deform import linear_skinning
from maxsidecar.scene.skin.physique_views import Physique
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.skins import Matrix, about_z, i32, physique_layer, place
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE

Link = tuple[int, float]


class Rig:
    """Pelvis with a spine and a hand; the spine has a head; ``out`` is above the tree."""

    def __init__(self) -> None:
        self.maker = maker = SceneMaker()
        self.out = maker.node("out", maker.transform())
        self.pelvis = maker.node("pelvis", maker.transform(), self.out)
        self.spine = maker.node("spine", maker.transform(), self.pelvis)
        self.head = maker.node("head", maker.transform(), self.spine)
        self.hand = maker.node("hand", maker.transform(), self.spine)
        self.prop = maker.node("prop", maker.transform(), self.out)
        #: Slot 3 is the copy of the spine that the hand hangs on, slot 5 one of the pelvis.
        self.joints: list[tuple[int | None, int, Matrix]] = [
            (self.pelvis, -1, place(0)),
            (self.spine, 0, place(1)),
            (self.head, 1, place(2)),
            (None, 1, place(1)),
            (self.hand, 3, place(4)),
            (None, 0, place(0)),
            (self.prop, 5, place(6)),
        ]

    def binding(self, lists: Sequence[Sequence[Link]]) -> SkinBinding:
        every = [*lists, *[[(-1, 1.0)]] * (5 - len(lists))]
        layer = physique_layer(self.joints, every, mesh=place(0, 3, 0), positions=SQUARE)
        found = self.read(layer)
        assert found is not None
        return found

    def read(self, layer: Layer) -> SkinBinding | None:
        self.layer = layer
        stack = Stack([layer], maker=self.maker)
        node = self.maker.node("mesh", self.maker.transform(), object_=stack.top)
        self.scene: Scene = self.maker.scene()
        return read_binding(self.scene.nodes[node])

    def pulls(self, links: Sequence[Link]) -> dict[str, float]:
        """Return the joints of a vertex with such links."""
        binding = self.binding([links])
        return {
            binding.joints[joint].name: round(float(weight), 6)
            for joint, weight in zip(
                binding.joint[: binding.starts[1]], binding.weight[: binding.starts[1]], strict=True
            )
        }


@pytest.mark.parametrize(
    ("link", "name"),
    [
        (0, "pelvis"),  # the root itself
        (-1, "pelvis"),  # link 0: pelvis to spine
        (1, "pelvis"),  # the same, bent
        (-2, "spine"),  # link 1: spine to head
        (2, "spine"),
        (-3, "pelvis"),  # link 2 ends at a copy: the root
        (-4, "spine"),  # link 3 starts at the copy: the scene's parent of the hand
        (4, "spine"),
        (-5, "pelvis"),  # link 4 ends at the other copy
        (-6, "out"),  # link 5 starts there, but the prop hangs outside the tree
        (6, "pelvis"),  # and what bends along it follows the root
        (99, "pelvis"),  # no such link
        (-99, "pelvis"),
    ],
)
def test_the_joint_that_a_link_starts_at_moves_it(link: int, name: str) -> None:
    assert Rig().pulls([(link, 0.5)]) == {name: 1.0}


def test_weights_are_shares_and_joints_add_up() -> None:
    assert Rig().pulls([(-1, 1.0), (2, 0.5), (-4, 0.5)]) == {"pelvis": 0.5, "spine": 0.5}
    assert Rig().pulls([(-2, 1.0), (0, 0.1)]) == {"spine": 0.909091, "pelvis": 0.090909}


def test_a_vertex_without_weights_follows_the_root() -> None:
    rig = Rig()
    binding = rig.binding([[], [(-2, 0.0)], [(-2, 1.0)]])
    assert binding.dense()[:3].tolist()[:2] == binding.dense()[[0, 0]].tolist()
    assert [binding.joints[j].name for j in binding.joint[:3]] == ["pelvis", "pelvis", "spine"]
    assert binding.loose == 0
    assert "2 vertices have no weights: they follow the root" in binding.notes


def test_the_root_of_a_tree_that_begins_with_a_copy() -> None:
    rig = Rig()
    rig.joints[0] = (None, -1, place(0))
    # The scene's parent of the first node there is.
    assert rig.pulls([(0, 1.0)]) == {"pelvis": 1.0}


def test_the_mesh_as_it_was_attached() -> None:
    rig = Rig()
    binding = rig.binding([[(-2, 1.0), (4, 0.5), (0, 0.3)]] * 5)
    world = linear_skinning(binding, SQUARE, binding.bind)
    assert world == pytest.approx(np.array(SQUARE) + np.array((0, 3, 0)))
    places = input_positions(binding.layer)
    assert places is not None
    assert places.tolist() == [list(map(float, row)) for row in SQUARE]


def test_how_far_the_curves_are_from_the_links_is_told() -> None:
    """All claim to be half along and 0.25 beside a link of length 1 that runs along X."""
    rig = Rig()
    binding = rig.binding([[(1, 1.0)]] * 5)
    (note,) = binding.notes
    assert note.startswith("100 % of the influences bend along splines, which are up to ")
    # At (x, y + 3, z) the place is x along and hypot(y + 3, z) beside.
    apart = [np.hypot(x - 0.5, np.hypot(y + 3, z) - 0.25) for x, y, z in SQUARE]
    size = np.linalg.norm((2, 1, 1))
    assert f"{100 * np.percentile(apart, 95) / size:.1f} % of the mesh's size" in note


def test_curves_of_joints_that_are_not_there_tell_nothing() -> None:
    rig = Rig()
    rig.joints[1] = (rig.spine, 64308, place(1))
    binding = rig.binding([[(1, 1.0)]] * 5)
    assert binding.notes == ("100 % of the influences bend along splines: written as linear",)
    assert {binding.joints[j].name for j in binding.joint} == {"pelvis"}


def test_positions_that_are_no_numbers() -> None:
    rig = Rig()
    layer = physique_layer(rig.joints, [[(1, 1.0)]] * 5)
    assert not isinstance(layer.local, bytes | None)
    ((outer, inner),) = layer.local
    assert not isinstance(inner, bytes)
    signalling = i32(0) + bytes.fromhex("0100a07f") * 3
    layer.local = [(outer, [*inner, *[(0x2807, signalling)] * 5])]
    binding = rig.read(layer)
    assert binding is not None
    places = input_positions(binding.layer)
    assert places is not None
    assert np.isnan(places).all()


def test_1997_stores_one_link_for_each_vertex() -> None:
    rig = Rig()
    links = [-1, -2, -4, 0, -2]
    layer = physique_layer(rig.joints, [], positions=())
    head = u32(5) + i32(0, 0, 0) + bytes(36)
    rows = b"".join(i32(link) + f32(*row) for link, row in zip(links, SQUARE, strict=True))
    data: list[ChunkTree] = [
        (0x2501, u32(1, 5)),
        (0x2502, [(0x03E8, f32(*place()[:, :3].reshape(-1))), (0x03F2, u32(0))]),
        *((0x2503, [(0x0988, i32(link) + f32(1, 2, 3))]) for link in links),
        (0x2505, head + rows),
    ]
    layer.local = [(0x2504, data)]
    binding = rig.read(layer)
    assert binding is not None
    names = [binding.joints[joint].name for joint in binding.joint]
    assert names == ["pelvis", "spine", "spine", "pelvis", "spine"]
    places = input_positions(binding.layer)
    assert places is not None
    assert places.tolist() == [list(map(float, row)) for row in SQUARE]


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        ((0x2506, [(0x0988, b"")]), "no list of links"),
        ((0x2506, [(0x0989, u32(2))]), "count of links"),
        ((0x2807, b"\0" * 8), "wrong size"),
    ],
)
def test_damaged_lists(chunk: ChunkTree, message: str) -> None:
    rig = Rig()
    layer = physique_layer(rig.joints, [[(1, 1.0)]], positions=SQUARE[:1])
    assert not isinstance(layer.local, bytes | None)
    ((outer, inner),) = layer.local
    assert not isinstance(inner, bytes)
    layer.local = [(outer, [*inner, chunk])]
    with pytest.raises(DecodeError, match=message):
        rig.read(layer)


def test_joints_are_bound_with_the_matrices_of_their_nodes() -> None:
    """Chunk 2513; that of the first releases, 2501, counts where it is alone."""
    rig = Rig()
    turned = about_z(70, 1, 2, 3)
    rig.joints[1] = (rig.spine, 0, turned)
    links = [[(-2, 1.0)]] * 5
    layer = physique_layer(rig.joints, links)
    found = rig.read(layer)
    assert found is not None
    spine = [joint.name for joint in found.joints].index("spine")
    assert found.bind[spine] == pytest.approx(turned, abs=1e-6)
    rig = Rig()
    rig.joints[1] = (rig.spine, 0, turned)
    layer = physique_layer(rig.joints, links, node_matrices=False)
    found = rig.read(layer)
    assert found is not None
    spine = [joint.name for joint in found.joints].index("spine")
    assert found.bind[spine] == pytest.approx(place(1, 2, 3), abs=1e-6)


def test_a_physique_that_cannot_be_read() -> None:
    rig = Rig()
    layer = physique_layer(rig.joints, [])
    layer.local = [(0x2505, b"")]
    with pytest.raises(DecodeError, match="keeps nothing on this mesh"):
        rig.read(layer)
    bad = place()
    bad[0, 0] = np.inf
    rig = Rig()
    rig.joints[1] = (rig.spine, 0, bad)
    with pytest.raises(DecodeError, match="not finite"):
        rig.binding([])


def test_every_chunk_is_typed() -> None:
    rig = Rig()
    rig.binding([[(1, 1.0), (-2, 0.5)]])
    physique = next(obj for obj in rig.scene if isinstance(obj, Physique))
    assert len(physique.joints) == len(rig.joints)
    errors: list[Exception] = []
    leaves = list(physique.typed_leaves())
    assert len(leaves) == 2 + 3 * len(rig.joints)
    check_leaves(iter(leaves), errors.append)
    derived = next(obj for obj in rig.scene if isinstance(obj, DerivedObject))
    names = [name for _, name, _ in derived.typed_leaves()]
    assert sum(".vertex" in name and name.endswith(".links") for name in names) == 5
    check_leaves(derived.typed_leaves(), errors.append)
    assert not errors
