"""Writing changed splines into the chunks of a Line or an Editable Spline."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, Where
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.chunks import Chunk, encode_header
from maxsidecar.scene.geometry.shapes import read_shape as read
from maxsidecar.scene.geometry.shapes.shape_views import KNOTS
from maxsidecar.scene.geometry.spline import Shape, Spline
from maxsidecar.scene.geometry.stored.children import Child, Children
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.geometry.stored.tables import Table
from maxsidecar.scene.geometry.stored.write_common import bits_body

__all__ = ["write_shape"]

_POINTS, _SEGMENTS, _SPLINES = 0x1020, 0x1030, 0x1040
_SELECTION_COUNT, _SELECTION_BITS, _BITS = 0x1000, 0x1010, 0x2700
_ZERO: Final = 0x2904
_CLOSED: Final = read.CLOSED
_ORDER: Final = (read.SPLINE, _POINTS, _SEGMENTS, _SPLINES, 0x1050, 0x1060, 0x1070, 0x1080, 0x1090)
_KINDS: Final = range(4)
#: Most knots of a spline that is written.
_MOST: Final = 1_000_000


def write_shape(container: Chunk, shape: Shape, version: int) -> bool:
    """Put splines into a container.

    Selections stay where a spline has as many knots as before, else nothing is selected.

    Args:
        container: The container of the old ones.
        shape: The new ones.
        version: Scene root id.

    Returns:
        Whether anything changed.

    Raises:
        EditError: They do not fit; nothing is changed then.
        DecodeError: The old ones are not stored as is known.
    """
    for spline in shape.splines:
        _check(spline, container.where)
    old = [chunk for chunk in container.chunks() if chunk.id == read.SPLINE and chunk.container]
    before = [read.read_spline(chunk) for chunk in old]
    children = Children(container, _ORDER)
    stored = [item for item in children.items if item.id == read.SPLINE and item.container]
    bodies = [
        _body(spline, old[k] if k < len(old) else None, children.form)
        for k, spline in enumerate(shape.splines)
    ]
    fresh = [
        child if same_bytes(child.body, body) else children.new(read.SPLINE, body, container=True)
        for child, body in zip(stored, bodies, strict=False)
    ]
    fresh += [children.new(read.SPLINE, body, container=True) for body in bodies[len(stored) :]]
    counts = [(len(spline.points), spline.closed) for spline in shape.splines]
    same_counts = counts == [(len(spline.points), spline.closed) for spline in before]
    if same_counts and all(a is b for a, b in zip(stored, fresh, strict=True)):
        return False
    place = children.place(read.SPLINE)
    if stored:
        place = next(k for k, item in enumerate(children.items) if item is stored[0])
    kept = [item for item in children.items if all(item is not child for child in stored)]
    children.items = kept[:place] + fresh + kept[place:]
    if not same_counts:
        _select_nothing(children, counts, version)
    children.write()
    return True


def _check(spline: Spline, where: Where) -> None:
    count = len(spline.points)
    shapes: tuple[tuple[str, npt.NDArray[Any], tuple[int, ...]], ...] = (
        ("points", spline.points, (count, 3)),
        ("handles", spline.incoming, (count, 3)),
        ("handles", spline.outgoing, (count, 3)),
        ("lines", spline.lines, (count,)),
        ("kinds", spline.kinds, (count,)),
        ("material ids", spline.material_ids, (count,)),
    )
    for what, array, shape in shapes:
        if array.shape != shape:
            raise EditError(f"{what} do not fit", where, expected=shape, found=array.shape)
        if not np.isfinite(array).all():
            raise EditError(f"{what} are no finite numbers", where)
    if not 1 <= count <= _MOST:
        raise EditError("a spline has too few or too many knots", where, found=count)
    if not np.isin(spline.kinds, _KINDS).all():
        raise EditError("no such kind of knot", where, expected="0 to 3")
    if (spline.material_ids < 0).any() or (spline.material_ids > 0xFFFF).any():
        raise EditError("a material id out of range", where, expected="0 to 65535")


def _body(spline: Spline, old: Chunk | None, form: int) -> bytes:
    """Return the body of a spline's container; what is not about the knots stays."""
    count = len(spline.points)
    rows = np.zeros(count, KNOTS.dtype())
    # A piece takes its share of the whole, 1 / pieces (all splines at hand).
    pieces = count if spline.closed else max(count - 1, 1)
    rows["du"] = np.float32(1.0) / np.float32(pieces)
    found = None if old is None else old.find(read.KNOT_ROWS)
    if found is not None:
        before = decode(found, KNOTS).array
        if len(before) == count:
            rows = before.copy()
    rows["kind"] = spline.kinds
    # Only 0 and 1 occur; another number for a curve would stay.
    rows["line"] = np.where(spline.lines, 1, np.where(rows["line"] == 1, 0, rows["line"]))
    rows["point"], rows["incoming"], rows["outgoing"] = (
        spline.points,
        spline.incoming,
        spline.outgoing,
    )
    rows["flags"] = (rows["flags"] & 0xFFFF) | (spline.material_ids.astype(np.uint32) << 16)
    leaves = {
        read.COUNT: count.to_bytes(4, "little"),
        _ZERO: bytes(4),
        read.KNOT_ROWS: KNOTS.encode(Table(rows, counted=False)),
        _CLOSED: int(spline.closed).to_bytes(4, "little"),
    }
    if old is None:
        return b"".join(encode_header(k, len(v), False, form) + v for k, v in leaves.items())
    if not any(chunk.id == _CLOSED for chunk in old.chunks()) and not spline.closed:
        del leaves[_CLOSED]
    children = Children(old, tuple(leaves))
    was_closed = children.find(_CLOSED)
    if was_closed is not None and any(was_closed.body) == spline.closed:
        del leaves[_CLOSED]
    if children.find(_ZERO) is not None:
        del leaves[_ZERO]
    for chunk_id, body in leaves.items():
        children.put(chunk_id, body)
    return b"".join(bytes(part) for item in children.items for part in item.encode())


def _select_nothing(children: Children, counts: list[tuple[int, bool]], version: int) -> None:
    """Give the selections their new sizes: three bits for each knot, one for each segment."""
    sizes = {
        _POINTS: [3 * count for count, _ in counts],
        _SEGMENTS: [count if closed else count - 1 for count, closed in counts],
        _SPLINES: [len(counts)],
    }
    for chunk_id, bits in sizes.items():
        found: Child | None = children.find(chunk_id)
        if found is None or not found.container:
            continue
        parts = [_leaf(_SELECTION_COUNT, len(bits).to_bytes(4, "little"), children.form)]
        for size in bits:
            body = _leaf(_BITS, bits_body(np.zeros(size, np.bool_), version), children.form)
            parts.append(encode_header(_SELECTION_BITS, len(body), True, children.form) + body)
        children.put(chunk_id, b"".join(parts), container=True)


def _leaf(chunk_id: int, body: bytes, form: int) -> bytes:
    return encode_header(chunk_id, len(body), False, form) + body
