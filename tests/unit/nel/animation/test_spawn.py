"""Spawn scripts: commands in notes, states in the track."""

from __future__ import annotations

from typing import Any

import pytest

from maxsidecar.errors import LimitError
from maxsidecar.nel.animation.spawn import BoneScript, Compiled, compile_scripts
from maxsidecar.scene.notes import Note


def compiled(*scripts: tuple[str, dict[int, str]]) -> Compiled:
    return compile_scripts(
        [
            BoneScript(number, bone, [Note(time, 4, text) for time, text in notes.items()])
            for number, (bone, notes) in enumerate(scripts)
        ]
    )


def states(found: Compiled) -> list[tuple[Any, str]]:
    assert found.track is not None
    return [(pytest.approx(key.time), key.value) for key in found.track.keys]


def test_states_list_what_is_there() -> None:
    found = compiled(
        ("Bip01 R Hand", {480: "lspawn FY_Pick\r\nwspawn dust.ps", 960: "lkill fy_pick"})
    )
    # States are in the order of names; numbers in the order in which things are first told.
    both = "objw 1 dust.ps\nobjl 0 fy_pick.shape Bip01 R Hand\n"
    assert states(found) == [(0.0, ""), (0.1, both), (0.2, "objw 1 dust.ps\n")]
    assert found.shapes == ["dust.ps", "fy_pick.shape"]
    assert found.problems == {}


def test_states_that_only_grow_have_a_limit() -> None:
    """Each lists all that is there: 500 things one after the other are 125,250 lines."""
    notes = {480 * number: f"wspawn thing{number}" for number in range(500)}
    with pytest.raises(LimitError, match="too much"):
        compiled(("hand", notes))
    few = dict(list(notes.items())[:400])
    found = compiled(("hand", few))
    assert sum(state.count("\n") for _, state in states(found)) == 400 * 401 // 2


def test_a_command_at_time_0_needs_no_empty_state() -> None:
    found = compiled(("hand", {0: "wspawn a", 480: "wkill A.SHAPE"}))
    assert states(found) == [(0.0, "objw 0 a.shape\n"), (0.1, "")]


def test_several_nodes_are_one_script() -> None:
    """States go on from key to key; the same shape on two bones is two things."""
    found = compiled(
        ("left", {0: "lspawn a", 480: "lkill a"}),
        ("right", {0: "lspawn a", 960: "wspawn a"}),
    )
    right = "objl 1 a.shape right\n"
    assert states(found) == [
        (0.0, "objl 0 a.shape left\n" + right),
        (0.1, right),
        # What stays in the world is another thing than what is on a bone.
        (0.2, right + "objw 2 a.shape\n"),
    ]
    assert found.shapes == ["a.shape"]


def test_commands_of_one_note_count_once_and_in_order() -> None:
    found = compiled(("b", {0: "lspawn a\nlkill a\nlspawn a"}))
    # The third line repeats the first and is not looked at.
    assert states(found) == [(0.0, "")]
    assert found.shapes == ["a.shape"]


def test_times_are_those_of_notes_with_a_command() -> None:
    found = compiled(("b", {160: "footstep", 320: "wspawn x", 480: "", 640: "wspawn x"}))
    assert [time for time, _ in states(found)] == [
        0.0,
        pytest.approx(1 / 15),
        pytest.approx(2 / 15),
    ]
    assert found.track is not None
    # The game works out how long it lasts.
    assert found.track.range_lock
    assert (found.track.range_begin, found.track.range_end) == pytest.approx((0.0, 2 / 15))


@pytest.mark.parametrize("line", ["footstep", "lspawn", "LSPAWN x", "lspawn\tx", "spawn x"])
def test_lines_that_are_no_command_are_told(line: str) -> None:
    found = compiled(("b", {0: line}))
    assert found.track is None
    assert found.shapes == []
    assert found.problems == {0: [f"spawn script: {line!r} is no command"]}


def test_more_words_do_no_harm() -> None:
    assert states(compiled(("b", {0: "  lspawn  a   soon"}))) == [(0.0, "objl 0 a.shape b\n")]


def test_taking_away_what_nothing_makes_is_told() -> None:
    found = compiled(("b", {0: "wspawn a", 480: "lkill a\nwkill a"}))
    assert states(found) == [(0.0, "objw 0 a.shape\n"), (0.1, "")]
    assert found.problems == {0: ["spawn script: 'lkill a' takes away what nothing makes"]}


def test_no_scripts() -> None:
    assert compile_scripts([]).track is None
