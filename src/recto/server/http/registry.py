"""Which handler answers which operation.

Handlers are imported by subject, when the first operation of a subject is called.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from recto.contract.operation import Operation
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.http.bodies import STANDARD, BodyLimit

if TYPE_CHECKING:
    from recto.server.jobs import Task

P = ParamSpec("P")
R = TypeVar("R")

Handler = Callable[Concatenate[Context, P], R]


class JobKind(Enum):
    """When an operation responds: with the result, after its job has ended, or as soon as the job has begun.

    A job has begun when it calls :meth:`recto.server.jobs.Job.begin`, with the response if there is any; a failure
    before that is an error response.
    """

    WAITED_FOR = "waited for"
    BEGUN = "begun"


@frozen
class Registration:
    """A handler; the path after ``/v1`` at which what it makes is found afterwards, where the response says it.

    ``prepare`` works out, before the transaction begins, what the handler then finds in ``context.prepared``.
    ``limit`` is what the body may weigh. Calls with the same value of the parameter ``turn`` follow each other.
    Where there is a ``job``, the handler returns the task for it.
    """

    handler: Callable[..., Any]
    location: str | None = None
    prepare: Callable[..., Any] | None = None
    limit: BodyLimit = STANDARD
    turn: str | None = None
    job: JobKind | None = None


SUBJECTS = {
    "adaptive": ("sites.adaptive",),
    "agent_instructions": ("people.organization_handlers",),
    "change_requests": ("content.change_request_handlers",),
    "changes": ("content.change_handlers",),
    "collections": ("spaces.collections",),
    "comments": ("content.comment_handlers",),
    "content": ("content.content_handlers",),
    "git": ("git.git_handlers",),
    "imports": ("exchange.content_import",),
    "invites": ("people.invites",),
    "links": ("content.link_handlers",),
    "members": ("people.members",),
    "organizations": ("people.organizations", "people.organization_handlers"),
    "pdf": ("pdf.pdf_handlers",),
    "publishing": ("sites.publication",),
    "redirects": ("sites.redirects",),
    "reviews": ("content.reviews",),
    "search": ("content.search_handlers",),
    "share_links": ("sites.share_links",),
    "sign_on": ("people.sign_on",),
    "sites": ("sites.site_handlers",),
    "spaces": ("spaces.space_reading", "spaces.spaces"),
    "specifications": ("specifications.specification_handlers",),
    "structure": ("sites.structure_handlers",),
    "teams": ("people.teams",),
    "templates": ("templates.template_handlers",),
    "translations": ("translations.translation_handlers",),
    "users": ("people.organizations",),
}
"""Modules in ``recto.server`` that hold handlers, by the module in ``recto.contract`` that declares the operations.

The modules of a subject are imported in turn until the handler is found: first what a start on a page needs.
"""

_entries: dict[Operation[Any, Any], Registration] = {}


@overload
def handles(
    operation: Operation[P, R],
    *,
    location: str | None = None,
    prepare: Handler[P, Any] | None = None,
    limit: BodyLimit = STANDARD,
    turn: str | None = None,
) -> Callable[[Handler[P, R]], Handler[P, R]]: ...


@overload
def handles(
    operation: Operation[P, R], *, job: JobKind, location: str | None = None, limit: BodyLimit = STANDARD
) -> Callable[[Handler[P, Task[R]]], Handler[P, Task[R]]]: ...


def handles(
    operation: Operation[P, Any],
    *,
    location: str | None = None,
    prepare: Handler[P, Any] | None = None,
    limit: BodyLimit = STANDARD,
    turn: str | None = None,
    job: JobKind | None = None,
) -> Callable[[Handler[P, Any]], Handler[P, Any]]:
    """Register the decorated function as the handler of an operation.

    A handler checks first, before it looks at the body, whether the caller may do this at all: it is called once
    before the body is read, and only as far as that (:func:`recto.server.http.requests.check_permission`).

    ``location`` is for operations that answer 201 with a ``Location`` header: a path after ``/v1`` in which
    ``{space_id}`` stands for an argument and ``{response.id}`` for a field of the response. ``limit`` is for operations
    whose bodies may weigh more than others.

    ``prepare`` is for operations that write and have much to compute: it is called with the same arguments in a read
    transaction, and the handler finds what it returned in ``context.prepared``. The handler raises
    :class:`~recto.server.storage.database.Moved` where that no longer fits the stored state, and both are called
    again. ``prepare`` checks first, too, whether the caller may do this. ``turn`` names a parameter in the path: calls
    with the same value, which would mostly move what the others have prepared, wait for each other for a while.

    ``job`` is for operations that take long. The handler is called in a read transaction, checks as any other does, and
    returns a task, which then runs as a job outside of every transaction (see :mod:`recto.server.jobs`).
    """

    def register(handler: Handler[P, Any]) -> Handler[P, Any]:
        if operation in _entries:
            raise ValueError(f"{operation!r} has a handler already")
        _entries[operation] = Registration(handler, location, prepare, limit, turn, job)
        return handler

    return register


def known_entry(operation: Operation[Any, Any]) -> Registration | None:
    """Return the handler of an operation if it is imported already, which takes no time."""
    return _entries.get(operation)


def entry(operation: Operation[Any, Any]) -> Registration | None:
    """Return the handler of an operation, importing its module if need be; ``None`` where this server has none."""
    subject = operation.resource.__module__.rpartition(".")[2]
    for module in SUBJECTS.get(subject, ()):
        if operation in _entries:
            break
        importlib.import_module(f"recto.server.{module}")
    return _entries.get(operation)
