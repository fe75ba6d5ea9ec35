"""Nodes that move, made by hand, and what an export makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxsidecar.gltf import model
from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.controllers import layouts
from tests.support import scenes
from tests.support.gltf_motion import export_of
from tests.support.scenes import SceneMaker, f32, key_bytes, u32

SMOOTH, LINEAR, STEP = 0x1680, 0x0480, 0x0900
THIRD = 1 / 3


def bezier(flags: int = SMOOTH, lengths: float = THIRD, **columns: Any) -> dict[str, object]:
    handle = np.full(np.shape(columns["value"]), lengths)
    return {"flags": flags, "in_length": handle, "out_length": handle, **columns}


def prs(
    make: SceneMaker,
    position: int | None = None,
    rotation: int | None = None,
    scale: int | None = None,
    flags: int = 0,
) -> int:
    return make.add(scenes.PRS, [(0x7230, u32(flags))], [position, rotation, scale])


def floats(make: SceneMaker, *rows: dict[str, object]) -> int:
    table = (0x2525, key_bytes(layouts.BEZIER_FLOAT, *rows))
    return make.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(0), table)


def positions(make: SceneMaker, *rows: dict[str, object]) -> int:
    table = (0x2526, key_bytes(layouts.BEZIER_POINT3, *rows))
    return make.keyed(scenes.BEZIER_POSITION, 0x2503, f32(0, 0, 0), table)


def linear_positions(make: SceneMaker, *rows: tuple[int, tuple[float, float, float]]) -> int:
    keys = ({"time": time, "value": value} for time, value in rows)
    table = (0x2513, key_bytes(layouts.LINEAR_POSITION, *keys))
    return make.keyed(scenes.LINEAR_POSITION, 0x2503, f32(0, 0, 0), table)


def exported(make: SceneMaker, options: Options | None = None, scale: float = 1.0) -> Export:
    export = export_of(make.scene(), options, scale)
    add_animation(export)
    return export


def only_channel(export: Export) -> model.Channel:
    (animation,) = export.document.animations
    (channel,) = animation.channels
    return channel


def reasons(export: Export, outcome: Outcome) -> list[str]:
    entries = export.report.entries
    return [e.reason for e in entries if e.kind == "controller" and e.outcome is outcome]


def euler(make: SceneMaker, **angles: int) -> int:
    return make.add(
        scenes.EULER_XYZ, [(0x1003, u32(0))], [angles.get(axis) for axis in ("x", "y", "z")]
    )


def scales(make: SceneMaker, *values: tuple[float, float, float], axis: tuple[float, ...]) -> int:
    wide = {"in_length": (-1, -1, -1), "out_length": (-1, -1, -1)}
    rows = [
        {"time": 4800 * n, "flags": LINEAR, "value": value, "axis": axis, **wide}
        for n, value in enumerate(values)
    ]
    table = (0x2528, key_bytes(layouts.BEZIER_SCALE, *rows))
    return make.keyed(scenes.BEZIER_SCALE, 0x2505, f32(1, 1, 1, 0, 0, 0, 1), table)
