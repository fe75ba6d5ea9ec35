"""Open 3ds Max scenes without 3ds Max: show, edit and save them, byte for byte.

>>> import maxsidecar
>>> with maxsidecar.open("street.max") as scene_file:           # doctest: +SKIP
...     for node in scene_file.nodes.values():
...         print(node.name, node.class_name)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxsidecar.errors import MaxSidecarError

if TYPE_CHECKING:
    import os

    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["MaxFile", "MaxSidecarError", "__version__", "open"]

__version__ = "0.1.0"


def open(path: str | os.PathLike[str], *, lenient: bool = True) -> MaxFile:
    """Open a scene file.

    Args:
        path: The ``.max`` file.
        lenient: Read what can be read of a damaged file; ``False`` raises at the first damage.

    Returns:
        The file: ``nodes``, ``scene``, ``streams``, ``save()``; a context manager.

    Raises:
        NotMaxFileError: The file is no 3ds Max scene.
        MaxSidecarError: It is damaged.
        OSError: It cannot be read at all.
    """
    from maxsidecar.nel import appdata_ids  # noqa: F401 - registers the NeL export flags
    from maxsidecar.scene.maxfile import open_file

    return open_file(path, lenient=lenient)


def __getattr__(name: str) -> object:
    """Import what is heavy only when it is asked for."""
    if name == "MaxFile":
        from maxsidecar.scene.maxfile import MaxFile

        return MaxFile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
