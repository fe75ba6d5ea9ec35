"""The values at extraction, packed."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest

from maxsidecar.sidecar.base import Base, decode_base, encode_base
from maxsidecar.sidecar.toml_text import Rows

PATH = ("nel", "lod", "mrm")


def packed(content: object) -> str:
    return base64.b64encode(zlib.compress(json.dumps(content).encode())).decode()


def test_values_come_back() -> None:
    values: dict[tuple[str, ...], Any] = {
        PATH: True, ("a",): 1, ("b",): 1.0, ("c",): "x" * 1000, ("d",): [1, 2], ("e",): "",
    }  # fmt: skip
    lines = encode_base({"7": Base.of(values, [PATH, ("c",)]), "#3": None})
    found = decode_base(lines)
    assert found["#3"] is None
    base = found["7"]
    assert base is not None
    for path, value in values.items():
        assert base.knows(path)
        assert base.has(path) == (path in (PATH, ("c",)))
        assert base.unchanged(path, value)
        assert not base.unchanged(path, "other")
    assert not base.knows(("z",))
    assert not base.has(("z",))
    # true, 1 and 1.0 are three values
    assert not base.unchanged(PATH, 1)
    assert not base.unchanged(("b",), 1)


@pytest.mark.parametrize("count", [3, 40], ids=["kept whole", "of which a digest is kept"])
def test_rows_of_keys_come_back(count: int) -> None:
    rows = Rows([[float(number), 0.5] for number in range(count)])
    path = ("biped", "keys", "spine", "spine_1")
    base = decode_base(encode_base({"7": Base.of({path: rows}, [path])}))["7"]
    assert base is not None
    assert base.unchanged(path, rows)
    assert base.unchanged(path, [*rows])
    assert not base.unchanged(path, Rows([*rows[:-1], [9.0, 9.0]]))


def test_a_line_holds_some_objects_and_does_not_depend_on_the_others() -> None:
    bases: dict[str, Base | None] = {str(i): Base({"a": i}) for i in range(1000)}
    lines = encode_base(bases)
    assert 30 < len(lines) < 130  # 16 objects to a line on average
    changed = encode_base(bases | {"500": Base({"a": -1})})
    assert lines.keys() == changed.keys()
    assert sum(lines[key] != changed[key] for key in lines) == 1
    del bases["500"]
    removed = encode_base(bases)
    assert sum(lines.get(key) != removed[key] for key in removed) <= 2


def test_a_line_that_says_the_same_in_another_way_is_kept() -> None:
    bases = {"1": Base({"a": 1})}
    line = packed({"1": {"a": 1}})
    stored = base64.b64encode(zlib.compress(b'{"1":  {"a": 1}}', 0)).decode()
    assert line != stored
    assert encode_base(bases, {"1": stored}) == {"1": stored}
    assert encode_base(bases, {"1": packed({"1": {"a": 2}})}) != {"1": packed({"1": {"a": 2}})}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "%",
        "AAAA",
        packed([]),
        packed(1),
        packed({"1": 5}),
        packed({"1": {"a": 1}})[:-8],
        base64.b64encode(zlib.compress(b"[" * 100_000)).decode(),
        base64.b64encode(zlib.compress(b"9" * 10_000)).decode(),
        5,
        {"a": 1},
    ],
)
def test_a_damaged_line_knows_nothing(line: object) -> None:
    assert decode_base({"1": line}) == {}


def test_a_bomb_is_cut() -> None:
    zeros = zlib.compress(bytes(1 << 24), 9)
    assert decode_base({str(i): base64.b64encode(zeros).decode() for i in range(20)}) == {}
