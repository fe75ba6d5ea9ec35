"""Who holds an object in its reference list, for blocks that do not say whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxsidecar.errors import MaxSidecarError

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["find_owner"]


def find_owner(
    scene: Scene, index: int, hint: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """Return storage index and slot of the first object whose reference list holds another one.

    Objects that cannot be read are left out; reading them reports that.

    Args:
        scene: The scene.
        index: Storage index of what is held.
        hint: Where it was last; used when it is still true.
    """
    from maxsidecar.scene.restructure.graph import Graph

    if hint is not None and _holds(scene, hint, index):
        return hint
    return Graph.of(scene, lenient=True).holder(index)


def _holds(scene: Scene, place: tuple[int, int], index: int) -> bool:
    holder, slot = place
    try:
        return 0 <= holder < len(scene) and scene[holder].references.get(slot) == index
    except MaxSidecarError:
        return False
