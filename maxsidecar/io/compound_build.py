"""Compound files from nothing, and with streams added or removed.

The layout is fixed by the arguments alone: directory, mini FAT, mini stream, streams in the given
order, DIFAT, FAT.  The same arguments always give the same bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from maxsidecar.errors import EditError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_layout import (
    CUTOFF,
    DIFAT_IN_HEADER,
    DIFSECT,
    DIRENTRY,
    ENDOFCHAIN,
    ENTRY_SIZE,
    FATSECT,
    FREESECT,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    MINI_SECTOR,
    NOSTREAM,
    Buffer,
    ceil_div,
    escape_name,
    name_key,
    pack_words,
    unescape_name,
)

__all__ = ["NewEntry", "build", "rebuild"]

_NO_CLASS = bytes(16)
_SIZE_LIMIT = 0x7FFFF000  # version 3 ends at 2 GiB, and version 4 has its range lock there
_RED, _BLACK = 0, 1


@dataclass(slots=True)
class NewEntry:
    """A stream or storage to write.

    Attributes:
        path: Escaped path, as in :attr:`Entry.path <maxsidecar.io.compound.Entry.path>`.
        data: The stream's bytes; ``None`` makes a storage.
        clsid: Class id, 16 bytes as stored.
        state: User-defined state bits.
        created: FILETIME (100 ns units since 1601, UTC), 0 for unset; so also ``modified``.
    """

    path: str
    data: Buffer | None = None
    clsid: bytes = _NO_CLASS
    state: int = 0
    created: int = 0
    modified: int = 0


@dataclass(slots=True)
class _Node:
    name: str
    clsid: bytes
    state: int
    created: int
    modified: int
    kind: int
    data: Buffer = b""
    color: int = _BLACK
    left: int = NOSTREAM
    right: int = NOSTREAM
    child: int = NOSTREAM
    start: int = 0


def build(
    entries: Sequence[NewEntry],
    *,
    version: Literal[3, 4],
    root_clsid: bytes = _NO_CLASS,
    root_state: int = 0,
    root_created: int = 0,
    root_modified: int = 0,
) -> bytes:
    """Return a new compound file.

    Args:
        entries: Streams and storages in the order that the directory shall have.
        version: 3 (512-byte sectors) or 4 (4096-byte sectors).
        root_clsid: Class id of the root entry, 16 bytes.
        root_state: User-defined state bits of the root entry.
        root_created: FILETIME of the root entry.
        root_modified: FILETIME of the root entry.

    Raises:
        EditError: A name is too long or occurs twice, a storage is missing, a number does not
            fit, or the file would be larger than 2 GiB.
    """
    nodes = [_Node("Root Entry", root_clsid, root_state, root_created, root_modified, 5)]
    _link_tree(nodes, entries)
    size = 512 if version == 3 else 4096
    unit = size // 4
    body: list[Buffer] = []  # sectors as multiples of the sector size, in file order
    fat = array("I")

    def place(pieces: list[Buffer], length: int) -> int:
        """Append a chain of sectors; return its first sector."""
        if not length:
            return ENDOFCHAIN
        first, count = len(fat), ceil_div(length, size)
        if (first + count) * size > _SIZE_LIMIT:
            raise EditError("the file would be larger than 2 GiB")
        body.extend(pieces)
        body.append(bytes(count * size - length))
        fat.extend(range(first + 1, first + count))
        fat.append(ENDOFCHAIN)
        return first

    directory_sectors = ceil_div(len(nodes) * ENTRY_SIZE, size)
    place([bytes(directory_sectors * size)], directory_sectors * size)
    mini_fat, mini = _mini_stream(nodes)
    mini_count = ceil_div(len(mini_fat), unit)
    mini_fat.extend([FREESECT] * (mini_count * unit - len(mini_fat)))
    mini_start = place([pack_words(mini_fat)], mini_count * size)
    mini_size = sum(map(len, mini))
    nodes[0].start = place(mini, mini_size)
    for node in nodes[1:]:
        if node.kind == 2 and (len(node.data) >= CUTOFF or not len(node.data)):
            node.start = place([node.data], len(node.data))
    body[0] = _directory(nodes, mini_size, directory_sectors * size // ENTRY_SIZE)

    fat_count, difat_count = _table_sizes(len(fat), unit)
    difat_start = len(fat)
    fat_start = difat_start + difat_count
    fat.extend([DIFSECT] * difat_count + [FATSECT] * fat_count)
    fat.extend([FREESECT] * (fat_count * unit - len(fat)))
    listed = array("I", range(fat_start, fat_start + fat_count))
    for number in range(difat_count):
        begin = DIFAT_IN_HEADER + number * (unit - 1)
        block = listed[begin : begin + unit - 1]
        block.extend([FREESECT] * (unit - 1 - len(block)))
        block.append(difat_start + number + 1 if number + 1 < difat_count else ENDOFCHAIN)
        body.append(pack_words(block))
    body.append(pack_words(fat))

    head = listed[:DIFAT_IN_HEADER]
    head.extend([FREESECT] * (DIFAT_IN_HEADER - len(head)))
    header = HEADER.pack(
        MAGIC, _NO_CLASS, 0x3E, version, 0xFFFE, 9 if version == 3 else 12, 6, 0, 0,
        directory_sectors if version == 4 else 0, fat_count, 0, 0, CUTOFF,
        mini_start, mini_count, difat_start if difat_count else ENDOFCHAIN, difat_count,
    )  # fmt: skip
    return b"".join([header, pack_words(head), bytes(size - HEADER_SIZE), *body])


def rebuild(compound: CompoundFile, changes: Mapping[str, Buffer | None]) -> bytes:
    """Return a file with the same entries, streams replaced, added or removed (``None``).

    Class ids, times, state bits and the order of the directory are kept; the layout of the
    sectors is new.  New streams come last.

    Raises:
        EditError: A stream to remove does not exist, an entry's name is empty or occurs twice,
            or :func:`build` cannot write the result.
        CompoundFileError: A stream that is kept cannot be read.
    """
    entries, left = [], dict(changes)
    for old in compound.entries[1:]:
        if not old.path:
            continue
        if old.path.rpartition("/")[2] != escape_name(old.name):
            raise EditError(f"directory entry {old.sid} is damaged: {old.path!r}", compound.where)
        data: Buffer | None = None
        if old.kind == "stream":
            data = left.pop(old.path) if old.path in left else compound.read(old.path)
            if data is None:
                continue
        entries.append(NewEntry(old.path, data, old.clsid, old.state, old.created, old.modified))
    for path, data in left.items():
        if data is None:
            raise EditError(f"there is no stream {path!r} to remove", compound.where)
        entries.append(NewEntry(path, data))
    root = compound.root
    return build(
        entries,
        version=3 if compound.version == 3 else 4,
        root_clsid=root.clsid,
        root_state=root.state,
        root_created=root.created,
        root_modified=root.modified,
    )


def _link_tree(nodes: list[_Node], entries: Sequence[NewEntry]) -> None:
    """Append a node per entry and link each storage's children as a red-black tree."""
    children: dict[str, list[int]] = {"": []}
    owners = {"": 0}
    for sid, entry in enumerate(entries, 1):
        if entry.data is None:
            children[entry.path], owners[entry.path] = [], sid
    for sid, entry in enumerate(entries, 1):
        parent, _, component = entry.path.rpartition("/")
        name = unescape_name(component)
        if parent not in children:
            raise EditError(f"storage {parent!r} is missing, which {entry.path!r} needs")
        if not name or len(name.encode("utf-16-le", "surrogatepass")) > 62:
            raise EditError(f"the name {name!r} is not 1 to 31 UTF-16 units long")
        children[parent].append(sid)
        kind = 1 if entry.data is None else 2
        data = memoryview(entry.data).cast("B") if entry.data is not None else b""
        nodes.append(
            _Node(name, entry.clsid, entry.state, entry.created, entry.modified, kind, data)
        )
    for parent, sids in children.items():
        keys = {sid: name_key(nodes[sid].name) for sid in sids}
        sids.sort(key=keys.__getitem__)
        for before, after in pairwise(sids):
            if keys[before] == keys[after]:
                raise EditError(f"the name {nodes[after].name!r} occurs twice in {parent!r}")
        nodes[owners[parent]].child = _balance(nodes, sids)


def _balance(nodes: list[_Node], sids: list[int]) -> int:
    """Link sorted nodes as a balanced tree and return its root.

    Every path passes the same number of black nodes: all levels are full and black, but for the
    last, whose nodes are red where it is not full.
    """
    if not sids:
        return NOSTREAM
    last = len(sids).bit_length() - 1
    full = len(sids) + 1 == 1 << (last + 1)
    top = sids[len(sids) // 2]
    todo = [(0, len(sids), 0)]
    while todo:
        low, high, depth = todo.pop()
        middle = (low + high) // 2
        node = nodes[sids[middle]]
        node.color = _RED if depth == last and not full else _BLACK
        if low < middle:
            node.left = sids[(low + middle) // 2]
            todo.append((low, middle, depth + 1))
        if middle + 1 < high:
            node.right = sids[(middle + 1 + high) // 2]
            todo.append((middle + 1, high, depth + 1))
    return top


def _mini_stream(nodes: list[_Node]) -> tuple[array[int], list[Buffer]]:
    """Return the mini FAT and the pieces of the mini stream; sets the nodes' first sectors."""
    fat, pieces = array("I"), list[Buffer]()
    for node in nodes:
        if node.kind != 2 or not 0 < len(node.data) < CUTOFF:
            continue
        node.start, count = len(fat), ceil_div(len(node.data), MINI_SECTOR)
        fat.extend(range(node.start + 1, node.start + count))
        fat.append(ENDOFCHAIN)
        pieces += [node.data, bytes(count * MINI_SECTOR - len(node.data))]
    return fat, pieces


def _directory(nodes: list[_Node], mini_size: int, slots: int) -> bytes:
    out = []
    for sid, node in enumerate(nodes):
        name = node.name.encode("utf-16-le", "surrogatepass")
        for value, bits in ((node.state, 32), (node.created, 64), (node.modified, 64)):
            if not 0 <= value < 1 << bits:
                raise EditError(f"{value} does not fit the directory entry of {node.name!r}")
        if len(node.clsid) != 16:
            raise EditError(f"the class id of {node.name!r} is not 16 bytes long")
        size = len(node.data) if sid else mini_size
        out.append(
            DIRENTRY.pack(
                name,
                len(name) + 2,
                node.kind,
                node.color,
                node.left,
                node.right,
                node.child,
                node.clsid,
                node.state,
                node.created,
                node.modified,
                node.start,
                size,
            )
        )
    unused = DIRENTRY.pack(b"", 0, 0, 0, *[NOSTREAM] * 3, _NO_CLASS, 0, 0, 0, 0, 0)
    return b"".join(out) + unused * (slots - len(nodes))


def _table_sizes(sectors: int, unit: int) -> tuple[int, int]:
    """Return how many FAT and DIFAT sectors a file with ``sectors`` other sectors needs."""
    fat = difat = 0
    while True:
        need = ceil_div(sectors + fat + difat, unit)
        more = ceil_div(max(0, need - DIFAT_IN_HEADER), unit - 1)
        if (need, more) == (fat, difat):
            return fat, difat
        fat, difat = need, more
