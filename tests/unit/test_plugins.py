"""AppData has the same names on every way into the package, and no layer knows those above it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.unit.cli.conftest import environment

NAMED = """
from maxsidecar.scene.appdata_registry import REGISTRY
assert REGISTRY.by_toml_path(("nel", "lod", "dist_max")) is not None
"""


def python(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    "way",
    [
        "import maxsidecar.plugins as p; p.load(); p.load()",
        "from maxsidecar import MaxFile",
        "from maxsidecar import extract_file",
        "from maxsidecar import apply_file",
        "from maxsidecar.cli.main import main; main(['schema', '-o', __import__('os').devnull])",
    ],
)
def test_every_way_in_loads_the_names(way: str) -> None:
    python(way + NAMED)


@pytest.mark.parametrize("package", ["io", "scene", "sidecar"])
def test_no_package_loads_another_behind_the_linter(package: str) -> None:
    python(f"""
import importlib, pkgutil, sys
import maxsidecar.{package} as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
from maxsidecar.scene.appdata_registry import REGISTRY
assert not len(REGISTRY)
packages = {{name.split(".")[1] for name in sys.modules if name.startswith("maxsidecar.")}}
assert not packages & {{"nel", "plugins", "cli"}}, packages
""")


def test_the_package_has_no_other_names() -> None:
    import maxsidecar

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = maxsidecar.nothing
