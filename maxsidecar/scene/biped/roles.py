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
#: Chains that releases from 2008 on let a rig have besides, and their ends.
_EXTRA: Final = 200
#: Of release 4 the ends of ponytails, and of release 5 that of the second one, are not seen in any
#: file: every other release numbers the ends one after the other in this order.
_NUBS: Final[dict[str, dict[int, tuple[str, int]]]] = {
    "4": {
        19: ("finger", RIGHT), 20: ("finger", LEFT), 21: ("toe", LEFT), 22: ("toe", RIGHT),
        23: ("tail", _NONE), 24: ("head", _NONE), 25: ("pony1", _NONE), 26: ("pony2", _NONE),
    },
    "5": {
        24: ("finger", RIGHT), 25: ("finger", LEFT), 26: ("toe", LEFT), 27: ("toe", RIGHT),
        28: ("tail", _NONE), 29: ("head", _NONE), 30: ("pony1", _NONE), 31: ("pony2", _NONE),
    },
    "8": {
        22: ("finger", RIGHT), 23: ("finger", LEFT), 24: ("toe", LEFT), 25: ("toe", RIGHT),
        26: ("tail", _NONE), 27: ("head", _NONE), 28: ("pony1", _NONE), 29: ("pony2", _NONE),
    },
}  # fmt: skip


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
    nub = _NUBS[structure.layout.ids].get(bone)
    if nub is None:
        return None
    part, side = nub
    return Role(f"{part} nub", side, digit=link)


def unknown_part(structure: Structure, bone: int) -> str:
    """Return what a bone is that :func:`role_of` does not know, as far as its id tells."""
    if bone >= _EXTRA:
        return "an extra chain"
    if structure.layout.ids == "5" and bone in (22, 23):
        return "a link of the forearm's twist"
    if structure.layout.ids != "4" and bone == _THIRD_PROP:
        return "a third prop"
    return f"a part with the id {bone}, a twist link perhaps"


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
