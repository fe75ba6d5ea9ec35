"""Comparing two scenes by meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from maxsidecar.io.chunks import ChunkData, encode_header
from maxsidecar.io.fields import record_codec
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.index_links import attribute_container, header_meaning
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.params.tables import BlockHeader
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.diff import Difference, compare
from maxsidecar.sidecar.diff_chunks import LeafDifference, Side, compare_chunks
from maxsidecar.sidecar.match import Matching
from maxsidecar.sidecar.text_chunks import Meaning
from tests.fuzz.bases import authored_bases


def sample() -> MaxFile:
    return MaxFile(authored_bases()[0].data)


def edited(edit: Callable[[MaxFile], None]) -> list[Difference]:
    scene_file = sample()
    edit(scene_file)
    return list(compare(sample(), MaxFile(scene_file.to_bytes())))


def short(differences: list[Difference]) -> list[tuple[str, str, str | None, str | None]]:
    return [(d.change, d.field, d.old, d.new) for d in differences]


def test_a_scene_equals_itself() -> None:
    assert not list(compare(sample(), sample()))


def test_flag_with_its_chunk_is_one_difference() -> None:
    found = edited(lambda f: f.nodes.find("house")[0].set_flag("hidden", True))
    assert short(found) == [("changed", "flags.hidden", "false", "true")]
    assert found[0].kind == "node"
    assert found[0].name.startswith("house@")


def test_rename() -> None:
    def rename(scene_file: MaxFile) -> None:
        scene_file.nodes.find("house")[0].name = "villa"

    # The handle tells that it is the same node.
    assert short(edited(rename)) == [("renamed", "name", '"house"', '"villa"')]


def test_reparenting() -> None:
    def move(scene_file: MaxFile) -> None:
        door, root = scene_file.nodes.find("door")[0], scene_file.nodes.root
        assert root is not None
        assert door.parent_link is not None
        door.parent_link = door.parent_link.replace(parent=root.index)

    (found,) = edited(move)
    assert (found.change, found.new) == ("reparented", "@root")
    assert found.old is not None
    assert found.old.endswith('"house"')


def test_wire_color_and_user_properties() -> None:
    def change(scene_file: MaxFile) -> None:
        house = scene_file.nodes.find("house")[0]
        assert house.wire_color is not None
        house.wire_color = house.wire_color.replace(red=1, green=2, blue=3)
        house.user_properties_text = "material = wood\r\nnew = 1\r\n"

    assert short(edited(change)) == [
        ("changed", "wire_color", "#083d8a", "#010203"),
        ("changed", "user_properties.material", '"brick"', '"wood"'),
        ("changed", "user_properties.floors", '"2"', None),
        ("changed", "user_properties.new", None, '"1"'),
    ]


def test_appdata_by_name_and_by_key() -> None:
    prop = REGISTRY.by_toml_path(("nel", "lod", "dist_max"))
    assert prop is not None
    unknown = AppDataKey(0x0BADC0DE, 0x12345678, 0x1020, 7)

    def change(scene_file: MaxFile) -> None:
        house = scene_file.nodes.find("house")[0]
        house.appdata.set(prop.key, b"350\0")
        house.appdata.remove(unknown)

    raw = b"\x01\x02rides along\x00".hex()
    assert sorted(short(edited(change))) == [
        ("changed", f"appdata {unknown}", f'"hex:{raw}"', None),
        ("changed", "nel.lod.dist_max", "200.0", "350.0"),
    ]


def test_other_objects_by_path() -> None:
    def change(scene_file: MaxFile) -> None:
        box = scene_file.nodes.find("house")[0].object
        assert box is not None
        block = box.reference(0)
        assert block is not None
        leaf = next(
            part for chunk in block.chunks() if chunk.container
            for part in chunk.chunks() if len(part.data) == 4
        )  # fmt: skip
        leaf.replace(b"\x01\x02\x03\x04")

    found = edited(change)
    assert len(found) == 1
    assert found[0].kind == "object"
    assert "/" in found[0].field
    # Bytes, or the number that they are where the block is understood.
    assert found[0].new in ("hex:01020304", str(0x04030201), "1.5399896e-36")


def build(*names: str, first: str = "") -> MaxFile:
    scene = SceneBuilder(title="x")
    if first:
        scene.add_node(first, scene.add_box(1.0, 1.0, 1.0))
    for name in names:
        scene.add_node(name, scene.add_dummy(1.0))
    return MaxFile(scene.to_bytes())


def test_added_and_removed_nodes() -> None:
    found = list(compare(build("a"), build("a", "b")))
    nodes = [(d.change, d.name.split("@")[0], d.new) for d in found if d.kind == "node"]
    assert nodes == [("added", "b", "Dummy")]
    back = list(compare(build("a", "b"), build("a")))
    assert [(d.change, d.old) for d in back if d.kind == "node"] == [("removed", "Dummy")]
    assert {d.change for d in back if d.kind == "object"} <= {"removed", "changed"}


def _without_handles(scene_file: MaxFile) -> MaxFile:
    for node in scene_file.nodes.values():
        chunk = node.find(0x0A32)
        if chunk is not None:
            chunk.remove()
    return MaxFile(scene_file.to_bytes())


def test_matching_by_name_without_handles() -> None:
    old, new = _without_handles(build("a", "b")), _without_handles(build("b", "a", first="c"))
    matching = Matching(old.scene, new.scene)
    pairs = {
        old.scene.node(i).name: new.scene.node(j).name
        for i, j in matching.pairs.items()
        if i in old.nodes and old.nodes[i].parent is not None
    }
    assert pairs == {"a": "a", "b": "b"}
    assert [obj.class_name for obj in matching.added() if obj.index in new.nodes] == ["Node"]


def test_objects_that_only_moved_are_equal() -> None:
    old, new = _without_handles(build("a", "b")), _without_handles(build("a", "b", first="c"))
    found = [d for d in compare(old, new) if d.change not in ("added", "removed")]
    kinds = {(d.kind, d.name.split("#")[0]) for d in found}
    # The scene as a whole may count its nodes; no node and no part of one changed.
    assert not [kind for kind in kinds if kind[0] == "node"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_packing_and_layout(number: int) -> None:
    found = list(compare(sample(), MaxFile(authored_bases()[number].data)))
    assert not [d for d in found if d.kind in ("node", "object", "class", "plug-in")]
    packings = {1: None, 2: "gzip", 3: "zstd"}
    told = [d.new for d in found if d.field == "packing"]
    assert told == ([packings[number]] if packings[number] else [])


# --- chunk trees ---------------------------------------------------------------------------------


def leaf(chunk_id: int, body: bytes) -> bytes:
    return encode_header(chunk_id, len(body), False) + body


def container(chunk_id: int, *children: bytes) -> bytes:
    body = b"".join(children)
    return encode_header(chunk_id, len(body), True) + body


def tree(old: bytes, new: bytes, stream: str = "x") -> list[tuple[str, str | None, str | None]]:
    a, b = ChunkData(old), ChunkData(new)
    found = compare_chunks(list(a.chunks()), list(b.chunks()), Side({}), Side({}), stream)
    return [(d.path, d.old, d.new) for d in found]


def test_leaf_by_path() -> None:
    old = leaf(1, b"a") + container(2, leaf(3, b"b"), leaf(3, b"c"))
    new = leaf(1, b"a") + container(2, leaf(3, b"b"), leaf(3, b"d"))
    assert tree(old, new) == [("0002/0003[1]", "hex:63", "hex:64")]


def test_inserted_chunk_does_not_shift_the_others() -> None:
    entries = [leaf(3, bytes([n])) for n in range(6)]
    old, new = container(2, *entries), container(2, *entries[:2], leaf(3, b"new"), *entries[2:])
    assert tree(old, new) == [("0002/0003[2]", None, "hex:6e6577")]
    assert tree(new, old) == [("0002/0003[2]", "hex:6e6577", None)]


def test_leaf_against_container() -> None:
    (found,) = tree(leaf(1, b"ab"), container(1, leaf(2, b"")))
    assert found == ("0001", "hex:6162", "(container, 6 bytes)")


def test_private_data_is_not_shown() -> None:
    old, new = (
        container(0x2130, container(0x110, leaf(0x300, text))) for text in (b"secret", b"hidden")
    )
    ((path, left, right),) = tree(old, new, "Config")
    assert path == "2130/0110/0300"
    assert left == right == "(6 bytes, private, not shown)"
    assert b"secret".hex() not in str((left, right))


def test_deep_trees_are_bounded() -> None:
    old, new = leaf(1, b"a"), leaf(1, b"b")
    for _ in range(3000):
        old, new = container(2, old), container(2, new)
    assert len(tree(old, new)) == 1


# --- numbers that stand for objects --------------------------------------------------------------


def header(owner: int, class_index: int, version: int = 1) -> bytes:
    record = BlockHeader(class_index=class_index, block_id=0, version=version, count=0, owner=owner)
    return leaf(0x0009, record.encode())


def meaning(names: dict[int, str], scene: Scene) -> Meaning:
    return lambda value: header_meaning(value, scene, names.__getitem__)


def test_owners_are_compared_by_what_they_are() -> None:
    old, new = sample().scene, build("a").scene
    boxes = [
        next(i for i, info in enumerate(scene.classes) if info and info.superclass == 1)
        for scene in (old, new)
    ]
    typed = {0: ("header", record_codec(BlockHeader))}
    sides = Side(typed, meaning({7: "x", 8: "y"}, old)), Side(typed, meaning({9: "x"}, new))

    def differences(a: bytes, b: bytes) -> list[LeafDifference]:
        left, right = ChunkData(a), ChunkData(b)
        return list(compare_chunks(list(left.chunks()), list(right.chunks()), *sides, "Scene"))

    assert not differences(header(7, boxes[0]), header(9, boxes[1]))
    (other,) = differences(header(8, boxes[0]), header(9, boxes[1]))
    assert (other.path, 'owner = "y"' in str(other.old)) == ("0009 (header)", True)
    assert len(differences(header(7, boxes[0]), header(9, boxes[1], version=2))) == 1
    # Another class under the same owner is a difference, too.
    assert len(differences(header(7, boxes[0] + 1), header(9, boxes[1]))) == 1


def test_attribute_links() -> None:
    def linked(*chunks: bytes) -> int | None:
        scene_file = sample()
        obj = scene_file.scene[0]
        obj.data.replace_all(b"".join(chunks))
        return attribute_container(obj)

    number = (5).to_bytes(4, "little")
    assert linked(container(0x21B0, leaf(0x1020, number))) == 5
    assert linked(leaf(1, b"")) is None
    assert linked(leaf(0x21B0, number)) is None
    assert linked(container(0x21B0, leaf(0x1020, b"123"))) is None
    assert linked(container(0x21B0, leaf(0x1020, number), leaf(0x1020, number))) is None


def test_a_rename_without_handles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Index, class and children are the same, so it is the same node."""
    monkeypatch.setattr("maxsidecar.scene.node_ids._handle", lambda node: None)

    def rename(scene_file: MaxFile) -> None:
        scene_file.nodes.find("house")[0].name = "villa"

    assert short(edited(rename)) == [("renamed", "name", '"house"', '"villa"')]
