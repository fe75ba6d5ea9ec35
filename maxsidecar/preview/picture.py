"""A picture of a scene, without a browser: where the camera stands, and how bright faces are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import LimitError
from maxsidecar.preview.collect import Shown, ShownNode
from maxsidecar.preview.placed import cofactors, mirrors, placed
from maxsidecar.preview.raster import Raster
from maxsidecar.scene.geometry.normals import triangle_normals
from maxsidecar.scene.thumbnail import Thumbnail

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["MOST_PIXELS", "VIEWS", "picture"]

F64 = npt.NDArray[np.float64]

#: Where the camera stands, seen from the scene, and what is up on the picture.
VIEWS: Final = {
    "perspective": ((1.0, -1.6, 1.0), (0.0, 0.0, 1.0)),
    "front": ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "back": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "left": ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "right": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "top": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    "bottom": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
}
#: Pixels of a picture.
MOST_PIXELS: Final = 1 << 24
#: Triangles of all nodes together, and pixels that they cover, also behind one another.
_MOST_TRIANGLES: Final = 50_000_000
_MOST_COVERED: Final = 4e9
#: Up to so many covered pixels the picture is drawn in twice the size, for smooth edges.
_SMOOTH: Final = 3e8

#: Triangles that are drawn at a time.
_TRIANGLES: Final = 1 << 18

_BACKGROUND: Final = (0.227, 0.239, 0.267)
_MARGIN: Final = 1.06
_TANGENT: Final = 0.364  # of half the angle of view, 20 degrees
#: Towards the light, in the axes of the camera: right, up, back.
_LIGHT: Final = np.array([-0.35, 0.5, 0.79])
_DARK: Final = 0.3


@dataclass(frozen=True, slots=True)
class _Camera:
    """Axes (3, 3) as rows: right, up, back; where it looks at; distance (0: parallel); scale."""

    axes: F64
    center: F64
    distance: float
    scale: float
    width: int
    height: int

    def project(self, points: F64) -> F64:
        """Return x, y in pixels and depth."""
        local = (points - self.center) @ self.axes.T
        out = np.empty_like(local)
        if self.distance:
            nearness = 1.0 / (self.distance - local[..., 2])
            out[..., 2] = nearness
            local[..., :2] *= nearness[..., None]
        else:
            out[..., 2] = local[..., 2]
        out[..., 0] = self.width / 2 + local[..., 0] * self.scale
        out[..., 1] = self.height / 2 - local[..., 1] * self.scale
        return out


def picture(
    shown: Shown, width: int, height: int, *, view: str = "perspective", hidden: bool = False
) -> Thumbnail:
    """Return a picture of all that is not hidden.

    Args:
        shown: What there is to see.
        width: Pixels.
        height: Pixels.
        view: One of :data:`VIEWS`.
        hidden: Whether hidden nodes are drawn, too.

    Raises:
        LimitError: The picture, or what is in it, is too large to be drawn in useful time.
    """
    if width * height > MOST_PIXELS:
        raise LimitError("the picture is too large", expected=MOST_PIXELS, found=width * height)
    chosen = shown.with_mesh(hidden=hidden)
    count = sum(len(mesh.triangles) for _, mesh in chosen)
    if count > _MOST_TRIANGLES:
        raise LimitError("too many triangles for a picture", expected=_MOST_TRIANGLES, found=count)
    curves = shown.with_lines(hidden=hidden)
    boxes = [_box(node, _used(mesh)) for node, mesh in chosen]
    boxes += [_box(node, lines.reshape(-1, 3)) for node, lines in curves]
    low = np.min([box[0] for box in boxes], axis=0) if boxes else np.full(3, -1.0)
    high = np.max([box[1] for box in boxes], axis=0) if boxes else np.ones(3)
    camera = _camera(low, high, width, height, view)
    covered = sum(_covered(camera, node, mesh) for node, mesh in chosen)
    covered += sum(_length(camera, node, lines) for node, lines in curves)
    if covered > _MOST_COVERED:
        raise LimitError("too much lies behind one another; a smaller picture may do")
    finer = 2 if 4 * covered <= _SMOOTH else 1
    camera = _camera(low, high, width * finer, height * finer, view)
    raster = Raster(width * finer, height * finer, _BACKGROUND)
    for node, mesh in chosen:
        _draw(raster, camera, node, mesh)
    for node, lines in curves:
        _draw_lines(raster, camera, node, lines, finer)
    return Thumbnail(width, height, raster.rgb(finer).tobytes())


def _used(mesh: Mesh) -> npt.NDArray[np.float32]:
    """Return the vertices that have faces."""
    used = np.zeros(len(mesh.positions), np.bool_)
    used[mesh.faces] = True
    return mesh.positions[used]


def _box(node: ShownNode, positions: npt.NDArray[np.float32]) -> tuple[F64, F64]:
    points = placed(node, positions)
    return points.min(axis=0), points.max(axis=0)


def _camera(low: F64, high: F64, width: int, height: int, view: str) -> _Camera:
    """Return a camera that sees just the box."""
    towards, up = (np.array(vector) for vector in VIEWS[view])
    back = towards / np.sqrt(towards @ towards)
    right = np.cross(up, back)
    right /= np.sqrt(right @ right)
    axes = np.stack([right, np.cross(back, right), back])
    center = (low + high) / 2
    corner = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    local = (np.where(corner, high, low) - center) @ axes.T
    reach = np.abs(local[:, :2]).max(axis=0)
    if view != "perspective":
        size = max(reach[0] / width, reach[1] / height, 1e-30) * 2 * _MARGIN
        return _Camera(axes, center, 0.0, 1.0 / size, width, height)
    half = min(width, height) / 2
    scale = half / _TANGENT
    wide = np.array([width, height]) / 2 / scale / _MARGIN
    distance = float(np.max(local[:, 2:] + np.abs(local[:, :2]) / wide))
    return _Camera(axes, center, max(distance, 1e-30), scale, width, height)


def _covered(camera: _Camera, node: ShownNode, mesh: Mesh) -> float:
    """Return about how many pixels the triangles of a node cover, and rows they begin."""
    points = camera.project(placed(node, mesh.positions))[:, :2]
    total = 0.0
    for begin in range(0, len(mesh.triangles), _TRIANGLES):
        corners = points[mesh.corners[mesh.triangles[begin : begin + _TRIANGLES]]]
        one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        area = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / 2
        total += float(np.nansum(area) + np.nansum(np.ptp(corners[..., 1], axis=1)))
    return total


def _length(camera: _Camera, node: ShownNode, lines: npt.NDArray[np.float32]) -> float:
    """Return about how many pixels pieces of curves cover."""
    ends = camera.project(placed(node, lines))[..., :2]
    return float(np.nansum(np.abs(ends[:, 1] - ends[:, 0])))


def _draw_lines(
    raster: Raster, camera: _Camera, node: ShownNode, lines: npt.NDArray[np.float32], width: float
) -> None:
    """Draw pieces of curves as strips of one width on the picture."""
    ends = camera.project(placed(node, lines))
    along = ends[:, 1, :2] - ends[:, 0, :2]
    length = np.sqrt(np.einsum("ni,ni->n", along, along))
    chosen = length > 0
    ends, along = ends[chosen], along[chosen] / length[chosen, None]
    side = np.zeros((len(ends), 3))
    side[:, 0], side[:, 1] = -along[:, 1] * width / 2, along[:, 0] * width / 2
    one, two = ends[:, 0], ends[:, 1]
    strip = np.stack([one - side, one + side, two + side, two - side], axis=1)
    points = strip[:, [[0, 1, 2], [2, 3, 0]]].reshape(-1, 3, 3)
    colors = np.broadcast_to(node.color, (len(points), 3, 3))
    raster.draw(points, colors, np.ones(len(points)))


def _draw(raster: Raster, camera: _Camera, node: ShownNode, mesh: Mesh) -> None:
    assert node.world is not None  # noqa: S101 - only nodes that have a place are drawn
    turn = cofactors(node.world) @ camera.axes.T
    mirrored = mirrors(node.world)
    all_points, all_normals = camera.project(placed(node, mesh.positions)), triangle_normals(mesh)
    ids, kinds = np.unique(mesh.material_ids, return_inverse=True)
    surfaces = [node.surfaces[number] for number in ids.tolist()]
    colors = np.array([surface.shown_color for surface in surfaces])
    opacity = np.array([surface.opacity for surface in surfaces])
    for begin in range(0, len(mesh.triangles), _TRIANGLES):
        part = slice(begin, begin + _TRIANGLES)
        points = all_points[mesh.corners[mesh.triangles[part]]]
        normals = all_normals[part].astype(np.float64) @ turn
        length = np.sqrt(np.einsum("tci,tci->tc", normals, normals))
        # Both sides of a face are seen: of one that is turned away, the other.  (Rows go down.)
        one, two = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
        turned = (one[:, 0] * two[:, 1] > one[:, 1] * two[:, 0]) != mirrored
        bright = normals @ _LIGHT / np.where(length > 0, length, 1.0)
        bright[turned] *= -1
        shade = _DARK + (1 - _DARK) * np.clip(np.nan_to_num(bright), 0, 1)
        kind = kinds.reshape(-1)[mesh.triangle_polygons[part]]
        raster.draw(points, shade[:, :, None] * colors[kind][:, None, :], opacity[kind])
