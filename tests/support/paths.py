"""Scene files made by hand that hold a path in every kind of place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack
from uuid import UUID

from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.scene.maxfile import MaxFile
from tests.support.params import chunk, record

__all__ = [
    "ASSET",
    "CLASSES",
    "FOLDER",
    "appdata",
    "asset_table",
    "bitmap_info",
    "config",
    "every_place",
    "example",
    "make_file",
    "narrow",
    "properties",
    "state_sets",
    "wide",
]

FOLDER = "C:\\Old Work"
ASSET = UUID("00112233-4455-4677-8899-aabbccddeeff")

#: Class id, superclass and name by class index; the index is the chunk id of an object.
CLASSES: Sequence[tuple[int, int, int, str]] = (
    (0x82, 0, 0x82, "ParamBlock2"),
    (0x240, 0, 0xC10, "Bitmap"),
    (2, 0, 1, "RootNode"),
    (1, 0, 1, "Node"),
    (0xEE448B23, 0, 0x1010, "RenderEnvironment"),
    (0x1F58F, 0x3A29F, 0x1160, "AnchorCustomAttribute"),
    (0x92AAB38C, 0, 0x1030, "XRefObject"),
    (0x1234, 0x5678, 0x10, "Unknown Proxy"),
    (0x56AE72E5, 0x389B6659, 0x9008, "CATParent"),
    (0x7D32009, 0x6187DB21, 0x200, "PB2Parameter"),
    (0x1, 0, 0xF00, "Renderer"),
)
BLOCK, BITMAP, ROOT, NODE, ENVIRONMENT, ANCHOR, XREF, UNKNOWN, CAT, PARAMETER, RENDERER = range(11)


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def narrow(text: str, encoding: str = "cp1252") -> bytes:
    return text.encode(encoding) + b"\0"


def asset_table(*records: tuple[str, str, str]) -> bytes:
    """Version 3: type, path, resolved path of each; ids count up."""
    out = b""
    for number, texts in enumerate(records):
        out += UUID(int=ASSET.int + number).bytes_le
        for text in texts:
            out += pack("<I", len(text)) + wide(text) + b"\0\0"
    return out


def bitmap_info(path: str) -> bytes:
    return chunk(0x1201, bytes(70)) + chunk(0x1230, wide(path)) + chunk(0x1240, wide("PNG"))


def appdata(*entries: tuple[int, bytes]) -> bytes:
    """AppData of the MAXScript utility, by number."""
    rows = b"".join(
        chunk(
            0x0110,
            chunk(0x0120, pack("<5I", 0x04D64858, 0x16D1751D, 0x1020, subid, len(value)))
            + chunk(0x0130, value),
            True,
        )
        for subid, value in entries
    )
    return chunk(0x2150, chunk(0x0100, pack("<I", len(entries))) + rows, True)


def state_sets(path: str) -> bytes:
    """An object graph with one string; its first half is what every graph begins with."""
    body = path.encode()
    size = len(body)
    length = bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])
    graph = bytes.fromhex("00 01000000 ffffffff 01000000 00000000")
    graph += b"\x06" + pack("<I", 3) + length + body + b"\x0b"
    return pack("<I", len(graph)) + graph


def lpstr(text: str, encoding: str, padded: bool) -> bytes:
    nul = b"\0\0" if encoding == "utf-16-le" else b"\0"
    body = text.encode(encoding) + nul
    count = len(body) + (-len(body) % 4 if padded else 0)
    return pack("<I", count) + body + bytes(-len(body) % 4)


def properties(
    dependencies: Sequence[str],
    render: Sequence[str] = (),
    *,
    encoding: str = "cp1252",
    padded: bool = False,
    user: Mapping[str, str] | None = None,
) -> bytes:
    """Document properties with the headings that 3ds Max writes."""
    page = {"cp1252": 1252, "utf-8": 65001, "utf-16-le": 1200}[encoding]
    headings: list[tuple[str, Sequence[str]]] = [
        ("General", ("3ds Max Version: 9,00",)),
        ("Mesh Totals", ("Vertices: 0",)),
        ("Scene Totals", ("Objects: 0",)),
        ("External Dependencies", dependencies),
        ("Objects", ("Box01",)),
        ("Materials", ("oak",)),
        ("Used Plug-Ins", ("mtl.dlt",)),
        ("Render Data", ("Scene Flags=0", *render)),
    ]
    pairs = b"".join(
        pack("<I", 0x1E) + lpstr(name, encoding, padded) + pack("<Ii", 3, len(parts))
        for name, parts in headings
    )
    texts = [text for _, parts in headings for text in parts]
    vector = b"".join(lpstr(text, encoding, padded) for text in texts)
    first = _section(
        (1, pack("<IHH", 2, page, 0)),
        (12, pack("<II", 0x100C, 2 * len(headings)) + pairs),
        (13, pack("<II", 0x101E, len(texts)) + vector),
    )
    sections = [first]
    if user is not None:
        names = b"".join(
            pack("<II", 2 + n, len(name) + 1) + name.encode() + b"\0" for n, name in enumerate(user)
        )
        names = pack("<I", len(user)) + names
        sections.append(
            _section(
                (0, names + bytes(-len(names) % 4)),
                (1, pack("<IHH", 2, 1252, 0)),
                *((2 + n, pack("<I", 0x1E) + lpstr(text, "cp1252", False))
                  for n, text in enumerate(user.values())),
            )
        )  # fmt: skip
    at = 28 + 20 * len(sections)
    table = b""
    for part in sections:
        table += bytes(16) + pack("<I", at)
        at += len(part)
    head = pack("<HHI16sI", 0xFFFE, 0, 0x20006, bytes(16), len(sections))
    return head + table + b"".join(sections)


def _section(*values: tuple[int, bytes]) -> bytes:
    at = 8 + 8 * len(values)
    table = body = b""
    for property_id, value in values:
        table += pack("<II", property_id, at + len(body))
        body += value
    return pack("<II", at + len(body), len(values)) + table + body


def config(background: str, variable: str) -> bytes:
    """Viewports with a background, and a global variable: an array of a number and a string."""
    text = narrow(variable)
    string = chunk(0x05, pack("<I", len(text)) + text)
    array = chunk(0x07, chunk(0x60, pack("<I", 2)) + chunk(0x03, pack("<i", 7)) + string, True)
    name = narrow("lastFile")
    named = chunk(0x06, pack("<I", len(name)) + name)
    scripts = chunk(0x2180, chunk(0x30, named + array, True), True)
    viewports = chunk(0x2080, chunk(0x2876, wide(background)) + chunk(0x2877, wide("{0}")), True)
    return viewports + scripts


def block(owner: int, owner_class: int, *parts: bytes, count: int) -> bytes:
    """A parameter block of an owner, for scenes that keep UTF-16."""
    head = pack("<IHIHi", owner_class, 0, 1, count, owner)
    return chunk(0x0009, head) + b"".join(parts)


def text_element(text: str, generation: int) -> bytes:
    body = wide(text) + b"\0\0" if generation != 0x000E else narrow(text)
    return b"\x40" + pack("<i", len(body)) + body


def text_record(param_id: int, code: int, *texts: str, generation: int = 0x100E) -> bytes:
    elements = [text_element(text, generation) for text in texts]
    return record(param_id, code, *elements, generation=generation)


def make_file(
    objects: Sequence[tuple[int, bytes]],
    *,
    streams: Mapping[str, bytes] | None = None,
    classes: Sequence[tuple[int, int, int, str]] = CLASSES,
) -> MaxFile:
    """Return an opened file of objects, each a class index and its chunks."""
    directory = b"".join(
        chunk(
            0x2040,
            chunk(0x2060, pack("<iIII", -1, a, b, superclass)) + chunk(0x2042, wide(name)),
            True,
        )
        for a, b, superclass, name in classes
    )
    scene = chunk(0x2012, b"".join(chunk(index, body, True) for index, body in objects), True)
    entries = [NewEntry("Scene", scene), NewEntry("ClassDirectory3", directory)]
    entries += [NewEntry(name, data) for name, data in (streams or {}).items()]
    return MaxFile(build(entries, version=3))


def node(name: str, text: str = "", more: bytes = b"") -> bytes:
    return more + chunk(0x0962, wide(name)) + chunk(0x09BA, wide(text))


def example() -> MaxFile:
    """Return a file with at least one path of every kind of place."""
    f = FOLDER
    environment = chunk(
        0x0110,
        chunk(
            0x2000,
            chunk(0x0400, bitmap_info(f"{f}\\render.png"), True)
            + chunk(0x05C0, chunk(0x1270, wide(f"{f}\\comp.cws")), True),
            True,
        )
        + chunk(0x2300, chunk(0x0400, bitmap_info(f"{f}\\view.png"), True), True)
        + chunk(0x0600, wide(f"{f}\\leftover.png") + bytes(40)),
        True,
    ) + chunk(0x7000, chunk(0x7012, wide(f"{f}\\config.ocio")), True)
    return make_file(
        [
            (
                BLOCK,
                block(
                    1,
                    BITMAP,
                    text_record(16, 9, f"{f}\\oak.tga"),
                    text_record(17, 0x808, f"{f}\\a.png", "no path", f"{f}\\b.ies"),
                    record(13, 16, b"\x40\x01"),
                    chunk(0x0003, bitmap_info(f"{f}\\oak.tga"), True),
                    text_record(18, 8, "plain text"),
                    count=4,
                ),
            ),
            (BITMAP, chunk(0x5010, bitmap_info(f"{f}\\old.tga"), True)),
            (
                ROOT,
                appdata((5, narrow(f"{f}\\export.gltf")), (6, b"\xef\xbb\xbf" + narrow(f"{f}\\x")))
                + chunk(0x0120, wide(f"count = 3\r\nfile = {f}\\scene.nif\r\nratio = 1.5\r\n")),
            ),
            (
                NODE,
                node(
                    "tree",
                    f'shape = "{f}\\tree.shape"\r\nnote = see there\r\n',
                    appdata((1423062700, narrow("border.max")), (9, b"\1\0\0\0")),
                ),
            ),
            (ENVIRONMENT, environment),
            (ANCHOR, chunk(0x0066, state_sets(f"{f}\\<StateName>.tga"))),
            (XREF, chunk(0x0900, wide(f"{f}\\city.max"))),
            (UNKNOWN, chunk(0x0123, chunk(0x0456, wide(f"{f}\\proxy.abc")), True)),
            (CAT, chunk(0x000D, narrow(f"{f}\\rig.rg3"))),
            (
                PARAMETER,
                chunk(0x0003, chunk(0x0006, chunk(0x000A, wide("1\\Mats\\steel.png")), True), True),
            ),
            (
                BLOCK,
                block(11, RENDERER, text_record(3, 8, f"{f}\\frame.exr"), count=1),
            ),
            (RENDERER, chunk(0x0001, b"")),
        ],
        streams={
            "FileAssetMetaData3": asset_table(
                ("Bitmap", f"{f}\\wood.png", ""),
                ("Photometric", f"{f}\\lamp.ies", f"{f}\\lamp.ies"),
                ("XRef", f"{f}\\street.max", ""),
            ),
            "Config": config(f"{f}\\sky.jpg", f"{f}\\last.max"),
            "%05DocumentSummaryInformation": properties(
                ["oak.tga", "wood.png", "elsewhere.tga"], [f"Render Output={f}\\render.png"]
            ),
        },
    )


#: What :func:`example` holds: stream, kind, storage index of the object, path.
def every_place() -> list[tuple[str, str, int | None, str]]:
    f = FOLDER
    return [
        ("FileAssetMetaData3", "bitmap", None, f"{f}\\wood.png"),
        ("FileAssetMetaData3", "photometric", None, f"{f}\\lamp.ies"),
        ("FileAssetMetaData3", "photometric", None, f"{f}\\lamp.ies"),
        ("FileAssetMetaData3", "xref", None, f"{f}\\street.max"),
        ("Scene", "bitmap", 0, f"{f}\\oak.tga"),
        ("Scene", "bitmap", 0, f"{f}\\a.png"),
        ("Scene", "photometric", 0, f"{f}\\b.ies"),
        ("Scene", "bitmap", 0, f"{f}\\oak.tga"),
        ("Scene", "bitmap", 1, f"{f}\\old.tga"),
        ("Scene", "text", 2, f"{f}\\export.gltf"),
        ("Scene", "text", 2, f"{f}\\x"),
        ("Scene", "text", 2, f"{f}\\scene.nif"),
        ("Scene", "xref", 3, "border.max"),
        ("Scene", "text", 3, f"{f}\\tree.shape"),
        ("Scene", "output", 4, f"{f}\\comp.cws"),
        ("Scene", "file", 4, f"{f}\\config.ocio"),
        ("Scene", "output", 4, f"{f}\\render.png"),
        ("Scene", "output", 4, f"{f}\\view.png"),
        ("Scene", "output", 5, f"{f}\\<StateName>.tga"),
        ("Scene", "xref", 6, f"{f}\\city.max"),
        ("Scene", "file", 7, f"{f}\\proxy.abc"),
        ("Scene", "file", 8, f"{f}\\rig.rg3"),
        ("Scene", "bitmap", 9, "1\\Mats\\steel.png"),
        ("Scene", "output", 10, f"{f}\\frame.exr"),
        ("Config", "bitmap", None, f"{f}\\sky.jpg"),
        ("Config", "xref", None, f"{f}\\last.max"),
        ("DocumentSummaryInformation", "summary", None, "oak.tga"),
        ("DocumentSummaryInformation", "summary", None, "wood.png"),
        ("DocumentSummaryInformation", "summary", None, "elsewhere.tga"),
        ("DocumentSummaryInformation", "output", None, f"{f}\\render.png"),
    ]
