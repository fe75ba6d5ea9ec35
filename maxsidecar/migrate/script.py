"""``run``: a migration in a user's own file.

The file is a Python module with a function ``migrate(scene, log)``.  It is the only code that is
run: never anything that a scene or the folder of the file holds.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from maxsidecar.batch.forks import one_process
from maxsidecar.errors import Where
from maxsidecar.migrate.faults import SCRIPT_MARK, fault
from maxsidecar.migrate.registry import Change, Migration, MigrationError, Option, Options, register

__all__ = ["load_script"]


def load_script(path: Path) -> Change:
    """Return the function ``migrate`` of a file.

    The module is made of exactly the bytes of the file: nothing is cached beside it, and its folder
    is not searched for other modules.

    Raises:
        MigrationError: The file cannot be read or has no such function, or it raises an error.
    """
    where = Where(str(path))
    try:
        source = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MigrationError(f"cannot read the script: {reason}", where) from None
    module = ModuleType(f"maxsidecar_script_{hashlib.sha256(source).hexdigest()[:16]}")
    module.__file__ = str(path)
    # Dataclasses look their module up.
    sys.modules[module.__name__] = module
    try:
        code = compile(source, SCRIPT_MARK + str(path), "exec", dont_inherit=True)
        with one_process(), redirect_stdout(sys.stderr):
            exec(code, module.__dict__)  # noqa: S102 - the file that the user named
    except SyntaxError as error:
        # A wrong encoding line has the number 0.
        line = f"line {error.lineno}: " if error.lineno else ""
        raise MigrationError(f"{line}{error.msg}", where) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise MigrationError(fault(error), where) from error
    migrate: Any = getattr(module, "migrate", None)
    if not callable(migrate):
        raise MigrationError("the script has no function migrate(scene, log)", where)
    if not _takes_two(migrate):
        raise MigrationError("migrate must take two arguments: migrate(scene, log)", where)
    found: Change = migrate
    return found


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # a function that does not tell
        return True
    return True


def _prepare(options: Options) -> Change:
    return load_script(Path(options["script"]))


register(
    Migration(
        name="run",
        summary="run a Python function of your own",
        changes="Whatever the function migrate(scene, log) of your file changes in the opened\n"
        "scene. It must not save: that is done for you, with the same journal, undo and dry\n"
        "run as for every migration. The file is run, so use only files that you trust; what\n"
        "scenes hold is never run.",
        prepare=_prepare,
        runs_code=True,
        options=(
            Option(
                "script",
                "file",
                "Python file with a function migrate(scene, log)",
                metavar="SCRIPT.py",
                required=True,
                positional=True,
            ),
        ),
    )
)
