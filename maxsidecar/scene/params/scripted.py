"""Parameter names of scripted classes and custom attributes, from what the file keeps of scripts.

``Config`` describes the blocks of scripted classes; for attributes that it does not list, the
source text in ``ScriptedCustAttribDefs`` does (measured on the corpus, docs/format/streams.md
sections 6 and 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.params.script_source import declared_parameters

if TYPE_CHECKING:
    from maxsidecar.scene.directories import ClassId
    from maxsidecar.scene.scene import Scene

__all__ = ["scripted_names"]

_ATTRIBUTE = 0x1160

#: Names by parameter id, by class id, superclass and block id.
_Names: TypeAlias = dict[tuple[int, int, int, int], dict[int, str]]

_known: WeakKeyDictionary[Scene, _Names] = WeakKeyDictionary()


def scripted_names(
    scene: Scene, class_id: ClassId, superclass: int, block_id: int
) -> dict[int, str]:
    """Return the names of a scripted class's block, empty when no script is known.

    They are read once for each scene; what scripts say does not change with an edit of values.
    """
    names = _known.get(scene)
    if names is None:
        names = _known[scene] = _read(scene)
    return names.get((class_id.a, class_id.b, superclass, block_id), {})


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
