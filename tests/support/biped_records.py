"""The records of a biped as a release writes them, and a rig from the records of a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from struct import pack
from typing import Any

import numpy as np

from tests.support.biped_layouts import (
    Release,
    header_of,
    limb_poses,
    limb_rows,
    pelvis_rows,
    turned,
)  # fmt: skip
from tests.support.biped_rigs import (
    ANGLES,
    CHAINS,
    KEYS,
    SIDES,
    Array,
    Chain,
    Digits,
    Keys,
    Poses,
    Rig,
    floats_of,
    integers_of,
)  # fmt: skip

Records = dict[int, bytes]


def read_rig(release: Release, live: Mapping[int, bytes], common: Mapping[int, bytes]) -> Rig:
    """Return the rig that records of a release say."""
    leg_links = int(integers_of(common[0x0100])[4])
    shift = 2 * (leg_links - 3)
    chains = {
        name: _read_chain(live.get(id_, b""), live.get(ANGLES[name], b""))
        for name, id_ in CHAINS.items()
    }
    chains["neck"] = _read_chain(live[0x000D], live[0x0065])
    limbs: dict[bool, list[tuple[Array, Digits, Poses]]] = {}
    for arms, structure, pose in ((True, 0x0010, 0x006A), (False, 0x000F, 0x0069)):
        found = []
        half = len(live[pose]) // 2
        for side, (numbers, digits) in enumerate(_read_limbs(live[structure], 16 if arms else 10)):
            data = live[pose][side * half : (side + 1) * half]
            poses = limb_poses(
                release, data, arms=arms, shift=0 if arms else shift, digits=len(digits.lengths)
            )
            found.append((numbers, digits, poses))
        limbs[arms] = found
    rig = Rig(
        com=floats_of(live[0x006C]),
        present=floats_of(common[0x0104]),
        head=floats_of(live[0x0064])[:4],
        head_length=float(floats_of(live[0x000C])[0]),
        chains=chains,
        arms=limbs[True],
        legs=limbs[False],
        leg_links=leg_links,
        props={id_: live[id_] for id_ in (0x006F, 0x0070) if len(live.get(id_, b"")) == 184},
    )
    for name, id_ in KEYS.items():
        keys = _read_keys(release, rig, name, live.get(id_, b""), live.get(id_ + 1, b""), shift)
        if keys is not None:
            rig.tracks[name] = keys
    return rig


def _read_chain(data: bytes, pose: bytes) -> Chain:
    numbers = floats_of(data)
    links = max(len(numbers) - 17, 0)
    attach = numbers[1 + links :].reshape(4, 4) if links else np.eye(4)
    angles = floats_of(pose)[1 : 1 + 3 * links].reshape(links, 3)
    return Chain(numbers[1 : 1 + links], attach, angles)


def _read_limbs(data: bytes, head: int) -> Iterator[tuple[Array, Digits]]:
    numbers, whole, at = floats_of(data), integers_of(data), 0
    while at + head < len(numbers):
        front = numbers[at : at + head]
        count = int(whole[at + head])
        at += head + 1
        digits = Digits([], [])
        for _ in range(count):
            links = int(whole[at])
            digits.attach.append(numbers[at + 1 : at + 17].reshape(4, 4))
            digits.lengths.append(numbers[at + 17 : at + 17 + links])
            at += 17 + links
        yield front, digits


def _read_keys(
    release: Release, rig: Rig, name: str, data: bytes, times: bytes, shift: int
) -> Keys | None:
    count = int(integers_of(data)[0]) if data else 0
    if not count:
        return None
    when = times[4 * release.time :]
    rows = floats_of(when).reshape(count, -1)
    ticks = integers_of(when).reshape(count, -1)[:, 0].astype(np.float64)
    if name == "vertical":
        data = data[: len(data) // 2]
    body = data[4 * header_of(release, name) :]
    if name.endswith(("arm", "leg")):
        arms = name.endswith("arm")
        limb = (rig.arms if arms else rig.legs)[SIDES.index(name.split(maxsplit=1)[0])]
        poses = limb_poses(
            release, body, arms=arms, shift=0 if arms else shift, digits=len(limb[1].lengths)
        )
        return Keys(ticks, rows[:, 1:10], np.zeros((count, 0)), poses)
    values = floats_of(body).reshape(count, -1)
    if name in ("spine", "tail", "pony1", "pony2"):
        links = len(rig.chains[name].lengths)
        values = values[:, 1 : 1 + 3 * links]
        if not release.late:
            values = turned(rig.chains[name].angles, values, back=False)
    elif name == "head":
        at = release.angles + 1
        neck = 3 * len(rig.chains["neck"].lengths)
        values = np.concatenate([values[:, :4], values[:, at : at + neck]], axis=1)
    return Keys(ticks, rows[:, 1:10], values)


def _bytes(*numbers: Any) -> bytes:
    return b"".join(np.asarray(n, "<f4").tobytes() for n in numbers)


def _chain_bytes(chain: Chain, *, matrix: bool = True) -> bytes:
    links = len(chain.lengths)
    if not links:
        return pack("<i", 0)
    parts = [chain.lengths, chain.attach] if matrix else [chain.lengths]
    return pack("<i", 3 * links) + _bytes(*parts)


def _angle_rows(angles: Array, more: int) -> bytes:
    """Return counts and angles, (k, 3n), with numbers behind that nobody asks for."""
    count = angles.shape[1]
    return b"".join(pack("<i", count) + _bytes(row) + _bytes([0.5] * more) for row in angles)


def _head_rows(release: Release, rows: Array, more: int) -> bytes:
    gap = b"\0" * 4 * (release.angles - 4)
    return b"".join(
        _bytes(row[:4]) + gap + _angle_rows(row[None, 4:], 0) + b"\0" * 4 * more for row in rows
    )


def live_records(release: Release, rig: Rig, *, time_width: int = 10) -> Records:
    """Return the chunks of a live set, in order.

    Args:
        release: Who writes it.
        rig: What it says.
        time_width: Numbers in the time of a key of head and tail: more than 10 where links have
            keys of their own.
    """
    shift = 2 * (rig.leg_links - 3)
    neck = rig.chains["neck"]
    out: Records = {0x0190: pack("<i", 44), 0x000A: pack("<i", 1)}
    out[0x000B] = _chain_bytes(rig.chains["spine"])
    out[0x000C] = _bytes([rig.head_length])
    out[0x000D] = _chain_bytes(neck, matrix=release.neck_matrix)
    if len(rig.chains["tail"].lengths):
        out[0x000E] = _chain_bytes(rig.chains["tail"])
    out[0x000F] = _limb_structures(rig.legs)
    out[0x0010] = _limb_structures(rig.arms)
    for name in ("pony1", "pony2"):
        out[CHAINS[name]] = _chain_bytes(rig.chains[name])
    for number, id_ in enumerate((0x0015, 0x0016, 0x0017)):
        present = 0x006F + number in rig.props
        out[id_] = pack("<i", 1) + _bytes([1.0, 1.0, 1.0]) if present else pack("<i", 0)
    out |= {0x0018: b"\0" * 8, 0x0012: pack("<i", 0), 0x0011: b""}
    more = release.chain_more
    flat = neck.angles.reshape(1, -1)
    out[0x0064] = _head_rows(
        release, np.concatenate([rig.head[None], flat], axis=1), release.figure_more
    )
    place = _bytes(np.eye(4)) + b"\0" * 4 * more
    out[0x0065] = pack("<i", flat.shape[1]) + _bytes(flat) + place
    out[0x006C] = _bytes(rig.com)
    out[0x0066] = b"\0" * (4 if release.roll else 28)
    for name, id_ in ANGLES.items():
        if len(rig.chains[name].lengths):
            out[id_] = _angle_rows(rig.chains[name].angles.reshape(1, -1), more)
    out |= rig.props
    out[0x0069] = b"".join(
        limb_rows(release, poses, arms=False, shift=shift) for _, _, poses in rig.legs
    )
    out[0x006A] = b"".join(
        limb_rows(release, poses, arms=True, shift=0) for _, _, poses in rig.arms
    )
    out[0x006B] = b""
    for name, id_ in KEYS.items():
        wide = time_width if name in ("head", "tail") else 10
        out |= _key_records(release, rig, name, id_, shift, wide)
    out |= {0x00C9: b"\0" * 20, 0x014B: pack("<2i", *rig.in_place), 0x014D: b"\0" * 8}
    out = _changed(out, release.new, lambda id_: id_ < 0x0100)
    return {**out, 0x0141: b""}


def _changed(records: Records, new: Mapping[int, int | None], mine: Any) -> Records:
    out = {id_: data for id_, data in records.items() if new.get(id_, 0) is not None}
    return out | {id_: b"\0" * size for id_, size in new.items() if size is not None and mine(id_)}


def _limb_structures(limbs: Sequence[tuple[Array, Digits, Poses]]) -> bytes:
    out = [pack("<i", 0)] if not limbs else []
    for numbers, digits, _ in limbs:
        out.append(_bytes(numbers) + pack("<i", len(digits.lengths)))
        for lengths, attach in zip(digits.lengths, digits.attach, strict=True):
            out.append(pack("<i", len(lengths)) + _bytes(attach, lengths))
    return b"".join(out)


def _key_records(
    release: Release, rig: Rig, name: str, id_: int, shift: int, time_width: int
) -> Records:
    keys = rig.tracks.get(name)
    if keys is None:
        return {}
    count = len(keys.ticks)
    head = pack("<i", count) + b"\0" * 4 * (header_of(release, name) - 1)
    if keys.poses is not None:
        arms = name.endswith("arm")
        body = limb_rows(release, keys.poses, arms=arms, shift=0 if arms else shift)
    elif name == "head":
        body = _head_rows(release, keys.rows, release.head_more)
    elif name in ANGLES:
        rows = keys.rows
        if not release.late:
            rows = turned(rig.chains[name].angles, rows, back=True)
        body = _angle_rows(rows, release.chain_more)
    elif name == "pelvis":
        body = _bytes(pelvis_rows(release, keys.rows))
    else:
        body = _bytes(keys.rows)
    data = head + body
    if name == "vertical":
        data += data
    times = pack("<i", count) + b"\0" * 4 * (release.time - 1)
    for tick, rest in zip(keys.ticks, keys.rest, strict=True):
        times += pack("<i", int(tick)) + _bytes(rest) + _bytes([3.0] * (time_width - 10))
    return {id_: data, id_ + 1: times}


def system_chunks(
    release: Release,
    rig: Rig,
    *,
    clipboard: Sequence[Rig] = (),
    layers: Sequence[Rig] = (),
    time_width: int = 10,
) -> list[tuple[int, bytes]]:
    """Return all chunks of a system object."""
    counts = np.zeros(release.counts, "<i4")
    counts[[0, 1, 4, 5]] = 4, 4, rig.leg_links, rig.leg_links
    out = [(0x0101, pack("<i", 1)), (0x0100, counts.tobytes()), (0x0112, _bytes(np.eye(4)[:, :3]))]
    out += [(0x0103, b"\0" * 4), (0x0107, pack("<2i", 15780518, 12779458))]
    for other in clipboard:
        out += [(0x0500, pack("<i", 1)), (0x0501, pack("<3i", 1, 0, 0)), (0x0502, b"\0" * 9)]
        out += [(0x0503, b"\1" * 33), (0x0505, pack("<i", 0)), (0x0504, b"")]
        out += live_records(release, other).items()
    out.append((0x0108, pack("<2i", 1, 0)))
    for one in (rig, *layers):
        out += live_records(release, one, time_width=time_width).items()
    tail: Records = {0x0320: b"\0" * 4, 0x0322: b"\0" * 4, 0x0325: b"\0" * 8, 0x0708: b"\0" * 4}
    tail |= {0x070A: b"\0" * 27, 0x070B: b"\0" * 8, 0x0709: b"\0" * 12, 0x0105: b"\0" * 4}
    tail |= {0x0104: _bytes(rig.present), 0x0115: pack("<i", 1), 0x0117: _bytes(np.eye(4))}
    tail[0x0200] = pack("<i", 0)
    return [*out, *_changed(tail, release.new, lambda id_: id_ > 0x0100).items()]
