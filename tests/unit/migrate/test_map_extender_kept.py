"""Map Extender modifiers that must stay as they are, and what is told about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass
from maxsidecar.scene.maxfile import MaxFile
from tests.support.map_extender import UNWRAP, Layer, MapExtenderScene, cache, encoded
from tests.support.map_extender_checks import (
    CORNERS,
    EARLY,
    FACES,
    LATE,
    UV,
    again,
    corners,
    migrate,
    modifier_classes,
    one_stack,
    problems,
)
from tests.support.scenes import u32
from tests.support.stored_meshes import SQUARE, SQUARE_FACES, bits

MESH_SELECT = NewClass("Mesh Select", 0x73D8FF93, 0, 0x810)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (cache(UV, FACES)[1:], "has no chunk 03e8"),
        ([cache(UV, FACES)[0], cache(UV, FACES)[2]], "not complete"),
        (cache(UV, FACES)[:2], "has no chunk 03ea"),
        (cache(UV, FACES[:2]), "made for 2 faces, and there are 3"),
        (cache(UV, [*FACES, (0, 1, 2)]), "made for 4 faces, and there are 3"),
        (cache(UV[:5], FACES), "a corner of map vertex 5, and there are 5"),
    ],
    ids=["no count", "counts alone", "no faces", "too few", "too many", "far corner"],
)
@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_a_bad_one_stays_and_the_others_go_on(
    root_id: int, bad: list[ChunkTree], reason: str, tmp_path: Path
) -> None:
    builder = MapExtenderScene(root_id)
    good, wrong = builder.add_map_extender(), builder.add_map_extender()
    nodes = []
    for modifier, local in ((good, cache(UV, FACES)), (wrong, bad)):
        mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
        stack = builder.add_stack(mesh, [(modifier, encoded(local))])
        nodes.append(builder.add_node("thing", stack))
    scene_file = MaxFile(builder.to_bytes())
    left = bytes(scene_file.scene[wrong].data.data)
    before = problems(scene_file, tmp_path)
    log = migrate(scene_file)
    (problem,) = [entry for entry in log if entry.kind == "problem"]
    assert reason in problem.text
    assert problem.place == f"Map Extender {wrong}"
    after = again(scene_file)
    assert modifier_classes(after) == ["Unwrap UVW", "Map Extender"]
    assert bytes(after.scene[wrong].data.data) == left
    assert corners(after, nodes[0]) == CORNERS
    assert after.scene[good].dll_name == "uvwunwrap.dlm"
    # A cache that is not complete is told by the check itself, and is as it was.
    assert problems(after, tmp_path) == before
    # The next run tells the problem again, and changes nothing.
    log = migrate(after)
    assert (log.problems, log.changes) == (1, 0)
    assert not after.edited


@pytest.mark.parametrize("root_id", [0x2001, 0x2004, 0x200E, 0x200F, 0x2011])
def test_releases_that_no_file_shows_are_refused(root_id: int) -> None:
    scene_file, node = one_stack(root_id)
    with pytest.raises(EditError, match="shows how it stores Unwrap UVW"):
        migrate(scene_file)
    assert not scene_file.edited
    log = migrate(scene_file, unproven=True)
    assert not log.problems
    assert corners(again(scene_file), node) == CORNERS


def test_references_of_the_plug_in_are_emptied_and_told() -> None:
    for form in ("flat", "sparse"):
        builder = MapExtenderScene(EARLY)
        held = builder.add_box(1, 1, 1)
        modifier = builder.add_map_extender(form, to=(None, held))
        mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
        stack = builder.add_stack(mesh, [(modifier, encoded(cache(UV, FACES)))])
        node = builder.add_node("thing", stack)
        scene_file = MaxFile(builder.to_bytes())
        (warning,) = [entry for entry in migrate(scene_file) if entry.kind == "warning"]
        assert f"referred to Box {held}" in warning.text
        after = again(scene_file)
        assert not [index for index in after.scene[modifier].references.values() if index >= 0]
        assert corners(after, node) == CORNERS


def test_what_is_below_must_be_known() -> None:
    builder = MapExtenderScene(EARLY)
    unknown = builder.add_object(UNWRAP.__class__("Strange", 0x11111111, 0x22222222, 0x810))
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
    local = encoded(cache(UV, FACES))
    builder.add_node(
        "thing", builder.add_stack(mesh, [(builder.add_map_extender(), local), (unknown, None)])
    )
    scene_file = MaxFile(builder.to_bytes())
    (problem,) = migrate(scene_file).entries
    assert "what is below it is not known: Strange" in problem.text
    assert not scene_file.edited


@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_faces_that_are_not_selected(root_id: int) -> None:
    def scene(uv: list[tuple[float, float, float]], chosen: str) -> tuple[MaxFile, int]:
        builder = MapExtenderScene(root_id)
        select = builder.add_object(MESH_SELECT, [(0x39BF, [(0x0100, b"")]), (0x0100, u32(3))])
        mesh = builder.add_mesh(SQUARE, SQUARE_FACES, uv=(uv, FACES))
        faces: list[ChunkTree] = [(0x0210, [(0x2700, bits(chosen))])]
        layers: list[Layer] = [
            (builder.add_map_extender(), encoded(cache(UV, FACES))),
            (select, faces),
        ]
        node = builder.add_node("thing", builder.add_stack(mesh, layers))
        return MaxFile(builder.to_bytes()), node

    scene_file, node = scene(UV[::-1], "101")
    assert corners(scene_file, node) == CORNERS
    (problem,) = migrate(scene_file).entries
    assert "1 of 3 faces are not selected below it" in problem.text
    assert not scene_file.edited
    # Where the map is there already, or all are selected, it makes no difference.
    for uv, chosen in ((UV, "101"), (UV[::-1], "111")):
        scene_file, node = scene(uv, chosen)
        assert not migrate(scene_file).problems
        assert corners(again(scene_file), node) == CORNERS


def test_own_chunks_that_nobody_knows_are_not_taken_for_settings() -> None:
    builder = MapExtenderScene(EARLY)
    modifier = builder.add_map_extender()
    builder._objects[modifier].chunks = [(0x39BF, [(0x0100, b"")]), (0x0270, b"what")]
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
    stack = builder.add_stack(mesh, [(modifier, encoded(cache(UV, FACES)))])
    builder.add_node("thing", stack)
    scene_file = MaxFile(builder.to_bytes())
    (problem,) = migrate(scene_file).entries
    assert "a chunk 0270, which is not known" in problem.text
    assert not scene_file.edited


def test_scenes_without_the_plug_in_are_left_alone(built_sample: Path) -> None:
    scene_file = MaxFile(built_sample.read_bytes())
    assert not migrate(scene_file).entries
    assert not scene_file.edited
