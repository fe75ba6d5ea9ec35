"""What differs between the parameters of two blocks, by name and value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from maxsidecar.scene.params.block import Entry, ParamBlockBase
from maxsidecar.scene.params.records import CONSTANT, ParamRecord
from maxsidecar.scene.params.types import TAB, Kind
from maxsidecar.sidecar.text_values import show

__all__ = ["ParameterDifference", "compare_parameters"]

#: Name, old and new value as text, and the children of the two blocks that hold them.
ParameterDifference = tuple[str, str, str, int, int]

#: Shown in place of a value that a controller gives.
_CONTROLLED = "(a controller)"
#: What a number means in these depends on the scene, so they are compared elsewhere.
_ELSEWHERE = (Kind.REFERENCE, Kind.VOID, Kind.BITMAP)


def compare_parameters(a: ParamBlockBase, b: ParamBlockBase) -> Iterator[ParameterDifference]:
    """Yield the parameters that differ in nothing but their value.

    Args:
        a: The block as it was.
        b: The same block as it is.

    Raises:
        ChunkError: A block is damaged.
    """
    names = a.names
    theirs = _by_id(b)
    for param_id, old in _by_id(a).items():
        new = theirs.get(param_id)
        if new is None or old.record is None or new.record is None:
            continue
        left, right = old.record, new.record
        same = left.elements == right.elements and left.tab_flag == right.tab_flag
        if same or left.kind.kind in _ELSEWHERE:
            continue
        if replace(left, elements=right.elements) != right:
            continue
        name = names.get(param_id, f"#{param_id}")
        yield name, _shown(left), _shown(right), old.position, new.position


def _by_id(block: ParamBlockBase) -> dict[int, Entry]:
    """Return the first record with each id."""
    found: dict[int, Entry] = {}
    for entry in block.state.entries:
        if entry.record is not None:
            found.setdefault(entry.record.id, entry)
    return found


def _shown(record: ParamRecord) -> str:
    values = [show(value) if flag & CONSTANT else _CONTROLLED for flag, value in record.elements]
    return f"[{', '.join(values)}]" if record.type & TAB else ", ".join(values)
