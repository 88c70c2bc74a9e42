"""Files converted on this machine and sent to a change request by writes of its content."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from recto.client.call import all_pages
from recto.client.errors import ClientError, Unsupported
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests, UpdateChangeRequest
from recto.contract.changes import (
    MAX_CHANGES,
    MAX_FILES,
    ContentChanges,
    CreatedPage,
    InsertFiles,
    InsertPage,
    NewFile,
    PageText,
    UpdatePage,
    WriteContent,
    WrittenContent,
)
from recto.contract.content import Content, walk_with_parents
from recto.contract.own_content import OwnContent, OwnFile, OwnPage
from recto.document.markdown.link_addresses import change_addresses
from recto.document.text import count
from recto.frozen import frozen
from recto.store.content_writes import make_request, stale_after_write, write
from recto.store.mutation import Attempt, Cancelled, Lookup, Mutation, NotArrived, Undecided
from recto.store.progress import Progress, Reporter

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.changes import Change
    from recto.store.mutation import Known

_MOST_SENT_BYTES = 8_000_000
"""The most bytes of texts or files that are sent at once, unless a single one is larger."""

_LINK = re.compile(r"/(pages|files)/([^/?#]+)(.*)", re.DOTALL)

T = TypeVar("T")


@frozen
class Sent:
    """The change request that the content is in, and how many pages and files were sent."""

    request: ChangeRequest
    pages: int
    files: int

    @property
    def amount(self) -> str:
        """What was sent, in words: ``12 pages and 3 files``."""
        return count(self.pages, "page") + (f" and {count(self.files, 'file')}" if self.files else "")


class SendingStopped(ClientError):
    """A part of the content was sent before something failed."""

    default_next_step = "Delete them there before you import again."


def send_content(at: Main | InChangeRequest, content: OwnContent) -> Mutation[Sent]:
    """Put pages and files after those of a change request, which is made where the address is main.

    It is cancelled between two writes: :class:`Cancelled` says how much has been sent.
    """
    reporter = Reporter()

    async def send(call: Call, cancelled: asyncio.Event) -> Sent:
        if isinstance(at, Main):
            request = await _until_certain(make_request(at.space, f"Import of {content.title}"), call)
        else:
            request = await call(ChangeRequests.get_change_request, at.space, at.change_request)
        sending = _Sending(call, at.space, request, content, reporter.report, cancelled)
        try:
            await sending.run()
        except ClientError as error:
            if sending.ids or error.may_have_arrived:
                if isinstance(error, Cancelled):
                    raise Cancelled(error.what, sending.kept, SendingStopped.default_next_step) from None
                raise SendingStopped("The import stopped.", f"{error.why} {sending.kept}") from error
            if isinstance(at, Main):
                with suppress(ClientError):
                    archived = UpdateChangeRequest(status="archived")
                    await call(ChangeRequests.update_change_request, at.space, request.id, archived)
            if isinstance(error, Unsupported):
                raise Unsupported("Pages cannot be written.", error.why, status=error.status) from None
            raise
        return Sent(request, sending.total - len(content.files), len(content.files))

    async def work(call: Call) -> Sent:
        cancelled = asyncio.Event()
        task = asyncio.create_task(send(call, cancelled))
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError:
                # A call that is under way ends first, so that it is known what it has made.
                cancelled.set()
        return await task

    request = at.change_request if isinstance(at, InChangeRequest) else None
    return Mutation(
        doing="Importing",
        done="Imported the pages",
        call=work,
        stale=stale_after_write(at.space, request),
        progress=reporter,
        lane=("write", at.space),
    )


class _Sending:
    """Sends content, each write once: files first, then pages from the top of the tree down.

    ``ids`` are those that the platform gave, by ref. It stops before the next write once ``cancelled`` is set.
    """

    def __init__(
        self,
        call: Call,
        space: str,
        request: ChangeRequest,
        content: OwnContent,
        report: Callable[[Progress], None],
        cancelled: asyncio.Event,
    ) -> None:
        self.ids: dict[str, str] = {}
        self._call = call
        self._at = InChangeRequest(space, request.id)
        self._number = request.number
        self._content = content
        self._tell = report
        self._cancelled = cancelled
        self._refs = {each.ref for each in content.files} | {each.ref for each in _walk(content.pages)}
        self.total = len(self._refs)

    @property
    def kept(self) -> str:
        """How much is on the platform, as a sentence."""
        return f"{len(self.ids):,} of {self.total:,} pages and files are in change request #{self._number}."

    async def run(self) -> None:
        """Send all; raises :class:`Cancelled` and what a write raises."""
        for files in _batches(self._content.files, MAX_CHANGES * MAX_FILES, lambda file: len(file.content) * 4 // 3):
            await self._insert(_insert_files(files), self._find_files, [("", file.ref, file.name) for file in files])
        unlinked: list[OwnPage] = []
        level = [("", page) for page in self._content.pages]
        while level:
            for batch in _batches(level, MAX_CHANGES, lambda item: len(item[1].markdown.encode())):
                unlinked += [page for _, page in batch if not self._is_linked(page)]
                changes = [self._insert_page(page, parent) for parent, page in batch]
                await self._insert(
                    changes, self._find_pages, [(parent, page.ref, page.title) for parent, page in batch]
                )
            level = [(self.ids[page.ref], child) for _, page in level for child in page.children]
        mended = 0
        for pages_of_batch in _batches(unlinked, MAX_CHANGES, lambda page: len(page.markdown.encode())):
            self._begin_write("Mending links", mended, len(unlinked))
            await self._update([self._update_page(page) for page in pages_of_batch])
            mended += len(pages_of_batch)

    def _begin_write(self, doing: str, done: int, total: int) -> None:
        self._tell(Progress(doing, done, total, self.kept if self.ids else ""))
        if self._cancelled.is_set():
            raise Cancelled("The import was cancelled.", "Nothing was sent.", "")

    # Texts

    def _is_linked(self, page: OwnPage) -> bool:
        """Whether all that a page links to is on the platform."""
        waiting = False

        def look(target: str) -> str:
            nonlocal waiting
            found = _LINK.fullmatch(target)
            waiting = waiting or (found is not None and found[2] in self._refs and found[2] not in self.ids)
            return target

        change_addresses(page.markdown, look)
        return not waiting

    def _text(self, page: OwnPage) -> PageText:
        def lead(target: str) -> str:
            found = _LINK.fullmatch(target)
            return f"/{found[1]}/{self.ids[found[2]]}{found[3]}" if found and found[2] in self.ids else target

        text = change_addresses(page.markdown, lead)
        # Front matter would be read as the page's attributes, and these are sent beside the text.
        return PageText(markdown=f"\n{text}" if text.startswith("---") else text)

    def _insert_page(self, page: OwnPage, parent: str) -> InsertPage:
        placed = {**page.attributes, "into": parent} if parent else page.attributes
        return InsertPage(document=self._text(page), title=page.title, ref=page.ref, **placed)

    def _update_page(self, page: OwnPage) -> UpdatePage:
        # Without the title, a heading at the top of the text would become it.
        return UpdatePage(page=self.ids[page.ref], title=page.title, document=self._text(page))

    # Writes

    async def _insert(
        self,
        changes: Sequence[Change],
        find: Callable[[], Awaitable[list[tuple[str, str, str]]]],
        wanted: Sequence[tuple[str, str, str]],
    ) -> None:
        """Insert pages or files; ``wanted`` are their parents, refs and names, ``find`` returns those that exist."""
        self._begin_write("Sending", len(self.ids), self.total)

        async def before(call: Call) -> Known:
            return tuple(id for id, _, _ in await find())

        async def after(call: Call, known: Known) -> dict[str, str] | None:
            new = [each for each in await find() if each[0] not in known]
            found: dict[str, str] = {}
            for parent, ref, name in wanted:
                same = next((each for each in new if each[1:] == (parent, " ".join(name.split()))), None)
                if same is not None:
                    new.remove(same)
                    found[ref] = same[0]
            if found and len(found) < len(wanted):
                raise Undecided("The change may have arrived.", "Only a part of what was sent is there.")
            return found or None

        async def send(call: Call) -> dict[str, str]:
            body = WriteContent(changes=tuple(changes))
            response = await call(ContentChanges.write_content, self._at, body, compat=False)
            ids = _ids(response) if isinstance(response, WrittenContent) else []
            if len(ids) == len(wanted):
                return {ref: id for (_, ref, _), id in zip(wanted, ids, strict=True)}
            # The platform does not say what it gave which id.
            found = await after(call, attempt.known or ())
            if found is None:
                raise Undecided("The change may have arrived.", "Nothing that was sent was found there.")
            return found

        attempt: Attempt[dict[str, str]] = Attempt(send, Lookup(before, after))
        found = await _until_certain(attempt, self._call)
        self.ids |= found

    async def _update(self, changes: Sequence[Change]) -> None:
        space, request = self._at.space, self._at.change_request
        try:
            await write(self._call, space, request, changes)
        except ClientError as error:
            if not error.may_have_arrived:
                raise
            # The same texts do no harm when they are written twice.
            await write(self._call, space, request, changes)

    async def _find_pages(self) -> list[tuple[str, str, str]]:
        """Return the id, the parent's id and the title of each page."""
        tree = (await self._call(Content.list_pages, self._at)).pages
        return [(page.id, parent or "", page.title) for page, parent in walk_with_parents(tree)]

    async def _find_files(self) -> list[tuple[str, str, str]]:
        listed = await all_pages(self._call, Content.list_files, self._at)
        return [(file.id, "", file.name) for page in listed for file in page.items]


def _ids(response: WrittenContent) -> list[str]:
    """Return the ids of what a write made, in order."""
    files = [file.id or file.file or "" for file in response.inserted_files]
    return files or [change.page.id for change in response.changes if isinstance(change, CreatedPage)]


async def _until_certain(attempt: Attempt[T], call: Call) -> T:
    """Make a call; once more where its response was lost and it has not arrived."""
    try:
        return await attempt.make(call)
    except NotArrived:
        return await attempt.make(call)


def _insert_files(files: Sequence[OwnFile]) -> list[InsertFiles]:
    new = [
        NewFile(
            name=file.name[:256],
            content_type=file.content_type,
            ref=file.ref,
            base64=b64encode(file.content).decode(),
        )
        for file in files
    ]
    return [InsertFiles(files=tuple(new[at : at + MAX_FILES])) for at in range(0, len(new), MAX_FILES)]


def _batches(items: Iterable[T], most: int, size: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield items in order, so many and so large at once as a write takes."""
    batch: list[T] = []
    held = 0
    for item in items:
        if batch and (len(batch) == most or held + size(item) > _MOST_SENT_BYTES):
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += size(item)
    if batch:
        yield batch


def _walk(tree: Sequence[OwnPage]) -> Iterator[OwnPage]:
    for page in tree:
        yield page
        yield from _walk(page.children)
