"""New controllers with keys have the layout of real ones and pass through their keys."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path
from struct import unpack

import numpy as np
import pytest

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.authoring import SceneBuilder, TransformKeys
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject

SECOND = 4800
POSITIONS = {0: (0.0, 0.0, 0.0), SECOND: (1.0, -2.0, 4.0), 3 * SECOND: (3.0, 0.0, 8.0)}
HALF = 0.5**0.5
ROTATIONS = {0: (0.0, 0.0, 0.0, 1.0), SECOND: (0.0, 0.0, HALF, HALF), 2 * SECOND: (1.0, 0, 0, 0)}
EULER = {0: (0.0, 0.0, 0.0), SECOND: (0.5, -0.25, 7.0)}
SCALES = {0: (1.0, 1.0, 1.0), SECOND: (2.0, 0.5, 1.0), 2 * SECOND: (1.0, 1.0, 4.0)}
SELECTIONS = (0x2532, 0x2533, 0x2534)


def part(keys: TransformKeys, slot: int) -> SceneObject:
    """Position, rotation or scale controller of a transform that was written and read."""
    scene = SceneBuilder()
    index = scene.add_transform(keys=keys)
    file = MaxFile(scene.to_bytes(), lenient=False)
    found = file.scene[index].reference(slot)
    assert found is not None
    return found


def keyed(obj: SceneObject) -> KeyedController:
    assert isinstance(obj, KeyedController)
    return obj


def ids(obj: SceneObject) -> list[int]:
    return [chunk.id for chunk in obj.data.chunks()]


def tracks(file: MaxFile) -> list[KeyedController]:
    found = [obj for obj in file.scene if isinstance(obj, KeyedController)]
    return [obj for obj in found if obj.keys is not None and len(obj.keys)]


@pytest.fixture(scope="module")
def real(corpus_files: tuple[Path, ...]) -> list[KeyedController]:
    """Controllers with keys of releases 4 to 7; the linear ones are all of release 4."""
    files = [maxsidecar.open(path) for path in corpus_files]
    return [t for f in files if 0x2006 <= f.scene.version <= 0x200A for t in tracks(f)]


@pytest.mark.parametrize(
    ("keys", "slot", "release"),
    [
        (TransformKeys(position=POSITIONS), 0, 0x2006),
        (TransformKeys(rotation=ROTATIONS), 1, 0x2006),
        (TransformKeys(euler=EULER), 1, 0x2009),
        (TransformKeys(position=POSITIONS, curve="ease"), 0, 0x2009),
        (TransformKeys(scale=SCALES), 2, 0x200A),
    ],
)
def test_layout_is_that_of_real_controllers(
    real: list[KeyedController], keys: TransformKeys, slot: int, release: int
) -> None:
    made = part(keys, slot)
    if not isinstance(made, KeyedController):
        made = next(iter(made.scene[t] for t in made.references.values()))
    twins = [t for t in real if t.class_id == made.class_id and t.scene.version == release]
    assert twins
    # Release 4 had no key selections yet.
    drop = SELECTIONS if release == 0x2006 else ()
    shapes = {tuple(i for i in ids(twin) if i not in drop) for twin in twins}
    assert tuple(i for i in ids(made) if i not in drop) in shapes
    twin = twins[0]
    assert (made.class_name, made.dll_name) == (twin.class_name, twin.dll_name)
    for chunk in made.data.chunks():
        other = next((c for c in twin.data.chunks() if c.id == chunk.id), None)
        if other is None or chunk.id in SELECTIONS:
            continue
        if 0x2511 <= chunk.id <= 0x2528:
            assert len(chunk.data) * len(keyed(twin).keys) == len(other.data) * len(  # type: ignore[arg-type]
                keyed(made).keys  # type: ignore[arg-type]
            )
        else:
            assert len(chunk.data) == len(other.data)
    flags = {bytes(c.data) for t in twins for c in t.data.chunks() if c.id == 0x3002}
    assert bytes(next(c for c in made.data.chunks() if c.id == 0x3002).data) in flags


def test_selections_are_as_long_as_those_of_real_scenes(real: list[KeyedController]) -> None:
    """u32 number of keys, then bits in words of 32."""
    made = keyed(part(TransformKeys(position=dict.fromkeys(range(33), (0, 0, 0))), 0))
    sizes: dict[int, int] = {}
    for track in [*real, made]:
        for chunk in track.data.chunks():
            if chunk.id in SELECTIONS and chunk.container:
                (inner,) = chunk.chunks()
                (count,) = unpack("<I", bytes(inner.data[:4]))
                assert track.keys is not None
                assert (inner.id, count) == (0x2700, len(track.keys))
                assert sizes.setdefault(count, len(inner.data)) == len(inner.data)
    assert sizes[33] == 4 + 8
    assert len(sizes) > 10


@pytest.mark.parametrize("curve", ["linear", "ease"])
def test_values_at_keys(curve: str) -> None:
    keys = TransformKeys(position=POSITIONS, euler=EULER, scale=SCALES, curve=curve)  # type: ignore[arg-type]
    place, size = part(keys, 0), part(keys, 2)
    for time, value in POSITIONS.items():
        assert np.allclose(place.evaluate(time), value, atol=1e-6)  # type: ignore[attr-defined]
    for time, value in SCALES.items():
        assert np.allclose(size.evaluate(time)[:3], value, atol=1e-6)  # type: ignore[attr-defined]
    turn = part(keys, 1)
    for axis in range(3):
        angle = turn.reference(axis)
        assert angle is not None
        for time, value in EULER.items():
            assert float(keyed(angle).evaluate(time)) == pytest.approx(value[axis], abs=1e-6)


def test_values_between_keys() -> None:
    """A straight line, and 3 t² - 2 t³ with slopes of 0: at a quarter 5/32."""
    line = part(TransformKeys(position=POSITIONS, scale=SCALES), 0)
    assert np.allclose(line.evaluate(SECOND // 4), (0.25, -0.5, 1.0))  # type: ignore[attr-defined]
    size = part(TransformKeys(scale=SCALES), 2)
    assert np.allclose(size.evaluate(SECOND // 4)[:3], (1.25, 0.875, 1.0))  # type: ignore[attr-defined]
    ease = part(TransformKeys(position=POSITIONS, curve="ease"), 0)
    part_of = 5 / 32
    expected = (part_of, -2 * part_of, 4 * part_of)
    assert np.allclose(ease.evaluate(SECOND // 4), expected)  # type: ignore[attr-defined]


def test_linear_angles_are_a_line_whatever_reads_them() -> None:
    """Stored slopes lie on the line, the left one backwards in time."""
    turn = part(TransformKeys(euler={0: (0, 0, 0), 100: (1, 0, 0), 300: (0, 0, 0)}), 1)
    angle = turn.reference(0)
    assert angle is not None
    keys = keyed(angle).keys
    assert keys is not None
    assert np.allclose(keys["out_tangent"][:2], (0.01, -0.005))
    assert np.allclose(keys["in_tangent"][1:], (-0.01, 0.005))


def test_rotations_are_stored_as_conjugates_and_read_as_given() -> None:
    turn = part(TransformKeys(rotation=ROTATIONS), 1)
    table = next(c for c in turn.data.chunks() if c.id == 0x2514)
    # i32 time, u32 flags, quaternion; the second key turns by 90° about z.
    assert unpack("<iI4f", bytes(table.data[24:48])) == pytest.approx(
        (SECOND, 0, 0, 0, -HALF, HALF)
    )
    for time, (x, y, z, w) in ROTATIONS.items():
        found = turn.evaluate(time)  # type: ignore[attr-defined]
        assert abs(float(np.dot(found, (x, y, z, w)))) == pytest.approx(1.0, abs=1e-6)
    half = turn.evaluate(SECOND // 2)  # type: ignore[attr-defined]
    assert np.allclose(half, (0.0, 0.0, sin(pi / 8), cos(pi / 8)), atol=1e-6)


@pytest.mark.parametrize("slot", [0, 1, 2])
def test_stored_value_is_that_of_its_time(slot: int) -> None:
    """Value and interval of one tick, as 3ds Max caches it, at the first key."""
    later = {time + 160: value for time, value in SCALES.items()}
    keys = TransformKeys(position=later, rotation={160: (0, 0, 0.6, 0.8), 320: (0, 0, 0, 1)},
                         scale=later)  # fmt: skip
    found = keyed(part(keys, slot))
    assert found.keys is not None
    assert tuple(found.body.interval or ()) == (160, 160)
    assert tuple(found.body.key_range or ()) == (160, int(found.keys["time"][-1]))
    value = np.asarray(found.body.value, float)[: found.keys["value"].shape[1]]
    assert np.array_equal(value, found.keys["value"][0])


def test_keys_are_put_in_order_and_parts_without_keys_keep_their_value() -> None:
    scene = SceneBuilder()
    backwards = TransformKeys(rotation=dict(reversed(ROTATIONS.items())))
    index = scene.add_transform((1, 2, 3), scale=(2, 2, 2), keys=backwards)
    transform = MaxFile(scene.to_bytes()).scene[index]
    place, turn, size = (transform.reference(slot) for slot in range(3))
    assert place is not None
    assert size is not None
    assert turn is not None
    keys = keyed(turn).keys
    assert keys is not None
    assert keys["time"].tolist() == [0, SECOND, 2 * SECOND]
    assert place.evaluate(0).tolist() == [1, 2, 3]  # type: ignore[attr-defined]
    assert size.evaluate(9)[:3].tolist() == [2, 2, 2]  # type: ignore[attr-defined]


def test_a_single_key_is_a_constant() -> None:
    found = part(TransformKeys(position={50: (1, 2, 3)}, curve="ease"), 0)
    assert found.evaluate(9999).tolist() == [1, 2, 3]  # type: ignore[attr-defined]


def test_bad_keys_are_refused() -> None:
    with pytest.raises(EditError, match="not both"):
        TransformKeys(rotation=ROTATIONS, euler=EULER)
    with pytest.raises(EditError, match="number of values"):
        TransformKeys(position={0: (1, 2)})
    with pytest.raises(EditError, match="finite"):
        TransformKeys(scale={0: (1, 2, float("nan"))})
    with pytest.raises(EditError, match="curve"):
        TransformKeys(curve="bouncy")  # type: ignore[arg-type]
    with pytest.raises(EditError, match="time"):
        TransformKeys(position={2**31: (0, 0, 0)})
    scene = SceneBuilder()
    before = len(scene)
    for keys in (
        TransformKeys(rotation={0: (0, 0, 0, 0)}),
        TransformKeys(position={0: (1e300, 0, 0)}),
        TransformKeys(scale={0: (1e300, 0, 0)}, curve="ease"),
    ):
        with pytest.raises(EditError):
            scene.add_transform(keys=keys)
    assert len(scene) == before
