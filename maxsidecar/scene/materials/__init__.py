"""Materials and maps.

A view gives what is known of a class in neutral words; everything else is in ``obj.parameters``.
Statuses and proofs are in docs/format/materials.md.  Values that can be animated take a time in
ticks (1/4800 s).
"""

from __future__ import annotations

from maxsidecar.scene.materials.base import (
    MapSlot,
    MaterialBase,
    MaterialHead,
    SubMaterial,
)
from maxsidecar.scene.materials.bitmap import BitmapMap
from maxsidecar.scene.materials.coordinates import MapOutput, UVCoordinates, XYZCoordinates
from maxsidecar.scene.materials.maps import Map
from maxsidecar.scene.materials.material import MapRole, Material
from maxsidecar.scene.materials.multi import MultiMaterial
from maxsidecar.scene.materials.others import (
    ArchDesignMaterial,
    CompositeMaterial,
    DoubleSidedMaterial,
    MetalRoughMaterial,
    RaytraceMaterial,
    ScriptedMaterial,
    ShellMaterial,
)
from maxsidecar.scene.materials.physical import PhysicalMaterial
from maxsidecar.scene.materials.renderers import (
    CoronaPhysicalMaterial,
    GltfMaterial,
    OpenPbrMaterial,
    StandardSurfaceMaterial,
    VRayMaterial,
)
from maxsidecar.scene.materials.standard import Shader, StandardMaterial, Texmaps

__all__ = [
    "ArchDesignMaterial",
    "BitmapMap",
    "CompositeMaterial",
    "CoronaPhysicalMaterial",
    "DoubleSidedMaterial",
    "GltfMaterial",
    "Map",
    "MapOutput",
    "MapRole",
    "MapSlot",
    "Material",
    "MaterialBase",
    "MaterialHead",
    "MetalRoughMaterial",
    "MultiMaterial",
    "OpenPbrMaterial",
    "PhysicalMaterial",
    "RaytraceMaterial",
    "ScriptedMaterial",
    "Shader",
    "ShellMaterial",
    "StandardMaterial",
    "StandardSurfaceMaterial",
    "SubMaterial",
    "Texmaps",
    "UVCoordinates",
    "VRayMaterial",
    "XYZCoordinates",
]
