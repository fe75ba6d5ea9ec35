"""How much of real scenes is typed: nothing common is raw, and nothing is read-only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from maxsidecar.scene.coverage import PARTLY, RAW, READ_ONLY, TYPED, ClassCoverage, cover
from maxsidecar.scene.maxfile import open_file

#: Classes in as many files have to have a view.
COMMON = 5


@dataclass
class Survey:
    """States of the objects of a class, and the files that it is in."""

    files: Counter[str] = field(default_factory=Counter)
    states: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def survey(corpus_files: tuple[Path, ...]) -> Survey:
    found = Survey()
    for path in corpus_files:
        for item in cover(open_file(path).scene):
            _add(found, item, path)
    return found


def _add(found: Survey, item: ClassCoverage, path: Path) -> None:
    key = f"{item.info.class_id}/{item.info.superclass:x}" if item.info else "?"
    found.files[key] += 1
    found.states.setdefault(key, Counter()).update(item.states)
    found.reasons += [f"{path}: {key}: {reason}" for reason in item.reasons]


@pytest.mark.slow
def test_nothing_is_read_only(survey: Survey) -> None:
    assert survey.reasons == []


@pytest.mark.slow
def test_nearly_all_objects_are_typed_at_least_in_part(survey: Survey) -> None:
    total: Counter[str] = sum(survey.states.values(), Counter())
    assert total[TYPED] + total[PARTLY] >= 0.99 * total.total()
    # All that three of four hold is decoded; docs/format/coverage.md has the figures.
    assert total[TYPED] >= 0.75 * total.total()


@pytest.mark.slow
def test_no_common_class_is_raw(survey: Survey) -> None:
    common = [key for key, files in survey.files.items() if files >= COMMON]
    assert common
    untyped = {key for key in common if survey.states[key][RAW] or survey.states[key][READ_ONLY]}
    assert untyped == set()
