"""Geometry of real scenes: ``python bench/bench_geometry.py [CORPUS] [--table]``.

Prints times: all scenes of ``pairs`` opened and evaluated in this process, CartoonHouses alone,
decoding and encoding every stored mesh of the corpus.  With ``--table`` a row for each node of the
glTF references: triangles, share that is matched, largest distances and angles.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.stored.mesh_views import StoredMesh
from maxsidecar.scene.maxfile import MaxFile

REPOSITORY = Path(__file__).resolve().parent.parent
REPEATS = 5


def best(run: Callable[[], object]) -> float:
    """Return the shortest of a few runs, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def evaluate(path: Path) -> int:
    """Open a scene and evaluate its nodes; return the number of triangles."""
    scene_file = maxsidecar.open(path)
    evaluator = Evaluator(scene_file.scene)
    meshes = (evaluator.node(node).mesh for node in scene_file.nodes.values())
    return sum(len(mesh.triangles) for mesh in meshes if mesh is not None)


def scenes(folder: Path) -> list[MaxFile]:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() == ".max":
            try:
                found.append(maxsidecar.open(path))
            except MaxSidecarError:
                continue
    return found


def row(figure: str, target: str, measured: str) -> None:
    print(f"{figure:58} {target:>10} {measured:>12}")


def times(corpus: Path) -> None:
    pairs = sorted((corpus / "pairs").glob("*/scene.max"))
    triangles = sum(map(evaluate, pairs))
    row("figure", "target", "measured")
    row(
        f"open and evaluate {len(pairs)} pairs, {triangles} triangles",
        "1.5 s",
        f"{best(lambda: [evaluate(path) for path in pairs]):.3f} s",
    )
    houses = corpus / "pairs" / "CartoonHouses" / "scene.max"
    if houses.is_file():
        row("open and evaluate CartoonHouses", "0.4 s", f"{best(lambda: evaluate(houses)):.3f} s")
    files = scenes(corpus)
    stored = [obj for file in files for obj in file.scene if isinstance(obj, StoredMesh)]
    row(f"read {len(stored)} stored meshes", "", f"{best(lambda: read_all(stored)):.3f} s")
    problems: list[MaxSidecarError] = []
    start = time.perf_counter()
    size = sum(check_leaves(obj.typed_leaves(), problems.append)[1] for obj in stored)
    seconds = time.perf_counter() - start
    row(f"decode and encode their {size} bytes", "", f"{seconds:.3f} s")
    row("that are not the same afterwards", "0", str(len(problems)))
    skipped: Counter[str] = Counter()
    nodes = complete = 0
    for file in files:
        evaluator = Evaluator(file.scene)
        for node in file.nodes.values():
            found = evaluator.node(node)
            if found.geometry is None and not found.skipped:
                continue
            nodes += 1
            complete += found.complete
            skipped.update({entry.class_name for entry in found.skipped if not entry.approximate})
    row(f"of {nodes} nodes with geometry, evaluated in full", "95 %", f"{complete / nodes:.1%}")
    for name, count in skipped.most_common():
        print(f"    {count:5} nodes lack {name}")


def read_all(stored: list[StoredMesh]) -> None:
    for obj in stored:
        obj.read_mesh()


def table(corpus: Path) -> None:
    sys.path.insert(0, str(REPOSITORY))
    from tests.support.mesh_pairs import MESH_NODES, differences, load, mesh_nodes

    print(f"\n{'node':44}   ours   ref.  matched  hausdorff  degrees       uv  order")
    for name in MESH_NODES:
        pair = load(corpus / "pairs" / name)
        found = differences(pair)
        for _, node in mesh_nodes(pair.gltf):
            text = str(found[node]) if node in found else "skinned in the reference"
            print(f"{f'{name}/{node}':44} {text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    named = os.environ.get("MAXSIDECAR_CORPUS")
    default = Path(named) if named else REPOSITORY.parent / "shared" / "corpus"
    parser.add_argument("corpus", nargs="?", type=Path, default=default)
    parser.add_argument("--table", action="store_true", help="compare with the references")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"no real scenes: {options.corpus}")
        return
    times(options.corpus)
    if options.table:
        table(options.corpus)


if __name__ == "__main__":
    main()
