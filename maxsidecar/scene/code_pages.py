"""Windows code pages as Python codecs."""

from __future__ import annotations

from typing import Final

__all__ = ["DEFAULT_ENCODING", "encoding_of", "narrow_encoding_of"]

#: Western European, which most 8-bit text of scenes is in.
DEFAULT_ENCODING: Final = "cp1252"

# An explicit list, since what codecs.lookup() finds depends on the platform.
_CODECS: Final = {
    437: "cp437",
    850: "cp850",
    852: "cp852",
    866: "cp866",
    874: "cp874",
    932: "cp932",
    936: "gbk",
    949: "cp949",
    950: "cp950",
    1200: "utf-16-le",
    1201: "utf-16-be",
    1250: "cp1250",
    1251: "cp1251",
    1252: "cp1252",
    1253: "cp1253",
    1254: "cp1254",
    1255: "cp1255",
    1256: "cp1256",
    1257: "cp1257",
    1258: "cp1258",
    1361: "johab",
    10000: "mac-roman",
    20127: "ascii",
    28591: "latin-1",
    54936: "gb18030",
    65001: "utf-8",
}


def encoding_of(code_page: int | None) -> str:
    """Return the Python codec of a code page, cp1252 for one that is unknown or ``None``."""
    return _CODECS.get(code_page or 0, DEFAULT_ENCODING)


def narrow_encoding_of(code_page: int | None) -> str:
    """Return the Python codec of 8-bit text, cp1252 for a code page of another kind."""
    encoding = encoding_of(code_page)
    return DEFAULT_ENCODING if encoding.startswith("utf-16") else encoding
