"""Parts of the shape exporter against the plain form of the rules they follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maxsidecar.errors import EditError
from maxsidecar.nel.serial import NelFile, read_bytes
from maxsidecar.nel.serial.classes.mesh import MAX_MATRICES, CMesh
from maxsidecar.nel.serial.classes.mesh_mrm_skinned import CMeshMRMSkinned
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.nel.serial.dump import to_plain
from maxsidecar.nel.shape.corners import bounding_box, merge_corners
from maxsidecar.nel.shape.geometry import make_geometry
from maxsidecar.nel.shape.mesh_build import MeshBuild, SkinWeights
from maxsidecar.nel.shape.mrm_chain import build_chain
from maxsidecar.nel.shape.mrm_detail import Detail
from maxsidecar.nel.shape.mrm_level import base_level
from maxsidecar.nel.shape.mrm_skinned import skinned_geometry
from maxsidecar.nel.shape.releases import RELEASES, use_versions
from maxsidecar.nel.shape.vertex_cache import CACHE_SIZE, cache_order
from tests.support.nel_mrm import check_structure


def plain_order(triangles: list[list[int]]) -> list[int]:
    """Return the order of triangles, as the rule is written (spec: nel-export-rules 3.2)."""
    cache: list[int] = []
    done: list[int] = []

    def missing(number: int, absent: list[int]) -> int:
        return sum(v not in cache or v in absent for v in triangles[number])

    def around(vertex: int) -> list[int]:
        return [n for n in range(len(triangles) - 1, -1, -1) for v in triangles[n] if v == vertex]

    def draw(number: int) -> None:
        for vertex in triangles[number]:
            if vertex not in cache:
                cache.append(vertex)
                del cache[:-CACHE_SIZE]
        done.append(number)

    for first in range(len(triangles)):
        following: int | None = first
        while following is not None and following not in done:
            draw(following)
            following, least = None, 3
            for vertex in list(cache):
                for number in around(vertex):
                    if number in done:
                        continue
                    cost = missing(number, [])
                    if not cost:
                        draw(number)
                        continue
                    newest = cache[-cost:]
                    for other in newest:
                        for neighbour in around(other):
                            if neighbour not in done and neighbour != number:
                                cost += missing(neighbour, newest)
                    if cost < least:
                        following, least = number, cost
    return done


@given(st.lists(st.lists(st.integers(0, 14), min_size=3, max_size=3), max_size=24))
def test_order_of_triangles(triangles: list[list[int]]) -> None:
    found = cache_order(np.array(triangles, np.int64).reshape(-1, 3))
    assert found.tolist() == plain_order(triangles)


@given(st.integers(2, 6), st.integers(2, 6), st.randoms(use_true_random=False))
def test_order_of_triangles_of_a_grid(width: int, height: int, random: Any) -> None:
    rows = []
    for y in range(height):
        for x in range(width):
            a, b = y * (width + 1) + x, (y + 1) * (width + 1) + x
            rows += [[a, a + 1, b], [a + 1, b + 1, b]]
    random.shuffle(rows)
    assert cache_order(np.array(rows)).tolist() == plain_order(rows)


NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0])
COUNTS = st.shared(st.integers(0, 12), key="corners")


@given(
    COUNTS.flatmap(lambda n: arrays(np.uint32, n, elements=st.integers(0, 2))),
    COUNTS.flatmap(lambda n: arrays(np.float32, (n, 3), elements=NUMBERS)),
    COUNTS.flatmap(lambda n: arrays(np.uint8, (n, 4), elements=st.integers(0, 1))),
)
def test_merged_corners(
    vertices: npt.NDArray[Any], normals: npt.NDArray[Any], colors: npt.NDArray[Any]
) -> None:
    first, numbers = merge_corners([vertices, normals, colors])
    known: dict[tuple[Any, ...], int] = {}
    rows = zip(vertices.tolist(), normals.tolist(), colors.tolist(), strict=True)
    wanted = [known.setdefault((v, *n, *c), len(known)) for v, n, c in rows]
    assert numbers.tolist() == wanted
    assert first.tolist() == [wanted.index(n) for n in range(len(known))]


@given(
    st.integers(1, 60).flatmap(
        lambda n: arrays(
            np.float32,
            (n, 3),
            elements=st.one_of(
                st.sampled_from([0.0, 0.1, 1.0]),
                st.floats(-1000, 1000, width=32, allow_subnormal=False),
            ),
        )
    )
)
def test_box_is_that_of_one_point_after_the_other(points: npt.NDArray[np.float32]) -> None:
    center, half = points[0], np.zeros(3, np.float32)
    for point in points:
        low, high = np.minimum(center - half, point), np.maximum(center + half, point)
        center = (low + high) / np.float32(2)
        half = high - center
    assert bounding_box(points) == (tuple(center.tolist()), tuple(half.tolist()))


@st.composite
def meshes(draw: st.DrawFn, skinned: bool | None = None) -> MeshBuild:
    """Draw a mesh: any faces, coordinates, colours and up to 40 bones."""
    vertices = draw(st.integers(3, 24))
    count = draw(st.integers(1, 30))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    positions = random.choice([0.0, 1.0, 2.0, 2.5], (vertices, 3)).astype(np.float32)
    faces = random.integers(0, vertices, (count, 3)).astype(np.int32)
    materials = random.integers(0, 3, count).astype(np.int32)
    normals = random.choice([0.0, 0.6, 0.8, -1.0], (count, 3, 3)).astype(np.float32)
    build = MeshBuild(positions, faces, materials, normals)
    if skinned or draw(st.booleans()):
        build.uvs[0] = random.choice([0.0, 0.5, 1.0], (count, 3, 2)).astype(np.float32)
    if not skinned and draw(st.booleans()):
        build.colors = random.integers(0, 2, (count, 3, 4)).astype(np.uint8)
    if skinned or (skinned is None and draw(st.booleans())):
        bones = random.integers(0, draw(st.integers(1, 40)), (vertices, 4)).astype(np.int32)
        weights = np.tile(np.array([0.5, 0.25, 0.25, 0.0], np.float32), (vertices, 1))
        build.skin = SkinWeights(bones, weights, [f"bone {number}" for number in range(40)])
    return build


def read_back(shape: Any) -> Any:
    return read_bytes(NelFile("shape", CShapeStream(shape=shape)).to_bytes()).content


@given(meshes())
def test_meshes_come_back_from_the_file(build: MeshBuild) -> None:
    made = make_geometry(build)
    shape = CMesh(geom=made.geom)
    found = read_back(shape)
    geom = found.geom
    assert to_plain(geom) == to_plain(shape.geom)
    rows = geom.vertex_buffer.vertices
    # All corners are there, in their blocks and passes.
    wanted = build.positions[build.faces].reshape(-1, 3)
    assert np.array_equal(rows["position"][made.vertices], wanted)
    passes = [rdr for block in geom.matrix_blocks for rdr in block.rdr_passes]
    drawn = np.concatenate([rdr.primitives.triangles for rdr in passes])
    places = made.vertices.reshape(-1, 3)
    assert sorted(map(tuple, drawn.tolist())) == sorted(map(tuple, places.tolist()))
    assert geom.skinned == (build.skin is not None)


@given(meshes(skinned=True))
def test_blocks_keep_the_limit_of_the_game(build: MeshBuild) -> None:
    geom = make_geometry(build).geom
    assert build.skin is not None
    rows = geom.vertex_buffer.vertices
    for block in geom.matrix_blocks:
        assert 1 <= block.num_matrices <= MAX_MATRICES == 15
        for rdr in block.rdr_passes:
            ids = block.matrix_ids[rows["palette_skin"][rdr.primitives.indices]]
            moved = rows["weight"][rdr.primitives.indices] > 0
            assert ids[moved].max() < len(geom.bone_names)
            assert rows["palette_skin"][rdr.primitives.indices].max() < block.num_matrices


@given(meshes(skinned=True), st.integers(1, 6), st.integers(1, 8))
def test_levels_of_packed_skins_hang_together(build: MeshBuild, levels: int, divisor: int) -> None:
    geom = skinned_geometry(build, Detail(levels=levels, divisor=divisor))
    check_structure(geom)
    assert len(geom.lods) == levels
    found = read_back(CMeshMRMSkinned(geom=geom))
    assert to_plain(found.geom) == to_plain(geom)
    skin = geom.vertex_buffer.vertices["skin"]
    assert (skin["weight"].astype(int).sum(axis=1) == 255).all()
    # Bones have their numbers in the order of first use.
    in_order = list(dict.fromkeys(skin["matrix"].reshape(-1).tolist()))
    assert in_order == list(range(len(geom.bone_names)))


@given(meshes(skinned=False), st.integers(1, 5))
def test_levels_have_fewer_and_fewer_faces(build: MeshBuild, levels: int) -> None:
    chain = build_chain(base_level(build, []), levels, 4, "max")
    counts = [sum(len(faces) for _, faces in level.passes) for level in chain.levels]
    assert counts == sorted(counts)
    assert counts[-1] == len(build.faces)
    # The finest level shows the mesh itself.
    finest = chain.levels[-1]
    start = np.arange(len(chain.rows[0]))
    start[: len(finest.geomorphs)] = finest.geomorphs[:, 0]
    for material, faces in finest.passes:
        points = chain.rows[0][start[faces]]
        wanted = build.positions[build.faces[build.materials == material]]
        assert sorted(points.tolist()) == sorted(wanted.tolist())


@given(meshes(), st.sampled_from(sorted(RELEASES)))
def test_versions_that_are_chosen_are_written(build: MeshBuild, release: str) -> None:
    shape = CMesh(geom=make_geometry(build).geom)
    notes: list[str] = []
    use_versions(shape, RELEASES[release], notes)
    assert read_back(shape).base.version == RELEASES[release].get("CMeshBase", 9)
    assert notes == []


@pytest.mark.parametrize(("length", "fits"), [(1_000_000, True), (1_000_001, False)])
def test_names_keep_the_limit_of_the_game(length: int, fits: bool) -> None:
    build = MeshBuild(
        np.zeros((3, 3), np.float32),
        np.array([[0, 1, 2]], np.int32),
        np.zeros(1, np.int32),
        np.zeros((1, 3, 3), np.float32),
        skin=SkinWeights(
            np.zeros((3, 4), np.int32),
            np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1)),
            ["x" * length],
        ),
    )
    shape = CMesh(geom=make_geometry(build).geom)
    if fits:
        assert read_back(shape).geom.bone_names == ["x" * length]
    else:
        with pytest.raises(EditError):
            read_back(shape)
