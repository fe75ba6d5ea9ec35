"""Boolean: computed solids."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.primitives import boolean
from maxsidecar.scene.geometry.primitives.boolean import combine
from maxsidecar.scene.geometry.primitives.box import build_box
from maxsidecar.scene.geometry.primitives.plane import build_plane
from tests.unit.scene.geometry.primitives.solids import map_faces, open_edges, volume

pytest.importorskip("manifold3d", reason="Booleans need the package manifold3d")


def cube(
    size: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0), mapped: bool = True
) -> Mesh:
    mesh = build_box((size, size, size), (1, 1, 1), mapped)
    return mesh.with_positions(mesh.positions + np.array(at, np.float32))


# Two cubes of 2, the second moved by 1 along x: 4 of 8 in common.
@pytest.mark.parametrize(("operation", "expected"), [(0, 12.0), (1, 4.0), (2, 4.0), (3, 4.0)])
def test_operations(operation: int, expected: float) -> None:
    result = combine(cube(2.0), cube(2.0, (1.0, 0.0, 0.0)), operation)
    assert volume(result) == pytest.approx(expected)
    assert open_edges(result) == 0
    side = result.positions[:, 0]
    assert (side.min(), side.max()) == {
        0: (-1.0, 2.0), 1: (0.0, 1.0), 2: (-1.0, 0.0), 3: (1.0, 2.0),
    }[operation]  # fmt: skip


def test_faces_keep_what_their_operand_has() -> None:
    a, b = cube(4.0), cube(1.0, (0.0, 0.0, 3.5))
    b.material_ids += 10
    result = combine(a, b, boolean.A_MINUS_B)
    assert volume(result) == pytest.approx(64.0 - 0.5)
    hole = result.material_ids >= 10
    assert set(result.material_ids[~hole].tolist()) == {0, 1, 2, 3, 4, 5}
    assert set(result.material_ids[hole].tolist()) == {11, 12, 13, 14, 15}
    assert set(result.smoothing[~hole].tolist()) == {2, 4, 8, 16, 32, 64}
    # The top of a box is mapped with u along x and v along y.
    top = np.flatnonzero(result.material_ids == 0)
    uv = result.maps[1].vertices[map_faces(result)[top]]
    points = result.positions[result.faces[top]]
    assert np.abs(uv[:, :, :2] - (points[:, :, :2] / 4.0 + 0.5)).max() < 1e-6


def test_edges_inside_a_side_are_hidden() -> None:
    result = combine(cube(4.0), cube(1.0, (10.0, 0.0, 0.0)), boolean.UNION)
    assert len(result.positions) == 16
    assert np.count_nonzero(~result.edge_visible) == 2 * 12


def test_open_surfaces_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="operand B"):
        combine(cube(2.0), build_plane((1.0, 1.0), (1, 1)), boolean.UNION)


def test_nothing_is_left() -> None:
    result = combine(cube(1.0), cube(3.0, (0.0, 0.0, -1.0)), boolean.A_MINUS_B)
    assert len(result.faces) == 0
    assert len(result.positions) == 0


def test_the_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(boolean, "import_module", missing)
    with pytest.raises(NotSupportedError, match="manifold3d"):
        combine(cube(1.0), cube(2.0), boolean.UNION)
