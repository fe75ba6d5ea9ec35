"""Small scenes that the tests of the sidecar make from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from maxsidecar.nel import appdata_ids
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_packing import Compression
from maxsidecar.scene.maxfile import MaxFile

KEYS = {prop.name: prop.key for prop in appdata_ids.PROPERTIES}


@dataclass
class NodeSpec:
    """One node of a test scene; AppData by the plug-in's name for it, or by key."""

    name: str
    appdata: Sequence[tuple[str | AppDataKey, bytes]] = ()
    text: str = ""


class Scenes:
    """Makes scenes of boxes."""

    node = NodeSpec

    def data(self, *nodes: NodeSpec | str, compression: Compression = None) -> bytes:
        """The bytes of a scene file with these nodes, in this order; handles are 1, 2, 3, ..."""
        builder = SceneBuilder(compression=compression)
        box = builder.add_box(1, 2, 3)
        for spec in nodes:
            spec = NodeSpec(spec) if isinstance(spec, str) else spec
            index = builder.add_node(spec.name, box, user_properties=spec.text)
            for key, value in spec.appdata:
                builder.add_appdata(index, KEYS[key] if isinstance(key, str) else key, value)
        return builder.to_bytes()

    def key(self, name: str) -> AppDataKey:
        """The AppData key that the plug-in calls so."""
        return KEYS[name]

    def open(self, *nodes: NodeSpec | str) -> MaxFile:
        """The opened scene."""
        return MaxFile(self.data(*nodes))


@pytest.fixture(scope="session")
def scenes() -> Scenes:
    return Scenes()
