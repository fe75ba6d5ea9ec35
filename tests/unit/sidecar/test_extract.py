"""The text of a sidecar, against a text written by hand."""

from __future__ import annotations

import hashlib
from typing import Any

from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract

OTHER = AppDataKey(1, 2, 3, 4)

EXPECTED = """\
#:schema ./maxsidecar.schema.json
# street.max: 3ds Max 6. Edit values, then run: maxsidecar apply street.max.toml

[sidecar]
format = 1
scene = "street.max"
sha256 = "{sha256}"

[node.cluster01]
id = 1
class = "Box"
parent = "Scene Root"
layer = "0"
wire_color = "#083d8a"

[node.cluster01.flags]
hidden = false
frozen = false
show_frozen_in_gray = true

[node.cluster01.nel]
dont_export = false

[node.cluster01.nel.accelerator]
type = "cluster"
father_visible = false
visible_from_father = true
dynamic_portal = false
clusterize = false
audible_not_like_visible = false
father_audible = false
audible_from_father = false
other_bits = 512

[node.cluster01.nel.lod]
dist_max = 1000.0
mrm = false
skin_reduction = "best"

[node.cluster01.nel.lightmap_compression]
ambient_0 = [1, 2, 3]

[node.cluster01.appdata]
"00000001-00000002/3/4" = "hex:0102"
"00000001-00000002/3/4#2" = "two"
"04d64858-16d1751d/1020/1423062555#2" = "1"

[node.notes]
id = 3
class = "Box"
parent = "Scene Root"
layer = "0"
wire_color = "#083d8a"
user_properties = \"\"\"
key = value
\"\"\"

[node.notes.flags]
hidden = false
frozen = false
show_frozen_in_gray = true

[base]
"""


def street(scenes: Any) -> bytes:
    node = scenes.node
    data: bytes = scenes.data(
        node(
            "cluster01",
            [
                # 522 = 512 unknown + 8 visible from father + 2 cluster
                ("ACCEL", b"522\0"),
                (OTHER, b"\1\2"),
                ("LOD_SKIN_REDUCTION", b"2\0"),
                ("LOD_DIST_MAX", b"1e3\0"),
                (OTHER, b"two\0"),
                ("LOD_MRM", b"0\0"),
                ("DONTEXPORT", b"0\0"),
                ("LOD_SKIN_REDUCTION", b"1\0"),
                ("LMC_AMBIENT_0", b"1 2 3\0"),
            ],
        ),
        "plain",
        node("notes", text="key = value\r\n"),
    )
    return data


def test_the_command_for_a_name_with_spaces(scenes: Any) -> None:
    text = extract(MaxFile(street(scenes)), "old street.max")
    assert text.splitlines()[1].endswith('run: maxsidecar apply "old street.max.toml"')


def test_the_whole_text(scenes: Any) -> None:
    data = street(scenes)
    text = extract(MaxFile(data), "street.max")
    head, _, base = text.partition("[base]\n")
    assert head + "[base]\n" == EXPECTED.format(sha256=hashlib.sha256(data).hexdigest())
    assert len(base.splitlines()) == 2  # a comment and one line for both nodes
    assert extract(MaxFile(data), "street.max") == text


def test_everything_is_listed_when_asked_for(scenes: Any) -> None:
    text = extract(MaxFile(street(scenes)), "street.max", Options(all=True))
    labels = [table.label for table in parse(text.encode()).tables]
    assert labels == ["Scene Root", "cluster01", "plain", "notes"]


def test_defaults_are_comments_that_can_be_uncommented(scenes: Any) -> None:
    scene_file = MaxFile(street(scenes))
    plain = parse(extract(scene_file, "street.max").encode())
    text = extract(scene_file, "street.max", Options(defaults=True))
    shown = parse(text.encode())
    assert [table.values for table in shown.tables] == [table.values for table in plain.tables]
    assert (
        "# distance_finest = 5.0  # Up to this distance the finest level is drawn; below "
        "distance_middle [m]; default 5.0\n" in text
    )
    assert "\n# [node.notes.nel.wind_tree]\n" in text
    # Every commented key and header becomes TOML that the sidecar knows.
    lines = [
        line[2:] if line.startswith("# ") and (" = " in line or line[2] == "[") else line
        for line in text.splitlines()[3:]
    ]
    everything = parse("\n".join(line for line in lines if "all values but" not in line).encode())
    assert all(len(table.values) > 130 for table in everything.tables)


def test_what_cannot_be_read_is_a_comment(scenes: Any) -> None:
    scene_file = MaxFile(scenes.data("a", scenes.node("b", text="x"), "c"))
    nodes = [node for node in scene_file.nodes.values() if node.parent is not None]
    for node, chunk_id, body in (
        (nodes[0], 0x09BA, b"odd"),
        (nodes[1], 0x0974, b""),
        (nodes[2], 0x09BA, b"\x00\xdc"),
    ):
        chunk = node.find(chunk_id)
        assert chunk is not None
        chunk.replace(body)
    text = extract(scene_file, "x.max")
    assert "# user_properties cannot be read: " in text.partition("[node.b]")[0]
    assert "# wire_color cannot be read: " in text.partition("[node.b]")[2]
    assert "# user_properties cannot be read: the text holds unpaired surrogates\n" in text
    assert [table.label for table in parse(text.encode()).tables] == ["a", "b", "c"]
    assert 'user_properties = "x"' in text


def test_the_name_of_the_scene_may_be_anything(scenes: Any) -> None:
    text = extract(scenes.open("a"), 'a\n"b.max')
    assert parse(text.encode()).scene == 'a\n"b.max'
