"""Reading a rules file, with messages that name line and column."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NoReturn

from maxsidecar.errors import RulesError, Where, shorten
from maxsidecar.migrate.rules.actions import Action, Extension, Lookup, NewPrefix, Roots, Template
from maxsidecar.migrate.rules.files import Root
from maxsidecar.migrate.rules.patterns import Glob, Pattern, Prefix, RegularExpression
from maxsidecar.migrate.rules.regex_parse import RegexError
from maxsidecar.migrate.rules.rules import Rule, Rules
from maxsidecar.migrate.rules.toml_places import TomlPlaces

__all__ = ["ACTIONS", "KINDS", "PATTERNS", "load_rules", "parse_rules"]

PATTERNS: Final = ("prefix", "glob", "regex")
ACTIONS: Final = ("replace", "extension", "lookup", "roots")
_OTHERS: Final = ("extensions", "kinds", "continue")
#: What a place can hold; see :mod:`maxsidecar.migrate.paths.place`.
KINDS: Final = frozenset(
    ("bitmap", "file", "output", "photometric", "sound", "summary", "text", "xref")
)

_AT_LINE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_MOST_RULES: Final = 10_000
_LARGEST: Final = 16 << 20


def load_rules(path: Path) -> Rules:
    """Read a rules file and the tables that it names.

    Raises:
        RulesError: Something in it is wrong.
        OSError: A file cannot be read.
    """
    data = path.read_bytes()
    if len(data) > _LARGEST:
        raise RulesError("the file is too large for rules", Where(str(path)))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RulesError("the file is not UTF-8", Where(str(path)), line=line) from None
    return parse_rules(text.replace("\r\n", "\n"), path)


def parse_rules(text: str, path: Path) -> Rules:
    """Read the text of a rules file.

    Args:
        text: The text.
        path: Its file, for messages; folders and tables in it are relative to the file's folder.

    Raises:
        RulesError: Something in it is wrong.
        OSError: A table cannot be read.
    """
    return _Reader(text, path).rules()


class _Reader:
    """Checks one rules file."""

    def __init__(self, text: str, path: Path) -> None:
        self.path = path
        self.places = TomlPlaces(text)
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            match = _AT_LINE.search(message)
            line, column = (int(match[1]), int(match[2])) if match else (None, None)
            reason = f"not valid TOML: {_AT_LINE.sub('', message)}"
            raise RulesError(reason, Where(str(path)), line=line, column=column) from None
        except (RecursionError, ValueError) as error:
            reason = "values nest too deep" if isinstance(error, RecursionError) else str(error)
            raise RulesError(f"not valid TOML: {reason}", Where(str(path))) from None

    def fail(self, message: str, table: str = "", number: int = 0, key: str = "") -> NoReturn:
        line, column = self.places.find(table, number, key)
        raise RulesError(message, Where(str(self.path)), line=line, column=column)

    def rules(self) -> Rules:
        for key in self.data:
            if key not in ("rule", "unproven"):
                near = " (did you mean [[rule]]?)" if key.lower() in ("rules", "rule") else ""
                place = (key,) if isinstance(self.data[key], dict | list) else ("", 0, key)
                self.fail(f"there is no key {key!r} here{near}", *place)
        unproven = self.data.get("unproven", False)
        if not isinstance(unproven, bool):
            self.fail("unproven is true or false", key="unproven")
        tables = self.data.get("rule", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.fail("rules are tables with the heading [[rule]], each", "rule")
        if not tables:
            self.fail("there is no rule; a rule begins with [[rule]]")
        if len(tables) > _MOST_RULES:
            self.fail(f"more than {_MOST_RULES} rules")
        return Rules([self.rule(table, n) for n, table in enumerate(tables)], unproven=unproven)

    def rule(self, table: Mapping[str, Any], number: int) -> Rule:
        known = (*PATTERNS, *ACTIONS, *_OTHERS)
        for key in table:
            if key not in known:
                near = get_close_matches(key, known, 1)
                hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
                self.fail(f"a rule has no key {key!r}{hint}", "rule", number, key)
        how = self.one_of(PATTERNS, table, number)
        what = self.one_of(ACTIONS, table, number)
        for key in ("extensions",):
            if key in table and what != "roots":
                self.fail(f"{key} goes with roots", "rule", number, key)
        pattern = self.pattern(how, table, number)
        action = self.action(what, how, pattern, table, number)
        kinds = self.texts("kinds", table, number) if "kinds" in table else ()
        for kind in kinds:
            if kind not in KINDS:
                known_kinds = ", ".join(sorted(KINDS))
                self.fail(f"no kind {kind!r}; there are {known_kinds}", "rule", number, "kinds")
        goes_on = table.get("continue", False)
        if not isinstance(goes_on, bool):
            self.fail("continue is true or false", "rule", number, "continue")
        line, _ = self.places.find("rule", number)
        return Rule(pattern, action, frozenset(kinds), line, goes_on)

    def one_of(self, keys: tuple[str, ...], table: Mapping[str, Any], number: int) -> str:
        found = [key for key in keys if key in table]
        if len(found) != 1:
            listed = ", ".join(keys)
            reason = f"a rule has one of {listed}"
            if found:
                self.fail(f"{reason}; this one has {' and '.join(found)}", "rule", number, found[1])
            self.fail(f"{reason}; this one has none", "rule", number)
        return found[0]

    def text(self, key: str, table: Mapping[str, Any], number: int, *, empty: bool = False) -> str:
        value = table[key]
        if not isinstance(value, str):
            self.fail(f"{key} is a text, not {shorten(value)}", "rule", number, key)
        if not value and not empty:
            self.fail(f"{key} is empty", "rule", number, key)
        if any(ord(char) < 0x20 for char in value):
            hint = "; write paths in single quotes, so that a backslash is one"
            self.fail(f"{key} has control characters{hint}", "rule", number, key)
        return value

    def texts(self, key: str, table: Mapping[str, Any], number: int) -> tuple[str, ...]:
        value = table[key]
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            self.fail(f"{key} is a list of texts", "rule", number, key)
        return tuple(value)

    def pattern(self, key: str, table: Mapping[str, Any], number: int) -> Pattern:
        text = self.text(key, table, number)
        try:
            if key == "regex":
                return RegularExpression(text)
            if key == "glob":
                return Glob(text)
        except RegexError as error:
            at = f" (character {error.position + 1})" if key == "regex" else ""
            self.fail(f"{key}: {error}{at}", "rule", number, key)
        if not text.strip("\\/"):
            self.fail("prefix has no folder", "rule", number, key)
        return Prefix(text)

    def action(
        self, key: str, how: str, pattern: Pattern, table: Mapping[str, Any], number: int
    ) -> Action:
        if key == "replace":
            text = self.text(key, table, number, empty=how != "glob")
            if how == "prefix":
                return NewPrefix(text)
            try:
                return Template(text, pattern.group_names, is_glob=how == "glob")
            except ValueError as error:
                self.fail(f"{key}: {error}", "rule", number, key)
        if key == "extension":
            return Extension(self.extension(table[key], number))
        if key == "lookup":
            return Lookup(self.path.parent / self.text(key, table, number))
        extensions: tuple[str, ...] = ()
        if "extensions" in table:
            extensions = self.texts("extensions", table, number)
            for extension in extensions:
                self.check_extension(extension, number, "extensions")
        return Roots(self.roots(table[key], number), extensions)

    def check_extension(self, value: object, number: int, key: str) -> str:
        if not isinstance(value, str) or len(value) < 2 or value[0] != ".":
            reason = f"an extension is a text such as '.png', not {shorten(value)}"
            self.fail(reason, "rule", number, key)
        if any(char in '\\/:*?"<>|' or ord(char) < 0x20 for char in value):
            self.fail(f"no file can have the extension {value!r}", "rule", number, key)
        return value

    def extension(self, value: object, number: int) -> str | dict[str, str]:
        if not isinstance(value, dict):
            return self.check_extension(value, number, "extension")
        if not value:
            self.fail("extension names no extension", "rule", number, "extension")
        return {
            self.check_extension(old, number, "extension"): self.check_extension(
                new, number, "extension"
            )
            for old, new in value.items()
        }

    def roots(self, value: object, number: int) -> list[Root]:
        reason = "roots is a list of folders: texts, or { folder = '...', as = '...' }"
        if not isinstance(value, list) or not value:
            self.fail(reason, "rule", number, "roots")
        found: list[Root] = []
        for item in value:
            table = {"folder": item} if isinstance(item, str) else item
            if (
                not isinstance(table, dict)
                or not table.get("folder")
                or not {"folder", "as"} >= table.keys()
                or not all(isinstance(text, str) for text in table.values())
            ):
                self.fail(reason, "rule", number, "roots")
            folder = self.path.parent.absolute() / table["folder"]
            if not folder.is_dir():
                self.fail(f"there is no folder {str(folder)!r}", "rule", number, "roots")
            found.append(Root(str(folder), table.get("as", "")))
        return found
