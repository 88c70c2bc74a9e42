"""Imports of content into a space or a change request, as mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.content import Content
from recto.contract.imports import ImportContent, ImportedContent, Imports, is_ssh
from recto.contract.spaces import Spaces
from recto.paths import written_path
from recto.store.mutation import Lookup, Mutation
from recto.store.query_keys import about, calls

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.mutation import Known


def import_content(at: Main | InChangeRequest, body: ImportContent) -> Mutation[ImportedContent]:
    """Put the pages that an address leads to after those of a space or a change request."""

    async def before(call: Call) -> Known:
        return tuple(page.id for page in (await call(Content.list_pages, at)).pages)

    async def after(call: Call, known: Known) -> ImportedContent | None:
        # Others may have written pages meanwhile; those of a single write have the same time.
        new = [page for page in (await call(Content.list_pages, at)).pages if page.id not in known]
        return ImportedContent() if new and len({page.created_at for page in new}) == 1 else None

    return Mutation(
        doing="Importing",
        done="Imported the pages",
        call=lambda call: call(Imports.import_content, at, body),
        lookup=Lookup(before, after),
        stale=(about(space_id=at.space), calls(Spaces.list_spaces)),
        lane=("import", at.space),
    )


def address_of(typed: str) -> str:
    """Return an address as the operation takes it: a path of this machine as a ``file:`` address."""
    typed = typed.strip()
    if "://" in typed or is_ssh(typed):
        return typed
    path = written_path(typed)
    return path.as_uri() if path.is_absolute() else f"file:{quote(str(path))}"
