"""Collision meshes (``.cmb``): what characters walk on and into.

Nodes with COLLISION, grouped by IGNAME, are joined to one mesh (spec: nel-export-rules, section 7).
The game needs the edges of faces to match: where a mesh does not fit, nothing of its group is
written, as in the plug-in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.export.registry import (
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Stage,
    Step,
    register,
)
from maxsidecar.nel.export.view import GEOMETRY
from maxsidecar.nel.export.weld import weld
from maxsidecar.nel.serial.classes.collision_mesh import COLLISION_FACE, CCollisionMeshBuild
from maxsidecar.nel.serial.formats import NelFile

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.node import Node

__all__ = ["export"]

#: Group of nodes without IGNAME.
_UNNAMED: Final = "unknown_ig"
#: Metres.
_WELD: Final = 0.005
_LARGEST_HALF: Final = 255.0
_MOST_TOLD: Final = 4


def export(job: Job) -> Iterator[Step]:
    """Yield the collision meshes of the scene."""
    view = job.view
    groups: dict[str, list[Node]] = {}
    for node in view.nodes:
        flags = view.flags(node)
        if view.kind(node) != GEOMETRY:
            yield LeftOut(node, f"a {view.kind(node)} is no collision mesh")
        elif flags.is_one("COLLISION"):
            name = flags.text("IGNAME") or job.group or _UNNAMED
            groups.setdefault(name, []).append(node)
        elif flags.is_one("COLLISION_EXTERIOR"):
            yield LeftOut(node, "COLLISION_EXTERIOR is set without COLLISION", True)
        else:
            yield LeftOut(node, "COLLISION is not set")
    for name, nodes in groups.items():
        yield from _export_group(view, name, nodes)


def _export_group(view: SceneView, name: str, nodes: list[Node]) -> Iterator[Step]:
    parts: list[tuple[Node, npt.NDArray[np.float32], npt.NDArray[np.void]]] = []
    notes: dict[int, list[str]] = {}
    surfaces = 0
    for node in nodes:
        try:
            mesh = view.mesh(node)
            if mesh is None:
                yield Failure(node, "; ".join(["it has no mesh", *view.mesh_notes(node)]))
                continue
            exterior = view.flags(node).on("COLLISION_EXTERIOR")
            faces = _faces(mesh, None if exterior else surfaces)
            points = view.world_positions(node, mesh)
        except MaxSidecarError as error:
            yield Failure(node, error.message)
            continue
        notes[node.index] = [*view.mesh_notes(node), *view.pose_notes(node)]
        parts.append((node, points, faces))
        surfaces += 1 if exterior or not len(faces) else int(faces["material"].max()) + 1
    if not parts:
        return
    used = [node for node, _, _ in parts]
    try:
        made, dropped = _join([(points, faces) for _, points, faces in parts])
    except MaxSidecarError as error:
        for node in used:
            yield Failure(node, error.message)
        return
    issues = _edge_issues(made)
    if issues:
        reason = f"edges of {name}.cmb do not fit: {'; '.join(issues)}"
        for node in used:
            yield Failure(node, reason)
        return
    for node, count in zip(used, dropped, strict=True):
        if count:
            notes[node.index].append(f"{count} faces without area are left out")
    file = NelFile("cmb", made)
    yield Product(name, ".cmb", file, used, _size_notes(made), notes, lower=False)


def _faces(mesh: Mesh, surface: int | None) -> npt.NDArray[np.void]:
    """Return the faces of a mesh; their surfaces count from a number, ``None`` for outside."""
    out = np.zeros(len(mesh.triangles), COLLISION_FACE)
    out["vertices"] = mesh.faces
    following = np.roll(mesh.triangles, -1, axis=1)
    # An edge within a polygon is not seen.
    seen = (mesh.next_corners[mesh.triangles] == following) & mesh.edge_visible[mesh.triangles]
    # The plug-in stores the second edge first and the first one last.
    out["visibility"] = np.roll(seen, -1, axis=1)
    out["material"] = mesh.material_ids[mesh.triangle_polygons]
    out["surface"] = -1 if surface is None else surface + out["material"]
    return out


def _join(
    parts: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.void]]],
) -> tuple[CCollisionMeshBuild, list[int]]:
    """Return one mesh of several, and how many faces of each were dropped.

    Raises:
        LimitError: Too many vertices lie together.
    """
    sizes = [len(points) for points, _ in parts]
    points = np.concatenate([points for points, _ in parts])
    owners = np.repeat(np.arange(len(parts), dtype=np.int64), sizes)
    target = weld(points, owners, _WELD)
    stays = target == np.arange(len(points))
    number = np.cumsum(stays) - 1
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    kept: list[npt.NDArray[np.void]] = []
    dropped: list[int] = []
    for start, (_, faces) in zip(starts.tolist(), parts, strict=True):
        corners = number[target[faces["vertices"].astype(np.int64) + start]]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        good = (a != b) & (b != c) & (c != a)
        placed = faces.copy()
        placed["vertices"] = corners
        kept.append(placed[good])
        dropped.append(int(len(faces) - good.sum()))
    return CCollisionMeshBuild(vertices=points[stays], faces=np.concatenate(kept)), dropped


def _edge_issues(mesh: CCollisionMeshBuild) -> list[str]:
    """Return the edges that two faces have on the same side; inside and outside apart."""
    out = []
    outside = mesh.faces["surface"] < 0
    for faces in (mesh.faces[outside], mesh.faces[~outside]):
        corners = faces["vertices"].astype(np.int64)
        edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
        if not len(edges):
            continue
        found, count = np.unique(edges, axis=0, return_counts=True)
        for one, two in found[count > 1]:
            ends = (mesh.vertices[int(vertex)] for vertex in (one, two))
            out.append(" to ".join(f"({x:.2f}, {y:.2f}, {z:.2f})" for x, y, z in ends))
    if len(out) > _MOST_TOLD:
        out = [*out[:_MOST_TOLD], f"and {len(out) - _MOST_TOLD} more"]
    return out


def _size_notes(mesh: CCollisionMeshBuild) -> list[str]:
    if not len(mesh.vertices):
        return []
    half = np.ptp(mesh.vertices[:, :2], axis=0) / 2
    if (half > _LARGEST_HALF).any():
        return ["it is larger than the 512 metres that the game allows"]
    return []


register(
    Process(
        "cmb",
        "collision meshes",
        export,
        Stage(
            "rbank",
            (("RBankCmbSourceDirectories", "RBankCmbExportDirectory"),),
            "RBankCmbTagExportDirectory",
        ),
    )
)
