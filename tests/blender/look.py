"""Runs in Blender's Python: imports a glTF file and writes down what is there.

python look.py '{"file": "x.glb", "out": "folder/look", "frames": [0, 5], "rate": 30}'

Writes OUT.json (messages, objects, bones, actions, materials) and OUT.npz: ``v:NAME:FRAME`` the
world positions of an object's vertices, ``b:NAME:FRAME`` the world matrices of an armature's bones
in the order of ``bones``, ``m:NAME:FRAME`` the world matrix of an object, ``a:NAME:FRAME`` the
vertical angle of a camera, at each frame; and ``rest:NAME`` the bones as they rest.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from typing import Any


class Ear(logging.Handler):
    """Keeps what the importer says."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(f"{record.levelname}: {record.getMessage()}")


def properties(item: Any) -> dict[str, Any]:
    """Return custom properties as plain values."""
    out: dict[str, Any] = {}
    for key, value in item.items():
        for plain in ("to_dict", "to_list"):
            if hasattr(value, plain):
                value = getattr(value, plain)()
        out[key] = (
            value if isinstance(value, str | int | float | bool | list | dict) else str(value)
        )
    return out


def main(order: dict[str, Any]) -> None:
    """Look at one file."""
    import bpy
    import numpy as np

    ear = Ear()
    for name in ("glTFImporter", "glTFImporter_errors"):
        logging.getLogger(name).addHandler(ear)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = order["rate"]
    before = set(bpy.data.objects)
    result = bpy.ops.import_scene.gltf(filepath=order["file"], bone_heuristic="BLENDER")
    if result != {"FINISHED"}:
        ear.heard.append(f"ERROR: the import says {result}")
    objects = [item for item in bpy.data.objects if item not in before]
    # The importer shows bones by a mesh of its own.
    shapes = {b.custom_shape for o in objects if o.type == "ARMATURE" for b in o.pose.bones}
    objects = [item for item in objects if item not in shapes]
    facts: dict[str, Any] = {
        "messages": ear.heard,
        "objects": {
            o.name: {
                "type": o.type,
                "parent": o.parent.name if o.parent else None,
                "parent_bone": o.parent_bone,
                "data": o.data.name if o.data else None,
                "properties": properties(o),
                "modifiers": [m.type for m in o.modifiers],
                "slots": [s.material.name if s.material else None for s in o.material_slots],
            }
            for o in objects
        },
        "bones": {
            o.name: {b.name: properties(b) for b in o.pose.bones}
            for o in objects
            if o.type == "ARMATURE"
        },
        "actions": {a.name: list(a.frame_range) for a in bpy.data.actions},
        "shown": sorted(
            {
                o.animation_data.action.name
                for o in objects
                if o.animation_data and o.animation_data.action
            }
        ),
        "tracks": sorted(
            {
                t.name
                for o in bpy.data.objects
                if o.animation_data
                for t in o.animation_data.nla_tracks
            }
        ),
        "materials": {m.name: properties(m) for m in bpy.data.materials},
        "meshes": {m.name: properties(m) for m in bpy.data.meshes},
        "cameras": {
            c.name: {"angle_y": c.angle_y, "near": c.clip_start, "far": c.clip_end}
            for c in bpy.data.cameras
        },
        "lights": {
            x.name: {"type": x.type, "energy": x.energy, "color": list(x.color)}
            for x in bpy.data.lights
        },
    }
    arrays: dict[str, Any] = {}
    for o in objects:
        if o.type == "ARMATURE":
            rest = [o.matrix_world @ o.data.bones[b.name].matrix_local for b in o.pose.bones]
            arrays[f"rest:{o.name}"] = np.array(rest)
    for frame in order["frames"]:
        scene.frame_set(int(frame), subframe=frame % 1)
        graph = bpy.context.evaluated_depsgraph_get()
        for o in objects:
            seen = o.evaluated_get(graph)
            arrays[f"m:{o.name}:{frame}"] = np.array(seen.matrix_world)
            if o.type == "ARMATURE":
                bones = [seen.matrix_world @ b.matrix for b in seen.pose.bones]
                arrays[f"b:{o.name}:{frame}"] = np.array(bones).reshape(-1, 4, 4)
            if o.type == "CAMERA":
                arrays[f"a:{o.name}:{frame}"] = np.array(seen.data.angle_y)
            if o.type == "MESH":
                mesh = seen.to_mesh()
                flat = np.zeros(3 * len(mesh.vertices), np.float32)
                mesh.vertices.foreach_get("co", flat)
                matrix = np.array(seen.matrix_world)
                places = flat.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
                arrays[f"v:{o.name}:{frame}"] = places
                seen.to_mesh_clear()
    np.savez(order["out"] + ".npz", **arrays)
    with open(order["out"] + ".json", "w", encoding="utf-8") as file:
        json.dump(facts, file)


if __name__ == "__main__":
    status = 1
    try:
        main(json.loads(sys.argv[1]))
        status = 0
    finally:
        if status:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        # The module may hang when the interpreter shuts down.
        os._exit(status)
