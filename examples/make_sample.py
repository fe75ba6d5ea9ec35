"""Make the sample scene from nothing: ``python make_sample.py OUT.max``.

The scene shows what real ones are like: NeL export flags on its nodes, user-defined properties, a
hidden and a frozen node, two nodes of one name, names with dots, quotes and another script, an
AppData entry that nobody knows, a layer, a mesh with two materials, a keyed path and a thumbnail.
The same call gives the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from math import pi
from pathlib import Path
from typing import Literal

from maxsidecar import plugins
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.authoring import Compression, NodeLook, SceneBuilder, TransformKeys

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


def add_wall_materials(scene: SceneBuilder) -> tuple[int, int]:
    """Add bricks from a picture, and a material that has them for id 0 and moss for id 1."""
    picture = scene.add_bitmap_map("C:\\textures\\bricks.tga", (256, 256), name="bricks")
    brick = scene.add_standard_material("brick", glossiness=0.05, diffuse_map=picture)
    moss = scene.add_standard_material("moss", diffuse=(0.2, 0.4, 0.1), two_sided=True)
    return brick, scene.add_multi_material("wall", [(0, brick, "face"), (1, moss, "top")])


def add_wall(scene: SceneBuilder) -> int:
    """Add a wall as a mesh: four sides of id 0 and a top of id 1; it has no bottom."""
    x, y, z = 250.0, 5.0, 120.0
    ring = [(-x, -y), (x, -y), (x, y), (-x, y)]
    vertices = [(*corner, height) for height in (0.0, z) for corner in ring]
    sides = [(n, (n + 1) % 4, (n + 1) % 4 + 4, n + 4) for n in range(4)]
    quads = [*sides, (4, 5, 6, 7)]
    # Two triangles a quad, whose diagonal is not visible.
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (c, d, a))]
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    return scene.add_mesh(
        vertices,
        faces,
        material_ids=[0] * 8 + [1] * 2,
        smoothing=[1 << n for n in range(5) for _ in range(2)],
        edge_flags=[3] * 10,
        uv=(square, [(0, 1, 2), (2, 3, 0)] * 5),
    )


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
    brick, materials = add_wall_materials(scene)
    scene.add_node(
        'the "old" wall', add_wall(scene), material=materials, look=NodeLook(frozen=True)
    )
    scene.add_node(
        "дом над рекой",
        scene.add_sphere(60.0),
        material=brick,
        user_properties="note = привет\r\n",
    )
    # One round of the house in four seconds of 4800 ticks, looking where it goes.
    corners = [(-600.0, -500.0), (600.0, -500.0), (600.0, 500.0), (-600.0, 500.0)]
    path = {4800 * n: (*corners[n % 4], 0.0) for n in range(5)}
    turns = {4800 * n: (0.0, 0.0, n * pi / 2) for n in range(5)}
    patrol = scene.add_transform(keys=TransformKeys(position=path, euler=turns))
    scene.add_node("spawn point", scene.add_dummy(20.0), transform=patrol, layer=props)
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
