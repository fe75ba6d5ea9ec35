"""What the tests of primitives share: checks of closed surfaces, and primitives without a file."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluation, Evaluator, Generator


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


def evaluate(
    generator: Generator, version: int = 0x2023, **parameters: float
) -> tuple[Mesh, list[str]]:
    """Return what a generator makes of parameters, and what it reports.

    Args:
        generator: The function.
        version: Root id of the scene.
        parameters: By name; ``_0_11`` stands for the parameter ``0#11`` that has no name.
    """
    named = {
        name[1:].replace("_", "#") if name.startswith("_") else name: SimpleNamespace(
            controlled=False, value=value
        )
        for name, value in parameters.items()
    }
    obj: Any = SimpleNamespace(
        parameters=named,
        scene=SimpleNamespace(version=version),
        index=7,
        class_name="Primitive",
        where=None,
        appdata={},
        class_id=None,
    )
    evaluation = Evaluation()
    evaluator: Any = object.__new__(Evaluator)
    evaluator.time = 0

    class Call:
        """As a GeneratorCall, of an object that is no scene object."""

        time = 0

        def approximate(self, reason: str) -> None:
            evaluation.skipped.append(reason)  # type: ignore[arg-type]

    call: Any = Call()
    mesh = generator(obj, call)
    assert isinstance(mesh, Mesh)
    return mesh, list(evaluation.skipped)  # type: ignore[arg-type]
