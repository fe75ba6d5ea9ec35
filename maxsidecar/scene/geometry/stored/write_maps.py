"""Writing map channels: runs of a leaf with the number of the channel and the leaves behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from maxsidecar.io.codecs import I32
from maxsidecar.scene.geometry.mesh import MapChannel
from maxsidecar.scene.geometry.stored.children import Child, Children
from maxsidecar.scene.geometry.stored.write_common import same_map

__all__ = ["put_maps"]


def put_maps(
    children: Children,
    group: Mapping[int, bytes],
    old: Mapping[int, MapChannel],
    new: Mapping[int, MapChannel],
    bodies: Callable[[int, MapChannel], dict[int, bytes]],
    *,
    anew: bool = False,
) -> None:
    """Put map channels into a container, negative ones first, then ascending.

    Args:
        children: The children of the container.
        group: The leaves of a channel, the one with its number first, and what a new one holds.
        old: The channels that can be read from the container.
        new: The channels that shall be there.
        bodies: Gives the bodies of the leaves for a channel that changed.
        anew: Write those that did not change, too, since they depend on more than the channel.
    """
    before, groups, behind = _groups(children, group)
    items: list[Child] = []
    for channel in sorted({*groups, *new}):
        mapping, stored = new.get(channel), groups.get(channel)
        if mapping is None:
            # A channel without faces is an empty one that nobody took out.
            if stored is not None and channel not in old:
                items += stored
            continue
        if stored is None:
            head = next(iter(group))
            stored = [
                children.new(chunk_id, I32.encode(channel) if chunk_id == head else body)
                for chunk_id, body in group.items()
            ]
        if anew or not same_map(old.get(channel), mapping):
            fresh = bodies(channel, mapping)
            stored = [child for child in stored if child.id not in fresh]
            stored += [children.new(chunk_id, body) for chunk_id, body in fresh.items()]
        items += stored
    children.items = [*before, *items, *behind]


def _groups(
    children: Children, group: Mapping[int, bytes]
) -> tuple[list[Child], dict[int, list[Child]], list[Child]]:
    """Return what stands in front of the channels, the channels, and what is behind."""
    items, head = children.items, next(iter(group))
    places = [number for number, item in enumerate(items) if item.id in group]
    if not places:
        place = children.place(head)
        return items[:place], {}, items[place:]
    first, last = places[0], places[-1] + 1
    groups: dict[int, list[Child]] = {}
    channel = 0
    for item in items[first:last]:
        if item.id == head:
            channel = I32.decode(item.body)
        groups.setdefault(channel, []).append(item)
    return items[:first], groups, items[last:]
