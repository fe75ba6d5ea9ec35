"""The JSON Schema and the reference page, and what other programs say of our files."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.files import extract_file, schema_text
from maxsidecar.sidecar.schema import json_schema

DOCS = Path(__file__).resolve().parents[3] / "docs"
NAMES = ["plain", "a.b", 'q"', "back\\", "line\nbreak", "\u202ertl", "dup", "DUP", "ß", "x" * 500]


@pytest.fixture
def scene(scenes: Any, tmp_path: Path) -> Path:
    entries = [
        ("ACCEL", b"522\0"), ("LOD_MRM", b"0\0"), ("LOD_DIST_MAX", b"5\0"), ("LOD_NB_LOD", b"3\0"),
        ("LOD_SKIN_REDUCTION", b"1\0"), ("LMC_AMBIENT_0", b"1 2 3\0"), ("DONTEXPORT", b"odd"),
    ]  # fmt: skip
    path = tmp_path / "scene.max"
    nodes = [scenes.node(name, entries, 'a = 1\r\nb = \\ "\r\n') for name in NAMES]
    path.write_bytes(scenes.data(*nodes, "empty"))
    return path


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current() -> None:
    pages = generator().pages()
    names = {"sidecar-reference.md", "nel-reference.md", "maxsidecar.schema.json"}
    assert {path.name for path in pages} == names
    for path, text in pages.items():
        assert path.read_text("utf-8") == text, f"{path.name} is old: run python docs/generate.py"


def test_the_reference_names_every_property() -> None:
    page = (DOCS / "sidecar-reference.md").read_text("utf-8")
    for prop in PROPERTIES:
        assert f"{prop.name} {prop.key.subid}" in page
        assert prop.meaning in page


def test_the_schema_is_sound_and_explains_every_property() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for prop in PROPERTIES:
        here = schema["$defs"]
        for part in prop.path[:-1]:
            here = here[part]["properties"] if "properties" in here[part] else here[part]
        found = here.get("properties", here)[prop.path[-1]]
        assert prop.meaning in found["description"]


@pytest.mark.parametrize("options", [Options(), Options(all=True, defaults=True)])
def test_extracted_files_are_valid(scene: Path, options: Options) -> None:
    import maxsidecar

    with maxsidecar.open(scene) as scene_file:
        text = extract(scene_file, scene.name, options)
    assert text.startswith("#:schema ./maxsidecar.schema.json\n")
    jsonschema.validate(tomllib.loads(text), json_schema())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mrm = false", "mrm = 0"),
        ("mrm = false", "mrn = false"),
        ("level_count = 3", "level_count = -1"),
        ("level_count = 3", "level_count = 3.5"),
        ("dist_max = 5.0", "dist_max = '5'"),
        ('skin_reduction = "max"', 'skin_reduction = "most"'),
        ("[1, 2, 3]", "[1, 2, 256]"),
        ("[1, 2, 3]", "[1, 2]"),
        ('type = "cluster"', "type = 4"),
        ("clusterize = false", "clusterise = false"),
        ("hidden = false", "hidden = 'no'"),
        ("#083d8a", "#083d8"),
        ("format = 1", "format = 2"),
        ("id = 1\n", "id = '1'\n"),
        ("[node.plain]", "[node.plain]\nname = 'x'"),
        ("[node.plain.flags]", "[node.plain.flags]\nbone = true"),
        ('"hex:6f6464"', "5"),
        ("1423062565", "x"),
        ("[sidecar]", "[nodes.x]\n[sidecar]"),
        ("sha256 = ", "sha = "),
    ],
)
def test_what_apply_refuses_is_invalid(scene: Path, old: str, new: str) -> None:
    import maxsidecar

    with maxsidecar.open(scene) as scene_file:
        text = extract(scene_file, scene.name)
    assert old in text
    changed = tomllib.loads(text.replace(old, new, 1))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed, json_schema())


def tool(name: str) -> str:
    """The path of a program beside this Python or in the path."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


LINTERS = {
    "tombi": ["lint", "--offline", "--error-on-warnings", "--no-cache"],
    "taplo": ["lint", "--colors", "never"],
}


def lint(name: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tool(name), *LINTERS[name], path.name],
        cwd=path.parent, capture_output=True, text=True, timeout=120, check=False, encoding="utf-8",
    )  # fmt: skip


@pytest.mark.parametrize("name", LINTERS)
@pytest.mark.parametrize("options", [Options(), Options(all=True, defaults=True)])
def test_editors_accept_extracted_files_and_see_mistakes(
    scene: Path, name: str, options: Options
) -> None:
    sidecar = extract_file(scene, options=options).path
    done = lint(name, sidecar)
    assert done.returncode == 0, done.stdout + done.stderr
    text = sidecar.read_text("utf-8")
    wrong = text.replace("\nmrm = false", "\nmrm = 3", 1)
    sidecar.write_text(wrong, "utf-8")
    done = lint(name, sidecar)
    assert done.returncode != 0
    line = wrong[: wrong.index("mrm = 3")].count("\n") + 1
    assert f":{line}:7" in done.stdout + done.stderr
