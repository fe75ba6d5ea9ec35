"""The sound files that the fuzzer starts from."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Literal

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import Compression, NodeLook, SceneBuilder
from tests.conftest import REPOSITORY, corpus_scenes
from tests.fuzz.mutate import Base

__all__ = ["authored_bases", "corpus_bases", "load_example", "small_bases"]

_VARIANTS: tuple[tuple[str, Literal[3, 4], Compression], ...] = (
    ("v3", 3, None),
    ("v4", 4, None),
    ("gzip", 3, "gzip"),
    ("zstd", 4, "zstd"),
)


def load_example(name: str) -> ModuleType:
    """Import a script of the examples folder."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def small_scene(version: Literal[3, 4], compression: Compression) -> bytes:
    """Return a scene of two nodes, so that a case takes little time."""
    scene = SceneBuilder(title="tiny", version=version, compression=compression)
    parent = scene.add_node("a", scene.add_dummy(1.0), user_properties={"key": "value"})
    scene.add_node("b", scene.add_box(1.0, 2.0, 3.0), parent=parent, look=NodeLook(hidden=True))
    for subid, value in ((1423062563, b"1\0"), (1, b"raw")):
        scene.add_appdata(parent, AppDataKey(0x04D64858, 0x16D1751D, 0x1020, subid), value)
    return scene.to_bytes()


@lru_cache(maxsize=1)
def small_bases() -> tuple[Base, ...]:
    """A scene of two nodes in every packing and both versions of the compound file."""
    return tuple(
        Base(f"small-{name}", small_scene(version, compression))
        for name, version, compression in _VARIANTS
    )


@lru_cache(maxsize=1)
def authored_bases() -> tuple[Base, ...]:
    """The sample scene in every packing and both versions of the compound file."""
    make = load_example("make_sample").make_sample
    return tuple(
        Base(name, make(version=version, compression=compression))
        for name, version, compression in _VARIANTS
    )


@lru_cache(maxsize=1)
def corpus_bases() -> tuple[Base, ...]:
    """The smallest real scene of each release and packing; none without the corpus."""
    from maxsidecar.scene.maxfile import open_file

    best: dict[tuple[str, str], Path] = {}
    for path in sorted(corpus_scenes(), key=lambda p: (p.stat().st_size, p.name)):
        try:
            file = open_file(path)
            best.setdefault((file.release, file.streams["Scene"].packing), path)
        except MaxSidecarError:
            continue
    return tuple(
        Base(f"{release}-{packing}", path.read_bytes())
        for (release, packing), path in sorted(best.items())
    )
