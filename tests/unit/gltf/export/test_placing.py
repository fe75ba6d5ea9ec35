"""Where maps lie: 3ds Max's offset, tiling and angle in glTF's terms."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from maxsidecar.gltf.export.placing import placing_of, texture_transform
from maxsidecar.gltf.model import Sampler
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.materials import BitmapMap
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, u32

BITMAP = (0x240, 0, 0xC10)
UV = (0x100, 0, 0xC20)
XYZ = (0x100, 0, 0xC30)


def applied(transform: tuple[tuple[str, Any], ...], point: tuple[float, float]) -> list[float]:
    """Apply a transform to coordinates with v downwards, as the extension is defined."""
    values = dict(transform)
    angle = values.get("rotation", 0.0)
    u, v = np.asarray(point) * values.get("scale", (1.0, 1.0))
    # Counter-clockwise as it is seen, with v downwards.
    turned = (cos(angle) * u + sin(angle) * v, cos(angle) * v - sin(angle) * u)
    found = np.asarray(turned) + values.get("offset", (0.0, 0.0))
    return [float(part) for part in found]


def in_max(
    point: tuple[float, float], offset: tuple[float, float], tile: float, angle: float
) -> list[float]:
    """Where 3ds Max looks up the picture: v upwards before, downwards in what is returned."""
    u, v = point[0] - offset[0] - 0.5, point[1] - offset[1] - 0.5
    # The map turns counter-clockwise, so the place that is looked up turns the other way.
    u, v = cos(angle) * u + sin(angle) * v, cos(angle) * v - sin(angle) * u
    return [u * tile + 0.5, 1 - (v * tile + 0.5)]


def test_nothing_changes() -> None:
    assert texture_transform((0.0, 0.0), (1.0, 1.0), 0.0) == ()


def test_tiling_is_about_the_middle() -> None:
    found = texture_transform((0.0, 0.0), (2.0, 4.0), 0.0)
    assert applied(found, (0.5, 0.5)) == [0.5, 0.5]
    # Twice along u: the left edge shows the middle of the picture before.
    assert applied(found, (0.0, 0.0)) == [-0.5, -1.5]


def test_a_quarter_turn_moves_the_map_counter_clockwise() -> None:
    found = texture_transform((0.0, 0.0), (1.0, 1.0), pi / 2)
    # At the top of the surface is now what was on the right of the picture.
    assert applied(found, (0.5, 0.0)) == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.25, -0.125)])
@pytest.mark.parametrize("tile", [1.0, 3.0])
@pytest.mark.parametrize("angle", [0.0, 0.3, 4.71238899230957])
@pytest.mark.parametrize("point", [(0.0, 0.0), (0.2, 0.7), (1.5, -2.0)])
def test_all_together(
    offset: tuple[float, float], tile: float, angle: float, point: tuple[float, float]
) -> None:
    found = texture_transform(offset, (tile, tile), angle)
    assert applied(found, (point[0], 1 - point[1])) == pytest.approx(
        in_max(point, offset, tile, angle)
    )


def bitmap(
    flags: int = 3, environment: int = 0, channel: int = 1, values: tuple[float, ...] = ()
) -> BitmapMap:
    """A bitmap whose coordinates are given: u and v offset and tiling, three angles, ..."""
    maker = SceneMaker()
    numbers = (*values, *(0.0, 0.0, 1.0, 1.0, *[0.0] * 9)[len(values) :])
    block = old_block(maker, numbers)
    chunks: list[ChunkTree] = [
        (0x9002, u32(0x50000000 | flags)),
        (0x9005, u32(environment)),
        (0x900B, u32(channel)),
    ]
    coordinates = maker.add(UV, chunks, [block])
    return last_bitmap(maker, [coordinates])


def last_bitmap(maker: SceneMaker, references: list[int]) -> BitmapMap:
    index = maker.add(BITMAP, [], references)
    found = maker.scene()[index]
    assert isinstance(found, BitmapMap)
    return found


def test_a_placing_that_is_plain() -> None:
    found = placing_of(bitmap(channel=3))
    assert found is not None
    assert (found.channel, found.transform, found.sampler, found.reason) == (3, (), Sampler(), "")


def test_wrapping() -> None:
    clamped = placing_of(bitmap(flags=2))
    assert clamped is not None
    assert (clamped.sampler.wrap_s, clamped.sampler.wrap_t) == (33071, 10497)
    assert "beyond its edge" in clamped.reason
    mirrored = placing_of(bitmap(flags=0b1010))
    assert mirrored is not None
    assert (mirrored.sampler.wrap_s, mirrored.sampler.wrap_t) == (33071, 33648)
    assert dict(mirrored.transform)["scale"] == (1.0, 2.0)


def test_turned_and_tiled_unequally() -> None:
    found = placing_of(bitmap(values=(0.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.5)))
    assert found is not None
    assert "order is not known" in found.reason
    assert dict(found.transform)["rotation"] == -0.5


def test_coordinates_that_are_no_numbers() -> None:
    found = placing_of(bitmap(values=(float("nan"),)))
    assert found is not None
    assert found.transform == ()
    assert "no numbers" in found.reason


def test_what_lies_on_no_coordinates() -> None:
    assert placing_of(bitmap(environment=1)) is None
    maker = SceneMaker()
    space = maker.add(XYZ, [])
    assert placing_of(last_bitmap(maker, [space])) is None
    lies = placing_of(last_bitmap(SceneMaker(), []))
    assert lies is not None
    assert lies.channel == 1
