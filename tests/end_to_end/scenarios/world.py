"""The workspace in which each scenario begins, and short ways to get further in it."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from recto.client.call import Call
from recto.client.errors import NotFound
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests, CreateChangeRequest, UpdateChangeRequest
from recto.contract.changes import Change, ContentChanges, InsertFiles, NewFile, PageText, UpdatePage, WriteContent
from recto.contract.comments import CommentBodyInput, Comments
from recto.contract.content import Content
from recto.contract.structure import SectionGroups, Sections, SiteSection, SiteSectionGroup, Structure
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.content.objects import save_blob
from recto.server.context import Context
from recto.server.people import directory
from recto.server.platform import Owner, Platform
from recto.server.sites import sections, sites
from recto.server.sites.site_spaces import add_site_space
from recto.server.spaces.spaces import add_space

TOKEN = "open-sesame"
"""The owner's token in each copy of the workspace."""

LOGO = b"\x89PNG logo"
PAGES = (
    ImportedPage("start", "Start", "start", text="Welcome to the manual.\n\nRead on.\n"),
    ImportedPage(
        "setup",
        "Set-up",
        "setup",
        text="Unpack it.\n",
        children=(ImportedPage("cables", "Cables", "cables", text="There are three.\n"),),
    ),
)


@dataclass(frozen=True, slots=True)
class Places:
    """The ids of what is in the workspace at the beginning.

    The manual is a space at the top of Ada's organization; the handbook is in the collection ``shelf``, in which the
    collection ``box`` lies. On the site the manual and, as a second variant, the blog are in the section ``guide``,
    the handbook is in the section ``reference``, and an empty group stands behind them. The organization ``other`` is
    Ada's, too, and empty.
    """

    ada: str
    grace: str
    organization: str
    shelf: str
    box: str
    manual: str
    handbook: str
    blog: str
    site: str
    guide: str
    reference: str
    group: str
    logo: str
    other: str


def fill(path: Path) -> Places:
    """Make the workspace in a file and return what is where in it."""
    platform = Platform.open(path, owner=Owner("Ada Lovelace", "ada@example.org"))
    try:
        return platform.database.write_now(lambda connection: _fill(platform.context(connection)))
    finally:
        platform.close()


def _fill(context: Context) -> Places:
    organization = context.database.value("SELECT id FROM organizations")
    grace = directory.create_user(context, "Grace Hopper", "grace@example.org")
    directory.add_member(context, organization, grace, "review")
    shelf = directory.create_collection(context, organization, "Shelf")
    box = directory.create_collection(context, organization, "Box", shelf)
    manual = add_space(context, organization, "Manual")
    handbook = add_space(context, organization, "Handbook", parent=shelf)
    blog = add_space(context, organization, "Blog")
    logo = {"id": context.ids.fresh(), "name": "logo.png", "contentType": "image/png", "size": len(LOGO)}
    import_tree(context, manual, ImportedTree(PAGES, files=[{**logo, "blob": save_blob(context.database, LOGO)}]))
    site = sites.add_site(context, organization, "Docs")
    guide = sections.create_section(context, site, "Guide")
    reference = sections.create_section(context, site, "Reference")
    for space, section in ((manual, guide), (blog, guide), (handbook, reference)):
        add_site_space(context, site, space, section=section)
    group = sections.create_group(context, site, "More")
    other = directory.create_organization(context, "Other")
    directory.add_member(context, other, context.caller, "admin")
    return Places(
        context.caller, grace, organization, shelf, box, manual, handbook, blog, site, guide, reference, group,
        str(logo["id"]), other,
    )  # fmt: skip


class World:
    """One copy of the workspace, and Ada who speaks to it."""

    def __init__(self, call: Call, places: Places) -> None:
        self.call = call
        self.places = places
        self.manual = places.manual
        self.site = (places.organization, places.site)
        """The first arguments of every operation on the site."""

    async def propose(self, *changes: Change, subject: str = "A change") -> ChangeRequest:
        """Make an open change request on the manual in which these changes are written."""
        made = await self.call(ChangeRequests.create_change_request, self.manual, CreateChangeRequest(subject=subject))
        if changes:
            await self.write(made.id, *changes)
        return await self.call(
            ChangeRequests.update_change_request, self.manual, made.id, UpdateChangeRequest(status="open")
        )

    async def write(self, change_request: str, *changes: Change) -> Any:
        """Write to a change request on the manual; the answer says what each change did."""
        body = WriteContent(changes=changes)
        return await self.call(
            ContentChanges.write_content, InChangeRequest(self.manual, change_request), body, compat=False
        )

    async def text(self, page: str) -> str | None:
        """Return the Markdown of a page in the manual's main content."""
        return (await self.call(Content.get_page, Main(self.manual), page, "markdown")).markdown

    async def sections(self) -> dict[str, SiteSection]:
        """Return the site's sections by their ids, in their order."""
        return {each.id: each for each in (await self.call(Sections.list_sections, *self.site)).items}

    async def groups(self) -> dict[str, SiteSectionGroup]:
        """Return the site's groups by their ids, in their order."""
        return {each.id: each for each in (await self.call(SectionGroups.list_groups, *self.site)).items}

    async def outline(self) -> list[Any]:
        """Return the ids of the site's structure: of a section, or of a group with a list of what is in it."""
        return _outline((await self.call(Structure.get_structure, *self.site)).structure)


def _outline(items: Iterable[Any]) -> list[Any]:
    return [(item.id, _outline(item.children)) if hasattr(item, "children") else item.id for item in items]


class Talk:
    """The operations on comments of a space or of a change request, with its address filled in."""

    def __init__(self, call: Call, at: Main | InChangeRequest) -> None:
        self.at = at
        self._call = call

    def __getattr__(self, operation: str) -> Any:
        return partial(self._call, getattr(Comments, operation), self.at)


def edit(page: str, markdown: str) -> UpdatePage:
    """Return the change that gives a page another text."""
    return UpdatePage(page=page, document=PageText(markdown=markdown))


def attach(name: str, content: bytes) -> InsertFiles:
    """Return the change that puts a text file in."""
    file = NewFile(name=name, content_type="text/plain", base64=base64.b64encode(content).decode())
    return InsertFiles(files=(file,))


def said(markdown: str) -> CommentBodyInput:
    """Return the body of a comment or a reply."""
    return CommentBodyInput(markdown=markdown)


async def is_gone(answer: Any) -> bool:
    """Whether what is asked for is not there."""
    try:
        await answer
    except NotFound:
        return True
    return False
