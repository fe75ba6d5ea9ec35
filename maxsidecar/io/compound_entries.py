"""Directory entries of a compound file, and the walk over their tree."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from maxsidecar.errors import LimitError, Where
from maxsidecar.io.compound_layout import (
    DIRENTRY,
    ENTRY_SIZE,
    NOSTREAM,
    escape_name,
    upper_name,
)

__all__ = ["Entry", "Kind", "parse_entries", "walk_tree"]

Kind: TypeAlias = Literal["root", "storage", "stream", "unused"]

_KINDS: Final[dict[int, Kind]] = {0: "unused", 1: "storage", 2: "stream", 5: "root"}
_MAX_ENTRIES: Final = 1 << 16
_MAX_DEPTH: Final = 64


class Entry:
    """One 128-byte directory entry.

    Attributes:
        sid: Position in the directory.
        name: Name as stored; a damaged name may hold lone surrogates.
        path: Names from the root, escaped (:func:`escape_name`) and joined by ``/``; ``""`` for
            the root and for entries that the tree does not reach.
        kind: ``root``, ``storage``, ``stream`` or ``unused``.
        color: 0 red, 1 black.
        left: Left sibling's sid, ``0xFFFFFFFF`` for none; so also ``right`` and ``child``.
        clsid: Class id, the 16 bytes as stored.
        state: User-defined state bits.
        created: FILETIME (100 ns units since 1601, UTC), 0 when unset; so also ``modified``.
        start: First sector, in the mini stream for small streams.
        size: Bytes of the stream.
        raw: The 128 bytes.
    """

    __slots__ = (
        "child",
        "clsid",
        "color",
        "created",
        "kind",
        "left",
        "modified",
        "name",
        "path",
        "raw",
        "right",
        "sid",
        "size",
        "start",
        "state",
    )

    def __init__(self, sid: int, raw: bytes, version: int) -> None:
        """Take the entry apart; never fails on 128 bytes."""
        (
            name,
            length,
            kind,
            self.color,
            self.left,
            self.right,
            self.child,
            self.clsid,
            self.state,
            self.created,
            self.modified,
            self.start,
            size,
        ) = DIRENTRY.unpack(raw)
        self.sid: int = sid
        self.raw: bytes = raw
        # Files of 1997 leave garbage in the upper half of the size, which version 3 does not use.
        self.size: int = size & 0xFFFFFFFF if version == 3 else size
        self.kind: Kind = _KINDS.get(kind, "unused")
        self.name: str = name[: max(0, min(length, 64) - 2) & ~1].decode(
            "utf-16-le", "surrogatepass"
        )
        self.path: str = ""

    def __repr__(self) -> str:
        return f"<Entry {self.sid} {self.kind} {self.path or self.name!r} {self.size} bytes>"


def parse_entries(directory: bytes, version: int, where: Where, defects: list[str]) -> list[Entry]:
    """Return every entry of the directory stream in stored order.

    Raises:
        LimitError: There are more than 65,536 entries.
    """
    count = len(directory) // ENTRY_SIZE
    if count > _MAX_ENTRIES:
        raise LimitError(
            "the directory is too long", where, expected=f"at most {_MAX_ENTRIES}", found=count
        )
    entries = []
    for sid in range(count):
        raw = directory[sid * ENTRY_SIZE : (sid + 1) * ENTRY_SIZE]
        entry = Entry(sid, raw, version)
        entries.append(entry)
        if raw[66] not in _KINDS:
            defects.append(f"directory entry {sid} has the unknown type {raw[66]}")
        elif raw[66] and int.from_bytes(raw[64:66], "little") > 64:
            defects.append(f"the name of directory entry {sid} is too long")
    return entries


def walk_tree(entries: list[Entry], where: Where, defects: list[str]) -> None:
    """Give every entry that the root reaches its path.

    Links that lead nowhere, to an entry that was already met, or to an unused entry are left out
    and recorded in ``defects``, as are empty names and names that occur twice in a storage (the
    later one gets the path ``name%#sid``).

    Raises:
        LimitError: Storages are nested more than 64 deep.
    """
    met = bytearray(len(entries))
    met[0] = 1
    stack = [(entries[0].child, "", 0)]
    taken: set[tuple[str, str]] = set()
    while stack:
        sid, parent, depth = stack.pop()
        if sid == NOSTREAM:
            continue
        if sid >= len(entries) or met[sid] or entries[sid].kind not in ("storage", "stream"):
            defects.append(f"a directory link leads to entry {sid}, which cannot be used there")
            continue
        met[sid] = 1
        entry = entries[sid]
        entry.path = parent + escape_name(entry.name)
        key = (parent, upper_name(entry.name))
        if key in taken or not entry.name:
            problem = "occurs twice in its storage" if entry.name else "is empty"
            defects.append(f"the name of directory entry {sid} {problem}")
            entry.path += f"%#{sid}"
        taken.add(key)
        stack += [(entry.left, parent, depth), (entry.right, parent, depth)]
        if entry.kind == "storage":
            if depth == _MAX_DEPTH:
                raise LimitError("storages are nested too deep", where, expected=_MAX_DEPTH)
            stack.append((entry.child, entry.path + "/", depth + 1))
    for entry in entries[1:]:
        if not met[entry.sid] and entry.kind != "unused":
            defects.append(f"directory entry {entry.sid} cannot be reached from the root")
