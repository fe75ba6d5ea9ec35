"""Records that a node holds: parent, wire colour, object offset (docs/format/node.md)."""

from __future__ import annotations

import re
from typing import Final, Self

from maxsidecar.errors import EditError
from maxsidecar.io.fields import Record, f32, i32, u8, u32

__all__ = ["NodeParent", "Rotation", "Scaling", "Vector", "WireColor"]

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")


class NodeParent(Record):
    """Link to the parent node, with flags of the node."""

    parent: int = i32(doc="storage index of the parent node")
    flags: int = u32(doc="node flags, see maxsidecar.scene.node_flags")


class WireColor(Record):
    """Colour of the wireframe."""

    red: int = u8()
    green: int = u8()
    blue: int = u8()
    unused: int = u8()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the colour of ``#rrggbb``.

        Raises:
            EditError: The text is no colour.
        """
        if not _COLOR.fullmatch(text):
            raise EditError("not a colour", expected="#rrggbb", found=text)
        red, green, blue = bytes.fromhex(text[1:])
        return cls(red=red, green=green, blue=blue, unused=0)

    def __str__(self) -> str:
        """Return ``#rrggbb``."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"


class Vector(Record):
    """A position, in units of the file."""

    x: float = f32()
    y: float = f32()
    z: float = f32()


class Rotation(Record):
    """A rotation as a quaternion, in the stored (conjugate) convention."""

    x: float = f32()
    y: float = f32()
    z: float = f32()
    w: float = f32(default=1.0)


class Scaling(Record):
    """Scale factors along the axes of a rotated frame."""

    x: float = f32(default=1.0)
    y: float = f32(default=1.0)
    z: float = f32(default=1.0)
    axis_x: float = f32()
    axis_y: float = f32()
    axis_z: float = f32()
    axis_w: float = f32(default=1.0)
