"""On/Off controllers, constraints, and what else is known in part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from maxsidecar.errors import DecodeError
from maxsidecar.io.codecs import F32, I32, RAW, U8, U32, Array, Text8
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView, TypedLeaf
from maxsidecar.scene.controllers.base import (
    Controller,
    FloatController,
    PositionController,
    RotationController,
    ScaleController,
    TransformController,
)
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxsidecar.scene.controllers.rotations import FloatArray

__all__ = [
    "IKControl",
    "LinkConstraint",
    "LookAtConstraint",
    "OnOff",
    "OrientationConstraint",
    "PathConstraint",
    "PositionConstraint",
    "ScaleScript",
    "StandIn",
]

_KEY_TIME = 0x0100
_KEY_FLAGS = 0x0110


@register(superclass=0x9003, class_id=(0x984B8D27, 0x938F3E43))
class OnOff(FloatController):
    """On/Off: 1 or 0, switching at every key.

    ``state`` is taken as the state before the first key (spec: pipeline-max-design section 10d;
    real files have an even number of keys, which cannot tell before from behind).
    """

    __slots__ = ()
    known = True
    key_count = ChunkField(0x0130, U32, default=0, doc="number of keys")
    state = ChunkField(0x0140, U32, default=0, doc="whether it is on before the first key")

    @property
    def switches(self) -> list[int]:
        """Times of the keys in ticks.

        Raises:
            DecodeError: There are not as many keys as the count says.
        """
        times: list[int] = [
            I32.decode(chunk.data)
            for chunk in self.chunks()
            if chunk.id == _KEY_TIME and not chunk.container
        ]
        if len(times) != self.key_count:
            raise DecodeError(
                "the number of keys is another one",
                self.where,
                expected=self.key_count,
                found=len(times),
            )
        return times

    @property
    def stored(self) -> tuple[float, ...]:
        """The state as 1 or 0."""
        return (1.0 if self.state else 0.0,)

    def sample(self, times: FloatArray) -> FloatArray:
        """Return 1 or 0 for times in ticks, (T, 1)."""
        import numpy as np

        switches = np.sort(np.asarray(self.switches, np.float64))
        passed = np.searchsorted(switches, times, "right")
        out: FloatArray = ((passed + bool(self.state)) % 2).astype(np.float64)[:, None]
        return out

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves and the keys, of which there are any number."""
        yield from super().typed_leaves(prefix)
        number = -1
        for chunk in self.chunks():
            number += chunk.id == _KEY_TIME
            if chunk.id in (_KEY_TIME, _KEY_FLAGS) and not chunk.container:
                name = "time" if chunk.id == _KEY_TIME else "flags"
                codec: Any = I32 if chunk.id == _KEY_TIME else U32
                yield chunk, f"{prefix}keys[{number}].{name}", codec


class _Constraint(Controller):
    """A constraint: its layout is known, its formula is not proved on any file."""

    __slots__ = ()

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "constraint: depends on other nodes in a way that is not proved"


def _quaternion(chunk_id: int, doc: str) -> ChunkField[Any, Any]:
    return ChunkField(chunk_id, Array(F32, 4), doc=f"{doc}, stored quaternion")


def _point(chunk_id: int, doc: str) -> ChunkField[Any, Any]:
    return ChunkField(chunk_id, Array(F32, 3), doc=doc)


class _RotationConstraint(_Constraint, RotationController):
    __slots__ = ()
    base_local = _quaternion(0x1001, "local rotation before the constraint")
    base_world = _quaternion(0x1002, "world rotation before the constraint")
    initial = _quaternion(0x1003, "initial rotation")

    @property
    def stored(self) -> tuple[float, ...]:
        """The initial rotation, in the usual convention."""
        value = self.initial
        return super().stored if value is None else (*(-n for n in value[:3]), value[3])


@register(superclass=0x900C, class_id=(0x2020, 0))
class OrientationConstraint(_RotationConstraint):
    """Orientation constraint."""

    __slots__ = ()
    target_count = ChunkField(0x1004, U32, default=0, doc="number of targets (likely)")


@register(superclass=0x900C, class_id=(0x2021, 0))
class LookAtConstraint(_RotationConstraint):
    """LookAt constraint."""

    __slots__ = ()
    offset = _quaternion(0x1004, "open")
    target_count = ChunkField(0x1005, U32, default=0, doc="number of targets (likely)")


@register(superclass=0x900B, class_id=(0x2019, 0))
class PositionConstraint(_Constraint, PositionController):
    """Position constraint; layout as reported, no scene of the corpus has one."""

    __slots__ = ()
    base_local = _point(0x1001, "local position before the constraint")
    base_world = _point(0x1002, "world position before the constraint")
    initial = _point(0x1003, "initial position")
    target_count = ChunkField(0x1004, U32, default=0, doc="number of targets (likely)")

    @property
    def stored(self) -> tuple[float, ...]:
        """The initial position."""
        value = self.initial
        return super().stored if value is None else value


@register(superclass=0x900B, class_id=(0x2011, 0))
class PathConstraint(_Constraint, PositionController):
    """Path constraint; the colour controller has the same class id."""

    __slots__ = ()
    position = _point(0x1011, "position on the path (likely)")
    base_position = _point(0x1012, "open; equals the position where seen")
    path_count = ChunkField(0x1013, U32, default=0, doc="number of paths (likely)")

    @property
    def stored(self) -> tuple[float, ...]:
        """The stored position."""
        value = self.position
        return super().stored if value is None else value


class StandIn(TransformController):
    """A transform controller that stands on a plain one, and gives what that gives.

    One that a solver or a constraint moves away from there has an obstacle, and is not ``known``.
    """

    __slots__ = ()
    #: Reference slot of the plain transform.
    plain_slot: ClassVar[int] = 0

    @property
    def doubt(self) -> str | None:
        """What is wrong with the plain transform's slot."""
        return self.slot_fault(self.plain_slot)

    @property
    def plain(self) -> Controller | None:
        """The transform without the constraint or solver."""
        return self.part(self.plain_slot)


@register(superclass=0x9008, class_id=(0x873FE764, 0xAABE8601))
class LinkConstraint(StandIn):
    """Link constraint; as reported, no scene of the corpus has one."""

    __slots__ = ()

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "link constraint: hangs the node on other nodes in a way that is not proved"


@register(superclass=0x9008, class_id=(0x0E6F5815, 0x717F99A4))
class IKControl(StandIn):
    """A bone posed by a solver; the transform in slot 1 is its pose without the solver."""

    __slots__ = ()
    slots = (1,)
    plain_slot = 1

    @property
    def obstacle(self) -> str | None:
        """Why it is not evaluated; ``None`` for the end of a chain, which no solver turns."""
        from maxsidecar.scene.rigging.ik import free_joints

        return None if self.index in free_joints(self.scene) else super().obstacle


class ScriptHead(ChunkView):
    """Three numbers in front of a script, 1 in all scenes."""

    __slots__ = ()
    chunk_3000 = ChunkField(0x3000, U32, doc="open")
    chunk_3001 = ChunkField(0x3001, U32, doc="open")
    chunk_3003 = ChunkField(0x3003, U32, doc="open")


class ScriptVariable(ChunkView):
    """A variable of a script (measured on 8 controllers)."""

    __slots__ = ()
    name = ChunkField(0x5006, Text8("latin-1"), default="", doc="its name, 8-bit")
    chunk_5007 = ChunkField(0x5007, I32, doc="open; -1")
    chunk_500a = ChunkField(0x500A, I32, doc="open; -1")
    chunk_500d = ChunkField(0x500D, U32, doc="open; 0")


@register(superclass=0x900D, class_id=(0x7C8F3A2A, 0x1E954D91))
class ScaleScript(ScaleController):
    """A scale given by a script.  The text is shown to readers, never run.

    All samples sit on hidden nodes with odd names and look like scripts that infect scenes.
    """

    __slots__ = ()
    head = ChunkChild(0x8499, ScriptHead, doc="open")
    script = ChunkField(0x5000, RAW, default=b"", doc="text of the script, 8-bit")
    interval = ChunkField(0x5001, Array(I32, 2), doc="start and end in ticks (likely)")
    chunk_5002 = ChunkField(0x5002, U32, doc="open; 0")
    variable_count = ChunkField(0x5003, U32, doc="number of variables")
    chunk_500f = ChunkField(0x500F, U8, doc="open; 1")
    chunk_5010 = ChunkField(0x5010, U8, doc="open; 1")
    # The four variables of every script: time in ticks and seconds, frame, normalised time.
    variable_0 = ChunkChild(0x6000, ScriptVariable, doc="variable T")
    variable_1 = ChunkChild(0x6001, ScriptVariable, doc="variable S")
    variable_2 = ChunkChild(0x6002, ScriptVariable, doc="variable F")
    variable_3 = ChunkChild(0x6003, ScriptVariable, doc="variable NT")
