"""Skin, Physique and Morpher of real scenes: bytes, bindings, and what proves them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError, NotMaxFileError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.biped.system import BipedController
from maxsidecar.scene.biped.worlds import BipedWorlds
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.binding import SkinBinding
from maxsidecar.scene.skin.bindings import input_positions, read_binding, skin_layers
from maxsidecar.scene.skin.carry import input_mesh
from maxsidecar.scene.skin.deform import joint_matrices, linear_skinning
from maxsidecar.scene.skin.joints import physique_joints, physique_links, physique_tree
from maxsidecar.scene.skin.morpher_views import Morpher
from maxsidecar.scene.skin.physique_views import Physique
from maxsidecar.scene.skin.rest import BOUND, SET_UP, rest_matrices
from maxsidecar.scene.skin.skin_views import Skin, SkinLocal
from maxsidecar.scene.skin.targets import morph_layers, read_targets
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import Pose

Array = npt.NDArray[np.float64]
MAX = Path("max")
WIRE = MAX / "3DSMax" / "3DSMax__Environment__Wire.max"
TIGER = MAX / "KGCA" / "data__max2016__호랑이_보기.max"
JACK = MAX / "ModelingCharacters" / "Characters__JackSkellington__JackSkellington00.max"
SLIDERS = MAX / "pxMaxScript" / "MorphSliders__test01.max"
#: Scenes with Physique, and the numbers of meshes and vertices that it bends in them.
PHYSIQUE = {
    MAX / "KGCA" / "data__AniMotion__WomanSetting.max": (5, 1232),
    MAX / "KGCA" / "data__AniMotion__WomanWalk.max": (5, 1232),
    MAX / "KGCA" / "data__max2016__인간여성걷기.max": (6, 1822),
    MAX / "Dx3D-Study" / "Media__Idle_Russian blue.max": (4, 4510),
    MAX / "Dx3D-Study" / "Media__Walk_Russian blue.max": (4, 4510),
    MAX / "C307-Project" / "character_models__final_character_files__jacquesfinalrigged.max": (
        1,
        4047,
    ),
}
DEFORMERS = (Skin, Physique, Morpher)


@cache
def load(path: Path) -> MaxFile:
    return maxsidecar.open(path)


def bound(scene_file: MaxFile) -> Iterator[tuple[Node, SkinBinding, Mesh]]:
    """Yield nodes with their binding, and the mesh that was bound."""
    evaluator = Evaluator(scene_file.scene, read_time_range(scene_file).start)
    for node in scene_file.nodes.values():
        binding = read_binding(node)
        if binding is not None:
            yield node, binding, input_mesh(evaluator, binding.layer, binding.vertex_count)


def moved(points: npt.ArrayLike, matrix: Array) -> Array:
    rows = np.asarray(points, np.float64)
    return rows @ matrix[:3, :3] + matrix[3, :3]


def size_of(points: Array) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))


@pytest.mark.slow
def test_all_of_them_come_out_as_the_same_bytes(corpus_files: tuple[Path, ...]) -> None:
    """Also what they keep on the meshes that they bend: every weight, link and target."""
    counts: Counter[str] = Counter()
    problems: list[MaxSidecarError] = []
    for path in corpus_files:
        try:
            scene_file = maxsidecar.open(path)
        except NotMaxFileError:
            continue
        with scene_file:
            for obj in scene_file.scene:
                kind = type(obj).__name__
                if isinstance(obj, DerivedObject):
                    try:
                        found = [type(m).__name__ for m in obj.modifiers if type(m) in DEFORMERS]
                    except MaxSidecarError:
                        continue
                    if not found:
                        continue
                    counts.update(f"{name} on a mesh" for name in found)
                elif not isinstance(obj, DEFORMERS):
                    continue
                leaves, _ = check_leaves(obj.typed_leaves(), problems.append)
                counts[kind] += 1
                counts["leaves"] += leaves
    assert problems == []
    assert counts["Skin"] >= 21
    assert counts["Physique"] >= 12
    assert counts["Morpher"] >= 3
    assert counts["Skin on a mesh"] >= 21
    assert counts["Physique on a mesh"] >= 27
    assert counts["Morpher on a mesh"] >= 3
    assert counts["leaves"] >= 90_000


@pytest.mark.parametrize("path", PHYSIQUE, ids=[path.stem for path in PHYSIQUE])
def test_every_vertex_of_physique_is_bound_where_it_was_attached(corpus: Path, path: Path) -> None:
    meshes = vertices = 0
    for _, binding, mesh in bound(load(corpus / path)):
        meshes, vertices = meshes + 1, vertices + binding.vertex_count
        assert binding.loose == 0
        assert (binding.counts > 0).all()
        sums = np.bincount(binding.vertex, binding.weight)
        assert sums == pytest.approx(np.ones(binding.vertex_count))
        # Where Physique saw it, which it stores vertex by vertex.
        stored = input_positions(binding.layer)
        assert stored is not None
        expected = moved(stored, binding.mesh_bind)
        world = linear_skinning(binding, mesh.positions, binding.bind)
        assert np.abs(world - expected).max() <= 1e-5 * size_of(expected)
    assert (meshes, vertices) == PHYSIQUE[path]


@pytest.mark.parametrize("path", PHYSIQUE, ids=[path.stem for path in PHYSIQUE])
def test_joints_were_attached_in_the_figure_pose_of_the_biped(corpus: Path, path: Path) -> None:
    """Bipeds store it elsewhere, as lengths and angles."""
    scene = load(corpus / path).scene
    worlds = BipedWorlds(scene, np.zeros(1), figure=True)
    told = 0
    for obj in scene.of_superclass(0x810):
        for joint in physique_joints(obj) if isinstance(obj, Physique) else ():
            controller = None if joint is None else joint.node.controller
            if joint is None or not isinstance(controller, BipedController):
                continue
            world = worlds.world(controller)
            if world is None:
                continue
            told += 1
            assert joint.bind[3, :3] == pytest.approx(world[0, 3, :3], abs=1e-3), joint.node.name
            turn = world[0, :3, :3] / np.linalg.norm(world[0, :3, :3], axis=1, keepdims=True)
            # A thousandth is 0.06 degrees.
            assert np.abs(joint.bind[:3, :3] - turn).max() <= 1e-3, joint.node.name
    assert told >= 29


@pytest.mark.slow
def test_places_along_rigid_links_tell_the_joints(corpus: Path) -> None:
    """Each influence has its place along and away from the link that it says it is on."""
    told = 0
    for path in PHYSIQUE:
        for _, binding, mesh in bound(load(corpus / path)):
            physique, world = binding.layer.modifier, moved(mesh.positions, binding.mesh_bind)
            assert isinstance(physique, Physique)
            links, _ = physique_links(physique)
            _, binds = physique_tree(physique)
            context = binding.layer.context
            assert context is not None
            lists = [
                np.frombuffer(leaf.data, "<i4", offset=4).reshape(-1, 5)
                for leaf, name, _ in binding.layer.derived.typed_leaves()
                if name.endswith(".links")
            ]
            assert len(lists) >= binding.vertex_count
            for vertex, rows in enumerate(lists[: binding.vertex_count]):
                for row in rows[rows[:, 0] < 0]:
                    link = ~int(row[0])
                    start, end = binds[links[link].start], binds[link + 1]
                    assert start is not None
                    assert end is not None
                    axis = end[3, :3] - start[3, :3]
                    length = np.linalg.norm(axis)
                    offset = world[vertex] - start[3, :3]
                    along = offset @ axis / length
                    away = np.linalg.norm(offset - along * axis / length)
                    u, r = (float(n) for n in row[1:3].view("<f4"))
                    scale = size_of(world)
                    assert abs(along - u * length) <= 1e-5 * scale
                    assert abs(away - r) <= 1e-5 * scale
                    told += 1
    assert told >= 11_000


@pytest.mark.parametrize("path", [WIRE, TIGER])
def test_plain_joints_that_did_not_move_show_the_mesh_as_it_stands(
    corpus: Path, path: Path
) -> None:
    scene_file = load(corpus / path)
    time = read_time_range(scene_file).start
    pose = Pose(scene_file.scene, time)
    told = 0
    for node, binding, mesh in bound(scene_file):
        world = linear_skinning(binding, mesh.positions, joint_matrices(binding, pose))
        now = moved(mesh.positions, pose.object(node)[0])
        assert np.abs(world - now).max() <= 1e-3 * size_of(now), node.name
        told += 1
    assert told == {WIRE: 1, TIGER: 7}[path]


def test_joints_of_a_rig_that_cannot_be_evaluated_stand_as_they_were_bound(corpus: Path) -> None:
    scene_file = load(corpus / JACK)
    rest = rest_matrices(scene_file.scene)
    # Nothing is bound to the platforms under the feet.
    assert Counter(rest.poses.values()) == {BOUND: 53, SET_UP: 2}
    assert set(rest.reasons.values()) == {"CAT rig: its layers are not evaluated"}
    pose = Pose(scene_file.scene, 0, rest.matrices)
    ((_, binding, mesh),) = bound(scene_file)
    world = linear_skinning(binding, mesh.positions, joint_matrices(binding, pose))
    expected = moved(mesh.positions, binding.mesh_bind)
    assert np.abs(world - expected).max() <= 1e-5 * size_of(expected)


def test_lists_of_skin_are_no_longer_than_its_limit(corpus_files: tuple[Path, ...]) -> None:
    told = 0
    for path in corpus_files:
        try:
            scene_file = maxsidecar.open(path)
        except NotMaxFileError:
            continue
        with scene_file:
            for node in scene_file.nodes.values():
                for layer in skin_layers(node):
                    if not isinstance(layer.modifier, Skin) or layer.context is None:
                        continue
                    limit = layer.modifier.parameters.get("bone_limit")
                    chunk = layer.context.find(0x2512)
                    assert chunk is not None
                    weights = SkinLocal(chunk.owner, chunk).late_weights
                    if limit is None or weights is None:
                        continue
                    assert int(weights.counts.max()) <= limit.value, path.name
                    told += 1
    assert told >= 10


@pytest.mark.parametrize(
    ("path", "count"), [(Path("pairs", "AnimatedMorphCube", "scene.max"), 2), (SLIDERS, 5)]
)
def test_targets_are_where_their_displacements_lead(corpus: Path, path: Path, count: int) -> None:
    """The points of a target are stored besides its displacements."""
    scene_file = load(corpus / path)
    evaluator = Evaluator(scene_file.scene, 0)
    told = 0
    for node in scene_file.nodes.values():
        for layer in morph_layers(node):
            morpher = layer.modifier
            assert isinstance(morpher, Morpher)
            mesh = evaluator.below(layer.derived, layer.slot).mesh
            assert mesh is not None
            found = read_targets(layer, mesh, evaluator)
            assert found.notes == ()
            for channel, target in found.targets:
                points = morpher.channels[channel.index].points
                assert points is not None
                reached = mesh.positions + target.deltas
                size = size_of(mesh.positions.astype(np.float64))
                assert np.abs(reached - points.array).max() <= 1e-5 * size
                told += 1
    assert told % count == 0
    assert told >= count
