"""Small readers of meshes in ``.ase``, ``.dae`` and ``.pod`` exports, and below Unwrap UVW."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.objects import SceneObject

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass
class TextMesh:
    """A mesh of an ``.ase``: rows of numbers by word."""

    rows: dict[str, list[list[float]]] = field(default_factory=dict)

    def __getitem__(self, word: str) -> Array:
        return np.array(self.rows[word], np.float64)


def read_ase_mesh(path: Path) -> TextMesh:
    """Return vertices, faces, edge flags, smoothing groups, ids and map of the only mesh."""
    mesh = TextMesh()
    for line in path.read_text("latin1").splitlines():
        word, *rest = line.split()
        if word in ("*MESH_VERTEX", "*MESH_TVERT", "*MESH_TFACE"):
            mesh.rows.setdefault(word[6:], []).append([float(text) for text in rest[1:]])
        elif word == "*MESH_FACE":
            pairs = dict(zip(rest[1:13:2], rest[2:13:2], strict=True))
            mesh.rows.setdefault("FACE", []).append([float(pairs[k]) for k in ("A:", "B:", "C:")])
            flags = [float(pairs[k]) for k in ("AB:", "BC:", "CA:")]
            mesh.rows.setdefault("EDGES", []).append(flags)
            group = int(rest[rest.index("*MESH_SMOOTHING") + 1])
            mesh.rows.setdefault("SMOOTHING", []).append([float(1 << (group - 1))])
            mesh.rows.setdefault("MTLID", []).append([float(rest[rest.index("*MESH_MTLID") + 1])])
    return mesh


def read_dae_mesh(path: Path) -> tuple[Array, Ints]:
    """Return positions and faces of the only mesh."""
    root = ElementTree.parse(path).getroot()  # noqa: S314 - a file of the corpus
    space = {"c": root.tag.split("}")[0][1:]}
    (source,) = [
        found
        for found in root.iterfind(".//c:source", space)
        if found.get("id", "").endswith("-positions")
    ]
    numbers = source.findtext("c:float_array", "", space)
    triangles = root.find(".//c:triangles", space)
    assert triangles is not None
    inputs = len(triangles.findall("c:input", space))
    index = np.array(triangles.findtext("c:p", "", space).split(), np.int64)
    return (
        np.array(numbers.split(), np.float64).reshape(-1, 3),
        index.reshape(-1, 3, inputs)[:, :, 0],
    )


_FLOAT, _SHORT, _LONG = 1, 3, 17
_DTYPES = {_FLOAT: "<f4", _SHORT: "<u2", _LONG: "<u4"}


def read_pod_meshes(path: Path) -> dict[str, tuple[Array, Array]]:
    """Return corners of triangles by node: (t, 3, 3) positions with z up, (t, 3, 2) coordinates."""
    meshes: list[dict[Any, Any]] = []
    nodes: list[dict[int, bytes]] = []
    record: dict[Any, Any] = {}
    array: dict[int, bytes] = {}
    data = path.read_bytes()
    at = 0
    while at + 8 <= len(data):
        tag, size = struct.unpack_from("<II", data, at)
        body = data[at + 8 : at + 8 + size]
        at += 8 + size
        if tag == 2012:
            record = {}
            meshes.append(record)
        elif tag == 2013:
            record = {}
            nodes.append(record)
        elif tag in (2010, 2011, 2014, 2015):
            record = {}
        elif tag in (6003, 6006, 6010):
            array = record.setdefault(tag, {})
        elif 6003 <= tag <= 6013:
            array = {}
        elif 9000 <= tag <= 9003:
            array[tag] = body
        elif body and tag < 0x80000000:
            record[tag] = body
    out: dict[str, tuple[Array, Array]] = {}
    for node in nodes:
        index = struct.unpack("<i", node[5000])[0] if 5000 in node else -1
        name = node.get(5001, b"").split(b"\0")[0].decode("latin1")
        if 0 <= index < len(meshes) and name and 6006 in meshes[index]:
            out.setdefault(name, _pod_corners(meshes[index]))
    return out


def _word(data: bytes) -> int:
    return int(struct.unpack("<I", data[:4])[0])


def _pod_corners(mesh: dict[Any, Any]) -> tuple[Array, Array]:
    def rows(array: dict[int, bytes]) -> Array:
        width, stride = _word(array[9001]), _word(array[9002])
        raw = array.get(9003, b"")
        if 6014 in mesh and len(raw) <= 4:
            raw = mesh[6014][_word(raw) if raw else 0 :]
        dtype = np.dtype(_DTYPES[_word(array[9000])])
        count = _word(mesh[6000])
        return np.stack(
            [np.frombuffer(raw, dtype, width, k * stride).astype(np.float64) for k in range(count)]
        )

    faces = mesh[6003]
    index = np.frombuffer(faces[9003], _DTYPES[_word(faces[9000])]).astype(np.int64)
    positions = rows(mesh[6006])[:, [0, 2, 1]] * np.array([1.0, -1.0, 1.0])
    coordinates = rows(mesh[6010])[:, :2]
    index = index[: _word(mesh[6001]) * 3].reshape(-1, 3)
    return positions[index], coordinates[index]


#: A triangle as Unwrap UVW of 3ds Max 4 to 8 keeps it.
_UNWRAPPED = np.dtype(
    [
        ("corners", "<u4"),
        ("map_vertices", "<u4", 3),
        ("face", "<u4"),
        ("material_id", "<u4"),
        ("flags", "<u4"),
        ("vertices", "<u4", 3),
    ]
)


def read_unwrapped_triangles(unwrap: SceneObject) -> tuple[Array, npt.NDArray[Any]]:
    """Return (v, 3) positions of what the modifier was put on, and its triangles."""
    chunks = {chunk.id: bytes(chunk.data) for chunk in unwrap.data.chunks()}
    rows = np.frombuffer(chunks[0x310], _UNWRAPPED)
    assert set(rows["corners"].tolist()) == {3}
    assert len(rows) == _word(chunks[0x230])
    return np.frombuffer(chunks[0x330], "<f4").reshape(-1, 3), rows
