"""Who holds an object in its reference list, for blocks that do not say whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from maxsidecar.errors import MaxSidecarError

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["find_owner", "forget_owners"]

#: Per scene: holder and slot by storage index of what is held.
_holders: WeakKeyDictionary[Scene, dict[int, tuple[int, int]]] = WeakKeyDictionary()


def find_owner(
    scene: Scene, index: int, hint: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """Return storage index and slot of the first object whose reference list holds another one.

    Args:
        scene: The scene.
        index: Storage index of what is held.
        hint: Where it was last; used when it is still true.
    """
    if hint is not None and _holds(scene, hint, index):
        return hint
    holders = _holders.get(scene)
    if holders is not None:
        found = holders.get(index)
        # An edit can move a reference; without one, what was not found is not there.
        if found is None or _holds(scene, found, index):
            return found
    holders = _holders[scene] = _search(scene)
    return holders.get(index)


def forget_owners(scene: Scene) -> None:
    """Forget what was found, since references or storage indices are others now."""
    _holders.pop(scene, None)


def _holds(scene: Scene, place: tuple[int, int], index: int) -> bool:
    holder, slot = place
    try:
        return 0 <= holder < len(scene) and scene[holder].references.get(slot) == index
    except MaxSidecarError:
        return False


def _search(scene: Scene) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for obj in scene:
        try:
            references = obj.references
        except MaxSidecarError:  # reading the object itself reports it
            continue
        for slot, index in references.items():
            found.setdefault(index, (obj.index, slot))
    return found
