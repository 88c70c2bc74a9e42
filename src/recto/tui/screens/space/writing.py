"""Writing in a space: edits of pages, which go to change requests, changes of the page tree, and comments."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from recto.client.errors import CUT_OFF
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.content import Content, Page
from recto.document.text import on_one_line, strip_marks
from recto.store.anchors import Anchors, find_anchors
from recto.store.drafts import DraftKind, DraftState
from recto.store.editing import Editing, Target
from recto.store.pending_review import PendingReview
from recto.tui.look import signs, times
from recto.tui.look.lines import plain
from recto.tui.screens.editing_dialogs import EditingDialogs
from recto.tui.screens.reading.page_index import NEW
from recto.tui.screens.space.activity import Activity, page_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recto.contract.change_requests import ChangeRequest
    from recto.contract.comments import Comment
    from recto.store.locations import SpaceLocation
    from recto.store.store import Store
    from recto.tui.look.lines import Span
    from recto.tui.screens.discussion import Discussion
    from recto.tui.screens.reading.page_index import PageIndex
    from recto.tui.screens.reading.reading_pane import ReadingPane
    from recto.tui.screens.space.page_changes import PageChanges, PageMoves
    from recto.tui.screens.space.space_address import SpaceAddress
    from recto.tui.screens.view import View


class CommentMarks:
    """Finds the lines of a page on which there are comments."""

    def __init__(self, store: Store, at: Main | InChangeRequest, pending: PendingReview) -> None:
        self._store = store
        self._at = at
        self._pending = pending
        self._anchors: dict[str, tuple[str, Anchors]] = {}

    async def anchors(self, page: Page) -> Anchors:
        """Return the blocks of a page with the keys by which comments name them; raises ``ClientError``."""
        text = page.markdown or ""
        known = self._anchors.get(page.id)
        if known is None or known[0] != text:
            rich = await self._store.fetch_or_kept(Content.get_page, self._at, page.id, format="document")
            known = self._anchors[page.id] = (text, await asyncio.to_thread(find_anchors, text, rich.document))
        return known[1]

    async def find(self, page: Page, comments: Iterable[Comment]) -> dict[int, Span]:
        """Return the marks by the line of the page's source, counted from 0; raises ``ClientError``."""
        here = [one for one in comments if one.target.page is not None and one.target.page.id == page.id]
        commented = [one.target.node.id for one in here if one.status != "resolved" and one.target.node]
        typed = {each.block for each in self._pending.left if each.page == page.id}
        if not commented and not typed:
            return {}
        anchors = await self.anchors(page)
        counted = Counter(lines[0] - 1 for key in commented if (lines := anchors.lines_of(key)) is not None)
        comment = signs.COMMENT["open"]
        marks: dict[int, Span] = {
            line: (f"{comment.sign}{min(number, 9)}", comment.role) for line, number in counted.items()
        }
        for block in typed:
            lines = anchors.lines_of(block) if block is not None else (1, 1)
            if lines is not None:
                marks[lines[0] - 1] = signs.PENDING.span
        return marks


class Writing:
    """The edits of a person in a space, in main by way of a change request; ``editing`` knows the drafts."""

    def __init__(
        self,
        view: View[SpaceLocation],
        address: SpaceAddress,
        at: Main | InChangeRequest,
        reading: ReadingPane,
        activity: Activity,
        *,
        drafts_changed: Callable[[], None],
        comments_changed: Callable[[], None],
        why_no_edits: Callable[[], str | None],
        page_written: Callable[[str], None],
        moves_changed: Callable[[str | None], None],
    ) -> None:
        self._view = view
        self._address = address
        self._at = at
        self._reading = reading
        self._activity = activity
        self._why_no_edits = why_no_edits
        self._page_written = page_written
        self._moves_changed = moves_changed
        dialogs = EditingDialogs(
            view, drafts_changed=drafts_changed, request_chosen=address.choose_for_edits, sent=self._go_to_sent
        )
        request = at.change_request if isinstance(at, InChangeRequest) else None
        self.editing = Editing(view.store, at.space, dialogs, request=request, choice=lambda: address.chosen_request)
        self._pending = PendingReview(view.store, at, comments_changed)
        self._marks = CommentMarks(view.store, at, self._pending)

    @cached_property
    def discussion(self) -> Discussion:
        """The comments; imported on first use, since most starts are for reading."""
        from recto.tui.screens.discussion import Discussion

        return Discussion(
            self._view,
            self._at,
            self._pending,
            self.editing,
            why_not_apply=self._why_not_apply,
            link_titles=lambda: self._reading.index.titles,
        )

    @cached_property
    def page_changes(self) -> PageChanges:
        """Changes the page tree; imported on first use, since most starts are for reading."""
        from recto.tui.screens.space.page_changes import PageChanges

        return PageChanges(self._view, self.editing, self._at)

    @cached_property
    def moves(self) -> PageMoves:
        """Moves pages; imported on first use, since most starts are for reading."""
        from recto.tui.screens.space.page_changes import PageMoves

        moves = PageMoves(self._view, self._at, self.editing, self._moves_changed)
        moves.take_in(self._reading.index)
        return moves

    @property
    def staged_moves(self) -> int:
        """How many moves of pages are staged."""
        return self.moves.count if "moves" in self.__dict__ else 0

    def take_in(self, index: PageIndex) -> None:
        """Take the page tree of the platform."""
        if "moves" in self.__dict__:
            self.moves.take_in(index)

    def find_drafts(self) -> None:
        """Find the edits and comments on disk that are not sent."""
        self._view.work(self.editing.offer_drafts(), "drafts")
        self._view.work(self._find_comments(), "drafts")

    async def _find_comments(self) -> None:
        store = self._view.store
        if await store.keeper.do(store.drafts.find, self._pending.place, DraftKind.COMMENT):
            await self.discussion.talking.load()

    def draft_note(self, page: str) -> str:
        """Describe the draft of a page: how old it is and where it goes; empty where there is none."""
        draft = self.editing.drafts.get(page)
        if draft is None:
            return ""
        age = times.ago(draft.updated, self._view.store.clock())
        unsure = ", which may have arrived" if draft.state is DraftState.UNSURE else ""
        target = Target.of_draft(draft)
        where = f", for {plain(target.name)}" if target.request or target.subject else ""
        what = "A new page" if draft.kind is DraftKind.NEW_PAGE else "A draft of yours"
        return f"{what} from {age}{where}{unsure}: ‹page.edit› continues, ‹item.delete› discards"

    @property
    def unsent(self) -> str | None:
        """The text being typed, as a noun, or ``None``."""
        if self.editing.typing is not None:
            return f"a change of “{self.editing.typing}”"
        is_talking = "discussion" in self.__dict__ and self.discussion.talking.typing
        return "a comment" if is_talking else None

    # Editing

    def _go_to_sent(self, request: ChangeRequest, page: str | None) -> None:
        other = page if page != self._reading.page else None
        if not self._address.move(request.id, page=other) and other is not None:
            self._page_written(other)

    def edit(self, *, built_in: bool, line: int) -> None:
        """Edit the page at a line, counted from 1: in the built-in editor, else in the person's own.

        A draft goes on where it goes. In a past revision, offer to bring its text back as a change.
        """
        page = self._reading.shown
        if page is not None and isinstance(self._address.at, AtRevision):
            self._view.work(self._bring_back(page, built_in=built_in, line=line), "edit", unless_running="edit")
        elif page is not None:
            draft = self.editing.drafts.get(page.id)
            request = Target.of_draft(draft).request if draft is not None else self._address.chosen_request
            action = "page.edit_here" if built_in else "page.edit"
            self._address.lead(request, action, lambda: self._edit(page, built_in=built_in, line=line))

    def _edit(self, page: Page, *, built_in: bool, line: int) -> None:
        self._view.work(self.editing.edit(page, built_in=built_in, line=line), "edit", unless_running="edit")

    async def _bring_back(self, page: Page, *, built_in: bool, line: int) -> None:
        from recto.tui.dialogs.confirm import NOTHING_CHANGES, Confirm

        says = f"The editor opens with the text of “{page.title}” as it was here; what you send is a change."
        if await self._view.ask(Confirm("Bring this text back", says, does="opens it", undo=NOTHING_CHANGES)):
            await self.editing.edit(page, built_in=built_in, line=line, text=page.markdown or "")

    def choose_address(self) -> None:
        """Choose where the space is seen."""
        self._address.ask(self.editing)

    def new_page(self) -> None:
        """Add a page near the shown page."""
        self._lead(
            "item.new",
            lambda: self._view.work(self.page_changes.new(self._shown_in_tree), "new", unless_running="edit"),
        )

    def add_file(self) -> None:
        """Add a file of this machine."""
        self._lead("item.new", lambda: self._view.work(self.page_changes.add_file(), "new", unless_running="edit"))

    def rename_page(self) -> None:
        """Rename the page."""
        if (page := self._shown_in_tree) is not None:
            self._lead(
                "item.rename", lambda: self._view.work(self.page_changes.rename(page), "rename", unless_running="edit")
            )

    def delete(self, selected: Sequence[str]) -> None:
        """Delete the selected pages; without any, discard the draft of the page, else delete the page."""
        draft = self.editing.drafts.get(self._reading.page or "")
        if pages := [page for id in selected if (page := self._in_tree(id)) is not None]:
            self._view.work(self.page_changes.delete(pages), "delete", unless_running="edit")
        elif draft is not None:
            self._view.work(self.editing.discard(draft), "discard", unless_running="edit")
        elif (page := self._shown_in_tree) is not None:
            self._lead(
                "item.delete",
                lambda: self._view.work(self.page_changes.delete([page]), "delete", unless_running="edit"),
            )

    def _lead(self, action: str, otherwise: Callable[[], object]) -> None:
        self._address.lead(self._address.chosen_request, action, otherwise)

    @property
    def _shown_in_tree(self) -> Page | None:
        """The shown page as it stands in the tree."""
        return self._in_tree(self._reading.page or "")

    def _in_tree(self, id: str) -> Page | None:
        """Return a page as it stands in the tree; an unsent new page stands only here."""
        page = self._reading.index.pages.get(id)
        return page if page is None or page.type != NEW else None

    # Commenting

    def comment(self, line: int) -> None:
        """Comment on the block at a line of the page's source, counted from 0."""
        if (page := self._reading.shown) is not None:
            self._view.work(self._comment(page, line), "comment", unless_running="comment")

    async def _comment(self, page: Page, line: int) -> None:
        try:
            anchors = await self._marks.anchors(page)
        except CUT_OFF:
            await self._comment_quoting(page)
            return
        # The heading that gives the title is no block of the page: there the page as a whole is meant.
        block = anchors.key_at(line + 1)
        beginning = plain(strip_marks(anchors.first_line_of(block))) if block is not None else ""
        await self.discussion.talking.comment(page.id, block, beginning, f"“{page.title}”")

    async def _comment_quoting(self, page: Page) -> None:
        """Comment on the page with a quote of the block, whose key only the platform knows, which cannot be reached."""
        quote = on_one_line(self._reading.block_text)
        text = f"> {quote}\n\n" if quote else ""
        self._view.say("The platform cannot be reached: the comment is on the page, and quotes the block.")
        await self.discussion.talking.comment(page.id, None, "", f"“{page.title}”", text)

    def open_thread(self, comment: Comment) -> None:
        """Show a thread."""
        place, node = page_name(comment), comment.target.node
        if node is not None and node.preview:
            place = f"{place} · “{plain(strip_marks(node.preview))[:40]}”"
        self._view.work_to_open(self.discussion.open(comment, place), "thread")

    def _why_not_apply(self, comment: Comment) -> str | None:
        page = comment.target.page
        if page is None or page.outdated or page.id not in self._reading.index:
            return "its page or block was deleted"
        return self._why_no_edits()

    async def mark_comments(self) -> None:
        """Mark the blocks of the page that have comments."""
        page = self._reading.shown
        if page is not None and page.type == "document":
            marks = await self._marks.find(page, self._activity.comments)
            if self._reading.shown is page:
                self._reading.mark(marks)
