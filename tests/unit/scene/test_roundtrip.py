"""The round-trip gate finds what it is there for."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.io import compound_patch
from maxsidecar.io.codecs import Fixed
from maxsidecar.io.index import ChunkIndex
from maxsidecar.scene import roundtrip, roundtrip_edit
from maxsidecar.scene.appdata import AppData
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.node import Node
from maxsidecar.scene.roundtrip import CheckResult, check_bytes, check_file
from tests.fuzz.bases import authored_bases, small_bases

PATH = Path("x.max")


@pytest.mark.parametrize("number", range(4))
def test_sound_scenes_in_every_packing(number: int) -> None:
    for base in (small_bases()[number], authored_bases()[number]):
        result = check_bytes(base.data, PATH)
        assert (result.status, result.problems) == ("ok", [])
        assert result.compressed is (number >= 2)
        assert result.release == "6"


def test_counts_of_a_scene_by_hand() -> None:
    scene = SceneBuilder(title="x")
    count = 5
    for number in range(count):
        scene.add_node(f"n{number}", scene.add_dummy(1.0))
    one, more = (check_bytes(data, PATH) for data in (_with_nodes(1), _with_nodes(1 + count)))
    # A node, its dummy and its transform (PRS and three controllers) come with each.
    per_node = (more.objects - one.objects) / count
    assert per_node == int(per_node) >= 2
    assert more.typed_objects > one.typed_objects
    assert more.scene_bytes > one.scene_bytes
    assert more.streams == one.streams


def _with_nodes(count: int) -> bytes:
    scene = SceneBuilder(title="x")
    for number in range(count):
        scene.add_node(f"n{number}", scene.add_dummy(1.0))
    return scene.to_bytes()


def test_scene_without_nodes() -> None:
    result = check_bytes(SceneBuilder(title="empty").to_bytes(), PATH)
    assert (result.status, result.problems) == ("ok", [])


@pytest.mark.parametrize("data", [b"", b"text", bytes(4096), b"version https://git-lfs"])
def test_what_is_no_scene(data: bytes) -> None:
    result = check_bytes(data, PATH)
    assert result.status == "not-max"
    assert len(result.problems) == 1


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    result = check_file(tmp_path)
    assert result.status == "failed"
    assert "cannot be read" in result.problems[0]


def test_results_travel_between_processes() -> None:
    result = check_bytes(b"text", PATH)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes


def _sample() -> CheckResult:
    return check_bytes(authored_bases()[0].data, PATH)


Break = Callable[[pytest.MonkeyPatch], None]


def _lossy_rebuild(monkeypatch: pytest.MonkeyPatch) -> None:
    rebuild = ChunkIndex.rebuild
    monkeypatch.setattr(ChunkIndex, "rebuild", lambda self: rebuild(self)[:-1] + b"?")


def _lossy_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    encode: Any = Fixed.encode
    monkeypatch.setattr(Fixed, "encode", lambda self, value: bytes(len(encode(self, value))))


def _stray_write(monkeypatch: pytest.MonkeyPatch) -> None:
    patch = compound_patch.patch

    def broken(compound: Any, changes: Any) -> list[Any]:
        data = bytearray(b"".join(patch(compound, changes)))
        # The last byte of the file lies in some other stream, or behind all of them.
        data[-1] ^= 1
        return [bytes(data)]

    monkeypatch.setattr(roundtrip, "patch", broken)


def _edit_of_another_object(monkeypatch: pytest.MonkeyPatch) -> None:
    set_flag = Node.set_flag

    def broken(self: Node, name: str, value: bool) -> None:
        set_flag(self, name, value)
        for other in self.scene.nodes.values():
            if other.index != self.index and other.parent_link is not None:
                other.name = other.name + "x"
                return

    monkeypatch.setattr(Node, "set_flag", broken)


def _edit_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Node, "set_flag", lambda self, name, value: None)


def _removal_that_leaves_something(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: AppData, key: Any, *, occurrence: int = 0) -> None:
        self.set(key, b"left over\0", occurrence=occurrence)

    monkeypatch.setattr(AppData, "remove", broken)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (_lossy_rebuild, "rebuilt from its index is another one"),
        (_lossy_codec, "would not be written the same"),
        (_stray_write, "writing the rebuilt streams changes the file"),
        (_edit_of_another_object, "changed another one"),
        (_edit_that_is_lost, "was switched, but reads as before"),
        (_removal_that_leaves_something, "or its reversal, changed 'Scene'"),
    ],
)
def test_faults_are_found(break_it: Break, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _sample().status == "ok"
    break_it(monkeypatch)
    result = _sample()
    assert result.status == "failed"
    assert any(message in problem for problem in result.problems), result.problems
    assert all(problem.startswith("x.max") for problem in result.problems)


def test_problems_are_counted_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roundtrip, "MAX_PROBLEMS", 3)
    _lossy_codec(monkeypatch)
    problems = _sample().problems
    assert len(problems) == 4
    assert problems[-1].endswith("more problems are not listed")


def test_free_appdata_keys_are_used() -> None:
    keys = roundtrip_edit._KEYS
    assert len(set(keys)) == len(keys) > 1
