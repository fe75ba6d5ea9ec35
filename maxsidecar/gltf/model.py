"""What a glTF 2.0 file holds, as plain records that know nothing of ``.max`` scenes.

Records refer to one another directly; the writer (:mod:`maxsidecar.gltf.write`) gives out indices,
packs the arrays, and writes each record that the scene reaches once, however often it is used.
Names of fields are those of the glTF 2.0 specification in Python's spelling; lengths are metres,
angles radians, times seconds, Y is up, quaternions are (x, y, z, w), texture coordinates have their
origin at the top left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "LINES",
    "POINTS",
    "TRIANGLES",
    "Animation",
    "Camera",
    "Channel",
    "Document",
    "Image",
    "Light",
    "Material",
    "Mesh",
    "Node",
    "Primitive",
    "Sampler",
    "Skin",
    "Texture",
    "TextureInfo",
]

Array = npt.NDArray[Any]
F32 = npt.NDArray[np.float32]
#: What JSON can hold; the writer refuses anything else.
Extras = dict[str, Any]

POINTS: Final = 0
LINES: Final = 1
TRIANGLES: Final = 4

AlphaMode = Literal["OPAQUE", "MASK", "BLEND"]
Interpolation = Literal["STEP", "LINEAR", "CUBICSPLINE"]


@dataclass(slots=True, eq=False)
class Image:
    """A picture.

    Attributes:
        data: The file's bytes; without a ``uri`` they are embedded in a GLB or written beside a
            ``.gltf``, with one they are written there and referred to.
        mime_type: ``image/png`` or ``image/jpeg``; needed with ``data``.
        uri: Where the file is, relative to the written file; not yet percent-encoded.  Without
            ``data`` it is only referred to.
    """

    name: str = ""
    data: bytes | None = None
    mime_type: str = ""
    uri: str = ""
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Sampler:
    """How a texture is filtered and repeated (OpenGL's numbers)."""

    wrap_s: int = 10497
    wrap_t: int = 10497
    mag_filter: int | None = 9729
    min_filter: int | None = 9987


@dataclass(slots=True, eq=False)
class Texture:
    """A picture and its sampler."""

    image: Image
    sampler: Sampler = Sampler()
    name: str = ""
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True)
class TextureInfo:
    """A texture's use by a material.

    Attributes:
        tex_coord: Number of the ``TEXCOORD_n`` attribute.
        scale: Of a normal texture; strength of an occlusion texture.
        transform: ``offset``, ``rotation``, ``scale`` of ``KHR_texture_transform``, or ``None``.
    """

    texture: Texture
    tex_coord: int = 0
    scale: float = 1.0
    transform: Mapping[str, Any] | None = None


@dataclass(slots=True, eq=False)
class Material:
    """A metallic-roughness material; colours are linear.

    Attributes:
        extensions: By name, such as ``KHR_materials_specular``; values may hold
            :class:`TextureInfo`, which the writer replaces.
    """

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: TextureInfo | None = None
    metallic: float = 1.0
    roughness: float = 1.0
    metallic_roughness_texture: TextureInfo | None = None
    normal_texture: TextureInfo | None = None
    occlusion_texture: TextureInfo | None = None
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    emissive_texture: TextureInfo | None = None
    alpha_mode: AlphaMode = "OPAQUE"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    extensions: dict[str, dict[str, Any]] = field(default_factory=dict)
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Primitive:
    """What is drawn with one material.

    Attributes:
        attributes: By name (``POSITION``, ``NORMAL``, ``TEXCOORD_0``, ``JOINTS_0``, …) an array of
            n rows.  Two primitives that hold the same array object share one accessor.
        indices: (3 t,) unsigned, or ``None``; the writer picks the smallest type.
        targets: Morph targets: displacements by attribute name.
    """

    attributes: dict[str, Array]
    indices: Array | None = None
    material: Material | None = None
    mode: int = TRIANGLES
    targets: list[dict[str, F32]] = field(default_factory=list)
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Mesh:
    """Primitives that nodes show.

    Attributes:
        weights: Of the morph targets, or empty.
        target_names: Of the morph targets, or empty; written where Blender looks for them.
    """

    primitives: list[Primitive] = field(default_factory=list)
    name: str = ""
    weights: list[float] = field(default_factory=list)
    target_names: list[str] = field(default_factory=list)
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Camera:
    """A camera, looking down its node's -Z.

    Attributes:
        yfov: Vertical field of view of a perspective camera; ``None`` for an orthographic one.
        xmag: Half the width of an orthographic view, and ``ymag`` half its height.
        zfar: ``None`` for infinity.
    """

    name: str = ""
    yfov: float | None = None
    aspect_ratio: float | None = None
    xmag: float = 1.0
    ymag: float = 1.0
    znear: float = 0.01
    zfar: float | None = None
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Light:
    """A light of ``KHR_lights_punctual``, shining down its node's -Z.

    Attributes:
        intensity: Candela for points and spots, lux for directional lights.
        range: Where the light ends, or ``None`` for never.
    """

    kind: Literal["point", "spot", "directional"]
    name: str = ""
    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    range: float | None = None
    inner_cone_angle: float = 0.0
    outer_cone_angle: float = 0.7853981633974483
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Node:
    """A node with its place below its parent.

    Attributes:
        weights: Of its mesh's morph targets, if other than the mesh's own.
    """

    name: str = ""
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    children: list[Node] = field(default_factory=list)
    mesh: Mesh | None = None
    skin: Skin | None = None
    camera: Camera | None = None
    light: Light | None = None
    weights: list[float] = field(default_factory=list)
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Skin:
    """What a skinned mesh follows.

    Attributes:
        joints: Nodes, in the order of ``JOINTS_n``.
        inverse_bind_matrices: (j, 4, 4) float32, column-vector matrices: ``m[:3, 3]`` is the
            translation (the writer transposes them for the file).
    """

    joints: list[Node]
    inverse_bind_matrices: F32
    skeleton: Node | None = None
    name: str = ""
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Channel:
    """Keys of one property.

    Attributes:
        target: What moves: a node for the four paths of glTF 2.0; a light, camera or material for
            a ``pointer`` of ``KHR_animation_pointer``.
        path: ``translation``, ``rotation``, ``scale``, ``weights``; or with another target the
            pointer below it, such as ``/perspective/yfov``.
        times: (k,) float32, ascending, not below 0.  Channels that hold the same array object
            share one accessor.
        values: (k, n) float32; for ``CUBICSPLINE`` (3 k, n): in-tangent, value, out-tangent.
    """

    target: Node | Light | Camera | Material
    path: str
    times: F32
    values: F32
    interpolation: Interpolation = "LINEAR"


@dataclass(slots=True, eq=False)
class Animation:
    """Channels that play together."""

    channels: list[Channel] = field(default_factory=list)
    name: str = ""
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Document:
    """A whole file with one scene.

    Attributes:
        roots: Top nodes of the scene.
        animations: Every animation.
        materials: Materials to be written though no mesh uses them; those in use are found.
        asset: More fields for ``asset``, such as ``generator``; ``version`` is the writer's.
    """

    roots: list[Node] = field(default_factory=list)
    animations: list[Animation] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    name: str = ""
    asset: Extras = field(default_factory=dict)
    extras: Extras = field(default_factory=dict)
    #: Where pictures that are copied or referred to are looked for; ``None`` when only embedded.
    folder: Path | None = None
