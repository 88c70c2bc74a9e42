"""A change request: overview, changes, conversation, preview and conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import MAX_LISTED, ContentChanges
from recto.contract.comments import Comment
from recto.contract.content import Page
from recto.contract.unread import unread_of
from recto.document.markdown.page_links import LinkKind, read_link
from recto.document.text import count
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from recto.store.merging import Merging
from recto.store.pending_review import PendingComment, PendingReview
from recto.store.request_changes import RequestChanges
from recto.store.resolution import Choice
from recto.store.resolving import Resolving
from recto.store.review_pages import DELETED
from recto.store.roles import role_of
from recto.store.titled_text import title_lines
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.conflict_list import ConflictList
from recto.tui.look import signs
from recto.tui.look.lines import Line
from recto.tui.navigation.messages import Arrival, Block, Visited
from recto.tui.navigation.url_locations import for_browser
from recto.tui.page.page_view import PageView
from recto.tui.screens.change_request.changes_tab import TO_PAGES, ChangesTab
from recto.tui.screens.change_request.conversation import ConversationPane
from recto.tui.screens.change_request.facts import RequestFacts
from recto.tui.screens.change_request.merge_dialogs import MergeDialogs
from recto.tui.screens.change_request.overview import OverviewTab, head_lines
from recto.tui.screens.change_request.parts import (
    CommentTarget,
    PendingWanted,
    ThreadWanted,
    show_missing_changes,
    target_at_line,
)
from recto.tui.screens.change_request.request_reasons import why_not, why_not_written
from recto.tui.screens.change_request.request_tasks import RequestTasks
from recto.tui.screens.change_request.review_tasks import ReviewTasks
from recto.tui.screens.pane import Pane, Tab
from recto.tui.screens.reading.destinations import Destination, ToPage, destination
from recto.tui.screens.reading.page_index import PageIndex
from recto.tui.screens.reading.reading_pane import ReadingPane
from recto.tui.screens.revert_dialogs import RevertDialogs
from recto.tui.screens.view import View
from recto.tui.widgets.lines_bar import LinesBar
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.drafts import DraftPlace
    from recto.store.query import Query
    from recto.store.resolution import Conflict, Resolution
    from recto.store.store import Offline, Store


class ConflictsPane(Pane):
    """Shows the sides of each conflict, and how many are left."""

    def __init__(self, store: Store) -> None:
        self._list = ConflictList(id="conflict-list")
        super().__init__(store, "Conflicts", self._list, id="conflicts")

    @property
    def current(self) -> Conflict | None:
        """The conflict under the cursor."""
        return self._list.current

    def show(self, resolution: Resolution, titles: Mapping[str, str]) -> None:
        """Show the state of a resolution; ``titles`` are those of pages, by id and by path."""
        total = len(resolution.conflicts)
        all_of_them = f"all {total} resolved" if total > 1 else "resolved"
        state = f"{resolution.left} of {total} left" if resolution.left else f"{all_of_them}, ‹conflict.apply› applies"
        self.entitle("Conflicts", state)
        self._list.show_resolution(resolution, titles=titles)


OVERVIEW, CHANGES, CONVERSATION, PREVIEW, CONFLICTS = range(5)
"""The tabs by their place; the last is there only while conflicts are resolved."""

NAMES = ("Overview", "Changes", "Conversation", "Preview", "Conflicts")

SHORT_NAMES = {"Conversation": "Talk"}
"""What stands for a name where there is little room."""

ONLY_IN = {
    "conflict_apply": (CONFLICTS,),
    **dict.fromkeys(("review_viewed", "review_next_page", "review_previous_page"), (CHANGES, PREVIEW)),
    "list_filter": (CONVERSATION,),
    "review_suggest": (CHANGES, PREVIEW),
    "review_comment": (OVERVIEW, CHANGES, CONVERSATION, PREVIEW),
    "item_delete": (CHANGES, CONVERSATION),
    "view_tree": (CHANGES,),
}
"""The tabs in which an action has a meaning."""

_AS_IT_WILL_BE = "as it will be"

_REVIEW = "Review"
_GROUP = "Change request"

register(
    Action("request.merge", "Merge", ("M",), _GROUP, "merge", writes=True),
    Action("request.update", "Update from main", ("P",), _GROUP, "update", writes=True),
    Action("request.describe", "Change the description", (), _GROUP, writes=True),
    Action("request.status", "Change the status: draft, open, archived", (), _GROUP, writes=True),
    Action("request.reviewers", "Request a review", (), _GROUP, writes=True),
    Action("request.withdraw", "Withdraw a request for a review", (), _GROUP, writes=True),
    Action("request.conflicts", "Resolve the conflicts", (), _GROUP),
    Action("conflict.apply", "Apply the resolution", ("A",), "Conflicts", "apply", writes=True),
    Action("review.viewed", "Mark as viewed, and go to the next page", ("space",), _REVIEW, "viewed"),
    Action("review.next_page", "Next changed page", ("right_curly_bracket",), _REVIEW),
    Action("review.previous_page", "Previous changed page", ("left_curly_bracket",), _REVIEW),
    Action(
        "review.comment",
        "Comment here, or reply to the thread under the cursor",
        ("c",),
        _REVIEW,
        "comment",
        writes=True,
        drafted=True,
    ),
    Action("review.suggest", "Suggest other words for the block", ("s",), _REVIEW, writes=True, drafted=True),
    Action("review.submit", "Submit your review", ("S",), _REVIEW, "submit review", writes=True),
)


class ChangeRequestView(View[ChangeRequestLocation]):
    """Shows a change request."""

    BINDINGS = bindings(
        "review.viewed",
        "review.next_page",
        "review.previous_page",
        "review.comment",
        "review.suggest",
        "review.submit",
        "list.filter",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
        "request.merge",
        "request.update",
        "item.rename",
        "request.describe",
        "request.status",
        "request.reviewers",
        "request.withdraw",
        "page.changes",
        "request.conflicts",
        "content.pdf",
        "revision.revert",
        "conflict.apply",
        "page.edit",
        "page.edit_here",
        "view.refresh",
        "view.tree",
    )

    def __init__(self, store: Store, location: ChangeRequestLocation) -> None:
        super().__init__(store, location)
        self.space = location.space
        self.key = location.change_request
        self._at = InChangeRequest(self.space, self.key)
        self.facts = RequestFacts(store, self.space, self.key, self._show_soon, self.is_uncovered)
        self.pending = PendingReview(store, self._at, self._show_soon)
        self._head = LinesBar(self._draw_head, id="head")
        self._tabs = self.tab_strip = TabStrip(
            NAMES[:CONFLICTS], short=SHORT_NAMES, active=_tab_of(location), news=store.news
        )
        self.overview = OverviewTab(store, self.facts)
        self.changed = ChangesTab(store, self._at, self.facts, self.pending)
        """The changed pages, and the diff of the page looked at."""
        self.conversation = ConversationPane(store, self._at, self.facts, self.pending)
        # Space marks the page as viewed.
        self.preview = ReadingPane(
            store,
            self._at,
            id="preview",
            title="Preview",
            beside=_AS_IT_WILL_BE,
            addressed=False,
            folds_with_space=False,
        )
        """The page looked at under changes, as it will be."""
        self.conflicts = ConflictsPane(store)
        self._looked_ahead: tuple[str, str, bool] | None = None
        """The state of both sides for which conflicts were looked for, whether or not that worked."""
        self._counted: object = None
        """The state of the pages whose lines were counted, whether or not that worked."""
        self._changes = RequestChanges(self.space, self.key, lambda: self.facts.name)
        self._tasks = RequestTasks(self, self._changes, self.facts)
        self.reviewing = ReviewTasks(self, self._changes, self.facts, self.pending)
        dialogs = MergeDialogs(self, self.facts, self._take_conflicts)
        self._resolving = Resolving(store, self._changes, dialogs, lambda: self.facts.pages or ())
        self._merging = Merging(store, self._changes, dialogs)

    def compose(self) -> ComposeResult:
        """Begin to follow before what follows is put on the screen."""
        self.facts.follow()
        yield from super().compose()

    @classmethod
    def first_queries(cls, store: Store, location: ChangeRequestLocation) -> Sequence[Query[Any]]:
        """The change request and what it changes."""
        ids = location.space, location.change_request
        changes = store.query(ContentChanges.list_changes, InChangeRequest(*ids), limit=MAX_LISTED)
        return store.query(ChangeRequests.get_change_request, *ids), changes

    def compose_body(self) -> ComposeResult:
        """Put the header, the tabs and what each shows."""
        yield self._head
        yield self._tabs
        self.changed.seek(self._block_of_arrival())
        if self.opened_at.page is not None:
            self.changed.go_to_page(self.opened_at.page)
        yield from self._panes

    def on_mount(self) -> None:
        """Draw the known state, and read drafts."""
        self._show_tab()
        self._show()
        self.work(self._load_viewed(), "viewed")
        self.work(self._load_drafts(), "drafts")
        self.work(self._load_resolution(), "resolution")
        self.listen(self.store.reach, self._follow_reach)

    def on_unmount(self) -> None:
        """Stop following the change request."""
        self._resolving.close()
        self.facts.close()

    # Drawing

    @property
    def _panes(self) -> Sequence[Tab | Pane]:
        """What each tab shows."""
        return (self.overview, self.changed, self.conversation, self.preview, self.conflicts)

    @property
    def tab(self) -> int:
        """The tab that is shown."""
        return self._tabs.active

    @property
    def location(self) -> ChangeRequestLocation:
        """The change request, at the page looked at and the tab shown."""
        if not self.is_mounted:
            return self.opened_at
        page = self.changed.current if self.tab in (CHANGES, PREVIEW) else None
        return self._location_in(page.id if page is not None else None, self.tab)

    def _location_in(self, page: str | None, tab: int) -> ChangeRequestLocation:
        request = self.facts.request.value
        title = f"#{request.number} {request.subject}" if request is not None else self.opened_at.title
        return ChangeRequestLocation(self.space, self.key, page=page, title=title, tab=tab)

    def arrive(self, location: ChangeRequestLocation) -> None:
        """Go to the page that the location names."""
        if page := location.page:
            self._tabs.active = _tab_of(location)
            self.changed.seek(self._block_of_arrival())
            self.changed.go_to_page(page)

    def _block_of_arrival(self) -> Block | None:
        arrival, self.arrival = self.arrival, None
        return arrival.block if arrival is not None else None

    def _show_soon(self) -> None:
        self.call_once(self._show)

    def _show(self) -> None:
        tree = self.facts.tree.value
        if tree is not None and tree.pages is not self.preview.index.roots:
            self.preview.know(PageIndex.of(tree.pages, unread_of(tree)))
        self._show_head()
        self.changed.show()
        self._show_conflicts()
        self._draw_tab()
        self._look_ahead()
        self._count_lines()
        self.refresh_bindings()

    def _draw_tab(self) -> None:
        """Draw the panes of the tab. The changed pages are always drawn, since they know which page is shown."""
        if self.tab == OVERVIEW:
            self.overview.show()
        elif self.tab == CONVERSATION:
            self.conversation.show()
        elif self.tab == PREVIEW:
            self._show_preview()

    def _show_head(self) -> None:
        request, space = self.facts.request.value, self.facts.space.value
        organization = self.facts.organization.value if self.facts.organization is not None else None
        named = f"#{request.number} {request.subject or 'without a subject'}" if request is not None else "…"
        trail = (organization.title if organization else "…", space.title if space else "…", named)
        self.show_where(*trail, role=role_of(space.permissions) if space else "")
        self._head.refresh()
        pages = self.facts.pages
        tabs = self._tabs
        tabs.count(CHANGES, len(pages) if pages is not None else None, (page.id for page in pages or ()))
        listed = self.facts.comments.value
        comments = listed.items if listed is not None else ()
        open_threads = sum(1 for one in comments if one.status == "open") if listed is not None else None
        tabs.count(CONVERSATION, open_threads, (one.id for one in comments))
        tabs.count(OVERVIEW, None, (one.review for one in self.facts.verdicts()))

    def _draw_head(self, width: int) -> Sequence[Line]:
        return head_lines(self.facts, self.store.clock(), len(self.pending.unsent), width)

    def on_diff_pane_looked(self) -> None:
        """Show the page looked at as it will be, and find the titles of what it links to in other spaces."""
        if self.tab == PREVIEW:
            self._show_preview()
        reading = self.changed.reading
        if reading is not None and reading.diff is not None:
            texts = [page.markdown or "" for page in (reading.before, reading.after) if page is not None]
            if links := self.facts.find_unnamed_elsewhere(texts):
                self.work(self.facts.name_elsewhere(links), "titles")
        self.refresh_bindings()

    def _show_conflicts(self) -> None:
        resolution = self._resolving.resolution
        request = self.facts.request.value
        if resolution is not None and request is not None and request.status == "merged":
            # It was resolved and merged elsewhere.
            self.work(self._resolving.discard(), "resolution")
            resolution = None
        tabs = self._tabs
        names = NAMES if resolution is not None else NAMES[:CONFLICTS]
        if names != tabs.names:
            tabs.names = names
            tabs.refresh()
            if tabs.active >= len(names):
                tabs.active = OVERVIEW
        if resolution is not None:
            tabs.count(CONFLICTS, resolution.left)
            self.conflicts.show(resolution, self.facts.link_titles)

    def _take_conflicts(self) -> None:
        self.facts.resolving = self._resolving.resolution is not None
        self.facts.conflicts = self._resolving.conflicts
        self._show_soon()

    def _look_ahead(self) -> None:
        """Find conflicts with main, once for each state of both sides."""
        request, space = self.facts.request.value, self.facts.space.value
        if request is None or space is None or self.facts.pages is None:
            return
        marked = self.facts.counts.has_markers
        if not request.outdated and request.revision_merged_ancestor is None and not marked:
            # It is based on main as it is: nothing can conflict.
            return
        state = (request.revision, space.revision, marked)
        if self._looked_ahead != state:
            self._looked_ahead = state
            self.work(self._resolving.look_ahead(request), "look ahead", instead_of="look ahead")

    def _derive_again(self) -> None:
        """Look for conflicts and count lines again: a part of it may have failed."""
        self._looked_ahead = self._counted = None
        self._show_soon()

    def _follow_reach(self, offline: Offline | None) -> None:
        if offline is None:
            self._derive_again()

    def _count_lines(self) -> None:
        """Count the lines of all changed pages, once for each state of them."""
        request, pages = self.facts.request.value, self.facts.pages
        if request is None or pages is None or request.status == "archived":
            return
        state = self.facts.counts.identify(request, pages)
        if self._counted != state:
            self._counted = state
            reading = self.changed.reading
            read = reading.page.id if reading is not None and reading.diff is not None else None
            counting = self.facts.counts.count(
                request, pages, self._show_soon, lambda: self.changed.pages_in_sight, read
            )
            self.work(counting, "count", instead_of="count")

    async def _load_viewed(self) -> None:
        await self.store.viewed.load()
        self.changed.show()

    async def _load_drafts(self) -> None:
        await self.reviewing.load()
        waiting = len(self.pending.unsent)
        if waiting:
            self.say(f"{count(waiting, 'comment')} of yours here {'is' if waiting == 1 else 'are'} not sent yet.")
        await self._tasks.offer_description()

    async def _load_resolution(self) -> None:
        await self._resolving.load()
        if self._resolving.resolution is None and self.tab == CONFLICTS:
            # They were resolved elsewhere since the last visit.
            self._tabs.active = OVERVIEW

    # Tabs

    def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        event.stop()
        self._draw_tab()
        self._show_tab()

    def _show_tab(self) -> None:
        for index, pane in enumerate(self._panes):
            pane.display = index == self.tab
        self._panes[self.tab].take_focus()
        self.refresh_bindings()

    def lacks_page(self, page: str) -> bool:
        """Whether a page is not changed any more."""
        return self.facts.pages is not None and page not in self.facts.pages_by_id

    def escape(self) -> bool:
        """Close the innermost, else go from the diff to the tree."""
        return super().escape() or self.leave_zoom()

    def go_to_parent(self, *, quit: bool = False) -> None:
        """Where there is room for a single pane, go from the diff to the tree; else to the parent in the breadcrumb."""
        if not self.leave_zoom():
            super().go_to_parent(quit=quit)

    def leave_zoom(self) -> bool:
        """Where there is room for a single pane, go from the diff to the tree."""
        if self.tab != CHANGES or not self.changed.is_zoomed:
            return False
        self.changed.leave_diff()
        return True

    def action_view_tree(self) -> None:
        """Go from the diff to the tree."""
        self.changed.leave_diff()

    @property
    def unsent(self) -> str | None:
        """The comments that are not sent."""
        waiting = len(self.pending.unsent)
        parts = [count(waiting, "comment")] if waiting else []
        resolution = self._resolving.resolution
        if resolution is not None and resolution.choices:
            parts.append("choices for conflicts")
        return " and ".join(parts) or None

    # The change request

    def action_request_merge(self) -> None:
        """Merge."""
        self.work(self._merge(), "merge", unless_running="request")

    async def _merge(self) -> None:
        if await self._merging.merge():
            if await self._resolving.find_left():
                self.action_request_conflicts()
            else:
                self._derive_again()
                self.facts.refresh()

    def action_request_update(self) -> None:
        """Update from main."""
        self.work(self._update(), "update", unless_running="request")

    async def _update(self) -> None:
        if await self._resolving.update():
            self.action_request_conflicts()

    def action_content_pdf(self) -> None:
        """Save the changed content, or the selected page, as a PDF."""
        from recto.tui.screens.space.pdf_form import save_as_pdf

        self.work_to_open(save_as_pdf(self, self._at, self._page_here), "pdf")

    def action_request_conflicts(self) -> None:
        """Show the conflicts."""
        self._show_conflicts()
        self._tabs.active = CONFLICTS

    def on_conflict_list_chosen(self, event: ConflictList.Chosen) -> None:
        """Resolve a conflict and go on to the next."""
        self._resolving.choose(event.conflict, Choice(event.side))
        self._show_conflicts()
        event.list.action_conflict_next()

    def action_conflict_apply(self) -> None:
        """Apply the resolution."""
        self.work(self._apply(), "apply", unless_running="request")

    async def _apply(self) -> None:
        if await self._resolving.apply():
            self._tabs.active = OVERVIEW

    def action_page_edit(self) -> None:
        """Edit the page, the comment or the conflict under the cursor, or the description, in the person's editor."""
        self._edit(here=False)

    def action_page_edit_here(self) -> None:
        """Edit the page, the comment or the conflict under the cursor, in the built-in editor."""
        self._edit(here=True)

    def _edit(self, *, here: bool) -> None:
        if self.tab == CONFLICTS:
            if (conflict := self.conflicts.current) is not None:
                self.work(self._resolving.edit(conflict, here=here), "edit", unless_running="request")
            return
        if self.tab == OVERVIEW:
            self.action_request_describe()
            return
        item = self.thread_here or self.changed.talk_here
        if isinstance(item, Comment):
            self.reviewing.edit_comment(item)
        elif item is not None:
            self.reviewing.go_on(item)
        elif (page := self._page_here) is not None:
            self.reviewing.edit(page, self._line_here(page), built_in=here)

    @property
    def _page_here(self) -> Page | None:
        """The page of which the text is seen, as the change request has it."""
        if self.tab == PREVIEW:
            return self.preview.shown
        return self.changed.reading.after if self.tab == CHANGES and self.changed.reading is not None else None

    def _line_here(self, page: Page) -> int:
        """Return the line of the page's source at the cursor, counted from 1."""
        if self.tab == PREVIEW:
            return self.preview.cursor_line + 1
        line = self.changed.line_here
        return 1 if line is None else line + title_lines(page)

    def _why_no_edit(self) -> str | None:
        """Return why there is nothing to edit under the cursor."""
        if self.tab == CONFLICTS:
            return None
        if self.tab == OVERVIEW:
            return self.why_not("request.describe")
        item = self.thread_here or self.changed.talk_here
        if isinstance(item, Comment) and not item.permissions.edit:
            return f"it is {signs.person(item.posted_by)}'s"
        if item is not None:
            return None
        if self.tab in (CHANGES, PREVIEW) and (page := self._page_here) is not None:
            return why_not_written(self.facts) if page.type == "document" else f"a {page.type} page is not written here"
        if self.changed.current is not None and DELETED in self.changed.current.kinds:
            return "the page is deleted here"
        return "no page or comment is under the cursor"

    def action_change_undo(self) -> None:
        """Take the last choice back while resolving, else the last change."""
        if self.tab != CONFLICTS or not self._resolving.undo():
            super().action_change_undo()

    def action_revision_revert(self) -> None:
        """Revert what was merged."""
        request = self.facts.request.value
        if request is not None and request.revision_merged:
            RevertDialogs(self, self.space).revert(request.revision_merged)

    def shows_place(self, place: DraftPlace) -> bool:
        """Whether a change was made in this change request, of the page that is looked at."""
        looked = self.changed.current.id if self.changed.current is not None else None
        return place.change_request == self.key and place.page in (None, looked)

    def action_item_rename(self) -> None:
        """Change the subject."""
        self.work(self._tasks.rename(), "rename", unless_running="request")

    def action_request_describe(self) -> None:
        """Change the description."""
        self.work(self._tasks.describe(), "describe", unless_running="request")

    def action_request_status(self) -> None:
        """Change the status."""
        self.work(self._tasks.choose_status(), "status", unless_running="request")

    def action_request_reviewers(self) -> None:
        """Ask for a review."""
        self.work(self._tasks.request_reviewers(), "reviewers", unless_running="request")

    def action_request_withdraw(self) -> None:
        """Withdraw a request for a review."""
        self.work(self._tasks.withdraw_reviewer(), "reviewers", unless_running="request")

    def action_page_changes(self) -> None:
        """Show the page looked at in the space, as the change request has it, at the same block."""
        request, page = self.facts.request.value, self._page_here
        if request is not None:
            location = SpaceLocation(self.space, change_request=request.id, page=page.id if page is not None else None)
            block = Block(self._line_here(page) - 1, page.markdown or "") if page is not None else None
            self.go(location, arrival=Arrival(block=block))

    def action_view_refresh(self) -> None:
        """Refresh everything."""
        self._derive_again()
        self.facts.refresh()
        self.conversation.reload()
        if self.changed.reading is not None:
            self.changed.reading.refresh()

    # Reviewing

    def action_review_viewed(self) -> None:
        """Mark the page as viewed and go on."""
        self.changed.mark_viewed()

    def action_review_next_page(self) -> None:
        """Go to the next changed page."""
        self.changed.step(1)

    def action_review_previous_page(self) -> None:
        """Go to the previous changed page."""
        self.changed.step(-1)

    def comment_target(self) -> CommentTarget:
        """Return where a comment would go."""
        if self.tab == CHANGES:
            return self.changed.comment_target() or CommentTarget(None)
        return self._point_in_preview() if self.tab == PREVIEW else CommentTarget(None)

    def _point_in_preview(self) -> CommentTarget:
        reading, page = self.changed.reading, self.preview.shown
        if reading is None or reading.after is None or page is None:
            return CommentTarget(None)
        # Blocks are counted in the text under the title; on that the page as a whole is meant.
        line = self.preview.cursor_line + 1 - title_lines(page)
        return target_at_line(reading, line if line > 0 else None)

    def action_review_comment(self) -> None:
        """Comment on the block or page under the cursor, or reply to the thread."""
        item = self.thread_here
        pending = item if isinstance(item, PendingComment) else self.changed.pending_here
        if isinstance(item, Comment):
            self.reviewing.reply(item)
        elif pending is not None:
            self.reviewing.go_on(pending)
        else:
            self.reviewing.comment(self.comment_target())

    def action_review_suggest(self) -> None:
        """Suggest other words for the block under the cursor."""
        self.reviewing.suggest(self.comment_target())

    def action_list_filter(self) -> None:
        """Ask which comments of the conversation to show."""
        self.conversation.filter()

    def action_review_submit(self) -> None:
        """Submit the review."""
        self.reviewing.submit()

    @property
    def thread_here(self) -> Comment | PendingComment | None:
        """The thread under the cursor of the conversation."""
        return self.conversation.current if self.tab == CONVERSATION else None

    def on_thread_wanted(self, event: ThreadWanted) -> None:
        """Open a thread."""
        self.reviewing.open(event.comment)

    def on_pending_wanted(self, event: PendingWanted) -> None:
        """Go on with a comment that is not sent."""
        self.reviewing.go_on(event.pending)

    def action_item_delete(self) -> None:
        """Discard the comment under the cursor that is not sent."""
        item = self.thread_here
        pending = item if isinstance(item, PendingComment) else self.changed.pending_here
        if pending is not None:
            self.reviewing.discard(pending)

    # The preview

    def _show_preview(self) -> None:
        """Show the page looked at as it will be, or why it is not there."""
        reading, preview = self.changed.reading, self.preview
        if (reading is None or DELETED in reading.page.kinds) and preview.page is not None:
            preview.clear()
        if reading is None:
            if self.facts.pages is None:
                show_missing_changes(preview, self.facts)
            elif self.facts.pages:
                preview.show_loading("the page")
            else:
                preview.show_empty("No changed page to preview yet.", *TO_PAGES)
        elif DELETED in reading.page.kinds:
            preview.entitle(reading.page.title or "Untitled", _AS_IT_WILL_BE)
            preview.show_empty("This page will be gone.", "right_curly_bracket", "goes to the next changed page")
        elif preview.page != reading.page.id:
            preview.open(reading.page.id)

    def _is_previewed(self, page: str) -> bool:
        return any(one.id == page and DELETED not in one.kinds for one in self.facts.pages or ())

    def on_reading_pane_read(self, event: ReadingPane.Read) -> None:
        """Make ``-`` lead back to the page of the preview."""
        self.post_message(Visited(self._location_in(event.page, PREVIEW)))

    # Links and copies

    def on_reading_pane_link_chosen(self, event: ReadingPane.LinkChosen) -> None:
        """Go where a link of the preview leads: to a changed page there, else to the page in the space."""
        leads = event.leads
        if event.browse:
            self.preview.browse(leads)
        elif isinstance(leads, ToPage) and self._is_previewed(leads.page):
            self.preview.visit(leads.page, anchor=leads.anchor)
            self.changed.go_to_page(leads.page)
        else:
            self.preview.leave_by(leads)

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Go where a link of the description leads: to a changed page in the preview, else to the page in the space."""
        link = read_link(event.href)
        if link.kind is LinkKind.ANCHOR:
            if not event.view.go_to_anchor(link.anchor):
                self.say(f"No heading #{link.anchor}.")
            return
        leads = self._resolve_description_link(event.href)
        if isinstance(leads, ToPage) and self._is_previewed(leads.page):
            self._tabs.active = PREVIEW
            self.preview.open(leads.page, anchor=leads.anchor)
            self.changed.go_to_page(leads.page)
        else:
            self.preview.leave_by(leads)

    def _resolve_description_link(self, href: str) -> Destination:
        """Return where a link of the description leads, which stands on no page."""
        return destination(href, Page(id=""), self.preview.index)

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Open a link of the description, or the change request, in the browser."""
        # A place in the description is in the change request.
        if event.href is not None and read_link(event.href).kind is not LinkKind.ANCHOR:
            self.preview.browse(self._resolve_description_link(event.href))
        elif for_browser(self.address) is None:
            self.say("The change request has no address that a browser can open.")
        else:
            self.action_item_open_in_browser()

    def on_page_view_copy_text_requested(self, event: PageView.CopyTextRequested) -> None:
        """Copy a block."""
        self.app.copy_to_clipboard(event.text)
        self.say("Copied the text.")

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Copy a link; a place in the preview has no address."""
        address = event.href or self.address
        if address is not None:
            self.app.copy_to_clipboard(address)
        self.say(f"Copied {address}" if address is not None else "The change request has no address.")

    @property
    def address(self) -> str | None:
        """Where it stands in the platform's web app."""
        request = self.facts.request.value
        return (request.urls.app or request.urls.location) if request is not None else None

    def action_item_open_in_browser(self) -> None:
        """Open the change request in the platform's web app."""
        if (address := for_browser(self.address)) is not None:
            self.app.open_url(address)

    def action_item_copy_link(self) -> None:
        """Copy the change request's address."""
        if (address := self.address) is not None:
            self.app.copy_to_clipboard(address)
            self.say(f"Copied {address}")

    # What can be done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what belongs to conflicts only there, and reviewing not there."""
        tabs = ONLY_IN.get(action)
        if tabs is not None:
            return self.is_mounted and self.tab in tabs
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return why an action cannot be done now."""
        if not self.is_mounted:
            return None
        resolution = self._resolving.resolution
        if action == "item.open_in_browser" and self.address is not None and not for_browser(self.address):
            return "it has no web address"
        if action in ("item.open_in_browser", "item.copy_link"):
            return None if self.address is not None else "it has no address"
        if action == "change.undo" and self.tab == CONFLICTS and resolution is not None and resolution.steps:
            return None
        if action in ("page.edit", "page.edit_here") and (reason := self._why_no_edit()):
            return reason
        if action == "review.suggest" and self.comment_target().block is None:
            return "the cursor is on no block"
        if action == "item.delete":
            here = self.thread_here
            is_pending = isinstance(here, PendingComment) or self.changed.pending_here is not None
            return None if is_pending else "only a comment that is not sent is discarded here"
        return why_not(action, self.facts, resolution) or super().why_not(action)


def _tab_of(location: ChangeRequestLocation) -> int:
    """Return the tab of a location; at a page it is that of the changes."""
    tab = (CHANGES if location.page else OVERVIEW) if location.tab is None else location.tab
    return min(tab, CONFLICTS)
