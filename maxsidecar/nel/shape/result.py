"""What is asked of the export of a shape, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.scene.geometry.normals import Weighting

__all__ = ["ShapeOptions", "ShapeResult"]


@dataclass(frozen=True, slots=True)
class ShapeOptions:
    """How shapes are exported.

    Attributes:
        time: Ticks (1/4800 s); ``None`` for the time at which the scene was saved, as the plug-in
            does.
        weighting: How the normals of faces count where they are averaged: ``"angle"`` since 3ds
            Max 6, ``"unit"`` before (measured on 22 shapes).
        lightmaps: Whether materials keep the shader for light maps.  Light maps themselves are not
            computed, and without them the shader shows nothing.
        versions: Versions of classes of the game, by name, where they differ from those that
            clients read: one of :data:`~maxsidecar.nel.shape.releases.RELEASES`, or for example
            ``{"CMeshBase": 8}``.
        interface_folders: Where the scenes with borders that meshes share are looked for, besides
            the folder of the scene itself.
        particle_folders: Where the particle systems (``.ps``) that nodes name are looked for.
    """

    time: int | None = None
    weighting: Weighting = "angle"
    lightmaps: bool = False
    versions: dict[str, int] = field(default_factory=dict)
    interface_folders: tuple[Path, ...] = ()
    particle_folders: tuple[Path, ...] = ()


@dataclass(slots=True)
class ShapeResult:
    """What a node became.

    Attributes:
        file: The shape, ready to be saved; ``None`` when there is none.
        reason: Why there is none; else empty.
        notes: What differs from what the scene shows, or could not be done.
    """

    file: NelFile | None = None
    reason: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def shape(self) -> Any:
        """The shape itself: ``CMesh`` and so on."""
        return None if self.file is None else self.file.content
