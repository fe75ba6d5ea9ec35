"""What an export did with each node, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["FAILED", "LEFT_OUT", "WRITTEN", "Entry", "Output", "Report"]

WRITTEN: Final = "written"
LEFT_OUT: Final = "left out"
FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class Entry:
    """One node in one process.

    Attributes:
        process: Name of the process.
        node: The node's name; of a scene as a whole empty.
        index: Its storage index, -1 for a scene as a whole.
        status: :data:`WRITTEN`, :data:`LEFT_OUT` (as its flags and kind ask) or :data:`FAILED`.
        output: The file that holds it, for one that was written.
        reason: Why it is in no file.
        notes: What is not as in 3ds Max, or in doubt.
        chosen: Of one that is left out: whether a flag that somebody set or a name says so.
    """

    process: str
    node: str
    index: int
    status: str
    output: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    chosen: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        out: dict[str, Any] = {"process": self.process, "node": self.node, "id": self.index}
        out["status"] = self.status
        if self.output:
            out["output"] = self.output
        if self.reason:
            out["reason"] = self.reason
        if self.chosen:
            out["by_flag"] = True
        if self.notes:
            out["notes"] = list(self.notes)
        return out


@dataclass(frozen=True, slots=True)
class Output:
    """One file that was written."""

    process: str
    path: str
    nodes: int


@dataclass(slots=True)
class Report:
    """What an export of one scene did.

    Attributes:
        entries: Every node of every process, in the order of the processes and of the scene.
        outputs: The files that were written.
        problems: What is damaged in the scene.
    """

    entries: list[Entry] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def failed(self) -> list[Entry]:
        """What should have been written and was not."""
        return [entry for entry in self.entries if entry.status == FAILED]

    @property
    def left_out(self) -> list[Entry]:
        """What flags and kinds keep out."""
        return [entry for entry in self.entries if entry.status == LEFT_OUT]

    @property
    def written(self) -> list[Entry]:
        """What is in a file."""
        return [entry for entry in self.entries if entry.status == WRITTEN]

    def of(self, process: str) -> dict[str, Entry]:
        """Return the entries of a process by node name; of equal names the last."""
        return {entry.node: entry for entry in self.entries if entry.process == process}

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "outputs": [
                {"process": out.process, "path": out.path, "nodes": out.nodes}
                for out in self.outputs
            ],
            "nodes": [entry.as_dict() for entry in self.entries],
            "problems": self.problems,
        }
