"""Take the sample scene through extract, edit, apply and diff: ``python demo.py [FOLDER]``.

Everything lands in ``demo-output`` (or FOLDER), and every command is shown as one would type it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

# Also works from a source tree that is not installed, and finds make_sample from anywhere.
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from make_sample import make_sample  # noqa: E402

from maxsidecar.cli.main import main as maxsidecar  # noqa: E402
from maxsidecar.scene.maxfile import open_file  # noqa: E402

#: What the demo edits: text in the sidecar, before and after.
EDITS = (
    ("dist_max = 200.0", "dist_max = 350.0"),
    ('instance_name = "house_01"', 'instance_name = "house_77"'),
    ("floors = 2", "floors = 3"),
)


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n--- {text}\n", flush=True)


def run(*arguments: str) -> None:
    """Show a command as one would type it, and run it."""
    print(f"$ maxsidecar {' '.join(arguments)}", flush=True)
    code = maxsidecar(arguments)
    if code:
        raise SystemExit(f"the command failed with exit code {code}")


def snippet(text: str, heading: str, words: tuple[str, ...]) -> str:
    """Return the tables that begin with a heading, cut down to the lines that hold a word."""
    lines: list[str] = []
    table = ""
    for line in text.splitlines():
        if line.startswith("["):
            table = line if line.startswith(heading) else ""
        elif table and line.startswith(words):
            lines += [*([] if table in lines else [table]), line]
    return "\n".join(f"    {line}" for line in lines)


def edit(sidecar: Path) -> None:
    """Make the edits that a person would make in a text editor."""
    text = sidecar.read_text(encoding="utf-8")
    words = tuple(before.partition(" =")[0] for before, _ in EDITS)
    print("before:\n" + snippet(text, "[node.house", words))
    for before, after in EDITS:
        if text.count(before) != 1:
            raise SystemExit(f"the sidecar does not hold {before!r} once")
        text = text.replace(before, after)
    print("\nafter:\n" + snippet(text, "[node.house", words))
    sidecar.write_text(text, encoding="utf-8", newline="\n")


def compare_bytes(before: Path, after: Path) -> None:
    """Say how little of the scene changed."""
    old, new = open_file(before), open_file(after)
    for name, stream in old.streams.items():
        other = new.streams[name]
        same = bytes(stream.raw) == bytes(other.raw)
        if same:
            continue
        pairs = list(zip(old.scene, new.scene, strict=True))
        touched = [b for a, b in pairs if bytes(a.data.data) != bytes(b.data.data)]
        names = ", ".join(obj.name for obj in new.nodes.values() if obj in touched)
        print(f"stream {name}: {len(stream.raw)} -> {len(other.raw)} bytes")
        print(f"objects with other bytes: {len(touched)} of {len(pairs)} ({names})")
    first, second = before.read_bytes(), after.read_bytes()
    different = sum(a != b for a, b in zip(first, second, strict=False))
    others = [n for n, s in old.streams.items() if bytes(s.raw) == bytes(new.streams[n].raw)]
    print(f"streams with the same bytes: {len(others)} of {len(old.streams)}")
    print(f"file: {len(first)} -> {len(second)} bytes, of which {different} differ")


def main(arguments: list[str]) -> int:
    """Run the demo in a folder of its own."""
    folder = Path(arguments[0]) if arguments else Path("demo-output")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("sample.max", "sample.max.toml", "original.max"):
        with contextlib.suppress(FileNotFoundError):
            (folder / name).unlink()
    for name in ("sample.max", "original.max"):
        (folder / name).write_bytes(make_sample())
    print(f"Everything lands in {folder.resolve()}")
    os.chdir(folder)

    title("1. A scene, made from nothing")
    run("tree", "sample.max")
    title("2. Extract: the scene as a text that can be edited")
    run("extract", "sample.max")
    title("3. Edit the text")
    edit(Path("sample.max.toml"))
    title("4. Apply: write the changes back into the scene")
    run("apply", "sample.max.toml")
    title("5. Diff: what differs, by meaning")
    run("diff", "original.max", "sample.max")
    title("6. And nothing else changed")
    compare_bytes(Path("original.max"), Path("sample.max"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
