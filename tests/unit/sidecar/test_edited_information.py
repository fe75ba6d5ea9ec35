"""Edits of values that are shown for information only."""

from __future__ import annotations

import re

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.scene.authoring import SceneBuilder, TransformKeys
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.update import updated_text

OPTIONS = Options(all=True, include=frozenset({"transform"}))
ANIMATED = re.compile(r'rotation = "animated[^"]*"')


def animated() -> MaxFile:
    builder = SceneBuilder()
    keys = TransformKeys(euler={0: (0, 0, 0), 100: (0, 0, 1)})
    transform = builder.add_transform((1, 2, 3), keys=keys)
    builder.add_node("a", builder.add_box(1, 2, 3), transform=transform)
    return MaxFile(builder.to_bytes())


@pytest.mark.parametrize("value", ["[1.0, 1.0, 1.0]", '"animated: 7 keys, Euler XYZ"'])
def test_the_scene_can_win_over_an_edit_of_an_animated_value(value: str) -> None:
    scene_file = animated()
    text = extract(scene_file, "s.max", OPTIONS)
    edited = ANIMATED.sub(f"rotation = {value}", text, count=1)
    assert edited != text
    with pytest.raises(SidecarError, match=r"change the keys.*extract --discard takes") as caught:
        updated_text(parse(edited.encode()), scene_file, OPTIONS)
    assert caught.value.line is not None
    assert updated_text(parse(edited.encode()), scene_file, OPTIONS, discard=True) == text


def test_other_mistakes_are_not_discarded() -> None:
    scene_file = animated()
    text = extract(scene_file, "s.max", OPTIONS)
    wrong = ANIMATED.sub("rotation = 1.0", text, count=1).replace("scale = [1.0,", 'scale = ["x",')
    with pytest.raises(SidecarError, match="scale"):
        updated_text(parse(wrong.encode()), scene_file, OPTIONS, discard=True)
