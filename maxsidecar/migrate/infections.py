"""Scripts that infect scenes: how they are recognised.  Nothing is ever run.

Scripts of this kind sit in the scene, copy themselves into the start-up folder of 3ds Max when the
scene is opened, and from there into every other scene.  Known ones are recognised by the names of
their global variables and functions; the names are those that their own source lists, and those
that removal tools look for (3dground.net scanners, Autodesk's Scene Security Tools).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["KNOWN", "is_infected_name", "known_names", "reaches_outside"]

#: Parts of names, in lower case: of variables, functions, callbacks and files.
KNOWN: Final = (
    "cleanbeta",
    "cleanalpha",
    "autodesklicserstuck",
    "autodesklicencesserverst",
    "physxcrtrbkinfo",
    "physxcrtrbksysinfo",
    "px_hiddennodealpha",
    "px_simulator",
    "vrdematprop",
    "vrdestermatconvert",
    "crp_bscript",
    "crp_authorization",
    "adsl_bscript",
    "propparameterlocal",
    "thepropparameternodes",
    "thefilepropparameters",
)

_KNOWN: Final = re.compile("|".join(KNOWN), re.IGNORECASE)
#: As 8-bit and as UTF-16 text.
_STORED: Final = tuple(
    name.encode(encoding) for name in KNOWN for encoding in ("ascii", "utf-16-le")
)

#: What a script that computes a value has no use for, by what it is good for.
_OUTSIDE: Final = {
    "registers callbacks": re.compile(r"\bcallbacks\s*\.\s*addscript\b|\bca\s+#\w+\s+\"", re.I),
    "writes or deletes files": re.compile(
        r"\b(createfile|openfile|deletefile|renamefile|copyfile|setfileattribute|savemaxfile)\b",
        re.I,
    ),
    "looks for start-up scripts": re.compile(r"#(user)?startupscripts\b", re.I),
    "starts programs": re.compile(r"\b(hiddendoscommand|doscommand|shelllaunch)\b", re.I),
    "runs text or files": re.compile(r"\b(filein|execute)\b", re.I),
    "uses .NET or COM": re.compile(r"\b(dotnetclass|dotnetobject|createoleobject)\b", re.I),
}


def is_infected_name(name: str) -> bool:
    """Return whether a variable has a known name."""
    return _KNOWN.search(name) is not None


def known_names(text: str) -> list[str]:
    """Return the known names in a text, each once, as they are spelled first."""
    found: dict[str, str] = {}
    for match in _KNOWN.finditer(text):
        found.setdefault(match[0].lower(), match[0])
    return list(found.values())


def reaches_outside(text: str) -> list[str]:
    """Return what a script does that has nothing to do with the scene."""
    return [what for what, pattern in _OUTSIDE.items() if pattern.search(text)]


def places(data: bytes) -> Iterator[int]:
    """Yield the offsets of known names in the bytes of a stream, 8-bit and UTF-16 text."""
    lowered = data.lower()  # looking for fixed bytes is twenty times as fast as a pattern
    for name in _STORED:
        offset = lowered.find(name)
        while offset >= 0:
            yield offset
            offset = lowered.find(name, offset + 1)
