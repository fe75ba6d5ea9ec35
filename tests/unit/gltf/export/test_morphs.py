"""Morph targets of made scenes: displacements, normals, names, gaps, weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.geometry import pipeline
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall
from tests.support.scenes import SceneMaker
from tests.support.skins import morpher_layer, place, skin_layer
from tests.support.stacks import Layer
from tests.unit.gltf.export.test_skins import SCALE, entries, mesh_node, named, run

MADE_UP = (0x1234, 0x5678)
UP: list[tuple[float, float, float]] = [(0, 0, 1.0)] * 5
ASIDE: list[tuple[float, float, float]] = [(2.0, 0, 0), *[(0, 0, 0)] * 4]


def test_targets_are_displacements_in_the_space_of_the_vertices() -> None:
    maker = SceneMaker()
    channels = {4: ("up", UP), 1: ("aside", ASIDE), 7: ("up", UP)}
    mesh_node(maker, morpher_layer(maker, channels, {1: 25.0, 7: 100.0}), offset=(5, 5, 5))
    export = run(maker)
    mesh = named(export).mesh
    assert mesh is not None
    assert mesh.target_names == ["aside", "up", "up 2"]
    assert mesh.weights == [0.25, 0.0, 1.0]
    # Their numbers in 3ds Max, with the gaps.
    assert mesh.extras["max_morph_channels"] == [1, 4, 7]
    made = next(iter(export.meshes.values()))
    for primitive, vertices in zip(mesh.primitives, made.vertices, strict=True):
        aside, up, _ = (target["POSITION"] for target in primitive.targets)
        assert up == pytest.approx(np.tile((0, SCALE, 0), (len(vertices), 1)))
        moved = np.where((vertices == 0)[:, None], (2 * SCALE, 0, 0), (0, 0, 0))
        assert aside == pytest.approx(moved)
        assert aside.dtype == np.float32
    (entry,) = entries(export, "morph")
    assert entry.outcome is Outcome.CONVERTED


def test_normals_follow_the_shape() -> None:
    """The outer corner of the triangle beside the square goes down, so that it lies flat."""
    maker = SceneMaker()
    deltas = [*[(0, 0, 0)] * 4, (0, 0, -1.0)]
    mesh_node(maker, morpher_layer(maker, {0: ("flat", deltas)}))
    export = run(maker)
    mesh = named(export).mesh
    assert mesh is not None
    (made,) = export.meshes.values()
    told = 0
    for primitive, vertices in zip(mesh.primitives, made.vertices, strict=True):
        after = primitive.attributes["NORMAL"] + primitive.targets[0]["NORMAL"]
        assert after == pytest.approx(np.tile((0, 1, 0), (len(vertices), 1)), abs=1e-6)
        told += int(np.abs(primitive.targets[0]["NORMAL"]).max() > 0.1)
    assert told == 1


def test_targets_go_through_the_modifiers_above(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(geometry: Geometry, call: ModifierCall) -> Geometry:
        mesh = call.convert(geometry)
        return replace(mesh, positions=mesh.positions * 2)

    monkeypatch.setitem(pipeline._modifiers, MADE_UP, doubled)
    maker = SceneMaker()
    mesh_node(maker, Layer(MADE_UP), morpher_layer(maker, {0: ("up", UP)}))
    mesh = named(run(maker)).mesh
    assert mesh is not None
    for primitive in mesh.primitives:
        assert primitive.targets[0]["POSITION"][:, 1] == pytest.approx(2 * SCALE)


def test_a_target_that_comes_out_with_other_vertices(monkeypatch: pytest.MonkeyPatch) -> None:
    def fussy(geometry: Geometry, call: ModifierCall) -> Geometry:
        mesh = call.convert(geometry)
        high = float(mesh.positions[0, 2]) > 0.5
        if not high:
            return mesh
        return Mesh.of_triangles([*mesh.positions, (0, 0, 0)], mesh.faces)

    monkeypatch.setitem(pipeline._modifiers, MADE_UP, fussy)
    maker = SceneMaker()
    channels = {0: ("up", UP), 1: ("aside", ASIDE)}
    mesh_node(maker, Layer(MADE_UP), morpher_layer(maker, channels, {1: 50.0}))
    export = run(maker)
    mesh = named(export).mesh
    assert mesh is not None
    assert (mesh.target_names, mesh.weights) == (["aside"], [0.5])
    (entry,) = entries(export, "morph")
    assert entry.outcome is Outcome.APPROXIMATED
    assert "channel 0 (up): the modifiers above give other vertices" in entry.reason
    (morph,) = export.morphs.values()
    assert morph.weights([0, 4800]).tolist() == [[0.5], [0.5]]


def test_a_morpher_above_a_skin_is_told() -> None:
    maker = SceneMaker()
    bone = maker.node("bone", maker.transform())
    skin = skin_layer([bone], [place()], [[(0, 1.0)]] * 5)
    mesh_node(maker, morpher_layer(maker, {0: ("up", UP)}), skin)
    (entry,) = entries(run(maker), "morph")
    assert entry.reason == "it is above the skin, in glTF below it"


def test_two_morphers_one_above_the_other() -> None:
    maker = SceneMaker()
    above = morpher_layer(maker, {0: ("above", ASIDE)}, {0: 10.0})
    below = morpher_layer(maker, {0: ("below", UP)}, {0: 20.0})
    mesh_node(maker, above, below)
    mesh = named(run(maker)).mesh
    assert mesh is not None
    assert mesh.target_names == ["below", "above"]
    assert mesh.weights == pytest.approx([0.2, 0.1])


def test_a_morpher_without_channels_is_left_out() -> None:
    maker = SceneMaker()
    mesh_node(maker, morpher_layer(maker, {}))
    export = run(maker)
    (entry,) = entries(export, "morph")
    assert (entry.outcome, entry.reason) == (
        Outcome.LEFT_OUT,
        "none of its channels is in use",
    )
    mesh = named(export).mesh
    assert mesh is not None
    assert mesh.target_names == []
