"""Map Extender modifiers become Unwrap UVW with the same mapping."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.registry import get
from maxsidecar.migrate.undo import Undo
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.modifiers.unwrap_views import UnwrapUVW
from tests.support.map_extender import MAP_EXTENDER, UNWRAP, MapExtenderScene, cache, encoded
from tests.support.map_extender_checks import (
    CORNERS,
    EARLY,
    FACES,
    LATE,
    OTHER,
    UV,
    again,
    check,
    corners,
    migrate,
    modifier_classes,
    one_stack,
    shown,
)
from tests.support.stored_meshes import SQUARE, SQUARE_FACES
from tests.unit.migrate.conftest import contents


@pytest.mark.parametrize("root_id", [0x2006, EARLY, 0x200A, 0x200B, 0x2012, LATE, 0x2031])
@pytest.mark.parametrize("channel", [1, 2])
def test_coordinates_are_the_same_to_the_last_bit(
    root_id: int, channel: int, tmp_path: Path
) -> None:
    scene_file, node = one_stack(root_id, channel)
    assert corners(scene_file, node, channel) == CORNERS
    log = migrate(scene_file)
    assert (log.problems, [entry.kind for entry in log]) == (0, ["change"] * 4)
    after = again(scene_file)
    assert corners(after, node, channel) == CORNERS
    (modifier,) = after.scene.of_superclass(0x810)
    assert isinstance(modifier, UnwrapUVW)
    assert (modifier.class_name, modifier.dll_name) == ("Unwrap UVW", "uvwunwrap.dlm")
    assert modifier.map_channel == channel
    check(after, tmp_path)
    # A second run finds nothing.
    assert not migrate(after).entries
    assert not after.edited


@pytest.mark.parametrize("root_id", [EARLY, LATE])
@pytest.mark.parametrize(
    "form",
    [
        {"leaf": False},
        {"companions": False},
        {"extras": True},
        {"trail": False},
        {"references": "flat"},
        {"references": "sparse"},
    ],
    ids=str,
)
def test_all_forms_of_the_cache(root_id: int, form: dict[str, bool], tmp_path: Path) -> None:
    scene_file, node = one_stack(root_id, **form)  # type: ignore[arg-type]
    assert not migrate(scene_file).problems
    after = again(scene_file)
    assert corners(after, node) == CORNERS
    check(after, tmp_path)


@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_vertex_colours_are_channel_0(root_id: int) -> None:
    scene_file, node = one_stack(root_id, 0)
    assert not migrate(scene_file).problems
    assert corners(again(scene_file), node, 0) == CORNERS


@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_nothing_else_changes(root_id: int) -> None:
    scene_file, _ = one_stack(root_id)
    before = again(scene_file)
    migrate(scene_file)
    after = again(scene_file)
    assert len(after.scene) == len(before.scene)
    assert {
        old.class_name
        for old, new in zip(before.scene, after.scene, strict=True)
        if bytes(old.data.data) != bytes(new.data.data)
    } == {"Map Extender", "OSM Derived"}
    assert {
        name
        for name, stream in after.streams.items()
        if bytes(stream.content) != bytes(before.streams[name].content)
    } == {"Scene", "ClassDirectory3", "DllDirectory"}
    # The other entries of both directories stay in their places.
    assert [info.name for info in before.classes if info][:-1] != []
    for old, new in zip(before.classes, after.classes, strict=True):
        assert old == new or (old is not None and old.name == "Map Extender")
    assert list(after.scene.directories[1])[:-1] == list(before.scene.directories[1])


def test_the_engine_saves_undoes_and_looks_only(tmp_path: Path) -> None:
    folder = tmp_path / "scenes"
    folder.mkdir()
    nodes = {}
    for name, root_id in (("early.max", EARLY), ("late.max", LATE)):
        scene_file, nodes[name] = one_stack(root_id)
        (folder / name).write_bytes(bytes(scene_file.to_bytes()))
    before = contents(folder)

    def run(**settings: object) -> Run:
        job = Run(get("map-extender-to-unwrap"), {}, [str(folder)], Settings(**settings))  # type: ignore[arg-type]
        list(job.results())
        return job

    assert run(dry_run=True).counts == {"changed": 2}
    assert contents(folder) == before
    first = run()
    journal = first.journal
    assert journal is not None
    assert first.counts == {"changed": 2}
    for name, node in nodes.items():
        assert corners(MaxFile((folder / name).read_bytes()), node) == CORNERS
    changed = contents(folder)
    assert run(again=True).counts == {"unchanged": 2}
    assert contents(folder) == changed
    assert {result.state for result in Undo(journal).results()} == {"undone"}
    assert contents(folder) == before


@pytest.mark.parametrize("root_id", [EARLY, LATE])
@pytest.mark.parametrize("local", [b"", None, []], ids=["empty leaf", "none", "empty container"])
def test_an_empty_cache_stays_without_effect(root_id: int, local: bytes | None) -> None:
    builder = MapExtenderScene(root_id)
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES, uv=(UV, FACES))
    stack = builder.add_stack(mesh, [(builder.add_map_extender(), local)])
    node = builder.add_node("thing", stack)
    scene_file = MaxFile(builder.to_bytes())
    log = migrate(scene_file)
    assert (log.problems, log.changes) == (0, 4)
    after = again(scene_file)
    assert modifier_classes(after) == ["Unwrap UVW"]
    assert corners(after, node) == CORNERS


@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_beside_an_unwrap_uvw(root_id: int, tmp_path: Path) -> None:
    builder = MapExtenderScene(root_id)
    other = builder.add_object(UNWRAP, [(0x39BF, [(0x0100, b"")])])
    modifier = builder.add_map_extender()
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
    local = encoded(cache(UV, FACES))
    node = builder.add_node("thing", builder.add_stack(mesh, [(other, None), (modifier, local)]))
    scene_file = MaxFile(builder.to_bytes())
    assert not migrate(scene_file).problems
    after = again(scene_file)
    assert after.scene.chunk_id(modifier) == after.scene.chunk_id(other)
    assert corners(after, node) == CORNERS
    check(after, tmp_path)
    assert not migrate(after).entries


def instances(root_id: int, *local: list[ChunkTree] | None) -> tuple[MaxFile, list[int]]:
    """A scene in which several objects share one modifier."""
    builder = MapExtenderScene(root_id)
    modifier = builder.add_map_extender()
    nodes = []
    for chunks in local:
        mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
        data = None if chunks is None else encoded(chunks)
        nodes.append(builder.add_node("thing", builder.add_stack(mesh, [(modifier, data)])))
    return MaxFile(builder.to_bytes()), nodes


@pytest.mark.parametrize(
    ("root_id", "second", "modifiers"),
    [
        (EARLY, cache(UV, FACES), 1),
        (EARLY, cache(UV, OTHER), 2),
        (EARLY, cache(UV, FACES, 2), 2),
        (EARLY, None, 2),
        (LATE, cache(UV, OTHER), 1),
        (LATE, None, 1),
        (LATE, cache(UV, OTHER, 2), 2),
    ],
)
def test_a_modifier_on_several_objects_is_split_where_it_must_be(
    root_id: int, second: list[ChunkTree] | None, modifiers: int, tmp_path: Path
) -> None:
    scene_file, nodes = instances(root_id, cache(UV, FACES), second, cache(UV, FACES))
    before = [shown(scene_file, node).maps for node in nodes]
    log = migrate(scene_file)
    assert not log.problems
    told = [entry for entry in log if "of its own" in entry.text]
    assert len(told) == modifiers - 1
    after = again(scene_file)
    assert modifier_classes(after) == ["Unwrap UVW"] * modifiers
    assert corners(after, nodes[0]) == corners(after, nodes[2]) == CORNERS
    for node, maps in zip(nodes, before, strict=True):
        now = shown(after, node).maps
        assert now.keys() == maps.keys()
        for number, old in maps.items():
            new = now[number]
            assert new.vertices[new.corners].tobytes() == old.vertices[old.corners].tobytes(), (
                number
            )
    check(after, tmp_path)
    assert not migrate(after).entries


@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_polygons_are_described_as_polygons(root_id: int, tmp_path: Path) -> None:
    def scene(faces: list[tuple[int, int, int]]) -> tuple[MaxFile, int]:
        builder = MapExtenderScene(root_id)
        poly = builder.add_poly()
        local = encoded(cache(UV, faces))
        node = builder.add_node("p", builder.add_stack(poly, [(builder.add_map_extender(), local)]))
        return MaxFile(builder.to_bytes()), node

    # Corners of the triangles that the quad (0, 1, 2, 3) and the triangle are drawn with.
    scene_file, _ = scene(FACES)
    (stack,) = scene_file.scene.of_superclass(0x1F0)
    base = scene_file.scene[stack.references[1]]
    mesh = Evaluator(scene_file.scene).object(base).mesh
    assert mesh is not None
    assert mesh.degrees.tolist() == [4, 3]
    vertex = [0, 1, 2, 3, 4, 5, 1]  # a map vertex for each corner of the polygons
    whole = [tuple(vertex[corner] for corner in row) for row in mesh.triangles.tolist()]

    scene_file, node = scene(whole)
    before = corners(scene_file, node)
    assert not migrate(scene_file).problems
    after = again(scene_file)
    (stack,) = after.scene.of_superclass(0x1F0)
    assert isinstance(stack, DerivedObject)
    modifier = after.scene[stack.references[0]]
    assert isinstance(modifier, UnwrapUVW)
    found = modifier.read_map(stack.contexts[0])
    assert found is not None
    assert found[1].degrees.tolist() == [4, 3]
    assert found[1].corners.tolist() == vertex
    assert corners(after, node) == before
    check(after, tmp_path)

    cut = [whole[0], (6, 6, 6), whole[2]]
    scene_file, _ = scene(cut)
    (problem,) = migrate(scene_file).entries
    assert "cuts through polygons" in problem.text
    assert not scene_file.edited


def test_appdata_and_the_switch_of_the_modifier_stay() -> None:
    builder = MapExtenderScene(EARLY)
    off: list[ChunkTree] = [(0x39BF, [(0x0100, b""), (0x0110, b"")])]
    modifier = builder.add_map_extender()
    builder._objects[modifier].chunks = off
    key = AppDataKey(0x04D64858, 0x16D1751D, 0x1020, 7)
    builder.add_appdata(modifier, key, b"1\0")
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
    node = builder.add_node(
        "thing", builder.add_stack(mesh, [(modifier, encoded(cache(UV, FACES)))])
    )
    scene_file = MaxFile(builder.to_bytes())
    assert shown(scene_file, node).maps == {}
    assert not migrate(scene_file).problems
    after = again(scene_file)
    assert modifier_classes(after) == ["Unwrap UVW"]
    assert shown(after, node).maps == {}
    assert [item.key for item in after.scene[modifier].appdata] == [key]


@pytest.mark.parametrize("root_id", [EARLY, LATE])
def test_several_in_one_stack(root_id: int, tmp_path: Path) -> None:
    builder = MapExtenderScene(root_id)
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
    local = [cache(UV, FACES, 2), cache(UV, FACES[:2], 3), cache(UV, OTHER, 2), cache(UV, FACES, 1)]
    layers = [(builder.add_map_extender(), encoded(chunks)) for chunks in local]
    stack = builder.add_stack(mesh, layers)
    node = builder.add_node("thing", stack)
    scene_file = MaxFile(builder.to_bytes())
    # The second was made for another mesh, and has no effect; the first covers the third.
    assert migrate(scene_file).problems == 1
    after = again(scene_file)
    derived = after.scene[stack]
    assert isinstance(derived, DerivedObject)
    classes = [obj.class_name for obj in derived.modifiers if obj is not None]
    assert classes == ["Unwrap UVW", "Map Extender", "Unwrap UVW", "Unwrap UVW"]
    found = Evaluator(after.scene).node(after.nodes[node]).mesh
    assert found is not None
    assert sorted(found.maps) == [1, 2]
    for channel in found.maps.values():
        assert channel.vertices[channel.corners].tobytes() == CORNERS
    check(after, tmp_path)


def test_appdata_of_the_plug_in_stay_and_are_told() -> None:
    builder = MapExtenderScene(EARLY)
    modifier = builder.add_map_extender()
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES)
    key = AppDataKey(MAP_EXTENDER.a, MAP_EXTENDER.b, 0x810, 1)
    builder.add_appdata(mesh, key, b"x")
    stack = builder.add_stack(mesh, [(modifier, encoded(cache(UV, FACES)))])
    node = builder.add_node("thing", stack)
    scene_file = MaxFile(builder.to_bytes())
    (warning,) = [entry for entry in migrate(scene_file) if entry.kind == "warning"]
    assert "AppData that belong to Map Extender stay" in warning.text
    after = again(scene_file)
    assert [item.key for item in after.scene[mesh].appdata] == [key]
    assert corners(after, node) == CORNERS
