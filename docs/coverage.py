"""Write docs/format/coverage.md from a folder of real scenes.

Run it after a change of views:  python docs/coverage.py FOLDER
The figures are those of the folder; nothing compares them, since real scenes are not in the
repository.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scenes import scenes, write_page

from maxsidecar.scene.coverage import (
    PARTLY,
    RAW,
    READ_ONLY,
    STATES,
    TYPED,
    ClassCoverage,
    cover,
)

#: Classes in fewer files than this stand in no table of their own.
COMMON = 5
#: Classes whose typed share is below this are listed with what is missing.
ALMOST_ALL = 0.9

INTRODUCTION = """\
# Coverage

How much of real scenes has typed views. This page is written by
`python docs/coverage.py FOLDER`.

An object is **typed** when all that its own chunks hold is decoded into values and written back
as the same bytes, or when it has no chunks of its own; **typed in part** when that is so for some
of them; **read-only** when a declared chunk does not have the layout that is known; **raw** when
nothing of its own chunks is decoded. Chunks of any class (references, AppData, link to custom
attributes, 0x204b, 0x2045, 0x2047, 0x2300, 0x2535, 0x39bf) are nobody's own. What a declaration
keeps as bytes (thumbnails, garbage, text of scripts) is not decoded. A layout without a name for
a chunk says that its meaning is open. `maxsidecar info --classes` and `maxsidecar check` count in
the same way.

Raw and read-only objects ride along untouched: nothing is lost.
"""

#: Why objects are raw, by superclass.
RAW_REASONS = {
    "10": "objects without a view: meshes of a plug-in, or too few to prove a layout",
    "40": "curves without a view",
    "50": "helpers of a plug-in",
    "200": "data of a plug-in, too few to prove a layout",
    "810": "modifiers without a view",
    "9003": "text and variables of scripts and wires",
}

#: Why bytes of common classes are not typed, by class id and superclass.
REASONS = {
    "9155/0/60": "biped: pose, limbs, keys; half of its chunks are open",
    "29263a68/405f22f5/1f0": "data of modifiers per object (edits)",
    "100/0/810": "Physique: bulges and tendons, kept as bytes",
    "2df2e3a/72ba4e1f/810": "Unwrap UVW: coordinates and editor state",
    "1993/0/40": "text and the curves made of it",
    "1065/0/40": "curves",
    "2/0/c00": "thumbnails, kept as bytes",
    "200/0/c00": "thumbnails, kept as bytes",
    "210/0/c00": "thumbnails, kept as bytes",
    "3d6b1cec/deadc001/c00": "thumbnails, kept as bytes",
    "240/0/c10": "thumbnails, kept as bytes",
    "ee448b23/0/1010": "800 bytes of uninitialised memory per setting, kept as bytes",
    "8/0/8": "open",
    "1/0/1": "chunks with open meaning, see node.md",
    "288863b5/4a7e7d67/9003": "37,312 bytes of one buffer, kept as bytes",
    "1f58f/3a29f/1160": "XML of state sets, packed",
    "7c8f3a2a/1e954d91/900d": "text of scripts, kept as bytes",
    "82/0/82": "data of file formats behind bitmaps",
}


@dataclass
class Row:
    """A class over all files."""

    name: str
    plugin: str
    files: int = 0
    total: ClassCoverage = field(default_factory=lambda: ClassCoverage(None, 0))

    @property
    def share(self) -> float:
        """Part of the bytes that is typed, from 0 to 1."""
        return self.total.typed_size / self.total.size if self.total.size else 1.0


def survey(folder: Path) -> tuple[int, dict[str, Row]]:
    """Return the number of scenes and the classes by id."""
    rows: dict[str, Row] = {}
    files = 0
    for _, scene in scenes(folder):
        files += 1
        for found in cover(scene):
            info = found.info
            key = f"{info.class_id}/{info.superclass:x}" if info else f"?/{found.chunk_id:x}"
            plugin = scene.dll_name(info.dll) if info else ""
            row = rows.setdefault(key, Row(info.name if info else "?", plugin))
            row.files += 1
            row.total.states += found.states
            row.total.bare += found.bare
            row.total.reasons += found.reasons
            row.total.size += found.size
            row.total.typed_size += found.typed_size
    return files, rows


def page(files: int, rows: dict[str, Row]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from INTRODUCTION.splitlines()
    states: Counter[str] = sum((row.total.states for row in rows.values()), Counter())
    size = sum(row.total.size for row in rows.values())
    typed = sum(row.total.typed_size for row in rows.values())
    common = [row for row in rows.values() if row.files >= COMMON]
    yield ""
    yield "## Totals"
    yield "| | |"
    yield "|---|---:|"
    yield f"| scenes | {files:,} |"
    yield f"| classes; in {COMMON} scenes or more | {len(rows):,}; {len(common):,} |"
    yield f"| objects | {states.total():,} |"
    for state in STATES:
        yield f"| {state} | {_share(states[state], states.total())} |"
    bare = sum(row.total.bare for row in rows.values())
    yield f"| of the typed ones: without chunks of their own | {_share(bare, states.total())} |"
    yield f"| bytes in leaves of own chunks; decoded | {size:,}; {100 * typed / size:.1f} % |"
    raw = [row for row in common if row.total.states[RAW] or row.total.states[READ_ONLY]]
    yield f"| classes in {COMMON} scenes or more with raw or read-only objects | {len(raw)} |"
    yield ""
    yield "## What was aimed at"
    yield "| aim | measured | |"
    yield "|---|---:|---|"
    some = states[TYPED] + states[PARTLY]
    yield (
        "| at least 99 % of the objects have a typed view whose decode is verified: typed, or typed"
        f" in part | {100 * some / states.total():.2f} % | {_met(some >= 0.99 * states.total())} |"
    )
    yield (
        "| the same, if objects that are typed in part did not count |"
        f" {100 * states[TYPED] / states.total():.2f} % |"
        f" {_met(states[TYPED] >= 0.99 * states.total())} |"
    )
    yield (
        f"| no class in {COMMON} scenes or more has raw or read-only objects | {len(raw)} |"
        f" {_met(not raw)} |"
    )
    yield ""
    yield f"## Classes in {COMMON} scenes or more that are typed in part"
    yield f"Below {100 * ALMOST_ALL:.0f} % of their bytes."
    yield ""
    yield "| class | id | scenes | objects | bytes | typed | what is not |"
    yield "|---|---|---:|---:|---:|---:|---|"
    for key, row in sorted(rows.items(), key=lambda item: -item[1].total.size):
        if row.files >= COMMON and row.share < ALMOST_ALL:
            yield f"{_row(key, row)} {100 * row.share:.0f} % | {REASONS.get(key, 'open')} |"
    yield ""
    yield "## Raw and read-only"
    yield "| class | id | scenes | objects | bytes | plug-in | state | why |"
    yield "|---|---|---:|---:|---:|---|---|---|"
    for key, row in sorted(rows.items(), key=lambda item: (-item[1].files, item[0])):
        if row.total.states[RAW] or row.total.states[READ_ONLY]:
            plugin = row.plugin or "built in or script"
            why = RAW_REASONS.get(key.rpartition("/")[2], "too few to prove a layout")
            yield f"{_row(key, row)} {plugin} | {row.total.text} | {why} |"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.2f} %)"


def _met(met: bool) -> str:
    return "met" if met else "not met"


def _row(key: str, row: Row) -> str:
    name = row.name.replace("|", "/")
    return f"| {name} | {key} | {row.files} | {row.total.objects:,} | {row.total.size:,} |"


if __name__ == "__main__":
    sys.exit(write_page("coverage.md", lambda folder: page(*survey(folder))))
