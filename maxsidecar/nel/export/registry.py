"""The export processes by name.

A process is one module that ends with ``register(Process(...))`` and is named in :data:`MODULES`;
it is imported when somebody asks for it::

    def export(job: Job) -> Iterator[Step]:
        for node in job.view.of_kinds(GEOMETRY):
            if job.view.flags(node).is_one("DONTEXPORT"):
                yield LeftOut(node, "DONTEXPORT is set")
            else:
                yield Product(job.view.name(node), ".shape", make(node), [node])


    register(Process("shape", "meshes", export))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError

if TYPE_CHECKING:
    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.serial.formats import NelFile
    from maxsidecar.scene.node import Node

__all__ = [
    "AUTOMATIC",
    "COARSE",
    "MAIN",
    "Failure",
    "Job",
    "LeftOut",
    "Process",
    "Product",
    "Stage",
    "Step",
    "chosen",
    "process",
    "process_names",
    "register",
]

#: Folders of a process: where its files go, where shapes with a coarse mesh go, and where the
#: animations go that shapes play by themselves.
MAIN: Final = "main"
COARSE: Final = "coarse"
AUTOMATIC: Final = "automatic"

#: Module of each process, in the order in which a build runs them.
MODULES: Final[dict[str, str]] = {
    "anim": "maxsidecar.nel.export.animations",
    "skel": "maxsidecar.nel.export.skeletons",
    "shape": "maxsidecar.nel.export.shapes",
    "ig": "maxsidecar.nel.export.groups",
    "cmb": "maxsidecar.nel.export.collision",
    "pacs_prim": "maxsidecar.nel.export.primitives",
    "swt": "maxsidecar.nel.export.weights",
    "veget": "maxsidecar.nel.export.vegetables",
}

_processes: dict[str, Process] = {}


@dataclass(frozen=True, slots=True)
class Job:
    """What a process works on.

    Attributes:
        view: The scene.
        stem: Name of the scene file without its ending.
        group: Instance group of nodes that name none; empty: they go nowhere.
        particle_folders: Where particle systems that nodes name are looked for.
    """

    view: SceneView
    stem: str
    group: str = ""
    particle_folders: tuple[str, ...] = ()


@dataclass(slots=True)
class Product:
    """A file to write.

    Attributes:
        name: What the file is named after; it is made safe.
        suffix: Ending, with its dot.
        file: The file.
        nodes: The nodes that it holds.
        notes: What is not as in 3ds Max, or in doubt, for all nodes.
        node_notes: The same for single nodes, by storage index.
        lower: Whether the name is written in lower case.
        folder: :data:`MAIN`, :data:`COARSE` or :data:`AUTOMATIC`.
    """

    name: str
    suffix: str
    file: NelFile
    nodes: Sequence[Node] = ()
    notes: Sequence[str] = ()
    node_notes: Mapping[int, Sequence[str]] = field(default_factory=dict)
    lower: bool = True
    folder: str = MAIN


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A node that its flags or kind keep out of the process.

    Attributes:
        node: The node.
        reason: Why.
        chosen: Whether a flag that somebody set keeps it out, and not its kind or the lack of a
            flag; such nodes are listed first of all.
    """

    node: Node
    reason: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A node, or with ``None`` the scene, that should have been exported and could not be."""

    node: Node | None
    reason: str


Step = Product | LeftOut | Failure


@dataclass(frozen=True, slots=True)
class Stage:
    """Where build_gamedata keeps what a process reads and writes, as names of its variables.

    Attributes:
        name: The process there.
        folders: Variables with the source folders, each with that of the output folder.
        tags: Variable of the folder with the tags; empty where the output itself is the tag.
        others: Variables of further output folders, by folder of :class:`Product`.
        made: Variables of folders that are made and stay empty here.
    """

    name: str
    folders: tuple[tuple[str, str], ...]
    tags: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Process:
    """One kind of export.

    Attributes:
        name: Its name.
        doc: What it writes, a few words.
        run: Yields what becomes of the nodes; it may raise ``MaxSidecarError`` between nodes only.
        stage: Where build_gamedata keeps its files, if it does.
        suffix: Ending of its files, where each is named after the one node that it holds; empty
            where files hold several.
    """

    name: str
    doc: str
    run: Callable[[Job], Iterator[Step]]
    stage: Stage | None = None
    suffix: str = ""


def register(new: Process) -> Process:
    """Add a process and return it.

    Raises:
        ValueError: There is another one of that name.
    """
    if _processes.setdefault(new.name, new) is not new:
        raise ValueError(f"the process {new.name} is registered already")
    return new


def process_names() -> list[str]:
    """Return the names of all processes, in the order in which a build runs them."""
    return [*MODULES, *(name for name in _processes if name not in MODULES)]


def process(name: str) -> Process:
    """Return a process.

    Raises:
        EditError: There is none of that name.
    """
    if name not in _processes and name in MODULES:
        import_module(MODULES[name])
    if name not in _processes:
        raise EditError("no such process", expected=", ".join(process_names()), found=repr(name))
    return _processes[name]


def chosen(names: Iterable[str] | None = None) -> list[Process]:
    """Return some processes, each once and in the order of a build; of ``None`` all.

    Raises:
        EditError: There is none of some name.
    """
    wanted = None if names is None else [process(name) for name in names]
    every = [process(name) for name in process_names()]
    return every if wanted is None else [item for item in every if item in wanted]
