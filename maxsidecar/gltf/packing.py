"""Arrays to accessors: types, alignment and sharing; the arrays themselves are never joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import SaveError
from maxsidecar.io.buffers import Buffer

__all__ = ["ARRAY_BUFFER", "ELEMENT_ARRAY_BUFFER", "Packer"]

Array = npt.NDArray[Any]

ARRAY_BUFFER: Final = 34962
ELEMENT_ARRAY_BUFFER: Final = 34963

#: Component types by numpy's kind and size.
_COMPONENTS: Final = {
    "i1": 5120,
    "u1": 5121,
    "i2": 5122,
    "u2": 5123,
    "u4": 5125,
    "f4": 5126,
}
_TYPES: Final = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
#: Attributes whose whole numbers stand for fractions of the largest one.
_NORMALIZED: Final = ("COLOR_", "WEIGHTS_", "TEXCOORD_")


class Packer:
    """Collects the binary part of a file.

    Arrays are kept as they are and written from where they lie in memory, so that a file needs
    hardly more memory than its arrays.  The same array object, used in the same way, is packed
    once.

    Attributes:
        accessors: JSON of the accessors.
        views: JSON of the buffer views.
        segments: The bytes, in order.
        size: Their number; always a multiple of 4.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.segments: list[Buffer] = []
        self.size = 0
        self._known: dict[tuple[int, str], tuple[int, Array]] = {}

    def attribute(self, name: str, array: Array) -> int:
        """Return the accessor of a vertex attribute.

        Args:
            name: Such as ``POSITION``, which gets its bounds; joints get the smallest type.
            array: (n,) or (n, w) with w up to 4; floats are written as float32, whole numbers as
                they are, those of colours, weights and texture coordinates as normalized ones.

        Raises:
            SaveError: The array is empty, holds what is no number, or has a type that vertices
                cannot have.
        """
        joints = name.startswith("JOINTS_")
        normalized = array.dtype.kind in "iu" and name.startswith(_NORMALIZED)
        bounds = name == "POSITION"

        def make() -> int:
            data = array
            if joints:
                data = _as(array, np.uint8 if _largest(array) < 0x100 else np.uint16, name)
            if data.dtype.kind in "iu" and data.dtype.itemsize > 2:
                raise SaveError(f"{name}: vertices hold no whole numbers of more than 16 bits")
            return self._accessor(data, name, ARRAY_BUFFER, bounds=bounds, normalized=normalized)

        return self._once(array, f"attribute {normalized} {bounds} {joints}", make)

    def indices(self, array: Array, count: int) -> int:
        """Return the accessor of indices, in the smallest type that holds them.

        The largest number of a type would restart the primitive, so it is never used.

        Args:
            array: (n,) whole numbers.
            count: Number of vertices that there are.

        Raises:
            SaveError: The array is empty or holds a number that is no vertex.
        """
        largest = _largest(array)
        if not array.size or largest >= count or int(array.min()) < 0:
            raise SaveError(
                "indices name vertices that are not there", expected=f"0 to {count - 1}"
            )
        kind = np.uint8 if largest < 0xFF else np.uint16 if largest < 0xFFFF else np.uint32
        return self._once(
            array,
            "indices",
            lambda: self._accessor(
                _as(array.reshape(-1), kind, "indices"), "indices", ELEMENT_ARRAY_BUFFER
            ),
        )

    def plain(self, array: Array, what: str, *, bounds: bool = False) -> int:
        """Return the accessor of an array that no vertex buffer holds, as float32.

        Args:
            array: (n,), (n, w), or (n, 4, 4) column-vector matrices.
            what: What messages call it.
            bounds: Whether its smallest and largest values are told, as for times.

        Raises:
            SaveError: The array is empty or holds what is no number.
        """

        def make() -> int:
            data = array
            if array.ndim == 3:
                # The file has matrices column after column.
                data = np.ascontiguousarray(array.transpose(0, 2, 1)).reshape(-1, 16)
            return self._accessor(data, what, None, bounds=bounds)

        return self._once(array, f"plain {bounds}", make)

    def blob(self, data: bytes) -> int:
        """Return the buffer view of a file that is embedded."""
        if not data:
            raise SaveError("an embedded file is empty")
        return self._view(data, len(data), {})

    def _once(self, array: Array, use: str, make: Callable[[], int]) -> int:
        known = self._known.get((id(array), use))
        if known is None:
            # The array is kept, so that its id is not given to another one.
            known = self._known[id(array), use] = (make(), array)
        return known[0]

    def _accessor(
        self,
        array: Array,
        what: str,
        target: int | None,
        *,
        bounds: bool = False,
        normalized: bool = False,
    ) -> int:
        data = _as(array, np.float32, what) if array.dtype.kind == "f" else array
        component = _COMPONENTS.get(f"{data.dtype.kind}{data.dtype.itemsize}")
        data = data.reshape(len(data), -1) if len(data) else data
        if not data.size or component is None or data.shape[1] not in _TYPES:
            shape = f"{array.dtype} of shape {array.shape}"
            raise SaveError(f"{what}: no accessor holds such an array", found=shape)
        entry: dict[str, Any] = {"componentType": component, "count": len(data)}
        if bounds:
            entry["min"], entry["max"] = data.min(axis=0).tolist(), data.max(axis=0).tolist()
            finite = bool(np.isfinite([entry["min"], entry["max"]]).all())
        else:
            finite = data.dtype.kind != "f" or bool(np.isfinite(data).all())
        if not finite:
            raise SaveError(f"{what}: there are values that are no numbers, or have no end")
        if normalized:
            entry["normalized"] = True
        entry["type"] = _TYPES[data.shape[1]]
        view: dict[str, Any] = {}
        if target is not None:
            view["target"] = target
        if target == ARRAY_BUFFER and (data.shape[1] * data.itemsize) % 4:
            # Each vertex starts at a multiple of 4 bytes.
            per_row = -(-data.shape[1] * data.itemsize // 4) * 4 // data.itemsize
            padded = np.zeros((len(data), per_row), data.dtype)
            padded[:, : data.shape[1]] = data
            data = padded
            view["byteStride"] = per_row * data.itemsize
        raw = np.ascontiguousarray(data, data.dtype.newbyteorder("<")).reshape(-1).view(np.uint8)
        entry = {"bufferView": self._view(raw.data, len(raw), view), **entry}
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def _view(self, data: Buffer, length: int, more: dict[str, Any]) -> int:
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": length, **more})
        self.segments.append(data)
        padding = -length % 4
        if padding:
            self.segments.append(bytes(padding))
        self.size += length + padding
        return len(self.views) - 1


def _as(array: Array, kind: Any, what: str) -> Array:
    if array.dtype == kind:
        return array
    if array.dtype.kind in "iu" and array.size:
        limits = np.iinfo(kind)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise SaveError(f"{what}: a number does not fit", expected=np.dtype(kind).name)
    with np.errstate(over="ignore"):  # becomes infinite, and is refused then
        out: Array = array.astype(kind)
    return out


def _largest(array: Array) -> int:
    return int(array.max()) if array.size else 0
