"""Write the pages that follow from the code: the references and the JSON Schema.

Run it after a change of the registry or of the flags:  python docs/generate.py
A test compares its output with the files, so neither can grow old.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maxsidecar import plugins
from maxsidecar.nel.serial.reference import reference as nel_reference
from maxsidecar.scene.appdata_bits import BitFieldCodec, Choice
from maxsidecar.scene.appdata_registry import Property
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.sidecar.extract import SCHEMA_NAME
from maxsidecar.sidecar.fields import registered_tables
from maxsidecar.sidecar.files import schema_text
from maxsidecar.sidecar.toml_text import format_value

HERE = Path(__file__).resolve().parent

INTRODUCTION = """\
# Sidecar reference

Every key that a sidecar can hold.  This page is generated: run `python docs/generate.py`.
How sidecars work is told in [sidecar.md](sidecar.md).

## The file

| key | type | meaning |
|---|---|---|
| `sidecar.format` | integer | version of the text form, 1 |
| `sidecar.scene` | text | file name of the scene, in the sidecar's folder |
| `sidecar.sha256` | text | hash of the scene file that the values are of |
| `node.NAME` | table | a node by name; `NAME@ID` where several share the name |
| `object.INDEX` | table | an object that is no node, by storage index |
| `material`, `map`, `layer` | tables | by `NAME@INDEX`, see [sidecar.md](sidecar.md) |
| `base` | table | the values at extraction, packed; leave it alone |

## `node.NAME`

| key | type | meaning |
|---|---|---|
| `id` | integer | handle of the node, or its storage index in files without handles; read-only |
| `index` | integer | storage index of a node without a handle; read-only |
| `class`, `parent`, `layer` | text | for information; read-only |
| `wire_color` | text | colour of the wireframe, `"#rrggbb"` |
| `user_properties` | text | user-defined properties, the text as it was typed |

## `node.NAME.flags`

True or false; a flag can be changed, not removed.

| key | meaning |
|---|---|
"""

APPDATA = """\

## `node.NAME.appdata`, `object.INDEX.appdata`

AppData entries that have no name.  The key is `class id-class id/superclass/number`: the first
three are hexadecimal, the number is decimal.  A further entry with the same key has `#2`, `#3` and
so on behind it.

| value | bytes |
|---|---|
| `"text"` | 8-bit text in the scene's code page, ended by one NUL |
| `"text:..."` | the same without a NUL |
| `"utf8:..."` | UTF-8 with a byte order mark in front, ended by one NUL |
| `"utf16:..."` | UTF-16LE, ended by one NUL |
| `"hex:..."` | anything, as hexadecimal digits |
| `"large: ..."` | size and hash of an entry that is too long; it can be removed, not changed |
"""


def reference() -> str:
    """Return the reference page."""
    return INTRODUCTION + "\n".join([*_flags(), *_tables()]) + "\n" + APPDATA


def _flags() -> Iterator[str]:
    for name, flag in NODE_FLAGS.items():
        if flag.editable:
            yield f"| `{name}` | {flag.doc} |"


def _tables() -> Iterator[str]:
    for group, properties in registered_tables().items():
        yield ""
        yield f"## `{'.'.join(group)}`"
        yield ""
        (codec, *_) = [prop.codec for prop in properties]
        if isinstance(codec, BitFieldCodec) and properties[0].path == group:
            yield from _bits(properties[0], codec)
            continue
        yield "| key | type | default | meaning | stored as |"
        yield "|---|---|---|---|---|"
        for prop in properties:
            cells = (
                f"`{prop.toml_key}`",
                _type(prop),
                "none" if prop.default is None else f"`{format_value(prop.default)}`",
                _meaning(prop),
                f"{prop.name} {prop.key.subid}",
            )
            yield "| " + " | ".join(cells) + " |"


def _bits(prop: Property, codec: BitFieldCodec) -> Iterator[str]:
    yield f"{_meaning(prop)}.  One integer, {prop.name} {prop.key.subid}, shown by its bits;"
    yield "`other_bits` holds those without a name, where one is set."
    yield ""
    yield "| key | values | default | bits |"
    yield "|---|---|---|---|"
    default: Any = prop.default
    for name, field in codec.fields.items():
        values = "true, false"
        if isinstance(field, Choice):
            values = ", ".join(f'`"{text}"`' for text in field.names.values())
        shown = format_value(default[name]) if isinstance(default, dict) else "none"
        yield f"| `{name}` | {values} | `{shown}` | {field.mask:#x} |"


def _type(prop: Property) -> str:
    names = getattr(prop.codec, "names", None)
    if names:
        return ", ".join(f'`"{text}"` {number}' for number, text in names.items())
    low, high = prop.minimum, prop.maximum
    if low is None and high is None:
        return prop.codec.kind
    bounds = f"{low:g} to {high:g}" if low is not None and high is not None else f"from {low:g}"
    return f"{prop.codec.kind}, {bounds}"


def _meaning(prop: Property) -> str:
    return f"{prop.meaning} [{prop.units}]" if prop.units else prop.meaning


def pages() -> dict[Path, str]:
    """Return the text of every generated file."""
    plugins.load()
    return {
        HERE / "sidecar-reference.md": reference(),
        HERE / "nel-reference.md": nel_reference(),
        HERE / SCHEMA_NAME: schema_text(),
    }


def main() -> int:
    """Write the files that changed."""
    for path, text in pages().items():
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8", newline="\n")
            print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
