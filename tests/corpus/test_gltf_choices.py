"""Parts of real scenes: chosen nodes, selection sets, what is hidden, other forms of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import maxsidecar
from maxsidecar.gltf.export.build import build, export_file
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.write import write
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.selection_sets import selection_sets
from tests.conftest import corpus_scenes
from tests.support.gltf_corners import world_corners
from tests.support.gltf_file import GltfFile
from tests.support.validator import Validator


def written(export: Export, path: Path) -> GltfFile:
    write(export.document, path)
    return GltfFile(path)


@pytest.mark.parametrize("pair", ["ElfRun", "ElfFeet"])
def test_a_chosen_skin_brings_its_joints(corpus: Path, tmp_path: Path, pair: str) -> None:
    with maxsidecar.open(corpus / "pairs" / pair / "scene.max") as scene:
        whole = written(build(scene, Options(materials=False)), tmp_path / "a.glb")
        export = build(scene, Options(nodes=["elf"], materials=False))
        part = written(export, tmp_path / "b.glb")
    names = [export.scene_nodes[index].name for index in export.scene_nodes]
    assert "elf" in names
    others = {name for name in names if name != "elf"}
    assert len(others) >= 20
    assert all(name.startswith("mixamorig:") for name in others)
    assert {export.scene_nodes[index].name for index in export.bare} == others
    (a,), (b,) = whole.by_name["elf"], part.by_name["elf"]
    ours, all_ = world_corners(part, b), world_corners(whole, a)
    assert np.abs(ours.positions - all_.positions).max() <= 1e-6 * all_.size
    assert [n for n in part.nodes if "mesh" in n] == [part.nodes[b]]


def _with_sets() -> list[tuple[Path, str]]:
    out = []
    for path in corpus_scenes():
        with maxsidecar.open(path) as scene:
            out += [(path, item.name) for item in selection_sets(scene.scene) if item.nodes]
    return out


@pytest.mark.slow
def test_selection_sets_choose_their_nodes(corpus_files: tuple[Path, ...]) -> None:
    found = _with_sets()
    assert len(found) >= 17
    for path, name in found:
        with maxsidecar.open(path) as scene:
            options = Options(selection_set=name, materials=False, animation=False)
            export = build(scene, options)
            sets = [item for item in selection_sets(scene.scene) if item.name == name]
            members = {node.index for node in sets[0].nodes}
            assert set(export.nodes) - export.bare == members, (path.name, name)
            for index in export.bare:
                assert export.nodes[index].mesh is None
            places = written_places(export)
            everything = written_places(build(scene, Options(materials=False, animation=False)))
            for index in members:
                if export.nodes[index].skin is not None:
                    continue  # its place is that of its joints
                assert places[index] == pytest.approx(everything[index], abs=1e-4, rel=1e-4)


def written_places(export: Export) -> dict[int, list[float]]:
    """Where nodes are in the world, by storage index."""
    from maxsidecar.gltf.export.nodes import world_matrix

    return {index: world_matrix(export, index)[:3, 3].tolist() for index in export.nodes}


def _hidden(scene: MaxFile) -> set[int]:
    nodes = [node for node in scene.nodes.values() if not isinstance(node, RootNode)]
    return {node.index for node in nodes if node.flag("hidden")}


@pytest.mark.slow
def test_hidden_nodes_can_be_left_out(corpus_files: tuple[Path, ...]) -> None:
    scenes = 0
    for path in corpus_files:
        with maxsidecar.open(path) as scene:
            hidden = _hidden(scene)
            if not hidden:
                continue
            scenes += 1
            export = build(scene, Options(hidden=False, materials=False, animation=False))
            there = set(export.nodes)
            assert there & hidden == export.bare & hidden
            nodes = {n.index for n in scene.nodes.values() if not isinstance(n, RootNode)}
            assert there >= nodes - hidden
    assert scenes >= 5


@pytest.mark.parametrize("textures", ["embed", "copy", "reference", "none"])
@pytest.mark.parametrize("ending", ["glb", "gltf"])
def test_all_forms_of_the_file_are_valid(
    corpus: Path, tmp_path: Path, gltf_validator: Validator, textures: str, ending: str
) -> None:
    for pair in ("ElfRun", "PBR_Textures"):
        path = tmp_path / f"{pair}.{ending}"
        with maxsidecar.open(corpus / "pairs" / pair / "scene.max") as scene:
            options = Options(textures=textures)  # type: ignore[arg-type]
            files = export_file(scene, path, options).files
        assert files[0] == path
        assert all(file.is_file() and file.is_relative_to(tmp_path) for file in files)
        verdict = gltf_validator.check(path)
        assert verdict.errors == []


def test_the_rig_alone_is_small_and_moves(corpus: Path, tmp_path: Path) -> None:
    with maxsidecar.open(corpus / "pairs" / "ElfRun" / "scene.max") as scene:
        whole = written(build(scene), tmp_path / "a.glb")
        rig = written(build(scene, Options(rig_only=True)), tmp_path / "b.glb")
    assert "meshes" not in rig.json
    assert [node["name"] for node in rig.nodes] == [node["name"] for node in whole.nodes]
    ours, all_ = (file.json["animations"][0]["channels"] for file in (rig, whole))
    assert [channel["target"] for channel in ours] == [channel["target"] for channel in all_]
