"""Applying any text to a scene: only our own errors, and whole edits or none."""

from __future__ import annotations

from maxsidecar.errors import MaxSidecarError, SidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import Plan, make_plan
from maxsidecar.sidecar.document import SidecarDocument, parse

__all__ = ["TextOutcome", "exercise_text"]


class TextOutcome:
    """What a text came to."""

    refused = False
    message = ""
    changes = 0


def exercise_text(scene: bytes, text: bytes) -> TextOutcome:
    """Parse a sidecar, plan and apply it to a scene."""
    outcome = TextOutcome()
    file = MaxFile(scene)
    try:
        document = parse(text, "x.max.toml")
        plan = make_plan(file, document)
        for problem in (*plan.problems, *plan.conflicts):
            assert "\n" not in str(problem)
        if not plan.ok:
            outcome.refused = True
            assert file.to_bytes() == scene, "planning changed the scene"
            return outcome
        try:
            plan.apply()
        except SidecarError:
            assert file.to_bytes() == scene, "a refused sidecar changed the scene"
            raise
    except MaxSidecarError as error:
        outcome.refused, outcome.message = True, str(error)
    else:
        _check_applied(file, scene, plan, document)
        outcome.changes = len(plan.changes)
    assert "\n" not in outcome.message, f"an error of several lines: {outcome.message}"
    return outcome


def _check_applied(file: MaxFile, scene: bytes, plan: Plan, document: SidecarDocument) -> None:
    saved = file.to_bytes()
    if not plan.changes:
        assert saved == scene, "no change, but other bytes"
        return
    again = make_plan(MaxFile(saved), document)
    assert again.ok, f"an applied sidecar is refused: {(again.problems or again.conflicts)[0]}"
    assert not again.changes, f"applying twice changes again: {again.changes[0]}"
