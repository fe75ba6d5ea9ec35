"""A scene with everything the builder has passes every reader, and can be restructured."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from struct import unpack_from
from typing import Literal

import olefile
import pytest

from maxsidecar.scene import restructure
from maxsidecar.scene.authoring import SceneBuilder, TransformKeys
from maxsidecar.scene.materials import MultiMaterial
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.roundtrip import check_bytes, check_file
from tests.support.meshes import decode_mesh

QUAD = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
FACES = [(0, 1, 2), (2, 3, 0)]


def everything(
    version: Literal[3, 4] = 3, compression: Literal["gzip", "zstd"] | None = None
) -> bytes:
    scene = SceneBuilder(title="All", version=version, compression=compression)
    picture = scene.add_bitmap_map("C:\\wall.tga", (64, 64), name="wall")
    brick = scene.add_standard_material("brick", diffuse=(0.5, 0.25, 0.25), diffuse_map=picture)
    moss = scene.add_standard_material("moss", opacity=0.5)
    both = scene.add_multi_material("both", [(0, brick, "a"), (2, moss, "b")])
    mesh = scene.add_mesh(QUAD, FACES, material_ids=[0, 2], uv=(QUAD, FACES))
    steps = {0: (1, 2, 3), 4800: (4, 5, 6)}
    line = scene.add_transform(keys=TransformKeys(position=steps, rotation={9: (0, 0, 0, 1)}))
    ease = scene.add_transform(keys=TransformKeys(steps, {}, steps, steps, "ease"))
    wall = scene.add_node("wall", mesh, transform=line, material=both)
    scene.add_node("part", mesh, parent=wall, transform=ease, material=brick)
    scene.add_node("helper", scene.add_dummy(1))
    return scene.to_bytes()


def walk(data: bytes, start: int, end: int) -> int:
    """Walk chunks strictly, without this package: header inside, sizes to the byte; a count."""
    count = 0
    while start < end:
        assert end - start >= 6
        _, size = unpack_from("<HI", data, start)
        container, size = bool(size >> 31), size & 0x7FFFFFFF
        assert 6 <= size <= end - start
        count += 1
        if container:
            assert size > 6
            count += walk(data, start + 6, start + size)
        start += size
    assert start == end
    return count


@pytest.mark.parametrize("version", [3, 4])
def test_olefile_and_a_strict_walk(version: Literal[3, 4]) -> None:
    with olefile.OleFileIO(
        io.BytesIO(everything(version)), raise_defects=olefile.DEFECT_UNSURE
    ) as ole:
        names = ["Scene", "DllDirectory", "ClassDirectory3", "ClassData", "Config"]
        streams = {name: ole.openstream(name).read() for name in [*names, "VideoPostQueue"]}
    counts = {name: walk(data, 0, len(data)) for name, data in streams.items()}
    # Nine objects of the user's own need many times as many chunks.
    assert counts["Scene"] > 500
    assert unpack_from("<H", streams["Scene"]) == (0x2009,)
    assert all(counts.values())


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("compression", [None, "gzip", "zstd"])
def test_check_passes(
    tmp_path: Path, version: Literal[3, 4], compression: Literal["gzip", "zstd"] | None
) -> None:
    path = tmp_path / "all.max"
    path.write_bytes(everything(version, compression))
    result = check_file(path)
    assert (result.status, result.problems) == ("ok", [])


def test_same_calls_give_the_same_bytes() -> None:
    assert everything() == everything()


def owners_are_right(file: MaxFile) -> bool:
    """Every block names the object that refers to it, and its class."""
    for obj in file.scene:
        for target in obj.references.values():
            block = file.scene[target]
            if isinstance(block, ParamBlock2):
                assert block.owner is obj
                assert block.owner_class == (obj.class_id, obj.superclass)
    return True


def test_a_copy_is_whole() -> None:
    file = MaxFile(everything(), lenient=False)
    scene = file.scene
    wall = file.nodes.find("wall")[0]
    assert isinstance(wall.material, MultiMaterial)
    copy = wall.clone(name="copy")
    assert copy.material is wall.material
    assert copy.object is not None
    assert copy.object is not wall.object
    assert decode_mesh(copy.object).faces == FACES
    assert copy.controller is not wall.controller
    sub = wall.material.sub_materials[0].material
    assert sub is not None
    original = sub.reference(2)
    assert original is not None
    shader = restructure.clone(original)
    block = shader.reference(0)
    assert isinstance(block, ParamBlock2)
    assert block.owner is shader
    scene.delete([shader])
    again = MaxFile(file.to_bytes(), lenient=False)
    assert owners_are_right(again)
    assert again.nodes.find("copy")[0].controller is not None
    assert check_bytes(file.to_bytes(), Path("copy.max")).status == "ok"


def test_what_is_deleted_takes_its_materials_along() -> None:
    """The child's material stays with it; when both nodes go, nothing of theirs is left."""
    file = MaxFile(everything(), lenient=False)
    owners_are_right(file)
    file.nodes.find("wall")[0].delete()
    again = MaxFile(file.to_bytes(), lenient=False)
    assert [node.name for node in again.nodes.values()] == ["", "helper"]
    left = Counter(obj.superclass for obj in again.scene)
    assert not any(left[superclass] for superclass in (0xC00, 0xC10, 0x10B0, 0x82, 0x9010))
    assert owners_are_right(again)
    assert check_bytes(file.to_bytes(), Path("less.max")).status == "ok"


def test_deleting_one_of_two_users_keeps_what_the_other_needs() -> None:
    file = MaxFile(everything(), lenient=False)
    file.nodes.find("part")[0].delete()
    again = MaxFile(file.to_bytes(), lenient=False)
    (wall,) = again.nodes.find("wall")
    assert isinstance(wall.material, MultiMaterial)
    assert [sub.material.name for sub in wall.material.sub_materials] == [  # type: ignore[union-attr]
        "brick",
        "moss",
    ]
    assert wall.object is not None
    assert decode_mesh(wall.object).material_ids == [0, 2]
    assert owners_are_right(again)
