"""Parameter names of scripted classes and custom attributes, from what the file keeps of scripts.

``Config`` describes the blocks of scripted classes; for attributes that it does not list, the
source text in ``ScriptedCustAttribDefs`` does (measured on the corpus, docs/format/streams.md
sections 6 and 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.params.script_source import declared_parameters

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassId
    from maxsidecar.scene.scene import Scene

__all__ = ["same_sources", "script_sources", "scripted_names"]

_ATTRIBUTE = 0x1160

#: Names by parameter id, by class id, superclass and block id.
_Names: TypeAlias = dict[tuple[int, int, int, int], dict[int, str]]

#: Streams that hold scripts.
_STREAMS: Final = ("Config", "ScriptedCustAttribDefs")

#: What the names were read from: contents of the streams, and the classes.
_Sources: TypeAlias = tuple[object, ...]


def script_sources(scene: Scene) -> _Sources:
    """Return what names of scripted classes are read from; an edit gives another value."""
    streams = scene.streams.streams if scene.streams is not None else {}
    found: list[object] = [scene.classes]
    for name in _STREAMS:
        try:
            found.append(streams[name].content if name in streams else None)
        except MaxSidecarError:  # reading the stream itself reports it
            found.append(None)
    return tuple(found)


def scripted_names(
    scene: Scene, class_id: ClassId, superclass: int, block_id: int
) -> dict[int, str]:
    """Return the names of a scripted class's block, empty when no script is known.

    They are read once for each scene, and again when the streams or the classes were edited.
    """
    sources = script_sources(scene)
    known: tuple[_Sources, _Names] | None = scene.kept.get(scripted_names)
    if known is None or not same_sources(known[0], sources):
        known = scene.kept[scripted_names] = sources, _read(scene)
    return known[1].get((class_id.a, class_id.b, superclass, block_id), {})


def same_sources(one: _Sources, other: _Sources) -> bool:
    """Return whether names that were read from one are those of the other."""
    return all(a is b for a, b in zip(one, other, strict=True))


def _read(scene: Scene) -> _Names:
    streams = scene.streams
    names: _Names = {}
    if streams is None:
        return names
    # A damaged stream leaves parameters without names; the check of the stream reports it.
    try:
        config = streams.config
        classes = config.scripted_classes() if config is not None else []
    except MaxSidecarError:
        classes = []
    for scripted in classes:
        try:
            key = scripted.class_id.a, scripted.class_id.b, scripted.superclass
            for block in scripted.blocks():
                found = {parameter.index: parameter.name for parameter in block.parameters}
                names.setdefault((*key, block.id), found)
        except MaxSidecarError:
            continue
    try:
        stored = streams.custom_attribute_definitions
        definitions = stored.definitions if stored is not None else []
    except MaxSidecarError:
        return names
    used = {
        (info.class_id.a, info.class_id.b)
        for info in scene.classes
        if info is not None and info.superclass == _ATTRIBUTE
    }
    for definition in definitions:
        try:
            source = definition.source
        except MaxSidecarError:
            continue
        class_a, class_b = source.class_id.a, source.class_id.b
        if (class_a, class_b) in used and (class_a, class_b, _ATTRIBUTE, 0) not in names:
            for number, found in enumerate(declared_parameters(source.text)):
                names.setdefault((class_a, class_b, _ATTRIBUTE, number), found)
    return names
