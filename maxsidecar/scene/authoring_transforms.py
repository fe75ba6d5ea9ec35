"""Transform controllers of new scenes, with and without keys."""

from __future__ import annotations

from collections.abc import Sequence

from maxsidecar.scene import authoring_keys as animated
from maxsidecar.scene import authoring_objects as layouts
from maxsidecar.scene.authoring_checks import numbers, typed
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass
from maxsidecar.scene.authoring_keys import Curve, TransformKeys, Values
from maxsidecar.scene.authoring_store import ObjectStore

__all__ = ["TransformBuilder"]


class TransformBuilder(ObjectStore):
    """Adds transform controllers."""

    def add_transform(
        self,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        euler: Sequence[float] = (0.0, 0.0, 0.0),
        scale: Sequence[float] = (1.0, 1.0, 1.0),
        *,
        keys: TransformKeys | None = None,
    ) -> int:
        """Add a Position/Rotation/Scale controller with its parts; return its storage index.

        Args:
            position: Position in units of the file, 3 numbers.
            euler: Values of the X, Y and Z rotation controllers in radians.
            scale: Scale factors, 3 numbers.
            keys: Keys, which take the place of the value of every part that has some.

        Raises:
            EditError: A number does not fit or is not finite, or there are too few or too many.
        """
        keys = TransformKeys() if keys is None else typed(keys, "the keys", TransformKeys)
        position = numbers(position, "the position", 3)
        euler = numbers(euler, "the angles", 3)
        scale = numbers(scale, "the scale", 3)
        # Everything is encoded before anything is added, so that an error leaves nothing behind.
        if keys.position and keys.curve == "linear":
            place = [animated.linear_position_keys(keys.position)]
        else:
            place = _tracks(position, keys.position, keys.curve)
        if keys.rotation:
            turn = [animated.linear_rotation_keys(keys.rotation)]
        else:
            turn = _tracks(euler, keys.euler, keys.curve)
        size = (
            animated.bezier_scale_keys(keys.scale, keys.curve)
            if keys.scale
            else layouts.bezier_scale(scale)
        )
        parts = [
            self._part(place, animated.LINEAR_POSITION, layouts.POSITION_XYZ, ()),
            self._part(turn, animated.LINEAR_ROTATION, layouts.EULER_XYZ, [(0x1003, bytes(4))]),
            self.add_object(layouts.BEZIER_SCALE, size, {}),
        ]
        return self.add_object(layouts.PRS, [(0x7230, bytes(4)), (0x7231, bytes(4))], parts)

    def _part(
        self,
        tracks: Sequence[Sequence[ChunkTree]],
        one: NewClass,
        three: NewClass,
        chunks: Sequence[ChunkTree],
    ) -> int:
        """Add a controller of class ``one`` for one track; for three, floats and their parent."""
        if len(tracks) == 1:
            return self.add_object(one, tracks[0], {})
        numbers = [self.add_object(layouts.BEZIER_FLOAT, track, {}) for track in tracks]
        return self.add_object(three, chunks, numbers)


def _tracks(values: Sequence[float], keyed: Values, curve: Curve) -> list[list[ChunkTree]]:
    """Return the chunks of three float controllers, with keys where there are some."""
    if not keyed:
        return [layouts.bezier_float(value) for value in values]
    return [
        animated.bezier_float_keys({time: row[axis] for time, row in keyed.items()}, curve)
        for axis in range(3)
    ]
