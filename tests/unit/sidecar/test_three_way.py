"""Sidecar, scene and the scene at extraction: every way in which the three can differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import Plan, make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import extract
from maxsidecar.sidecar.update import updated_text

#: Stored values of LOD_MRM, LOD_NB_LOD and INSTANCE_NAME by what the sidecar says; None: not set.
FIELDS = {
    "mrm": ("LOD_MRM", {"false": b"0\0", "true": b"1\0"}),
    "level_count": ("LOD_NB_LOD", {"1": b"1\0", "2": b"2\0", "3": b"3\0"}),
}
NONE = None
#: base, sidecar, scene -> outcome.  "change": applied; "edit/line": a conflict, and whether the
#: sidecar's side counts as edited; "same": nothing to do.
MATRIX = [
    ("1", "1", "1", "same"),
    ("1", "2", "1", "change"),
    ("1", "1", "2", "conflict as extracted"),
    ("1", "2", "2", "same"),
    ("1", "2", "3", "conflict edited"),
    ("1", NONE, "1", "change"),
    ("1", NONE, "2", "conflict edited"),
    ("1", NONE, NONE, "same"),
    ("1", "1", NONE, "conflict as extracted"),
    ("1", "2", NONE, "conflict edited"),
    (NONE, NONE, NONE, "same"),
    (NONE, "1", NONE, "change"),
    (NONE, NONE, "1", "same"),
    (NONE, "1", "1", "same"),
    (NONE, "1", "2", "conflict edited"),
]


def stored(value: str | None) -> list[tuple[str, bytes]]:
    return [] if value is None else [("LOD_NB_LOD", f"{value}\0".encode())]


def line(value: str | None) -> str:
    return "" if value is None else f"level_count = {value}\n"


class Sides:
    """A scene at extraction, the sidecar after an edit, and the scene after a change."""

    def __init__(self, scenes: Any, base: str | None, edit: str | None, now: str | None) -> None:
        def data(value: str | None, other: bytes) -> bytes:
            entries = [("LOD_BLEND_IN", b"1\0"), *stored(value), ("LOD_MRM", other)]
            made: bytes = scenes.data(scenes.node("n", entries), "other")
            return made

        self.text = extract(MaxFile(data(base, b"0\0")), "s.max")
        assert line(base) in self.text
        if base is not None:
            self.edited = self.text.replace(line(base), line(edit))
        else:
            self.edited = self.text.replace("mrm = false\n", f"mrm = false\n{line(edit)}")
        self.now = data(now, b"0\0")
        # A change elsewhere, so that the scene is another version of the file in every case.
        scene_file = MaxFile(self.now)
        node = next(node for node in scene_file.nodes.values() if node.name == "other")
        node.set_flag("hidden", True)
        self.now = scene_file.to_bytes()

    def plan(self, *, force: Sequence[str] = (), keep: Sequence[str] = ()) -> Plan:
        document = parse(self.edited.encode())
        return make_plan(MaxFile(self.now), document, force=force, keep=keep)

    def value(self, data: bytes) -> str | None:
        text = extract(MaxFile(data), "s.max")
        return next((li.split()[2] for li in text.splitlines() if li.startswith("level_c")), None)


@pytest.mark.parametrize(("base", "edit", "now", "outcome"), MATRIX)
def test_every_combination(
    scenes: Any, base: str | None, edit: str | None, now: str | None, outcome: str
) -> None:
    sides = Sides(scenes, base, edit, now)
    plan = sides.plan()
    assert not plan.same_scene
    assert not plan.problems
    if "conflict" in outcome:
        assert not plan.changes
        (conflict,) = plan.conflicts
        assert conflict.edited == ("edited" in outcome)
        assert conflict.field == "n.nel.lod.level_count"
        both = f"scene {now or '(not set)'}, sidecar {edit or '(not set)'}"
        assert both in str(conflict)
        with pytest.raises(SidecarError, match="the scene changed it since"):
            plan.apply()
        assert plan.scene_file.to_bytes() == sides.now
        forced = sides.plan(force=["n.nel.lod.level_count"])
        assert [str(change) for change in forced.apply()] == [
            f"n.nel.lod.level_count: {now or '(not set)'} -> {edit or '(not set)'}"
        ]
        assert sides.value(forced.scene_file.to_bytes()) == edit
        kept = sides.plan(keep=["n.*"])
        assert kept.apply() == []
        assert [str(c.new) for c in kept.kept] == [edit or "Missing.MISSING"]
        assert sides.plan(force=["m.*", "n.nel.lod.mrm", "*.level"]).conflicts
    else:
        assert not plan.conflicts
        assert len(plan.changes) == (outcome == "change")
        plan.apply()
        assert sides.value(plan.scene_file.to_bytes()) == (edit if outcome == "change" else now)


@pytest.mark.parametrize(("base", "edit", "now", "outcome"), MATRIX)
def test_extracting_again_keeps_edits_and_takes_the_rest(
    scenes: Any, base: str | None, edit: str | None, now: str | None, outcome: str
) -> None:
    sides = Sides(scenes, base, edit, now)
    document = parse(sides.edited.encode())
    scene_file = MaxFile(sides.now)
    if outcome == "conflict edited":
        with pytest.raises(SidecarError, match="the scene changed it since") as caught:
            updated_text(document, scene_file)
        assert caught.value.line is not None
        text = updated_text(document, scene_file, discard=True)
        expected = now
    else:
        text = updated_text(document, scene_file)
        expected = edit if outcome == "change" else now
    lines = [li for li in text.splitlines() if li.startswith("level_count")]
    assert lines == ([] if expected is None else [f"level_count = {expected}"])
    again = parse(text.encode())
    plan = make_plan(scene_file, again)
    assert plan.same_scene
    assert not plan.problems
    assert len(plan.changes) == (outcome == "change")
    assert updated_text(again, scene_file) == text
    # A third version of the scene: what was pending is still known as an edit.
    if outcome == "change":
        node = next(node for node in scene_file.nodes.values() if node.name == "other")
        node.set_flag("frozen", True)
        later = make_plan(MaxFile(scene_file.to_bytes()), again)
        assert not later.conflicts
        assert len(later.changes) == 1


def test_a_sidecar_without_base_makes_every_difference_a_conflict(scenes: Any) -> None:
    sides = Sides(scenes, "1", "2", "1")
    sides.edited = sides.edited[: sides.edited.index("[base]")]
    (conflict,) = sides.plan().conflicts
    assert conflict.edited
    # The same version of the scene needs no base.
    same = MaxFile(scenes.data(scenes.node("n", stored("1"))))
    text = extract(same, "s.max")
    text = text[: text.index("[base]")].replace("level_count = 1", "level_count = 2")
    assert [str(c) for c in make_plan(same, parse(text.encode())).changes] == [
        "n.nel.lod.level_count: 1 -> 2"
    ]


def test_a_bit_field_that_goes_conflicts_where_a_bit_changed(scenes: Any) -> None:
    def data(accel: bytes) -> bytes:
        made: bytes = scenes.data(scenes.node("n", [("ACCEL", accel), ("LOD_MRM", b"0\0")]))
        return made

    text = extract(MaxFile(data(b"34\0")), "s.max")
    start, end = text.index("[node.n.nel.accelerator]"), text.index("[node.n.nel.lod]")
    gone = parse((text[:start] + text[end:]).encode())
    plan = make_plan(MaxFile(data(b"42\0")), gone)
    (conflict,) = plan.conflicts
    assert conflict.field == "n.nel.accelerator"
    kept = make_plan(MaxFile(data(b"42\0")), gone, keep=["*"])
    assert kept.apply() == []
    restored = updated_text(gone, MaxFile(data(b"42\0")), discard=True)
    assert make_plan(MaxFile(data(b"42\0")), parse(restored.encode())).changes == []
    assert "[node.n.nel.accelerator]" in restored


def test_patterns_take_brackets_and_dots_as_they_are(scenes: Any) -> None:
    def data(value: bytes) -> bytes:
        node = scenes.node("a.b[1]*", [("LOD_NB_LOD", value)])
        made: bytes = scenes.data(node)
        return made

    text = extract(MaxFile(data(b"1\0")), "s.max").replace("level_count = 1", "level_count = 2")
    document, scene_file = parse(text.encode()), MaxFile(data(b"3\0"))
    (conflict,) = make_plan(scene_file, document).conflicts
    assert conflict.field == '"a.b[1]*".nel.lod.level_count'
    for pattern in (conflict.field, "a.b[1]*.nel.lod.level_count", "a.b[1]*", "*.lod.level_????t"):
        assert make_plan(scene_file, document, force=[pattern]).ok
    for pattern in ("a.b1*", "a?b.*", "nel.*", "", "A.B[1]*"):
        assert not make_plan(scene_file, document, force=[pattern]).ok
    assert not make_plan(scene_file, document, force=["*" * 5000 + "x"]).ok
