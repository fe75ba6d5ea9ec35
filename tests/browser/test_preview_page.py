"""The preview page in a real browser."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar import MaxFile
from maxsidecar.cli.main import main
from maxsidecar.preview.collect import collect
from maxsidecar.preview.page import page as make_page
from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder
from tests.support.browser import Page
from tests.support.png import read_png

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: Screenshots are taken in half the size.
SCALE = 0.5
HOSTILE = "</script><img src=x onerror='window.harmed = 1'><script>window.harmed = 1</script>"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A red and a green box, a hidden blue one, a dummy, a name that would do harm."""
    builder = SceneBuilder(title="page")
    for name, x, color in (("red", -50.0, (255, 0, 0)), ("green", 50.0, (0, 255, 0))):
        builder.add_node(
            name,
            builder.add_box(40.0, 40.0, 40.0),
            transform=builder.add_transform((x, 0.0, 0.0)),
            look=NodeLook(wire_color=color),
        )
    hidden = NodeLook(wire_color=(0, 0, 255), hidden=True)
    group = builder.add_node("hidden blue", builder.add_box(9.0, 9.0, 200.0), look=hidden)
    builder.add_node("spot", builder.add_dummy(1.0), parent=group)
    builder.add_node("shadow", builder.add_dummy(1.0), look=hidden)
    strange = NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10)
    builder.add_node("harm", builder.add_object(strange))
    shown = collect(MaxFile(builder.to_bytes()), curves=True)
    (harm,) = [node for node in shown.nodes if node.name == "harm"]
    harm.name = HOSTILE
    path = tmp_path_factory.mktemp("page") / "scene with space é.html"
    path.write_bytes(make_page(shown, HOSTILE))
    return path


@pytest.fixture
def opened(page: Page, file: Path) -> Page:
    page.open(file)
    return page


def view(page: Page) -> Any:
    """What the canvas shows, as numbers."""
    area = page.value("(({x, y, width, height}) => [x, y, width, height])(canvas())")
    return read_png(page.screenshot(tuple(area), SCALE)).astype(int)


def share(image: Any, channel: int) -> float:
    """Which part of the pixels has one primary colour."""
    others = [k for k in range(3) if k != channel]
    strong = (image[..., channel] > 100) & np.all(image[..., others] < 90, axis=2)
    return float(strong.mean())


def helpers(page: Page) -> None:
    page.value(
        "window.canvas = () => document.getElementById('view').getBoundingClientRect();"
        "window.row = (name) => [...document.querySelectorAll('.row')]"
        ".find((row) => row.textContent.includes(name));"
        "window.middle = (el) => { const r = el.getBoundingClientRect();"
        " return [r.x + r.width / 2, r.y + r.height / 2]; }; 0"
    )


def click(page: Page, element: str) -> None:
    page.click(*page.value(f"middle({element})"))


def settle(page: Page) -> None:
    """Let the view be drawn."""
    page.value("window.drawn = false; requestAnimationFrame(() => requestAnimationFrame("
               "() => { window.drawn = true; })); 0")  # fmt: skip
    page.wait("window.drawn")


def test_it_shows_the_scene_and_loads_nothing(opened: Page, file: Path) -> None:
    helpers(opened)
    settle(opened)
    image = view(opened)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 20
    assert share(image, 0) > 0.01
    assert share(image, 1) > 0.01
    assert share(image, 2) < 0.001
    assert opened.complaints == []
    assert opened.requests[0] == file.as_uri()
    assert all(address.startswith("blob:") for address in opened.requests[1:])


def test_names_are_text(opened: Page) -> None:
    helpers(opened)
    assert opened.value("document.title") == HOSTILE
    assert opened.value("document.getElementById('title').textContent") == HOSTILE
    assert HOSTILE in opened.value("row('</script>').textContent")
    assert opened.value("document.querySelectorAll('img').length") == 0
    assert opened.value("window.harmed === undefined")
    # What is missing is listed, and its node marked.
    assert opened.value("document.querySelector('#missing').hidden") is False
    assert "no evaluation is known" in opened.value(
        "document.querySelector('#missing').textContent"
    )
    assert opened.value("row('</script>').querySelector('.flag') !== null")
    assert opened.complaints == []


def test_a_click_in_the_tree_selects_and_frames(opened: Page) -> None:
    helpers(opened)
    settle(opened)
    before = share(view(opened), 0)
    click(opened, "row('red')")
    settle(opened)
    assert opened.value("preview.nodes[preview.selected()].name") == "red"
    assert opened.value("preview.controls.target.toArray()") == pytest.approx([-50, 0, 20])
    assert share(view(opened), 0) > 3 * before
    assert "8 vertices" in opened.value("document.getElementById('about').textContent")
    click(opened, "document.getElementById('all')")
    settle(opened)
    assert share(view(opened), 0) == pytest.approx(before, rel=0.01)


def test_a_click_in_the_view_selects(opened: Page) -> None:
    helpers(opened)
    settle(opened)
    assert opened.value("preview.selected()") == -1
    image = view(opened)
    y, x = np.nonzero((image[..., 1] > 100) & (image[..., 0] < 90))
    left, top = opened.value("[canvas().x, canvas().y]")
    opened.click(left + float(np.median(x)) / SCALE, top + float(np.median(y)) / SCALE)
    opened.wait("preview.selected() === 2")


def test_search(opened: Page) -> None:
    helpers(opened)
    names = "[...document.querySelectorAll('.row')].length"
    assert opened.value(names) == 7
    opened.value(
        "const box = document.getElementById('search'); box.value = 'BLUE';"
        "box.dispatchEvent(new Event('input')); 0"
    )
    assert opened.value(names) == 1
    assert opened.value("row('hidden blue') !== undefined")


def test_branches_fold(opened: Page) -> None:
    helpers(opened)
    assert opened.value("row('spot') !== undefined")
    click(opened, "row('hidden blue').querySelector('.twist')")
    assert opened.value("row('spot') === undefined")
    click(opened, "row('hidden blue').querySelector('.twist')")
    assert opened.value("row('spot') !== undefined")


def test_curves(page: Page, file: Path, tmp_path: Path) -> None:
    builder = SceneBuilder(title="curves")
    look = NodeLook(wire_color=(0, 255, 0))
    builder.add_node("curve", builder.add_box(1.0, 1.0, 1.0), look=look)
    shown = collect(MaxFile(builder.to_bytes()), curves=True)
    shown.nodes[1].mesh, shown.nodes[1].lines = None, 0
    shown.lines = [np.array([[(-5, -5, 0), (5, -5, 0)], [(5, -5, 0), (0, 5, 3)]], np.float32)]
    path = tmp_path / "curves.html"
    path.write_bytes(make_page(shown, "curves"))
    page.open(path)
    helpers(page)
    settle(page)
    image = view(page)
    green = (image[..., 1] > 120) & (image[..., 0] < 90)
    assert green.sum() > 50
    assert np.ptp(np.nonzero(green)[1]) > 0.3 * image.shape[1]
    page.value("preview.select(1); document.getElementById('wirecolors').click(); 0")
    settle(page)
    assert page.complaints == []


def test_hidden_nodes_and_wire_colours(opened: Page) -> None:
    helpers(opened)
    click(opened, "document.getElementById('hidden')")
    click(opened, "document.getElementById('wirecolors')")
    settle(opened)
    image = view(opened)
    assert all(share(image, channel) > 0.001 for channel in range(3))
    click(opened, "document.getElementById('wires')")
    settle(opened)
    assert share(view(opened), 0) < 0.5 * share(image, 0)
    assert opened.complaints == []


def test_many_nodes_take_few_rows(page: Page, tmp_path: Path) -> None:
    builder = SceneBuilder(title="many")
    dummy = builder.add_dummy(1.0)
    above = None
    for number in range(1000):
        above = builder.add_node(f"node {number}", dummy, parent=above)
    path = tmp_path / "many.html"
    path.write_bytes(make_page(collect(MaxFile(builder.to_bytes())), "many"))
    page.open(path)
    assert page.value("document.querySelectorAll('.row').length") < 100
    page.value("preview.select(1000); 0")
    helpers(page)
    assert page.value("row('node 999') !== undefined")
    assert page.complaints == []


def test_a_real_scene(page: Page, corpus: Path, tmp_path: Path) -> None:
    scene = corpus / "pairs" / "CartoonHouses" / "scene.max"
    target = tmp_path / "houses.html"
    assert main(["preview", str(scene), "-o", str(target)]) == 0
    page.open(target)
    helpers(page)
    settle(page)
    image = view(page)
    drawn = np.any(np.abs(image - image[-2, 2]) > 12, axis=2)
    assert 0.1 < drawn.mean() < 0.9
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100
    assert page.complaints == []


def test_pictures_are_read_right() -> None:
    """The reader of screenshots: each filter of the format on rows that were worked out by hand."""
    rows = [
        (0, [10, 20, 30, 40, 50, 60]),
        (1, [1, 2, 3, 4, 5, 6]),
        (2, [1, 1, 1, 1, 1, 1]),
        (3, [10, 10, 10, 10, 10, 10]),
        (4, [1, 1, 1, 1, 1, 1]),
    ]
    packed = zlib.compress(b"".join(bytes([kind, *row]) for kind, row in rows))
    header = struct.pack(">IIBBBBB", 2, 5, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in ((b"IHDR", header), (b"IDAT", packed)):
        data += struct.pack(">I", len(body)) + kind + body + bytes(4)
    assert read_png(data).reshape(5, 6).tolist() == [
        [10, 20, 30, 40, 50, 60],
        [1, 2, 3, 5, 7, 9],
        [2, 3, 4, 6, 8, 10],
        [11, 11, 12, 18, 19, 21],
        [12, 12, 13, 19, 20, 22],
    ]
