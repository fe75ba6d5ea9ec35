"""Scripted classes: the parameter names of materials, textures and attributes made with MAXScript.

``Config`` stores one definition for each scripted class in the scene::

    #(block, ...)
    block     = #(name, block id, reference slot, #(#rollout, name ...), parameter, ...)
    parameter = #(name, #(key, value, ...))

The n-th parameter of a block has parameter id n in ``Scene``; block ids and reference slots agree
with ``Scene`` for all 928 blocks of the corpus (measured, docs/format/streams.md section 6).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from maxsidecar.errors import DecodeError
from maxsidecar.scene.script_types import ScriptString, ScriptValue

__all__ = ["ScriptedBlock", "ScriptedParameter", "read_blocks"]


@dataclass(frozen=True, slots=True)
class ScriptedParameter:
    """One parameter of a scripted class.

    Attributes:
        index: Parameter id in ``Scene``.
        name: Name in the script.
        type: MAXScript type in lower case, such as ``float`` or ``texturemap``.
        options: Every stored key, ``type`` included: ``default``, ``ui``, ``animatable``,
            ``tabSize``, ``tabSizeVariable``, ``subAnim``.
    """

    index: int
    name: str
    type: str
    options: dict[str, ScriptValue] = field(hash=False)

    @property
    def default(self) -> ScriptValue:
        """The default value, ``None`` where the definition has none."""
        return self.options.get("default")


@dataclass(frozen=True, slots=True)
class ScriptedBlock:
    """One parameter block of a scripted class.

    Attributes:
        name: Name in the script.
        id: Block id, as in the header of the block in ``Scene``.
        reference_slot: Reference slot of the owner that holds the block.
        options: Keys such as ``rollout``.
        parameters: Parameters in the order of their ids.
    """

    name: str
    id: int
    reference_slot: int
    options: dict[str, ScriptValue] = field(hash=False)
    parameters: tuple[ScriptedParameter, ...]


def read_blocks(value: ScriptValue) -> tuple[ScriptedBlock, ...]:
    """Return the parameter blocks in the value of a scripted class.

    Raises:
        DecodeError: The value does not have the shape of a definition.
    """
    return tuple(_block(item) for item in _array(value, "definition"))


def _block(value: ScriptValue) -> ScriptedBlock:
    items = _array(value, "parameter block")
    if len(items) < 4:
        raise DecodeError("a scripted parameter block is too short", found=len(items))
    name, block_id, slot, options, *rest = items
    return ScriptedBlock(
        _text(name),
        _integer(block_id),
        _integer(slot),
        _options(options),
        tuple(_parameter(index, item) for index, item in enumerate(rest)),
    )


def _parameter(index: int, value: ScriptValue) -> ScriptedParameter:
    items = _array(value, "parameter")
    if len(items) != 2:
        raise DecodeError("a scripted parameter is not a name and its options", found=len(items))
    options = _options(items[1])
    return ScriptedParameter(index, _text(items[0]), _text(options.get("type")).lower(), options)


def _options(value: ScriptValue) -> dict[str, ScriptValue]:
    items = _array(value, "list of options")
    if len(items) % 2:
        raise DecodeError("a scripted option has no value", found=len(items))
    return {_text(k): v for k, v in zip(items[::2], items[1::2], strict=True)}


def _array(value: ScriptValue, what: str) -> tuple[ScriptValue, ...]:
    if not isinstance(value, tuple):
        raise DecodeError(f"a scripted {what} is not an array", found=type(value).__name__)
    return value


def _text(value: ScriptValue) -> str:
    if not isinstance(value, ScriptString):
        raise DecodeError("not a text in a scripted definition", found=type(value).__name__)
    return value.text


def _integer(value: ScriptValue) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise DecodeError("not an integer in a scripted definition", found=type(value).__name__)
    return value
