"""What is read and written of hostile pages: their blocks, keys, rich text, and a word that is changed in that."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.hostile_input import INPUTS
from benchmarks.twice.cases import case
from recto.contract.rich_text import Document
from recto.document.markdown.block_keys import fresh_keys
from recto.document.markdown.page import parse_page
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.rewriting import rewrite
from recto.document.rich_text.rich_pages import document_json, to_document
from recto.server.content.search import cut, index_text
from support.hostile import SIZED

SIZE = 20_000


def read(text: str) -> object:
    """Read a page as far as ``format=document`` does, and as the search index does."""
    page = parse_page(text)
    words = [index_text(text[section.start : section.end]) for section in cut(text)]
    return document_json(page, fresh_keys(page)), words


def write_back(text: str, document: Document) -> Callable[[], object]:
    """Prepare to write a page back to which a paragraph was added before all others."""
    nodes = [{"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [{"text": "New."}]}]}]
    changed = Document.model_validate({"nodes": [*nodes, *document_nodes(document)]})
    return lambda: rewrite(text, changed)


def _declare(name: str, make: Callable[[int], str]) -> None:
    @case(f"page: {name}", SIZE)
    def _reading(size: int) -> Callable[[], object]:
        text = make(size)
        return lambda: read(text)

    @case(f"page written back: {name}", SIZE // 4)
    def _writing(size: int) -> Callable[[], object]:
        text = make(size)
        return write_back(text, to_document(text))


for _name, _make in {**INPUTS, **SIZED}.items():
    _declare(_name, _make)
