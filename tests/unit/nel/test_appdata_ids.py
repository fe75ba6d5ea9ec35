from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from maxsidecar.nel.appdata_ids import PROPERTIES, nel_key
from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataRegistry, Property
from maxsidecar.scene.appdata_values import (
    BOOL,
    COLOR,
    FLOAT,
    INT,
    INT_MAX,
    INT_MIN,
    TEXT,
    EnumCodec,
)

BASE = 1423062000
BY_NAME = {prop.name: prop for prop in PROPERTIES}

# The numbers of the format notes, as ranges.
NUMBERS = set(
    chain(
        range(BASE + 537, BASE + 571),
        range(BASE + 580, BASE + 621),
        range(BASE + 631, BASE + 673),
        range(BASE + 700, BASE + 703),
        range(BASE + 800, BASE + 803),
        range(84682540, 84682544),
        [1970, 1304892483],
        range(41654685, 41654688),
        range(2089254647, 2089254651),
        range(1266703978, 1266703981),
    )
)


def values(prop: Property) -> st.SearchStrategy[Any]:
    codec = prop.codec
    if codec is BOOL:
        return st.booleans()
    if codec is INT:
        return st.integers(
            INT_MIN if prop.minimum is None else int(prop.minimum),
            INT_MAX if prop.maximum is None else int(prop.maximum),
        )
    if codec is FLOAT:
        return st.floats(
            prop.minimum, prop.maximum, width=32, allow_nan=False, allow_infinity=False
        )
    if codec is COLOR:
        return st.lists(st.integers(0, 255), min_size=3, max_size=4)
    if codec is TEXT:
        return st.text(st.characters(codec="cp1252", exclude_characters="\0"))
    if isinstance(codec, EnumCodec):
        return st.sampled_from(list(codec.numbers)) | st.integers(100, INT_MAX)
    assert isinstance(codec, BitFieldCodec)
    return st.integers(0, INT_MAX).map(lambda number: codec.parse(str(number)))


def test_every_number_of_the_notes_is_declared_once() -> None:
    assert {prop.key.subid for prop in PROPERTIES} == NUMBERS
    assert len(PROPERTIES) == len(NUMBERS) == len(BY_NAME)


def test_all_are_in_the_shared_registry_below_one_table() -> None:
    assert all(REGISTRY.by_key(prop.key) is prop for prop in PROPERTIES)
    assert {prop.path[0] for prop in PROPERTIES} == {"nel"}
    AppDataRegistry(PROPERTIES)


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.name)
def test_declaration_is_sound(prop: Property) -> None:
    assert prop.meaning
    assert not prop.meaning.endswith(".")
    assert prop.readers
    known = "shape anim skel swt ig veget clod zone ligo cmb lightmap"
    assert set(prop.readers) <= set(known.split())
    if prop.default is not None:
        assert prop.check(prop.default) == prop.default
        Draft202012Validator.check_schema(prop.json_schema())
        assert Draft202012Validator(prop.json_schema()).is_valid(prop.default)


@given(data=st.data())
@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.name)
def test_new_values_read_back(prop: Property, data: st.DataObject) -> None:
    value = data.draw(values(prop))
    raw = prop.encode(value, "cp1252")
    decoded = prop.decode(raw, "cp1252")
    assert decoded.value == value
    assert decoded.canonical
    assert prop.edit(raw, value, "cp1252") == raw
    assert Draft202012Validator(prop.json_schema()).is_valid(value)


# Defaults and meanings as the format notes give them, one of each kind.
@pytest.mark.parametrize(
    ("name", "path", "raw", "value"),
    [
        ("DONTEXPORT", "nel.dont_export", b"1\0", True),
        ("INSTANCE_NAME", "nel.instance_name", b"door\0", "door"),
        ("LOD_DIST_MAX", "nel.lod.dist_max", b"1000\0", 1000.0),
        ("LOD_SKIN_REDUCTION", "nel.lod.skin_reduction", b"2\0", "best"),
        ("LOD_NAME_9", "nel.lod.name_9", b"lod9\0", "lod9"),
        ("VEGETABLE_ALPHA_BLEND", "nel.vegetable.alpha_blend", b"0\0", "on"),
        ("VEGETABLE_ALPHA_BLEND_OFF_LIGHTED", "nel.vegetable.off_lighting", b"2\0", "unlit"),
        ("VERTEXPROGRAM_ID", "nel.wind_tree.vertex_program", b"1\0", "wind_tree"),
        ("CAMERA_COLLISION_MESH_GENERATION", "nel.camera_collision", b"3\0", "force_and_hide"),
        ("LMC_DIFFUSE_15", "nel.lightmap_compression.diffuse_15", b"1 2 3\0", [1, 2, 3]),
        ("RADIAL_NORMAL_SM_31", "nel.radial_normals.smoothing_group_31", b"C\0", "C"),
    ],
)
def test_stored_flags_read_as_the_notes_say(
    name: str, path: str, raw: bytes, value: object
) -> None:
    prop = BY_NAME[name]
    assert ".".join(prop.path) == path
    assert prop.decode(raw, "cp1252").value == value


@pytest.mark.parametrize(
    ("name", "subid", "default"),
    [
        ("LOD_NAME_0", BASE + 538, ""),
        ("LOD_DIVISOR", BASE + 557, 20),
        ("SOFTSHADOW_RADIUS", BASE + 568, 1.4),
        ("EXPORT_REALTIME_LIGHT", BASE + 588, True),
        ("VPWT_FREQUENCY_0", BASE + 593, 10),
        ("VPWT_FREQUENCY_2", BASE + 595, 0),
        ("VPWT_DIST_XY_0", BASE + 599, 50),
        ("VPWT_BIAS_2", BASE + 607, 50),
        ("REMANENCE_SAMPLING_PERIOD", BASE + 633, 0.02),
        ("LMC_AMBIENT_0", BASE + 639, [0, 0, 0]),
        ("LMC_DIFFUSE_0", BASE + 655, [255, 255, 255]),
        ("INTERFACE_THRESHOLD", BASE + 701, -1.0),
    ],
)
def test_numbers_and_defaults_are_those_of_the_notes(
    name: str, subid: int, default: object
) -> None:
    assert BY_NAME[name].key == nel_key(subid)
    assert BY_NAME[name].default == default


def test_accelerator_shows_its_bits() -> None:
    prop = BY_NAME["ACCEL"]
    expected = {  # 42 = 2 cluster + 8 visible from father + 32 clusterize
        "type": "cluster",
        "father_visible": False,
        "visible_from_father": True,
        "dynamic_portal": False,
        "clusterize": True,
        "audible_not_like_visible": False,
        "father_audible": False,
        "audible_from_father": False,
    }
    assert prop.decode(b"42\0", "cp1252").value == expected
    assert prop.edit(b"42\0", {"clusterize": False}, "cp1252") == b"10\0"
    # 512 has no name and stays.
    assert prop.edit(b"554\0", {"type": "portal"}, "cp1252") == b"553\0"
    assert prop.encode(prop.default, "cp1252") == b"32\0"
