"""Made-up pictures, as the bytes of their files."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

from PIL import Image

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def file_of(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return a picture as a file of a kind."""
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def quarters(width: int = 80, height: int = 80) -> Image.Image:
    """Return a picture that is red and green above, blue and white below."""
    image = Image.new("RGB", (width, height))
    half, middle = width // 2, height // 2
    for colour, box in (
        (RED, (0, 0, half, middle)),
        (GREEN, (half, 0, width, middle)),
        (BLUE, (0, middle, half, height)),
        (WHITE, (half, middle, width, height)),
    ):
        image.paste(colour, box)
    return image


def file_that_claims(width: int, height: int) -> bytes:
    """Return a small file that claims to be a picture of so many pixels."""
    file = bytearray(file_of(Image.new("1", (8, 8))))
    at = file.index(b"IHDR")
    file[at + 4 : at + 12] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    file[at + 17 : at + 21] = zlib.crc32(file[at : at + 17]).to_bytes(4, "big")
    return bytes(file)
