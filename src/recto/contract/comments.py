"""Comments and their replies, on the pages of a space or of a change request."""

from typing import Annotated, Literal, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import Contributor
from recto.contract.common import Ids, Limit, ListPage, Order, Urls, User
from recto.contract.members import Member
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, WiderAt, delete, get, post, put
from recto.contract.rich_text import Document

CommentStatus = Literal["open", "resolved"]
CommentFormat = Literal["document", "markdown"]


class CommentBody(Model):
    """The text of a comment: in ``markdown``, or in ``document`` where rich text was asked for."""

    markdown: str | None = None
    document: Document | None = None


class CommentBodyInput(Body):
    """The text of a new comment: either as Markdown or as rich text."""

    markdown: str = LEFT_OUT
    document: Document = LEFT_OUT

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise PydanticCustomError("one_form", "either markdown or document")
        return self


class Reactor(Model):
    """A person who reacted, and when."""

    user: User
    reacted_at: Instant | None = None


class Reaction(Model):
    """An emoji under a comment, how many gave it, and who."""

    emoji: str
    count: int = 0
    users: tuple[Reactor, ...] = ()


class NodeTarget(Model):
    """The block that a comment is on: its key in the page's document, and how it begins."""

    id: str
    preview: str | None = None


class TableCell(Model):
    """A cell of a table: the row and the column."""

    record: str
    definition: str


class PageTarget(Model):
    """The page that a comment is on. ``outdated`` where the page, or the block on it, is gone."""

    id: str
    title: str = ""
    emoji: str | None = None
    icon: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    path: str | None = None
    outdated: bool = False


class CommentTarget(Model):
    """The target of a comment."""

    node: NodeTarget | None = None
    table_cell: TableCell | None = None
    change_request: str | None = None
    review: str | None = None
    page: PageTarget | None = None
    space: str | None = None
    revision: str | None = None


class CommentPermissions(Model):
    """The caller's permissions on a comment or a reply."""

    view: bool = False
    edit: bool = False
    reply: bool = False
    delete: bool = False


class CommentReply(Model):
    """A reply to a comment."""

    object: str = "comment-reply"
    id: str
    posted_by: User | None = None
    posted_at: Instant | None = None
    edited_at: Instant | None = None
    reactions: tuple[Reaction, ...] = ()
    body: CommentBody = CommentBody.model_construct()
    urls: Urls = Urls.model_construct()
    permissions: CommentPermissions = CommentPermissions.model_construct()


class Comment(Model):
    """A comment; ``replies`` counts the replies."""

    object: str = "comment"
    id: str
    posted_by: User | None = None
    posted_at: Instant | None = None
    edited_at: Instant | None = None
    reactions: tuple[Reaction, ...] = ()
    replies: int = 0
    repliers: tuple[Contributor, ...] = ()
    body: CommentBody = CommentBody.model_construct()
    target: CommentTarget = CommentTarget.model_construct()
    urls: Urls = Urls.model_construct()
    permissions: CommentPermissions = CommentPermissions.model_construct()
    status: CommentStatus | str = "open"
    resolved_at: Instant | None = None
    resolved_by: User | None = None


class TableCellInput(Body):
    """A cell of a table that a comment is to be on."""

    record: str
    definition: str


class PostComment(Body):
    """A comment to be posted, on a page, on a block of it or on a cell of a table."""

    body: CommentBodyInput
    node: str = LEFT_OUT
    page: str = LEFT_OUT
    table_cell: TableCellInput = LEFT_OUT


class UpdateComment(Body):
    """Changes to a comment."""

    resolved: bool = LEFT_OUT
    body: CommentBodyInput = LEFT_OUT
    added_reactions: Ids = LEFT_OUT
    removed_reactions: Ids = LEFT_OUT


class PostReply(Body):
    """A reply to be posted."""

    body: CommentBodyInput


class UpdateReply(Body):
    """Changes to a reply."""

    body: CommentBodyInput = LEFT_OUT
    added_reactions: Ids = LEFT_OUT
    removed_reactions: Ids = LEFT_OUT


class UpdateChangeRequestReply(UpdateReply):
    """Changes to a reply on a change request; ``resolved`` resolves its comment."""

    resolved: bool = LEFT_OUT


class Comments(Resource):
    """Comments on the main content of a space or on a change request."""

    @get("{at}/comments")
    async def list_comments(
        self,
        at: Main | InChangeRequest,
        page: str | None = None,
        limit: Limit = None,
        order: Order = "desc",
        status: Literal[CommentStatus, "all"] = "all",
        format: CommentFormat | None = None,
        target_page: str | None = None,
        authors: tuple[str, ...] = (),
    ) -> "ListPage[Comment]":
        """The comments on {at}, newest first unless asked otherwise."""
        ...

    @post("{at}/comments")
    async def post_comment(self, at: Main | InChangeRequest, body: PostComment) -> Comment:
        """Comment on {at}; or on a page of it, or on a block of the page."""
        ...

    @get("{at}/comments/{comment_id}")
    async def get_comment(
        self, at: Main | InChangeRequest, comment_id: str, format: CommentFormat | None = None
    ) -> Comment:
        """A comment."""
        ...

    @put("{at}/comments/{comment_id}")
    async def update_comment(self, at: Main | InChangeRequest, comment_id: str, body: UpdateComment) -> Comment:
        """Edit a comment, resolve it, or react to it."""
        ...

    @delete("{at}/comments/{comment_id}")
    async def delete_comment(self, at: Main | InChangeRequest, comment_id: str) -> None:
        """Remove a comment and its replies."""
        ...

    @get("{at}/comments/{comment_id}/replies")
    async def list_replies(
        self,
        at: Main | InChangeRequest,
        comment_id: str,
        page: str | None = None,
        limit: Limit = None,
        format: CommentFormat | None = None,
    ) -> "ListPage[CommentReply]":
        """The replies to a comment, oldest first."""
        ...

    @post("{at}/comments/{comment_id}/replies")
    async def post_reply(self, at: Main | InChangeRequest, comment_id: str, body: PostReply) -> CommentReply:
        """Reply to a comment."""
        ...

    @get("{at}/comments/{comment_id}/replies/{comment_reply_id}")
    async def get_reply(
        self, at: Main | InChangeRequest, comment_id: str, comment_reply_id: str, format: CommentFormat | None = None
    ) -> CommentReply:
        """A reply."""
        ...

    @put("{at}/comments/{comment_id}/replies/{comment_reply_id}")
    async def update_reply(
        self,
        at: Main | InChangeRequest,
        comment_id: str,
        comment_reply_id: str,
        body: Annotated[UpdateReply, WiderAt(InChangeRequest, UpdateChangeRequestReply)],
    ) -> CommentReply:
        """Edit a reply or react to it; on a change request, resolve its comment, too."""
        ...

    @delete("{at}/comments/{comment_id}/replies/{comment_reply_id}")
    async def delete_reply(self, at: Main | InChangeRequest, comment_id: str, comment_reply_id: str) -> None:
        """Remove a reply."""
        ...

    @get("{at}/commenters")
    async def list_commenters(
        self, at: Main | InChangeRequest, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Member]":
        """People who commented on {at}."""
        ...
