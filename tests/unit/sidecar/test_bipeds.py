"""Keys of bipeds in sidecars: what cannot be read is told, and what was edited comes back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from maxsidecar.sidecar.extract import Options
from maxsidecar.sidecar.files import apply_file, extract_file
from tests.support.biped_scene import BipedScene, head_keys

OPTIONS = Options(include=frozenset({"biped"}))


def sidecar_of(folder: Path, records: Mapping[int, bytes]) -> Path:
    scene = BipedScene()
    scene.rig(records)
    path = folder / "rig.max"
    path.write_bytes(scene.to_bytes())
    return Path(extract_file(path, options=OPTIONS).path)


def edit(sidecar: Path, old: str, new: str) -> None:
    text = sidecar.read_text(encoding="utf-8")
    assert text.count(old) == 1
    sidecar.write_text(text.replace(old, new), encoding="utf-8")


def test_tracks_that_cannot_be_read(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, head_keys(320, 0))
    text = sidecar.read_text(encoding="utf-8")
    assert 'unreadable = ["keys of head: the times of the keys do not ascend"]' in text
    edit(sidecar, "unreadable = [", 'unreadable = ["mine", ')
    plan, _ = apply_file(sidecar)
    assert not plan.ok
    assert "for information" in str(plan.problems[0])


def test_a_figure_that_cannot_be_read(tmp_path: Path) -> None:
    text = sidecar_of(tmp_path, {0x006C: b""}).read_text(encoding="utf-8")
    assert "biped cannot be read: the centre of mass is not stored" in text


def test_keys_at_one_time_do_not_keep_others_from_moving(tmp_path: Path) -> None:
    sidecar = sidecar_of(tmp_path, head_keys(0, 0, 320))
    scene = tmp_path / "rig.max"
    before = scene.read_bytes()
    edit(sidecar, "times = [0, 0, 320]", "times = [0, 160, 480]")
    plan, _ = apply_file(sidecar)
    assert plan.ok
    assert scene.read_bytes() != before
    edit(sidecar, "times = [0, 160, 480]", "times = [0, 0, 320]")
    plan, _ = apply_file(sidecar)
    assert plan.ok
    assert scene.read_bytes() == before
