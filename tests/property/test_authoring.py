"""Any small mesh and any keys come back as they went in."""

from __future__ import annotations

from struct import pack, unpack

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.scene.authoring import SceneBuilder, TransformKeys
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.maxfile import MaxFile
from tests.support.meshes import decode_mesh

FLOAT = st.floats(allow_nan=False, allow_infinity=False, width=32)
POINT = st.tuples(FLOAT, FLOAT, FLOAT)
WORD = st.integers(0, 0xFFFFFFFF)


@given(st.data())
def test_meshes(data: st.DataObject) -> None:
    vertices = data.draw(st.lists(POINT, min_size=1, max_size=8))
    count = data.draw(st.integers(0, 6))
    index = st.integers(0, len(vertices) - 1)
    faces = data.draw(st.lists(st.tuples(index, index, index), min_size=count, max_size=count))

    def each(values: st.SearchStrategy[int]) -> list[int]:
        return data.draw(st.lists(values, min_size=count, max_size=count))

    ids, groups, edges = each(st.integers(0, 0xFFFF)), each(WORD), each(st.integers(0, 7))
    points = data.draw(st.lists(POINT, min_size=1, max_size=8))
    at = st.integers(0, len(points) - 1)
    corners = data.draw(st.lists(st.tuples(at, at, at), min_size=count, max_size=count))
    scene = SceneBuilder()
    new = scene.add_mesh(
        vertices, faces, material_ids=ids, smoothing=groups, edge_flags=edges, uv=(points, corners)
    )
    mesh = decode_mesh(MaxFile(scene.to_bytes(), lenient=False).scene[new])
    assert mesh.vertices == vertices
    assert mesh.faces == faces
    assert mesh.material_ids == ids
    assert mesh.smoothing == groups
    assert [word & 7 for word in mesh.flags] == edges
    assert mesh.maps == {1: (points, corners)}


@given(
    st.dictionaries(st.integers(-(2**31), 2**31 - 1), POINT, min_size=1, max_size=6),
    st.sampled_from(["linear", "ease"]),
)
def test_position_keys(positions: dict[int, tuple[float, ...]], curve: str) -> None:
    scene = SceneBuilder()
    new = scene.add_transform(keys=TransformKeys(position=positions, curve=curve))  # type: ignore[arg-type]
    place = MaxFile(scene.to_bytes(), lenient=False).scene[new].reference(0)
    assert place is not None
    columns: list[KeyedController] = []
    for found in [place] if curve == "linear" else [place.reference(n) for n in range(3)]:
        assert isinstance(found, KeyedController)
        columns.append(found)
    values = []
    for found in columns:
        assert found.keys is not None
        assert found.keys["time"].tolist() == sorted(positions)
        values.append(found.keys["value"].reshape(len(positions), -1))
    expected = [unpack("<3f", pack("<3f", *positions[time])) for time in sorted(positions)]
    assert np.concatenate(values, axis=1).tolist() == [list(row) for row in expected]
