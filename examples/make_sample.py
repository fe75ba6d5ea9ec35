"""Make the sample scene from nothing: ``python make_sample.py OUT.max``.

The scene shows what real ones are like: NeL export flags on its nodes, user-defined properties, a
hidden and a frozen node, two nodes of one name, names with dots, quotes and another script, an
AppData entry that nobody knows, a layer and a thumbnail.  The same call gives the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Literal

from maxsidecar import plugins
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.authoring import Compression, NodeLook, SceneBuilder

#: An AppData entry of an owner that nobody knows, to show that it rides along.
UNKNOWN = AppDataKey(0x0BADC0DE, 0x12345678, 0x1020, 7)


def set_nel(scene: SceneBuilder, node: int, **values: object) -> None:
    """Set NeL export flags by their sidecar names, ``__`` for a dot: ``lod__dist_max=200.0``."""
    for name, value in values.items():
        prop = REGISTRY.by_toml_path(("nel", *name.split("__")))
        if prop is None:
            raise KeyError(name)
        scene.add_appdata(node, prop.key, prop.edit(None, value, "cp1252"))


def thumbnail(width: int = 128, height: int = 72) -> tuple[int, int, bytes]:
    """Draw a light square on a dark sky; rows from the bottom, blue, green and red."""
    rows = bytearray()
    for y in range(height):
        for x in range(width):
            inside = abs(x - width // 2) < 20 and abs(y - height // 2) < 20
            rows += bytes((90, 200, 230) if inside else (90 + y, 50 + y // 2, 40))
    return width, height, bytes(rows)


def make_sample(*, version: Literal[3, 4] = 3, compression: Compression = None) -> bytes:
    """Return the sample scene file."""
    plugins.load()
    scene = SceneBuilder(title="A village street", version=version, compression=compression)
    scene.thumbnail = thumbnail()
    props = scene.add_layer("props")

    house = scene.add_node(
        "house",
        scene.add_box(800.0, 600.0, 450.0),
        transform=scene.add_transform((0.0, 0.0, 0.0)),
        user_properties={"material": "brick", "floors": "2"},
    )
    set_nel(
        scene, house, lod__name_count=0, lod__dist_max=200.0, lod__blend_in=True,
        instance_name="house_01", accelerator={"type": "cluster", "visible_from_father": True},
    )  # fmt: skip
    scene.add_appdata(house, UNKNOWN, b"\x01\x02rides along\x00")

    door = scene.add_node(
        "door",
        scene.add_box(90.0, 10.0, 200.0),
        parent=house,
        transform=scene.add_transform((0.0, -300.0, 0.0), (0.0, 0.0, 0.5)),
    )
    set_nel(scene, door, accelerator={"type": "portal"}, dont_export=False)

    # Two lamps share their object and their name, as copies made with Instance do.
    ball = scene.add_sphere(15.0, segments=16)
    for x in (-400.0, 400.0):
        place = scene.add_transform((x, -350.0, 300.0), scale=(1.0, 1.0, 1.25))
        lamp = scene.add_node("lamp", ball, parent=house, transform=place, layer=props)
        set_nel(scene, lamp, instance_name=f"lamp {x:+.0f}")

    hidden = scene.add_node(
        "collision.box", scene.add_box(820.0, 620.0, 460.0), look=NodeLook(True)
    )
    set_nel(scene, hidden, dont_export=True)
    wall = scene.add_box(10.0, 500.0, 120.0)
    scene.add_node('the "old" wall', wall, look=NodeLook(frozen=True))
    scene.add_node("дом над рекой", scene.add_sphere(60.0), user_properties="note = привет\r\n")
    scene.add_node("spawn point", scene.add_dummy(20.0), layer=props)
    return scene.to_bytes()


def main(arguments: list[str] | None = None) -> int:
    """Write the sample where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--v4", action="store_true", help="sectors of 4096 bytes, as since Max 9")
    parser.add_argument("--compression", choices=("gzip", "zstd"))
    options = parser.parse_args(arguments)
    data = make_sample(version=4 if options.v4 else 3, compression=options.compression)
    options.output.write_bytes(data)
    print(f"{options.output}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
