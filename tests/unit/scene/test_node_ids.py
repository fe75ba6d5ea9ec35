"""Ids of nodes: handles where they serve, else storage indices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.node_ids import NodeIds


def edited(change: Callable[[Node], None] | None, *names: str) -> NodeIds:
    """Ids of a scene of boxes with the handles 1, 2, 3, ..., some of them changed."""
    builder = SceneBuilder()
    box = builder.add_box(1, 2, 3)
    for name in ("a", "b", "c"):
        builder.add_node(name, box)
    scene = MaxFile(builder.to_bytes()).scene
    for name in names:
        assert change is not None
        change(scene.nodes.find(name)[0])
    return NodeIds(scene)


def same_handle(node: Node) -> None:
    node.handle = 7


def no_handle(node: Node) -> None:
    chunk = node.find(0x0A32)
    assert chunk is not None
    chunk.remove()


def short_handle(node: Node) -> None:
    chunk = node.find(0x0A32)
    assert chunk is not None
    chunk.replace(b"\1\0\0")


def test_handles() -> None:
    ids = edited(None)
    a, b, c = (ids.scene.nodes.find(name)[0] for name in "abc")
    assert [ids.id_of(node) for node in (a, b, c)] == [("id", 1), ("id", 2), ("id", 3)]
    assert [ids.key(node) for node in (a, b, c)] == ["1", "2", "3"]
    assert ids.find("id", 2) is b
    # An index only tells nodes without a handle: this one may stand where such a node stood.
    assert ids.find("index", b.index) is None
    assert ids.find("id", b.index) is None
    box = a.object
    assert box is not None
    assert ids.key(box) == f"#{box.index}"
    assert ids.find("index", box.index) is None


@pytest.mark.parametrize("change", [no_handle, short_handle])
def test_a_node_without_a_handle_among_others(change: Callable[[Node], None]) -> None:
    ids = edited(change, "b")
    a, b, _ = (ids.scene.nodes.find(name)[0] for name in "abc")
    assert ids.key(a) == "1"
    assert ids.key(b) == f"#{b.index}"
    assert ids.find("id", 2) is None
    assert ids.find("index", b.index) is b


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_handles_that_repeat_identify_nothing(names: str) -> None:
    ids = edited(same_handle, *names)
    assert ids.handles == {}
    for node in ids.scene.nodes.values():
        assert ids.id_of(node) == ("id", node.index)
        assert ids.find("id", node.index) is node
    assert ids.find("id", 7 * 10**9) is None
