"""Arrays that a user gives: numbers in them are finite, or were there before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["check_finite_mesh", "check_finite_rows"]


def check_finite_rows(what: str, new: npt.NDArray[Any], old: npt.NDArray[Any] | None) -> None:
    """Refuse rows with numbers that are infinite or none at all, unless an old row is the same.

    Args:
        what: What the numbers are, for the message.
        new: (n,) or (n, w) floats.
        old: Likewise, ``None`` for none; compared byte by byte.

    Raises:
        EditError: There is such a number.
    """
    rows = new.reshape(len(new), -1)
    bad = np.nonzero(~np.isfinite(rows).all(axis=1))[0]
    if not len(bad):
        return
    known: set[bytes] = set()
    if old is not None and len(old):
        before = old.reshape(len(old), -1)
        rows = rows.astype(before.dtype)
        known = {row.tobytes() for row in before[~np.isfinite(before).all(axis=1)]}
    for number in bad.tolist():
        if rows[number].tobytes() not in known:
            raise EditError(f"{what} {number}: numbers must be finite", found=rows[number].tolist())


def check_finite_mesh(mesh: object, stored: Callable[[], Mesh | None]) -> None:
    """Refuse a mesh with numbers that are infinite or none at all, unless they are stored already.

    Args:
        mesh: The new mesh.
        stored: Reads the stored one; called only where there is such a number.

    Raises:
        EditError: There is such a number, or what is given is no mesh.
    """
    from maxsidecar.scene.geometry.mesh import Mesh as MeshClass

    if not isinstance(mesh, MeshClass):
        raise EditError("not a mesh", found=type(mesh).__name__)
    bad = {
        name: array
        for name, array in _arrays(mesh).items()
        if array.dtype.kind == "f" and not np.isfinite(array).all()
    }
    old = stored() if bad else None
    before = {} if old is None else _arrays(old)
    for name, array in bad.items():
        check_finite_rows(name, array, before.get(name))


def _arrays(mesh: Mesh) -> dict[str, npt.NDArray[Any]]:
    found: dict[str, object] = {"vertex": mesh.positions, "weight": mesh.selection.weights}
    if mesh.normals is not None:
        found["normal"] = mesh.normals.vectors
    if mesh.edges is not None:
        found["crease"] = mesh.edges.crease
    found |= {f"point of map {n}": channel.vertices for n, channel in mesh.maps.items()}
    # Anything else is refused by whoever writes it.
    return {k: a for k, a in found.items() if isinstance(a, np.ndarray) and a.ndim in (1, 2)}
