"""Common parts of the contract: pages of lists, roles, people, references to content."""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BeforeValidator, FailFast, Field

from recto.contract.model import Model

T = TypeVar("T")

Role = Literal["admin", "create", "review", "edit", "comment", "read"]
"""What a person may do, most first; each role may do what those after it may."""

Level = Literal[Role, "inherit"]
"""A default level of content: a role, or that of its parent."""

Order = Literal["asc", "desc"]

MAX_LIMIT = 1000
"""The most items of a list that one call gives."""

MAX_NAMED = 1000
"""The most ids that one list of a body names."""

Ids = Annotated[tuple[str, ...], Field(max_length=MAX_NAMED), FailFast()]
"""Ids that are sent; the first that is none is named, and the rest not looked at."""

Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None
"""How many items of a list one call gives, 1 to 1000; ``None`` leaves it to the platform."""


class Next(Model):
    """Where a list goes on."""

    page: str


def _read_next(value: Any) -> Any:
    """Read what names no further page as the end of the list; each service says that in its own way."""
    return None if not (value.get("page") if isinstance(value, dict) else value) else value


class ListPage(Model, Generic[T]):
    """A page of a list: some of its items, how many there are in all, and where it goes on."""

    next: Annotated[Next | None, BeforeValidator(_read_next)] = None
    count: int | None = None
    items: tuple[T, ...] = ()


class Urls(Model):
    """The addresses of a thing; which ones there are depends on the thing."""

    location: str | None = None
    app: str | None = None
    published: str | None = None
    preview: str | None = None
    public: str | None = None
    icon: str | None = None
    logo: str | None = None


class User(Model):
    """A person."""

    object: str = "user"
    id: str
    display_name: str = ""
    email: str | None = None
    photo_url: str | None = None
    urls: Urls = Urls.model_construct()


class FileReference(Model):
    """Content that is a file of a space."""

    kind: Literal["file"] = "file"
    file: str


class UrlReference(Model):
    """Content that is an address."""

    kind: Literal["url"] = "url"
    url: str


class PageReference(Model):
    """Content that is a page, of the same space where none is named."""

    kind: Literal["page"] = "page"
    page: str
    space: str | None = None


class AnchorReference(Model):
    """Content that is a place in a page."""

    kind: Literal["anchor"] = "anchor"
    anchor: str
    page: str | None = None
    space: str | None = None


class UserReference(Model):
    """Content that is a person."""

    kind: Literal["user"] = "user"
    user: str


class CollectionReference(Model):
    """Content that is a collection."""

    kind: Literal["collection"] = "collection"
    collection: str


class SpaceReference(Model):
    """Content that is a space."""

    kind: Literal["space"] = "space"
    space: str


class ReusableContentReference(Model):
    """Content that is included from a reusable content."""

    kind: Literal["reusable-content"] = "reusable-content"
    reusable_content: str


class OpenApiReference(Model):
    """Content that is an OpenAPI specification."""

    kind: Literal["openapi"] = "openapi"
    spec: str


class TagReference(Model):
    """Content that is a tag."""

    kind: Literal["tag"] = "tag"
    tag: str


class OtherReference(Model):
    """Content of a kind that this version does not know."""

    kind: str


ContentReference = Annotated[
    FileReference
    | UrlReference
    | PageReference
    | AnchorReference
    | UserReference
    | CollectionReference
    | SpaceReference
    | ReusableContentReference
    | OpenApiReference
    | TagReference
    | OtherReference,
    Field(union_mode="left_to_right"),
]
