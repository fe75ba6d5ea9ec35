"""``class``: objects of one class become objects of another, where that is safe.

Only the identity changes: the entry of the class directory, and the other places that are known to
name a class by its ids.  The data of the objects stays, so the new class must read what the old one
wrote; that is so where a plug-in or a script was given another class id.

Where class ids stand was measured on the corpus: beside the class directory in headers of parameter
blocks, script definitions and class data, in AppData keys, in track view nodes (chunk 0120), in the
Scene object and in pictures of materials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from struct import Struct
from typing import Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import Change, Migration, MigrationError, Option, Options, register
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring_chunks import NewClass, Plugin
from maxsidecar.scene.directories import BUILTIN_DLL, SCRIPT_DLL, ClassEntry, ClassId, ClassInfo
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.registry import view_class
from maxsidecar.scene.restructure.classes import plugin_index

__all__ = ["parse_class_id", "retarget"]

_CLASS_ID: Final = re.compile(r"([0-9a-fA-F]{1,8})[/-]([0-9a-fA-F]{1,8})")
_HEX: Final = re.compile(r"[0-9a-fA-F]{1,8}")
_PAIR: Final = Struct("<II")
_BLOCK: Final = 0x82


def parse_class_id(text: str) -> ClassId:
    """Return the class id of ``e44f10b3/0``.

    Raises:
        MigrationError: It is none.
    """
    found = _CLASS_ID.fullmatch(text.replace("0x", ""))
    if found is None:
        raise MigrationError(
            "not a class id", expected="two hex numbers, such as e44f10b3/0", found=shorten(text)
        )
    return ClassId(int(found[1], 16), int(found[2], 16))


def retarget(
    scene_file: MaxFile,
    source: ClassId,
    target: ClassId,
    *,
    superclass: int | None = None,
    name: str | None = None,
    plugin: Plugin | None = None,
    appdata: bool = False,
    rewritten: bool = False,
    log: Log | None = None,
) -> bool:
    """Give a class of a scene another class id.

    Views of objects that were looked at before still show the old class.

    Args:
        scene_file: The scene.
        source: Class id until now.
        target: New class id.
        superclass: Only the class with this superclass; ``None`` for whatever it is.
        name: New class name; ``None`` keeps it.
        plugin: Plug-in of the new class; ``None`` keeps it.
        appdata: Whether AppData that belong to the class go with it.
        rewritten: Whether the objects hold the data of the new class already.
        log: Takes what was changed.

    Returns:
        Whether the scene has the class.

    Raises:
        EditError: It is not safe; the scene must not be saved then.
        DecodeError: A place that names the class cannot be read.
    """
    told = log if log is not None else Log()
    found = [
        info
        for info in scene_file.scene.classes
        if info is not None and info.class_id == source and superclass in (None, info.superclass)
    ]
    if not found or source == target:
        return False
    if len(found) > 1:
        kinds = ", ".join(f"{info.superclass:x}" for info in found)
        raise EditError(f"{source} is more than one class: of the superclasses {kinds}")
    (info,) = found
    _check(scene_file, info, target, rewritten)
    _change_directory(scene_file, info, target, name, plugin, told)
    _change_streams(scene_file, info, target, told)
    _change_blocks(scene_file, info, target, told)
    left = _change_appdata(scene_file, info, target, appdata, told)
    _check_rest(scene_file, source, left)
    return True


def _check(scene_file: MaxFile, info: ClassInfo, target: ClassId, rewritten: bool) -> None:
    """Refuse what would not be the same data under another identity."""
    if info.dll == BUILTIN_DLL:
        raise EditError(f"{info.name} ({info.class_id}) is a class of 3ds Max itself")
    for other in scene_file.scene.classes:
        if other and (other.class_id, other.superclass) == (target, info.superclass):
            raise EditError(
                f"the scene has the class {target} already ({other.name}), beside {info.name}"
            )
    if rewritten or info.dll == SCRIPT_DLL:
        return  # what its objects hold is in the script, which goes with the class
    new = ClassInfo(info.index, info.name, target, info.superclass, info.dll)
    if view_class(info, SceneObject) is not view_class(new, SceneObject):
        raise EditError(
            f"the data of {info.name} ({info.class_id}) or of {target} is known, "
            "and they are not known to be the same"
        )


def _change_directory(
    scene_file: MaxFile,
    info: ClassInfo,
    target: ClassId,
    name: str | None,
    plugin: Plugin | None,
    log: Log,
) -> None:
    scene = scene_file.scene
    directory = scene_file.class_directory
    entries: list[ClassEntry] = [] if directory is None else list(directory.entries)
    if info.index >= len(entries):
        raise EditError("the class directory cannot be read", scene.where)
    dll = info.dll
    if plugin is not None:
        wanted = NewClass(name or info.name, target.a, target.b, info.superclass, plugin)
        dll = plugin_index(scene, wanted)
        # The directory may have moved in its stream meanwhile.
        entries = list(directory.entries) if directory is not None else entries
    entry = entries[info.index]
    header = entry.header
    if header is None:
        raise EditError("the entry of the class directory has no identity", entry.where)
    entry.header = header.replace(class_a=target.a, class_b=target.b, dll=dll)
    log.change("class directory", f"class {info.name}", info.class_id, target)
    if dll != info.dll:
        log.change("class directory", "plug-in", scene.dll_name(info.dll), scene.dll_name(dll))
    if name is not None and name != info.name:
        entry.name = name
        log.change("class directory", "class name", info.name, name)
    classes = list(scene.classes)
    classes[info.index] = ClassInfo(info.index, name or info.name, target, info.superclass, dll)
    scene.directories = classes, scene.directories[1]


def _change_streams(scene_file: MaxFile, info: ClassInfo, target: ClassId, log: Log) -> None:
    """Change the scripts and the data that are kept for the class."""
    config = scene_file.config
    for scripted in config.scripted_classes() if config is not None else ():
        header = scripted.header
        identity = scripted.class_id, scripted.superclass
        if header is not None and identity == (info.class_id, info.superclass):
            scripted.header = header.replace(class_a=target.a, class_b=target.b)
            log.change("Config", "scripted class", info.class_id, target)
    stored = scene_file.custom_attribute_definitions
    for definition in stored.definitions if stored is not None else ():
        if definition.class_id == info.class_id:
            definition.class_id = target
            log.change("ScriptedCustAttribDefs", "definition", info.class_id, target)
    data = scene_file.class_data
    entry = data.find_class(info.class_id, info.superclass) if data is not None else None
    key = entry.key if entry is not None else None
    if entry is not None and key is not None:
        entry.key = key.replace(class_a=target.a, class_b=target.b)
        log.change("ClassData", "class", info.class_id, target)


def _change_blocks(scene_file: MaxFile, info: ClassInfo, target: ClassId, log: Log) -> None:
    """Change parameter blocks that name the class of their owner by its ids."""
    changed = 0
    for block in scene_file.scene.of_superclass(_BLOCK):
        header = block.header_by_id if isinstance(block, ParamBlock2) else None
        if header is None or not isinstance(block, ParamBlock2):
            continue
        identity = ClassId(header.class_a, header.class_b), header.superclass
        if identity == (info.class_id, info.superclass):
            block.header_by_id = header.replace(class_a=target.a, class_b=target.b)
            changed += 1
    if changed:
        log.change("Scene", f"owner of {changed} parameter blocks", info.class_id, target)


def _owned(scene_file: MaxFile, source: ClassId) -> Iterator[tuple[SceneObject, AppDataKey]]:
    for obj, item in scene_file.scene.appdata():
        if (item.key.class_a, item.key.class_b) == (source.a, source.b):
            yield obj, item.key


def _change_appdata(
    scene_file: MaxFile, info: ClassInfo, target: ClassId, change: bool, log: Log
) -> int:
    """Change AppData that belong to the class, or return how many there are."""
    owned = list(_owned(scene_file, info.class_id))
    if not change:
        if owned:
            log.warning(
                f"{len(owned)} AppData entries still belong to {info.class_id}; "
                "--appdata lets them go with the class"
            )
        return len(owned)
    for obj in {obj.index: obj for obj, _ in owned}.values():
        with obj.appdata.editing() as entries:
            for item in list(entries):
                key = item.key
                if (key.class_a, key.class_b) != (info.class_id.a, info.class_id.b):
                    continue
                new = AppDataKey(target.a, target.b, key.superclass, key.subid)
                if new in entries:
                    raise EditError(f"there are AppData {new} already", obj.where)
                entries.remove(key)
                entries.set(new, item.value)
                log.change(obj, "AppData key", key, new)
    return 0


def _check_rest(scene_file: MaxFile, source: ClassId, expected: int) -> None:
    """Refuse when the old class id stands in a place that is not known.

    Raises:
        EditError: It does.
    """
    pattern = _PAIR.pack(source.a, source.b)
    for name, stream in scene_file.streams.items():
        try:
            data = scene_file.scene.encode() if name == "Scene" else stream.content
        except MaxSidecarError:
            continue  # it cannot be unpacked, and is kept as it is
        hits = bytes(data).count(pattern) - (expected if name == "Scene" else 0)
        if hits > 0:
            raise EditError(
                f"the class id {source} also stands in a place that is not known", stream.where
            )


def _prepare(options: Options) -> Change:
    source, target = parse_class_id(options["from"]), parse_class_id(options["to"])
    superclass = options["superclass"]
    if superclass is not None and not _HEX.fullmatch(superclass):
        raise MigrationError("not a superclass id", expected="hex", found=shorten(superclass))
    plugin = None
    if options["plugin"] is not None:
        plugin = Plugin(options["description"] or options["plugin"], options["plugin"])
    elif options["description"] is not None:
        raise MigrationError("--description goes with --plugin")
    if source == target:
        raise MigrationError("--from and --to are the same class")

    def change(scene_file: MaxFile, log: Log) -> None:
        retarget(
            scene_file,
            source,
            target,
            superclass=None if superclass is None else int(superclass, 16),
            name=options["name"],
            plugin=plugin,
            appdata=options["appdata"],
            log=log,
        )

    return change


register(
    Migration(
        name="class",
        summary="give a class of plug-in or script another class id",
        changes="The class id in the class directory, in headers of parameter blocks, in script\n"
        "definitions and in class data; with the options also its name, its plug-in, and the\n"
        "AppData that belong to it. The data of the objects stays, so the new class must read\n"
        "what the old one wrote. A file is refused, and stays as it is, where the class is one\n"
        "of 3ds Max itself, where the scene has the new class already, where the data of one\n"
        "of two plug-in classes is known and that of the other is not known to be the same,\n"
        "and where the old class id stands in a place that is not known.",
        prepare=_prepare,
        options=(
            Option("from", "text", "class id until now, in hex", "A/B", required=True),
            Option("to", "text", "new class id, in hex", "A/B", required=True),
            Option("superclass", "text", "only the class with this superclass", "HEX"),
            Option("name", "text", "new class name", "NAME"),
            Option("plugin", "text", "file name of the plug-in of the new class", "FILE"),
            Option("description", "text", "what that plug-in calls itself", "TEXT"),
            Option("appdata", "flag", "AppData that belong to the class go with it"),
        ),
    )
)
