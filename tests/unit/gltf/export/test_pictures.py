"""Reading pictures, and what is drawn of them; expected pixels are written down here."""

from __future__ import annotations

import os
import random
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from maxsidecar.errors import DecodeError, LimitError, MaxSidecarError
from maxsidecar.gltf.export import drawing, pictures
from maxsidecar.gltf.export.pictures import (
    JPEG,
    PNG,
    encode_png,
    read_picture,
    resized,
    without_profile,
)
from maxsidecar.gltf.export.placing import Placing
from maxsidecar.gltf.export.sources import Source
from maxsidecar.scene.materials.bitmap import Crop

Pixels = npt.NDArray[np.uint8]

#: 2 × 2: red, green; blue, white; alpha 255, 128, 0, 255.
FOUR: Pixels = np.array(
    [[[255, 0, 0, 255], [0, 255, 0, 128]], [[0, 0, 255, 0], [255, 255, 255, 255]]], np.uint8
)


def saved(folder: Path, name: str, pixels: Pixels, mode: str = "RGBA", **options: Any) -> Path:
    path = folder / name
    Image.fromarray(pixels, "RGBA").convert(mode).save(path, **options)
    return path


def source_of(path: Path, **values: Any) -> Source:
    nothing: Any = None
    found = Source(nothing, str(path), Placing(), **values)
    found.picture = read_picture(path)
    return found


@pytest.mark.parametrize(
    ("name", "mode", "mime", "alpha"),
    [
        ("a.png", "RGBA", PNG, True),
        ("a.png", "RGB", PNG, False),
        ("a.png", "L", PNG, False),
        ("a.jpg", "RGB", JPEG, False),
        ("a.jpg", "L", JPEG, False),
        ("a.jpg", "CMYK", "", False),
        ("a.tga", "RGBA", "", True),
        ("a.bmp", "RGB", "", False),
        ("a.tif", "RGBA", "", True),
        ("a.gif", "P", "", False),
        ("a.dds", "RGBA", "", True),
    ],
)
def test_formats(tmp_path: Path, name: str, mode: str, mime: str, alpha: bool) -> None:
    found = read_picture(saved(tmp_path, name, FOUR, mode))
    assert (found.width, found.height) == (2, 2)
    assert (found.mime_type, found.has_alpha) == (mime, alpha)
    assert found.pixels().shape == (2, 2, 4)


def test_pixels(tmp_path: Path) -> None:
    for name in ("a.png", "a.tga", "a.dds", "a.tif"):
        assert np.array_equal(read_picture(saved(tmp_path, name, FOUR)).pixels(), FOUR)


def test_16_bits_keep_their_most_significant_ones(tmp_path: Path) -> None:
    path = tmp_path / "deep.png"
    Image.fromarray(np.array([[0, 257, 65535]], np.uint16)).save(path)
    assert read_picture(path).pixels()[0, :, 0].tolist() == [0, 1, 255]


def test_what_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"nothing")
    # Reports are compared from run to run: there is no address of an object in it.
    with pytest.raises(DecodeError, match=r"the picture is damaged, or of no known format$"):
        read_picture(path)
    with pytest.raises(DecodeError, match="cannot be read"):
        read_picture(tmp_path / "missing.png")
    with pytest.raises(DecodeError, match="cannot be read"):
        read_picture(tmp_path)


def test_formats_that_start_programs_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 2 2\n%%EndComments\nshowpage\n")
    with Image.open(path) as image:
        assert image.format == "EPS"  # Pillow itself would ask Ghostscript for its pixels
    with pytest.raises(DecodeError, match="no known format"):
        read_picture(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    with pytest.raises(DecodeError, match="no file"):
        read_picture(tmp_path / "a.png")


@pytest.mark.parametrize("ending", ["png", "jpg", "tga", "bmp", "dds", "tif", "gif"])
def test_damaged_pictures(tmp_path: Path, ending: str) -> None:
    colors = np.random.default_rng(1).integers(0, 255, (9, 9, 4), np.uint8)
    path = saved(tmp_path, f"a.{ending}", colors, "RGB" if ending == "jpg" else "RGBA")
    sound = path.read_bytes()
    refused = 0
    for seed in range(60):
        rng = random.Random(seed)
        data = bytearray(sound)
        for _ in range(rng.choice((1, 2, 8))):
            at = rng.randrange(min(len(data), rng.choice((20, 200))))
            data[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        path.write_bytes(data)
        try:
            picture = read_picture(path)
        except MaxSidecarError:
            refused += 1
        else:
            assert picture.pixels().shape == (picture.height, picture.width, 4)
    assert refused > 3


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.tga", "a.bmp", "a.dds"])
def test_pictures_that_are_cut_off(tmp_path: Path, name: str) -> None:
    big = np.random.default_rng(1).integers(0, 255, (64, 64, 4), np.uint8)
    path = saved(tmp_path, name, big, "RGB" if name.endswith("jpg") else "RGBA")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DecodeError):
        read_picture(path)


def bomb(width: int, height: int) -> bytes:
    """A small file that says it is a large picture."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        crc = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(9000, 9000), (60000, 60000), (1 << 30, 1)])
@pytest.mark.parametrize("pillow", [True, False])
def test_decompression_bombs(
    tmp_path: Path, size: tuple[int, int], pillow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not pillow:
        monkeypatch.setattr(pictures, "_pillow", lambda: None)
    path = tmp_path / "a.png"
    path.write_bytes(bomb(*size))
    with pytest.raises(LimitError):
        read_picture(path)


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_MOST_BYTES", 10)
    with pytest.raises(LimitError):
        read_picture(saved(tmp_path, "a.png", FOUR))


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: Mapping[str, Path] = {
        "alpha": saved(tmp_path, "a.png", FOUR),
        "plain": saved(tmp_path, "b.png", FOUR, "RGB"),
        "jpeg": saved(tmp_path, "c.jpg", FOUR, "RGB"),
        "cmyk": saved(tmp_path, "d.jpg", FOUR, "CMYK"),
        "tga": saved(tmp_path, "e.tga", FOUR),
    }
    monkeypatch.setattr(pictures, "_pillow", lambda: None)
    found = read_picture(files["alpha"])
    assert (found.mime_type, found.width, found.height, found.has_alpha) == (PNG, 2, 2, True)
    assert not read_picture(files["plain"]).has_alpha
    found = read_picture(files["jpeg"])
    assert (found.mime_type, found.width, found.height) == (JPEG, 2, 2)
    for name in ("cmyk", "tga"):
        with pytest.raises(DecodeError, match="Pillow is missing"):
            read_picture(files[name])
    for act in (found.pixels, lambda: encode_png(FOUR), lambda: resized(FOUR, 3, 3)):
        with pytest.raises(DecodeError, match="Pillow is missing"):
            act()


def test_png_without_needless_alpha(tmp_path: Path) -> None:
    opaque = FOUR.copy()
    opaque[..., 3] = 255
    path = tmp_path / "a.png"
    path.write_bytes(encode_png(opaque))
    assert path.read_bytes()[25] == 2  # colours without alpha
    path.write_bytes(encode_png(FOUR))
    assert np.array_equal(read_picture(path).pixels(), FOUR)


def test_png_without_colour_profiles(tmp_path: Path) -> None:
    plain = saved(tmp_path, "a.png", FOUR).read_bytes()
    assert without_profile(plain) is plain
    bare = saved(tmp_path, "b.png", FOUR, dpi=(72, 144), icc_profile=b"profile")
    assert without_profile(bare.read_bytes()) == plain
    with_text = saved(tmp_path, "c.png", FOUR, dpi=(72, 72)).read_bytes()
    assert len(with_text) - len(without_profile(with_text)) == 12 + 9
    cut = with_text[:50]
    assert without_profile(cut) is cut
    assert without_profile(b"") == b""


def test_cropping(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.png", FOUR)
    lower_right = source_of(path, crop=Crop(0.5, 0.5, 0.5, 0.5, False))
    assert drawing.cropped(lower_right).tolist() == [[FOUR[1, 1].tolist()]]
    placed = drawing.cropped(source_of(path, crop=Crop(0.0, 0.5, 1.0, 0.5, True)))
    assert placed[0].tolist() == [[0, 0, 0, 0], [0, 0, 0, 0]]
    nonsense = source_of(path, crop=Crop(float("nan"), 7.0, -1.0, 0.0, False))
    assert drawing.cropped(nonsense).size > 0


def test_kinds_of_alpha() -> None:
    def kind(*values: int) -> str:
        return drawing.alpha_kind(np.array([values], np.uint8))

    assert kind(255, 255) == "none"
    assert kind(0, 255) == "binary"
    assert kind(3, 250) == "binary"
    assert kind(0, 128) == "gradual"


def test_values_where_one_number_is_wanted(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.png", FOUR)
    assert drawing.values_of(source_of(path)).tolist() == [[85, 85], [85, 255]]
    assert drawing.values_of(source_of(path, alpha_is_value=True)).tolist() == [
        [255, 128],
        [0, 255],
    ]
    doubled = source_of(path, factor=(2.0, 2.0, 2.0))
    assert drawing.values_of(doubled).tolist() == [[170, 170], [170, 255]]


def test_alpha_from_where_the_map_says(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.png", FOUR)
    by_colors = drawing.with_alpha(source_of(path, alpha_source="rgb"))
    assert by_colors[..., 3].tolist() == [[85, 85], [85, 255]]
    assert (drawing.with_alpha(source_of(path, alpha_source="none"))[..., 3] == 255).all()


def test_opacity_in_the_alpha(tmp_path: Path) -> None:
    colors = source_of(saved(tmp_path, "a.png", FOUR))
    grey = np.full((1, 1, 4), 51, np.uint8)
    grey[..., 3] = 255
    opacity = source_of(saved(tmp_path, "b.png", grey))
    both = drawing.with_opacity(colors, opacity, False)
    assert np.array_equal(both[..., :3], FOUR[..., :3])
    assert (both[..., 3] == 51).all()
    alone = drawing.with_opacity(None, opacity, True)
    assert alone.tolist() == [[[255, 255, 255, 204]]]


def test_values_packed_into_channels(tmp_path: Path) -> None:
    def flat(name: str, level: int, size: int) -> Source:
        pixels = np.full((size, size, 4), level, np.uint8)
        pixels[..., 3] = 255
        return source_of(saved(tmp_path, name, pixels))

    found = drawing.packed(
        {1: (flat("r.png", 200, 2), lambda values: 255 - values), 2: (flat("m.png", 30, 4), None)}
    )
    assert found.shape == (4, 4, 4)
    assert (found == [255, 55, 30, 255]).all()


def test_normals(tmp_path: Path) -> None:
    pixels = np.full((2, 2, 4), (100, 140, 250, 7), np.uint8)
    path = saved(tmp_path, "n.png", pixels)
    source = source_of(path)
    assert drawing.looks_like_normals(source)
    assert drawing.turned_normals(source, False, True, False)[0, 0].tolist() == [100, 115, 250, 255]
    assert drawing.turned_normals(source, True, False, True)[0, 0].tolist() == [115, 100, 250, 255]
    assert not drawing.looks_like_normals(source_of(saved(tmp_path, "a.png", FOUR)))
