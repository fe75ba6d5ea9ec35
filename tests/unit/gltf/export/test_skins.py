"""Skins of made scenes: what the written joints make of the written vertices."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import points_to_gltf
from maxsidecar.gltf.export import skins
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.meshes import add_meshes
from maxsidecar.gltf.export.morphs import add_morphs
from maxsidecar.gltf.export.nodes import add_nodes
from maxsidecar.gltf.export.report import Entry, Outcome
from maxsidecar.gltf.export.skins import add_skins
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.rest import rest_matrices
from tests.support.gltf_skins import joint_sets, node_worlds, skinned_positions
from tests.support.scenes import BEZIER_SCALE, PRS, SceneMaker, f32
from tests.support.skins import (
    Matrix,
    Pull,
    about_z,
    morpher_layer,
    physique_layer,
    place,
    skin_layer,
)
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import SQUARE

UNKNOWN = (0x12345678, 0x1, 0x9008)
SCALE = 0.5
LISTS: list[list[Pull]] = [[(0, 1.0)], [(1, 1.0)], [(0, 1.0), (1, 3.0)], [(1, 0.5)], [(0, 2.0)]]


def run(made: SceneMaker | Scene, **options: Any) -> Export:
    """Export what the maker has, with nodes, meshes, skins and morph targets."""
    scene = made if isinstance(made, Scene) else made.scene()
    chosen = Options(**options)
    export = Export(
        scene_file=cast(Any, SimpleNamespace(scene=scene, nodes=scene.nodes, path=None)),
        options=chosen,
        scale=SCALE,
        ids=NodeIds(scene),
        rest=rest_matrices(scene).matrices,
    )
    add_nodes(export)
    add_meshes(export, None)
    add_skins(export)
    add_morphs(export)
    return export


def mesh_node(
    maker: SceneMaker, *layers: Layer, name: str = "mesh", offset: Any = (), **more: Any
) -> int:
    stack = Stack(layers, maker=maker)
    chunks = [(0x096A, f32(*offset))] if len(offset) else []
    controller = maker.transform(more.pop("at", (3, 4, 5)), (0.2, 0.3, 0.4))
    return maker.node(name, controller, object_=stack.top, chunks=chunks, **more)


def named(export: Export, name: str = "mesh") -> model.Node:
    return next(node for node in export.nodes.values() if node.name == name)


def entries(export: Export, kind: str = "skin") -> list[Entry]:
    return [entry for entry in export.report.entries if entry.kind == kind]


def shown(export: Export, name: str = "mesh") -> Any:
    """Return where the vertices of the square are shown, in glTF's world, by vertex."""
    node = named(export, name)
    made = next(export.meshes[index] for index, other in export.nodes.items() if other is node)
    out = np.full((5, 3), np.nan)
    for primitive, vertices in zip(made.mesh.primitives, made.vertices, strict=True):
        places, _ = skinned_positions(export.document, node, primitive)
        out[vertices] = places
    return out


def expected(lists: list[list[Pull]], bound: Matrix, moves: list[Matrix]) -> Any:
    """Return where they should be: moves are from the world when bound to the world now."""
    out = np.zeros((5, 3))
    for vertex, pulls in enumerate(lists):
        total = sum(weight for _, weight in pulls)
        point = np.array([*SQUARE[vertex], 1.0]) @ bound
        for joint, weight in pulls:
            out[vertex] += weight / total * (point @ moves[joint])[:3]
    return points_to_gltf(out, SCALE)


def two_bones(maker: SceneMaker) -> tuple[list[int], list[Matrix], list[Matrix]]:
    """Return two bones that were bound in one place and stand in another, one on the other."""
    top = maker.node("top", maker.transform((1, 2, 3), (0, 0, np.pi / 3)))
    leaf = maker.node("leaf", maker.transform((2, 0, 0), (0, 0, -np.pi / 2)), top)
    binds = [about_z(10, 5, 5, 5), about_z(-40, 1, 0, 2)]
    now = [about_z(60, 1, 2, 3), about_z(-90, 2, 0, 0) @ about_z(60, 1, 2, 3)]
    return [top, leaf], binds, [np.linalg.inv(b) @ n for b, n in zip(binds, now, strict=True)]


@pytest.mark.parametrize("bind", ["stored", "first-frame"])
@pytest.mark.parametrize("offset", [(), (0, 0, 7)])
def test_the_joints_take_the_vertices_where_3ds_max_does(bind: str, offset: Any) -> None:
    maker = SceneMaker()
    bones, binds, moves = two_bones(maker)
    bound = about_z(15, 0, 9, 0)
    mesh_node(maker, skin_layer(bones, binds, LISTS, mesh=bound), offset=offset)
    export = run(maker, bind=bind)
    assert shown(export) == pytest.approx(expected(LISTS, bound, moves), abs=1e-5)
    assert [entry.outcome for entry in entries(export)] == [Outcome.CONVERTED]
    skin = named(export).skin
    assert skin is not None
    assert [joint.name for joint in skin.joints] == ["top", "leaf"]
    assert skin.inverse_bind_matrices.dtype == np.float32
    assert (skin.inverse_bind_matrices[:, 3] == (0, 0, 0, 1)).all()


def test_the_first_frame_is_written_as_it_is_shown() -> None:
    """Vertices lie in the node's space; normals are turned like them."""
    maker = SceneMaker()
    bones, binds, _ = two_bones(maker)
    mesh_node(maker, skin_layer(bones, binds, LISTS))
    export = run(maker, bind="first-frame")
    node = named(export)
    assert node.mesh is not None
    places = shown(export)
    world = node_worlds(export.document)[id(node)]
    made = next(iter(export.meshes.values()))
    for primitive, vertices in zip(node.mesh.primitives, made.vertices, strict=True):
        own = primitive.attributes["POSITION"] @ world[:3, :3].T + world[:3, 3]
        assert own == pytest.approx(places[vertices], abs=1e-5)
        lengths = np.linalg.norm(primitive.attributes["NORMAL"], axis=1)
        assert lengths == pytest.approx(1, abs=1e-6)


def test_physique() -> None:
    maker = SceneMaker()
    bones, binds, moves = two_bones(maker)
    joints: list[Any] = [(bones[0], -1, binds[0]), (bones[1], 0, binds[1]), (None, 1, binds[1])]
    tip = maker.node("tip", maker.transform(), bones[1])
    joints[2] = (tip, 1, place(9, 9, 9))
    # Link 0 is moved by the top, link 1 by the leaf.
    links = [[(-1 - bone, weight) for bone, weight in pulls] for pulls in LISTS]
    mesh_node(maker, physique_layer(joints, links, mesh=place(0, 0, 2)))
    export = run(maker)
    assert shown(export) == pytest.approx(expected(LISTS, place(0, 0, 2), moves), abs=1e-5)


def test_more_than_four_joints_and_many_joints() -> None:
    maker = SceneMaker()
    bones = [maker.node(f"b{n}", maker.transform((n, 0, 0))) for n in range(300)]
    holder = maker.node("holder", None)
    assert holder
    lists = [[(n, 10.0 - n) for n in range(6)], *[[(299, 1.0)]] * 4]
    mesh_node(maker, skin_layer(bones, [place()] * 300, lists))
    export = run(maker)
    mesh = named(export).mesh
    assert mesh is not None
    made = next(iter(export.meshes.values()))
    for primitive, vertices in zip(mesh.primitives, made.vertices, strict=True):
        joints, weights = joint_sets(primitive.attributes)
        assert primitive.attributes["JOINTS_0"].dtype == np.uint16
        assert primitive.attributes["WEIGHTS_0"].dtype == np.float32
        first = vertices == 0
        if first.any():
            assert joints[first][0].tolist() == [0, 1, 2, 3, 4, 5, 0, 0]
            assert weights[first][0] == pytest.approx([n / 45 for n in (10, 9, 8, 7, 6, 5, 0, 0)])
        assert (joints[~first][:, 0] == 299).all()


@pytest.mark.parametrize(("places", "count"), [(5 * 70, 70), (5 * 70 - 1, 64)])
def test_no_more_joints_of_a_vertex_than_there_is_room_for(
    places: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skins, "_MOST_PLACES", places)
    maker = SceneMaker()
    bones = [maker.node(f"b{n}", maker.transform((n, 0, 0))) for n in range(70)]
    lists = [[(n, 70.0 - n) for n in range(70)], *[[(69, 1.0)]] * 4]
    mesh_node(maker, skin_layer(bones, [place()] * 70, lists))
    export = run(maker)
    (entry,) = entries(export)
    assert entry.outcome is Outcome.APPROXIMATED
    told = "of up to 70 joints of a vertex only the strongest 64 count" in entry.reason
    assert told == (count == 64)
    total = sum(70 - n for n in range(count))
    found = 0
    for made in export.meshes.values():
        for primitive, vertices in zip(made.mesh.primitives, made.vertices, strict=True):
            joints, weights = joint_sets(primitive.attributes)
            assert joints.shape[1] in (4, -(-count // 4) * 4)
            for row in np.nonzero(vertices == 0)[0]:
                found += 1
                assert joints[row][:count].tolist() == list(range(count))
                expected = [(70 - n) / total for n in range(count)]
                assert weights[row][:count] == pytest.approx(expected)
                assert not weights[row][count:].any()
    assert found


def test_more_joints_than_there_are_numbers_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skins, "_MOST_JOINTS", 1)
    maker = SceneMaker()
    bones, binds, _ = two_bones(maker)
    mesh_node(maker, skin_layer(bones, binds, LISTS))
    (entry,) = entries(run(maker))
    assert entry.outcome is Outcome.LEFT_OUT
    assert "too many joints" in entry.reason


@pytest.mark.parametrize("bind", ["stored", "first-frame"])
def test_a_joint_whose_place_is_no_number(bind: str) -> None:
    """Skins as bound do not need it; for the first frame the mesh stays as it is."""

    def exported(*, skinned: bool) -> model.Node:
        maker = SceneMaker()
        bone = maker.node("bone", maker.transform((np.nan, 0, 0)))
        layer = skin_layer([bone], [about_z(30)], [[(0, 1.0)]] * 5, mesh=place(0, 0, 9))
        mesh_node(maker, *([layer] if skinned else []))
        export = run(maker, bind=bind)
        told = [entry.outcome for entry in entries(export)]
        assert told == ([] if not skinned else [outcome])
        return named(export)

    outcome = Outcome.CONVERTED if bind == "stored" else Outcome.LEFT_OUT
    plain, bent = exported(skinned=False).mesh, exported(skinned=True)
    assert plain is not None
    assert bent.mesh is not None
    if bind == "stored":
        assert bent.skin is not None
        expected = np.linalg.inv(about_z(30))[:2, :2]
        # Turned about the axis that is up, which is Z there and Y here.
        found = bent.skin.inverse_bind_matrices[0].T[[0, 2]][:, [0, 2]] * [[1, -1], [-1, 1]]
        assert found == pytest.approx(expected, abs=1e-6)
        return
    assert bent.skin is None
    for one, other in zip(plain.primitives, bent.mesh.primitives, strict=True):
        assert one.attributes.keys() == other.attributes.keys()
        assert one.attributes["POSITION"].tolist() == other.attributes["POSITION"].tolist()


def test_joints_without_a_common_root_get_one() -> None:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform((1, 0, 0))) for name in ("left", "right")]
    other = maker.node("other", maker.transform())
    mesh_node(maker, skin_layer(bones, [place(), place()], LISTS))
    export = run(maker)
    assert other in export.nodes
    names = [root.name for root in export.document.roots]
    assert names == ["other", "mesh", "joints"]
    joints = export.document.roots[-1]
    assert [child.name for child in joints.children] == ["left", "right"]
    assert shown(export) == pytest.approx(expected(LISTS, place(), [place(1)] * 2), abs=1e-6)
    (entry,) = entries(export)
    assert entry.outcome is Outcome.APPROXIMATED
    assert "no common root" in entry.reason


def test_vertices_without_bones_stand_where_their_node_is() -> None:
    maker = SceneMaker()
    bones, binds, moves = two_bones(maker)
    lists = [[], *LISTS[1:]]
    mesh_node(maker, skin_layer(bones, binds, lists), at=(0, 0, 8), offset=(0, 1, 0))
    export = run(maker)
    places = shown(export)
    assert places[1:] == pytest.approx(expected([LISTS[0], *lists[1:]], place(), moves)[1:])
    # The first vertex is at the origin of the object, which stands 1 along Y of the turned node.
    node = node_worlds(export.document)[id(named(export))]
    assert places[0] == pytest.approx((node @ [*points_to_gltf((0, 1, 0), SCALE), 1])[:3], abs=1e-6)
    (entry,) = entries(export)
    assert "1 vertices follow no joint" in entry.reason
    # It hangs on the bones' top, so that they still have one root.
    assert [root.name for root in export.document.roots] == ["top", "mesh"]


def test_vertices_without_bones_of_a_mesh_below_the_bones_follow_its_node() -> None:
    maker = SceneMaker()
    bones, binds, _ = two_bones(maker)
    mesh_node(maker, skin_layer(bones, binds, [[], *LISTS[1:]]), parent=bones[0])
    export = run(maker)
    skin = named(export).skin
    assert skin is not None
    assert skin.joints[-1] is named(export)


def test_a_sheared_joint_is_made_up_for() -> None:
    maker = SceneMaker()
    half = np.radians(20)
    axes = (0, 0, np.sin(half), np.cos(half))
    scale = maker.keyed(BEZIER_SCALE, 0x2505, f32(3, 1, 1, *axes))
    sheared = maker.node("sheared", maker.add(PRS, (), [None, None, scale]))
    lists: list[list[Pull]] = [[(0, 1.0)]] * 5
    mesh_node(maker, skin_layer([sheared], [place()], lists))
    export = run(maker)
    now = export.scene_nodes[sheared].world_matrix()
    # Stretched along an axis that lies between X and Y.
    assert abs(now[0, 1]) > 0.5
    assert sheared in export.sheared
    assert shown(export) == pytest.approx(expected(lists, place(), [now]), abs=1e-5)


def test_joints_that_cannot_be_evaluated_stand_as_they_were_bound() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.add(UNKNOWN))
    lists: list[list[Pull]] = [[(0, 1.0)]] * 5
    mesh_node(maker, skin_layer([bone], [about_z(25, 1, 2, 3)], lists, mesh=place(4)))
    export = run(maker)
    assert shown(export) == pytest.approx(expected(lists, place(4), [place()]), abs=1e-5)
    (entry,) = entries(export)
    assert entry.outcome is Outcome.APPROXIMATED
    assert entry.reason == "joints that stand as they were bound: 1 (unknown controller class)"


def test_a_joint_that_is_not_exported_stands_still() -> None:
    maker = SceneMaker()
    bones, binds, moves = two_bones(maker)
    mesh_node(maker, skin_layer(bones, binds, LISTS))
    export = run(maker)
    # As if it had not been chosen.
    leaf = export.nodes.pop(bones[1])
    export.scene_nodes.pop(bones[1])
    export.nodes[bones[0]].children.remove(leaf)
    export.report.entries.clear()
    add_skins(export)
    skin = named(export).skin
    assert skin is not None
    assert skin.joints[1] is not leaf
    assert skin.joints[1].name == "leaf"
    assert skin.joints[1].extras == {"max_added": "joint that is not exported"}
    assert shown(export) == pytest.approx(expected(LISTS, place(), moves), abs=1e-5)
    (entry,) = entries(export)
    assert "joints that are not exported and stand still: 1" in entry.reason


def test_a_joint_that_was_bound_twice_is_two_nodes() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform((0, 0, 1)))
    binds = [place(1), place(0, 2)]
    mesh_node(maker, skin_layer([bone, bone], binds, LISTS))
    export = run(maker)
    skin = named(export).skin
    assert skin is not None
    assert len({id(joint) for joint in skin.joints}) == 2
    moves = [np.linalg.inv(bind) @ place(0, 0, 1) for bind in binds]
    assert shown(export) == pytest.approx(expected(LISTS, place(), moves), abs=1e-6)


def test_meshes_that_are_bound_alike_share_a_skin() -> None:
    maker = SceneMaker()
    bones, binds, moves = two_bones(maker)
    for name in ("one", "two"):
        mesh_node(maker, skin_layer(bones, binds, LISTS), name=name)
    # Where the mesh was makes no difference: they are all written as they were bound.
    mesh_node(maker, skin_layer(bones, binds, LISTS, mesh=place(1)), name="elsewhere")
    other = [binds[0], place(0, 0, 1) @ binds[1]]
    mesh_node(maker, skin_layer(bones, other, LISTS), name="other")
    stack = Stack([skin_layer(bones, binds, LISTS)], maker=maker)
    for name in ("first", "second"):
        maker.node(name, maker.transform((0, 0, 9)), object_=stack.top)
    export = run(maker)
    names = ("one", "two", "elsewhere", "other", "first", "second")
    skins = {name: named(export, name).skin for name in names}
    assert skins["one"] is skins["two"] is skins["first"] is skins["second"]
    assert skins["elsewhere"] is skins["one"]
    assert skins["other"] is not skins["one"]
    # Nodes of one object share its mesh, with its weights.
    assert named(export, "first").mesh is named(export, "second").mesh
    for name, bound in (("one", place()), ("elsewhere", place(1)), ("second", place())):
        assert shown(export, name) == pytest.approx(expected(LISTS, bound, moves), abs=1e-5)


@pytest.mark.parametrize("bind", ["stored", "first-frame"])
def test_a_mesh_that_was_bound_mirrored_keeps_its_outside(bind: str) -> None:
    """Seen from outside, triangles are counter-clockwise, and normals point there."""
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform((1, 2, 3), (0.3, 0.2, 0.1)))
    mirror = np.diag([-1.0, 1.0, 1.0, 1.0])
    lists: list[list[Pull]] = [[(0, 1.0)]] * 5
    mesh_node(maker, skin_layer([bone], [place()], lists, mesh=mirror))
    export = run(maker, bind=bind)
    node = named(export)
    assert node.mesh is not None
    for primitive in node.mesh.primitives:
        places, normals = skinned_positions(export.document, node, primitive)
        assert primitive.indices is not None
        a, b, c = (places[primitive.indices[k::3]] for k in range(3))
        around = np.cross(b - a, c - a)
        outwards = np.einsum("ti,ti->t", around, normals[primitive.indices[::3]])
        assert (outwards > 0).all()


def test_a_skin_that_cannot_be_read_is_left_out_and_told() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    mesh_node(maker, skin_layer([bone], [place()], LISTS[:3]))
    flat = np.diag([1.0, 1.0, 0.0, 1.0])
    layer = skin_layer([bone], [place()], [[(0, 1.0)]] * 5)
    layer.chunks = [
        (0x0480, [(0x03E8, f32(*flat[:, :3].reshape(-1))), (0x03F2, bytes(4))])
        if chunk[0] == 0x0480
        else chunk
        for chunk in layer.chunks
    ]
    mesh_node(maker, layer, name="flat")
    export = run(maker)
    told = {entry.name: (entry.outcome, entry.reason) for entry in entries(export)}
    assert told["mesh"][0] is told["flat"][0] is Outcome.LEFT_OUT
    assert "another number of vertices" in told["mesh"][1]
    assert "no inverse" in told["flat"][1]
    for name in ("mesh", "flat"):
        node = named(export, name)
        assert node.skin is None
        assert node.mesh is not None
        assert not any("JOINTS_0" in part.attributes for part in node.mesh.primitives)


def test_morphs_below_a_skin_bend_with_it() -> None:
    maker = SceneMaker()
    bones, binds, moves = two_bones(maker)
    deltas = [(0, 0, 2.0), *[(0, 0, 0)] * 4]
    morpher = morpher_layer(maker, {1: ("up", deltas)}, {1: 50.0})
    mesh_node(maker, skin_layer(bones, binds, LISTS), morpher)
    for bind in ("stored", "first-frame"):
        export = run(maker, bind=bind)
        places = shown(export)
        plain = expected(LISTS, place(), moves)
        assert places[1:] == pytest.approx(plain[1:], abs=1e-5)
        # One up along Z, which is Y there, and no bone tilts it.
        assert places[0] - plain[0] == pytest.approx((0, SCALE, 0), abs=1e-5)
        assert [entry.outcome for entry in entries(export, "morph")] == [Outcome.CONVERTED]
