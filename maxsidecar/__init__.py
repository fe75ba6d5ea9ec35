"""Open 3ds Max scenes without 3ds Max: show, edit and save them, byte for byte.

>>> import maxsidecar
>>> with maxsidecar.open("street.max") as scene_file:           # doctest: +SKIP
...     for node in scene_file.nodes.values():
...         print(node.name, node.class_name)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError

if TYPE_CHECKING:
    import os

    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.sidecar.files import apply_file, extract_file

__all__ = ["MaxFile", "MaxSidecarError", "__version__", "apply_file", "extract_file", "open"]

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
    from maxsidecar import plugins
    from maxsidecar.scene.maxfile import open_file

    plugins.load()
    return open_file(path, lenient=lenient)


#: What is imported when it is asked for, since most uses need only some of it.
_LAZY: Final = {
    "MaxFile": "maxsidecar.scene.maxfile",
    "apply_file": "maxsidecar.sidecar.files",
    "extract_file": "maxsidecar.sidecar.files",
}


def __getattr__(name: str) -> object:
    """Return one of the names that are imported late, with the plug-ins loaded."""
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from maxsidecar import plugins

    plugins.load()
    found = globals()[name] = getattr(import_module(module), name)
    return found
