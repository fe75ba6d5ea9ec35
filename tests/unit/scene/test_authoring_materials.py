"""New materials have the layout of real ones, and hold what was put in."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from struct import iter_unpack, unpack_from

import olefile
import pytest

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.materials import MultiMaterial, StandardMaterial
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block2 import ParamBlock2
from tests.support.layouts import LINKS, Shape, object_layout, roles

RELEASE = 0x2009
#: Name, path, file format; and the state of a rollout in the material editor.
FREE = frozenset({0x4001, 0x1230, 0x1240, 0x000C})


@pytest.fixture(scope="module")
def real(corpus_files: tuple[Path, ...]) -> list[MaxFile]:
    """Every real scene of the release."""
    files = [maxsidecar.open(path) for path in corpus_files]
    return [file for file in files if file.scene.version == RELEASE]


#: Blocks with tables of storage indices, see the test of them.
TABLES = {"82/0/82 of 2/0/c00 6": 0x80F, "82/0/82 of 200/0/c00 0": 0x80E}


def plain() -> SceneBuilder:
    """One of each, as a user leaves it; one slot with a name of three letters, as a real one."""
    scene = SceneBuilder()
    material = scene.add_standard_material("m")
    scene.add_multi_material("multi", [(0, material, "sol")])
    return scene


def mapped() -> SceneBuilder:
    scene = SceneBuilder()
    picture = scene.add_bitmap_map("C:\\a.tga", (256, 256), name="Map #1")
    scene.add_standard_material("m", diffuse_map=picture)
    return scene


def added(scene: SceneBuilder) -> dict[str, SceneObject]:
    """The objects that a test added, by role."""
    first, last = len(SceneBuilder()), len(scene)
    file = MaxFile(scene.to_bytes(), lenient=False)
    names = roles(file)
    return {names[index]: file.scene[index] for index in range(first, last)}


@pytest.mark.parametrize("make", [plain, mapped])
@pytest.mark.parametrize("values", [False, True])
def test_objects_are_those_of_real_scenes(
    real: list[MaxFile], make: Callable[[], SceneBuilder], values: bool
) -> None:
    """Ids, order, record ids, types, flags and sizes; then every byte that nobody sets."""
    known: dict[str, set[Shape]] = defaultdict(set)
    made = added(make())
    for file in real:
        for index, role in roles(file).items():
            if role in made:
                known[role].add(object_layout(file.scene[index], FREE, values))
    wrong = [
        role
        for role, obj in made.items()
        if object_layout(obj, FREE, values) not in known[role] and not (values and role in TABLES)
    ]
    assert not wrong
    assert len(made) == (13 if make is plain else 19)


def without_indices(obj: SceneObject, code: int) -> Shape:
    """Every byte but storage indices: of tables of a type -1 as -1, others as 0."""
    out: list[object] = []
    for chunk in obj.data.chunks():
        if chunk.id in LINKS or chunk.id == 0x000C:
            continue
        data = bytes(chunk.data)
        if chunk.id == 0x000A and unpack_from("<I", data, 2) == (code,):
            (count,) = unpack_from("<I", data, 11)
            pairs = list(iter_unpack("<Bi", data[15:]))
            assert len(pairs) == count
            kept = [(flag, -1 if code == 0x80E else min(index, 0)) for flag, index in pairs]
            out.append((data[:15], kept))
        else:
            out.append((chunk.id, data))
    return tuple(out)


@pytest.mark.parametrize("make", [plain, mapped])
def test_tables_are_those_of_real_scenes_but_for_storage_indices(
    real: list[MaxFile], make: Callable[[], SceneBuilder]
) -> None:
    made = added(make())
    for role in TABLES.keys() & made.keys():
        known = [f.scene[n] for f in real for n, name in roles(f).items() if name == role]
        code = TABLES[role]
        assert without_indices(made[role], code) in [without_indices(k, code) for k in known]


def test_real_sub_materials_are_in_the_slots_alone(real: list[MaxFile]) -> None:
    """The one known difference: releases 3 to 7 leave -1 in the table, new scenes do not."""
    slots = 0
    for file in real:
        for multi in file.scene:
            if not isinstance(multi, MultiMaterial):
                continue
            block = multi.reference(0)
            assert block is not None
            record = next(bytes(c.data) for c in block.data.chunks() if c.id == 0x000A)
            held = list(iter_unpack("<Bi", record[15:]))
            assert held == [(0x40, -1)] * len(held)
            slots += sum(1 for slot in multi.references if slot > 0)
    assert slots == 38


@pytest.mark.parametrize("make", [plain, mapped])
def test_reference_lists_are_those_of_real_scenes(
    real: list[MaxFile], make: Callable[[], SceneBuilder]
) -> None:
    """Same slots, filled with objects of the same role; and blocks name their owners."""

    def links(obj: SceneObject, names: dict[int, str]) -> Shape:
        # Sub-materials may be of any class.
        sub = obj.superclass == 0xC00 and str(obj.class_id) == "200/0"
        pairs = ((s, "" if sub and s else names[t]) for s, t in obj.references.items())
        return (len(obj.dense_references or ()), *pairs)

    known: dict[str, set[Shape]] = defaultdict(set)
    for file in real:
        names = roles(file)
        for index, role in names.items():
            known[role].add(links(file.scene[index], names))
    made = added(make())
    names = {obj.index: role for role, obj in made.items()}
    wrong = [role for role, obj in made.items() if links(obj, names) not in known[role]]
    assert not wrong
    for role, obj in made.items():
        if isinstance(obj, ParamBlock2):
            owner = obj.owner
            assert owner is not None
            assert role.split(" of ")[1].startswith(f"{owner.class_id}/{owner.superclass:x} ")
            assert obj.owner_class == (owner.class_id, owner.superclass)
            assert obj.index in owner.references.values()


def test_objects_stand_in_the_order_of_real_ones(real: list[MaxFile]) -> None:
    """From the container of maps to the material, nothing else in between."""
    made = list(added(plain()))
    made = made[: made.index("2/0/c00") + 1]
    orders = []
    for file in real:
        names = roles(file)
        for index, role in names.items():
            if role == "2/0/c00":
                orders.append([names[n] for n in range(index - len(made) + 1, index + 1)])
    assert made in orders


def test_classes_are_those_of_real_scenes(real: list[MaxFile]) -> None:
    known = {
        (info.class_id, info.superclass): (info.name, file.scene.dll_name(info.dll))
        for file in real
        for info in file.classes
        if info is not None and info.dll >= 0
    }
    scene = mapped()
    scene.add_multi_material("x", [(0, None, "")])
    made = MaxFile(scene.to_bytes())
    compared = 0
    for info in made.classes:
        assert info is not None
        if info.dll >= 0:
            found = (info.name, made.scene.dll_name(info.dll))
            assert found == known[info.class_id, info.superclass]
            compared += info.superclass in (0xC00, 0xC10, 0xC20, 0xC40, 0x1080, 0x10B0, 0x1110)
    assert compared == 8


def test_values_are_read_back() -> None:
    scene = SceneBuilder()
    picture = scene.add_bitmap_map("D:\\ö\\wall.tga", (640, 480), name="wall")
    brick = scene.add_standard_material(
        "brick",
        diffuse=(0.5, 0.25, 0.125),
        ambient=(0.0, 0.25, 1.0),
        specular=(1.0, 0.5, 0.75),
        opacity=0.5,
        two_sided=True,
        specular_level=0.75,
        glossiness=0.25,
        soften=0.5,
        self_illumination=0.125,
        diffuse_map=picture,
    )
    moss = scene.add_standard_material("мох")
    both = scene.add_multi_material("both", [(0, brick, "wall"), (7, None, ""), (3, moss, "top")])
    node = scene.add_node("n", scene.add_box(1, 1, 1), material=both)
    data = scene.to_bytes()
    file = MaxFile(data, lenient=False)
    multi = file.scene.node(node).material
    assert isinstance(multi, MultiMaterial)
    assert (multi.name, multi.count) == ("both", 3)
    subs = [(s.id, s.material and s.material.index, s.name) for s in multi.sub_materials]
    assert subs == [(0, brick, "wall"), (7, None, ""), (3, moss, "top")]
    assert multi.references == {0: multi.index - 1, 1: brick, 3: moss}
    material = multi.for_id(0)
    assert isinstance(material, StandardMaterial)
    assert material.base_color() == (0.5, 0.25, 0.125)
    assert material.opacity() == 0.5
    assert material.parameters["two_sided"].value
    shader = material.reference(2)
    assert shader is not None
    values = {name: parameter.value for name, parameter in shader.parameters.items()}
    assert values["ambient"] == (0.0, 0.25, 1.0)
    assert values["specular"] == (1.0, 0.5, 0.75)
    assert values["ambient_diffuse_lock"] in (0, False)
    numbers = ("specular_level", "glossiness", "soften", "self_illumination")
    assert [values[name] for name in numbers] == [0.75, 0.25, 0.5, 0.125]
    assert list(material.maps) == ["diffuse"]
    diffuse = material.maps["diffuse"]
    assert diffuse.on
    assert diffuse.map is not None
    assert diffuse.map.index == picture
    assert getattr(diffuse.map, "path", None) == "D:\\ö\\wall.tga"
    other = multi.for_id(3)
    assert isinstance(other, StandardMaterial)
    assert (other.name, other.maps, other.opacity()) == ("мох", {}, 1.0)
    with olefile.OleFileIO(io.BytesIO(data)) as ole:
        document = ole.openstream("\x05DocumentSummaryInformation").read()
    assert "both\0".encode("utf-16-le") in document  # used by the node
    assert "brick\0".encode("utf-16-le") not in document


def test_whole_numbers_do_as_well() -> None:
    scene = SceneBuilder()
    index = scene.add_standard_material("m", diffuse=(1, 0, 0), opacity=1, specular_level=1)
    material = MaxFile(scene.to_bytes()).scene[index]
    assert isinstance(material, StandardMaterial)
    assert material.base_color() == (1.0, 0.0, 0.0)


def test_what_does_not_fit_is_refused_and_adds_nothing() -> None:
    scene = SceneBuilder()
    box = scene.add_box(1, 1, 1)
    before = len(scene)
    with pytest.raises(EditError, match="not a map"):
        scene.add_standard_material("m", diffuse_map=box)
    with pytest.raises(EditError, match="no such object"):
        scene.add_standard_material("m", diffuse_map=99)
    with pytest.raises(EditError):
        scene.add_standard_material("m", diffuse=(1.0, 0.0))
    with pytest.raises(EditError):
        scene.add_standard_material("m", opacity=1e300)
    with pytest.raises(EditError, match="half"):
        scene.add_standard_material("\udc00")
    with pytest.raises(EditError, match="slot"):
        scene.add_multi_material("m", [])
    with pytest.raises(EditError, match="unique"):
        scene.add_multi_material("m", [(1, None, ""), (1, None, "")])
    with pytest.raises(EditError, match="out of range"):
        scene.add_multi_material("m", [(-1, None, "")])
    with pytest.raises(EditError, match="not a material"):
        scene.add_multi_material("m", [(0, box, "")])
    with pytest.raises(EditError, match="cp1252"):
        scene.add_multi_material("m", [(0, None, "мох")])
    with pytest.raises(EditError, match="NUL"):
        scene.add_multi_material("m", [(0, None, "a\0b")])
    with pytest.raises(EditError, match="path"):
        scene.add_bitmap_map("", (1, 1))
    with pytest.raises(EditError, match="out of range"):
        scene.add_bitmap_map("a.tga", (70000, 1))
    with pytest.raises(EditError, match="material"):
        scene.add_node("n", box, material=box)
    assert len(scene) == before


def test_appdata_hangs_on_any_object() -> None:
    from maxsidecar.scene.appdata_registry import AppDataKey

    scene = SceneBuilder()
    index = scene.add_standard_material("m")
    scene.add_appdata(index, AppDataKey(1, 2, 3, 4), b"xyz")
    with pytest.raises(EditError, match="no such object"):
        scene.add_appdata(len(scene), AppDataKey(1, 2, 3, 4), b"")
    (item,) = MaxFile(scene.to_bytes(), lenient=False).scene[index].appdata
    assert (item.key, item.value) == (AppDataKey(1, 2, 3, 4), b"xyz")
