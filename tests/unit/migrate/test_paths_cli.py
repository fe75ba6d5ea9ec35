from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from maxsidecar.cli.main import main
from tests.support import paths as made

RULES = """\
unproven = true
[[rule]]
prefix = 'C:\\Old Work'
replace = 'D:\\new'
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.max").write_bytes(made.example().to_bytes())
    (tmp_path / "rules.toml").write_text(RULES, "utf-8")
    (tmp_path / "tex").mkdir()
    (tmp_path / "tex" / "OAK.tga").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_has_every_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "paths", "--json", "--root", "tex", "a.max")
    assert (code, err) == (0, "")
    found = rows(out)
    assert [(row["stream"], row["kind"], row["index"], row["path"]) for row in found] == (
        made.every_place()
    )
    by_path = {row["path"]: row for row in found}
    oak = by_path[f"{made.FOLDER}\\oak.tga"]
    assert oak["exists"] is True
    assert Path(oak["found"]) == Path("tex", "OAK.tga")
    assert by_path[f"{made.FOLDER}\\a.png"]["exists"] is False
    assert by_path[f"{made.FOLDER}\\render.png"]["exists"] is None
    assert by_path[f"{made.FOLDER}\\wood.png"]["asset"] == str(made.ASSET)
    assert by_path[f"{made.FOLDER}\\proxy.abc"]["proven"] is False
    assert oak["chunk"] == "2012[0]/0000[0]/0003[4]/1230[1]"


def test_the_table_and_its_sum(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "paths", "--root", "tex", "a.max")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "a.max"
    assert lines[1].split()[:4] == ["file", "kind", "path", "stored"]
    assert any("CATParent 8: rig_file" in line and line.startswith("missing") for line in lines)
    assert lines[-1] == "30 paths in 1 scene: 2 found, 19 missing, 9 not looked for"


def test_missing_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "paths", "--json", "--missing", "--root", "tex", ".")
    found = rows(out)
    assert len(found) == 19
    assert {row["exists"] for row in found} == {False}


def test_an_asset_is_there_when_one_of_its_paths_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = made.asset_table(
        ("Bitmap", "W:\\gone.png", "tex\\oak.TGA"), ("Bitmap", "W:\\no.png", "")
    )
    scene_file = made.make_file([(made.UNKNOWN, b"")], streams={"FileAssetMetaData3": table})
    (folder / "b.max").write_bytes(scene_file.to_bytes())
    (folder / "tex" / "OAK.tga").rename(folder / "tex" / "oak.TGA")
    _, out, _ = run(capsys, "paths", "--json", "--missing", "b.max")
    assert [row["path"] for row in rows(out)] == ["W:\\no.png"]


def test_processes_list_the_same_in_the_same_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("b.max", "c.max"):
        (folder / name).write_bytes((folder / "a.max").read_bytes())
    (folder / "d.max").write_bytes(b"no scene")
    alone = run(capsys, "paths", "--json", "--root", "tex", "--jobs", "0", ".")
    assert alone[0] == 1
    assert "d.max" in alone[2]
    assert len(rows(alone[1])) == 3 * len(made.every_place())
    assert run(capsys, "paths", "--json", "--root", "tex", "--jobs", "2", ".") == alone


def test_damage_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = made.asset_table(("Bitmap", "a.png", ""))
    scene_file = made.make_file([(made.UNKNOWN, b"")], streams={"FileAssetMetaData3": table[:-3]})
    (folder / "e.max").write_bytes(scene_file.to_bytes())
    code, out, err = run(capsys, "paths", "e.max")
    assert code == 0
    assert out.splitlines()[-1].startswith("0 paths in 1 scene")
    assert "warning" in err
    assert "FileAssetMetaData3" in err


def test_wrong_roots_and_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "paths", "--root", "none", "a.max")
    assert code == 2
    assert "no such folder" in err
    assert run(capsys, "paths", "none.max")[0] == 1


def test_rename_twice_and_undo(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = folder / "a.max"
    before = scene.read_bytes()
    arguments = ("migrate", "paths", "--map", "rules.toml", "--jobs", "0", "a.max")
    code, out, _ = run(capsys, *arguments, "--dry-run")
    assert code == 0
    assert "C:\\Old Work\\wood.png -> D:\\new\\wood.png" in out
    assert scene.read_bytes() == before
    assert run(capsys, *arguments, "--journal", "j")[0] == 0
    after = scene.read_bytes()
    assert after != before
    _, out, _ = run(capsys, *arguments, "--journal", "j")
    assert "nothing to do" in out
    # Without the journal, too: nothing is left that the rules match.
    _, out, _ = run(capsys, *arguments, "--journal", "other")
    assert "0 changed, 1 unchanged" in out
    assert scene.read_bytes() == after
    assert run(capsys, "migrate", "--undo", "j")[0] == 0
    assert scene.read_bytes() == before


def test_wrong_rules_are_told_before_any_scene_is_opened(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rules.toml").write_text(RULES + "[[rule]]\nglob = '*'\n", "utf-8")
    code, _, err = run(capsys, "migrate", "paths", "--map", "rules.toml", "a.max")
    assert code == 2
    assert "rules.toml:5:1: a rule has one of replace, extension, lookup, roots" in err
    code, _, err = run(capsys, "migrate", "paths", "--map", "none.toml", "a.max")
    assert code == 2
    assert "none.toml" in err


def test_what_stays_is_a_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rules.toml").write_text(RULES.replace("new", "Дом"), "utf-8")
    code, _, err = run(
        capsys, "migrate", "paths", "--map", "rules.toml", "--jobs", "0", "a.max", "--json"
    )
    assert code == 1
    assert err == ""


def test_chains_and_looks_are_warnings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain = "[[rule]]\nprefix = 'C:\\Old Work'\nreplace = 'D:\\new'\n"
    chain += "[[rule]]\nglob = '*.png'\nextension = '.dds'\n"
    (folder / "rules.toml").write_text(chain, "utf-8")
    code, _, err = run(capsys, "migrate", "paths", "--map", "rules.toml", "--jobs", "0", "a.max")
    assert code == 0
    assert "would be renamed again by the rule of line 4" in err
    assert "only its looks say that it is a path" in err


def test_a_table_counts_for_the_journal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rules.toml").write_text("[[rule]]\nglob = '*'\nlookup = 't.csv'\n", "utf-8")
    (folder / "t.csv").write_text("wood.png,elm.png\n", "utf-8")
    arguments = ("migrate", "paths", "--map", "rules.toml", "--jobs", "0", "a.max")
    assert "1 changed" in run(capsys, *arguments)[1]
    assert "nothing to do" in run(capsys, *arguments)[1]
    (folder / "t.csv").write_text("elm.png,wood.png\n", "utf-8")
    assert "1 changed" in run(capsys, *arguments)[1]
