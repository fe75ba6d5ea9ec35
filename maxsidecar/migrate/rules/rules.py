"""A set of rules: read from a file, checked, and applied to paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from maxsidecar.migrate.rules.actions import Action, Lookup, Refused
from maxsidecar.migrate.rules.patterns import Pattern
from maxsidecar.migrate.rules.windows import LONGEST, same_path

__all__ = ["Decision", "Rule", "Rules"]

#: Different paths whose result is remembered; scenes share most of theirs.
_REMEMBERED: Final = 100_000


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        pattern: Which paths are meant.
        action: What becomes of them.
        kinds: Kinds of places that are meant; empty for all.
        line: Line of the rules file.
        goes_on: The rules behind it see the new path.
    """

    pattern: Pattern
    action: Action
    kinds: frozenset[str] = frozenset()
    line: int = 0
    goes_on: bool = False

    def apply(self, path: str, kind: str) -> str | None:
        """Return the new path, ``None`` where the rule is not meant for this one.

        Raises:
            Refused: It is, but cannot say what the new path is.
        """
        if self.kinds and kind not in self.kinds:
            return None
        match = self.pattern.match(path)
        return None if match is None else self.action.apply(match)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules say about a path.

    Attributes:
        path: The new path; the old one where nothing changes.
        line: Line of the rule that matched, 0 for none.
        problem: Why the path stays although a rule matched, or nothing.
        again: Line of another rule that would rename the result; 0 for none.
    """

    path: str
    line: int = 0
    problem: str = ""
    again: int = 0


class Rules:
    """Rules in order; of those that match a path, the first wins.

    Attributes:
        rules: The rules.
        unproven: Rename also what is only taken for a path by its looks.
    """

    def __init__(self, rules: Sequence[Rule], *, unproven: bool = False) -> None:
        """Remember the rules."""
        self.rules = tuple(rules)
        self.unproven = unproven
        self._decided: dict[tuple[str, str], Decision] = {}

    @property
    def tables(self) -> tuple[Path, ...]:
        """The files of all lookup rules."""
        return tuple(rule.action.file for rule in self.rules if isinstance(rule.action, Lookup))

    def apply(self, path: str, kind: str = "") -> Decision:
        """Return what becomes of a path.

        A result that the same rule would rename again, and so on for ever, is refused.

        Args:
            path: The path.
            kind: Kind of the place where it stands.
        """
        key = path, kind
        decision = self._decided.get(key)
        if decision is None:
            if len(self._decided) >= _REMEMBERED:
                self._decided.clear()
            decision = self._decided[key] = self._decide(path, kind)
        return decision

    def _decide(self, path: str, kind: str) -> Decision:
        first = self._first(path, kind)
        if first.problem or first.path == path:
            return first
        problem = _unfit(first.path)
        if problem:
            return Decision(path, first.line, problem)
        again = self._first(first.path, kind)
        if again.path == first.path:
            return first
        if again.line == first.line:
            problem = f"the rule would go on: {first.path} would become {again.path}"
            return Decision(path, first.line, problem)
        return Decision(first.path, first.line, again=again.line)

    def _first(self, path: str, kind: str) -> Decision:
        """Return what the first rule that matches says, and those behind it that it leads to."""
        old, line = path, 0
        for rule in self.rules:
            try:
                new = rule.apply(path, kind)
            except Refused as refusal:
                return Decision(old, rule.line, str(refusal))
            if new is not None:
                line = line or rule.line
                # What Windows takes for the same file stays as it is written.
                path = path if same_path(new, path) else new
                if not rule.goes_on:
                    break
        return Decision(path, line)


def _unfit(path: str) -> str:
    """Return why a text can be no path, empty where it can."""
    if not path:
        return "the new path would be empty"
    if len(path) > LONGEST:
        return f"the new path would have more than {LONGEST} characters"
    if any(ord(char) < 0x20 for char in path):
        return "the new path would have control characters"
    return ""
