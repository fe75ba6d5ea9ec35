"""Types of AppData values, and turning one into another."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from struct import Struct
from struct import error as StructError
from typing import Final

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError, shorten
from maxsidecar.scene.appdata_values import BOOL, FLOAT, INT, TEXT, ValueCodec, stored_code_page

__all__ = ["TYPES", "AppDataType", "convert"]

_Scalar = bool | int | float | str


@dataclass(frozen=True, slots=True)
class AppDataType:
    """How a value is stored.

    Attributes:
        name: Its name.
        codec: Codec of 8-bit text.
        packed: Layout of four bytes instead.
    """

    name: str
    codec: ValueCodec | None = None
    packed: Struct | None = None

    def decode(self, raw: bytes, code_page: str) -> _Scalar:
        """Return the value; raises :class:`DecodeError`."""
        if self.codec is not None:
            value = self.codec.decode(raw, code_page)
            if isinstance(value, bool | int | float | str):
                return value
        elif self.packed is not None and len(raw) == self.packed.size:
            number: int | float = self.packed.unpack(raw)[0]
            if isfinite(number):
                return number
        raise DecodeError(f"not a value of type {self.name}", found=shorten(raw))

    def encode(self, value: _Scalar, code_page: str) -> bytes:
        """Return the bytes; raises :class:`EditError`."""
        if self.codec is not None:
            return self.codec.encode(_as(self.codec, value), code_page)
        refused = EditError(f"not a value of type {self.name}", found=shorten(value))
        if self.packed is None or isinstance(value, str):
            raise refused
        number = float(value) if self.packed.format == "<f" else _whole(value)
        try:
            return self.packed.pack(number)
        except (StructError, OverflowError):
            raise refused from None


def _as(codec: ValueCodec, value: _Scalar) -> _Scalar:
    """Return a value in the Python type of a codec, where nothing is lost."""
    if codec is TEXT:
        return value if isinstance(value, str) else _text(value)
    if isinstance(value, str):
        # Text is read as what it spells.
        parsed = codec.parse(value)
        return parsed if isinstance(parsed, bool | int | float) else value
    if codec is FLOAT:
        return float(value)
    whole = _whole(value)
    if codec is BOOL:
        if whole not in (0, 1):
            raise EditError("not true or false", expected="0 or 1", found=whole)
        return whole == 1
    return whole


def _text(value: bool | int | float) -> str:
    codec = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT
    return codec.format(value)


def _whole(value: bool | int | float) -> int:
    if int(value) != value:
        raise EditError("not a whole number", found=shorten(value))
    return int(value)


TYPES: Final = {
    kind.name: kind
    for kind in (
        AppDataType("bool", BOOL),
        AppDataType("int", INT),
        AppDataType("float", FLOAT),
        AppDataType("text", TEXT),
        AppDataType("i32", packed=Struct("<i")),
        AppDataType("f32", packed=Struct("<f")),
    )
}


def convert(raw: bytes, old: AppDataType, new: AppDataType, code_page: str) -> bytes:
    """Return a value in another type.

    Bytes that are of the new type and not of the old one stay as they are, so that a second run
    changes nothing.

    Raises:
        DecodeError: The bytes are of neither type.
        EditError: The value does not fit into the new type, or the result could be taken for a
            value that was not converted yet.
    """
    try:
        value = old.decode(raw, code_page)
    except DecodeError as error:
        try:
            new.decode(raw, code_page)
        except DecodeError:
            raise error from None
        return raw
    page = stored_code_page(raw, code_page)
    try:
        converted = new.encode(value, page)
    except DecodeError as error:
        raise EditError(error.message, expected=error.expected, found=error.found) from None
    try:
        again = new.encode(old.decode(converted, code_page), page)
    except MaxSidecarError:
        return converted
    if again != converted:
        raise EditError(
            f"as {new.name} it could be taken for {old.name} again", found=shorten(converted)
        )
    return converted
