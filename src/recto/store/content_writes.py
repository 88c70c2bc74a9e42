"""Writes of content to change requests: the change request made for a write, and whether a write has arrived.

A write is undone by a three-way merge with what was written since. That is a write, too, whose inverse is the redo.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from recto.client.call import all_pages
from recto.client.errors import ClientError, NotFound, Unsupported
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests, CreateChangeRequest, UpdateChangeRequest
from recto.contract.content import Content, walk_pages
from recto.contract.spaces import Spaces
from recto.document.markdown.front_matter import split_front_matter
from recto.document.text import printable
from recto.frozen import frozen
from recto.store.drafts import DraftPlace
from recto.store.mutation import Attempt, Lookup, Matches, Mutation, NotUndoable, Undecided, matches, new_among
from recto.store.query_keys import Chooser, about, calls
from recto.store.titled_text import body_of

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.changes import Change, InsertFiles, InsertPage, UpdatePage
    from recto.contract.content import Page
    from recto.store.mutation import Known
    from recto.store.store import Store

EDITABLE: tuple[Literal["draft"], Literal["open"]] = ("draft", "open")
"""The statuses of change requests that take edits."""

_LONGEST_NAME = 256

CLOSED: tuple[Literal["merged"], Literal["archived"]] = ("merged", "archived")
"""The statuses of change requests that take none."""


class Numbered(Protocol):
    """A change request, or another object with its number and subject."""

    @property
    def number(self) -> int:
        """The number."""
        ...

    @property
    def subject(self) -> str:
        """The subject; empty where it has none."""
        ...


def request_name(request: Numbered) -> str:
    """Return the name of a change request in a sentence."""
    return f"#{request.number} “{request.subject}”" if request.subject else f"#{request.number}"


@frozen
class Written:
    """Result of a write: the change request afterwards, and the first page that was made, if any."""

    request: ChangeRequest
    page: str | None = None


def make_request(space: str, subject: str, known: Known | None = None) -> Attempt[ChangeRequest]:
    """Return the step that makes a change request, with or without a subject; ``known`` is from an earlier try."""
    return Attempt(lambda call: _make_request(call, space, subject), _look_for_request(space, subject), known)


def create_request(space: str, subject: str) -> Mutation[ChangeRequest]:
    """Return the change that makes an empty change request."""
    return Mutation(
        doing=f"Creating the change request “{subject}”",
        done=f"Created the change request “{subject}”",
        call=lambda call: _make_request(call, space, subject),
        lookup=_look_for_request(space, subject),
        stale=(calls(ChangeRequests.list_change_requests, space_id=space),),
        lane=("write", space),
    )


async def _make_request(call: Call, space: str, subject: str) -> ChangeRequest:
    body = CreateChangeRequest(subject=subject) if subject else CreateChangeRequest()
    return await call(ChangeRequests.create_change_request, space, body)


def _look_for_request(space: str, subject: str) -> Lookup[ChangeRequest]:
    async def find(call: Call) -> Matches[ChangeRequest]:
        listed = [
            page
            for status in EDITABLE
            for page in await all_pages(call, ChangeRequests.list_change_requests, space, status=status)
        ]
        return matches(listed, lambda one: one.subject == subject)

    return new_among(find)


def change_pages(
    space: str,
    request: str | None,
    subject: str,
    changes: Sequence[Change],
    doing: str,
    done: str,
    on_request: Callable[[ChangeRequest], None],
) -> Mutation[Written]:
    """Return the change that sends changes of pages or of the tree to an existing or a new change request.

    ``on_request`` is called with a change request that is made for it, also where the change itself then fails.
    """
    made: list[ChangeRequest] = []
    making = make_request(space, subject)

    async def work(call: Call) -> Written:
        if request is None and not made:
            made.append(await making.make(call))
            on_request(made[0])
        if made:
            return await write_first(call, space, made[0].id, changes)
        return await write(call, space, str(request), changes)

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        lookup=look_for_write(space, lambda: request or (made[0].id if made else None), changes),
        stale=stale_after_write(space, request),
        lane=("write", space),
    )


async def require_writes(store: Store, space: str, request: str | None = None) -> None:
    """Raise :class:`Unsupported` where the platform takes no writes of pages, before anything is typed or made.

    It is found out once, by a write without changes, which a platform that takes writes refuses. The write needs a
    change request, such as ``request``; where the space has none it stays unknown.
    """
    from recto.contract.changes import ContentChanges, WriteContent

    if store.lacks(ContentChanges.write_content):
        raise Unsupported("Pages cannot be written.", Unsupported.default_why, status=0)
    if not store.is_unsure_of(ContentChanges.write_content):
        return
    try:
        request = request or await _any_request(store.call, space)
        if request is not None:
            nothing = WriteContent.model_construct(changes=())
            await store.call(ContentChanges.write_content, InChangeRequest(space, request), nothing)
    except Unsupported as error:
        raise Unsupported("Pages cannot be written.", error.why, status=error.status) from None
    except ClientError:
        pass  # it is about this call, and not about whether the platform takes writes


async def _any_request(call: Call, space: str) -> str | None:
    for status in CLOSED + EDITABLE:
        listed = await call(ChangeRequests.list_change_requests, space, status=status, limit=1)
        if listed.items:
            return listed.items[0].id
    return None


def update_text(page: str, markdown: str) -> UpdatePage:
    """Return the change that gives a page another text."""
    from recto.contract.changes import PageText, UpdatePage

    return UpdatePage(page=page, document=PageText(markdown=markdown))


def insert_page(title: str, markdown: str) -> InsertPage:
    """Return the change that makes a page."""
    from recto.contract.changes import InsertPage, PageText

    return InsertPage(title=title, document=PageText(markdown=markdown))


class UnfitFile(ClientError):
    """A file of this machine cannot be added to a space."""

    default_next_step = "Choose another file."


def insert_file(file: Path) -> InsertFiles:
    """Read a file of this machine and return the change that adds it; raises :class:`UnfitFile`."""
    from recto.contract.changes import MOST_FILE_BYTES, InsertFiles, NewFile, content_type_of

    what = f"{file} was not added."
    try:
        if not file.is_file():
            raise UnfitFile(what, "It is a folder." if file.is_dir() else "There is no such file.")
        with file.open("rb") as opened:
            content = opened.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise UnfitFile(what, f"{error.strerror or 'It cannot be opened'}.") from error
    if len(content) > MOST_FILE_BYTES:
        raise UnfitFile(what, "It is larger than 1 MB.")
    # The suffix says what it is. File systems may contain names that are not text.
    words = printable(file.name.encode(errors="replace").decode()).split()
    name = " ".join(words)[-_LONGEST_NAME:].strip() or "file"
    encoded = b64encode(content).decode()
    return InsertFiles(files=(NewFile(name=name, content_type=content_type_of(name), base64=encoded),))


async def place_page(
    call: Call, space: str, request: str, change: InsertPage, after: str | None, into: str | None
) -> InsertPage:
    """Return the change placed after or in a page, as a change request has them now; else at the end."""
    pages = (await call(Content.list_pages, InChangeRequest(space, request))).pages
    if into is not None and any(page.id == into for page in walk_pages(pages)):
        return change.model_copy(update={"into": into})
    for parent, siblings in _levels(pages):
        at = next((index for index, page in enumerate(siblings) if page.id == after), None)
        if at is not None:
            return change.model_copy(update={"at": at + 1, **({"into": parent} if parent is not None else {})})
    return change


async def write(call: Call, space: str, request: str, changes: Sequence[Change]) -> Written:
    """Write changes to a change request, all or none."""
    from recto.contract.changes import ContentChanges, CreatedPage, WriteContent

    body = WriteContent(changes=tuple(changes))
    response = await call(ContentChanges.write_content, InChangeRequest(space, request), body, compat=False)
    if isinstance(response, ChangeRequest):
        return Written(response)
    made = (change.page.id for change in response.changes if isinstance(change, CreatedPage))
    return Written(response.change_request, next(made, None))


async def write_first(call: Call, space: str, request: str, changes: Sequence[Change]) -> Written:
    """Write changes to a change request that was made for them; it is archived where the platform takes no writes."""
    try:
        return await write(call, space, request, changes)
    except Unsupported:
        await call(ChangeRequests.update_change_request, space, request, UpdateChangeRequest(status="archived"))
        raise


def stale_after_write(space: str, request: str | None) -> tuple[Chooser, ...]:
    """Choose the queries that a write to a change request makes stale."""
    from recto.contract.changes import ContentChanges

    return (
        calls(ChangeRequests.list_change_requests, space_id=space),
        calls(ContentChanges.list_changes, space_id=space),
        calls(Spaces.get_space, space_id=space),
        *((about(change_request_id=request),) if request else ()),
    )


def look_for_write(space: str, request: Callable[[], str | None], changes: Sequence[Change]) -> Lookup[Written]:
    """Check whether changes are in a change request, which may be new: ``request`` gives its id once it is known.

    Each write makes a revision: where it is the same as before, nothing has arrived. Where it differs and the
    content is not as written, others may have written since.
    """
    titles = {
        change.title for change in changes if change.operation == "insert_page" and "title" in change.model_fields_set
    }
    names = {file.name for change in changes if change.operation == "insert_files" for file in change.files}

    def address(id: str | None) -> Main | InChangeRequest:
        return Main(space) if id is None else InChangeRequest(space, id)

    async def find_named(call: Call, id: str | None, tree: Sequence[Page]) -> set[str]:
        """Return the ids of pages or files that have the name of a new page or file."""
        listed = await all_pages(call, Content.list_files, address(id)) if names else ()
        files = {file.id for page in listed for file in page.items if file.name in names}
        return files | {page.id for page in walk_pages(tree) if page.title in titles}

    async def before(call: Call) -> Known:
        id = request()
        revision = (await call(ChangeRequests.get_change_request, space, id)).revision if id is not None else ""
        tree = (await call(Content.list_pages, address(id))).pages if titles else ()
        return (revision, *(await find_named(call, id, tree)))

    async def after(call: Call, known: Known) -> Written | None:
        id = request()
        if id is None:
            return None
        now = await call(ChangeRequests.get_change_request, space, id)
        revision = (known[0] if known else "") or now.revision_initial
        if now.revision == revision:
            return None
        is_seen_in_tree = any(change.operation not in ("update_page", "insert_files") for change in changes)
        tree = (await call(Content.list_pages, address(id))).pages if is_seen_in_tree else ()
        new = await find_named(call, id, tree) - set(known[1:])
        if (titles or names) and not new:
            raise Undecided("The change may have arrived.", _ELSEWISE)
        for change in changes:
            if not await _is_there(call, space, id, change, tree):
                raise Undecided("The change may have arrived.", _ELSEWISE)
        return Written(now, min((page.id for page in walk_pages(tree) if page.id in new), default=None))

    return Lookup(before, after)


_ELSEWISE = "The change request has changed since, but does not contain what was sent."


async def _is_there(call: Call, space: str, request: str, change: Change, tree: Sequence[Page]) -> bool:
    """Whether a change request holds what a change asks for; the names of new pages and files are compared already."""
    match change.operation:
        case "insert_page" | "insert_files":
            return True
        case "delete_page":
            return all(page.id != change.page for page in walk_pages(tree))
        case "revert_page":
            return any(page.id == change.page for page in walk_pages(tree))
    try:
        page = await call(Content.get_page, InChangeRequest(space, request), change.page, format="markdown")
    except NotFound:
        return False
    given = change.model_fields_set
    if "document" in given:
        sent = change.document.markdown
        # The platform puts the title above each text, whether or not it was sent with a title.
        if not same_text(page.markdown or "", sent) and not same_text(body_of(page), sent):
            return False
    attributes = given & {"title", "slug", "emoji", "icon", "description", "hidden", "condition"}
    return all((getattr(page, name) or "") == (getattr(change, name) or "") for name in attributes)


def same_text(given: str, sent: str) -> bool:
    """Whether a page from the platform has the text that was sent.

    Front matter becomes attributes and is not given out with the text; empty lines at the ends do not count.
    """

    def bare(text: str) -> str:
        return split_front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"))[1].strip()

    return bare(given) == bare(sent)


def _levels(pages: Sequence[Page]) -> Iterator[tuple[str | None, Sequence[Page]]]:
    """Return the pages that stand side by side, with the id of the page they are in."""
    yield None, pages
    for page in walk_pages(pages):
        yield page.id, page.pages


def with_undo(store: Store, space: str, mutation: Mutation[Written], what: str, page: str | None) -> Mutation[Written]:
    """Return a write to a change request that can be taken back; ``what`` names it, such as “the page”."""

    def inverse(written: Written) -> Mutation[Written]:
        return take_back(store, space, written, what, page or written.page)

    return replace(mutation, inverse=inverse, once=True)


def take_back(
    store: Store, space: str, written: Written, what: str, page: str | None, *, again: bool = False
) -> Mutation[Written]:
    """Return the change that undoes a write; with ``again``, the redo of such a write."""
    request, where = written.request, f"{what} in #{written.request.number}"

    async def work(call: Call) -> Written:
        from recto.contract.changes import MAX_CHANGES
        from recto.store.revert_plan import plan_revert

        failed = f"{where[0].upper()}{where[1:]} was not reverted."
        now = await call(ChangeRequests.get_change_request, space, request.id)
        if now.status not in EDITABLE:
            raise NotUndoable(failed, f"The change request is {now.status}.", "")
        plan = await plan_revert(store, space, request.revision, now.revision)
        if plan.conflicts:
            titles = ", ".join(f"“{page.title}”" for page in plan.conflicts)
            raise NotUndoable(failed, f"The same lines of {titles} were changed since.", "Edit the page instead.")
        if not plan.steps:
            why = next(iter((*plan.kept, *plan.lost)), "Nothing of it is left.")
            raise NotUndoable(failed, why, "")
        changes = [change for step in plan.steps for change in step.changes]
        done = Written(now)
        for first in range(0, len(changes), MAX_CHANGES):
            done = await write(call, space, request.id, changes[first : first + MAX_CHANGES])
        return done

    async def before(call: Call) -> Known:
        return ((await call(ChangeRequests.get_change_request, space, request.id)).revision,)

    async def after(call: Call, known: Known) -> Written | None:
        from recto.store.revert_plan import plan_revert

        now = await call(ChangeRequests.get_change_request, space, request.id)
        if now.revision in known:
            return None
        plan = await plan_revert(store, space, request.revision, now.revision)
        # What is left of it is reverted by another try, which plans again.
        return None if plan.steps or plan.conflicts else Written(now)

    return Mutation(
        doing=f"{'Making' if again else 'Reverting'} {where}{' again' if again else ''}",
        done=f"{'Made' if again else 'Reverted'} {where}{' again' if again else ''}",
        call=work,
        lookup=Lookup(before, after),
        inverse=lambda made: take_back(store, space, made, what, page, again=not again),
        once=True,
        place=DraftPlace(space=space, change_request=request.id, page=page),
        stale=stale_after_write(space, request.id),
        lane=("write", space),
    )
