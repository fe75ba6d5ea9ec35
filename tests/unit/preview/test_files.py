"""OBJ, PLY, STL and OFF, read by trimesh and by a reader of the few lines that matter."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
import trimesh

from maxsidecar.preview.collect import Shown
from maxsidecar.preview.triangle_files import MissingPackageError, write_triangles
from maxsidecar.preview.wavefront import write_obj
from maxsidecar.scene.authoring import SceneBuilder
from tests.unit.preview.conftest import Show

Corner = tuple[int, int | None, int | None]


@dataclass
class Obj:
    """An OBJ file: rows by keyword, and for each face group, material, smoothing and corners."""

    v: list[list[float]] = field(default_factory=list)
    vt: list[list[float]] = field(default_factory=list)
    vn: list[list[float]] = field(default_factory=list)
    faces: list[tuple[str, str, str, list[Corner]]] = field(default_factory=list)

    def points(
        self, corners: Sequence[Corner]
    ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        return np.array([self.v[corner[0] - 1] for corner in corners])


def read(text: str) -> Obj:
    out = Obj()
    state = {"g": "", "usemtl": "", "s": ""}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("v", "vt", "vn"):
            getattr(out, word).append([float(n) for n in rest.split()])
        elif word in state:
            state[word] = rest
        elif word == "f":
            corners: list[Corner] = []
            for part in rest.split():
                v, vt, vn = part.split("/")
                corners.append((int(v), int(vt) if vt else None, int(vn)))
            out.faces.append((state["g"], state["usemtl"], state["s"], corners))
        else:
            assert word in ("o", "mtllib"), line
    return out


def obj_of(shown: Shown, *, triangles: bool = False, y_up: bool = False) -> tuple[Obj, str]:
    files = write_obj(shown.with_mesh(), "scene.mtl", triangles=triangles, y_up=y_up)
    text = b"".join(files.obj).decode()
    assert text.startswith("mtllib scene.mtl\n")
    return read(text), files.mtl.decode()


def volume(obj: Obj) -> float:
    """Six times the volume is the sum of determinants; positive when faces look outward."""
    total = 0.0
    for *_, corners in obj.faces:
        points = obj.points(corners)
        for k in range(1, len(points) - 1):
            total += float(np.linalg.det(points[[0, k, k + 1]])) / 6
    return total


def test_a_box_has_six_quads_that_look_outward(show: Show, builder: SceneBuilder) -> None:
    place = builder.add_transform((100.0, 0.0, 0.0))
    builder.add_node("my box", builder.add_box(20.0, 10.0, 30.0), transform=place)
    obj, mtl = obj_of(show(builder))
    assert [len(corners) for *_, corners in obj.faces] == [4] * 6
    assert {group for group, *_ in obj.faces} == {"my_box"}
    assert (len(obj.v), len(obj.vn)) == (8, 6)
    assert np.min(obj.v, axis=0).tolist() == [95, -10, 0]
    assert np.max(obj.v, axis=0).tolist() == [105, 10, 30]
    assert volume(obj) == pytest.approx(20 * 10 * 30)
    data = b"".join(write_obj(show(builder).with_mesh(), "scene.mtl").obj)
    other = trimesh.load(io.BytesIO(data), file_type="obj", skip_materials=True)
    assert isinstance(other, trimesh.Trimesh)
    assert other.volume == pytest.approx(20 * 10 * 30)
    for *_, corners in obj.faces:
        points = obj.points(corners)
        normal = np.cross(points[1] - points[0], points[2] - points[0])
        normal /= np.linalg.norm(normal)
        assert all(np.allclose(obj.vn[(vn or 0) - 1], normal) for _, _, vn in corners)
        # Each side shows the whole picture.
        used = [obj.vt[(vt or 0) - 1] for _, vt, _ in corners]
        assert sorted(map(tuple, used)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert mtl.startswith("newmtl wire_083d8a\nKd 0.0313725 0.239216 0.541176\nd 1\n")


def test_triangles_as_3ds_max_divides(show: Show, builder: SceneBuilder) -> None:
    builder.add_node("box", builder.add_box(20.0, 10.0, 30.0))
    shown = show(builder)
    obj, _ = obj_of(shown, triangles=True)
    faces = sorted([corner[0] - 1 for corner in corners] for *_, corners in obj.faces)
    assert faces == sorted(shown.meshes[0].faces.tolist())


@pytest.mark.parametrize("scale", [(-1, 1, 1), (2, 3, -4), (-1, -1, -1), (1, 2, 1)])
def test_mirrored_nodes_look_outward(
    show: Show, builder: SceneBuilder, scale: tuple[float, ...]
) -> None:
    turn = builder.add_transform((5.0, 6.0, 7.0), (0.3, 0.2, 0.1), scale)
    builder.add_node("ball", builder.add_sphere(10.0, 12), transform=turn)
    shown = show(builder)
    for y_up in (False, True):
        obj, _ = obj_of(shown, y_up=y_up)
        size = abs(np.prod(scale))
        assert volume(obj) > 0.85 * 4 / 3 * np.pi * 1000 * size
        for *_, corners in obj.faces:
            points = obj.points(corners)
            flat = np.cross(points[1] - points[0], points[2] - points[0])
            assert all(flat @ obj.vn[(vn or 0) - 1] > 0 for _, _, vn in corners)
            assert all(
                np.linalg.norm(obj.vn[(vn or 0) - 1]) == pytest.approx(1) for *_, vn in corners
            )
        mesh = trimesh.load(
            io.BytesIO(write_triangles(shown.with_mesh(), "stl", y_up=y_up)), file_type="stl"
        )
        assert isinstance(mesh, trimesh.Trimesh)
        assert mesh.volume == pytest.approx(volume(obj), rel=1e-4)


def test_y_up(show: Show, builder: SceneBuilder) -> None:
    corners = [(1, 2, 3), (5, 2, 3), (1, 7, 3)]
    builder.add_node("plate", builder.add_mesh(corners, [(0, 1, 2)]))
    obj, _ = obj_of(show(builder), y_up=True)
    assert obj.v == [[1, 3, -2], [5, 3, -2], [1, 3, -7]]
    assert obj.vn == [[0, 1, 0]]


def test_materials_smoothing_and_seams_keep_triangles_apart(
    show: Show, builder: SceneBuilder
) -> None:
    """Four hidden diagonals: one plain, one between materials, between groups, and at a seam."""
    red = builder.add_standard_material("two words", diffuse=(1, 0, 0))
    blue = builder.add_standard_material("blue#1", diffuse=(0, 0, 1), opacity=0.5)
    both = builder.add_multi_material("both", [(0, red, ""), (1, blue, "")])
    corners, faces, uv_faces = [], [], []
    uv = [(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 0.5)]
    for k in range(4):
        x, base = 10.0 * k, 4 * k
        corners += [(x, 0, 0), (x + 5, 0, 0), (x + 5, 5, 0), (x, 5, 0)]
        faces += [(base, base + 1, base + 2), (base + 2, base + 3, base)]
        uv_faces += [(0, 1, 2), (2, 3, 4 if k == 3 else 0)]
    mesh = builder.add_mesh(
        corners,
        faces,
        material_ids=[0, 0, 0, 1, 0, 0, 0, 0],
        smoothing=[1, 1, 1, 1, 1, 2, 1, 1],
        edge_flags=[3] * 8,
        uv=(uv, uv_faces),
    )
    builder.add_node("plates", mesh, material=both)
    obj, mtl = obj_of(show(builder))
    found = sorted((material, s, len(corners)) for _, material, s, corners in obj.faces)
    assert found == sorted(
        [("two_words", "1", 4)]
        + [("two_words", "1", 3), ("blue_1", "1", 3)]
        + [("two_words", "1", 3), ("two_words", "2", 3)]
        + [("two_words", "1", 3)] * 2
    )
    assert "newmtl blue_1\nKd 0 0 1\nd 0.5\n" in mtl


def test_names_stay_apart_and_on_their_lines(show: Show, builder: SceneBuilder) -> None:
    picture = builder.add_bitmap_map("C:\\my\\oak\u2028.tga", (4, 4))
    for name in ("a b", "a_b", "c", "c"):
        oak = builder.add_standard_material("wood\nusemtl x", diffuse_map=picture)
        builder.add_node(name, builder.add_box(1.0, 1.0, 1.0), material=oak)
    shown = show(builder)
    shown.nodes[3].name, shown.nodes[4].name = "\ud800\nf 1 2 3", ""
    obj, mtl = obj_of(shown)
    groups = list(dict.fromkeys(group for group, *_ in obj.faces))
    assert groups == ["a_b", "a_b_2", "__f_1_2_3", f"node_{shown.nodes[4].id}"]
    materials = [line.split(" ", 1)[1] for line in mtl.splitlines() if line.startswith("newmtl")]
    assert materials == ["wood_usemtl_x", *(f"wood_usemtl_x_{k}" for k in (2, 3, 4))]
    assert "map_Kd C:\\my\\oak_.tga\n" in mtl


@pytest.mark.parametrize("kind", ["ply", "off", "stl"])
def test_trimesh_reads_what_it_wrote(show: Show, builder: SceneBuilder, kind: str) -> None:
    box = builder.add_box(20.0, 10.0, 30.0)
    for x in (0.0, 100.0):
        builder.add_node("box", box, transform=builder.add_transform((x, 0.0, 0.0)))
    shown = show(builder)
    mesh = trimesh.load(
        io.BytesIO(write_triangles(shown.with_mesh(), kind)), file_type=kind, process=False
    )
    assert isinstance(mesh, trimesh.Trimesh)
    assert mesh.bounds.tolist() == [[-5, -10, 0], [105, 10, 30]]
    assert mesh.volume == pytest.approx(2 * 6000)
    if kind != "stl":
        assert mesh.vertices[:8] == pytest.approx(shown.meshes[0].positions)
        assert mesh.faces[:12].tolist() == shown.meshes[0].faces.tolist()


def test_without_trimesh(
    show: Show, builder: SceneBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0))
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingPackageError, match=r"maxsidecar\[mesh\]"):
        write_triangles(show(builder).with_mesh(), "ply")
