"""How nodes are addressed, whatever their names."""

from __future__ import annotations

from typing import Any

import pytest

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.node import Node
from maxsidecar.sidecar.labels import Labels

PLAIN = [
    "cluster01",
    "a.b",
    'say "hi"',
    "back\\slash",
    "new\nline",
    "\u202ertl",
    "x" * 10_000,
    "sidecar",
    "[x]",
    "#3",
    "İ",
]


def chunk(node: Node, chunk_id: int) -> Chunk:
    found = node.find(chunk_id)
    assert found is not None
    return found


def nodes_of(scene_file: Any) -> list[Node]:
    return [node for node in scene_file.nodes.values() if node.parent is not None]


def test_a_name_of_its_own_is_the_label(scenes: Any) -> None:
    scene_file = scenes.open(*PLAIN)
    labels = Labels(scene_file.scene)
    for node, name in zip(nodes_of(scene_file), PLAIN, strict=True):
        assert labels.label(node) == name
        assert labels.find(name) is node


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "a"], ["a@1", "a@2"]),
        (["a", "A"], ["a@1", "A@2"]),
        (["ß", "SS"], ["ß@1", "SS@2"]),  # equal when case is folded
        (["a@12", "b"], ["a@12@1", "b"]),
        (["@5"], ["@5@1"]),
        (["a@#5"], ["a@#5@1"]),
        (["Scene Root"], ["Scene Root@1"]),
        (["é", "e\u0301"], ["é", "e\u0301"]),  # not normalised
    ],
)
def test_other_names_get_the_id(scenes: Any, names: list[str], expected: list[str]) -> None:
    scene_file = scenes.open(*names)
    labels = Labels(scene_file.scene)
    assert [labels.label(node) for node in nodes_of(scene_file)] == expected
    for node, label in zip(nodes_of(scene_file), expected, strict=True):
        assert labels.find(label) is node
        assert labels.matches(label, node)


def test_a_name_that_cannot_be_shown_still_has_a_label(scenes: Any) -> None:
    scene_file = scenes.open("a", "b", "c", "d")
    nodes = nodes_of(scene_file)
    nodes[0].name = ""
    chunk(nodes[1], 0x0962).replace(b"\x00\xd8x\0")
    nodes[2].name = "\ufffdx"
    chunk(nodes[3], 0x0962).replace(b"odd")
    labels = Labels(scene_file.scene)
    assert [labels.label(node) for node in nodes] == ["@1", "\ufffdx@2", "\ufffdx@3", "@4"]
    assert [labels.find(labels.label(node)) for node in nodes] == nodes


def test_handles_that_repeat_give_way_to_indices(scenes: Any) -> None:
    scene_file = scenes.open("a", "a")
    nodes = nodes_of(scene_file)
    handle = nodes[0].handle
    assert handle is not None
    nodes[1].handle = handle
    labels = Labels(scene_file.scene)
    assert not labels.ids.handles
    assert labels.ids.id_of(nodes[1]) == ("id", nodes[1].index)
    assert labels.label(nodes[1]) == f"a@{nodes[1].index}"


def test_a_node_without_handle_beside_others_goes_by_index(scenes: Any) -> None:
    scene_file = scenes.open("a", "a")
    nodes = nodes_of(scene_file)
    chunk(nodes[0], 0x0A32).remove()
    nodes[1].handle = nodes[0].index  # what a careless label would mix up
    labels = Labels(scene_file.scene)
    assert labels.label(nodes[0]) == f"a@#{nodes[0].index}"
    assert labels.label(nodes[1]) == f"a@{nodes[0].index}"
    assert labels.find(labels.label(nodes[0])) is nodes[0]
    assert labels.find(labels.label(nodes[1])) is nodes[1]


def test_case_does_not_matter_where_one_node_is_meant(scenes: Any) -> None:
    scene_file = scenes.open("Cluster")
    assert Labels(scene_file.scene).find("cLUSTER").name == "Cluster"


def test_what_is_missing_or_ambiguous_is_refused(scenes: Any) -> None:
    scene_file = scenes.open("a", "A", "a@1")
    labels = Labels(scene_file.scene)
    for label in ("b", "a@9", "a@99999999999", "@0", "b@1", ""):
        with pytest.raises(EditError, match="there is no node"):
            labels.find(label)
    with pytest.raises(EditError, match=r"'a' may be any of 2 nodes: 'a@1', 'A@2'"):
        labels.find("a")
    # The third node's name is also what the first one is called.
    with pytest.raises(EditError, match="'a@1' may be any of 2 nodes"):
        labels.find("a@1")
