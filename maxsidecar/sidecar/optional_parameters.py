"""Parameters of objects and modifiers, as keys that can be edited.

A node shows those of the object that it stands for, and of its modifiers; materials and maps have a
group of their own; every other object shows its own.  A controller without keys gives a constant,
which is edited where it is stored.  What other controllers give, and what points at another object,
is shown as a text that cannot be edited.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.layers import Layer
from maxsidecar.scene.materials.base import MAP, MATERIAL
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.assets import set_asset_paths
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.parameter import Parameter
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.params.types import ASSET, Kind, Matrix
from maxsidecar.scene.params.values import new_value
from maxsidecar.sidecar.fields import same_value
from maxsidecar.sidecar.numbers import exact, single
from maxsidecar.sidecar.optional import ASSET as IN_TABLE
from maxsidecar.sidecar.optional import NOT_A_NUMBER, Field, FixedText, NotANumber
from maxsidecar.sidecar.optional_transform import animation_text
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import has_surrogate, scrub

if TYPE_CHECKING:
    from uuid import UUID

__all__ = [
    "AssetField",
    "modifier_name",
    "modifiers",
    "own_parameters",
    "parameter_fields",
    "pointer",
]

#: A text or table that is longer is only mentioned.
_LONGEST_TEXT: Final = 8192
_LONGEST_TAB: Final = 1024
#: Superclasses whose objects belong to the group of materials: materials, maps, shaders,
#: coordinates, outputs.
_OF_MATERIALS: Final = (MATERIAL, MAP, 0x10B0, 0xC20, 0xC40)
#: Kind of the controllers that give a parameter's value, by what that is made of.
_CONTROLLERS: Final = {
    Kind.FLOAT: "float",
    Kind.INTEGER: "float",
    Kind.BOOLEAN: "float",
    Kind.FLOATS: "point3",
}
#: What tells the value of a controller from what else it might hold.
_VALUE: Final = "value"
_NUMBERED: Final = re.compile(r"(.*)#[0-9]+", re.DOTALL)
_EDITABLE: Final = (Kind.FLOAT, Kind.INTEGER, Kind.BOOLEAN, Kind.FLOATS, Kind.TEXT)


def object_name(obj: SceneObject) -> str:
    """Return the name of an object, else that of its class."""
    try:
        name = getattr(obj, "name", "")
        if not name and obj.modifier_head is not None:
            name = obj.modifier_head.name
    except MaxSidecarError:
        name = ""
    return scrub(name or obj.class_name)


def pointer(obj: SceneObject) -> str:
    """Return the text that is shown for a reference to an object."""
    return f"-> {object_name(obj)}@{obj.index} ({scrub(obj.class_name)})"


def _shown(kind: Kind, value: Any) -> Any:
    """Return a constant value as the text form has it; ``None`` for none.

    Raises:
        ValueError: It has no such form.
    """
    if kind is Kind.FLOAT:
        if not math.isfinite(value):
            raise ValueError(NOT_A_NUMBER)
        return exact(value)
    if kind is Kind.FLOATS:
        return [_shown(Kind.FLOAT, n) for n in value]
    if kind is Kind.MATRIX:
        rows = value.rows if isinstance(value, Matrix) else ()
        return [_shown(Kind.FLOAT, n) for n in rows]
    if kind is Kind.BOOLEAN and value in (0, 1):
        return bool(value)
    if kind in (Kind.TEXT, Kind.BITMAP) and value is not None:
        if not isinstance(value, str):
            raise ValueError(f"not a text: {len(value)} bytes")
        if len(value) > _LONGEST_TEXT:
            raise ValueError(f"large: {len(value)} characters")
        if has_surrogate(value):
            raise ValueError("not a text: it holds unpaired surrogates")
    return value


class ParameterField:
    """One parameter whose values are all constant."""

    def __init__(self, key: str, parameter: Parameter) -> None:
        """Look at a parameter."""
        self.key = key
        self.parameter = parameter
        self.holders: list[SceneObject] = [parameter.block]
        self.place: Hashable = (parameter.block.index, parameter.number)

    @property
    def shown(self) -> Any:
        """The value, of a table a list; ``None`` for a null text."""
        value = self.parameter.value
        if isinstance(self.parameter, TabParameter):
            return [self._item(item) for item in value]
        return _shown(self.parameter.kind, value)

    def _item(self, value: Any) -> Any:
        """Return a value of a table; a null text is shown as an empty one."""
        shown = _shown(self.parameter.kind, value)
        return "" if shown is None else shown

    def check(self, value: Any) -> Any:
        """Return a new value in its normal form."""
        new = self._new(value)
        if isinstance(self.parameter, TabParameter):
            return [self._item(item) for item in new]
        return _shown(self.parameter.kind, new)

    def _new(self, value: Any) -> Any:
        if not isinstance(self.parameter, TabParameter):
            return self._one(value)
        count = len(self.parameter)
        if not isinstance(value, list) or len(value) != count:
            raise EditError(
                f"{self.key}: wrong type", expected=f"{count} values", found=shorten(value)
            )
        elements = self.parameter.record.elements
        # What is not edited stays as it is stored, also where it could not be written anew.
        return [
            stored if self._is_shown(stored, item) else self._one(item)
            for item, (_, stored) in zip(value, elements, strict=True)
        ]

    def _is_shown(self, stored: Any, item: Any) -> bool:
        try:
            return same_value(self._item(stored), item)
        except ValueError:
            return False

    def _one(self, value: Any) -> Any:
        kind = self.parameter.record.kind
        parts = value if isinstance(value, list) else [value]
        numbers = kind.kind in (Kind.FLOAT, Kind.FLOATS)
        for part in parts:
            wrong = isinstance(part, bool) != (kind.kind is Kind.BOOLEAN)
            if numbers and not wrong:
                wrong = not isinstance(part, int | float) or not _fits(part)
            if wrong or isinstance(part, list | dict):
                raise EditError(
                    f"{self.key}: wrong type or out of range",
                    expected=f"{kind.name}: {kind.kind.value}",
                    found=shorten(value),
                )
        try:
            return new_value(kind, value)
        except EditError as error:
            error.message = f"{self.key}: {error.message}"
            raise

    def write(self, value: Any) -> None:
        """Store another value."""
        self.parameter.set(self._new(value))


class ConstantField(ParameterField):
    """One parameter whose value a controller gives that has no keys: a constant all the same."""

    def __init__(self, key: str, parameter: Parameter, controller: KeyedController) -> None:
        """Look at both."""
        super().__init__(key, parameter)
        self.controller = controller
        self.holders = [controller]
        self.place = (controller.index, _VALUE)

    @property
    def shown(self) -> Any:
        """The value that the controller stores.

        Raises:
            ValueError: It is none that the parameter can have.
        """
        kind, stored = self.parameter.kind, self.controller.stored
        if kind is Kind.FLOATS:
            return _shown(kind, stored)
        (number,) = stored
        if kind is Kind.FLOAT:
            return _shown(kind, number)
        # The controller of a whole number or a switch stores a number with a fraction.
        if not number.is_integer() or (kind is Kind.BOOLEAN and number not in (0.0, 1.0)):
            raise ValueError("not a whole number")
        return _shown(kind, int(number))

    def _new(self, value: Any) -> Any:
        new = self._one(value)
        if self.parameter.kind is Kind.INTEGER and single(new) != new:
            raise EditError(f"{self.key}: out of range", expected="24 bits", found=shorten(new))
        return new

    def write(self, value: Any) -> None:
        """Store another value in the controller."""
        new = self._new(value)
        self.controller.set_value(new if isinstance(new, tuple) else float(new))


def _constant(parameter: Parameter) -> KeyedController | None:
    """Return the controller of a parameter, where it has no keys and values of the same kind."""
    found = parameter.controller
    if isinstance(parameter, TabParameter) or not isinstance(found, KeyedController):
        return None
    kind = _CONTROLLERS.get(parameter.kind)
    if kind is None or found.kind != kind or not found.constant:
        return None
    # A colour with alpha has more numbers than any controller of points.
    layout = parameter.record.kind.layout
    return found if layout is not None and layout.size == 4 * found.width else None


def _fits(number: float) -> bool:
    try:
        return single(number) is not None
    except (OverflowError, ValueError):
        return False


class AssetField:
    """The path of a file that is named in the asset table, for all that name it there."""

    def __init__(self, key: str, scene_object: SceneObject, guid: UUID, path: str) -> None:
        """Keep where it is."""
        self.key = key
        self.shown = path
        self.holders: list[SceneObject] = []
        self.place = (IN_TABLE, guid)
        self.guid = guid
        self._object = scene_object

    def check(self, value: Any) -> Any:
        """Return the path."""
        return checked_text(self.key, value)

    def write(self, value: Any) -> None:
        """Put another path into the asset table."""
        set_asset_paths(self._object.scene, {self.guid: value})


def checked_text(key: str, value: Any) -> str:
    """Return a text that can be stored.

    Raises:
        EditError: It is none.
    """
    if not isinstance(value, str):
        raise EditError(f"{key}: wrong type", expected="text", found=shorten(value))
    if "\0" in value:
        raise EditError(f"{key}: a text cannot hold the character NUL")
    return value


def _field(key: str, parameter: Parameter) -> Field | None:
    """Return what stands for a parameter; ``None`` where there is nothing to show."""
    kind, place = parameter.kind, (parameter.block, f"#{parameter.number}")
    if parameter.controlled:
        constant = _constant(parameter)
        if constant is not None:
            constant_field = ConstantField(key, parameter, constant)
            try:
                _ = constant_field.shown
            except ValueError as error:
                if str(error) == NOT_A_NUMBER:
                    return NotANumber(constant_field)
                # Else it is shown as what a controller gives.
            else:
                return constant_field
        found = parameter.controller
        text = "animated" if found is None else animation_text(found)
        return FixedText(text, f"{key}: a controller gives this value: change it there", *place)
    if kind is Kind.REFERENCE:
        reason = f"{key}: what a parameter points at cannot be changed here"
        if isinstance(parameter, TabParameter):
            targets = parameter.targets[:_LONGEST_TAB]
            if not any(targets):
                return None
            shown: Any = ["" if t is None else pointer(t) for t in targets]
            return FixedText(shown, reason, *place)
        target = parameter.target
        return None if target is None else FixedText(pointer(target), reason, *place)
    if isinstance(parameter, TabParameter) and len(parameter) > _LONGEST_TAB:
        return FixedText(f"large: {len(parameter)} values", f"{key}: the table is large", *place)
    field = ParameterField(key, parameter)
    try:
        shown = field.shown
    except ValueError as error:
        if str(error) == NOT_A_NUMBER and kind in _EDITABLE:
            return NotANumber(field)
        return FixedText(str(error), f"{key}: what is stored has no text form", *place)
    if kind in _EDITABLE:
        if not any(stored is ASSET for _, stored in parameter.record.elements):
            return field
        guid = parameter.asset_id
        if guid is not None and isinstance(shown, str) and parameter.asset is not None:
            return AssetField(key, parameter.block, guid, shown)
    if shown is None or shown == [] or kind is Kind.VOID:
        return None
    if isinstance(shown, list) and any(item is None for item in shown):
        shown = ["" if item is None else item for item in shown]
    return FixedText(shown, f"{key}: a {kind.value} cannot be changed here", *place)


def own_parameters(
    obj: SceneObject,
    notes: list[str],
    prefix: KeyPath = ("parameters",),
    skip: tuple[str, ...] = (),
) -> Iterator[tuple[KeyPath, Field]]:
    """Yield the parameters of an object's blocks.

    Args:
        obj: The object.
        notes: Takes what cannot be read.
        prefix: Their table.
        skip: Types and keys that are left out, such as ``texture_map``.
    """
    parameters = obj.parameters
    notes.extend(f"{prefix[0]}: {problem.message}" for problem in parameters.problems)
    for key, parameter in parameters.items():
        if key in skip or parameter.type.removesuffix("[]") in skip:
            continue
        if has_surrogate(key) or not key:
            notes.append(f"{prefix[0]}: a name is not text")
            continue
        try:
            field = _field(key, parameter)
        except MaxSidecarError as error:
            notes.append(f"{prefix[0]}.{key} cannot be read: {error.message}")
            continue
        if field is not None:
            yield (*prefix, key), field


def modifiers(node: Node) -> dict[str, SceneObject]:
    """Return the modifiers of a node by the key of their table, the top of the stack first.

    The key is the name.  Modifiers of one name are counted from the bottom, where new ones rarely
    come: ``Bend``, then ``Bend#2``.
    """
    found: dict[int, SceneObject] = {}
    seen: set[int] = set()
    obj = node.object
    while isinstance(obj, DerivedObject) and obj.index not in seen:
        seen.add(obj.index)
        found.update((m.index, m) for m in obj.modifiers if m is not None)
        obj = obj.stands_on
    counts: Counter[str] = Counter()
    keys: list[tuple[str, SceneObject]] = []
    for modifier in reversed(found.values()):
        name = object_name(modifier)
        counts[name] += 1
        # A name that looks like one with a number always gets one of its own.
        plain = counts[name] == 1 and modifier_name(name) == name
        keys.append((name if plain else f"{name}#{counts[name]}", modifier))
    return dict(reversed(keys))


def modifier_name(key: str) -> str:
    """Return the name in the key of a modifier's table, without the number."""
    match = _NUMBERED.fullmatch(key)
    return match[1] if match else key


def parameter_fields(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    """Return the values of the group ``parameters`` of an object.

    Raises:
        MaxSidecarError: The object's references cannot be read.
    """
    if isinstance(obj, Node):
        out: dict[KeyPath, Field] = {}
        base = obj.base_object
        if base is not None:
            out.update(own_parameters(base, notes))
        for label, modifier in modifiers(obj).items():
            out.update(own_parameters(modifier, notes, ("modifiers", label)))
        return out
    if isinstance(obj, ParamBlockBase | Layer) or obj.superclass in _OF_MATERIALS:
        return {}
    return dict(own_parameters(obj, notes))
