"""What holds in every mesh with progressive detail that the game's exporter made."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.mesh_build import MeshBuild, SkinWeights

Faces = npt.NDArray[np.int64]


def level_faces(geom: Any) -> list[Faces]:
    """Return the faces of each level, (t, 3), the coarsest level first."""
    out = []
    for level in geom.lods:
        lod = getattr(level, "lod", level)
        parts = [_indices(rdr) for rdr in lod.rdr_passes]
        out.append(np.concatenate(parts).astype(np.int64).reshape(-1, 3))
    return out


def _indices(rdr: Any) -> npt.NDArray[Any]:
    if hasattr(rdr, "indices"):
        return np.asarray(rdr.indices)
    return np.asarray(rdr.primitives.triangles).reshape(-1)


def level_materials(geom: Any) -> npt.NDArray[np.int64]:
    """Return the material of each face of the finest level."""
    level = geom.lods[-1]
    passes = getattr(level, "lod", level).rdr_passes
    return np.repeat([rdr.material_id for rdr in passes], [len(_indices(r)) // 3 for r in passes])


def geomorphs(level: Any) -> npt.NDArray[np.void]:
    return np.asarray(getattr(level, "lod", level).geomorphs)


def space(geom: Any) -> int:
    """Return the number of places in front of the vertices."""
    return max(len(geomorphs(level)) for level in geom.lods)


def check_structure(geom: Any) -> None:
    """Check what levels, vertices and moving vertices have to do with one another."""
    faces, room = level_faces(geom), space(geom)
    ends = [getattr(level, "lod", level).num_wedges for level in geom.lods]
    assert ends == sorted(ends)
    if hasattr(geom, "lod_infos"):
        assert [info.end_add_wedge for info in geom.lod_infos] == ends
        starts = [info.start_add_wedge for info in geom.lod_infos]
        assert starts == [0, *ends[:-1]]
        total = geom.num_wedges
        assert geom.vertex_header.num_vertices == total
    else:
        total = len(geom.vertex_buffer.vertices)
    assert ends[-1] == total
    assert not len(geomorphs(geom.lods[0]))
    assert geom.min_face_used == len(faces[0])
    assert geom.max_face_used == len(faces[-1])
    assert [len(f) for f in faces] == sorted(len(f) for f in faces)
    for number, level in enumerate(geom.lods):
        lod = getattr(level, "lod", level)
        morphs = geomorphs(level)
        assert len(np.unique(morphs)) == len(morphs)
        assert (morphs["start"] != morphs["end"]).all()
        if len(morphs):
            assert min(morphs["start"].min(), morphs["end"].min()) >= room
            assert max(morphs["start"].max(), morphs["end"].max()) < ends[number]
        used = np.unique(faces[number])
        moved, drawn = used[used < room], used[used >= room]
        # All places are used, each by the vertex with its number.
        assert moved.tolist() == list(range(len(morphs)))
        assert used.max() < ends[number]
        materials = [rdr.material_id for rdr in lod.rdr_passes]
        assert materials == sorted(set(materials))
        if is_skinned(geom):
            check_bones(geom, lod, np.concatenate([morphs["start"], morphs["end"], drawn]))


def is_skinned(geom: Any) -> bool:
    return bool(getattr(geom, "skinned", True))


def check_bones(geom: Any, lod: Any, used: npt.NDArray[Any]) -> None:
    """Check that each vertex in use is listed once, by the number of its bones."""
    bones, weights = skin(geom)
    listed = np.concatenate(lod.influenced_vertices)
    assert sorted(listed.tolist()) == np.unique(used).tolist()
    for number, vertices in enumerate(lod.influenced_vertices):
        assert vertices.tolist() == sorted(vertices.tolist())
        if len(vertices):
            assert (np.count_nonzero(weights[vertices] > 0, axis=1) <= number + 1).all()
    moving = bones[listed][weights[listed] > 0]
    assert set(moving.tolist()) <= set(lod.matrix_influences.tolist())
    assert lod.matrix_influences.max() < len(geom.bone_names)


def skin(geom: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return bones and weights of all vertices."""
    if hasattr(geom, "skin_weights"):
        return geom.skin_weights["matrix_id"], geom.skin_weights["weight"]
    stored = geom.vertex_buffer.vertices["skin"]
    return stored["matrix"], stored["weight"]


def finest(geom: Any) -> MeshBuild:
    """Return the mesh that the levels of a shape were made of, as far as it can be told.

    Vertices at one place become one.
    """
    if hasattr(geom, "lod_infos"):
        rows = np.concatenate([level.subset.vertices for level in geom.lods])
        position, normal, uv = rows["position"], rows["normal"], rows["uv0"]
        weights = None
    else:
        packed = geom.vertex_buffer.vertices
        position = packed["position"] * np.float32(geom.vertex_buffer.decompact_scale)
        normal, uv = packed["normal"] / np.float32(32767), packed["uv"] / np.float32(8192)
        weights = packed["skin"]
    faces = level_faces(geom)[-1]
    morphs, room = geomorphs(geom.lods[-1]), space(geom)
    if len(morphs):
        # Fully seen, a moving vertex is where it starts.
        start = morphs["start"].astype(np.int64)[np.minimum(faces, len(morphs) - 1)]
        faces = np.where(faces < room, start, faces)
    points, number = np.unique(position, axis=0, return_inverse=True)
    number = number.reshape(-1)
    build = MeshBuild(
        points.astype(np.float32),
        number[faces].astype(np.int32),
        level_materials(geom).astype(np.int32),
        normal[faces].astype(np.float32),
        {0: uv[faces].astype(np.float32)},
    )
    if weights is not None:
        bones = np.zeros((len(points), 4), np.int32)
        shares = np.zeros((len(points), 4), np.float32)
        bones[number], shares[number] = weights["matrix"], weights["weight"] / np.float32(255)
        build.skin = SkinWeights(bones, shares, list(geom.bone_names))
    return build
