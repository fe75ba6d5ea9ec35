"""Conversion of Map Extender modifiers, against the Unwrap UVW of real scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.map_extender import convert
from maxsidecar.migrate.map_extender_layout import (
    Form,
    UnwrapMap,
    form_of,
    local_chunks,
    modifier_chunks,
    plugin,
    unwrap,
)
from maxsidecar.scene.authoring import NewClass
from maxsidecar.scene.authoring_chunks import ChunkTree, encode_chunks
from maxsidecar.scene.derived import DerivedObject, ModifierContext
from maxsidecar.scene.geometry.mesh import Mesh, Selection
from maxsidecar.scene.geometry.pipeline import Evaluator, NotSupportedError
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.modifiers.map_extender_views import ExtenderMap
from maxsidecar.scene.modifiers.unwrap import fitting
from maxsidecar.scene.modifiers.unwrap_records import UnwrapFaces, UnwrapVertices
from maxsidecar.scene.modifiers.unwrap_views import (
    EARLY_FACES,
    EARLY_VERTICES,
    FACES,
    VERTICES,
    UnwrapUVW,
)
from maxsidecar.scene.restructure import add_object, set_reference
from maxsidecar.scene.roundtrip import check_file
from tests.support.map_extender import MAP_EXTENDER, cache
from tests.support.scenes import f32, u32

Real = tuple[UnwrapUVW, DerivedObject, int, UnwrapVertices, UnwrapFaces]

#: Bits of the flags of a face that say which edges are hidden.
HIDDEN_EDGES = 0x700
#: What every class of modifier has in front of its own chunks.
UNIVERSAL = range(0x2000, 0x4000)
DERIVED = NewClass("OSM Derived", 0x29263A68, 0x405F22F5, 0x1F0)


@pytest.fixture(scope="session")
def real(corpus_files: tuple[Path, ...]) -> list[Real]:
    """Every Unwrap UVW that stores a map."""
    found: list[Real] = []
    for path in corpus_files:
        scene = maxsidecar.open(path).scene
        for derived in scene.of_superclass(0x1F0):
            if isinstance(derived, DerivedObject):
                found += _maps(derived)
    assert len(found) >= 18
    return found


def _maps(derived: DerivedObject) -> Iterator[Real]:
    for slot, modifier in enumerate(derived.modifiers):
        if isinstance(modifier, UnwrapUVW):
            stored = modifier.read_map(derived.contexts[slot])
            if stored is not None:
                yield modifier, derived, slot, *stored


def _local(context: ModifierContext) -> Chunk:
    outer = context.container()
    assert outer is not None
    chunk = outer.find(0x2512)
    assert chunk is not None
    return chunk


def _snapshot(modifier: UnwrapUVW, context: ModifierContext) -> npt.NDArray[np.float32]:
    """Return the vertices that the modifier remembers."""
    late = _local(context).find(0x0330)
    chunk = late or modifier.find(0x0330)
    assert chunk is not None
    return np.frombuffer(bytes(chunk.data)[4 if late else 0 :], "<f4").reshape(-1, 3)


def _form(modifier: UnwrapUVW) -> Form:
    return form_of(modifier.scene.version, unproven=False)


def _pieces(form: Form, body: bytes, vertices: bool) -> UnwrapVertices | UnwrapFaces:
    if form == "late":
        return VERTICES.decode(body) if vertices else FACES.decode(body)
    return EARLY_VERTICES.decode(body) if vertices else EARLY_FACES.decode(body)


def _written(real: Real) -> tuple[UnwrapMap, list[ChunkTree], list[ChunkTree]]:
    """Return what would be written for the map of a real modifier."""
    modifier, derived, slot, vertices, faces = real
    snapshot = _snapshot(modifier, derived.contexts[slot])
    found = UnwrapMap(modifier.map_channel, vertices.coordinates, faces, snapshot)
    form, version = _form(modifier), modifier.scene.version
    own = modifier_chunks(form, version, modifier.map_channel, found)
    return found, own, local_chunks(form, version, found)


@pytest.mark.slow
def test_faces_are_those_that_3ds_max_makes_of_the_mesh(real: list[Real]) -> None:
    compared = 0
    for modifier, derived, slot, vertices, faces in real:
        below = Evaluator(modifier.scene).below(derived, slot).mesh
        if below is None:
            continue
        try:
            # Whatever is selected.
            mesh = replace(fitting(below, faces), selection=Selection())
        except NotSupportedError:
            continue  # what is below cannot be evaluated
        if not np.array_equal(mesh.corners, faces.vertices):
            continue  # some polygon is evaluated from another corner on; that is tested elsewhere
        triangles = faces.corners[mesh.triangles]
        stored = ExtenderMap(modifier.map_channel, vertices.coordinates, triangles)
        made = unwrap(stored, mesh, modifier.scene.version)
        for name in ("degrees", "numbers", "vertices"):
            assert np.array_equal(getattr(made.faces, name), getattr(faces, name)), name
        places = made.coordinates.view("<u4")
        assert np.array_equal(places[made.faces.corners], places[faces.corners])
        # One scene has 4 other ids of 911; see docs/format/modifiers.md.
        assert (made.faces.materials != faces.materials).sum() <= 4
        if not mesh.is_polygons:
            assert np.array_equal(made.faces.corners, faces.corners)
            assert np.array_equal(made.faces.flags, faces.flags & HIDDEN_EDGES)
        compared += 1
    assert compared >= 15


@pytest.mark.slow
def test_chunks_are_those_that_3ds_max_writes(real: list[Real]) -> None:
    for one in real:
        modifier, derived, slot, vertices, faces = one
        form = _form(modifier)
        _, own, local = _written(one)
        stored = [chunk for chunk in modifier.chunks() if chunk.id not in UNIVERSAL]
        order = [chunk.id for chunk in stored]
        # No chunk that others do not have, and in their order.
        places = [order.index(chunk_id) for chunk_id, _ in own]
        assert places == sorted(places)
        by_id = {chunk.id: chunk for chunk in stored}
        for chunk_id, body in own:
            chunk = by_id[chunk_id]
            assert chunk.container == (not isinstance(body, bytes))
            if chunk_id in (0x0270, 0x0310):
                assert isinstance(body, bytes)
                _same(_pieces(form, body, chunk_id == 0x0270), vertices, faces)
            elif isinstance(body, bytes):
                assert bytes(chunk.data) == body, f"{chunk_id:04x}"
            else:
                assert len(chunk.data) - len(encode_chunks(body, chunk.form)) in (0, 4)
        inner = list(_local(derived.contexts[slot]).chunks())
        assert [chunk.id for chunk in inner] == [chunk_id for chunk_id, _ in local]
        for chunk, (chunk_id, body) in zip(inner, local, strict=True):
            assert chunk.container == (not isinstance(body, bytes))
            if isinstance(body, bytes):
                assert len(chunk.data) == len(body), f"{chunk_id:04x}"
                if chunk_id in (0x0860, 0x0870):
                    _same(_pieces(form, body, chunk_id == 0x0860), vertices, faces)
                elif chunk_id == 0x0330:
                    assert bytes(chunk.data) == body
                continue
            # Selections: as many bits, none of them set; two scenes have a word more than needed.
            (bits,) = chunk.chunks()
            ((_, empty),) = body
            assert isinstance(empty, bytes)
            assert bytes(bits.data)[:4] == empty[:4], f"{chunk_id:04x}"
            assert len(bits.data) - len(empty) in (0, 4), f"{chunk_id:04x}"
        assert modifier.dll_name == plugin(form).file_name
        directory = modifier.scene.streams.dll_directory  # type: ignore[union-attr]
        assert directory is not None
        entry = next(e for e in directory.entries if e.file_name == modifier.dll_name)
        assert entry.description == plugin(form).description


def _same(made: UnwrapVertices | UnwrapFaces, vertices: UnwrapVertices, faces: UnwrapFaces) -> None:
    if isinstance(made, UnwrapFaces):
        assert made == faces
        return
    assert made.coordinates.tobytes() == vertices.coordinates.tobytes()
    used = np.zeros(len(vertices.flags), bool)
    used[faces.corners] = True
    assert np.array_equal(made.flags == 0, used)


def _corners(mesh: Mesh, channel: int) -> bytes:
    found = to_triangles(mesh).maps[channel]
    return found.vertices[found.corners].tobytes()


@pytest.mark.slow
def test_modifiers_put_into_real_scenes(max_file: Path, tmp_path: Path) -> None:
    scene_file = maxsidecar.open(max_file)
    scene = scene_file.scene
    evaluator = Evaluator(scene)
    random = np.random.default_rng(7)
    expected: list[tuple[int, int, bytes]] = []
    for node in list(scene.nodes.values()):
        if len(expected) == 2:
            break
        found = evaluator.node(node)
        mesh = found.mesh
        if mesh is None or not found.complete or not 0 < len(mesh.triangles) < 5000:
            continue
        if mesh.is_polygons and not (mesh.degrees == 3).all():
            continue
        below = node.object
        assert below is not None
        channel = 1 + len(expected)
        count = len(mesh.triangles)
        uv = random.random((count + 3, 3)).astype("<f4")
        faces = random.integers(0, count + 3, (count, 3))
        local = encode_chunks(cache(uv.tolist(), faces.tolist(), channel))
        try:
            modifier = add_object(scene, MAP_EXTENDER, [(0x39BF, [(0x0100, b"")])])
            context: list[ChunkTree] = [
                (0x2510, f32(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0) + u32(0x80000000)),
                (0x2512, local),
                (0x2513, u32(262400)),
            ]
            own: list[ChunkTree] = [(0x2500, context), (0x2501, b"")]
            stack = add_object(scene, DERIVED, own, [modifier, below])
        except MaxSidecarError:
            break  # nothing can be added to this scene
        set_reference(node, 1, stack)
        expected.append((node.index, channel, uv[faces.reshape(-1)].tobytes()))
    if not expected:
        # No mesh of few triangles, all of whose stack is known.
        assert not convert(scene_file, Log())
        return
    before = MaxFile(scene_file.to_bytes())
    log = Log()
    done = convert(before, log, unproven=True)
    # Unwrap UVW leaves faces alone that are not selected, which real meshes have here and there.
    refused = [entry.text for entry in log if entry.kind == "problem"]
    assert all("are not selected below it" in text for text in refused), refused
    assert done + len(refused) == len(expected)
    path = tmp_path / "after.max"
    path.write_bytes(bytes(before.to_bytes()))
    after = maxsidecar.open(path)
    for index, channel, corners in expected:
        mesh = Evaluator(after.scene).node(after.scene.nodes[index]).mesh
        assert mesh is not None
        assert _corners(mesh, channel) == corners
    assert check_file(path).status == check_file(max_file).status
    if not refused:
        assert not convert(after, Log(), unproven=True)
        assert not after.edited
