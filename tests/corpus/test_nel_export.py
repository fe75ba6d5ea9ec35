"""Exports of real scenes, compared with what NeL's plug-in made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.nel.export.run import export_scene
from maxsidecar.nel.serial import read_file
from tests.support.nel_scenes import nodes_by_name

#: Street.ig came from a selection by hand whose fourth portal was picked first.
SELECTED = (
    "Box02", "cluster01", "cluster02", "cluster03", "cluster04",
    "Portal04", "Portal01", "Portal02", "Portal03",
    *(f"Sphere0{number}" for number in range(1, 9)),
)  # fmt: skip


@pytest.fixture(scope="module")
def street(corpus: Path) -> Path:
    (found,) = (corpus / "nel-pairs").rglob("*__street.max")
    return found


@pytest.fixture(scope="module")
def groups(corpus: Path, street: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Our street.ig and the plug-in's."""
    out = tmp_path_factory.mktemp("street")
    with maxsidecar.open(street) as scene_file:
        index = nodes_by_name(scene_file)
        only = tuple(index[name] for name in SELECTED)
        report = export_scene(scene_file, out, processes=["ig"], only=only, group="street")
    assert not report.failed
    assert not report.left_out
    (reference,) = (corpus / "nel-pairs").rglob("*__street.ig")
    return read_file(out / "street.ig").content, read_file(reference).content


def test_street_clusters_are_bit_equal(groups: tuple[Any, Any]) -> None:
    """Not counting the signs of zeros."""
    ours, theirs = groups
    assert len(theirs.clusters) == 4
    assert len(ours.clusters) == len(theirs.clusters)
    for mine, other in zip(ours.clusters, theirs.clusters, strict=True):
        assert mine.name == other.name
        assert np.array_equal(mine.volume, other.volume)
        assert (mine.bbox.center, mine.bbox.half_size) == (other.bbox.center, other.bbox.half_size)
        assert mine.father_visible == other.father_visible
        assert mine.visible_from_father == other.visible_from_father


def test_street_portals_and_their_clusters(groups: tuple[Any, Any]) -> None:
    """Corners agree to the last bits of 32-bit floats of their size: 4e-6 of 117 metres."""
    ours, theirs = groups
    assert len(ours.portals) == len(theirs.portals) == 4
    for mine, other in zip(ours.portals, theirs.portals, strict=True):
        assert mine.name == other.name
        assert mine.poly.shape == other.poly.shape
        assert np.abs(mine.poly - other.poly).max() < 4e-6
    links = [list(numbers) for numbers in theirs.cluster_portals]
    assert [list(numbers) for numbers in ours.cluster_portals] == links


def test_street_instances_are_bit_equal(groups: tuple[Any, Any]) -> None:
    ours, theirs = groups
    assert len(theirs.instances) == 9
    for mine, other in zip(ours.instances, theirs.instances, strict=True):
        assert (mine.name, mine.instance_name) == (other.name, other.instance_name)
        assert (mine.pos, mine.scale, mine.parent) == (other.pos, other.scale, other.parent)
        assert np.array(mine.rot, "<f4").tobytes() == np.array(other.rot, "<f4").tobytes()
        assert list(mine.clusters) == list(other.clusters)
        assert mine.dont_add_to_scene == other.dont_add_to_scene
        assert mine.dont_cast_shadow == other.dont_cast_shadow


def test_street_has_neither_lights_nor_sun(groups: tuple[Any, Any]) -> None:
    ours, theirs = groups
    assert not theirs.point_lights.point_lights
    assert not ours.point_lights.point_lights
    assert ours.real_time_sun_contribution == theirs.real_time_sun_contribution
    assert ours.global_pos == theirs.global_pos
    assert ours.surface_light.cell_size == theirs.surface_light.cell_size


def test_street_shapes_are_those_that_the_plug_in_wrote(
    corpus: Path, street: Path, tmp_path: Path
) -> None:
    with maxsidecar.open(street) as scene_file:
        report = export_scene(scene_file, tmp_path)
    theirs = {path.name.partition("__")[2] for path in street.parent.glob("*.shape")}
    ours = {path.name for path in tmp_path.iterdir()}
    assert len(theirs) == 9
    assert ours == theirs
    assert not report.failed
    reasons = {entry.node: entry.reason for entry in report.left_out if entry.process == "shape"}
    assert {name for name, reason in reasons.items() if "a cluster" in reason} == {
        f"cluster0{number}" for number in range(1, 5)
    }
    assert {name for name, reason in reasons.items() if "a portal" in reason} == {
        f"Portal0{number}" for number in range(1, 5)
    }


@pytest.mark.slow
def test_every_scene_of_the_game_is_exported_with_reasons(corpus: Path, tmp_path: Path) -> None:
    """Each node of each scene has an entry in each process, and what is written can be read."""
    scenes = sorted((corpus / "nel-pairs").rglob("*.max"))
    assert len(scenes) > 15
    for number, path in enumerate(scenes):
        out = tmp_path / str(number)
        with maxsidecar.open(path) as scene_file:
            nodes = {n.index for n in scene_file.scene.nodes.values() if n.parent is not None}
            report = export_scene(scene_file, out, group="all")
        for process in ("shape", "ig", "cmb", "pacs_prim", "swt", "veget"):
            told = {entry.index for entry in report.entries if entry.process == process}
            assert told - {-1} == nodes, (path, process)
        for entry in report.entries:
            assert entry.reason or entry.output, (path, entry)
        for output in report.outputs:
            read_file(output.path)
