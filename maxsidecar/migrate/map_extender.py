"""``map-extender-to-unwrap``: Map Extender modifiers become Unwrap UVW with the same mapping.

Map Extender is a plug-in that was made for 3ds Max 3 and lost.  What it stored is a finished map
channel, and Unwrap UVW stores the same in another form (docs/format/map-extender.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.migrate.classes import retarget
from maxsidecar.migrate.log import CHANGE, Log
from maxsidecar.migrate.registry import Change, Migration, Option, Options, register
from maxsidecar.scene.authoring_chunks import NewClass, encode_chunks
from maxsidecar.scene.derived import DerivedObject, ModifierContext
from maxsidecar.scene.directories import BUILTIN_DLL, ClassId, ClassInfo
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.modifiers.map_extender_views import MAP_EXTENDER, MapExtender
from maxsidecar.scene.modifiers.unwrap_views import UNWRAP_UVW
from maxsidecar.scene.modifiers.view_base import LOCAL
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import DENSE_REFERENCES, SceneObject
from maxsidecar.scene.restructure import Transaction, clone, set_reference
from maxsidecar.scene.restructure.classes import class_chunk_id
from maxsidecar.scene.scene import Scene

if TYPE_CHECKING:
    from maxsidecar.migrate.map_extender_layout import Form, UnwrapMap
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.geometry.pipeline import Evaluator

__all__ = ["convert"]

_SUPERCLASS: Final = 0x810
_DERIVED: Final = 0x1F0
_NAME: Final = "Unwrap UVW"
_SOURCE: Final = ClassId(*MAP_EXTENDER)
_TARGET: Final = ClassId(*UNWRAP_UVW)
#: Chunks that belong to every class stand from here on; the plug-in wrote none of its own.
_UNIVERSAL: Final = range(0x2000, 0x4000)


@dataclass(slots=True)
class _Use:
    """A modifier on one object: its place in a stack, and its map; ``None`` for an empty one."""

    derived: DerivedObject
    slot: int
    map: UnwrapMap | None = None


@dataclass(slots=True)
class _Plan:
    """A modifier that can be converted, and the objects that it is on."""

    modifier: SceneObject
    uses: list[_Use] = field(default_factory=list)


def convert(scene_file: MaxFile, log: Log, *, unproven: bool = False) -> int:
    """Make Unwrap UVW of the Map Extender modifiers of a scene.

    Modifiers that cannot be converted stay as they are and are told as problems.

    Args:
        scene_file: The scene.
        log: Takes what was changed, and what was not.
        unproven: Write the form of releases 4 to 8 where no file shows which one the release has.

    Returns:
        How many modifiers were converted.

    Raises:
        EditError: The release is not known to have Unwrap UVW in some form, or the result would
            not be the same; the scene is as it was then.
        MaxSidecarError: The scene is damaged.
    """
    scene = scene_file.scene
    modifiers = [obj for obj in scene.of_superclass(_SUPERCLASS) if isinstance(obj, MapExtender)]
    if not modifiers:
        return 0
    from maxsidecar.migrate.map_extender_layout import form_of
    from maxsidecar.scene.geometry.pipeline import Evaluator

    form = form_of(scene.version, unproven)
    stacks = [obj for obj in scene.of_superclass(_DERIVED) if isinstance(obj, DerivedObject)]
    uses = _uses(stacks)
    evaluator = Evaluator(scene)
    plans: list[_Plan] = []
    for modifier in modifiers:
        plan = _Plan(modifier, uses.get(modifier.index, []))
        try:
            _check_chunks(modifier)
            for use in plan.uses:
                use.map = _read(evaluator, modifier, use)
        except MaxSidecarError as error:
            log.problem(f"stays as it is: {error.message}", modifier)
        else:
            plans.append(plan)
    if not plans:
        return 0
    touched = [use for plan in plans for use in plan.uses]
    before = list(_results(evaluator, touched))
    del evaluator
    with Transaction(scene):
        told = Log()
        done = [part for plan in plans for part in _split(plan, form, told)]
        for plan in done:
            _rewrite(plan, form, told)
        _change_class(scene_file, done, form, all_of_them=len(plans) == len(modifiers), log=told)
        _check_result(scene, touched, before)
    for entry in told:
        if entry.kind == CHANGE:
            log.change(entry.place, entry.text, entry.old, entry.new)
        else:
            log.warning(entry.text, entry.place)
    return len(done)


def _uses(stacks: list[DerivedObject]) -> dict[int, list[_Use]]:
    """Return where modifiers are used, by storage index."""
    found: dict[int, list[_Use]] = {}
    for derived in stacks:
        base = len(derived.dense_references or ()) - 1
        for slot, index in derived.references.items():
            if slot != base:
                found.setdefault(index, []).append(_Use(derived, slot))
    return found


def _check_chunks(modifier: SceneObject) -> None:
    for chunk in modifier.chunks():
        if chunk.id not in _UNIVERSAL:
            raise EditError(f"it holds a chunk {chunk.id:04x}, which is not known", chunk.where)


def _context(use: _Use) -> ModifierContext:
    contexts = use.derived.contexts
    if len(contexts) != len(use.derived.dense_references or ()) - 1:
        raise EditError("the stack does not have one context for each modifier", use.derived.where)
    return contexts[use.slot]


def _read(evaluator: Evaluator, modifier: MapExtender, use: _Use) -> UnwrapMap | None:
    """Return the map of an object in its new form.

    Raises:
        EditError: It does not fit what is below, or that is not known.
        DecodeError: It is not stored as is known.
    """
    from maxsidecar.migrate.map_extender_layout import unwrap

    context = _context(use)
    found = modifier.read_map(context)
    if found is None:
        outer = context.container()
        local = outer.find(LOCAL) if outer is not None and outer.container else None
        if local is not None and len(local.data):
            raise EditError("its map is not complete", local.where)
        return None
    below = evaluator.below(use.derived, use.slot)
    # Those that put in a map channel and nothing else leave the faces alone, whatever they do.
    wrong = [
        one
        for one in below.skipped
        if not one.approximate
        and (evaluator.scene[one.index].class_id not in (_SOURCE, _TARGET) or below.mesh is None)
    ]
    if wrong:
        raise EditError(
            f"what is below it is not known: {wrong[0].class_name} {wrong[0].index}: "
            f"{wrong[0].reason}"
        )
    if below.mesh is None:
        raise EditError("there is no mesh below it")
    return unwrap(found, below.mesh, modifier.scene.version)


def _split(plan: _Plan, form: Form, log: Log) -> Iterator[_Plan]:
    """Yield the plan, and one more for each set of objects that cannot share the new modifier.

    A modifier has one map channel, and in early files one map.
    """
    groups: dict[object, list[_Use]] = {}
    for use in plan.uses:
        key: object = None
        if use.map is not None:
            key = use.map.key() if form == "early" else use.map.channel
        groups.setdefault(key, []).append(use)
    if form == "late" and len(groups) > 1:
        # Without a map, the channel is of no consequence.
        empty = groups.pop(None, [])
        next(iter(groups.values())).extend(empty)
    parts = list(groups.values()) or [[]]
    # All copies are made before anything is rewritten.
    copies = [clone(plan.modifier) for _ in parts[1:]]
    yield _Plan(plan.modifier, parts[0])
    for modifier, uses in zip(copies, parts[1:], strict=True):
        for use in uses:
            set_reference(use.derived, use.slot, modifier)
        log.change(
            modifier,
            "modifier of its own, for objects that cannot share one",
            f"{plan.modifier.class_name} {plan.modifier.index}",
            f"{modifier.class_name} {modifier.index}",
        )
        yield _Plan(modifier, uses)


def _rewrite(plan: _Plan, form: Form, log: Log) -> None:
    """Put the data of Unwrap UVW in place of the old one, in the modifier and in its contexts."""
    from maxsidecar.migrate.map_extender_layout import local_chunks, modifier_chunks

    modifier = plan.modifier
    version = modifier.scene.version
    maps = [use.map for use in plan.uses if use.map is not None]
    _drop_references(modifier, log)
    channel = maps[0].channel if maps else 1
    chunks = modifier_chunks(form, version, channel, maps[0] if maps else None)
    data = modifier.data
    data.replace_all(bytes(data.data) + encode_chunks(chunks, data.form))
    for use in plan.uses:
        outer = _context(use).container()
        old = outer.find(LOCAL) if outer is not None and outer.container else None
        if outer is None or old is None:
            continue
        position, form_of_chunk = old.position, old.form
        old.remove()
        if use.map is not None:
            body = encode_chunks(local_chunks(form, version, use.map), form_of_chunk)
            outer = _context(use).container()
            if outer is not None:
                outer.owner.insert(outer, position, LOCAL, body, container=True)
    what = "no map"
    if maps:
        faces = len(maps[0].faces.degrees)
        what = f"{len(maps[0].coordinates)} map vertices, {faces} faces, map channel {channel}"
    log.change(modifier, f"modifier ({what})", modifier.class_name, _NAME)


def _drop_references(modifier: SceneObject, log: Log) -> None:
    """Empty the reference list: its slots mean other things to Unwrap UVW."""
    held = {slot: index for slot, index in modifier.references.items() if index >= 0}
    if not held:
        return
    dense, sparse = modifier.dense_references, modifier.sparse_references
    if dense is not None:
        chunk = modifier.find(DENSE_REFERENCES)
        if chunk is not None:
            chunk.replace(Struct(f"<{len(dense)}i").pack(*[-1] * len(dense)))
    elif sparse is not None:
        modifier.sparse_references = (sparse[0], {})
    scene = modifier.scene
    names = ", ".join(f"{scene[index].class_name} {index}" for index in held.values())
    log.warning(f"referred to {names}, which means nothing to Unwrap UVW; that is gone", modifier)


def _change_class(
    scene_file: MaxFile, plans: list[_Plan], form: Form, *, all_of_them: bool, log: Log
) -> None:
    """Change the class of the objects: the entry of their class where all have it, else theirs."""
    from maxsidecar.migrate.map_extender_layout import plugin

    scene = scene_file.scene
    entries = [info for info in scene.classes if info is not None and _is(info, _SOURCE)]
    known = any(info is not None and _is(info, _TARGET) for info in scene.classes)
    if all_of_them and not known and len(entries) == 1 and entries[0].dll != BUILTIN_DLL:
        told = Log()
        retarget(
            scene_file,
            _SOURCE,
            _TARGET,
            superclass=_SUPERCLASS,
            name=_NAME,
            plugin=plugin(form),
            rewritten=True,
            log=told,
        )
        for entry in told:
            if entry.kind == CHANGE:
                log.change(entry.place, entry.text, entry.old, entry.new)
            else:
                log.warning("AppData that belong to Map Extender stay as they are")
        return
    new = NewClass(_NAME, _TARGET.a, _TARGET.b, _SUPERCLASS, plugin(form))
    chunk_id = class_chunk_id(scene, new)
    if not known:
        log.change("class directory", "class", None, f"{_NAME} ({_TARGET})")
    order: list[int | NewObject] = list(range(len(scene)))
    for plan in plans:
        index = plan.modifier.index
        order[index] = NewObject(chunk_id, bytes(plan.modifier.data.data))
    # The objects stay where they are, so no number that others hold changes.
    scene.rearrange(order)


def _is(info: ClassInfo, class_id: ClassId) -> bool:
    return info.class_id == class_id and info.superclass == _SUPERCLASS


def _results(evaluator: Evaluator, uses: list[_Use]) -> Iterator[bytes]:
    """Yield what the modifiers give, and what their whole stacks give."""
    for use in uses:
        derived = evaluator.scene[use.derived.index]
        if isinstance(derived, DerivedObject):
            yield _digest(evaluator.below(derived, use.slot - 1).mesh)
            if use.slot:
                yield _digest(evaluator.object(derived).mesh)


def _digest(mesh: Mesh | None) -> bytes:
    """Return a digest of the triangles of a mesh, with the map channels corner by corner."""
    from maxsidecar.scene.geometry.polygons import to_triangles

    found = hashlib.sha256()
    if mesh is not None:
        mesh = to_triangles(mesh)
        for part in (mesh.positions, mesh.corners, mesh.material_ids, mesh.smoothing):
            found.update(part.tobytes())
        for number, channel in sorted(mesh.maps.items()):
            found.update(f"channel {number}".encode())
            found.update(channel.vertices[channel.corners].tobytes())
    return found.digest()


def _check_result(scene: Scene, uses: list[_Use], before: list[bytes]) -> None:
    """Refuse a scene whose objects do not look as they did."""
    from maxsidecar.scene.geometry.pipeline import Evaluator

    # Objects that were looked at before still show the old class.
    again = Scene(scene.encode(), *scene.directories)
    if list(_results(Evaluator(again), uses)) != before:
        raise EditError(
            "what stands on the modifiers would change, since it would get polygons, not "
            "triangles, or map vertices in another order"
        )


def _prepare(options: Options) -> Change:
    unproven = bool(options["unproven"])

    def change(scene_file: MaxFile, log: Log) -> None:
        convert(scene_file, log, unproven=unproven)

    return change


register(
    Migration(
        name="map-extender-to-unwrap",
        summary="make Unwrap UVW of the modifiers of the lost plug-in Map Extender",
        changes="Each Map Extender modifier becomes an Unwrap UVW that gives the same mapping:\n"
        "its class, its data, and its local data in the stacks. Where all of a scene's modifiers\n"
        "are converted, their entry of the class directory is the one of Unwrap UVW then;\n"
        "else that gets an entry. The plug-in directory gets an entry for uvwunwrap.dlm.\n"
        "Modifiers on several objects are split where these cannot share one Unwrap UVW.\n"
        "A modifier stays as it is where its map is not complete, does not fit the faces below\n"
        "it, cuts through polygons or maps faces that are not selected, and where what is below\n"
        "it cannot be evaluated. A file is refused where no scene shows\n"
        "how its release stores Unwrap UVW (all but 4 to 8, 2010 and later), and where the\n"
        "class id stands in a place that is not known.",
        prepare=_prepare,
        options=(
            Option(
                "unproven",
                "flag",
                "write the form of releases 4 to 8 where no scene shows that of the release",
            ),
        ),
    )
)
