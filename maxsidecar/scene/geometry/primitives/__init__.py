"""Parametric objects, built as 3ds Max builds them: same vertices, faces, ids and mapping."""

from __future__ import annotations

from maxsidecar.scene.geometry.primitives import (
    bone,
    box,
    cylinder,
    geosphere,
    hedra,
    helpers,
    plane,
    pyramid,
    sphere,
    teapot,
    torus_knot,
    tube,
)

__all__ = [
    "bone",
    "box",
    "cylinder",
    "geosphere",
    "hedra",
    "helpers",
    "plane",
    "pyramid",
    "sphere",
    "teapot",
    "torus_knot",
    "tube",
]
