"""Reading a picture from the bytes of its file, which come from anywhere. To be called in a thread."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from recto.frozen import frozen

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 24_000_000
"""The largest file that is read."""

MOST_PIXELS = 32_000_000
"""The largest picture that is read: what it takes in memory for a moment is four bytes for each."""

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_SMALL = (192, 384)
"""The most pixels kept for drawing with blocks: twice as many as a page is wide, so that it stays sharp."""
_SHARP = (1280, 1280)
"""The most pixels kept for terminals that draw pictures themselves."""
_ORIENTATION = 0x0112
"""The tag in which a camera writes how it was held."""


class Unreadable(Exception):
    """A picture cannot be read; the text says why as a sentence."""


@frozen
class Picture:
    """A picture as it is kept: how many pixels it has, and fewer of them with their colours and transparency.

    ``png`` is the file that a terminal is given which draws pictures itself, empty where it does not.
    """

    width: int
    height: int
    small: Image
    png: bytes

    @property
    def size(self) -> int:
        """How many bytes of memory it takes."""
        return self.small.width * self.small.height * 4 + len(self.png)


def read_picture(content: bytes, *, sharp: bool = False) -> Picture:
    """Read a picture (the first frame of an animation); ``sharp`` keeps it for a terminal that draws it itself.

    Raises :class:`Unreadable`.
    """
    from PIL import Image, UnidentifiedImageError

    # Large pictures are refused by their measures below, before any pixel is read; Pillow would warn on the terminal.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(BytesIO(content), formats=_FORMATS) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise Unreadable(f"It has {width:,} x {height:,} pixels, which is too many to show here.")
            kept = _upright(image)
            if (kept.width < kept.height) != (width < height):
                width, height = height, width
            return Picture(width, height, _at_most(kept, _SMALL).convert("RGBA"), _png(kept) if sharp else b"")
    except UnidentifiedImageError:
        raise Unreadable(_describe_content(content)) from None
    except Unreadable:
        raise
    except Exception as error:
        # Its readers fail in many ways on broken data, and the data is untrusted.
        raise Unreadable("The file is broken or cut short.") from error


def _upright(image: Image) -> Image:
    """Return a picture in colours, with at most as many pixels as are kept, and turned as its camera was held."""
    from PIL import ImageOps

    # A photograph is read at a part of its size at once, with a quarter of the memory or less.
    image.draft("RGB", _SHARP)
    image.load()
    exif = image.getexif()
    if image.mode.startswith("I"):
        image = image.point(lambda value: value / 256, "L")  # grey in 65,536 steps
    if image.mode not in ("RGB", "RGBA", "LA", "L") or "transparency" in image.info:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.thumbnail(_SHARP, reducing_gap=2.0)
    kept = image.convert("RGBA" if image.has_transparency_data else "RGB")
    kept.getexif().update({_ORIENTATION: exif.get(_ORIENTATION, 1)})
    return ImageOps.exif_transpose(kept)


def _at_most(image: Image, box: tuple[int, int]) -> Image:
    smaller = image.copy()
    smaller.thumbnail(box, reducing_gap=2.0)
    return smaller


def _png(image: Image) -> bytes:
    file = BytesIO()
    # Only the pixels: nothing else of what the file held is handed on to the terminal.
    plain = image.copy()
    plain.info.clear()
    plain.save(file, "PNG", exif=b"")
    return file.getvalue()


def _describe_content(content: bytes) -> str:
    begins = content[:1024].lstrip().lower()
    if b"<svg" in begins:
        return "It is an SVG drawing, which a terminal cannot show."
    if begins.startswith((b"<!doctype html", b"<html")):
        return "It is a web page, not a picture."
    return "It is not a picture of a kind that can be shown here (PNG, JPEG, GIF, WebP, BMP)."
