"""New meshes have the layout of real ones, and hold what was put in."""

from __future__ import annotations

from pathlib import Path
from struct import unpack

import pytest

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from tests.support.layouts import object_layout
from tests.support.meshes import decode_mesh

RELEASE = 0x2009
MESH = "e44f10b3/0"
#: Vertices, faces, and those of a map channel.
LISTS = frozenset({0x0914, 0x0912, 0x2394, 0x2396})
#: Mesh flags and two bytes that are not used: both vary among real meshes.
LOOSE = frozenset({0x0906, 0x0924})
VERTICES = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 1.0, 0.0), (0.0, 1.0, 0.5)]
FACES = [(0, 1, 2), (2, 3, 0)]
UV = ([(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 1, 2), (2, 3, 0)])


def meshes(file: MaxFile) -> list[SceneObject]:
    return [o for o in file.scene if str(o.class_id) == MESH and o.superclass == 0x10]


@pytest.fixture(scope="module")
def real(corpus_files: tuple[Path, ...]) -> list[SceneObject]:
    """Editable Meshes of the release, and of those before and after it."""
    files = [maxsidecar.open(path) for path in corpus_files]
    near = [m for f in files if 0x2006 <= f.scene.version <= 0x200A for m in meshes(f)]
    assert sum(mesh.scene.version == RELEASE for mesh in near) == 9
    return near


def test_a_mesh_with_mapping_is_a_real_one_but_for_its_lists(real: list[SceneObject]) -> None:
    """Every byte that nobody sets."""
    scene = SceneBuilder()
    scene.add_mesh(VERTICES, FACES, uv=UV)
    (mesh,) = meshes(MaxFile(scene.to_bytes(), lenient=False))
    twins = [twin for twin in real if twin.scene.version == RELEASE]
    free = LISTS | LOOSE
    assert object_layout(mesh, free, True) in {object_layout(t, free, True) for t in twins}
    assert object_layout(mesh, LISTS) in {object_layout(t, LISTS) for t in twins}
    assert (mesh.class_name, mesh.dll_name) == (twins[0].class_name, twins[0].dll_name)
    flags = next(c for c in mesh.data.chunks() if c.id == 0x08FE).find(0x0906)
    assert flags is not None
    words = [next(c for c in t.data.chunks() if c.id == 0x08FE).find(0x0906) for t in twins]
    assert bytes(flags.data) in {bytes(word.data) for word in words if word is not None}


def test_a_mesh_without_mapping_is_like_one_of_the_releases_around(
    real: list[SceneObject],
) -> None:
    scene = SceneBuilder()
    scene.add_mesh(VERTICES, FACES)
    (mesh,) = meshes(MaxFile(scene.to_bytes(), lenient=False))
    for version in (0x2006, 0x200A):
        twins = {object_layout(t, LISTS) for t in real if t.scene.version == version}
        assert object_layout(mesh, LISTS) in twins


def test_slot_0_is_the_same_controller(real: list[SceneObject]) -> None:
    scene = SceneBuilder()
    index = scene.add_mesh(VERTICES, FACES)
    controller = MaxFile(scene.to_bytes()).scene[index].reference(0)
    assert controller is not None
    found = {
        (t.class_id, t.superclass, t.class_name, t.dll_name, len(tuple(t.data.chunks())))
        for t in (mesh.reference(0) for mesh in real if mesh.scene.version == RELEASE)
        if t is not None
    }
    assert found == {
        (controller.class_id, controller.superclass, controller.class_name, controller.dll_name,
         len(tuple(controller.data.chunks())))
    }  # fmt: skip


def test_the_decoder_of_this_test_reads_real_meshes(real: list[SceneObject]) -> None:
    for mesh in real:
        found = decode_mesh(mesh)
        assert found.faces
        assert all(0 <= corner < len(found.vertices) for face in found.faces for corner in face)
        for points, faces in found.maps.values():
            assert len(faces) == len(found.faces)
            assert all(0 <= corner < len(points) for face in faces for corner in face)


def test_bytes_of_vertices_and_faces() -> None:
    scene = SceneBuilder()
    scene.add_mesh(VERTICES, FACES, material_ids=[1, 65535], smoothing=[0x80000001, 6],
                   edge_flags=[3, 6])  # fmt: skip
    (mesh,) = meshes(MaxFile(scene.to_bytes()))
    body = next(chunk for chunk in mesh.data.chunks() if chunk.id == 0x08FE)
    leaves = {chunk.id: bytes(chunk.data) for chunk in body.chunks()}
    assert unpack("<I12f", leaves[0x0914]) == (4, *[n for point in VERTICES for n in point])
    # Three corners, smoothing groups; material id above, edges and 0x40 below.
    assert unpack("<I10I", leaves[0x0912]) == (
        2, 0, 1, 2, 0x80000001, 0x00010043, 2, 3, 0, 6, 0xFFFF0046,
    )  # fmt: skip


def test_every_real_face_of_the_release_has_the_open_flag(real: list[SceneObject]) -> None:
    words = {w for m in real if m.scene.version == RELEASE for w in decode_mesh(m).flags}
    assert all(word & 0x40 for word in words)
    assert {word & ~0x1F for word in words} == {0x40}


def test_a_mesh_is_shown_by_nodes() -> None:
    scene = SceneBuilder()
    node = scene.add_node("quad", scene.add_mesh(VERTICES, FACES))
    found = MaxFile(scene.to_bytes()).scene.node(node).object
    assert found is not None
    assert (found.class_name, found.superclass) == ("Editable Mesh", 0x10)


@pytest.mark.parametrize(
    "arguments",
    [
        {"faces": [(0, 1, 4)]},
        {"faces": [(0, 1, -1)]},
        {"faces": [(0, 1)]},
        {"vertices": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (float("inf"), 1, 0)]},
        {"vertices": [(0, 0), (1, 0), (1, 1), (0, 1)]},
        {"vertices": [(1e300, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]},
        {"material_ids": [0]},
        {"material_ids": [0, 65536]},
        {"smoothing": [0, -1]},
        {"edge_flags": [0, 8]},
        {"uv": (UV[0], [(0, 1, 2)])},
        {"uv": (UV[0], [(0, 1, 2), (2, 3, 4)])},
        {"uv": ([(0, 0, 0, 0)] * 4, UV[1])},
        {"uv": ([(0,)] * 4, UV[1])},
    ],
)
def test_what_does_not_fit_is_refused_and_adds_nothing(arguments: dict[str, object]) -> None:
    scene = SceneBuilder()
    before = len(scene)
    with pytest.raises(EditError):
        scene.add_mesh(**{"vertices": VERTICES, "faces": FACES, **arguments})  # type: ignore[arg-type]
    assert len(scene) == before
