"""Export flags of shapes: levels of detail, normals, trails, wind, vegetation.

Numbers and defaults: spec nel-export-rules, section 1.2.
"""

from __future__ import annotations

from maxsidecar.nel.appdata_table import Table
from maxsidecar.scene.appdata_registry import Property
from maxsidecar.scene.appdata_values import BOOL, FLOAT, INT, TEXT, EnumCodec

__all__ = ["PROPERTIES"]

PROPERTIES: list[Property] = []

# Level of detail
_LOD = Table(PROPERTIES, "lod", "shape")
_LOD(
    552,
    "LOD_DIST_MAX",
    "dist_max",
    FLOAT,
    1000.0,
    "Distance beyond which the shape is not drawn",
    units="m",
)
_LOD(554, "LOD_MRM", "mrm", BOOL, False, "Build a multi-resolution mesh")
_LOD(
    555,
    "LOD_SKIN_REDUCTION",
    "skin_reduction",
    EnumCodec({0: "min", 1: "max", 2: "best"}),
    "max",
    "How skin weights are reduced in a multi-resolution mesh",
)
_LOD(556, "LOD_NB_LOD", "level_count", INT, 11, "Levels of the multi-resolution mesh", minimum=0)
_LOD(
    557,
    "LOD_DIVISOR",
    "divisor",
    INT,
    20,
    "The coarsest level has the face count divided by this",
    minimum=1,
)
_LOD(
    558,
    "LOD_DISTANCE_FINEST",
    "distance_finest",
    FLOAT,
    5.0,
    "Up to this distance the finest level is drawn; below distance_middle",
    units="m",
    minimum=0,
)
_LOD(
    559,
    "LOD_DISTANCE_MIDDLE",
    "distance_middle",
    FLOAT,
    30.0,
    "Distance of the middle level; between finest and coarsest",
    units="m",
    minimum=0,
)
_LOD(
    560,
    "LOD_DISTANCE_COARSEST",
    "distance_coarsest",
    FLOAT,
    200.0,
    "From this distance the coarsest level is drawn",
    units="m",
    minimum=0,
)
_LOD(548, "LOD_BLEND_IN", "blend_in", BOOL, True, "Fade this level in")
_LOD(549, "LOD_BLEND_OUT", "blend_out", BOOL, True, "Fade this level out")
_LOD(
    553,
    "LOD_BLEND_LENGTH",
    "blend_length",
    FLOAT,
    5.0,
    "Distance over which levels fade",
    units="m",
)
_LOD(
    550,
    "LOD_COARSE_MESH",
    "coarse_mesh",
    BOOL,
    False,
    "This level is a coarse mesh: the shape goes to the folder of shapes with one",
)
_LOD(551, "LOD_DYNAMIC_MESH", "dynamic_mesh", BOOL, False, "This level moves; off = a static level")
_LOD(
    615,
    "BONE_LOD_DISTANCE",
    "bone_distance",
    FLOAT,
    0.0,
    "Distance beyond which the bone is not computed; 0 = always",
    readers="skel",
    units="m",
)
_LOD(
    618,
    "CHARACTER_LOD",
    "character",
    BOOL,
    False,
    "Export as a character's level of detail",
    readers="clod",
)
_LOD(
    537,
    "LOD_NAME_COUNT",
    "name_count",
    INT,
    0,
    "How many of name_0 to name_9 count; above 0 the shape has several meshes",
    minimum=0,
    maximum=10,
)
for _i in range(10):
    _LOD(
        538 + _i,
        f"LOD_NAME_{_i}",
        f"name_{_i}",
        TEXT,
        "",
        f"Node that is level {_i} below this one",
    )

# Shapes
_RADIAL = Table(PROPERTIES, "radial_normals", "shape")
for _i in range(28, 32):
    _RADIAL(
        2089254647 + _i - 28,
        f"RADIAL_NORMAL_SM_{_i}",
        f"smoothing_group_{_i}",
        TEXT,
        "",
        f"Node that is the centre of the normals of smoothing group bit {_i}",
    )

_INTERFACE = Table(PROPERTIES, "interface", "shape")
_INTERFACE(
    700,
    "INTERFACE_FILE",
    "file",
    TEXT,
    "",
    "Scene file with the mesh that borders take their normals from",
    file=True,
)
_INTERFACE(
    701,
    "INTERFACE_THRESHOLD",
    "threshold",
    FLOAT,
    -1.0,
    "Distance within which vertices belong to the interface",
    units="m",
)
_INTERFACE(
    702,
    "INTERFACE_GET_NORMALS_FROM_SCENE",
    "normals_from_scene",
    BOOL,
    False,
    "Take normals from the other objects of the scene",
)

_REMANENCE = Table(PROPERTIES, "remanence", "shape")
_REMANENCE(631, "USE_REMANENCE", "enabled", BOOL, False, "Export the shape as a trail")
_REMANENCE(632, "REMANENCE_SLICE_NUMBER", "slice_count", INT, 2, "Slices of the trail", minimum=0)
_REMANENCE(
    633,
    "REMANENCE_SAMPLING_PERIOD",
    "sampling_period",
    FLOAT,
    0.02,
    "Time between slices",
    units="s",
    minimum=0,
)
_REMANENCE(
    634,
    "REMANENCE_SHIFTING_TEXTURE",
    "shifting_texture",
    BOOL,
    False,
    "The texture moves along the trail",
)
_REMANENCE(635, "REMANENCE_ROLLUP_RATIO", "rollup_ratio", FLOAT, 1.0, "How fast the trail rolls up")

_PROGRAM = EnumCodec({0: "none", 1: "wind_tree"})
_WIND = Table(PROPERTIES, "wind_tree", "shape")
_WIND(
    592,
    "VERTEXPROGRAM_ID",
    "vertex_program",
    _PROGRAM,
    "none",
    "Vertex program of the shape; the other keys count for wind_tree",
)
for _number, _name, _key, _meaning, _defaults in (
    (593, "VPWT_FREQUENCY", "frequency", "Frequency of the wind", (10, 0, 0)),
    (596, "VPWT_FACTOR", "factor", "Strength of the wind", (0, 0, 0)),
    (599, "VPWT_DIST_XY", "dist_xy", "Horizontal movement", (50, 0, 0)),
    (602, "VPWT_DIST_Z", "dist_z", "Vertical movement", (0, 0, 0)),
    (605, "VPWT_BIAS", "bias", "Offset of the movement", (50, 50, 50)),
):
    for _i, _default in enumerate(_defaults):
        _WIND(
            _number + _i,
            f"{_name}_{_i}",
            f"{_key}_{_i}",
            INT,
            _default,
            f"{_meaning}, level {_i}",
            units="slider ticks out of 100",
            minimum=0,
            maximum=100,
        )
_WIND(608, "VPWT_SPECULAR", "specular", BOOL, False, "Keep specular light")
_WIND(609, "VPWT_FREQUENCY_SCALE", "frequency_scale", FLOAT, 2.0, "Frequency at 100 ticks")
_WIND(610, "VPWT_DIST_SCALE", "dist_scale", FLOAT, 2.0, "Movement at 100 ticks")

_VEGET = Table(PROPERTIES, "vegetable", "veget")
_VEGET(580, "VEGETABLE", "enabled", BOOL, False, "Export as a micro-vegetation shape")
_VEGET(
    581,
    "VEGETABLE_ALPHA_BLEND",
    "alpha_blend",
    EnumCodec({0: "on", 1: "off"}),
    "on",
    "Alpha blending; stored inverted: 0 is on",
)
_VEGET(
    582,
    "VEGETABLE_ALPHA_BLEND_ON_LIGHTED",
    "on_lighting",
    EnumCodec({0: "lighted", 1: "unlit"}),
    "lighted",
    "Lighting with alpha_blend on; stored inverted: 0 is lighted",
)
_VEGET(
    583,
    "VEGETABLE_ALPHA_BLEND_OFF_LIGHTED",
    "off_lighting",
    EnumCodec({0: "precomputed", 1: "lighted", 2: "unlit"}),
    "precomputed",
    "Lighting with alpha_blend off",
)
_VEGET(
    584,
    "VEGETABLE_ALPHA_BLEND_OFF_DOUBLE_SIDED",
    "off_double_sided",
    BOOL,
    False,
    "Draw both sides; with alpha_blend off only",
)
_VEGET(
    616,
    "VEGETABLE_FORCE_BEST_SIDED",
    "force_best_sided",
    BOOL,
    False,
    "Always light the better side",
)
_VEGET(
    585,
    "VEGETABLE_BEND_CENTER",
    "bend_center",
    INT,
    0,
    "Where the bend weight comes from: vertex colour or height",
)
_VEGET(586, "VEGETABLE_BEND_FACTOR", "bend_factor", FLOAT, 1.0, "Factor of the bend weight")
