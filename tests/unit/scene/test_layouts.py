"""Layouts as text, and objects that they describe."""

from __future__ import annotations

import pytest

from maxsidecar.io.views import check_leaves
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout, register_layouts
from tests.support.scenes import SceneMaker, f32, u32

KIND = (0xABCD0001, 0xABCD0002, 0x200)


def leaves(chunks: list[object]) -> dict[str, object]:
    maker = SceneMaker()
    index = maker.add(KIND, chunks)  # type: ignore[arg-type]
    obj = maker.scene()[index]
    assert isinstance(obj, LaidOut)
    found = {name: codec.verified(chunk.data) for chunk, name, codec in obj.typed_leaves()}
    problems: list[str] = []
    assert check_leaves(obj.typed_leaves(), lambda e: problems.append(str(e)))[0] == len(found)
    assert not problems
    return found


@pytest.fixture(autouse=True)
def _registered() -> None:
    # Known classes first, since looking at the first object of a superclass registers them.
    SceneMaker().add(KIND)
    register_layouts(
        """
# A remark.
abcd0001/abcd0002/200 Thing; 0010:size=f32x2 0011=u32s 0020=mark 0020{ 0001:name=text }
    0030@matrix 0040=u16
"""
    )


def test_leaves_containers_and_names() -> None:
    found = leaves(
        [
            (0x10, f32(1, 2)),
            (0x11, u32(1, 2, 3)),
            (0x20, b""),
            (0x20, [(1, "a".encode("utf-16-le"))]),
            (0x30, [(0x3E8, f32(*range(12))), (0x3F2, u32(7))]),
            (0x99, b"unknown"),
        ]
    )
    assert found == {
        "size": (1.0, 2.0),
        "chunk_0011": (1, 2, 3),
        "chunk_0020": True,
        "chunk_0020[1].name": "a",
        "chunk_0030.rows": tuple(map(float, range(12))),
        "chunk_0030.flags": 7,
    }


def test_repeated_chunks_are_numbered() -> None:
    assert leaves([(0x40, b"\1\0"), (0x40, b"\2\0")]) == {"chunk_0040": 1, "chunk_0040[1]": 2}


def test_a_leaf_of_another_size_is_reported_not_raised() -> None:
    maker = SceneMaker()
    index = maker.add(KIND, [(0x10, b"\0")])
    obj = maker.scene()[index]
    problems: list[str] = []
    assert check_leaves(obj.typed_leaves(), lambda e: problems.append(str(e))) == (0, 0)
    assert len(problems) == 1
    assert "size" in problems[0]


@pytest.mark.parametrize(
    "text",
    ["10=f64", "10=u32x", "10", "10{ 11=u32", "10=u32 }", "x=u32", "10:Name=u32", "10=nothing"],
)
def test_text_that_is_no_layout(text: str) -> None:
    with pytest.raises(ValueError, match=r"no such codec|not a chunk|brace"):
        Layout.read(text)


def test_a_layout_may_name_another() -> None:
    layout = Layout.read("2800:exclusion@exclusion", COMMON)
    assert set(layout.containers[0x2800][1].leaves) == {0x3E9, 0x3EA, 0x3EC}
