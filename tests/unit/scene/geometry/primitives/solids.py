"""What the tests of primitives share: checks of closed surfaces, and primitives without a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Generator


def volume(mesh: Mesh) -> float:
    """Return the volume that the triangles enclose; negative when they look inwards."""
    a, b, c = (mesh.positions[mesh.faces[:, k]].astype(np.float64) for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def open_edges(mesh: Mesh) -> int:
    """Return how many sides of triangles have no other one, and only one, that runs back."""
    faces = mesh.faces
    sides = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2).tolist()
    count = Counter(map(tuple, sides))
    return sum(1 for (a, b), n in count.items() if n != 1 or count.get((b, a), 0) != 1)


def edge_flags(mesh: Mesh) -> np.ndarray[Any, Any]:
    """Return (t,) edge flags, as a face of an Editable Mesh stores them."""
    flags: np.ndarray[Any, Any] = mesh.edge_visible.reshape(-1, 3) @ np.array([1, 2, 4])
    return flags


def map_faces(mesh: Mesh) -> np.ndarray[Any, Any]:
    """Return (t, 3) map vertices of channel 1."""
    channel = mesh.maps[1]
    assert len(channel.corners) == len(mesh.corners)
    return channel.corners.reshape(-1, 3)


def evaluate(generator: Generator, **parameters: float) -> tuple[Mesh, list[str]]:
    """Return what a generator makes of parameters in a new scene, and what it reports.

    Args:
        generator: The function.
        parameters: By name; ``_0_11`` stands for the parameter ``0#11`` that has no name.
    """
    return evaluate_stored(generator, (), parameters)


def evaluate_stored(
    generator: Generator, chunks: Iterable[Any], parameters: Mapping[str, float]
) -> tuple[Mesh, list[str]]:
    """Do the same for an object that has chunks of its own."""
    return evaluate_object(generator, primitive(parameters, chunks))


def evaluate_object(generator: Generator, obj: Any) -> tuple[Mesh, list[str]]:
    """Do the same for an object."""
    notes: list[str] = []
    call: Any = SimpleNamespace(time=0, approximate=notes.append)
    mesh = generator(obj, call)
    assert isinstance(mesh, Mesh)
    return mesh, notes


def primitive(parameters: Mapping[str, float], chunks: Iterable[Any] = ()) -> Any:
    """Return an object in a new scene."""
    named = {
        name[1:].replace("_", "#") if name.startswith("_") else name: SimpleNamespace(
            controlled=False, value=value
        )
        for name, value in parameters.items()
    }
    return SimpleNamespace(
        parameters=named,
        param_blocks=(SimpleNamespace(get=named.get),),
        scene=SimpleNamespace(version=0x2023),
        index=7,
        class_name="Primitive",
        superclass=0x10,
        where=None,
        appdata={},
        data=SimpleNamespace(chunks=lambda: chunks),
        class_id=None,
    )
