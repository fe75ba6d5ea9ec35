"""Cameras and lights made by hand."""

from __future__ import annotations

from math import inf, nan, pi, radians
from struct import pack
from types import SimpleNamespace
from typing import Any

import pytest

from maxsidecar.gltf import model
from maxsidecar.gltf.export.cameras import add_cameras
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.lights import add_lights
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.node import Node
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.render import RenderSize, render_size
from tests.support.blocks import BOOLEAN, COLOR, FLOAT, INTEGER, new_block, old_block
from tests.support.scenes import SceneMaker, f32, u32

CAMERA = (0x1001, 0, 0x20)
PHYSICAL = (0x46697218, 0x28E8008D, 0x20)
OMNI = (0x1011, 0, 0x30)
SPOT = (0x1014, 0, 0x30)
DIRECT = (0x1013, 0, 0x30)
SKY = (0x7BF61478, 0x522E4705, 0x30)
PHOTOMETRIC = (0x7CA93582, 0x1ABB6B32, 0x30)
OTHER = (0x3C5575A1, 0x5FD602DF, 0x30)
RENDERS = (0xEE448B23, 0, 0x1010)


def export_of(maker: SceneMaker, *objects: int, **options: Any) -> Export:
    """An export of a node for each object; a unit is 0.01 m."""
    indices = [maker.node(f"node{n}", None, object_=index) for n, index in enumerate(objects)]
    scene = maker.scene()
    stand_in: Any = SimpleNamespace(path=None, scene=scene)
    export = Export(stand_in, Options(**options), 0.01, NodeIds(scene))
    for index in indices:
        found = scene[index]
        assert isinstance(found, Node)
        export.scene_nodes[index] = found
        export.nodes[index] = model.Node(found.name)
    return export


def only(export: Export) -> model.Node:
    (node,) = export.nodes.values()
    return node


def the_line(export: Export) -> tuple[Outcome, str]:
    (entry,) = export.report.entries
    return entry.outcome, entry.reason


def renders(width: int, height: int, pixel_aspect: float = 1.0) -> list[ChunkTree]:
    size: list[ChunkTree] = [
        (0x0190, u32(width)),
        (0x0200, u32(height)),
        (0x0210, f32(pixel_aspect)),
    ]
    return [(0x0110, [(0x2000, size)])]


def camera(maker: SceneMaker, fov: float, near: float, far: float, manual: bool) -> int:
    values = old_block(maker, (fov, 160.0, near, far, 0.0, 1000.0))
    return maker.add(CAMERA, [(0x2688, b"")] if manual else [], [values])


# --- cameras ---------------------------------------------------------------------------------


def test_the_vertical_angle_follows_from_the_renders() -> None:
    maker = SceneMaker()
    maker.add(RENDERS, renders(640, 480))
    found = only(export_of_camera(maker, radians(45))).camera
    assert found is not None
    # As 3ds Max's exporter writes it for this angle and size.
    assert found.yfov == pytest.approx(0.6024157, abs=1e-7)
    assert found.aspect_ratio == pytest.approx(4 / 3)
    assert (found.znear, found.zfar) == (0.1, 10000.0)


def export_of_camera(maker: SceneMaker, fov: float = 1.0, **values: Any) -> Export:
    planes = {"near": 1.0, "far": 1000.0, "manual": False} | values
    export = export_of(maker, camera(maker, fov, **planes))
    add_cameras(export)
    return export


def test_pixels_need_not_be_square() -> None:
    maker = SceneMaker()
    maker.add(RENDERS, renders(100, 100, 2.0))
    found = only(export_of_camera(maker)).camera
    assert found is not None
    assert found.aspect_ratio == 2.0


def test_renders_without_a_size() -> None:
    maker = SceneMaker()
    maker.add(RENDERS, renders(640, 0))
    export = export_of_camera(maker)
    found = only(export).camera
    assert found is not None
    assert found.aspect_ratio == pytest.approx(4 / 3)
    assert "pictures of 4:3 are assumed" in export.report.entries[0].reason


def test_scenes_of_1997_keep_one_size() -> None:
    maker = SceneMaker()
    maker.add(RENDERS, [(0x0110, [(0x0190, u32(320)), (0x0200, u32(200))])])
    assert render_size(maker.scene()) == RenderSize(320, 200, 1.0)
    assert render_size(SceneMaker().scene()) is None


@pytest.mark.parametrize(
    ("near", "far", "planes"),
    [
        (5.0, 500.0, (0.05, 5.0)),
        (0.0, 500.0, (0.1, 5.0)),
        (-1.0, 5.0, (0.025, 0.05)),
        (500.0, 5.0, (5.0, 10000.0)),
        (nan, inf, (0.1, 10000.0)),
    ],
)
def test_planes_that_count(near: float, far: float, planes: tuple[float, float]) -> None:
    found = only(export_of_camera(SceneMaker(), near=near, far=far, manual=True)).camera
    assert found is not None
    assert (found.znear, found.zfar) == pytest.approx(planes)


@pytest.mark.parametrize("fov", [0.0, pi, nan, -1.0])
def test_angles_that_are_none(fov: float) -> None:
    export = export_of_camera(SceneMaker(), fov)
    assert only(export).camera is None
    assert the_line(export)[0] is Outcome.LEFT_OUT


def test_a_physical_camera() -> None:
    maker = SceneMaker()
    block = new_block(maker, PHYSICAL, {4: (FLOAT, 36.0), 5: (FLOAT, 43.0), 20: (FLOAT, 45.0)})
    export = export_of(maker, maker.add(PHYSICAL, [], [block]))
    add_cameras(export)
    found = only(export).camera
    assert found is not None
    assert found.yfov == pytest.approx(0.6024157, abs=1e-7)
    assert (found.extras["max_focal_length"], found.extras["max_film_width"]) == (43.0, 36.0)


def test_nodes_with_one_camera_share_it() -> None:
    maker = SceneMaker()
    index = camera(maker, 1.0, 1.0, 1000.0, False)
    export = export_of(maker, index, index)
    add_cameras(export)
    first, second = export.nodes.values()
    assert first.camera is second.camera
    assert first.camera is not None


def test_what_is_not_wanted() -> None:
    maker = SceneMaker()
    lamp = maker.add(OMNI, [], [old_block(maker, ((1.0, 1.0, 1.0), 1.0))])
    export = export_of(maker, camera(maker, 1, 1, 1, False), lamp, cameras=False, lights=False)
    add_cameras(export)
    add_lights(export)
    assert all(node.camera is None and node.light is None for node in export.nodes.values())
    assert export.report.entries == []
    export = export_of(maker, lamp)
    export.bare.update(export.nodes)
    add_lights(export)
    assert only(export).light is None


# --- lights ----------------------------------------------------------------------------------


def light_of(
    kind: tuple[int, int, int],
    values: tuple[Any, ...],
    chunks: list[ChunkTree] | None = None,
) -> Export:
    maker = SceneMaker()
    export = export_of(maker, maker.add(kind, chunks or [], [old_block(maker, values)]))
    add_lights(export)
    return export


#: Colour, multiplier, contrast, soften, then near and far attenuation, ... as omni lights have it.
OMNI_VALUES = ((1.0, 0.5, 0.25), 3.0, 0.0, 0.0, 0.0, 40.0, 80.0, 200.0, 40.0, *[0.0] * 6)
SPOT_VALUES = (
    *((1.0, 1.0, 1.0), 2.0, 0.0, 0.0, 43.0, 45.0, 1.0, 0.0, 40.0, 80.0, 200.0, 40.0),
    *[0.0] * 7,
)


def test_an_omni_light() -> None:
    export = light_of(OMNI, OMNI_VALUES, [(0x2580, pack("<H", 1))])
    found = only(export).light
    assert found is not None
    assert (found.kind, found.color, found.intensity) == ("point", (1.0, 0.5, 0.25), 3.0)
    assert found.range is None
    assert the_line(export) == (
        Outcome.APPROXIMATED,
        "in glTF it fades with the square of the distance",
    )


def test_far_attenuation_is_its_range() -> None:
    found = only(light_of(OMNI, OMNI_VALUES, [(0x2562, pack("<H", 1))])).light
    assert found is not None
    assert found.range == pytest.approx(2.0)


def test_a_light_that_is_off() -> None:
    export = light_of(OMNI, OMNI_VALUES, [(0x2580, pack("<H", 0))])
    found = only(export).light
    assert found is not None
    assert found.intensity == 0.0
    assert (found.extras["max_on"], found.extras["max_multiplier"]) == (False, 3.0)


@pytest.mark.parametrize("multiplier", [-2.0, nan, inf])
def test_a_light_that_takes_light_away(multiplier: float) -> None:
    found = only(light_of(OMNI, (OMNI_VALUES[0], multiplier, *OMNI_VALUES[2:]))).light
    assert found is not None
    assert found.intensity == 0.0


def test_a_light_that_does_not_say_how_bright_it_is() -> None:
    export = light_of(OMNI, ())
    found = only(export).light
    assert found is not None
    assert (found.color, found.intensity) == ((1.0, 1.0, 1.0), 1.0)
    assert "is not known" in the_line(export)[1]


def test_a_colour_beyond_white() -> None:
    found = only(light_of(OMNI, ((4.0, 2.0, -1.0), 0.5, *OMNI_VALUES[2:]))).light
    assert found is not None
    assert (found.color, found.intensity) == ((1.0, 0.5, 0.0), 2.0)


def test_a_spot() -> None:
    export = light_of(SPOT, SPOT_VALUES)
    node = only(export)
    assert node.light is not None
    assert node.light.kind == "spot"
    assert node.light.inner_cone_angle == pytest.approx(radians(21.5))
    assert node.light.outer_cone_angle == pytest.approx(radians(22.5))
    # Its node is turned, so that it shines along the -Z of what it was.
    assert node.rotation == pytest.approx((-(0.5**0.5), 0, 0, 0.5**0.5))


@pytest.mark.parametrize(
    ("hotspot", "falloff"), [(45.0, 45.0), (90.0, 30.0), (0.0, 0.0), (1.0, 300.0)]
)
def test_cones_are_what_gltf_allows(hotspot: float, falloff: float) -> None:
    values = (*SPOT_VALUES[:4], hotspot, falloff, *SPOT_VALUES[6:])
    found = only(light_of(SPOT, values)).light
    assert found is not None
    assert 0.0 <= found.inner_cone_angle < found.outer_cone_angle <= pi / 2


def test_a_direct_light() -> None:
    export = light_of(DIRECT, SPOT_VALUES)
    found = only(export).light
    assert found is not None
    assert (found.kind, found.intensity, found.range) == ("directional", 2.0, None)
    assert the_line(export) == (Outcome.CONVERTED, "")
    assert (found.extras["max_hotspot"], found.extras["max_falloff"]) == (43.0, 45.0)


def test_lights_that_gltf_does_not_know() -> None:
    for kind in (SKY, OTHER):
        export = light_of(kind, ())
        node = only(export)
        assert node.light is None
        assert node.rotation == (0.0, 0.0, 0.0, 1.0)
        assert the_line(export)[0] is Outcome.LEFT_OUT
        assert node.extras["max_class"] == f"{kind[0]:x},{kind[1]:x}"


def photometric(distribution: int = 0, **values: Any) -> Export:
    maker = SceneMaker()
    stored: dict[int, tuple[int, object]] = {
        1: (INTEGER, distribution),
        2: (BOOLEAN, 1),
        5: (COLOR, (1.0, 0.5, 0.25)),
        6: (FLOAT, 1500.0),
        10: (BOOLEAN, values.get("kelvin", 0)),
        18: (BOOLEAN, values.get("dimmed", 0)),
        19: (FLOAT, 50.0),
    }
    cone = {0: (FLOAT, 30.0), 1: (FLOAT, 60.0)}
    blocks = [new_block(maker, PHOTOMETRIC, stored), new_block(maker, PHOTOMETRIC, cone, 2)]
    export = export_of(maker, maker.add(PHOTOMETRIC, [], blocks))
    add_lights(export)
    return export


def test_photometric_lights() -> None:
    export = photometric()
    found = only(export).light
    assert found is not None
    assert (found.kind, found.color, found.intensity) == ("point", (1.0, 0.5, 0.25), 1500.0)
    assert the_line(export) == (
        Outcome.APPROXIMATED,
        "it shines from a point; from what shape 3ds Max lets it is not known",
    )
    spot = only(photometric(1)).light
    assert spot is not None
    assert spot.kind == "spot"
    assert spot.outer_cone_angle == pytest.approx(radians(30))
    dimmed = only(photometric(dimmed=1)).light
    assert dimmed is not None
    assert dimmed.intensity == 750.0
    assert "temperature" in the_line(photometric(kelvin=1))[1]
    assert "all directions" in the_line(photometric(2))[1]
