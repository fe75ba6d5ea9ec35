"""Paths that ``Config`` keeps: viewport backgrounds, global variables of scripts, utilities.

The registration data in ``2130`` and the leftover render settings in ``20d0`` are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError, EditError, Where
from maxsidecar.migrate.paths.leaves import LeafHolder
from maxsidecar.migrate.paths.looks import kind_of, reads_as_path
from maxsidecar.migrate.paths.place import Holder, Place
from maxsidecar.migrate.paths.utilities import utility_holders
from maxsidecar.scene.script_codecs import ScriptPairsCodec
from maxsidecar.scene.script_store import ScriptStore
from maxsidecar.scene.script_types import ScriptName, ScriptString, ScriptStruct, ScriptValue

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["VariablesHolder", "config_holders"]

_BACKGROUNDS: Final = range(0x2876, 0x287A)
_GLOBALS: Final = 0x30


class VariablesHolder(Holder):
    """The persistent global variables: strings in them that read as paths, at any depth."""

    def __init__(self, store: ScriptStore) -> None:
        """Look at the variables."""
        self._store = store

    def places(self) -> Iterator[Place]:
        """Yield the strings in stored order."""
        chunk = self._store.find(_GLOBALS)
        if chunk is None:
            return
        where: Where = chunk.where
        found: list[Place] = []
        number = 0
        for name, value in self._store.variables.items():

            def note(text: str, name: str = name) -> str:
                nonlocal number
                kind = kind_of(text, "text")
                found.append(
                    Place(text, kind, f"global {name}", number, where, chunk.end - chunk.start)
                )
                number += 1
                return text

            _map_paths(value, note)
        yield from found

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other strings into the variables."""
        number = 0

        def change(text: str) -> str:
            nonlocal number
            number += 1
            return changes.get(number - 1, text)

        chunk = self._store.find(_GLOBALS)
        codec = ScriptPairsCodec(self._store.encoding)
        try:
            pairs = codec.verified(chunk.data) if chunk is not None else ()
        except DecodeError as error:
            raise EditError(f"the variables are read-only: {error.message}") from error
        body = codec.encode(tuple((name, _map_paths(value, change)) for name, value in pairs))
        if chunk is None or number <= max(changes):
            raise EditError("the variables have not so many paths any more", self._store.where)
        chunk.replace(body)


def _map_paths(value: ScriptValue, change: Callable[[str], str]) -> ScriptValue:
    """Return a value with each string that reads as a path changed; values nest 64 deep at most."""
    if isinstance(value, ScriptName):
        return value
    if isinstance(value, ScriptString):
        return ScriptString(change(value.text), value.wide) if reads_as_path(value.text) else value
    if isinstance(value, tuple):
        return tuple(_map_paths(item, change) for item in value)
    if isinstance(value, ScriptStruct):
        members = tuple((name, _map_paths(item, change)) for name, item in value.members)
        return ScriptStruct(value.type_name, members)
    return value


def config_holders(scene_file: MaxFile) -> Iterator[Holder]:
    """Yield what ``Config`` holds.

    Raises:
        MaxSidecarError: The stream is damaged.
    """
    config = scene_file.config
    if config is None:
        return
    viewports = config.viewports
    for layout in viewports.layouts if viewports is not None else ():
        for chunk in layout.chunks():
            # From 2010 on it is the id of an asset, in braces; the table has the path.
            if (
                chunk.id in _BACKGROUNDS
                and not chunk.container
                and bytes(chunk.data[:2]) not in (b"", b"{\0")
            ):
                yield LeafHolder(
                    config.data,
                    chunk,
                    scene_file.code_page,
                    wide=True,
                    field="viewport background",
                    kind="bitmap",
                )
    scripts = config.scripts
    if scripts is not None:
        yield VariablesHolder(scripts)
    yield from utility_holders(config, scene_file.code_page)
