"""Exported skins and morph targets against 3ds Max's own glTF, and against linear skinning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.gltf import model
from maxsidecar.gltf.axes import points_to_gltf
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.skin.bindings import read_binding
from maxsidecar.scene.skin.carry import carry_binding
from maxsidecar.scene.skin.deform import joint_matrices, linear_skinning
from maxsidecar.scene.transform import Pose
from tests.support.gltf import Gltf
from tests.support.gltf_skins import (
    joint_sets,
    named_weights,
    reference_weights,
    skinned_positions,
)

Array = npt.NDArray[Any]
MAX = Path("max")
#: Rigs of all kinds, with the number of skinned nodes, and of those that are converted in full.
RIGS = {
    MAX / "3DSMax" / "3DSMax__Environment__Wire.max": (1, 0),
    MAX / "C307-Project" / "character_models__final_character_files__jacquesfinalrigged.max": (
        1,
        0,
    ),
    MAX / "Dx3D-Study" / "Media__Walk_Russian blue.max": (4, 2),
    MAX / "Dx3D-Study" / "디자인__ani_walk_03__ani_chop.max": (1, 1),
    MAX / "KGCA" / "data__AniMotion__WomanWalk.max": (5, 0),
    MAX / "KGCA" / "data__max2016__호랑이_보기.max": (7, 6),
    MAX / "ModelingCharacters" / "Characters__Calculator__Calculator.max": (1, 1),
    MAX / "ModelingCharacters" / "Characters__JackSkellington__JackSkellington00.max": (1, 0),
    MAX / "Native_SDK" / "Skinning__Media__Man.max": (3, 0),
    MAX / "Proyecto-animacion" / "Modelos__Nave__Interior.max": (1, 1),
    Path("pairs", "RiggedElf", "scene.max"): (1, 1),
}
SLIDERS = MAX / "pxMaxScript" / "MorphSliders__test01.max"


def exported(path: Path, **options: Any) -> Export:
    options = {"animation": False, "materials": False} | options
    return build(maxsidecar.open(path), Options(**options))


def size_of(points: Array) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))


@pytest.mark.parametrize("bind", ["stored", "first-frame"])
@pytest.mark.parametrize("name", ["ElfFeet", "ElfRun", "RiggedElf"])
def test_weights_and_vertices_are_those_of_the_reference(
    corpus: Path, name: str, bind: str
) -> None:
    folder = corpus / "pairs" / name
    (path,) = folder.glob("*.gltf")
    gltf = Gltf(path)
    (index,) = gltf.by_name["elf"]
    export = exported(folder / "scene.max", bind=bind)
    node = next(node for node in export.nodes.values() if node.name == "elf")
    assert node.mesh is not None
    assert node.skin is not None
    (primitive,) = node.mesh.primitives
    assert primitive.indices is not None
    # Both have the triangles of the scene in its order.
    order = primitive.indices
    theirs = reference_weights(gltf, index)
    ours = {name: column[order] for name, column in named_weights(node.skin, primitive).items()}
    assert set(theirs) <= set(ours)
    zero = np.zeros(len(order))
    apart = sum(np.abs(column - theirs.get(name, zero)) for name, column in ours.items())
    # The reference has sums of 0.9999 on some corners.
    assert np.mean(apart) <= 1e-5
    assert np.max(apart) <= 2e-4
    places, normals = skinned_positions(export.document, node, primitive)
    (reference,) = gltf.json["meshes"][gltf.nodes[index]["mesh"]]["primitives"]
    corners = gltf.accessor(reference["indices"])[:, 0].astype(int)
    world = gltf.world(index)
    expected = gltf.accessor(reference["attributes"]["POSITION"])[corners] @ world[:3, :3].T
    expected = expected + world[:3, 3]
    # Exporters disagree on whether the unit is applied; it is a whole factor.
    factor = size_of(expected) / size_of(places[order])
    assert min(abs(factor * unit - 1) for unit in (1.0, export.scale, 1 / export.scale)) < 1e-5
    assert np.abs(places[order] * factor - expected).max() <= 1e-6 * size_of(expected)
    turned = gltf.accessor(reference["attributes"]["NORMAL"])[corners] @ world[:3, :3].T
    turned = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    # Half a thousandth is 0.03 degrees.
    assert np.abs(normals[order] - turned).max() <= 5e-4


def target_rows(columns: list[Array]) -> Array:
    return np.hstack([np.asarray(column, np.float64) for column in columns])


@pytest.mark.parametrize("name", ["Box001", "Box004"])
def test_morph_targets_are_those_of_the_reference(corpus: Path, name: str) -> None:
    folder = corpus / "pairs" / "AnimatedMorphCube"
    (path,) = folder.glob("*.gltf")
    gltf = Gltf(path)
    (index,) = gltf.by_name[name]
    export = exported(folder / "scene.max", materials=True)
    node = next(node for node in export.nodes.values() if node.name == name)
    assert node.mesh is not None
    assert node.mesh.target_names == ["Box002", "Box003"]
    assert node.mesh.weights == [0.0, 0.0]
    ours, theirs = [], []
    for part in node.mesh.primitives:
        assert part.indices is not None
        columns = [part.attributes["POSITION"] / export.scale, part.attributes["NORMAL"]]
        for target in part.targets:
            columns += [target["POSITION"] / export.scale, target["NORMAL"]]
        ours.append(target_rows(columns)[part.indices])
    for primitive in gltf.json["meshes"][gltf.nodes[index]["mesh"]]["primitives"]:
        numbers = [primitive["attributes"]["POSITION"], primitive["attributes"]["NORMAL"]]
        for target in primitive["targets"]:
            numbers += [target["POSITION"], target["NORMAL"]]
        corners = gltf.accessor(primitive["indices"])[:, 0].astype(int)
        theirs.append(target_rows([gltf.accessor(n) for n in numbers])[corners])
    mine, reference = np.concatenate(ours), np.concatenate(theirs)
    assert mine.shape == reference.shape == (36, 18)
    # The exporter writes the materials in another order.
    keys = [np.lexsort(np.round(rows[:, :6], 4).T) for rows in (mine, reference)]
    assert np.abs(mine[keys[0]] - reference[keys[1]]).max() <= 1e-6


@pytest.mark.parametrize("path", RIGS, ids=[path.stem for path in RIGS])
@pytest.mark.parametrize("bind", ["stored", "first-frame"])
def test_written_joints_take_vertices_where_the_scene_does(
    corpus: Path, path: Path, bind: str
) -> None:
    export = exported(corpus / path, bind=bind)
    scene = export.scene_file.scene
    pose = Pose(scene, export.time, export.rest)
    evaluator = Evaluator(scene, export.time)
    told = 0
    for index, made in export.meshes.items():
        scene_node, node = export.scene_nodes[index], export.nodes[index]
        binding = read_binding(scene_node)
        if binding is None:
            assert node.skin is None
            continue
        assert node.skin is not None, node.name
        binding = carry_binding(binding, evaluator, scene_node.object, made.source)
        world = linear_skinning(binding, made.source.positions, joint_matrices(binding, pose))
        expected = points_to_gltf(world, export.scale)
        size = size_of(expected)
        for primitive, vertices in zip(made.mesh.primitives, made.vertices, strict=True):
            places, _ = skinned_positions(export.document, node, primitive)
            assert np.abs(places - expected[vertices]).max() <= 1e-5 * size, node.name
            joints, weights = joint_sets(primitive.attributes)
            assert (np.abs(weights.sum(axis=1) - 1.0) <= 2e-7).all()
            assert int(joints.max()) < len(node.skin.joints)
        told += 1
    skins = [entry for entry in export.report.entries if entry.kind == "skin"]
    converted = sum(entry.outcome is Outcome.CONVERTED for entry in skins)
    assert (told, converted) == RIGS[path]
    assert all(entry.outcome is not Outcome.LEFT_OUT for entry in skins)


def test_targets_go_up_through_subdivision(corpus: Path) -> None:
    """TurboSmooth above the Morpher: it divides the targets as it does the mesh."""
    export = exported(corpus / SLIDERS)
    (made,) = (export.meshes[index] for index in export.morphs)
    mesh: model.Mesh = made.mesh
    assert mesh.target_names == ["Box02", "Box03", "Box04", "Box05 puta 2", "Box05xx"]
    (morph,) = export.morphs.values()
    (targets,) = morph.targets
    assert targets.vertex_count == 18
    assert len(made.source.positions) > 18
    for primitive, vertices in zip(mesh.primitives, made.vertices, strict=True):
        for (_, target), written in zip(targets.targets, primitive.targets, strict=True):
            # No division takes a point farther than the farthest corner goes.
            farthest = np.linalg.norm(target.deltas, axis=1).max() * export.scale
            lengths = np.linalg.norm(written["POSITION"], axis=1)
            assert lengths.shape == vertices.shape
            assert lengths.max() <= farthest * (1 + 1e-5)
            assert lengths.max() >= 0.1 * farthest
