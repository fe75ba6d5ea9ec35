"""``names``: new names for nodes, materials and maps, by rules."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import Change, Migration, MigrationError, Option, Options, register
from maxsidecar.migrate.rules.regex import Found, Regex
from maxsidecar.migrate.rules.regex_parse import RegexError
from maxsidecar.scene.materials.base import MAP, MATERIAL, MaterialBase
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.objects import SceneObject

__all__ = ["NameRule"]

_KINDS: Final = ("node", "material", "map")
_FIELD: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z_0-9]*)\}|[{}]")
#: Longer names are refused; 3ds Max shows far less.
_LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class NameRule:
    """One rule; the first one whose pattern is found in a name applies.

    Attributes:
        kind: ``node``, ``material`` or ``map``.
        regex: What is looked for, in any case.
        replace: What takes its place, with ``{1}``, ``{name}`` for groups and ``{{`` for a brace.
    """

    kind: str
    regex: Regex
    replace: str

    @classmethod
    def make(cls, kind: str, pattern: str, replace: str) -> NameRule:
        """Check a rule.

        Raises:
            MigrationError: The pattern is not understood, or there is no such group.
        """
        try:
            regex = Regex(pattern)
        except RegexError as error:
            raise MigrationError(
                f"pattern {shorten(pattern)}: {error} (at character {error.position + 1})"
            ) from None
        known = {str(number) for number in range(regex.program.groups + 1)}
        known |= set(regex.program.names)
        for found in _FIELD.finditer(replace):
            if found[0] in ("{", "}"):
                raise MigrationError(f"{shorten(replace)}: a brace alone; write {{{{ or }}}}")
            if found[1] is not None and found[1] not in known:
                raise MigrationError(
                    f"{shorten(replace)}: there is no group", found=shorten(found[1])
                )
        return cls(kind, regex, replace)

    def apply(self, name: str) -> str | None:
        """Return the new name, ``None`` where the rule does not match."""
        found = self.regex.search(name)
        if found is None:
            return None
        start, end = found.span
        return name[:start] + _FIELD.sub(_filler(found), self.replace) + name[end:]


def _filler(found: Found) -> Callable[[re.Match[str]], str]:
    def fill(field: re.Match[str]) -> str:
        key = field[1]
        if key is None:
            return field[0][0]
        return found.group(int(key) if key.isdecimal() else key)

    return fill


def _named(scene_file: MaxFile) -> Iterator[tuple[str, SceneObject, str]]:
    """Yield what can be renamed: its kind, the object, and its name."""
    for node in scene_file.nodes.values():
        if not isinstance(node, RootNode):
            yield "node", node, node.name
    for kind, superclass in (("material", MATERIAL), ("map", MAP)):
        for obj in scene_file.scene.of_superclass(superclass):
            if isinstance(obj, MaterialBase) and obj.head is not None:
                yield kind, obj, obj.name


def _set_name(obj: SceneObject, name: str) -> None:
    if isinstance(obj, MaterialBase):
        head = obj.head
        if head is not None:
            head.name = name
    else:
        obj.name = name  # type: ignore[attr-defined]


def _check(name: str) -> None:
    if not name.strip() or len(name) > _LONGEST or "\0" in name:
        raise EditError(f"no name: {shorten(name)}")


def rename(scene_file: MaxFile, rules: Sequence[NameRule], log: Log) -> None:
    """Rename what the rules match."""
    kinds = {rule.kind for rule in rules}
    objects = [found for found in _named(scene_file) if found[0] in kinds]
    used = Counter((kind, name.casefold()) for kind, _, name in objects)
    for kind, obj, name in objects:
        matches = (rule.apply(name) for rule in rules if rule.kind == kind)
        new = next((found for found in matches if found is not None), name)
        if new == name:
            continue
        try:
            _check(new)
            _set_name(obj, new)
        except MaxSidecarError as error:
            log.problem(f"{kind} name {name} stays: {error.message}", obj)
            continue
        used[kind, name.casefold()] -= 1
        used[kind, new.casefold()] += 1
        log.change(f"{kind} {obj.index}", "name", name, new)
        if used[kind, new.casefold()] > 1:
            log.warning(f"another {kind} is also called {new}", f"{kind} {obj.index}")


def _load(path: Path) -> Iterator[NameRule]:
    try:
        document: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise MigrationError(f"{path}: {error}") from None
    tables = document.get("rule")
    if set(document) != {"rule"} or not isinstance(tables, list):
        raise MigrationError(f"{path}: rules are [[rule]] tables, and nothing else is there")
    for number, table in enumerate(tables, 1):
        try:
            yield _rule(table)
        except MigrationError as error:
            error.message = f"{path}: rule {number}: {error.message}"
            raise


def _rule(table: Any) -> NameRule:
    keys = {"kind", "regex", "replace"}
    if not isinstance(table, dict) or set(table) != keys:
        raise MigrationError(f"a rule has the keys {', '.join(sorted(keys))}")
    if not all(isinstance(value, str) for value in table.values()):
        raise MigrationError("every value is a text")
    if table["kind"] not in _KINDS:
        raise MigrationError("no such kind", expected=", ".join(_KINDS), found=table["kind"])
    return NameRule.make(table["kind"], table["regex"], table["replace"])


def _prepare(options: Options) -> Change:
    rules: list[NameRule] = []
    if options["rules"] is not None:
        rules += _load(Path(options["rules"]))
    for kind in _KINDS:
        rules += [NameRule.make(kind, *given) for given in options[kind]]
    if not rules:
        raise MigrationError("names: no rules; give --rules, --node, --material or --map")

    def change(scene_file: MaxFile, log: Log) -> None:
        rename(scene_file, rules, log)

    return change


register(
    Migration(
        name="names",
        summary="rename nodes, materials and maps by rules",
        changes="Names of nodes, materials and maps; nothing else. Names in scripts, in AppData\n"
        "and in other files stay as they are. The first rule whose REGEX is found in a name puts\n"
        "NEW in place of what it found; {0} stands for that, {1} for its first group. Case does\n"
        "not count, and neither does the kind of slash. RULES.toml holds [[rule]] tables with\n"
        "kind (node, material or map), regex and replace.\n"
        "A rule whose result it would match again is applied once to each file: the journal\n"
        "knows. An empty name is refused; one that another object has already is told.",
        prepare=_prepare,
        options=(
            Option("rules", "file", "the rules (TOML)", "RULES.toml"),
            *(
                Option(kind, "text", f"a rule for {kind}s", ("REGEX", "NEW"), many=True, values=2)
                for kind in _KINDS
            ),
        ),
    )
)
