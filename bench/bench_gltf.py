"""glTF export: ``python bench/bench_gltf.py [CORPUS]``.

Prints times: all scenes of ``pairs`` opened and exported in this process, every scene of the
corpus, and a mesh of a million vertices made and written; for the last, what writing takes of
memory beside the arrays, which are there already, in parts of the file's size.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
from timing import best

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.build import export_file
from maxsidecar.gltf.export.primitives import build_primitives
from maxsidecar.gltf.write import write
from maxsidecar.scene.geometry.mesh import Mesh

REPOSITORY = Path(__file__).resolve().parent.parent
REPEATS = 3
#: Vertices along each side of the large mesh.
SIDE = 1000


def export_all(scenes: list[Path], folder: Path) -> int:
    """Open and export scenes; return the bytes written."""
    size = 0
    for path in scenes:
        try:
            with maxsidecar.open(path) as scene_file:
                done = export_file(scene_file, folder / "out.glb")
        except MaxSidecarError as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        size += done.files[0].stat().st_size
    return size


def plane() -> Mesh:
    """A wavy plane of a million vertices, smooth, with texture coordinates."""
    x, y = np.meshgrid(np.arange(SIDE, dtype=np.float32), np.arange(SIDE, dtype=np.float32))
    points = np.stack([x, y, np.sin(x / 50) * np.cos(y / 50) * 20], axis=-1).reshape(-1, 3)
    number = np.arange(SIDE * SIDE, dtype=np.int32).reshape(SIDE, SIDE)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    coordinates = points / np.float32(SIDE)
    return Mesh.of_triangles(points, faces, smoothing=1, maps={1: (coordinates, faces)})


def main() -> None:
    """Print the figures."""
    corpus = Path(
        sys.argv[1]
        if len(sys.argv) > 1
        else os.environ.get("MAXSIDECAR_CORPUS", REPOSITORY.parent / "shared" / "corpus")
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenes = sorted(p for p in corpus.rglob("*") if p.suffix.lower() == ".max")
        pairs = [path for path in scenes if "pairs" in path.relative_to(corpus).parts[:1]]
        if pairs:
            export_all(pairs[:1], folder)  # what is imported late
            took = best(lambda: export_all(pairs, folder), REPEATS)
            print(f"pairs, {len(pairs)} scenes: {took:.2f} s")
            start = time.perf_counter()
            size = export_all(scenes, folder)
            taken = time.perf_counter() - start
            print(f"corpus, {len(scenes)} files: {taken:.1f} s, {size / 1e6:.0f} MB")
        start = time.perf_counter()
        mesh = plane()
        built = build_primitives(mesh, change_of_basis(1.0), lambda number: None)
        vertices = len(built.vertices[0])
        print(f"mesh of {vertices} vertices to primitives: {time.perf_counter() - start:.2f} s")
        path = folder / "large.glb"

        def write_large() -> None:
            document = model.Document([model.Node("n", mesh=model.Mesh(built.primitives, "m"))])
            write(document, path)

        print(f"written: {best(write_large, REPEATS):.3f} s")
        tracemalloc.start()
        write_large()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        size = path.stat().st_size
        arrays = sum(a.nbytes for p in built.primitives for a in p.attributes.values())
        print(f"{size / 1e6:.1f} MB; memory: arrays {arrays / size:.2f}, writing {peak / size:.2f}")


if __name__ == "__main__":
    main()
