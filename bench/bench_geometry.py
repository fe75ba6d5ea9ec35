"""Geometry of real scenes: ``python bench/bench_geometry.py [CORPUS] [--table] [--nodes]``.

Prints times: all scenes of ``pairs`` opened and evaluated in this process, CartoonHouses alone,
decoding and encoding every stored mesh of the corpus.  With ``--table`` a row for each node of the
glTF references: triangles, share that is matched, largest distances and angles.  With ``--nodes`` a
line for each node that bears a mesh: its state, its base object, and what is not evaluated or not
proved (``docs/format/geometry-coverage.md`` has the rules, and the same in short).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

from timing import best

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.geometry.coverage import survey
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.stored.mesh_views import StoredMesh
from maxsidecar.scene.maxfile import MaxFile

REPOSITORY = Path(__file__).resolve().parent.parent
REPEATS = 5
#: The class whose shapes no scene holds, see ``docs/format/geometry-coverage.md``.
BIPED = "9125/0"


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
        f"{best(lambda: [evaluate(path) for path in pairs], REPEATS):.3f} s",
    )
    houses = corpus / "pairs" / "CartoonHouses" / "scene.max"
    if houses.is_file():
        took = best(lambda: evaluate(houses), REPEATS)
        row("open and evaluate CartoonHouses", "0.4 s", f"{took:.3f} s")
    files = scenes(corpus)
    stored = [obj for file in files for obj in file.scene if isinstance(obj, StoredMesh)]
    row(f"read {len(stored)} stored meshes", "", f"{best(lambda: read_all(stored), REPEATS):.3f} s")
    problems: list[MaxSidecarError] = []
    start = time.perf_counter()
    size = sum(check_leaves(obj.typed_leaves(), problems.append)[1] for obj in stored)
    seconds = time.perf_counter() - start
    row(f"decode and encode their {size} bytes", "", f"{seconds:.3f} s")
    row("that are not the same afterwards", "0", str(len(problems)))
    rows = [found for file in files for found in survey(file.scene)]
    limbs = [found for found in rows if found.base_id == BIPED]
    others = [found for found in rows if found.base_id != BIPED]
    for text, group in (
        ("mesh-bearing nodes without Biped Objects, supported", others),
        ("mesh-bearing nodes, supported", rows),
    ):
        share = sum(found.supported for found in group) / max(len(group), 1)
        row(f"of {len(group)} {text}", "95 %", f"{share:.1%}")
    skipped: Counter[str] = Counter()
    for found in others:
        skipped.update({entry.class_name for entry in found.left_out})
    skipped.update(found.base for found in limbs if not found.supported)
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


def list_nodes(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*")):
        if path.suffix.lower() != ".max":
            continue
        try:
            scene = maxsidecar.open(path).scene
        except MaxSidecarError:
            continue
        for found in survey(scene):
            entries = found.left_out + found.notes
            reasons = "; ".join(f"{entry.class_name}: {entry.reason}" for entry in entries)
            name = path.relative_to(corpus).as_posix()
            print(name, found.node, found.state, found.base, reasons, sep="\t")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    named = os.environ.get("MAXSIDECAR_CORPUS")
    default = Path(named) if named else REPOSITORY.parent / "shared" / "corpus"
    parser.add_argument("corpus", nargs="?", type=Path, default=default)
    parser.add_argument("--table", action="store_true", help="compare with the references")
    parser.add_argument("--nodes", action="store_true", help="list nodes that bear a mesh")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"no real scenes: {options.corpus}")
        return
    if options.nodes:
        list_nodes(options.corpus)
        return
    times(options.corpus)
    if options.table:
        table(options.corpus)


if __name__ == "__main__":
    main()
