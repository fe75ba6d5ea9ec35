"""Object-level flags of scene nodes, and how each is stored.

The evidence for each bit stands in docs/format/node.md.  Flags that files prove can be edited,
unless they are structural; a flag that is only likely is shown and never written.
Some flags are stored twice, as a bit and as an empty *partner* chunk that is present exactly when
the bit is set, so an edit changes both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from maxsidecar.errors import EditError

__all__ = ["NODE_FLAGS", "PARTNER_AFTER", "NodeFlag", "node_flag"]


@dataclass(frozen=True, slots=True)
class NodeFlag:
    """One flag of a node.

    Attributes:
        name: Key in Python and TOML.
        mask: Bit in the second word of chunk 0x0960, or of chunk 0x099c.
        doc: One line for people.
        inverted: The bit is set when the flag is off.
        partner: Id of the empty chunk that goes with the bit, or ``None``.
        editable: Whether changing it alone leaves a sound scene; structural flags do not.
        chunk: The chunk that holds the bit.
    """

    name: str
    mask: int
    doc: str
    inverted: bool = False
    partner: int | None = None
    editable: bool = True
    chunk: int = 0x0960


_DECLARED: Final = (
    NodeFlag("hidden", 0x00100000, "not shown in viewports and not rendered", partner=0x0975),
    NodeFlag("frozen", 0x00200000, "shown, but cannot be selected", partner=0x0976),
    NodeFlag("show_frozen_in_gray", 0x00080000, "a frozen object turns gray", inverted=True),
    NodeFlag("bone", 0x00000004, "the node is a bone", editable=False),
    NodeFlag("group_head", 0x00000040, "the node is the head of a group", editable=False),
    NodeFlag("group_member", 0x00000100, "the node belongs to a group", editable=False),
    NodeFlag("target", 0x00004000, "the node is the target of a camera or light", editable=False),
    NodeFlag(
        "renderable",
        0x00008000,
        "the node is rendered (likely: clear on all 172 bones of the corpus, set elsewhere)",
        editable=False,
        chunk=0x099C,
    ),
)

#: The flags by name, editable ones first.
NODE_FLAGS: Final[dict[str, NodeFlag]] = {flag.name: flag for flag in _DECLARED}


def node_flag(name: str) -> NodeFlag:
    """Return a flag by name.

    Raises:
        EditError: There is no such flag.
    """
    try:
        return NODE_FLAGS[name]
    except KeyError:
        raise EditError(
            "there is no such flag", expected=", ".join(NODE_FLAGS), found=repr(name)
        ) from None


#: Chunks that partner chunks stand behind, and the partners themselves in ascending order
#: (1,138 of 1,138 nodes that have any).
PARTNER_AFTER: Final = (0x099C, 0x0A28, 0x0975, 0x0976, 0x0977, 0x0978, 0x0992)
