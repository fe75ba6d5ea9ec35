"""Key tables as numpy arrays: reading, checking and writing them back."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.headers import encode_header
from maxsidecar.io.views import ChunkField, ChunkView
from maxsidecar.scene.controllers.bodies import NEVER, KeyBody
from maxsidecar.scene.controllers.derived_columns import refreshed, turn_between
from maxsidecar.scene.controllers.key_flags import STALE_TURN
from maxsidecar.scene.controllers.layouts import KeyColumn, KeyLayout, KeyTable
from maxsidecar.scene.finite import check_finite_rows

if TYPE_CHECKING:
    from maxsidecar.scene.controllers.keyed import KeyedController

__all__ = ["read_keys", "turns", "write_keys"]

_SELECTIONS: Final = (0x2532, 0x2533, 0x2534)
_SELECTION: Final = 0x2700
_COUNT: Final = Struct("<I")
#: From this Scene root id on, key selections are stored byte by byte; before, in 32-bit words.
_BYTE_SELECTIONS: Final = 0x2012

_NO_TURN: Final = (1.0, 0.0, 0.0, 0.0)


def read_keys(body: KeyBody, layout: KeyLayout, chunk_id: int) -> npt.NDArray[np.void]:
    """Return the keys of a table as a structured array, a copy.

    Args:
        body: Where the table is.
        layout: How a key is stored.
        chunk_id: Id of the table.

    Raises:
        DecodeError: The size is not a multiple of the key size, or times go backwards.
    """
    chunk = body.find(chunk_id)
    if chunk is None:
        return np.zeros(0, layout.dtype())
    if chunk.container or len(chunk.data) % layout.size:
        raise DecodeError(
            "the key table has the wrong size",
            chunk.where,
            expected=f"a multiple of {layout.size} bytes",
            found=len(chunk.data),
        )
    keys: npt.NDArray[np.void] = np.frombuffer(bytes(chunk.data), layout.dtype()).copy()
    if np.any(keys["time"][1:] < keys["time"][:-1]):
        raise DecodeError("key times go backwards", chunk.where)
    return keys


def write_keys(
    controller: KeyedController,
    body: KeyBody,
    table: ChunkField[Any, Any],
    keys: npt.NDArray[np.void],
) -> None:
    """Write keys, with the key range and selections that go with them.

    Raises:
        EditError: They do not fit, or the controller is read-only; nothing is changed then.
    """
    layout = cast(KeyTable, table.codec).layout
    data = _pack(layout, keys, body)
    chunk = body.find(table.chunk_id)
    if chunk is not None:
        try:
            table.codec.verified(chunk.data)
        except MaxSidecarError as error:
            raise EditError(f"the keys are read-only: {error.message}", chunk.where) from error
        if bytes(chunk.data) == data:
            return
    old = read_keys(body, layout, table.chunk_id) if chunk is not None else None
    given = np.frombuffer(data, layout.dtype())
    for column in layout.columns:
        if column.fmt == "f":
            before = None if old is None else old[column.name]
            try:
                check_finite_rows(f"{column.name} of key", given[column.name], before)
            except EditError as error:
                where = body.where
                error.locate(
                    file=where.file, stream=where.stream, path=where.path, offset=where.offset
                )
                raise
    keys = refreshed(layout, given, old)
    data = keys.tobytes()
    for name in ("interval", "key_range"):
        if body.find(cast("ChunkField[Any, Any]", body.declared[name]).chunk_id) is None:
            raise EditError(f"the controller stores no {name}, so keys cannot change", body.where)
    backup, revision = body.data.data, body.data.revision
    try:
        _write(controller, body, table, keys, data)
    except MaxSidecarError:
        if body.data.revision != revision:
            body.data.replace_all(backup)
        raise


def _write(
    controller: KeyedController,
    body: KeyBody,
    table: ChunkField[Any, Any],
    keys: npt.NDArray[np.void],
    data: bytes,
) -> None:
    chunk = body.find(table.chunk_id)
    _resize_selections(body, len(keys), controller.scene.version >= _BYTE_SELECTIONS)
    chunk = body.find(table.chunk_id)
    if chunk is None:
        body.insert(table.chunk_id, data, table.after or ())
    else:
        chunk.replace(data)
    type(body).interval.__set__(body, NEVER)
    times = int(keys["time"][0]), int(keys["time"][-1])
    type(body).key_range.__set__(body, times)


def _pack(layout: KeyLayout, keys: npt.NDArray[np.void], body: ChunkView) -> bytes:
    """Return the bytes of a structured array after checking every column."""
    names = [column.name for column in layout.columns]
    if getattr(getattr(keys, "dtype", None), "names", None) is None or keys.ndim != 1:
        raise EditError("keys must be a structured array of one axis", body.where, expected=names)
    if list(keys.dtype.names or ()) != names:
        raise EditError(
            "the keys have other columns", body.where, expected=names, found=keys.dtype.names
        )
    if not len(keys):
        raise EditError("a controller keeps at least one key", body.where)
    out = np.zeros(len(keys), layout.dtype())
    for column in layout.columns:
        out[column.name] = _column(column, keys[column.name], out[column.name].shape, body)
    if np.any(out["time"][1:] <= out["time"][:-1]):
        # No track of the corpus has two keys at one time (2,501 tracks).
        raise EditError("key times do not go forwards", body.where)
    return out.tobytes()


def _column(
    column: KeyColumn, values: npt.NDArray[Any], shape: tuple[int, ...], body: ChunkView
) -> npt.NDArray[Any]:
    if values.shape != shape:
        raise EditError(
            f"{column.name} has another shape", body.where, expected=shape, found=values.shape
        )
    if values.dtype.kind not in ("iuf" if column.fmt == "f" else "iu"):
        raise EditError(f"{column.name} holds no such numbers", body.where, found=values.dtype)
    if column.fmt == "f":
        if values.dtype != np.dtype("<f4"):
            with np.errstate(over="ignore"):
                narrow = values.astype("<f4")
            if np.any(np.isinf(narrow) & np.isfinite(values)):
                raise EditError(f"{column.name} is out of range", body.where, expected="f32")
            return narrow
        return values
    low, high = (-(2**31), 2**31 - 1) if column.fmt == "i" else (0, 2**32 - 1)
    if int(values.min()) < low or int(values.max()) > high:
        raise EditError(f"{column.name} is out of range", body.where, expected=f"{low} to {high}")
    return values


def _resize_selections(body: KeyBody, count: int, by_byte: bool) -> None:
    """Give the key selections one bit per key.

    A selection holds ``u32 n`` and n bits; without keys it is a leaf without bytes (measured).
    """
    for chunk_id in _SELECTIONS:
        chunk = body.find(chunk_id)
        if chunk is None:
            continue
        if chunk.container:
            inner = chunk.find(_SELECTION)
            if inner is None or inner.container or len(inner.data) < 4:
                raise EditError("a key selection is not stored as is known", chunk.where)
            inner.replace(_resized(inner, count, by_byte))
        elif len(chunk.data):
            raise EditError("a key selection is not stored as is known", chunk.where)
        else:
            bits = bytes(_bits_size(count, by_byte))
            form = chunk.form
            new = encode_header(_SELECTION, 4 + len(bits), False, form) + _COUNT.pack(count) + bits
            parent, position = chunk.parent, chunk.position
            chunk.remove()
            # The removal made the old view of the container stale.
            parent = None if parent is None else body.container()
            body.data.insert(parent, position, chunk_id, new, container=True)


def _bits_size(count: int, by_byte: bool) -> int:
    return (count + 7) // 8 if by_byte else (count + 31) // 32 * 4


def _resized(chunk: Chunk, count: int, by_byte: bool) -> bytes:
    raw = bytes(chunk.data)
    (old,) = _COUNT.unpack_from(raw)
    if old == count:
        return raw
    bits = raw[4:]
    fits: list[Callable[[int], int]] = [
        lambda n: _bits_size(n, True),
        lambda n: _bits_size(n, False),
    ]
    if not by_byte:
        fits.reverse()
    size = next((fit(count) for fit in fits if fit(old) == len(bits)), None)
    if size is None:
        raise EditError("a key selection has the wrong size", chunk.where, found=len(bits))
    kept = bytearray(bits[:size].ljust(size, b"\0"))
    for bit in range(count, size * 8):
        kept[bit >> 3] &= ~(1 << (bit & 7))
    return _COUNT.pack(count) + bytes(kept)


def turns(keys: npt.NDArray[np.void] | None) -> npt.NDArray[np.float64]:
    """Return axis and angle of the turn at each key of a TCB rotation, see ``TCBRotation.turns``.

    Where flag 0x10 is set the stored turn is out of date; the first key's is then that of its own
    quaternion, others' that from the key before (spec: pipeline-max-design section 10b; stale
    keys other than the first have not been seen).
    """
    if keys is None:
        return np.zeros((0, 4))
    out = np.empty((len(keys), 4))
    out[:, :3] = keys["relative_axis"]
    out[:, 3] = keys["relative_angle"]
    stored = keys["value"].astype(np.float64)
    for index in np.flatnonzero(keys["flags"] & STALE_TURN):
        q = stored[index] if index == 0 else turn_between(stored[index - 1], stored[index])
        q = -q if q[3] < 0 else q
        length = float(np.linalg.norm(q[:3]))
        if length == 0.0:
            out[index] = _NO_TURN
        else:
            out[index] = (*(q[:3] / length), 2.0 * np.arctan2(length, q[3]))
    lengths = np.linalg.norm(out[:, :3], axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    out[usable, :3] /= lengths[usable, None]
    return out
