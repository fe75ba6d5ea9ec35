"""Spawn scripts: what appears beside a character while it moves, from notes of its bones.

A note holds commands, one a line: ``lspawn <shape>`` makes a shape on the bone that the note hangs
on, ``wspawn <shape>`` makes one that stays in the world, ``lkill`` and ``wkill`` take it away
again.  The game's track does not hold commands but states: the text of a key lists all that is
there from then on, ``objl <number> <shape> <bone>`` or ``objw <number> <shape>`` a line, so that
the game can begin anywhere.  (NeL's public sources: what the plug-in compiles and the engine reads;
spec: nel-export-rules, section 5, and pipeline-max-design, section 10d.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from maxsidecar.errors import LimitError
from maxsidecar.nel.animation.keyframers import seconds
from maxsidecar.nel.serial.classes.track import CKeyString, CTrackKeyFramerConstString
from maxsidecar.scene.notes import Note

__all__ = ["BoneScript", "Compiled", "compile_scripts"]

#: Commands, whether they make something, and what their object is called in a state.
_COMMANDS: Final = {
    "lspawn": (True, "objl"),
    "wspawn": (True, "objw"),
    "lkill": (False, "objl"),
    "wkill": (False, "objw"),
}
_ENDING: Final = ".shape"
#: Most lines of all states, which grow with the square of what is never taken away.
_MOST_LINES: Final = 100_000
#: What a shape is known by: name, where it lives, bone.  States list them in this order.
_Thing = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class BoneScript:
    """The script of one node.

    Attributes:
        index: Storage index of the node, for messages.
        bone: Its name.
        notes: Its notes.
    """

    index: int
    bone: str
    notes: Sequence[Note]


@dataclass(slots=True)
class Compiled:
    """The scripts of all nodes as one.

    Attributes:
        track: The states by time; ``None`` where there is no command.
        shapes: What may appear, in the order of names.
        problems: Lines that do nothing, by storage index of the node.
    """

    track: CTrackKeyFramerConstString | None = None
    shapes: list[str] = field(default_factory=list)
    problems: dict[int, list[str]] = field(default_factory=dict)


def compile_scripts(scripts: Sequence[BoneScript]) -> Compiled:
    """Return the states that scripts go through, one for each time with a command.

    Where none falls on time 0 there is an empty state.  Commands of one time count in the order of
    the scripts and lines; one that a note repeats counts once.

    Raises:
        LimitError: The states would have very many lines.
    """
    out = Compiled()
    numbers: dict[_Thing, int] = {}
    by_time: dict[float, list[tuple[bool, _Thing]]] = {}
    kills: list[tuple[int, str, _Thing]] = []
    for script in scripts:
        for note in script.notes:
            told: set[tuple[bool, _Thing]] = set()
            for line in note.text.replace("\r", "").split("\n"):
                command = _read(line, script.bone)
                if command is None:
                    if line.strip():
                        _tell(out, script.index, f"spawn script: {line!r} is no command")
                    continue
                if command in told:
                    continue
                told.add(command)
                makes, thing = command
                if makes:
                    numbers.setdefault(thing, len(numbers))
                else:
                    kills.append((script.index, line, thing))
                by_time.setdefault(float(seconds(note.time)), []).append(command)
    for index, line, thing in kills:
        if thing not in numbers:
            _tell(out, index, f"spawn script: {line!r} takes away what nothing makes")
    if by_time:
        out.track = _track(by_time, numbers)
        out.shapes = sorted({shape for shape, _, _ in numbers})
    return out


def _read(line: str, bone: str) -> tuple[bool, _Thing] | None:
    """Return whether a line makes something, and what; ``None`` for no command."""
    words = [word for word in line.split(" ") if word]
    if len(words) < 2 or words[0] not in _COMMANDS:
        return None
    makes, kind = _COMMANDS[words[0]]
    shape = "".join(letter.lower() if letter.isascii() else letter for letter in words[1])
    return makes, (shape if "." in shape else shape + _ENDING, kind, bone)


def _track(
    by_time: dict[float, list[tuple[bool, _Thing]]], numbers: dict[_Thing, int]
) -> CTrackKeyFramerConstString:
    there: set[_Thing] = set()
    states: dict[float, str] = {0.0: ""}
    lines = 0
    for time in sorted(by_time):
        for makes, thing in by_time[time]:
            if makes:
                there.add(thing)
            else:
                there.discard(thing)
        lines += len(there)
        if lines > _MOST_LINES:
            raise LimitError(
                "spawn scripts make too much appear",
                expected=f"up to {_MOST_LINES} lines of states",
                found=f"{lines} at {time} s",
            )
        states[time] = "".join(_line(thing, numbers[thing]) for thing in sorted(there))
    keys = [CKeyString(time=time, value=states[time]) for time in sorted(states)]
    # Nothing says how long it lasts: from the first to the last key.
    return CTrackKeyFramerConstString(keys=keys, range_begin=keys[0].time, range_end=keys[-1].time)


def _line(thing: _Thing, number: int) -> str:
    shape, kind, bone = thing
    return f"{kind} {number} {shape} {bone}\n" if kind == "objl" else f"{kind} {number} {shape}\n"


def _tell(out: Compiled, index: int, problem: str) -> None:
    known = out.problems.setdefault(index, [])
    if problem not in known:
        known.append(problem)
