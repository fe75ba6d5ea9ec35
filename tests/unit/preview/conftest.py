"""A small scene to look at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from maxsidecar import MaxFile
from maxsidecar.preview.collect import Shown, collect
from maxsidecar.scene.authoring import SceneBuilder

Show = Callable[[SceneBuilder], Shown]


@pytest.fixture
def show() -> Show:
    """Evaluates what a scene that is being built shows."""
    return lambda builder: collect(MaxFile(builder.to_bytes()))


@pytest.fixture
def builder() -> SceneBuilder:
    return SceneBuilder(title="preview")
