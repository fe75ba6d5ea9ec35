"""What is no sidecar is refused, with line and column where there is a place."""

from __future__ import annotations

import time

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.sidecar.document import parse

HEAD = '[sidecar]\nformat = 1\nscene = "s.max"\nsha256 = "' + "0" * 64 + '"\n'


def error(text: str | bytes) -> SidecarError:
    with pytest.raises(SidecarError) as caught:
        parse(text.encode() if isinstance(text, str) else text, "s.max.toml")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return caught.value


def test_tables_are_read_in_order_whatever_their_form() -> None:
    document = parse(
        (
            HEAD
            + """
[node.b]
id = 2
nel.lod = { mrm = true, dist_max = 1e3 }
[node."a.b".nel]
dont_export = false
[object]
5.class = "X"
[node.b.flags]
"""
        ).encode()
    )
    assert [(t.kind, t.label, t.info, t.values, t.empty) for t in document.tables] == [
        (
            "node", "b", {"id": 2},
            {("nel", "lod", "mrm"): True, ("nel", "lod", "dist_max"): 1000.0}, [("flags",)],
        ),
        ("node", "a.b", {}, {("nel", "dont_export"): False}, []),
        ("object", "5", {"class": "X"}, {}, []),
    ]  # fmt: skip
    assert (document.scene, document.sha256, document.base) == ("s.max", "0" * 64, {})


def test_line_ends_and_marks_of_other_systems_mean_nothing() -> None:
    plain = parse(HEAD.encode())
    other = parse(b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode())
    assert other.text == plain.text


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (None, None), r"there is no \[sidecar\]"),
        ("sidecar = 1\n", (1, 1), r"there is no \[sidecar\]"),
        ("[[sidecar]]\n", (1, 1), r"there is no \[sidecar\]"),
        ("[sidecar]\nformat = 2\n", (2, 1), "another format .expected 1, found 2"),
        ("[sidecar]\nformat = true\n", (2, 1), "another format"),
        ("[sidecar]\nformat = 1.0\n", (2, 1), "another format"),
        ("[sidecar]\nformat = 1\n", (1, 1), "file name is missing"),
        ("[sidecar]\nformat = 1\nscene = 5\n", (3, 1), "file name is missing"),
        (HEAD.replace("000", "00G"), (4, 1), "hash is missing or wrong"),
        (HEAD + "x = 1\n", (5, 1), "unknown key x"),
        (HEAD + "[nodes.a]\n", (5, 1), r"nodes; did you mean \[node\]\? .expected \[node"),
        (HEAD + "[node]\n\n a = 1\n", (7, 2), "not a table"),
        (HEAD + "[[node.a]]\n", (5, 1), "not a table"),
        (HEAD + "base = 1\n", (5, 1), "unknown key base"),
        ("base = 1\n" + HEAD, (1, 1), "not a table"),
        (HEAD + "[node.a]\nx = 9223372036854775808\n", (6, 1), "the number is too large"),
        (HEAD + "[node.a.b]\nx = [[1, 0x" + "f" * 99 + "]]\n", (6, 1), "the number is too large"),
        (HEAD + "[node.a]\nid = 0x" + "f" * 9999 + "\n", (6, 1), "the number is too large"),
        ("[sidecar]\nformat = 0x" + "f" * 9999, (2, 1), "found an integer of 39996 bits"),
        (HEAD + "[node.a]\nx = y\n", (6, 5), "not valid TOML"),
        (HEAD + "[node.a]\n[node.a]\n", (6, 8), "not valid TOML"),
        (HEAD + 'x = "\\ud800"\n', (5, 12), "not valid TOML"),
        (HEAD + "x = 1979-13-40\n", (5, 9), "not valid TOML"),
        (HEAD + "x = " + "9" * 100_000 + "\n", (5, 5), "the number is too long"),
        (HEAD + "x = " + "[" * 100_000 + "\n", (None, None), "nest too deep"),
        (HEAD + "x = " + "{a=" * 100_000 + "\n", (None, None), "nest too deep"),
        (HEAD + "[" + "a." * 100_000 + "a]\n", (5, 1), "nests too deep"),
        (HEAD + "[node.a]\n" + "a . " * 100_000 + "a = 1\n", (6, 1), "nests too deep"),
        (HEAD + "x = {" + '"a".' * 100_000 + "a = 1}\n", (5, 1), "nests too deep"),
        (HEAD + "[node.a." + "b." * 30 + "b]\n", (5, 1), "tables nest too deep"),
    ],
)  # fmt: skip
def test_what_is_no_sidecar_is_refused(
    text: str, place: tuple[int | None, int | None], message: str
) -> None:
    with pytest.raises(SidecarError, match=message):
        parse(text.encode())
    found = error(text)
    assert (found.line, found.column) == place


def test_bytes_that_are_no_text_are_refused() -> None:
    found = error(b"# ok\nx = \xff")
    assert (found.line, found.column) == (2, 5)
    assert str(found) == "s.max.toml:2:5: the sidecar is not UTF-8"


def test_long_texts_take_bounded_time() -> None:
    start = time.process_time()
    line = HEAD + "[node.a]\n" + 'user_properties = """' + "x\\\\ " * 250_000 + '"""\n'
    table = parse(line.encode()).tables[0]
    assert len(table.values["user_properties",]) == 3 * 250_000
    many = HEAD + "[node.a]\n" + "".join(f"k{i} = {i}\n" for i in range(20_000))
    document = parse(many.encode())
    for i in range(20_000):
        assert document.locator.find(("node", "a", f"k{i}")) == (6 + i, 1)
    assert time.process_time() - start < 60


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504), r"scene; did you mean street\.max\.toml"),
        ("[sidecar]".encode("utf-16"), "UTF-16; save it as UTF-8"),
        ("[sidecar]".encode("utf-16-be").join([b"\xfe\xff", b""]), "UTF-16"),
    ],
)
def test_files_of_another_kind_are_named(data: bytes, message: str) -> None:
    with pytest.raises(SidecarError, match=message):
        parse(data, "street.max")


def test_a_misspelled_table_is_suggested() -> None:
    head = f'[sidecar]\nformat = 1\nscene = "s.max"\nsha256 = "{"0" * 64}"\n'
    with pytest.raises(SidecarError, match=r"unknown key bass; did you mean \[base\]\?"):
        parse(f"{head}[bass]\n".encode())
    with pytest.raises(SidecarError, match=r"unknown key zzz \(expected"):
        parse(f"{head}[zzz]\n".encode())
