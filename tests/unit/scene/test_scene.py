"""The Scene stream: objects, damage and saving, on bytes by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from struct import pack

import pytest

from maxsidecar.errors import ChunkError, DecodeError, EditError, Where
from maxsidecar.io.chunks import NARROW, WIDE
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject, SparseReferences
from maxsidecar.scene.scene import Scene

CLASSES = [
    ClassInfo(0, "Node", ClassId(1), 0x1, -1),
    ClassInfo(1, "Mesh", ClassId(0xE44F10B3), 0x10, 0),
    None,
]
DLLS = ["EPoly.dlo"]
PLACE = Where("a.max", "Scene")
KEY = AppDataKey(1, 2, 3, 4)


def narrow(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (0x80000000 if container else 0)) + body


def wide(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HIQ", chunk_id, 0, len(body) + 14 + ((1 << 63) if container else 0)) + body


def node(name: str, *more: bytes) -> bytes:
    return narrow(0, narrow(0x0962, name.encode("utf-16-le")) + b"".join(more), True)


def appdata(value: bytes) -> bytes:
    key = narrow(0x0120, pack("<5I", 1, 2, 3, 4, len(value)))
    entry = narrow(0x0110, key + narrow(0x0130, value), True)
    return narrow(0x2150, narrow(0x0100, pack("<I", 1)) + entry, True)


MESH = narrow(1, narrow(0x0900, b"geometry"), True)
LEAF = narrow(1, b"payload")
EMPTY = narrow(1)
DERIVED = narrow(0x2032, narrow(0x2034, pack("<2i", 1, -1)), True)
OBJECTS = [node("a"), MESH, LEAF, EMPTY, DERIVED, narrow(2, b"", True), node("b")]
STREAM = narrow(0x2004, b"".join(OBJECTS), True)


def read(data: bytes, *, lenient: bool = True) -> Scene:
    return Scene(data, CLASSES, DLLS, PLACE, lenient=lenient)


def test_objects_by_storage_index() -> None:
    scene = read(STREAM)
    assert scene.version == 0x2004
    assert len(scene) == 7
    assert [obj.class_name for obj in scene] == [
        "Node", "Mesh", "Mesh", "Mesh", "OSM Derived", "?", "Node",
    ]  # fmt: skip
    assert isinstance(scene[0], Node)
    assert scene[-1] is scene[6]
    assert scene[1:3] == [scene[1], scene[2]]
    assert [scene[i].where.path for i in (0, 4)] == ["2004[0]/0000[0]", "2004[0]/2032[4]"]
    for index in (7, -8):
        with pytest.raises(IndexError):
            scene[index]


def test_classes_of_objects() -> None:
    scene = read(STREAM)
    assert (scene[1].class_id, scene[1].superclass) == (ClassId(0xE44F10B3), 0x10)
    assert scene[1].dll_name == "EPoly.dlo"
    assert scene[0].dll_name == ""
    # Class ids of the wrappers: spec, pipeline-max-design section 6.
    derived = scene.class_info(0x2032)
    assert derived is not None
    assert (derived.class_id, derived.superclass) == (ClassId(0x29263A68, 0x405F22F5), 0x1F0)
    world = scene.class_info(0x2033)
    assert world is not None
    assert (world.class_id, world.superclass) == (ClassId(0x4EC13906, 0x5578130E), 0x1F0)
    assert scene[4].is_derived
    assert not scene[1].is_derived
    assert scene[5].class_id is None
    assert scene.class_info(2) is None
    assert scene.class_info(999) is None
    assert [obj.index for obj in scene.of_superclass(0x1)] == [0, 6]
    assert [obj.index for obj in scene.of_superclass(0x1F0, 0x10)] == [1, 2, 3, 4]


def test_references_dense_and_sparse() -> None:
    sparse = narrow(1, narrow(0x2035, pack("<I4i", 9, 3, 1, 5, -1)), True)
    bad = narrow(1, narrow(0x2034, b"123"), True)
    outside = narrow(1, narrow(0x2034, pack("<2i", 0, 99)), True)
    scene = read(narrow(0x2004, DERIVED + MESH + sparse + bad + outside, True))
    assert scene[0].references == {0: 1}
    assert scene[0].reference(0) is scene[1]
    assert scene[0].reference(1) is None
    assert scene[2].references == {3: 1}
    assert scene[2].sparse_references == (9, {3: 1, 5: -1})
    assert scene[1].references == {}
    assert scene[4].reference(0) is scene[0]
    assert scene[4].reference(1) is None
    with pytest.raises(DecodeError) as caught:
        scene[3].references  # noqa: B018 - reading is the test
    assert caught.value.where.path == "2004[0]/0001[3]/2034[0]"


def test_sparse_references_out_of_range_are_refused() -> None:
    codec = SparseReferences()
    for value in ((2**32, {}), (0, {2**31: 0}), (0, {0: -(2**31) - 1})):
        with pytest.raises(EditError):
            codec.encode(value)
    with pytest.raises(DecodeError):
        codec.verified(pack("<I4i", 0, 1, 5, 1, 6))  # a slot twice


# --- saving ----------------------------------------------------------------------------------


def test_a_scene_that_nobody_edited_is_the_bytes_that_were_read() -> None:
    scene = read(STREAM)
    list(scene.appdata())
    assert scene.encode() is STREAM
    assert not scene.edited


def test_edits_of_several_objects_change_only_those() -> None:
    scene = read(STREAM)
    scene[6].appdata.set(KEY, b"value")
    first = scene[0]
    assert isinstance(first, Node)
    first.name = "a longer name"
    assert scene.edited_objects() == [scene[0], scene[6]]
    assert scene.encode() == narrow(
        0x2004,
        node("a longer name")
        + b"".join(OBJECTS[1:6])
        + narrow(0, appdata(b"value") + narrow(0x0962, b"b\0"), True),
        True,
    )
    first.name = "a"
    scene[6].appdata.remove(KEY)
    assert not scene.edited
    assert scene.encode() is STREAM


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (pack("<HIQ", 0x2029, 1, 2**64 - 1), b""),
        (pack("<HI", 0x2029, 0xFFFFFFFF), b""),
        (pack("<HI", 0x2004, (6 + len(b"".join(OBJECTS))) | 0x80000000), narrow(0x77, b"tail")),
    ],
)
def test_the_root_keeps_its_form_and_what_follows_it(head: bytes, tail: bytes) -> None:
    scene = read(head + b"".join(OBJECTS) + tail)
    assert len(scene) == 7
    first = scene[0]
    assert isinstance(first, Node)
    first.name = "aa"
    new = bytearray(head)
    if tail:
        new[2] += 2
    assert scene.encode() == bytes(new) + node("aa") + b"".join(OBJECTS[1:]) + tail


def test_wide_objects_stay_wide() -> None:
    objects = wide(0, wide(0x0962, b"a\0"), True) + wide(1, wide(0x0900, b"x"), True)
    scene = read(wide(0x200E, objects, True))
    scene[1].appdata.set(KEY, b"v")
    key = wide(0x0120, pack("<5I", 1, 2, 3, 4, 1))
    entry = wide(0x0110, key + wide(0x0130, b"v"), True)
    added = wide(0x2150, wide(0x0100, pack("<I", 1)) + entry, True)
    assert scene.encode() == wide(
        0x200E,
        wide(0, wide(0x0962, b"a\0"), True) + wide(1, added + wide(0x0900, b"x"), True),
        True,
    )


def test_an_empty_container_takes_the_form_of_its_own_header() -> None:
    for make, form in ((narrow, NARROW), (wide, WIDE)):
        scene = read(make(0x2004, make(1, b"", True), True))
        scene[0].appdata.set(KEY, b"v")
        (chunk,) = scene[0].chunks()
        assert chunk.form == form
        assert {part.form for part in chunk.chunks()} == {form}


def test_objects_without_chunks_refuse_edits_and_keep_their_payload() -> None:
    scene = read(STREAM)
    for index in (2, 3):
        assert list(scene[index].chunks()) == []
        assert list(scene[index].appdata) == []
        with pytest.raises(EditError, match="holds no chunks") as caught:
            scene[index].appdata.set(KEY, b"x")
        assert caught.value.where.path == f"2004[0]/0001[{index}]"
        with pytest.raises(EditError, match="holds no chunks"):
            scene[index].insert(0x2150, b"")
        with pytest.raises(EditError, match="holds no chunks"):
            scene[index].data.replace_all(b"")
    assert scene.encode() is STREAM


# --- damage ----------------------------------------------------------------------------------


def test_objects_in_front_of_the_damage_are_read() -> None:
    bad = narrow(1, b"abc")[:-1]
    data = narrow(0x2004, node("a") + MESH + bad, True)
    scene = read(data)
    assert len(scene) == 2
    (problem,) = scene.problems
    assert problem.where == Where("a.max", "Scene", "2004[0]", 6 + len(node("a")) + len(MESH))
    scene[1].appdata.set(KEY, b"v")
    edited = narrow(1, appdata(b"v") + narrow(0x0900, b"geometry"), True)
    assert scene.encode() == narrow(0x2004, node("a") + edited + bad, True)
    with pytest.raises(ChunkError) as caught:
        read(data, lenient=False)
    assert str(caught.value) == str(problem)


@pytest.mark.parametrize("make", [narrow, wide])
def test_a_scene_that_is_cut_short_is_read_only(
    make: Callable[[int, bytes, bool], bytes],
) -> None:
    data = make(0x2004, node("a") + MESH, True)[:-3]
    scene = read(data)
    assert [obj.index for obj in scene] == [0]
    assert len(scene.problems) == 2  # the root's size, and the object that is cut
    with pytest.raises(EditError, match="cut short"):
        scene[0].appdata.set(KEY, b"v")
    assert scene.encode() is data


def test_rubbish_behind_the_root_is_kept() -> None:
    data = narrow(0x2004, node("a"), True) + b"\1\2\3"
    scene = read(data)
    assert len(scene.problems) == 1
    first = scene[0]
    assert isinstance(first, Node)
    first.name = "aa"
    assert scene.encode() == narrow(0x2004, node("aa"), True) + b"\1\2\3"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\4\x20",
        narrow(0x2004, b"no container"),
        narrow(0x2004, b"no container") + b"\1",
        wide(0x2004, b"no container") + b"\1",
        bytes.fromhex("0420 00000000 0d"),
        bytes.fromhex("0420 00000000 0d00000000000080"),
        bytes.fromhex("0420 05000080"),
    ],
)
def test_what_has_no_root_is_no_scene(data: bytes) -> None:
    for lenient in (True, False):
        with pytest.raises(ChunkError) as caught:
            read(data, lenient=lenient)
        assert (caught.value.where.file, caught.value.where.stream) == ("a.max", "Scene")


def test_a_damaged_object_does_not_stop_the_others() -> None:
    damaged = narrow(1, appdata(b"v") + b"bad", True)
    scene = read(
        narrow(0x2004, node("a", appdata(b"1")) + damaged + node("b", appdata(b"2")), True)
    )
    for _ in range(2):
        assert [(obj.index, item.value) for obj, item in scene.appdata()] == [(0, b"1"), (2, b"2")]
    (problem,) = scene.problems
    assert problem.where.path == "2004[0]/0001[1]"
    assert isinstance(scene[1], SceneObject)
    with pytest.raises(EditError, match="AppData is read-only: bytes are left over"):
        scene[1].appdata.set(KEY, b"v")


def test_many_damaged_objects_take_linear_time() -> None:
    damaged = narrow(1, narrow(0x2150) + b"bad", True)
    count = 30_000
    scene = read(narrow(0x2004, damaged * count, True))
    started = time.process_time()
    assert list(scene.objects_with_appdata()) == []
    assert list(scene.objects_with_appdata()) == []
    # Comparing every problem with all others takes half an hour.
    assert time.process_time() - started < 30
    assert len(scene.problems) == count


def test_the_id_of_appdata_in_other_data_is_no_hit() -> None:
    id_bytes = pack("<H", 0x2150)
    fake = narrow(1, narrow(0x0900, id_bytes * 5 + appdata(b"x")), True)
    nested = narrow(1, narrow(0x0901, appdata(b"x"), True), True)
    scene = read(narrow(0x2004, fake + nested + node("a", appdata(b"1")) + LEAF, True))
    assert [obj.index for obj in scene.objects_with_appdata()] == [2]
    scene[2].appdata.remove(KEY)
    scene[0].appdata.set(KEY, b"new")
    assert [(obj.index, item.value) for obj, item in scene.appdata()] == [(0, b"new")]
