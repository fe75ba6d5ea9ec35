"""Shapes of damaged scenes: a shape, or a reason."""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.shape import ShapeExporter
from maxsidecar.scene.maxfile import MaxFile
from tests.fuzz.mutate import Base, mutate
from tests.support.nel_shape_scenes import FLARE, WAVE_MAKER, ShapeScene

CASES = 150
POINTS = [(0, 0, 0), (4, 0, 0), (4, 2, 0), (0, 2, 0), (2, 1, 3)]
FACES = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (0, 2, 1), (0, 3, 2)]


def scene_with_all_kinds() -> bytes:
    """Return a scene with a node for each kind of shape that needs no other file."""
    scene = ShapeScene()
    maps = {f"tTexture_{n}": scene.add_bitmap_map(f"{n}.tga", (1, 1)) for n in range(1, 8)}
    switches = {f"bEnableSlot_{n}": 1 for n in range(1, 8)}
    water = scene.nel_material("water", bWater=1, **maps, **switches)
    bark = scene.nel_material("bark", bColorVertex=1, **maps, **switches)
    slots = [(0, bark, ""), (1, scene.add_standard_material("leaf"), "")]
    multi = scene.add_multi_material("tree", slots)
    uv = ([(x, y, 0) for x, y, _ in POINTS], FACES)
    mesh = scene.add_mesh(
        POINTS, FACES, material_ids=[0, 1, 0, 1, 0, 1], smoothing=[1, 1, 2, 3, 0, 0], uv=uv
    )
    for name, material, flags in (
        ("plain", multi, {"VERTEXPROGRAM_ID": 1, "EXPORT_ANIMATED_MATERIALS": 1}),
        ("levels", bark, {"LOD_MRM": 1, "LOD_NB_LOD": 3}),
        ("multi", bark, {"LOD_NAME_COUNT": 2, "LOD_NAME_0": "plain", "LOD_NAME_1": "levels"}),
        ("water", water, {}),
        ("trail", bark, {"USE_REMANENCE": 1}),
    ):
        scene.flag(scene.add_node(name, mesh, material=material), **flags)
    scene.add_node("flare", scene.scripted_object(FLARE, 57, HasDazzle=True))
    scene.add_node("waves", scene.scripted_object(WAVE_MAKER, 5, period=1.0))
    return scene.to_bytes()


def shapes(data: bytes) -> Iterator[str]:
    """Yield the kind of each node's shape, or ``-``."""
    with MaxFile(data) as scene_file:
        exporter = ShapeExporter(scene_file)
        for node in scene_file.nodes.values():
            result = exporter.export(node)
            if result.file is None:
                assert result.reason
                yield "-"
                continue
            content = read_bytes(result.file.to_bytes()).content
            yield type(content).__name__


def test_sound_scene_has_a_shape_of_each_kind() -> None:
    assert sorted(shapes(scene_with_all_kinds())) == [
        "-", "-", "CFlareShape", "CMesh", "CMeshMRM", "CMeshMultiLod", "CWaterShape",
        "CWaveMakerShape",
    ]  # fmt: skip


def test_damaged_scenes_give_shapes_or_reasons() -> None:
    base = Base("shapes", scene_with_all_kinds())
    made = refused = 0
    for seed in range(CASES):
        _, data = mutate(base, seed)
        try:
            kinds = list(shapes(data))
        except MaxSidecarError:
            # The file cannot be opened, or its nodes not be listed.
            refused += 1
            continue
        made += len(kinds)
    # The damage must be real, and still leave shapes.
    assert refused > CASES // 20
    assert made > 3 * CASES
