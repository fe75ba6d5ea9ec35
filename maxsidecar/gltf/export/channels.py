"""Which map channel becomes which ``TEXCOORD_n``: those of the mesh, from the lowest up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["tex_coord_of", "texture_channels"]


def texture_channels(mesh: Mesh) -> list[int]:
    """Return the numbers of the map channels with texture coordinates, ascending.

    ``TEXCOORD_n`` is the one at position n.
    """
    return sorted(number for number in mesh.maps if number > 0)


def tex_coord_of(channels: Sequence[int], number: int) -> int | None:
    """Return n of the ``TEXCOORD_n`` for a map channel; ``None`` where the mesh lacks it."""
    return channels.index(number) if number in channels else None
