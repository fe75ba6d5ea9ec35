"""Storage indices outside reference lists: numbers that stand for other objects.

They change whenever objects are renumbered, so a text or a comparison by meaning must look at what
they point to.  (Measured on the corpus: docs/format/node.md section 2 for the link to custom
attributes; docs/format notes on parameter blocks for the headers.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.object_chunks import AttributeLink
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.tables import BlockHeader, BlockHeaderById
from maxsidecar.scene.scene import Scene

__all__ = ["ATTRIBUTES", "attribute_container", "header_meaning"]

#: Id of the chunk that links an object to its custom attributes.
ATTRIBUTES: Final = SceneObject.attribute_link.chunk_id


def attribute_container(obj: SceneObject) -> int | None:
    """Return the storage index of the container of an object's custom attributes.

    ``None`` where there is no link to one, or it holds anything besides.
    """
    try:
        link = obj.attribute_link
        if link is None:
            return None
        only = [chunk.id for chunk in link.chunks()] == [AttributeLink.container_index.chunk_id]
        return link.container_index if only else None
    except MaxSidecarError:
        return None


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
