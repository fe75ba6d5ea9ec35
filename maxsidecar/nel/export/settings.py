"""Settings of build_gamedata: Python files that are read as data and never executed.

``directories.py``, ``process.py`` and ``buildsite.py`` assign texts, numbers and lists to names.
Real ones also put texts together from earlier names, add to lists, and copy one list to another in
a loop (measured on the public workspaces); that much is understood, and everything else is refused
with its line.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from maxsidecar.errors import SettingsError, Where, shorten

__all__ = ["Value", "read_settings", "text_list", "text_value"]

Value: TypeAlias = (
    "str | int | float | bool | list[Value] | tuple[Value, ...] | dict[str, Value] | None"
)

_MOST_BYTES: Final = 1 << 20
#: Values and characters that one file may make, all in all, and statements that it may run.
_MOST_MADE: Final = 1 << 20
_MOST_STEPS: Final = 100_000
#: How deep an expression may be.
_DEEPEST: Final = 50


def read_settings(path: Path) -> dict[str, Value]:
    """Return the names that a file assigns, with their values.

    Args:
        path: The file.

    Raises:
        SettingsError: It is not there, is no Python, or does more than assign plain values.
    """
    where = Where(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(f"cannot read the settings: {reason}", where) from None
    if len(data) > _MOST_BYTES:
        raise SettingsError("the settings are too long", where, expected=f"{_MOST_BYTES} bytes")
    try:
        with warnings.catch_warnings():
            # A path such as "W:\\database" in plain quotation marks makes Python warn.
            warnings.simplefilter("ignore")
            tree = ast.parse(data, str(path))
    except SyntaxError as error:
        line = error.lineno or None
        raise SettingsError(f"no Python: {error.msg}", where, line=line) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SettingsError(f"no Python: {shorten(str(error) or 'too deep')}", where) from None
    reader = _Reader(where)
    reader.run(tree.body)
    return reader.names


class _Reader:
    """Goes through the statements of one file."""

    def __init__(self, where: Where) -> None:
        self.names: dict[str, Value] = {}
        self._where = where
        self._made = 0
        self._steps = 0

    def _error(self, node: ast.AST, message: str) -> SettingsError:
        line = getattr(node, "lineno", None)
        column = getattr(node, "col_offset", None)
        place = None if column is None else column + 1
        return SettingsError(message, self._where, line=line, column=place)

    def run(self, body: list[ast.stmt]) -> None:
        """Run statements, loops within loops without recursion."""
        stack: list[Iterator[ast.stmt]] = [iter(body)]
        while stack:
            statement = next(stack[-1], None)
            if statement is None:
                stack.pop()
                continue
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise self._error(statement, "the settings have too many steps")
            if isinstance(statement, ast.For):
                stack.append(self._loop(statement))
            else:
                self._step(statement)

    def _loop(self, statement: ast.For) -> Iterator[ast.stmt]:
        """Yield the statements of a loop's turns, with its name assigned in front of each."""
        if statement.orelse or not isinstance(statement.target, ast.Name):
            raise self._error(statement, "only simple loops over lists are understood")
        items = self._value(statement.iter)
        if not isinstance(items, list | tuple):
            raise self._error(statement.iter, "only loops over lists are understood")
        for item in list(items):
            self.names[statement.target.id] = item
            yield from statement.body

    def _step(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass):
            return  # what they would bring is missing where it is used
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return
        if isinstance(statement, ast.Assign):
            if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                self.names[statement.targets[0].id] = self._value(statement.value)
                return
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            old = self._name(statement.target, statement.target.id)
            new = self._value(statement.value)
            if isinstance(statement.op, ast.Add):
                if isinstance(old, list) and isinstance(new, list | tuple):
                    # As in Python, a list that has two names changes under both.
                    self._count(statement, len(new))
                    old += new
                    return
                self.names[statement.target.id] = self._add(statement, old, new)
                return
        found = statement.value if isinstance(statement, ast.Expr) else statement
        kind = type(found).__name__
        message = f"only assignments of plain values are understood, and this is a {kind}"
        raise self._error(statement, message)

    def _name(self, node: ast.AST, name: str) -> Value:
        if name not in self.names:
            raise self._error(node, f"{name} has no value that is known here")
        return self.names[name]

    def _value(self, node: ast.expr, depth: int = 0) -> Value:
        if depth > _DEEPEST:
            raise self._error(node, "the expression is too deep")
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str | int | float | bool) or node.value is None:
                self._count(node, len(node.value) if isinstance(node.value, str) else 1)
                return node.value
        elif isinstance(node, ast.Name):
            return self._name(node, node.id)
        elif isinstance(node, ast.List | ast.Tuple):
            items = [self._value(item, depth + 1) for item in node.elts]
            return items if isinstance(node, ast.List) else tuple(items)
        elif isinstance(node, ast.Dict):
            return self._table(node, depth)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self._value(node.operand, depth + 1)
            if isinstance(number, int | float):
                return -number
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(node, depth)
        kind = type(node).__name__
        raise self._error(node, f"only plain values are understood, and this is a {kind}")

    def _sum(self, node: ast.BinOp, depth: int) -> Value:
        """Return a sum; a long one leans to the left, so that is gone down without recursion."""
        parts: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
            parts.append(first)
            first = first.left
        total = self._value(first, depth + 1)
        for part in reversed(parts):
            total = self._add(part, total, self._value(part.right, depth + 1))
        return total

    def _table(self, node: ast.Dict, depth: int) -> dict[str, Value]:
        out: dict[str, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = None if key is None else self._value(key, depth + 1)
            if not isinstance(name, str):
                raise self._error(node, "only tables with texts for keys are understood")
            out[name] = self._value(value, depth + 1)
        return out

    def _add(self, node: ast.AST, left: Value, right: Value) -> Value:
        if isinstance(left, str) and isinstance(right, str):
            self._count(node, len(left) + len(right))
            return left + right
        if isinstance(left, list) and isinstance(right, list):
            self._count(node, len(left) + len(right))
            return [*left, *right]
        if isinstance(left, tuple) and isinstance(right, tuple):
            self._count(node, len(left) + len(right))
            return (*left, *right)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return left + right
        kinds = f"{type(left).__name__} and {type(right).__name__}"
        raise self._error(node, f"these cannot be added: {kinds}")

    def _count(self, node: ast.AST, made: int) -> None:
        self._made += made + 1
        if self._made > _MOST_MADE:
            raise self._error(node, "the settings make values that are too large")


def text_value(settings: Mapping[str, Value], name: str, path: Path) -> str:
    """Return a setting that is a text.

    Raises:
        SettingsError: It is missing, or no text.
    """
    value = settings.get(name)
    if not isinstance(value, str):
        raise SettingsError(f"{name} is missing, or no text", Where(str(path)))
    return value


def text_list(settings: Mapping[str, Value], name: str, path: Path) -> list[str]:
    """Return a setting that is a list of texts; a single text is a list of one.

    Raises:
        SettingsError: It is missing, or something else.
    """
    value = settings.get(name)
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise SettingsError(f"{name} is missing, or no list of texts", Where(str(path)))
    return [item for item in items if isinstance(item, str)]
