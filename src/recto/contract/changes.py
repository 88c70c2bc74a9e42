"""Changes: how pages are written, and what a change request changes."""

from mimetypes import MimeTypes
from typing import Annotated, Any, Literal

from pydantic import Field

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.change_requests import ChangeRequest
from recto.contract.common import Ids, Urls
from recto.contract.content import File
from recto.contract.model import LEFT_OUT, Body, Model, none_of
from recto.contract.operation import Resource, get, post
from recto.contract.rich_text import Document

MAX_CHANGES = 50
"""The most changes that one write takes."""

MAX_FILES = 20
"""The most files that one change inserts."""

MAX_LISTED = 1000
"""The most changes that one call lists."""

Slug = Annotated[str, Field(max_length=100)]
Index = Annotated[int, Field(ge=0)]


class PageText(Body):
    """The text of a page, as Markdown or as rich text; empty where neither is given."""

    markdown: str = LEFT_OUT
    document: Document = LEFT_OUT


class InsertPage(Body):
    """A new page, under the page ``into`` or at the root, as sibling number ``at`` or last."""

    operation: Literal["insert_page"] = "insert_page"
    document: PageText
    title: str = LEFT_OUT
    slug: Slug = LEFT_OUT
    emoji: str = LEFT_OUT
    icon: str = LEFT_OUT
    description: str = LEFT_OUT
    hidden: bool = LEFT_OUT
    no_index: bool = LEFT_OUT
    no_robots_index: bool = LEFT_OUT
    condition: str = LEFT_OUT
    into: str = LEFT_OUT
    at: Index = LEFT_OUT
    ref: str = LEFT_OUT


class UpdatePage(Body):
    """Changes to a page; an empty text takes an attribute away.

    ``into`` moves it, ``None`` to the root; ``at`` orders it among its siblings.
    """

    operation: Literal["update_page"] = "update_page"
    page: str
    document: PageText = LEFT_OUT
    title: str = LEFT_OUT
    slug: Slug = LEFT_OUT
    emoji: str = LEFT_OUT
    icon: str = LEFT_OUT
    description: str = LEFT_OUT
    hidden: bool = LEFT_OUT
    no_index: bool = LEFT_OUT
    no_robots_index: bool = LEFT_OUT
    condition: str = LEFT_OUT
    into: str | None = LEFT_OUT
    at: Index = LEFT_OUT


class DeletePage(Body):
    """A page to be removed, with those under it."""

    operation: Literal["delete_page"] = "delete_page"
    page: str


class RevertPage(Body):
    """A page, or some blocks of it, to be as they were in a revision: the change request's base where none is given."""

    operation: Literal["revert_page"] = "revert_page"
    page: str
    revision: str = LEFT_OUT
    block: Ids = LEFT_OUT


MOST_FILE_BYTES = 1_048_576
"""The most bytes of a file that a write carries."""

_TYPES = MimeTypes()
"""What a file is by its name: as Python knows it, whatever the machine adds, and what Python 3.11 does not know."""
_TYPES.add_type("image/webp", ".webp")
_TYPES.add_type("image/avif", ".avif")
_TYPES.add_type("application/yaml", ".yaml")
_TYPES.add_type("application/yaml", ".yml")


def content_type_of(name: str) -> str:
    """Return what a file is by its name."""
    return _TYPES.guess_type(name)[0] or "application/octet-stream"


class NewFile(Body):
    """A file to be put in: from an address, or its bytes in base 64 (up to 1 MB, with a content type)."""

    name: Annotated[str, Field(min_length=1, max_length=256)]
    content_type: str = LEFT_OUT
    ref: str = LEFT_OUT
    url: str = LEFT_OUT
    base64: str = LEFT_OUT


class InsertFiles(Body):
    """Files to insert; pages of the same write may point at a file as ``./<ref>``."""

    operation: Literal["insert_files"] = "insert_files"
    files: Annotated[tuple[NewFile, ...], Field(min_length=1, max_length=MAX_FILES)]


Change = Annotated[InsertPage | UpdatePage | DeletePage | RevertPage | InsertFiles, Field(discriminator="operation")]


class WriteContent(Body):
    """Changes applied in order, all or none, as a new revision."""

    changes: Annotated[tuple[Change, ...], Field(min_length=1, max_length=MAX_CHANGES)]


class WrittenPage(Model):
    """A page that a write made or changed."""

    object: str = "page"
    id: str
    urls: Urls = Urls.model_construct()


class CreatedPage(Model):
    """A page was made."""

    object: Literal["created_page"] = "created_page"
    ref: str | None = None
    page: WrittenPage


class UpdatedPage(Model):
    """A page was changed."""

    object: Literal["updated_page"] = "updated_page"
    page: WrittenPage


class DeletedPage(Model):
    """A page was removed."""

    object: Literal["deleted_page"] = "deleted_page"
    page: str


class OtherWrite(Model):
    """Something was written that this version does not know."""

    object: Annotated[str, none_of("created_page", "updated_page", "deleted_page")] = ""


class InsertedFile(File):
    """A file that was put in, with the ``ref`` that the write gave it; older services answer only its id, ``file``."""

    id: str = ""
    ref: str | None = None
    file: str | None = None


class WrittenContent(Model):
    """What a write did, change by change."""

    change_request: ChangeRequest
    changes: tuple[
        Annotated[CreatedPage | UpdatedPage | DeletedPage | OtherWrite, Field(union_mode="left_to_right")], ...
    ] = ()
    inserted_files: tuple[InsertedFile, ...] = ()


class ChangedPage(Model):
    """The page that a change is about."""

    id: str
    type: str = "document"
    title: str = ""
    path: str = ""


class BeforeAfter(Model):
    """A value before a change and after it."""

    before: Any = None
    after: Any = None


class PageCreatedOrDeleted(Model):
    """A page was made or removed."""

    type: Literal["page_created", "page_deleted"]
    page: ChangedPage


class PageEdited(Model):
    """A page was edited: attributes by name (``title``, ``slug``, ``document`` and so on), before and after.

    The two values of ``document`` are ids of documents, not texts.
    """

    type: Literal["page_edited"] = "page_edited"
    page: ChangedPage
    attributes: dict[str, BeforeAfter] = Field(default_factory=dict)


class PageMoved(Model):
    """A page was moved: its parent's id before and after, ``None`` at the root."""

    type: Literal["page_moved"] = "page_moved"
    page: ChangedPage
    parent: BeforeAfter = BeforeAfter.model_construct()


class ChangedFile(Model):
    """The file that a change is about."""

    id: str
    name: str = ""
    content_type: str = ""
    download_url: str = ""


class FileChanged(Model):
    """A file was made, edited or removed."""

    type: Literal["file_created", "file_edited", "file_deleted"]
    file: ChangedFile
    attributes: dict[str, BeforeAfter] = Field(default_factory=dict)


class VariablesEdited(Model):
    """The variables of the space were edited."""

    type: Literal["variables_edited"] = "variables_edited"
    variables: BeforeAfter = BeforeAfter.model_construct()


class ChangedReusableContent(Model):
    """The reusable content that a change is about."""

    id: str
    title: str = ""


class ReusableContentChanged(Model):
    """A reusable content was made, edited or removed."""

    type: Literal["reusable_content_created", "reusable_content_edited", "reusable_content_deleted"]
    reusable_content: ChangedReusableContent
    attributes: dict[str, BeforeAfter] = Field(default_factory=dict)


_KNOWN_CHANGES = (
    *("page_created", "page_deleted", "page_edited", "page_moved"),
    *("file_created", "file_edited", "file_deleted", "variables_edited"),
    *("reusable_content_created", "reusable_content_edited", "reusable_content_deleted"),
)


class ChangedTag(Model):
    """The tag that a change is about."""

    slug: str = ""
    label: str = ""


class TagChanged(Model):
    """A tag was made, edited or removed."""

    type: Literal["tag_created", "tag_edited", "tag_deleted"]
    tag: ChangedTag
    attributes: dict[str, BeforeAfter] = Field(default_factory=dict)


class OtherChange(Model):
    """A change of a type that this version does not know."""

    type: Annotated[str, none_of(*_KNOWN_CHANGES)] = ""


SemanticChange = Annotated[
    PageCreatedOrDeleted
    | PageEdited
    | PageMoved
    | FileChanged
    | VariablesEdited
    | ReusableContentChanged
    | TagChanged
    | OtherChange,
    Field(union_mode="left_to_right"),
]


class Changes(Model):
    """What differs between two revisions; ``more`` is how many changes were left out."""

    changes: tuple[SemanticChange, ...] = ()
    more: int | None = None


class ContentChanges(Resource):
    """Writing pages, and reading what was written."""

    @post("{content}")
    async def write_content(
        self, at: InChangeRequest, body: WriteContent, compat: bool = True
    ) -> WrittenContent | ChangeRequest:
        """Write pages and files; without ``compat`` the response says what each change did."""
        ...

    @get("{at}/changes")
    async def list_changes(
        self, at: InChangeRequest | AtRevision, limit: Annotated[int, Field(ge=1, le=MAX_LISTED)] = 10
    ) -> Changes:
        """What {at} changes; a revision is compared with its first parent."""
        ...
