"""Time to make shapes of the game: ``python bench/bench_nel_export.py``.

Prints a table of figure, target and what was measured, the best of a few runs.  Nothing here fails
for being slow: figures depend on the machine.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from timing import best

import maxsidecar
from maxsidecar.nel.shape import export_shape
from maxsidecar.nel.shape.vertex_cache import cache_order
from maxsidecar.scene.authoring import SceneBuilder

REPEATS = 3
#: A grid of 224 by 224 squares: 100,352 triangles.
SIDE = 224


def grid() -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a wavy grid and its triangles."""
    axis = np.arange(SIDE + 1, dtype=np.float32)
    x, y = np.meshgrid(axis, axis)
    points = np.stack([x, y, np.sin(x / 9) * np.cos(y / 7) * 5], axis=-1).reshape(-1, 3)
    number = np.arange(len(points)).reshape(SIDE + 1, SIDE + 1)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    return points, np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)


def main() -> int:
    """Print the figures."""
    points, faces = grid()
    builder = SceneBuilder()
    uv = points / np.float32(SIDE)
    mesh = builder.add_mesh(
        points.tolist(), faces.tolist(), smoothing=[1] * len(faces),
        uv=(uv.tolist(), faces.tolist()),
    )  # fmt: skip
    material = builder.add_standard_material(
        "m", diffuse_map=builder.add_bitmap_map("a.tga", (1, 1))
    )
    builder.add_node("grid", mesh, material=material)
    shuffled = np.random.default_rng(1).permutation(faces)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grid.max"
        path.write_bytes(builder.to_bytes())

        def whole() -> None:
            with maxsidecar.open(path) as scene_file:
                (node,) = scene_file.nodes.find("grid")
                result = export_shape(scene_file, node)
                assert result.file is not None
                result.file.to_bytes()

        print(f"{len(faces)} triangles\n")
        print(f"{'figure':<52}{'target':>10}{'measured':>12}")
        took = best(whole, REPEATS)
        print(f"{'scene to CMesh, cache order included':<52}{'3 s':>10}{took:>10.2f} s")
    ordered = best(lambda: cache_order(faces), REPEATS)
    print(f"{'cache order alone, faces in rows':<52}{'':>10}{ordered:>10.2f} s")
    mixed = best(lambda: cache_order(shuffled), REPEATS)
    print(f"{'cache order alone, faces shuffled':<52}{'':>10}{mixed:>10.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
