"""Conditions on which a field is there, as values of the fields before it."""

from __future__ import annotations

from typing import Any

__all__ = ["Bits", "Condition", "If", "Unless"]


class Condition:
    """Whether a field is there; the text is for the reference."""

    text: str = ""

    def holds(self, obj: Any) -> bool:
        """Return whether the object meets it."""
        raise NotImplementedError


class If(Condition):
    """Another field is true."""

    def __init__(self, name: str) -> None:
        """Take the name of the field."""
        self.name = name
        self.text = f"if `{name}`"

    def holds(self, obj: Any) -> bool:
        """Return whether the field is true."""
        return bool(getattr(obj, self.name))


class Unless(If):
    """Another field is false."""

    def __init__(self, name: str) -> None:
        """Take the name of the field."""
        super().__init__(name)
        self.text = f"unless `{name}`"

    def holds(self, obj: Any) -> bool:
        """Return whether the field is false."""
        return not super().holds(obj)


class Bits(Condition):
    """Another field has one of some bits."""

    def __init__(self, name: str, mask: int) -> None:
        """Take the name of the field and the bits."""
        self.name = name
        self.mask = mask
        self.text = f"if `{name}` has {mask:#x}"

    def holds(self, obj: Any) -> bool:
        """Return whether the field has one of the bits."""
        return bool(getattr(obj, self.name) & self.mask)
