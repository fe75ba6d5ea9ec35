"""Textures: finding the pictures of maps, and putting them together as glTF has them.

glTF has opacity in the alpha of the base colour, metalness and roughness in the blue and green of
one picture, and the strength of specular reflection in an alpha.  3ds Max has a map for each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from maxsidecar.errors import DecodeError, MaxSidecarError, Where
from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.drawing import (
    Alpha,
    Change,
    Pixels,
    alpha_kind,
    cropped,
    packed,
    picture_of,
    source_key,
    turned_normals,
    with_alpha,
    with_opacity,
)
from maxsidecar.gltf.export.images import Images
from maxsidecar.gltf.export.pictures import Picture, encode_png, read_picture
from maxsidecar.gltf.export.search import PictureSearch
from maxsidecar.gltf.export.sources import Source, follow
from maxsidecar.scene.materials import MapSlot
from maxsidecar.scene.objects import SceneObject

__all__ = ["Made", "Textures"]


@dataclass(slots=True, eq=False)
class Made:
    """A texture, and where it lies.

    Attributes:
        alpha: What the alpha of the picture does.
        reasons: What is not as in 3ds Max.
    """

    texture: model.Texture
    source: Source
    alpha: Alpha = "none"
    reasons: list[str] = field(default_factory=list)


class Textures:
    """Finds, reads and combines the pictures of an export; each file is read once."""

    def __init__(self, export: Export) -> None:
        """Nothing is looked for yet."""
        options = export.options
        stored = export.scene_file.path
        folder = Path(stored).absolute().parent if stored is not None else None
        self._export = export
        self._wanted = options.textures != "none"
        self._search = PictureSearch(folder, options.texture_roots)
        self._images = Images(options.textures, export.folder)
        self._textures: dict[Hashable, model.Texture] = {}
        self._pictures: dict[Path, Picture | MaxSidecarError] = {}
        self._followed: dict[int, tuple[Source | None, str]] = {}
        self._alphas: dict[Hashable, Alpha] = {}
        self._told: set[Hashable] = set()

    def follow(self, slot: MapSlot | SceneObject) -> tuple[Source | None, str]:
        """Return the picture that a map shows, not read, or ``None`` and why there is none."""
        found = slot.map if isinstance(slot, MapSlot) else slot
        if found.index not in self._followed:
            self._followed[found.index] = follow(found, self._export.time)
        source, reason = self._followed[found.index]
        # Each use has its own reasons.
        return (None if source is None else replace(source, reasons=[*source.reasons])), reason

    def source(self, slot: MapSlot | SceneObject, name: str, key: str) -> Source | None:
        """Return the picture of a map, read; what is missing is reported, once per file.

        What became of a picture that is there has to be told with :meth:`tell`.

        Args:
            slot: The map, or the slot that it is in.
            name: Name of the material, for the report.
            key: Id of the material, for the report.
        """
        if not self._wanted:
            return None
        found = slot.map if isinstance(slot, MapSlot) else slot
        source, reason = self.follow(slot)
        line = (name, key, found.class_name)
        if source is None:
            self._leave_out(("map", found.index), line, reason)
            return None
        if not source.path:
            self._leave_out(("map", found.index), line, "it names no file")
            return None
        file = self._search.find(source.path)
        if file is None:
            reason = f"not found: {source.path}"
            if self._search.truncated:
                reason += " (there were too many files to look at all of them)"
            self._leave_out(("file", source.path.casefold()), line, reason)
            return None
        picture = self._read(file)
        if isinstance(picture, MaxSidecarError):
            self._leave_out(("file", source.path.casefold()), line, str(picture))
            return None
        source.picture = picture
        return source

    def _read(self, file: Path) -> Picture | MaxSidecarError:
        if file not in self._pictures:
            try:
                self._pictures[file] = read_picture(file)
            except MaxSidecarError as error:
                self._pictures[file] = error.with_traceback(None)
        return self._pictures[file]

    def _leave_out(self, key: Hashable, line: tuple[str, str, str], reason: str) -> None:
        if key not in self._told:
            self._told.add(key)
            self._export.report.left_out("texture", *line, reason)

    def leave_out(self, found: SceneObject, name: str, key: str, reason: str) -> None:
        """Report a map that is not in the export, once.

        Args:
            found: The map.
            name: Name of the material.
            key: Id of the material.
            reason: Why not.
        """
        if self._wanted:
            self._leave_out(("map", found.index), (name, key, found.class_name), reason)

    def tell(self, source: Source, name: str, key: str, reason: str = "") -> None:
        """Report that a picture is in the export, once.

        Args:
            source: The picture.
            name: Name of the material.
            key: Id of the material.
            reason: What is not as in 3ds Max, beside what the picture itself tells.
        """
        if ("map", source.found.index) in self._told:
            return
        self._told.add(("map", source.found.index))
        line = ("texture", name, key, source.found.class_name)
        reasons = [*source.reasons, reason] if reason else source.reasons
        if reasons:
            self._export.report.approximated(*line, "; ".join(reasons))
        else:
            self._export.report.converted(*line)

    # --- what is made of pictures ------------------------------------------------------------

    def plain(self, source: Source) -> Made:
        """Return a picture as it is, cut to the part that is used.

        Raises:
            DecodeError: It cannot be read, or Pillow is missing.
        """
        picture = picture_of(source)
        if source.crop is None and picture.mime_type:
            return self._made(source, self._images.untouched(picture))
        return self._drawn(source, "", (), lambda: cropped(source))

    def colors(self, source: Source, opaque: bool = False) -> Made:
        """Return a picture of colours with its alpha, as the map says where that comes from.

        Args:
            source: The picture.
            opaque: Take its alpha away where the map says that it counts for nothing.

        Raises:
            DecodeError: It cannot be read, or Pillow is missing.
        """
        picture, where = picture_of(source), source.alpha_source
        if where == "rgb":
            return self._drawn(source, "alpha", (), lambda: with_alpha(source))
        if where == "none":
            if opaque and picture.has_alpha:
                return self._drawn(source, "opaque", (), lambda: with_alpha(source))
            return self.plain(source)
        made = self.plain(source)
        if picture.has_alpha:
            made.alpha = self._alpha_of(source)
        return made

    def with_opacity(self, base: Source | None, opacity: Source, inverted: bool) -> Made:
        """Return one picture of the base colour, or of white, and the opacity in its alpha.

        Raises:
            DecodeError: One cannot be read, they lie differently, or Pillow is missing.
        """
        place = opacity if base is None else base
        if base is not None and _is_its_alpha(base, opacity, inverted):
            made = self.plain(base)
            made.alpha = self._alpha_of(base)
            return made
        if base is not None and base.placing != opacity.placing:
            raise _apart("the map of its opacity lies differently than that of its colour")
        parts = (source_key(opacity), inverted, base is None)
        made = self._drawn(place, "opacity", parts, lambda: with_opacity(base, opacity, inverted))
        if base is not None:
            made.reasons.append("the maps of colour and opacity are one picture")
        return made

    def channels(self, role: str, parts: dict[int, tuple[Source, Change | None]]) -> Made:
        """Return one picture with values of maps in some of its channels, 255 in the others.

        Args:
            role: What it is for, as an ending of its name.
            parts: Map, and what is done with its values, by channel: 0 red to 3 alpha.

        Raises:
            DecodeError: One cannot be read, they lie differently, or Pillow is missing.
        """
        sources = [source for source, _ in parts.values()]
        first = sources[0]
        if any(source.placing != first.placing for source in sources):
            raise _apart("the maps of its metalness and roughness lie differently")
        key = tuple((band, source_key(source), change) for band, (source, change) in parts.items())
        made = self._drawn(first, role, key, lambda: packed(parts))
        if len(parts) > 1:
            made.reasons.append("the maps of metalness and roughness are one picture")
        return made

    def normals(self, source: Source, red: bool, green: bool, swapped: bool) -> Made:
        """Return a picture of normals, with red or green turned round, or both exchanged.

        Raises:
            DecodeError: It cannot be read, or Pillow is missing.
        """
        if not (red or green or swapped):
            return self.plain(source)
        parts = (red, green, swapped)
        return self._drawn(source, "normal", parts, lambda: turned_normals(source, *parts))

    def _alpha_of(self, source: Source) -> Alpha:
        """Return what the alpha of a picture does, which is looked at once for all materials."""
        key = ("alpha", source_key(source))
        if key not in self._alphas:
            try:
                self._alphas[key] = alpha_kind(cropped(source)[..., 3])
            except MaxSidecarError:
                self._alphas[key] = "gradual"  # Pillow is missing, and there is an alpha
        return self._alphas[key]

    def _drawn(
        self, source: Source, role: str, parts: tuple[Any, ...], draw: Callable[[], Pixels]
    ) -> Made:
        """Return a texture of pixels that are drawn unless they were before."""
        key = (role, source_key(source), parts)
        image = self._images.known(key)
        if image is None:
            pixels = draw()
            name = picture_of(source).path.stem
            image = self._images.made(key, f"{name}_{role}" if role else name, encode_png(pixels))
            self._alphas[key] = alpha_kind(pixels[..., 3])
        made = self._made(source, image)
        made.alpha = self._alphas[key]
        return made

    def _made(self, source: Source, image: model.Image) -> Made:
        sampler = source.placing.sampler
        key = (id(image), sampler)
        if key not in self._textures:
            extras = {"max_path": source.path, "max_class": source.found.class_name}
            self._textures[key] = model.Texture(image, sampler, image.name, extras)
        return Made(self._textures[key], source)


def _is_its_alpha(base: Source, opacity: Source, inverted: bool) -> bool:
    """Return whether the opacity is the alpha of the picture of the colour."""
    return (
        opacity.alpha_is_value
        and not inverted
        and picture_of(base).path == picture_of(opacity).path
        and picture_of(base).has_alpha
        and base.placing == opacity.placing
        and base.crop == opacity.crop
    )


def _apart(reason: str) -> DecodeError:
    return DecodeError(f"{reason}; glTF has one picture for both", Where())
