"""Bringing an existing sidecar up to date with its scene, without touching what a person wrote.

Every change is a splice of the text: comments, order, spelling of values and blank lines stay.
"""

from __future__ import annotations

from maxsidecar.errors import SidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.apply import Plan, make_plan
from maxsidecar.sidecar.base import Base, encode_base
from maxsidecar.sidecar.compare import listed_paths
from maxsidecar.sidecar.document import KINDS, ObjectTable, SidecarDocument
from maxsidecar.sidecar.extract import (
    APPDATA_GROUP,
    NOTHING_NOTE,
    Options,
    base_block,
    base_of,
    item_lines,
    selected,
)
from maxsidecar.sidecar.fields import MISSING
from maxsidecar.sidecar.groups import is_optional
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.listing import OptionalValues
from maxsidecar.sidecar.moves import locate
from maxsidecar.sidecar.objects import read_info
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.plan import Change, Conflict
from maxsidecar.sidecar.relabel import without_tables
from maxsidecar.sidecar.renames import follow_renames
from maxsidecar.sidecar.splice import TextSplices
from maxsidecar.sidecar.toml_text import format_value
from maxsidecar.sidecar.traces import SCENE, Traces

__all__ = ["refreshed_text", "updated_text"]

#: Values of all tables by object, to check that the text says what it should.
_Model = dict[tuple[str, str], dict[KeyPath, object]]


def updated_text(
    document: SidecarDocument,
    scene_file: MaxFile,
    options: Options | None = None,
    *,
    discard: bool = False,
) -> str:
    """Return the sidecar's text with the scene's values, where no person edited them.

    Edits that were not applied yet stay edits.  Tables of nodes that were renamed get the new name.
    Values that came into the scene since are added to their tables; objects that did, and
    everything that ``options.all`` asks for, behind the last.

    Args:
        document: The existing sidecar.
        scene_file: The scene as it is now.
        options: What to show.
        discard: Let the scene win where both sides changed a value.

    Raises:
        SidecarError: The sidecar is wrong, both sides changed a value, or the text cannot be
            changed statement by statement.
    """
    options = options or Options()
    labels = Labels(scene_file.scene)
    same = document.sha256 == scene_file.sha256
    document, doubtful = follow_renames(document, labels, same_scene=same)
    if document.sha256 != scene_file.sha256:
        document = _without_gone(document, labels, discard)
    plan = make_plan(scene_file, document, include=options.include, doubtful=doubtful)
    resets = plan.resets if discard else {}
    for problem in plan.problems:
        if problem in resets:
            continue
        if problem in plan.resets:
            problem.message += "; extract --discard takes the scene's value"
        raise problem
    for conflict in plan.conflicts:
        if conflict.edited and not discard:
            raise document.error_at(
                f"{conflict}; {_ways_on(conflict, doubtful)}",
                conflict.line,
                conflict.column,
            )
    splices = TextSplices(plan.document)
    model = _model(plan.document)
    _take_scene_values(plan, splices, model, [*plan.conflicts, *plan.stale, *resets.values()])
    optional = OptionalValues(scene_file.scene, options.include, plan.places)
    for index, table in plan.objects.items():
        _add_new_values(plan, splices, model, index, table, optional.values.get(index, {}))
    _add_objects(plan, splices, model, options, optional)
    return _finish(plan, splices, model, scene_file.sha256)


def _ways_on(conflict: Conflict, doubtful: set[int]) -> str:
    """Return what can be done about a conflict."""
    if conflict.obj.index in doubtful:
        return (
            "the node with this id has another name, and another parent or other values, so it "
            "may be another node; extract --discard takes its values"
        )
    return "extract --discard takes the scene's value, apply --force FIELD writes yours"


def _without_gone(document: SidecarDocument, labels: Labels, discard: bool) -> SidecarDocument:
    """Return the sidecar without tables of objects that are gone, unless somebody edited them.

    Raises:
        SidecarError: Somebody did, and that is not to be discarded.
    """
    located = locate(document, labels, same_scene=False)
    if located.gone and not located.objects:
        raise document.error(
            "no object of this sidecar is in the scene, so it is of another scene; maxsidecar "
            "extract --force writes a new one",
            ("sidecar", "scene"),
        )
    for here, edited in located.gone.items():
        if edited and not discard:
            raise located.problems[here]
    changed = without_tables(document, located.gone)
    if changed is not document:
        # The node that has the number now is another one, and new.
        changed.base = {k: v for k, v in changed.base.items() if k not in located.gone_keys}
    return changed


def refreshed_text(plan: Plan, sha256: str) -> str:
    """Return the sidecar's text for the scene after a plan was carried out.

    Only the hash, the table of values at extraction, what is there for information, and values of
    conflicts that were decided for the scene change; what a person wrote stays.

    Args:
        plan: The plan, its changes made in the opened scene.
        sha256: Hash of the scene file once it is saved.

    Raises:
        SidecarError: The text cannot be changed statement by statement.
    """
    splices = TextSplices(plan.document)
    model = _model(plan.document)
    _take_scene_values(plan, splices, model, plan.kept + plan.stale)
    return _finish(plan, splices, model, sha256)


def _model(document: SidecarDocument) -> _Model:
    return {(t.kind, t.label): dict(t.values) for t in document.tables}


def _take_scene_values(
    plan: Plan, splices: TextSplices, model: _Model, conflicts: list[Conflict]
) -> None:
    tables = {(table.kind, table.label): table for table in plan.document.tables}
    new: dict[tuple[str, str], dict[KeyPath, object]] = {}
    for conflict in conflicts:
        here = (conflict.kind, conflict.label)
        table = tables[here]
        for path, value in _sides(conflict):
            written = listed_paths(table).get(path)
            if written is None:
                if value is not MISSING:
                    new.setdefault(here, {})[path] = value
            elif value is MISSING:
                splices.delete(table.key(written))
                del model[here][written]
            else:
                old = table.values[written]
                splices.set_value(table.key(written), old, format_value(value))
                model[here][written] = value
    for here, values in new.items():
        _insert(splices, model, here, values)


def _sides(change: Change) -> list[tuple[KeyPath, object]]:
    """Return path and value of everything that the scene holds in place of a change."""
    if isinstance(change.old, dict):
        return [(part, change.old[part[-1]]) for part in change.parts]
    if change.parts != (change.path,):
        return [(change.path, MISSING), *((part, change.old) for part in change.parts)]
    return [(change.path, change.old)]


def _add_new_values(
    plan: Plan,
    splices: TextSplices,
    model: _Model,
    index: int,
    table: ObjectTable,
    optional: dict[KeyPath, object],
) -> None:
    """Add the values that came into the scene since the extraction, or that are asked for."""
    obj = plan.scene_file.scene[index]
    base = plan.document.base.get(plan.labels.ids.key(obj))
    if base is None:
        return
    listed = listed_paths(table)
    values = plan.values[index]
    new = {
        p: v
        for p, v in values.items()
        if p not in listed and not base.knows(p) and (p in optional or not is_optional(p))
    }
    _insert(splices, model, (table.kind, table.label), new)


def _insert(
    splices: TextSplices, model: _Model, here: tuple[str, str], values: dict[KeyPath, object]
) -> None:
    groups: dict[KeyPath, list[tuple[str, str]]] = {}
    for path, value in values.items():
        groups.setdefault(path[:-1], []).append((path[-1], format_value(value)))
        model[here][path] = value
    for group, lines in groups.items():
        splices.insert((*here, *group), here, lines)


def _add_objects(
    plan: Plan, splices: TextSplices, model: _Model, options: Options, optional: OptionalValues
) -> None:
    """Add tables of objects that are not listed yet."""
    base = plan.document.base
    # A table without lines is that of a sidecar without objects; one with damaged lines says
    # nothing of what it listed.
    has_base = bool(base) or (plan.document.has_base and not plan.document.base_lines)

    def wanted(obj: SceneObject) -> bool:
        if obj.index in plan.objects:
            return False
        # Whoever deleted a table does not want it back, unless the options ask for it.
        appdata = APPDATA_GROUP in options.include and not isinstance(obj, Node)
        asked = options.all or appdata or obj.index in optional.values
        return asked or (has_base and plan.labels.ids.key(obj) not in base)

    lines: dict[str, list[str]] = {}
    for item in list(selected(plan.scene_file, plan.labels, options, wanted, optional)):
        lines.setdefault(item.kind, []).extend(["", *item_lines(item, plan.labels, options)])
        model[item.kind, item.label] = dict(item.values)
        plan.values[item.obj.index] = item.values
        plan.objects[item.obj.index] = ObjectTable(
            item.kind, item.label, {**read_info(item.obj)}, dict(item.values)
        )
    _drop_note(splices, bool(lines))
    places: dict[int, list[str]] = {}
    for number, kind in enumerate(KINDS, 1):
        if kind in lines:
            before = {"sidecar", *KINDS[:number]}
            ends = [s.end for s in plan.document.locator.sections if before & {*s.path[:1]}]
            place = max(ends, default=len(plan.document.text))
            places.setdefault(place, []).extend(lines[kind])
    for place, new in places.items():
        splices.insert_lines(place, new, 2)


def _drop_note(splices: TextSplices, listed: bool) -> None:
    """Take the line out that says that nothing is listed."""
    start = splices.document.text.find(f"\n{NOTHING_NOTE}\n\n")
    if listed and start >= 0 and not splices.document.tables:
        splices.replace(start, start + len(NOTHING_NOTE) + 2, "")


def _finish(plan: Plan, splices: TextSplices, model: _Model, sha256: str) -> str:
    """Bring hash, information and base up to date, make the changes and check the result."""
    document = plan.document
    if document.sha256 != sha256:
        splices.set_value(("sidecar", "sha256"), document.sha256, format_value(sha256))
    for index, table in plan.objects.items():
        _update_info(plan, splices, index, table)
    _drop_empty(document, splices, model)
    bases = _bases(plan, model)
    lines = encode_base(bases, document.base_lines)
    sound = True
    if lines != document.base_lines:
        sound = _replace_base(splices, lines)
    text = splices.text()
    # To read a large text again takes longer than all the rest, so only where a splice was not
    # checked by itself.
    if not (sound and model == _model(document)) and not _says(document, text, model, lines):
        raise document.error(
            "cannot bring this sidecar up to date: write its tables as [node.NAME.TABLE], one key "
            "to a line, or extract a new one"
        )
    return text


def _says(document: SidecarDocument, text: str, model: _Model, base: dict[str, str]) -> bool:
    """Return whether a text says what it should."""
    try:
        again = SidecarDocument(text, document.file)
    except SidecarError:
        return False
    return _model(again) == model and again.base_lines == base


def _update_info(plan: Plan, splices: TextSplices, index: int, table: ObjectTable) -> None:
    obj = plan.scene_file.scene[index]
    actual: dict[str, object] = {**read_info(obj), "index": index}
    key, number = plan.labels.ids.id_of(obj)
    actual[key] = number
    for key, value in table.info.items():
        if key in actual and actual[key] != value:
            splices.set_value((*table.here, key), value, format_value(actual[key]))


def _drop_empty(document: SidecarDocument, splices: TextSplices, model: _Model) -> None:
    """Take headers out whose values are all gone, where an empty table would say nothing."""
    for table in document.tables:
        left = {path[:-1] for path in model[table.kind, table.label]}
        gone = {path[:-1] for path in table.values if is_optional(path)} - left
        for group in gone - {()}:
            splices.delete_header(table.key(group))


def _bases(plan: Plan, model: _Model) -> dict[str, Base | None]:
    """Return the values at this extraction: what is listed, and what is there besides."""
    old = plan.document.base
    present = {plan.labels.ids.key(node) for node in plan.scene_file.nodes.values()}
    bases: dict[str, Base | None] = {k: None for k in old if k in present or k.startswith("#")}
    traces = Traces(plan.labels)
    going: dict[int, set[KeyPath]] = {}
    for change in plan.changes:
        if change.new is MISSING:
            going.setdefault(change.obj.index, set()).update(change.parts)
    if any(traces.needs_scene(plan.scene_file.scene[index]) for index in plan.objects):
        bases[SCENE] = traces.of_scene()
    for index, table in plan.objects.items():
        obj = plan.scene_file.scene[index]
        key = plan.labels.ids.key(obj)
        values = plan.values[index]
        now = ObjectTable(table.kind, table.label, table.info, model[table.kind, table.label])
        # A line that is gone counts as listed until its value is gone from the scene too.
        listed = set(listed_paths(now)) | going.get(index, set())
        before = old.get(key)
        if before is not None:
            # What came into the scene since and is not listed stays news for the next extraction.
            values = {p: v for p, v in values.items() if p in listed or before.knows(p)}
        bases[key] = base_of(obj, values, traces, [*listed, *((key,) for key in table.info)])
    return bases


def _replace_base(splices: TextSplices, lines: dict[str, str]) -> bool:
    """Write the table of values at extraction; returns whether what was there is surely gone."""
    block = base_block(lines)
    locator = splices.locator
    section = locator.tables.get(("base",))
    if section is not None:
        old = splices.read(splices.document.text[section.start : section.end])
        splices.replace(section.start, section.end, "\n".join(block))
        return old == {"base": splices.document.base_lines}
    for path, spot in locator.spots.items():
        if path[0] == "base" and not spot.inline:
            splices.delete(path)
    splices.insert_lines(len(splices.document.text), ["", *block], 3)
    return False
