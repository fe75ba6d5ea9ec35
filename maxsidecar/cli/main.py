"""The command line: finds the command, runs it, and turns errors into one line and an exit code.

Only the module of the command that was asked for is imported, since start-up time is most of what
a quick command costs.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import Final

from maxsidecar import __version__, plugins
from maxsidecar.cli import output
from maxsidecar.cli.parsers import UsageError
from maxsidecar.errors import MaxSidecarError, shorten

__all__ = ["COMMANDS", "DONE", "FAILED", "USAGE", "build_parser", "main"]

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

#: Commands with what ``--help`` says about each; the module has the command's name.
COMMANDS: Final = {
    "info": "show what a scene file is and holds",
    "tree": "show the nodes of a scene",
    "extract": "write scenes as TOML sidecars",
    "apply": "write edited sidecars back into their scenes",
    "get": "print values of a node",
    "set": "change one value of a node",
    "diff": "show what differs between two scenes, by meaning",
    "text": "print the whole scene as text, for version control",
    "check": "check that files can be read, edited and saved without loss",
    "paths": "list every path of scenes, and whether its file exists",
    "migrate": "change many scenes in the same way, with a journal and undo",
    "schema": "write the JSON Schema of sidecars",
    "nel": "check and show files of the game: shapes, skeletons and so on",
    "gltf": "export scenes as glTF 2.0, for Blender and others",
    "mesh": "write the meshes of a scene as .obj, .ply or .stl",
    "preview": "show a scene: a page for a browser, or a picture",
    "thumbnail": "save the preview picture of a scene",
}

_EPILOG: Final = """\
exit codes: 0 done, 1 something failed, 2 wrong usage, 3 written in part (gltf export)
example:    maxsidecar tree street.max
"""


def build_parser(command: str | None) -> argparse.ArgumentParser:
    """Return the parser of one command, or of none with the list of all."""
    listing = "\n".join(f"  {name:<10} {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="maxsidecar",
        usage="maxsidecar [--version] [--help] COMMAND ...",
        description="Open, read and edit 3ds Max scenes without 3ds Max.\n\ncommands:\n" + listing,
        epilog=_EPILOG + "\nmaxsidecar COMMAND --help tells more about a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"maxsidecar {__version__}")
    parser.add_argument("--debug", action="store_true", help="show tracebacks of errors")
    if command is not None:
        group = parser.add_subparsers(dest="command", required=True, prog="maxsidecar")
        module = import_module(f"maxsidecar.cli.{command}")
        added = module.add_parser(group)
        added.add_argument("--debug", action="store_true", help="show tracebacks of errors")
        added.set_defaults(run=module.run, parser=added)
    return parser


def _command_of(arguments: Sequence[str]) -> str | None:
    """Return the first argument that is no option."""
    return next((argument for argument in arguments if not argument.startswith("-")), None)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        argv: Arguments without the program's name; ``None`` takes those of the process.

    Returns:
        The exit code.
    """
    output.set_up_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    if argv is None and not debug:
        sys.excepthook = _unexpected
    try:
        code = _run(arguments)
        # Output is buffered: a closed pipe shows here at the latest.
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except KeyboardInterrupt:
        output.note("interrupted")
        return INTERRUPTED
    except MemoryError:
        if debug:
            traceback.print_exc()
        output.error("not enough memory")
        return FAILED
    except UsageError as problem:
        output.error(problem)
        return USAGE
    except (MaxSidecarError, OSError) as problem:
        if debug:
            traceback.print_exc()
        output.error(problem)
        return FAILED


def _run(arguments: list[str]) -> int:
    command = _command_of(arguments)
    if command is None and not {"-h", "--help", "--version"} & set(arguments):
        build_parser(None).print_help(sys.stderr)
        return USAGE
    if command is not None and command not in COMMANDS:
        output.error(f"there is no command {shorten(command)}{_suggest(command)}")
        return USAGE
    try:
        parser = build_parser(command)
        parsed, unknown = parser.parse_known_args(arguments)
        if unknown:
            # The command's own parser shows how the command is used.
            parsed.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else DONE
    plugins.load()
    code: int = parsed.run(parsed)
    return code


def _suggest(command: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(command, COMMANDS, 1)
    return f"; did you mean {near[0]}?" if near else "; maxsidecar --help lists them"


def _discard_output() -> None:
    """Keep the interpreter from complaining about the closed pipe when it ends."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), descriptor)


def _unexpected(
    kind: type[BaseException], problem: BaseException, trace: TracebackType | None
) -> None:
    """Tell about a fault of the program itself."""
    output.error(
        f"internal fault: {kind.__name__}: {problem}; please report it with the output of --debug"
    )
