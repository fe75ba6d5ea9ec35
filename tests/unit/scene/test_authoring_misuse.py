"""Whatever the builder of scenes is given, a sound scene comes out, or an error that says why."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import NewClass, NodeLook, Plugin, SceneBuilder, TransformKeys
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.roundtrip import check_bytes

NAN, INF = float("nan"), float("inf")
QUAD = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
FACES = [(0, 1, 2), (2, 3, 0)]
THING = NewClass("Thing", 0x1234, 0x5678, 0x200)
KEY = AppDataKey(1, 2, 3, 4)
ENDLESS: list[Any] = []
ENDLESS.append((1, ENDLESS))

#: Things of all sorts.
ANYTHING: list[Any] = [
    None, True, 0, 3, -1, 1.5, NAN, INF, 1e39, 2**31, 2**32, 2**64, 2**2000, 10**5000, 1j,
    "", "x", "a\0b", "\ud800", "дом", "5", b"", b"xx", bytearray(b"x"),
    [], [1], [1, 2, 3], [None], ["x"], [[1]], [(1, 2)], [NAN, 0, 0], [2**2000, 0, 0],
    ["a", "b", "c"],
    [(1, b""), 5], [(70000, b"")], [(1, "xx")], [(-1, b"")], [(1, None)], [(1.5, b"")], ENDLESS,
    {}, {1: 2}, {-1: 0}, {"a": "b"}, {"a": "b\r\nhidden = 1"}, {"c=d": "e"}, {" a": "b"}, {"a": 5},
    {"a": "b\0"}, {2**40: 0}, {1.5: (1, 2, 3)}, {0: "abc"}, {0: (1, 2, 3)},
    {1}, (0, 0, 0), (1, 2), object(), object, len, iter([1]), range(3), range(2**40),
    np.float32(2.5), np.float32(NAN), np.int64(1), np.zeros(3), np.zeros((2, 3)), np.asarray(5.0),
    np.asarray(["a"]), NodeLook(), TransformKeys(), KEY, THING, datetime(2020, 1, 1),
    NodeLook(wire_color=(1, 2)),  # type: ignore[arg-type]
    NodeLook(wire_color=(1, 2, 256)), NodeLook(wire_color=5),  # type: ignore[arg-type]
    NodeLook(hidden="yes"),  # type: ignore[arg-type]
]  # fmt: skip


def builder() -> SceneBuilder:
    """A scene with an object of each kind: box 6, node 11, transform 17, material 27, map 34."""
    scene = SceneBuilder()
    scene.add_node("n", scene.add_box(1, 1, 1))
    scene.add_transform()
    scene.add_standard_material("m")
    scene.add_bitmap_map("C:\\a.tga", (1, 1))
    return scene


#: Calls that are right, by the method's name.
CALLS: dict[str, dict[str, Any]] = {
    "add_layer": {"name": "walls"},
    "add_box": {"length": 1, "width": 2, "height": 3},
    "add_sphere": {"radius": 1, "segments": 8},
    "add_dummy": {"size": 1},
    "add_node": {"name": "x", "shows": 6},
    "add_transform": {},
    "add_standard_material": {"name": "x"},
    "add_multi_material": {"name": "x", "slots": [(0, None, "a")]},
    "add_bitmap_map": {"path": "C:\\x.tga", "size": (2, 2)},
    "add_mesh": {"vertices": QUAD, "faces": FACES},
    "add_object": {"new": THING},
    "add_appdata": {"index": 6, "key": KEY, "value": b"x"},
    "require": {"index": 6, "what": "it", "superclasses": 0x10},
    "class_of": {"index": 6},
    "add_class": {"new": THING},
}


def test_every_method_is_called_here() -> None:
    methods = {n for n, _ in inspect.getmembers(SceneBuilder, inspect.isfunction) if n[0] != "_"}
    assert methods - {"to_bytes"} == set(CALLS)


@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("add_")])
def test_anything_for_any_argument(name: str) -> None:
    parameters = list(inspect.signature(getattr(SceneBuilder, name)).parameters)[1:]
    made = 0
    for parameter in parameters:
        scene = builder()
        for value in ANYTHING:
            before = len(scene)
            try:
                getattr(scene, name)(**{**CALLS[name], parameter: value})
                made += 1
            except EditError as error:
                left, message = len(scene), str(error)
                assert (left, len(message) < 1000) == (before, True), (parameter, value)
        # What was taken is fit to be written, all of it.
        data = scene.to_bytes()
        assert check_bytes(data, Path("memory.max")).problems == [], parameter
        assert len(MaxFile(data).scene) > len(scene)
    assert made


@pytest.mark.parametrize("parameter", ["title", "saved", "version", "compression"])
def test_anything_for_a_setting(parameter: str) -> None:
    for value in [*ANYTHING, datetime(1500, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)]:
        try:
            scene = SceneBuilder(**{parameter: value})
        except EditError:
            continue
        assert MaxFile(scene.to_bytes()).scene
    scene = SceneBuilder()
    for value in [*ANYTHING, (1, 1, 5), (0, 1, b""), (2, 2, b"x"), (2**2000, 1, b"")]:
        scene.thumbnail = value
        try:
            scene.to_bytes()
        except EditError:
            continue
        assert value is None


@pytest.mark.parametrize("name", ["position", "rotation", "euler", "scale", "curve"])
def test_anything_for_keys(name: str) -> None:
    for value in ANYTHING:
        try:
            keys = TransformKeys(**{name: value})
        except EditError:
            continue
        scene = SceneBuilder()
        try:
            scene.add_transform(keys=keys)
        except EditError:
            continue
        assert check_bytes(scene.to_bytes(), Path("memory.max")).problems == []


@pytest.mark.parametrize("value", ANYTHING, ids=lambda value: type(value).__name__)
def test_anything_for_a_class(value: Any) -> None:
    makers: list[Callable[[], NewClass]] = [
        lambda: NewClass(value, 1, 2, 3),
        lambda: NewClass("a", value, 2, 3),
        lambda: NewClass("a", 1, value, 3),
        lambda: NewClass("a", 1, 2, value),
        lambda: NewClass("a", 1, 2, 3, value),
        lambda: NewClass("a", 1, 2, 3, Plugin(value, "x.dlo")),
        lambda: NewClass("a", 1, 2, 3, Plugin("x", value)),
    ]
    for make in makers:
        try:
            new = make()
        except EditError:
            continue
        scene = SceneBuilder()
        scene.add_object(new)
        assert MaxFile(scene.to_bytes()).scene


WRONG: list[tuple[Callable[[SceneBuilder], object], str]] = [
    (lambda s: s.add_mesh(None, FACES), "the vertices is wrong"),  # type: ignore[arg-type]
    (lambda s: s.add_mesh(QUAD, FACES, uv=3), "mapping is wrong"),  # type: ignore[arg-type]
    (lambda s: s.add_mesh(QUAD, FACES, uv=(QUAD, None)), "mapping"),  # type: ignore[arg-type]
    (lambda s: s.add_mesh(QUAD, FACES, material_ids=[1.5, 0]), "material ids"),  # type: ignore[list-item]
    (lambda s: s.add_mesh(QUAD, [(0, 1, 9)]), "a corner"),
    (lambda s: s.add_mesh([(0, 0, INF)], []), "finite"),
    (lambda s: s.add_dummy("x"), "the size of a Dummy"),  # type: ignore[arg-type]
    (lambda s: s.add_dummy(2**2000), "the size of a Dummy"),
    (lambda s: s.add_sphere(1, -1), "segments"),
    (lambda s: s.add_sphere(1, 0), "segments"),
    (lambda s: s.add_sphere(1, 201), "segments"),
    (lambda s: s.add_transform(5), "the position"),  # type: ignore[arg-type]
    (lambda s: s.add_multi_material("m", [(0, None)]), "id, material and name"),  # type: ignore[list-item]
    (lambda s: s.add_layer("0"), "there is a layer"),
    (lambda s: s.add_layer("a\0b"), "NUL"),
    (lambda s: s.add_standard_material("a\0b"), "NUL"),
    (lambda s: s.add_standard_material("m", diffuse=(NAN, 0, 0)), "finite"),
    (lambda s: s.add_standard_material("m", opacity=NAN), "finite"),
    (lambda s: s.add_node("n", 6, user_properties="x\0y"), "NUL"),
    (lambda s: s.add_node("n", 6, user_properties={"a": "b\r\nhidden = 1"}), "read as others"),
    (lambda s: s.add_node("n", 6, user_properties={"c=d": "e"}), "read as others"),
    (lambda s: s.add_node("n", 6, parent="x"), "whole number"),  # type: ignore[arg-type]
    (lambda s: s.add_node("n", 6, parent=1.5), "whole number"),  # type: ignore[arg-type]
    (lambda s: s.add_object(THING, [(70000, b"")]), "the id of a chunk"),
    (lambda s: s.add_object(THING, [(1, "xx")]), "a run of chunks"),  # type: ignore[list-item]
    (lambda s: s.add_object(THING, (), {-1: 6}), "a reference slot"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_the_error_says_what_is_wrong(call: Callable[[SceneBuilder], object], message: str) -> None:
    scene = builder()
    before = scene.to_bytes()
    with pytest.raises(EditError, match=message):
        call(scene)
    assert scene.to_bytes() == before


def test_numpy_is_as_good_as_lists() -> None:
    plain, arrays = SceneBuilder(), SceneBuilder()
    plain.add_mesh(QUAD, FACES, material_ids=[0, 2], uv=(QUAD, FACES))
    quad, faces = np.asarray(QUAD, "f4"), np.asarray(FACES, "i8")
    arrays.add_mesh(quad, faces, material_ids=np.asarray([0, 2], "u2"), uv=(quad, faces))  # type: ignore[arg-type]
    for scene, three in ((plain, [1, 2, 3]), (arrays, np.asarray([1, 2, 3], "f4"))):
        scene.add_transform(three, three, three)  # type: ignore[arg-type]
        scene.add_standard_material("m", diffuse=three)  # type: ignore[arg-type]
    assert plain.to_bytes() == arrays.to_bytes()
