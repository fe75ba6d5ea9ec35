"""Storage indices that objects hold outside reference lists, for comparing what they lead to.

An index says nothing by itself: it changes whenever objects are renumbered.  So two scenes are
compared by their bytes with every known index taken out, and by the objects behind the indices.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.chunks import Buffer, Chunk, ChunkData
from maxsidecar.scene.config import Config
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.config_places import rewrite_config
from maxsidecar.scene.restructure.places import IndexPlace, LeafIndices, ReferenceLists, places_of

__all__ = ["Indices", "config_indices", "linked", "object_indices"]

#: Parameter blocks: what they name, their owner refers to as well.
_BLOCK2: Final = 0x82
#: Stands for every index.
_ANY: Final = 0


class Indices(NamedTuple):
    """What a run of chunks holds.

    Attributes:
        held: Storage indices by the place where they are, in stored order.
        data: The bytes with one number in place of every index; everything else is where it was.
    """

    held: dict[str, list[int]]
    data: Buffer

    def content(self, chunk: Chunk) -> memoryview:
        """Return the body of a chunk without the indices in it."""
        return memoryview(self.data)[chunk.body : chunk.end]


def _copy(data: ChunkData) -> ChunkData:
    return ChunkData(data.data, data.base, data.where, root=data.root, form=data.form)


def _name(place: IndexPlace) -> str:
    if isinstance(place, LeafIndices):
        return "/".join(f"{chunk_id:04x}" for chunk_id in place.path)
    return "parameters" if not isinstance(place, ReferenceLists) else "references"


def object_indices(obj: SceneObject, *, references: bool = False) -> Indices:
    """Return the indices that an object holds in places that are known of its class.

    Args:
        obj: The object.
        references: Take those of the reference list out as well.
    """
    copy = type(obj)(obj.scene, obj.index, obj.info, _copy(obj.data))
    held: dict[str, list[int]] = {}
    for place in places_of(obj):
        if isinstance(place, ReferenceLists) and not references:
            continue
        found = held.setdefault(_name(place), [])

        def note(index: int, found: list[int] = found) -> int:
            found.append(index)
            return _ANY

        before = copy.data.data
        try:
            place.rewrite(copy, note)
        except MaxSidecarError:
            # Not in the layout that is known, so nothing here is known to be an index.
            found.clear()
            copy.data.replace_all(before)
    if len(copy.data.data) != len(obj.data.data):
        return Indices({}, obj.data.data)
    return Indices({name: found for name, found in held.items() if found}, copy.data.data)


def config_indices(config: Config) -> Indices:
    """Return the indices in the settings of the program: viewports, rows of Track Views."""
    copy = Config(_copy(config.data))
    found: list[int] = []

    def note(index: int) -> int:
        found.append(index)
        return _ANY

    try:
        rewrite_config(copy, note)
    except MaxSidecarError:
        return Indices({}, config.data.data)
    return Indices({"objects": found}, copy.data.data)


def linked(obj: SceneObject, skip: Collection[int]) -> dict[tuple[str, int], int]:
    """Return the objects that an object names outside its reference list, by place and number.

    Args:
        obj: The object.
        skip: Ids of outermost chunks that are read elsewhere.
    """
    if obj.superclass == _BLOCK2:
        return {}
    found: dict[tuple[str, int], int] = {}
    for place in places_of(obj):
        if isinstance(place, ReferenceLists):
            continue
        if isinstance(place, LeafIndices) and place.path[0] in skip:
            continue
        try:
            held = [item.index for item in place.read(obj)]
        except MaxSidecarError:
            continue
        found.update(((_name(place), number), index) for number, index in enumerate(held))
    return {key: index for key, index in found.items() if 0 <= index < len(obj.scene)}
