"""Export of scenes into the game's files: which nodes, under which names, with which reasons.

One *process* (``shape``, ``ig``, ``cmb``, ...) is one module that registers itself; what they share
is here: the plug-in's own reading of export flags (:mod:`~maxsidecar.nel.flags`), the scene
as the plug-in's front ends see it (:mod:`~maxsidecar.nel.export.view`), file names that are safe
(:mod:`~maxsidecar.nel.export.names`), and a report that has a reason for each node that is left
out (:mod:`~maxsidecar.nel.export.report`).  :func:`export_scene` runs them over one scene,
:mod:`~maxsidecar.nel.export.build` over the projects of a build workspace.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from maxsidecar.nel.export.registry import Process, process_names, register
    from maxsidecar.nel.export.report import Report
    from maxsidecar.nel.export.run import export_scene

__all__ = ["Process", "Report", "export_scene", "process_names", "register"]

#: Modules of the names above, imported when somebody asks: the command line lists processes without
#: loading what runs them.
_MODULES: Final = {
    "Process": "registry",
    "Report": "report",
    "export_scene": "run",
    "process_names": "registry",
    "register": "registry",
}


def __getattr__(name: str) -> object:
    """Return what is imported late."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
