"""Text: the file keeps the curves of each letter that occurs, so no font is needed."""

from __future__ import annotations

from math import isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import F32, U32
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.geometry.shapes.parametric import interpolation
from maxsidecar.scene.geometry.shapes.read_shape import read_shape
from maxsidecar.scene.geometry.shapes.rendering import finished
from maxsidecar.scene.geometry.shapes.shape_views import SHAPE, TEXT_ID, CountedText
from maxsidecar.scene.geometry.spline import Shape, Spline
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.objects import SceneObject

__all__ = ["laid_out", "text"]

F32Rows = npt.NDArray[np.float32]

_TEXT, _GLYPH = 0x1010, 0x1030
_CHARACTER, _ADVANCE, _CURVES = 0x1000, 0x1010, 0x1020
#: Letters are stored for a line height of 1000 (measured: size 10 and 17.7).
_UNIT: Final = 1000.0
_MOST_LETTERS: Final = 2000


@generator(TEXT_ID, superclass=SHAPE)
def text(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return the curves of the letters, in a row, with the middle of their box at x = 0."""
    content = obj.find(_TEXT)
    if content is None or content.container:
        raise NotSupportedError("the object holds no text")
    letters, _ = decode(content, CountedText())
    letters = letters.rstrip("\0")
    if "\n" in letters or "\r" in letters:
        raise NotSupportedError("how 3ds Max sets several lines is not known")
    if len(letters) > _MOST_LETTERS:
        raise NotSupportedError(f"it has {len(letters)} letters, more than {_MOST_LETTERS}")
    values = Values(obj, call)
    kerning = values.number("kerning", 0.0)
    if kerning:
        call.approximate("no file proves what kerning does")
    glyphs = {
        number: found
        for chunk in obj.chunks()
        if chunk.id == _GLYPH and chunk.container
        for number, found in [_glyph(chunk)]
    }
    row = []
    for letter in letters:
        if ord(letter) not in glyphs:
            raise NotSupportedError(f"the file does not hold the letter {letter!r}")
        row.append(glyphs[ord(letter)])
    if sum(len(s.points) for _, shape in row for s in shape.splines) > 200_000:
        raise NotSupportedError("its letters have too many knots")
    steps, optimize = interpolation(values)
    splines = laid_out(row, values.size("size") / _UNIT, kerning)
    return finished(obj, call, Shape(splines, steps, optimize))


def _glyph(chunk: Chunk) -> tuple[int, tuple[float, Shape]]:
    """Return the number of a letter, how far the next one is from it, and its curves."""
    number, advance, curves = (chunk.find(k) for k in (_CHARACTER, _ADVANCE, _CURVES))
    if number is None or advance is None:
        raise NotSupportedError("a letter is stored without number or width")
    shape = read_shape(curves) if curves is not None and curves.container else Shape()
    width = decode(advance, F32)
    if not isfinite(width):
        raise NotSupportedError(f"a letter is {width} wide")
    return decode(number, U32), (width, shape)


def laid_out(row: list[tuple[float, Shape]], scale: float, kerning: float = 0.0) -> list[Spline]:
    """Return the curves of letters in a row.

    Args:
        row: How far the next letter is from each, and its curves.
        scale: Of the curves.
        kerning: What is added between letters.
    """
    at = 0.0
    placed: list[tuple[float, Spline]] = []
    for advance, shape in row:
        placed += [(at, spline) for spline in shape.splines]
        at += advance * scale + kerning
    xs = [shift + scale * spline.points[:, 0] for shift, spline in placed]
    middle = 0.0
    if xs:
        every = np.concatenate(xs)
        middle = float(every.min() + every.max()) / 2.0

    def move(points: F32Rows, shift: float) -> F32Rows:
        moved = points.astype(np.float64) * scale
        moved[:, 0] += shift - middle
        # Letters that are far too large are refused when they are divided.
        with np.errstate(over="ignore"):
            return moved.astype(np.float32)

    return [
        Spline(
            points=move(spline.points, shift),
            incoming=move(spline.incoming, shift),
            outgoing=move(spline.outgoing, shift),
            lines=spline.lines,
            kinds=spline.kinds,
            material_ids=spline.material_ids,
            closed=spline.closed,
        )
        for shift, spline in placed
    ]
