"""Applying edits: what changes, what is refused, and that nothing else happens."""

from __future__ import annotations

from typing import Any

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.sidecar.apply import Plan, make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract

RAW = AppDataKey(0xA, 0xB, 0xC, 7)
RAW_KEY = '"0000000a-0000000b/c/7'


class Case:
    """One scene with one node ``n``, its sidecar, and edits of that text."""

    def __init__(
        self, scenes: Any, *appdata: tuple[str | AppDataKey, bytes], text: str = ""
    ) -> None:
        self.data: bytes = scenes.data(scenes.node("n", appdata, text))
        self.text = extract(MaxFile(self.data), "s.max", Options(all=True))

    def plan(self, *edits: tuple[str, str], more: str = "") -> Plan:
        text = self.text
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        document = parse(text.replace("\n[base]", f"\n{more}\n[base]").encode())
        return make_plan(MaxFile(self.data), document)

    def entries(self, plan: Plan) -> list[tuple[AppDataKey, bytes]]:
        """What the node holds after the plan, read from the bytes of the new file."""
        plan.apply()
        return [(i.key, i.value) for i in node_of(MaxFile(plan.scene_file.to_bytes())).appdata]

    def refused(self, *edits: tuple[str, str], more: str = "") -> list[str]:
        plan = self.plan(*edits, more=more)
        assert plan.problems
        before = plan.scene_file.to_bytes()
        with pytest.raises(SidecarError):
            plan.apply()
        assert plan.scene_file.to_bytes() == before == self.data
        lines = self.text.count("\n") + more.count("\n") + 2
        for problem in plan.problems:
            assert problem.line is not None
            assert 0 < problem.line <= lines
            assert problem.column is not None
        return [str(problem) for problem in plan.problems]


def node_of(scene_file: MaxFile) -> Node:
    return next(node for node in scene_file.nodes.values() if node.name == "n")


def shown(plan: Plan) -> list[str]:
    assert not plan.problems, [str(problem) for problem in plan.problems]
    assert not plan.conflicts
    return [str(change) for change in plan.changes]


def test_edits_of_every_kind(scenes: Any) -> None:
    case = Case(
        scenes,
        ("DONTEXPORT", b"0\0"),
        ("LOD_DIST_MAX", b"1,5\0"),
        ("LOD_NB_LOD", b"007\0"),
        ("ACCEL", b"554\0"),  # 512 + 32 clusterize + 8 + 2 cluster
        ("LMC_DIFFUSE_3", b"1 2 3\0"),
        (RAW, b"old\0"),
        text="a = 1\r\nb = 2",
    )
    plan = case.plan(
        ("dont_export = false", "dont_export = true"),
        ("dist_max = 1.5", "dist_max = 250"),
        ('type = "cluster"', "type = 1"),
        ("clusterize = true", "clusterize = false"),
        ("[1, 2, 3]", "[1, 2, 4, 5]"),
        ('"old"', "'hex: 01 02'"),
        ('"""\na = 1\nb = 2"""', "'''\na = 1\nc = 3\n'''"),
        ("hidden = false\nfrozen = false\nshow_frozen_in_gray = true\n\n[node.n.nel]",
         "hidden = true\nfrozen = false\nshow_frozen_in_gray = false\n\n[node.n.nel]"),
        ('wire_color = "#083d8a"\nuser', 'wire_color = "#FF0001"\nuser'),
    )  # fmt: skip
    assert shown(plan) == [
        'n.wire_color: "#083d8a" -> "#ff0001"',
        r'n.user_properties: "a = 1\nb = 2" -> "a = 1\nc = 3\n"',
        "n.flags.hidden: false -> true",
        "n.flags.show_frozen_in_gray: true -> false",
        "n.nel.dont_export: false -> true",
        'n.nel.accelerator.type: "cluster" -> "portal"',
        "n.nel.accelerator.clusterize: true -> false",
        "n.nel.lod.dist_max: 1.5 -> 250.0",
        "n.nel.lightmap_compression.diffuse_3: [1, 2, 3] -> [1, 2, 4, 5]",
        'n.appdata."0000000a-0000000b/c/7": "old" -> "hex:0102"',
    ]
    entries = case.entries(plan)
    assert [value for _, value in entries] == [
        b"1\0", b"250\0", b"007\0", b"521\0", b"1 2 4 5\0", b"\1\2",
    ]  # fmt: skip
    node = node_of(MaxFile(plan.scene_file.to_bytes()))
    assert node.user_properties_text == "a = 1\r\nc = 3\r\n"
    assert node.flag("hidden") is True
    assert node.find(0x0975) is not None
    assert node.flag("show_frozen_in_gray") is False
    assert str(node.wire_color) == "#ff0001"


def test_an_edit_and_its_reverse_give_the_file_back(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"0\0"), (RAW, b"1\0"), text="x\r\n")
    plan = case.plan(
        ("mrm = false", "mrm = true\nblend_in = false"),
        (f'{RAW_KEY}" = "1"\n', ""),
        ('"""\nx\n"""', '"y"'),
    )
    plan.apply()
    changed = plan.scene_file.to_bytes()
    assert changed != case.data
    text = extract(MaxFile(changed), "s.max", Options(all=True))
    for old, new in (("mrm = true\nblend_in = false", "mrm = false"), ('"y"', '"""\nx\n"""')):
        assert text.count(old) == 1
        text = text.replace(old, new)
    text = text.replace("[base]", f'[node.n.appdata]\n{RAW_KEY}" = "1"\n[base]')
    back = make_plan(MaxFile(changed), parse(text.encode()))
    back.apply()
    assert back.scene_file.to_bytes() == case.data


def test_plain_line_ends_stay_plain(scenes: Any) -> None:
    case = Case(scenes, text="a\nb")
    plan = case.plan(("a\nb", "a\nc\nd"))
    plan.apply()
    assert node_of(plan.scene_file).user_properties_text == "a\nc\nd"


@pytest.mark.parametrize(
    "same",
    [
        ("dist_max = 1000.0", "dist_max = 1_000"),
        ("dist_max = 1000.0", "dist_max = 1e3"),
        ("level_count = 11", "level_count = 0xb"),
        ('skin_reduction = "max"', "skin_reduction = 1"),
        ('skin_reduction = "max"', "skin_reduction = 'max'"),
        ('type = "portal"', "type = 1"),
        ("other_bits = 512\n", ""),
        ("dynamic_portal = false\n", ""),
        ('user_properties = "a\\rb"', 'user_properties = "a\\u000Db"'),
        ("divisor = -5", "divisor = -5  # stored"),
        (f'{RAW_KEY}" = "x"', '"A-b/0C/07" = "hex:7800"'),
        ("[node.n.nel]\ndont_export = false\n", "[node.n.nel]\n'dont_export'\t=false # \"\n"),
    ],
)  # fmt: skip
def test_another_spelling_is_no_change(scenes: Any, same: tuple[str, str]) -> None:
    case = Case(
        scenes,
        ("DONTEXPORT", b"00\0"),
        ("LOD_DIST_MAX", b"1000.00\0"),
        ("LOD_NB_LOD", b"+11\0"),
        ("LOD_SKIN_REDUCTION", b"1\0"),
        ("LOD_DIVISOR", b"-5\0"),  # a new value must be at least 1
        ("ACCEL", b"513\0"),
        (RAW, b"x\0"),
        text="a\rb",
    )
    assert shown(case.plan(same)) == []


def test_nothing_that_says_nothing_is_a_change(scenes: Any) -> None:
    case = Case(scenes, ("ACCEL", b"1\0"))
    assert shown(case.plan(("clusterize = false", "clusterize = false\nother_bits = 0"))) == []
    plan = case.plan(('[node.n]\nid = 1', '[node.n]\nuser_properties = ""\nid = 1'))  # fmt: skip
    assert shown(plan) == []


@pytest.mark.parametrize(
    ("text", "stored"),
    [("a\nb", "a\r\nb"), ("a\r\nb\n", "a\r\nb\n"), ("\r", "\r"), ('"""\\', '"""\\')],
)
def test_line_ends_of_user_properties(scenes: Any, text: str, stored: str) -> None:
    case = Case(scenes, text="old")
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r")
    quoted = quoted.replace("\n", "\\n")
    plan = case.plan(('"old"', f'"{quoted}"'))
    plan.apply()
    node = node_of(plan.scene_file)
    assert node.user_properties_text == stored
    again = parse(extract(MaxFile(plan.scene_file.to_bytes()), "s.max").encode())
    assert make_plan(MaxFile(plan.scene_file.to_bytes()), again).changes == []


def test_lines_that_are_gone_take_their_values_away(scenes: Any) -> None:
    case = Case(
        scenes,
        ("LOD_MRM", b"1\0"),
        ("ACCEL", b"34\0"),
        (RAW, b"x\0"),
        ("DONTEXPORT", b"0\0"),
        text="t",
    )
    start, end = case.text.index("[node.n.nel.accelerator]"), case.text.index("[node.n.nel.lod]")
    table = case.text[start:end]
    plan = case.plan((table, ""), ("mrm = true\n", ""), ('user_properties = "t"\n', ""))
    assert [line.partition(": {")[0] for line in shown(plan)] == [
        'n.user_properties: "t" -> (not set)',
        "n.nel.accelerator",
        "n.nel.lod.mrm: true -> (not set)",
    ]
    assert [value for _, value in case.entries(plan)] == [b"x\0", b"0\0"]
    assert node_of(plan.scene_file).user_properties_text == ""


def test_a_table_that_is_gone_takes_nothing_away(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"1\0"))
    start = case.text.index("[node.n]")
    assert shown(case.plan((case.text[start : case.text.index("[base]")], ""))) == []


def test_a_table_written_by_hand_takes_nothing_away(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"1\0"), ("LOD_BLEND_IN", b"1\0"))
    head = case.text[: case.text.index("[node.")]
    document = parse((head + "[node.n.nel.lod]\nmrm = false\n").encode())
    assert shown(make_plan(MaxFile(case.data), document)) == ["n.nel.lod.mrm: true -> false"]


def test_flags_and_colour_stay_when_their_lines_go(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"1\0"))
    start, end = case.text.index("[node.n.flags]"), case.text.index("[node.n.nel")
    assert shown(case.plan((case.text[start:end], ""))) == []


def test_entries_with_the_same_key(scenes: Any) -> None:
    case = Case(scenes, (RAW, b"1\0"), (RAW, b"2\0"), (RAW, b"3\0"))
    two, three = f'{RAW_KEY}#2" = "2"\n', f'{RAW_KEY}#3" = "3"\n'
    plan = case.plan((two, ""), (three, ""))
    assert case.entries(plan) == [(RAW, b"1\0")]
    plan = case.plan((three, ""), (two, two.replace('"2"', '"II"')))
    assert case.entries(plan) == [(RAW, b"1\0"), (RAW, b"II\0")]
    plan = case.plan((three, f'{three}{RAW_KEY}#4" = "4"\n'))
    assert [value for _, value in case.entries(plan)] == [b"1\0", b"2\0", b"3\0", b"4\0"]
    # After the second one went, the third would be the second: that the text cannot say.
    (message,) = case.refused((two, ""))
    assert 'cannot be removed while appdata."0000000a-0000000b/c/7#3" follows it' in message
    plan = case.plan((three, f'{three}{RAW_KEY}#9" = "4"\n'))
    with pytest.raises(SidecarError, match="no entry number 9"):
        plan.apply()
    assert plan.scene_file.to_bytes() == case.data


def test_a_named_entry_with_odd_bytes_is_raw_until_it_is_written_by_name(scenes: Any) -> None:
    case = Case(scenes, ("DONTEXPORT", b"yes"), ("LOD_MRM", b"0\0"))
    raw = '"04d64858-16d1751d/1020/1423062565" = "hex:796573"\n'
    assert raw in case.text
    plan = case.plan((raw, ""), more="[node.n.nel]\ndont_export = true")
    assert shown(plan) == ['n.nel.dont_export: "hex:796573" -> true']
    assert [value for _, value in case.entries(plan)] == [b"1\0", b"0\0"]
    # Changing the bytes is fine as long as they stay odd.
    plan = case.plan((raw, raw.replace("796573", "3100ff")))
    assert [value for _, value in case.entries(plan)] == [b"1\0\xff", b"0\0"]
    (message,) = case.refused((raw, raw.replace("hex:796573", "1")))
    assert "has a name: write nel.dont_export" in message
    (message,) = case.refused(more="[node.n.nel]\ndont_export = true")
    assert "is the same entry: keep one of them" in message


def test_a_large_entry_can_be_removed_but_not_changed(scenes: Any) -> None:
    case = Case(scenes, (RAW, b"\xff" * 100_000), ("LOD_MRM", b"0\0"))
    assert len(case.text) < 4000
    line = next(line for line in case.text.splitlines() if '"large: 100000 bytes' in line)
    (message,) = case.refused((line, line.replace("100000", "100001")))
    assert "cannot be edited" in message
    removed = case.plan((line + "\n", ""))
    assert [value for _, value in case.entries(removed)] == [b"0\0"]
    replaced = case.plan((line, line.split(" = ")[0] + ' = "hex:01"'))
    assert [value for _, value in case.entries(replaced)] == [b"\1", b"0\0"]


REFUSED = [
    ("mrm = false", "mrm = 0", "nel.lod.mrm: not a value of type boolean"),
    ("mrm = false", "mrm = 'false'", "not a value of type boolean"),
    ("mrm = false", "mrm = []", "not a value of type boolean"),
    ("mrm = false", "mrm = 1979-05-27", "not a value of type boolean"),
    ("mrm = false", "mrm = { a = 1 }", "unknown key nel.lod.mrm.a"),
    ("mrm = false", "mrn = true", "unknown key nel.lod.mrn; did you mean nel.lod.mrm?"),
    ("dist_max = 5.0", "dist_max = nan", "a finite 32-bit float"),
    ("dist_max = 5.0", "dist_max = inf", "a finite 32-bit float"),
    ("dist_max = 5.0", "dist_max = 1e39", "a finite 32-bit float"),
    ("dist_max = 5.0", "dist_max = true", "not a value of type float"),
    ("level_count = 11", "level_count = 12.0", "not a value of type integer"),
    ("level_count = 11", "level_count = 2147483648", "32 bits with sign"),
    ("level_count = 11", "level_count = -1", "value too small (expected >= 0, found -1)"),
    ('skin_reduction = "max"', 'skin_reduction = "most"', "expected min, max, best"),
    ('type = "portal"', "type = 4", "type: none, portal, cluster"),
    ("clusterize = false", "clusterise = true", "did you mean nel.accelerator.clusterize?"),
    ("clusterize = false", "other_bits = 1", "none of the named bits"),
    ("ambient_0 = [1, 2, 3]", "ambient_0 = [1, 2]", "[red, green, blue]"),
    ("ambient_0 = [1, 2, 3]", "ambient_0 = [1, 2, 256]", "integers from 0 to 255"),
    ("ambient_0 = [1, 2, 3]", "ambient_0 = [true, 2, 3]", "integers from 0 to 255"),
    ('instance_name = "a"', 'instance_name = "中"', "text cannot be stored"),
    ('instance_name = "a"', 'instance_name = "a\\u0000"', "a string without NUL"),
    ('" = "x"', '" = 5', "wrong type (expected text, found 5)"),
    ('" = "x"', '" = "hex:0"', "not hexadecimal"),
    ('/7" = "x"', '/x" = "x"', "not an AppData key"),
    ('/7" = "x"', '/99999999999" = "x"', "not an AppData key"),
    ('/7" = "x"', '/7#1" = "x"', "not an AppData key"),
    ('/7" = "x"', '/7" = "x"\n"A-B/C/7" = "y"', "is the same entry as another line"),
    ('user_properties = "t"', "user_properties = 1", "wrong type (expected text, found 1)"),
    ('user_properties = "t"', 'appdata = "t"', "appdata is a table, not a value"),
    ('user_properties = "t"', "wire_colour = 1", "did you mean wire_color?"),
    ('user_properties = "t"', "'a\\n\"' = 1", r'unknown key "a\\n\""'),
    ('user_properties = "t"', f"{'k' * 999} = 1", "unknown key kkk"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_wrong_values_are_refused(scenes: Any, old: str, new: str, message: str) -> None:
    case = Case(
        scenes,
        ("INSTANCE_NAME", b"a\0"),
        ("ACCEL", b"1\0"),
        ("LOD_MRM", b"0\0"),
        ("LOD_DIST_MAX", b"5\0"),
        ("LOD_SKIN_REDUCTION", b"1\0"),
        ("LOD_NB_LOD", b"11\0"),
        ("LMC_AMBIENT_0", b"1 2 3\0"),
        (RAW, b"x\0"),
        text="t",
    )
    if old == 'user_properties = "t"' and "appdata" in new:
        start = case.text.index("[node.n.appdata]")
        case.text = case.text[:start] + case.text[case.text.index("[base]") :]
    messages = case.refused((old, new))
    assert message in messages[0]
    assert all(len(line) < 400 and "\n" not in line for line in messages)
    expected_line = case.text[: case.text.index(old)].count("\n") + 1 + old.count("\n")
    assert messages[0].startswith(f"sidecar:{expected_line + new.count(chr(10))}:") or (
        messages[0].startswith(f"sidecar:{expected_line}:")
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[node.n]\nid = 1", "[node.m]\nid = 1", "@1 name 'm'"),
        ("[node.n]\nid = 1", "[node.n]\nid = 99", "there is no node with id 99"),
        ("[node.n]\nid = 1", "[node.n]\nid = -1", "there is no node with id -1"),
        ("[node.n]\nid = 1", "[node.n]\nid = true", "id: wrong type"),
        ("[node.n]\nid = 1", "[node.n]\nid = 1.0", "id: wrong type"),
        ("[node.n]\nid = 1", "[node.n]\nid = {}", "id: wrong type"),
        ("[node.n]\nid = 1", "[node.n]\nid = 1\nindex = 0", "there is no node with index 0"),
        ("[node.n]\nid = 1", "[node.m]", "there is no node 'm'"),
        ("[node.n]\nid = 1", "[node.N.flags]\n[node.n]\nid = 1", "this is the same node as"),
        ('id = 1\nclass = "Box"', 'class = "Sphere"', "class is for information"),
        ('id = 1\nclass = "Box"', "class = [1]", "class is for information"),
        ("[node.n]\nid = 1", "[node.n.nel.loud]\n[node.n]\nid = 1", "unknown table nel.loud"),
        ("[node.n.nel.lod]\nmrm = false", "[node.n.nel]\nlod = 1", "nel.lod is a table"),
        ("[node.n]\nid = 1", "[object.x]\n[node.n]\nid = 1", "there is no object 'x'"),
        ("[node.n]\nid = 1", "[object.007]\n[node.n]\nid = 1", "there is no object '007'"),
        ("[node.n]\nid = 1", "[object.9999]\n[node.n]\nid = 1", "there is no object '9999'"),
        ("[node.n]\nid = 1", "[object.0]\nindex = 1\n[node.n]\nid = 1", "index contradicts"),
        ("[node.n]\nid = 1", "[object.0]\nid = 0\n[node.n]\nid = 1", "unknown key id"),
        ("[node.n]\n", "[object.0]\nwire_color = ''\n[node.n]\n", "unknown key wire_color"),
    ],
)
def test_wrong_objects_are_refused(scenes: Any, old: str, new: str, message: str) -> None:
    case = Case(scenes, ("LOD_MRM", b"0\0"))
    assert message in case.refused((old, new))[0]


def test_a_node_is_no_other_object(scenes: Any) -> None:
    case = Case(scenes)
    index = node_of(MaxFile(case.data)).index
    (message,) = case.refused(more=f"[object.{index}]")
    assert "is a node: use [node.NAME]" in message


def test_every_problem_is_reported(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"0\0"))
    lines = "".join(f"key{i} = 1\n" for i in range(500))
    assert len(case.refused(more=f"[node.n.nel.remanence]\n{lines}")) == 500


def test_what_turns_out_read_only_leaves_the_scene_as_it_was(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"0\0"))
    scene_file = MaxFile(case.data)
    node = node_of(scene_file)
    link = node.parent_link
    assert link is not None
    # The bit of "hidden" without its chunk.
    node.parent_link = link.replace(flags=link.flags | 0x00100000)
    data = scene_file.to_bytes()
    text = extract(MaxFile(data), "s.max")
    assert "hidden = true" in text
    edited = text.replace("hidden = true", "hidden = false").replace("mrm = false", "mrm = true")
    edited = edited.replace("#083d8a", "#000000")
    plan = make_plan(MaxFile(data), parse(edited.encode()))
    assert plan.ok
    with pytest.raises(SidecarError, match=r"n\.flags\.hidden: .*disagree") as caught:
        plan.apply()
    assert caught.value.line == text[: text.index("hidden")].count("\n") + 1
    assert plan.scene_file.to_bytes() == data


def test_damaged_appdata_is_read_only(scenes: Any) -> None:
    case = Case(scenes, ("LOD_MRM", b"0\0"))
    scene_file = MaxFile(case.data)
    container = node_of(scene_file).find(0x2150)
    assert container is not None
    next(container.chunks()).replace((9).to_bytes(4, "little"))
    data = scene_file.to_bytes()
    text = extract(MaxFile(data), "s.max")
    plan = make_plan(MaxFile(data), parse(text.replace("mrm = false", "mrm = true").encode()))
    with pytest.raises(SidecarError, match="read-only"):
        plan.apply()


def test_the_appdata_of_an_object_are_written_at_once(scenes: Any) -> None:
    """Thousands of entries one by one would cost quadratic time."""
    scene_file = scenes.open(scenes.node("n", [("LOD_MRM", b"0\0"), ("LOD_DIST_MAX", b"1\0")]))
    text = extract(scene_file, "x.max")
    lines = "".join(f'"00000001-00000002/3/{k}" = "v{k}"\n' for k in range(300))
    text = text.replace("mrm = false\n", "").replace("dist_max = 1.0", "dist_max = 2.0")
    text = text.replace("\n[base]", f"\n[node.n.appdata]\n{lines}\n[base]")
    text = text.replace("hidden = false", "hidden = true")
    plan = make_plan(scene_file, parse(text.encode()))
    assert len(plan.changes) == 303
    plan.apply()
    (node,) = scene_file.nodes.find("n")
    values = [value for _, value in node.appdata]
    assert values == [b"2\0", *(b"v%d\0" % k for k in range(300))]
    # A flag with its partner chunk, and the AppData.
    assert node.data.revision == 3
