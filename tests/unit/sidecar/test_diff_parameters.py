"""Parameters that differ are told by name and value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.params.types import Kind
from maxsidecar.sidecar.diff import Difference, compare
from maxsidecar.sidecar.diff_chunks import both_cut
from tests.fuzz.bases import authored_bases


def changed(node: str, edit: Callable[[Any], None]) -> list[Difference]:
    """What differs after an edit of what a node shows."""
    data = authored_bases()[0].data
    scene_file = MaxFile(data)
    (found,) = scene_file.nodes.find(node)
    edit(found)
    return list(compare(MaxFile(data), MaxFile(scene_file.to_bytes())))


def test_a_parameter_is_told_by_name_with_its_node() -> None:
    def edit(node: Any) -> None:
        node.object.parameters["height"].set(12.5)

    (found,) = changed("house", edit)
    assert (found.change, found.field, found.new) == ("changed", "parameters.height", "12.5")
    assert found.name.startswith('"ParamBlock')
    assert " of house@" in found.name


def test_every_parameter_that_can_be_set() -> None:
    tried = 0
    for base in authored_bases()[:1]:
        for name, parameter in _numbers(MaxFile(base.data)):
            scene_file = MaxFile(base.data)
            again = dict(_numbers(scene_file))[name]
            again.set(parameter.value + 1)
            found = list(compare(MaxFile(base.data), MaxFile(scene_file.to_bytes())))
            assert [d.field for d in found] == [f"parameters.{name[1]}"]
            assert found[0].new != found[0].old
            tried += 1
    assert tried > 5


def _numbers(scene_file: MaxFile) -> list[tuple[tuple[int, str], Any]]:
    """One number of each class that has parameters."""
    found: dict[str, tuple[tuple[int, str], Any]] = {}
    for obj in scene_file.scene:
        for name, parameter in obj.parameters.items():
            plain = parameter.kind is Kind.FLOAT and not parameter.is_tab
            if plain and not parameter.controlled and parameter.name is not None:
                found.setdefault(obj.class_name, ((obj.index, name), parameter))
    return list(found.values())


@pytest.mark.parametrize("length", [10, 119, 121, 5000])
def test_long_values_show_where_they_differ(length: int) -> None:
    old, new = both_cut("[" + "0, " * length + "1]", "[" + "0, " * length + "2]")
    assert old is not None
    assert new is not None
    assert old != new
    assert max(len(old), len(new)) <= 120
    assert old.endswith("1]")
    assert new.endswith("2]")
