"""Damaged Skin, Physique and Morpher: read, bent and exported, or refused with an error of ours."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.scene import Scene
from tests.support.scenes import SceneMaker
from tests.support.skins import about_z, morpher_layer, physique_layer, place, skin_layer
from tests.support.stacks import Layer
from tests.support.stored_meshes import SQUARE
from tests.unit.gltf.export.test_skins import mesh_node, run

CASES = 100
#: Numbers that are counts, indices, infinities and the like in most layouts.
WORDS = [
    *(number.to_bytes(4, "little") for number in (0, 1, 2, 255, 0x7FFFFFFF, 0xFFFFFFFF)),
    *(bytes.fromhex(text) for text in ("0000807f", "0000c07f", "0100a07f", "ffff7f7f", "01000080")),
]


def skin(maker: SceneMaker) -> Layer:
    bones = [maker.node(name, maker.transform((1, 2, 3))) for name in "abc"]
    lists = [[(0, 0.5), (1, 0.5)], [(2, 1.0)], [], [(1, 0.25), (2, 3.0)], [(0, 1.0)]]
    return skin_layer(bones, [about_z(20 * n, n, 0, 1) for n in range(3)], lists)


def physique(maker: SceneMaker) -> Layer:
    root = maker.node("root", maker.transform())
    joints = [maker.node(name, maker.transform((1, 0, 0)), root) for name in "ab"]
    tree = [
        (root, -1, place()),
        (joints[0], 0, about_z(50, 1)),
        (None, 0, place()),
        (joints[1], 2, place(2)),
    ]
    lists = [[(-1, 1.0)], [(1, 0.5), (-2, 0.5)], [(2, 1.0)], [(0, 1.0)], []]
    return physique_layer(tree, lists, mesh=about_z(10, 0, 1, 0), positions=SQUARE)


def morpher(maker: SceneMaker) -> Layer:
    channels = {0: ("up", [(0, 0, 1)] * 5), 7: ("aside", [(1, 0, 0)] * 5)}
    return morpher_layer(maker, channels, {0: 30.0, 7: 120.0}, limits=(True, 0.0, 100.0))


def leaves(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    for chunk in chunks:
        if chunk.container:
            yield from leaves(chunk.chunks())
        else:
            yield chunk


def damage(scene: Scene, rng: random.Random) -> None:
    """Change some leaves of modifiers and stacks; ids count, so that long lists are not all."""
    objects = [obj for obj in scene if obj.superclass in (0x810, 0x1F0)]
    for _ in range(rng.choice([1, 1, 2, 5])):
        obj = rng.choice(objects)
        by_id: dict[int, list[Chunk]] = {}
        for chunk in leaves(obj.chunks()):
            by_id.setdefault(chunk.id, []).append(chunk)
        chunk = rng.choice(by_id[rng.choice(sorted(by_id))])
        body = bytearray(chunk.data)
        way = rng.random()
        if way < 0.15:
            del body[rng.randrange(len(body) + 1) :]
        elif way < 0.25:
            body += bytes(rng.randrange(9))
        else:
            for _ in range(rng.choice([1, 2, 6])):
                at = rng.randrange(max(len(body) - 3, 1))
                word = rng.choice([*WORDS, rng.randbytes(4)])
                body[at : at + 4] = word[: len(body) - at]
        chunk.replace(bytes(body))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("layer", [skin, physique, morpher])
@pytest.mark.parametrize("bind", ["stored", "first-frame"])
def test_damaged_modifiers(layer: Callable[[SceneMaker], Layer], bind: str) -> None:
    written = told = 0
    for case in range(CASES):
        rng = random.Random(case)
        maker = SceneMaker()
        mesh_node(maker, layer(maker))
        scene = maker.scene()
        damage(scene, rng)
        try:
            export = run(scene, bind=bind)
        except MaxSidecarError:
            continue
        for entry in export.report.entries:
            told += entry.kind in ("skin", "morph") and entry.outcome is not Outcome.CONVERTED
            assert entry.outcome is Outcome.CONVERTED or entry.reason
        for node in export.nodes.values():
            for primitive in node.mesh.primitives if node.mesh else ():
                rows = [*primitive.attributes.values()]
                rows += [row for target in primitive.targets for row in target.values()]
                assert all(np.isfinite(row).all() for row in rows)
                written += "JOINTS_0" in primitive.attributes or bool(primitive.targets)
            if node.skin is not None:
                assert np.isfinite(node.skin.inverse_bind_matrices).all()
    assert written > CASES // 4
    assert told >= 3
