from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import ChunkError, DecodeError, EditError
from maxsidecar.io.chunks import ChunkData
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.config import Config, SnapSettings
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.private import PRIVATE_CHUNKS, may_be_private
from maxsidecar.scene.script_types import ScriptName, ScriptString, ScriptValue
from maxsidecar.scene.script_values import encode_value


def chunk(chunk_id: int, body: bytes = b"", *, container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 | container << 31) + body


def box(chunk_id: int, *children: bytes) -> bytes:
    return chunk(chunk_id, b"".join(children), container=True)


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def config(*children: bytes) -> Config:
    return Config(ChunkData(b"".join(children), root=True))


def problems(view: Config) -> tuple[int, int, list[Exception]]:
    found: list[Exception] = []
    count, size = check_leaves(view.typed_leaves(), found.append)
    return count, size, found


TIME = box(
    0x20B0,
    chunk(0x10, pack("<i", 30)),
    chunk(0x50, pack("<i", 0)),
    chunk(0x60, pack("<i", 16000)),
    chunk(0x70, pack("<i", 320)),
)


def test_time_is_in_ticks() -> None:
    time = config(TIME).time
    assert time is not None
    assert (time.frame_rate, time.start, time.end, time.current) == (30, 0, 16000, 320)
    assert time.ticks_per_frame == 160  # 4800 / 30


def test_a_frame_rate_can_be_set_and_nothing_else_moves() -> None:
    view = config(chunk(0x2090, b"abcd"), TIME)
    time = view.time
    assert time is not None
    time.frame_rate = 25
    before = chunk(0x2090, b"abcd") + TIME
    at = before.index(pack("<i", 30))
    assert bytes(view.data.data) == before[:at] + pack("<i", 25) + before[at + 4 :]


@pytest.mark.parametrize("rate", [0, -30])
def test_a_frame_rate_that_is_not_positive_has_no_ticks(rate: int) -> None:
    time = config(box(0x20B0, chunk(0x10, pack("<i", rate)))).time
    assert time is not None
    with pytest.raises(DecodeError, match="frame rate"):
        assert time.ticks_per_frame


def test_the_wrapper_of_compressed_2024_saves_is_looked_through() -> None:
    view = config(pack("<HI", 0x2206, 0xFFFFFFFF) + TIME)
    assert view.time is not None
    assert view.time.frame_rate == 30


def test_empty_containers_are_leaves_without_bytes() -> None:
    view = config(chunk(0x2180), chunk(0x2190), chunk(0x21A0), box(0x20A5, chunk(1)))
    assert view.scripts is None
    assert view.scripted_classes() == []
    assert view.schematic_views is None
    assert view.utilities() == []
    assert view.scene_explorers is not None
    assert view.scene_explorers.windows() == []
    assert problems(view) == (0, 0, [])


def test_grid_snap_and_gamma() -> None:
    view = config(
        box(
            0x20E0,
            chunk(0x100, pack("<fii", 10, 7, 1)),
            chunk(0x200, pack("<ff8i", 5, 10, *range(8))),
        ),
        box(0x2160, chunk(0x100, pack("<Iff", 1, 2.2, 2.2))),
    )
    assert view.drawing_aids is not None
    grid = view.drawing_aids.grid
    assert grid is not None
    assert (grid.spacing, grid.major_lines) == (10, 7)
    assert view.drawing_aids.snap == SnapSettings(5.0, 10.0, tuple(range(8)))
    assert view.gamma is not None
    assert view.gamma.settings is not None
    assert view.gamma.settings.display == pytest.approx(2.2)
    assert problems(view) == (3, 12 + 40 + 12, [])


def test_track_views_and_their_lines() -> None:
    line = pack("<iII", -1, 1, 0)
    view = config(
        box(
            0x20A0,
            chunk(0x100, pack("<I", 1)),
            box(
                0x110,
                chunk(0x290, wide("Track")),
                chunk(0x330, pack("<4i", 1, 2, 3, 4)),
                chunk(0x360, line),
                chunk(0x360, pack("<iII", 48, 1, 1)),
                chunk(0x340, line),
            ),
        )
    )
    assert view.track_views is not None
    assert view.track_views.count == 1
    (window,) = view.track_views.windows
    assert (window.title, window.layout, window.window) == ("Track", "", (1, 2, 3, 4))
    assert [entry.object for entry in window.entries] == [-1, 48, -1]
    assert problems(view) == (6, 4 + 10 + 16 + 36, [])


def test_schematic_and_material_windows() -> None:
    view = config(
        box(0x20A6, box(0, chunk(1, pack("<I", 2)))),
        box(
            0x2190,
            chunk(0x100, pack("<I", 1)),
            box(
                0x110,
                chunk(0x110, wide("S")),
                chunk(0x140, pack("<f", 0.5)),
                chunk(0x150, pack("<2i", -286, -111)),
            ),
        ),
    )
    assert view.material_explorers is not None
    assert view.material_explorers.list is not None
    assert view.material_explorers.list.count == 2
    assert view.schematic_views is not None
    (window,) = view.schematic_views.windows
    assert (window.name, window.zoom, window.pan) == ("S", 0.5, (-286, -111))


def test_scene_explorer_settings() -> None:
    view = config(
        box(
            0x20A5,
            chunk(0, pack("<I", 0)),
            box(
                1,
                *(chunk(0, pack("<I", 1)), chunk(1, b"Name"), chunk(2, b"A")),
                *(chunk(2, b"\0"), chunk(3, b"\0")),
                *(chunk(0, pack("<I", 2)), chunk(1, b"x"), chunk(2, b"1")),
                *(chunk(3, b"y"), chunk(4, b"2"), chunk(2, b"\0"), chunk(3, b"\0")),
            ),
        )
    )
    assert view.scene_explorers is not None
    assert view.scene_explorers.windows() == [{"Name": "A"}, {"x": "1", "y": "2"}]
    assert problems(view) == (7, 4 + 5 + 4, [])


def test_a_scene_explorer_that_lacks_settings_is_refused() -> None:
    view = config(box(0x20A5, box(1, chunk(0, pack("<I", 0xFFFFFFFF)), chunk(1, b"Name"))))
    assert view.scene_explorers is not None
    with pytest.raises(DecodeError, match="too few"):
        view.scene_explorers.windows()


PANE = pack("<II12f2f3Ii", 0, 8, *range(12), 0.75, 250, 0, 0, 0, 17)


@pytest.mark.parametrize("tabs", [False, True])
def test_viewport_panes_of_older_and_newer_files(tabs: bool) -> None:
    leaves = [chunk(0x2810, PANE), chunk(0x2820, pack("<i", -1)), chunk(0x2876, wide("a.png"))]
    if tabs:
        tab = box(0x8220, chunk(0x4670, wide("Quad 4")), *leaves)
        view = config(box(0x2080, box(0x8200, chunk(0x8210, pack("<I", 0)), tab)))
    else:
        view = config(box(0x2080, *leaves))
    assert view.viewports is not None
    (layout,) = view.viewports.layouts
    assert layout.name == ("Quad 4" if tabs else "")
    (pane,) = layout.panes
    assert (pane.type, pane.camera, pane.zoom) == (8, 17, 0.75)
    assert pane.matrix == tuple(range(12))
    assert layout.active_pane == -1
    assert layout.background0 == "a.png"
    assert not problems(view)[2]


def test_utilities_pair_a_class_with_its_data() -> None:
    view = config(
        box(
            0x21A0,
            chunk(0x1A00, pack("<II", 1, 2)),
            chunk(0x1A02),
            chunk(0x1A00, pack("<II", 3, 4)),
            box(0x1A02, chunk(0x10, b"x")),
            chunk(0x1A00, pack("<II", 5, 6)),
        )
    )
    first, second, third = view.utilities()
    assert [u.class_id for u in (first, second, third)] == [
        ClassId(1, 2),
        ClassId(3, 4),
        ClassId(5, 6),
    ]
    assert first.data is not None
    assert not first.data.container
    assert second.data is not None
    assert [bytes(c.data) for c in second.data.chunks()] == [b"x"]
    assert third.data is None


def test_registration_data_is_private_with_and_without_the_wrapper() -> None:
    assert ("Config", (0x2130, 0x110, 0x300)) in PRIVATE_CHUNKS
    secret = box(0x2130, chunk(0x100), box(0x110, chunk(0x200, b"tick"), chunk(0x300, b"who")))
    for data in (secret, pack("<HI", 0x2206, 0xFFFFFFFF) + secret):
        view = config(data)
        outer = view.find(0x2130)
        assert outer is not None
        inner = outer.find(0x110)
        assert inner is not None
        private = inner.find(0x300)
        time = inner.find(0x200)
        assert private is not None
        assert time is not None
        assert may_be_private("Config", (0x2130, 0x110, private.id))
        assert not may_be_private("Config", (0x2130, 0x110, time.id))
        assert not may_be_private("Scene", (0x2130, 0x110, private.id))
        assert problems(view) == (0, 0, [])


def name(text: str) -> ScriptName:
    return ScriptName(text, wide=False)


PARAMETER: ScriptValue = (
    name("Speed"),
    (name("type"), name("Float"), name("default"), 2.5, name("ui"), name("spin")),
)
DEFINITION: ScriptValue = ((name("main"), 4, 5, (name("rollout"), name("params")), PARAMETER),)


def scripts(definition: ScriptValue = DEFINITION) -> Config:
    return config(
        box(
            0x2180,
            box(0x30, encode_value(name("counter")), encode_value(7)),
            box(0x40, chunk(0x50, pack("<III", 0x1160, 0xA, 0xB)), encode_value(definition)),
        )
    )


def test_scripted_classes_give_parameter_names() -> None:
    (scripted,) = scripts().scripted_classes()
    assert (scripted.superclass, scripted.class_id) == (0x1160, ClassId(0xA, 0xB))
    (block,) = scripted.blocks()
    assert (block.name, block.id, block.reference_slot) == ("main", 4, 5)
    assert block.options == {"rollout": name("params")}
    (parameter,) = block.parameters
    assert (parameter.index, parameter.name, parameter.type) == (0, "Speed", "float")
    assert parameter.default == 2.5
    assert parameter.options["ui"] == name("spin")


@pytest.mark.parametrize(
    "definition",
    [
        7,
        (7,),
        ((name("main"), 1, 2),),
        ((name("main"), True, 2, ()),),
        ((name("main"), 1, 2, (name("odd"),)),),
        ((name("main"), 1, 2, (), (name("no type"), ())),),
        ((name("main"), 1, 2, (), (name("a"), (), ())),),
        ((7, 1, 2, ()),),
    ],
)
def test_definitions_of_another_shape_are_refused(definition: ScriptValue) -> None:
    (scripted,) = scripts(definition).scripted_classes()
    assert scripted.value == definition
    with pytest.raises(DecodeError) as caught:
        scripted.blocks()
    assert caught.value.where.path is not None


def test_variables_and_definitions_can_be_edited() -> None:
    view = scripts()
    store = view.scripts
    assert store is not None
    assert store.variables == {"counter": 7}
    store.set_variable("counter", ScriptString("many", wide=False))
    assert store.variables == {"counter": ScriptString("many", wide=False)}
    with pytest.raises(EditError, match="no global variable"):
        store.set_variable("other", 1)
    (scripted,) = view.scripted_classes()
    scripted.value = None
    (again,) = view.scripted_classes()
    assert again.value is None
    assert again.class_id == ClassId(0xA, 0xB)
    assert problems(view)[2] == []


def test_a_damaged_definition_says_where_and_stays() -> None:
    view = config(box(0x2180, box(0x40, chunk(0x50, bytes(12)), chunk(0x02, b"odd"))))
    (scripted,) = view.scripted_classes()
    with pytest.raises(DecodeError, match="unknown type") as caught:
        assert scripted.value
    assert caught.value.where.path == "2180[0]/0040[0]/0002[1]"
    with pytest.raises(EditError, match="read-only"):
        scripted.value = 1
    assert not view.data.edited
    count, size, found = problems(view)
    assert (count, size, len(found)) == (1, 12, 1)


def test_a_definition_without_identity_or_value_is_refused() -> None:
    view = config(box(0x2180, box(0x40, encode_value(1))))
    (scripted,) = view.scripted_classes()
    with pytest.raises(DecodeError, match="identity"):
        assert scripted.class_id
    with pytest.raises(DecodeError, match="identity and a value"):
        assert scripted.value
    with pytest.raises(EditError):
        scripted.value = 1


def test_damaged_containers_are_chunk_errors() -> None:
    view = config(box(0x20B0, b"\x10\x00\xff\xff"))
    assert view.time is not None
    with pytest.raises(ChunkError):
        assert view.time.frame_rate
