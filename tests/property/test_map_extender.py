"""Any map of a Map Extender comes out of the conversion with the same bits."""

from __future__ import annotations

from struct import pack

from hypothesis import given, settings
from hypothesis import strategies as st

from maxsidecar.migrate.log import Log
from maxsidecar.migrate.map_extender import convert
from maxsidecar.scene.maxfile import MaxFile
from tests.support.map_extender import MapExtenderScene, cache, encoded
from tests.support.map_extender_checks import again, corners
from tests.support.stored_meshes import SQUARE

#: Map vertices, and the three of each triangle.
Map = tuple[list[tuple[float, float, float]], list[tuple[int, int, int]]]

#: Any 32 bits but those that are no number, whose bits a float does not always keep.
NUMBERS = st.floats(width=32, allow_nan=False)


@st.composite
def maps(draw: st.DrawFn) -> Map:
    uv = draw(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=9))
    corner = st.integers(0, len(uv) - 1)
    return uv, draw(st.lists(st.tuples(corner, corner, corner), min_size=1, max_size=7))


@settings(max_examples=60, deadline=None)
@given(maps(), st.sampled_from([0x2006, 0x200A, 0x2012, 0x2031]), st.integers(0, 3), st.booleans())
def test_bits_of_coordinates(
    found: Map,
    root_id: int,
    channel: int,
    leaf: bool,
) -> None:
    uv, faces = found
    builder = MapExtenderScene(root_id)
    mesh = builder.add_mesh(SQUARE, [((n + 1) % 5, (n + 2) % 5, n % 5) for n in range(len(faces))])
    chunks = cache(uv, faces, channel)
    modifier = builder.add_map_extender()
    stack = builder.add_stack(mesh, [(modifier, encoded(chunks) if leaf else chunks)])
    node = builder.add_node("thing", stack)
    scene_file = MaxFile(builder.to_bytes())
    wanted = b"".join(pack("<3f", *uv[corner]) for face in faces for corner in face)
    assert corners(scene_file, node, channel) == wanted
    log = Log()
    assert convert(scene_file, log) == 1
    assert not log.problems
    assert corners(again(scene_file), node, channel) == wanted
