"""Codecs of Skin and Physique both ways, and weights on random lists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.gltf.export.skins import weight_attributes
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.arrays import BoneSlots, LinkWeights, SkinWeights
from maxsidecar.scene.skin.binding import SkinBinding, gather, limited
from maxsidecar.scene.skin.bindings import read_binding
from maxsidecar.scene.skin.codecs import BONES, LINKS, WEIGHTS
from maxsidecar.scene.skin.deform import blended_matrices, linear_skinning
from tests.support.scenes import SceneMaker
from tests.support.skins import place, skin_layer
from tests.support.stacks import Stack

WORDS = st.integers(0, 0xFFFFFFFF)
#: Counts, and numbers that stand for a record of that many words.
SMALL = st.sampled_from([0, 1, 2, 3, 11])
CODECS: list[Codec[Any]] = [BONES, WEIGHTS, LINKS]
FINITE = st.floats(-1e3, 1e3, width=32)


@given(st.sampled_from(CODECS), st.lists(st.one_of(SMALL, WORDS), max_size=40), st.booleans())
def test_what_decodes_encodes_to_the_same_bytes(
    codec: Codec[Any], words: list[int], half: bool
) -> None:
    data = np.array(words, "<u4").tobytes() + (b"\x02\0" if half else b"")
    try:
        value = codec.decode(data)
    except DecodeError:
        return
    assert codec.verified(data) == value


@given(st.lists(st.lists(st.tuples(st.integers(-9, 9), FINITE), max_size=4), max_size=9))
def test_what_encodes_decodes_to_the_same(lists: list[list[tuple[int, float]]]) -> None:
    flat = [pull for pulls in lists for pull in pulls]
    numbers, parts = [n for n, _ in flat], [w for _, w in flat]
    weights = SkinWeights.of([len(pulls) for pulls in lists], numbers, parts)
    data = WEIGHTS.encode(weights)
    assert len(data) == 8 * len(lists) + 44 * len(flat)
    again = WEIGHTS.decode(data)
    assert again.bones.tolist() == numbers
    assert again.influences.tolist() == parts
    links = LinkWeights.of(numbers, parts)
    assert LINKS.decode(LINKS.encode(links)) == links
    bones = BoneSlots.of(numbers)
    assert BONES.decode(BONES.encode(bones)) == bones


@given(st.data())
def test_bones_with_sections(choices: st.DataObject) -> None:
    counts = choices.draw(st.lists(st.integers(0, 5), max_size=6))
    number, total = len(counts), sum(counts)
    rng = np.random.default_rng(choices.draw(st.integers(0, 99)))
    value = BoneSlots(
        rng.integers(0, 2**16, number).astype("<u2"),
        rng.integers(-1, 99, number).astype("<i4"),
        rng.integers(-1, 99, (number, 2)).astype("<i4"),
        np.array(counts, "<i4"),
        rng.integers(0, 2**32, (total, 3)).astype("<u4"),
    )
    assert BONES.verified(BONES.encode(value)) == value


def any_binding() -> SkinBinding:
    maker = SceneMaker()
    bones = [maker.node(name, maker.transform()) for name in "abcdefg"]
    stack = Stack([skin_layer(bones, [place()] * 7, [[(0, 1.0)]] * 5)], maker=maker)
    node = maker.node("mesh", None, object_=stack.top)
    scene: Scene = maker.scene()
    found = read_binding(scene.nodes[node])
    assert found is not None
    return found


BINDING = any_binding()


@st.composite
def bindings(draw: st.DrawFn) -> SkinBinding:
    """A binding of some vertices to seven joints; some have none."""
    count = draw(st.integers(0, 8))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    entries = draw(st.integers(0, 40)) if count else 0
    starts, joint, weight = gather(
        rng.integers(0, max(count, 1), entries),
        rng.integers(0, 7, entries),
        rng.random(entries) - draw(st.sampled_from([0.0, 0.5])),
        count,
        7,
    )
    return replace(BINDING, starts=starts, joint=joint, weight=weight)


def sums(binding: SkinBinding) -> npt.NDArray[Any]:
    return np.bincount(binding.vertex, binding.weight, binding.vertex_count)


@given(bindings(), st.integers(1, 7))
def test_weights_sum_to_one(binding: SkinBinding, most: int) -> None:
    filled = binding.counts > 0
    assert np.allclose(sums(binding), filled)
    assert (binding.weight > 0).all()
    fewer = limited(binding, most)
    assert np.allclose(sums(fewer), filled)
    assert (fewer.counts == np.minimum(binding.counts, most)).all()
    assert np.allclose(binding.dense().sum(axis=1), filled)


@given(bindings(), st.lists(st.integers(0, 7), max_size=9))
def test_attributes_hold_every_joint(binding: SkinBinding, picked: list[int]) -> None:
    vertices = np.array([v for v in picked if v < binding.vertex_count], np.int64)
    found = weight_attributes(binding, vertices, 7)
    sets = len(found) // 2
    joints = np.hstack([found[f"JOINTS_{n}"] for n in range(sets)]).astype(int)
    weights = np.hstack([found[f"WEIGHTS_{n}"] for n in range(sets)])
    dense = np.zeros((len(vertices), 7))
    np.add.at(dense, (np.arange(len(vertices))[:, None], joints), weights)
    assert np.allclose(dense, binding.dense()[vertices], atol=1e-6)
    # Where there is no weight there is no joint, and sums are 1 to the last bit but one.
    assert not joints[weights == 0].any()
    filled = binding.counts[vertices] > 0
    assert (np.abs(weights.sum(axis=1, dtype=np.float64) - filled) <= 2e-7).all()
    assert (np.diff(weights, axis=1) <= 1e-6).all()
    most = int(binding.counts[vertices].max(initial=1))
    assert sets == max(-(-most // 4), 1)


@given(bindings(), st.integers(0, 99))
def test_skinning_is_linear(binding: SkinBinding, seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = np.tile(np.eye(4), (7, 1, 1))
    world[:, :, :3] += rng.random((7, 4, 3))
    points = rng.random((binding.vertex_count, 3))
    one = linear_skinning(binding, points, world)
    parts = [points @ world[j, :3, :3] + world[j, 3, :3] for j in range(7)]
    expected = sum(
        (binding.dense()[:, j, None] * parts[j] for j in range(7)), np.zeros_like(points)
    )
    assert np.allclose(one, expected)
    assert blended_matrices(binding, world).shape == (binding.vertex_count, 4, 4)
