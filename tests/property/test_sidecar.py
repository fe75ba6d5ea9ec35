"""Sidecars of random scenes: nothing is lost, edits arrive, and their reverse undoes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maxsidecar.errors import SidecarError
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey, Property
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.base import Base, decode_base, encode_base
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.fields import MISSING, check, read_fields
from maxsidecar.sidecar.raw_text import parse_raw, show_raw
from maxsidecar.sidecar.toml_text import format_path, format_value
from maxsidecar.sidecar.update import updated_text

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAMES = st.one_of(
    TEXT.filter(lambda name: "\0" not in name and name != ""),
    st.sampled_from(["a", "A", "a@1", "a@#1", "Scene Root", "ß", "SS", "x.y", "@2", "node", '"']),
)
# A small pool, so that keys repeat.
RAW_KEYS = st.builds(
    AppDataKey, st.sampled_from((1, 2**32 - 1)), st.just(7), st.just(9), st.just(3)
)
KEYS = st.one_of(RAW_KEYS, st.sampled_from(PROPERTIES).map(lambda prop: prop.key))
BYTES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"0\0", b"1\0", b"-0\0", b"1,5\0", b"007\0", b"1.0\0", b"99999\0", b"\0"]),
    TEXT.map(lambda text: b"\xef\xbb\xbf" + text.encode() + b"\0"),
    TEXT.map(lambda text: text.encode("utf-16-le") + b"\0\0"),
    st.integers(8190, 8200).map(lambda size: b"a" * size),
)
LINES = st.lists(st.sampled_from(["a = 1", '"""', "\\", " ", "", "é"]), max_size=5)
USER_TEXT = st.one_of(TEXT, *(LINES.map(end.join) for end in ("\n", "\r\n", "\r", "\n\r")))


@st.composite
def scene_data(draw: st.DrawFn) -> bytes:
    """A scene file of up to five nodes."""
    builder = SceneBuilder()
    box = builder.add_box(1, 1, 1)
    stored: dict[int, bytes] = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=5)):
        text = draw(USER_TEXT)
        node = builder.add_node(name, box, user_properties="" if "\0" in text else text)
        if "\0" in text:
            stored[node] = text.encode("utf-16-le")
        for key, value in draw(st.lists(st.tuples(KEYS, BYTES), max_size=6)):
            builder.add_appdata(node, key, value)
    for key, value in draw(st.lists(st.tuples(KEYS, BYTES), max_size=2)):
        builder.add_appdata(box, key, value)
    if not stored:
        return builder.to_bytes()
    # Files hold what nobody may write.
    scene_file = MaxFile(builder.to_bytes())
    for node, body in stored.items():
        chunk = scene_file.scene[node].find(0x09BA)
        assert chunk is not None
        chunk.replace(body)
    return scene_file.to_bytes()


def new_value(draw: st.DrawFn, prop: Property, bit: str | None) -> Any:
    """A new value for a property, from what its declaration allows."""
    codec = prop.codec
    if bit is not None:
        assert isinstance(codec, BitFieldCodec)
        names = getattr(codec.fields[bit], "names", None)
        return draw(st.sampled_from(sorted(names.values())) if names else st.booleans())
    if codec.kind == "boolean":
        return draw(st.booleans())
    if codec.kind == "integer":
        low = -(2**31) if prop.minimum is None else int(prop.minimum)
        return draw(st.integers(low, 2**31 - 1 if prop.maximum is None else int(prop.maximum)))
    if codec.kind == "float":
        low_float = -1e30 if prop.minimum is None else prop.minimum
        return draw(st.one_of(st.floats(low_float, 1e30), st.integers(0, 1000)))
    if codec.kind == "color":
        return draw(st.lists(st.integers(0, 255), min_size=3, max_size=4))
    if codec.kind == "enumeration":
        return draw(st.sampled_from(sorted(codec.numbers)))  # type: ignore[attr-defined]
    text = st.characters(codec="cp1252", exclude_characters="\0")
    return draw(st.text(text, max_size=20))


@st.composite
def edits(draw: st.DrawFn) -> dict[tuple[str, ...], Any]:
    """New values for some paths of a node."""
    out: dict[tuple[str, ...], Any] = {}
    for prop in draw(st.lists(st.sampled_from(PROPERTIES), max_size=8, unique_by=id)):
        bits: list[str | None] = [None]
        if isinstance(prop.codec, BitFieldCodec):
            bits = draw(
                st.lists(st.sampled_from(sorted(prop.codec.fields)), min_size=1, unique=True)
            )
        for bit in bits:
            out[prop.path + ((bit,) if bit else ())] = new_value(draw, prop, bit)
    for name in draw(st.sets(st.sampled_from(["hidden", "frozen", "show_frozen_in_gray"]))):
        out["flags", name] = draw(st.booleans())
    if draw(st.booleans()):
        out["wire_color",] = f"#{draw(st.integers(0, 2**24 - 1)):06x}"
    if draw(st.booleans()):
        out["user_properties",] = draw(USER_TEXT.filter(lambda text: "\0" not in text))
    return out


def text_with(text: str, label: str, old: dict[tuple[str, ...], Any], new: dict[Any, Any]) -> str:
    """Write new values into a sidecar of our own form: this is what an editor would do."""
    document = parse(text.encode())
    spots = document.locator.spots
    changes = [
        (spots["node", label, *path].value, spots["node", label, *path].end, format_value(value))
        for path, value in new.items()
        if path in old
    ]
    for start, end, piece in sorted(changes, reverse=True):
        text = text[:start] + piece + text[end:]
    for path, value in new.items():
        if path not in old:
            document = parse(text.encode())
            group = ("node", label, *path[:-1])
            line = f"\n{format_path([path[-1]])} = {format_value(value)}"
            section = document.locator.tables.get(group)
            if section is None:
                line = f"\n[{format_path(group)}]{line}\n"
                at = document.locator.tables["base",].start - 1
            else:
                at = section.end
            text = text[:at] + line + text[at:]
    return text


def other_streams(scene_file: MaxFile) -> dict[str, bytes]:
    return {n: bytes(s.raw) for n, s in scene_file.streams.items() if n != "Scene"}


def objects(scene_file: MaxFile) -> dict[int, bytes]:
    return {obj.index: bytes(obj.data.data) for obj in scene_file.scene}


@given(scene_data(), st.booleans(), st.booleans())
def test_extract_then_apply_changes_nothing(data: bytes, everything: bool, defaults: bool) -> None:
    options = Options(all=everything, defaults=defaults)
    scene_file = MaxFile(data)
    text = extract(scene_file, "x.max", options)
    document = parse(text.encode())
    plan = make_plan(scene_file, document)
    assert plan.ok
    assert plan.apply() == []
    assert scene_file.to_bytes() == data
    assert updated_text(document, scene_file, options) == text
    # As another version of the file, too: then everything rests on the values at extraction.
    stale = parse(text.replace(document.sha256, "0" * 64).encode())
    plan = make_plan(scene_file, stale)
    assert plan.ok
    assert not plan.changes


@given(scene_data(), edits(), st.data())
def test_edits_arrive_and_their_reverse_undoes_them(
    data: bytes, wanted: dict[tuple[str, ...], Any], pick: st.DataObject
) -> None:
    scene_file = MaxFile(data)
    original = extract(scene_file, "x.max", Options(all=True))
    tables = [t for t in parse(original.encode()).tables if t.kind == "node"]
    table = pick.draw(st.sampled_from(tables[1:]))
    node = scene_file.nodes[_index(scene_file, table.info["id"])]
    old = read_fields(node)
    # A named entry whose bytes are odd is listed raw, and its raw line would have to go first.
    raw = {path[1] for path in old if path[0] == "appdata"}
    new: dict[tuple[str, ...], Any] = {}
    for path, value in wanted.items():
        prop = REGISTRY.by_toml_path(path) or REGISTRY.by_toml_path(path[:-1])
        if prop is None or str(prop.key) not in raw:
            new[path] = value
    untouched = objects(scene_file)
    plan = make_plan(scene_file, parse(text_with(original, table.label, old, new).encode()))
    assert [str(problem) for problem in plan.problems] == []
    plan.apply()
    saved = MaxFile(scene_file.to_bytes())
    now = read_fields(saved.nodes[node.index])
    for path, value in new.items():
        if path == ("user_properties",):
            assert now.get(path, "").replace("\r\n", "\n") == value.replace("\r\n", "\n")
        else:
            assert now[path] == value
    for path, value in old.items():
        if path not in new:
            assert now[path] == value
    assert other_streams(saved) == other_streams(MaxFile(data))
    after = objects(saved)
    assert {i for i in after if after[i] != untouched[i]} <= {node.index}
    again = parse(extract(saved, "x.max", Options(all=True)).encode())
    (values,) = [t.values for t in again.tables if t.label == table.label and t.kind == "node"]
    assert values == now
    # Back: new entries go, old values come again.
    same = {path for path in new if path in old}
    added = {path for path in now if path not in old}
    text = again.text
    for path in sorted(added):
        spot = parse(text.encode()).locator.spots["node", table.label, *path]
        text = text[: spot.key] + text[spot.end :].lstrip("\n")
    back_values = {path: old[path] for path in same}
    # Plain and CR LF line ends look the same, and text that is gone has no line to edit.
    if ("user_properties",) in same:
        assume("\n" not in old["user_properties",] and new["user_properties",])
    back = parse(text_with(text, table.label, now, back_values).encode())
    undo = make_plan(saved, back)
    assert [str(problem) for problem in undo.problems] == []
    undo.apply()
    restored = read_fields(saved.nodes[node.index])
    assert restored == old


def _index(scene_file: MaxFile, handle: int) -> int:
    return next(n.index for n in scene_file.nodes.values() if n.handle == handle)


@given(scene_data(), scene_data())
def test_a_sidecar_meets_any_scene(data: bytes, other: bytes) -> None:
    document = parse(extract(MaxFile(data), "x.max", Options(all=True)).encode())
    scene_file = MaxFile(other)
    plan = make_plan(scene_file, document, force=["*"])
    if plan.ok:
        try:
            plan.apply()
        except SidecarError:
            assert scene_file.to_bytes() == other
            return
        again = MaxFile(scene_file.to_bytes())
        for change in plan.changes:
            found = read_fields(again.scene[change.obj.index])
            if change.new is MISSING:
                assert change.path not in found
    try:
        text = updated_text(document, MaxFile(other), discard=True)
    except SidecarError:
        return
    assert make_plan(MaxFile(other), parse(text.encode())).conflicts == []


@given(st.binary(max_size=60), st.sampled_from(["cp1252", "gbk", "cp932", "utf-8", "johab"]))
def test_raw_bytes_come_back(raw: bytes, code_page: str) -> None:
    for value in (raw, raw + b"\0"):
        text = show_raw(value, code_page)
        assert parse_raw(text, code_page) == value
        assert parse(_node_text(text).encode()).tables[0].values["user_properties",] == text


def _node_text(text: str, name: str = "a") -> str:
    head = f'[sidecar]\nformat = 1\nscene = "x"\nsha256 = "{"0" * 64}"\n'
    return f"{head}[{format_path(['node', name])}]\nuser_properties = {format_value(text)}\n"


@given(TEXT, TEXT)
def test_any_text_is_a_key_and_a_value(key: str, text: str) -> None:
    (table,) = parse(_node_text(text, key).encode()).tables
    assert (table.label, table.values) == (key, {("user_properties",): text})


#: ``None`` stands for a date, which TOML has and the text form has not.
JUNK = st.recursive(
    st.one_of(st.integers(), st.floats(), st.booleans(), TEXT, st.none()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


@given(scene_data(), st.lists(st.tuples(st.lists(TEXT, max_size=3), JUNK), max_size=6))
def test_junk_is_refused_with_our_errors_only(
    data: bytes, junk: list[tuple[list[str], Any]]
) -> None:
    text = extract(MaxFile(data), "x.max", Options(all=True))
    lines = []
    for path, value in junk:
        known = path or ["nel", "lod"]
        try:
            lines.append(f"{format_path(known)} = {format_value(value)}\n")
        except TypeError:
            lines.append(f"{format_path(known)} = 1979-05-27T07:32:00Z\n")
    try:
        document = parse(text.replace("[base]", "".join(lines) + "[base]").encode())
    except SidecarError:
        return
    scene_file = MaxFile(data)
    plan = make_plan(scene_file, document)
    for problem in plan.problems:
        assert problem.line is not None
        assert "\n" not in str(problem)
    if plan.ok:
        plan.apply()


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(SidecarError) as caught:
        parse(text.encode("utf-8", "replace"))
    assert "\n" not in str(caught.value)


@given(
    st.dictionaries(
        st.integers(0, 2**32 - 1).map(str),
        st.none()
        | st.dictionaries(
            st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")),
            st.booleans() | st.integers() | TEXT | st.floats(allow_nan=False),
        ),
        max_size=40,
    )
)
def test_values_at_extraction_come_back(values: dict[str, Any]) -> None:
    bases = {key: None if v is None else Base.of(v) for key, v in values.items()}
    found = decode_base(encode_base(bases))
    assert found.keys() == bases.keys()
    for key, expected in values.items():
        base = found[key]
        if expected is None or base is None:
            assert expected is base is None
            continue
        for path, value in expected.items():
            assert base.has(path)
            assert base.unchanged(path, value)


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.name)
@given(data=st.data())
def test_every_property_takes_what_its_declaration_allows(
    prop: Property, data: st.DataObject
) -> None:
    bits = sorted(prop.codec.fields) if isinstance(prop.codec, BitFieldCodec) else [None]

    @st.composite
    def value(draw: st.DrawFn, bit: str | None) -> Any:
        return new_value(draw, prop, bit)

    for bit in bits:
        new = data.draw(value(bit))
        assert check(prop.path + ((bit,) if bit else ()), new, code_page="cp1252") == new


PARTS = st.text(st.sampled_from("ab.\\\n#"), max_size=6)


@given(st.sets(st.lists(PARTS, min_size=1, max_size=4).map(tuple)))
def test_paths_of_a_base_can_be_read_again(below: set[tuple[str, ...]]) -> None:
    kept = Base.of({("modifiers", *path): 1 for path in below} | {("modifiersx", "a"): 2})
    assert kept.below("modifiers") == {("modifiers", *path) for path in below}
