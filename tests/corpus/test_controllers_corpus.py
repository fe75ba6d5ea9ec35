"""Every controller of every real scene: stored values are reproduced, and what is not says why.

A keyframe controller stores the last value that 3ds Max computed for it, with the interval in
which that value holds.  Where there are keys that is an independent result of interpolation.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

import maxsidecar
from maxsidecar.scene.biped.system import BipedPart
from maxsidecar.scene.controllers import FOREVER, NEVER, Controller, KeyedController, layouts
from maxsidecar.scene.controllers.compile import tcb_tangents
from maxsidecar.scene.controllers.derived_columns import refreshed
from maxsidecar.scene.controllers.key_flags import STALE_TURN
from maxsidecar.scene.controllers.keyed import TCBRotation
from maxsidecar.scene.controllers.other import IKControl
from maxsidecar.scene.controllers.rotations import FloatArray
from maxsidecar.scene.matrices import compose

#: One step of a 32-bit float, and what arithmetic in such floats may add to it.
CLOSE = 2e-7

#: What is evaluated by formulas, or with settings, that no file proves (docs/format/controllers.md
#: section 10), and how often.
DOUBTED = {
    "Bezier Scale: a scale frame that changes, whose formula is not proved": 11,
    "Bezier Float: out-of-range type 'ping-pong', whose formula is not proved": 3,
    "Position XYZ: out-of-range types 'ping-pong' and 'ping-pong' of its own, which are not "
    "applied": 1,
    "Position/Rotation/Scale: does not inherit move z, rotate x y z, scale x y z, whose effect is "
    "not proved": 3,
    "BipSlave Control: biped: between planted keys a model moves the leg, which no sampled file "
    "proves": 30,
    "BipSlave Control: biped: how fingers move between their keys is not proved by a file": 14,
}


#: Classes that are not evaluated, by (class id, superclass), and why that is right.
NOT_EVALUATED = {
    **dict.fromkeys(
        [
            (0x1F8C3646, 0x9003),  # block manager
            (0x5A1B661E, 0x9003),  # propagation (instance) manager
            (0x368D1139, 0x9003),  # scene effect loader
            (0x7611206F, 0x9003),  # shared motion flows
            (0x7B7E1832, 0x9003),  # reservoir
            (0x288863B5, 0x9003),  # populate
            (0x37E203DE, 0x9003),  # another object manager
        ],
        "managers that plug-ins keep among the float controllers; they have no value",
    ),
    **dict.fromkeys(
        [(0x6B147369, 0x9003)],
        "sub-animation of bipeds",
    ),
    **dict.fromkeys(
        [
            *((a, 0x9003) for a in (0x40585238, 0x72ED43DC, 0x265E07A8, 0x43BF76AC, 0x742D30AC)),
            *((a, 0x9008) for a in (0x18D026A1, 0x1ADF2684, 0x1F781BE7, 0x485A734C, 0x542E413E)),
            *((a, 0x9008) for a in (0x4EDF6DDE, 0x6E341CBA, 0x1CBB1D2F, 0x68C00456, 0x71AF1A7D)),
        ],
        "CAT rigs are posed by their own system",
    ),
    (0x0E6F5815, 0x9008): "inverse kinematics: a solver decides",
    **dict.fromkeys(
        [(0x498702E6, 0x9003), (0x498702E7, 0x9003), (0x7C8F3A2A, 0x900D)],
        "scripts and expressions are not run",
    ),
    (0x87A6DF27, 0x900C): "procedural noise",
    (0x17127E3E, 0x9003): "limits of another controller, by parameters without a proof",
    **dict.fromkeys(
        [(0x2011, 0x900B), (0x2020, 0x900C), (0x2021, 0x900C)],
        "constraints: no twin file proves a formula",
    ),
}


def compared(kind: str, values: FloatArray) -> FloatArray:
    """Return values in the form in which they are compared.

    Quaternions that differ in sign are the same rotation.  Scales are compared as matrices, for
    with equal factors the frame in which they apply means nothing: 3ds Max then stores none in
    five values of one scene, whose keys have one.
    """
    if kind == "rotation":
        return values * (1.0 if values[np.argmax(np.abs(values))] >= 0 else -1.0)
    if kind == "scale":
        matrix = compose(np.zeros((1, 3)), np.array([[0.0, 0, 0, 1]]), values[None])
        return np.asarray(matrix[0, :3, :3]).ravel()
    return values


def error(controller: KeyedController, time: float, size: float) -> float:
    """Return how far a controller's value is from the stored one, as a share of a size."""
    ours = np.atleast_1d(controller.evaluate(time))
    stored = np.array(controller.stored)
    same_nan = np.array_equal(np.isnan(ours), np.isnan(stored))
    assert same_nan, controller
    known = ~np.isnan(stored)
    a, b = (compared(controller.kind, np.where(known, v, 0.0)) for v in (ours, stored))
    return float(np.abs(a - b).max()) / size


def test_stored_values_are_reproduced(corpus_files: tuple[Path, ...]) -> None:
    counts: Counter[str] = Counter()
    worst: dict[str, float] = {}
    wrong: list[str] = []
    for path in corpus_files:
        for obj in maxsidecar.open(path).scene:
            if not isinstance(obj, KeyedController):
                continue
            assert obj.obstacle is None, (path, obj, obj.obstacle)
            keys = obj.keys
            interval = obj.body.interval
            if keys is None:
                kind, time, size = "without keys", 0, 1.0
                size = max(1e-30, float(np.nanmax(np.abs(obj.stored))))
            elif interval == NEVER:
                counts["marked as valid at no time"] += 1
                continue
            else:
                time = int(keys["time"][0]) if interval == FOREVER else interval[0]
                inside = keys["time"][0] <= time <= keys["time"][-1]
                on_key = time in keys["time"] or not inside
                kind = f"{'on' if on_key else 'between'} keys"
                size = max(1e-30, float(np.abs(keys["value"]).max()))
            counts[kind] += 1
            found = error(obj, time, size)
            worst[kind] = max(worst.get(kind, 0.0), found)
            if not found <= CLOSE:
                wrong.append(f"{path} {obj}: {kind}, off by {found:.2e}")
    assert not wrong, "\n".join(wrong)
    # On a key nothing is interpolated: at most the last bit of a 32-bit float differs.
    assert worst["without keys"] <= 2**-23
    assert worst["on keys"] <= 2**-23
    assert counts["without keys"] > 10_000
    assert counts["on keys"] > 1_000
    assert counts["between keys"] > 1_000


def test_every_controller_is_evaluated_or_says_why(corpus_files: tuple[Path, ...]) -> None:
    evaluated: Counter[str] = Counter()
    doubted: Counter[str] = Counter()
    unexpected: set[str] = set()
    for path in corpus_files:
        for obj in maxsidecar.open(path).scene:
            if not isinstance(obj, Controller):
                continue
            assert obj.class_id is not None
            key = obj.class_id.a, obj.superclass
            if obj.own_reason is None:
                evaluated[obj.class_name] += 1
                # The ends of chains turn by themselves.
                assert key not in NOT_EVALUATED or isinstance(obj, IKControl), obj
                assert np.all(np.isfinite(obj.evaluate(0))) or key == (0x200A, 0x9005), obj
            elif obj.obstacle is None:
                doubted[f"{obj.class_name}: {obj.doubt}"] += 1
                assert np.all(np.isfinite(obj.evaluate(0))), obj
            elif isinstance(obj, BipedPart) and obj.bone and obj.bone[0] in (12, 13, 14):
                assert obj.obstacle == "biped: keys of the centre of mass, no bone"
            elif key not in NOT_EVALUATED:
                unexpected.add(f"{path}: {obj}: {obj.own_reason}")
            else:
                # It still gives a value: the stored one, or the neutral one of its kind.
                obj.evaluate(0)
    assert not unexpected, "\n".join(sorted(unexpected))
    assert sum(evaluated.values()) > 20_000
    assert evaluated["IKControl"] == 5
    assert doubted == DOUBTED


def test_tcb_tangents_follow_from_the_keys(corpus_files: tuple[Path, ...]) -> None:
    """The stored tangents of position keys are those of the formula that scale keys rely on."""
    tracks = 0
    for path in corpus_files:
        for obj in maxsidecar.open(path).scene:
            if not isinstance(obj, KeyedController) or obj.kind != "position":
                continue
            keys = obj.keys
            if keys is None or "tension" not in (keys.dtype.names or ()) or len(keys) < 2:
                continue
            tracks += 1
            leave, arrive = tcb_tangents(keys)
            size = max(1e-30, float(np.abs(keys["value"]).max()))
            assert np.abs(leave - keys["out_tangent"][:-1]).max() <= 1e-6 * size, (path, obj)
            assert np.abs(arrive - keys["in_tangent"][1:]).max() <= 1e-6 * size, (path, obj)
    assert tracks, "no TCB position track with two keys"


def test_relative_turns_lead_from_key_to_key(corpus_files: tuple[Path, ...]) -> None:
    """The relative axis and angle of TCB rotation keys agree with the absolute quaternions."""
    turns = 0
    for path in corpus_files:
        for obj in maxsidecar.open(path).scene:
            if not isinstance(obj, TCBRotation) or obj.keys is None:
                continue
            total = np.array([0.0, 0.0, 0.0, 1.0])
            for turn, key in zip(obj.turns(), obj.keys, strict=True):
                half = turn[3] / 2
                step = np.array([*(np.sin(half) * turn[:3]), np.cos(half)])
                # The turn is in world space; quaternions are stored as conjugates.
                total = product(total, step)
                stored = key["value"].astype(float)
                stored /= np.linalg.norm(stored)
                # Turns add up, and so do their rounding errors.
                miss = min(np.abs(total - stored).max(), np.abs(total + stored).max())
                assert miss < 1e-5, (path, obj, turn, total, stored)
                total = stored
                turns += 1
    assert turns > 50


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the quaternion product a · b, written out."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return np.array(
        [
            aw * bx + bw * ax + ay * bz - az * by,
            aw * by + bw * ay + az * bx - ax * bz,
            aw * bz + bw * az + ax * by - ay * bx,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def test_derived_columns_of_keys_are_those_that_are_stored(corpus_files: tuple[Path, ...]) -> None:
    """Turns, controls and tangents, left out and computed anew, are those of 3ds Max."""
    of = layouts.TCB_ROTATION, layouts.TCB_POSITION
    counts: Counter[str] = Counter()
    for path in corpus_files:
        for obj in maxsidecar.open(path).scene:
            table = obj.track.table if isinstance(obj, KeyedController) else None
            if not isinstance(obj, KeyedController) or table is None:
                continue
            keys = obj.keys
            # A key alone has nothing that its columns could follow from.
            if keys is None or len(keys) < 2 or table.layout not in of:
                continue
            bare = keys.copy()
            names = [
                name
                for name in keys.dtype.names or ()
                if name.startswith(("relative_", "in_", "out_"))
            ]
            for name in names:
                bare[name] = 0
            found = refreshed(table.layout, bare, None)
            size = max(1.0, float(np.abs(keys["value"]).max()))
            for name in names:
                ours, stored = found[name], keys[name]
                if name.endswith("_tangent"):
                    # A tangent at an end without a segment is not used.
                    cut = slice(1, None) if name == "in_tangent" else slice(None, -1)
                    ours, stored = ours[cut], stored[cut]
                if name.startswith("relative_"):
                    # Some turns are marked as out of date; about no angle, any axis will do.
                    wanted = keys["flags"] & STALE_TURN == 0
                    if name == "relative_axis":
                        wanted &= keys["relative_angle"] > 1e-2
                    ours, stored = ours[wanted], stored[wanted]
                # 3ds Max takes a turn of 8e-6 for none; an axis is as good as its turn is large.
                near = {"relative_angle": 1e-5, "relative_axis": 1e-4}.get(name, 1e-6 * size)
                assert np.allclose(ours, stored, rtol=1e-5, atol=near), (path, obj, name)
                counts[name] += len(ours)
    assert counts["relative_angle"] >= 190
    assert counts["relative_axis"] >= 90
    assert counts["in_control"] >= 190
    assert counts["in_tangent"] > 0
