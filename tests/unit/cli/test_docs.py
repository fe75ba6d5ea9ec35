"""Every option that the documentation names exists."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from maxsidecar.cli.main import COMMANDS, build_parser
from tests.conftest import REPOSITORY

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])-(?:-[a-z][a-z-]*|[a-z])(?![\w-])")
#: Options of other programs, and where they are named.
OTHERS = {"--global", "--no-textconv", "--offline"}


def options_of(command: str | None) -> set[str]:
    return options_in(build_parser(command))


def options_in(parser: argparse.ArgumentParser) -> set[str]:
    found = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                found |= options_in(sub)
    return found


OPTIONS = {command: options_of(command) for command in COMMANDS}
EVERY = {option for options in OPTIONS.values() for option in options} | options_of(None)


def code(page: Path) -> list[str]:
    """The lines of a page's code: blocks, and spans in the text around them."""
    text = page.read_text("utf-8")
    blocks = BLOCK.findall(text)
    return [line for block in blocks for line in block.splitlines()] + SPAN.findall(
        BLOCK.sub("", text)
    )


def unknown_options(line: str) -> set[str]:
    """Return the options in a piece of code that its command does not have."""
    found: set[str] = set()
    for part in re.split(r"[|;]|&&", line.split("#", maxsplit=1)[0]):
        words = re.sub(r"^\s*[$>]\s*", "", part).strip()
        try:
            first, *rest = shlex.split(words)
        except ValueError:
            continue
        command = rest[0] if first.endswith("maxsidecar") and rest else first
        if first == "git" or first.endswith(("pip", "python", "pipx", "tombi")):
            continue
        if command in OPTIONS:
            found |= set(OPTION.findall(words)) - OPTIONS[command]
        elif first.startswith("-"):
            found |= set(OPTION.findall(words)) - EVERY - OTHERS
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_of_the_documentation_exist(page: Path) -> None:
    unknown = {line: options for line in code(page) if (options := unknown_options(line))}
    assert not unknown


def test_the_test_sees_options() -> None:
    assert unknown_options("--fresh") == {"--fresh"}
    assert unknown_options("$ maxsidecar extract --fresh street.max") == {"--fresh"}
    assert unknown_options(".venv/bin/maxsidecar tree --jobs 2 .") == {"--jobs"}
    assert unknown_options("apply -x out.max") == {"-x"}
    assert unknown_options("maxsidecar extract street.max --force -o x.toml") == set()
    assert unknown_options("-o OUT") == set()
    assert sum(len(code(page)) for page in PAGES) > 200


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_page_of_commands_names_every_option(command: str) -> None:
    """All but those that every program has, and those that the help alone explains."""
    text = (REPOSITORY / "docs" / "cli.md").read_text("utf-8")
    long = {option for option in OPTIONS[command] if option.startswith("--")}
    named = set(OPTION.findall(text)) | {"--output", "--help", "--version"}
    assert long <= named
