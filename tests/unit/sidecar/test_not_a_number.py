"""Numbers in a scene that are infinite or none: shown as a text, and replaced by numbers."""

from __future__ import annotations

import math
from struct import pack

import pytest

from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract

GROUPS = Options(include=frozenset(("transform", "parameters", "material")))
#: Numbers that stand in the scene once for each place.
PLACES = {"length": 7.5, "position": 1.25, "scale": 4.5, "diffuse": 0.375}


def scene(number: float) -> MaxFile:
    builder = SceneBuilder()
    material = builder.add_standard_material("m", diffuse=(0.375, 0.5, 0.625), ambient=(0, 0, 0))
    place = builder.add_transform((1.25, 2.5, 3.75), (0.1, 0.2, 0.3), (1.0, 2.0, 4.5))
    builder.add_node("a", builder.add_box(7.5, 2, 3), transform=place, material=material)
    data = builder.to_bytes()
    for stored in PLACES.values():
        data = data.replace(pack("<f", stored), pack("<f", number))
    return MaxFile(data)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_they_are_shown_as_a_text_and_can_be_replaced(number: float) -> None:
    file = scene(number)
    text = extract(file, "s.max", GROUPS)
    for name in PLACES:
        assert f'{name} = "not a number"' in text
    assert make_plan(file, parse(text.encode())).changes == []

    changed = text.replace('length = "not a number"', "length = 5")
    for name in ("position", "scale", "diffuse"):
        changed = changed.replace(f'{name} = "not a number"', f"{name} = [0.5, 0.25, 1]")
    plan = make_plan(file, parse(changed.encode()))
    assert len(plan.changes) == len(PLACES)
    plan.apply()
    again = MaxFile(file.to_bytes())
    (node,) = again.nodes.find("a")
    assert node.base_object is not None
    assert node.base_object.parameters["length"].value == 5.0
    assert node.local_matrix()[3, :3].tolist() == [0.5, 0.25, 1.0]
    assert make_plan(again, parse(changed.encode())).changes == []


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", '"text"', "true", "[nan, 1.0, 1.0]"])
def test_nothing_but_numbers_takes_their_place(word: str) -> None:
    file = scene(math.nan)
    text = extract(file, "s.max", GROUPS)
    for name in PLACES:
        changed = text.replace(f'{name} = "not a number"', f"{name} = {word}")
        (problem,) = make_plan(file, parse(changed.encode())).problems
        assert name in str(problem)
