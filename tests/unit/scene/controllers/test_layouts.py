"""The layouts of keys: sizes as measured, and what does not fit."""

from __future__ import annotations

from contextlib import suppress

import jsonschema
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.layouts import KeyLayout, KeyTable

# Bytes per key: docs/format/controllers.md section 3.
SIZES = [
    (layouts.LINEAR_FLOAT, 12),
    (layouts.LINEAR_POSITION, 20),
    (layouts.LINEAR_ROTATION, 24),
    (layouts.LINEAR_SCALE, 36),
    (layouts.BEZIER_FLOAT, 28),
    (layouts.BEZIER_POINT3, 80),
    (layouts.BEZIER_ROTATION, 88),
    (layouts.BEZIER_SCALE, 148),
    (layouts.TCB_POSITION, 64),
    (layouts.TCB_ROTATION, 92),
    (layouts.TCB_SCALE, 112),
    (layouts.EARLY_BEZIER_POSITION, 56),
    (layouts.EARLY_BEZIER_SCALE, 92),
]


@pytest.mark.parametrize(("layout", "size"), SIZES)
def test_sizes(layout: KeyLayout, size: int) -> None:
    assert layout.size == size
    assert layout.dtype().itemsize == size


def test_rows() -> None:
    table = KeyTable(layouts.LINEAR_POSITION)
    rows = ((0, 7, (1.0, 2.0, 3.0)), (160, 0, (0.5, 0.0, -1.0)))
    data = table.encode(rows)
    assert len(data) == 40
    assert table.verified(data) == rows
    jsonschema.validate([[0, 7, [1.0, 2.0, 3.0]]], table.schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([[0, 7, [1.0, 2.0]]], table.schema())


@pytest.mark.parametrize(
    "rows",
    [
        5,
        (5,),
        ((0, 0),),
        ((0, 0, (1.0, 2.0)),),
        ((0, 0, 1.0),),
        ((0.5, 0, (0.0, 0.0, 0.0)),),
        ((2**31, 0, (0.0, 0.0, 0.0)),),
        ((0, -1, (0.0, 0.0, 0.0)),),
        ((0, 0, (1e39, 0.0, 0.0)),),
        ((0, 0, ("x", 0.0, 0.0)),),
    ],
)
def test_rows_that_do_not_fit(rows: object) -> None:
    with pytest.raises(EditError):
        KeyTable(layouts.LINEAR_POSITION).encode(rows)  # type: ignore[arg-type]


def test_a_wrong_size() -> None:
    with pytest.raises(DecodeError, match="multiple of 20"):
        KeyTable(layouts.LINEAR_POSITION).decode(bytes(21))


def test_a_number_that_would_not_survive() -> None:
    # A signalling NaN may come back quiet; then the table is read-only, never changed silently.
    table = KeyTable(layouts.LINEAR_FLOAT)
    data = bytes(8) + (0x7F800001).to_bytes(4, "little")
    with suppress(DecodeError):
        assert table.encode(table.verified(data)) == data
