"""Collision primitives (``.pacs_prim``): boxes and cylinders that are walked into.

They are scripted objects that extend a Box or a Cylinder (spec: nel-export-rules, sections 7 and 9;
payload catalogue, part K).  Where one of them lacks a value nothing is written, as in the plug-in.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, pi
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.nel.export.registry import (
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Stage,
    Step,
    register,
)
from maxsidecar.nel.export.view import GEOMETRY
from maxsidecar.nel.serial.classes.collision_primitive import CPrimitiveBlock, CPrimitiveDesc
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.scene.animated import number_at, parameter_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject

__all__ = ["export"]

#: Parameters of both scripts in the order of their block, which is that of their numbers.
_NAMES: Final = (
    "Reaction", "EnterTrigger", "ExitTrigger", "OverlapTrigger", "CollisionMask", "OcclusionMask",
    "Obstacle", "Absorbtion", "UserData0", "UserData1", "UserData2", "UserData3",
)  # fmt: skip
_TRIGGERS: Final = {"EnterTrigger": 0x100, "ExitTrigger": 0x200, "OverlapTrigger": 0x400}
_BOX, _CYLINDER = 0, 1


def export(job: Job) -> Iterator[Step]:
    """Yield the scene's file of primitives; none where there are no primitives."""
    view = job.view
    block = CPrimitiveBlock()
    found: list[Node] = []
    failures: list[Failure] = []
    for node in view.nodes:
        sort = view.pacs(node) if view.kind(node) == GEOMETRY else None
        if sort is None:
            yield LeftOut(node, "it is no collision primitive")
            continue
        found.append(node)
        try:
            block.primitives.append(_primitive(view, node, sort))
        except MaxSidecarError as error:
            failures.append(Failure(node, error.message))
    yield from failures
    if not failures and found:
        notes = {node.index: view.pose_notes(node) for node in found}
        file = NelFile("pacs_prim", block)
        yield Product(job.stem, ".pacs_prim", file, found, node_notes=notes, lower=False)
    elif failures:
        bad = {failure.node.index for failure in failures if failure.node is not None}
        for node in found:
            if node.index not in bad:
                yield Failure(node, "another primitive of the file lacks values")


def _primitive(view: SceneView, node: Node, sort: str) -> CPrimitiveDesc:
    base = view.base(node)
    shown = view.delegate(node)
    if base is None or shown is None:
        raise DecodeError("the object that the primitive extends is missing")
    values = _values(base)
    world = view.world(node)
    box = sort == "box"
    names = ("width", "length", "height") if box else ("radius", "height")
    sizes = {name: number_at(shown, name, view.time) for name in names}
    missing = [name for name, size in sizes.items() if size is None]
    if missing:
        raise DecodeError(f"the primitive has no {missing[0]}")
    numbers = {name: float(size or 0.0) for name, size in sizes.items()}
    user = [int(values[f"UserData{part}"]) & 0xFFFFFFFF for part in range(4)]
    return CPrimitiveDesc(
        length=(numbers["width"], numbers["length"]) if box else (numbers["radius"], 0.0),
        height=numbers["height"],
        attenuation=float(values["Absorbtion"]),
        type=_BOX if box else _CYLINDER,
        reaction=(int(values["Reaction"]) - 1) << 4,
        trigger=sum(bit for name, bit in _TRIGGERS.items() if values[name]),
        obstacle=bool(values["Obstacle"]),
        occlusion_mask=int(values["OcclusionMask"]) & 0xFFFFFFFF,
        collision_mask=int(values["CollisionMask"]) & 0xFFFFFFFF,
        position=_vector(world[3, :3]),
        orientation=_turn(world[0, :3]) if box else 0.0,
        # Each part is or-ed in at its place, however large it is.
        user_data=(user[0] | user[1] << 16 | user[2] << 32 | user[3] << 48) & (2**64 - 1),
    )


def _values(base: SceneObject) -> dict[str, Any]:
    """Return the parameters by name; where the file has no names, by number.

    Raises:
        DecodeError: One is missing.
    """
    out: dict[str, Any] = {}
    numbered = [block for block in base.param_blocks if len(block.state.by_id) == len(_NAMES)]
    for number, name in enumerate(_NAMES):
        parameter = parameter_of(base, name)
        if parameter is None and len(numbered) == 1:
            at = numbered[0].state.by_id.get(number)
            parameter = None if at is None else numbered[0].parameter(at)
        value = None if parameter is None else parameter.value
        if not isinstance(value, bool | int | float):
            raise DecodeError(f"the primitive has no {name}", base.where)
        out[name] = value
    return out


def _turn(axis: npt.NDArray[np.float64]) -> float:
    """Return the angle from the world's x to an axis around z, above 0 and up to 2 pi."""
    flat = np.array([axis[0], axis[1]])
    length = float(np.linalg.norm(flat))
    if not length > 0.0:
        return 0.0
    cosine, sine = (float(value) for value in (flat / length).astype(np.float32))
    angle = acos(min(max(cosine, -1.0), 1.0))
    return angle if sine > 0.0 else 2 * pi - angle


def _vector(values: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values.astype(np.float32))
    return x, y, z


register(
    Process(
        "pacs_prim",
        "collision primitives",
        export,
        Stage(
            "pacs_prim",
            (("PacsPrimSourceDirectories", "PacsPrimExportDirectory"),),
            "PacsPrimTagExportDirectory",
        ),
    )
)
