"""Editable Patch and NeL's patch object, from chunks made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator
from maxsidecar.scene.geometry.stored.patch_views import (
    EditablePatch,
    NelPatchObject,
    StoredPatch,
)
from tests.support.patches import (
    EDITABLE_PATCH,
    RPO,
    Builder,
    counted,
    i32,
    map_chunks,
    nel_bytes,
    square,
)
from tests.support.scenes import SceneMaker, u32
from tests.support.stored_meshes import tri_chunks

UV = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
ROW = [*range(4), *[0] * 8, *[0] * 4]


def stored(chunks: Sequence[ChunkTree]) -> EditablePatch:
    maker = SceneMaker()
    index = maker.add(EDITABLE_PATCH, [(0x0910, u32(1)), (0x08FE, list(chunks))])
    obj = maker.scene()[index]
    assert isinstance(obj, EditablePatch)
    return obj


def nel_object(chunks: Sequence[ChunkTree], nel: bytes | None = None) -> NelPatchObject:
    maker = SceneMaker()
    own = nel_bytes(9) if nel is None else nel
    index = maker.add(RPO, [(0x08FD, u32(0) + own), *chunks, *tri_chunks()])
    obj = maker.scene()[index]
    assert isinstance(obj, NelPatchObject)
    return obj


def read(obj: StoredPatch) -> PatchMesh:
    patch = obj.read_patch()
    assert patch is not None
    return patch


def problems(obj: StoredPatch) -> list[str]:
    """Return what is wrong with the known leaves."""
    out: list[str] = []
    check_leaves(obj.typed_leaves(), lambda error: out.append(str(error)))
    return out


def evaluation(obj: StoredPatch) -> Evaluation:
    return Evaluator(obj.scene).object(obj)


def mixed() -> Builder:
    """Return a square and a triangle at its upper side."""
    made = square(5 << 16 | 1)
    top = made.point((3, 6, 0))
    made.flat(3, 2, top, handles={0: made.patches[0][1][4:6][::-1]})
    return made


@pytest.mark.parametrize("early", [False, True])
def test_patches_are_read(early: bool) -> None:
    patch = read(stored(mixed().chunks(early=early)))
    assert patch.vertices.tolist() == [[0, 0, 0], [3, 0, 0], [3, 3, 0], [0, 3, 0], [3, 6, 0]]
    assert patch.vectors[0].tolist() == [1, 0, 0]
    assert patch.corners.tolist() == [[0, 1, 2, 3], [3, 2, 4, -1]]
    assert patch.handles.tolist() == [[*range(8)], [5, 4, 12, 13, 14, 15, -1, -1]]
    assert patch.interiors.tolist() == [[8, 9, 10, 11], [16, 17, 18, -1]]
    assert patch.smoothing.tolist() == [1, 1]
    assert patch.material_ids.tolist() == [5, 0]
    assert patch.quads.tolist() == [True, False]


def test_every_known_chunk_encodes_to_the_same_bytes() -> None:
    maps = map_chunks(1, UV, [ROW, ROW])
    for obj in (stored(mixed().chunks(maps)), nel_object(mixed().chunks(maps))):
        names = [name for _, name, _ in obj.typed_leaves()]
        assert any(name.endswith("patch[1].corners") for name in names)
        assert any(name.endswith("map_patches") for name in names)
        assert problems(obj) == []


def test_an_editable_patch_is_evaluated() -> None:
    found = evaluation(stored(mixed().chunks()))
    assert found.complete
    assert [entry.approximate for entry in found.skipped] == [True]
    assert isinstance(found.geometry, PatchMesh)
    assert found.mesh is not None
    # Five steps: 7 by 7 points, and those of a triangle that are not on the common side.
    assert len(found.mesh.positions) == 49 + 21
    assert found.mesh.material_ids.tolist() == [5] * 72 + [0] * 36


def test_map_channels() -> None:
    obj = stored(square().chunks(map_chunks(1, UV, [ROW]) + map_chunks(0, UV, [ROW])))
    patch = read(obj)
    assert set(patch.maps) == {0, 1}
    assert patch.maps[1].vertices.tolist() == [list(map(float, place)) for place in UV]
    assert patch.maps[1].corners.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("maps", "reason"),
    [
        (map_chunks(1, UV, [ROW, ROW]), "2 patches"),
        (map_chunks(1, UV, [[9, *ROW[1:]]]), "vertices that are not there"),
        (map_chunks(1, UV, [[-1, *ROW[1:]]]), "vertices that are not there"),
        (map_chunks(1, UV, [ROW])[:2], "no patches"),
        (map_chunks(1, UV, [ROW])[2:], "no vertices"),
        ([(0x0C8A, b"12")], "no number of a map channel"),
        ([(0x0C80, [(1, b"")])], "no number of a map channel"),
        (map_chunks(1, UV, [ROW[1:]]), "wrong size"),
    ],
)
def test_maps_that_do_not_fit_are_left_out_and_told(maps: list[ChunkTree], reason: str) -> None:
    found = evaluation(stored(square().chunks(maps)))
    assert any(reason in entry.reason for entry in found.skipped)
    assert isinstance(found.geometry, PatchMesh)
    assert not found.geometry.maps
    assert found.mesh is not None


def test_points_with_controllers_are_told() -> None:
    maker = SceneMaker()
    controller = maker.add((0x2011, 0, 0x9005), [])
    index = maker.add(EDITABLE_PATCH, [(0x08FE, square().chunks())], [None, controller])
    obj = maker.scene()[index]
    assert isinstance(obj, EditablePatch)
    found = evaluation(obj)
    assert not found.complete
    assert any("controllers" in entry.reason for entry in found.skipped)


def test_handles_of_a_map_that_are_not_there_make_it_linear() -> None:
    row = [0, 1, 2, 3, *[-1] * 12]
    patch = read(stored(square().chunks(map_chunks(1, UV, [row]))))
    assert patch.maps[1].handles.tolist() == [[-1] * 8]
    mesh = patch.to_mesh()
    at = mesh.maps[1].vertices[mesh.maps[1].corners]
    np.testing.assert_allclose(at, mesh.positions[mesh.corners] / 3, atol=1e-6)


def changed(chunks: list[ChunkTree], chunk_id: int, new: ChunkTree | None) -> list[ChunkTree]:
    """Return the chunks with the first one of an id replaced, or left out."""
    place = next(n for n, chunk in enumerate(chunks) if chunk[0] == chunk_id)
    return [*chunks[:place], *([] if new is None else [new]), *chunks[place + 1 :]]


def inner(chunks: list[ChunkTree], chunk_id: int, leaf: int, body: bytes) -> list[ChunkTree]:
    """Return the chunks with a leaf of the first container of an id replaced."""
    tree = next(chunk[1] for chunk in chunks if chunk[0] == chunk_id)
    assert not isinstance(tree, bytes)
    return changed(chunks, chunk_id, (chunk_id, changed(list(tree), leaf, (leaf, body))))


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (changed(square().chunks(), 0x0BD6, (0x0BD6, i32(9))), "as many vertex chunks"),
        (changed(square().chunks(), 0x0BD6, None), "lack a chunk"),
        (changed(square().chunks(), 0x0BC2, (0x0BC2, b"\1")), "size"),
        (changed(square().chunks(), 0x0BC2, (0x0BC2, [(1, b"")])), "holds chunks"),
        (changed(square().chunks(), 0x0BE0, (0x0BE0, b"1234")), "is data"),
        (inner(square().chunks(), 0x0BE0, 0x03E8, b"1234"), "a vertex of the wrong size"),
        (inner(square().chunks(), 0x0BF4, 0x03E8, i32(5)), "no known kind"),
        (inner(square().chunks(), 0x0BF4, 0x03F2, i32(0, 1, 2, 4)), "a vertex that is not there"),
        (inner(square().chunks(), 0x0BF4, 0x03F2, i32(0, 1, 2)), "a vertex that is not there"),
        (inner(square().chunks(), 0x0BF4, 0x03FC, i32(*[99] * 8)), "a handle that is not there"),
        (inner(square().chunks(), 0x0BF4, 0x0406, i32(-1, 0, 0, 0)), "an interior point that"),
        (inner(square().chunks(), 0x0BF4, 0x03F2, b"123"), "wrong size"),
    ],
)
def test_damaged_patches_are_refused(chunks: list[ChunkTree], message: str) -> None:
    obj = stored(chunks)
    with pytest.raises(DecodeError, match=message) as caught:
        obj.read_patch()
    assert caught.value.where.path
    found = evaluation(obj)
    assert found.geometry is None
    assert not found.complete


def test_an_object_without_patches() -> None:
    maker = SceneMaker()
    indices = [maker.add(kind, []) for kind in (EDITABLE_PATCH, RPO)]
    scene = maker.scene()
    for index in indices:
        patch = scene[index]
        assert isinstance(patch, StoredPatch)
        assert patch.read_patch() is None
        assert [entry.reason for entry in evaluation(patch).skipped] == [
            "the object holds no patches"
        ]
        with pytest.raises(EditError, match="no patches"):
            patch.write_patch(read(stored(square().chunks())))


@pytest.mark.parametrize("make", [stored, nel_object])
def test_patches_are_written_into_their_bytes(make: type) -> None:
    obj: StoredPatch = make(mixed().chunks(map_chunks(1, UV, [ROW, ROW])))
    before = bytes(obj.data.data)
    patch = read(obj)
    assert not obj.write_patch(patch)
    assert bytes(obj.data.data) == before
    patch.vertices[1] = (4, 5, 6)
    patch.vectors[-1] = (7, 8, 9)
    patch.smoothing[1] = 0x80000001
    patch.material_ids[:] = (3, 0xFFFF)
    patch.linear_maps[0] = True
    patch.maps[1].vertices[2] = (0.25, 0.5, 0)
    assert obj.write_patch(patch)
    again = read(obj)
    for name in ("vertices", "vectors", "smoothing", "material_ids", "linear_maps", "corners"):
        assert np.array_equal(getattr(again, name), getattr(patch, name)), name
    assert np.array_equal(again.maps[1].vertices, patch.maps[1].vertices)
    after = bytes(obj.data.data)
    assert len(after) == len(before)
    # Two vectors of three floats, of which not every byte differs, and a few words.
    assert 0 < sum(a != b for a, b in zip(before, after, strict=True)) <= 24 + 4 + 8 + 8
    assert not problems(obj)


def test_edits_that_do_not_fit_are_refused() -> None:
    obj = stored(square().chunks(map_chunks(1, UV, [ROW])))
    before = bytes(obj.data.data)
    patch = read(obj)
    bad = patch.vertices.copy()
    bad[0, 0] = np.nan
    for wrong in (
        replace(patch, vertices=patch.vertices[:-1]),
        replace(patch, vertices=bad),
        replace(patch, corners=patch.corners[:, ::-1].copy()),
        replace(patch, material_ids=np.array([70000], np.int32)),
        replace(patch, smoothing=np.array([-1], np.int64)),
        replace(patch, maps={}),
        replace(patch, maps={1: replace(patch.maps[1], vertices=patch.maps[1].vertices[:1])}),
        replace(patch, maps={1: replace(patch.maps[1], corners=patch.maps[1].corners + 1)}),
    ):
        with pytest.raises(EditError):
            obj.write_patch(wrong)
    assert bytes(obj.data.data) == before


def test_patches_of_nel() -> None:
    obj = nel_object(square().chunks())
    patch = read(obj)
    assert patch.nel is not None
    assert patch.nel.version == 9
    found = evaluation(obj)
    assert found.complete
    assert isinstance(found.geometry, PatchMesh)
    assert found.geometry.nel == patch.nel
    assert found.mesh is not None
    # Not the mesh that stands behind the patches.
    assert len(found.mesh.faces) == 72


def test_patches_of_nel_with_a_record_that_cannot_be_read() -> None:
    obj = nel_object(square().chunks(), nel_bytes(10))
    with pytest.raises(DecodeError, match="unknown version"):
        obj.read_patch()
    assert problems(obj)


def test_many_layouts_are_read_one_by_one() -> None:
    made = Builder()
    for number in range(600):
        made.point((number, 0, 0))
    chunks = made.chunks()
    place = next(n for n, chunk in enumerate(chunks) if chunk[0] == 0x0BE0)
    for number in range(600):
        body = chunks[place + number][1]
        assert not isinstance(body, bytes)
        tree: list[ChunkTree] = [*body[:2], (0x0406, counted()), (0x1000 + number, b"")]
        chunks[place + number] = (0x0BE0, tree)
    patch = read(stored(chunks))
    assert patch.vertices[:, 0].tolist() == [*range(600)]
