"""Collision meshes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maxsidecar.nel.export.collision import export
from maxsidecar.nel.export.registry import Failure, Job, LeftOut, Product
from tests.support.nel_scenes import GameScene, viewed

QUAD = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)]
HALVES = [(0, 1, 2), (2, 3, 0)]


def exported(
    scene: GameScene, folder: Path, group: str = ""
) -> tuple[dict[str, Product], list[Any]]:
    with viewed(scene, folder) as view:
        steps = list(export(Job(view, "scene", group)))
    products = {step.name: step for step in steps if isinstance(step, Product)}
    return products, [step for step in steps if not isinstance(step, Product)]


def floor(scene: GameScene, name: str, x: float, **flags: Any) -> int:
    given: dict[str, Any] = {"COLLISION": 1, **flags}
    return scene.mesh_node(name, QUAD, HALVES, at=(x, 0.0, 0.0), edge_flags=[3, 3], **given)


def test_meshes_of_a_group_are_joined_at_their_seam(tmp_path: Path) -> None:
    scene = GameScene()
    floor(scene, "left", 0.0, IGNAME="village")
    floor(scene, "right", 2.003, IGNAME="village")
    products, rest = exported(scene, tmp_path)
    assert not rest
    mesh = products["village"].file.content
    # Two corners of the second floor lie within 5 mm of two of the first, and become those.
    assert mesh.vertices.shape == (6, 3)
    assert mesh.vertices[:4].tolist() == [[x, y, z] for x, y, z in QUAD]
    assert mesh.faces["vertices"].tolist() == [[0, 1, 2], [2, 3, 0], [1, 4, 5], [5, 2, 1]]


def test_vertices_of_one_mesh_stay_apart(tmp_path: Path) -> None:
    scene = GameScene()
    close = [*QUAD, (2.001, 0, 0), (2.001, 2, 0), (4, 0, 0)]
    scene.mesh_node("one", close, [*HALVES, (4, 6, 5)], COLLISION=1)
    products, _ = exported(scene, tmp_path)
    assert len(products["unknown_ig"].file.content.vertices) == 7


def test_edges_surfaces_and_materials(tmp_path: Path) -> None:
    scene = GameScene()
    scene.mesh_node(
        "a", QUAD, HALVES, material_ids=[0, 3], edge_flags=[1, 6], COLLISION=1, IGNAME="g"
    )
    floor(scene, "b", 10.0, IGNAME="g", COLLISION_EXTERIOR=1)
    floor(scene, "c", 20.0, IGNAME="g")
    faces = exported(scene, tmp_path)[0]["g"].file.content.faces
    # The first edge is stored last: bit 0 of the scene is the third of the file.
    assert faces["visibility"][:2].tolist() == [[0, 0, 1], [1, 1, 0]]
    assert faces["material"].tolist() == [0, 3, 0, 0, 0, 0]
    # Four materials up to number 3, then one for the outside, which takes a number too.
    assert faces["surface"].tolist() == [0, 3, -1, -1, 5, 5]


def test_edges_within_a_polygon_are_not_seen(tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("box", COLLISION=1)
    faces = exported(scene, tmp_path)[0]["unknown_ig"].file.content.faces
    # Every triangle of a box has two edges of the box, and the diagonal.
    assert faces["visibility"].sum(axis=1).tolist() == [2] * 12


def test_groups_and_reasons(tmp_path: Path) -> None:
    scene = GameScene()
    floor(scene, "a", 0.0, IGNAME="one")
    floor(scene, "b", 0.0)
    floor(scene, "outside only", 0.0, COLLISION=0, COLLISION_EXTERIOR=1)
    scene.box_node("plain")
    scene.add_node("helper", scene.add_dummy(1.0))
    products, rest = exported(scene, tmp_path, "two")
    assert list(products) == ["one", "two"]
    reasons = {step.node.name: (step.reason, step.chosen) for step in rest}
    assert reasons["outside only"] == ("COLLISION_EXTERIOR is set without COLLISION", True)
    assert reasons["plain"] == ("COLLISION is not set", False)
    assert "helper" in reasons["helper"][0]
    assert all(isinstance(step, LeftOut) for step in rest)


def test_faces_that_vanish_at_a_seam_are_dropped_and_told(tmp_path: Path) -> None:
    scene = GameScene()
    floor(scene, "floor", 0.0)
    thin = [(2, 0, 0), (2.002, 0.001, 0), (3, 1, 5)]
    strip = scene.mesh_node("strip", thin, [(0, 1, 2)], COLLISION=1)
    scene.mesh_node("other", [(2, 0, 0), (3, 1, 5), (9, 9, 9)], [(0, 1, 2)], COLLISION=1)
    products, _ = exported(scene, tmp_path)
    product = products["unknown_ig"]
    assert len(product.file.content.faces) == 3
    assert product.node_notes[strip] == ["1 faces without area are left out"]


def test_edges_that_do_not_fit_write_nothing(tmp_path: Path) -> None:
    scene = GameScene()
    floor(scene, "one", 0.0)
    floor(scene, "same place", 0.0)
    floor(scene, "elsewhere", 0.0, IGNAME="good")
    products, rest = exported(scene, tmp_path)
    assert list(products) == ["good"]
    assert [type(step) for step in rest] == [Failure, Failure]
    assert "(0.00, 0.00, 0.00) to (2.00, 0.00, 0.00)" in rest[0].reason


def test_inside_and_outside_may_share_edges(tmp_path: Path) -> None:
    scene = GameScene()
    floor(scene, "inside", 0.0)
    floor(scene, "outside", 0.0, COLLISION_EXTERIOR=1)
    products, rest = exported(scene, tmp_path)
    assert list(products) == ["unknown_ig"]
    assert not rest


def test_a_large_mesh_has_a_note(tmp_path: Path) -> None:
    scene = GameScene()
    scene.mesh_node("land", [(0, 0, 0), (600, 0, 0), (0, 5, 0)], [(0, 1, 2)], COLLISION=1)
    assert "512 metres" in exported(scene, tmp_path)[0]["unknown_ig"].notes[0]
