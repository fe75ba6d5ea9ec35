"""The form in which the NeL export flags are declared."""

from __future__ import annotations

from maxsidecar.scene.appdata_registry import AppDataKey, Property
from maxsidecar.scene.appdata_values import Value, ValueCodec

__all__ = ["OWNER", "Table", "nel_key"]

OWNER = (0x04D64858, 0x16D1751D, 0x1020)
"""Class id and superclass id of the MAXScript utility, which owns all of the plug-in's entries."""

_BASE = 1423062000


def nel_key(subid: int) -> AppDataKey:
    """Return the key of one of the plug-in's entries."""
    return AppDataKey(*OWNER, subid)


class Table:
    """Declares the properties of one TOML table below ``nel``.

    Args:
        into: List that the declared properties are added to.
        name: Name of the table, empty for ``nel`` itself.
        readers: Export processes that consult its properties, unless one says otherwise.
    """

    def __init__(self, into: list[Property], name: str, readers: str) -> None:
        """Start the table."""
        self._into = into
        self._path = ("nel", name) if name else ("nel",)
        self._readers = readers

    def __call__(
        self,
        number: int,
        name: str,
        key: str,
        codec: ValueCodec,
        default: Value | None,
        meaning: str,
        *,
        readers: str = "",
        units: str = "",
        minimum: float | None = None,
        maximum: float | None = None,
        file: bool = False,
    ) -> None:
        """Declare a property.

        Args:
            number: The entry's number; the plug-in counts most of them from 1423062000, so
                numbers below 1000 are added to that.
            name: The plug-in's name.
            key: TOML key.
            codec: Type of the value.
            default: What the plug-in assumes without the entry.
            meaning: One sentence for people, without a full stop.
            readers: Export processes, separated by spaces.
            units: Unit of a number.
            minimum: Smallest new value.
            maximum: Largest new value.
            file: Whether the text names a file.
        """
        self._into.append(
            Property(
                key=nel_key(_BASE + number if number < 1000 else number),
                name=name,
                path=(*self._path, key),
                codec=codec,
                default=default,
                meaning=meaning,
                units=units,
                readers=tuple((readers or self._readers).split()),
                minimum=minimum,
                maximum=maximum,
                file=file,
            )
        )
