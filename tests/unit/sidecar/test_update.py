"""Bringing sidecars up to date: what a person wrote stays as it was written."""

from __future__ import annotations

import difflib
import hashlib
from typing import Any

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.update import refreshed_text, updated_text

RAW = AppDataKey(0xA, 0xB, 0xC, 7)


def new_sha256(scene_file: MaxFile) -> str:
    return hashlib.sha256(scene_file.to_bytes()).hexdigest()


def changed_lines(old: str, new: str) -> list[str]:
    return [
        line
        for line in difflib.ndiff(old.splitlines(), new.splitlines())
        if line[0] in "+-" and "sha256" not in line and '"eN' not in line
    ]


def scene(scenes: Any, mrm: bytes = b"0\0", more: list[Any] | None = None, *nodes: Any) -> MaxFile:
    entries = [("LOD_MRM", mrm), ("LOD_DIST_MAX", b"5\0"), *(more or [])]
    made: MaxFile = scenes.open(scenes.node("n", entries), *nodes)
    return made


def test_a_fresh_sidecar_is_up_to_date(scenes: Any) -> None:
    for options in (Options(), Options(all=True), Options(all=True, defaults=True)):
        scene_file = scene(scenes, b"0\0", [(RAW, b"x\0")], "plain")
        text = extract(scene_file, "s.max", options)
        assert updated_text(parse(text.encode()), scene_file, options) == text


def test_applying_changes_hash_and_base_only(scenes: Any) -> None:
    scene_file = scene(scenes)
    text = extract(scene_file, "s.max")
    edited = text.replace("dist_max = 5.0", "dist_max =  250   # far")
    edited = edited.replace("[node.n.flags]", "# why\n\n[node.n.flags]  # flags")
    plan = make_plan(scene_file, parse(edited.encode()))
    plan.apply()
    after = refreshed_text(plan, new_sha256(scene_file))
    assert changed_lines(edited, after) == []
    assert after.count("\n") == edited.count("\n")
    # Extracting the saved file again gives the very same text.
    saved = MaxFile(scene_file.to_bytes())
    assert updated_text(parse(after.encode()), saved) == after
    # And apart from spelling and comments it is what a new sidecar would be.
    fresh = extract(saved, "s.max")
    assert parse(after.encode()).tables == parse(fresh.encode()).tables
    assert after.splitlines()[-1] == fresh.splitlines()[-1]
    assert parse(after.encode()).sha256 == parse(fresh.encode()).sha256


REFORMATTED = [
    # inline tables, dotted keys, other order, literal strings, comments everywhere
    """\
# mine
base = {{ {base} }}
sidecar.scene = 's.max' # s
sidecar.sha256 = '{sha256}'
sidecar.format = 0x1
[node]
n.nel.lod.dist_max = 5e0 # five
n.nel.lod.mrm = false
n . "wire_color" = '''#083D8A'''
n.flags = {{ hidden = false, frozen = false, show_frozen_in_gray = true }}
n.id = 1
""",
    """\
[base]
{base}
[node.n.nel.lod]
mrm = false   # off
[sidecar]
sha256 = "{sha256}"
format = 1
scene = "s.max"
[node.n]
nel.lod.dist_max = 5 # above
class = "Box"
""",
    """\
[node]
n = {{ nel = {{ lod = {{ mrm = false, dist_max = 5.0 }} }}, id = 1 }}
[sidecar]
format = 1
scene = "s.max"
sha256 = \"\"\"{sha256}\"\"\"
[base]
{base}
""",
]


@pytest.mark.parametrize("number", range(3))
def test_sidecars_in_another_form(scenes: Any, number: int) -> None:
    old = scene(scenes)
    fresh = parse(extract(old, "s.max").encode())
    ((key, packed),) = fresh.base_lines.items()
    text = REFORMATTED[number].format(sha256=fresh.sha256, base=f'{key} = "{packed}"')
    if number == 1:
        text = text.replace("nel.lod.dist_max = 5 # above\n", "")
        text = text.replace("# off\n", "# off\ndist_max = 5 # above\n")
    assert make_plan(old, parse(text.encode())).changes == []
    # The scene changed one value; the other one is edited.
    new = scene(scenes, b"1\0")
    edited = text.replace("dist_max = 5", "dist_max = 7")
    after = updated_text(parse(edited.encode()), new)
    plan = make_plan(new, parse(after.encode()))
    assert plan.same_scene
    assert [change.field for change in plan.changes] == ["n.nel.lod.dist_max"]
    expected = edited.replace("mrm = false", "mrm = true")
    assert [line for line in changed_lines(expected, after) if line[0] == "-"] == []
    assert updated_text(parse(after.encode()), new) == after
    plan.apply()
    again = refreshed_text(plan, new_sha256(new))
    assert make_plan(MaxFile(new.to_bytes()), parse(again.encode())).changes == []


def test_new_values_and_objects_are_added_where_they_belong(scenes: Any) -> None:
    old = scene(scenes, b"0\0", [], "other", scenes.node("z", text="x"))
    text = extract(old, "s.max")
    text = text.replace("[node.z]", "[node.z] # z").replace("mrm = false", "mrm = false # m")
    more: list[Any] = [("LOD_BLEND_IN", b"1\0"), ("ACCEL", b"1\0"), (RAW, b"x\0")]
    other = scenes.node("other", [("LOD_MRM", b"1\0")])
    new = scene(scenes, b"0\0", more, other, scenes.node("z", text="x"))
    after = updated_text(parse(text.encode()), new)
    lines = changed_lines(text, after)
    assert not [line for line in lines if line[0] == "-"]
    added = [line[2:] for line in lines if line[2:]]
    assert added[0] == "blend_in = true"
    assert "[node.n.nel.accelerator]" in added
    assert '"0000000a-0000000b/c/7" = "x"' in added
    assert "[node.other.nel.lod]" in added
    assert after.index("[node.n.appdata]") < after.index("[node.z] # z")
    assert after.index("[node.z] # z") < after.index("[node.other]") < after.index("[base]")
    assert make_plan(new, parse(after.encode())).changes == []
    assert updated_text(parse(after.encode()), new) == after


def test_a_deleted_table_stays_away_unless_all_are_asked_for(scenes: Any) -> None:
    old = scene(scenes, b"0\0", [], scenes.node("z", text="x"))
    text = extract(old, "s.max")
    start, end = text.index("[node.z]"), text.index("[base]")
    text = updated_text(parse((text[:start] + text[end:]).encode()), old)
    assert "[node.z" not in text
    # Also over later versions of the scene.
    new = [scene(scenes, mrm, [], scenes.node("z", text="y")) for mrm in (b"1\0", b"0\0")]
    for scene_file in new:
        text = updated_text(parse(text.encode()), scene_file)
        assert "[node.z" not in text
    text = updated_text(parse(text.encode()), new[-1], Options(all=True))
    assert 'user_properties = "y"' in text
    assert "[node.z]" in text


def test_unlisted_values_stay_unlisted(scenes: Any) -> None:
    scene_file = scene(scenes)
    head = extract(scene_file, "s.max").partition("[node.")[0]
    document = parse((head + "[node.n.nel.lod]\nmrm = true\n").encode())
    plan = make_plan(scene_file, document)
    plan.apply()
    text = refreshed_text(plan, new_sha256(scene_file))
    saved = MaxFile(scene_file.to_bytes())
    assert make_plan(saved, parse(text.encode())).changes == []
    assert updated_text(parse(text.encode()), saved) == text
    other = scene(scenes, b"1\0", [("LOD_BLEND_IN", b"1\0")])
    text = updated_text(parse(text.encode()), other)
    assert "dist_max" not in text
    assert "blend_in = true" in text  # that one came into the scene since


def test_information_follows_the_scene(scenes: Any) -> None:
    old = scene(scenes, b"0\0", [], scenes.node("z", text="x"))
    text = extract(old, "s.max")
    new = MaxFile(old.to_bytes())
    n, z = (next(x for x in new.nodes.values() if x.name == name) for name in "nz")
    link = z.parent_link
    assert link is not None
    z.parent_link = link.replace(parent=n.index)
    new = MaxFile(new.to_bytes())
    after = updated_text(parse(text.encode()), new)
    assert changed_lines(text, after) == ['- parent = "Scene Root"', '+ parent = "n"']
    # The scene is another one, so this could be an old fact or an edit: the base knows.
    wrong = text.replace('parent = "Scene Root"', 'parent = "z"')
    (first, _) = make_plan(new, parse(wrong.encode())).problems
    assert "parent is for information only" in str(first)
    assert make_plan(new, parse(text.encode())).problems == []


def test_a_kept_conflict_takes_the_value_of_the_scene(scenes: Any) -> None:
    text = extract(scene(scenes), "s.max").replace("mrm = false", "mrm = true # mine")
    text = text.replace("dist_max = 5.0\n", "")
    new = scene(scenes, b"0\0", [("LOD_BLEND_IN", b"1\0")])
    obj = next(node for node in new.nodes.values() if node.name == "n")
    obj.appdata.set(list(obj.appdata)[1].key, b"6\0")
    new = MaxFile(new.to_bytes())
    plan = make_plan(new, parse(text.encode()), keep=["*.dist_max"])
    assert [str(change) for change in plan.apply()] == ["n.nel.lod.mrm: false -> true"]
    after = refreshed_text(plan, new_sha256(new))
    assert "dist_max = 6.0\n" in after
    assert "mrm = true # mine\n" in after
    assert make_plan(MaxFile(new.to_bytes()), parse(after.encode())).changes == []


def test_what_cannot_be_spliced_is_refused_not_guessed(scenes: Any) -> None:
    old = scene(scenes)
    fresh = parse(extract(old, "s.max").encode())
    inline = (
        f'sidecar = {{ format = 1, scene = "s.max", sha256 = "{fresh.sha256}" }}\n'
        "node = { n = { nel = { lod = { mrm = false } } } }\n"
    )
    text = updated_text(parse(inline.encode()), old)
    assert make_plan(old, parse(text.encode())).changes == []
    new = scene(scenes, b"0\0", [("LOD_BLEND_IN", b"1\0")])
    with pytest.raises(SidecarError, match="cannot bring") as caught:
        updated_text(parse(text.encode()), new)
    assert caught.value.line is not None
