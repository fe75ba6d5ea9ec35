"""Weights above modifiers that change the vertices, by arithmetic."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.scene.geometry import pipeline
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator, Geometry, ModifierCall
from maxsidecar.scene.modifiers.subdivide import TURBO_SMOOTH
from maxsidecar.scene.modifiers.symmetry import SYMMETRY
from maxsidecar.scene.skin.binding import SkinBinding
from maxsidecar.scene.skin.bindings import read_binding
from maxsidecar.scene.skin.carry import carry_binding, carry_positions, input_mesh
from maxsidecar.scene.skin.stacks import layers
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block
from tests.support.scenes import SceneMaker
from tests.support.skins import place, skin_layer
from tests.support.stacks import DERIVED, EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import SQUARE, square_poly

#: A class that no file has, for modifiers of the tests.
MADE_UP = (0x1234, 0x5678)

#: Bone of each vertex of the square and the triangle beside it.
BONES = [[(0, 1.0)], [(1, 1.0)], [(0, 0.5), (1, 0.5)], [(0, 1.0)], [(2, 1.0)]]


def set_up(above: Layer | None) -> tuple[SkinBinding, Evaluator, Stack, Mesh]:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "abc"]
    skin = skin_layer(bones, [place()] * 3, BONES)
    stack = Stack([*([above] if above else []), skin], maker=maker)
    node = maker.node("mesh", None, object_=stack.top)
    stack.scene = maker.scene()
    binding = read_binding(stack.scene.nodes[node])
    assert binding is not None
    evaluator = Evaluator(stack.scene, 0)
    mesh = evaluator.object(stack.derived).mesh
    assert mesh is not None
    return binding, evaluator, stack, mesh


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """A modifier that does what the test puts under ``do``."""
    what: dict[str, object] = {}

    def run(geometry: Geometry, call: ModifierCall) -> Geometry:
        return what["do"](call.convert(geometry))  # type: ignore[operator, no-any-return]

    monkeypatch.setitem(pipeline._modifiers, MADE_UP, run)
    return what


def middles(mesh: Mesh) -> Mesh:
    """Put a vertex into the middle of each triangle, map vertices as well; only those stay."""
    faces, count = mesh.faces, len(mesh.triangles)
    every = np.arange(count, dtype=np.int32)
    faces_of_middles = np.stack([every, every, every], axis=1)
    maps: dict[int, tuple[Any, Any]] = {
        number: (channel.vertices[channel.corners[mesh.triangles]].mean(axis=1), faces_of_middles)
        for number, channel in mesh.maps.items()
    }
    return Mesh.of_triangles(mesh.positions[faces].mean(axis=1), faces_of_middles, maps=maps)


def test_nothing_above_leaves_them_as_they_are() -> None:
    binding, evaluator, stack, mesh = set_up(None)
    assert carry_binding(binding, evaluator, stack.derived, mesh) is binding


def test_weights_go_up_as_vertices_do(made_up: dict[str, object]) -> None:
    made_up["do"] = middles
    binding, evaluator, stack, mesh = set_up(Layer(MADE_UP))
    found = carry_binding(binding, evaluator, stack.derived, mesh)
    # Triangles 0 1 2, 2 3 0 and 1 4 2.
    expected = [[1.5 / 3, 1.5 / 3, 0], [2.5 / 3, 0.5 / 3, 0], [0.5 / 3, 1.5 / 3, 1 / 3]]
    assert found.dense() == pytest.approx(np.array(expected), abs=1e-6)
    assert found.notes == ()
    assert found.joints == binding.joints


def test_a_result_that_maps_do_not_follow_is_noted(made_up: dict[str, object]) -> None:
    def stretched(mesh: Mesh) -> Mesh:
        out = replace(mesh, positions=mesh.positions * np.array([3, 1, 1], np.float32))
        out.starts, out.corners = out.starts[:2], out.corners[:3]
        out.material_ids, out.smoothing = out.material_ids[:1], out.smoothing[:1]
        out.maps = {n: MapChannel(c.vertices, c.corners[:3]) for n, c in out.maps.items()}
        return out

    made_up["do"] = stretched
    binding, evaluator, stack, mesh = set_up(Layer(MADE_UP))
    found = carry_binding(binding, evaluator, stack.derived, mesh)
    (note,) = (note for note in found.notes if "error" in note)
    # The first edge is as long as the square before, three times that now.
    size = np.linalg.norm(np.ptp(mesh.positions, axis=0))
    assert f"with an error of {100 * 2 / size:.2g} % of the size" in note


def test_vertices_without_maps_take_the_nearest(made_up: dict[str, object]) -> None:
    def loose(mesh: Mesh) -> Mesh:
        more = np.array([(2, 0, 1.1), (0.1, 0.9, 0)], np.float32)
        return replace(mesh, positions=np.concatenate([mesh.positions, more]))

    made_up["do"] = loose
    binding, evaluator, stack, mesh = set_up(Layer(MADE_UP))
    found = carry_binding(binding, evaluator, stack.derived, mesh)
    assert found.dense()[:5] == pytest.approx(binding.dense())
    assert found.dense()[5:].tolist() == [[0, 0, 1], [1, 0, 0]]
    assert found.notes == ("2 vertices have the weights of the nearest vertex",)


def test_nothing_to_carry(made_up: dict[str, object]) -> None:
    made_up["do"] = middles
    maker = SceneMaker()
    skin = skin_layer([], [], [])
    stack = Stack([Layer(MADE_UP), skin], maker=maker)
    node = maker.node("mesh", None, object_=stack.top)
    stack.scene = maker.scene()
    binding = read_binding(stack.scene.nodes[node])
    assert binding is not None
    assert (binding.vertex_count, binding.joints) == (0, ())
    evaluator = Evaluator(stack.scene, 0)
    square = evaluator.object(stack.derived).mesh
    assert square is not None
    empty = replace(
        square,
        positions=square.positions[:0],
        starts=square.starts[:1],
        corners=square.corners[:0],
        maps={},
    )

    class Empty:
        def below(self, *_: object) -> object:
            return SimpleNamespace(geometry=empty)

    with pytest.raises(DecodeError, match="nothing comes into the modifier"):
        carry_binding(binding, cast(Any, Empty()), stack.derived, square)


def test_more_joints_than_go_up_at_once(made_up: dict[str, object]) -> None:
    made_up["do"] = middles
    maker = SceneMaker()
    bones = [maker.node(f"b{n}", maker.transform()) for n in range(200)]
    lists = [[(0, 1.0)], [(100, 1.0)], [(199, 1.0)], [(3, 1.0)], [(98, 1.0)]]
    layer = skin_layer(bones, [place()] * 200, lists)
    stack = Stack([Layer(MADE_UP), layer], maker=maker)
    node = maker.node("mesh", None, object_=stack.top)
    stack.scene = maker.scene()
    binding = read_binding(stack.scene.nodes[node])
    assert binding is not None
    evaluator = Evaluator(stack.scene, 0)
    mesh = evaluator.object(stack.derived).mesh
    assert mesh is not None
    found = carry_binding(binding, evaluator, stack.derived, mesh)
    assert found.joint.tolist() == [0, 100, 199, 0, 3, 199, 98, 100, 199]
    assert found.weight == pytest.approx(np.full(9, 1 / 3), abs=1e-6)


def test_a_mesh_that_comes_out_otherwise_is_refused(made_up: dict[str, object]) -> None:
    made_up["do"] = middles
    binding, evaluator, stack, mesh = set_up(Layer(MADE_UP))
    made_up["do"] = lambda mesh: mesh
    with pytest.raises(DecodeError, match="do not give the same mesh again"):
        carry_binding(binding, evaluator, stack.derived, mesh)
    with pytest.raises(DecodeError, match="other vertices"):
        carry_positions(
            binding.layer,
            evaluator,
            stack.derived,
            input_mesh(evaluator, binding.layer, 5),
            mesh,
            np.zeros((5, 3)),
        )
    with pytest.raises(DecodeError, match="another number of vertices"):
        input_mesh(evaluator, binding.layer, 6)


def test_moved_vertices_go_up(made_up: dict[str, object]) -> None:
    made_up["do"] = middles
    binding, evaluator, stack, mesh = set_up(Layer(MADE_UP))
    below = input_mesh(evaluator, binding.layer, 5)
    places = below.positions.astype(np.float64)
    places[4] += (0, 0, 3)
    top = carry_positions(binding.layer, evaluator, stack.derived, below, mesh, places)
    assert top - mesh.positions == pytest.approx(np.array([[0, 0, 0]] * 2 + [[0, 0, 1]]), abs=1e-6)


def test_stacks_on_stacks(made_up: dict[str, object]) -> None:
    """The modifier is in a stack of its own, above the one with the Skin."""
    made_up["do"] = middles
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "abc"]
    stack = Stack([skin_layer(bones, [place()] * 3, BONES)], maker=maker)
    modifier = maker.add((*MADE_UP, 0x810))
    upper = maker.add(DERIVED, [(0x2500, [])], [modifier, stack.top])
    node = maker.node("mesh", None, object_=upper)
    scene = maker.scene()
    binding = read_binding(scene.nodes[node])
    assert binding is not None
    assert [layer.derived.index for layer in layers(scene[upper], lambda _: True)] == [
        upper,
        stack.top,
    ]
    evaluator = Evaluator(scene, 0)
    mesh = evaluator.object(scene[upper]).mesh
    assert mesh is not None
    found = carry_binding(binding, evaluator, scene[upper], mesh)
    assert found.dense()[0] == pytest.approx((0.5, 0.5, 0), abs=1e-6)


#: Weights that are linear in x, which goes from 0 to 2: what divides the mesh keeps that.
LINEAR = [[(0, 2.0 - x), (1, x)] for x, _, _ in SQUARE]
# Twice: 5 + 2 + 6 vertices, polygons and edges are 13 vertices, then 13 + 7 + 19.
TURBO = {0: (INTEGER, 2), 3: (BOOLEAN, 0), 4: (BOOLEAN, 1), 5: (BOOLEAN, 0), 6: (BOOLEAN, 0)}
MIRRORED = {0: (INTEGER, 0), 1: (INTEGER, 1), 2: (INTEGER, 1), 3: (FLOAT, 0.1), 4: (BOOLEAN, 0)}


@pytest.mark.parametrize(
    ("kind", "values", "count"), [(TURBO_SMOOTH, TURBO, 39), (SYMMETRY, MIRRORED, 8)]
)
def test_subdivision_and_symmetry(
    kind: tuple[int, int], values: dict[int, tuple[int, object]], count: int
) -> None:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "ab"]
    block = new_block(maker, (*kind, 0x810), values)
    above = Layer(kind, references=[block, maker.transform()])
    skin = skin_layer(bones, [place()] * 2, LINEAR)
    stack = Stack([above, skin], square_poly(), EDITABLE_POLY, maker)
    node = maker.node("mesh", None, object_=stack.top)
    stack.scene = maker.scene()
    binding = read_binding(stack.scene.nodes[node])
    assert binding is not None
    evaluator = Evaluator(stack.scene, 0)
    mesh = evaluator.object(stack.derived).mesh
    assert mesh is not None
    assert len(mesh.positions) == count
    found = carry_binding(binding, evaluator, stack.derived, mesh)
    # The mirrored half has the weights of the other one.
    x = np.abs(mesh.positions[:, 0])
    assert found.dense() == pytest.approx(np.stack([1 - x / 2, x / 2], axis=1), abs=1e-5)
    assert found.notes == ()
