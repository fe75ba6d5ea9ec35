"""Edit Patch and NeL's relatives, on stacks made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator, NotSupportedError
from maxsidecar.scene.modifiers.edit_patch_views import EditPatch, NelEditPatch, NelPaint
from maxsidecar.scene.modifiers.spaces import deform
from tests.support.blocks import old_block
from tests.support.patches import (
    EDITABLE_PATCH,
    RPO,
    Builder,
    i32,
    moved_record,
    nel_bytes,
    square,
)
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stacks import EDITABLE_MESH, Layer, Stack
from tests.support.stored_meshes import tri_chunks

EDIT, NEL, PAINT = (0x70, 0), (0x4DD14A3C, 0x4AC23C0C), (0x0C49560F, 0x3C3D68E7)
CONVERT = (0x43BB65E6, 0x68935530)
HAS_DATA, SET_NAMES = u32(4), (0x1100, b"")


@dataclass
class Kept:
    """What a modifier keeps on the object."""

    made: Builder
    vertices: Sequence[bytes] = ()
    vectors: Sequence[bytes] = ()
    flags: bytes = HAS_DATA
    steps: int = 2
    more: Sequence[ChunkTree] = ()
    mapped: bool = True

    def local(self) -> list[ChunkTree]:
        moves = u32(len(self.vertices)) + b"".join(self.vertices)
        moves += u32(len(self.vectors)) + b"".join(self.vectors)
        inner: list[ChunkTree] = [
            (0x1015, self.flags),
            (0x1020, i32(self.steps, 0)),
            (0x1150, i32(8)),
            (0x1160, u32(0)),
            (0x4000, b"\1" + i32(3) + b"\0"),
        ]
        if self.mapped:
            inner.append((0x1130, [(0x1000, moves)]))
        return [(0x1000, [*inner, (0x1140, self.made.chunks()), *self.more])]


def other() -> Builder:
    """Return the square, raised, so that it is seen which patches count."""
    made = square()
    made.vertices = [(x, y, 5) for x, y, _ in made.vertices]
    return made


def stack(kept: Kept | None, class_id: tuple[int, int] = EDIT) -> Stack:
    local = None if kept is None else kept.local()
    return Stack([Layer(class_id, local=local)], square().chunks(), EDITABLE_PATCH)


def patches(found: Evaluation) -> PatchMesh:
    assert isinstance(found.geometry, PatchMesh)
    return found.geometry


def notes(found: Evaluation) -> list[str]:
    return [entry.reason for entry in found.skipped]


def test_points_follow_those_below_and_the_rest_stays() -> None:
    # Vertex 0 moves, 1 goes to place 3 unmoved, 2 is not mapped, 3 was never stored.
    kept = Kept(
        other(),
        [
            moved_record(0, (0, 0, 0.1)),
            moved_record(3, (0, 0, 0)),
            moved_record(-1, (7, 7, 7)),
            moved_record(1, (1, 0, 0), stored=0),
        ],
        [moved_record(number, (0, 0, number)) for number in range(12)],
    )
    found = stack(kept).evaluation()
    assert found.complete
    patch = patches(found)
    expected = [(0, 0, 0.1), (1, 3, 0), (3, 3, 5), (3, 0, 0)]
    assert np.array_equal(patch.vertices, np.array(expected, np.float32))
    below = np.array(square().vectors, np.float32)
    assert np.array_equal(patch.vectors[:, 2], np.arange(12, dtype=np.float32))
    assert np.array_equal(patch.vectors[:, :2], below[:, :2])
    assert (patch.steps, patch.render_steps, patch.show_interior) == (2, 8, False)
    assert found.mesh is not None
    assert len(found.mesh.faces) == 18
    # Only the order of the division is open.
    assert len(notes(found)) == 1


def test_the_patches_below_are_not_changed() -> None:
    made = stack(Kept(other(), [moved_record(0, (1, 1, 1))] * 4, [moved_record(0, (0, 0, 0))] * 12))
    evaluator = Evaluator(made.scene)
    base = made.derived.stands_on
    assert base is not None
    below = patches(evaluator.object(base))
    found = patches(evaluator.object(made.derived))
    # The last record that names vertex 0 is that of the fourth one, at (0, 3, 0).
    assert found.vertices[0].tolist() == [1, 4, 1]
    assert below.vertices.tolist() == [list(map(float, place)) for place in square().vertices]
    assert below.steps == 5


def test_single_precision_as_it_is_computed_there() -> None:
    made = square()
    made.vertices[0] = (0.1, 16777216.0, 1e-8)
    move = (0.2, 1.0, 1.0)
    base = Stack(
        [
            Layer(
                EDIT,
                local=Kept(
                    other(), [moved_record(0, move)] * 4, [moved_record(0, move)] * 12
                ).local(),
            )
        ],
        made.chunks(),
        EDITABLE_PATCH,
    )
    # The last of four records for vertex 0 is that of vertex 3.
    assert patches(base.evaluation()).vertices[0].tolist() == [
        np.float32(0.2),
        np.float32(3) + np.float32(1),
        1.0,
    ]
    one = Kept(other(), [moved_record(0, move), *[moved_record(-1, move)] * 3], ())
    base = Stack([Layer(EDIT, local=one.local())], made.chunks(), EDITABLE_PATCH)
    expected = np.array(made.vertices[0], np.float32) + np.array(move, np.float32)
    assert np.array_equal(patches(base.evaluation()).vertices[0], expected)


@pytest.mark.parametrize(
    "vertices",
    [
        [moved_record(0, (0, 0, 0))] * 5,
        [moved_record(0, (0, 0, 0))] * 3,
        [moved_record(4, (0, 0, 0)), *[moved_record(-1, (0, 0, 0))] * 3],
    ],
)
def test_other_patches_below_are_told(vertices: list[bytes]) -> None:
    found = stack(Kept(other(), vertices, [moved_record(-1, (0, 0, 0))] * 12)).evaluation()
    assert found.complete
    assert sum("not those that it was made for" in note for note in notes(found)) == 1


def test_nothing_was_done() -> None:
    base = patches(stack(None).evaluation())
    assert base.vertices[:, 2].tolist() == [0] * 4
    assert base.steps == 5
    found = patches(stack(Kept(other(), flags=u32(1))).evaluation())
    assert found.vertices[:, 2].tolist() == [0] * 4
    assert found.steps == 2


def test_early_files_are_not_evaluated() -> None:
    made = Stack(
        [Layer(EDIT, local=[(0x1000, [(0x1000, u32(4)), (0x2070, [(0x1000, b"")])])])],
        square().chunks(),
        EDITABLE_PATCH,
    )
    found = made.evaluation()
    assert not found.complete
    assert any("step by step" in note for note in notes(found))
    assert patches(found).vertices[:, 2].tolist() == [0] * 4


def test_nel_edit_keeps_tiles_and_binds() -> None:
    kept = Kept(other(), more=[(0x4001, nel_bytes(9, [(2, 2)]))])
    made = stack(kept, NEL)
    patch = patches(made.evaluation())
    assert patch.nel is not None
    assert len(patch.nel.patches[0].tiles) == 16


def test_nel_painter_keeps_no_moves() -> None:
    kept = Kept(other(), more=[(0x4001, nel_bytes(8))], mapped=False)
    made = Stack([Layer(PAINT, local=kept.local())], square().chunks(), EDITABLE_PATCH)
    patch = patches(made.evaluation())
    assert patch.vertices[:, 2].tolist() == [5] * 4
    assert patch.nel is not None
    assert patch.nel.version == 8


def test_patches_of_nel_are_passed_on() -> None:
    made = stack(None, CONVERT)
    found = made.evaluation()
    assert found.complete
    assert patches(found).patch_count == 1
    mesh = Stack([Layer(CONVERT)], tri_chunks(), EDITABLE_MESH).evaluation()
    assert any("needs patches" in note for note in notes(mesh))


def test_a_mesh_below_gives_the_kept_patches() -> None:
    made = Stack([Layer(EDIT, local=Kept(other()).local())], tri_chunks(), EDITABLE_MESH)
    found = made.evaluation()
    assert found.complete
    assert patches(found).vertices[:, 2].tolist() == [5] * 4
    assert any("no patches" in note for note in notes(found))


def test_modifiers_move_control_points() -> None:
    below = patches(stack(None).evaluation())
    found = deform(below, lambda points: points * 2 + 1)
    assert isinstance(found, PatchMesh)
    assert np.array_equal(found.vertices, below.vertices * 2 + 1)
    assert np.array_equal(found.vectors, below.vectors * 2 + 1)
    assert below.vertices.tolist() == [list(map(float, place)) for place in square().vertices]
    with pytest.raises(NotSupportedError, match="finite"):
        deform(below, lambda points: points + np.inf)


def test_material_ids_of_patches() -> None:
    maker = SceneMaker()
    layer = Layer((0xF8612, 0), references=[old_block(maker, [6])])
    found = Stack([layer], square().chunks(), EDITABLE_PATCH, maker).evaluation()
    # The parameter counts from 1.
    assert patches(found).material_ids.tolist() == [5]


@pytest.mark.parametrize(
    ("class_id", "view", "extra"),
    [
        (EDIT, EditPatch, []),
        (
            NEL,
            NelEditPatch,
            [(0x2000, b"\1" + i32(2) + b"\0"), (0x2002, b"\1"), (0x2001, i32(3))],
        ),
    ],
)
def test_every_known_chunk_encodes_to_the_same_bytes(
    class_id: tuple[int, int], view: type, extra: list[ChunkTree]
) -> None:
    tessellation: list[ChunkTree] = [(0x300D, u32(1)), (0x3010, f32(2))]
    chunks: list[ChunkTree] = [
        SET_NAMES,
        (0x1001, i32(3)),
        (0x1010, u32(1)),
        (0x1040, i32(5, 0)),
        (0x10E0, i32(5)),
        (0x1090, tessellation),
        *extra,
        (0x1050, [(0x1080, "corner".encode("utf-16-le"))]),
    ]
    kept = Kept(other(), [moved_record(0, (0, 0, 1))], more=[(0x4001, nel_bytes(9))])
    made = Stack([Layer(class_id, chunks, local=kept.local())], square().chunks(), EDITABLE_PATCH)
    obj = made.scene[made.modifiers[0]]
    assert type(obj) is view
    assert isinstance(obj, EditPatch)
    assert obj.level == 3
    problems: list[str] = []
    for owner in (obj, made.derived):
        check_leaves(owner.typed_leaves(), lambda error: problems.append(str(error)))
    assert problems == []
    own = {name for _, name, _ in obj.typed_leaves()}
    if isinstance(obj, NelEditPatch):
        assert obj.tiles is not None
        assert (obj.tiles.mode, obj.tiles.level, obj.tiles.keep_mapping) == (1, 2, 0)
    assert {"vertex_sets.name", "view_tessellation.chunk_300d", "steps"} <= own
    local = {name for _, name, _ in made.derived.typed_leaves()}
    start = "contexts[0].local.edited."
    assert {start + "moves.points", start + "nel", start + "patches.vertex[1].flags"} <= local


def test_the_view_of_nel_painter() -> None:
    made = Stack([Layer(PAINT, [(0x2002, b"\1"), (0x2003, b"\0")])], square().chunks(), RPO)
    obj = made.scene[made.modifiers[0]]
    assert type(obj) is NelPaint
    assert {"include_meshes", "preload_tiles"} <= {name for _, name, _ in obj.typed_leaves()}
