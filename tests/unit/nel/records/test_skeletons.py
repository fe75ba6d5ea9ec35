"""Skeletons, and what animations do to them."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.records.models import model_of
from maxsidecar.nel.records.skeletons import bones_of, motion_of
from maxsidecar.nel.serial.classes.animation import CAnimation
from maxsidecar.nel.serial.classes.basic import CMatrix
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.mesh import CMatrixBlock, CMesh, CRdrPass
from maxsidecar.nel.serial.classes.skeleton import CBoneBase, CSkeletonShape
from maxsidecar.nel.serial.classes.track import (
    CTrackDefaultFloat,
    CTrackDefaultQuat,
    CTrackDefaultVector,
    CTrackKeyFramerLinearVector,
)


def moved(x: float, y: float, z: float) -> CMatrix:
    return CMatrix(state=1, translation=(x, y, z))


def skeleton(*, unherit: bool = True) -> CSkeletonShape:
    return CSkeletonShape(
        bones=[
            CBoneBase(name="root", inv_bind_pos=moved(-1, 0, 0)),
            CBoneBase(
                name="arm",
                father_id=0,
                inv_bind_pos=moved(-1, -2, 0),
                default_pos=(0.0, 2.0, 0.0),
                unherit_scale=unherit,
            ),
        ]
    )


def animation(**tracks: Any) -> CAnimation:
    made = CAnimation()
    for key, track in sorted(tracks.items()):
        made.id_by_name[key.replace("__", ".")] = len(made.tracks)
        made.tracks.append(track)
    return made


def test_bones() -> None:
    root, arm = bones_of(skeleton())
    assert (root.name, root.parent, arm.parent) == ("root", -1, 0)
    assert arm.inverse_bind[:3, 3].tolist() == [-1, -2, 0]


def test_the_rows_of_a_matrix_are_its_rows() -> None:
    """The nine numbers are the x of I, J and K, then the y, then the z."""
    turned = CMatrix(state=2, rotation=(0, -1, 0, 1, 0, 0, 0, 0, 1))
    (bone,) = bones_of(CSkeletonShape(bones=[CBoneBase(inv_bind_pos=turned)]))
    assert (bone.inverse_bind[:3, :3] @ [1, 0, 0]).tolist() == [0, 1, 0]


@pytest.mark.parametrize("father", [1, 5, -2])
def test_parents_come_first(father: int) -> None:
    with pytest.raises(DecodeError, match="parent of bone 1"):
        bones_of(CSkeletonShape(bones=[CBoneBase(), CBoneBase(father_id=father)]))


@pytest.mark.parametrize(("unherit", "size"), [(True, 1.0), (False, 3.0)])
def test_scale_moves_children_and_grows_them_only_where_it_is_inherited(
    unherit: bool, size: float
) -> None:
    found = motion_of(
        skeleton(unherit=unherit),
        animation(root__scale=CTrackDefaultVector(value=(3.0, 3.0, 3.0))),
        [],
    )
    assert found is not None
    arm = found.matrices[1][0]
    assert arm[:3, 3].tolist() == [0, 6, 0]
    assert arm[:3, :3].tolist() == (np.eye(3) * size).tolist()


def test_a_rotation_turns_what_hangs_below() -> None:
    quarter = (0.0, 0.0, -sin(pi / 4), -cos(pi / 4))
    notes: list[str] = []
    tracks = animation(root__rotquat=CTrackDefaultQuat(value=quarter), other__pos=_walk())
    found = motion_of(skeleton(), tracks, notes, "wave")
    assert found is not None
    assert found.name == "wave"
    # From y to -x, by the negated quaternion of the game's files.
    assert found.matrices[1][0][:3, 3] == pytest.approx([-2, 0, 0], abs=1e-7)
    assert notes == ["1 of the tracks move no bone of the skeleton"]


def _walk() -> CTrackKeyFramerLinearVector:
    track = CTrackKeyFramerLinearVector()
    keys = np.zeros(2, track.keys.dtype)
    keys["time"] = [1.0, 2.0]
    keys["value"] = [(0, 0, 0), (30, 0, 0)]
    track.keys = keys
    return track


def test_frames_are_thirty_in_a_second() -> None:
    found = motion_of(skeleton(), animation(root__pos=_walk()), [])
    assert found is not None
    assert len(found.times) == 31
    assert found.times[[0, 1, -1]] == pytest.approx([1.0, 1 + 1 / 30, 2.0])
    assert found.matrices[0][:, 0, 3] == pytest.approx(np.arange(31))


def test_a_long_animation_has_fewer_frames() -> None:
    track = _walk()
    keys = track.keys.copy()
    keys["time"] = [0.0, 1e6]
    track.keys = keys
    found = motion_of(skeleton(), animation(root__pos=track), [])
    assert found is not None
    assert len(found.times) == 9000


def test_tracks_of_the_wrong_kind_are_told() -> None:
    notes: list[str] = []
    tracks = animation(root__pos=CTrackDefaultFloat(value=1.0), root__scale=_walk())
    found = motion_of(skeleton(), tracks, notes)
    assert found is not None
    assert notes == ["root.pos: a CTrackDefaultFloat is of another kind"]


def test_an_animation_of_nothing() -> None:
    notes: list[str] = []
    assert motion_of(skeleton(), animation(other__pos=_walk()), notes) is None
    record = model_of(skeleton(), animation=animation(other__pos=_walk()))
    assert "the animation moves nothing of this" in record.notes


def shape() -> CMesh:
    mesh = CMesh()
    mesh.geom.vertex_buffer = CVertexBuffer.of(0, position=[(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    faces = CRdrPass(primitives=CIndexBuffer.of([(0, 1, 2)]))
    mesh.geom.matrix_blocks.append(CMatrixBlock(rdr_passes=[faces]))
    return mesh


@pytest.mark.parametrize("prefix", ["", "tree__"])
def test_a_mesh_without_bones_moves_itself(prefix: str) -> None:
    record = model_of(shape(), animation=animation(**{f"{prefix}pos": _walk()}))
    assert record.motion is not None
    assert record.motion.matrices[0][-1, :3, 3].tolist() == [30, 0, 0]


def test_several_nodes_need_a_skeleton() -> None:
    record = model_of(shape(), animation=animation(a__pos=_walk(), b__pos=_walk()))
    assert record.motion is None
    assert any("no skeleton" in note for note in record.notes)


def test_two_skeletons_are_one_too_many() -> None:
    with pytest.raises(DecodeError, match="two skeletons"):
        model_of(skeleton(), skeleton=skeleton())


def test_tracks_that_are_no_numbers_are_told(recwarn: pytest.WarningsRecorder) -> None:
    track = _walk()
    keys = track.keys.copy()
    keys["value"][0] = np.nan
    track.keys = keys
    record = model_of(skeleton(), animation=animation(root__pos=track, arm__pos=_walk()))
    assert record.motion is not None
    assert all(np.isfinite(matrices).all() for matrices in record.motion.matrices)
    assert any("no finite numbers" in note for note in record.notes)
    assert not recwarn.list


def test_a_bind_pose_that_is_no_number_is_refused() -> None:
    bone = CBoneBase(inv_bind_pos=moved(float("inf"), 0, 0))
    with pytest.raises(DecodeError, match="bind pose of bone 0"):
        bones_of(CSkeletonShape(bones=[bone]))
