from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar import plugins
from maxsidecar.migrate.paths.find import find_paths
from maxsidecar.migrate.paths.rename import Result, rename_paths
from maxsidecar.migrate.rules.load import parse_rules
from maxsidecar.migrate.rules.rules import Rules
from maxsidecar.scene.maxfile import MaxFile
from tests.support import paths as made

MOVE = "[[rule]]\nprefix = 'C:\\Old Work'\nreplace = 'D:\\Neuer längerer Ordner'\n"


@pytest.fixture(autouse=True)
def _known_appdata() -> None:
    plugins.load()


def rules(text: str) -> Rules:
    return parse_rules(text, Path("rules.toml"))


def paths(scene_file: MaxFile) -> list[str]:
    return [place.path for place in find_paths(scene_file)]


def again(scene_file: MaxFile) -> MaxFile:
    """The file as it would be saved, read again."""
    return MaxFile(scene_file.to_bytes())


def streams(scene_file: MaxFile) -> dict[str, bytes]:
    return {name: bytes(stream.data) for name, stream in scene_file.streams.items()}


def rename(scene_file: MaxFile, text: str) -> Result:
    result = rename_paths(scene_file, rules(text))
    assert result.damaged == ()
    return result


def test_every_place_is_renamed_and_back() -> None:
    scene_file = made.example()
    before = streams(scene_file)
    result = rename(scene_file, "unproven = true\n" + MOVE)
    assert result.refused == ()
    moved = again(scene_file)
    expected = [p.replace(made.FOLDER, "D:\\Neuer längerer Ordner") for *_, p in made.every_place()]
    assert paths(moved) == expected
    assert len(result.renamed) == sum(made.FOLDER in path for *_, path in made.every_place())
    prefix = "prefix = 'D:\\Neuer längerer Ordner'"
    back = f"unproven = true\n[[rule]]\n{prefix}\nreplace = '{made.FOLDER}'\n"
    assert rename(moved, back).refused == ()
    assert streams(again(moved)) == before


def test_a_second_run_changes_nothing() -> None:
    scene_file = made.example()
    text = MOVE + "continue = true\n[[rule]]\nglob = '*.tga'\nextension = '.png'\n"
    assert rename(scene_file, text).renamed
    moved = again(scene_file)
    second = rename(moved, text)
    assert second.renamed == ()
    assert not moved.edited


def test_nothing_matches() -> None:
    scene_file = made.example()
    assert rename(scene_file, "[[rule]]\nprefix = 'Q:\\'\nreplace = 'R:\\'\n").renamed == ()
    assert not scene_file.edited


def test_names_in_the_properties_follow_the_files() -> None:
    scene_file = made.example()
    rename(
        scene_file,
        f"[[rule]]\nregex = '^C:.*oak\\.tga$'\nreplace = 'E:\\{made.FOLDER[3:]}\\elm.dds'\n",
    )
    names = [p.path for p in find_paths(again(scene_file)) if p.kind == "summary"]
    # "elsewhere.tga" belongs to no path.
    assert names == ["elm.dds", "wood.png", "elsewhere.tga"]


def test_a_name_that_two_files_had_follows_neither() -> None:
    table = made.asset_table(("Bitmap", "C:\\a\\x.tga", ""), ("Bitmap", "C:\\b\\x.tga", ""))
    scene_file = made.make_file(
        [(made.UNKNOWN, b"")],
        streams={
            "FileAssetMetaData3": table,
            "%05DocumentSummaryInformation": made.properties(["x.tga"]),
        },
    )
    rename(scene_file, "[[rule]]\nregex = 'a\\\\x\\.tga'\nreplace = 'y.png'\n")
    assert paths(scene_file) == ["C:\\y.png", "C:\\b\\x.tga", "x.tga"]


def test_only_the_kinds_that_are_asked_for() -> None:
    scene_file = made.example()
    result = rename(scene_file, MOVE + "kinds = ['xref', 'photometric']\n")
    assert {renaming.place.kind for renaming in result.renamed} == {"xref", "photometric"}


def test_what_is_not_proven_stays() -> None:
    scene_file = made.example()
    (refused,) = rename(scene_file, MOVE).refused
    assert not refused.place.proven
    assert "unproven = true" in refused.problem
    assert f"{made.FOLDER}\\proxy.abc" in paths(again(scene_file))


def test_what_a_place_cannot_hold_stays_and_the_rest_changes() -> None:
    scene_file = made.example()
    text = MOVE.replace("Neuer längerer Ordner", "Дом")
    result = rename(scene_file, "unproven = true\n" + text)
    stay = {renaming.place.path for renaming in result.refused}
    # 8-bit places of a scene of code page 1252; an entry with a UTF-8 mark can hold anything.
    assert stay == {
        f"{made.FOLDER}\\{name}"
        for name in ("export.gltf", "x", "rig.rg3", "last.max", "render.png")
    }
    assert all("cp1252" in renaming.problem for renaming in result.refused)
    assert "D:\\Дом\\wood.png" in paths(again(scene_file))
    assert not any(r.place.path in stay and "render" not in r.place.path for r in result.renamed)


def test_a_rule_that_goes_on_for_ever_is_refused() -> None:
    result = rename(made.example(), "[[rule]]\nregex = 'Old'\nreplace = 'Old Old'\n")
    assert result.renamed == ()
    assert all("go on" in renaming.problem for renaming in result.refused)


def test_an_edited_scene_is_read_as_it_is_now() -> None:
    scene_file = made.example()
    rename(scene_file, "unproven = true\n" + MOVE)
    assert paths(scene_file) == paths(again(scene_file))


def test_several_records_of_an_asset_table_at_once() -> None:
    def table(folder: str) -> bytes:
        return made.asset_table(
            *(("Bitmap", f"{folder}\\{n}.tga", f"{folder}\\r{n}.tga") for n in range(300))
        )

    scene_file = made.make_file(
        [(made.UNKNOWN, b"")], streams={"FileAssetMetaData3": table("C:\\Old Work")}
    )
    assert len(rename(scene_file, MOVE).renamed) == 600
    new = table("D:\\Neuer längerer Ordner")
    assert scene_file.streams["FileAssetMetaData3"].content == new
