"""Paths of real scenes: none is missed, renaming touches nothing else, and can be taken back."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxsidecar import plugins
from maxsidecar.io.index import ChunkIndex
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.place import Place
from maxsidecar.migrate.paths.rename import Renaming, rename_paths
from maxsidecar.migrate.rules.load import parse_rules
from maxsidecar.scene.maxfile import MaxFile, open_file
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.roundtrip import check_bytes
from maxsidecar.scene.stream_views import CHUNK_STREAMS
from maxsidecar.sidecar.diff import Difference, compare

# The plain search: drives, servers, and names with an extension that files have, in both
# encodings.  The list is this test's own.
EXTENSIONS = frozenset(
    """
    max chr gmax tga png jpg jpeg bmp dds tif tiff gif psd hdr hdri exr rla rpf pic cin iff rgb sgi
    yuv avi mov mpg mpeg mp4 wmv wav mp3 ogg ies cibse ltli vrmesh vrscene vrimg proxy mib abc ass
    fbx obj 3ds dwg dxf dae w3d usd usda usdc usdz xml txt ini cfg csv json toml log bip fig xaf
    xmm mcg pc2 mdd pts xyz e57 rcp osl oso fx fxh cgfx hlsl mse mcr ms mzp shape ps skel anim zone
    ig bank animation skeleton trm rig rg3 cat ifl vmt vtf cr2 gltf glb babylon bin dat lut ocio
    icc icm cube mat swf pdf htm html mtl prt rps sat igs step stp stl wire prj ai svg cam ddr map
    pfm ktx lib nif rws dff bsp dlo dlm dlt dlr dlc dlk dle dli dlu dlh dlv dls gup bmi bms cws exe
    dll
    """.split()  # noqa: SIM905 - a list of literals would be a screen long
)


def patterns() -> dict[str, re.Pattern[bytes]]:
    """The search in each encoding."""
    longest_first = sorted(EXTENSIONS, key=lambda name: (-len(name), name))
    names = b"|".join([name.encode() for name in longest_first])
    char = rb"[\x20-\x7e\x80-\xff]"
    narrow = re.compile(
        rb"[A-Za-z]:[\\/]" + char + rb"{3,200}|\\\\[A-Za-z0-9]" + char + rb"{3,200}|"
        rb"(?<!" + char + rb")" + char + rb"{1,200}\.(?i:" + names + rb")(?![A-Za-z0-9_.])"
    )  # fmt: skip
    wide_names = b"|".join(
        b"".join(re.escape(bytes([byte])) + rb"\x00" for byte in name.encode())
        for name in longest_first
    )
    wide_char = rb"(?:[\x20-\x7e\xa0-\xff]\x00|[\x00-\xff][\x01-\xd7\xe0-\xff])"
    wide = re.compile(
        rb"[A-Za-z]\x00:\x00[\\/]\x00" + wide_char + rb"{3,200}?(?=\x00\x00|[\x00-\x1f]\x00|$)|"
        rb"\\\x00\\\x00[A-Za-z0-9]\x00" + wide_char + rb"{3,200}?(?=\x00\x00|[\x00-\x1f]\x00|$)|"
        rb"(?:[\x20-\x7e\xa0-\xff]\x00){1,200}?\.\x00(?i:" + wide_names + rb")(?![A-Za-z0-9_.]\x00)"
    )  # fmt: skip
    return {"8-bit": narrow, "UTF-16": wide}


@dataclass(frozen=True)
class Kind:
    """Something that reads like a path and is none, or must stay.

    Attributes:
        reason: What it is.
        stream: Where.
        ids: Regular expression for the chunk ids on the way down, inside the object.
        owner: Class of the object, or of the owner of a parameter block: half A, half B.
        text: Regular expression for the hit, where other texts stand in the same place.
    """

    reason: str
    stream: str = "Scene"
    ids: str = ".*"
    owner: tuple[int, int] | None = None
    text: str = "(?s:.*)"


EXPLAINED = (
    Kind("pixels of the thumbnail", "SummaryInformation"),
    Kind("pixels of a material's thumbnail", ids="(4000|0100)/4200"),
    Kind("buffers with leftovers of memory", ids="0110/.*060[01]", owner=(0xEE448B23, 0)),
    Kind("data of a picture format's plug-in, with leftovers of memory", ids=".*/1220"),
    Kind("source of a script", ids="5000", owner=(0x7C8F3A2A, 0x1E954D91)),
    Kind(
        "a document with URLs, and a copy of a parameter",
        ids="0013",
        owner=(0x2EBD61E9, 0x33DA121D),
    ),
    Kind("packed text of the material editor", owner=(0x2B12373F, 0x75E86290)),
    Kind("labels of tracks", ids="0110", owner=(0x8D73B8AA, 0x90F2EE71)),
    Kind("file names of plug-ins", "DllDirectory"),
    Kind(
        "names of plug-ins among the properties",
        "DocumentSummaryInformation",
        text=r"[\w .+-]+\.(?i:dl[a-z]|gup|bm[is])",
    ),
    Kind("chance, in numbers of a mesh", ids="08fe/.*", text="(?s:.{1,12})"),
    Kind("chance, in numbers of a modifier", ids="25.*", text="(?s:.{1,12})"),
)


@dataclass(frozen=True)
class Hit:
    """A hit of the search that no known place covers."""

    stream: str
    owner: tuple[int, int] | None
    ids: str
    text: str


def known_intervals(data: bytes, places: list[Place], code_page: str) -> list[tuple[int, int]]:
    """Where in a stream the paths are that are known, to the byte."""
    found: list[tuple[int, int]] = []
    for place in places:
        start = place.where.offset or 0
        for encoding in ("utf-16-le", code_page, "utf-8"):
            try:
                body = place.path.encode(encoding)
            except UnicodeEncodeError:
                continue
            at = data.find(body, start, start + place.size)
            while at >= 0:
                found.append((at, at + len(body)))
                at = data.find(body, at + 1, start + place.size)
    return found


def unknown_hits(scene_file: MaxFile) -> Iterator[Hit]:
    """Hits of the search that are no known path."""
    places = list(find_paths(scene_file))
    for stream in scene_file.streams.values():
        data = bytes(stream.data)
        mine = [place for place in places if place.where.stream == stream.name]
        known = known_intervals(data, mine, scene_file.code_page)
        index: ChunkIndex | None = None
        for name, pattern in patterns().items():
            for match in pattern.finditer(data):
                if any(a < match.end() and match.start() < b for a, b in known):
                    continue
                if index is None and stream.name in CHUNK_STREAMS:
                    index = ChunkIndex(data, strict=False)
                ids = (
                    [part[:4] for part in (index.path_at(match.start()) or "").split("/")]
                    if index
                    else []
                )
                owner = None
                if stream.name == "Scene":
                    ids = ids[2:]
                    owner = owner_at(scene_file, match.start())
                encoding = "latin-1" if name == "8-bit" else "utf-16-le"
                text = match.group().decode(encoding, "replace")
                yield Hit(stream.name.lstrip("\x05"), owner, "/".join(ids), text)


def owner_at(scene_file: MaxFile, offset: int) -> tuple[int, int] | None:
    """Class id of the object at an offset, of parameter blocks that of their owner."""
    index = scene_file.scene.index_at(offset)
    if index is None:
        return None
    obj = scene_file.scene[index]
    class_id = obj.class_id
    if isinstance(obj, ParamBlock2) and obj.owner_class is not None:
        class_id = obj.owner_class[0]
    return (class_id.a, class_id.b) if class_id is not None else None


def explains(kind: Kind, hit: Hit) -> bool:
    return (
        kind.stream == hit.stream
        and kind.owner in (None, hit.owner)
        and re.fullmatch(kind.ids, hit.ids) is not None
        and re.fullmatch(kind.text, hit.text) is not None
    )


@pytest.mark.slow
def test_every_path_in_the_bytes_is_known_or_explained(corpus_files: tuple[Path, ...]) -> None:
    plugins.load()
    used: Counter[str] = Counter()
    unexplained: list[tuple[str, Hit]] = []
    for path in corpus_files:
        with open_file(path) as scene_file:
            for hit in unknown_hits(scene_file):
                kinds = [kind for kind in EXPLAINED if explains(kind, hit)]
                used.update(kind.reason for kind in kinds[:1])
                if not kinds:
                    unexplained.append((path.name, hit))
    assert unexplained == []
    # A kind that explains nothing may hide something one day.
    assert {kind.reason for kind in EXPLAINED} == set(used)


#: Other drives, servers as folders, and another extension: most paths of the corpus change.
RULES = parse_rules(
    r"""
[[rule]]
regex = '^([c-z]):[\\/]'
replace = 'B:\moved\drive {1}\'
continue = true
[[rule]]
regex = '^\\\\([^\\]+)\\'
replace = 'B:\servers\{1}\'
continue = true
[[rule]]
glob = '*.jpg'
extension = '.jpeg'
""",
    Path("rules.toml"),
)


#: Name and field of what may differ: records that hold a path, as the comparison calls them.
PATH_FIELDS = re.compile(
    r"FileAssetMetaData[23]: (asset .*|content)"
    r"|\x05DocumentSummaryInformation: content"
    r"|.*: (.*/)?[0-9a-f]{4} \((output_|config_)?path\)"
    r"|.*: [0-9a-f]{4}(\[\d+\])? \(parameters\[\d+\]\)"
    r"|Scene Root: (appdata .*|0120 \(scene_text\))"
    r"|.*AnchorCustomAttribute.*: 0066 \(chunk_0066\)"
)


def shows_a_path(difference: Difference, paths: Iterable[str]) -> bool:
    """Whether a parameter that differs got one of the new paths; long texts are cut at "..."."""
    shown = difference.new or ""
    if not difference.field.startswith("parameters.") or not shown.startswith('"'):
        return False
    if not shown.endswith('"'):
        shown = shown.removesuffix("...").rstrip("\\") + '"'
    parts = tomllib.loads(f"shown = {shown}")["shown"].split("...")
    return any(all(part in path for part in parts) for path in paths)


def give_back(scene_file: MaxFile, renamed: tuple[Renaming, ...]) -> None:
    """Write every old path where it was."""
    old = {
        (r.place.where.stream, r.place.index, r.place.field, r.place.number, r.new): r.place.path
        for r in renamed
    }
    written = 0
    for holder, places in find_paths(scene_file).found:
        changes = {}
        for place in places:
            key = (place.where.stream, place.index, place.field, place.number, place.path)
            if key in old:
                changes[place.number] = old[key]
        if changes:
            holder.write(changes)
            written += len(changes)
    assert written == len(renamed)


@pytest.mark.slow
def test_a_rename_changes_paths_and_nothing_else(max_file: Path) -> None:
    plugins.load()
    with open_file(max_file) as scene_file:
        before = {name: bytes(stream.data) for name, stream in scene_file.streams.items()}
        result = rename_paths(scene_file, RULES)
        assert result.refused == ()
        assert result.damaged == ()
        saved = scene_file.to_bytes()
    if not result.renamed:
        assert saved == max_file.read_bytes()
        return
    with MaxFile(saved) as renamed, open_file(max_file) as original:
        # Each path is renamed, and each difference is one of a record with a path.
        expected = Counter(r.new for r in result.renamed)
        assert not expected - Counter(place.path for place in find_paths(renamed))
        differences = list(compare(original, renamed))
        for difference in differences:
            assert difference.change == "changed"
            assert PATH_FIELDS.fullmatch(f"{difference.name}: {difference.field}") or shows_a_path(
                difference, expected
            ), difference
        assert 0 < len(differences) <= len(result.renamed)
        # A second run changes nothing.
        second = rename_paths(renamed, RULES)
        assert (second.renamed, second.refused) == ((), ())
        assert not renamed.edited
        give_back(renamed, result.renamed)
        with MaxFile(renamed.to_bytes()) as back:
            assert {name: bytes(s.data) for name, s in back.streams.items()} == before


@pytest.mark.slow
def test_renamed_scenes_pass_the_check(max_file: Path) -> None:
    plugins.load()
    with open_file(max_file) as scene_file:
        if not rename_paths(scene_file, RULES).renamed:
            return
        saved = scene_file.to_bytes()
    result = check_bytes(saved, max_file)
    assert result.status == "ok", result.problems
