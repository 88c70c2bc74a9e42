"""How many pixels a picture has, read from the first bytes of its file."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, TypedDict

from PIL import Image, UnidentifiedImageError

if TYPE_CHECKING:
    from recto.server.exchange.folder import FileSource

_READABLE = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP", "image/bmp": "BMP"}
_ORIENTATION = 0x0112
"""The tag in which a camera writes how it was held."""
_LYING = frozenset({5, 6, 7, 8})


class Measures(TypedDict):
    """What a file tells of a picture's size, in pixels."""

    width: int
    height: int


def measures(content_type: str, source: bytes | FileSource) -> Measures | None:
    """Return the size of the picture in a file or in its bytes; ``None`` where it is none, or broken."""
    form = _READABLE.get(content_type)
    if form is None:
        return None
    # Only the measures are read here, never the pixels, of which Pillow would warn where there are many.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with (
            BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file,
            Image.open(file, formats=[form]) as image,
        ):
            width, height = image.size
            if form == "JPEG" and image.getexif().get(_ORIENTATION, 1) in _LYING:
                width, height = height, width
            return {"width": width, "height": height}
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError):
        return None
