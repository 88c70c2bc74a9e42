"""Reading pictures from bytes that come from anywhere."""

from __future__ import annotations

import random
from io import BytesIO

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from recto.tui.pictures.decoding import MOST_PIXELS, Picture, Unreadable, read_picture
from support.pictures import BLUE, GREEN, RED, WHITE, file_of, file_that_claims, quarters


def corners(picture: Picture) -> list[tuple[int, ...]]:
    """Return the colours in the four quarters of a picture, left above first."""
    width, height = picture.small.size
    places = [(width // 4, height // 4), (width * 3 // 4, height // 4)]
    places += [(x, height * 3 // 4) for x, _y in places]
    found = [picture.small.getpixel(place) for place in places]
    return [tuple(round(part / 255) * 255 for part in one[:3]) for one in found if isinstance(one, tuple)]


@pytest.mark.parametrize(("kind", "options"), [("PNG", {}), ("JPEG", {"quality": 95}), ("GIF", {}), ("BMP", {})])
@pytest.mark.parametrize("size", [(80, 80), (600, 400), (30, 900)])
def test_each_kind_is_read(kind: str, options: dict[str, int], size: tuple[int, int]) -> None:
    picture = read_picture(file_of(quarters(*size), kind, **options))
    assert (picture.width, picture.height) == size
    assert corners(picture) == [RED, GREEN, BLUE, WHITE]
    assert picture.png == b""


def test_webp_is_read() -> None:
    picture = read_picture(file_of(quarters(), "WEBP", lossless=True))
    assert corners(picture) == [RED, GREEN, BLUE, WHITE]


@pytest.mark.parametrize(
    ("mode", "kind"), [("1", "PNG"), ("L", "PNG"), ("LA", "PNG"), ("P", "PNG"), ("RGBA", "PNG"), ("CMYK", "JPEG")]
)
def test_each_way_to_keep_colours_is_read(mode: str, kind: str) -> None:
    picture = read_picture(file_of(quarters().convert(mode), kind))
    lightness = [sum(colour) > 255 for colour in corners(picture)]
    assert lightness[3] and not lightness[2]


def test_grey_in_many_steps_keeps_its_lightness() -> None:
    picture = read_picture(file_of(Image.new("I;16", (40, 40), 0x8000)))
    assert picture.small.getpixel((5, 5)) == (128, 128, 128, 255)


@pytest.mark.parametrize(
    ("orientation", "expected"),
    [
        (1, [RED, GREEN, BLUE, WHITE]),
        (2, [GREEN, RED, WHITE, BLUE]),
        (3, [WHITE, BLUE, GREEN, RED]),
        (6, [BLUE, RED, WHITE, GREEN]),
        (8, [GREEN, WHITE, RED, BLUE]),
        (99, [RED, GREEN, BLUE, WHITE]),
    ],
)
def test_a_picture_is_turned_as_its_camera_was_held(orientation: int, expected: list[tuple[int, ...]]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = read_picture(file_of(quarters(3000, 1600), "JPEG", exif=exif))
    assert corners(picture) == expected
    turned = orientation in (6, 8)
    assert (picture.width, picture.height) == ((1600, 3000) if turned else (3000, 1600))


def test_of_a_picture_that_moves_the_first_frame_is_read() -> None:
    frames = [quarters(), Image.new("RGB", (80, 80)), Image.new("RGB", (80, 80), WHITE)]
    for kind in ("GIF", "WEBP", "PNG"):
        content = file_of(frames[0], kind, save_all=True, append_images=frames[1:], duration=10, lossless=True)
        assert corners(read_picture(content)) == [RED, GREEN, BLUE, WHITE], kind


def test_what_is_transparent_stays_so() -> None:
    image = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    image.paste((0, 0, 255, 255), (20, 0, 40, 40))
    picture = read_picture(file_of(image), sharp=True)
    assert [picture.small.getpixel((x, 20)) for x in (3, 36)] == [(255, 0, 0, 0), (0, 0, 255, 255)]
    coloured = Image.new("P", (40, 40))
    coloured.putpalette([9, 9, 9, 255, 0, 0])
    assert read_picture(file_of(coloured, transparency=0)).small.getpixel((3, 3)) == (9, 9, 9, 0)


def test_little_is_kept_of_a_large_picture() -> None:
    picture = read_picture(file_of(Image.new("RGB", (4000, 3000)), "JPEG"), sharp=True)
    assert (picture.width, picture.height) == (4000, 3000)
    assert picture.small.size == (192, 144)
    assert picture.size < 400_000


def test_what_goes_to_the_terminal_is_made_of_the_pixels_alone() -> None:
    info = PngInfo()
    info.add_text("Comment", "words of somebody")
    exif = Image.Exif()
    exif[0x010E] = "words of somebody"
    picture = read_picture(file_of(quarters(), pnginfo=info, exif=exif, icc_profile=b"words of somebody"), sharp=True)
    assert picture.png.startswith(b"\x89PNG")
    assert b"words" not in picture.png
    with Image.open(BytesIO(picture.png)) as image:
        assert image.size == (80, 80)
        assert set(image.info) <= {"transparency"}


@pytest.mark.parametrize("size", [(60_000, 60_000), (2**31 - 1, 2**31 - 1), (MOST_PIXELS + 1, 1)])
def test_a_picture_with_too_many_pixels_is_refused_before_they_are_read(size: tuple[int, int]) -> None:
    with pytest.raises(Unreadable, match=rf"{size[0]:,} x {size[1]:,} pixels, which is too many"):
        read_picture(file_that_claims(*size))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_a_file_that_is_cut_short_is_reported(kind: str) -> None:
    whole = file_of(Image.effect_noise((200, 200), 60).convert("RGB"), kind)
    for part in (30, len(whole) // 3, len(whole) * 9 // 10):
        with pytest.raises(Unreadable):
            read_picture(whole[:part])


def test_broken_files_never_fail_in_another_way() -> None:
    chance = random.Random(4)
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP"):
        whole = file_of(quarters(40, 30), kind)
        for _ in range(120):
            broken = bytearray(whole)
            for _ in range(chance.randint(1, 6)):
                broken[chance.randrange(len(broken))] = chance.randrange(256)
            try:
                read_picture(bytes(broken), sharp=True)
            except Unreadable as error:
                assert str(error).isprintable()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "It is not a picture of a kind that can be shown here"),
        (b"%PDF-1.7 and so on", "It is not a picture of a kind that can be shown here"),
        (b"\n<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "It is an SVG drawing"),
        (b"<!DOCTYPE html><p>Sign in", "It is a web page"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n", "It is not a picture of a kind that can be shown here"),
    ],
)
def test_a_file_that_is_no_picture_is_reported(content: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_picture(content)
