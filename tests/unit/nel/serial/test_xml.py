"""Collision primitives, which are XML."""

from __future__ import annotations

import pytest

from maxsidecar.errors import DecodeError, EditError, LimitError, MaxSidecarError
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.check import check_bytes
from maxsidecar.nel.serial.classes.collision_primitive import CPrimitiveBlock, CPrimitiveDesc

#: As the game's stream writes it: names in capitals, six decimals, the magic as a number.
DOCUMENT = """\
<?xml version="1.0"?>
<PRIMITIVE_BLOCK>
  <CHECK>1262637648</CHECK>
  <VERSION>0</VERSION>
  <PRIMITIVES>
    <VECTOR size="1">
      <ELM>
        <VERSION>1</VERSION>
        <LENGTH>1.500000 2.000000</LENGTH>
        <HEIGHT>3.000000</HEIGHT>
        <ATTENUATION>1.000000</ATTENUATION>
        <TYPE>1</TYPE>
        <REACTION>16</REACTION>
        <TRIGGER>256</TRIGGER>
        <OBSTACLE>1</OBSTACLE>
        <OCCLUSION_MASK>4294967295</OCCLUSION_MASK>
        <COLLISION_MASK>3</COLLISION_MASK>
        <POSITION>1.000000 -2.000000 0.250000</POSITION>
        <ORIENTATION>0.500000</ORIENTATION>
        <USER_DATA>18446744073709551615</USER_DATA>
      </ELM>
    </VECTOR>
  </PRIMITIVES>
</PRIMITIVE_BLOCK>
"""


def test_a_document() -> None:
    assert int.from_bytes(b"PRBK", "little") == 1262637648
    file = read_bytes(DOCUMENT.encode())
    assert file.kind == "pacs_prim"
    (primitive,) = file.content.primitives
    assert (primitive.length, primitive.height) == ((1.5, 2.0), 3.0)
    assert (primitive.type, primitive.reaction, primitive.obstacle) == (1, 0x10, True)
    assert primitive.position == (1.0, -2.0, 0.25)
    assert primitive.user_data == 2**64 - 1
    assert file.to_bytes() == DOCUMENT.encode()
    assert check_bytes(DOCUMENT.encode(), "a.pacs_prim").status == "ok"


def test_a_changed_document() -> None:
    file = read_bytes(DOCUMENT.encode())
    file.content.primitives[0].height = 2.5
    changed = DOCUMENT.replace("<HEIGHT>3.000000", "<HEIGHT>2.500000")
    assert file.to_bytes() == changed.encode()
    file.content.primitives[0].height = 3.0
    assert file.to_bytes() == DOCUMENT.encode()
    file.content.primitives.clear()
    assert b'<VECTOR size="0"/>' in file.to_bytes()
    assert read_bytes(file.to_bytes()).content.primitives == []


def test_other_spellings_are_kept() -> None:
    """A root around it, other line ends and indents, numbers with other decimals."""
    data = DOCUMENT.replace("<PRIMITIVE_BLOCK>", "<NEL><PRIMITIVE_BLOCK>")
    data = data.replace("</PRIMITIVE_BLOCK>", "</PRIMITIVE_BLOCK></NEL>").replace("\n", "\r\n")
    data = data.replace("<HEIGHT>3.000000", "<HEIGHT> 3 ").replace("  ", "\t")
    file = read_bytes(data.encode())
    assert file.content.primitives[0].height == 3.0
    assert file.to_bytes() == data.encode()


def test_old_primitives_have_no_user_data() -> None:
    lines = [line for line in DOCUMENT.splitlines(keepends=True) if "USER_DATA" not in line]
    data = "".join(lines).replace("<VERSION>1<", "<VERSION>0<")
    file = read_bytes(data.encode())
    assert file.content.primitives[0].version == 0
    assert file.to_bytes() == data.encode()
    with pytest.raises(DecodeError, match="an element is missing"):
        read_bytes("".join(lines).encode())


def test_new_primitives() -> None:
    block = CPrimitiveBlock(primitives=[CPrimitiveDesc(length=(0.5, 0), type=1)])
    read = CPrimitiveBlock.from_bytes(block.to_bytes())
    assert read.primitives[0].length == (0.5, 0.0)
    assert read.primitives[0].collision_mask == 0xFFFFFFFF
    with pytest.raises(EditError):
        CPrimitiveBlock(primitives=[CPrimitiveDesc(height=1e39)]).to_bytes()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("</PRIMITIVES>", "", "not well-formed"),
        ("<HEIGHT>3.000000</HEIGHT>", "", "missing"),
        ("3.000000", "three", "not a number"),
        ("3.000000", "1e39", "does not fit"),
        ("3.000000", "3 4", "wrong number of values"),
        ("1.500000 2.000000", "1.5", "wrong number of values"),
        ("<TYPE>1", "<TYPE>" + "9" * 5000, "number"),
        ("<TYPE>1", "<TYPE>99999999999", "does not fit"),
        ("1262637648", "1", "wrong magic"),
        ("<VERSION>1", "<VERSION>2", "newer"),
        ('size="1"', 'size="1000000000"', "wrong size of a list"),
        ("<PRIMITIVES>", "<PRIMITIVES><A>" + "<B>" * 50, "deeply|well-formed"),
        (
            '<?xml version="1.0"?>',
            '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>',
            "type decl",
        ),
        ("?>", ' encoding="nope"?>', "nope|encoding"),
    ],
)
def test_damage(old: str, new: str, words: str) -> None:
    assert old in DOCUMENT
    with pytest.raises(MaxSidecarError, match=words) as caught:
        read_bytes(DOCUMENT.replace(old, new, 1).encode(), "a.pacs_prim")
    assert caught.value.where.file == "a.pacs_prim"


def test_depth_is_bounded() -> None:
    data = '<?xml version="1.0"?>' + "<PRIMITIVE_BLOCK>" * 100_000
    with pytest.raises(LimitError):
        read_bytes(data.encode())


def test_places_are_told() -> None:
    with pytest.raises(DecodeError) as caught:
        read_bytes(DOCUMENT.replace("3.000000", "three").encode())
    assert caught.value.where.path == "CPrimitiveBlock.primitives[0].height"
    assert caught.value.where.offset == DOCUMENT.index("<HEIGHT>")


def test_other_xml_is_no_file_of_the_game() -> None:
    result = check_bytes(b'<?xml version="1.0"?><html/>', "a.xml")
    assert result.status == "not-nel"
