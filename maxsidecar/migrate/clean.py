"""``clean``: take out what scenes drag along; each kind only where it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from maxsidecar.errors import MaxSidecarError, cut
from maxsidecar.migrate.infections import is_infected_name, known_names, places, reaches_outside
from maxsidecar.migrate.log import Log, place_text
from maxsidecar.migrate.registry import Change, Migration, Option, Options, register
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure import delete, places_of

__all__: list[str] = []

_ATTRIBUTE: Final = 0x1160
_CONTAINER: Final = (0x5DDB3626, 0x23B708DB)
#: Superclasses of controllers begin with this digit.
_CONTROLLERS: Final = 0x9000
#: Float, Position (or Point3) and Scale Script; their text is in a chunk.
_SCRIPT_CONTROLLERS: Final = frozenset(
    {(0x498702E6, 0x71F11548), (0x498702E7, 0x71F11549), (0x7C8F3A2A, 0x1E954D91)}
)
_SCRIPT: Final = 0x5000
#: Superclasses that these may be of: numbers, points, positions, rotations, scales.
_SCRIPTED: Final = (0x9003, 0x9004, 0x9009, 0x900A, 0x900B, 0x900C, 0x900D)
_SHOWN: Final = 200
#: As many places of known names as this are told of each stream.
_TOLD: Final = 5

_ELSEWHERE: Final = "a name of a script that infects scenes; look at it yourself"

#: Takes out what was found.
_Remove = Callable[[], None]


@dataclass(slots=True)
class _Finding:
    """Something that can be taken out.

    Attributes:
        place: Where.
        text: What.
        remove: Takes it out; ``None`` for what is only told.
    """

    place: object
    text: str
    remove: _Remove | None = None


@dataclass(slots=True)
class _Seen:
    """What known names have been told of already.

    Attributes:
        scripts: Storage indices of scripts.
        variables: Whether there are global variables.
    """

    scripts: set[int] = field(default_factory=set)
    variables: bool = False


def _script_nodes(scene_file: MaxFile, seen: _Seen) -> Iterator[_Finding]:
    """Yield hidden nodes that carry a script which infects scenes."""
    scene = scene_file.scene
    for node in scene_file.nodes.values():
        for script in _scripts_of(node):
            text = _text_of(script)
            names, outside = known_names(text), reaches_outside(text)
            if not names and not outside:
                continue
            seen.scripts.add(script.index)
            what = f"{script.class_name} {script.index} ({len(text)} characters)"
            what += f" names {', '.join(names[:3])}" if names else ""
            what += f" {' and '.join(outside)}" if outside else ""
            if not node.flag("hidden"):
                yield _Finding(node, f"{what}; the node is not hidden, so it stays")
            elif not names and "registers callbacks" not in outside:
                yield _Finding(node, f"{what}; not known to infect scenes, so it stays")
            elif node.children:
                yield _Finding(node, f"{what}; the node has children, so it stays")
            else:
                yield _Finding(node, what, _deletes(scene_file, node))
            break
    for obj in scene.of_superclass(*_SCRIPTED):
        if obj.index not in seen.scripts and _is_script(obj):
            text = _text_of(obj)
            if known_names(text) or reaches_outside(text):
                seen.scripts.add(obj.index)
                yield _Finding(obj, "a script like those that infect scenes, on no node; it stays")


def _is_script(obj: SceneObject) -> bool:
    class_id = obj.class_id
    return class_id is not None and (class_id.a, class_id.b) in _SCRIPT_CONTROLLERS


def _text_of(script: SceneObject) -> str:
    chunk = script.find(_SCRIPT)
    data = b"" if chunk is None or chunk.container else bytes(chunk.data)
    if data[1:2] == b"\0":
        return data.decode("utf-16-le", "replace")
    return data.decode("latin-1")


def _scripts_of(node: Node) -> Iterator[SceneObject]:
    """Yield the script controllers of a node's transform, of single axes too."""
    pending = [node.controller]
    seen: set[int] = set()
    while pending:
        controller = pending.pop()
        if controller is None or controller.index in seen:
            continue
        seen.add(controller.index)
        if _is_script(controller):
            yield controller
        elif (controller.superclass or 0) & ~0xFFF == _CONTROLLERS:
            pending += [controller.reference(slot) for slot in controller.references]


def _deletes(scene_file: MaxFile, obj: SceneObject) -> _Remove:
    def remove() -> None:
        delete(scene_file.scene, [obj])

    return remove


def _script_variables(scene_file: MaxFile, seen: _Seen) -> Iterator[_Finding]:
    """Yield persistent global variables with known names."""
    config = scene_file.config
    scripts = config.scripts if config is not None else None
    for name in scripts.variables if scripts is not None else ():
        if is_infected_name(name):
            seen.variables = True

            def remove(name: str = name) -> None:
                config = scene_file.config
                store = config.scripts if config is not None else None
                if store is not None:
                    store.remove_variables([name])

            yield _Finding("Config", f"global variable {cut(name, _SHOWN)}", remove)


def _empty_appdata(scene_file: MaxFile, seen: _Seen) -> Iterator[_Finding]:
    """Yield AppData chunks without an entry."""
    del seen
    for obj in list(scene_file.scene.objects_with_appdata()):
        if not obj.appdata.problems() and not len(obj.appdata):

            def remove(obj: SceneObject = obj) -> None:
                chunk = obj.find(APPDATA)
                if chunk is not None:
                    chunk.remove()

            yield _Finding(obj, "AppData without an entry", remove)


def _orphan_attributes(scene_file: MaxFile, seen: _Seen) -> Iterator[_Finding]:
    """Yield custom attributes, and containers of them, that nothing refers to."""
    del seen
    scene = scene_file.scene
    attributes = [
        obj for obj in scene if obj.superclass == _ATTRIBUTE or obj.is_instance(0x100, _CONTAINER)
    ]
    if not attributes:
        return
    # Nearly all are in a reference list or in a link; the other places take ten times as long.
    held = {index for obj in scene for index in _quick_references(obj)}
    loose = [obj for obj in attributes if obj.index not in held]
    if loose:
        held = {
            one.index
            for obj in scene
            for place in places_of(obj)
            for one in place.read(obj)
            if one.owns
        }
        loose = [obj for obj in loose if obj.index not in held]
    if loose:
        text = ", ".join(f"{obj.class_name} {obj.index}" for obj in loose)

        def remove() -> None:
            delete(scene, loose)

        count = f"{len(loose)} custom attributes that nothing refers to"
        yield _Finding("Scene", cut(f"{count}: {text}", _SHOWN), remove)


def _quick_references(obj: SceneObject) -> Iterator[int]:
    yield from obj.references.values()
    link = obj.attribute_link
    if link is not None and link.container_index is not None:
        yield link.container_index


def _attribute_definitions(scene_file: MaxFile, seen: _Seen) -> Iterator[_Finding]:
    """Yield the sources of custom attributes that no object has."""
    del seen
    stored = scene_file.custom_attribute_definitions
    if stored is None:
        return
    used = {info.class_id for info in scene_file.scene.classes if info is not None}
    unused = [number for number, d in enumerate(stored.definitions) if d.class_id not in used]
    if not unused:
        return

    def remove() -> None:
        for number in reversed(unused):
            chunk = stored.definitions[number].container()
            if chunk is not None:
                chunk.remove()

    total = len(stored.definitions)
    yield _Finding(
        "ScriptedCustAttribDefs", f"{len(unused)} of {total} attribute sources, unused", remove
    )


_KINDS: Final = {
    "script-nodes": _script_nodes,
    "script-variables": _script_variables,
    "orphan-attributes": _orphan_attributes,
    "attribute-definitions": _attribute_definitions,
    "empty-appdata": _empty_appdata,
}


def _tell_rest(scene_file: MaxFile, seen: _Seen, log: Log) -> None:
    """Tell known names of infecting scripts in places that nothing above looks into."""
    scene = scene_file.scene
    for name, stream in scene_file.streams.items():
        if name == "Config" and seen.variables:
            continue
        try:
            data = bytes(stream.data)
        except MaxSidecarError:
            continue  # it cannot be unpacked
        told: set[int | None] = set()
        for offset in places(data):
            index = scene.index_at(offset) if name == "Scene" else None
            if index in seen.scripts or index in told or len(told) >= _TOLD:
                continue
            told.add(index)
            where = name if index is None else f"object {index}"
            log.warning(_ELSEWHERE, place=where)


def clean(scene_file: MaxFile, kinds: frozenset[str], log: Log) -> None:
    """List what can be taken out, and take out what is asked for.

    Args:
        scene_file: The scene.
        kinds: Names of the kinds to take out.
        log: Takes the list.
    """
    seen = _Seen()
    found: list[tuple[str, _Finding]] = []
    for kind, find in _KINDS.items():
        try:
            found += [(kind, one) for one in find(scene_file, seen)]
        except MaxSidecarError as error:
            tell = log.problem if kind in kinds else log.warning
            tell(f"--{kind} cannot look here: {error.message}", error.where)
    _tell_rest(scene_file, seen, log)
    for kind, one in found:
        if one.remove is None:
            log.warning(one.text, one.place)
        elif kind not in kinds:
            log.note(f"--{kind} would take out: {one.text}", one.place)
    # Deletions come last: they renumber what the others have found.
    wanted = [one for kind, one in found if kind in kinds]
    for one in sorted(wanted, key=lambda one: isinstance(one.place, Node)):
        if one.remove is None:
            continue
        place = place_text(one.place)
        try:
            one.remove()
        except MaxSidecarError as error:
            log.problem(f"cannot be taken out: {one.text}: {error.message}", place)
        else:
            log.change(place, f"taken out: {one.text}")


def _prepare(options: Options) -> Change:
    kinds = frozenset(kind for kind in _KINDS if options[kind])

    def change(scene_file: MaxFile, log: Log) -> None:
        clean(scene_file, kinds, log)

    return change


register(
    Migration(
        name="clean",
        summary="take out scripts that infect scenes, orphaned attributes, empty AppData",
        changes="Only the kinds that are asked for; without any, the files stay as they are and\n"
        "what each kind would take out is listed. Scripts are read and never run.\n"
        "--script-nodes: hidden nodes without children with a script controller (as a rule a\n"
        "Scale Script) that has names of a known infecting script, or registers callbacks.\n"
        "--script-variables: persistent global variables with names of known ones.\n"
        "--orphan-attributes: custom attributes that nothing refers to.\n"
        "--attribute-definitions: sources of custom attributes that no object has.\n"
        "--empty-appdata: AppData chunks without an entry.\n"
        "Known names in other places, such as callbacks that are kept in the scene, are told and\n"
        "stay. Objects that are taken out leave empty ones in their places, so that no other\n"
        "object is renumbered.",
        prepare=_prepare,
        options=(
            Option("script-nodes", "flag", "hidden nodes with a script that infects scenes"),
            Option("script-variables", "flag", "global variables of such scripts"),
            Option("orphan-attributes", "flag", "custom attributes that nothing refers to"),
            Option("attribute-definitions", "flag", "attribute sources that no object has"),
            Option("empty-appdata", "flag", "AppData chunks without an entry"),
        ),
    )
)
