"""Parameters of primitives, within the limits that 3ds Max sets."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from maxsidecar.scene.animated import number_at
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.geometry.pipeline import NotSupportedError

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.pipeline import GeneratorCall
    from maxsidecar.scene.objects import SceneObject

__all__ = ["UNPROVED", "Values", "check_triangles"]

#: What each primitive says whose class no file at hand holds.
UNPROVED: Final = "no file proves the order of vertices and faces of this class"
#: Most segments in one direction.  The spinners of 3ds Max end at 200 (public SDK samples), those
#: of newer releases and the Plane's go further.
_MOST_SEGMENTS: Final = 2000
#: Most triangles of one primitive; 200 segments in each direction of a Box are 480,000.
_MOST_TRIANGLES: Final = 2_100_000
#: Largest size: fourth powers must stay within float32 (the spinners of 3ds Max end at 1e30).
_LARGEST: Final = 1e9
#: Anything smaller is 0: its reciprocal must stay within float32.
_SMALLEST: Final = 1e-30


def check_triangles(count: int) -> None:
    """Refuse a primitive that is too large.

    Raises:
        NotSupportedError: It would have more triangles than any real one.
    """
    if count > _MOST_TRIANGLES:
        raise NotSupportedError(f"it would have {count} triangles, more than {_MOST_TRIANGLES}")


class Values:
    """The parameters of one primitive at the time of the evaluation.

    Args:
        obj: The primitive.
        call: The evaluation.
    """

    __slots__ = ("call", "obj")

    def __init__(self, obj: SceneObject, call: GeneratorCall) -> None:
        """Nothing is read yet."""
        self.obj = obj
        self.call = call

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number.

        Raises:
            NotSupportedError: The file does not tell it, or it is no finite number.
        """
        found = number_at(self.obj, name, self.call.time)
        if found is None:
            if default is None:
                raise NotSupportedError(f"the file does not tell its {name}")
            return default
        if not isfinite(found) or abs(found) > _LARGEST:
            raise NotSupportedError(f"its {name} is {found:g}")
        return found if abs(found) >= _SMALLEST else 0.0

    def size(self, name: str) -> float:
        """Return a radius: 3ds Max takes 0 for a negative one."""
        return max(self.number(name), 0.0)

    def segments(self, name: str, least: int = 1, default: int | None = None) -> int:
        """Return a number of segments, at least ``least`` as in 3ds Max.

        Raises:
            NotSupportedError: The file does not tell it, or it is larger than any real one.
        """
        count = int(self.number(name, None if default is None else float(default)))
        if count > _MOST_SEGMENTS:
            raise NotSupportedError(f"its {name} is {count}, more than {_MOST_SEGMENTS}")
        return max(count, least)

    def switch(self, name: str, default: bool = False) -> bool:
        """Return a switch."""
        return self.number(name, float(default)) != 0.0

    def mapped(self) -> bool:
        """Return whether it has texture coordinates.

        Primitives of newer releases keep the switch for real-world map size in AppData under their
        own class id; it is 0 in all files at hand, so that what it does to the map is not known.
        """
        on = self.switch("generate_uvs")
        class_id = self.obj.class_id
        if on and class_id is not None and self.obj.superclass is not None:
            key = AppDataKey(class_id.a, class_id.b, self.obj.superclass, 0)
            if any(self.obj.appdata.get(key) or b""):
                self.call.approximate("its map has real-world size, which is not evaluated")
        return on
