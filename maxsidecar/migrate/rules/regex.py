"""Running a pattern over a path, in time that no pattern and no path can blow up.

All ways to match go through the text side by side, in order of preference (Pike's algorithm), so
the work is at most steps of the program times characters of the text.  The result is the one that
the usual backtracking would find.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.migrate.rules.regex_parse import Op, Program, parse
from maxsidecar.migrate.rules.windows import fold

__all__ = ["LONGEST_TEXT", "Found", "Regex"]

#: Longer texts match no pattern; the longest path in a real scene has under 300 characters.
LONGEST_TEXT: Final = 2048

_Slots = tuple[int, ...]


class Found:
    """Where a pattern matched.

    Attributes:
        text: The text.
        slots: Start and end of the whole match, then of each group; -1 where it took no part.
    """

    __slots__ = ("names", "slots", "text")

    def __init__(self, text: str, slots: _Slots, names: dict[str, int]) -> None:
        """Remember where."""
        self.text = text
        self.slots = slots
        self.names = names

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the match."""
        return self.slots[0], self.slots[1]

    def group(self, key: int | str) -> str:
        """Return the text of a group, empty where it took no part."""
        number = self.names[key] if isinstance(key, str) else key
        start, end = self.slots[2 * number], self.slots[2 * number + 1]
        return self.text[start:end] if start >= 0 and end >= 0 else ""


class Regex:
    """A pattern; it finds its first match, without regard to case and kind of slash.

    Attributes:
        program: The steps.
    """

    __slots__ = ("_ops", "program")

    def __init__(self, pattern: str) -> None:
        r"""Read the pattern.

        Raises:
            RegexError: It is not understood.
        """
        self.program: Program = parse(pattern)
        self._ops: list[Op] = self.program.ops

    def search(self, text: str) -> Found | None:
        """Return the first match in a text."""
        if len(text) > LONGEST_TEXT:
            return None
        folded = fold(text)
        blank: _Slots = (-1,) * (2 * self.program.groups + 2)
        ops = self._ops
        matched: _Slots | None = None
        threads: list[tuple[int, _Slots]] = []
        seen: set[int] = set()
        for pos in range(len(folded) + 1):
            if matched is None:
                # A match that begins here comes behind all that began earlier.
                self._follow(threads, seen, 0, blank, pos, len(folded))
            elif not threads:
                break
            char = folded[pos : pos + 1]
            following: list[tuple[int, _Slots]] = []
            seen = set()
            for step, slots in threads:
                op = ops[step]
                if op.kind == "match":
                    matched = slots
                    break
                if char and (
                    op.kind == "any"
                    or (op.kind == "char" and op.char == char)
                    or (op.test is not None and op.test.takes(char))
                ):
                    self._follow(following, seen, step + 1, slots, pos + 1, len(folded))
            threads = following
        return None if matched is None else Found(text, matched, self.program.names)

    def _follow(
        self,
        threads: list[tuple[int, _Slots]],
        seen: set[int],
        step: int,
        slots: _Slots,
        pos: int,
        end: int,
    ) -> None:
        """Add a step, or all that can be reached from it without a character, best first."""
        pending = [(step, slots)]
        while pending:
            step, slots = pending.pop()
            if step in seen:
                continue
            seen.add(step)
            op = self._ops[step]
            if op.kind == "split":
                pending += ((op.second, slots), (op.first, slots))
            elif op.kind == "jump":
                pending.append((op.first, slots))
            elif op.kind == "save":
                pending.append((step + 1, (*slots[: op.first], pos, *slots[op.first + 1 :])))
            elif op.kind == "start" or op.kind == "end":
                if pos == (0 if op.kind == "start" else end):
                    pending.append((step + 1, slots))
            else:
                threads.append((step, slots))
