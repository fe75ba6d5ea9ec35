"""Print all AppData of scenes, by name where it is known: ``python dump_appdata.py FILE...``."""

from __future__ import annotations

import os
import sys

import maxsidecar
from maxsidecar import MaxSidecarError
from maxsidecar.errors import DecodeError
from maxsidecar.scene.appdata import AppDataItem
from maxsidecar.scene.appdata_registry import REGISTRY
from maxsidecar.scene.maxfile import MaxFile


def show(item: AppDataItem, code_page: str) -> str:
    """Return an entry as ``name = value``, or as its key and bytes."""
    known = REGISTRY.by_key(item.key)
    if known is not None:
        try:
            return f"{'.'.join(known.path)} = {known.decode(item.value, code_page).value}"
        except DecodeError:
            pass  # the bytes are not what the name promises: show them
    return f"{item.key} = {item.value.hex(' ')}"


def dump(scene_file: MaxFile) -> None:
    """Print every entry of every object, nodes by their names."""
    nodes, code_page = scene_file.nodes, scene_file.code_page
    for obj, item in scene_file.scene.appdata():
        owner = nodes[obj.index].name if obj.index in nodes else f"{obj.class_name} {obj.index}"
        print(f"  {owner}: {show(item, code_page)}")


def main(paths: list[str]) -> int:
    """Print each scene; go on behind a file that cannot be read."""
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    for path in paths:
        print(path)
        try:
            with maxsidecar.open(path) as scene_file:
                dump(scene_file)
        except BrokenPipeError:
            raise
        except (MaxSidecarError, OSError) as error:
            print(error, file=sys.stderr)
            failed += 1
    sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        # Nobody reads on, such as behind "| head": keep Python from complaining at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
