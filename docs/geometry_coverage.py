"""Write docs/format/geometry-coverage.md from a folder of real scenes.

Run it after a change of generators or modifiers:  python docs/geometry_coverage.py FOLDER
The figures are those of the folder; nothing compares them, since real scenes are not in the
repository.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scenes import scenes, write_page

from maxsidecar.scene.geometry.coverage import STATES, NodeGeometry, survey

#: Share of the nodes that is aimed at.
AIM: Final = 0.95
#: Class whose shapes no file holds, see the page.
BIPED: Final = "9125/0"

INTRODUCTION = """\
# Coverage of geometry

How many nodes of real scenes are evaluated with everything in their stacks. This page is written
by `python docs/geometry_coverage.py FOLDER`.

A node **bears a mesh** when 3ds Max can make triangles of what it shows: its base object is a
geometric object or a patch; or it is a shape, and modifiers, its set-up for rendering or closed
curves give it faces. Shapes that stay open curves, dummies, cameras, lights and helpers bear none.
A shape of which something is not evaluated counts as one that bears a mesh.

It is **supported** when its base object and every modifier of its stack are evaluated: **exact**,
where nothing is noted, or **approximate**, where something is evaluated that no file proves to be
as in 3ds Max, as `node.evaluate_mesh().skipped` tells. Of one that is evaluated **in part** a
modifier is left out, and the geometry below it is used; of **nothing** the base object is not
evaluated.
"""

BIPED_TEXT = """\
## Biped Object

A Biped Object (9125/0) is the shape of a biped's limb. It is counted apart, because no scene holds
that shape: all that the object has of its own is

| chunk | bytes | layout |
|---|---:|---|
| 2602 | 24 | f32 x2, u32 0, u32 kind of limb, u32 number of the link, u32 links |
| 2603 | 4 | u32 0 or 3, the style of body |

MEASURED on the 385 objects of 10 scenes, releases 5 to 2012. The two numbers are the same for all
limbs of a kind in a scene where they are numbers: 0.2 and 0.2 or 0.1 and 0.4 of fingers, 0.5 and
0.5 of toes, 0.1 and 0.1 of clavicles, 0.3 and 0.3 of the pelvis, 8 and 8 of the centre of mass, 6
and 6 of footsteps. In heads, spines, thighs, calves and arms (kinds 1, 9, 15 to 22) they are memory
that was never set: text (`7d7d7d7d`, `elb`), addresses and counters. Chunk 096c of the node holds
the three sizes of the limb. There is no vertex, no face and no outline; the system object (9155/0)
holds lengths, poses and keys, no shape. Where the vertices of a kind of limb are is in the program
alone. No file beside these scenes shows a limb, either: the .ani and .txt exports of three of them
hold the matrices of the limbs and the skin. So the limbs are left out, and reported; where they
are is evaluated.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A node and the scene that it is in."""

    scene: str
    found: NodeGeometry

    @property
    def biped(self) -> bool:
        """Whether it is a limb of a biped."""
        return self.found.base_id == BIPED


def collect(folder: Path) -> tuple[int, list[Row]]:
    """Return the number of scenes, and all nodes that bear a mesh."""
    rows: list[Row] = []
    files = 0
    for path, scene in scenes(folder):
        files += 1
        name = path.relative_to(folder).as_posix()
        rows += [Row(name, found) for found in survey(scene)]
    return files, rows


def page(files: int, rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from INTRODUCTION.splitlines()
    others = [row for row in rows if not row.biped]
    groups = {
        "geometry": [row for row in others if not row.found.of_curves],
        "surfaces of curves": [row for row in others if row.found.of_curves],
        "both": others,
        "Biped Object": [row for row in rows if row.biped],
        "all": rows,
    }
    yield ""
    yield "## Totals"
    yield f"{files:,} scenes."
    yield ""
    yield f"| nodes that bear a mesh | number | {' | '.join(STATES)} | supported |"
    yield f"|---|{'---:|' * (len(STATES) + 2)}"
    for name, group in groups.items():
        states = Counter(row.found.state for row in group)
        cells = " | ".join(f"{states[state]:,}" for state in STATES)
        yield f"| {name} | {len(group):,} | {cells} | {_share(group)} |"
    yield ""
    yield "| aim | measured | |"
    yield "|---|---:|---|"
    for name, group in (("without Biped Object", others), ("all", rows)):
        met = "met" if sum(row.found.supported for row in group) >= AIM * len(group) else "not met"
        yield f"| {100 * AIM:.0f} % are supported: {name} | {_share(group)} | {met} |"
    yield ""
    yield from BIPED_TEXT.splitlines()
    yield ""
    yield "## What is left out"
    yield "Each node, with what its stack lacks; without the Biped Objects."
    yield ""
    yield from _left_out([row for row in others if not row.found.supported])
    yield ""
    yield "## What is approximate"
    yield "By class and reason; a node may be in several rows."
    yield ""
    yield "| class | why | nodes |"
    yield "|---|---|---:|"
    notes: Counter[tuple[str, str]] = Counter()
    for row in others:
        if row.found.supported:
            notes.update({(_text(n.class_name), _text(n.reason)) for n in row.found.notes})
    for (name, reason), count in sorted(notes.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {name} | {reason} | {count} |"


def _left_out(rows: list[Row]) -> Iterator[str]:
    """Yield a table of nodes; those of a scene that lack the same are one row."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for row in rows:
        lacks = tuple((_text(n.class_name), _text(n.reason)) for n in row.found.left_out)
        groups.setdefault((row.scene, lacks), []).append(_text(row.found.node))
    yield "| scene | nodes | class | why |"
    yield "|---|---|---|---|"
    for (scene, lacks), nodes in sorted(groups.items()):
        shown = nodes[0] if len(nodes) == 1 else f"{nodes[0]} and {len(nodes) - 1} more"
        for number, (name, reason) in enumerate(lacks):
            yield f"| {_text(scene)} | {shown if not number else ''} | {name} | {reason} |"


def _share(rows: list[Row]) -> str:
    supported = sum(row.found.supported for row in rows)
    return f"{supported:,} ({100 * supported / max(len(rows), 1):.1f} %)"


def _text(text: str) -> str:
    return text.replace("|", "/")


if __name__ == "__main__":
    sys.exit(write_page("geometry-coverage.md", lambda folder: page(*collect(folder))))
