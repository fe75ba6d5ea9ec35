"""Every mesh of every export beside a scene, against the node that it was made of.

    python -m tests.support.twin_nodes CORPUS

Prints a row for each: what was measured where it is the same, else the evidence that the export was
made of another revision of the scene.  Exporters differ in the space and the numbers that they
write, which the readers say; nothing is fitted but to tell what is different.
"""

from __future__ import annotations

import csv
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

import maxsidecar
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import Weighting, triangle_normals
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.binding import limited
from maxsidecar.scene.skin.bindings import read_binding
from maxsidecar.scene.skin.deform import linear_skinning
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.transform import object_offset
from tests.support.exported import Exported, of_triangles
from tests.support.fbx_meshes import read_fbx_meshes
from tests.support.mesh_compare import Array, Corners, Difference, compare
from tests.support.mesh_twins import read_3ds_meshes, read_pod_bone_counts, read_pod_meshes
from tests.support.pod import Pod
from tests.support.text_meshes import read_ase_meshes, read_dae_meshes
from tests.support.x_meshes import read_x_meshes

MATCHED, HAUSDORFF, DEGREES, COORDINATES = 0.999, 1e-5, 0.5, 1e-4

#: Row vectors: Y up to Z up.
_Y_UP: Final = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64)
#: Formats with meshes that exporters of 3ds Max write.
SUFFIXES: Final = (".pod", ".3ds", ".ase", ".x", ".obj", ".fbx", ".dae")
#: Letters that names have at most.
LETTERS: Final = {".3ds": 10, ".x": 10}


def read_export(path: Path) -> list[Exported]:
    """Return the meshes of an export."""
    return _READERS[path.suffix.lower()](path)


def _read_3ds(path: Path) -> list[Exported]:
    frame = _frame_of_3ds(path)
    found = read_3ds_meshes(path)
    return [of_triangles(name, "world", mesh, frame=frame) for name, mesh in found.items()]


def _frame_of_3ds(path: Path) -> int | None:
    """Return the frame that was current: the mesh stands where it was then."""
    data, at = path.read_bytes(), 6
    while at + 6 <= len(data):
        kind, size = struct.unpack_from("<HI", data, at)
        if kind == 0xB009:
            return int(struct.unpack_from("<I", data, at + 6)[0])
        at += 6 if kind == 0xB000 else max(6, size)
    return None


def _read_pod(path: Path) -> list[Exported]:
    pod = Pod(path)
    nodes = {
        node.name: _Y_UP @ world[0] @ _Y_UP.T
        for node, world in zip(pod.nodes, pod.worlds(), strict=True)
    }
    counts = read_pod_bone_counts(path)
    return [
        of_triangles(name, "node", mesh, bones=nodes, bone_count=counts[name])
        for name, mesh in read_pod_meshes(path).items()
    ]


_READERS: Final[dict[str, Callable[[Path], list[Exported]]]] = {
    ".pod": _read_pod,
    ".3ds": _read_3ds,
    ".ase": read_ase_meshes,
    ".x": read_x_meshes,
    ".fbx": read_fbx_meshes,
    ".dae": read_dae_meshes,
}


def exports(corpus: Path) -> list[tuple[Path, list[Path]]]:
    """Return every export with the scenes that the manifest names it beside."""
    scenes: dict[Path, list[Path]] = {}
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            for twin in (row["twins"] or "").split(";"):
                if twin.lower().endswith(SUFFIXES):
                    scenes.setdefault(corpus / twin, []).append(corpus / row["path"])
    return sorted(scenes.items())


#: What became of a mesh: it is the same; or the export was made of another revision, since the
#: scene has no such node, other counts, the mesh at another place or with another pivot, other
#: smoothing groups, or a shape that no affine map fits; or it is not evaluated exactly.
Verdict: TypeAlias = Literal[
    "same", "no node", "counts", "place", "pivot", "smoothing", "shape", "inexact"
]


@dataclass(frozen=True)
class Row:
    """A mesh of an export.

    Attributes:
        export: File name of the export.
        name: Name of the mesh there.
        verdict: What became of it.
        evidence: What shows it; empty where both are the same.
        found: How far apart the two are; ``None`` where they cannot be compared.
    """

    export: str
    name: str
    verdict: Verdict
    evidence: str = ""
    found: Difference | None = None


def same(found: Difference, tolerance: float = HAUSDORFF) -> bool:
    """Whether two meshes agree."""
    return (
        found.ours == found.reference
        and found.matched >= MATCHED
        and found.hausdorff <= tolerance
        and (found.degrees is None or np.isnan(found.degrees) or found.degrees <= DEGREES)
        and (found.coordinates is None or found.coordinates <= COORDINATES)
    )


def corners_of(mesh: Mesh, matrix: Array, weighting: Weighting) -> Corners:
    """Return the triangles of a mesh, taken somewhere by a row-vector matrix."""
    positions = mesh.positions.astype(np.float64)[mesh.faces] @ matrix[:3, :3] + matrix[3, :3]
    normals = triangle_normals(mesh, weighting) @ np.linalg.inv(matrix[:3, :3]).T
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    channel, uv = mesh.maps.get(1), None
    if channel is not None:
        uv = channel.vertices[channel.corners[mesh.triangles]][..., :2].astype(np.float64)
    if np.linalg.det(matrix[:3, :3]) < 0:
        positions, normals = positions[:, ::-1], normals[:, ::-1]
        uv = None if uv is None else uv[:, ::-1]
    return Corners(positions, normals, uv)


@cache
def _open(path: Path) -> MaxFile:
    return maxsidecar.open(path)


def _nodes(scene_file: MaxFile, name: str, letters: int | None) -> list[Node]:
    return [node for node in scene_file.nodes.values() if node.name[:letters] == name]


def _scene_of(export: Path, meshes: list[Exported], scenes: list[Path]) -> MaxFile:
    """Return the scene that an export was made of: the one with most of its names."""
    letters = LETTERS.get(export.suffix.lower())

    def hits(scene: Path) -> int:
        return sum(bool(_nodes(_open(scene), mesh.name, letters)) for mesh in meshes)

    return _open(max(scenes, key=hits))


def rows(corpus: Path) -> Iterator[Row]:
    """Return a row for each mesh of each export."""
    for export, scenes in exports(corpus):
        meshes = read_export(export)
        scene_file = _scene_of(export, meshes, scenes)
        for mesh in meshes:
            yield _row(export, scene_file, mesh)


def _row(export: Path, scene_file: MaxFile, theirs: Exported) -> Row:
    label = export.name, theirs.name
    nodes = _nodes(scene_file, theirs.name, LETTERS.get(export.suffix.lower()))
    span = read_time_range(scene_file)
    time = span.start if theirs.frame is None else round(theirs.frame * span.ticks_per_frame)
    # A node that was renamed since, or whose name had to be cut and numbered, is told by its mesh.
    found = []
    for node in nodes or scene_file.nodes.values():
        verdict, evidence, difference = _against(node, time, theirs)
        found.append(Row(*label, verdict, evidence, difference))
    if nodes:
        return min(found, key=lambda row: (row.verdict != "same", row.found is None))
    for verdict in ("same", "pivot", "place"):
        for row in found:
            if row.verdict == verdict:
                return row
    return Row(*label, "no node", "no node has its name or mesh")


def _against(node: Node, time: int, theirs: Exported) -> tuple[Verdict, str, Difference | None]:
    evaluation = node.evaluate_mesh(time)
    missing = {entry.class_name for entry in evaluation.skipped if not entry.approximate}
    if missing:
        return "inexact", f"not evaluated: {', '.join(sorted(missing))}", None
    mesh = evaluation.mesh
    if mesh is None:
        return "no node", "the node shows no mesh", None
    mesh, matrix = _placed(node, mesh, theirs, time)
    reference = theirs.triangles(mesh)
    # Numbers that are printed are rounded.
    step = 0.0 if theirs.decimals is None else 10.0**-theirs.decimals / reference.size
    found = _closest(mesh, matrix, reference)
    if same(found, max(HAUSDORFF, step)):
        return "same", "", found
    verdict, evidence = _evidence(mesh, matrix, reference, found)
    if verdict == "inexact":
        inexact = sorted({entry.class_name for entry in evaluation.skipped})
        evidence = f"approximate: {', '.join(inexact) or 'nothing'}: {found}"
    return verdict, evidence, found


def _placed(node: Node, mesh: Mesh, theirs: Exported, time: int) -> tuple[Mesh, Array]:
    """Return a mesh, and the matrix from it to the space of the export.

    PVRGeoPOD bends skinned meshes by the bones at its first frame, by so many for each vertex as it
    writes weights, and takes them to the space of their node; there it computes the normals.
    """
    bones = theirs.bones
    binding = read_binding(node) if theirs.bone_count else None
    if bones is not None and binding is not None:
        world = np.stack([bones[joint.name] for joint in binding.joints])
        places = linear_skinning(limited(binding, theirs.bone_count), mesh.positions, world)
        back = np.linalg.inv(bones[theirs.name])
        places = places @ back[:3, :3] + back[3, :3]
        return mesh.with_positions(places.astype(np.float32)), np.eye(4)
    if theirs.space == "object":
        return mesh, np.eye(4)
    return mesh, object_offset(node) if theirs.space == "node" else node.object_matrix(time)


def _closest(mesh: Mesh, matrix: Array, reference: Corners) -> Difference:
    """Compare; of the two weightings that exporters have, the one that fits counts."""
    weightings: tuple[Weighting, ...] = ("angle", "area")
    found = [compare(corners_of(mesh, matrix, each), reference) for each in weightings]
    return min(found, key=lambda each: each.degrees or 0.0)


def _evidence(
    mesh: Mesh, matrix: Array, reference: Corners, found: Difference
) -> tuple[Verdict, str]:
    """Return what shows that the scene is another revision, if anything does."""
    if found.ours != found.reference:
        return "counts", f"{found.ours} triangles, {found.reference} in the export"
    if found.matched >= MATCHED and found.hausdorff <= HAUSDORFF:
        smooth = replace(mesh, smoothing=np.ones_like(mesh.smoothing), normals=None)
        if same(_closest(smooth, matrix, reference)):
            return "smoothing", "the same mesh, but the export has one smoothing group"
        return "inexact", ""
    ours = corners_of(mesh, matrix, "area")
    if same(_closest(mesh, np.eye(4), reference)):
        return "pivot", "the same mesh, but the scene has its pivot elsewhere"
    if same(compare(_centred(ours), _centred(reference))):
        return "place", "the same mesh at another place"
    fit = affine_residual(ours, reference)
    if fit <= HAUSDORFF:
        return "place", f"the same mesh, stretched or turned: {fit:.1g} apart after a fit"
    return "shape", f"{fit:.2g} apart after a fit, {found.matched:.0%} of the triangles"


def _centred(corners: Corners) -> Corners:
    middle = corners.positions.reshape(-1, 3).mean(axis=0)
    return Corners(corners.positions - middle, corners.normals, corners.coordinates)


def affine_residual(ours: Corners, theirs: Corners) -> float:
    """Return how far triangles in the same order are apart after the best affine fit, in sizes."""
    a = ours.positions.reshape(-1, 3)
    best = np.inf
    for turn in range(3):
        b = np.roll(theirs.positions, turn, axis=1).reshape(-1, 3)
        rows = np.column_stack([a, np.ones(len(a))])
        solved, *_ = np.linalg.lstsq(rows, b, rcond=None)
        best = min(best, float(np.linalg.norm(rows @ solved - b, axis=1).max()))
    return best / theirs.size


def main() -> None:
    found = list(rows(Path(sys.argv[1])))
    print(f"{'export':42} {'mesh':22}   ours   ref.  matched  hausdorff  degrees       uv  order")
    for row in found:
        text = row.found if row.verdict == "same" else f"{row.verdict}: {row.evidence}"
        print(f"{row.export:42.42} {row.name:22.22} {text}")
    count = Counter(row.verdict for row in found)
    print(f"{len(found)} meshes: {dict(count)}, {count['same'] / len(found):.1%} the same")


if __name__ == "__main__":
    main()
