"""What corners of faces have: colours, alpha, programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.serial.classes.mesh import CMeshVPPerPixelLight
from maxsidecar.nel.shape.geometry import make_geometry
from maxsidecar.nel.shape.material_state import LIGHTING, MaterialInfo
from maxsidecar.nel.shape.materials import MaterialSet
from maxsidecar.nel.shape.mesh_build import MeshBuild, build_mesh
from maxsidecar.nel.shape.vertex_program import add_tangents
from maxsidecar.scene.geometry.mesh import COLOR, Mesh
from tests.support.nel_shape_scenes import ShapeScene

FACE = [[0, 1, 2]]


def colored(material: CMaterial, info: MaterialInfo, **options: Any) -> list[list[int]] | None:
    """Return the colours of a face that is red, half green, and blue with alpha in channel 3."""
    maps: dict[int, Any] = {
        COLOR: ([[1, 0, 0], [0, 0.5, 0], [0, 0, 1]], FACE),
        3: ([[1, 1, 1], [0.5, 0.5, 0.5], [0, 0, 0]], FACE),
    }
    mesh = Mesh.of_triangles(np.eye(3), FACE, maps=maps)
    materials = MaterialSet([material], [info])
    found = build_mesh(mesh, materials, np.eye(4), "angle", **options).colors
    return None if found is None else found[0].tolist()


def test_colors_only_where_a_material_takes_them() -> None:
    assert colored(CMaterial(), MaterialInfo()) is None


def test_colors_times_the_diffuse_color_of_a_lit_material() -> None:
    material = CMaterial(flags=LIGHTING, diffuse=(128, 255, 255, 255), color=(0, 0, 0, 0))
    info = MaterialInfo(color_vertex=True)
    # 255 · 128 / 256, 128 · 255 / 256, 255 · 255 / 256, cut
    assert colored(material, info) == [[127, 0, 0, 255], [0, 127, 0, 255], [0, 0, 254, 255]]


def test_colors_times_the_color_of_an_unlit_material() -> None:
    material = CMaterial(flags=0, diffuse=(0, 0, 0, 128), color=(255, 255, 0, 255))
    found = colored(material, MaterialInfo(color_vertex=True))
    assert found == [[254, 0, 0, 128], [0, 127, 0, 128], [0, 0, 0, 128]]


def test_alpha_from_a_channel_of_its_own() -> None:
    material = CMaterial(flags=LIGHTING, diffuse=(255, 255, 255, 255))
    found = colored(material, MaterialInfo(alpha_vertex=True, alpha_channel=3))
    assert found is not None
    # The mean of v · 255 + 0.5, cut; without colours of vertices the material's own.
    assert [row[3] for row in found] == [255, 128, 0]
    assert [row[:3] for row in found] == [[254] * 3] * 3


def test_trees_have_their_colors_as_they_are() -> None:
    material = CMaterial(flags=LIGHTING, diffuse=(0, 0, 0, 255))
    found = colored(material, MaterialInfo(), force_colors=True)
    assert found == [[255, 0, 0, 255], [0, 128, 0, 255], [0, 0, 255, 255]]


def test_tangents_point_along_u() -> None:
    positions = np.array([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], np.float32)
    faces = np.array([(0, 1, 2), (0, 2, 3)], np.int32)
    # u grows with y.
    uv = positions[:, [1, 0]][faces]
    normals = np.tile(np.array([0, 0, 1], np.float32), (2, 3, 1))
    build = MeshBuild(positions, faces, np.zeros(2, np.int32), normals, {0: uv})
    assert add_tangents(build)
    assert build.uvs[1].reshape(-1, 3) == pytest.approx(np.tile([0, 1, 0], (6, 1)))
    buffer = make_geometry(build).geom.vertex_buffer
    assert buffer.vertices["uv1"].shape == (4, 3)
    assert buffer.header.types[3] == 7


@pytest.mark.parametrize("stages", [(), (0, 1)])
def test_tangents_need_one_set_of_coordinates(stages: tuple[int, ...]) -> None:
    uvs = {stage: np.zeros((1, 3, 2), np.float32) for stage in stages}
    build = MeshBuild(
        np.eye(3, dtype=np.float32),
        np.array(FACE, np.int32),
        np.zeros(1, np.int32),
        np.zeros((1, 3, 3), np.float32),
        uvs,
    )
    assert not add_tangents(build)


@pytest.mark.parametrize(("shader", "specular"), [(7, True), (8, False)])
def test_lighting_by_the_pixel(tmp_path: Path, shader: int, specular: bool) -> None:
    scene = ShapeScene()
    texture = scene.add_bitmap_map("a.tga", (1, 1))
    material = scene.nel_material("m", iShaderType=shader, bEnableSlot_1=1, tTexture_1=texture)
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    mesh = scene.add_mesh(points, [(0, 1, 2)], uv=(points, [(0, 1, 2)]))
    node = scene.add_node("node", mesh, material=material)
    scene.flag(node, USE_LIGHT_LOCAL_ATTENUATION=1)
    shape = scene.exported(tmp_path).shape
    program = shape.geom.vertex_program
    assert isinstance(program, CMeshVPPerPixelLight)
    assert program.specular_lighting == specular
    assert shape.geom.vertex_buffer.vertices["uv1"].tolist() == [[1, 0, 0]] * 3
    assert not shape.base.use_lighting_local_attenuation
