"""Seams between meshes: positions and normals of a border that several meshes share.

A scene of its own holds the borders as polygons; vertices near them go there and take their
normals, so that a head and a body fit (spec: nel-export-rules 3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.mesh_build import MeshBuild
from maxsidecar.nel.shape.placement import inverse
from maxsidecar.nel.shape.textures import base_name
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.transform import Pose

__all__ = ["Border", "apply_borders", "file_named", "outline", "read_borders"]

F64 = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """A closed polygon that meshes share.

    Attributes:
        points: (n, 3) in the world, around the polygon.
        normals: (n, 3) of length 1, away from the polygon within its plane.
    """

    points: F64
    normals: F64

    def nearest(self, world: F64, threshold: float) -> npt.NDArray[np.int64]:
        """Return the first of the border's points within a distance of each point, -1 for none."""
        out = np.full(len(world), -1, np.int64)
        for number in range(len(self.points) - 1, -1, -1):
            out[np.linalg.norm(world - self.points[number], axis=1) < threshold] = number
        return out


def file_named(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the file with a name, whatever its case, in the first folder that has one.

    Raises:
        DecodeError: A folder cannot be read.
    """
    for folder in folders:
        try:
            for path in sorted(folder.iterdir()):
                if path.name.casefold() == name.casefold() and path.is_file():
                    return path
        except OSError as error:
            raise DecodeError(f"the folder {folder} cannot be read: {error}") from error
    return None


def read_borders(path: Path) -> list[Border]:
    """Return the borders in a scene: the outline of each of its meshes.

    Args:
        path: The scene.

    Raises:
        MaxSidecarError: It is no scene, or damaged.
    """
    from maxsidecar.scene.maxfile import MaxFile

    try:
        data = path.read_bytes()
    except OSError as error:
        raise DecodeError(f"{path} cannot be read: {error}") from error
    out = []
    with MaxFile(data) as scene_file:
        scene = scene_file.scene
        evaluator, pose = Evaluator(scene), Pose(scene, 0)
        for node in scene.nodes.values():
            if isinstance(node, RootNode) or node.object is None:
                continue
            mesh = evaluator.node(node).mesh
            if mesh is None or not len(mesh.triangles):
                continue
            matrix = pose.object(node)[0]
            points = mesh.positions.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
            around = outline(mesh)
            if len(around) >= 3:
                out.append(_border(points[around], points[mesh.faces[0]]))
    return out


def _border(points: F64, face: F64) -> Border:
    up = _unit(np.cross(face[1] - face[0], face[2] - face[0]))
    before = np.cross(points - np.roll(points, 1, axis=0), up)
    behind = np.cross(np.roll(points, -1, axis=0) - points, up)
    return Border(points, _unit(before + behind))


def _unit(vectors: F64) -> F64:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.where(length > 0, vectors / np.where(length > 0, length, 1.0), 0.0))


def outline(mesh: Mesh) -> list[int]:
    """Return the vertices around the part of a mesh that its first face is in.

    Args:
        mesh: A flat mesh.
    """
    faces = mesh.faces.tolist()
    edges = {(a, b) for face in faces for a, b in zip(face, face[1:] + face[:1], strict=True)}
    following = {a: b for a, b in sorted(edges) if (b, a) not in edges}
    start = next((vertex for vertex in faces[0] if vertex in following), None)
    if start is None:
        return []
    out = [start]
    while (vertex := following[out[-1]]) != start:
        if vertex not in following or len(out) > len(following):
            return []
        out.append(vertex)
    return out


def apply_borders(
    context: ShapeContext, build: MeshBuild, groups: npt.NDArray[Any], world: F64
) -> Bits | None:
    """Move vertices near a border onto it, and give them its normals.

    Args:
        context: The node.
        build: Its mesh, which is changed.
        groups: (t,) smoothing groups of its faces.
        world: (4, 4) from the space of the shape to the world, for row vectors.

    Returns:
        (v,) which vertices are on a border; ``None`` where the node names no file with borders.
    """
    stored = context.flags.text("INTERFACE_FILE")
    if not stored:
        return None
    threshold = context.flags.number("INTERFACE_THRESHOLD")
    if threshold < 0:
        context.notes.append("the interface is left out: its threshold is below 0")
        return None
    name = base_name(stored)
    name = name if "." in name else f"{name}.max"
    try:
        path = file_named(name, context.options.interface_folders)
        borders = [] if path is None else read_borders(path)
    except MaxSidecarError as error:
        context.notes.append(f"the interface is left out: {error}")
        return None
    if path is None:
        context.notes.append(f"the interface {name} is in none of the folders that were given")
        return None
    return _Seams(context, build, groups, world, threshold).join(borders)


class _Seams:
    def __init__(
        self,
        context: ShapeContext,
        build: MeshBuild,
        groups: npt.NDArray[Any],
        world: F64,
        threshold: float,
    ) -> None:
        self.context, self.build, self.groups = context, build, groups
        self.world, self.threshold = world, threshold
        self.back = inverse(world)
        self.from_scene = context.flags.on("INTERFACE_GET_NORMALS_FROM_SCENE")

    def join(self, borders: list[Border]) -> Bits:
        """Join the mesh with all borders."""
        build = self.build
        joined = np.zeros(len(build.positions), bool)
        for border in borders:
            points = build.positions.astype(np.float64) @ self.world[:3, :3] + self.world[3, :3]
            near = border.nearest(points, self.threshold)
            chosen = near >= 0
            joined |= chosen
            if not chosen.any():
                continue
            if self.from_scene:
                self._scene_normals(points, chosen)
                continue
            moved = border.points[near[chosen]] @ self.back[:3, :3] + self.back[3, :3]
            build.positions[chosen] = moved.astype(np.float32)
            turned = (border.normals @ self.back[:3, :3]).astype(np.float32)
            corners = chosen[build.faces]
            build.normals[corners] = turned[near[build.faces[corners]]]
        return joined

    def _scene_normals(self, points: F64, chosen: Bits) -> None:
        """Give corners the mean normal of all faces of the scene that meet there, by area."""
        faces, groups = self._scene_faces(points[chosen])
        across = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        build = self.build
        for face, corner in np.argwhere(chosen[build.faces]).tolist():
            place = points[build.faces[face, corner]]
            near = (np.linalg.norm(faces - place, axis=2) <= self.threshold).any(axis=1)
            near &= groups & self.groups[face] != 0
            if near.any():
                normal = _unit(across[near].sum(axis=0)) @ self.back[:3, :3]
                build.normals[face, corner] = normal.astype(np.float32)

    def _scene_faces(self, points: F64) -> tuple[F64, npt.NDArray[np.uint32]]:
        """Return the faces of the scene around some points, in the world, with their groups."""
        shared, reach = self.context.shared, self.threshold
        low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
        faces, groups = [np.empty((0, 3, 3))], [np.empty(0, np.uint32)]
        for node in shared.scene.nodes.values():
            if isinstance(node, RootNode):
                continue
            mesh = shared.evaluator.node(node).mesh
            if mesh is None or not len(mesh.triangles):
                continue
            matrix = shared.pose.object(node)[0]
            moved = mesh.positions.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
            corners = moved[mesh.faces]
            near = ((corners >= low) & (corners <= high)).all(axis=2).any(axis=1)
            faces.append(corners[near])
            groups.append(mesh.smoothing[mesh.triangle_polygons][near])
        return np.concatenate(faces), np.concatenate(groups)
