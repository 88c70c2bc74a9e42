from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from recto.server.content.picture_dimensions import measures
from recto.server.exchange.folder import DiskFile

_ORIENTATION = 0x0112


def picture(form: str, *, turned: int = 1) -> bytes:
    image = Image.new("RGB", (30, 20), "teal")
    image.getexif()[_ORIENTATION] = turned
    file = BytesIO()
    image.save(file, form, exif=image.getexif())
    return file.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_picture_tells_its_measures_as_bytes_and_as_a_file(form: str, tmp_path: Path) -> None:
    content, kind = picture(form), f"image/{form.lower()}"
    file = tmp_path / "picture"
    file.write_bytes(content)
    assert measures(kind, content) == measures(kind, DiskFile(str(file))) == {"width": 30, "height": 20}


def test_a_photograph_is_measured_as_it_was_held() -> None:
    assert measures("image/jpeg", picture("JPEG", turned=6)) == {"width": 20, "height": 30}


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_the_pixels_are_not_needed(form: str) -> None:
    assert measures(f"image/{form.lower()}", picture(form)[:-20]) == {"width": 30, "height": 20}


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"<svg/>", bytes(range(256))])
@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/svg+xml"])
def test_what_is_no_picture_has_none(kind: str, content: bytes) -> None:
    assert measures(kind, content) is None


def test_a_picture_that_is_called_something_else_has_none() -> None:
    assert measures("image/jpeg", picture("PNG")) is None
