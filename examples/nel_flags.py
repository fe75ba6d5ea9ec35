"""Change export flags and see what each does to the game's files: ``python nel_flags.py [FOLDER]``.

Every step takes a fresh copy of the sample scene, changes flags of one node with ``maxsidecar
set``, exports again, and tells which files came, went or changed, and which nodes are left out for
another reason.  Everything lands in ``nel-flags-output`` (or FOLDER).

With ``--scene FILE NODE KEY VALUE`` it does the same with one flag of a scene of your own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shutil
import sys
from difflib import unified_diff
from pathlib import Path

# Also works from a source tree that is not installed, and finds make_sample from anywhere.
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from make_sample import make_sample  # noqa: E402

import maxsidecar as package  # noqa: E402
from maxsidecar.cli.main import main as maxsidecar  # noqa: E402
from maxsidecar.nel.export import Report, export_scene  # noqa: E402
from maxsidecar.nel.serial import read_file, to_lines  # noqa: E402

#: Node, keys and values of each step, and what it is about.
STEPS = (
    ("collision.box", {"dont_export": "false"}, "export a node that was kept out"),
    ("house", {"accelerator.father_visible": "true"}, "see the street from within a cluster"),
    (
        "house",
        {"accelerator.type": "none", "accelerator.visible_from_father": "false"},
        "make a cluster a plain mesh: all of its bits but clusterize must go",
    ),
    ("дом над рекой", {"accelerator.type": "cluster"}, "and a plain mesh a cluster"),
    ("дом над рекой", {"lod.dist_max": "300.0"}, "draw it up to another distance"),
    ("дом над рекой", {"instance_name": "tower"}, "find the instance by another name"),
    ("дом над рекой", {"vegetable.enabled": "true"}, "strew it over the landscape, too"),
    (
        "collision.box",
        {"dont_export": "false", "collision.enabled": "true"},
        "walk on it in place of seeing it",
    ),
)
#: Lines of a difference that are shown.
MOST = 8


def export(scene: Path, folder: Path) -> Report:
    """Export a scene; nodes without a group go to one that is called ``all``."""
    with package.open(scene) as scene_file:
        return export_scene(scene_file, folder, group="all")


def reasons(report: Report) -> dict[tuple[str, str], str]:
    """Return why nodes are not exported, by process and node, where that is their own doing."""
    told = [*report.failed, *(entry for entry in report.left_out if entry.chosen)]
    return {(entry.process, entry.node): entry.reason for entry in told}


def content(folder: Path) -> dict[str, list[str]]:
    """Return the exported files as lines to read."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: list(to_lines(read_file(path).root, full=True)) for path in files}


def effect(scene: Path, node: str, flags: dict[str, str], folder: Path) -> list[str]:
    """Change flags in a copy of a scene and return what that does to its export, as lines."""
    before, after, changed = folder / "before", folder / "after", folder / "changed.max"
    for made in (before, after):
        shutil.rmtree(made, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(scene, changed)
    old_reasons, old = reasons(export(changed, before)), content(before)
    for key, value in flags.items():
        with contextlib.redirect_stdout(io.StringIO()):
            code = maxsidecar(("set", str(changed), node, f"nel.{key}", value))
        if code:
            raise SystemExit(f"the flag was not changed: exit code {code}")
    new_reasons, new = reasons(export(changed, after)), content(after)
    lines = [f"gone:    {name}" for name in old if name not in new]
    lines += [f"new:     {name}" for name in new if name not in old]
    for name in old:
        if name in new and old[name] != new[name]:
            lines.append(f"changed: {name}")
            lines += difference(old[name], new[name])
    for (process, name), reason in new_reasons.items():
        if old_reasons.get((process, name)) != reason:
            lines.append(f"left out of {process}: {name}: {reason}")
    for process, name in old_reasons:
        if (process, name) not in new_reasons:
            lines.append(f"no longer left out of {process}: {name}")
    return lines or ["no exported file changes: the flag may have had this value already"]


def difference(old: list[str], new: list[str]) -> list[str]:
    """Return the lines of two dumps that differ, the first few of them."""
    found = [line for line in unified_diff(old, new, n=0, lineterm="") if line[:1] in "+-"]
    found = [f"    {line[0]} {line[1:].strip()}" for line in found[2:]]
    return found[:MOST] + ([f"    ... {len(found) - MOST} more"] if len(found) > MOST else [])


def main(arguments: list[str] | None = None) -> int:
    """Walk through the steps, or show one of a scene of one's own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("nel-flags-output"))
    parser.add_argument("--scene", nargs=4, metavar=("FILE", "NODE", "KEY", "VALUE"))
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.scene:
        scene, node, key, value = options.scene
        flag = {key.removeprefix("nel."): value}
        try:
            print("\n".join(effect(Path(scene), node, flag, options.folder)))
        except (package.MaxSidecarError, OSError) as error:
            raise SystemExit(str(error)) from None
        return 0
    scene = options.folder / "street.max"
    scene.write_bytes(make_sample())
    for number, (node, flags, about) in enumerate(STEPS, 1):
        print(f"--- {about}")
        for key, value in flags.items():
            print(f"$ maxsidecar set street.max '{node}' nel.{key} {value}")
        for line in effect(scene, node, flags, options.folder / str(number)):
            print(f"  {line}")
        print()
    return 0


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
