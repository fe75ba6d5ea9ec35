"""What real animations, zones, instance groups and vegetation hold makes sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.nel.serial import read_file
from maxsidecar.nel.serial.classes.track import CTrackKeyFramerLinearQuat, CTrackKeyFramerTCBQuat


def contents(corpus: Path, folder: str) -> dict[str, Any]:
    return {
        path.name: read_file(path).content for path in sorted((corpus / "nel" / folder).iterdir())
    }


@pytest.fixture(scope="module")
def animations(corpus: Path) -> dict[str, Any]:
    return contents(corpus, "anim")


@pytest.fixture(scope="module")
def zones(corpus: Path) -> dict[str, Any]:
    return contents(corpus, "zonel")


@pytest.fixture(scope="module")
def groups(corpus: Path) -> dict[str, Any]:
    return contents(corpus, "ig")


def test_tracks_have_names(animations: dict[str, Any]) -> None:
    """Each name leads to a track of its own; where nodes share a name, only one has it."""
    for name, animation in animations.items():
        numbers = list(animation.id_by_name.values())
        assert len(set(numbers)) == len(numbers), name
        assert max(numbers) < len(animation.tracks), name
        for key, number in animation.id_by_name.items():
            kind = type(animation.tracks[number]).__name__
            value = key.rpartition(".")[2]
            assert kind.endswith({"rotquat": "Quat", "pos": "Vector", "scale": "Vector"}[value])
    assert {animation.version for animation in animations.values()} == {0, 1, 2}


def test_keys_are_in_order_and_rotations_are_rotations(animations: dict[str, Any]) -> None:
    rotations = 0
    for name, animation in animations.items():
        for number, track in enumerate(animation.tracks):
            assert (np.diff(track.keys["time"]) > 0).all(), (name, number)
            if isinstance(track, CTrackKeyFramerLinearQuat):
                length = np.linalg.norm(track.keys["value"], axis=1)
                assert np.allclose(length, 1, atol=1e-4), (name, number)
                rotations += 1
            if isinstance(track, CTrackKeyFramerTCBQuat):
                axis = np.linalg.norm(track.keys["value"][:, :3], axis=1)
                assert np.allclose(axis[axis > 0], 1, atol=1e-4), (name, number)
                assert (np.abs(track.keys["tension"]) <= 1).all()
                rotations += 1
    assert rotations == 111 + 185


def test_zones_join_up(zones: dict[str, Any]) -> None:
    for name, zone in zones.items():
        # The name says row and column: 7_AH is row 7, column 7 of AA, AB and so on.
        row, column = name.removesuffix(".zonel").split("__")[1].split("_")
        first, second = (ord(letter) - ord("A") for letter in column)
        assert zone.zone_id == (int(row) - 1) * 256 + first * 26 + second, name
        assert len(zone.patches) == len(zone.patch_connects)
        for patch, connect in zip(zone.patches, zone.patch_connects, strict=True):
            assert len(patch.tiles) == patch.order_s * patch.order_t
            assert len(patch.colors_v6) == (patch.order_s + 1) * (patch.order_t + 1)
            assert len(patch.lumels) == patch.order_s * patch.order_t * 8
            assert max(connect.base_vertices) < zone.num_vertices
            for bind in connect.bind_edges:
                assert bind.num_patches in (0, 1, 2, 4, 5)
                used = min(bind.num_patches, 4) if bind.num_patches < 5 else 1
                assert all(edge < 4 for edge in bind.edge[:used])


def test_control_points_are_in_the_box(zones: dict[str, Any]) -> None:
    for name, zone in zones.items():
        packed = [np.concatenate([p.vertices, p.tangents, p.interiors]) for p in zone.patches]
        points = np.concatenate(packed) * zone.patch_scale + np.array(zone.patch_bias)
        center, half = np.array(zone.bbox.center), np.array(zone.bbox.half_size)
        assert (np.abs(points - center) <= half + zone.patch_scale).all(), name
        # The box was made one metre larger than the points.
        assert np.allclose(points.max(axis=0), center + half - 1, atol=0.1), name


def test_corners_are_shared(zones: dict[str, Any]) -> None:
    """Corners of one number have one place."""
    for name, zone in zones.items():
        places: dict[int, tuple[int, ...]] = {}
        for patch, connect in zip(zone.patches, zone.patch_connects, strict=True):
            for number, corner in zip(connect.base_vertices, patch.vertices.tolist(), strict=True):
                assert places.setdefault(number, tuple(corner)) == tuple(corner), name


def test_instances(groups: dict[str, Any]) -> None:
    count = 0
    for name, group in groups.items():
        for number, instance in enumerate(group.instances):
            assert abs(np.linalg.norm(instance.rot) - 1) < 1e-3, (name, number)
            assert -1 <= instance.parent < len(group.instances)
            assert all(cluster < len(group.clusters) for cluster in instance.clusters)
            assert instance.name.isprintable()
            if instance.version >= 3 and instance.static_light_enabled:
                lights = len(group.point_lights.point_lights)
                for light in (instance.light0, instance.light1):
                    assert light == 255 or light < lights, (name, number)
            count += 1
    assert count > 5000


def test_clusters_and_portals(groups: dict[str, Any]) -> None:
    links = 0
    for name, group in groups.items():
        for cluster, portals in zip(group.clusters, group.cluster_portals, strict=True):
            assert all(0 <= portal < len(group.portals) for portal in portals), name
            normals = np.linalg.norm(cluster.volume[:, :3], axis=1)
            assert np.allclose(normals, 1, atol=1e-3), name
            # The middle of the box is inside all planes.
            assert (
                cluster.volume[:, :3] @ np.array(cluster.bbox.center) + cluster.volume[:, 3] < 0
            ).all()
            links += len(portals)
    assert links > 0


def test_vegetation(corpus: Path) -> None:
    plants = 0
    for name, description in contents(corpus, "vegetset").items():
        before = 0
        for distance, part in enumerate(description.lists):
            assert part.seed == before, name
            before += len(part.vegetables)
            for plant in part.vegetables:
                assert plant.dist_type == distance
                assert plant.shape_name.endswith(".veget")
                middle = (plant.cos_angle_min + plant.cos_angle_max) / 2
                assert plant.cos_angle_middle == pytest.approx(middle, abs=1e-6)
                plants += 1
    assert plants == 109


def test_the_street_stands_where_its_scene_has_it(corpus: Path) -> None:
    """The scene, and what the game's plug-in made of it in 2001 (notes on the street)."""
    street = read_file(corpus / "nel-pairs" / "opennel_svn" / "5af30937__street.ig").content
    scene = maxsidecar.open(corpus / "max" / "ryzomcore" / "cluster_viewer__max__street.max")
    nodes = {node.name: node for node in scene.nodes.values()}
    assert [instance.name for instance in street.instances] == [
        "Box02", *(f"Sphere0{number}" for number in range(1, 9))
    ]  # fmt: skip
    for instance in street.instances:
        place = np.asarray(nodes[instance.name].world_matrix(), np.float32)[3, :3]
        assert place.tolist() == list(instance.pos), instance.name
        assert instance.version == 4
        # Never initialised, since no light was computed.
        assert not instance.static_light_enabled
        assert (instance.sun_contribution, instance.light0, instance.light1) == (224, 204, 52)
    assert [links.tolist() for links in (i.clusters for i in street.instances)] == [
        [0, 1, 2, 3], *[[3]] * 8
    ]  # fmt: skip
    assert [cluster.name for cluster in street.clusters] == [f"cluster0{n}" for n in range(1, 5)]
    assert all(cluster.visible_from_father for cluster in street.clusters)
    assert [len(portal.poly) for portal in street.portals] == [4] * 4
