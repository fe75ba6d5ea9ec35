"""Copy, delete and move nodes of real scenes; every link of every other object stays what it was.

Links are read here on their own, straight from the bytes of the saved file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from struct import pack, unpack_from

import pytest

from maxsidecar.errors import EditError
from maxsidecar.io.headers import Buffer, scan
from maxsidecar.scene import restructure
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.graph import subtree
from maxsidecar.scene.roundtrip import check_bytes
from maxsidecar.scene.scene import Scene

#: What kind of link, and where it leads to.
Links = list[tuple[str, int]]


#: Classes by half A of the id and superclass, where links of theirs are read.
NODE, BLOCK, STACK, CURVE, SKIN = "node", "block", "stack", "curve", "skin"
KINDS = {
    (ClassId(0x82), 0x82): BLOCK,
    (ClassId(0x14585773, 0x483A7DCF), 0x100): CURVE,
    (ClassId(0x95C723, 0x15666), 0x810): SKIN,
}
LIGHT = 0x30
#: Size of what stands in front of the values of a parameter, by chunk id.
RECORD_HEADS = {0x000A: 10, 0x000E: 14, 0x100E: 14, 0x200E: 18}
#: Types of references: material, map, node, any, parameter block; and the bit of tables.
REFERENCE_TYPES, TABLE = (14, 15, 17, 18, 21), 0x800


def kind_of(scene: Scene, index: int) -> str:
    chunk_id, info = scene.chunk_id(index), scene[index].info
    if chunk_id in (0x2032, 0x2033):
        return STACK
    if info is None:
        return ""
    return NODE if info.superclass == 1 else KINDS.get((info.class_id, info.superclass), "")


def read_links(scene: Scene) -> list[Links]:
    """Return the links of each object, whatever says where they lead to."""
    out: list[Links] = []
    kinds = [kind_of(scene, index) for index in range(len(scene))]
    for index, kind in enumerate(kinds):
        _, _, body, end, container, _ = scene.span(index)
        links = list(links_of(scene.data, body, end, kind)) if container else []
        if kind == STACK:
            links += skinned_nodes(scene.data, body, end, dict(links), kinds)
        out.append(links)
    return out


def links_of(data: Buffer, body: int, end: int, kind: str) -> Iterator[tuple[str, int]]:
    for chunk_id, _, start, stop, container, _ in scan(data, body, end):
        size = stop - start
        found: list[tuple[str, int]] = []
        if chunk_id == 0x2034:
            numbers = unpack_from(f"<{size // 4}i", data, start)
            found = [(f"slot {slot}", number) for slot, number in enumerate(numbers)]
        elif chunk_id == 0x2035:
            pairs = unpack_from(f"<{size // 4 - 1}i", data, start + 4)
            found = [(f"slot {slot}", to) for slot, to in zip(pairs[::2], pairs[1::2], strict=True)]
        elif chunk_id == 0x0960 and kind == NODE:
            found = [("parent", unpack_from("<i", data, start)[0])]
        elif chunk_id in (0x0009, 0x000B) and kind == BLOCK and not container:
            found = [("owner", unpack_from("<i", data, stop - 4)[0])]
        elif chunk_id in RECORD_HEADS and kind == BLOCK:
            found = list(held_by_owner(data, start, RECORD_HEADS[chunk_id]))
        elif chunk_id == 0x21B0:
            found = [("attributes", unpack_from("<I", data, stop - 4)[0])]
        elif chunk_id == 0x4000 and container:
            inner = [span for span in scan(data, start, stop) if span[0] == 0x4010]
            found = [("shown map", unpack_from("<I", data, span[2])[0]) for span in inner]
        elif chunk_id == 0x044C and kind == CURVE:
            found = [("map of the curve", unpack_from("<I", data, start)[0])]
        yield from (link for link in found if link[1] >= 0)


def held_by_owner(data: Buffer, start: int, head: int) -> Iterator[tuple[str, int]]:
    """Yield the links of a parameter whose flags say that the owner holds what it names."""
    number, code, flags = unpack_from("<HII", data, start)
    if code & ~TABLE not in REFERENCE_TYPES or not flags & 0x100:
        return
    at, count = start + head, 1
    if code & TABLE:
        (count,) = unpack_from("<I", data, at + 1)
        at += 5
    for element in range(count):
        constant = data[at] & 0x40
        at += 1
        if constant:
            yield f"parameter {number} value {element}", unpack_from("<i", data, at)[0]
            at += 4


def skinned_nodes(
    data: Buffer, body: int, end: int, links: dict[str, int], kinds: list[str]
) -> Iterator[tuple[str, int]]:
    """Yield the node in each context of a stack that belongs to a Skin."""
    contexts = [span for span in scan(data, body, end) if span[0] == 0x2500]
    for slot, context in enumerate(contexts):
        if kinds[links[f"slot {slot}"]] != SKIN:
            continue
        for outer in scan(data, context[2], context[3]):
            if outer[0] != 0x2512:
                continue
            for leaf in scan(data, outer[2], outer[3]):
                if leaf[0] == 0x0510:
                    yield "skinned node", unpack_from("<i", data, leaf[2])[0]


def config_links(file: MaxFile) -> Links:
    """Return the objects that viewports and Track Views of the session name."""
    out: Links = []
    stream = file.streams.get("Config")
    if stream is not None:
        data = stream.data
        top: tuple[int, ...] = ()
        stack = [(top, span) for span in scan(data, 0, len(data), root=True)]
        while stack:
            path, (chunk_id, _, start, stop, container, _) = stack.pop(0)
            path = (*path, chunk_id)
            if container and (0x2080 in path or 0x20A0 in path or len(path) < 3):
                stack += [(path, span) for span in scan(data, start, stop)]
            elif 0x2080 in path and chunk_id in range(0x2810, 0x2914) and stop - start == 80:
                if unpack_from("<i", data, start + 4)[0] == 8:
                    out.append(("camera", unpack_from("<i", data, start + 76)[0]))
            elif 0x20A0 in path and chunk_id in (0x0340, 0x0360) and stop - start == 12:
                numbers = unpack_from("<2i", data, start)[: 2 if chunk_id == 0x0340 else 1]
                out += [("row", number) for number in numbers if number >= 0]
    return out


def pick(scene: Scene) -> Node | None:
    """Return a node in the middle of the scene; not of a biped, which names all of its nodes."""
    nodes = [n for n in scene.nodes.values() if n.parent_link is not None]
    for node in nodes[len(nodes) // 2 :] + nodes:
        branch = [scene.nodes[i] for i in subtree(scene, [node])]
        if not any(n.controller and n.controller.class_name.startswith("BipSlave") for n in branch):
            return node
    return None


def refusal(change: Callable[[], object]) -> str:
    """Make a change; returns why it was refused, or nothing."""
    try:
        change()
    except EditError as error:
        return error.message
    return ""


def assert_only_emptied(old: bytes, new: bytes, lost: list[int]) -> None:
    """Check that bytes differ only where the number of a lost object became -1."""
    if old == new:
        return
    numbers = {pack("<i", index) for index in lost}
    assert len(old) == len(new)
    emptied: set[int] = set()
    for at in range(len(old) - 3):
        if old[at : at + 4] in numbers and new[at : at + 4] == b"\xff\xff\xff\xff":
            emptied.update(range(at, at + 4))
    assert {at for at in range(len(old)) if old[at] != new[at]} <= emptied


def left_out(body: bytes) -> tuple[int, list[int]]:
    """Return count and handles of the list of nodes that a light leaves out."""
    for outer in scan(body, 0, len(body)):
        if outer[0] == 0x2800:
            leaves = {leaf[0]: body[leaf[2] : leaf[3]] for leaf in scan(body, outer[2], outer[3])}
            handles = unpack_from(f"<{len(leaves[0x03EA]) // 4}I", leaves[0x03EA])
            return unpack_from("<I", leaves[0x03E9])[0], list(handles)
    return 0, []


def assert_links(
    file: MaxFile, objects: list[SceneObject], links: list[Links], session: Links
) -> Scene:
    """Save, open, and compare the links of all objects that are still there."""
    saved = MaxFile(file.to_bytes(), file.path)
    again = saved.scene
    now = read_links(again)
    there = [
        file.scene[obj.index] is obj if obj.index < len(file.scene) else False for obj in objects
    ]
    for old, obj in enumerate(objects):
        if there[old]:
            expected = [(what, objects[to].index) for what, to in links[old] if there[to]]
            assert now[obj.index] == expected, obj
    expected = [(what, objects[to].index) for what, to in session if there[to]]
    assert config_links(saved) == expected
    return again


def test_some_copies_and_deletions_keep_every_other_link(corpus_files: tuple[Path, ...]) -> None:
    assert sum(copy_and_delete(path) for path in corpus_files[::8]) > len(corpus_files) // 10


@pytest.mark.slow
def test_a_copy_and_a_deletion_keep_every_other_link(max_file: Path) -> None:
    if not copy_and_delete(max_file):
        pytest.skip("the scene has no such node")


def copy_and_delete(path: Path) -> bool:
    """Copy a node, delete it and close the gaps; returns ``False`` when there is none."""
    file = MaxFile(path.read_bytes(), path)
    scene = file.scene
    node = pick(scene)
    if node is None:
        return False
    objects, links, session = list(scene), read_links(scene), config_links(file)
    bodies = [bytes(obj.data.data) for obj in objects]
    classes = list(scene.classes)
    name, data = node.name, node.appdata
    entries = list(data)
    copies: list[Node] = []
    reason = refusal(lambda: copies.append(restructure.clone_node(node)))
    assert not reason or "links are not understood" in reason
    copy = copies[0] if copies else restructure.clone_node(node, force=True)
    assert (copy.name, list(copy.appdata)) == (name, entries)
    again = assert_links(file, objects, links, session)
    # Nothing but the Scene object was renumbered, and only what names that was written.
    last = len(objects) - 1
    for obj, body in zip(objects[:last], bodies, strict=False):
        if bytes(obj.data.data) != body:
            assert obj.find(0x1030) is not None
    assert [again[copy.index].references.keys()] == [node.references.keys()]

    handles = {scene.nodes[i].handle for i in subtree(scene, [node])}
    reason = refusal(lambda: scene.delete([node]))
    assert not reason or "may stand in places" in reason or "force takes them out" in reason
    if reason:
        scene.delete([node], force=True)
    gone = len(restructure.gaps(scene))
    assert gone > 0
    assert_links(file, objects, links, session)
    assert [old for old in range(last) if scene[old] is not objects[old]] == restructure.gaps(scene)
    lost = [old for old in range(last) if scene[old] is not objects[old]]
    for old, obj in enumerate(objects[:last]):
        if scene[old] is obj and obj.find(0x1030) is None and obj.find(0x2035) is None:
            if obj.superclass == LIGHT and left_out(bodies[old]) != (0, []):
                kept = [handle for handle in left_out(bodies[old])[1] if handle not in handles]
                assert left_out(bytes(obj.data.data)) == (len(kept), kept)
                continue
            assert_only_emptied(bodies[old], bytes(obj.data.data), lost)
    reason = refusal(lambda: restructure.close_gaps(scene))
    assert not reason or "may stand in places" in reason
    if reason:
        restructure.close_gaps(scene, force=True)
    again = assert_links(file, objects, links, session)
    assert (again.node(copy.index).name, list(again[copy.index].appdata)) == (name, entries)
    assert list(scene.classes) in (classes, [*classes, scene.classes[-1]])
    return True


@pytest.mark.slow
def test_a_branch_moves_behind_its_new_parent(max_file: Path) -> None:
    file = MaxFile(max_file.read_bytes(), max_file)
    scene = file.scene
    nodes = [n for n in scene.nodes.values() if n.parent_link is not None]
    pair = next(
        ((a, b) for a in nodes for b in nodes[-1:] if b.index not in subtree(scene, [a])), None
    )
    if pair is None:
        pytest.skip("the scene has no two nodes of which one is not below the other")
    node, parent = pair
    objects, links, session = list(scene), read_links(scene), config_links(file)
    branch = [objects[i] for i in sorted(subtree(scene, [node]))]
    restructure.reparent(node, parent, force=True)
    links[objects.index(node)] = [
        ("parent", objects.index(parent)) if what == "parent" else (what, to)
        for what, to in links[objects.index(node)]
    ]
    again = assert_links(file, objects, links, session)
    assert [obj.index for obj in branch] == list(
        range(len(again) - 1 - len(branch), len(again) - 1)
    )
    for found in again.nodes.values():
        link = found.parent_link
        assert link is None or link.parent < found.index


@pytest.mark.slow
def test_a_node_that_is_deleted_and_copied_back_passes_the_check(max_file: Path) -> None:
    file = MaxFile(max_file.read_bytes(), max_file)
    node = pick(file.scene)
    if node is None:
        pytest.skip("the scene has no such node")
    restructure.clone_node(node, force=True)
    node.delete(force=True)
    assert check_bytes(file.to_bytes(), max_file).problems == []
    restructure.close_gaps(file.scene, force=True)
    assert check_bytes(file.to_bytes(), max_file).problems == []
