"""Which part of a rig a bone is, by the two numbers in its controller.

(Measured on every biped node of the corpus; releases number the nubs differently.)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from maxsidecar.scene.biped.structure import Structure

__all__ = ["LEFT", "RIGHT", "Role", "role_of", "unknown_part"]

#: Sides, as records have them.
RIGHT: Final = 0
LEFT: Final = 1
_NONE: Final = -1


class Role(NamedTuple):
    """A bone of a rig.

    Attributes:
        part: ``com``, ``pelvis``, ``spine``, ``neck``, ``head``, ``tail``, ``pony1``, ``pony2``,
            ``arm``, ``finger``, ``leg``, ``toe``, ``prop``, ``footsteps``, or one of these with
            `` nub`` behind.
        side: :data:`RIGHT` or :data:`LEFT`; -1 for parts in the middle.
        link: Which link of the part.
        digit: Which finger, toe or prop.
    """

    part: str
    side: int = _NONE
    link: int = 0
    digit: int = 0


_SIDED: Final = {
    0: ("arm", LEFT),
    1: ("arm", RIGHT),
    2: ("finger", LEFT),
    3: ("finger", RIGHT),
    4: ("leg", LEFT),
    5: ("leg", RIGHT),
    6: ("toe", LEFT),
    7: ("toe", RIGHT),
}
_MIDDLE: Final = {
    8: "spine",
    9: "tail",
    10: "head",
    11: "pelvis",
    15: "footsteps",
    16: "neck",
    17: "pony1",
    18: "pony2",
}
_PROPS: Final = {19: 0, 20: 1}
_THIRD_PROP: Final = 21
#: Twist links, which have no keys, from release 8 on; left, then right.
_TWISTS: Final = 100
_TWISTED: Final = ("forearm", "upper arm", "thigh", "calf", "horse link")
#: Chains that a rig may have besides, and their ends.
_EXTRA: Final = 200
_EXTRA_NUB: Final = 400
#: The ends of parts follow one another in the same order in every release, behind the parts that
#: have keys: 19 of them in release 4, 24 in 5 to 7, 22 later.  (The public header of the plug-in
#: has the same numbers; no file shows the ponytails of release 4 and the second one of 5.)
_NUBS: Final = {"4": 19, "5": 24, "8": 22}
_ENDS: Final = (
    ("finger", RIGHT), ("finger", LEFT), ("toe", LEFT), ("toe", RIGHT), ("tail", _NONE),
    ("head", _NONE), ("pony1", _NONE), ("pony2", _NONE),
)  # fmt: skip


def role_of(structure: Structure, bone: int, link: int) -> Role | None:
    """Return which bone an id and link stand for; ``None`` for twists and extra chains."""
    sided = _SIDED.get(bone)
    if sided is not None:
        part, side = sided
        if part in ("finger", "toe"):
            return _digit(structure, part, side, link)
        return Role(part, side, link)
    middle = _MIDDLE.get(bone)
    if middle is not None:
        return Role(middle, link=link)
    if bone in _PROPS and structure.layout.ids != "4":
        return Role("prop", digit=_PROPS[bone])
    if bone == _THIRD_PROP and structure.third_prop:
        return Role("prop", digit=2)
    end = bone - _NUBS[structure.layout.ids]
    if not 0 <= end < len(_ENDS):
        return None
    part, side = _ENDS[end]
    return Role(f"{part} nub", side, digit=link)


def unknown_part(structure: Structure, bone: int) -> str:
    """Return what a bone is that :func:`role_of` does not know, as its id says.

    (spec: the public header of the plug-in)
    """
    if bone >= _EXTRA:
        return "the end of an extra chain" if bone >= _EXTRA_NUB else "an extra chain"
    twist, side = divmod(bone - _TWISTS, 2)
    if structure.layout.ids == "5" and bone in (22, 23):
        twist, side = 0, bone - 22
    if 0 <= twist < len(_TWISTED):
        return f"a twist link of the {('left', 'right')[side]} {_TWISTED[twist]}"
    if structure.layout.ids != "4" and bone == _THIRD_PROP:
        return "a third prop"
    return f"a part with the id {bone}"


def _digit(structure: Structure, part: str, side: int, link: int) -> Role | None:
    """Links of fingers and toes are numbered through, digit after digit."""
    limbs = structure.arms if part == "finger" else structure.legs
    if side >= len(limbs):
        return None
    for number, digit in enumerate(limbs[side].digits):
        if link < len(digit.lengths):
            return Role(part, side, link, number)
        link -= len(digit.lengths)
    return None
