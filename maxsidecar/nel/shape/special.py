"""Shapes that are no meshes: flares, makers of waves, trails, particle systems.

(spec: nel-export-rules 3.5, 9; no real scene or shape of these kinds is public)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.nel.serial.classes.other_shapes import (
    CFlare,
    CFlareShape,
    CSegRemanenceShape,
    CWaveMakerShape,
)
from maxsidecar.nel.serial.classes.particle_system import CParticleSystemShape
from maxsidecar.nel.serial.classes.texture import CTextureFile
from maxsidecar.nel.serial.formats import read_file
from maxsidecar.nel.shape.base import animated_material
from maxsidecar.nel.shape.colors import Rgba, truncated_rgba
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.interfaces import file_named
from maxsidecar.nel.shape.materials import material_set
from maxsidecar.nel.shape.placement import move_points, placement_of
from maxsidecar.nel.shape.textures import base_name
from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.geometry.spline import Shape

__all__ = ["FLARE", "PARTICLES", "WAVE_MAKER", "flare", "particles", "remanence", "wave_maker"]

#: First halves of the class ids of the scripted classes.
FLARE, PARTICLES, WAVE_MAKER = 0x4E913532, 0x58CE2893, 0x77E24828

_DISCS: Final = 10
_WHITE: Final = (1.0, 1.0, 1.0)
#: The plug-in writes this, whatever the scene says.
_WAVE_RADIUS: Final = 3.0
_LEAST_SLICES, _SLICE_TIME, _ROLLUP = 2, 0.02, 1.0


def _values(context: ShapeContext) -> Values:
    base = context.node.base_object
    return Values(context.node if base is None else base, 0)


def flare(context: ShapeContext) -> CFlareShape:
    """Return a lens flare; its values are those at the start of time.

    Args:
        context: The node.
    """
    values = _values(context)

    def color(name: str) -> Rgba:
        return truncated_rgba(values.color(name) or _WHITE)

    discs = []
    for number in range(_DISCS):
        texture = None
        if values.on(f"flareUsed{number}"):
            texture = CTextureFile(file_name=base_name(values.text(f"texFileName{number}")))
        size = values.number(f"size{number}", 1.0)
        place = values.number(f"pos{number}", number / 10)
        discs.append(CFlare(texture=texture, size=size, relative_pos=place))
    shape = CFlareShape(
        color=color("ColorParam"),
        persistence=values.number("PersistenceParam", 1.0),
        spacing=values.number("Spacing", 1.0),
        attenuable=values.on("Attenuable"),
        first_flare_keep_size=values.on("FirstFlareKeepSize"),
        flares=discs,
        max_view_dist=values.number("MaxViewDist", 1000.0),
        max_view_dist_ratio=values.number("MaxViewDistRatio", 0.9),
        has_dazzle=values.on("HasDazzle"),
        dist_max=context.flags.number("LOD_DIST_MAX"),
        occlusion_test_mesh=base_name(values.text("occlusionTestMesh")),
        scale_when_disappear=values.on("scaleWhenDisappear"),
        size_disappear=values.number("sizeDisappear"),
        angle_disappear=values.number("angleDisappear"),
        inherit_scale_rot=values.on("occlusionTestMeshInheritScaleRot"),
        look_at=values.on("lookAtMode", True),
    )
    if shape.attenuable:
        shape.attenuation_range = values.number("AttenuationRange", 1.0)
    if shape.has_dazzle:
        shape.dazzle_color = color("DazzleColor")
        shape.dazzle_attenuation_range = values.number("DazzleAttenuationRange", 0.5)
    return shape


def wave_maker(context: ShapeContext) -> CWaveMakerShape:
    """Return a maker of waves.

    As the plug-in writes it, radius and pool are always 3 and 0; what the scene says otherwise is
    noted.

    Args:
        context: The node.
    """
    values = Values(_values(context).obj, context.time)
    radius, pool = values.number("radius", _WAVE_RADIUS), values.integer("poolID")
    if radius != _WAVE_RADIUS or pool:
        context.notes.append(
            f"radius {radius:g} and pool {pool} are written as {_WAVE_RADIUS:g} and 0, as by the "
            "plug-in"
        )
    return CWaveMakerShape(
        period=values.number("period", 1.0),
        radius=_WAVE_RADIUS,
        intensity=values.number("intensity", 1.0),
        impulsion_mode=values.on("impulsionMode", True),
    )


def remanence(context: ShapeContext) -> CSegRemanenceShape | str:
    """Return a trail behind a curve, or why there is none.

    Args:
        context: The node.
    """
    materials = material_set(context.node, context.time, context.notes, lightmaps=False)
    if len(materials.materials) != 1:
        return "a trail needs a single material"
    geometry = context.evaluate().geometry
    if not isinstance(geometry, Shape):
        return "a trail needs a curve"
    splines = geometry.splines
    if len(splines) != 1 or len(splines[0].points) < 2:
        return "a trail needs one curve of one segment at least"
    points = splines[0].points
    if splines[0].closed:
        points = np.concatenate([points, points[:1]])
    flags = context.flags
    slice_time, rollup = (
        flags.number("REMANENCE_SAMPLING_PERIOD"),
        flags.number("REMANENCE_ROLLUP_RATIO"),
    )
    placement = placement_of(context.shared.pose, context.node)
    shape = CSegRemanenceShape(
        num_slices=max(flags.integer("REMANENCE_SLICE_NUMBER"), _LEAST_SLICES),
        slice_time=slice_time if slice_time > 0 else _SLICE_TIME,
        corners=move_points(points, context.offset()),
        material=materials.materials[0],
        texture_shifting=flags.on("REMANENCE_SHIFTING_TEXTURE"),
        rollup_ratio=rollup if rollup > 0 else _ROLLUP,
        default_pos=placement.position,
        default_rot_quat=placement.rotation,
        default_scale=placement.scale,
    )
    if flags.on("EXPORT_ANIMATED_MATERIALS"):
        name = materials.infos[0].name
        shape.animated_material = animated_material(shape.material, name)
    return shape


def particles(context: ShapeContext) -> CParticleSystemShape | str:
    """Return the particle system that a node names, placed as the node, or why there is none.

    Args:
        context: The node.
    """
    values = _values(context)
    stored = values.text("ps_file_name") or context.flags.text("INSTANCE_SHAPE")
    name = base_name(stored or context.node.name)
    if not name.lower().endswith(".ps"):
        name += ".ps"
    found = file_named(name, context.options.particle_folders)
    if found is None:
        return f"the particle system {name} is in none of the folders that were given"
    try:
        shape: Any = read_file(found).content
    except OSError as error:
        raise DecodeError(f"the particle system {name} cannot be read: {error}") from error
    except MaxSidecarError as error:
        return f"the particle system {name}: {error}"
    if not isinstance(shape, CParticleSystemShape):
        return f"{name} is no particle system"
    placement = placement_of(context.shared.pose, context.node)
    shape.default_pos = placement.position
    shape.default_rot_quat = placement.rotation
    shape.default_scale = placement.scale
    return shape
