"""The page as text: what it holds, and that no name can become part of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

from maxsidecar.errors import LimitError
from maxsidecar.preview.collect import Missing
from maxsidecar.preview.page import page
from maxsidecar.scene.authoring import SceneBuilder
from tests.conftest import REPOSITORY
from tests.unit.preview.conftest import Show

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>&lt;\u2028'\"\\",
    "\ud800 \x00 \u202e",
    "{hash} %s {0}",
)


class Scripts(HTMLParser):
    """Script elements by id (or type), every tag, and every address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: dict[str, str] = {}
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self._open: str | None = None
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append(tag)
        self.addresses += [value or "" for key, value in attrs if key in ("src", "href")]
        if tag == "script":
            self._open = known.get("id") or known.get("type") or ""
            assert self._open not in self.scripts
            self.scripts[self._open] = ""
        if known.get("http-equiv") == "Content-Security-Policy":
            self.policy = known["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.scripts[self._open] += data


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text, validate=True))


def test_names_stay_data(show: Show, builder: SceneBuilder) -> None:
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0))
    shown = show(builder)
    plain = Scripts(page(shown, "title").decode())
    for name in HOSTILE:
        node = shown.nodes[1]
        node.name = node.material = node.class_name = name
        shown.missing = [Missing(1, name, name)]
        text = page(shown, name).decode()
        found = Scripts(text)
        assert found.tags == plain.tags
        assert list(found.scripts) == list(plain.scripts)
        scene = found.scripts["scene"]
        assert scene.isascii()
        assert not set("<>&") & set(scene)
        about = json.loads(scene)
        assert about["title"] == about["nodes"][1]["name"] == about["nodes"][1]["material"] == name
        assert about["missing"] == [[1, name, name, False]]
        # Beside the data nothing of the page depends on the scene.
        assert text.replace(scene, "") == page(shown, "x").decode().replace(
            Scripts(page(shown, "x").decode()).scripts["scene"], ""
        )


def test_nothing_is_loaded_and_only_one_script_runs(show: Show, builder: SceneBuilder) -> None:
    text = page(show(builder), "title").decode()
    found = Scripts(text)
    assert found.addresses == []
    assert "default-src 'none'" in found.policy
    digest = base64.b64encode(hashlib.sha256(found.scripts["module"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' blob:;" in found.policy
    assert "unsafe-inline" not in found.policy.split("script-src")[1].split(";")[0]
    assert "The MIT License" in text
    assert b"Three.js Authors" in unpacked(found.scripts["three.module.min.js"])


def test_geometry(show: Show, builder: SceneBuilder) -> None:
    box = builder.add_box(20.0, 10.0, 30.0)
    place = builder.add_transform((1.0, 2.0, 3.0))
    builder.add_node("one", box, transform=place)
    builder.add_node("two", box)
    found = Scripts(page(show(builder), "title").decode())
    about = json.loads(found.scripts["scene"])
    assert [node.get("mesh") for node in about["nodes"]] == [None, 0, 0]
    assert about["nodes"][1]["matrix"] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]
    (mesh,) = about["meshes"]
    assert (mesh["vertices"], mesh["polygons"], mesh["triangles"]) == (8, 12, 12)
    blob = unpacked(found.scripts["geometry"])

    def array(name: str, kind: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        at, count = mesh[name]
        assert at % 4 == 0
        return np.frombuffer(blob, kind, count, at).astype(float)

    points = array("positions", "<f4").reshape(-1, 3)
    assert points.min(axis=0).tolist() == [-5, -10, 0]
    assert points.max(axis=0).tolist() == [5, 10, 30]
    assert np.linalg.norm(array("normals", "<i2").reshape(-1, 3), axis=1) == pytest.approx(32767)
    assert array("indices", "<u4").max() == len(points) - 1
    used = {number for number, _, _ in mesh["groups"]}
    assert {int(number) for number in about["nodes"][1]["surfaces"]} == used


def test_a_limit(show: Show, builder: SceneBuilder) -> None:
    builder.add_node("box", builder.add_box(1.0, 1.0, 1.0))
    with pytest.raises(LimitError, match="too large for a page"):
        page(show(builder), "title", most_bytes=500)


def test_the_library_is_the_one_that_its_page_names() -> None:
    folder = REPOSITORY / "maxsidecar" / "preview" / "three"
    rows = re.findall(
        r"^\| `([\w.]+)` \|.*\| `([0-9a-f]{64})` \|$", (folder / "README.md").read_text(), re.M
    )
    assert {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name, _ in rows} == (
        dict(rows)
    )
    assert {path.name for path in folder.iterdir()} == {"README.md", *dict(rows)}
