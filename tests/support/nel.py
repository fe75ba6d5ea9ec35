"""Objects of the game's classes with any values: whatever a declaration allows, from a seed.

Random numbers rather than hypothesis strategies: an object has hundreds of values, and drawing each
of them takes longer than all that is tested with them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from maxsidecar.nel.serial.arrays import Array, BitVector, Blob, FixedArray
from maxsidecar.nel.serial.classes import buffers, instance_group, material, mesh_mrm
from maxsidecar.nel.serial.classes.vertex_layout import SLOTS
from maxsidecar.nel.serial.containers import Fixed, List, Map, Nested, PolyPtr, Ptr, SameLength
from maxsidecar.nel.serial.declare import Field, Serial
from maxsidecar.nel.serial.kinds import (
    Bool,
    Float,
    Integer,
    Kind,
    Magic,
    OddFloat,
    Row,
    String,
    Tracked,
    Version,
)
from maxsidecar.nel.serial.registry import all_classes

__all__ = ["make", "special"]

#: Objects this deep have empty lists and no pointers.
DEEPEST = 4
FLOATS = (0.0, -0.0, 1.0, -1.5, 3.4028234663852886e38, 2.0**-149, float("inf"), float("-inf"))
TEXTS = (
    "",
    "Bip01",
    "a b",
    "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
    "\udcff\udc80",
    "\n\0",
    "x" * 40,
)


def make(rng: Random, cls: type[Serial], depth: int = 0) -> Any:
    """Return an object of a class, of any version, with any values."""
    maker = special.get(cls)
    return maker(rng, depth) if maker is not None else _plain(rng, cls, depth)


def _plain(rng: Random, cls: type[Serial], depth: int) -> Any:
    obj = cls()
    for name, item in cls.fields.items():
        if item.derive is None and item.kind.stored and item.is_in(obj):
            if isinstance(item.kind, SameLength):
                count = len(getattr(obj, item.kind.other))
                values = [_value(rng, item, item.kind.kind, depth) for _ in range(count)]
                setattr(obj, name, values)
            else:
                setattr(obj, name, _value(rng, item, item.kind, depth))
    return obj


def _integer(rng: Random, kind: Integer) -> int:
    low, high = 0, (1 << 8 * kind.least) - 1
    if kind.struct.format[-1].islower():
        low, high = -(high + 1) // 2, high // 2
    return rng.choice((low, high, 0, 1, rng.randint(low, high)))


def _float(rng: Random) -> float:
    if rng.random() < 0.1:
        # A NaN, quiet or signalling, with anything in its other bits.
        return OddFloat(0x7F800001 + rng.randrange(0x7FFFFF) + (rng.randrange(2) << 31))
    return rng.choice((*FLOATS, float(np.float32(rng.gauss(0, 1000)))))


def _array(rng: Random, dtype: np.dtype[Any], count: int, zero: tuple[str, ...] = ()) -> Any:
    if not count:
        return Array(dtype, "").fresh()
    array = np.frombuffer(rng.randbytes(dtype.itemsize * count), dtype, count).copy()
    for name in zero:
        array[name] = 0
    return array


def _number(rng: Random, item: Field[Any], kind: Kind[Any]) -> Any:
    if isinstance(kind, Version):
        return rng.randint(kind.oldest, kind.newest)
    if isinstance(kind, Integer):
        return _integer(rng, kind) if item.most is None else rng.randint(0, item.most)
    if isinstance(kind, Row):
        if kind.struct.format[-1] == "f":
            return tuple(_float(rng) for _ in range(kind.count))
        one = Integer(kind.struct.format[-1], "")
        return tuple(_integer(rng, one) for _ in range(kind.count))
    if isinstance(kind, Bool):
        return rng.random() < 0.5
    return _float(rng)


def _value(rng: Random, item: Field[Any], kind: Kind[Any], depth: int) -> Any:
    few = rng.randrange(3) if depth < DEEPEST else 0
    match kind:
        case Version() | Integer() | Row() | Bool() | Float():
            return _number(rng, item, kind)
        case Magic():
            return kind.initial
        case Tracked():
            return _value(rng, item, kind.kind, depth)
        case String():
            return rng.choice(TEXTS)
        case Blob():
            return rng.randbytes(rng.randrange(20))
        case BitVector():
            return np.array([rng.random() < 0.5 for _ in range(rng.randrange(20))], np.bool_)
        case FixedArray():
            return _array(rng, kind.dtype, kind.count)
        case Array():
            return _array(rng, kind.dtype, rng.randrange(4), tuple(kind.zero))
        case List() | Fixed():
            count = kind.count if isinstance(kind, Fixed) else few
            return [_value(rng, item, kind.kind, depth + 1) for _ in range(count)]
        case Map():
            pairs = {}
            for _ in range(few):
                key = _value(rng, item, kind.key, depth)
                if key == key:
                    pairs[key] = _value(rng, item, kind.kind, depth + 1)
            return pairs
        case PolyPtr():
            able = [cls for cls in all_classes() if kind.base in cls.bases]
            return make(rng, rng.choice(able), depth + 1) if few else None
        case Ptr():
            return make(rng, kind.cls, depth + 1) if few else None
        case Nested():
            return make(rng, kind.cls, depth + 1)
    raise AssertionError(f"no values for {type(kind).__name__}")


# --- classes whose fields depend on one another ---------------------------------------------------


def _material(rng: Random, depth: int) -> Any:
    made = _plain(rng, material.CMaterial, depth)
    for stage in made.stages:
        if made.version < 1:
            del stage.__dict__["env"]
        elif made.version < 9:
            for name in ("rgb_source2", "rgb_operand2", "alpha_source2", "alpha_operand2"):
                del stage.env.__dict__[name]
    return made


def _header(rng: Random, depth: int) -> Any:
    header = buffers.CVertexBufferHeader(version=rng.randrange(4), num_vertices=rng.randrange(4))
    if header.version == 0:
        header.old_flags = rng.randrange(0x20000)
    else:
        header.flags = rng.randrange(1 << len(SLOTS))
        header.types = tuple(rng.randrange(13) for _ in SLOTS)
    return header


def _subset(rng: Random, dtype: np.dtype[Any], count: int) -> Any:
    vertices = _array(rng, dtype, count if dtype.itemsize else 0)
    return buffers.CVertexBufferSubset(version=rng.randrange(3), vertices=vertices)


def _vertex_buffer(rng: Random, depth: int) -> Any:
    buffer = buffers.CVertexBuffer(version=rng.randrange(3))
    if buffer.version == 2:
        buffer.header = _header(rng, depth)
        buffer.subset = _subset(rng, buffer.header.dtype, buffer.header.num_vertices)
        return buffer
    buffer.old_flags = rng.randrange(0x20000)
    buffer.num_vertices = rng.randrange(4) if buffer.old_dtype.itemsize else 0
    buffer.old_vertices = _array(rng, buffer.old_dtype, buffer.num_vertices)
    return buffer


def _mrm_geom(rng: Random, depth: int) -> Any:
    geom = mesh_mrm.CMeshMRMGeom(version=rng.randrange(6), skinned=rng.random() < 0.5)
    geom.vertex_header = _header(rng, depth)
    if geom.version >= 5:
        geom.shadow_vertices = _array(rng, mesh_mrm.SHADOW_VERTEX, 3, ("version",))
    start = 0
    for _ in range(rng.randrange(3)):
        count = rng.randrange(3)
        info = mesh_mrm.CLodInfo(start_add_wedge=start, end_add_wedge=start + count)
        level = mesh_mrm.CMeshMRMLod(vertex_version=rng.randrange(2))
        level.lod = make(rng, mesh_mrm.CLod, depth)
        level.subset = _subset(rng, geom.vertex_header.dtype, count)
        if geom.skinned and not level.vertex_version:
            level.skin_weights = np.zeros((count, 4), mesh_mrm.SKIN_WEIGHT)
        geom.lod_infos.append(info)
        geom.lods.append(level)
        start += count
    return geom


def _light_grid(rng: Random, depth: int) -> Any:
    version = rng.randrange(2)
    cells = _array(rng, instance_group.CORNERS[version], rng.randrange(1, 4), ("version",))
    cells["version"] = version
    return instance_group.CSurfaceLightGrid(width=rng.randrange(9), cells=cells)


#: How to make objects of some classes.
special: dict[type[Serial], Callable[[Random, int], Any]] = {
    buffers.CVertexBufferHeader: _header,
    buffers.CVertexBuffer: _vertex_buffer,
    instance_group.CSurfaceLightGrid: _light_grid,
    material.CMaterial: _material,
    mesh_mrm.CMeshMRMGeom: _mrm_geom,
}
