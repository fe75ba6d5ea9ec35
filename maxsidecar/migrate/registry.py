"""The library of migrations: what each is called, may change and can be told.

A migration is declared once, at the end of the module that implements it::

    register(
        Migration(
            name="names",
            summary="rename nodes and materials by rules",
            changes="Names of nodes and materials; nothing else.",
            options=(Option("rules", "file", "the rules", metavar="RULES.toml"),),
            prepare=prepare,
        )
    )

and its module is named in :data:`LIBRARY`.  ``prepare(options)`` is called once in each process and
returns the function ``(scene_file, log) -> None`` that edits an opened file.  It never saves: the
engine finds out whether anything changed, keeps what undoing needs, saves and writes the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from maxsidecar.errors import EditError

if TYPE_CHECKING:
    from maxsidecar.migrate.log import Log
    from maxsidecar.scene.maxfile import MaxFile

__all__ = [
    "LIBRARY",
    "Change",
    "Migration",
    "MigrationError",
    "Option",
    "Options",
    "get",
    "library",
    "register",
]

#: Modules of this package that register migrations.
LIBRARY: Final[tuple[str, ...]] = (
    "appdata",
    "classes",
    "clean",
    "map_extender",
    "names",
    "paths.migration",
    "script",
)

#: Edits one opened file and tells about it.  It raises a
#: :class:`~maxsidecar.errors.MaxSidecarError` where the file must stay as it is.
Change: TypeAlias = "Callable[[MaxFile, Log], None]"

#: Values of the options by name: what JSON holds.  An option that was not given has its default.
Options: TypeAlias = Mapping[str, Any]

Kind: TypeAlias = Literal["text", "flag", "number", "file", "folder"]


class MigrationError(EditError):
    """Options of a migration are wrong, or a script cannot be used."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a migration.

    Attributes:
        name: Its name, without the dashes: ``dry-run`` would be ``--dry-run``.
        kind: ``text``, ``flag``, ``number``, ``file`` (its contents count when the engine asks
            whether a file was migrated in the same way before; given as an absolute path) or
            ``folder``.
        help: One line.
        metavar: What stands for the value in the help; for several values, one for each.
        required: Whether it must be given.
        many: Whether it may be repeated; its value is a list then.
        values: How many values it takes each time; from two on they come as a list.
        positional: Whether it stands without a name, in front of the roots.
    """

    name: str
    kind: Kind
    help: str
    metavar: str | tuple[str, ...] = ""
    required: bool = False
    many: bool = False
    values: int = 1
    positional: bool = False

    @property
    def default(self) -> Any:
        """The value when it is not given."""
        if self.many:
            return []
        return False if self.kind == "flag" else None


def _no_inputs(options: Options) -> Iterable[Path]:
    del options
    return ()


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration of the library.

    Attributes:
        name: Name on the command line.
        summary: One line, for the list of all.
        changes: What it may change, and what it refuses; for people, several lines.
        prepare: Called once in each process with the options; returns what edits a file.  Raises
            :class:`MigrationError` for options that are wrong.
        options: What it can be told.
        inputs: Gives files that the options name indirectly, such as tables that rules refer to;
            their contents count as those of ``file`` options do.
        runs_code: Whether ``prepare`` runs code of the user, which may do anything: where processes
            are wanted, it is called in one of them first.
        version: Goes up when the same options change more or other things than before.
    """

    name: str
    summary: str
    changes: str
    prepare: Callable[[Options], Change]
    options: tuple[Option, ...] = ()
    inputs: Callable[[Options], Iterable[Path]] = _no_inputs
    runs_code: bool = False
    version: int = 1

    def complete(self, given: Options) -> dict[str, Any]:
        """Return the value of every option, defaults included.

        Raises:
            MigrationError: There is no such option, or one that is needed is missing.
        """
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise MigrationError(f"migration {self.name!r} has no option {name!r}")
        for option in self.options:
            if option.required and given.get(option.name) in (None, []):
                raise MigrationError(f"migration {self.name!r} needs the option {option.name!r}")
        return {name: given.get(name, option.default) for name, option in known.items()}


_known: dict[str, Migration] = {}


def register(migration: Migration) -> Migration:
    """Add a migration to the library and return it.

    Raises:
        ValueError: Another one has its name.
    """
    if _known.get(migration.name, migration) is not migration:
        raise ValueError(f"there is a migration {migration.name!r} already")
    _known[migration.name] = migration
    return migration


def library() -> dict[str, Migration]:
    """Return all migrations by name, sorted."""
    for module in LIBRARY:
        import_module(f"maxsidecar.migrate.{module}")
    return dict(sorted(_known.items()))


def get(name: str) -> Migration:
    """Return a migration.

    Raises:
        MigrationError: There is none of this name.
    """
    found = _known.get(name) or library().get(name)
    if found is None:
        raise MigrationError(f"there is no migration {name!r}", expected=", ".join(_known))
    return found
