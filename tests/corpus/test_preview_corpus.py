"""Every real scene as page, picture and files, with nothing lost on the way."""

from __future__ import annotations

import base64
import io
import json
import re
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
import trimesh

import maxsidecar
from maxsidecar.errors import NotMaxFileError
from maxsidecar.preview.collect import Shown, collect
from maxsidecar.preview.page import page
from maxsidecar.preview.picture import picture
from maxsidecar.preview.triangle_files import write_triangles
from maxsidecar.preview.wavefront import write_obj

pytestmark = pytest.mark.slow


def shown_by(path: Path, *, curves: bool = False) -> Shown:
    with maxsidecar.open(path) as scene_file:
        return collect(scene_file, curves=curves)


def embedded(text: str, name: str) -> str:
    found = re.search(rf'id="{name}">(.*?)</script>', text)
    assert found is not None
    return found[1]


def test_every_scene(max_file: Path) -> None:
    try:
        shown, filled = shown_by(max_file, curves=True), shown_by(max_file)
    except NotMaxFileError:
        return  # the collection holds a few; that they are refused is tested elsewhere
    chosen = filled.with_mesh(hidden=True)
    triangles = sum(len(mesh.triangles) for _, mesh in chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = page(shown, max_file.name).decode()
        made = picture(shown, 64, 48, hidden=True)
        files = write_obj(chosen, "x.mtl", triangles=True)
        joined = write_obj(chosen, "x.mtl")
        stl = write_triangles(chosen, "stl") if chosen else b""
    about = json.loads(embedded(text, "scene"))
    assert len(about["nodes"]) == len(shown.nodes)
    blob = zlib.decompress(base64.b64decode(embedded(text, "geometry")))
    for mesh, record in zip(shown.meshes, about["meshes"], strict=True):
        at, count = record["indices"]
        indices = np.frombuffer(blob, "<u4", count, at)
        at, count = record["positions"]
        points = np.frombuffer(blob, "<f4", count, at).reshape(-1, 3)[indices].reshape(-1, 9)
        # The same triangles, in the order of their materials.
        wanted = mesh.positions[mesh.faces].reshape(-1, 9)
        assert np.array_equal(np.sort(points, axis=0), np.sort(wanted, axis=0))
    obj = b"".join(files.obj)
    assert obj.count(b"\nf ") == triangles
    assert obj.count(b"\no ") == len(chosen)
    assert b"".join(joined.obj).count(b"\nf ") <= triangles
    assert len(made.rgb) == 64 * 48 * 3
    if triangles:
        loaded = trimesh.load(io.BytesIO(stl), file_type="stl", process=False)
        assert isinstance(loaded, trimesh.Trimesh)
        assert len(loaded.faces) == triangles


@pytest.mark.parametrize("name", ["CartoonHouses", "TransparencyMode", "RiggedElf"])
def test_pictures_are_not_blank(corpus: Path, name: str) -> None:
    made = picture(shown_by(corpus / "pairs" / name / "scene.max"), 160, 120)
    image = np.frombuffer(made.rgb, np.uint8).reshape(-1, 3).astype(int)
    drawn = np.any(np.abs(image - image[0]) > 8, axis=1)
    assert 0.05 < drawn.mean() < 0.95
    assert len(np.unique(image, axis=0)) > 30
