"""A handle that 3ds Max gave again, after its node was deleted: no edit goes to the new node."""

from __future__ import annotations

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.update import updated_text

WITH_TRANSFORM = Options(all=True, include=frozenset({"transform"}))
LOD = next(prop.key for prop in PROPERTIES if prop.path == ("nel", "lod", "dist_max"))
EDITED = "position = [777.0, 0.0, 0.0]"


def scene(
    second: str, at: tuple[float, float, float], *, sphere: bool = False, lod: bytes = b"5\0"
) -> MaxFile:
    """Two nodes with the handles 1 and 2; of the second it is given how it is."""
    builder = SceneBuilder()
    builder.add_node("first", builder.add_box(1, 2, 3))
    shape = builder.add_sphere(2) if sphere else builder.add_box(1, 2, 3)
    builder.add_appdata(shape, LOD, b"9\0" if lod == b"5\0" else lod)
    index = builder.add_node(second, shape, transform=builder.add_transform(at))
    builder.add_appdata(index, LOD, lod)
    return MaxFile(builder.to_bytes())


def sidecar(edit: str = "") -> str:
    text = extract(scene("inner", (1, 2, 3)), "s.max", WITH_TRANSFORM)
    assert "position = [1.0, 2.0, 3.0]" in text
    return text.replace("position = [1.0, 2.0, 3.0]", edit) if edit else text


def test_an_edit_does_not_go_to_the_new_node() -> None:
    text = sidecar(EDITED)
    with pytest.raises(SidecarError, match=r"may be another node; extract --discard"):
        updated_text(parse(text.encode()), scene("new", (4, 5, 6)))


def test_not_even_where_the_edited_value_is_the_same() -> None:
    text = sidecar(EDITED)
    with pytest.raises(SidecarError, match="may be another node"):
        updated_text(parse(text.encode()), scene("new", (1, 2, 3), lod=b"6\0"))


def test_what_was_taken_away_is_not_taken_from_the_new_node() -> None:
    text = sidecar()
    head = "[node.inner.nel.lod]\ndist_max = 5.0\n"
    assert head in text
    text = text.replace(head, "")
    with pytest.raises(SidecarError, match="may be another node"):
        updated_text(parse(text.encode()), scene("new", (4, 5, 6)))


@pytest.mark.parametrize("edit", ["", EDITED])
def test_the_new_node_is_listed_with_its_values(edit: str) -> None:
    now = scene("new", (4, 5, 6), lod=b"6\0")
    after = updated_text(parse(sidecar(edit).encode()), now, discard=bool(edit))
    assert "[node.new.transform]\nposition = [4.0, 5.0, 6.0]" in after
    assert "[node.new.nel.lod]\ndist_max = 6.0" in after
    assert "inner" not in after
    plan = make_plan(now, parse(after.encode()))
    assert (plan.ok, plan.changes) == (True, [])


def test_a_renamed_node_keeps_its_edit() -> None:
    now = scene("new", (1, 2, 3))
    plan = make_plan(now, parse(updated_text(parse(sidecar(EDITED).encode()), now).encode()))
    changes = [str(change) for change in plan.changes]
    assert changes == ["new.transform.position: [1.0, 2.0, 3.0] -> [777.0, 0.0, 0.0]"]


def family(parent: str, child: str) -> MaxFile:
    builder = SceneBuilder()
    top = builder.add_node(parent, builder.add_box(1, 2, 3))
    index = builder.add_node(child, builder.add_box(1, 2, 3), parent=top)
    builder.add_appdata(index, LOD, b"5\0")
    return MaxFile(builder.to_bytes())


def test_a_node_that_was_renamed_with_its_parent_keeps_its_edit() -> None:
    text = extract(family("cart", "wheel"), "s.max", Options(all=True))
    text = text.replace("dist_max = 5.0", "dist_max = 6.0")
    now = family("wagon", "disc")
    plan = make_plan(now, parse(updated_text(parse(text.encode()), now).encode()))
    assert [str(change) for change in plan.changes] == ["disc.nel.lod.dist_max: 5.0 -> 6.0"]


def test_another_parent_needs_a_decision() -> None:
    """Where the parent is not listed, nothing tells that it was renamed."""
    text = extract(family("cart", "wheel"), "s.max")
    text = text.replace("dist_max = 5.0", "dist_max = 6.0")
    with pytest.raises(SidecarError, match="may be another node"):
        updated_text(parse(text.encode()), family("wagon", "disc"))


def test_a_node_of_another_class_is_another_one() -> None:
    now = scene("new", (4, 5, 6), sphere=True)
    # It is told so when the sidecar is applied, too.
    (problem, *_) = make_plan(now, parse(sidecar().encode())).problems
    assert "is called 'new' and of another class" in problem.message
    assert "drops its table" in problem.message
    after = updated_text(parse(sidecar().encode()), now)
    assert "inner" not in after
    assert '[node.new]\nid = 2\nclass = "Sphere"' in after
    with pytest.raises(SidecarError, match="it was edited here"):
        updated_text(parse(sidecar(EDITED).encode()), now)
    after = updated_text(parse(sidecar(EDITED).encode()), now, discard=True)
    assert "777" not in after


def test_an_edit_of_an_object_does_not_go_to_that_of_the_new_node() -> None:
    """What is no node is found by the handle of its node."""
    text = sidecar()
    index = text.index("[object.")
    text = text[:index] + text[index:].replace("dist_max = 9.0", "dist_max = 9.0\nblend_in = true")
    renamed = make_plan(scene("new", (1, 2, 3)), parse(text.encode()))
    assert [change.path[-1] for change in renamed.changes] == ["blend_in"]
    reused = make_plan(scene("new", (1, 2, 3), lod=b"7\0"), parse(text.encode()))
    assert reused.changes == []
    assert "blend_in" in [c.path[-1] for c in reused.conflicts if c.edited]
    # A node that kept its name kept its object, too.
    same = make_plan(scene("inner", (1, 2, 3), lod=b"7\0"), parse(text.encode()))
    assert [change.path[-1] for change in same.changes] == ["blend_in"]
