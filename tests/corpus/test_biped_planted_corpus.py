"""Keys of limbs that inverse kinematics held in place, in real scenes."""

from __future__ import annotations

from pathlib import Path

import maxsidecar
from maxsidecar.scene.biped.system import BipedSystem, Rig

RELEASE_5 = "Dx3D-Study/Media__*_Russian blue.max"
RELEASE_7 = "KGCA/data__AniMotion__WomanWalk.max"
RELEASE_8 = "Dx3D-Study/*ani_*.max"
#: Which keys of a leg are planted, found by reading the records one by one.
PLANTED = {
    "data__AniMotion__WomanWalk.max": {"right leg": [1, 2, 3], "left leg": [5, 6, 7]},
    "Media__Walk_Russian blue.max": {"right leg": [*range(7)], "left leg": [*range(7)]},
    "Media__Idle_Russian blue.max": {"right leg": [*range(3)], "left leg": [*range(3)]},
}


def rig_of(path: Path) -> Rig:
    """Return the rig of a scene that has one."""
    systems = [item for item in maxsidecar.open(path).scene if isinstance(item, BipedSystem)]
    assert len(systems) == 1
    return systems[0].rig


def test_blend_is_where_the_layout_says(corpus: Path) -> None:
    """The flag in front of the blend says the same: 2 where it is 1, and 0 where it is 0."""
    for pattern in (RELEASE_5, RELEASE_7, RELEASE_8):
        for path in sorted((corpus / "max").glob(pattern)):
            rig = rig_of(path)
            layout = rig.structure.layout
            assert layout.blend == (9 if layout.leg == 104 else 12)
            for name in ("right leg", "left leg", "right arm", "left arm"):
                track = rig.tracks[name]
                blend = track.records[:, layout.blend]
                expected = PLANTED.get(path.name, {}).get(name, [])
                assert (blend == 1.0).nonzero()[0].tolist() == expected, (path, name)
                # What is left of 0 is no blend.
                assert blend[blend != 1.0].max(initial=0.0) < 1e-11
                flags = track.counts[:, layout.blend - 1]
                assert flags.tolist() == [2 if value == 1.0 else 0 for value in blend]
