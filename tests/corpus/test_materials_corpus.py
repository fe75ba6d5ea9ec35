"""Materials of real scenes, and of the glTF files exported from them (docs/format/materials.md)."""

from __future__ import annotations

import json
import ntpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.scene.materials import (
    BitmapMap,
    Map,
    Material,
    MultiMaterial,
    OpenPbrMaterial,
    PhysicalMaterial,
    StandardMaterial,
)
from maxsidecar.scene.maxfile import open_file
from maxsidecar.scene.params import TabParameter

WHOLE = 141


@dataclass(frozen=True)
class Twin:
    """A material, and what an exporter wrote for it."""

    scene: str
    material: Material
    exported: dict[str, Any]
    images: list[str]

    @property
    def factors(self) -> dict[str, Any]:
        found: dict[str, Any] = self.exported.get("pbrMetallicRoughness", {})
        return found

    @property
    def unlit(self) -> bool:
        return "KHR_materials_unlit" in self.exported.get("extensions", {})


@pytest.fixture(scope="module")
def twins(corpus: Path) -> list[Twin]:
    return list(_twins(corpus))


def _twins(corpus: Path) -> Iterator[Twin]:
    for folder in sorted((corpus / "pairs").iterdir()):
        found = sorted(folder.glob("*.gltf"))
        if not found:
            continue
        exported = json.loads(found[0].read_text(encoding="utf-8-sig"))
        by_name: dict[str, list[Material]] = {}
        for obj in open_file(folder / "scene.max").scene.of_superclass(0xC00):
            assert isinstance(obj, Material)
            by_name.setdefault(obj.name, []).append(obj)
        textures = [t.get("source") for t in exported.get("textures", [])]
        images = [image["uri"] for image in exported.get("images", [])]
        for material in exported.get("materials", []):
            # The exporter gives no id: of several materials with one name all are alike.
            candidates = by_name[material["name"]]
            yield Twin(folder.name, candidates[0], material, [images[s] for s in textures])


def of_kind(twins: list[Twin], kind: type[Material]) -> list[Twin]:
    return [twin for twin in twins if isinstance(twin.material, kind)]


def test_standard_colors(twins: list[Twin]) -> None:
    """Without a map: the exact colour; half of it, or the same by 0.96, from other exporters."""
    found: Counter[str] = Counter()
    for twin in of_kind(twins, StandardMaterial):
        if twin.material.maps:
            continue
        color = twin.material.base_color()
        assert color is not None
        exported = twin.factors["baseColorFactor"][:3]
        for name, factor in (("exact", 1.0), ("half", 0.5), ("by 0.96", 1 / 0.96)):
            if all(abs(a * factor - b) < 1e-6 for a, b in zip(color, exported, strict=True)):
                found[name] += 1
                break
        else:
            found["other"] += 1
    assert found["other"] == 0
    assert found["exact"] >= 15
    assert found["half"] + found["by 0.96"] <= 6


def test_standard_opacity(twins: list[Twin]) -> None:
    """Alpha is the opacity, but for one material of a scene that was changed after the export."""
    other = []
    for twin in of_kind(twins, StandardMaterial):
        alpha = twin.factors.get("baseColorFactor", [1, 1, 1, 1])[3]
        opacity = twin.material.opacity()
        assert opacity is not None
        if abs(alpha - opacity) > 1e-6:
            other.append(twin.exported["name"])
    assert other == ["verre"]


def test_standard_maps(twins: list[Twin]) -> None:
    """There is a base colour texture exactly where there is a diffuse or an opacity map."""
    count = 0
    for twin in of_kind(twins, StandardMaterial):
        maps = twin.material.maps
        textured = "baseColorTexture" in twin.factors
        assert textured == bool({"diffuse", "opacity"} & maps.keys()), twin
        count += textured
    assert count >= 15


def test_physical_values(twins: list[Twin]) -> None:
    checked: Counter[str] = Counter()
    for twin in of_kind(twins, PhysicalMaterial):
        maps, material = twin.material.maps, twin.material
        expected = {
            "roughness": twin.factors["roughnessFactor"],
            "metalness": twin.factors["metallicFactor"],
        }
        for name, value in expected.items():
            if {"roughness", "metalness"} & maps.keys() or (name == "roughness" and twin.unlit):
                continue
            assert getattr(material, name)() == pytest.approx(value, abs=1e-6), (twin, name)
            checked[name] += 1
        if not {"base_color", "transparency"} & maps.keys():
            color, opacity = material.base_color(), material.opacity()
            assert color is not None
            assert (*color, opacity) == pytest.approx(twin.factors["baseColorFactor"], abs=1e-6)
            checked["color"] += 1
    assert checked["roughness"] >= 14
    assert checked["metalness"] >= 16
    assert checked["color"] >= 6


def test_physical_maps(twins: list[Twin]) -> None:
    found = of_kind(twins, PhysicalMaterial)
    assert len(found) >= 17
    for twin in found:
        maps, exported, factors = twin.material.maps, twin.exported, twin.factors
        assert ("bump" in maps) == ("normalTexture" in exported)
        assert ("emission_color" in maps) == ("emissiveTexture" in exported)
        assert ("diffuse_roughness" in maps) == ("occlusionTexture" in exported)
        rough = bool({"roughness", "metalness"} & maps.keys())
        assert rough == ("metallicRoughnessTexture" in factors)
        colored = bool({"base_color", "transparency"} & maps.keys())
        assert colored == ("baseColorTexture" in factors)


def test_bitmap_names(twins: list[Twin]) -> None:
    """A texture that was copied as it is has the file name of the bitmap."""
    same = 0
    for twin in twins:
        texture = twin.factors.get("baseColorTexture")
        if texture is None:
            continue
        uri = twin.images[texture["index"]]
        if "_baseColor" in uri or "_alpha" in uri:
            continue  # put together by the exporter
        maps = twin.material.maps
        slot = maps.get("diffuse") or maps.get("base_color")
        assert slot is not None
        assert isinstance(slot.map, BitmapMap)
        if "opacity" not in maps and "transparency" not in maps:
            assert ntpath.basename(slot.map.path or "") == uri
            same += 1
    assert same >= 8


def test_multi_materials_of_the_export(corpus: Path) -> None:
    folder = corpus / "pairs" / "AnimatedMorphCube"
    exported = json.loads((folder / "AnimatedMorphCube.gltf").read_text(encoding="utf-8-sig"))
    (mesh,) = (m for m in exported["meshes"] if len(m["primitives"]) > 1)
    used = [exported["materials"][p["material"]]["name"] for p in mesh["primitives"]]
    file = open_file(folder / "scene.max")
    node = next(n for n in file.nodes.values() if isinstance(n.material, MultiMaterial))
    multi = node.material
    assert isinstance(multi, MultiMaterial)
    inside = [multi.for_id(number) for number in range(3)]
    assert [m.name for m in inside if isinstance(m, Material)] == used
    assert multi.for_id(3) is None


@dataclass
class Survey:
    """What one pass over the corpus found."""

    files: int
    facts: Counter[str]


@pytest.fixture(scope="module")
def survey(corpus_files: tuple[Path, ...]) -> Survey:
    facts: Counter[str] = Counter()
    for path in corpus_files:
        scene = open_file(path).scene
        for obj in scene.of_superclass(0xC00, 0xC10):
            assert isinstance(obj, Material | Map)
            facts["with a name" if obj.name else "without a name"] += 1
            if isinstance(obj, MultiMaterial):
                _look_at_multi(obj, facts)
            if isinstance(obj, BitmapMap):
                _look_at_bitmap(obj, facts)
            if isinstance(obj, StandardMaterial) and obj.shader is not None:
                facts["standard"] += 1
                tab = obj.parameters["maps"]
                assert isinstance(tab, TabParameter)
                facts["standard maps"] += len(obj.maps)
                facts["standard map references"] += sum(t is not None for t in tab.targets)
                facts["map slots without a name"] += any("[" in name for name in obj.maps)
            for slot in obj.maps.values():
                facts["maps that are maps" if isinstance(slot.map, Map) else "other maps"] += 1
    return Survey(len(corpus_files), facts)


def _look_at_multi(multi: MultiMaterial, facts: Counter[str]) -> None:
    found = multi.sub_materials  # raises when the tables are not of one length
    ids = [item.id for item in found]
    facts["multi"] += 1
    facts["multi with unique ids from 0"] += len(set(ids)) == len(ids) and min(ids or [0]) == 0  # type: ignore[type-var]
    facts["multi with other ids than 0, 1, 2"] += ids != list(range(len(ids)))
    facts["multi with empty slots"] += any(item.material is None for item in found)
    facts["multi slots with a material"] += sum(item.material is not None for item in found)
    referred = sum(
        1 for i in multi.references.values() if multi.scene[i].superclass == multi.superclass
    )
    facts["multi references to materials"] += referred
    for item in found:
        assert item.material is None or isinstance(item.material, Material)


def _look_at_bitmap(bitmap: BitmapMap, facts: Counter[str]) -> None:
    facts["bitmap"] += 1
    facts["bitmap with a path"] += bitmap.path is not None
    facts["bitmap in the asset table"] += bitmap.asset is not None
    facts["bitmap whose asset is missing"] += bitmap.asset_id is not None and bitmap.asset is None
    facts["bitmap with coordinates"] += bitmap.coordinates is not None


#: Defaults of the OpenPBR specification 1.1, by its names; dispersion, radius and scale of the
#: subsurface too, which no two others share.
OPENPBR = {
    "base_weight": 1.0, "base_color": (0.8, 0.8, 0.8), "base_diffuse_roughness": 0.0,
    "base_metalness": 0.0, "specular_weight": 1.0, "specular_color": (1.0, 1.0, 1.0),
    "specular_roughness": 0.3, "specular_ior": 1.5, "transmission_weight": 0.0,
    "transmission_color": (1.0, 1.0, 1.0), "transmission_depth": 0.0,
    "transmission_scatter": (0.0, 0.0, 0.0), "transmission_dispersion_abbe_number": 20.0,
    "subsurface_weight": 0.0, "subsurface_color": (0.8, 0.8, 0.8), "subsurface_radius": 1.0,
    "subsurface_radius_scale": (1.0, 0.5, 0.25), "fuzz_weight": 0.0, "fuzz_color": (1.0, 1.0, 1.0),
    "fuzz_roughness": 0.5, "coat_weight": 0.0, "coat_color": (1.0, 1.0, 1.0),
    "coat_roughness": 0.0, "coat_ior": 1.6, "coat_darkening": 1.0, "thin_film_weight": 0.0,
    "thin_film_thickness": 0.5, "thin_film_ior": 1.4, "emission_color": (1.0, 1.0, 1.0),
}  # fmt: skip


def test_openpbr_has_the_defaults_of_its_specification(corpus_files: tuple[Path, ...]) -> None:
    """None of the scenes changes any, so each name is checked by its default."""
    count = 0
    for path in corpus_files:
        for obj in open_file(path).scene.of_superclass(0xC00):
            if not isinstance(obj, OpenPbrMaterial):
                continue
            count += 1
            parameters = obj.parameters
            for name, expected in OPENPBR.items():
                value = parameters[name].value
                plain = value[:3] if isinstance(value, tuple) else value
                assert plain == pytest.approx(expected, abs=1e-6), (obj, name)
            assert obj.roughness() == pytest.approx(0.3)
            assert obj.ior() == 1.5
            assert obj.emission() == (0.0, 0.0, 0.0)  # the weight is 0
    if len(corpus_files) >= WHOLE:
        assert count == 18


def test_every_map_of_a_standard_material_is_listed(survey: Survey) -> None:
    """One slot for each reference in the table, whatever the slots are called."""
    assert survey.facts["standard maps"] == survey.facts["standard map references"]
    if survey.files >= WHOLE:
        assert survey.facts["standard maps"] >= 350


def test_multi(survey: Survey) -> None:
    facts = survey.facts
    assert facts["multi with unique ids from 0"] == facts["multi"]
    if survey.files >= WHOLE:
        assert facts["multi"] == 67
        assert facts["multi with empty slots"]
    filled = survey.facts["multi slots with a material"]
    assert filled == survey.facts["multi references to materials"]
    assert filled > 300


def test_bitmaps(survey: Survey) -> None:
    facts = survey.facts
    assert facts["bitmap with coordinates"] == facts["bitmap"]
    assert facts["bitmap whose asset is missing"] == 0
    if survey.files >= WHOLE:
        assert facts["bitmap"] == 456
        assert facts["bitmap in the asset table"] >= 100


def test_slots(survey: Survey) -> None:
    facts = survey.facts
    assert facts["map slots without a name"] == 0
    assert facts["other maps"] == 0
    assert facts["without a name"] <= facts["with a name"] // 50
