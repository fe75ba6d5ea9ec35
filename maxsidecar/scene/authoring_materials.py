"""Materials and maps of new scenes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maxsidecar.errors import EditError, shorten
from maxsidecar.scene import authoring_material_layouts as layouts
from maxsidecar.scene.authoring_checks import flag, items, number, numbers, text, whole
from maxsidecar.scene.authoring_objects import BEZIER_FLOAT, PARAM_BLOCK, bezier_float
from maxsidecar.scene.authoring_store import ObjectStore

__all__ = ["MATERIAL", "MaterialBuilder"]

#: Superclass of materials.
MATERIAL: Final = 0xC00
_MAP: Final = 0xC10
#: Faces store material ids in 16 bits.
_HIGHEST_ID: Final = 0xFFFF
_GREY: Final = (0.588, 0.588, 0.588)


class MaterialBuilder(ObjectStore):
    """Adds materials and maps."""

    def __init__(self) -> None:
        """Start without materials."""
        super().__init__()
        self._material_names: dict[int, str] = {}

    def add_standard_material(
        self,
        name: str,
        *,
        diffuse: Sequence[float] = _GREY,
        ambient: Sequence[float] | None = None,
        specular: Sequence[float] = (0.9, 0.9, 0.9),
        opacity: float = 1.0,
        two_sided: bool = False,
        specular_level: float = 0.0,
        glossiness: float = 0.1,
        soften: float = 0.1,
        self_illumination: float = 0.0,
        diffuse_map: int | None = None,
    ) -> int:
        """Add a Standard material with the Blinn shader; return its storage index.

        The defaults are the values of an untouched material of that release.

        Args:
            name: Its name.
            diffuse: Red, green and blue, 1 for full, as the other colours.
            ambient: The ambient colour; ``None`` for the diffuse one.
            specular: The specular colour.
            opacity: 0 to 1.
            two_sided: Whether faces are seen from behind as well.
            specular_level: Strength of the highlight, 1 for 100 %.
            glossiness: 0 to 1; the higher, the smaller the highlight.
            soften: 0 to 1; softens the edge of the highlight.
            self_illumination: 0 to 1.
            diffuse_map: Storage index of the map in place of the diffuse colour.

        Raises:
            EditError: A value does not fit, or the map is none.
        """
        name = text(name, "the name of a material")
        if diffuse_map is not None and self.class_of(diffuse_map).superclass != _MAP:
            raise EditError("the diffuse map is not a map", found=diffuse_map)
        diffuse = numbers(diffuse, "the diffuse colour", 3)
        ambient = diffuse if ambient is None else numbers(ambient, "the ambient colour", 3)
        shading = layouts.shader_block(
            ambient,
            diffuse,
            numbers(specular, "the specular colour", 3),
            number(self_illumination, "the self-illumination"),
            number(specular_level, "the specular level"),
            number(glossiness, "the glossiness"),
            number(soften, "the softening"),
        )
        numbered = (
            layouts.shader_choice(flag(two_sided, "two-sided")),
            layouts.extended(number(opacity, "the opacity")),
            layouts.sampling(),
            layouts.maps(diffuse_map),
            layouts.dynamics(),
        )
        own = layouts.standard(name)
        slots: dict[int, int] = {}
        if diffuse_map is not None:
            # Map n stands in slot 2 n + 1 and the controller of its amount in front of it.
            slots = {2: self.add_object(BEZIER_FLOAT, bezier_float(1.0), {}), 3: diffuse_map}
        container = self.add_object(
            layouts.TEXMAPS, layouts.texmaps(diffuse_map is not None), slots, slots=48
        )
        block = self._add_block(shading)
        shader = self._own(self.add_object(layouts.BLINN, layouts.shader(), [block]), block)
        blocks = [self._add_block(chunks) for chunks in numbered]
        block = self.add_object(PARAM_BLOCK, layouts.sampler_block())
        sampler = self.add_object(layouts.SAMPLER, layouts.sampler(), [block])
        references = [None, container, shader, *blocks, sampler]
        index = self._own(self.add_object(layouts.STANDARD, own, references), *blocks)
        self._material_names[index] = name
        return index

    def add_multi_material(self, name: str, slots: Sequence[tuple[int, int | None, str]]) -> int:
        """Add a Multi/Sub-Object material; return its storage index.

        Args:
            name: Its name.
            slots: For each slot the material id of the faces that use it, from 0 (3ds Max shows
                one more); the storage index of its material, ``None`` for an empty slot; and the
                name of the slot, which may be empty.

        Raises:
            EditError: There are no slots, an id is out of range or not unique, one of the objects
                is not a material, or a name is not in the code page 1252.
        """
        name = text(name, "the name of a material")
        rows = [items(slot, "a slot") for slot in items(slots, "the slots")]
        if not rows:
            raise EditError("a Multi/Sub-Object material needs a slot")
        if any(len(row) != 3 for row in rows):
            raise EditError("a slot is id, material and name", expected=3)
        slots = [
            (whole(row[0], "a material id", 0, _HIGHEST_ID), row[1], text(row[2], "a slot's name"))
            for row in rows
        ]
        ids = [number for number, _, _ in slots]
        if len(set(ids)) != len(ids):
            raise EditError("ids must be unique", found=shorten(ids, 80))
        for _, index, _ in slots:
            if index is not None and self.class_of(index).superclass != MATERIAL:
                raise EditError("a sub-material is not a material", found=index)
        chunks, own = layouts.multi_block(slots), layouts.multi(name, len(slots))
        block = self._add_block(chunks)
        references = [block, *(index for _, index, _ in slots)]
        index = self._own(self.add_object(layouts.MULTI, own, references), block)
        self._material_names[index] = name
        return index

    def add_bitmap_map(self, path: str, size: tuple[int, int], *, name: str = "") -> int:
        r"""Add a map that shows a picture file; return its storage index.

        Args:
            path: The file as the scene names it, such as ``C:\textures\wall.tga``; it need not
                exist.
            size: Width and height of the picture in pixels, which scenes store.
            name: Name of the map.

        Raises:
            EditError: The path is empty, or the size out of range.
        """
        if not text(path, "the path of a picture"):
            raise EditError("a picture needs a path")
        pixels = [whole(n, "the size of a picture", 0, 0xFFFF) for n in items(size, "the size")]
        if len(pixels) != 2:
            raise EditError("the size of a picture is two numbers", expected=2, found=len(pixels))
        size = pixels[0], pixels[1]
        name = text(name, "the name of a map")
        chunks, own = layouts.bitmap_block(path, size), [layouts.head(name)]
        block = self.add_object(PARAM_BLOCK, layouts.coordinates_block())
        coordinates = self.add_object(layouts.UV_COORDINATES, layouts.coordinates(), [block])
        picture = self._add_block(chunks)
        block = self.add_object(PARAM_BLOCK, layouts.output_block())
        output = self.add_object(layouts.OUTPUT, [(0x0002, bytes(4))], [block, None, None])
        time = self._add_block(layouts.bitmap_time())
        references = [coordinates, picture, output, time]
        return self._own(self.add_object(layouts.BITMAP, own, references), picture, time)
