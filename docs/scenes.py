"""What the pages about a folder of real scenes share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from maxsidecar import plugins
from maxsidecar.errors import NotMaxFileError
from maxsidecar.scene.maxfile import open_file
from maxsidecar.scene.scene import Scene

FORMAT = Path(__file__).resolve().parent / "format"


def scenes(folder: Path) -> Iterator[tuple[Path, Scene]]:
    """Yield every scene below a folder, in the order of their paths."""
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".max"):
        try:
            scene = open_file(path).scene
        except NotMaxFileError:
            continue
        yield path, scene


def write_page(name: str, lines: Callable[[Path], Iterable[str]]) -> int:
    """Write a page of ``docs/format`` about the folder that the command line names."""
    plugins.load()
    text = "\n".join(lines(Path(sys.argv[1]))) + "\n"
    (FORMAT / name).write_text(text, encoding="utf-8", newline="\n")
    return 0
