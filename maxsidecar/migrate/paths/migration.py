"""The migration ``paths``: rename every place where a path lives, by rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import RulesError
from maxsidecar.migrate.paths.rename import Renaming, rename_paths
from maxsidecar.migrate.registry import (
    Change,
    Migration,
    MigrationError,
    Option,
    Options,
    register,
)
from maxsidecar.migrate.rules.load import load_rules
from maxsidecar.migrate.rules.rules import Rules

if TYPE_CHECKING:
    from maxsidecar.migrate.log import Log
    from maxsidecar.scene.maxfile import MaxFile

__all__: list[str] = []

_CHANGES: Final = """\
Texts that are paths, and nothing else: the asset table, file names and texts in parameter blocks,
descriptions of bitmaps, render output, XRefs, AppData, user-defined properties, the text on the
root node, viewport backgrounds, global variables of scripts, state sets, and the file names among
the document properties. Never asset ids, registration data, sources of scripts, thumbnails.
A path that its place cannot hold, such as one in letters that an old scene's code page lacks,
stays and is told. maxsidecar paths lists all places.
Rules are TOML tables [[rule]] with one of prefix, glob, regex and one of replace, extension,
lookup, roots, such as:  prefix = 'W:\\maps'  replace = 'D:\\maps'.  docs/paths.md tells more."""


def _rules(options: Options) -> Rules:
    try:
        return load_rules(Path(options["map"]))
    except RulesError as error:
        raise MigrationError(str(error)) from error
    except OSError as error:
        raise MigrationError(f"{error.filename}: {error.strerror}") from error


def _tables(options: Options) -> Iterable[Path]:
    return _rules(options).tables


def _prepare(options: Options) -> Change:
    rules = _rules(options)

    def change(scene_file: MaxFile, log: Log) -> None:
        result = rename_paths(scene_file, rules)
        for renaming in result.renamed:
            place = renaming.place
            log.change(_where(renaming), place.field, place.path, renaming.new)
        for renaming in result.refused:
            text = f"{renaming.place.field}: {renaming.place.path} stays: {renaming.problem}"
            tell = log.problem if renaming.place.proven else log.warning
            tell(text, _where(renaming))
        chains = Counter(renaming.again for renaming in result.renamed if renaming.again)
        for line, count in sorted(chains.items()):
            paths = "1 new path" if count == 1 else f"{count} new paths"
            log.warning(
                f"{paths} would be renamed again by the rule of line {line}, if the migration ran "
                "on the scene once more; continue = true lets rules follow each other"
            )
        for problem in result.damaged:
            log.warning(f"paths may be missing: {problem.message}", problem.where)

    return change


def _where(renaming: Renaming) -> str:
    place = renaming.place
    return place.owner or (place.where.stream or "").lstrip("\x05")


register(
    Migration(
        name="paths",
        summary="rename the paths of textures and other files by rules",
        changes=_CHANGES,
        prepare=_prepare,
        options=(Option("map", "file", "the rules (TOML)", metavar="RULES.toml", required=True),),
        inputs=_tables,
    )
)
