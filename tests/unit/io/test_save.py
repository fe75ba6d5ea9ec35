"""Saving: the old file or the new one, whole, whatever fails and whenever the process dies."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.errors import CompoundFileError, FileChangedError, SaveError
from maxsidecar.io import save
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.io.compound_patch import patch
from maxsidecar.io.save import WrittenFile, save_segments, stamp

OLD = build([NewEntry("Scene", random.Random(1).randbytes(50_000))], version=4)
NEW = build([NewEntry("Scene", random.Random(2).randbytes(90_000))], version=4)
POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions, links or signals")
NAMES = pytest.mark.parametrize("name", ["scene.max", "two words.max", "호랑이 сцена.max", "noext"])


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "scene.max"
    path.write_bytes(OLD)
    return path


@NAMES
def test_new_file_and_replaced_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save_segments(path, [OLD])
    assert path.read_bytes() == OLD
    save_segments(str(path), [NEW[:5000], memoryview(NEW)[5000:9000], bytearray(NEW[9000:])])
    assert path.read_bytes() == NEW
    assert names(tmp_path) == [name]


def test_patched_segments_with_everything(target: Path) -> None:
    data = target.read_bytes()
    compound = CompoundFile.open(data)
    body = b"new" * 9000
    seen: list[bool] = []

    def look(written: WrittenFile) -> None:
        assert written.streams == list(compound.streams)
        seen.append(written.holds("Scene", body))
        seen.append(written.holds("Scene", [body[:5], b"", memoryview(body)[5:]]))
        seen.append(written.holds("Scene", body[:-1]))
        seen.append(written.holds("Scene", [body[:-1], b"x"]))

    mark = save_segments(
        target,
        patch(compound, {"Scene": [body[:100], body[100:]]}),
        stamp=stamp(target, data),
        backup=True,
        verify=look,
    )
    assert seen == [True, True, False, False]
    assert mark.sha256 == hashlib.sha256(target.read_bytes()).hexdigest()
    assert mark.matches(target)
    assert CompoundFile.open(target.read_bytes()).read("Scene") == body
    assert names(target.parent) == ["scene.max", "scene.max.bak"]
    assert (target.parent / "scene.max.bak").read_bytes() == OLD


def test_stamp(target: Path) -> None:
    mark = stamp(target, OLD)
    assert (mark.size, mark.mtime_ns) == (len(OLD), target.stat().st_mtime_ns)
    assert mark.sha256 == hashlib.sha256(OLD).hexdigest()
    with pytest.raises(FileChangedError):
        stamp(target, OLD[:-1])
    with pytest.raises(FileChangedError):
        stamp(target.with_name("absent"), OLD)


def test_change_with_the_same_size_and_time_is_seen(target: Path) -> None:
    mark = stamp(target, OLD)
    status = target.stat()
    other = bytearray(OLD)
    other[20_000] ^= 1
    target.write_bytes(other)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(FileChangedError, match="changed by another program"):
        save_segments(target, [NEW], stamp=mark)
    assert target.read_bytes() == other
    assert names(target.parent) == ["scene.max"]


def test_touched_file_with_the_same_bytes_is_not_changed(target: Path) -> None:
    mark = stamp(target, OLD)
    os.utime(target, (1, 1))
    save_segments(target, [NEW], stamp=mark)
    assert target.read_bytes() == NEW


def test_file_that_is_gone_or_longer(target: Path) -> None:
    mark = stamp(target, OLD)
    target.write_bytes(OLD + b"x")
    with pytest.raises(FileChangedError):
        save_segments(target, [NEW], stamp=mark)
    target.unlink()
    with pytest.raises(FileChangedError):
        save_segments(target, [NEW], stamp=mark)
    assert names(target.parent) == []


def test_change_during_the_save_is_seen(target: Path) -> None:
    def meddle(written: WrittenFile) -> None:
        target.write_bytes(b"someone else's work")

    with pytest.raises(FileChangedError):
        save_segments(target, [NEW], stamp=stamp(target, OLD), verify=meddle, backup=True)
    assert target.read_bytes() == b"someone else's work"
    assert names(target.parent) == ["scene.max"]


def test_backups_are_never_overwritten(target: Path) -> None:
    (target.parent / "scene.max.bak").write_bytes(b"precious")
    save_segments(target, [NEW], backup=True)
    assert (target.parent / "scene.max.bak").read_bytes() == b"precious"
    assert (target.parent / "scene.max.bak1").read_bytes() == OLD
    save_segments(target, [OLD], backup=True)
    assert (target.parent / "scene.max.bak2").read_bytes() == NEW
    save_segments(target, [NEW], backup=True)  # .bak1 holds these bytes already
    assert names(target.parent) == [
        "scene.max", "scene.max.bak", "scene.max.bak1", "scene.max.bak2",
    ]  # fmt: skip


def test_backup_elsewhere_and_without_hard_links(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EPERM, "not here")

    monkeypatch.setattr(os, "link", no_links)
    (tmp_path / "old files").mkdir()
    kept = tmp_path / "old files" / "kept.max"
    save_segments(target, [NEW], backup=kept)
    assert kept.read_bytes() == OLD
    save_segments(target, [OLD], backup=kept)
    assert (tmp_path / "old files" / "kept.max1").read_bytes() == NEW
    assert names(kept.parent) == ["kept.max", "kept.max1"]


def test_backup_of_itself_is_no_backup(target: Path) -> None:
    save_segments(target, [NEW], backup=target)
    assert target.read_bytes() == NEW
    assert (target.parent / "scene.max1").read_bytes() == OLD


def test_new_file_has_no_backup(tmp_path: Path) -> None:
    save_segments(tmp_path / "new.max", [NEW], backup=True)
    assert names(tmp_path) == ["new.max"]


@POSIX
def test_permissions_stay(target: Path) -> None:
    target.chmod(0o640)
    save_segments(target, [NEW])
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@POSIX
def test_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_bytes(b"")
    save_segments(tmp_path / "new.max", [NEW])
    assert (tmp_path / "new.max").stat().st_mode == usual.stat().st_mode


@POSIX
def test_symbolic_link_stays(target: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.max"
    link.symlink_to("../scene.max")
    save_segments(link, [NEW], stamp=stamp(link, OLD), backup=True)
    assert os.readlink(link) == "../scene.max"
    assert target.read_bytes() == NEW
    assert names(tmp_path) == ["links", "scene.max", "scene.max.bak"]
    assert names(link.parent) == ["link.max"]


@POSIX
def test_write_protected_file(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target.chmod(0o444)
    # The superuser may write everything, so the question is answered for an ordinary user.
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with pytest.raises(SaveError, match="write-protected"):
        save_segments(target, [NEW])
    assert target.read_bytes() == OLD


def test_folder_as_target_and_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="not a regular file"):
        save_segments(tmp_path, [NEW])
    with pytest.raises(SaveError) as caught:
        save_segments(tmp_path / "absent" / "scene.max", [NEW])
    assert "\n" not in str(caught.value)


def test_refused_by_the_callers_check(target: Path) -> None:
    def refuse(written: WrittenFile) -> None:
        raise CompoundFileError("stream 'Scene' differs")

    with pytest.raises(SaveError, match="failed its check: stream 'Scene' differs"):
        save_segments(target, [NEW], verify=refuse, backup=True)
    with pytest.raises(SaveError, match="failed its check"):
        save_segments(target, [b"no compound file"], verify=lambda written: None)
    assert target.read_bytes() == OLD
    assert names(target.parent) == ["scene.max"]


def test_disk_that_returns_other_bytes(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def corrupt(handle: int, data: memoryview) -> int:
        wrong = bytearray(data)
        wrong[len(wrong) // 2] ^= 1
        return real(handle, wrong)

    monkeypatch.setattr(os, "write", corrupt)
    with pytest.raises(SaveError, match="does not hold what was written"):
        save_segments(target, [NEW])
    assert target.read_bytes() == OLD
    assert names(target.parent) == ["scene.max"]


def test_bytes_are_on_the_disk_before_the_rename(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def noting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            order.append(name)
            return real(*args)

        return noted

    for name in ("write", "fsync", "replace"):
        monkeypatch.setattr(os, name, noting(name, getattr(os, name)))
    save_segments(target, [NEW])
    assert order[:3] == ["write", "fsync", "replace"]
    if os.name != "nt":
        assert order[3:] == ["fsync"]  # of the folder


def test_short_writes_are_continued(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:777]))
    save_segments(target, [NEW])
    assert target.read_bytes() == NEW


STEPS = ["open", "write", "chmod", "fsync", "stat", "link", "replace"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("call", [1, 2, 3])
def test_failure_at_any_step(
    target: Path, monkeypatch: pytest.MonkeyPatch, step: str, call: int, error: BaseException
) -> None:
    real: Callable[..., Any] = getattr(os, step)
    calls = 0
    mark = stamp(target, OLD)

    def failing(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise error
        return real(*args, **kwargs)

    caught: BaseException | None = None
    with monkeypatch.context() as patched:
        patched.setattr(os, step, failing)
        try:
            save_segments(target, [NEW[:9000], NEW[9000:]], stamp=mark, backup=True)
        except (SaveError, KeyboardInterrupt) as raised:
            caught = raised
    if caught is not None:
        assert isinstance(caught, type(error) if not isinstance(error, OSError) else SaveError)
    content = target.read_bytes()
    assert content in (OLD, NEW)
    if caught is None:
        assert content == NEW
    assert not [name for name in names(target.parent) if name.endswith(".tmp")]
    for name in names(target.parent):
        assert (target.parent / name).read_bytes() in (OLD, NEW), "a damaged backup"


# A process that kills itself at the n-th call of an os function: before it, or after it; a write
# is cut in half first.
CHILD = """
import os, signal, sys
from maxsidecar.io.save import WrittenFile, save_segments, stamp
target, new, step, call, when, links = sys.argv[1:]
data = open(target, 'rb').read()
new = open(new, 'rb').read()
mark = stamp(target, data)
calls = 0
def wrap(name):
    real = getattr(os, name)
    def wrapped(*args, **kwargs):
        global calls
        calls += 1
        if calls == int(call):
            if when == 'before':
                if name == 'write':
                    real(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                real(*args, **kwargs)
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    setattr(os, name, wrapped)
if links == 'no':
    def refuse(*args):
        raise OSError(1, 'no links')
    os.link = refuse
for name in ['open', 'write', 'chmod', 'fsync', 'close', 'link', 'rename', 'replace', 'unlink']:
    wrap(name)
if step == 'ready':
    print('ready', flush=True)
save_segments(target, [new[:9000], new[9000:]], stamp=mark, backup=True)
"""


def run_child(
    target: Path, new: Path, step: str, call: int, when: str, links: str = "yes"
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, target, new, step, str(call), when, links],
        stdout=subprocess.PIPE,
        cwd=Path(save.__file__).parents[2],
    )


def check_after_kill(target: Path) -> None:
    """The target is whole, and so is every file that does not say that it is temporary."""
    assert target.read_bytes() in (OLD, NEW)
    for name in names(target.parent):
        if not name.endswith(".tmp"):
            assert (target.parent / name).read_bytes() in (OLD, NEW), name


@POSIX
@pytest.mark.parametrize("links", ["yes", "no"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_every_step(tmp_path: Path, when: str, links: str) -> None:
    new = tmp_path / "new"
    new.write_bytes(NEW)
    outcomes = []
    for call in range(1, 40):
        folder = tmp_path / str(call)
        folder.mkdir()
        target = folder / "scene.max"
        target.write_bytes(OLD)
        with run_child(target, new, "count", call, when, links) as child:
            child.communicate(timeout=60)
        check_after_kill(target)
        outcomes.append(target.read_bytes() == NEW)
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGKILL
    # Killed early it is the old file, killed late the new one, and there is no way back.
    assert outcomes == sorted(outcomes)
    assert outcomes[0] is False
    assert outcomes[-1] is True
    assert len(outcomes) > 8


@POSIX
def test_killed_at_random_times(tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.write_bytes(NEW)
    source = random.Random(time.monotonic_ns())
    for attempt in range(12):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        target = folder / "scene.max"
        target.write_bytes(OLD)
        with run_child(target, new, "ready", 0, "never") as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(source.uniform(0, 0.015))
            child.kill()
        check_after_kill(target)
