"""The sample scene holds what the documentation and the other examples count on."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.materials import MultiMaterial, StandardMaterial
from tests.support.meshes import decode_mesh

SCRIPT = Path(__file__).resolve().parents[3] / "examples" / "make_sample.py"


def make(path: Path, *options: str) -> bytes:
    env = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
    subprocess.run([sys.executable, str(SCRIPT), str(path), *options], check=True, env=env)
    return path.read_bytes()


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = make(tmp_path / "a.max"), make(tmp_path / "ä b.max")
    assert hashlib.sha256(first).digest() == hashlib.sha256(second).digest()
    assert len(first) < 120 * 1024


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


def test_materials_mesh_and_path(sample_scene: Path) -> None:
    with maxsidecar.open(sample_scene, lenient=False) as file:
        (wall,) = file.nodes.find('the "old" wall')
        assert isinstance(wall.material, MultiMaterial)
        subs = [(sub.id, sub.material, sub.name) for sub in wall.material.sub_materials]
        (house,) = file.nodes.find("дом над рекой")
        brick, moss = (sub for _, sub, _ in subs)
        assert brick is house.material
        assert isinstance(brick, StandardMaterial)
        assert isinstance(moss, StandardMaterial)
        assert [(number, name) for number, _, name in subs] == [(0, "face"), (1, "top")]
        assert list(brick.maps) == ["diffuse"]
        assert moss.base_color() == pytest.approx((0.2, 0.4, 0.1))
        assert wall.object is not None
        mesh = decode_mesh(wall.object)
        assert (len(mesh.vertices), len(mesh.faces)) == (8, 10)
        assert mesh.material_ids == [0] * 8 + [1] * 2
        # Seen from outside corners run counter-clockwise: normals point away from the middle.
        points = np.array(mesh.vertices)
        for face in mesh.faces:
            a, b, c = points[list(face)]
            assert np.dot(np.cross(b - a, c - a), (a + b + c) / 3 - (0, 0, 60)) > 0
        (spawn,) = file.nodes.find("spawn point")
        controller = spawn.controller
        assert controller is not None
        place = controller.reference(0)
        assert place is not None
        corners = [place.evaluate(4800 * n)[:2].tolist() for n in range(5)]  # type: ignore[attr-defined]
        assert corners == [[-600, -500], [600, -500], [600, 500], [-600, 500], [-600, -500]]
