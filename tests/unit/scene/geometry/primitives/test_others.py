"""Pyramid, Teapot, Hedra, Bone and the objects of CAT."""

from __future__ import annotations

from struct import pack
from types import SimpleNamespace

import numpy as np
import pytest

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.primitives.bone import bone, build_bone
from maxsidecar.scene.geometry.primitives.cat import cat_bone, cat_hub
from maxsidecar.scene.geometry.primitives.hedra import build_hedra, hedra
from maxsidecar.scene.geometry.primitives.pyramid import build_pyramid, pyramid
from maxsidecar.scene.geometry.primitives.teapot import build_teapot, teapot
from tests.unit.scene.geometry.primitives.solids import (
    edge_flags,
    evaluate,
    evaluate_stored,
    map_faces,
    open_edges,
    volume,
)


def test_pyramid_is_that_of_exports() -> None:
    mesh = build_pyramid((2.0, 4.0, 3.0), (1, 1, 1), mapped=True)
    assert mesh.positions.tolist() == [
        [0.0, 0.0, 3.0], [-1.0, -2.0, 0.0], [1.0, -2.0, 0.0], [1.0, 2.0, 0.0], [-1.0, 2.0, 0.0],
        [0.0, 0.0, 0.0],
    ]  # fmt: skip
    # Apex, left, right of front, right, back, left; corner, middle, next corner of the base.
    assert mesh.faces.tolist() == [
        [0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [1, 5, 2], [2, 5, 3], [3, 5, 4], [4, 5, 1],
    ]  # fmt: skip
    uv = build_pyramid((2.0, 2.0, 3.0), (1, 1, 1), mapped=True)
    corner = uv.maps[1].vertices[map_faces(uv)]
    assert corner[0, :, :2].tolist() == [[0.5, 1.0], [0.0, 0.0], [1.0, 0.0]]
    assert corner[3, :, :2].tolist() == [[0.5, 1.0], [0.0, 0.0], [1.0, 0.0]]
    assert corner[4:, 1, :2].tolist() == [[0.5, 0.5]] * 4


@pytest.mark.parametrize("counts", [(1, 1, 1), (3, 2, 4), (1, 2, 1)])
@pytest.mark.parametrize("height", [5.0, -5.0])
def test_pyramids_are_closed(counts: tuple[int, int, int], height: float) -> None:
    mesh = build_pyramid((3.0, 4.0, height), counts, mapped=True)
    assert open_edges(mesh) == 0
    assert volume(mesh) == pytest.approx(20.0)
    assert map_faces(mesh).max() == len(mesh.maps[1].vertices) - 1


def test_parameters_of_a_pyramid() -> None:
    mesh, notes = evaluate(pyramid, width=2.0, depth=4.0, height=3.0, width_segments=2)
    assert np.ptp(mesh.positions, axis=0).tolist() == [2.0, 4.0, 3.0]
    assert len(notes) == 1


# Vertices and quads of the parts with 10 segments, and all parts with 4: a scene of teapots.
@pytest.mark.parametrize(
    ("parts", "segments", "vertices", "first"),
    [
        (("body",), 10, 1601, (70.0, 0.0, 120.0)),
        (("handle",), 10, 420, (-80.0, 0.0, 101.25)),
        (("spout",), 10, 420, (85.0, 0.0, 71.25)),
        (("lid",), 10, 801, (0.0, 0.0, 157.5)),
        (("body", "handle", "spout", "lid"), 4, 530, (70.0, 0.0, 120.0)),
    ],
)
def test_parts_of_a_teapot(
    parts: tuple[str, ...], segments: int, vertices: int, first: tuple[float, float, float]
) -> None:
    mesh = build_teapot(100.0, segments, parts, mapped=True)
    assert len(mesh.positions) == vertices
    assert mesh.positions[0] == pytest.approx(first)
    poles = 4 * segments * sum(part in ("body", "lid") for part in parts)
    patches = {"body": 16, "handle": 4, "spout": 4, "lid": 8}
    quads = segments * segments * sum(patches[part] for part in parts)
    assert len(mesh.faces) == 2 * quads - poles
    assert len(mesh.maps[1].vertices) == (segments + 1) ** 2 * sum(patches[p] for p in parts)


def test_grid_of_a_teapot_runs_along_the_profile() -> None:
    body = build_teapot(100.0, 10, ("body",))
    # Quads (0, 11, 12, 1) and (1, 12, 13, 2).
    assert body.faces[:4].tolist() == [[0, 11, 12], [12, 1, 0], [1, 12, 13], [13, 2, 1]]
    lid = build_teapot(100.0, 10, ("lid",))
    assert lid.faces[0].tolist() == [11, 1, 0]
    assert open_edges(build_teapot(1.0, 3, ("body",))) == 12  # Its rim.
    assert body.positions[:, 2].min() == 0.0


def test_parameters_of_a_teapot() -> None:
    mesh, notes = evaluate(teapot, radius=100.0, segments=4, smooth=1, handle=0, lid=0, spout=0)
    assert not notes
    assert len(mesh.positions) == 16 * 4 * 4 + 1
    mesh, _ = evaluate(teapot, radius=1.0, segments=4, body=0, handle=0, lid=0, spout=0)
    assert len(mesh.positions) == 0


# Vertices and faces of the polyhedra that are at P, Q of a family.
@pytest.mark.parametrize(
    ("family", "weights", "vertices", "edges", "faces"),
    [
        (0, (1.0, 0.0), 4, 6, 4),  # Tetrahedron.
        (0, (0.0, 1.0), 4, 6, 4),
        (0, (0.0, 0.0), 6, 12, 8),  # Octahedron.
        (1, (1.0, 0.0), 6, 12, 8),
        (1, (0.0, 1.0), 8, 12, 6),  # Cube.
        (1, (0.0, 0.0), 12, 24, 14),  # Cuboctahedron.
        (2, (1.0, 0.0), 12, 30, 20),  # Icosahedron.
        (2, (0.0, 1.0), 20, 30, 12),  # Dodecahedron.
        (2, (0.0, 0.0), 30, 60, 32),  # Icosidodecahedron.
        (2, (0.3, 0.4), 120, 180, 62),  # Great rhombicosidodecahedron.
    ],
)
def test_polyhedra(
    family: int, weights: tuple[float, float], vertices: int, edges: int, faces: int
) -> None:
    mesh = build_hedra(2.0, family, weights, mapped=True)
    assert len(mesh.positions) == vertices
    assert np.abs(np.linalg.norm(mesh.positions, axis=1) - 2.0).max() < 1e-6
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert np.count_nonzero(mesh.edge_visible) == 2 * edges
    hidden = np.count_nonzero(~mesh.edge_visible) // 2
    assert len(mesh.faces) - hidden == faces


def test_polyhedra_with_middles() -> None:
    cube = build_hedra(1.0, 1, (0.0, 1.0), vertices=1)
    assert len(cube.positions) == 14
    assert set(edge_flags(cube)) == {2}
    halved = build_hedra(1.0, 1, (0.0, 1.0), vertices=2)
    assert len(halved.positions) == 8 + 12 + 6
    spiked = build_hedra(1.0, 1, (0.0, 1.0), (1.0, 1.0, 2.0))
    assert np.abs(spiked.positions).max() == pytest.approx(2 / np.sqrt(3), rel=1e-5)
    assert set(edge_flags(spiked)) == {7}


def test_parameters_of_a_hedra() -> None:
    size = {"scale_p": 1.0, "scale_q": 1.0, "scale_r": 1.0, "vertices": 0, "generate_uvs": 0}
    mesh, notes = evaluate(hedra, radius=0.1, family=0, p=0.0, q=0.0, **size)
    assert (len(mesh.positions), len(mesh.faces)) == (6, 8)
    assert not notes
    mesh, notes = evaluate(hedra, radius=0.1, family=99, p=2.0, q=2.0, **size)
    assert np.isfinite(mesh.positions).all()
    assert len(notes) == 1


def test_hedra_is_the_collapsed_octahedron() -> None:
    """Values of an Editable Mesh of 2008; zeros there are what 3.1415926535 leaves of them."""
    mesh = build_hedra(0.5, 0, mapped=True)
    half = 0.3535533845424652
    assert mesh.positions == pytest.approx(
        np.array(
            [
                [0.0, 0.0, 0.5], [half, half, 5.184203066832538e-11], [-half, half, 0.0],
                [-half, -half, 0.0], [half, -half, 5.184188842100035e-11],
                [7.331563134371777e-11, 0.0, -0.5],
            ]
        ),
        abs=4e-15,
    )  # fmt: skip
    assert mesh.faces.tolist() == [
        [0, 4, 1], [1, 5, 2], [2, 3, 0], [3, 5, 4], [1, 2, 0], [3, 4, 0], [4, 5, 1], [3, 2, 5],
    ]  # fmt: skip
    assert mesh.material_ids.tolist() == [1] * 4 + [2] * 4
    assert set(edge_flags(mesh)) == {7}
    assert map_faces(mesh).reshape(-1).tolist() == list(range(24))
    assert mesh.maps[1].vertices[:2].tolist() == [
        [0.0, 0.5, 0.0], [-0.5, pytest.approx(5.184e-11, abs=1e-14), 0.5],
    ]  # fmt: skip


def test_bone_is_a_tapered_bar() -> None:
    mesh = build_bone(4.0, 2.0, 0.5, 20.0)
    assert mesh.positions[0].tolist() == [1.5, -1.0, 2.0]
    assert mesh.positions[6].tolist() == [20.0, 0.5, -1.0]
    assert mesh.positions[8].tolist() == [0.0, 0.0, 0.0]
    assert len(mesh.faces) == 14
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert mesh.smoothing.tolist() == [1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 64, 128, 256]
    assert mesh.material_ids.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5]


def test_fins_of_a_bone() -> None:
    fins = {"side_fins": (1.0, 0.1, 0.1), "back_fin": (1.0, 0.8, 0.8)}
    mesh = build_bone(4.0, 2.0, 0.5, 20.0, fins)
    assert (len(mesh.positions), len(mesh.faces)) == (9 + 24, 14 + 30)
    assert mesh.positions[:, 2].max() > 2.5
    short = build_bone(4.0, 2.0, 0.999, 3.5, {"front_fin": (1.0, 0.1, 0.1)})
    assert np.isfinite(short.positions).all()


def test_bone_that_widens_without_end_has_finite_fins() -> None:
    fins = {"side_fins": (1e9, -1e9, -1e9), "front_fin": (1.0, 0.0, 0.0)}
    mesh = build_bone(1e9, 1e9, -1e9, 4.0, fins)
    assert np.isfinite(mesh.positions).all()


def test_parameters_of_a_bone() -> None:
    mesh, notes = evaluate(bone, width=4.0, height=4.0, taper=0.9, length=10.0, generate_uvs=1)
    assert len(mesh.positions) == 9
    assert len(notes) == 2


CAT_NUMBERS = {"cat_units": 0.5, "width": 4.0, "depth": 6.0, "length": 20.0}


def cat_object(flags: int, vertices: bytes = b"", faces: bytes = b"") -> list[SimpleNamespace]:
    return [
        SimpleNamespace(id=0x20, data=pack("<I", flags)),
        SimpleNamespace(id=0x08, data=vertices),
        SimpleNamespace(id=0x10, data=faces),
    ]


def test_cat_bone_is_a_box_that_may_lie() -> None:
    standing, notes = evaluate_stored(cat_bone, cat_object(0), CAT_NUMBERS)
    assert len(notes) == 1
    assert standing.positions[0].tolist() == [-1.0, -1.5, 0.0]
    assert standing.positions[7].tolist() == [1.0, 1.5, 10.0]
    lying, _ = evaluate_stored(cat_bone, cat_object(8), CAT_NUMBERS)
    assert lying.positions[0].tolist() == [0.0, -1.5, 1.0]
    assert lying.positions[7].tolist() == [10.0, 1.5, -1.0]
    assert volume(lying) == pytest.approx(volume(standing)) == pytest.approx(60.0)


def test_cat_hub_has_its_pivot_anywhere() -> None:
    numbers = {"cat_units": 1.0, "width": 4.0, "length": 6.0, "height": 2.0}
    numbers |= {"pivot_y": 0.0, "pivot_z": 0.0}
    middle, _ = evaluate_stored(cat_hub, cat_object(0), numbers)
    assert np.abs(middle.positions).max(axis=0).tolist() == [2.0, 3.0, 1.0]
    moved, _ = evaluate_stored(cat_hub, cat_object(0), numbers | {"pivot_y": -1.0, "pivot_z": 1.0})
    assert moved.positions[:, 1].min() == 0.0
    assert moved.positions[:, 2].max() == 0.0


def test_cat_bone_with_a_mesh_of_its_own() -> None:
    vertices = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1)], "<f4").tobytes()
    face = pack("<5I", 0, 1, 2, 4, (3 << 16) | 5)
    mesh, _ = evaluate_stored(cat_bone, cat_object(2, vertices, face), CAT_NUMBERS)
    assert mesh.positions.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.5, 0.0], [0.0, 0.0, 10.0]]
    assert mesh.smoothing.tolist() == [4]
    assert mesh.material_ids.tolist() == [3]
    assert edge_flags(mesh).tolist() == [5]
    bad = pack("<5I", 0, 1, 3, 0, 0)
    for vertices_, faces_ in ((vertices, bad), (vertices[:-1], face), (vertices, face[:-1])):
        with pytest.raises(NotSupportedError, match="own mesh"):
            evaluate_stored(cat_bone, cat_object(2, vertices_, faces_), CAT_NUMBERS)
