"""NeL serial streams: the game's own files as typed objects.

``read_file("tree.shape").content`` is the object in a file, ``to_bytes()`` its bytes.  Every class
of the game is declared once (:mod:`maxsidecar.nel.serial.declare`).
"""

from __future__ import annotations

from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.dump import to_lines, to_plain
from maxsidecar.nel.serial.formats import FORMATS, Format, NelFile, read_bytes, read_file, recognise
from maxsidecar.nel.serial.walk import walk

__all__ = [
    "FORMATS",
    "Format",
    "NelFile",
    "Serial",
    "field",
    "read_bytes",
    "read_file",
    "recognise",
    "to_lines",
    "to_plain",
    "walk",
]
