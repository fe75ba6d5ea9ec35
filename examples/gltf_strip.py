"""Draw frames of an export side by side, with Blender, as a picture.

In Python with bpy:  python gltf_strip.py SCENE.glb OUT.png FRAME...
With Blender:        blender --background --python gltf_strip.py -- SCENE.glb OUT.png FRAME...

Frames count from the start of the export.  Each one stands on the same ground in the middle of its
own place, in grey, so that poses can be compared.  (docs/images/biped-walk.png: frames 0 6 12 18 24
of a scene of the test corpus.)
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

#: Pixels of a frame, across and down; degrees by which figures are turned to the left.
SIZE = (240, 340)
TURN = -35.0


def frozen(frame: float) -> list[Any]:
    """Return the meshes of the scene as they are in a frame, in the world."""
    import bpy

    scene = bpy.context.scene
    scene.frame_set(int(frame), subframe=frame % 1)
    graph = bpy.context.evaluated_depsgraph_get()
    rigs = [item for item in bpy.data.objects if item.type == "ARMATURE"]
    # The importer shows bones by a mesh of its own.
    shapes = {bone.custom_shape for rig in rigs for bone in rig.pose.bones}
    meshes = []
    for item in scene.objects:
        if item.type == "MESH" and item not in shapes:
            mesh = bpy.data.meshes.new_from_object(item.evaluated_get(graph))
            mesh.transform(item.matrix_world)
            meshes.append(mesh)
    return meshes


def arrange(frames: list[float]) -> tuple[float, float]:
    """Put every frame beside the one before; return the height of a figure and the whole width."""
    import bpy
    from mathutils import Matrix, Vector

    grey = bpy.data.materials.new("grey")
    shader = grey.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.4, 0.4, 0.42, 1.0)
    shader.inputs["Roughness"].default_value = 0.8
    taken = [frozen(frame) for frame in frames]
    for item in list(bpy.data.objects):
        item.hide_render = True
    height = ground = step = 0.0
    for number, meshes in enumerate(taken):
        points = [vertex.co for mesh in meshes for vertex in mesh.vertices]
        low, high = (Vector(map(pick, zip(*points, strict=True))) for pick in (min, max))
        if not number:
            height, ground = high.z - low.z, low.z
            step = 1.12 * height * SIZE[0] / SIZE[1]
        middle = (low + high) / 2
        move = Matrix.Translation((number * step, 0.0, 0.0))
        turn = Matrix.Rotation(math.radians(TURN), 4, "Z")
        centre = Matrix.Translation((-middle.x, -middle.y, -ground))
        for mesh in meshes:
            mesh.materials.clear()
            mesh.materials.append(grey)
            copy = bpy.data.objects.new("frame", mesh)
            copy.matrix_world = move @ turn @ centre
            bpy.context.scene.collection.objects.link(copy)
    return height, step * len(frames)


def light_and_shoot(height: float, width: float, count: int, out: Path) -> None:
    """Render the row of figures."""
    import bpy
    from mathutils import Vector

    scene = bpy.context.scene
    middle = width / 2 * (count - 1) / count
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale, camera.data.clip_end = "ORTHO", width, 20 * height
    camera.location = (middle, -6 * height, height)
    away = Vector((middle, 0.0, height / 2)) - camera.location
    camera.rotation_euler = away.to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 3.5
    sun.rotation_euler = (math.radians(50), math.radians(10), math.radians(-35))
    for item in (camera, sun):
        scene.collection.objects.link(item)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    back = scene.world.node_tree.nodes["Background"]
    back.inputs["Color"].default_value = (0.08, 0.088, 0.1, 1.0)
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 32, True
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = SIZE[0] * count, SIZE[1]
    scene.render.dither_intensity = 0.0  # small files
    image = scene.render.image_settings
    image.file_format, image.color_mode, image.color_depth = "PNG", "RGB", "8"
    image.compression = 100
    scene.render.filepath = str(out.resolve())
    bpy.ops.render.render(write_still=True)


def main(arguments: list[str]) -> int:
    """Draw the frames that the command line names."""
    if "--" in arguments:
        arguments = arguments[arguments.index("--") + 1 :]
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    import bpy
    from gltf_in_blender import open_export

    frames = [float(number) for number in arguments[2:]]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    open_export(Path(arguments[0]))
    height, width = arrange(frames)
    light_and_shoot(height, width, len(frames), Path(arguments[1]))
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    if Path(sys.argv[0]).suffix == ".py":
        # Not Blender itself: the module bpy may hang when Python ends.
        sys.stdout.flush()
        os._exit(status)
