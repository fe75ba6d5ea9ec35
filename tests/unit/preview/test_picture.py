"""Pictures: what is where, which colour it has, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import LimitError
from maxsidecar.preview import picture as module
from maxsidecar.preview.collect import Shown
from maxsidecar.preview.picture import picture
from maxsidecar.scene.authoring import NodeLook, SceneBuilder
from tests.unit.preview.conftest import Show

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
AXES = {"x": ((50.0, 0.0, 0.0), RED), "y": ((0.0, 50.0, 0.0), GREEN), "z": ((0.0, 0.0, 50.0), BLUE)}


def pixels(shown: Shown, size: int = 64, **options: Any) -> Any:
    made = picture(shown, size, size, **options)
    return np.frombuffer(made.rgb, np.uint8).reshape(size, size, 3).astype(int)


def add_axes(builder: SceneBuilder) -> None:
    """Three boxes: a red one along X, a green one along Y, a blue one along Z."""
    for name, (position, color) in AXES.items():
        builder.add_node(
            name,
            builder.add_box(10.0, 10.0, 10.0),
            transform=builder.add_transform(position),
            look=NodeLook(wire_color=color),
        )


def center(image: Any, channel: int) -> Any:
    """Where pixels of one primary colour are, from -1 to 1, right and up."""
    others = [k for k in range(3) if k != channel]
    y, x = np.nonzero((image[..., channel] > 60) & np.all(image[..., others] < 30, axis=2))
    assert len(x) > 3
    size = len(image)
    return 2 * x.mean() / size - 1, 1 - 2 * y.mean() / size


@pytest.mark.parametrize(
    ("view", "right", "up"),
    [
        ("front", ("x", 1), ("z", 1)),
        ("back", ("x", -1), ("z", 1)),
        ("left", ("y", -1), ("z", 1)),
        ("right", ("y", 1), ("z", 1)),
        ("top", ("x", 1), ("y", 1)),
        ("bottom", ("x", -1), ("y", 1)),
    ],
)
def test_views(
    show: Show, builder: SceneBuilder, view: str, right: tuple[str, int], up: tuple[str, int]
) -> None:
    add_axes(builder)
    image = pixels(show(builder), view=view)
    places = {name: center(image, k) for k, name in enumerate("xyz") if name in (right[0], up[0])}
    assert right[1] * (places[right[0]][0] - places[up[0]][0]) > 0.5
    assert up[1] * (places[up[0]][1] - places[right[0]][1]) > 0.5


def test_perspective_looks_from_the_front_right_above(show: Show, builder: SceneBuilder) -> None:
    add_axes(builder)
    image = pixels(show(builder))
    x, y, z = (center(image, k) for k in range(3))
    assert x[0] > y[0]
    assert z[1] > y[1] > x[1]


def test_everything_is_in_the_picture_and_fills_it(show: Show, builder: SceneBuilder) -> None:
    add_axes(builder)
    for view in module.VIEWS:
        image = pixels(show(builder), view=view)
        drawn = np.any(np.abs(image - image[0, 0]) > 8, axis=2)
        assert not drawn[[0, -1]].any()
        assert not drawn[:, [0, -1]].any()
        assert max(np.ptp(axis) for axis in np.nonzero(drawn)) > 0.7 * 64


def test_faces_are_lit_from_both_sides_also_in_mirrored_nodes(
    show: Show, builder: SceneBuilder
) -> None:
    """A plate seen from above has one brightness, whatever side is up."""
    corners = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]
    shades = []
    for faces in ([(0, 1, 2), (2, 3, 0)], [(2, 1, 0), (0, 3, 2)]):
        for scale in ((1, 1, 1), (-1, 1, 1), (1, 1, -1)):
            scene = SceneBuilder(title="plate")
            scene.add_node(
                "plate",
                scene.add_mesh(corners, faces),
                transform=scene.add_transform(scale=scale),
                look=NodeLook(wire_color=(200, 200, 200)),
            )
            shades.append(pixels(show(scene), view="top")[32, 32, 0])
    assert shades[0] > 100
    assert len(set(shades)) == 1


def test_materials_by_id_and_hidden_nodes(show: Show, builder: SceneBuilder) -> None:
    red = builder.add_standard_material("red", diffuse=(1, 0, 0))
    glass = builder.add_standard_material("glass", diffuse=(0, 0, 1), opacity=0.0)
    both = builder.add_multi_material("both", [(0, red, ""), (5, glass, "")])
    corners = [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0)]
    mesh = builder.add_mesh(corners, [(0, 1, 2), (2, 3, 0)], material_ids=[0, 5])
    builder.add_node("pane", mesh, material=both)
    image = pixels(show(builder), view="top")
    background = image[0, 0].tolist()
    assert image[44, 40, 0] > 100  # lower right: the first triangle
    assert image[44, 40, 2] < 10
    assert image[20, 24].tolist() == background
    builder.add_node("far", builder.add_box(1, 1, 1), look=NodeLook(hidden=True))
    assert np.array_equal(pixels(show(builder), view="top"), image)
    assert not np.array_equal(pixels(show(builder), view="top", hidden=True), image)


def test_curves_are_lines_in_the_wire_colour(show: Show, builder: SceneBuilder) -> None:
    builder.add_node("box", builder.add_box(10.0, 10.0, 10.0), look=NodeLook(wire_color=RED))
    shown = show(builder)
    shown.lines = [np.array([[(-20, 0, 0), (20, 0, 0)], [(20, 0, 0), (20, 0, 0)]], np.float32)]
    shown.nodes[1].mesh, shown.nodes[1].lines = None, 0
    image = pixels(shown, view="top")
    red = image[..., 0] > 140
    assert red.sum(axis=0).max() <= 2  # one pixel wide, which may lie across two
    assert np.any(red, axis=0).mean() > 0.8


def test_parts_make_no_difference(
    show: Show, builder: SceneBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_axes(builder)
    builder.add_node("ball", builder.add_sphere(30.0))
    shown = show(builder)
    whole = pixels(shown)
    monkeypatch.setattr(module, "_TRIANGLES", 5)
    assert np.array_equal(pixels(shown), whole)


def test_an_empty_scene_is_background(show: Show, builder: SceneBuilder) -> None:
    assert len(np.unique(pixels(show(builder)).reshape(-1, 3), axis=0)) == 1


def test_limits(show: Show, builder: SceneBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    add_axes(builder)
    shown = show(builder)
    with pytest.raises(LimitError, match="picture is too large"):
        picture(shown, 5000, 5000)
    monkeypatch.setattr(module, "_MOST_COVERED", 10.0)
    with pytest.raises(LimitError, match="behind one another"):
        picture(shown, 64, 64)
    monkeypatch.setattr(module, "_MOST_TRIANGLES", 35)
    with pytest.raises(LimitError, match="too many triangles"):
        picture(shown, 64, 64)
