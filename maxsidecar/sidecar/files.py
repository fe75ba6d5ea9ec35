"""Sidecar files on disk: extract beside a scene, apply to the scene beside.

A scene and its sidecar lie in one folder; a sidecar names its scene by file name only, so that
it never reaches outside that folder.

AppData is shown by the names that are registered (:func:`maxsidecar.plugins.load`), so everybody
who works on a sidecar must have loaded the same.  ``maxsidecar.extract_file`` and
``maxsidecar.apply_file`` see to that.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from maxsidecar.errors import (
    FileChangedError,
    MaxSidecarError,
    SaveError,
    SidecarError,
    Where,
    shorten,
)
from maxsidecar.io.outputs import check_output, is_same_file
from maxsidecar.io.save import save_segments
from maxsidecar.scene.maxfile import MaxFile, open_file
from maxsidecar.sidecar.apply import Plan, make_plan
from maxsidecar.sidecar.document import KINDS, MAX_TEXT, SidecarDocument, normal_text, parse
from maxsidecar.sidecar.extract import SCHEMA_NAME, Options, extract
from maxsidecar.sidecar.locate import KeyLocator
from maxsidecar.sidecar.schema import json_schema
from maxsidecar.sidecar.toml_text import has_surrogate
from maxsidecar.sidecar.update import refreshed_text, updated_text

__all__ = [
    "Extracted",
    "apply_file",
    "extract_file",
    "read_sidecar",
    "scene_path",
    "schema_text",
    "sidecar_path",
]


#: Is told what lenient reading of a damaged scene passes over.
Warn: TypeAlias = Callable[[MaxSidecarError], None]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an extraction did.

    Attributes:
        path: The sidecar.
        state: ``"written"``, ``"updated"`` or ``"unchanged"``.
        tables: How many nodes and other objects it lists.
        schema: The schema file that was written, if any.
    """

    path: Path
    state: str
    tables: int
    schema: Path | None


def sidecar_path(scene: str | os.PathLike[str]) -> Path:
    """Return the sidecar's path for a scene: ``street.max`` gives ``street.max.toml``."""
    path = Path(scene)
    return path.with_name(path.name + ".toml")


def schema_text() -> str:
    """Return the JSON Schema as text."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def read_sidecar(path: str | os.PathLike[str]) -> SidecarDocument:
    """Read a sidecar.

    Raises:
        SidecarError: It is no sidecar.
        OSError: It cannot be read.
    """
    source = Path(path)
    size = source.stat().st_size
    if size > MAX_TEXT:
        raise SidecarError("the sidecar is too large", Where(str(path)), found=f"{size} bytes")
    return parse(source.read_bytes(), str(path))


def scene_path(document: SidecarDocument, sidecar: str | os.PathLike[str]) -> Path:
    """Return the path of the scene that a sidecar belongs to.

    Raises:
        SidecarError: The scene's name is a path, or there is no such file.
    """
    name = document.scene
    if not _is_plain(name):
        raise document.error(
            "the scene must be a file name in the sidecar's folder",
            ("sidecar", "scene"),
            found=shorten(name),
        )
    path = Path(sidecar).parent / name
    try:
        found = path.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise document.error(
            f"there is no file {shorten(name, 200)} beside the sidecar: put it there, or name the "
            "scene with --scene",
            ("sidecar", "scene"),
        )
    if path.is_symlink() and path.resolve().parent != Path(sidecar).resolve().parent:
        raise document.error(
            "the scene is a link that leads out of the sidecar's folder; name it with --scene",
            ("sidecar", "scene"),
        )
    return path


def _is_plain(name: str) -> bool:
    """Return whether a name stays in its folder."""
    return name not in (".", "..") and not any(c in name for c in "/\\:\0")


def _is_of(document: SidecarDocument, scene: Path) -> bool:
    """Return whether a sidecar is that of a scene, whose name may be spelled in another way.

    File systems may ignore the case of letters, and how accents are composed.
    """
    name = document.scene
    return name == scene.name or (_is_plain(name) and is_same_file(scene.with_name(name), scene))


@contextmanager
def _opened(scene: Path, warn: Warn | None) -> Iterator[MaxFile]:
    """Open a scene, and tell at the end what is damaged in it, also when something failed."""
    scene_file = open_file(scene)
    try:
        yield scene_file
    finally:
        if warn is not None:
            for problem in scene_file.problems():
                warn(problem)


def extract_file(
    scene: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    options: Options | None = None,
    *,
    fresh: bool = False,
    discard: bool = False,
    schema: bool = True,
    warn: Warn | None = None,
) -> Extracted:
    """Write the sidecar of a scene, or bring an existing one up to date.

    An existing sidecar keeps its comments, its order and the edits that were not applied yet.
    A damaged scene is shown as far as it can be read.

    Args:
        scene: The ``.max`` file.
        out: Another name for the sidecar, in the scene's folder.
        options: What to show.
        fresh: Write a new sidecar over an existing one.
        discard: Let the scene win where both sides changed a value.
        schema: Also write the JSON Schema beside the sidecar, for editors.
        warn: Called with everything that is damaged in the scene.

    Raises:
        SaveError: The sidecar would replace the scene, another scene or the schema, or not lie
            beside the scene.
        MaxSidecarError: The scene or the existing sidecar is wrong, or both sides changed a value.
        OSError: A file cannot be read.
    """
    source = Path(scene)
    if has_surrogate(source.name):
        raise SidecarError("the scene's file name is not Unicode; rename it", Where(str(scene)))
    target = sidecar_path(source) if out is None else Path(out)
    check_output(target, inputs=[source])
    _refuse_link(target)
    # It names its scene by file name alone, so elsewhere it would name another file, or none.
    if out is not None and not is_same_file(Path(out).parent, source.parent):
        raise SaveError(
            "a sidecar lies in the folder of its scene; choose a name there, or copy the scene",
            Where(str(out)),
        )
    if schema:
        check_output(target.with_name(SCHEMA_NAME), inputs=[source])
        if target.name.casefold() == SCHEMA_NAME:
            raise SaveError("this is the name of the schema; choose another", Where(str(target)))
        _check_schema(target.parent)
    old: SidecarDocument | None = None
    with _opened(source, warn) as scene_file:
        if target.exists() and not fresh:
            old = read_sidecar(target)
        if old is None:
            text = extract(scene_file, source.name, options)
            state = "written"
        else:
            if not _is_of(old, source):
                raise old.error(
                    "this is the sidecar of another scene",
                    ("sidecar", "scene"),
                    expected=shorten(source.name),
                    found=shorten(old.scene),
                )
            text = updated_text(old, scene_file, options, discard=discard)
            state = "unchanged" if text == old.text else "updated"
    if state != "unchanged":
        _write_text(target, text, old)
    written = _write_schema(target.parent) if schema else None
    tables = KeyLocator(text).tables_below(*KINDS)
    return Extracted(target, state, tables, written)


# What every schema of this program has held so far.
_SCHEMA_MARK = b'"title": "maxsidecar sidecar"'


def _check_schema(folder: Path) -> None:
    """Refuse to write the schema over anything but an older schema.

    Raises:
        SaveError: There is something else of that name.
    """
    path = folder / SCHEMA_NAME
    _refuse_link(path)
    if not path.exists():
        return
    ours = False
    if path.is_file():
        with path.open("rb") as file:
            ours = _SCHEMA_MARK in file.read(4096)
    if not ours:
        raise SaveError(
            "there is something else of this name; rename it, or use --no-schema", Where(str(path))
        )


def _refuse_link(path: Path) -> None:
    """Refuse to write through a link, which may lead out of the folder.

    Raises:
        SaveError: It is a link.
    """
    if path.is_symlink():
        raise SaveError("this is a link, and nothing is written through it", Where(str(path)))


def _write_schema(folder: Path) -> Path | None:
    path = folder / SCHEMA_NAME
    text = schema_text().encode()
    if path.is_file() and path.read_bytes() == text:
        return None
    save_segments(path, [text])
    return path


def _write_text(path: Path, text: str, old: SidecarDocument | None) -> None:
    """Write a sidecar in one step, with the line ends that it had."""
    _refuse_link(path)
    data = text.encode()
    if old is not None:
        stored = path.read_bytes()
        try:
            same = normal_text(stored) == old.text
        except UnicodeDecodeError:
            same = False
        if not same:
            raise FileChangedError("the sidecar was changed by another program", Where(str(path)))
        if b"\r\n" in stored:
            data = data.replace(b"\n", b"\r\n")
        if stored.startswith(b"\xef\xbb\xbf"):
            data = b"\xef\xbb\xbf" + data
    save_segments(path, [data])


def apply_file(
    sidecar: str | os.PathLike[str],
    *,
    scene: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    backup: bool = False,
    force: Sequence[str] = (),
    keep: Sequence[str] = (),
    warn: Warn | None = None,
) -> tuple[Plan, Path]:
    """Apply a sidecar to its scene, save the scene, and note the new hash in the sidecar.

    Args:
        sidecar: The sidecar.
        scene: Another scene file than the one that the sidecar names; the sidecar stays as it is.
        out: Save the scene here instead; the sidecar stays as it is, that of the old scene.
        overwrite: Whether ``out`` may be a scene that is there already.
        dry_run: Only make the plan.
        backup: Keep the old scene as ``<name>.bak``.
        force: Patterns of fields whose conflicts the sidecar wins.
        keep: Patterns of fields whose conflicts the scene wins.
        warn: Called with everything that is damaged in the scene.

    Returns:
        The plan, carried out unless it has problems or conflicts or this is a dry run; and the
        path of the scene that was or would be written.

    Raises:
        MaxSidecarError: The sidecar or the scene cannot be read, the scene is not that of the
            sidecar, a record is read-only, the output would replace what is read or no scene, or
            saving failed.
        OSError: A file cannot be read.
    """
    document = read_sidecar(sidecar)
    source = scene_path(document, sidecar) if scene is None else Path(scene)
    target = source
    if out is not None:
        target = Path(out)
        check_output(target, scene=True, overwrite=overwrite, inputs=[sidecar, source])
    with _opened(source, warn) as scene_file:
        plan = make_plan(scene_file, document, force=force, keep=keep)
        if scene is None and not plan.related:
            raise document.error(
                "no object of this sidecar is in the scene beside it, so it is of another scene; "
                "if it is not, bring it up to date with maxsidecar extract, or name the scene with "
                "--scene",
                ("sidecar", "scene"),
            )
        if not plan.ok:
            return plan, target
        # A dry run makes the changes too, in memory, so that it finds what cannot be written.
        plan.apply()
        text: str | None = None
        if out is None and scene is None:
            # Made before the scene is saved, so that a sidecar that cannot be kept up stops it all.
            text = refreshed_text(plan, _new_sha256(scene_file))
        if dry_run:
            return plan, target
        if plan.changes or out is not None:
            scene_file.save(target, backup=backup)
    if text is not None and text != document.text:
        try:
            _write_text(Path(sidecar), text, document)
        except SaveError as error:
            error.message = f"the scene was saved, but the sidecar was not: {error.message}"
            raise
    return plan, target


def _new_sha256(scene_file: MaxFile) -> str:
    """Return the hash of the scene file once it is saved."""
    digest = hashlib.sha256()
    for segment in scene_file.segments():
        digest.update(segment)
    return digest.hexdigest()
