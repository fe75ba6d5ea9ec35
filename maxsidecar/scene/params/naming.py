"""What the parameters of a block are called.

Three sources, in this order: scripts whose declarations the file keeps (:mod:`.scripted`), the
table of classes that are known (:mod:`.names`), and aliases in the block itself.  A parameter that
none of them names has no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.params.block1 import ParamBlock
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.params.names import BlockNames, names_of_block, names_of_old_block
from maxsidecar.scene.params.scripted import scripted_names

if TYPE_CHECKING:
    from maxsidecar.scene.params.block import BlockState, ParamBlockBase

__all__ = ["block_names", "declared_names", "value_names"]


def declared_names(block: ParamBlockBase) -> BlockNames | None:
    """Return what the table of known classes says about a block; ``None`` if types differ.

    Raises:
        DecodeError: The block does not say whose it is.
    """
    count = len(block.state.entries)
    if isinstance(block, ParamBlock):
        found = block.owner_slot
        info = found[0].info if found is not None else None
        if found is None or info is None:
            return None
        names = names_of_old_block(info.class_id, info.superclass, found[1], count)
    else:
        key, block_id = block.owner_class, block.block_id
        if key is None or block_id is None:
            return None
        names = names_of_block(*key, block_id, count)
    return names if names is not None and names.fits(_types(block.state)) else None


def _types(state: BlockState) -> Iterator[tuple[int, int]]:
    """Yield id and type code of the parameters that can be read."""
    for entry in state.entries:
        record = entry.record
        if record is not None:
            yield record.id, record.type


def block_names(block: ParamBlockBase, state: BlockState) -> dict[int, str]:
    """Return the names of a block's parameters by id; only for ids that it has."""
    try:
        names = _block_names(block)
    except MaxSidecarError:
        # Names only help to find parameters, which can still be found by id; whatever is
        # damaged is reported where it is read for its own sake.
        return {}
    return {param_id: names[param_id] for param_id in state.by_id if param_id in names}


def _block_names(block: ParamBlockBase) -> dict[int, str]:
    declared = declared_names(block)
    names = dict(declared.names) if declared is not None else {}
    if not isinstance(block, ParamBlock2):
        return names
    key = block.owner_class
    if key is not None:
        names |= scripted_names(block.scene, *key, block.block_id)
    taken = set(names.values())
    for alias in block.aliases:
        if alias.position < 0 and isinstance(alias.name, str) and alias.name not in taken:
            names.setdefault(alias.parameter, alias.name)
    return names


def value_names(block: ParamBlockBase, param_id: int | None) -> dict[int, str]:
    """Return the names that a block's aliases give to the values of a table, by position.

    Raises:
        DecodeError: The aliases cannot be read.
    """
    if not isinstance(block, ParamBlock2):
        return {}
    return {
        alias.position: alias.name
        for alias in reversed(block.aliases)
        if alias.parameter == param_id and alias.position >= 0 and isinstance(alias.name, str)
    }
