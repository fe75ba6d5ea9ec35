"""The page: one file that shows a scene in a browser, with nothing loaded from elsewhere.

Names come from files of strangers, so the page holds them as JSON in a script element that is not
executed, with everything that HTML could take for a tag escaped, and shows them as text only.  A
content security policy names the one script that may run, by its hash.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import LimitError
from maxsidecar.preview.collect import Missing, Shown, ShownNode
from maxsidecar.preview.packed import pack
from maxsidecar.preview.surfaces import Surface

__all__ = ["MOST_BYTES", "page"]

#: What the geometry of a page may take, unpacked: browsers fail on much larger ones.
MOST_BYTES: Final = 512 << 20
#: Nodes whose reasons are listed; the page says how many more there are.
_MOST_MISSING: Final = 5000
_LIBRARY: Final = ("three.core.min.js", "three.module.min.js", "OrbitControls.js")

_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src '{hash}' blob:; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>maxsidecar preview</title>
<style>
{style}</style>
</head>
<body>
{body}
<script type="application/json" id="scene">{scene}</script>
<script type="application/octet-stream" id="geometry">{geometry}</script>
<!-- three.js, MIT licence
{licence}-->
{library}
<script type="module">{script}</script>
</body>
</html>
"""


def page(shown: Shown, title: str, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the page that shows a scene.

    Args:
        shown: What there is to see.
        title: Title of the page.
        most_bytes: Bytes that the geometry may take, unpacked.

    Raises:
        LimitError: It takes more.
    """
    blob = _Blob(most_bytes)
    surfaces: dict[Surface, int] = {}
    about = {
        "title": title,
        "meshes": [_mesh(blob, mesh) for mesh in shown.meshes],
        "lines": [blob.add(lines) for lines in shown.lines],
        "nodes": [_node(node, surfaces) for node in shown.nodes],
        "missing": [_missing(entry) for entry in shown.missing[:_MOST_MISSING]],
        "missing_count": len(shown.missing),
        "surfaces": [_surface(surface) for surface in surfaces],
    }
    script = _text("viewer.js")
    text = _PAGE.format(
        hash="sha256-" + b64encode(sha256(script.encode()).digest()).decode(),
        style=_text("viewer.css"),
        body=_text("viewer.html"),
        scene=_json(about),
        geometry=_packed(blob.bytes()),
        licence=_text("three/LICENSE"),
        library="\n".join(
            f'<script type="application/octet-stream" id="{name}">'
            f"{_packed(_text(f'three/{name}').encode())}</script>"
            for name in _LIBRARY
        ),
        script=script,
    )
    return text.encode("utf-8")


def _text(name: str) -> str:
    return (files("maxsidecar.preview") / name).read_text("utf-8")


def _packed(data: bytes) -> str:
    return b64encode(zlib.compress(data, 6)).decode("ascii")


def _json(value: Any) -> str:
    """Return JSON in ASCII that holds nothing that HTML looks for inside of a script element."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


class _Blob:
    """Arrays behind one another, each at a multiple of four bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, array: npt.NDArray[Any]) -> list[int]:
        """Add an array and return its offset and its number of elements."""
        at = self._size
        data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        data += bytes(-len(data) % 4)
        self._size += len(data)
        if self._size > self._most:
            raise LimitError(
                "the geometry of the scene is too large for a page",
                expected=f"at most {self._most >> 20} MiB",
                found="more",
            )
        self._parts.append(data)
        return [at, array.size]

    def bytes(self) -> bytes:
        return b"".join(self._parts)


def _mesh(blob: _Blob, mesh: Any) -> dict[str, Any]:
    packed = pack(mesh)
    return {
        "positions": blob.add(packed.positions),
        "normals": blob.add(packed.normals),
        "indices": blob.add(packed.indices),
        "groups": packed.groups,
        "vertices": len(mesh.positions),
        "polygons": mesh.polygon_count,
        "triangles": len(mesh.triangles),
    }


def _node(node: ShownNode, surfaces: dict[Surface, int]) -> dict[str, Any]:
    about: dict[str, Any] = {
        "id": node.id,
        "name": node.name,
        "class": node.class_name,
        "kind": node.kind,
        "parent": node.parent,
        "color": node.color,
    }
    if node.hidden:
        about["hidden"] = True
    if node.material:
        about["material"] = node.material
    if node.world is not None:
        # Rows of row-vector matrices are the columns that three.js wants.
        about["matrix"] = node.world.reshape(-1).tolist()
    if node.lines is not None:
        about["lines"] = node.lines
    if node.mesh is not None:
        about["mesh"] = node.mesh
        about["surfaces"] = {
            str(number): surfaces.setdefault(surface, len(surfaces))
            for number, surface in node.surfaces.items()
        }
    return about


def _surface(surface: Surface) -> dict[str, Any]:
    return {
        "name": surface.name,
        "color": surface.shown_color,
        "opacity": surface.opacity,
        "roughness": surface.roughness,
        "metalness": surface.metalness,
    }


def _missing(entry: Missing) -> list[Any]:
    return [entry.node, entry.class_name, entry.reason, entry.approximate]
