"""The sample scene holds what the documentation and the other examples count on."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey

SCRIPT = Path(__file__).resolve().parents[3] / "examples" / "make_sample.py"


def make(path: Path, *options: str) -> bytes:
    env = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
    subprocess.run([sys.executable, str(SCRIPT), str(path), *options], check=True, env=env)
    return path.read_bytes()


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = make(tmp_path / "a.max"), make(tmp_path / "ä b.max")
    assert hashlib.sha256(first).digest() == hashlib.sha256(second).digest()


@pytest.mark.parametrize(
    ("options", "version", "packing"),
    [
        ((), 3, "plain"),
        (("--v4",), 4, "plain"),
        (("--compression", "gzip"), 3, "gzip"),
        (("--v4", "--compression", "zstd"), 4, "zstd"),
    ],
)
def test_variants(tmp_path: Path, options: tuple[str, ...], version: int, packing: str) -> None:
    make(tmp_path / "s.max", *options)
    with maxsidecar.open(tmp_path / "s.max", lenient=False) as file:
        assert (file.compound.version, file.streams["Scene"].packing) == (version, packing)
        assert len(file.nodes) == 9


def test_content(sample_scene: Path) -> None:
    with maxsidecar.open(sample_scene, lenient=False) as file:
        nodes = [node for node in file.nodes.values() if node.name]
        names = [node.name for node in nodes]
        assert names.count("lamp") == 2
        assert {"collision.box", 'the "old" wall', "дом над рекой"} <= set(names)
        by_name = {node.name: node for node in nodes}
        assert [n.name for n in nodes if n.flag("hidden")] == ["collision.box"]
        assert [n.name for n in nodes if n.flag("frozen")] == ['the "old" wall']
        house = by_name["house"]
        assert house.user_properties == {"material": "brick", "floors": "2"}
        assert by_name["door"].parent is not None
        assert by_name["door"].parent.index == house.index
        unknown = [item for item in house.appdata if REGISTRY.by_key(item.key) is None]
        assert [(item.key, item.value) for item in unknown] == [
            (AppDataKey(0x0BADC0DE, 0x12345678, 0x1020, 7), b"\x01\x02rides along\0")
        ]
        distance = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
        assert distance is not None
        raw = house.appdata.get(distance.key)
        assert raw is not None
        assert distance.decode(raw, "cp1252").value == 200.0
        assert {n.layer.name for n in nodes if n.layer} == {"0", "props"}
