"""Bones that a rig does not place: they stand as they were bound, and say what they are."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.rest import rest_matrices
from maxsidecar.scene.transform import Pose
from tests.support.biped_layouts import RELEASES
from tests.support.biped_records import system_chunks
from tests.support.biped_rigs import plain_neck, random_rig
from tests.support.scenes import SceneMaker
from tests.support.skins import about_z, place, skin_layer
from tests.support.stacks import Stack

SYSTEM, PART, BODY = (0x9155, 0, 0x60), (0x9154, 0, 0x9008), (0x9156, 0, 0x9008)
#: Release, id and link, and what its controller says.
UNKNOWN = [
    ("5 to 7", 22, 0, "a twist link of the left forearm"),
    ("5 to 7", 23, 2, "a twist link of the right forearm"),
    ("8", 100, 3, "a twist link of the left forearm"),
    ("2012", 105, 0, "a twist link of the right thigh"),
    ("2016 to 2019", 109, 1, "a twist link of the right horse link"),
    ("8", 21, 0, "a third prop"),
    ("2009", 200, 1, "an extra chain"),
    ("2016 to 2019", 403, 0, "the end of an extra chain"),
    ("2016 to 2019", 110, 0, "a part with the id 110"),
    ("4.2", 31, 0, "a part with the id 31"),
]


def rig(
    release: str, bone: int, link: int, *, bound: tuple[str, ...]
) -> tuple[Scene, dict[str, int]]:
    """Return a scene with a forearm, an unknown bone below, and a node below that."""
    maker = SceneMaker()
    made = random_rig(5)
    made = made if RELEASES[release].neck_matrix else plain_neck(made)
    system = maker.add(SYSTEM, system_chunks(RELEASES[release], made))

    def part(bone: int, link: int) -> int:
        return maker.add(PART, [(0x0200, pack("<2i", bone, link))], [system])

    nodes = {"body": maker.node("body", maker.add(BODY, (), [system]))}
    nodes["forearm"] = maker.node("forearm", part(0, 2), nodes["body"])
    nodes["unknown"] = maker.node("unknown", part(bone, link), nodes["forearm"])
    nodes["leaf"] = maker.node("leaf", maker.transform((1, 0, 0)), nodes["unknown"])
    binds = {"forearm": about_z(20, 1, 2, 3), "unknown": about_z(50, 4, 2, 3)}
    pulls = [[(number, 1.0) for number in range(len(bound))]] * 5
    layer = skin_layer([nodes[name] for name in bound], [binds[name] for name in bound], pulls)
    maker.node("mesh", None, object_=Stack([layer], maker=maker).top)
    return maker.scene(), nodes


@pytest.mark.parametrize(("release", "bone", "link", "what"), UNKNOWN)
def test_they_stand_to_their_parent_as_both_were_bound(
    release: str, bone: int, link: int, what: str
) -> None:
    scene, nodes = rig(release, bone, link, bound=("forearm", "unknown"))
    rest = rest_matrices(scene)
    told = f"biped: where {what} is is not known"
    assert rest.reasons == {nodes["unknown"]: told}
    assert rest.unknown == {}
    times = np.arange(0.0, 1600.0, 80.0)
    pose = Pose(scene, times, rest.matrices)
    bound = about_z(50, 4, 2, 3) @ np.linalg.inv(about_z(20, 1, 2, 3))
    parent = pose.world(scene.nodes[nodes["forearm"]])
    assert np.ptp(parent, axis=0).max() > 0.1
    unknown = pose.world(scene.nodes[nodes["unknown"]])
    assert unknown == pytest.approx(bound @ parent, abs=1e-5)
    leaf = pose.world(scene.nodes[nodes["leaf"]])
    assert leaf == pytest.approx(place(1) @ unknown, abs=1e-5)
    assert told not in pose.problems.values()


@pytest.mark.parametrize("bound", [("forearm",), ("unknown",)])
def test_where_only_one_of_them_was_bound(bound: tuple[str, ...]) -> None:
    scene, nodes = rig("5 to 7", 22, 0, bound=bound)
    rest = rest_matrices(scene)
    pose = Pose(scene, 0, rest.matrices)
    unknown = pose.world(scene.nodes[nodes["unknown"]])[0]
    if bound == ("unknown",):
        # Its parent's place is known from the rig: it stands where it was bound.
        assert unknown == pytest.approx(about_z(50, 4, 2, 3), abs=1e-5)
        return
    assert list(rest.unknown) == [nodes["unknown"]]
    assert unknown == pytest.approx(pose.world(scene.nodes[nodes["forearm"]])[0])
    index = scene.nodes[nodes["unknown"]].controller.index  # type: ignore[union-attr]
    assert "twist link of the left forearm" in pose.problems[index]
