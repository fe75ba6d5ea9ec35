"""The export flags that NeL's 3ds Max plug-in keeps on nodes.

The plug-in stores each flag as an AppData entry that the MAXScript utility owns, so its scripts and
its C++ code see the same value (spec: nel-export-rules, section 1; measured on street.max).  The
numbers, defaults and readers are facts of that plug-in.  An absent entry has the default; the
plug-in's dialogue writes about 40 entries at once, so presence alone means nothing unless the
meaning says so.

Readers are names of export processes: ``shape``, ``anim``, ``skel``, ``swt``, ``ig``, ``veget``,
``clod``, ``zone``, ``ligo``, ``cmb`` and ``lightmap``.

Importing this module registers :data:`PROPERTIES` in the registry of the scene package.
"""

from __future__ import annotations

from maxsidecar.nel import appdata_light_ids, appdata_node_ids, appdata_shape_ids
from maxsidecar.nel.appdata_table import OWNER, nel_key
from maxsidecar.scene.appdata_registry import REGISTRY, Property

__all__ = ["OWNER", "PROPERTIES", "nel_key"]

PROPERTIES: tuple[Property, ...] = (
    *appdata_node_ids.PROPERTIES,
    *appdata_shape_ids.PROPERTIES,
    *appdata_light_ids.PROPERTIES,
)
"""All of the plug-in's flags, table by table."""

for _property in PROPERTIES:
    REGISTRY.register(_property)
