from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.migrate.rules.files import Root, file_index
from maxsidecar.migrate.rules.load import parse_rules
from maxsidecar.migrate.rules.rules import Rules
from maxsidecar.migrate.rules.windows import (
    extension_of,
    file_name,
    fold,
    same_path,
    with_extension,
)


def rules(text: str, folder: Path = Path("/nowhere")) -> Rules:
    return parse_rules(text, folder / "rules.toml")


def one(pattern: str, action: str, folder: Path = Path("/nowhere"), more: str = "") -> Rules:
    return rules(f"[[rule]]\n{pattern}\n{action}\n{more}", folder)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("W:\\database\\a.tga", "D:\\work\\a.tga"),
        ("w:/DataBase/x/a.tga", "D:\\work/x/a.tga"),
        ("W:\\database", "D:\\work"),
        ("W:\\database2\\a.tga", "W:\\database2\\a.tga"),
        ("X:\\W:\\database\\a.tga", "X:\\W:\\database\\a.tga"),
        ("", ""),
    ],
)
def test_prefix(path: str, new: str) -> None:
    assert one(r"prefix = 'W:\database\'", r"replace = 'D:\work'").apply(path).path == new


def test_a_prefix_below_itself_is_stable() -> None:
    nested = one(r"prefix = 'D:\a'", r"replace = 'D:\a\b'")
    first = nested.apply("D:\\a\\x.tga")
    assert first.path == "D:\\a\\b\\x.tga"
    assert nested.apply(first.path).path == first.path


def test_an_empty_prefix_makes_paths_relative() -> None:
    made = one(r"prefix = 'W:\database'", "replace = ''")
    assert made.apply("W:\\database\\maps\\a.tga").path == "maps\\a.tga"


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.tga", "C:\\x\\A.TGA", True),
        ("*.tga", "a.tga", True),
        ("*.tga", "C:\\x.tga\\a.png", False),
        ("?.tga", "C:/b.tga", True),
        ("?.tga", "bb.tga", False),
        ("C:\\*\\a.tga", "c:/x/a.tga", True),
        ("C:\\*\\a.tga", "c:/x/y/a.tga", False),
        ("C:\\**\\a.tga", "c:/x/y/a.tga", True),
        ("C:\\**\\a.tga", "c:/a.tga", True),
        ("C:/**", "c:\\x\\y.tga", True),
        ("[ab].tga", "B.tga", True),
        ("[!ab].tga", "b.tga", False),
        ("[!ab].tga", "c.tga", True),
        ("a(1)+.tga", "a(1)+.tga", True),
        ("[^].tga", "^.tga", True),
    ],
)
def test_glob(glob: str, path: str, matches: bool) -> None:
    made = one(f"glob = '{glob}'", "replace = 'Z'")
    assert (made.apply(path).path.endswith("Z")) is matches


def test_wildcards_and_parts_in_a_replacement() -> None:
    made = one(r"glob = 'W:\**\*.tga'", r"replace = 'D:\{1}\{2}_{stem}{ext}{{x}}'")
    assert made.apply("w:/a/b/C.tga").path == "D:\\a/b\\C_C.tga{x}"
    # What stands for no folder leaves no empty name.
    assert made.apply("w:/C.tga").path == "D:\\C_C.tga{x}"


def test_a_name_without_folders_is_a_new_name() -> None:
    assert (
        one("glob = 'oak.tga'", "replace = 'elm.png'").apply("C:/x/OAK.tga").path == "C:/x/elm.png"
    )
    assert one("glob = 'C:\\**\\oak.tga'", "replace = 'e'").apply("C:/x/OAK.tga").path == "e"
    assert one("glob = 'oak.tga'", "replace = 'D:\\e'").apply("C:/x/OAK.tga").path == "D:\\e"


def test_a_drive_is_never_its_current_folder() -> None:
    assert one("prefix = 'W:\\a'", "replace = 'D:\\'").apply("w:/a").path == "D:\\"
    assert one("prefix = 'W:\\a'", "replace = 'D:\\'").apply("w:/a/b").path == "D:/b"


def test_regex_replaces_what_it_matched() -> None:
    made = one(r"regex = '^(?P<drive>[a-z]):\\old(\d)\\'", r"replace = '{drive}:\new{2}\'")
    assert made.apply("E:/OLD7/x/y.png").path == "E:\\new7\\x/y.png"
    assert made.apply("E:/older/x.png").line == 0


@pytest.mark.parametrize(
    ("action", "path", "new"),
    [
        ('extension = ".png"', "C:\\x.y\\a.TGA", "C:\\x.y\\a.png"),
        ('extension = ".png"', "C:\\x.y\\a", "C:\\x.y\\a"),
        ('extension = ".png"', ".tga", ".tga"),
        ('extension = ".png"', "a.PNG", "a.PNG"),
        ('extension = { ".TGA" = ".png", ".bmp" = ".dds" }', "a.tga", "a.png"),
        ('extension = { ".TGA" = ".png", ".bmp" = ".dds" }', "a.bmp", "a.dds"),
        ('extension = { ".TGA" = ".png", ".bmp" = ".dds" }', "a.jpg", "a.jpg"),
    ],
)
def test_extension(action: str, path: str, new: str) -> None:
    assert one("glob = '*'", action).apply(path).path == new


def test_lookup(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        'old,new\nW:\\a.tga,D:\\b.png\n"oak, old.tga",oak.png\nx.tga,E:\\y.tga\n', "utf-8-sig"
    )
    made = one("glob = '*'", "lookup = 't.csv'", tmp_path)
    assert made.apply("w:/A.TGA").path == "D:\\b.png"
    assert made.apply("W:\\z\\Oak, old.tga").path == "W:\\z\\oak.png"
    assert made.apply("W:\\x.tga").path == "E:\\y.tga"
    assert made.apply("W:\\other.tga").line == 0
    assert made.tables == (tmp_path / "t.csv",)


@pytest.fixture
def textures(tmp_path: Path) -> Path:
    for name in ("wood/oak.png", "old/oak.png", "stone/Slate.PNG", "stone/deep/only.dds"):
        path = tmp_path / "tex" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    file_index.cache_clear()
    return tmp_path


def test_roots(textures: Path) -> None:
    stored = "roots = [{ folder = 'tex', as = 'S:\\tex' }]"
    made = one("glob = '*'", stored, textures, "extensions = ['.png', '.dds']")
    assert made.apply("W:\\maps\\slate.png").path == "S:\\tex\\stone\\Slate.PNG"
    # Across extensions, and by the folders that agree.
    assert made.apply("W:\\maps\\ONLY.tga").path == "S:\\tex\\stone\\deep\\only.dds"
    assert made.apply("W:\\maps\\wood\\oak.tga").path == "S:\\tex\\wood\\oak.png"
    unclear = made.apply("W:\\maps\\oak.png")
    assert unclear.path == "W:\\maps\\oak.png"
    assert "2 files" in unclear.problem
    assert made.apply("W:\\nothing.png").line == 0
    # A second run finds the same file.
    assert made.apply("S:\\tex\\old\\oak.png").path == "S:\\tex\\old\\oak.png"


def test_a_root_is_stored_as_it_is_named(textures: Path) -> None:
    folder = str(textures / "tex")
    made = one("glob = '*'", f"roots = ['{folder}']")
    assert fold(made.apply("X:\\only.dds").path) == fold(f"{folder}/stone/deep/only.dds")


def test_one_file_below_two_roots_is_one_file(textures: Path) -> None:
    index = file_index((Root(str(textures)), Root(str(textures / "tex"))))
    found, count = index.find("only.dds")
    assert count == 1
    assert found is not None
    assert found.local == textures / "tex" / "stone" / "deep" / "only.dds"


def test_the_first_match_wins() -> None:
    made = rules(
        "[[rule]]\nprefix = 'W:\\a'\nreplace = 'D:\\first'\n"
        "[[rule]]\nprefix = 'W:\\'\nreplace = 'D:\\second'\n"
    )
    assert made.apply("W:\\a\\x").path == "D:\\first\\x"
    assert made.apply("W:\\a\\x").line == 1
    assert made.apply("W:\\b\\x").path == "D:\\second\\b\\x"


CHAIN = (
    "[[rule]]\nprefix = 'W:\\'\nreplace = 'D:\\new'\n{}"
    "[[rule]]\nglob = '*.tga'\nextension = '.png'\n"
)


def test_a_result_that_another_rule_would_rename_is_told() -> None:
    decision = rules(CHAIN.format("")).apply("W:\\a.tga")
    assert (decision.path, decision.line, decision.again) == ("D:\\new\\a.tga", 1, 4)


def test_rules_go_on_when_they_say_so() -> None:
    decision = rules(CHAIN.format("continue = true\n")).apply("W:\\a.tga")
    assert (decision.path, decision.line, decision.again) == ("D:\\new\\a.png", 1, 0)


def test_a_rule_that_feeds_on_its_results_is_refused() -> None:
    decision = one("regex = 'maps'", "replace = 'maps_maps'").apply("C:\\maps\\a.tga")
    assert decision.path == "C:\\maps\\a.tga"
    assert "go on" in decision.problem


def test_kinds() -> None:
    made = one("glob = '*'", "replace = 'X'", more="kinds = ['xref']")
    assert made.apply("a.max", "xref").path == "X"
    assert made.apply("a.max", "output").path == "a.max"


def test_what_windows_takes_for_the_same_stays() -> None:
    made = one(r"prefix = 'w:\DATA'", r"replace = 'W:/data'")
    assert made.apply("w:\\DATA\\a.tga").path == "w:\\DATA\\a.tga"


@pytest.mark.parametrize(("text", "reason"), [("", "empty"), ("x" * 40000, "more than")])
def test_what_can_be_no_path_is_refused(text: str, reason: str) -> None:
    decision = one("regex = '^.*$'", f"replace = '{text}'").apply("a.tga")
    assert decision.path == "a.tga"
    assert reason in decision.problem


def test_windows_paths() -> None:
    assert fold("c:/Straße/ñ") == "C:\\STRAßE\\Ñ"
    assert same_path("C:\\a", "c:/A")
    assert not same_path("C:\\a", "C:\\a\\")
    assert [file_name(p) for p in ("C:\\a\\b.c", "C:a.b", "a", "/x/")] == ["b.c", "a.b", "a", ""]
    assert [extension_of(p) for p in ("a.b.c", "x.y\\a", ".tga", "a.")] == [".c", "", "", "."]
    assert with_extension("C:\\x.y\\a.tga", ".png") == "C:\\x.y\\a.png"
