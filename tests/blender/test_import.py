"""Exports in a real Blender: nothing to complain of, everything there, and all in its place.

Blender has Z up again: a point (x, y, z) of glTF is (x, -z, y) there.  With the bone heuristic
"Blender", X and Y of a bone are X and Y of its joint in glTF, which are X and Z of 3ds Max's node.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.gltf.export.build import build
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.write import write
from maxsidecar.scene.time_range import read_time_range
from tests.support.blender import Look, look
from tests.support.gltf_file import Array, GltfFile

pytestmark = pytest.mark.slow

#: Row i is axis i of Blender in glTF's terms.
UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
#: From the axes of a joint, Z up again, to those of its bone.
ALONG_Y = UP
CLOSE = 1e-4

#: All pairs, and scenes with Skin or Physique: bipeds, bones and CAT rigs.
SCENES = (
    "pairs/AnimatedMeshCameraLight/scene.max",
    "pairs/AnimatedMorphCube/scene.max",
    "pairs/CartoonHouses/scene.max",
    "pairs/CubePosition/scene.max",
    "pairs/CubeRotation/scene.max",
    "pairs/CustomAttributes/scene.max",
    "pairs/DoubleSidedMaterial/scene.max",
    "pairs/ElfFeet/scene.max",
    "pairs/ElfRun/scene.max",
    "pairs/Instances/scene.max",
    "pairs/LightOrientation/scene.max",
    "pairs/PBR_Textures/scene.max",
    "pairs/RiggedElf/scene.max",
    "pairs/SimpleTriangle/scene.max",
    "pairs/TransparencyMode/scene.max",
    "pairs/UnlitMaterial/scene.max",
    "max/KGCA/data__AniMotion__WomanWalk.max",
    "max/KGCA/data__max2016__호랑이_보기.max",
    "max/Dx3D-Study/Media__Walk_Russian blue.max",
    "max/C307-Project/character_models__final_character_files__jacquesfinalrigged.max",
    "max/Native_SDK/Skinning__Media__Man.max",
    "max/Dx3D-Study/디자인__ani_walk_03__ani_wait.max",
)
#: Those of them with skins.
SKINNED = {name for name in SCENES if name.startswith("max/") or "Elf" in name}


class Seen:
    """A scene, its export, and what Blender makes of that.

    Attributes:
        export: The export.
        file: The written file, read by the tests' own reader.
        look: What Blender shows.
        frames: The frames that were looked at, from the start of the animation.
        rate: Frames per second.
    """

    def __init__(self, scene: Path, folder: Path) -> None:
        scene_file = maxsidecar.open(scene)
        span = read_time_range(scene_file)
        self.rate = span.frame_rate
        # Blender joins rotations by lines and knows no tangents of glTF, so all is sampled.
        self.export: Export = build(scene_file, Options(sample=1))
        path = folder / "scene.glb"
        write(self.export.document, path)
        self.file = GltfFile(path)
        last = min(span.frame_count - 1, 90)
        self.frames = [0.0, *(float(last // part) for part in (4, 3, 2)), float(last)]
        self.look: Look = look(path, folder, self.frames, self.rate)

    @property
    def by_id(self) -> dict[str, list[str]]:
        """Names of Blender's objects by the id of the node that they came from."""
        out: dict[str, list[str]] = {}
        for name, item in self.look.facts["objects"].items():
            if "max_id" in item["properties"]:
                out.setdefault(str(item["properties"]["max_id"]), []).append(name)
        return out

    def bones(self) -> dict[str, tuple[str, int]]:
        """Armature and number of bones by the id of the node that they came from."""
        return {
            str(properties["max_id"]): (armature, number)
            for armature, bones in self.look.facts["bones"].items()
            for number, properties in enumerate(bones.values())
            if "max_id" in properties
        }

    def ids(self) -> dict[str, int]:
        """Indices of the file's nodes by the id of the scene's node."""
        return {
            node["extras"]["max_id"]: index
            for index, node in enumerate(self.file.nodes)
            if "max_id" in node.get("extras", {})
        }


@pytest.fixture(scope="module", params=SCENES)
def seen(
    request: pytest.FixtureRequest, corpus: Path, blender: None, tmp_path_factory: Any
) -> Seen:
    scene = corpus / request.param
    if not scene.is_file():
        pytest.skip(f"no {request.param}")
    return Seen(scene, tmp_path_factory.mktemp("blender"))


def test_it_imports_without_a_message(seen: Seen) -> None:
    assert seen.look.messages == []


def test_every_node_is_there_with_its_properties(seen: Seen) -> None:
    """Nodes are objects or bones; all that is written about them is in custom properties."""
    by_id, bones = seen.by_id, seen.bones()
    assert seen.ids()
    for key, index in seen.ids().items():
        wanted = seen.file.nodes[index]["extras"]
        if key in by_id:
            (name, *_) = by_id[key]
            found = seen.look.facts["objects"][name]["properties"]
        else:
            armature, number = bones[key]
            found = list(seen.look.facts["bones"][armature].values())[number]
        assert wanted.keys() <= found.keys()
        for name, value in wanted.items():
            if isinstance(value, str | bool | int):
                assert found[name] == value, (key, name)


def test_skins_are_armatures(seen: Seen, request: pytest.FixtureRequest) -> None:
    joints = {joint for skin in seen.file.json.get("skins", []) for joint in skin["joints"]}
    scene = request.node.callspec.params["seen"]
    assert bool(joints) == (scene in SKINNED)
    bones = seen.bones()
    names = {seen.file.nodes[joint].get("extras", {}).get("max_id") for joint in joints} - {None}
    assert names <= bones.keys()
    bent = [o for o in seen.look.facts["objects"].values() if "ARMATURE" in o["modifiers"]]
    assert len(bent) == sum("skin" in node for node in seen.file.nodes)


def test_animations_are_actions(seen: Seen) -> None:
    names = {clip["name"] for clip in seen.file.animations}
    actions = seen.look.facts["actions"]
    assert len(actions) >= len(names)
    assert all(any(action.startswith(name[:60]) for action in actions) for name in names)
    # The whole range is shown; clips wait in muted tracks.
    if paths(seen) & {"translation", "rotation", "scale"}:
        assert seen.look.facts["shown"] == [seen.file.animations[0]["name"]]


def paths(seen: Seen) -> set[str]:
    """Return what the first animation moves."""
    return {c["target"]["path"] for clip in seen.file.animations[:1] for c in clip["channels"]}


def test_cameras_and_lights_are_there(seen: Seen) -> None:
    facts, file = seen.look.facts, seen.file.json
    assert len(facts["cameras"]) == len(file.get("cameras", []))
    lights = file.get("extensions", {}).get("KHR_lights_punctual", {}).get("lights", [])
    assert len(facts["lights"]) == len(lights)
    kinds = {"point": "POINT", "spot": "SPOT", "directional": "SUN"}
    assert sorted(kinds[x["type"]] for x in lights) == sorted(
        x["type"] for x in facts["lights"].values()
    )


def unit(matrix: Array) -> Array:
    return np.asarray(matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0))


def test_bones_are_where_they_belong(seen: Seen) -> None:
    """Heads and axes of bones at five frames; in scene sizes and in themselves."""
    ids = seen.ids()
    for frame in seen.frames:
        places = seen.file.places(seen.file.poses(0, frame / seen.rate))
        size = max(1.0, float(np.abs(places[:, :3, 3]).max(initial=0.0)))
        for key, (armature, number) in seen.bones().items():
            wanted = UP @ places[ids[key]] @ np.linalg.inv(UP) @ ALONG_Y
            found = seen.look.arrays[f"b:{armature}:{frame}"][number]
            assert np.abs(wanted[:3, 3] - found[:3, 3]).max() <= CLOSE * size, (key, frame)
            assert np.abs(unit(wanted) - unit(found)).max() <= CLOSE, (key, frame)


def test_vertices_are_where_they_belong(seen: Seen) -> None:
    """Blender bends and morphs meshes to where the file says, at five frames.

    An armature has one rest pose, into which the importer bends the meshes first: joints that
    skins share need the same inverse bind matrix in all of them.
    """
    by_id = seen.by_id
    compared = 0
    for frame in seen.frames:
        poses = seen.file.poses(0, frame / seen.rate)
        places = seen.file.places(poses)
        for key, index in seen.ids().items():
            if "mesh" not in seen.file.nodes[index]:
                continue
            names = [n for n in by_id[key] if seen.look.facts["objects"][n]["type"] == "MESH"]
            (name,) = names
            wanted = seen.file.vertices(index, poses, places) @ UP[:3, :3].T
            found = seen.look.arrays[f"v:{name}:{frame}"]
            assert found.shape == wanted.shape, name
            size = float(np.linalg.norm(np.ptp(wanted, axis=0))) or 1.0
            assert np.abs(found - wanted).max() <= CLOSE * size, (name, frame)
            compared += len(wanted)
    assert compared or not seen.file.json.get("meshes")
