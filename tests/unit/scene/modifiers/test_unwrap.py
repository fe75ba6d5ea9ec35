"""Unwrap UVW and modifiers without effect at rest, on bytes made by hand."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.modifiers.identity import MORPHER, PHYSIQUE, SKIN
from maxsidecar.scene.modifiers.unwrap_build import unwrap_chunks
from maxsidecar.scene.modifiers.unwrap_records import UnwrapVertices, edge_count
from maxsidecar.scene.modifiers.unwrap_views import FACES, VERTICES, UnwrapUVW
from tests.support.scenes import FOREVER, NEVER, SceneMaker, f32, u32
from tests.support.stacks import Layer, Stack, poly_stack
from tests.support.stored_meshes import bits, map_chunks, tri_chunks

UNWRAP = (0x2DF2E3A, 0x72BA4E1F)
POINT3 = (0x200A, 0, 0x9005)


def face(number: int, *corners: int, vertices: tuple[int, ...], flags: int = 0) -> bytes:
    return u32(len(corners), *corners, number, 0, flags, *vertices)


TRIANGLES = [
    face(0, 0, 1, 2, vertices=(0, 1, 2)),
    face(1, 2, 3, 0, vertices=(2, 3, 0)),
    face(2, 4, 5, 3, vertices=(1, 4, 2)),
]
UV = [(number / 8, number / 4, 0.5) for number in range(6)]


def late(faces: list[bytes], uv: list[tuple[float, float, float]] = UV) -> list[ChunkTree]:
    vertices = b"".join(f32(*row) + f32(0) + pack("<iI", -1, 7) for row in uv)
    return [
        (0x0860, u32(len(uv)) + vertices),
        (0x0870, u32(len(faces)) + b"".join(faces)),
        (0x0120, [(0x2700, bits("1" * len(uv)))]),
    ]


def early(faces: list[bytes]) -> list[ChunkTree]:
    return [
        (0x0100, u32(len(UV))),
        (0x0270, b"".join(f32(*row) + f32(0) + u32(9) for row in UV)),
        (0x0230, u32(len(faces))),
        (0x0310, b"".join(faces)),
        (0x0120, [(0x2700, bits("1" * len(UV)))]),
        (0x0260, u32(0)),
    ]


def coordinates(stack: Stack, channel: int = 1) -> list[list[float]]:
    found = stack.mesh().maps[channel]
    rows: list[list[float]] = found.vertices[found.corners].tolist()
    return rows


def picked(*numbers: int) -> list[list[float]]:
    return [list(UV[number]) for number in numbers]


def test_the_map_of_the_object_replaces_the_channel() -> None:
    base = tri_chunks(more=map_chunks(1, [(9, 9, 9)], [(0, 0, 0)] * 3))
    stack = Stack([Layer(UNWRAP, local=late(TRIANGLES))], base)
    assert coordinates(stack) == picked(0, 1, 2, 2, 3, 0, 4, 5, 3)


def test_the_map_of_early_releases_lies_on_the_modifier() -> None:
    stack = Stack([Layer(UNWRAP, early(TRIANGLES))])
    assert coordinates(stack) == picked(0, 1, 2, 2, 3, 0, 4, 5, 3)


@pytest.mark.parametrize(("stored", "channel"), [(0, 1), (1, 0), (2, 2), (3, 3)])
def test_channel(stored: int, channel: int) -> None:
    stack = Stack([Layer(UNWRAP, [(0x0260, u32(stored))], local=late(TRIANGLES))])
    assert coordinates(stack, channel) == picked(0, 1, 2, 2, 3, 0, 4, 5, 3)


def test_polygons_are_matched_by_their_corners() -> None:
    faces = [face(0, 0, 1, 2, 3, vertices=(0, 1, 2, 3)), face(1, 4, 5, 3, vertices=(1, 4, 2))]
    stack = poly_stack([Layer(UNWRAP, local=late(faces))])
    assert coordinates(stack) == picked(0, 1, 2, 3, 4, 5, 3)
    # Made for polygons on top of triangles: these are joined over their hidden edges.
    stack = Stack([Layer(UNWRAP, local=late(faces))])
    assert stack.mesh().is_polygons
    assert len(coordinates(stack)) == 7


def test_a_polygon_that_begins_elsewhere_keeps_its_coordinates() -> None:
    faces = [face(0, 2, 3, 0, 1, vertices=(2, 3, 0, 1)), face(1, 5, 3, 4, vertices=(4, 2, 1))]
    stack = poly_stack([Layer(UNWRAP, local=late(faces))])
    assert coordinates(stack) == picked(0, 1, 2, 3, 4, 5, 3)
    assert stack.reasons() == []
    faces[1] = face(1, 5, 3, 4, vertices=(4, 2, 3))
    stack = poly_stack([Layer(UNWRAP, local=late(faces))])
    assert stack.reasons() == ["1 faces have other vertices than it was made for"]


def test_a_map_for_another_mesh_is_refused() -> None:
    stack = Stack([Layer(UNWRAP, local=late(TRIANGLES[:2]))])
    assert stack.reasons() == [
        "it was made for 2 faces with 6 corners, and there are 3 with 9",
    ]
    assert not stack.evaluation().complete
    far = [TRIANGLES[0], TRIANGLES[1], face(2, 4, 5, 6, vertices=(1, 4, 2))]
    assert Stack([Layer(UNWRAP, local=late(far))]).reasons() == [
        "a corner of map vertex 6, and there are 6"
    ]


def test_without_a_map_nothing_was_edited() -> None:
    base = tri_chunks(more=map_chunks(1, [(9, 9, 9)], [(0, 0, 0)] * 3))
    stack = Stack([Layer(UNWRAP, local=[])], base)
    assert coordinates(stack) == [[9, 9, 9]] * 9


def test_faces_that_are_not_selected_keep_what_is_below() -> None:
    """Their map vertices stand in front, and those that no face uses go."""
    select = Layer((0x73D8FF93, 0), [(0x0100, u32(3))], local=[(0x0210, [(0x2700, bits("011"))])])
    base = tri_chunks(more=map_chunks(1, [(9, 9, 9), (8, 8, 8)], [(0, 0, 0)] * 3))
    stack = Stack([Layer(UNWRAP, local=late(TRIANGLES)), select], base)
    assert coordinates(stack) == [[9, 9, 9]] * 3 + picked(2, 3, 0, 4, 5, 3)
    assert stack.mesh().maps[1].vertices.tolist() == [[9, 9, 9], *picked(0, 2, 3, 4, 5)]
    assert stack.reasons() == []


def test_controllers_say_where_early_map_vertices_are() -> None:
    maker = SceneMaker()
    body: list[ChunkTree] = [(0x2501, f32(5, 6, 7)), (0x2500, FOREVER), (0x3003, NEVER)]
    controller = maker.add(POINT3, [*body, (0x3005, u32(0x186))])
    layer = Layer(UNWRAP, early(TRIANGLES), {11 + 4: controller})
    stack = Stack([layer], maker=maker)
    assert coordinates(stack)[6] == [5, 6, 7]
    obj = stack.scene[stack.modifiers[0]]
    assert isinstance(obj, UnwrapUVW)
    found = obj.read_map(None)
    assert found is not None
    vertices, faces = found
    vertices.coordinates = vertices.coordinates + np.float32(1)
    with pytest.raises(EditError, match="map vertex 4 is where its controller says"):
        obj.write_map(None, vertices, faces)


@pytest.mark.parametrize("is_early", [False, True])
def test_write_map(is_early: bool) -> None:
    layer = Layer(UNWRAP, early(TRIANGLES)) if is_early else Layer(UNWRAP, local=late(TRIANGLES))
    stack = Stack([layer])
    obj, (context,) = stack.scene[stack.modifiers[0]], stack.derived.contexts
    assert isinstance(obj, UnwrapUVW)
    found = obj.read_map(context)
    assert found is not None
    _, faces = found
    places = np.arange(24, dtype=np.float32).reshape(8, 3)
    obj.write_map(context, UnwrapVertices.of(places, early=is_early), faces)
    (context,) = stack.derived.contexts
    again = obj.read_map(context)
    assert again is not None
    assert again[0].coordinates.tolist() == places.tolist()
    assert again[1] == faces
    assert coordinates(stack) == places[[0, 1, 2, 2, 3, 0, 4, 5, 3]].tolist()
    # What was selected is forgotten, in as many bits as there are map vertices now.
    problems: list[Exception] = []
    local = [row for row in stack.derived.typed_leaves() if ".local." in row[1]]
    assert len(local) == (0 if is_early else 3)
    check_leaves(iter(local), problems.append)
    check_leaves(obj.layout.typed(obj.chunks()), problems.append)
    assert problems == []
    holder = obj if is_early else context.find(0x2512)
    assert holder is not None
    selected = holder.find(0x0120)
    assert selected is not None
    (leaf,) = selected.chunks()
    assert bytes(leaf.data) == bits("0" * 8)
    if is_early:
        count = obj.find(0x0100)
        assert count is not None
        assert bytes(count.data) == u32(8)


def test_a_map_that_does_not_fit_is_not_written() -> None:
    stack = Stack([Layer(UNWRAP, local=late(TRIANGLES))])
    obj, (context,) = stack.scene[stack.modifiers[0]], stack.derived.contexts
    assert isinstance(obj, UnwrapUVW)
    found = obj.read_map(context)
    assert found is not None
    vertices, faces = found
    wrong = UnwrapVertices.of(vertices.coordinates.copy())
    wrong.coordinates[1, 2] = np.nan
    with pytest.raises(EditError, match="coordinates of map vertex 1: numbers must be finite"):
        obj.write_map(context, wrong, faces)
    with pytest.raises(EditError, match="a corner of a map vertex that is not there"):
        obj.write_map(context, UnwrapVertices.of(UV[:3]), faces)
    with pytest.raises(EditError, match="must keep their number"):
        obj.write_map(context, vertices, FACES.decode(u32(1) + TRIANGLES[0]))
    with pytest.raises(EditError, match="wrong form"):
        obj.write_map(context, UnwrapVertices.of(UV, early=True), faces)
    assert obj.read_map(context) == (vertices, faces)


@pytest.mark.parametrize(
    "data",
    [
        b"\1\0\0",
        u32(2) + TRIANGLES[0],
        u32(1) + TRIANGLES[0][:-4],
        u32(1, 0xFFFFFFFF, 0, 0, 0),
        u32(1) + face(0, 0, 1, 2, vertices=(0, 1, 2), flags=8),
    ],
)
def test_damaged_faces(data: bytes) -> None:
    with pytest.raises(DecodeError):
        FACES.decode(data)


def test_a_map_of_a_patch_is_read_and_not_applied() -> None:
    """Handles follow the vertices (public samples of the 3ds Max SDK)."""
    curved = face(0, 0, 1, 2, vertices=(0, 1, 2), flags=8) + u32(*range(18))
    stack = Stack([Layer(UNWRAP, local=late([curved, *TRIANGLES[1:]]))])
    assert stack.reasons() == ["it was made for a patch"]
    value = FACES.decode(u32(3) + curved + TRIANGLES[1] + TRIANGLES[2])
    assert value.handles.tolist() == list(range(18))
    assert value.vertices.tolist() == [0, 1, 2, 2, 3, 0, 1, 4, 2]


def test_the_first_layout() -> None:
    """0110 map vertices, 0280 faces of 76 bytes; bit 3 tells a quad."""

    def record(number: int, *corners: int, flags: int = 0) -> bytes:
        return u32(*corners, number, 0, flags) + bytes(48)

    faces = [record(0, 0, 1, 2, 3, flags=8), record(1, 4, 5, 3, 77)]
    chunks: list[ChunkTree] = [
        (0x0100, u32(6)),
        (0x0110, b"".join(f32(*row) for row in UV)),
        (0x0230, u32(2)),
        (0x0280, b"".join(faces)),
    ]
    stack = poly_stack([Layer(UNWRAP, chunks)])
    assert coordinates(stack) == picked(0, 1, 2, 3, 4, 5, 3)
    obj = stack.scene[stack.modifiers[0]]
    assert isinstance(obj, UnwrapUVW)
    found = obj.read_map(None)
    assert found is not None
    with pytest.raises(EditError, match="no map is stored here"):
        obj.write_map(None, *found)


def test_damaged_vertices() -> None:
    with pytest.raises(DecodeError):
        VERTICES.decode(u32(1) + bytes(20))
    with pytest.raises(DecodeError):
        VERTICES.decode(u32(2) + bytes(24))
    with pytest.raises(DecodeError):
        VERTICES.decode(b"")


@pytest.mark.parametrize("class_id", [SKIN, PHYSIQUE, MORPHER])
def test_deformation_has_no_effect_at_rest(class_id: tuple[int, int]) -> None:
    stack = Stack([Layer(class_id)])
    assert stack.mesh().positions.tolist() == Stack([]).mesh().positions.tolist()
    assert stack.evaluation().applied == stack.modifiers


@pytest.mark.parametrize(("version", "early_form"), [(0x2012, True), (0x2014, False)])
@pytest.mark.parametrize("channel", [0, 1, 2])
def test_new_chunks_put_a_map_on_a_mesh(version: int, early_form: bool, channel: int) -> None:
    mesh = Stack([]).mesh()
    order = [3, 1, 2, 2, 0, 3, 5, 4, 2]
    made = unwrap_chunks(mesh, UV, order, version=version, channel=channel)
    assert (made.local[0][0] == 0x0210) is early_form
    layer = Layer(UNWRAP, made.modifier, local=made.local)
    stack = Stack([layer], maker=SceneMaker(version))
    assert coordinates(stack, channel) == picked(*order)
    assert stack.reasons() == []


def test_new_chunks_that_do_not_fit() -> None:
    mesh = Stack([]).mesh()
    with pytest.raises(EditError, match="one map vertex for each corner"):
        unwrap_chunks(mesh, UV, [0, 1, 2], version=0x2014)
    with pytest.raises(EditError, match="not there"):
        unwrap_chunks(mesh, UV, [6] * 9, version=0x2014)


def test_edges_count_once() -> None:
    assert edge_count(np.array([3, 3, 3]), np.array([0, 1, 2, 2, 3, 0, 1, 4, 2])) == 7
    assert edge_count(np.array([4, 0, 3]), np.array([0, 1, 2, 3, 2, 1, 5])) == 6
    assert edge_count(np.zeros(0), np.zeros(0)) == 0
