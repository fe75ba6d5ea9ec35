"""Writing weights of vertices and edges: a leaf with the number of slots, then one for each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.stored.children import Children
from maxsidecar.scene.geometry.stored.tables import Weights, WeightsCodec

__all__ = ["put_weights"]

_LEAST_SLOTS = 2


def put_weights(
    children: Children,
    slots_id: int,
    weights_id: int,
    values: Mapping[int, npt.NDArray[np.float32]],
) -> None:
    """Put weights by slot in place of all that are there.

    Args:
        children: The children of the container.
        slots_id: Id of the leaf with the number of slots.
        weights_id: Id of the leaves with weights.
        values: One number for each vertex or edge, by slot.
    """
    codec = WeightsCodec()
    children.remove(weights_id)
    if not values:
        return
    child = children.find(slots_id)
    slots = 0 if child is None else int.from_bytes(child.body, "little")
    wanted = max(_LEAST_SLOTS, max(values) + 1)
    if slots < wanted:
        children.put(slots_id, wanted.to_bytes(4, "little"))
    place = children.place(weights_id)
    children.items[place:place] = [
        children.new(weights_id, codec.encode(Weights(slot, np.asarray(values[slot], "<f4"))))
        for slot in sorted(values)
    ]
