"""UVW XForm: scales and moves texture coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.uvw_space import chosen_faces, put_coordinates

__all__ = ["UVW_XFORM", "uvw_xform"]

#: The one of release 3, and the one of release 6.
UVW_XFORM: Final = ((0x5F32DE12, 0), (0x5F32DE13, 0))
#: Parameter of the map channel, where the one before it does not say vertex colours.
_CHANNEL: Final = 10


@modifier(*UVW_XFORM)
def uvw_xform(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Multiply coordinates by the tiles, then add the offsets."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    number = 0 if values.switch("map_channel") else 1
    if number:
        for block in call.obj.param_blocks:
            parameter = block.get(_CHANNEL)
            if parameter is not None and isinstance(parameter.value, int | float):
                number = int(parameter.value) or 1
    channel = mesh.maps.get(number)
    if channel is None:
        return mesh
    scale, offset = np.ones(3), np.zeros(3)
    for axis, name in enumerate("uvw"):
        scale[axis] = values.number(f"{name}_tile", 1.0)
        offset[axis] = values.number(f"{name}_offset", 0.0)
        if values.switch(f"{name}_flip"):
            scale[axis] = -scale[axis]
    if np.all(scale == 1.0) and not offset.any():
        return mesh
    call.approximate("no file proves what it does")
    moved = channel.vertices.astype(np.float64) * scale + offset
    if chosen_faces(mesh) is not None:
        return put_coordinates(mesh, number, moved, channel.corners)
    new = replace(channel, vertices=moved.astype(np.float32))
    return replace(mesh, maps={**mesh.maps, number: new})
