"""New scenes from nothing, in the layout of 3ds Max 6 (Scene root id 2009).

:class:`SceneBuilder` collects objects in storage order and writes a whole scene file: the class and
plug-in directories follow from the classes that the objects use, in order of first use, as 3ds Max
writes them.  Everything around the user's own objects that a scene of that release holds (material
editor, render settings, layer manager, ...) is added by the builder.

Chunk ids and their order are measured on the 16 scenes of that release in the corpus and tested
against them.  **Whether 3ds Max opens such a file has not been tried.**  Known gaps: the material
editor's slots are empty, which no measured scene has; the vertex and face totals of the document
properties are 0; the session state in Config is shorter than that of a real session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import NARROW, OPEN_WIDE, encode_header
from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.scene import authoring_objects as layouts
from maxsidecar.scene import authoring_streams as streams
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring_chunks import (
    ChunkTree,
    NewClass,
    Plugin,
    encode_chunks,
    pack_values,
)
from maxsidecar.scene.authoring_packing import Compression, pack_stream
from maxsidecar.scene.directories import BUILTIN_DLL
from maxsidecar.scene.node_flags import NODE_FLAGS

__all__ = [
    "ChunkTree",
    "Compression",
    "NewClass",
    "NodeLook",
    "Plugin",
    "SceneBuilder",
]

_ROOT: Final = 0x2009
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_DENSE: Final = 0x2034
_SPARSE: Final = 0x2035


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


@dataclass(slots=True)
class _Object:
    class_index: int
    chunks: Sequence[ChunkTree]
    references: Sequence[int | None] | Mapping[int, int] | None
    slots: int
    appdata: list[tuple[AppDataKey, bytes]] = field(default_factory=list)


class SceneBuilder:
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
        self.title = title
        self.saved = saved
        self.version = version
        self.compression = compression
        self.thumbnail: tuple[int, int, bytes] | None = None
        self.classes: list[NewClass] = []
        self.plugins: list[Plugin] = []
        self._class_index: dict[NewClass, int] = {}
        self._objects: list[_Object] = []
        self._names: list[str] = []
        self._layers: list[int] = []
        self._editor = self.add_object(
            layouts.MATERIAL_EDITOR, layouts.material_editor(), [None] * 26
        )
        self._library = self.add_object(layouts.MATERIAL_LIBRARY, [(0x4110, bytes(4))])
        self._sound = self.add_object(layouts.SOUND, layouts.sound())
        self.root = self.add_object(layouts.ROOT_NODE, [(0x0120, b"")], {}, slots=16)
        self.layer = self.add_layer("0")

    def __len__(self) -> int:
        """Return the number of objects added so far."""
        return len(self._objects)

    def add_class(self, new: NewClass) -> int:
        """Return a class's index in the class directory, after adding it where it is not there."""
        index = self._class_index.get(new)
        if index is None:
            if new.plugin is not None and new.plugin not in self.plugins:
                self.plugins.append(new.plugin)
            # Ids of 2032 and 2033 mean derived objects, and 16 bits are all there is.
            if len(self.classes) >= 0x2032:
                raise EditError("too many classes", expected=f"at most {0x2032}")
            index = self._class_index[new] = len(self.classes)
            self.classes.append(new)
        return index

    def add_object(
        self,
        new: NewClass,
        chunks: Sequence[ChunkTree] = (),
        references: Sequence[int | None] | Mapping[int, int] | None = None,
        *,
        slots: int = 2,
    ) -> int:
        """Add an object and return its storage index.

        Args:
            new: Its class.
            chunks: Its chunks, without those of references and AppData.
            references: Storage indices of what it refers to: a list gives each slot, a mapping
                gives slot to index (the sparse form), ``None`` writes no list at all.
            slots: Number in front of the sparse form: 16 for nodes, 2 for controllers (measured;
                its meaning is likely the number of slots).

        Raises:
            EditError: It refers to an object that is not there yet.
        """
        values = references.values() if isinstance(references, Mapping) else references or ()
        for target in values:
            if target is not None and not 0 <= target < len(self._objects):
                raise EditError("an object must come before what refers to it", found=target)
        self._objects.append(_Object(self.add_class(new), chunks, references, slots))
        return len(self._objects) - 1

    def add_layer(self, name: str) -> int:
        """Add a layer and return its storage index; the first one is the default layer ``0``.

        Raises:
            EditError: The name is not ASCII; the code page of layer names is the author's.
        """
        if not name or not name.isascii():
            raise EditError("a layer's name must be ASCII text", found=name)
        index = self.add_object(layouts.LAYER, layouts.layer(name))
        self._layers.append(index)
        return index

    def add_transform(
        self,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        euler: Sequence[float] = (0.0, 0.0, 0.0),
        scale: Sequence[float] = (1.0, 1.0, 1.0),
    ) -> int:
        """Add a Position/Rotation/Scale controller with its parts; return its storage index.

        Args:
            position: Position in units of the file, 3 numbers.
            euler: Values of the X, Y and Z rotation controllers in radians.
            scale: Scale factors, 3 numbers.
        """

        def numbers(values: Sequence[float]) -> list[int | None]:
            if len(values) != 3:
                raise EditError("wrong number of values", expected=3, found=len(values))
            return [
                self.add_object(layouts.BEZIER_FLOAT, layouts.bezier_float(value), {})
                for value in values
            ]

        place = self.add_object(layouts.POSITION_XYZ, (), numbers(position))
        turn = self.add_object(layouts.EULER_XYZ, [(0x1003, bytes(4))], numbers(euler))
        size = self.add_object(layouts.BEZIER_SCALE, layouts.bezier_scale(scale), {})
        chunks = [(0x7230, bytes(4)), (0x7231, bytes(4))]
        return self.add_object(layouts.PRS, chunks, [place, turn, size])

    def add_box(self, length: float, width: float, height: float) -> int:
        """Add a Box; return its storage index."""
        block = self.add_object(layouts.PARAM_BLOCK, layouts.box_parameters(length, width, height))
        return self.add_object(layouts.BOX, [(0x0100, b"\1")], [block])

    def add_sphere(self, radius: float, segments: int = 32) -> int:
        """Add a Sphere; return its storage index."""
        block = self.add_object(layouts.PARAM_BLOCK, layouts.sphere_parameters(radius, segments))
        return self.add_object(layouts.SPHERE, [(0x0100, b"")], [block])

    def add_dummy(self, size: float) -> int:
        """Add a Dummy helper of an edge length; return its storage index."""
        return self.add_object(layouts.DUMMY, layouts.dummy(size))

    def add_node(
        self,
        name: str,
        shows: int,
        *,
        parent: int | None = None,
        transform: int | None = None,
        layer: int | None = None,
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
            user_properties: Text of the user-defined properties, or keys and values, which become
                lines ``key = value`` that end in ``\r\n``.
            look: Hidden, frozen and so on.

        Raises:
            EditError: The name is empty, or one of the objects is of another class.
        """
        if not name or "\0" in name:
            raise EditError("a node needs a name without NUL", found=name)
        parent = self.root if parent is None else parent
        if not 0 <= parent < len(self) or self._class(parent).superclass != 1:
            raise EditError("the parent is not a node", found=parent)
        transform = self.add_transform() if transform is None else transform
        if not isinstance(user_properties, str):
            user_properties = "".join(f"{k} = {v}\r\n" for k, v in user_properties.items())
        if not 0 <= shows < len(self):
            raise EditError("there is no such object to show", found=shows)
        look = look or NodeLook()
        flags, marks = 0x00801000, {0x0978}
        for on, flag in ((look.hidden, "hidden"), (look.frozen, "frozen")):
            spec = NODE_FLAGS[flag]
            if on and spec.partner is not None:
                flags |= spec.mask
                marks.add(spec.partner)
        references = {0: transform, 1: shows, 6: self.layer if layer is None else layer}
        self._names.append(name)
        chunks = layouts.node(
            name=name,
            parent=parent,
            flags=flags,
            marks=sorted(marks),
            user_text=user_properties,
            superclass=self._class(shows).superclass,
            wire_color=look.wire_color,
            handle=len(self._names),
        )
        return self.add_object(layouts.NODE, chunks, references, slots=16)

    def _class(self, index: int) -> NewClass:
        return self.classes[self._objects[index].class_index]

    def add_appdata(self, index: int, key: AppDataKey, value: bytes) -> None:
        """Add an AppData entry to an object, behind those that it has."""
        self._objects[index].appdata.append((key, value))

    def to_bytes(self) -> bytes:
        """Return the scene file; the same calls always give the same bytes.

        Raises:
            CompressionError: The scene is to be packed with zstd and its package is missing.
            EditError: A value does not fit its field.
        """
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
            [plugin.file_name for plugin in self.plugins],
            compressed=self.compression is not None,
        )
        entries.append(NewEntry("\x05SummaryInformation", summary))
        entries.append(NewEntry("\x05DocumentSummaryInformation", document))
        since = self.saved - _EPOCH
        ticks = (since.days * 86400 + since.seconds) * 10_000_000 + since.microseconds * 10
        return build(entries, version=self.version, root_modified=ticks)

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
            list(self._layers),
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
        out = [encode_chunks([(obj.class_index, _object_chunks(obj))]) for obj in self._objects]
        body = b"".join(out)
        form = OPEN_WIDE if self.compression == "zstd" else NARROW
        return encode_header(_ROOT, len(body), True, form) + body


def _object_chunks(obj: _Object) -> list[ChunkTree]:
    """Return an object's chunks: AppData in front, then references, then its own."""
    chunks: list[ChunkTree] = []
    if obj.appdata:
        entries: list[ChunkTree] = [(0x0100, pack_values("I", len(obj.appdata)))]
        for key, value in obj.appdata:
            packed = pack_values(
                "5I", key.class_a, key.class_b, key.superclass, key.subid, len(value)
            )
            entries.append((0x0110, [(0x0120, packed), (0x0130, value)]))
        chunks.append((APPDATA, entries))
    references = obj.references
    if isinstance(references, Mapping):
        pairs = [n for pair in references.items() for n in pair]
        chunks.append((_SPARSE, pack_values(f"I{len(pairs)}i", obj.slots, *pairs)))
    elif references is not None:
        indices = [-1 if index is None else index for index in references]
        chunks.append((_DENSE, pack_values(f"{len(indices)}i", *indices)))
    return [*chunks, *obj.chunks]
