"""Exports of damaged scenes: files that can be read, and a reason for each node without one."""

from __future__ import annotations

import warnings
from pathlib import Path

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.export import Report, export_scene
from maxsidecar.nel.serial import read_file
from maxsidecar.scene.authoring_parameters import old_float
from maxsidecar.scene.maxfile import MaxFile
from tests.fuzz.mutate import Base, mutate
from tests.support.nel_scenes import (
    FREE_SPOT,
    OMNI,
    PACS_BOX,
    PARTICLES,
    PATCHES,
    GameScene,
    color,
)

CASES = 120
QUAD = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
HALVES = [(0, 1, 2), (2, 3, 0)]


def scene_with_all_processes() -> bytes:
    """Return a scene that gives a file in each process but those of bones."""
    scene = GameScene()
    house = scene.box_node("house", (8, 8, 8), IGNAME="street", ACCEL=10)
    scene.box_node("yard", (9, 9, 9), (8, 0, 0), IGNAME="street", ACCEL=2, SOUND_GROUP="birds")
    scene.mesh_node("door", QUAD, HALVES, IGNAME="street", ACCEL=17, INSTANCE_NAME="gate")
    scene.box_node("chair", parent=house, euler=(0.1, 0.2, 0.3), IGNAME="street", LOD_DIST_MAX=70)
    scene.mesh_node("floor", QUAD, HALVES, material_ids=[0, 3], COLLISION=1, IGNAME="street")
    scene.mesh_node("wall", QUAD, HALVES, at=(2, 0, 0), COLLISION=1, COLLISION_EXTERIOR=1)
    leaf = scene.add_standard_material("leaf", diffuse_map=scene.add_bitmap_map("l.tga", (4, 4)))
    grass = scene.add_mesh(QUAD, HALVES, uv=(QUAD, HALVES))
    scene.flag(scene.add_node("grass", grass, material=leaf), VEGETABLE=1)
    scene.box_node("weighed", EXPORT_SWT=1, SWT_WEIGHT="0,5", DONTEXPORT=1)
    omni, cone = ([old_float(float(n + 1)) for n in range(count)] for count in (14, 18))
    scene.light_node("lamp", OMNI, [color(1, 1, 0.5), *omni], IGNAME="street")
    scene.light_node("spot", FREE_SPOT, [color(1, 1, 1), *cone], IGNAME="street")
    pacs = scene.primitive(PACS_BOX, scene.add_box(1.0, 2.0, 3.0))
    scene.add_node("stone", pacs, transform=scene.add_transform((1, 2, 3)))
    for new in (PARTICLES, PATCHES):
        shown = scene.scripted(new, scene.add_box(1.0, 1.0, 1.0), {})
        scene.flag(scene.add_node(new.name, shown), IGNAME="street")
    scene.flag(scene.add_node("helper", scene.add_dummy(1.0)), IGNAME="street")
    return scene.to_bytes()


def exported(data: bytes, folder: Path) -> Report:
    """Export a scene, and read all that came of it."""
    with MaxFile(data) as scene_file:
        report = export_scene(scene_file, folder)
    outputs = {out.path for out in report.outputs}
    for path in outputs:
        assert Path(path).parent in (folder, folder / "shape_with_coarse_mesh")
        read_file(path)
    for entry in report.entries:
        assert entry.output in outputs if entry.status == "written" else entry.reason
    return report


def test_a_sound_scene_gives_a_file_in_each_process(tmp_path: Path) -> None:
    report = exported(scene_with_all_processes(), tmp_path)
    assert not report.failed
    assert {out.process for out in report.outputs} == {
        "shape", "ig", "cmb", "pacs_prim", "swt", "veget",
    }  # fmt: skip


def test_damaged_scenes_are_exported_or_refused(tmp_path: Path) -> None:
    base = Base("exports", scene_with_all_processes())
    refused = written = other = 0
    for seed in range(CASES):
        _, data = mutate(base, seed)
        folder = tmp_path / str(seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                report = exported(data, folder)
        except MaxSidecarError:
            refused += 1
            continue
        written += len(report.outputs)
        other += len(report.failed)
    # The damage must be real, and still leave something to export.
    assert refused > CASES // 20
    assert written > CASES
    assert other > CASES // 20
