"""Storage indices outside reference lists: numbers that stand for other objects.

They change whenever objects are renumbered, so a text or a comparison by meaning must look at what
they point to.  (Measured on the corpus: docs/format/node.md section 2 for the link to custom
attributes; docs/format notes on parameter blocks for the headers.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.tables import BlockHeader, BlockHeaderById
from maxsidecar.scene.scene import Scene

__all__ = ["ATTRIBUTES", "attribute_link", "header_meaning"]

#: Container that links an object to its custom attributes.
ATTRIBUTES: Final = 0x21B0
_INDEX: Final = 0x1020


def attribute_link(obj: SceneObject) -> int | None:
    """Return the storage index that the link holds.

    ``None`` where there is no link, or it is not exactly as is known.
    """
    try:
        chunk = obj.find(ATTRIBUTES)
        if chunk is None or not chunk.container:
            return None
        parts = list(chunk.chunks())
    except MaxSidecarError:
        return None
    if [part.id for part in parts] != [_INDEX] or len(parts[0].data) != 4:
        return None
    return int.from_bytes(parts[0].data, "little")


def header_meaning(value: object, scene: Scene, name: Callable[[int], Any]) -> object:
    """Return a decoded value with names in place of indices.

    Args:
        value: Any value; only headers of parameter blocks change.
        scene: The scene that it is from.
        name: Gives what stands for the object with a storage index.
    """
    if not isinstance(value, BlockHeader | BlockHeaderById):
        return value
    members: dict[str, Any] = {key: getattr(value, key) for key in value.fields}
    members["owner"] = name(value.owner) if value.owner >= 0 else None
    if isinstance(value, BlockHeader):
        info = scene.class_info(value.class_index)
        del members["class_index"]
        known = value.class_index if info is None else f"{info.class_id}:{info.superclass:x}"
        members = {"class": known, **members}
    return members
