"""Listing the paths of one scene file, in whatever process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.paths.assets import asset_users
from maxsidecar.migrate.paths.exist import Existence, FileFinder
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.place import Place
from maxsidecar.scene.maxfile import open_file

__all__ = ["ListedPath", "ListingTask", "SceneListing", "list_scene", "not_listed"]


@dataclass(frozen=True, slots=True)
class ListingTask:
    """What to list.

    Attributes:
        path: The scene file.
        roots: Folders to look for files in.
    """

    path: str
    roots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedPath:
    """One path of a scene.

    Attributes:
        place: Where it stands.
        existence: Whether its file exists.
        users: Who uses it, for a path of the asset table.
    """

    place: Place
    existence: Existence
    users: tuple[str, ...]

    @property
    def stream(self) -> str:
        """Name of the stream, without the control character that some begin with."""
        return (self.place.where.stream or "").lstrip("\x05")

    def as_dict(self) -> dict[str, Any]:
        """Return everything that is known, for JSON."""
        place = self.place
        return {
            "path": place.path,
            "kind": place.kind,
            "exists": self.existence.exists,
            "found": self.existence.found or None,
            "stream": self.stream,
            "object": place.owner or None,
            "index": place.index,
            "field": place.field,
            "chunk": place.where.path,
            "offset": place.where.offset,
            "asset": place.asset or None,
            "used_by": list(self.users),
            "proven": place.proven,
            "read_only": place.read_only or None,
        }


@dataclass(frozen=True, slots=True)
class SceneListing:
    """The paths of one scene file.

    Attributes:
        path: The scene file.
        paths: Its paths, in an order that depends on nothing but the file.
        problems: What is damaged, so that paths may be missing.
        error: Why nothing could be listed, or nothing.
    """

    path: str
    paths: tuple[ListedPath, ...] = ()
    problems: tuple[str, ...] = ()
    error: str = ""

    def missing(self) -> tuple[ListedPath, ...]:
        """Return the paths whose files are missing.

        An asset is there when one of its two paths is.
        """
        there = {row.place.asset for row in self.paths if row.existence.exists} - {""}
        return tuple(
            row
            for row in self.paths
            if row.existence.exists is False and row.place.asset not in there
        )


@lru_cache(maxsize=4)
def _finder(roots: Sequence[str]) -> FileFinder:
    return FileFinder(roots)


def list_scene(task: ListingTask) -> SceneListing:
    """List the paths of a scene file; what is wrong with it is part of the result."""
    try:
        with open_file(task.path) as scene_file:
            found = find_paths(scene_file)
            problems = [str(problem) for problem in found.problems]
            users = {}
            if any(place.asset for place in found):
                users = asset_users(scene_file)
            finder = _finder(task.roots)
            rows = tuple(
                ListedPath(place, finder.look(place, Path(task.path)), users.get(place.asset, ()))
                for place in found
            )
            problems += [str(problem) for problem in scene_file.problems()]
    except MaxSidecarError as error:
        return not_listed(task, str(error))
    except OSError as error:
        return not_listed(task, f"{task.path}: {error.strerror or error}")
    return SceneListing(task.path, rows, tuple(dict.fromkeys(problems)))


def not_listed(task: ListingTask, reason: str) -> SceneListing:
    """Return the result for a file that could not be listed."""
    return SceneListing(task.path, error=reason)
