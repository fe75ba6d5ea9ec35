"""Parameter declarations in the source text of a custom attribute.

Only what names need: ``parameters <block> ( <name> type:#kind id:3 ... )``.  A parameter without
an ``id:`` has its position as its id (measured on the corpus, docs/format/parameters.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["declared_parameters"]

_TOKEN: Final = re.compile(
    r"""
      --[^\n]*                     # comment to the end of the line
    | /\*.*?(?:\*/|\Z)             # comment
    | @"[^"]*(?:"|\Z)              # text without escapes
    | "(?:\\.|[^"\\])*(?:"|\Z)     # text
    | '[^'\n]*'                    # name in quotes
    | [A-Za-z_0-9\x80-\U0010ffff]+ # word or number
    | \S                           # anything else, one by one
    """,
    re.VERBOSE | re.DOTALL,
)


def declared_parameters(source: str) -> list[dict[int, str]]:
    """Return the parameter names by id of each ``parameters`` block, in the order of the text.

    Args:
        source: MAXScript source of the definition.
    """
    blocks: list[dict[int, str]] = []
    parts = _parts(source)
    for part in parts:
        if part.lower() == "parameters" and _reaches_body(parts):
            blocks.append(_parameters(parts))
    return blocks


def _parts(source: str) -> Iterator[str]:
    for match in _TOKEN.finditer(source):
        part = match.group()
        if not part.startswith(("--", "/*")):
            yield part


def _reaches_body(parts: Iterator[str]) -> bool:
    """Go on to the opening bracket, past the block's name and options."""
    for part in parts:
        if part in "()":
            return part == "("
    return False


def _parameters(parts: Iterator[str]) -> dict[int, str]:
    """Read the declarations up to the closing bracket."""
    words: list[str] = []
    depth = 1
    for part in parts:
        if part in "([{":
            if depth == 1:
                words.append(part)  # stands for all that is in the brackets
            depth += 1
        elif part in ")]}":
            depth -= 1
            if not depth:
                break
        elif depth == 1:
            words.append(part)
    names: dict[int, str] = {}
    number = -1
    name = ""
    for i in range(len(words) - 2):
        word, option, colon = words[i : i + 3]
        if colon == ":" and option.lower() in _OPTIONS and _is_name(word):
            if i and words[i - 1] in _BEFORE_VALUE:
                continue  # the value of an option, not a name
            number += 1
            name = word.strip("'")
            names.setdefault(number, name)
        elif option == ":" and word.lower() == "id" and colon.isdecimal() and len(colon) < 6:
            if names.get(number) == name:
                del names[number]
            names[int(colon)] = name
    return names


def _is_name(word: str) -> bool:
    return word.isidentifier() or (len(word) > 2 and word.startswith("'"))


#: What a value stands behind.
_BEFORE_VALUE: Final = frozenset({":", "#", ".", "=", "-", "+", "*", "/", "&"})

#: Options of a declaration, one of which follows its name.
_OPTIONS: Final = frozenset(
    {"type", "default", "ui", "animatable", "id", "tabsize", "tabsizevariable", "subanim",
     "invisibleintv", "localizedname", "enumvalues", "assettype", "readonly"}
)  # fmt: skip
