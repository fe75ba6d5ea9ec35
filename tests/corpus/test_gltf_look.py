"""Materials, cameras and lights of real scenes, beside what 3ds Max's own exporter wrote.

The pictures that the scenes name are not there, so small ones are made: what they show does not
matter here, only that they are there and which of them have an alpha.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
import pytest
from PIL import Image

import maxsidecar
from maxsidecar.gltf import model
from maxsidecar.gltf.export.build import build, export_file
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.nodes import world_matrix
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.cameras import Camera
from maxsidecar.scene.lights import Light, Skylight
from maxsidecar.scene.materials import BitmapMap, Material, ScriptedMaterial, StandardMaterial
from maxsidecar.scene.targets import target_of
from tests.support.validator import Validator

MATERIAL, MAP = 0xC00, 0xC10
#: The exporter of this release wrote half of a colour without a map: of all four materials of it.
HALVES = "v1.5.0"
#: Those of these releases took Standard materials for specular-glossiness, with a dielectric of
#: 0.04: base colour = diffuse / (1 - 0.04), roughness = 1 - glossiness.
EARLY = ("Babylon2Gltf2017", "v1.2.")


def references(corpus: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Each pair's scene with what 3ds Max's exporter made of it."""
    found = []
    for path in sorted((corpus / "pairs").glob("*/*.gltf")):
        scene = path.parent / "scene.max"
        if scene.is_file():
            found.append((scene, json.loads(path.read_text(encoding="utf-8-sig"))))
    return found


def make_pictures(scene: Path, folder: Path) -> None:
    """Make every picture that a scene names: PNG with an alpha, JPEG of one colour."""
    with maxsidecar.open(scene) as scene_file:
        for found in scene_file.scene.of_superclass(MAP):
            name = PureWindowsPath(found.path or "").name if isinstance(found, BitmapMap) else ""
            if not name:
                continue
            alpha = np.array([[0, 90], [180, 255]], np.uint8)
            pixels = np.dstack([np.full((2, 2, 3), (128, 128, 250), np.uint8), alpha])
            image = Image.fromarray(pixels, "RGBA")
            if name.lower().endswith((".jpg", ".jpeg")):
                image = image.convert("RGB")
            image.save(folder / name)


@pytest.fixture(scope="module")
def pairs(
    corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[tuple[str, Export, dict[str, Any]]]]:
    """Name of each pair, our export, and the reference."""
    out = []
    opened = []
    for scene, reference in references(corpus):
        folder = tmp_path_factory.mktemp("pictures")
        make_pictures(scene, folder)
        scene_file = maxsidecar.open(scene)
        opened.append(scene_file)
        options = Options(animation=False, texture_roots=(folder,))
        out.append((scene.parent.name, build(scene_file, options), reference))
    yield out
    for scene_file in opened:
        scene_file.close()


def used_materials(export: Export) -> dict[str, model.Material]:
    """The materials of the meshes by name; names are unique in these scenes."""
    found = {}
    for node in export.nodes.values():
        for primitive in node.mesh.primitives if node.mesh is not None else ():
            if primitive.material is not None:
                found[primitive.material.name] = primitive.material
    return found


def source_of(export: Export, material: model.Material) -> Material:
    index = next(i for i, made in export.materials.items() if made is material)
    found = export.scene_file.scene[index]
    assert isinstance(found, Material)
    return found


def color_expected(reference: dict[str, Any], ours: model.Material, source: Material) -> Any:
    """The reference's base colour, with what its release is known to do undone by arithmetic."""
    generator = reference["asset"]["generator"]
    color = np.array(ours.base_color)
    if ours.base_color_texture is not None or not isinstance(source, StandardMaterial):
        return color
    if HALVES in generator:
        return color * (0.5, 0.5, 0.5, 1.0)
    if any(release in generator for release in EARLY):
        return np.minimum(color / (0.96, 0.96, 0.96, 1.0), 1.0)
    return color


def test_every_material_is_there(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    compared = 0
    for _, export, reference in pairs:
        names = [material["name"] for material in reference.get("materials", ())]
        assert set(names) <= set(used_materials(export))
        compared += len(names)
    assert compared >= 53


def test_each_mesh_has_its_materials(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    """By node, in the order of the primitives; None for those without a material."""
    compared = 0
    for pair, export, reference in pairs:
        names = [material["name"] for material in reference.get("materials", ())]
        ours = {node.name: node for node in export.nodes.values()}
        for node in reference["nodes"]:
            if "mesh" not in node or node["name"] not in ours:
                continue
            mesh = ours[node["name"]].mesh
            assert mesh is not None, (pair, node["name"])
            mine = [p.material.name if p.material is not None else None for p in mesh.primitives]
            used = [p.get("material") for p in reference["meshes"][node["mesh"]]["primitives"]]
            assert mine == [None if n is None else names[n] for n in used], (pair, node["name"])
            compared += 1
    assert compared >= 106


def test_base_colours_and_factors(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    counts: Counter[str] = Counter()
    for pair, export, reference in pairs:
        ours = used_materials(export)
        for theirs in reference.get("materials", ()):
            mine = ours[theirs["name"]]
            source = source_of(export, mine)
            key = f"{pair}: {mine.name}"
            values = theirs.get("pbrMetallicRoughness", {})
            color = np.array(values.get("baseColorFactor", [1.0] * 4))
            expected = color_expected(reference, mine, source)
            if key == "CartoonHouses: verre":
                # Its scene was saved after the export, with another opacity.
                assert mine.base_color[3] == 0.5
                expected[3] = 1.0
            if key == "TransparencyMode: PBR_Color_AlphaMap_Blend":
                # Its colour is in the pixels of the exporter's picture, as the picture's name says:
                # "060255_alpha_Map #13.png" is (0, 60, 255).
                name = reference["textures"][values["baseColorTexture"]["index"]]["name"]
                assert name.startswith("060255_alpha")
                assert np.allclose(mine.base_color[:3], (0, 60 / 255, 1), atol=1e-6)
                expected = color
            assert color == pytest.approx(expected, abs=1e-6), key
            counts["color"] += 1
            metallic, roughness = values.get("metallicFactor", 1), values.get("roughnessFactor", 1)
            if key == "TransparencyMode: Standard_ColorMap_AlphaMap_Blend":
                # The exporter took the picture of its colour for metalness and roughness as well,
                # of which a Standard material has no map.
                texture = values["metallicRoughnessTexture"]["index"]
                assert texture == values["baseColorTexture"]["index"]
                assert {source.map_for("metalness"), source.map_for("roughness")} == {None}
                continue
            assert mine.metallic == pytest.approx(metallic, abs=1e-6), key
            glossiness = source.glossiness()
            early = any(release in reference["asset"]["generator"] for release in EARLY)
            if early and glossiness is not None and "KHR_materials_unlit" not in mine.extensions:
                assert roughness == pytest.approx(1 - glossiness, abs=1e-6), key
                counts["early"] += 1
                continue
            assert mine.roughness == pytest.approx(roughness, abs=1e-5), key
            counts["roughness"] += 1
    assert counts["color"] >= 53
    assert counts["roughness"] >= 45
    # 3 cubes, 2 defaults, 2 lit ones.
    assert counts["early"] == 7


def test_textures_are_where_those_of_the_reference_are(
    pairs: list[tuple[str, Export, dict[str, Any]]],
) -> None:
    compared = 0
    for pair, export, reference in pairs:
        ours = used_materials(export)
        for theirs in reference.get("materials", ()):
            mine = ours[theirs["name"]]
            values = theirs.get("pbrMetallicRoughness", {})
            found = {
                "baseColorTexture": mine.base_color_texture,
                "metallicRoughnessTexture": mine.metallic_roughness_texture,
                "normalTexture": mine.normal_texture,
                "occlusionTexture": mine.occlusion_texture,
                "emissiveTexture": mine.emissive_texture,
            }
            there = {name for name, info in found.items() if info is not None}
            expected = set(found) & (set(values) | set(theirs))
            if (pair, mine.name) == ("TransparencyMode", "Standard_ColorMap_AlphaMap_Blend"):
                expected.remove("metallicRoughnessTexture")
            assert there == expected, (pair, mine.name)
            compared += len(there)
    assert compared >= 33


def test_what_blends(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    for pair, export, reference in pairs:
        ours = used_materials(export)
        for theirs in reference.get("materials", ()):
            mine = ours[theirs["name"]]
            key = (pair, mine.name)
            if key in (
                # As above; and opaque, without a map, but said to blend.
                ("CartoonHouses", "verre"),
                ("TransparencyMode", "PBR_Color_Opaque"),
            ):
                continue
            expected = theirs.get("alphaMode", "OPAQUE")
            if mine.alpha_mode != expected:
                # A picture that is one colour cuts out as a whole, and need not be sorted.
                assert (mine.alpha_mode, expected) == ("MASK", "BLEND"), key
            assert ("KHR_materials_unlit" in mine.extensions) == (
                "KHR_materials_unlit" in theirs.get("extensions", {})
            ), key


def test_cameras(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    compared = 0
    for _, export, reference in pairs:
        ours = {node.camera.name: node.camera for node in export.nodes.values() if node.camera}
        for theirs in reference.get("cameras", ()):
            mine, values = ours[theirs["name"]], theirs["perspective"]
            assert mine.yfov == pytest.approx(values["yfov"], abs=1e-6)
            assert (mine.znear, mine.zfar) == (values["znear"], values["zfar"])
            compared += 1
    assert compared >= 6


def test_lights(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    """Lights of references that have any; there is a kind that glTF no longer knows in two."""
    compared = 0
    for _, export, reference in pairs:
        extension = reference.get("extensions", {}).get("KHR_lights_punctual", {})
        lights = extension.get("lights", ())
        for node in reference["nodes"]:
            used = node.get("extensions", {}).get("KHR_lights_punctual")
            if used is None:
                continue
            theirs = lights[used["light"]]
            (mine,) = [found.light for found in export.nodes.values() if found.name == node["name"]]
            assert mine is not None
            assert mine.kind == theirs["type"]
            assert mine.color == pytest.approx(theirs["color"], abs=1e-6)
            assert mine.intensity == pytest.approx(theirs["intensity"], rel=1e-6)
            if "spot" in theirs:
                outer = theirs["spot"]["outerConeAngle"]
                assert mine.outer_cone_angle == pytest.approx(outer, abs=1e-6)
            # The largest number of 32 bits says as much as no range.
            assert mine.range is None
            assert theirs.get("range", 3.4e38) > 3e38
            compared += 1
    assert compared >= 5


def test_nodes_that_look_along_an_axis(pairs: list[tuple[str, Export, dict[str, Any]]]) -> None:
    """Turned as in the references of the releases that turn them.

    ``Babylon2Gltf2017`` turns neither cameras, which do not look at their targets there, nor
    lights, and v1.5.0 turns lights by 180 degrees too much: later releases agree with us, and so do
    the targets, see below.
    """
    compared = 0
    for _, export, reference in pairs:
        generator = reference["asset"]["generator"]
        if "2017" in generator.split()[0]:
            continue
        for index, node in export.nodes.items():
            if node.camera is None and (node.light is None or HALVES in generator):
                continue
            theirs = [other for other in reference["nodes"] if other["name"] == node.name]
            if not theirs or "rotation" not in theirs[0] or len(theirs) > 1:
                continue
            if node.light is not None and "extensions" not in theirs[0]:
                continue  # a node whose light the exporter left out is not turned
            dot = abs(np.dot(node.rotation, theirs[0]["rotation"]))
            assert dot == pytest.approx(1.0, abs=1e-5), node.name
            assert index in export.turned
            compared += 1
    assert compared >= 5


def test_pictures_pass_the_validator(
    corpus: Path, tmp_path: Path, gltf_validator: Validator
) -> None:
    written = []
    for scene, reference in references(corpus):
        if not reference.get("textures"):
            continue
        name = scene.parent.name
        (tmp_path / name).mkdir()
        make_pictures(scene, tmp_path / name)
        for mode in ("embed", "copy", "reference"):
            out = tmp_path / name / f"{name}_{mode}.{'glb' if mode == 'embed' else 'gltf'}"
            with maxsidecar.open(scene) as scene_file:
                options = Options(textures=mode, texture_roots=(tmp_path / name,))
                export_file(scene_file, out, options)
            written.append(out)
    assert len(written) >= 12
    for path in written:
        verdict = gltf_validator.check(path)
        assert not verdict.errors, path.name
        assert not verdict.warnings, path.name


# --- all scenes ------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_material_camera_and_light_is_told(max_file: Path) -> None:
    with maxsidecar.open(max_file) as scene_file:
        export = build(scene_file, Options(animation=False))
        entries = export.report.entries
        told = Counter(entry.id for entry in entries if entry.kind == "material")
        for index, made in export.materials.items():
            key = export.id_of(scene_file.scene[index])
            assert told[key] >= 1
            assert made.extras["max_id"] == key
            assert made.name == scene_file.scene[index].name  # type: ignore[attr-defined]
        for kind, superclass in (("camera", Camera), ("light", Light)):
            lines = {e.id: e for e in entries if e.kind == kind}
            for index, node in export.scene_nodes.items():
                if index in export.bare or not isinstance(node.base_object, superclass):
                    continue
                line = lines[export.id_of(node)]
                there = _carried(export.nodes[index], kind)
                assert (line.outcome is not Outcome.LEFT_OUT) == there
                assert there or isinstance(node.base_object, Skylight)


def _carried(node: model.Node, kind: str) -> bool:
    return any(getattr(found, kind) is not None for found in (node, *node.children))


@pytest.mark.slow
def test_nel_materials_show_their_first_texture(
    corpus_files: tuple[Path, ...], tmp_path: Path
) -> None:
    compared = 0
    for path in corpus_files:
        with maxsidecar.open(path) as scene_file:
            scene = scene_file.scene
            if not any(isinstance(m, ScriptedMaterial) for m in scene.of_superclass(MATERIAL)):
                continue
            make_pictures(path, tmp_path)
            options = Options(animation=False, texture_roots=(tmp_path,))
            export = build(scene_file, options)
            for index, made in export.materials.items():
                source = scene[index]
                slot = (
                    source.maps.get("tTexture_1") if isinstance(source, ScriptedMaterial) else None
                )
                bitmap = slot.map if slot is not None else None
                if not isinstance(bitmap, BitmapMap) or not bitmap.path:
                    continue
                if not source.parameters["bEnableSlot_1"].value:
                    continue
                assert made.base_color_texture is not None
                texture = made.base_color_texture.texture
                assert PureWindowsPath(texture.extras["max_path"]).name.casefold() == (
                    PureWindowsPath(bitmap.path).name.casefold()
                )
                compared += 1
    assert compared >= 1


@pytest.mark.slow
def test_what_has_a_target_looks_at_it(corpus_files: tuple[Path, ...]) -> None:
    """The -Z axis of a target camera or light points to its target, as it does in 3ds Max."""
    compared = 0
    for path in corpus_files:
        with maxsidecar.open(path) as scene_file:
            kinds = (Camera, Light)
            targeted = [
                node
                for node in scene_file.nodes.values()
                if isinstance(node.base_object, kinds) and target_of(node) is not None
            ]
            if not targeted:
                continue
            export = build(scene_file, Options(animation=False, rig_only=True))
            for node in targeted:
                target = target_of(node)
                if target is None or node.index not in export.turned:
                    continue
                place = world_matrix(export, node.index)
                way = world_matrix(export, target.index)[:3, 3] - place[:3, 3]
                if np.linalg.norm(way) < 1e-9 or node.parent is not scene_file.nodes.root:
                    continue
                ahead = -place[:3, 2] / np.linalg.norm(place[:3, 2])
                assert ahead == pytest.approx(way / np.linalg.norm(way), abs=1e-4)
                compared += 1
    assert compared >= 15
