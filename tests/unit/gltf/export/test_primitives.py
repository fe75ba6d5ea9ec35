"""Meshes to primitives: what is split and what is shared, units, mirrors, damage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.primitives import build_primitives, line_primitive
from maxsidecar.scene.geometry.mesh import ExplicitNormals, MapChannel, Mesh

METRE = change_of_basis(1.0)


def quad(**more: object) -> Mesh:
    """Two triangles in the plane Z = 0 that share a diagonal, smooth, with texture coordinates."""
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    coordinates = np.array([[0, 0, 0], [1, 0, 0], [1, 0.75, 0], [0, 0.75, 0]])
    return Mesh.of_triangles(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
        faces,
        smoothing=1,
        maps={1: (coordinates, faces)},
        **more,  # type: ignore[arg-type]
    )


def none(_: int) -> model.Material | None:
    return None


def test_axes_units_and_texture_coordinates() -> None:
    (primitive,) = build_primitives(quad(), change_of_basis(0.5), none).primitives
    attributes = primitive.attributes
    # (x, y, z) is 0.5 · (x, z, -y).
    expected = [[0, 0, 0], [0.5, 0, 0], [0.5, 0, -0.5], [0, 0, -0.5]]
    assert attributes["POSITION"].tolist() == expected
    assert attributes["NORMAL"].tolist() == [[0, 1, 0]] * 4
    assert attributes["TEXCOORD_0"].tolist() == [[0, 1], [1, 1], [1, 0.25], [0, 0.25]]
    assert primitive.indices is not None
    assert primitive.indices.tolist() == [0, 1, 2, 0, 2, 3]
    assert "_VERTEX" not in attributes, "the vertices are those of the scene, in their order"


def test_seams_split_vertices_and_number_them() -> None:
    mesh = quad()
    mesh.maps[1].corners[3:] = 0
    built = build_primitives(mesh, METRE, none)
    (primitive,) = built.primitives
    assert primitive.attributes["_VERTEX"].tolist() == [0, 1, 2, 2, 3]
    assert built.vertices[0].tolist() == [0, 1, 2, 2, 3]
    (plain,) = build_primitives(mesh, METRE, none, numbered=False).primitives
    assert "_VERTEX" not in plain.attributes


def test_equal_texture_coordinates_of_two_map_vertices_are_no_seam() -> None:
    mesh = quad()
    channel = mesh.maps[1]
    mesh.maps[1] = MapChannel(
        np.concatenate([channel.vertices, channel.vertices]),
        np.concatenate([channel.corners[:3], channel.corners[3:] + 4]),
    )
    (primitive,) = build_primitives(mesh, METRE, none).primitives
    assert len(primitive.attributes["POSITION"]) == 4


def test_faces_that_are_not_smooth_share_no_vertex() -> None:
    mesh = replace(quad(), smoothing=np.array([1, 2], np.uint32))
    mesh.positions[3, 2] = 1.0
    (primitive,) = build_primitives(mesh, METRE, none).primitives
    assert len(primitive.attributes["POSITION"]) == 6


def test_a_primitive_for_each_material() -> None:
    paint = {0: model.Material("a"), 7: None}
    mesh = quad(material_ids=[7, 0])
    built = build_primitives(mesh, METRE, paint.__getitem__)
    assert built.groups == [0, 1]
    assert [p.material for p in built.primitives] == [paint[0], None]
    assert [v.tolist() for v in built.vertices] == [[0, 2, 3], [0, 1, 2]]


def test_material_ids_of_one_material_are_one_primitive() -> None:
    paint = model.Material("a")
    built = build_primitives(quad(material_ids=[7, 0]), METRE, lambda number: paint)
    (primitive,) = built.primitives
    assert built.groups == [0, 0]
    assert primitive.indices is not None
    # In the order of the scene, not of the ids.
    assert primitive.indices.tolist() == [0, 1, 2, 0, 2, 3]


def test_a_mirroring_offset_turns_the_triangles_round() -> None:
    mirror = np.diag([-1.0, 1, 1, 1])
    (primitive,) = build_primitives(quad(), mirror @ METRE, none).primitives
    points = primitive.attributes["POSITION"]
    assert primitive.indices is not None
    a, b, c = points[primitive.indices[:3]]
    # The surface still looks up, as its normals say.
    assert np.cross(b - a, c - a)[1] > 0
    assert primitive.attributes["NORMAL"].tolist() == [[0, 1, 0]] * 4


def test_normals_stay_at_right_angles_to_what_is_squeezed() -> None:
    mesh = quad()
    mesh.positions[2:, 2] = 1.0  # a slope: up by 1 over 1
    squeeze = np.diag([1.0, 1.0, 0.25, 1.0])
    (primitive,) = build_primitives(mesh, squeeze @ METRE, none).primitives
    normal = primitive.attributes["NORMAL"][0]
    assert normal == pytest.approx(np.array([0, 1, 0.25]) / np.hypot(1, 0.25), abs=1e-6)


def test_a_flat_scale_leaves_normals_of_length_one() -> None:
    for flat in (np.diag([1.0, 1.0, 0.0, 1.0]), np.diag([1.0, 0, 0, 1]), np.diag([0.0, 0, 0, 1])):
        (primitive,) = build_primitives(quad(), flat @ METRE, none).primitives
        lengths = np.linalg.norm(primitive.attributes["NORMAL"], axis=1)
        assert lengths == pytest.approx(1.0)


def test_colours_are_bytes_where_they_were() -> None:
    mesh = quad()
    corners = np.zeros(6, np.int32)
    levels = np.array([[51, 102, 255]], np.float32) / np.float32(255)
    mesh.maps[0] = MapChannel(levels, corners)
    (primitive,) = build_primitives(mesh, METRE, none).primitives
    assert primitive.attributes["COLOR_0"].dtype == np.uint8
    assert primitive.attributes["COLOR_0"][0].tolist() == [51, 102, 255]
    mesh.maps[-2] = MapChannel(np.full((1, 3), 0.3, np.float32), corners)
    (primitive,) = build_primitives(mesh, METRE, none).primitives
    assert primitive.attributes["COLOR_0"].shape == (4, 4)
    assert primitive.attributes["COLOR_0"][0].tolist() == [*levels[0].tolist(), np.float32(0.3)]


def test_the_third_texture_coordinate_and_illumination_are_kept() -> None:
    mesh = quad()
    mesh.maps[1].vertices[:, 2] = 0.5
    mesh.maps[-1] = MapChannel(np.full((1, 3), 0.25, np.float32), np.zeros(6, np.int32))
    (primitive,) = build_primitives(mesh, METRE, none).primitives
    assert primitive.attributes["_W_0"].tolist() == [0.5] * 4
    assert primitive.attributes["_ILLUMINATION"].tolist() == [0.25] * 4


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_coordinates_that_are_no_numbers_go_to_the_origin(bad: float) -> None:
    mesh = quad()
    mesh.positions[1, 0] = bad
    mesh.maps[1].vertices[0, 0] = np.nan
    built = build_primitives(mesh, METRE, none)
    (primitive,) = built.primitives
    for array in primitive.attributes.values():
        assert np.isfinite(array).all()
    assert primitive.attributes["POSITION"][1].tolist() == [0, 0, 0]
    assert len(built.reasons) == 2


def test_normals_that_somebody_set_get_a_length_of_one() -> None:
    mesh = quad()
    corners = np.arange(6, dtype=np.int32) % 2
    mesh.normals = ExplicitNormals(np.array([[0, 0, 5], [0.1, 0, 0]], np.float32), corners)
    (primitive,) = build_primitives(mesh, METRE, none).primitives
    found = {tuple(row) for row in primitive.attributes["NORMAL"].tolist()}
    assert found == {(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)}


def test_an_offset_that_is_far_too_large_leaves_numbers() -> None:
    mesh = quad()
    mesh.positions[1] = 1e17
    built = build_primitives(mesh, np.diag([1e17, 1e17, 1e17, 1.0]) @ METRE, none)
    assert np.isfinite(built.primitives[0].attributes["POSITION"]).all()
    assert len(built.reasons) == 1


def test_curves_share_their_points() -> None:
    pieces = np.array([[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [0, 0, 0]]], float)
    primitive = line_primitive(pieces, METRE)
    assert primitive.mode == model.LINES
    assert primitive.indices is not None
    assert primitive.indices.tolist() == [0, 1, 1, 0]
    assert primitive.attributes["POSITION"].tolist() == [[0, 0, 0], [1, 0, 0]]
