"""The Scene stream: a root chunk with one child per scene object.

Objects are listed when the stream is opened and looked into when somebody asks; saving writes
every object that was not edited as the bytes it was read from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, overload

from maxsidecar.errors import ChunkError, EditError, Where
from maxsidecar.io.chunks import (
    NARROW,
    Buffer,
    ChunkData,
    EditCount,
    Span,
    encode_header,
)
from maxsidecar.io.headers import LARGE
from maxsidecar.scene.appdata import APPDATA, AppDataItem
from maxsidecar.scene.directories import DERIVED, ClassInfo
from maxsidecar.scene.object_list import NewObject, ObjectList, ObjectListState
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import view_class
from maxsidecar.scene.scene_stream import read_stream

if TYPE_CHECKING:
    from maxsidecar.scene.file_streams import FileStreams
    from maxsidecar.scene.node import Node, NodeTree

__all__ = ["Scene"]

_TAKEN_OUT: Final = "the object was taken out of the scene"
_APPDATA_ID = re.compile(re.escape(APPDATA.to_bytes(2, "little")))


class Scene(Sequence[SceneObject]):
    """The objects of a scene, by storage index.

    Args:
        data: The unpacked Scene stream.
        classes: The class directory's entries.
        dll_names: File names of the DLL directory's entries.
        where: File and stream, for messages.
        lenient: Keep what can be read of a damaged stream; ``problems`` says what cannot.
        code_page: Gives the Python codec of 8-bit text.
        streams: The streams beside the scene, ``None`` for a scene without a file.

    Raises:
        ChunkError: The stream has no root chunk, or (strict) its objects are damaged.
    """

    def __init__(
        self,
        data: Buffer,
        classes: Sequence[ClassInfo | None],
        dll_names: Sequence[str],
        where: Where | None = None,
        *,
        lenient: bool = True,
        code_page: Callable[[], str] = lambda: "cp1252",
        streams: FileStreams | None = None,
    ) -> None:
        """List the objects; nothing else is read yet."""
        self.data = data
        self.classes = classes
        self.where = where or Where(stream="Scene")
        #: Counts every edit of any object.
        self.edits = EditCount()
        self._code_page = code_page
        self.streams = streams
        self.problems: list[ChunkError] = []
        self._reported: set[str] = set()
        self._dll_names = dll_names
        self._objects: dict[int, SceneObject] = {}
        self._tree: NodeTree | None = None
        #: What others worked out about the scene and keep for later, by who did.
        self.kept: dict[object, Any] = {}
        stream = read_stream(data, self.where, lenient=lenient)
        self._root = stream.root
        self._read_only = stream.read_only
        # Why no object can come or go.
        self._fixed = stream.fixed
        for problem in stream.problems:
            self._report(problem)
        spans = stream.spans
        self._list = ObjectList(data, spans, spans[-1][3] if spans else self._root[2])

    def _path(self) -> str:
        return f"{self._root[0]:04x}[0]"

    @property
    def version(self) -> int:
        """Id of the root chunk, which tells the release (see :mod:`maxsidecar.scene.release`)."""
        return self._root[0]

    @cached_property
    def code_page(self) -> str:
        """Python codec of the scene's 8-bit text; found out when first asked for."""
        return self._code_page()

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self._list)

    @overload
    def __getitem__(self, index: int) -> SceneObject: ...
    @overload
    def __getitem__(self, index: slice) -> list[SceneObject]: ...
    def __getitem__(self, index: int | slice) -> SceneObject | list[SceneObject]:
        """Return the object with a storage index."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"no object {index}: the scene has {count}")
        index %= count
        obj = self._objects.get(index)
        if obj is None:
            obj = self._objects[index] = self._make(index)
        return obj

    def __iter__(self) -> Iterator[SceneObject]:
        """Yield the objects in storage order."""
        index = 0
        while (obj := self._objects.get(index)) is not None or index < len(self._list):
            yield self[index] if obj is None else obj
            index += 1

    def passing(self) -> Iterator[SceneObject]:
        """Yield the objects in storage order, for those who look at each of them once.

        What was not looked at before is a read-only view that the scene does not keep, which saves
        memory, and time to walk through it.
        """
        for index in range(len(self)):
            obj = self._objects.get(index)
            if obj is None:
                obj = self._make(index)
                obj.data.read_only = obj.data.read_only or "the object was looked at in passing"
            yield obj

    def _make(self, index: int) -> SceneObject:
        chunk_id, start, body, end, container, form = self.span(index)
        info = self.class_info(chunk_id)
        path = f"{self._path()}/{chunk_id:04x}[{index}]"
        where = Where(self.where.file, self.where.stream, path)
        view = memoryview(self.data)[body:end]
        # A body that is not marked as a container is data: show no chunks in it.
        chunks = ChunkData(
            view if container else b"",
            body,
            where,
            form=NARROW if end - start >= LARGE else form,
            read_only=self._read_only if container else "the object holds no chunks",
            edits=self.edits,
        )
        return view_class(info, SceneObject)(self, index, info, chunks)

    def class_info(self, chunk_id: int) -> ClassInfo | None:
        """Return the class that an object's chunk id stands for."""
        if chunk_id < len(self.classes):
            return self.classes[chunk_id]
        return DERIVED.get(chunk_id)

    def dll_name(self, index: int) -> str:
        """Return a plug-in's file name; empty for built-in and script classes."""
        return self._dll_names[index] if 0 <= index < len(self._dll_names) else ""

    def is_container(self, index: int) -> bool:
        """Return whether an object's body is marked as chunks."""
        return self.span(index)[4]

    def chunk_id(self, index: int) -> int:
        """Return an object's chunk id: its class index, or the id of a derived object."""
        return self._list.ids[index]

    def span(self, index: int) -> Span:
        """Return where an object was read from, in offsets of the stream.

        The span of an object that was added is empty.
        """
        return self._list.span(index)

    def index_at(self, offset: int) -> int | None:
        """Return the storage index of the object that was read from an offset of the stream.

        ``None`` when there is none, or it is no longer part of the scene.
        """
        return self._list.at(offset)

    def of_superclass(self, *superclasses: int) -> Iterator[SceneObject]:
        """Yield the objects of some superclasses, in storage order."""
        known = DERIVED | dict(enumerate(self.classes))
        ids = {i for i, info in known.items() if info and info.superclass in superclasses}
        for index, chunk_id in enumerate(self._list.ids):
            if chunk_id in ids:
                yield self[index]

    @property
    def nodes(self) -> NodeTree:
        """The scene nodes as a tree."""
        if self._tree is None:
            from maxsidecar.scene.node import NodeTree

            self._tree = NodeTree(self)
        return self._tree

    def node(self, index: int) -> Node:
        """Return the node with a storage index.

        Raises:
            KeyError: That object is not a node.
        """
        return self.nodes[index]

    def objects_with_appdata(self) -> Iterator[SceneObject]:
        """Yield the objects that have an AppData chunk, in storage order.

        The chunk id is searched for in the whole stream at once, then each hit is checked to be
        a real header; that is many times faster than to look into every object.
        """
        hits: set[int] = set()
        for match in _APPDATA_ID.finditer(self.data):
            index = self._list.at(match.start())
            if index is not None:
                hits.add(index)
        hits.update(index for index, obj in self._objects.items() if obj.edited)
        for index in sorted(hits):
            try:
                if self[index].find(APPDATA) is not None:
                    yield self[index]
            except ChunkError as error:
                self._report(error)

    def delete(self, objects: Iterable[SceneObject], *, force: bool = False) -> int:
        """Take objects out, see :func:`maxsidecar.scene.restructure.delete`."""
        from maxsidecar.scene.restructure import delete

        return delete(self, objects, force=force)

    def _report(self, error: ChunkError) -> None:
        """Note a problem once, without the frames that hold on to what was read."""
        text = str(error)
        if text not in self._reported:
            self._reported.add(text)
            self.problems.append(error.with_traceback(None))

    def appdata(self) -> Iterator[tuple[SceneObject, AppDataItem]]:
        """Yield every AppData entry of every object, in stored order."""
        for obj in self.objects_with_appdata():
            for item in obj.appdata:
                yield obj, item

    @property
    def edited(self) -> bool:
        """Whether saving would write other bytes than were read."""
        if not self.edits.count:
            return False
        return self._list.changed or any(obj.edited for obj in self._objects.values())

    def edited_objects(self) -> list[SceneObject]:
        """Return the objects whose bytes differ from those that were read."""
        if not self.edits.count:
            return []
        return [self._objects[i] for i in sorted(self._objects) if self._objects[i].edited]

    def encode(self) -> Buffer:
        """Return the stream with the edits spliced in; without an edit, the very bytes read."""
        pieces = self.encode_pieces()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def encode_pieces(self) -> list[Buffer]:
        """Return the stream with the edits spliced in, in pieces: what was read is not copied."""
        edited = self.edited_objects()
        if not edited and not self._list.changed:
            return [self.data]
        view = memoryview(self.data)
        root_id, start, body, end, container, form = self._root
        pieces: list[Buffer] = []
        if self._list.changed:
            pieces = self._pieces_of_list(view)
            edited = []
        pos = self._list.end if self._list.changed else body
        for obj in edited:
            chunk_id, obj_start, _, obj_end, is_container, obj_form = self.span(obj.index)
            new = obj.data.data
            header = encode_header(chunk_id, len(new), is_container, obj_form)
            pieces += (view[pos:obj_start], header, new)
            pos = obj_end
        pieces.append(view[pos:end])
        size = sum(map(len, pieces))
        header = encode_header(root_id, size, container, form)
        return [view[:start], header, *pieces, view[end:]]

    def _pieces_of_list(self, view: memoryview) -> list[Buffer]:
        """Return the objects of a changed list; what still stands together is one piece."""
        pieces: list[Buffer] = []
        start = stop = 0
        for index, extent in enumerate(self._list.extents()):
            obj = self._objects.get(index)
            if extent is not None and (obj is None or not obj.edited):
                if extent[0] != stop:
                    pieces.append(view[start:stop])
                    start = extent[0]
                stop = extent[1]
                continue
            pieces.append(view[start:stop])
            start = stop = 0
            chunk_id, _, _, _, container, form = self.span(index)
            body = self[index].data.data
            pieces += (encode_header(chunk_id, len(body), container, form), body)
        pieces.append(view[start:stop])
        return pieces

    def rearrange(self, order: Sequence[int | NewObject]) -> list[SceneObject]:
        """Put the objects in another order, leave some out, or put new ones between them.

        This changes the list and nothing else: storage indices that other objects hold are the
        business of :mod:`maxsidecar.scene.restructure`, which everybody else should use.

        Args:
            order: What each place of the new list holds: the storage index until now, or a new
                object.

        Returns:
            The new objects, in their order.

        Raises:
            EditError: The list is damaged, or the order is not one.
        """
        self._require_list()
        self._list.rearrange(order)
        old, self._objects = self._objects, {}
        added: list[SceneObject] = []
        for index, item in enumerate(order):
            if isinstance(item, NewObject):
                added.append(self._make_new(index, item))
            elif item in old:
                self._place(old.pop(item), index)
        for obj in old.values():
            obj.data.read_only = _TAKEN_OUT
        self._list_changed()
        return added

    def insert_objects(self, new: Sequence[NewObject]) -> list[SceneObject]:
        """Put new objects in front of the last one, as :meth:`rearrange` would but at once.

        Raises:
            EditError: The list is damaged, or has no object.
        """
        self._require_list()
        last, tree = len(self) - 1, self._tree
        self._list.insert(new)
        moved = self._objects.pop(last, None)
        if moved is not None:
            self._place(moved, last + len(new))
        added = [self._make_new(last + n, item) for n, item in enumerate(new)]
        self._list_changed()
        if tree is not None and last not in tree:
            tree.extend(added)
            self._tree = tree
        return added

    def _require_list(self) -> None:
        reason = self._read_only or self._fixed
        if reason is not None:
            raise EditError(reason, self.where)

    def _make_new(self, index: int, new: NewObject) -> SceneObject:
        info = self.class_info(new.chunk_id)
        chunks = ChunkData(b"", 0, self.where, form=self.span(index)[5], edits=self.edits)
        if new.body:
            chunks.replace_all(new.body)
        else:
            chunks.read_only = "the object holds no chunks"
        obj = view_class(info, SceneObject)(self, index, info, chunks)
        self._place(obj, index)
        return obj

    def _place(self, obj: SceneObject, index: int) -> None:
        """Tell an object, and its errors, where it is now."""
        self._objects[index] = obj
        if obj.data.read_only == _TAKEN_OUT:
            obj.data.read_only = None
        if obj.index != index or obj.data.where.path is None:
            obj.index = index
            path = f"{self._path()}/{self.chunk_id(index):04x}[{index}]"
            obj.data.where = Where(self.where.file, self.where.stream, path)

    def _list_changed(self) -> None:
        self.edits.count += 1
        self._tree = None

    @property
    def directories(self) -> tuple[Sequence[ClassInfo | None], Sequence[str]]:
        """Known classes and file names of plug-ins."""
        return self.classes, self._dll_names

    @directories.setter
    def directories(self, known: tuple[Sequence[ClassInfo | None], Sequence[str]]) -> None:
        self.classes, self._dll_names = known

    def list_state(self) -> tuple[ObjectListState, dict[int, SceneObject]]:
        """Return which objects there are, for :meth:`restore_list`."""
        return self._list.state(), dict(self._objects)

    def restore_list(self, state: tuple[ObjectListState, dict[int, SceneObject]]) -> None:
        """Go back to an earlier list; the contents of objects stay as they are."""
        self._list.restore(state[0])
        self._objects = {}
        for index, obj in state[1].items():
            self._place(obj, index)
        self._list_changed()
