"""The table of modules to import later, against what the modules register."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

#: Prints, as JSON, which classes each superclass has: when the first object of it is looked at,
#: when each module of its line is imported by itself, and when all modules are imported.
SCRIPT = """
import json, pkgutil, sys
from importlib import import_module

import maxsidecar.scene
import maxsidecar.scene.node
import maxsidecar.scene.scene
from maxsidecar.scene import registry
from maxsidecar.scene.directories import ClassId, ClassInfo
from maxsidecar.scene.objects import SceneObject

deferred = dict(registry._deferred)
loaded, exact, fallback = set(sys.modules), dict(registry._exact), dict(registry._by_superclass)

def reset():
    for name in set(sys.modules) - loaded:
        del sys.modules[name]
    for live, saved in (
        (registry._exact, exact),
        (registry._by_superclass, fallback),
        (registry._deferred, deferred),
    ):
        live.clear()
        live.update(saved)

def registered():
    out = {}
    for (a, b, superclass), view in registry._exact.items():
        out.setdefault(superclass, {})[f"{a:x}/{b:x}"] = f"{view.__module__}.{view.__qualname__}"
    for superclass, view in registry._by_superclass.items():
        out.setdefault(superclass, {})["any"] = f"{view.__module__}.{view.__qualname__}"
    return out

opened = registered()
looked_at, alone = {}, {}
for modules in dict.fromkeys(deferred.values()):
    same = [superclass for superclass, line in deferred.items() if line == modules]
    reset()
    for superclass in same:
        registry.view_class(ClassInfo(0, "", ClassId(0, 0), superclass, -1), SceneObject)
    found = registered()
    for superclass in same:
        looked_at[superclass] = found.get(superclass, {})
        assert superclass not in registry._deferred
for module in {name for line in deferred.values() for name in line}:
    reset()
    import_module(module)
    alone[module] = [s for s, classes in registered().items() if classes != opened.get(s)]
reset()
for info in pkgutil.walk_packages(maxsidecar.scene.__path__, "maxsidecar.scene."):
    import_module(info.name)
print(json.dumps({
    "deferred": deferred, "opened": opened, "looked_at": looked_at, "alone": alone,
    "everything": registered(),
}))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return printed


def test_looking_at_an_object_finds_every_class_of_its_superclass(
    found: dict[str, dict[str, Any]],
) -> None:
    assert len(found["everything"]) > 20
    for superclass, classes in found["everything"].items():
        known = found["looked_at"].get(superclass, found["opened"].get(superclass, {}))
        assert known == classes, f"_deferred of the registry lacks modules of {int(superclass):#x}"


def test_every_module_that_is_named_for_a_superclass_registers_it(
    found: dict[str, dict[str, Any]],
) -> None:
    for superclass, modules in found["deferred"].items():
        for module in modules:
            assert int(superclass) in found["alone"][module], f"{module}, {int(superclass):#x}"
