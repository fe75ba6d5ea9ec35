"""Export flags of nodes: role, animation, collision, landscape.

Numbers and defaults: spec nel-export-rules, section 1.2.
"""

from __future__ import annotations

from maxsidecar.nel.appdata_table import Table
from maxsidecar.scene.appdata_bits import BitFieldCodec, Choice, Flag
from maxsidecar.scene.appdata_registry import Property
from maxsidecar.scene.appdata_values import BOOL, FLOAT, INT, TEXT, EnumCodec

__all__ = ["PROPERTIES"]

PROPERTIES: list[Property] = []

# The node itself
_NODE = Table(PROPERTIES, "", "ig")
_NODE(
    565,
    "DONTEXPORT",
    "dont_export",
    BOOL,
    False,
    "Export nothing of this node",
    readers="shape veget clod zone",
)
_NODE(
    562,
    "INSTANCE_NAME",
    "instance_name",
    TEXT,
    "",
    "Name of the instance, of a dynamic portal and of animation tracks; empty = the node's name",
    readers="ig anim",
)
_NODE(
    1970,
    "INSTANCE_SHAPE",
    "instance_shape",
    TEXT,
    None,
    "Shape file that an instance shows; looked up on the node, then on its object",
    file=True,
)
_NODE(
    564,
    "IGNAME",
    "ig_name",
    TEXT,
    None,
    "Instance group (.ig) or collision file (.cmb) that the node goes to",
    readers="ig ligo cmb",
)
_NODE(
    563,
    "DONT_ADD_TO_SCENE",
    "dont_add_to_scene",
    BOOL,
    False,
    "Keep the instance out of the scene when the group loads",
)
_NODE(
    570,
    "FLOATING_OBJECT",
    "floating_object",
    BOOL,
    False,
    "The object floats above the ground, for the lightmapper",
    readers="lightmap",
)
_CAMERA = EnumCodec({0: "auto", 1: "none", 2: "force", 3: "force_and_hide"})
_NODE(
    671,
    "CAMERA_COLLISION_MESH_GENERATION",
    "camera_collision",
    _CAMERA,
    "auto",
    "Whether the camera collides with the mesh; force_and_hide also hides the instance",
    readers="shape ig",
)

_ACCEL = BitFieldCodec(
    Choice("type", 3, {0: "none", 1: "portal", 2: "cluster"}),
    Flag("father_visible", 4),
    Flag("visible_from_father", 8),
    Flag("dynamic_portal", 16),
    Flag("clusterize", 32),
    Flag("audible_not_like_visible", 64),
    Flag("father_audible", 128),
    Flag("audible_from_father", 256),
)
_ACCEL_DEFAULT = _ACCEL.parse("32")
_NODE(
    561,
    "ACCEL",
    "accelerator",
    _ACCEL,
    _ACCEL_DEFAULT,
    "Role in visibility; all values but 0 and 32 (clusterize) keep the node out of the shapes",
    readers="ig shape",
)

_SOUND = Table(PROPERTIES, "sound", "ig")
_SOUND(
    84682540,
    "OCC_MODEL",
    "occlusion_model",
    TEXT,
    "",
    "Sound occlusion model of a closed portal; empty = no occlusion",
)
_SOUND(
    84682541,
    "OPEN_OCC_MODEL",
    "open_occlusion_model",
    TEXT,
    "",
    "Sound occlusion model of an open portal; empty = no occlusion",
)
_SOUND(
    84682542, "SOUND_GROUP", "sound_group", TEXT, "", "Sound group of a cluster; empty = no sound"
)
_SOUND(
    84682543,
    "ENV_FX",
    "environment_effect",
    TEXT,
    "",
    "Sound environment of a cluster; empty = no effect",
)

# Animation and skeletons
_ANIM = Table(PROPERTIES, "animation", "anim")
_ANIM(800, "EXPORT_NODE_ANIMATION", "export_node", BOOL, False, "Export the node's own animation")
_ANIM(
    801,
    "ANIM_PREFIXE_NAME",
    "prefix_name",
    BOOL,
    False,
    "Prefix the tracks with the instance's or node's name",
)
_ANIM(566, "EXPORT_NOTE_TRACK", "export_note_track", BOOL, False, "Export the note track")
_ANIM(
    802,
    "EXPORT_SSS_TRACK",
    "export_spawn_track",
    BOOL,
    False,
    "Export the note track's spawn script",
)
_ANIM(
    587,
    "EXPORT_ANIMATED_MATERIALS",
    "export_materials",
    BOOL,
    False,
    "Export material animation",
    readers="shape anim",
)
_ANIM(
    617,
    "AUTOMATIC_ANIMATION",
    "automatic",
    INT,
    0,
    "Not 0: the shape plays its own animation file by itself",
    readers="shape",
)
_ANIM(
    619,
    "EXPORT_BONE_SCALE",
    "export_bone_scale",
    BOOL,
    False,
    "Export the bone's scale, from a reference bone",
    readers="skel anim",
)
_ANIM(
    620,
    "EXPORT_BONE_SCALE_NAME_EXT",
    "bone_scale_name_ext",
    TEXT,
    "",
    "The reference bone is named as this bone with this ending",
    readers="skel anim",
)
_ANIM(
    611,
    "EXPORT_SWT",
    "export_weight",
    BOOL,
    False,
    "Write the node into the skeleton weight file",
    readers="swt",
)
_ANIM(612, "SWT_WEIGHT", "weight", FLOAT, 0.0, "The node's weight in that file", readers="swt")

# Collision and landscape
_COLLISION = Table(PROPERTIES, "collision", "cmb shape")
_COLLISION(613, "COLLISION", "enabled", BOOL, False, "Export as collision mesh, not as shape")
_COLLISION(
    614,
    "COLLISION_EXTERIOR",
    "exterior",
    BOOL,
    False,
    "Collision mesh of the exterior: no surface, not a shape",
)

_ZONE = Table(PROPERTIES, "zone", "zone ligo")
_ZONE(1266703978, "ZONE_ROTATE", "rotate", INT, 0, "Rotation of the zone's tiles")
_ZONE(1266703979, "ZONE_SYMMETRY", "symmetry", BOOL, False, "Mirror the zone's tiles")

_LIGO = Table(PROPERTIES, "ligo", "ligo")
_LIGO(
    1304892483,
    "LIGO_PASSABLE",
    "passable",
    TEXT,
    None,
    "Passable when the entry exists, whatever its text",
)
_LIGO(
    1266703980,
    "LIGO_INSTANCE",
    "instance",
    TEXT,
    None,
    "Set by the landscape scripts; its presence counts",
)
