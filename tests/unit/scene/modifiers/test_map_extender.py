"""Map Extender on bytes made by hand, from the notes: no scene at hand has one."""

from __future__ import annotations

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree, encode_chunks
from maxsidecar.scene.modifiers.map_extender_views import MapExtender
from tests.support.scenes import f32, u32
from tests.support.stacks import Layer, Stack

MAP_EXTENDER = (0x2EC82081, 0x045A6271)
UV = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.5)]
FACES = [(0, 1, 2), (2, 3, 0), (3, 1, 2)]


def chunks(faces: list[tuple[int, int, int]] = FACES, channel: int = 2) -> list[ChunkTree]:
    return [
        (0x03E8, u32(4)),
        (0x03E9, b"".join(f32(*row) for row in UV)),
        (0x03EA, u32(len(faces))),
        (0x03EB, b"".join(u32(*row) for row in faces)),
        (0x03EC, b"\2\0" * len(faces)),
        (0x03EE, bytes(33)),
        (0x03F3, u32(channel)),
        (0x044C, u32(3100, 198)),
    ]


@pytest.mark.parametrize("leaf", [True, False])
def test_the_map_replaces_its_channel(leaf: bool) -> None:
    local = encode_chunks(chunks()) if leaf else chunks()
    stack = Stack([Layer(MAP_EXTENDER, local=local)])
    channel = stack.mesh().maps[2]
    assert channel.vertices.tolist() == [list(map(float, row)) for row in UV]
    assert channel.corners.reshape(-1, 3).tolist() == [list(row) for row in FACES]
    problems: list[MaxSidecarError] = []
    leaves = [row for row in stack.derived.typed_leaves() if ".local" in row[1]]
    assert len(leaves) == (1 if leaf else 7)
    check_leaves(iter(leaves), problems.append)
    assert problems == []


def test_another_number_of_faces_is_refused() -> None:
    stack = Stack([Layer(MAP_EXTENDER, local=encode_chunks(chunks(FACES[:2])))])
    assert stack.reasons() == ["it was made for 2 faces, and there are 3"]
    wrong = [*FACES[:2], (0, 1, 4)]
    stack = Stack([Layer(MAP_EXTENDER, local=encode_chunks(chunks(wrong)))])
    assert stack.reasons() == ["a corner of map vertex 4, and there are 4"]


def test_an_empty_one_changes_nothing() -> None:
    for local in (b"", None):
        stack = Stack([Layer(MAP_EXTENDER, local=local)])
        assert stack.mesh().maps == {}
        obj = stack.scene[stack.modifiers[0]]
        assert isinstance(obj, MapExtender)
        assert obj.read_map(stack.derived.contexts[0]) is None


@pytest.mark.parametrize(
    ("local", "message"),
    [
        (chunks()[1:], "has no chunk 03e8"),
        ([(0x03E8, u32(5)), *chunks()[1:]], "another size"),
        ([*chunks()[:2], (0x03EA, u32(9)), *chunks()[3:]], "another size"),
        ([*chunks()[:3], (0x03EB, bytes(13)), *chunks()[4:]], "wrong size"),
        ([(0x03E8, b"\4"), *chunks()[1:]], "wrong size"),
    ],
)
def test_a_damaged_map_is_told(local: list[ChunkTree], message: str) -> None:
    (reason,) = Stack([Layer(MAP_EXTENDER, local=encode_chunks(local))]).reasons()
    assert message in reason


def test_bytes_that_are_no_chunks() -> None:
    (reason,) = Stack([Layer(MAP_EXTENDER, local=b"\1\2\3")]).reasons()
    assert "no run of chunks" in reason
