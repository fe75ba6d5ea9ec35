"""Text forms of AppData bytes; the pairs follow from the table in the user guide."""

from __future__ import annotations

import pytest

from maxsidecar.errors import EditError
from maxsidecar.sidecar.raw_text import LARGEST, parse_raw, show_raw


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", "hex:"),
        (b"\0", ""),
        (b"0\0", "0"),
        (b"a word\0", "a word"),
        (b"caf\xe9\0", "café"),
        (b"two\r\nlines\0", "two\r\nlines"),
        (b"hex:00\0", "hex:6865783a303000"),
        (b"large:\0", "hex:6c617267653a00"),
        (b"a path without end", "text:a path without end"),
        (b"short", "hex:73686f7274"),
        (b"\xef\xbb\xbf\xc3\xa9\0", "utf8:é"),
        (b"\xef\xbb\xbf\xff\0", "hex:efbbbfff00"),
        (b"a\0b\0\0\0", "utf16:ab"),
        (b"\x01", "hex:01"),
        (b"\x81\0", "hex:8100"),  # cp1252 has no character 81
        (b"\x1b[31m\0", "hex:1b5b33316d00"),
        (bytes(16), "hex:" + "00" * 16),
    ],
)
def test_bytes_are_shown_and_read_back(raw: bytes, text: str) -> None:
    assert show_raw(raw, "cp1252") == text
    assert parse_raw(text, "cp1252") == raw


def test_the_code_page_of_the_scene_counts() -> None:
    assert show_raw(b"\xd6\xd0\xce\xc4\0", "gbk") == "中文"
    assert parse_raw("中文", "gbk") == b"\xd6\xd0\xce\xc4\0"


def test_hexadecimal_digits_may_be_spaced() -> None:
    assert parse_raw("hex:30 3A 00", "cp1252") == b"0:\0"


@pytest.mark.parametrize("text", ["hex:0", "hex:xy", "hex:é", "中"])
def test_what_cannot_be_stored_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        parse_raw(text, "cp1252")


def test_large_entries_are_shown_by_size_and_hash_and_cannot_be_written() -> None:
    raw = b"x" * (LARGEST + 1)
    text = show_raw(raw, "cp1252")
    assert text.startswith(f"large: {LARGEST + 1} bytes, sha256 ")
    assert text != show_raw(b"y" * (LARGEST + 1), "cp1252")
    with pytest.raises(EditError, match="cannot be edited"):
        parse_raw(text, "cp1252")
    with pytest.raises(EditError, match="too long"):
        parse_raw("hex:" + raw.hex(), "cp1252")
    assert parse_raw(show_raw(raw[1:], "cp1252"), "cp1252") == raw[1:]
