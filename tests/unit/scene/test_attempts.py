"""Reading what may be damaged."""

from __future__ import annotations

import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.scene.attempts import Attempts


class Part:
    sound = "value"

    @property
    def damaged(self) -> str:
        return read("x")


def read(text: str) -> str:
    raise DecodeError(f"cannot read {text}")


def test_damage_is_noted_once_and_read_around() -> None:
    attempt = Attempts()
    assert attempt(len, "abc") == 3
    assert attempt.get(Part(), "sound") == "value"
    assert attempt.problems == []
    assert attempt(read, "x") is None
    assert attempt.get(Part(), "damaged") is None
    assert attempt(read, text="y") is None
    assert [str(problem) for problem in attempt.problems] == ["cannot read x", "cannot read y"]
    # What was read must not stay in memory for as long as the problem.
    assert all(problem.__traceback__ is None for problem in attempt.problems)


def test_faults_of_the_program_are_no_damage() -> None:
    with pytest.raises(AttributeError):
        Attempts().get(Part(), "no_such_name")
