"""Word documents (``.docx``), converted by mammoth: styles and pictures, without macros and links to files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import mammoth

from recto.document.conversion.html import ConversionError, ConvertedPage, convert_html
from recto.server.exchange.archive import DAMAGED
from recto.server.exchange.folder import FolderError, LeftOut, Reason
from recto.server.exchange.sources.pages import FolderDraft

MOST_EXPANDED = 200 * 1000 * 1000
"""The most that a document unpacks to, in bytes."""

MOST_XML = 16 * 1000 * 1000
"""The largest part of a document that is read as XML, which takes many times as much memory."""

_MOST_PARTS = 5_000
_MOST_PICTURE = 20 * 1000 * 1000
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Quotations'] => blockquote > p:fresh
p[style-name='Block Text'] => blockquote > p:fresh
p[style-name='Definition Term'] => p.recto-term:fresh
p[style-name='Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Preformatted Text'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
r[style-name='HTML Code'] => code
r[style-name='Source Text'] => code
r[style-name='Source_Text'] => code
r[style-name='Verbatim Char'] => code
"""
"""The styles that Word, LibreOffice and pandoc have for code, quotations and terms."""

_FORMULA = "officeDocument/2006/math}oMath"


def take_word(draft: FolderDraft, path: Path, name: str) -> None:
    """Write a Word document as one page."""
    content = _read_document(path)

    def keep(image: Any) -> dict[str, str]:
        with image.open() as opened:
            picture = opened.read(_MOST_PICTURE + 1)
        if len(picture) > _MOST_PICTURE or not str(image.content_type).startswith("image/"):
            return {"src": ""}
        return {"src": draft.keep_picture(picture, str(image.content_type))}

    try:
        converted = mammoth.convert_to_html(
            io.BytesIO(content), style_map=_STYLES, convert_image=mammoth.images.img_element(keep)
        )
        page = convert_html(converted.value, address=lambda kind, target: target, keep_picture=draft.keep_picture)
    except ConversionError as error:
        raise FolderError(f"{name} could not be converted: {error}. Split it into several documents.") from error
    except RecursionError as error:
        raise FolderError(f"{name} could not be converted: it is nested too deep.") from error
    except Exception as error:  # the library raises whatever a damaged document leads it to
        raise FolderError(f"{name} is not a Word document (.docx) that can be read, or is damaged.") from error
    if any(_FORMULA in each.message for each in converted.messages):
        draft.left_out.append(LeftOut(name, Reason.FORMULA))
    draft.write("README.md", ConvertedPage(page.title or name.removesuffix(".docx"), page.text))


def _read_document(path: Path) -> bytes:
    """Return the bytes of a document; refuse a document that is too large, or contains XML declarations."""
    damaged = FolderError(f"{path.name} is not a Word document (.docx) that can be read, or is damaged.")
    if path.stat().st_size > MOST_EXPANDED:
        raise _too_large(path)
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_PARTS or sum(info.file_size for info in infos) > MOST_EXPANDED:
                raise _too_large(path)
            for info in infos:
                if not info.filename.lower().endswith((".xml", ".rels")):
                    continue
                if info.file_size > MOST_XML:
                    raise _too_large(path)
                with archive.open(info) as part:
                    text = part.read(MOST_XML + 1)
                # Word writes neither; entities could grow without end, or name files of this machine.
                if b"\0" in text[:100] or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
                    raise damaged
    except DAMAGED as error:
        raise damaged from error
    return content


def _too_large(path: Path) -> FolderError:
    return FolderError(f"{path.name} unpacks to too much. Split it into several documents.")
