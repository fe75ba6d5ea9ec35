"""Polygons in extras, and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxsidecar.errors import DecodeError
from maxsidecar.gltf.export.polygons import pack, polygon_extras, unpack
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh


@given(
    st.sampled_from(["<u1", "<u2", "<u4", "<i2", "<i4"]).flatmap(
        lambda kind: hnp.arrays(kind, st.integers(0, 30))
    )
)
def test_packed_numbers_come_back(array: npt.NDArray[np.int64]) -> None:
    packed = pack(array)
    assert isinstance(packed, str) or -(1 << 31) <= packed < 1 << 31
    assert np.array_equal(unpack(packed, len(array)), array.astype(np.int64))


def test_equal_numbers_are_one_number() -> None:
    assert pack(np.full(1000, 7)) == 7
    assert unpack(7, 3).tolist() == [7, 7, 7]
    assert pack(np.array([1, 2], np.int64)) != pack(np.array([1, 300], np.int64))


@pytest.mark.parametrize("bad", ["", "f4:AA==", "u1", "u1:!", "u1:AAAA", "u1:eJxjAAAAAQAB"])
def test_damaged_packing_is_told(bad: str) -> None:
    with pytest.raises(DecodeError):
        unpack(bad, 2)


def test_polygons_can_be_built_again() -> None:
    """A pentagon and a triangle, cut up as nobody would guess."""
    mesh = Mesh(
        positions=np.zeros((6, 3), np.float32),
        corners=np.array([0, 1, 2, 3, 4, 0, 4, 5], np.int32),
        starts=np.array([0, 5, 8], np.int32),
        material_ids=np.array([3, 1], np.int32),
        smoothing=np.array([1, 0x80000000], np.uint32),
        edge_visible=np.array([1, 0, 1, 1, 1, 1, 1, 0], bool),
        triangles=np.array([[1, 2, 3], [3, 4, 1], [0, 1, 4], [6, 7, 5]], np.int32),
        triangle_polygons=np.array([0, 0, 0, 1], np.int32),
        maps={2: MapChannel(np.zeros((1, 3), np.float32), np.zeros(8, np.int32))},
        is_polygons=True,
    )
    extras = polygon_extras(mesh, [0, 1])
    assert extras["max_primitives"] == [0, 1]
    assert extras["max_channels"] == [2]
    assert extras["max_vertices"] == 6
    assert extras["max_polymesh"] is True
    corners = unpack(extras["max_corners"], 2)
    assert corners.tolist() == [5, 3]
    assert unpack(extras["max_ids"], 2).tolist() == [3, 1]
    assert unpack(extras["max_smoothing"], 2).tolist() == [1, 0x80000000]
    edges = unpack(extras["max_edges"], 1).astype(np.uint8)
    assert np.unpackbits(edges, bitorder="little").tolist() == [1, 0, 1, 1, 1, 1, 1, 0]
    # The vertices of a polygon's corners are those of its triangles.
    vertex = mesh.faces.reshape(-1)
    place = unpack(extras["max_triangles"], 12)
    polygon = np.repeat(mesh.triangle_polygons, 3)
    found = np.full(8, -1)
    found[np.array([0, 5])[polygon] + place] = vertex
    assert found.tolist() == mesh.corners.tolist()
