"""The command line as a whole: help, exit codes, errors, start-up."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from maxsidecar.cli.main import COMMANDS, main
from maxsidecar.nel.serial.classes.skeleton import CSkeletonShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from tests.conftest import REPOSITORY
from tests.unit.cli.conftest import Runner, environment


def test_help_lists_every_command(run: Runner) -> None:
    ran = run("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert f"  {name} " in ran.out


def test_commands_are_those_asked_for() -> None:
    assert set(COMMANDS) == {
        "info", "tree", "extract", "apply", "get", "set", "diff", "text", "check", "schema",
        "nel", "thumbnail", "migrate", "paths", "mesh", "preview", "gltf",
    }  # fmt: skip


def _examples(help_text: str) -> list[str]:
    lines = help_text.partition("example:\n")[2].splitlines()
    shown: list[str] = []
    for line in lines:
        if not line.startswith("  maxsidecar "):
            break
        shown.append(line.strip())
    return shown


#: A migration of one's own.
_RULES = "[[rule]]\nprefix = 'W:\\maps'\nreplace = 'D:\\maps'\n"
_SCRIPT = """
def migrate(scene, log):
    for node in scene.nodes.find("house"):
        node.name = "villa"
"""


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_examples_of_help_run(command: str, run: Runner, folder: Path) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    examples = _examples(ran.out)
    assert examples
    shutil.copy("street.max", "old.max")
    shutil.copy("street.max", "copy.max")
    Path("tree.shape").write_bytes(CShapeStream(shape=CSkeletonShape()).to_bytes())
    Path("my.py").write_text(_SCRIPT, "utf-8")
    Path("rules.toml").write_text(_RULES, "utf-8")
    assert run("extract", "street.max").code == 0
    for example in examples:
        ran = run(*shlex.split(example)[1:])
        assert (ran.code, ran.err) == (_code(example), ""), example


def _code(example: str) -> int:
    """Return the exit code of an example: the picture that the sample names is nowhere."""
    return 3 if example.startswith("maxsidecar gltf export") and "--rig-only" not in example else 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("tree",),
        ("tree", "--no-such-option", "street.max"),
        ("trea", "street.max"),
        ("check", "--jobs", "-1", "street.max"),
        ("check", "--timeout", "x", "street.max"),
        ("set", "street.max", "house", "name"),
        ("set", "street.max", "house", "name", "x", "--unset"),
        ("set", "street.max", "house", "nel..lod", "1"),
        ("thumbnail", "street.max", "street.max", "-o", "x.png"),
        ("extract", "-o", "x.toml", "."),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], run: Runner, folder: Path) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.err
    assert not ran.out


def test_unknown_command_suggests_one(run: Runner) -> None:
    assert "did you mean tree?" in run("trea").err


@pytest.mark.parametrize("command", ["info", "tree", "extract", "text", "thumbnail", "get"])
def test_missing_file_is_one_line(command: str, run: Runner, tmp_path: Path) -> None:
    ran = run(command, str(tmp_path / "no such.max"))
    assert ran.code == 1
    assert ran.err.startswith("maxsidecar: error: ")
    assert ran.err.count("\n") == 1
    assert "no such.max" in ran.err


def test_one_bad_file_does_not_stop_the_others(run: Runner, folder: Path) -> None:
    Path("a.max").write_bytes(b"no scene")
    ran = run("tree", "a.max", "street.max", "gone.max")
    assert ran.code == 1
    assert "house" in ran.out
    assert ran.err.count("maxsidecar: error: ") == 2


def test_debug_shows_the_traceback(run: Runner, folder: Path) -> None:
    quiet, loud = run("get", "no.max"), run("get", "no.max", "--debug")
    assert "Traceback" not in quiet.err
    assert "Traceback" in loud.err
    assert quiet.code == loud.code == 1


def test_interrupt(monkeypatch: pytest.MonkeyPatch, run: Runner, folder: Path) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("maxsidecar.cli.tree"), "run", interrupted)
    ran = run("tree", "street.max")
    assert (ran.code, ran.err) == (130, "maxsidecar: interrupted\n")


def test_version(run: Runner) -> None:
    import maxsidecar

    assert run("--version").out == f"maxsidecar {maxsidecar.__version__}\n"


def _process(*arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "maxsidecar", *arguments],
        capture_output=True,
        check=False,
        env=environment(**more),
    )


def test_runs_as_a_module(folder: Path) -> None:
    done = _process("tree", "street.max")
    assert done.returncode == 0
    assert b"house" in done.stdout


def test_closed_pipe_is_quiet(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "maxsidecar", "text", "--full", "street.max"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() in (0, 1)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_console_that_lacks_characters(encoding: str, folder: Path) -> None:
    for command in ("tree", "get", "info"):
        done = _process(command, "street.max", PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        done.stdout.decode(encoding)
    tree = _process("tree", "street.max", PYTHONIOENCODING=encoding).stdout.decode(encoding)
    name = "дом над рекой"
    escaped = name if encoding == "utf-8" else name.encode("ascii", "backslashreplace").decode()
    assert escaped in tree


def test_tree_imports_nothing_heavy(folder: Path) -> None:
    code = (
        "import sys; from maxsidecar.cli.main import main; main(['tree', 'street.max']); "
        "print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    loaded = set(done.stderr.split())
    assert not loaded & {"numpy", "rich", "tomlkit", "zstandard", "olefile", "multiprocessing"}


def test_unexpected_faults_show_no_traceback(folder: Path) -> None:
    code = (
        "import sys; from maxsidecar.cli import tree\n"
        "def broken(args): raise LookupError('x')\n"
        "tree.run = broken\n"
        "from maxsidecar.cli.main import main; sys.argv = ['maxsidecar', *sys.argv[1:]]; main()"
    )
    for extra, shown in ((), False), (("--debug",), True):
        done = subprocess.run(
            [sys.executable, "-c", code, "tree", "street.max", *extra],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
        assert done.returncode == 1
        assert ("Traceback" in done.stderr) is shown
        assert "LookupError" in done.stderr


def test_main_takes_arguments_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["maxsidecar", "--version"])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    assert main() == 0
    assert capsys.readouterr().out.startswith("maxsidecar ")


def test_commands_of_the_page_run(run: Runner, folder: Path) -> None:
    text = (REPOSITORY / "docs" / "cli.md").read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("maxsidecar ")]
    commands.remove("maxsidecar COMMAND --help")
    assert {line.split()[1] for line in commands} == set(COMMANDS)
    Path("tree.shape").write_bytes(CShapeStream(shape=CSkeletonShape()).to_bytes())
    Path("my.py").write_text(_SCRIPT, "utf-8")
    Path("rules.toml").write_text(_RULES, "utf-8")
    project = Path("ws/common/objects")
    project.mkdir(parents=True)
    (project / "directories.py").write_text("", "utf-8")
    (project / "process.py").write_text("ProcessToComplete = [ ]\n", "utf-8")
    for command in commands:
        ran = run(*shlex.split(command)[1:])
        assert (ran.code, ran.err) == (_code(command), ""), command


def test_page_names_the_keys_of_the_check(run: Runner, folder: Path) -> None:
    (line,) = run("check", "--json", "--jobs", "0", "street.max").lines
    text = (REPOSITORY / "docs" / "cli.md").read_text(encoding="utf-8")
    for key in json.loads(line):
        assert f"`{key}`" in text


def test_an_unknown_option_shows_how_its_command_is_used(run: Runner) -> None:
    ran = run("tree", "--bogus", "x.max")
    assert ran.code == 2
    assert ran.err.startswith("usage: maxsidecar tree ")
    assert "--bogus" in ran.err
