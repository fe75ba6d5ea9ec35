"""Zones, instance groups, vegetation and collision meshes, on bytes built by hand."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.instance_group import CCluster, CInstanceGroup, CPortal


def text(value: str) -> bytes:
    return pack("<I", len(value)) + value.encode()


def roundtrip(data: bytes, name: str, kind: str) -> Any:
    file = read_bytes(data, name)
    assert file.kind == kind
    assert file.to_bytes() == data
    return file.content


BBOX = b"\0" + pack("<6f", 0, 0, 0, 1, 1, 1)


def point_light(version: int) -> bytes:
    data = bytes([version])
    data += b"\1" if version >= 2 else b""
    data += pack("<i5f", 1, 0, 1, 0, 0.5, 1.5) if version >= 1 else b""
    return data + pack("<3f", 7, 8, 9) + bytes(range(12)) + pack("<2f", 2, 4)


def point_lights(version: int, light: int = 2) -> bytes:
    named = b"\1" + point_light(light) + text("lamp") + bytes(12) + pack("<I", 3)
    data = bytes([version]) + pack("<i", 1) + named
    if version == 0:
        return data + pack("<i", 1) + text("lamp") + pack("<2I", 0, 1)
    return data + pack("<i", 1) + b"\0" + text("lamp") + pack("<3I", 3, 0, 1)


def patch(version: int) -> bytes:
    data = bytes([version]) + pack("<48h", *range(-24, 24))
    data += pack("<i", 1) + pack("<4H", 0x100, 5, 0xFFFF, 0xFFFF)
    data += pack("<i", 2) + (b"\1\2\xff\0\1" * 2 if version <= 6 else b"\1\2\3\4")
    data += bytes([4, 8]) + pack("<i", 8) + b"\xff\xff" + bytes(6)
    data += b"\1\x0f" if version >= 3 else b""
    data += b"\x3c" if version >= 4 else b""
    return data + (pack("<i", 1) + b"\1\xff\x21" if version >= 5 else b"")


def zone(version: int, patch_version: int, connect: int = 1) -> bytes:
    data = bytes([version]) + b"ZONE" + pack("<H", 0x0607) + BBOX
    data += pack("<4fi", 100, 200, 0, 0.01, 9)
    data += pack("<i", 1) + b"\0" + pack("<3H", 1, 0x0608, 2)
    data += pack("<i", 1) + patch(patch_version)
    bind = b"\0" + b"\1" + pack("<5H", 0x0607, 3, 0xCCCC, 0xCCCC, 0xCCCC) + b"\2\xcc\xcc\xcc"
    data += pack("<i", 1) + bytes([connect]) + (b"\4\x08" if connect == 0 else b"")
    data += pack("<f4H", 0, 1, 2, 3, 4) + bind * 4
    return data + (point_lights(1) if version >= 4 else b"")


@pytest.mark.parametrize("version", [3, 4, 5])
@pytest.mark.parametrize("patch_version", range(2, 8))
@pytest.mark.parametrize("connect", [0, 1])
def test_zones(version: int, patch_version: int, connect: int) -> None:
    made = roundtrip(zone(version, patch_version, connect), "7_AH.zonel", "zone")
    assert (made.zone_id, made.num_vertices, made.patch_bias) == (0x0607, 9, (100, 200, 0))
    assert made.border_vertices["neighbour_zone"].tolist() == [0x0608]
    (only,) = made.patches
    assert only.vertices.shape == (4, 3)
    assert only.tangents[0].tolist() == [-12, -11, -10]
    assert only.tiles["tile"].tolist() == [[5, 0xFFFF, 0xFFFF]]
    colors = only.colors_v6 if patch_version <= 6 else only.colors
    assert colors["color565"][0] == 0x0201
    assert (only.order_s, only.order_t, len(only.lumels)) == (4, 8, 8)
    assert only.flags == (0x3C if patch_version >= 4 else 0)
    assert len(only.tile_lights) == (1 if patch_version >= 5 else 0)
    assert made.patch_connects[0].bind_edges[3].next == (3, 0xCCCC, 0xCCCC, 0xCCCC)
    assert len(made.point_lights.point_lights) == (1 if version >= 4 else 0)


@pytest.mark.parametrize(("version", "patch_version"), [(2, 4), (6, 4), (3, 1), (3, 8)])
def test_zones_that_the_game_refuses(version: int, patch_version: int) -> None:
    with pytest.raises(DecodeError, match=r"newer|too old"):
        read_bytes(zone(version, patch_version))


def instance(version: int) -> bytes:
    data = bytes([version])
    data += b"\1" if version >= 7 else b""
    data += b"\0" if version >= 6 else b""
    data += b"\1" if version >= 5 else b""
    data += b"\xff" if version >= 4 else b""
    data += b"\1\0\1" + b"\x9c\x02\xff" if version >= 3 else b""
    data += text("door") + b"\1" if version >= 2 else b""
    data += pack("<i2I", 2, 0, 1) if version >= 1 else b""
    data += text("tree") + pack("<10f", 1, 2, 3, 0, 0, 0, 1, 2, 2, 2)
    return data + pack("<i", -1)


def cluster(version: int) -> bytes:
    data = bytes([version]) + (text("hall") if version >= 1 else b"")
    data += pack("<i4f", 1, 0, 0, 1, -5) + BBOX + b"\1\0"
    data += text("big") + text("echo") if version >= 2 else b""
    return data + (b"\1\0" if version >= 3 else b"")


def portal(version: int) -> bytes:
    data = bytes([version]) + pack("<i9f", 3, *range(9)) + text("gate")
    return data + (text("wall") + text("") if version >= 1 else b"")


def light_grid(corner: int, size: int = 2) -> bytes:
    cell = b"\0\xc8\1\xff" if corner == 0 else b"\1\xff\xc8\1\xff"
    return b"\0" + pack("<2f2I", 3, 4, 2, 1) + pack("<i", size) + cell * size


def surface_light(version: int, corner: int) -> bytes:
    key = text("hall") if version == 0 else pack("<I", 5)
    grids = b"\0" + pack("<i", 1) + light_grid(corner)
    return bytes([version]) + pack("<2f", 1.5, 1 / 1.5) + pack("<i", 1) + key + grids


def group(version: int, part: int) -> bytes:
    """A group; ``part`` chooses between the versions of what is in it."""
    data = b"GRPT" + bytes([version])
    data += b"\0" if version >= 5 else b""
    data += surface_light(min(part, 1), min(part, 1)) if version >= 4 else b""
    data += point_lights(min(part, 1), min(part, 2)) if version >= 3 else b""
    data += pack("<3f", 10, 20, 30) if version >= 2 else b""
    if version >= 1:
        data += pack("<i", 2) + cluster(min(part, 3)) * 2
        data += pack("<i", 1) + portal(min(part, 1))
        data += pack("<ii", 1, 0) + pack("<iii", 2, 0, 0)
    return data + pack("<i", 1) + instance(part)


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("part", range(8))
def test_instance_groups(version: int, part: int) -> None:
    made = roundtrip(group(version, part), "street.ig", "ig")
    (only,) = made.instances
    assert (only.name, only.pos, only.scale, only.parent) == ("tree", (1, 2, 3), (2, 2, 2), -1)
    assert only.clusters.tolist() == ([0, 1] if part >= 1 else [])
    assert (only.instance_name, only.dont_add_to_scene) == (
        ("door", True) if part >= 2 else ("", False)
    )
    assert only.sun_contribution == (0x9C if part >= 3 else 0)
    assert only.local_ambient_id == 255
    assert only.dont_cast_shadow_for_interior is (part >= 5)
    assert made.global_pos == ((10, 20, 30) if version >= 2 else (0, 0, 0))
    if version >= 1:
        assert [links.tolist() for links in made.cluster_portals] == [[0], [0, 0]]
        assert made.clusters[1].volume.tolist() == [[0, 0, 1, -5]]
        assert made.clusters[0].env_fx == ("echo" if part >= 2 else "")
        assert made.portals[0].occlusion_model == ("wall" if part >= 1 else "")
    if version >= 3:
        (light,) = made.point_lights.point_lights
        assert (light.light.position, light.light_group) == ((7, 8, 9), 3)
    if version >= 4:
        lights = made.surface_light
        ((key, retriever),) = (lights.retrievers if part else lights.retrievers_v0).items()
        assert key == (5 if part else "hall")
        assert retriever.grids[0].cells["sun"].tolist() == [200, 200]


def test_corners_of_a_grid_have_one_version() -> None:
    mixed = group(5, 7).replace(b"\1\xff\xc8\1\xff" * 2, b"\1\xff\xc8\1\xff\0\xff\xc8\1\xff")
    with pytest.raises(DecodeError, match="element 1 has another version than the first"):
        read_bytes(mixed)
    with pytest.raises(DecodeError, match="newer"):
        read_bytes(group(5, 7).replace(b"\1\xff\xc8\1\xff", b"\2\xff\xc8\1\xff"))
    many = group(5, 7).replace(pack("<i", 2) + b"\1\xff\xc8", pack("<i", 0x7FFFFFF) + b"\1\xff\xc8")
    with pytest.raises(DecodeError, match="does not fit"):
        read_bytes(many)


def test_links_go_with_clusters() -> None:
    made = CInstanceGroup(clusters=[CCluster(name="hall")], portals=[CPortal()])
    with pytest.raises(EditError, match="one for each of clusters") as caught:
        made.to_bytes()
    assert caught.value.where.path == "CInstanceGroup.cluster_portals"
    made.cluster_portals = [np.array([0])]
    again = CInstanceGroup.from_bytes(made.to_bytes())
    assert [links.tolist() for links in again.cluster_portals] == [[0]]


def noise(number: float) -> bytes:
    return b"\0" + pack("<3f", number, 0.5, 10)


def vegetable(version: int) -> bytes:
    data = bytes([version]) + text("herb.veget") + noise(1) + pack("<5f", -1, 0, 2, 1, 1)
    data += pack("<i", 2)
    data += b"".join(noise(number) for number in range(7))
    data += b"\0" + noise(8) + pack("<i8f", 2, 1, 1, 1, 1, 0.5, 0.5, 0.5, 1)
    return data + pack("<I", 4) + (pack("<f", 0.25) if version >= 1 else b"")


@pytest.mark.parametrize("version", [0, 1])
def test_what_grows_on_a_tile(version: int) -> None:
    plants = pack("<i", 1) + vegetable(version) + pack("<I", 7)
    data = b"\0" + pack("<iI", 0, 0) * 4 + plants
    made = roundtrip(data, "a.vegetset", "vegetset")
    assert [len(plants.vegetables) for plants in made.lists] == [0, 0, 0, 0, 1]
    (plant,) = made.lists[4].vegetables
    assert (plant.shape_name, plant.angle_type, plant.dist_type) == ("herb.veget", 2, 4)
    assert [plant.scale_xy.abs, plant.rotation_z.abs, plant.bend_phase.abs] == [0, 4, 6]
    assert plant.color.gradients.tolist() == [[1, 1, 1, 1], [0.5, 0.5, 0.5, 1]]
    assert plant.bend_frequency_factor == (0.25 if version else 1.0)


def test_a_format_without_a_magic_needs_its_suffix() -> None:
    data = b"\0" + pack("<iI", 0, 0) * 5
    with pytest.raises(DecodeError, match="no magic is known"):
        read_bytes(data)
    assert read_bytes(data, "A.VEGETSET").kind == "vegetset"


@pytest.mark.parametrize("version", [0, 1])
def test_plants(version: int) -> None:
    vertices = b"\2\1" + pack("<H", 1) + bytes([7] + [0] * 15) + pack("<I", 3) + b"\0"
    data = bytes([version]) + b"NEL__VEGETABLE__" + b"\1\0\1\0" + pack("<i", 1)
    data += vertices + pack("<9f", *range(9)) + pack("<i3I", 3, 0, 1, 2)
    data += b"\1" if version else b""
    made = roundtrip(data, "herb.veget", "veget")
    assert (made.lighted, made.double_sided, made.pre_compute_lighting) == (True, False, True)
    assert made.vertex_buffer.vertices["position"].shape == (3, 3)
    assert made.triangle_indices.tolist() == [0, 1, 2]
    assert made.best_sided_pre_compute_lighting is bool(version)


def test_collision_meshes() -> None:
    data = pack("<i9f", 3, *range(9)) + pack("<i3I3Bii", 1, 0, 1, 2, 1, 0, 1, -1, 4)
    made = roundtrip(data, "hall.cmb", "cmb")
    assert made.vertices.shape == (3, 3)
    assert made.faces.dtype.itemsize == 23
    assert made.faces["surface"].tolist() == [-1]
    assert made.faces["visibility"].tolist() == [[1, 0, 1]]


@pytest.mark.parametrize("version", [0, 1])
def test_distant_characters(version: int) -> None:
    data = b"NEL_CLODBULD" + bytes([version]) + pack("<i3f", 1, 1, 2, 3)
    data += pack("<i", 1) + pack("<If", 0, 1.0) + pack("<If", 0, 0.0) * 3
    data += pack("<i", 1) + text("Bip01") + pack("<i3I", 3, 0, 0, 0)
    if version:
        data += pack("<i2f", 1, 0.5, 0.5) + pack("<i3f", 1, 0, 0, 1)
        data += pack("<2I", 1, 1) + pack("<i6f", 1, *range(6))
    made = roundtrip(data, "a.clod", "clod")
    assert made.skin_weights["weight"].tolist() == [[1, 0, 0, 0]]
    assert made.bone_names == ["Bip01"]
    if version:
        assert made.texture_info["normal"].tolist() == [[3, 4, 5]]
        assert np.shape(made.uvs) == (1, 2)
