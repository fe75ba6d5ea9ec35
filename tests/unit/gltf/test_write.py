"""Documents to files: the container, pictures, and what Khronos' validator says of them."""

from __future__ import annotations

import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import SaveError
from maxsidecar.gltf import model
from maxsidecar.gltf.write import write
from tests.support.png import png_bytes
from tests.support.validator import Validator

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
PNG = png_bytes(2, 2)


def triangle(**more: Any) -> model.Primitive:
    return model.Primitive({"POSITION": TRIANGLE.copy()}, np.arange(3, dtype=np.uint32), **more)


def read_glb(path: Path) -> tuple[dict[str, Any], bytes]:
    """Take a GLB apart by the specification's section on it."""
    data = path.read_bytes()
    magic, version, length, json_length, json_kind = struct.unpack_from("<4s4I", data)
    assert (magic, version, length, json_kind) == (b"glTF", 2, len(data), 0x4E4F534A)
    assert json_length % 4 == 0
    text = json.loads(data[20 : 20 + json_length])
    rest = data[20 + json_length :]
    if not rest:
        return text, b""
    size, kind = struct.unpack_from("<2I", rest)
    assert (kind, size) == (0x004E4942, len(rest) - 8)
    assert size % 4 == 0
    assert text["buffers"] == [{"byteLength": size}]
    return text, rest[8:]


def everything(image: model.Image) -> model.Document:
    """A document with one of each record."""
    texture = model.Texture(image, model.Sampler(wrap_s=33071))
    info = model.TextureInfo(texture, 1, transform={"offset": [0.5, 0.0], "scale": [2.0, 2.0]})
    material = model.Material(
        "paint",
        base_color=(1, 0.5, 0, 1),
        base_color_texture=info,
        normal_texture=model.TextureInfo(texture, scale=0.5),
        occlusion_texture=model.TextureInfo(texture, scale=0.25),
        emissive=(0.5, 0, 0),
        alpha_mode="MASK",
        alpha_cutoff=0.25,
        double_sided=True,
        extensions={
            "KHR_materials_clearcoat": {
                "clearcoatFactor": 1.0,
                "clearcoatNormalTexture": model.TextureInfo(texture, scale=2.0),
            }
        },
        extras={"id": "7"},
    )
    uv = np.array([[0, 0], [1, 0], [0, 1]], np.float32)
    primitive = triangle(material=material, targets=[{"POSITION": TRIANGLE * 2}])
    primitive.attributes |= {
        "NORMAL": np.tile(np.array([0, 0, 1], np.float32), (3, 1)),
        "TANGENT": np.tile(np.array([1, 0, 0, 1], np.float32), (3, 1)),
        "TEXCOORD_0": uv,
        "TEXCOORD_1": uv,
        "COLOR_0": np.full((3, 3), 200, np.uint8),
        "JOINTS_0": np.zeros((3, 4), np.int64),
        "WEIGHTS_0": np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1)),
        "_POLYGON": np.array([1, 2, 3], np.uint16),
    }
    mesh = model.Mesh([primitive], "mesh", weights=[0.5], target_names=["smile"])
    joint = model.Node("joint", translation=(1.0, 2.0, 3.0))
    skin = model.Skin([joint], np.eye(4, dtype=np.float32)[None], skeleton=joint)
    camera = model.Node("eye", camera=model.Camera("eye", yfov=0.8, zfar=10.0))
    light = model.Node("lamp", light=model.Light("spot", "lamp", range=5.0))
    shown = model.Node("shown", mesh=mesh, skin=skin)
    times = np.array([0, 1], np.float32)
    assert light.light is not None
    moves = [
        model.Channel(joint, "translation", times, np.zeros((2, 3), np.float32), "STEP"),
        model.Channel(joint, "scale", times, np.ones((6, 3), np.float32), "CUBICSPLINE"),
        model.Channel(shown, "weights", times, np.array([[0], [1]], np.float32)),
        model.Channel(light.light, "/intensity", times, np.array([[1], [2]], np.float32)),
    ]
    return model.Document(
        [joint, camera, light, shown], [model.Animation(moves, "walk")], name="all"
    )


def test_the_validator_accepts_a_file_with_everything(
    tmp_path: Path, gltf_validator: Validator
) -> None:
    for ending in ("glb", "gltf"):
        path = tmp_path / f"all things.{ending}"
        write(everything(model.Image("tile", PNG, "image/png")), path)
        verdict = gltf_validator.check(path)
        assert verdict.errors == []
        # It knows nothing of animation pointers.
        assert {w.split()[0] for w in verdict.warnings} <= {"UNSUPPORTED_EXTENSION"}


def test_the_validator_finds_what_is_wrong(tmp_path: Path, gltf_validator: Validator) -> None:
    path = tmp_path / "a.gltf"
    path.write_text('{"asset": {"version": "2.0"}, "scene": 3}', encoding="utf-8")
    assert len(gltf_validator.check(path).errors) == 1
    path.write_bytes(b"glTF")
    assert gltf_validator.check(path).errors


def test_records_are_numbered_and_written_once(tmp_path: Path) -> None:
    text, _ = (
        (
            write(everything(model.Image("tile", PNG, "image/png")), tmp_path / "a.glb"),
            read_glb(tmp_path / "a.glb")[0],
        )[1],
        None,
    )
    assert text["asset"]["version"] == "2.0"
    assert text["scenes"] == [{"nodes": [0, 1, 2, 3], "name": "all"}]
    assert [n["name"] for n in text["nodes"]] == ["joint", "eye", "lamp", "shown"]
    assert text["nodes"][0] == {"translation": [1.0, 2.0, 3.0], "name": "joint"}
    assert text["nodes"][2]["extensions"] == {"KHR_lights_punctual": {"light": 0}}
    assert text["nodes"][3] == {"mesh": 0, "skin": 0, "name": "shown"}
    assert text["extensionsUsed"] == [
        "KHR_animation_pointer",
        "KHR_lights_punctual",
        "KHR_materials_clearcoat",
        "KHR_texture_transform",
    ]
    assert len(text["textures"]) == len(text["images"]) == len(text["samplers"]) == 1
    (material,) = text["materials"]
    assert material["pbrMetallicRoughness"]["baseColorTexture"] == {
        "index": 0,
        "texCoord": 1,
        "extensions": {"KHR_texture_transform": {"offset": [0.5, 0.0], "scale": [2.0, 2.0]}},
    }
    assert material["normalTexture"]["scale"] == 0.5
    assert material["occlusionTexture"]["strength"] == 0.25
    clearcoat = material["extensions"]["KHR_materials_clearcoat"]
    assert clearcoat["clearcoatNormalTexture"] == {"index": 0, "scale": 2.0}
    assert material["extras"] == {"id": "7"}
    assert text["meshes"][0]["extras"] == {"targetNames": ["smile"]}
    assert text["skins"] == [
        {
            "inverseBindMatrices": text["skins"][0]["inverseBindMatrices"],
            "joints": [0],
            "skeleton": 0,
        }
    ]
    pointer = text["animations"][0]["channels"][3]["target"]
    assert pointer["path"] == "pointer"
    assert pointer["extensions"]["KHR_animation_pointer"] == {
        "pointer": "/extensions/KHR_lights_punctual/lights/0/intensity"
    }
    inputs = {sampler["input"] for sampler in text["animations"][0]["samplers"]}
    assert len(inputs) == 1, "the same times are one accessor"
    assert text["animations"][0]["samplers"][0]["interpolation"] == "STEP"


def test_the_intensity_of_a_light_is_always_written(tmp_path: Path) -> None:
    """Blender takes 10 W where nothing is said, though glTF says that it is 1."""
    lamp = model.Node("lamp", light=model.Light("point", "lamp", intensity=1.0))
    write(model.Document([lamp]), tmp_path / "a.gltf")
    written = json.loads((tmp_path / "a.gltf").read_text(encoding="utf-8"))
    (light,) = written["extensions"]["KHR_lights_punctual"]["lights"]
    assert light["intensity"] == 1.0


def test_extras_are_written_exactly(tmp_path: Path) -> None:
    extras: dict[str, Any] = {
        "": "",
        "null": None,
        "no": False,
        "list": [1, 2.5, "x"],
        "empty": {},
        "Ü": "日本",
    }
    write(model.Document([model.Node("n", extras=extras)]), tmp_path / "a.glb")
    assert read_glb(tmp_path / "a.glb")[0]["nodes"][0]["extras"] == extras


@pytest.mark.parametrize(
    "extras",
    [{"a": float("nan")}, {"a": [float("inf")]}, {"a": b"x"}, {"a": {1: 2}}, {"a": object()}],
)
def test_extras_that_json_cannot_hold_are_refused(tmp_path: Path, extras: Any) -> None:
    with pytest.raises(SaveError, match="extras of 'n'"):
        write(model.Document([model.Node("n", extras=extras)]), tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []


def test_half_surrogates_in_names_become_replacement_characters(tmp_path: Path) -> None:
    write(model.Document([model.Node("a\ud800b")]), tmp_path / "a.glb")
    assert read_glb(tmp_path / "a.glb")[0]["nodes"][0]["name"] == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e300])
def test_numbers_that_are_none_are_refused(tmp_path: Path, bad: float) -> None:
    primitive = triangle()
    primitive.attributes["POSITION"] = TRIANGLE.astype(np.float64)
    primitive.attributes["POSITION"][1, 1] = bad
    document = model.Document([model.Node("n", mesh=model.Mesh([primitive], "m"))])
    with pytest.raises(SaveError, match="POSITION"):
        write(document, tmp_path / "a.glb")
    if bad != 1e300:
        with pytest.raises(SaveError, match="node 'n'"):
            write(model.Document([model.Node("n", translation=(bad, 0, 0))]), tmp_path / "a.glb")


def test_trees_that_are_none_are_refused(tmp_path: Path) -> None:
    node = model.Node("twice")
    with pytest.raises(SaveError, match="'twice' is in the tree twice"):
        write(model.Document([node, model.Node(children=[node])]), tmp_path / "a.glb")
    node.children = [node]
    with pytest.raises(SaveError, match="twice"):
        write(model.Document([node]), tmp_path / "a.glb")


def test_what_moves_or_bends_must_be_in_the_scene(tmp_path: Path) -> None:
    lost = model.Node("lost")
    skin = model.Skin([lost], np.eye(4, dtype=np.float32)[None], name="s")
    mesh = model.Mesh([triangle()])
    with pytest.raises(SaveError, match="skin 's': node 'lost' is not in the scene"):
        write(model.Document([model.Node(mesh=mesh, skin=skin)]), tmp_path / "a.glb")
    move = model.Channel(lost, "scale", np.zeros(1, np.float32), np.ones((1, 3), np.float32))
    with pytest.raises(SaveError, match="node 'lost' is not in the scene"):
        write(model.Document([], [model.Animation([move])]), tmp_path / "a.glb")


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [([0, 0], [[1, 1, 1]] * 2, "ascend"), ([0, 1], [[1, 1, 1]] * 3, "do not fit")],
)
def test_keys_must_make_sense(tmp_path: Path, times: Any, values: Any, message: str) -> None:
    node = model.Node("n")
    move = model.Channel(node, "scale", np.array(times, np.float32), np.array(values, np.float32))
    with pytest.raises(SaveError, match=message):
        write(model.Document([node], [model.Animation([move])]), tmp_path / "a.glb")


def test_a_deep_tree_is_written(tmp_path: Path) -> None:
    root = node = model.Node("0")
    for number in range(1, 5000):
        node.children.append(model.Node(str(number)))
        node = node.children[0]
    write(model.Document([root]), tmp_path / "a.glb")
    nodes = read_glb(tmp_path / "a.glb")[0]["nodes"]
    assert nodes[4998]["children"] == [4999]


def textured(image: model.Image) -> model.Document:
    info = model.TextureInfo(model.Texture(image))
    return model.Document(materials=[model.Material("m", base_color_texture=info)])


def test_pictures_are_embedded_in_a_glb(tmp_path: Path) -> None:
    assert write(textured(model.Image("t", PNG, "image/png")), tmp_path / "a.glb") == [
        tmp_path / "a.glb"
    ]
    text, blob = read_glb(tmp_path / "a.glb")
    assert text["images"] == [{"bufferView": 0, "mimeType": "image/png", "name": "t"}]
    view = text["bufferViews"][0]
    assert blob[view["byteOffset"] : view["byteOffset"] + view["byteLength"]] == PNG


def test_pictures_lie_beside_a_gltf(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    files = write(textured(model.Image("C:\\maps\\con?.tga", PNG, "image/png")), path)
    assert files == [path, tmp_path / "con_.png"]
    assert (tmp_path / "con_.png").read_bytes() == PNG
    text = json.loads(path.read_text(encoding="utf-8"))
    assert text["images"][0]["uri"] == "con_.png"


def test_a_place_for_a_picture_is_percent_encoded(tmp_path: Path) -> None:
    write(textured(model.Image("t", PNG, "image/png", "maps/grün 1#.png")), tmp_path / "a.glb")
    assert (tmp_path / "maps" / "grün 1#.png").read_bytes() == PNG
    text, _ = read_glb(tmp_path / "a.glb")
    assert text["images"][0]["uri"] == "maps/gr%C3%BCn%201%23.png"
    write(textured(model.Image("t", uri="..\\x y.png")), tmp_path / "b.glb")
    assert read_glb(tmp_path / "b.glb")[0]["images"] == [{"uri": "../x%20y.png", "name": "t"}]


@pytest.mark.parametrize("uri", ["../x.png", "a/../../x.png", "/x.png", "C:/x.png", "a//b.png"])
def test_pictures_are_never_written_outside_the_folder(tmp_path: Path, uri: str) -> None:
    inner = tmp_path / "in"
    inner.mkdir()
    with pytest.raises(SaveError, match="outside the folder"):
        write(textured(model.Image("t", PNG, "image/png", uri)), inner / "a.glb")
    assert [p.name for p in tmp_path.rglob("*")] == ["in"]


def test_links_do_not_lead_pictures_outside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    try:
        (tmp_path / "in" / "maps").symlink_to(tmp_path / "out", target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(SaveError, match="outside the folder"):
        write(textured(model.Image("t", PNG, "image/png", "maps/x.png")), tmp_path / "in" / "a.glb")


def test_other_pictures_of_the_same_name_stay(tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(b"somebody's own")
    two = [model.Image("t", PNG, "image/png"), model.Image("T", png_bytes(3, 3), "image/png")]
    document = model.Document(
        materials=[
            model.Material(base_color_texture=model.TextureInfo(model.Texture(i))) for i in two
        ]
    )
    for _ in range(2):  # the second time everything is there already
        write(document, tmp_path / "a.gltf")
        assert (tmp_path / "t.png").read_bytes() == b"somebody's own"
        assert (tmp_path / "t-2.png").read_bytes() == PNG
        assert (tmp_path / "T-3.png").read_bytes() == png_bytes(3, 3)
        assert len(list(tmp_path.iterdir())) == 4


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    path.write_bytes(b"old")
    with pytest.raises(SaveError):
        write(model.Document([model.Node("n", mesh=model.Mesh())]), path)
    assert path.read_bytes() == b"old"


def test_scenes_and_inputs_are_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    (tmp_path / "a.bin").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1"))
    document = model.Document([model.Node("n", mesh=model.Mesh([triangle()]))])
    with pytest.raises(SaveError, match="a scene or the like"):
        write(document, path)
    (tmp_path / "a.bin").write_bytes(b"")
    with pytest.raises(SaveError, match="the very file that is read"):
        write(document, path, inputs=[tmp_path / "a.bin"])
    assert not path.exists()
    with pytest.raises(SaveError, match="ends with"):
        write(document, tmp_path / "a.obj")


def test_arrays_are_written_without_copies(tmp_path: Path) -> None:
    """The figure asks for less than four times the output; the arrays themselves are there."""
    count = 300_000
    rows = np.random.default_rng(1).random((count, 3), np.float32)
    primitive = model.Primitive({"POSITION": rows, "NORMAL": rows})
    document = model.Document([model.Node(mesh=model.Mesh([primitive]))])
    tracemalloc.start()
    write(document, tmp_path / "a.glb")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < rows.nbytes / 2
