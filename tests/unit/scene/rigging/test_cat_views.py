"""Views of CAT parts: what they say, that they write the same bytes, and damaged ones."""

from __future__ import annotations

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.fields import record_codec
from maxsidecar.scene.coverage import TYPED, cover
from maxsidecar.scene.rigging.cat_controllers import (
    CatHub,
    CatMaster,
)
from maxsidecar.scene.rigging.cat_layers import CatLayer, CatLayerRoot, LayerMatrix3, SetupMatrix
from maxsidecar.scene.rigging.cat_parts import CatShape
from tests.support import cat
from tests.support.cat import CatRig
from tests.support.scenes import SceneMaker, f32, u32

LAYER = (0x43BF76AC, 0x60AB5707, 0x9003)
ROOT = (0x742D30AC, 0x37984F09, 0x9003)
SHAPE = (0x2E6A0C09, 0x43D5C9C0, 0x10)


def test_all_of_a_rig_is_typed() -> None:
    rig = CatRig()
    rig.hub("Hub")
    scene = rig.maker.scene()
    found = {c.info.class_id.a: c for c in cover(scene) if c.info is not None}
    for kind in (cat.MASTER, cat.HUB, cat.LAYERS):
        assert found[kind[0]].states == {TYPED: 1}
        assert found[kind[0]].typed_size == found[kind[0]].size > 0


def test_values_of_a_master_and_a_hub() -> None:
    rig = CatRig(units=0.5)
    hub, _ = rig.hub("Hub", (1, 2, 3))
    scene = rig.maker.scene()
    master, part = scene[rig.master], scene[hub]
    assert isinstance(master, CatMaster)
    assert (master.name, master.units, master.mode, master.length_axis) == ("Cat", 0.5, 0, 0)
    assert isinstance(part, CatHub)
    assert part.node_data is not None
    assert list(part.node_data.size or ()) == [1, 1, 1]
    assert part.node_data.element is not None
    assert part.node_data.element.master == rig.master
    assert part.number == -1
    layers = part.layers
    assert isinstance(layers, LayerMatrix3)
    assert layers.flags == cat.WITH_RIG
    assert layers.setup is not None
    assert layers.setup.numbers == (*cat.IDENTITY, 1, 2, 3)


def test_the_master_is_where_its_plain_transform_is() -> None:
    rig = CatRig(place=(1, 2, 3))
    scene = rig.maker.scene()
    master = scene[rig.master]
    assert isinstance(master, CatMaster)
    assert master.reason is None
    assert list(master.evaluate(0)[3]) == [1, 2, 3, 1]
    assert list(scene.nodes[rig.node].world_matrix(0)[3]) == [1, 2, 3, 1]


def test_an_edit_changes_its_own_bytes_only() -> None:
    rig = CatRig(units=2.0)
    scene = rig.maker.scene()
    master = scene[rig.master]
    assert isinstance(master, CatMaster)
    before = {chunk.id: bytes(chunk.data) for chunk in master.chunks() if not chunk.container}
    master.units = 3.0
    after = {chunk.id: bytes(chunk.data) for chunk in master.chunks() if not chunk.container}
    assert after == before | {0x0003: f32(3.0)}
    with pytest.raises(EditError):
        master.units = float("nan")


@given(
    st.lists(st.floats(width=32, allow_nan=False), min_size=12, max_size=12),
    st.integers(0, 2**32 - 1),
)
def test_setup_matrices_come_out_as_they_went_in(numbers: list[float], flags: int) -> None:
    codec, data = record_codec(SetupMatrix), f32(*numbers) + u32(flags)
    matrix = codec.decode(data)
    assert (matrix.numbers, matrix.flags) == (tuple(numbers), flags)
    assert codec.encode(matrix) == data


def test_layers_of_a_rig() -> None:
    maker = SceneMaker()
    layers = [
        maker.add(LAYER, [(0x0001, name), (0x0005, u32(number)), (0x0009, pack("<2i", 0, 16000))])
        for number, name in enumerate((b"Idle", b"Run"))
    ]
    root = maker.add(ROOT, [(0x0001, u32(2))], layers)
    scene = maker.scene()
    found = scene[root]
    assert isinstance(found, CatLayerRoot)
    assert [(layer.name, layer.number, layer.loop_range) for layer in found.layers] == [
        ("Idle", 0, (0, 16000)),
        ("Run", 1, (0, 16000)),
    ]
    assert isinstance(scene[layers[0]], CatLayer)


def test_a_shape_with_a_mesh_of_its_own() -> None:
    maker = SceneMaker()
    body = [
        (0x0040, u32(0)),
        (0x0002, u32(1)),
        (0x0004, u32(1)),
        (0x0008, f32(1, 2, 3)),
        (0x0010, u32(0, 0, 0, 1, 7)),
        (0x0020, u32(8)),
    ]
    shape = maker.scene()[0]
    index = maker.add(SHAPE, body)
    shape = maker.scene()[index]
    assert isinstance(shape, CatShape)
    assert list(shape.vertices) == [1, 2, 3]
    assert list(shape.faces) == [0, 0, 0, 1, 7]


def test_a_damaged_size() -> None:
    rig = CatRig()
    part = rig.reserve(cat.HUB)
    kind, _ = rig.maker.objects[part]
    rig.maker.objects[part] = (kind, [(0x0001, [(0x000A, b"\0\0")])])
    hub = rig.maker.scene()[part]
    assert isinstance(hub, CatHub)
    assert hub.node_data is not None
    with pytest.raises(DecodeError):
        _ = hub.node_data.size
    assert hub.layers is None
