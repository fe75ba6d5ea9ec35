"""Whether two runs do the same: migration, options, and the contents of files that they name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from maxsidecar.errors import Where
from maxsidecar.migrate.registry import Migration, MigrationError, Option, Options

__all__ = ["fingerprint"]


def fingerprint(migration: Migration, options: Options) -> str:
    """Return the identity of a migration with its options, in hexadecimal.

    Files count by what they hold and not by where they are.

    Args:
        migration: The migration.
        options: Its options, complete.

    Raises:
        MigrationError: A file cannot be read.
    """
    described: dict[str, Any] = {}
    for option in migration.options:
        value = options[option.name]
        described[option.name] = _contents(option, value) if option.kind == "file" else value
    inputs = [_digest(path) for path in migration.inputs(options)]
    whole = {
        "migration": migration.name,
        "version": migration.version,
        "options": described,
        "inputs": inputs,
    }
    text = json.dumps(whole, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _contents(option: Option, value: Any) -> Any:
    if value is None:
        return None
    if option.many or option.values > 1:
        return [_contents(Option(option.name, "file", ""), item) for item in _flat(value)]
    return _digest(Path(value))


def _flat(value: Iterable[Any]) -> Iterable[Any]:
    for item in value:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MigrationError(f"cannot read the file: {reason}", Where(str(path))) from None
    return digest.hexdigest()
