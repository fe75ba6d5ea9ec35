"""A deterministic mutator of sidecar text: the same text and seed always give the same bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

__all__ = ["mutate_text"]

#: Pieces that mean something in TOML or in a sidecar.
PIECES = (
    "[", "]", "[[", "]]", "=", ".", '"', '"""', "'", "'''", "#", "\\", "\\u12", "\\ud800", "\n",
    "\r", "\0", "\ufeff", "{", "}", ",", "true", "inf", "-nan", "1e999", "0x", "9" * 400,
    "[node.x]\n", "id = 1\n", "[sidecar]\n", "hex:", "hex:zz", "a.b.c.d = 1\n", "2000-01-01",
    "é", "\U0001f600", "[" * 2000, "{a=" * 500, '"' + "x" * 5000 + '"', "nel = 1\n", "[node]\n",
    "node = []\n",
)  # fmt: skip


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text))]


def _take_out(text: str, rng: random.Random) -> str:
    a = rng.randrange(len(text))
    return text[:a] + text[a + rng.choice((1, 1, 2, 5, 40)) :]


def _put_in(text: str, rng: random.Random) -> str:
    a = rng.randrange(len(text) + 1)
    return text[:a] + rng.choice(PIECES) + text[a:]


def _letter(text: str, rng: random.Random) -> str:
    a = rng.randrange(len(text))
    return text[:a] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[a + 1 :]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(4)
    if choice == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif choice == 1:
        lines.insert(a, lines[b])
    elif choice == 2:
        del lines[a]
    else:
        lines[a : a + 6] = lines[b : b + 6]
    return "".join(lines)


_VALUE = re.compile(r"(?<= = )[^\n]+")


def _value(text: str, rng: random.Random) -> str:
    """Put another value behind a key: of another type, too large, or of another key."""
    values = list(_VALUE.finditer(text))
    if not values:
        return text
    spot = rng.choice(values)
    new = rng.choice((
        "true", "false", "0", "-1", "1", "3.5", "inf", "nan", "1e30", "4294967296", str(2**63),
        '""', '"x"', '"' + "y" * 70000 + '"', '"\\u0000"', '"\\r\\n"', "[]", "[1, 2]", "{}",
        "{ a = 1 }", "1979-05-27", '"#ffffff"',
        '"hex:"', '"hex:00ff"', '"hex:0"', rng.choice(values)[0],
    ))  # fmt: skip
    return text[: spot.start()] + new + text[spot.end() :]


def _plausible(text: str, rng: random.Random) -> str:
    """Make an edit of the kind that people make: another number, word, colour or switch."""
    lines = text.splitlines(keepends=True)
    # What stands below the identity of an object, and above the base that nobody edits.
    end = next((n for n, line in enumerate(lines) if line.startswith("[sidecar.base")), len(lines))
    spots = [n for n, line in enumerate(lines[:end]) if " = " in line and n > 8]
    at = rng.choice(spots) if spots else 0
    key, _, old = lines[at].rstrip("\n").partition(" = ")
    if old in ("true", "false"):
        new = "false" if old == "true" else "true"
    elif old.startswith('"#'):
        new = f'"#{rng.randrange(1 << 24):06x}"'
    elif old.startswith('"hex:'):
        new = f'"hex:{rng.randbytes(rng.randrange(40)).hex()}"'
    elif old.startswith('"'):
        new = f'"{rng.choice(("", "x", "Straße", "дом", "a b"))}{rng.randrange(100)}"'
    elif old.replace(".", "").isdigit():
        new = f"{rng.randrange(1000)}.{rng.randrange(100)}" if "." in old else f"{rng.randrange(9)}"
    else:
        new = old
    lines[at] = f"{key} = {new}\n"
    return "".join(lines)


_STRATEGIES: tuple[Callable[[str, random.Random], str], ...] = (
    _cut, _take_out, _put_in, _put_in, _letter, _lines, _lines, _value, _value, _value,
    _plausible, _plausible, _plausible, _plausible, _plausible,
)  # fmt: skip


def mutate_text(text: str, seed: int) -> bytes:
    """Return a damaged text, as bytes that may not even be UTF-8."""
    rng = random.Random(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if text:
            text = rng.choice(_STRATEGIES)(text, rng)
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if data and rng.random() < 0.05:
        data[rng.randrange(len(data))] = rng.randrange(128, 256)
    if rng.random() < 0.05:
        data = bytearray(text.encode("utf-16", "surrogatepass"))
    return bytes(data)
