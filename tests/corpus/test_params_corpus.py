"""Every parameter block of every real scene; expected counts: docs/format/parameters.md."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.maxfile import MaxFile, open_file
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params import (
    Kind,
    Matrix,
    ParamBlock,
    ParamBlock2,
    ParamBlockBase,
    Parameter,
    TabParameter,
)
from maxsidecar.scene.params.names import names_of_block, names_of_old_block
from maxsidecar.scene.params.records import RECORDS

# Counts are those of the whole corpus; a smaller one checks everything else.
WHOLE = 141


@dataclass
class Survey:
    """What one pass over the corpus found."""

    files: int = 0
    problems: list[str] = field(default_factory=list)
    blocks: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    facts: Counter[str] = field(default_factory=Counter)
    scripted: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """Return the counts, for the messages of tests that fail."""
        return f"{self.files} files, {dict(self.blocks)}, {dict(self.records)}, {dict(self.facts)}"


def blocks_of(file: MaxFile) -> list[ParamBlockBase]:
    return [obj for obj in file.scene.of_superclass(0x8, 0x82) if isinstance(obj, ParamBlockBase)]


@pytest.fixture(scope="session")
def survey(corpus_files: tuple[Path, ...]) -> Survey:
    found = Survey()
    for path in corpus_files:
        file = open_file(path)
        found.files += 1
        objects = list(file.scene.of_superclass(0x8, 0x82))
        blocks = blocks_of(file)
        found.facts["objects that are no block"] += len(objects) - len(blocks)
        for block in blocks:
            _look_at_block(found, block)
        _look_at_scripts(found, file)
    return found


def _look_at_block(found: Survey, block: ParamBlockBase) -> None:
    kind = type(block).__name__
    found.blocks[kind] += 1
    found.problems += [str(problem) for problem in block.problems()]
    leaves, _ = check_leaves(block.typed_leaves(), lambda e: found.problems.append(str(e)))
    found.facts["leaves"] += leaves
    # The leaves are everything that the block stores, but for what every object has.
    typed = {chunk.start for chunk, _, _ in block.typed_leaves()}
    for chunk in block.chunks():
        if not chunk.container and chunk.start not in typed:
            found.facts[f"untyped {chunk.id:04x}"] += 1
        if chunk.id in RECORDS:
            found.records[f"{chunk.id:04x}"] += 1
    if isinstance(block, ParamBlock):
        found.records["old"] += len(block.state.entries)
        found.facts["slots of old blocks"] += block.state.slots or 0
    else:
        found.facts["slots"] += block.state.slots or 0
    for parameter in block:
        found.types[parameter.type] += 1
        if parameter.controlled:
            found.facts["controlled"] += 1
            found.facts["with controller"] += parameter.controller is not None
        _ = parameter.value
    _look_at_names(found, block)
    owner = block.owner
    found.facts["with owner"] += owner is not None and block.index in owner.references.values()


#: Types that a letter of the tables of names stands for; a capital is a table of them.
LETTERS = {
    "f": {"float", "angle", "percent", "world_units", "color_channel"},
    "i": {"integer", "time", "radio_button", "index"},
    "b": {"boolean"},
    "c": {"color", "point3", "point4", "hsv", "frgba"},
    "s": {"string", "filename"},
    "t": {"texture_map"},
    "m": {"material"},
    "r": {"reference", "node", "bitmap", "matrix", "parameter_block"},
}


def _look_at_names(found: Survey, block: ParamBlockBase) -> None:
    """Compare the types of a block with those that the tables of names say."""
    place, key = block.owner_slot if isinstance(block, ParamBlock) else None, block.owner_class
    if key is None or (place is None and block.block_id is None):
        return
    count = len(block.state.entries)
    line = (
        names_of_old_block(*key, place[1], count)
        if place is not None
        else names_of_block(*key, block.block_id or 0, count)
    )
    if line is None or not line.types:
        return
    found.named[line.title] += 1
    for parameter in block:
        letter = line.types.get(-1 if parameter.id is None else parameter.id, ".")
        types = LETTERS.get(letter.lower(), {parameter.type.removesuffix("[]")})
        if letter != "." and (
            parameter.type.removesuffix("[]") not in types
            or letter.isupper() != parameter.type.endswith("[]")
        ):
            found.problems.append(f"{line.title}: {parameter} is no {letter}")


def _look_at_scripts(found: Survey, file: MaxFile) -> None:
    """Compare the types that scripts declare with those of the records that they name."""
    declared: dict[tuple[int, int, int, int], Any] = {}
    for scripted in file.config.scripted_classes() if file.config else []:
        for stored in scripted.blocks():
            key = scripted.class_id.a, scripted.class_id.b, scripted.superclass, stored.id
            declared.setdefault(key, stored)
    for block in blocks_of(file):
        if not isinstance(block, ParamBlock2) or block.owner_class is None:
            continue
        class_id, superclass = block.owner_class
        script = declared.get((class_id.a, class_id.b, superclass, block.block_id))
        if script is None:
            continue
        found.facts["scripted blocks"] += 1
        for declaration in script.parameters:
            parameter = block.get(declaration.index)
            if parameter is None:
                found.facts["declared, not stored"] += 1
                continue
            found.scripted[f"{declaration.type} {parameter.type}"] += 1
            if block[declaration.name].id != declaration.index:
                found.facts["name of two parameters"] += 1


def test_every_block_is_decoded_and_written_the_same(survey: Survey) -> None:
    assert survey.problems == [], survey
    # What is left is what every scene object may have, and no parameter.
    untyped = {fact for fact in survey.facts if fact.startswith("untyped")}
    assert untyped <= {"untyped 204b", "untyped 2045"}, survey


def test_counts_of_the_whole_corpus(survey: Survey) -> None:
    if survey.files != WHOLE:
        pytest.skip(f"counts are those of {WHOLE} scenes, not of {survey.files}")
    assert survey.blocks == {"ParamBlock": 5677, "ParamBlock2": 30784}, survey
    assert survey.records == {
        "old": 26892, "000a": 101109, "000e": 39175, "100e": 128569, "200e": 2,
    }, survey  # fmt: skip
    assert sum(survey.types.values()) == 26892 + 268855


def test_slots_hold_a_controller_for_each_controlled_parameter(survey: Survey) -> None:
    assert survey.facts["controlled"] > 0
    assert survey.facts["with controller"] == survey.facts["controlled"], survey


def test_scripts_declare_the_types_that_are_stored(survey: Survey) -> None:
    if survey.files != WHOLE:
        pytest.skip(f"counts are those of {WHOLE} scenes, not of {survey.files}")
    assert survey.facts["scripted blocks"] == 928, survey
    # docs/format/streams.md section 6: without exception.
    assert set(survey.scripted) == {
        "float float", "integer integer", "color color", "boolean boolean", "angle angle",
        "percent percent", "worldunits world_units", "string string", "texturemap texture_map",
        "maxobject reference", "frgba frgba", "stringtab string[]", "nodetab node[]",
    }, survey.scripted  # fmt: skip


def test_tables_of_names_have_the_types_that_are_stored(survey: Survey) -> None:
    if survey.files != WHOLE:
        pytest.skip(f"counts are those of {WHOLE} scenes, not of {survey.files}")
    # Blocks 0, 2, 3 and 4 of 16 lights; docs/format/parameters.md section 4.
    assert survey.named == {
        "Photometric light": 4 * 16, "OpenPBR": 18, "Noise": 2, "Gradient": 1, "Raytrace": 1,
    }, survey.named  # fmt: skip


# --- edits -----------------------------------------------------------------------------------


def _another(parameter: Parameter) -> Any:
    """A value of the type that the parameter does not have."""
    old, kind = parameter.value, parameter.kind
    if isinstance(parameter, TabParameter):
        return tuple(_other(kind, item) for item in old)
    return _other(kind, old)


def _other(kind: Kind, old: Any) -> Any:
    if kind is Kind.FLOAT:
        return 0.5 if old != 0.5 else 0.25
    if kind is Kind.INTEGER:
        return old ^ 1
    if kind is Kind.BOOLEAN:
        return not old
    if kind is Kind.FLOATS:
        return tuple(0.5 if number != 0.5 else 0.25 for number in old)
    if kind is Kind.TEXT:
        return "" if old else "some other text"
    assert kind is Kind.MATRIX
    return Matrix((0.25,) * 12, old.flags)


EDITABLE = {Kind.FLOAT, Kind.INTEGER, Kind.BOOLEAN, Kind.FLOATS, Kind.TEXT, Kind.MATRIX}


def test_an_edit_changes_one_record_and_can_be_reversed(max_file: Path) -> None:
    """One parameter of each type and generation in each file."""
    file = open_file(max_file)
    scene = file.scene
    done: set[tuple[int, str]] = set()
    for block in blocks_of(file):
        for parameter in block:
            span = block.data.top()[parameter.position]
            key = span[0], parameter.type
            if key in done or parameter.kind not in EDITABLE or parameter.controlled:
                continue
            if parameter.value is None or parameter.asset_id is not None:
                continue
            if parameter.kind is Kind.BOOLEAN and parameter.value not in (True, False):
                continue  # such a number is kept, but cannot be given
            done.add(key)
            before = bytes(block.data.data)
            old, new = parameter.value, _another(parameter)
            parameter.set(new)
            assert parameter.value == new, parameter
            after = bytes(block.data.data)
            grown = len(after) - len(before)
            assert after[: span[1]] == before[: span[1]]
            assert after[span[3] + grown :] == before[span[3] :]
            if new not in ((), old):
                assert after != before
                assert bytes(scene.encode()) != scene.data
            parameter.set(old)
            assert bytes(block.data.data) == before
            assert scene.encode() is scene.data
    assert done or not blocks_of(file)


def test_what_cannot_be_set_is_refused(max_file: Path) -> None:
    file = open_file(max_file)
    seen: set[str] = set()
    for block in blocks_of(file):
        for parameter in block:
            kind = parameter.kind
            reason = "controlled" if parameter.controlled else kind.value
            if (parameter.controlled or kind not in EDITABLE) and reason not in seen:
                seen.add(reason)
                value: Any = [1] if isinstance(parameter, TabParameter) else 1
                with pytest.raises(EditError):
                    parameter.set(value)
    assert not file.edited


# --- names and values, against other sources --------------------------------------------------


def test_sizes_of_primitives(corpus: Path) -> None:
    """Boxes and spheres of one scene against an independent reading of it."""
    path = corpus / "max" / "ryzomcore" / "cluster_viewer__max__street.max"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in this corpus")
    file = open_file(path)
    boxes = {
        273: (103.75303649902344, 116.96998596191406, 101.10964965820312),
        275: (105.32080841064453, 123.86786651611328, 112.9383544921875),
        287: (122.22264862060547, 11.897781372070312, 134.12042236328125),
        301: (15.953842163085938, 17.576271057128906, 15.953842163085938),
    }
    for index, size in boxes.items():
        parameters = file.scene[index].parameters
        assert tuple(parameters[k].value for k in ("length", "width", "height")) == size
        for side in ("length", "width", "height"):
            assert parameters[f"{side}_segments"].value == 1
    for node in file.nodes.values():
        if node.name.startswith("Sphere"):
            assert node.base_object is not None
            sphere = node.base_object.parameters
            assert sphere["radius"].value == pytest.approx(4.35989, abs=5e-6)
            assert (sphere["segments"].value, sphere["smooth"].value) == (16, True)
    # The four Booleans of docs: union, and both subtractions.
    operations = {357: 0, 285: 3, 347: 2, 335: 2, 311: 2, 299: 0}
    for index, operation in operations.items():
        assert file.scene[index].parameters["operation"].value == operation


def material_name(obj: SceneObject) -> str | None:
    for chunk in obj.chunks():
        if chunk.container:
            name = chunk.find(0x4001)
            if name is not None:
                return bytes(name.data).decode("utf-16-le")
    return None


def file_of(map_object: SceneObject | None) -> str:
    assert map_object is not None
    path = map_object.parameters["bitmap"].value
    assert isinstance(path, str)
    return path.replace("\\", "/").rpartition("/")[2]


def test_custom_attributes_against_gltf(corpus: Path) -> None:
    folder = corpus / "pairs" / "CustomAttributes"
    if not folder.is_dir():
        pytest.skip("no pair with custom attributes in this corpus")
    file = open_file(folder / "scene.max")
    document = json.loads((folder / "CustomAttributes.gltf").read_text("utf-8"))
    compared: Counter[str] = Counter()
    materials = {material_name(obj): obj for obj in file.scene.of_superclass(0xC00)}
    holders: list[tuple[SceneObject | None, dict[str, Any]]] = []
    for node in document["nodes"]:
        if "extras" in node:
            (found,) = file.nodes.find(node["name"])
            holders.append((found.base_object, node["extras"]))
    holders += [(materials[m["name"]], m["extras"]) for m in document["materials"]]
    for holder, extras in holders:
        assert holder is not None
        (attribute,) = [a for a in holder.custom_attributes if "myFloat" in a.parameters]
        parameters = attribute.parameters
        assert sorted(parameters) == sorted(extras)
        for name, expected in extras.items():
            parameter = parameters[name]
            compared[parameter.type] += 1
            if parameter.type == "texture_map":
                assert file_of(parameter.target) == expected["name"]
            elif isinstance(expected, str):
                assert parameter.value == expected
            elif isinstance(expected, list):
                assert parameter.value == pytest.approx(expected, abs=1e-6)
            else:
                assert parameter.value == pytest.approx(expected, rel=1e-6), name
                assert isinstance(parameter.value, type(expected)) or not isinstance(expected, bool)
    assert len(holders) == 5
    assert compared == {
        "angle": 5, "integer": 10, "boolean": 5, "color": 5, "float": 5, "frgba": 5,
        "percent": 5, "string": 5, "texture_map": 5, "world_units": 5,
    }  # fmt: skip


def test_physical_materials_against_gltf(corpus: Path) -> None:
    compared: Counter[str] = Counter()
    for path in sorted((corpus / "pairs").glob("*/*.gltf")):
        if (path.parent / "scene.max").is_file():
            _compare_physical(path, compared)
    if not compared:
        pytest.skip("no pair with physical materials in this corpus")
    assert compared["materials"] >= 17
    assert compared["roughness"] >= 14
    assert compared["metalness"] >= 16
    assert compared["color"] >= 6
    assert compared["alpha"] >= 6


def _compare_physical(path: Path, compared: Counter[str]) -> None:
    file = open_file(path.parent / "scene.max")
    physical = {
        material_name(obj): obj
        for obj in file.scene.of_superclass(0xC00)
        if obj.class_id is not None and obj.class_id.a == 0x3D6B1CEC
    }
    for material in json.loads(path.read_text("utf-8")).get("materials", []):
        obj = physical.get(material["name"])
        if obj is None:
            continue
        compared["materials"] += 1
        values = obj.parameters
        pbr = material["pbrMetallicRoughness"]
        maps = {key for key, p in values.items() if key.endswith("_map") and p.value is not None}
        unlit = "KHR_materials_unlit" in material.get("extensions", {})
        # The exporter writes 1 where a map exists, and fixed values for unlit materials.
        if not unlit and "roughness_map" not in maps:
            assert values["roughness"].value == pytest.approx(pbr["roughnessFactor"], abs=1e-6)
            compared["roughness"] += 1
        if "metalness_map" not in maps:
            assert values["metalness"].value == pytest.approx(pbr["metallicFactor"], abs=1e-6)
            compared["metalness"] += 1
        if "baseColorFactor" in pbr:
            color = pbr["baseColorFactor"]
            if "base_color_map" not in maps:
                assert values["base_color"].value[:3] == pytest.approx(color[:3], abs=1e-6)
                compared["color"] += 1
            if "transparency_map" not in maps:
                assert color[3] == pytest.approx(1 - values["transparency"].value, abs=1e-6)
                compared["alpha"] += 1
        assert ("normalTexture" in material) == ("bump_map" in maps)
        if path.parent.name == "PBR_Textures":
            assert ("metallicRoughnessTexture" in pbr) == bool(
                {"roughness_map", "metalness_map"} & maps
            )
            assert ("emissiveTexture" in material) == ("emission_color_map" in maps)
            assert ("occlusionTexture" in material) == ("diffuse_roughness_map" in maps)
            compared["textures"] += 1


def test_field_of_view_against_gltf(corpus: Path) -> None:
    """The exporter writes yfov = 2 atan(tan(fov / 2) * height / width) for 640 by 480."""
    path = corpus / "pairs" / "CustomAttributes" / "CustomAttributes.gltf"
    if not path.is_file():
        pytest.skip("no pair with a camera in this corpus")
    file = open_file(path.parent / "scene.max")
    (camera,) = file.nodes.find("Camera001")
    assert camera.base_object is not None
    fov = camera.base_object.parameters["fov"].value
    (stored,) = json.loads(path.read_text("utf-8"))["cameras"]
    expected = 2 * math.atan(math.tan(fov / 2) * 480 / 640)
    assert stored["perspective"]["yfov"] == pytest.approx(expected, abs=1e-6)


def test_files_of_the_asset_table_have_paths(max_file: Path) -> None:
    file = open_file(max_file)
    known = (
        {asset.guid: asset for asset in file.asset_metadata.assets}
        if (file.asset_metadata is not None)
        else {}
    )
    for block in blocks_of(file):
        for parameter in block:
            guid = parameter.asset_id
            if guid is not None and guid in known:
                assert parameter.value == known[guid].path
                assert parameter.asset == known[guid]


def test_every_object_lists_its_parameters(max_file: Path) -> None:
    file = open_file(max_file)
    held = 0
    for obj in file.scene:
        if isinstance(obj, ParamBlockBase):
            continue
        try:
            parameters = obj.parameters
        except DecodeError as error:
            pytest.fail(str(error))
        assert parameters.problems == []
        assert len(parameters) == sum(len(block.state.entries) for block in parameters.blocks)
        held += len(parameters.blocks)
        for attribute in obj.custom_attributes:
            assert attribute.superclass == 0x1160
    assert held


def test_cut_files_raise_nothing_else(corpus_files: tuple[Path, ...]) -> None:
    smallest = min(corpus_files, key=lambda path: path.stat().st_size)
    data = bytearray(smallest.read_bytes())
    for at in range(4096, len(data), max(1, len(data) // 60)):
        damaged = bytes(data[:at]) + bytes(64) + bytes(data[at + 64 :])
        try:
            file = MaxFile(damaged)
            for block in blocks_of(file):
                _ = [(p.name, p.type) for p in block], list(block.problems())
        except MaxSidecarError:
            continue
