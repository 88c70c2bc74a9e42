"""Links: what pages point at, and what points at pages and files."""

from typing import Annotated, Literal

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.collections import Collection
from recto.contract.common import Limit, ListPage, User
from recto.contract.content import File, Page, ReusableContent, Revision
from recto.contract.model import Model
from recto.contract.operation import OnlyAt, Resource, get
from recto.contract.organizations import Organization
from recto.contract.spaces import Space
from recto.contract.specifications import Specification

LinkStatus = Literal["ok", "broken", "in-app"]
"""``ok`` where nothing is wrong, ``broken`` where the target is not there, ``in-app`` for addresses of the platform."""

LinkRelation = Literal["reference", "dependsOn"]
"""Whether a page points at something, or needs it to be shown, as it does what it includes."""


BrokenContext = Literal["change-request", "space"]
"""By what a link is broken: by the change request, or in the space already."""


class VersionContext(Model):
    """The address of a thing in a space; for ``revision`` with the id of the revision."""

    type: Literal["revision"] | str = "revision"
    revision: str | Revision | None = None


class ReferencedContent(Model):
    """A thing that points at another or is pointed at.

    ``kind`` names the field that holds it, as in a content reference. ``page`` also holds the page that an ``anchor``
    is in; ``spec`` is the id or slug of a specification that is not given itself. A thing that is not there is named
    by as much as is known.
    """

    kind: str = ""
    organization: Organization | None = None
    space: Space | None = None
    version_context: VersionContext | None = None
    page: Page | None = None
    anchor: str | None = None
    file: File | None = None
    reusable_content: ReusableContent | None = None
    collection: Collection | None = None
    user: User | None = None
    spec: str | None = None
    open_api_spec: Specification | None = None
    url: str | None = None


class LinkLocation(ReferencedContent):
    """A place in which a link is written: what it stands in, the ``target`` as written and the ``text`` that is shown.

    ``line`` is that of the page's Markdown, counted from 1; what stands beside the text, such as a cover, has none.
    """

    target: str = ""
    text: str = ""
    line: int | None = None


class ContentLink(Model):
    """A link from a page or reusable content to a target, with all the places where it is written."""

    status: LinkStatus | str = "ok"
    relation: LinkRelation | str = "reference"
    target_reference: ReferencedContent = ReferencedContent.model_construct()
    location_references: tuple[LinkLocation, ...] = ()


class BrokenLinks(Model):
    """How many links are broken, and how many of these were not before the change request."""

    total: int = 0
    change_request: int = 0


class LinkStats(Model):
    """How many links there are, whichever of them were asked for."""

    total: int = 0
    broken: BrokenLinks = BrokenLinks.model_construct()


class LinkList(ListPage[ContentLink]):
    """A page of a list of links, with figures for all of them."""

    stats: LinkStats = LinkStats.model_construct()


class Links(Resource):
    """The links of the content of a space or of a change request."""

    @get("{at}/links")
    async def list_links(
        self,
        at: Main | InChangeRequest,
        page: str | None = None,
        limit: Limit = None,
        status: LinkStatus | None = None,
        broken_context: Annotated[BrokenContext | None, OnlyAt(InChangeRequest)] = None,
    ) -> LinkList:
        """The links of all pages of {at}; the stats of a change request say how many of them it breaks."""
        ...

    @get("{content}/page/{page_id}/links")
    async def list_page_links(
        self,
        at: Main | InChangeRequest,
        page_id: str,
        page: str | None = None,
        limit: Limit = None,
        status: Annotated[LinkStatus | None, OnlyAt(Main)] = None,
    ) -> LinkList:
        """The links of a page of {at}."""
        ...

    @get("{content}/page/{page_id}/backlinks")
    async def list_page_backlinks(
        self, at: Main | InChangeRequest, page_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[ReferencedContent]":
        """What points at a page of {at}."""
        ...

    @get("{content}/files/{file_id}/backlinks")
    async def list_file_backlinks(
        self, at: Main | InChangeRequest, file_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[ReferencedContent]":
        """What points at a file of {at}."""
        ...
