r"""Regular expressions that cannot hang: read into a small program.

The usual syntax without back-references and look-around, which are what linear time excludes:
literals, ``.``, ``[...]``, ``\d \w \s`` and their opposites, ``^ $``, ``|``, groups
``(...)``, ``(?:...)``, ``(?P<name>...)``, and the repeats ``* + ? {n} {n,} {n,m}``, lazy with ``?``
behind.  A program runs in :mod:`maxsidecar.migrate.rules.regex`, in time that grows with its size
times the length of the text and with nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from maxsidecar.migrate.rules.windows import fold_char

__all__ = ["MOST_STEPS", "CharTest", "Op", "Program", "RegexError", "parse"]

#: Longest program; repeats of repeats are written out, so that few characters can ask for more.
MOST_STEPS: Final = 1000
_DEEPEST: Final = 50

_SPECIAL: Final = frozenset("\\.[]{}()*+?|^$")
_DIGITS: Final = frozenset("0123456789")


class RegexError(Exception):
    """A pattern is not understood.

    Attributes:
        position: Where in the pattern, from 0.
    """

    def __init__(self, message: str, position: int) -> None:
        """Say what and where."""
        super().__init__(message)
        self.position = position


class CharTest:
    """Which characters a step takes; compares as Windows compares paths.

    Attributes:
        negated: It takes all others.
        ranges: First and last character of each range.
        classes: Letters of the shorthand classes, ``d``, ``W`` and so on.
    """

    __slots__ = ("_known", "classes", "negated", "ranges")

    def __init__(self, negated: bool = False) -> None:
        """Take nothing yet."""
        self.negated = negated
        self.ranges: list[tuple[str, str]] = []
        self.classes: list[str] = []
        self._known: dict[str, bool] = {}

    def takes(self, char: str) -> bool:
        """Return whether a character, folded, is taken."""
        found = self._known.get(char)
        if found is None:
            found = any(self._holds(c) for c in {char, char.lower(), "/" if char == "\\" else char})
            found = self._known[char] = found is not self.negated
        return found

    def _holds(self, char: str) -> bool:
        if any(first <= char <= last for first, last in self.ranges):
            return True
        return any(_in_class(char, letter) for letter in self.classes)


def _in_class(char: str, letter: str) -> bool:
    kind = letter.lower()
    if kind == "d":
        inside = char.isdecimal()
    elif kind == "s":
        inside = char.isspace()
    else:
        inside = char.isalnum() or char == "_"
    return inside is letter.islower()


@dataclass(slots=True)
class Op:
    """One step of a program.

    Attributes:
        kind: ``char``, ``any``, ``set``, ``split``, ``jump``, ``save``, ``start``, ``end`` or
            ``match``.
        char: The folded character.
        test: The characters of a set.
        first: Where to go on; of a split, what to prefer.
        second: The other way of a split.
    """

    kind: str
    char: str = ""
    test: CharTest | None = None
    first: int = 0
    second: int = 0


@dataclass(slots=True)
class Program:
    """A pattern ready to run.

    Attributes:
        ops: The steps.
        groups: Number of groups.
        names: Group number by name.
    """

    ops: list[Op] = field(default_factory=list)
    groups: int = 0
    names: dict[str, int] = field(default_factory=dict)


def parse(pattern: str) -> Program:
    """Read a pattern.

    Raises:
        RegexError: It is not understood, or becomes too large a program.
    """
    return _Parser(pattern).program()


class _Parser:
    """Recursive descent; each method returns the steps of a part, with jumps relative to it."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.pos = 0
        self.depth = 0
        self.result = Program()

    def program(self) -> Program:
        body = self._choice()
        if self.pos < len(self.text):
            raise RegexError("a closing parenthesis too many", self.pos)
        ops = [Op("save", first=0), *_moved(body, 1), Op("save", first=1), Op("match")]
        self.result.ops = ops
        return self.result

    def _peek(self) -> str:
        return self.text[self.pos : self.pos + 1]

    def _sized(self, ops: list[Op], at: int) -> list[Op]:
        if len(ops) > MOST_STEPS:
            raise RegexError("the pattern asks for too many repeats", at)
        return ops

    def _choice(self) -> list[Op]:
        start = self.pos
        self.depth += 1
        if self.depth > _DEEPEST:
            raise RegexError("groups nest too deep", start)
        parts = [self._run()]
        while self._peek() == "|":
            self.pos += 1
            parts.append(self._run())
        self.depth -= 1
        # From the last: what is in front of a part is one split, what is behind it a jump.
        body = parts.pop()
        while parts:
            left = parts.pop()
            split = Op("split", first=1, second=len(left) + 2)
            jump = Op("jump", first=len(left) + 2 + len(body))
            body = [split, *_moved(left, 1), jump, *_moved(body, len(left) + 2)]
            self._sized(body, start)
        return body

    def _run(self) -> list[Op]:
        ops: list[Op] = []
        start = self.pos
        while self._peek() not in ("", "|", ")"):
            ops += _moved(self._repeated(), len(ops))
            self._sized(ops, start)
        return ops

    def _repeated(self) -> list[Op]:
        at = self.pos
        atom = self._atom()
        repeat = self._repeat()
        if repeat is None:
            return atom
        low, high = repeat
        if self._peek() == "+":
            raise RegexError("possessive repeats are not supported", self.pos)
        lazy = self._peek() == "?"
        self.pos += lazy
        if self._repeat() is not None:
            raise RegexError("a repeat of a repeat", self.pos - 1)
        if len(atom) * max(low, high or 0, 1) > MOST_STEPS:
            raise RegexError("the pattern asks for too many repeats", at)
        ops: list[Op] = []
        for _ in range(low):
            ops += _moved(atom, len(ops))
        if high is None:
            ops += _moved(_loop(atom, lazy), len(ops))
        else:
            end = len(ops) + (high - low) * (len(atom) + 1)
            for _ in range(high - low):
                ops.append(_split(len(ops) + 1, end, lazy))
                ops += _moved(atom, len(ops))
        return self._sized(ops, at)

    def _repeat(self) -> tuple[int, int | None] | None:
        char = self._peek()
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if char and char in simple:
            self.pos += 1
            return simple[char]
        if char != "{":
            return None
        start = self.pos
        end = self.text.find("}", start)
        low, comma, high = self.text[start + 1 : end].partition(",")
        numbers = [part for part in (low, high) if part]
        if end < 0 or not low or not all(set(n) <= _DIGITS and len(n) < 6 for n in numbers):
            raise RegexError("not a repeat such as {2}, {2,} or {2,5}", start)
        self.pos = end + 1
        least = int(low)
        most = int(high) if high else None if comma else least
        if most is not None and most < least:
            raise RegexError("a repeat with its numbers the wrong way round", start)
        return least, most

    def _atom(self) -> list[Op]:
        at = self.pos
        char = self.text[at]
        self.pos += 1
        if char == "(":
            return self._group(at)
        if char == "[":
            return [Op("set", test=self._set(at))]
        if char == ".":
            return [Op("any")]
        if char in "^$":
            return [Op("start" if char == "^" else "end")]
        if char in "*+?{":
            raise RegexError("there is nothing to repeat", at)
        if char != "\\":
            return [Op("char", char=fold_char(char))]
        letter, literal = self._escape(at)
        if literal:
            return [Op("char", char=fold_char(letter))]
        test = CharTest()
        test.classes.append(letter)
        return [Op("set", test=test)]

    def _escape(self, at: int) -> tuple[str, bool]:
        """Return what stands behind a backslash, and whether it stands for itself."""
        char = self._peek()
        self.pos += 1
        if not char:
            raise RegexError("a backslash at the end; a literal one is two", at)
        if char in "dDwWsS":
            return char, False
        if char.isdecimal():
            raise RegexError("back-references are not supported", at)
        if char.isalnum():
            raise RegexError(f"unknown escape \\{char}; a literal backslash is two", at)
        return char, True

    def _group(self, at: int) -> list[Op]:
        number: int | None = None
        if self.text.startswith("?:", self.pos):
            self.pos += 2
        else:
            self.result.groups += 1
            number = self.result.groups
            if self._peek() == "?":
                self._name(number, at)
        body = self._choice()
        if self._peek() != ")":
            raise RegexError("a parenthesis is not closed", at)
        self.pos += 1
        if number is None:
            return body
        return [Op("save", first=2 * number), *_moved(body, 1), Op("save", first=2 * number + 1)]

    def _name(self, number: int, at: int) -> None:
        end = self.text.find(">", self.pos)
        if not self.text.startswith("?P<", self.pos) or end < 0:
            raise RegexError("groups are (...), (?:...) or (?P<name>...)", at)
        name = self.text[self.pos + 3 : end]
        if not name.isidentifier() or name in self.result.names:
            raise RegexError(f"a bad or repeated group name: {name[:40]!r}", self.pos + 3)
        self.result.names[name] = number
        self.pos = end + 1

    def _set(self, at: int) -> CharTest:
        test = CharTest(self._peek() == "^")
        self.pos += test.negated
        first = True
        while self._peek() != "]" or first:
            first = False
            low = self._set_char(at, test)
            if low is None:
                continue
            high = low
            if self._peek() == "-" and self.text[self.pos + 1 : self.pos + 2] not in ("]", ""):
                self.pos += 1
                place = self.pos
                upper = self._set_char(at, None)
                if upper is None or upper < low:
                    raise RegexError("a range with its ends the wrong way round", place)
                high = upper
            test.ranges.append((low, high))
        self.pos += 1
        return test

    def _set_char(self, at: int, test: CharTest | None) -> str | None:
        """Return a character of a set; a shorthand class goes into ``test`` instead."""
        char = self._peek()
        if not char:
            raise RegexError("a bracket is not closed", at)
        place = self.pos
        self.pos += 1
        if char != "\\":
            return char
        letter, literal = self._escape(place)
        if literal:
            return letter
        if test is not None:
            test.classes.append(letter)
        return None


def _moved(ops: list[Op], by: int) -> list[Op]:
    """Return steps for a place further on."""
    if not by:
        return ops
    return [
        Op(op.kind, op.char, op.test, op.first + by, op.second + by)
        if op.kind in ("split", "jump")
        else op
        for op in ops
    ]


def _split(inside: int, outside: int, lazy: bool) -> Op:
    first, second = (outside, inside) if lazy else (inside, outside)
    return Op("split", first=first, second=second)


def _loop(atom: list[Op], lazy: bool) -> list[Op]:
    """Return the steps of any number of repeats."""
    end = len(atom) + 2
    return [_split(1, end, lazy), *_moved(atom, 1), Op("jump", first=0)]
