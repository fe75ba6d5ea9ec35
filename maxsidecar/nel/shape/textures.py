"""Textures of the game from the maps of a material (spec: nel-export-rules 3.3)."""

from __future__ import annotations

import ntpath
from dataclasses import dataclass, field, replace
from math import cos, sin
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.serial.classes.texture import CTextureCube, CTextureFile, CTextureMultiFile
from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.animated import parameter_of
from maxsidecar.scene.materials.bitmap import BitmapMap
from maxsidecar.scene.materials.coordinates import UVCoordinates
from maxsidecar.scene.materials.maps import Map
from maxsidecar.scene.objects import SceneObject

__all__ = ["GENERATED", "Channel", "Texture", "base_name", "cube_of", "is_picture", "texture_of"]

#: Map channel of coordinates that the game makes by itself.
GENERATED: Final = -1

_SET, _CUBIC, _COMPOSITE = (0x5A8003F9, 0x43E0955), (0x250, 0), (0x280, 0)
#: Sides of a cube (+x, -x, +y, -y, +z, -z) by the place of their picture: up, down, left, right,
#: front, back.
_SIDES: Final = (4, 5, 1, 0, 2, 3)
_SET_SIZE: Final = 8
_WRAP_U, _WRAP_V = 1, 2
_CLAMP, _NO_MIPMAPS = 1, 3

Texture = CTextureFile | CTextureMultiFile | CTextureCube


@dataclass(frozen=True, slots=True)
class Channel:
    """Which coordinates of the mesh a texture takes.

    Attributes:
        number: Map channel of the mesh, or :data:`GENERATED`.
        alternative: Map channel where the mesh does not have that one.
        matrix: (3, 3) for rows (u, v, 1), or ``None`` where coordinates stay as they are.
        crop: Left, top, width and height of the part of the picture that is shown.
    """

    number: int = GENERATED
    alternative: int = GENERATED
    matrix: npt.NDArray[np.float32] | None = field(default=None, compare=False)
    crop: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)

    def on_channel(self, number: int) -> Channel:
        """Return the same on another map channel, with the old one as the alternative."""
        return replace(self, number=number, alternative=self.number)


def base_name(path: str) -> str:
    """Return the file name of a path of any system."""
    return ntpath.basename(path)


def texture_of(
    found: SceneObject, time: int, notes: list[str], *, cube: bool = False
) -> tuple[Texture | None, Channel]:
    """Return the texture of a map, and where its coordinates come from.

    Args:
        found: The map.
        time: Ticks (1/4800 s).
        notes: Takes what cannot be exported.
        cube: Whether the picture stands for all sides of a cube.
    """
    texture: Texture | None
    if _is(found, _SET):
        texture = _set(Values(found, time))
    elif isinstance(found, BitmapMap):
        texture = CTextureFile(file_name=base_name(found.path or ""))
    elif _is(found, _CUBIC):
        texture = _cubic(found)
    else:
        notes.append(f"the map {found.class_name} is no kind that the game knows")
        return None, Channel(1)
    if cube and not isinstance(texture, CTextureCube):
        texture = CTextureCube(sides=[_copy(texture) for _ in range(6)])
    coordinates = found.coordinates if isinstance(found, Map) else None
    channel = Channel(1, crop=_crop(found, time))
    if isinstance(coordinates, UVCoordinates):
        matrix = _matrix(coordinates, time, notes)
        channel = replace(channel, number=coordinates.map_channel, matrix=matrix)
        if not coordinates.flags & _WRAP_U:
            texture.base.wrap_s = _CLAMP
        if not coordinates.flags & _WRAP_V:
            texture.base.wrap_t = _CLAMP
    return texture, channel


def is_picture(found: SceneObject) -> bool:
    """Return whether a map is a picture in a file, or a set of them."""
    return isinstance(found, BitmapMap) or _is(found, _SET)


def cube_of(found: SceneObject, time: int, notes: list[str]) -> CTextureCube:
    """Return what surroundings a map shows: six pictures, or one on the first side.

    Args:
        found: A Reflect/Refract, a Composite of up to six pictures, or a picture.
        time: Ticks (1/4800 s).
        notes: Takes what cannot be exported.
    """
    cube = CTextureCube(sides=[None] * len(_SIDES))
    if _is(found, _COMPOSITE) and isinstance(found, Map):
        layers = [slot.map for slot in found.maps.values() if not slot.name.startswith("mask")]
        for side, layer in enumerate(layers[: len(_SIDES)]):
            if isinstance(layer, BitmapMap):
                cube.sides[side] = texture_of(layer, time, notes)[0]
    else:
        texture, _ = texture_of(found, time, notes)
        if isinstance(texture, CTextureCube):
            cube = texture
        else:
            cube.sides[0] = texture
    cube.base.wrap_s = cube.base.wrap_t = _CLAMP
    cube.base.min_filter = _NO_MIPMAPS
    return cube


def _is(found: SceneObject, class_id: tuple[int, int]) -> bool:
    own = found.class_id
    return own is not None and (own.a, own.b) == class_id


def _set(values: Values) -> CTextureMultiFile:
    """Return a NeL bitmap set: the pictures up to the last one that is given."""
    names = [values.text(f"bitmap{number + 1}FileName") for number in range(_SET_SIZE)]
    used = max((number + 1 for number, name in enumerate(names) if name), default=0)
    return CTextureMultiFile(file_names=[base_name(name) for name in names[:used]])


def _cubic(found: SceneObject) -> CTextureCube:
    """Return a Reflect/Refract map: six pictures."""
    cube = CTextureCube(sides=[None] * 6)
    parameter = parameter_of(found, "bitmapName", "bitmap_names", "bitmap_name")
    names = parameter.value if parameter is not None and parameter.is_tab else ()
    for side, name in zip(_SIDES, names, strict=False):
        cube.sides[side] = CTextureFile(file_name=base_name(name if isinstance(name, str) else ""))
    return cube


def _copy(texture: CTextureFile | CTextureMultiFile) -> CTextureFile | CTextureMultiFile:
    if isinstance(texture, CTextureMultiFile):
        return CTextureMultiFile(file_names=list(texture.file_names))
    return CTextureFile(file_name=texture.file_name)


def _crop(found: SceneObject, time: int) -> tuple[float, float, float, float]:
    crop = None
    if isinstance(found, BitmapMap):
        try:
            crop = found.crop(time)
        except MaxSidecarError:
            crop = None
    return (0.0, 0.0, 1.0, 1.0) if crop is None else (crop.u, crop.v, crop.width, crop.height)


def _matrix(
    coordinates: UVCoordinates, time: int, notes: list[str]
) -> npt.NDArray[np.float32] | None:
    """Return shift, turn and repetition about the middle of the picture (documented)."""
    try:
        offset = coordinates.offset(time) or (0.0, 0.0)
        tiling = coordinates.tiling(time) or (1.0, 1.0)
        angle = coordinates.angle(time) or 0.0
    except MaxSidecarError as error:
        notes.append(f"coordinates of a map: {error.message}")
        return None
    if offset == (0.0, 0.0) and tiling == (1.0, 1.0) and not angle:
        return None
    turn = np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])
    out = np.eye(3)
    out[:2, :2] = turn * np.array(tiling)
    out[2, :2] = 0.5 - (np.array(offset) + 0.5) @ out[:2, :2]
    return out.astype(np.float32)
