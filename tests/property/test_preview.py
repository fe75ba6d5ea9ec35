"""Pages, pictures and files of any mesh, anywhere."""

from __future__ import annotations

import json
import re
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import LimitError
from maxsidecar.preview.collect import Shown, ShownNode
from maxsidecar.preview.page import page
from maxsidecar.preview.picture import VIEWS, picture
from maxsidecar.preview.surfaces import Surface
from maxsidecar.preview.triangle_files import write_triangles
from maxsidecar.preview.wavefront import write_obj
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.polygons import to_polygons

FLOATS = st.one_of(
    st.floats(-100, 100, width=32), st.sampled_from([0.0, 1.0, -1.0, 1e-38, 1e18, -1e18])
)
WORLDS = st.one_of(st.floats(-10, 10), st.sampled_from([0.0, 1.0, 1e-200, 1e-18, -1e18, 1e18]))


@st.composite
def meshes(draw: st.DrawFn) -> Mesh:
    count = draw(st.integers(1, 8))
    points = draw(st.lists(st.tuples(FLOATS, FLOATS, FLOATS), min_size=count, max_size=count))
    corner = st.integers(0, count - 1)
    face = st.tuples(corner, corner, corner)
    faces = draw(st.lists(face, min_size=1, max_size=10))
    each: dict[str, Any] = {
        name: draw(st.lists(values, min_size=len(faces), max_size=len(faces)))
        for name, values in (
            ("smoothing", st.integers(0, 2**32 - 1)),
            ("material_ids", st.integers(0, 3)),
            ("edge_flags", st.integers(0, 7)),
        )
    }
    maps: dict[int, Any] = {1: (points, faces)} if draw(st.booleans()) else {}
    mesh = Mesh.of_triangles(points, faces, maps=maps, **each)
    return to_polygons(mesh) if draw(st.booleans()) else mesh


@st.composite
def scenes(draw: st.DrawFn) -> Shown:
    mesh = draw(meshes())
    world = np.eye(4)
    rows = draw(st.lists(WORLDS, min_size=12, max_size=12))
    world[:, :3] = np.reshape(rows, (4, 3))
    surface = Surface(7, draw(st.text()), (0.2, 0.4, 0.6), draw(st.sampled_from([0.0, 0.5, 1.0])))
    node = ShownNode(1, "1", draw(st.text()), "Thing", "mesh", -1, False, world, (0.1, 0.2, 0.3))
    node.mesh = 0
    node.surfaces = dict.fromkeys(range(4), surface)
    return Shown([node], [mesh])


@given(scenes(), st.sampled_from(sorted(VIEWS)))
def test_pages_and_pictures(shown: Shown, view: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = page(shown, "title").decode()
        with suppress(LimitError):
            picture(shown, 24, 16, view=view)
    found = re.search(r'id="scene">(.*?)</script>', text)
    assert found is not None
    json.loads(found[1], parse_constant=lambda constant: 1 / 0)


@given(scenes(), st.booleans(), st.booleans())
def test_files(shown: Shown, triangles: bool, y_up: bool) -> None:
    chosen = shown.with_mesh()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files = write_obj(chosen, "x.mtl", triangles=triangles, y_up=y_up)
        write_triangles(chosen, "ply", y_up=y_up)
    counts = {"v": 0, "vt": 0, "vn": 0}
    used = 0
    for line in b"".join(files.obj).decode("utf-8").split("\n"):
        word, *parts = line.split(" ")
        assert word in (*counts, "o", "g", "s", "f", "mtllib", "usemtl", "")
        if word in counts:
            counts[word] += 1
            assert all(np.isfinite(float(part)) for part in parts)
        if word == "f":
            used += 1
            for part in parts:
                v, vt, vn = part.split("/")
                assert 1 <= int(v) <= counts["v"]
                assert 1 <= int(vn) <= counts["vn"]
                assert not vt or 1 <= int(vt) <= counts["vt"]
    if triangles:
        assert used == len(shown.meshes[0].triangles)
