"""Many edits of a biped at once: the same bytes as one after the other, and all or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.biped.edit import (
    key_parameters,
    key_times,
    set_key_parameters,
    set_key_times,
)
from maxsidecar.scene.biped.edit_pose import (
    figure_value,
    key_pose,
    set_figure_value,
    set_key_pose,
)
from maxsidecar.scene.biped.edit_size import bone_size, set_bone_size
from maxsidecar.scene.biped.system import BipedSystem
from tests.support.biped_edit import SIZES, changed, keyed, system_of, words
from tests.support.biped_leaves import floats
from tests.support.biped_scene import BipedScene


def made(folder: Path, records: dict[int, bytes]) -> BipedSystem:
    scene = BipedScene()
    scene.rig(records)
    path = folder / "rig.max"
    path.write_bytes(scene.to_bytes())
    return system_of(maxsidecar.open(path))


@pytest.fixture
def system(tmp_path: Path) -> BipedSystem:
    return made(tmp_path, SIZES | keyed())


#: Thigh and calf of the right leg add up in one number; the clavicle is stored twice; times and
#: their parameters share records, as the bones of a limb do.
EDITS: list[Callable[[BipedSystem], None]] = [
    lambda system: set_bone_size(system, "right_leg.thigh", [4.5, 4.1, 4.2]),
    lambda system: set_bone_size(system, "right_leg.calf", [5.5, 5.1, 5.2]),
    lambda system: set_figure_value(system, "right_arm.clavicle", [1.0, 2.0]),
    lambda system: set_figure_value(system, "right_arm.forearm", [150.0]),
    lambda system: set_figure_value(system, "left_arm.forearm", [140.0]),
    lambda system: set_key_times(system, "left leg", [0, 480, 1600]),
    lambda system: set_key_parameters(system, "left leg", "bias", [1.0, 2.0, 3.0]),
    lambda system: set_key_pose(system, "left leg", "calf", [[1.0], [2.0], [3.0]]),
    lambda system: set_key_pose(system, "vertical", "height", [[1.0, 2.0]] * 3),
]


def test_together_is_the_same_as_one_after_the_other(system: BipedSystem, tmp_path: Path) -> None:
    for edit in EDITS:
        edit(system)
    other = made(tmp_path, SIZES | keyed())
    revision = other.data.revision
    with other.editing():
        for edit in EDITS:
            edit(other)
        assert other.data.revision == revision
        assert bone_size(other, "right_leg.calf")[0] == 5.5
        assert figure_value(other, "right_arm.forearm") == pytest.approx([150.0])
        assert key_times(other, "left leg") == [0, 480, 1600]
        assert key_parameters(other, "left leg", "bias") == [1.0, 2.0, 3.0]
        assert key_pose(other, "vertical", "height") == [[1.0, 2.0]] * 3
    assert other.data.revision == revision + 1
    assert bytes(other.data.data) == bytes(system.data.data)
    assert other.rig.tracks["left leg"].times.tolist() == [0, 480, 1600]


def test_an_error_drops_all_of_them(system: BipedSystem) -> None:
    def edit() -> None:
        with system.editing():
            set_figure_value(system, "right_arm.forearm", [150.0])
            set_figure_value(system, "head", [0.0, 0.0, 0.0, 0.5])

    before = words(system)
    with pytest.raises(EditError, match="no rotation"):
        edit()
    assert not changed(before, words(system))
    set_figure_value(system, "right_arm.forearm", [150.0])
    assert changed(before, words(system))


def test_one_within_another_ends_with_it(system: BipedSystem) -> None:
    def edit() -> None:
        with system.editing():
            with system.editing():
                set_figure_value(system, "right_arm.forearm", [150.0])
            set_figure_value(system, "head", [0.0, 0.0, 0.0, 0.5])

    before = words(system)
    with pytest.raises(EditError, match="no rotation"):
        edit()
    assert not changed(before, words(system))


def test_nothing_changed_writes_nothing(system: BipedSystem) -> None:
    revision = system.data.revision
    with system.editing():
        pass
    assert system.data.revision == revision


def with_tension(first: float, tail: bytes = b"") -> dict[int, bytes]:
    """Return keys of the pelvis, the first with another tension."""
    records = keyed()
    data = bytearray(records[0x0133])
    at = data.index(floats(25.0, 25.0, 25.0))
    data[at : at + 4] = pack("<f", first)
    return records | {0x0133: bytes(data) + tail}


def test_parameters_that_stay_are_not_looked_at(tmp_path: Path) -> None:
    """Files may hold what nobody would write."""
    system = made(tmp_path, with_tension(75.0))
    set_key_parameters(system, "pelvis", "tension", [75.0, 10.0, 25.0])
    assert key_parameters(system, "pelvis", "tension") == [75.0, 10.0, 25.0]
    with pytest.raises(EditError, match="out of range"):
        set_key_parameters(system, "pelvis", "tension", [76.0, 10.0, 25.0])


@pytest.mark.parametrize("tail", [b"a", b"abc"])
def test_bytes_behind_the_times_stay(tmp_path: Path, tail: bytes) -> None:
    system = made(tmp_path, with_tension(25.0, tail))
    before = words(system)
    set_key_times(system, "pelvis", [0, 480, 960])
    set_key_parameters(system, "pelvis", "bias", [25.0, 25.0, 1.0])
    assert bytes(system.rig.sets.live[0x0133].data).endswith(tail)
    assert len(changed(before, words(system))) == 2
    assert key_times(system, "pelvis") == [0, 480, 960]
