"""The NeL export flags of real scenes, against what the format notes say about them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from maxsidecar.nel.appdata_ids import OWNER, PROPERTIES
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey, Decoded
from maxsidecar.scene.maxfile import open_file

BY_NAME = {prop.name: prop for prop in PROPERTIES}


@pytest.fixture(scope="module")
def street(corpus: Path) -> dict[int, dict[AppDataKey, bytes]]:
    """AppData of street.max, the public scene with NeL flags: object index, key, bytes."""
    path = corpus / "max" / "ryzomcore" / "cluster_viewer__max__street.max"
    if not path.is_file():
        pytest.skip(f"{path} is missing")
    found: dict[int, dict[AppDataKey, bytes]] = defaultdict(dict)
    with open_file(path) as scene_file:
        for obj, item in scene_file.scene.appdata():
            found[obj.index][item.key] = item.value
    return dict(found)


def test_every_entry_has_a_name_and_a_value(street: dict[int, dict[AppDataKey, bytes]]) -> None:
    # 8 nodes (4 clusters, 4 portals) with the 40 or 41 entries that the dialogue writes
    assert len(street) == 8
    assert {len(entries) for entries in street.values()} == {40, 41}
    respelled = set()
    for entries in street.values():
        for key, raw in entries.items():
            assert (key.class_a, key.class_b, key.superclass) == OWNER
            prop = REGISTRY.by_key(key)
            assert prop is not None, key
            decoded = prop.decode(raw, "cp1252")
            assert prop.edit(raw, decoded.value, "cp1252") == raw
            assert prop.decode(prop.encode(decoded.value, "cp1252"), "cp1252") == Decoded(
                decoded.value, True
            )
            if not decoded.canonical:
                respelled.add((prop.name, raw))
    assert respelled == {("LUMELSIZEMUL", b"1.0\0")}


def test_clusters_and_portals_show_their_role(street: dict[int, dict[AppDataKey, bytes]]) -> None:
    accel = BY_NAME["ACCEL"]
    values = [accel.decode(entries[accel.key], "cp1252").value for entries in street.values()]
    tables = [value for value in values if isinstance(value, dict)]
    clusters = [table for table in tables if table["type"] == "cluster"]
    assert len(clusters) == 4
    for table in clusters:  # stored as 10 = 2 cluster + 8 visible from father
        assert [name for name, on in table.items() if on is True] == ["visible_from_father"]
    assert [table["type"] for table in tables].count("portal") == 4
