"""Arrays come back from a written file as they were, whatever they are."""

from __future__ import annotations

import json
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxsidecar.gltf import model
from maxsidecar.gltf.values import check_json, json_bytes
from maxsidecar.gltf.write import write

Array = npt.NDArray[Any]

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
FINITE = st.floats(-(2.0**100), 2.0**100, width=32)
KINDS = ["i1", "u1", "<i2", "<u2", "<f4", ">f4", ">u2"]


@st.composite
def primitives(draw: st.DrawFn) -> model.Primitive:
    """A primitive with attributes of any kinds, and indices."""
    count = draw(st.integers(1, 300))
    attributes: dict[str, Array] = {
        "POSITION": draw(hnp.arrays(np.float32, (count, 3), elements=FINITE))
    }
    for number in range(draw(st.integers(0, 3))):
        kind = np.dtype(draw(st.sampled_from(KINDS)))
        width = draw(st.integers(1, 4))
        elements = FINITE if kind.kind == "f" else None
        array = draw(hnp.arrays(kind, (count, width), elements=elements))
        if draw(st.booleans()):
            array = np.asfortranarray(array)
        attributes[f"_A{number}"] = array
    indices = draw(hnp.arrays(np.int64, (6,), elements=st.integers(0, count - 1)))
    return model.Primitive(attributes, indices)


def read(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def accessor(text: dict[str, Any], blob: bytes, number: int) -> Array:
    entry = text["accessors"][number]
    view = text["bufferViews"][entry["bufferView"]]
    kind, width = np.dtype(COMPONENTS[entry["componentType"]]), WIDTHS[entry["type"]]
    stride = view.get("byteStride", kind.itemsize * width)
    assert view["byteOffset"] % 4 == 0
    rows = []
    for row in range(entry["count"]):
        start = view["byteOffset"] + row * stride
        assert start + kind.itemsize * width <= view["byteOffset"] + view["byteLength"]
        rows.append(np.frombuffer(blob, kind, width, start))
    out = np.array(rows)
    if "min" in entry:
        assert entry["min"] == out.min(axis=0).tolist()
        assert entry["max"] == out.max(axis=0).tolist()
    return out


@given(primitives())
def test_arrays_come_back(primitive: model.Primitive) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.glb"
        write(model.Document([model.Node(mesh=model.Mesh([primitive]))]), path)
        text, blob = read(path)
    (written,) = text["meshes"][0]["primitives"]
    for name, array in primitive.attributes.items():
        found = accessor(text, blob, written["attributes"][name])
        assert np.array_equal(found, array)
        assert found.dtype.kind == array.dtype.kind
    assert primitive.indices is not None
    indices = accessor(text, blob, written["indices"])
    assert np.array_equal(indices[:, 0], primitive.indices)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(VALUES, st.booleans())
def test_values_come_back(value: Any, indent: bool) -> None:
    check_json(value, "value")
    assert json.loads(json_bytes(value, indent=indent)) == value


@given(st.text(st.characters(categories=["Cs", "L"])))
def test_any_text_becomes_utf_8(text: str) -> None:
    found = json.loads(json_bytes(text))
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert found == whole
