"""Open an export in Blender, at the frame rate and in the frames of the scene.

In Blender:           blender --python gltf_in_blender.py -- SCENE.glb
Without its windows:  blender --background --python gltf_in_blender.py -- SCENE.glb OUT.blend
In Python with bpy:   python gltf_in_blender.py SCENE.glb OUT.blend

Blender takes glTF's seconds for frames of whatever frame rate is set, and reads neither the frame
rate nor the range, which an export of maxsidecar keeps with its animations.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON of a ``.glb`` or ``.gltf``."""
    data = path.read_bytes()
    if data[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + length]
    found: dict[str, Any] = json.loads(data)
    return found


def open_export(path: Path) -> None:
    """Import a file into the current scene, and set its time."""
    import bpy

    scene = bpy.context.scene
    kept = next((clip.get("extras", {}) for clip in read_json(path).get("animations", [])), {})
    if "frame_rate" in kept:
        scene.render.fps, scene.render.fps_base = kept["frame_rate"], 1.0
    # "Temperance" points bones at their children; "BLENDER" keeps the axes of the nodes.
    bpy.ops.import_scene.gltf(filepath=str(path), bone_heuristic="TEMPERANCE")
    if "start_frame" in kept:
        scene.frame_start = 0
        scene.frame_end = round(kept["end_frame"] - kept["start_frame"])
    for item in bpy.data.objects:
        if item.type == "ARMATURE":
            print(f"armature {item.name}: {len(item.pose.bones)} bones")
    for action in bpy.data.actions:
        first, last = action.frame_range
        print(f"action {action.name}: frames {first:g} to {last:g}")


def main(arguments: list[str]) -> int:
    """Open the file that the command line names, and save it if it says where."""
    if "--" in arguments:
        arguments = arguments[arguments.index("--") + 1 :]
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    open_export(Path(arguments[0]))
    if len(arguments) == 2:
        import bpy

        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(arguments[1]))
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    if Path(sys.argv[0]).suffix == ".py":
        # Not Blender itself: the module bpy may hang when Python ends.
        sys.stdout.flush()
        os._exit(status)
