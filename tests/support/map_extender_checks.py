"""Conversion of scenes with Map Extender modifiers, and what their nodes show before and after."""

from __future__ import annotations

from pathlib import Path
from struct import pack

from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import get
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.roundtrip import check_file
from tests.support.map_extender import MapExtenderScene, cache, encoded
from tests.support.stored_meshes import SQUARE, SQUARE_FACES

#: A seam inside, values that round, a negative zero, a denormal number, a W, and an unused vertex.
UV = [
    (0.1, 0.2, 0.0),
    (0.3, -0.0, 0.5),
    (7.25, 8.0, 0.0),
    (0.5, 0.7, 0.5),
    (0.9, 0.8, 0.0),
    (1e-40, -3.0, 1.0),
    (4.0, 4.0, 4.0),
]
FACES = [(0, 1, 2), (3, 4, 0), (1, 5, 2)]
#: Each corner of each triangle as the file has it, worked out from the two lists above.
CORNERS = b"".join(pack("<3f", *UV[number]) for face in FACES for number in face)
#: The same values with another corner.
OTHER = [(0, 1, 2), (3, 4, 1), (1, 5, 2)]

EARLY, LATE = 0x2009, 0x2014


def migrate(scene_file: MaxFile, **options: object) -> Log:
    migration = get("map-extender-to-unwrap")
    log = Log()
    migration.prepare(migration.complete(options))(scene_file, log)
    return log


def again(scene_file: MaxFile) -> MaxFile:
    return MaxFile(scene_file.to_bytes())


def one_stack(
    root_id: int = EARLY,
    channel: int = 1,
    *,
    leaf: bool = True,
    references: str = "none",
    **form: bool,
) -> tuple[MaxFile, int]:
    """A scene with one modifier, and the storage index of its node."""
    builder = MapExtenderScene(root_id)
    chunks = cache(UV, FACES, channel, **form)
    modifier = builder.add_map_extender(references)  # type: ignore[arg-type]
    mesh = builder.add_mesh(SQUARE, SQUARE_FACES, material_ids=[0, 3, 1], edge_flags=[3, 3, 7])
    stack = builder.add_stack(mesh, [(modifier, encoded(chunks) if leaf else chunks)])
    node = builder.add_node("thing", stack)
    return MaxFile(builder.to_bytes()), node


def shown(scene_file: MaxFile, node: int) -> Mesh:
    found = Evaluator(scene_file.scene).node(scene_file.nodes[node])
    assert found.complete, found.skipped
    assert found.mesh is not None
    return to_triangles(found.mesh)


def corners(scene_file: MaxFile, node: int, channel: int = 1) -> bytes:
    """Return u, v, w of each corner of what a node shows."""
    found = shown(scene_file, node).maps[channel]
    return found.vertices[found.corners].tobytes()


def modifier_classes(scene_file: MaxFile) -> list[str]:
    return [obj.class_name for obj in scene_file.scene.of_superclass(0x810)]


def problems(scene_file: MaxFile, folder: Path) -> list[str]:
    """Return what ``check`` finds, without the places."""
    path = folder / "checked.max"
    path.write_bytes(bytes(scene_file.to_bytes()))
    result = check_file(path)
    assert (result.status == "ok") == (not result.problems)
    return [problem.rpartition(": ")[2] for problem in result.problems]


def check(scene_file: MaxFile, folder: Path) -> None:
    assert problems(scene_file, folder) == []
