"""Files that hold one object of many classes: ``.shape``, ``.skel`` and ``.ps``."""

from __future__ import annotations

from maxsidecar.nel.serial.containers import PolyPtr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import Magic

__all__ = ["CShapeStream"]


class CShapeStream(Serial):
    """A shape file, of a mesh as well as of a skeleton or a particle system."""

    magic: bytes = field(Magic(b"SHAP"), "magic")
    shape: Serial | None = field(PolyPtr("IShape"), "the shape")
