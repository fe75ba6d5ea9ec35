"""Lights and cameras of real scenes, and of the glTF files exported from them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from maxsidecar.scene.cameras import Camera, StandardCamera, vertical_fov
from maxsidecar.scene.lights import PhotometricLight, StandardLight
from maxsidecar.scene.maxfile import open_file
from maxsidecar.scene.targets import target_of

#: The exporter writes the picture of its own default, 640 x 480.
ASPECT = 640 / 480


def test_spots(corpus: Path) -> None:
    """Intensity is the multiplier; the outer angle is half the falloff."""
    folder = corpus / "pairs" / "LightOrientation"
    exported = json.loads((folder / "LightOrientation.gltf").read_text(encoding="utf-8-sig"))
    lights = exported["extensions"]["KHR_lights_punctual"]["lights"]
    file = open_file(folder / "scene.max")
    count = 0
    for node in exported["nodes"]:
        link = node.get("extensions", {}).get("KHR_lights_punctual")
        if link is None:
            continue
        light, (found,) = lights[link["light"]], file.nodes.find(node["name"])
        obj = found.base_object
        assert isinstance(obj, StandardLight)
        assert obj.shape == light["type"]
        assert obj.multiplier() == light["intensity"]
        assert obj.color() == tuple(light["color"])
        cone = obj.cone()
        assert cone is not None
        assert cone[1] == pytest.approx(light["spot"]["outerConeAngle"], abs=1e-6)
        assert cone[0] < cone[1]
        count += 1
    assert count == 4


def test_cameras(corpus: Path) -> None:
    count = 0
    for name in ("AnimatedMeshCameraLight", "CustomAttributes"):
        folder = corpus / "pairs" / name
        exported = json.loads((folder / f"{name}.gltf").read_text(encoding="utf-8-sig"))
        file = open_file(folder / "scene.max")
        for node in exported["nodes"]:
            if "camera" not in node:
                continue
            camera = exported["cameras"][node["camera"]]
            (found,) = file.nodes.find(node["name"])
            obj = found.base_object
            assert isinstance(obj, StandardCamera)
            fov = obj.fov()
            assert fov is not None
            expected = camera["perspective"]["yfov"]
            assert vertical_fov(fov, ASPECT) == pytest.approx(expected, abs=1e-6)
            count += 1
    assert count == 6


@pytest.mark.slow
def test_targets_and_exclusions(corpus_files: tuple[Path, ...]) -> None:
    targets = excluded = flags = 0
    for path in corpus_files:
        file = open_file(path)
        for node in file.nodes.values():
            obj = node.base_object
            if isinstance(obj, StandardCamera):
                # The chunk that marks a target camera is there exactly on that class.
                class_id = obj.class_id
                assert class_id is not None
                assert bool(obj.has_target) == (class_id.a == 0x1002)
                flags += 1
            if isinstance(obj, StandardLight | Camera):
                target = target_of(node)
                if target is not None:
                    assert target.flag("target") or target.base_object is not None
                    targets += bool(target.flag("target"))
                if isinstance(obj, Camera) and obj.clipping() is not None:
                    near, far = obj.clipping() or (0, 0)
                    assert 0 <= near < far
                    assert 0 < (obj.fov() or 1) < math.pi
            if isinstance(obj, StandardLight | PhotometricLight) and obj.exclusion is not None:
                handles = obj.exclusion.handles
                excluded += len(handles)
                assert len(obj.exclusion.nodes(obj)) == len(handles)
    assert flags
    assert targets >= flags / 4
    assert excluded
