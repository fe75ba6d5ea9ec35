"""Views of a biped's system object and of the controllers of its bones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.codecs import I32, U32, Array
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.controllers.base import TransformController
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.biped.roles import Role
    from maxsidecar.scene.biped.sets import RecordSets
    from maxsidecar.scene.biped.structure import Structure
    from maxsidecar.scene.biped.tracks import Track

__all__ = [
    "BipedBody",
    "BipedController",
    "BipedFootsteps",
    "BipedMember",
    "BipedPart",
    "BipedSystem",
    "Rig",
    "track_of",
]

#: Class of the system object.
SYSTEM: Final = 0x9155

_IN_PLACE: Final = 0x014B

#: Ids of controllers that stand for the height, place and turn of the centre of mass; no node has
#: one of them.
_COM_TRACKS: Final = (12, 13, 14)

#: Records that hold numbers only, and records that mix them with counts.
_LAYOUT: Final = """
0101=u32 0103=u32 0105=u32 0109=u32 0114=u32 0115:body_type=i32 0119=i32 0190=u32 0200=u32 0203=u32
0204=u32 0205=u32 0320=u32 0322=u32 0113=u32 0100:link_counts=u32s 0102=raw 0107=u32x2 0108=u32x2
0110=u32s 0111=u32s 0116=u32s 0104:present=f32x16 0112:linked_to=f32x12 0117:move_all=f32x16
0118=f32x32 0201=u32s 0202=u32s 0325=i32s 0328=raw 0329=raw
0500=u32 0501=u32x3 0502=raw 0503=raw 0504=mark 0505=u32 0506=u32 0507=raw 0508=raw 0509=raw
050a=raw
000a=u32s 000b:spine=u32s 000c:head_length=f32 000d:neck=u32s 000e:tail=u32s 000f:legs=u32s
0010:arms=u32s 0011=mark 0012=u32 0013:ponytail_1=u32s 0014:ponytail_2=u32s 0015=u32s 0016=u32s
0017=u32s 0018=u32s 0019=f32s 001a=u32s 001b=f32s 001c=raw 001d=raw 001e=u32s 001f=u32s 0020=u32s
0021=u32s 0022=u32s 0023=u32s 0024=u32s
0064:head_pose=u32s 0065:neck_pose=u32s 0066:pelvis_pose=u32s 0067:spine_pose=u32s
0068:tail_pose=u32s 0069:leg_pose=u32s 006a:arm_pose=u32s 006b=mark 006c:com_pose=f32x12
006d:ponytail_1_pose=u32s 006e:ponytail_2_pose=u32s 006f=u32s 0070=u32s 0073=u32s
0071=u32s 0072=u32s 00c8=u32 00c9=u32s 00ca:dynamics=f32s 00cb=mark 00cc=u32 00ce=u32 00cf=u32s
0126=u32s 0127=u32s 0128=u32s 0129=u32s 012a=u32s 012b=u32s
012c:horizontal_keys=u32s 012d:horizontal_times=u32s 012e:turn_keys=u32s 012f:turn_times=u32s
0130:vertical_keys=u32s 0131:vertical_times=u32s 0132:pelvis_keys=u32s 0133:pelvis_times=u32s
0134:right_arm_keys=u32s 0135:right_arm_times=u32s 0136:left_arm_keys=u32s
0137:left_arm_times=u32s 0138:right_leg_keys=u32s 0139:right_leg_times=u32s
013a:left_leg_keys=u32s 013b:left_leg_times=u32s 013c:spine_keys=u32s 013d:spine_times=u32s
013e:head_keys=u32s 013f:head_times=u32s 0140=u32s 0141=mark 0142:tail_keys=u32s
0143:tail_times=u32s 0144=u32 0145=u32s 0146=raw 0147:ponytail_1_keys=u32s
0148:ponytail_1_times=u32s 0149:ponytail_2_keys=u32s 014a:ponytail_2_times=u32s
014b:in_place=u32x2 014d=u32s 015e:separate_tracks=u32s 015f=u32s 0160=u32s 0191=u32s
01f4:body_sizes=f32s 01f5:neck_sizes=f32s 01f7:spine_sizes=f32s 01f8:tail_sizes=f32s
01f9:leg_sizes=f32s 01fa:arm_sizes=f32s 01fb=mark 01fc:ponytail_sizes=f32s 01fe=f32s 01ff=f32s
0258=u32s 0259=u32s 025a=u32s 025b=u32s 025c=u32s 025d=u32s 025e=u32s 025f=mark 0260=f32x12
0261=u32s 0262=u32s 0263=u32s 0264=u32s
0708=u32 0709=raw 070a=raw 070b=u32s 070d=raw 070e=raw
"""


@dataclass(slots=True)
class Rig:
    """What a system object says, read once.

    Attributes:
        sets: Its chunks by set.
        structure: Its parts.
        roles: The bones that it has.
        tracks: Keys by track; those without keys are absent.
        problems: Tracks and parts that cannot be read.
        in_place: Which of the modes In Place, In Place X and In Place Y is on, 0 for none.  They
            are modes of the display: places follow the keys whatever it says, as exporters that
            switch the modes off have it.  (Measured: with 1 the stored places of feet go on.)
    """

    sets: RecordSets
    structure: Structure
    roles: frozenset[Role]
    tracks: dict[str, Track]
    problems: list[str] = field(default_factory=list)
    in_place: int = 0


@register(superclass=0x60, class_id=(SYSTEM, 0))
class BipedSystem(LaidOut):
    """The object behind all bones of a biped: structure, figure pose, keys, clipboard.

    Ids repeat: see :mod:`maxsidecar.scene.biped.sets`.  Records that mix counts with numbers are
    shown as integers, which keeps every bit.
    """

    __slots__ = ("_draft", "_rig")
    _rig: tuple[int, Rig | DecodeError]
    _draft: Rig | None
    layout = Layout.read(_LAYOUT, COMMON)

    @property
    def rig(self) -> Rig:
        """What the chunks say, kept until the object is edited.

        Raises:
            DecodeError: The layout is not known, as that of 1997, or the records do not fit.
        """
        draft: Rig | None = getattr(self, "_draft", None)
        if draft is not None:
            return draft
        revision = self.data.revision
        kept: tuple[int, Rig | DecodeError] | None = getattr(self, "_rig", None)
        if kept is None or kept[0] != revision:
            kept = self._rig = (revision, self._read())
        if isinstance(kept[1], DecodeError):
            raise kept[1]
        return kept[1]

    @contextmanager
    def editing(self) -> Iterator[None]:
        """Keep what is changed inside, and write it at the end, all at once.

        So that many edits take no longer than one.  Numbers of poses, sizes and keys are read as
        they were changed; the rig's structure and tracks are decoded anew at the end only.  An
        error drops the changes, but for those of other objects, as of the nodes of bones.

        Raises:
            DecodeError: The system is not stored as is known.
            EditError: The system is read-only.
        """
        from maxsidecar.scene.biped.values import Draft

        if getattr(self, "_draft", None) is not None:
            yield
            return
        rig = self.rig
        draft = Draft(rig.sets.live)
        self._draft = replace(rig, sets=replace(rig.sets, live=draft))
        try:
            yield
        finally:
            self._draft = None
        draft.save()

    def _read(self) -> Rig | DecodeError:
        import numpy as np

        from maxsidecar.scene.biped.forward import bones_of, spaces_agree
        from maxsidecar.scene.biped.posture import figure_posture
        from maxsidecar.scene.biped.props import THIRD
        from maxsidecar.scene.biped.roles import Role
        from maxsidecar.scene.biped.sets import split_sets
        from maxsidecar.scene.biped.structure import integers_of, read_structure
        from maxsidecar.scene.biped.tracks import has_keys, read_tracks

        sets = split_sets(self.chunks())
        try:
            structure = read_structure(sets.live, sets.common)
            with np.errstate(all="ignore"):
                posture = figure_posture(structure, sets.live)
                bones = bones_of(structure, posture)
                third = posture.props.get(THIRD)
                if third is not None and spaces_agree(bones, third, structure.height):
                    structure = replace(structure, third_prop=True)
                elif third is not None:
                    del bones[Role("prop", digit=THIRD)]
                tracks, problems = read_tracks(structure, sets.live)
        except DecodeError as error:
            return DecodeError(
                error.message, self.where, expected=error.expected, found=error.found
            )
        layers = sum(map(has_keys, sets.layers))
        if layers:
            problems.append(f"keys of {layers} layers: left out, only the keys below them count")
        mode = integers_of(sets.live.get(_IN_PLACE))
        return Rig(
            sets,
            structure,
            frozenset(bones),
            tracks,
            [*structure.lost, *problems],
            int(mode[0]) if len(mode) else 0,
        )


class BipedMember(TransformController):
    """Places a node as the system object of a biped says."""

    __slots__ = ()
    known = True

    @property
    def system(self) -> BipedSystem | None:
        """The system object; ``None`` where slot 0 leads elsewhere.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        index = self.references.get(0)
        if index is None or index >= len(self.scene):
            return None
        found = self.scene[index]
        return found if isinstance(found, BipedSystem) else None

    @property
    def role(self) -> Role | None:
        """Which bone it places; ``None`` for one whose place is not understood.

        Raises:
            DecodeError: The controller, or the system, is not stored as is known.
        """
        raise NotImplementedError

    def _only(self, part: str) -> Role:
        """Return the bone of a part that a rig has once."""
        from maxsidecar.scene.biped.roles import Role

        if (system := self.system) is not None:
            _ = system.rig  # raises where it cannot be read
        return Role(part)

    @property
    def obstacle(self) -> str | None:
        """Why the bone cannot be placed."""
        try:
            system = self.system
            if system is None:
                return "biped: slot 0 leads to no system object"
            role = self.role
            if role is None:
                return "biped: what this node is is not known"
            if role not in system.rig.roles:
                lost = "; ".join(system.rig.structure.lost)
                return f"biped: the system has no such bone{lost and f'; {lost}'}"
        except DecodeError as error:
            return f"biped: {error.message}"
        return None

    @property
    def doubt(self) -> str | None:
        """Why the place need not be right between the keys."""
        try:
            system, role = self.system, self.role
            if system is None or role is None:
                return None
            from maxsidecar.scene.biped.doubts import doubt_of, layered

            return doubt_of(system.rig, role) or layered(self)
        except MaxSidecarError:
            return None


class BipedController(BipedMember):
    """Places a bone of a biped."""

    __slots__ = ()


@register(superclass=0x9008, class_id=(0x9154, 0))
class BipedPart(BipedController):
    """The controller of any bone but the centre of mass."""

    __slots__ = ()
    bone = ChunkField(0x0200, Array(I32, 2), doc="id of the part, and which link of it")
    chunk_0201 = ChunkField(0x0201, U32, doc="open")

    @property
    def role(self) -> Role | None:
        """Which bone it places."""
        from maxsidecar.scene.biped.roles import role_of

        system, bone = self.system, self.bone
        if system is None or bone is None:
            return None
        return role_of(system.rig.structure, *bone)

    @property
    def obstacle(self) -> str | None:
        """Why the bone cannot be placed."""
        from maxsidecar.scene.biped.roles import unknown_part

        try:
            bone, system = self.bone, self.system
            if bone is not None and bone[0] in _COM_TRACKS:
                return "biped: keys of the centre of mass, no bone"
            if bone is not None and system is not None and self.role is None:
                part = unknown_part(system.rig.structure, bone[0])
                return f"biped: where {part} is is not known"
        except DecodeError as error:
            return f"biped: {error.message}"
        return super().obstacle


@register(superclass=0x9008, class_id=(0x9156, 0))
class BipedBody(BipedController):
    """The controller of the centre of mass."""

    __slots__ = ()

    @property
    def role(self) -> Role | None:
        """The centre of mass."""
        return self._only("com")


@register(superclass=0x9008, class_id=(0x3011, 0))
class BipedFootsteps(BipedMember):
    """The controller of the node that shows footprints; it is no bone.

    Earlier releases hang a plain node below the centre of mass.
    """

    __slots__ = ()

    @property
    def role(self) -> Role | None:
        """The footsteps."""
        return self._only("footsteps")


def track_of(role: Role) -> str:
    """Return the name of the track that moves a bone."""
    part = role.part.removesuffix(" nub")
    if part in ("arm", "finger", "leg", "toe"):
        limb = "arm" if part in ("arm", "finger") else "leg"
        return f"{('right', 'left')[role.side]} {limb}"
    if part == "prop":
        return f"prop{role.digit + 1}"
    return {"com": "turn", "neck": "head"}.get(part, part)
