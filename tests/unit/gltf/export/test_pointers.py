"""Keys of lights and cameras, which glTF points at."""

from __future__ import annotations

from math import atan, pi, tan
from typing import Any

import numpy as np
import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.cameras import add_cameras
from maxsidecar.gltf.export.context import Export, ExportedMesh, Options
from maxsidecar.gltf.export.lights import add_lights
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.controllers import layouts
from tests.support.blocks import COLOR, PERCENT, new_block
from tests.support.gltf_motion import export_of, value_at
from tests.support.scenes import LINEAR_FLOAT, SceneMaker, f32, key_bytes, u32

CAMERA = (0x1001, 0, 0x20)
SPOT = (0x1014, 0, 0x30)
STANDARD = (2, 0, 0xC00)
BLINN = (0x38, 0, 0x10B0)
#: Parameters of a free spot behind the falloff.
REST: list[float | tuple[float, ...]] = [
    *(1.0, 1.0, 40.0, 80.0, 200.0, 40.0),
    (0.0, 0.0, 0.0),
    *(0.0, 1.0, 1.0, 1.0, 0.0, 240.0),
]


def keys(make: SceneMaker, *rows: tuple[int, float]) -> int:
    table = key_bytes(layouts.LINEAR_FLOAT, *({"time": t, "value": v} for t, v in rows))
    return make.keyed(LINEAR_FLOAT, 0x2501, f32(rows[0][1]), (0x2511, table))


def block(make: SceneMaker, values: list[float | tuple[float, ...]], moving: dict[int, int]) -> int:
    """A parameter block; ``moving`` are controllers by number of the parameter."""
    records: list[ChunkTree] = []
    for number, value in enumerate(values):
        stored: list[ChunkTree] = [(0x0003, u32(number))]
        if number in moving:
            stored += [(0x0004, b""), (0x0200, b"")]
        elif isinstance(value, tuple):
            stored.append((0x0102, f32(*value)))
        else:
            stored.append((0x0100, f32(value)))
        records.append((0x0002, stored))
    head: list[ChunkTree] = [
        (0x2034, u32(*moving.values())),
        (0x0001, u32(len(values))),
        (0x0005, b"\1\0"),
    ]
    return make.add((8, 0, 8), [*head, *records])


def exported(make: SceneMaker, options: Options | None = None) -> Export:
    export = export_of(make.scene(), options)
    add_cameras(export)
    add_lights(export)
    add_animation(export)
    return export


def channels(export: Export) -> dict[str, model.Channel]:
    (animation,) = export.document.animations
    return {channel.path: channel for channel in animation.channels}


def test_a_camera_that_zooms() -> None:
    make = SceneMaker()
    fov = keys(make, (0, 0.5), (4800, 1.5))
    values = block(make, [0.0, 160.0, 1.0, 1000.0, 0.0, 1000.0], {0: fov})
    index = make.node("camera", make.transform(), object_=make.add(CAMERA, [], [values]))
    export = exported(make)
    (channel,) = channels(export).values()
    assert (channel.path, channel.target) == ("/perspective/yfov", export.nodes[index].camera)
    for frame in (0, 7, 30, 60):
        wide = 0.5 + min(frame / 30, 1.0)
        # Pictures are 4:3; the stored angle is the horizontal one.
        high = 2 * atan(tan(wide / 2) * 3 / 4)
        assert value_at(channel, frame / 30)[0] == pytest.approx(high, abs=1e-5)
    lines = [e for e in export.report.entries if e.kind == "controller" and e.name == "camera"]
    assert any("sampled" in line.reason for line in lines)


def test_a_light_that_glows_and_opens() -> None:
    make = SceneMaker()
    glow = keys(make, (0, 1.0), (4800, 3.0))
    cone = keys(make, (0, 40.0), (4800, 80.0))
    values = block(make, [(1.0, 0.5, 0.0), 0.0, 0.0, 0.0, 30.0, 0.0, *REST], {1: glow, 5: cone})
    light = make.add(SPOT, [(0x2580, b"\1\0")], [values])
    make.node("spot", make.transform(), object_=light)
    found = channels(exported(make))
    assert found.keys() == {"/intensity", "/spot/outerConeAngle"}
    assert found["/intensity"].times.tolist() == [0, 1, pytest.approx(100 / 30)]
    assert np.allclose(found["/intensity"].values[:, 0], [1, 3, 3])
    # Half of the falloff.
    assert value_at(found["/spot/outerConeAngle"], 0.5)[0] == pytest.approx(30 * pi / 180)


def test_a_light_without_keys() -> None:
    make = SceneMaker()
    values = block(make, [(1.0, 0.5, 0.0), 1.0, 0.0, 0.0, 30.0, 45.0, *REST], {})
    make.node("spot", make.transform(), object_=make.add(SPOT, [(0x2580, b"\1\0")], [values]))
    export = exported(make)
    assert export.document.animations == []
    assert all(e.outcome is not Outcome.LEFT_OUT for e in export.report.entries)


def test_a_material_that_fades() -> None:
    make = SceneMaker()
    fade = keys(make, (0, 1.0), (4800, 0.25))
    shader = make.add(BLINN, [], [new_block(make, BLINN, {1: (COLOR, (0.5, 0.25, 0.125))})])
    extended = new_block(make, STANDARD, {1: (PERCENT, None)}, 1, controllers=[fade])
    standard = make.add(STANDARD, [], [None, None, shader, extended])
    index = make.node("box", make.transform())
    export = export_of(make.scene())
    material = model.Material("fading", (0.5, 0.25, 0.125, 1.0))
    export.materials[standard] = material
    primitive = model.Primitive({}, material=material)
    source: Any = None
    export.meshes[index] = ExportedMesh(model.Mesh([primitive]), source, [], np.eye(4))
    add_animation(export)
    (channel,) = channels(export).values()
    assert channel.target is material
    assert channel.path == "/pbrMetallicRoughness/baseColorFactor"
    for seconds, alpha in ((0.0, 1.0), (0.5, 0.625), (1.0, 0.25), (3.0, 0.25)):
        assert np.allclose(value_at(channel, seconds), [0.5, 0.25, 0.125, alpha], atol=1e-6)
    # What a texture gives, or what is not written, has no keys of its own.
    export.document.animations.clear()
    material.base_color = (1.0, 1.0, 1.0, 1.0)
    add_animation(export)
    assert export.document.animations == []
