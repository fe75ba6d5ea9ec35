"""New scenes from nothing, in the layout of 3ds Max 6 (Scene root id 2009).

:class:`SceneBuilder` collects objects in storage order and writes a whole scene file: the class and
plug-in directories follow from the classes that the objects use, in order of first use, as 3ds Max
writes them.  Everything around the user's own objects that a scene of that release holds (material
editor, render settings, layer manager, ...) is added by the builder.

Chunk ids and their order are measured on the 16 scenes of that release in the corpus and tested
against them.  **Whether 3ds Max opens such a file has not been tried.**  Known gaps: the material
editor's slots are empty, which no measured scene has; Multi/Sub-Object materials repeat their
sub-materials in a table, as newer releases do; the vertex and face totals of the document
properties are 0, and picture files are not listed there; the session state in Config is shorter
than that of a real session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from maxsidecar.errors import EditError, shorten
from maxsidecar.io.chunks import NARROW, OPEN_WIDE, encode_header
from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.scene import authoring_objects as layouts
from maxsidecar.scene import authoring_streams as streams
from maxsidecar.scene.authoring_checks import flag, items, mapping, text, typed, whole
from maxsidecar.scene.authoring_chunks import (
    ChunkTree,
    NewClass,
    Plugin,
    encode_chunks,
    pack_values,
)
from maxsidecar.scene.authoring_keys import TransformKeys
from maxsidecar.scene.authoring_materials import MATERIAL, MaterialBuilder
from maxsidecar.scene.authoring_meshes import MeshBuilder
from maxsidecar.scene.authoring_packing import Compression, pack_stream
from maxsidecar.scene.authoring_transforms import TransformBuilder
from maxsidecar.scene.directories import BUILTIN_DLL
from maxsidecar.scene.node import read_properties
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.restructure.kinds import SHOWN

__all__ = [
    "ChunkTree",
    "Compression",
    "NewClass",
    "NodeLook",
    "Plugin",
    "SceneBuilder",
    "TransformKeys",
]

_ROOT: Final = 0x2009
_NODE: Final = 0x1
_PACKINGS: Final = ("gzip", "zstd")
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class NodeLook:
    """How a node looks; the defaults are those of a new node of that release.

    Attributes:
        hidden: Whether the node is hidden.
        frozen: Whether it is frozen.
        wire_color: Red, green and blue of the wireframe, 0 to 255.
    """

    hidden: bool = False
    frozen: bool = False
    wire_color: tuple[int, int, int] = (8, 61, 138)


def _levels(look: NodeLook) -> list[int]:
    levels = items(look.wire_color, "the colour of a node")
    if len(levels) != 3:
        raise EditError("not a colour", expected="3 of 0 to 255", found=len(levels))
    return levels


def _lines(properties: Mapping[str, str]) -> str:
    """Return user-defined properties as lines."""

    def word(value: object) -> str:
        return text(value, "a user-defined property")

    found = {key: word(v) for key, v in mapping(properties, "the properties", word).items()}
    lines = "".join(f"{key} = {value}\r\n" for key, value in found.items())
    if read_properties(lines) != found:
        raise EditError(
            "these user-defined properties would be read as others",
            expected="no line ends or outer spaces; no = in keys",
            found=shorten(found, 80),
        )
    return lines


class SceneBuilder(TransformBuilder, MaterialBuilder, MeshBuilder):
    """Makes a scene file.

    Objects are added in storage order: what an object refers to must be there before it.

    Args:
        title: Title in the document properties.
        saved: When the file says that it was saved.  The default is a fixed date, so that the same
            calls give the same bytes.
        version: Version of the compound file: 3 as in 3ds Max 3 to 8, or 4 as since 3ds Max 9.
        compression: Write the streams packed: ``gzip`` or ``zstd``.  3ds Max 6 itself did neither;
            the packing is that of the releases that do.

    Attributes:
        root: Storage index of the root node.
        layer: Storage index of the default layer.
    """

    def __init__(
        self,
        *,
        title: str = "",
        saved: datetime = datetime(2004, 1, 1, tzinfo=UTC),
        version: Literal[3, 4] = 3,
        compression: Compression = None,
    ) -> None:
        """Start the scene with its material editor, root node and default layer."""
        super().__init__()
        self.title = title
        self.saved = saved
        self.version = version
        self.compression = compression
        self.thumbnail: tuple[int, int, bytes] | None = None
        self._check_settings()
        self._names: list[str] = []
        self._used: dict[int, str] = {}
        self._layers: dict[str, int] = {}
        self._editor = self.add_object(
            layouts.MATERIAL_EDITOR, layouts.material_editor(), [None] * 26
        )
        self._library = self.add_object(layouts.MATERIAL_LIBRARY, [(0x4110, bytes(4))])
        self._sound = self.add_object(layouts.SOUND, layouts.sound())
        self.root = self.add_object(layouts.ROOT_NODE, [(0x0120, b"")], {}, slots=16)
        self.layer = self.add_layer("0")

    def add_layer(self, name: str) -> int:
        """Add a layer and return its storage index; the first one is the default layer ``0``.

        Raises:
            EditError: The name is not ASCII, since the code page of layer names is the author's;
                or there is a layer of that name, whatever its case.
        """
        if not text(name, "a layer's name") or not name.isascii():
            raise EditError("a layer's name must be ASCII text", found=shorten(name, 60))
        if name.casefold() in self._layers:
            raise EditError("there is a layer of that name", found=shorten(name, 60))
        index = self.add_object(layouts.LAYER, layouts.layer(name))
        self._layers[name.casefold()] = index
        return index

    def add_box(self, length: float, width: float, height: float) -> int:
        """Add a Box; return its storage index.

        Raises:
            EditError: A number is not finite.
        """
        block = self.add_object(layouts.PARAM_BLOCK, layouts.box_parameters(length, width, height))
        return self.add_object(layouts.BOX, [(0x0100, b"\1")], [block])

    def add_sphere(self, radius: float, segments: int = 32) -> int:
        """Add a Sphere; return its storage index.

        Raises:
            EditError: The radius is no finite number, or the segments are not 4 to 200, as in
                3ds Max.
        """
        segments = whole(segments, "the segments of a sphere", 4, 200)
        block = self.add_object(layouts.PARAM_BLOCK, layouts.sphere_parameters(radius, segments))
        return self.add_object(layouts.SPHERE, [(0x0100, b"")], [block])

    def add_dummy(self, size: float) -> int:
        """Add a Dummy helper of an edge length; return its storage index.

        Raises:
            EditError: The length is no finite number.
        """
        return self.add_object(layouts.DUMMY, layouts.dummy(size))

    def add_node(
        self,
        name: str,
        shows: int,
        *,
        parent: int | None = None,
        transform: int | None = None,
        layer: int | None = None,
        material: int | None = None,
        user_properties: Mapping[str, str] | str = "",
        look: NodeLook | None = None,
    ) -> int:
        r"""Add a node and return its storage index.

        Args:
            name: Its name.
            shows: Storage index of the object that it shows.
            parent: Storage index of its parent; ``None`` for the root node.
            transform: Its transform controller; ``None`` for one that does nothing.
            layer: Its layer; ``None`` for the default layer.
            material: Its material; ``None`` for none.
            user_properties: Text of the user-defined properties, or keys and values, which become
                lines ``key = value`` that end in ``\r\n`` and must be read back the same.
            look: Hidden, frozen and so on.

        Raises:
            EditError: The name is empty, one of the objects is of another class, the colour is
                none, or a text holds what none may hold.
        """
        if not text(name, "the name of a node"):
            raise EditError("a node needs a name")
        parent = self.root if parent is None else parent
        layer = self.layer if layer is None else layer
        self.require(parent, "the parent", _NODE)
        superclass = self.require(shows, "what the node shows", *sorted(SHOWN))
        self.require(layer, "the layer", layouts.LAYER.superclass)
        if material is not None:
            self.require(material, "the material", MATERIAL)
        if transform is not None:
            self.require(transform, "the transform", layouts.PRS.superclass)
        if not isinstance(user_properties, str):
            user_properties = _lines(user_properties)
        text(user_properties, "the user-defined properties")
        look = NodeLook() if look is None else typed(look, "the look of a node", NodeLook)
        flags, marks = 0x00801000, {0x0978}
        red, green, blue = (whole(n, "a level of the colour", 0, 255) for n in _levels(look))
        for on, name_of_flag in ((look.hidden, "hidden"), (look.frozen, "frozen")):
            spec = NODE_FLAGS[name_of_flag]
            if flag(on, name_of_flag) and spec.partner is not None:
                flags |= spec.mask
                marks.add(spec.partner)
        transform = self.add_transform() if transform is None else transform
        places = {0: transform, 1: shows, 3: material, 6: layer}
        references = {slot: index for slot, index in places.items() if index is not None}
        self._names.append(name)
        if material in self._material_names:
            self._used[material] = self._material_names[material]
        chunks = layouts.node(
            name=name,
            parent=parent,
            flags=flags,
            marks=sorted(marks),
            user_text=user_properties,
            superclass=superclass,
            wire_color=(red, green, blue),
            handle=len(self._names),
        )
        return self.add_object(layouts.NODE, chunks, references, slots=16)

    def to_bytes(self) -> bytes:
        """Return the scene file; the same calls always give the same bytes.

        Raises:
            CompressionError: The scene is to be packed with zstd and its package is missing.
            EditError: A value does not fit its field.
        """
        self._check_settings()
        count = len(self._objects)
        classes, plugins = list(self.classes), list(self.plugins)
        try:
            self._add_rest()
            bodies = {
                "Scene": self._scene_body(),
                "DllDirectory": encode_chunks(streams.dll_directory(self.plugins)),
                "ClassDirectory3": encode_chunks(
                    streams.class_directory(self.classes, self._dll_index)
                ),
                "ClassData": encode_chunks(streams.class_data()),
                "Config": encode_chunks(streams.config()),
                "VideoPostQueue": encode_chunks([(0x0050, bytes(4)), (0x0060, [])]),
            }
        finally:
            # What belongs to every scene comes last; take it away, so that the scene can grow.
            del self._objects[count:]
            self.classes, self.plugins = classes, plugins
            self._class_index = {new: index for index, new in enumerate(classes)}
        entries = [
            NewEntry(*pack_stream(name, body, self.compression)) for name, body in bodies.items()
        ]
        summary = streams.summary_information(self.title, self.thumbnail)
        document = streams.document_information(
            self._names,
            list(self._used.values()),
            [plugin.file_name for plugin in self.plugins],
            compressed=self.compression is not None,
        )
        entries.append(NewEntry("\x05SummaryInformation", summary))
        entries.append(NewEntry("\x05DocumentSummaryInformation", document))
        since = self.saved - _EPOCH
        ticks = (since.days * 86400 + since.seconds) * 10_000_000 + since.microseconds * 10
        return build(entries, version=self.version, root_modified=ticks)

    def _check_settings(self) -> None:
        """Refuse settings that are none; they are attributes that anybody may set."""
        text(self.title, "the title")
        if typed(self.saved, "the date", datetime).tzinfo is None or self.saved < _EPOCH:
            raise EditError("a date with its time zone", expected="1601 or later")
        whole(self.version, "the version", 3, 4)
        if (
            self.compression is not None
            and text(self.compression, "the compression") not in _PACKINGS
        ):
            raise EditError("no such compression", expected=_PACKINGS, found=self.compression)
        if self.thumbnail is not None:
            parts = items(self.thumbnail, "the thumbnail")
            if len(parts) != 3:
                raise EditError("a thumbnail is width, height and pixels", found=len(parts))
            for size in parts[:2]:
                whole(size, "the size of the thumbnail", 1, 0x7FFF)
            typed(parts[2], "the pixels of the thumbnail", bytes)

    def _add_rest(self) -> None:
        """Add what stands behind the nodes in every scene: render settings and so on."""
        add = self.add_object
        sampler = add(layouts.AREA, [(0x39BF, [(0x0100, b"")])])
        renderer = add(layouts.SCANLINE, layouts.scanline_renderer(), [sampler])
        elements = [add(layouts.RENDER_ELEMENTS, layouts.render_elements(n)) for n in (0, 1)]
        colors = [
            add(layouts.BEZIER_COLOR, layouts.bezier_color(level), {}) for level in (0.0, 0.0, 1.0)
        ]
        tint = add(layouts.BEZIER_FLOAT, layouts.bezier_float(1.0), {})
        environment = add(
            layouts.RENDER_ENVIRONMENT,
            layouts.render_environment(),
            [renderer, None, None, elements[0], elements[1], None, *colors, tint, *[None] * 3],
        )
        selections = add(layouts.NAMED_SELECTIONS, [(0x0100, bytes(4))])
        empty = add(layouts.TRACK_NODE)
        tracks = add(layouts.TRACK_NODE, layouts.track_root(), [empty])
        grid = add(layouts.GRID, (), {})
        effects = add(layouts.EFFECTS, [(0x1100, bytes(4)), (0x1110, pack_values("I", 1))])
        block = add(layouts.PARAM_BLOCK, layouts.shadow_parameters())
        shadow = add(layouts.SHADOW_MAP, (), [block])
        manager = add(
            layouts.LAYER_MANAGER,
            [(0x1500, pack_values("I", 1)), (0x1600, bytes(4))],
            list(self._layers.values()),
        )
        add(
            layouts.SCENE,
            layouts.scene(),
            [
                self._editor, self._library, self._sound, self.root, environment, selections,
                tracks, grid, effects, shadow, manager,
            ],
        )  # fmt: skip

    def _dll_index(self, new: NewClass) -> int:
        return BUILTIN_DLL if new.plugin is None else self.plugins.index(new.plugin)

    def _scene_body(self) -> bytes:
        body = self._objects_body()
        form = OPEN_WIDE if self.compression == "zstd" else NARROW
        return encode_header(_ROOT, len(body), True, form) + body
