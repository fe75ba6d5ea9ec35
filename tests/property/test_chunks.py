"""Random chunk trees and random edits, against a model of nested lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import pack
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.errors import ChunkError, EditError
from maxsidecar.io.chunks import NARROW, OPEN_NARROW, OPEN_WIDE, WIDE, Chunk, ChunkData, scan
from maxsidecar.io.headers import scan_sound
from maxsidecar.io.index import ChunkIndex
from maxsidecar.scene.directories import ClassDirectory, DllDirectory
from maxsidecar.scene.scene import Scene


@dataclass
class Tree:
    """A chunk as plain data: ``children`` is ``None`` for a leaf."""

    id: int
    form: int
    payload: bytes = b""
    children: list[Tree] | None = None
    key: object = field(default_factory=object, compare=False)

    def encode(self) -> bytes:
        container = self.children is not None
        body = encode_all(self.children) if self.children is not None else self.payload
        if self.form == NARROW:
            return pack("<HI", self.id, (len(body) + 6) | (0x80000000 if container else 0)) + body
        if self.form == WIDE:
            size = (len(body) + 14) | ((1 << 63) if container else 0)
            return pack("<HIQ", self.id, 0, size) + body
        if self.form == OPEN_NARROW:
            return pack("<HI", self.id, 0xFFFFFFFF) + body
        return pack("<HIQ", self.id, 1, 2**64 - 1) + body

    def copy(self) -> Tree:
        children = None if self.children is None else [child.copy() for child in self.children]
        return Tree(self.id, self.form, self.payload, children)


def encode_all(trees: list[Tree]) -> bytes:
    return b"".join(tree.encode() for tree in trees)


# Few ids and sizes, so that equal chunks stand side by side.
IDS: Final = st.sampled_from([0, 1, 0x2034, 0xFFFF])
FORMS: Final = st.sampled_from([NARROW, WIDE])
LEAVES = st.builds(Tree, IDS, FORMS, st.binary(max_size=12))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda chunk_id, form, children: Tree(chunk_id, form, b"", children),
        IDS,
        FORMS,
        st.lists(inner, max_size=4),
    ),
    max_leaves=14,
)
RUNS = st.lists(TREES, max_size=4)


@st.composite
def streams(draw: st.DrawFn) -> list[Tree]:
    run = draw(RUNS)
    if draw(st.booleans()):
        return [Tree(0x2029, draw(st.sampled_from([OPEN_NARROW, OPEN_WIDE])), b"", run)]
    return run


def flat(trees: list[Tree], depth: int = 0) -> list[tuple[int, int, int, bool]]:
    out = []
    for tree in trees:
        out.append((depth, tree.id, tree.form, tree.children is not None))
        out += flat(tree.children or [], depth + 1)
    return out


@given(streams())
def test_a_stream_is_rebuilt_from_its_index(trees: list[Tree]) -> None:
    data = encode_all(trees)
    index = ChunkIndex(data)
    assert index.rebuild() == data
    listed = [(depth, i, flags >> 1, bool(flags & 1)) for depth, i, _, _, _, flags in index.walk()]
    assert listed == flat(trees)


@given(streams())
def test_views_walk_the_same_tree(trees: list[Tree]) -> None:
    data = ChunkData(encode_all(trees), 1000, root=True)
    index = ChunkIndex(data.data)
    todo = list(zip(data.chunks(), trees, strict=True))
    while todo:
        chunk, tree = todo.pop()
        assert bytes(chunk.raw) == tree.encode()
        assert (chunk.where.offset or 0) == 1000 + chunk.start
        assert index.path_at(chunk.start) == chunk.path
        assert index.path_at(chunk.end - 1) is not None
        if tree.children is not None:
            todo += zip(chunk.chunks(), tree.children, strict=True)
        else:
            assert bytes(chunk.data) == tree.payload


# --- edits -----------------------------------------------------------------------------------


def places(trees: list[Tree], trail: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    out = []
    for position, tree in enumerate(trees):
        out.append((*trail, position))
        out += places(tree.children or [], (*trail, position))
    return out


def containers(trees: list[Tree], trail: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    out = [trail]
    for position, tree in enumerate(trees):
        if tree.children is not None:
            out += containers(tree.children, (*trail, position))
    return out


def level(trees: list[Tree], trail: tuple[int, ...]) -> list[Tree]:
    for position in trail:
        children = trees[position].children
        assert children is not None
        trees = children
    return trees


def view(data: ChunkData, trail: tuple[int, ...]) -> Chunk | None:
    chunk: Chunk | None = None
    for position in trail:
        chunk = list(data.chunks() if chunk is None else chunk.chunks())[position]
    return chunk


def edit(choices: st.DataObject, trees: list[Tree], data: ChunkData) -> None:
    """Do one random edit on both; the model says what the bytes must be."""
    draw = choices.draw
    spots_of_chunks = places(trees)
    kind = draw(st.sampled_from(["insert", "remove", "replace"]))
    if kind == "insert" or not spots_of_chunks:
        spots = containers(trees)
        if trees and trees[0].form in (OPEN_NARROW, OPEN_WIDE):
            spots = spots[1:]
        trail = draw(st.sampled_from(spots))
        siblings = level(trees, trail)
        position = draw(st.integers(0, len(siblings)))
        new = draw(TREES).copy()
        new.form = form_for(trees, trail, position)
        body = encode_all(new.children) if new.children is not None else new.payload
        data.insert(view(data, trail), position, new.id, body, container=new.children is not None)
        siblings.insert(position, new)
        return
    trail = draw(st.sampled_from(spots_of_chunks))
    chunk = view(data, trail)
    assert chunk is not None
    siblings = level(trees, trail[:-1])
    tree = siblings[trail[-1]]
    if kind == "remove":
        chunk.remove()
        del siblings[trail[-1]]
    elif tree.children is not None:
        run = [new.copy() for new in draw(RUNS)]
        same = encode_all(run) == encode_all(tree.children)
        chunk.replace(encode_all(run))
        if not same:
            tree.children = run
    else:
        tree.payload = draw(st.binary(max_size=30))
        chunk.replace(tree.payload)


def form_for(trees: list[Tree], trail: tuple[int, ...], position: int) -> int:
    """The sibling behind, else the one in front, else the container, else the narrow form."""
    siblings = level(trees, trail)
    if siblings:
        return siblings[position if position < len(siblings) else position - 1].form
    if not trail:
        return NARROW
    form = level(trees, trail[:-1])[trail[-1]].form
    return form if form in (NARROW, WIDE) else NARROW


@given(st.data())
def test_edits_agree_with_the_model(choices: st.DataObject) -> None:
    trees = [tree.copy() for tree in choices.draw(streams())]
    data = ChunkData(encode_all(trees), root=True)
    for _ in range(choices.draw(st.integers(1, 8))):
        edit(choices, trees, data)
        assert data.data == encode_all(trees)
        assert ChunkIndex(data.data).rebuild() == data.data


@given(st.data())
def test_views_follow_their_chunk_or_are_refused(choices: st.DataObject) -> None:
    trees = [tree.copy() for tree in choices.draw(streams())]
    data = ChunkData(encode_all(trees), root=True)
    held = [(view(data, trail), level(trees, trail[:-1])[trail[-1]]) for trail in places(trees)]
    for _ in range(choices.draw(st.integers(1, 6))):
        edit(choices, trees, data)
    now = {id(level(trees, t[:-1])[t[-1]].key): t for t in places(trees)}
    for chunk, tree in held:
        assert chunk is not None
        trail = now.get(id(tree.key))
        try:
            fresh = data.refresh(chunk)
        except EditError:
            assert trail is None
        else:
            assert fresh.trail == trail
            assert bytes(fresh.raw) == tree.encode()


@given(st.data())
def test_an_edit_and_its_reversal_leave_the_bytes(choices: st.DataObject) -> None:
    trees = choices.draw(streams())
    original = encode_all(trees)
    data = ChunkData(original, root=True)
    spots = containers(trees)
    if trees and trees[0].form in (OPEN_NARROW, OPEN_WIDE):
        spots = spots[1:]
    trail = choices.draw(st.sampled_from(spots))
    position = choices.draw(st.integers(0, len(level(trees, trail))))
    data.insert(view(data, trail), position, 7, b"new")
    new = view(data, (*trail, position))
    assert new is not None
    assert bytes(new.data) == b"new"
    new.remove()
    assert data.data == original
    leaves = [t for t in places(trees) if level(trees, t[:-1])[t[-1]].children is None]
    if leaves:
        spot = choices.draw(st.sampled_from(leaves))
        leaf = view(data, spot)
        assert leaf is not None
        old = bytes(leaf.data)
        leaf.replace(old + b"longer")
        again = view(data, spot)
        assert again is not None
        again.replace(old)
    assert data.data == original
    assert not data.edited


# --- any bytes at all ----------------------------------------------------------------------------

#: Bytes that look like headers more often than chance would have it.
HOSTILE = st.lists(
    st.one_of(
        st.binary(max_size=8),
        st.builds(
            lambda i, size: pack("<HI", i, size),
            st.sampled_from([1, 0x2029, 0x2150, 0x2040, 0x2038, 0x0110]),
            st.one_of(
                st.integers(0, 40),
                st.integers(0x80000000, 0x80000040),
                st.sampled_from([0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE]),
            ),
        ),
        st.builds(
            lambda size: pack("<Q", size), st.sampled_from([0, 14, 20, 2**63 + 20, 2**64 - 1])
        ),
    ),
    max_size=14,
).map(b"".join)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(encode_all(draw(streams())))
    for _ in range(draw(st.integers(0, 3))):
        if data:
            data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


ANY = st.one_of(st.binary(max_size=60), HOSTILE, damaged())


@given(ANY, st.booleans())
def test_scan_gives_a_tiling_or_our_error(data: bytes, root: bool) -> None:
    spans, error = scan_sound(data, 0, len(data), root=root)
    pos = 0
    for _, start, body, end, _, _ in spans:
        assert start == pos
        assert start < body <= end
        pos = end
    assert pos == (len(data) if error is None else error.where.offset)
    if error is None:
        assert scan(data, 0, len(data), root=root) == spans


@given(ANY)
def test_an_index_of_any_bytes_rebuilds_them_or_gives_our_error(data: bytes) -> None:
    for strict in (True, False):
        try:
            index = ChunkIndex(data, strict=strict)
        except ChunkError:
            continue
        assert index.rebuild() == data
        for problem in index.problems:
            assert problem.where.offset is not None
            inner = index.path_at(problem.where.offset)
            assert inner == problem.where.path


@given(ANY)
@settings(max_examples=200)
def test_any_bytes_as_a_scene_or_a_directory_give_only_our_errors(data: bytes) -> None:
    for cls in (ClassDirectory, DllDirectory):
        try:
            directory = cls(ChunkData(data, root=True))
            if isinstance(directory, ClassDirectory):
                directory.infos()
            list(directory.typed_leaves())
        except ChunkError:
            pass
    try:
        scene = Scene(data, [], [])
    except ChunkError:
        return
    list(scene.appdata())
    assert [obj.index for obj in scene] == list(range(len(scene)))
    assert scene.encode() == data
