"""From Skin modifiers made by hand to bindings, and what linear skinning makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.geometry.mesh import ExplicitNormals, Mesh
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.binding import SkinBinding, gather, limited
from maxsidecar.scene.skin.bindings import input_positions, read_binding
from maxsidecar.scene.skin.deform import deform_mesh, joint_matrices, linear_skinning
from maxsidecar.scene.transform import Pose
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.skins import about_z, i32, place, skin_layer
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE

BONE = (0x9125, 0, 0x10)
ONE = [[(0, 1.0)]] * 5


def scene_with(
    layers: Sequence[Layer], maker: SceneMaker, offset: Sequence[float] = ()
) -> tuple[Scene, int]:
    """Return the scene and its mesh's node."""
    stack = Stack(layers, maker=maker)
    chunks = [(0x096A, f32(*offset))] if offset else []
    node = maker.node("mesh", maker.transform((0, 0, 5)), object_=stack.top, chunks=chunks)
    return maker.scene(), node


def bound(layers: Sequence[Layer], maker: SceneMaker, offset: Sequence[float] = ()) -> SkinBinding:
    scene, node = scene_with(layers, maker, offset)
    found = read_binding(scene.nodes[node])
    assert found is not None
    return found


def test_weights_are_shares_of_the_sum_over_all_that_is_stored() -> None:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "ab"]
    lists = [[(1, 3.0), (0, 1.0)], [(0, 0.5)], [(0, 0.0), (1, 0.2)], [(1, 2.0), (0, 2.0)], ONE[0]]
    binding = bound([skin_layer(bones, [place(1), place(2)], lists)], maker)
    assert [joint.name for joint in binding.joints] == ["a", "b"]
    assert binding.bind[1].tolist() == place(2).tolist()
    expected = [[0.25, 0.75], [1, 0], [0, 1], [0.5, 0.5], [1, 0]]
    assert binding.dense() == pytest.approx(np.array(expected))
    # An influence of nothing is no entry.
    assert binding.counts.tolist() == [2, 1, 1, 2, 1]
    assert (binding.loose, binding.notes) == (0, ())


def test_vertices_name_bones_with_the_dead_ones_counted() -> None:
    maker = SceneMaker()
    bones = [maker.node("a", maker.transform()), None, maker.node("c", maker.transform())]
    lists = [[(2, 1.0)], [(0, 1.0), (1, 5.0)], *ONE[:3]]
    layer = skin_layer(bones, [place(1), place(), place(3)], lists)
    binding = bound([layer], maker)
    assert [joint.name for joint in binding.joints] == ["a", "c"]
    assert binding.dense()[:2].tolist() == [[0, 1], [1, 0]]
    assert binding.notes == ("1 influences are of bones that are gone",)


def test_a_vertex_without_bones_stays_with_its_node() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform((7, 0, 0)))
    lists = [[], [(0, 0.0)], *ONE[:3]]
    layer = skin_layer([bone], [place(4)], lists, mesh=place(0, 9, 0))
    scene, node = scene_with([layer], maker, offset=(0, 0, 1))
    binding = read_binding(scene.nodes[node])
    assert binding is not None
    assert binding.loose == 2
    assert [joint.name for joint in binding.joints] == ["bone", "mesh"]
    assert binding.dense()[:3].tolist() == [[0, 1], [0, 1], [1, 0]]
    world = linear_skinning(binding, SQUARE, joint_matrices(binding, Pose(scene, 0)))
    # Those two are where the node is now, the others where the bone took them: 3 along X.
    assert world[0] == pytest.approx((0, 0, 6))
    assert world[1] == pytest.approx((1, 0, 6))
    assert world[2] == pytest.approx((1 + 3, 1 + 9, 0))


def test_joints_that_stand_as_bound_give_the_mesh_as_bound() -> None:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "ab"]
    binds = [about_z(30, 1, 2, 3), about_z(-75, -4, 0, 2)]
    lists = [[(0, 0.3), (1, 0.7)]] * 5
    binding = bound([skin_layer(bones, binds, lists, mesh=place(10, 0, 0))], maker)
    world = linear_skinning(binding, SQUARE, binding.bind)
    assert world == pytest.approx(np.array(SQUARE) + np.array((10, 0, 0)))


def test_each_bone_takes_its_share() -> None:
    """A quarter turn about a bone at (1, 0, 0), and one that stands still."""
    maker = SceneMaker()
    turned = maker.node("turned", maker.transform((1, 0, 0), (0, 0, np.pi / 2)))
    still = maker.node("still", maker.transform())
    lists = [[(0, 1.0)], [(1, 1.0)], [(0, 0.5), (1, 0.5)], *[[(1, 1.0)]] * 2]
    layer = skin_layer([turned, still], [place(1), place()], lists)
    scene, node = scene_with([layer], maker)
    binding = read_binding(scene.nodes[node])
    assert binding is not None
    world = linear_skinning(binding, SQUARE, joint_matrices(binding, Pose(scene, 0)))
    assert world[0] == pytest.approx((1, -1, 0))
    assert world[1] == pytest.approx((1, 0, 0))
    # (1, 1, 0) is one above the bone, goes to (0, 0, 0); half of the way is written.
    assert world[2] == pytest.approx((0.5, 0.5, 0))
    with pytest.raises(ValueError, match="positions expected"):
        linear_skinning(binding, SQUARE[:4], binding.bind)


def test_explicit_normals_go_along() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform((0, 0, 0), (0, 0, np.pi / 2)))
    scene, node = scene_with([skin_layer([bone], [place()], [[(0, 1.0)]] * 3)], maker)
    binding = read_binding(scene.nodes[node])
    assert binding is not None
    mesh = Mesh.of_triangles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    vectors = np.array([(1, 0, 0), (0, 0, 1)], np.float32)
    mesh.normals = ExplicitNormals(vectors, np.array([0, -1, 1], np.int32))
    world = joint_matrices(binding, Pose(scene, 0))
    bent = deform_mesh(binding, mesh, world, place(0, 0, 2))
    assert bent.positions == pytest.approx(np.array([(0, 0, 2), (0, 1, 2), (-1, 0, 2)]), abs=1e-6)
    assert bent.normals is not None
    assert bent.normals.corners.tolist() == [0, -1, 1]
    assert bent.normals.vectors == pytest.approx(np.array([(0, 1, 0), (0, 0, 1)]), abs=1e-6)


@pytest.mark.parametrize("biped", [False, True])
def test_release_4_stores_inverses_that_hold_the_size_of_biped_parts(biped: bool) -> None:
    maker = SceneMaker()
    base = maker.add(BONE) if biped else None
    bone = maker.node("bone", maker.transform(), object_=base)
    sized = about_z(40, 1, 2, 3)
    sized[:3] *= np.array([[2.0], [3.0], [4.0]])
    binding = bound([skin_layer([bone], [sized], ONE, early=True)], maker)
    expected = about_z(40, 1, 2, 3) if biped else sized
    assert binding.bind[0] == pytest.approx(expected, abs=1e-5)


def test_a_node_in_two_slots_is_one_joint_where_it_was_bound_once() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    lists = [[(0, 0.5), (1, 0.25), (2, 0.25)]] * 5
    layer = skin_layer([bone, bone, bone], [place(1), place(1), place(2)], lists)
    binding = bound([layer], maker)
    assert [joint.name for joint in binding.joints] == ["bone", "bone"]
    assert binding.dense()[0] == pytest.approx((0.75, 0.25))


def test_what_is_not_as_in_3ds_max_is_noted() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    more = [(0x0510, i32(bone)), (0x0560, f32(0, 0, 0.5, 0, 0))]
    below = skin_layer([bone], [place()], ONE)
    above = skin_layer([bone], [place()], ONE, local=more)
    binding = bound([above, below], maker)
    assert [note.split(",")[0] for note in binding.notes] == [
        "some vertices follow dual quaternions",
        "the Skin was bound to another node that shows the same object",
        "a second modifier below it",
    ]


def test_nothing_binds_a_plain_mesh_or_one_whose_skin_is_off() -> None:
    maker = SceneMaker()
    scene, node = scene_with([], maker)
    assert read_binding(scene.nodes[node]) is None
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    off = skin_layer([bone], [place()], ONE, chunks=[(0x39BF, [(0x0100, b""), (0x0110, b"")])])
    scene, node = scene_with([off], maker)
    assert read_binding(scene.nodes[node]) is None


def broken_layers() -> list[tuple[str, Layer, str]]:
    def without(layer: Layer, chunk_id: int, *, local: bool = False) -> Layer:
        chunks = layer.local if local else layer.chunks
        assert not isinstance(chunks, bytes | None)
        kept = [chunk for chunk in chunks if chunk[0] != chunk_id]
        if local:
            layer.local = kept
        else:
            layer.chunks = kept
        return layer

    def layer() -> Layer:
        return skin_layer([1], [place()], ONE)

    nan = place()
    nan[3, 0] = np.nan
    empty = layer()
    empty.local = None
    flat = skin_layer([1], [place()], ONE, early=True)
    nothing = [(0x03E8, bytes(48)), (0x03F2, u32(0))]
    flat.chunks = [(0x0025, nothing) if c[0] == 0x0025 else c for c in flat.chunks]
    counted = layer()
    assert not isinstance(counted.local, bytes | None)
    counted.local = [(0x0040, i32(6)) if c[0] == 0x0040 else c for c in counted.local]
    return [
        ("no bones", without(layer(), 0x0030), "no list of bones"),
        ("no matrices", without(without(layer(), 0x0480), 0x0025), "one matrix for each bone"),
        ("no weights", without(layer(), 0x0490, local=True), "no weights"),
        ("no place", without(layer(), 0x0010, local=True), "no weights, or no place"),
        ("no data", empty, "keeps nothing on this object"),
        ("another count", counted, "one list for each vertex"),
        ("no number", skin_layer([1], [nan], ONE), "not finite"),
        ("flat", flat, "has no inverse"),
    ]


@pytest.mark.parametrize(
    ("layer", "message"),
    [case[1:] for case in broken_layers()],
    ids=[c[0] for c in broken_layers()],
)
def test_a_skin_that_cannot_be_read(layer: Layer, message: str) -> None:
    maker = SceneMaker()
    layer.references = [maker.node("bone", maker.transform())]
    scene, node = scene_with([layer], maker)
    with pytest.raises(DecodeError, match=message):
        read_binding(scene.nodes[node])


def test_every_chunk_is_typed() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    stack = Stack([skin_layer([bone], [place()], ONE)], maker=maker)
    errors: list[Exception] = []
    skin, derived = stack.scene[stack.modifiers[0]], stack.derived
    assert check_leaves(skin.typed_leaves(), errors.append)[0] == 7  # references, 0020, 0030, 2 × 2
    names = {name for _, name, _ in derived.typed_leaves()}
    assert "contexts[0].local.weights" in names
    check_leaves(derived.typed_leaves(), errors.append)
    assert not errors


def test_shares_sum_to_one_and_add_up() -> None:
    starts, joint, weight = gather(
        [1, 0, 1, 1, 2, 2], [3, 0, 3, 1, 2, 2], [1, 2, 1, 2, 0, np.nan], 4, 4
    )
    assert starts.tolist() == [0, 1, 3, 3, 3]
    assert joint.tolist() == [0, 1, 3]
    assert weight.tolist() == [1, 0.5, 0.5]


def test_the_strongest_joints_stay() -> None:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "abc"]
    lists = [[(0, 0.2), (1, 0.5), (2, 0.3)], *[[(2, 1.0)]] * 4]
    binding = bound([skin_layer(bones, [place()] * 3, lists)], maker)
    two = limited(binding, 2)
    assert two.counts.tolist() == [2, 1, 1, 1, 1]
    assert two.dense()[0] == pytest.approx((0, 0.625, 0.375))
    assert limited(binding, 3) is binding
    assert input_positions(binding.layer) is None


def test_references_are_slots() -> None:
    """Bones are named by reference slot, with other references in between."""
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    layer = skin_layer([bone], [place()], ONE)
    layer.chunks = [
        (0x0030, i32(0) + b"\x02\0" + i32(2, -1, -1)) if chunk[0] == 0x0030 else chunk
        for chunk in layer.chunks
    ]
    layer.references = [None, None, bone]
    assert [joint.name for joint in bound([layer], maker).joints] == ["bone"]
