"""New scenes have the layout of real ones, and hold what was put in."""

from __future__ import annotations

import io
import warnings
from collections import defaultdict
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Literal

import compoundfiles
import numpy as np
import olefile
import pytest

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder, TransformKeys
from maxsidecar.scene.directories import ClassInfo
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.roundtrip import check_bytes
from tests.support.layouts import Shape, shape, shapes

RELEASE = 0x2009
KEY = AppDataKey(1, 2, 3, 4)


def full_scene() -> SceneBuilder:
    scene = SceneBuilder(title="T")
    box = scene.add_node("box", scene.add_box(1, 2, 3), user_properties={"a": "1"})
    scene.add_node("ball", scene.add_sphere(5), parent=box, look=NodeLook(hidden=True))
    scene.add_node("helper", scene.add_dummy(2), look=NodeLook(frozen=True))
    return scene


@pytest.fixture(scope="module")
def real(corpus_files: tuple[Path, ...]) -> list[MaxFile]:
    """Every real scene of the release, and of the one before and after it."""
    files = [maxsidecar.open(path) for path in corpus_files]
    near = [file for file in files if abs(file.scene.version - RELEASE) <= 1]
    assert sum(file.scene.version == RELEASE for file in near) >= 10
    return near


def test_every_object_has_the_chunks_of_a_real_one(real: list[MaxFile]) -> None:
    drop = frozenset({0x2150, 0x21B0})  # AppData and custom attributes are up to the user
    known: dict[str, set[Shape]] = defaultdict(set)
    for file in real:
        if file.scene.version == RELEASE:
            for name, found in shapes(file, drop):
                known[name].add(found)
    made = dict.fromkeys(shapes(MaxFile(full_scene().to_bytes()), drop))
    dummy = f"{0x876234:x}/0/{0x50}"
    # No scene of this very release holds a Dummy; those before and after it do.
    known[dummy] = {found for file in real for name, found in shapes(file, drop) if name == dummy}
    assert known[dummy]
    wrong = [(name, found) for name, found in made if found not in known[name]]
    assert not wrong
    assert len({name for name, _ in made}) > 25


def test_every_class_is_that_of_real_scenes(real: list[MaxFile]) -> None:
    known: dict[object, ClassInfo] = {}
    for file in real:
        known |= {(info.class_id, info.superclass): info for info in file.classes if info}
    made = MaxFile(full_scene().to_bytes())
    assert made.class_directory is not None
    for info in made.classes:
        assert info is not None
        twin = known[info.class_id, info.superclass]
        assert info.name == twin.name
        assert (info.dll == -1) == (twin.dll == -1)


def test_other_streams_have_the_layout_of_real_ones(real: list[MaxFile]) -> None:
    made = MaxFile(full_scene().to_bytes())
    for name in ("Config", "VideoPostQueue", "DllDirectory"):
        ours = {shape(c)[0]: shape(c) for c in made.streams[name].chunks.chunks()}
        order = [c.id for c in made.streams[name].chunks.chunks()]
        found = [
            [c.id for c in file.streams[name].chunks.chunks()]
            for file in real
            if file.scene.version == RELEASE
        ]
        if name == "DllDirectory":
            assert all(ids[0] == order[0] and set(ids[1:]) == set(order[1:]) for ids in found)
            continue
        assert order in found
        # The big ones leaf by leaf; windows of editors are left out on purpose.
        for chunk_id in (0x20B0, 0x2080, 0x20D0, 0x2160, 0x20E0) if name == "Config" else ():
            theirs = {
                shape(c)
                for file in real
                if file.scene.version == RELEASE
                for c in file.streams[name].chunks.chunks()
                if c.id == chunk_id
            }
            assert ours[chunk_id] in theirs, f"{chunk_id:04x}"


def test_same_streams_in_the_same_order(real: list[MaxFile]) -> None:
    made = list(MaxFile(full_scene().to_bytes()).streams)
    orders = [list(file.streams) for file in real if file.scene.version == RELEASE]
    assert made in orders


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("compression", [None, "gzip", "zstd"])
def test_round_trip(version: Literal[3, 4], compression: Literal["gzip", "zstd"] | None) -> None:
    scene = SceneBuilder(version=version, compression=compression)
    parent = scene.add_node("a.b", scene.add_box(1, 2, 3), user_properties={"k": "v"})
    child = scene.add_node("c", scene.add_sphere(4), parent=parent, look=NodeLook(True, True))
    scene.add_appdata(child, KEY, b"xyz")
    scene.add_appdata(child, KEY, b"again")
    data = scene.to_bytes()
    file = MaxFile(data, lenient=False)
    assert file.compound.version == version
    assert file.streams["Scene"].packing == (compression or "plain")
    assert file.release == "6"
    assert [(d, n.name) for d, n in file.nodes.walk()] == [(0, ""), (1, "a.b"), (2, "c")]
    node = file.scene.node(child)
    assert [(item.key, item.value) for item in node.appdata] == [(KEY, b"xyz"), (KEY, b"again")]
    assert node.appdata.problems() == []
    assert (node.flag("hidden"), node.flag("frozen")) == (True, True)
    assert file.scene.node(parent).user_properties == {"k": "v"}
    assert [n.handle for n in file.nodes.values()] == [None, 1, 2]
    assert node.layer is not None
    assert node.layer.name == "0"
    for stream in file.streams.values():
        if stream.view is not None:
            assert all(shape(chunk) for chunk in stream.view.chunks())


@pytest.mark.parametrize("version", [3, 4])
def test_other_readers_open_it(version: Literal[3, 4], tmp_path: Path) -> None:
    data = SceneBuilder(version=version).to_bytes()
    path = tmp_path / "new.max"
    path.write_bytes(data)
    with olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_UNSURE) as ole:
        assert ole.openstream("VideoPostQueue").read() == bytes.fromhex(
            "50000a00000000000000600006000000"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with compoundfiles.CompoundFileReader(str(path)) as reader:
            assert {entry.name for entry in reader.root} >= {"Scene", "Config"}


def test_title_and_thumbnail_are_read_by_others() -> None:
    scene = SceneBuilder(title="Straße 日本")
    scene.thumbnail = (2, 1, b"\x01\x02\x03\x04\x05\x06\0\0")
    with olefile.OleFileIO(io.BytesIO(scene.to_bytes())) as ole:
        raw = ole.openstream("\x05SummaryInformation").read()
        picture = ole.getproperties("\x05SummaryInformation")[17]
    assert "Straße 日本\0".encode("utf-16-le") in raw
    # A 2 x 1 picture: 108 bytes around rows of 8 (docs/format/streams.md, section 8).
    assert len(picture) == 108 + 8
    assert b"\x01\x02\x03\x04\x05\x06\0\0" in picture


def test_same_calls_give_the_same_bytes() -> None:
    assert full_scene().to_bytes() == full_scene().to_bytes()


def test_writing_twice_and_going_on_is_possible() -> None:
    scene = full_scene()
    first = scene.to_bytes()
    assert scene.to_bytes() == first
    scene.add_node("more", scene.add_sphere(1))
    assert len(MaxFile(scene.to_bytes()).nodes) == len(MaxFile(first).nodes) + 1


def test_what_comes_later_cannot_be_referred_to() -> None:
    scene = SceneBuilder()
    with pytest.raises(EditError, match="before"):
        scene.add_object(NewClass("X", 1, 2, 3), (), [len(scene)])
    with pytest.raises(EditError, match="parent"):
        scene.add_node("n", scene.layer, parent=scene.layer)
    with pytest.raises(EditError, match="name"):
        scene.add_node("", scene.layer)
    with pytest.raises(EditError, match="half"):
        scene.add_node("\ud800", scene.add_box(1, 1, 1))
    with pytest.raises(EditError, match="fit"):
        scene.add_box(1e300, 1, 1)


@pytest.mark.parametrize("number", [nan, inf, -inf, np.float32(nan)])
def test_numbers_must_be_finite(number: float) -> None:
    scene = SceneBuilder()
    before = scene.to_bytes()
    calls: list[Callable[[], object]] = [
        lambda: scene.add_transform(position=(number, 0, 0)),
        lambda: scene.add_transform(euler=(0, number, 0)),
        lambda: scene.add_transform(scale=(1, 1, number)),
        lambda: scene.add_box(1, number, 1),
        lambda: scene.add_sphere(number),
        lambda: scene.add_dummy(number),
        lambda: scene.add_mesh([(0, 0, 0), (1, 0, 0), (0, number, 0)], [(0, 1, 2)]),
        lambda: scene.add_standard_material("m", opacity=number),
        lambda: scene.add_standard_material("m", diffuse=(number, 0, 0)),
        lambda: TransformKeys(position={0: (0, 0, number)}),
    ]
    for call in calls:
        with pytest.raises(EditError):
            call()
        assert scene.to_bytes() == before


def test_a_node_is_made_of_what_belongs_there() -> None:
    scene = SceneBuilder()
    box, dummy, transform = scene.add_box(1, 1, 1), scene.add_dummy(1), scene.add_transform()
    material, layer = scene.add_standard_material("m"), scene.add_layer("walls")
    before, count = scene.to_bytes(), len(scene)
    calls: list[Callable[[], object]] = [
        lambda: scene.add_node("n", material),
        lambda: scene.add_node("n", transform),
        lambda: scene.add_node("n", scene.root),
        lambda: scene.add_node("n", box, transform=box),
        lambda: scene.add_node("n", box, transform=material),
        lambda: scene.add_node("n", box, layer=box),
        lambda: scene.add_node("n", box, layer=scene.root),
        lambda: scene.add_node("n", box, material=box),
        lambda: scene.add_node("n", box, parent=dummy),
        lambda: scene.add_node("n", box, parent=10**6),
        lambda: scene.add_node("n", -1),
        lambda: scene.add_node("n", box, look=NodeLook(wire_color=(1, 2, 256))),
        lambda: scene.add_sphere(1, 0),
    ]
    for call in calls:
        with pytest.raises(EditError):
            call()
        assert len(scene) == count
    assert scene.to_bytes() == before
    scene.add_node("n", box, transform=transform, layer=layer, material=material)
    assert check_bytes(scene.to_bytes(), Path("memory.max")).problems == []
