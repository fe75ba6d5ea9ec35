"""All or nothing, and hostile scenes."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene import restructure
from maxsidecar.scene.authoring_chunks import encode_chunks
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.scene import Scene
from tests.support.village import OTHER, assert_sound, node, tree, village


def test_a_transaction_brings_back_objects_classes_and_streams() -> None:
    file = village()
    data = file.to_bytes()
    scene = file.scene
    count, classes = len(scene), scene.classes
    changes = restructure.Transaction(scene)
    restructure.add_object(scene, OTHER, [(1, b"x")])
    node(scene, "house").delete()
    node(scene, "lamp").name = "sun"
    restructure.close_gaps(scene)
    changes.undo()
    assert not file.edited
    assert (len(scene), scene.classes) == (count, classes)
    assert file.to_bytes() == data
    assert tree(scene)[1] == (1, "house")
    node(scene, "house").delete()
    assert_sound(file)


def hostile(references: dict[int, list[int]], parents: dict[int, int]) -> Scene:
    """A scene with references and parents that no program writes."""
    file = village()
    scene = file.scene
    for index, numbers in references.items():
        body = encode_chunks([(0x2034, pack(f"<{len(numbers)}i", *numbers))])
        scene[index].data.replace_all(body)
    for index, parent in parents.items():
        chunk = scene.node(index).find(0x0960)
        assert chunk is not None
        chunk.replace(pack("<iI", parent, 0))
    return MaxFile(file.to_bytes()).scene


def test_cycles_and_wild_numbers_end_in_our_errors() -> None:
    plain = village().scene
    house, door, lamp = (node(plain, name).index for name in ("house", "door", "lamp"))
    everything = len(plain) + 5
    cases: list[tuple[dict[int, list[int]], dict[int, int]]] = [
        ({10: [10], 11: [12], 12: [11]}, {}),
        ({10: [everything, 2**31 - 1, -(2**31), len(plain) - 1]}, {}),
        ({}, {house: door}),
        ({}, {house: house}),
        ({}, {house: lamp, lamp: house}),
        ({}, {house: everything, lamp: -5}),
        ({0: list(range(len(plain)))}, {}),
    ]
    for references, parents in cases:
        for name in ("house", "door", "lamp"):
            for change in ("delete", "clone", "reparent", "close"):
                scene = hostile(references, parents)
                target = node(scene, name)
                root = scene.nodes.root
                assert root is not None
                try:
                    if change == "delete":
                        target.delete()
                    elif change == "clone":
                        target.clone()
                    elif change == "reparent":
                        target.reparent(node(scene, "tree"))
                    else:
                        restructure.close_gaps(scene)
                except MaxSidecarError:
                    assert not scene.edited
                else:
                    Scene(scene.encode(), scene.classes, [], lenient=False)


def test_reference_lists_of_impossible_size_are_refused() -> None:
    file = village()
    scene = file.scene
    scene[12].data.replace_all(encode_chunks([(0x2035, b"12345")]))
    before = scene.encode()
    for name in ("house", "lamp"):
        with pytest.raises(MaxSidecarError):
            node(scene, name).delete()
        with pytest.raises(MaxSidecarError):
            node(scene, name).clone()
    assert scene.encode() == before
