from __future__ import annotations

from struct import pack

import pytest

from maxsidecar import plugins
from maxsidecar.migrate.paths.assets import asset_users
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.leaves import read_text
from maxsidecar.migrate.paths.lines import paths_in_lines
from maxsidecar.migrate.paths.looks import is_absolute, is_outside, kind_of, reads_as_path
from maxsidecar.migrate.paths.place import Place
from maxsidecar.scene.maxfile import MaxFile
from tests.support import paths as made
from tests.support.params import chunk


@pytest.fixture(autouse=True)
def _known_appdata() -> None:
    plugins.load()


def listed(scene_file: MaxFile) -> list[Place]:
    found = find_paths(scene_file)
    assert found.problems == []
    return list(found)


def seen(place: Place) -> tuple[str, str, int | None, str]:
    return (place.where.stream or "").lstrip("\x05"), place.kind, place.index, place.path


def test_every_kind_of_place_in_order() -> None:
    assert [seen(place) for place in listed(made.example())] == made.every_place()


def test_places_say_where_the_bytes_are() -> None:
    scene_file = made.example()
    for place in listed(scene_file):
        stream = scene_file.streams[place.where.stream or ""]
        start = place.where.offset
        assert start is not None
        stored = bytes(stream.data)[start : start + place.size]
        encodings = ("utf-16-le", "cp1252", "utf-8")
        assert any(place.path.encode(name) in stored for name in encodings), place


def test_only_what_nothing_is_known_of_is_not_proven() -> None:
    (place,) = [place for place in listed(made.example()) if not place.proven]
    assert (place.owner, place.field) == ("Unknown Proxy 7", "chunk 0456")


def test_fields_have_names() -> None:
    fields = {place.path: place.field for place in listed(made.example())}
    assert fields["border.max"] == "nel.interface.file"
    assert fields[f"{made.FOLDER}\\last.max"] == "global lastFile"
    assert fields[f"{made.FOLDER}\\tree.shape"] == "user properties shape"
    assert fields[f"{made.FOLDER}\\b.ies"] == "parameter 17[2]"
    assert fields[f"{made.FOLDER}\\lamp.ies"] == "asset 1 resolved path"


def test_users_of_assets() -> None:
    reference = chunk(0x000F, chunk(0x0002, made.ASSET.bytes_le), True)
    stored = chunk(0x100E, pack("<HIQ", 16, 9, 0) + b"\x40" + pack("<i", -2)) + reference
    background = f"{{{str(made.ASSET).upper()}}}"
    scene_file = made.make_file(
        [(made.BLOCK, made.block(1, made.BITMAP, stored, count=1)), (made.BITMAP, chunk(0x5002))],
        streams={
            "FileAssetMetaData3": made.asset_table(("Bitmap", "a.png", ""), ("Bitmap", "b", "")),
            "Config": made.config(background, "x"),
        },
    )
    first, second = asset_users(scene_file).values()
    assert first == ("Bitmap 1", "viewport background")
    assert second == ()
    # The id itself is no path, wherever it stands.
    assert [place.path for place in listed(scene_file)] == ["a.png", "b"]


@pytest.mark.parametrize("generation", [0x000A, 0x000E, 0x100E])
def test_generations_of_parameters(generation: int) -> None:
    flags = pack("<I", 0) if generation == 0x000A else pack("<Q", 0)
    narrow = generation != 0x100E
    text = made.narrow("C:\\é.tga") if narrow else made.wide("C:\\é.tga") + b"\0\0"
    body = pack("<HI", 3, 9) + flags + b"\x40" + pack("<i", len(text)) + text
    scene_file = made.make_file(
        [
            (made.BLOCK, made.block(1, made.BITMAP, chunk(generation, body), count=1)),
            (made.BITMAP, b""),
        ]
    )
    (place,) = listed(scene_file)
    assert place.path == "C:\\é.tga"


def test_wide_chunk_headers_are_searched_too() -> None:
    text = made.wide("C:\\a.tga") + b"\0\0"
    body = pack("<HIQ", 3, 9, 0) + b"\x40" + pack("<i", len(text)) + text
    record = pack("<HIQ", 0x100E, 0, len(body) + 14) + body
    path = made.wide("D:\\b.abc")
    leaf = pack("<HIQ", 0x0456, 0, len(path) + 14) + path
    scene_file = made.make_file(
        [
            (made.BLOCK, made.block(1, made.BITMAP, record, count=1)),
            (made.BITMAP, b""),
            (made.UNKNOWN, leaf),
        ]
    )
    assert [place.path for place in listed(scene_file)] == ["C:\\a.tga", "D:\\b.abc"]


def test_a_file_name_without_any_mark_of_one_is_a_word() -> None:
    scene_file = made.make_file(
        [
            (made.BLOCK, made.block(1, made.BITMAP, made.text_record(2, 9, "rand"), count=1)),
            (made.BITMAP, b""),
        ]
    )
    assert listed(scene_file) == []


def test_records_and_leaves_of_other_streams() -> None:
    utilities = chunk(
        0x21A0,
        chunk(0x1A00, pack("<II", 0x1111, 0x2222))
        + chunk(0x1A02, chunk(0x0005, made.text_record(4, 8, "E:\\export.fbx"), True), True)
        + chunk(0x1A00, pack("<II", 3, 4))
        + chunk(0x1A02, made.text_record(0, 8, "2.80.1") + chunk(0x000E, b"no record"), True),
        True,
    )
    # What looks the same in the registration data is never shown.
    private = chunk(0x2130, chunk(0x0110, chunk(0x0300, made.wide("C:\\me.max")), True), True)
    kept = chunk(0x2100, chunk(0x2120, chunk(0x0001, made.wide("F:\\lut.cube")), True), True)
    scene_file = made.make_file(
        [(made.UNKNOWN, b"")],
        streams={"Config": private + utilities, "ClassData": kept},
    )
    first, second = listed(scene_file)
    assert (first.path, first.owner) == ("E:\\export.fbx", "utility 1111/2222")
    assert (second.path, second.proven) == ("F:\\lut.cube", False)
    before = {name: bytes(stream.data) for name, stream in scene_file.streams.items()}
    for new in (("Q:\\a much longer path.fbx", "R:\\x"), (first.path, second.path)):
        for (holder, _), text in zip(find_paths(scene_file).found, new, strict=True):
            holder.write({0: text})
        scene_file = MaxFile(scene_file.to_bytes())
        assert [place.path for place in listed(scene_file)] == list(new)
    assert {name: bytes(stream.data) for name, stream in scene_file.streams.items()} == before


def test_particle_and_texture_names_of_scripted_plugins() -> None:
    names = ("fx_smoke.ps", "*.ps", ".tga", "bark.tga", "Max Default", "tree.shape")
    records = [made.text_record(number, 8, name) for number, name in enumerate(names)]
    scene_file = made.make_file(
        [
            (made.BLOCK, made.block(1, made.UNKNOWN, *records, count=len(names))),
            (made.UNKNOWN, made.appdata((7, made.narrow("fx_fire.ps")))),
        ]
    )
    # What a script gives by default, "*.ps" and ".tga", is no file.
    assert [(place.path, place.kind) for place in listed(scene_file)] == [
        ("fx_smoke.ps", "text"),
        ("bark.tga", "bitmap"),
        ("tree.shape", "text"),
        ("fx_fire.ps", "text"),
    ]


def test_nothing_is_found_in_pixels_and_leftovers() -> None:
    noise = b"C:\\a.tga" + bytes(range(256)) + made.wide("C:\\b.tga") + bytes(64)
    scene_file = made.make_file(
        [
            (made.UNKNOWN, chunk(0x4200, noise) + chunk(0x4201, noise[:8] + b"\0\0\1")),
            (made.ENVIRONMENT, chunk(0x0110, chunk(0x2000, chunk(0x0601, noise), True), True)),
        ]
    )
    assert listed(scene_file) == []


def test_damage_is_told_and_the_rest_is_found() -> None:
    table = made.asset_table(("Bitmap", "a.png", ""))
    scene_file = made.make_file(
        [(made.UNKNOWN, chunk(0x0456, made.wide("C:\\a.abc")))],
        streams={"FileAssetMetaData3": table[:-3], "%05DocumentSummaryInformation": b"no set"},
    )
    found = find_paths(scene_file)
    assert [place.path for place in found] == ["C:\\a.abc"]
    assert [problem.where.stream for problem in found.problems] == [
        "FileAssetMetaData3",
        "\x05DocumentSummaryInformation",
    ]


@pytest.mark.parametrize(
    ("text", "absolute", "path"),
    [
        ("C:\\a", True, True),
        ("c:/", True, True),
        ("\\\\server\\share", True, True),
        ("//server/share/a.tga", True, True),
        ("C:a.tga", False, True),
        ("a.tga", False, True),
        ("maps\\a b.TGA", False, True),
        ("<RenderFileName>.<frame>.log", False, True),
        ("${ROOT}/a.abc", False, True),
        ("*.ps", False, False),
        (".tga", False, False),
        ("maps\\.tga", False, False),
        ("http://x.org/a.png", False, False),
        ("a.unknown", False, False),
        ("C:", False, False),
        ("\\\\\\\\abc", False, False),
        ("C:\\a\nb", False, False),
        ('say "C:\\a.tga"', False, False),
        (" a.tga", False, False),
        ("file1 (RockJagged.tga)", False, False),
        ("x" * 40000 + ".tga", False, False),
    ],
)
def test_what_reads_as_a_path(text: str, absolute: bool, path: bool) -> None:
    assert is_absolute(text) is absolute
    assert reads_as_path(text) is path


def test_kinds_and_servers() -> None:
    assert [kind_of(name) for name in ("a.TGA", "a.ies", "a.max", "a.wav", "a.ps", "a")] == [
        "bitmap", "photometric", "xref", "sound", "file", "file",
    ]  # fmt: skip
    assert kind_of("a.ps", "text") == "text"
    assert is_outside("\\\\server\\a")
    assert is_outside("//server/a")
    assert not is_outside("C:\\a")


def test_paths_in_lines() -> None:
    text = 'a = C:\\x.png\r\nb="D:\\y z.png" \r\nc = 3\nD:\\whole = line.max\n\\\\s\\t\\u.max\n'
    found = list(paths_in_lines(text))
    assert [(f.key, f.path) for f in found] == [
        ("a", "C:\\x.png"),
        ("b", "D:\\y z.png"),
        ("", "D:\\whole = line.max"),
        ("", "\\\\s\\t\\u.max"),
    ]
    assert all(text[f.start : f.end] == f.path for f in found)


@pytest.mark.timeout(20)
def test_long_lines_take_no_longer_than_they_are() -> None:
    assert list(paths_in_lines("a" + " " * 300_000 + "=" + " \t" * 300_000)) == []
    assert not reads_as_path("C:" + "\\/" * 16_000 + "?")


@pytest.mark.parametrize(
    ("raw", "encoding", "end"),
    [
        (b"C:\\a.tga", "cp1252", b""),
        (b"C:\\a.tga\0", "cp1252", b"\0"),
        (b"\xef\xbb\xbfC:\\\xc3\xa9\0", "utf-8-sig", b"\0"),
        (made.wide("C:\\a.tga"), "utf-16-le", b""),
        (made.wide("C:\\a.tga") + b"\0\0", "utf-16-le", b"\0\0"),
        # Whoever wrote it had another code page; it is a path all the same.
        (b"C:\\\x81\xc1.tga", "cp1252", b""),
    ],
)
def test_texts_keep_their_form(raw: bytes, encoding: str, end: bytes) -> None:
    stored = read_text(raw, "cp1252")
    assert stored is not None
    assert (stored.encoding, stored.end) == (encoding, end)
    assert stored.encode(stored.text) == raw


@pytest.mark.parametrize("raw", [b"", b"\0", b"C:\\a\0b.tga", b"abc", b"C:\\a\r\n"])
def test_bytes_that_are_no_path(raw: bytes) -> None:
    assert read_text(raw, "cp1252") is None
