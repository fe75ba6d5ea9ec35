"""The reference page of the game's formats and classes, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from maxsidecar.nel.serial.declare import Field, Serial
from maxsidecar.nel.serial.formats import FORMATS
from maxsidecar.nel.serial.kinds import Enum, Version
from maxsidecar.nel.serial.registry import classes_by_module

__all__ = ["reference"]

_INTRODUCTION = """\
# NeL reference

Every format and class of the game that is read and written.  This page is generated: run
`python docs/generate.py`.  What versions, pointers, lists and maps look like in a file is told in
[format/nel.md](format/nel.md), how to use them in [nel.md](nel.md).

## Formats

| files | what they are | class | magic |
|---|---|---|---|
"""


def reference() -> str:
    """Return the page."""
    return _INTRODUCTION + "\n".join([*_formats(), *_modules()]) + "\n"


def _formats() -> Iterator[str]:
    for item in FORMATS:
        suffixes = " ".join(f"`{suffix}`" for suffix in item.suffixes)
        place = f" at {item.offset}" if item.offset else ""
        magic = f"`{item.magic.decode('ascii')}`{place}" if item.magic else "none"
        yield f"| {suffixes} | {item.doc} | {item.cls} | {magic} |"


def _modules() -> Iterator[str]:
    for doc, classes in classes_by_module():
        yield ""
        yield f"## {_text(doc).splitlines()[0].rstrip('.')}"
        for cls in classes:
            yield from _class(cls)


def _text(doc: str) -> str:
    """Return a docstring in the page's own markup."""
    return doc.replace("``", "`")


def _class(cls: type[Serial]) -> Iterator[str]:
    yield ""
    yield f"### {cls.nel_name}"
    yield ""
    yield from _notes(cls)
    yield "| field | stored as | default | when | meaning |"
    yield "|---|---|---|---|---|"
    for name, item in cls.fields.items():
        if item.kind.stored:
            cells = (f"`{name}`", _stored(item), _default(item), _when(item), item.doc)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _notes(cls: type[Serial]) -> Iterator[str]:
    yield from (line.strip() for line in _text(cls.__doc__ or "").strip().splitlines())
    if cls.bases:
        yield f"Pointers to {', '.join(cls.bases)} may lead to it."
    if cls.__name__ != cls.nel_name:
        yield f"In Python `{cls.__name__}`."
    yield ""


def _stored(item: Field[Any]) -> str:
    if isinstance(item.kind, Enum):
        values = (f"{number} {name}" for number, name in item.kind.names.items())
        return f"{item.kind.label}: {', '.join(values)}"
    return item.kind.label


def _default(item: Field[Any]) -> str:
    if item.derive is not None:
        return "derived"
    value = item.fresh()
    return f"`{value!r}`" if isinstance(value, bool | int | float | str | tuple) else ""


def _when(item: Field[Any]) -> str:
    parts = []
    if isinstance(item.kind, Version):
        parts.append(f"{item.kind.oldest} to {item.kind.newest}")
    if item.since and item.until is not None:
        both = f"versions {item.since} to {item.until}"
        parts.append(both if item.since != item.until else f"version {item.since}")
    elif item.since:
        parts.append(f"since version {item.since}")
    elif item.until is not None:
        parts.append(f"until version {item.until}")
    if item.when is not None:
        parts.append(item.when.text)
    if item.most is not None:
        parts.append(f"at most {item.most}")
    return ", ".join(parts)
