"""Content: the revision of a space, its pages and its files."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from recto.contract.addresses import Address
from recto.contract.change_requests import ChangeRequest
from recto.contract.common import ContentReference, Limit, ListPage, Urls
from recto.contract.model import Instant, Model
from recto.contract.operation import Resource, get
from recto.contract.rich_text import Document

PageFormat = Literal["document", "markdown"]
"""How a page's text comes: as rich text in ``document``, or as text in ``markdown``."""

Evaluated = Literal["true", "false", "deterministic-only"]
"""Whether expressions come evaluated: all, none, or those that do not depend on a visitor."""

Variable = str | bool | int | float
"""The value of a variable of a page or of a space."""


class GitObject(Model):
    """Where in a repository a page, file or reusable content comes from."""

    oid: str | None = None
    path: str | None = None


class RevisionGit(Model):
    """The commit that a revision comes from or went to."""

    oid: str | None = None
    message: str | None = None
    created_by_service: bool = False
    url: str | None = None
    ref: str | None = None


class PageLayout(Model):
    """Which parts of a page are shown, and how wide."""

    width: str | None = None
    cover: bool | None = None
    cover_size: str | None = None
    title: bool | None = None
    description: bool | None = None
    table_of_contents: bool | None = None
    outline: bool | None = None
    pagination: bool | None = None
    metadata: bool | None = None
    cover_mask: str | None = None
    tags: bool | None = None
    actions: bool | None = None
    anchors: bool | None = None


class PageCover(Model):
    """The picture at the top of a page."""

    ref: ContentReference | None = None
    ref_dark: ContentReference | None = None
    y_pos: float | None = None


class Computed(Model):
    """From what a computed page is filled."""

    type: str | None = None
    dependencies: Any = None
    props: Any = None

    @property
    def specification(self) -> str:
        """The id or slug of the OpenAPI specification among the dependencies; empty if there is none."""
        return specification_in(self.dependencies)


def specification_in(dependencies: Any) -> str:
    """Return the id or slug of the OpenAPI specification among dependencies; empty if there is none."""
    found = dependencies
    for step in ("spec", "ref"):
        found = found.get(step) if isinstance(found, Mapping) else None
    named = found.get("spec") if isinstance(found, Mapping) and found.get("kind", "openapi") == "openapi" else None
    return named if isinstance(named, str) else ""


class PageTag(Model):
    """A tag of a page; the primary tag is shown beside it in a table of contents."""

    tag: ContentReference | str | None = None
    primary: bool = False

    @property
    def name(self) -> str:
        """The name of the tag."""
        return self.tag if isinstance(self.tag, str) else getattr(self.tag, "tag", "")


class Page(Model):
    """A page of any type: ``document``, ``group``, ``link``, ``computed`` or an unknown type.

    ``link_title`` is its name in the page tree, where that differs from its title. ``pages`` are the pages under
    it, in order. The text is there only where a single page was asked for. A ``layout``
    may be given by its name.
    """

    id: str
    title: str = ""
    link_title: str | None = None
    emoji: str | None = None
    icon: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    markdown: str | None = None
    document: Document | None = None
    type: Literal["document", "group", "link", "computed"] | str = "document"
    kind: str | None = None
    urls: Urls = Urls.model_construct()
    slug: str = ""
    path: str = ""
    description: str | None = None
    pages: "tuple[Page, ...]" = ()
    tags: tuple[PageTag, ...] = ()
    git: GitObject | None = None
    layout: PageLayout | str | None = None
    cover: PageCover | None = None
    variables: dict[str, Variable] = Field(default_factory=dict)
    hidden: bool = False
    no_index: bool = False
    no_robots_index: bool = False
    condition: str | None = None
    computed: Computed | None = None
    computed_seed: str | None = None
    target: ContentReference | None = None
    href: str | None = None


def walk_pages(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield all pages of a tree, however deep, in reading order."""
    return (page for page, _ in walk_with_parents(pages))


def walk_with_parents(pages: Iterable[Page]) -> Iterator[tuple[Page, str | None]]:
    """Yield all pages of a tree in reading order, each with the id of the page it is under."""
    ahead: list[tuple[Page, str | None]] = [(page, None) for page in reversed(tuple(pages))]
    while ahead:
        page, parent = ahead.pop()
        yield page, parent
        ahead.extend((child, page.id) for child in reversed(page.pages))


class Dimensions(Model):
    """The size of a picture, in pixels."""

    width: float
    height: float


class File(Model):
    """A file of a space. ``size`` is in bytes."""

    object: str = "file"
    id: str
    name: str = ""
    content_type: str = ""
    download_url: str = ""
    size: int = 0
    dimensions: Dimensions | None = None
    git: GitObject | None = None


class ReusableContent(Model):
    """A text that pages include. ``markdown`` is the text itself, where a platform gives it."""

    object: str = "reusable-content"
    id: str
    title: str = ""
    git: GitObject | None = None
    markdown: str | None = None
    computed: Computed | None = None
    computed_seed: str | None = None


class Revision(Model):
    """A state of a space's content, which never changes.

    ``merged_from`` is the change request that a merge took in, or only its id.
    """

    object: str = "revision"
    id: str
    type: Literal["edits", "merge", "update", "rollback", "computed"] | str = "edits"
    parents: tuple[str, ...] = ()
    pages: "tuple[Page, ...]" = ()
    files: tuple[File, ...] = ()
    reusable_contents: tuple[ReusableContent, ...] = ()
    variables: dict[str, Variable] = Field(default_factory=dict)
    tags: tuple[Any, ...] = ()
    created_at: Instant | None = None
    git: RevisionGit | None = None
    urls: Urls = Urls.model_construct()
    merged_from: ChangeRequest | str | None = None


class PageTree(Model):
    """The pages of a revision, as a tree."""

    pages: "tuple[Page, ...]" = ()


class Content(Resource):
    """Pages and files: of a space, of a change request, or of a past revision."""

    @get("{content}")
    async def get_revision(self, at: Address, metadata: bool = True, computed: bool = True) -> Revision:
        """The current revision of {at}."""
        ...

    @get("{content}/pages")
    async def list_pages(self, at: Address, metadata: bool = True, computed: bool = True) -> PageTree:
        """The page tree of {at}."""
        ...

    @get("{content}/page/{page_id}")
    async def get_page(
        self,
        at: Address,
        page_id: str,
        format: PageFormat | None = None,
        evaluated: Evaluated = "false",
        metadata: bool = True,
        computed: bool = True,
    ) -> Page:
        """A page of {at}; with its text where a format is asked for."""
        ...

    @get("{content}/path/{page_path:path}")
    async def get_page_by_path(
        self,
        at: Address,
        page_path: str,
        format: PageFormat | None = None,
        evaluated: Evaluated = "false",
        metadata: bool = True,
        computed: bool = True,
    ) -> Page:
        """A page of {at} by its path."""
        ...

    @get("{content}/files")
    async def list_files(
        self,
        at: Address,
        page: str | None = None,
        limit: Limit = None,
        metadata: bool = True,
        computed: bool = True,
    ) -> "ListPage[File]":
        """The files of {at}."""
        ...

    @get("{content}/files/{file_id}")
    async def get_file(self, at: Address, file_id: str, metadata: bool = True, computed: bool = True) -> File:
        """A file of {at}."""
        ...
