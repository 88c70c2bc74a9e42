"""A change request: what it is about, what it changes, what is said about it, and how it will read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from recto.contract.addresses import InChangeRequest
from recto.store.editing import Editing
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from recto.store.pending_review import PendingComment
from recto.store.request_changes import RequestChanges
from recto.store.resolution import Choice
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.conflict_list import ConflictList
from recto.tui.look import signs
from recto.tui.look.lines import Line
from recto.tui.navigation.urls import for_browser
from recto.tui.screens.change_request.changes import ChangesPane
from recto.tui.screens.change_request.conflicts import ConflictsPane
from recto.tui.screens.change_request.conversation import ConversationPane
from recto.tui.screens.change_request.facts import RequestFacts
from recto.tui.screens.change_request.overview import OverviewPane, head_lines
from recto.tui.screens.change_request.reasons import why_not, why_not_written
from recto.tui.screens.change_request.resolving import ConflictResolver
from recto.tui.screens.change_request.reviewing import RequestReviewing
from recto.tui.screens.change_request.tabs import (
    CHANGES,
    CONFLICTS,
    CONVERSATION,
    NAMES,
    ONLY_IN,
    OVERVIEW,
    PANES,
    PREVIEW,
    SHORT_NAMES,
)
from recto.tui.screens.change_request.tasks import Tasks
from recto.tui.screens.editing import EditingDialogs
from recto.tui.screens.talking import Discussion
from recto.tui.widgets.bars import LinesBar
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.store import Store

_GROUP = "Change request"

register(
    Action("request.merge", "Merge", ("M",), _GROUP, "merge", writes=True),
    Action("request.pull", "Update from main", ("P",), _GROUP, "update", writes=True),
    Action("request.describe", "Change the description", (), _GROUP, writes=True),
    Action("request.status", "Change the status: draft, open, archived", (), _GROUP, writes=True),
    Action("request.reviewers", "Request a review", (), _GROUP, writes=True),
    Action("request.space", "Open the space", (), _GROUP),
    Action("request.conflicts", "Resolve the conflicts", (), _GROUP),
    Action("conflict.apply", "Apply the resolution", ("A",), "Conflicts", "apply", writes=True),
)


class ChangeRequestView(RequestReviewing):
    """Shows a change request; what is typed is on disk before it is sent."""

    BINDINGS = bindings(
        "request.merge",
        "request.pull",
        "item.rename",
        "request.describe",
        "request.status",
        "request.reviewers",
        "request.space",
        "request.conflicts",
        "conflict.apply",
        "page.edit",
        "page.edit_here",
        "view.refresh",
    )

    def __init__(self, store: Store, location: ChangeRequestLocation) -> None:
        super().__init__(store, location)
        self._due = False
        self._looked_ahead: tuple[str, str] | None = None
        self._changes = RequestChanges(self.space, self.key)

    def compose(self) -> ComposeResult:
        """Begin to follow before what follows is put on the screen."""
        self.facts = RequestFacts(self.store, self.space, self.key, self.heard)
        self._tasks = Tasks(self, self._changes, self.facts)
        self.discussion = Discussion(
            self,
            InChangeRequest(self.space, self.key),
            self.pending,
            Editing(self.store, self.space, EditingDialogs(self, self.space), request=self.key),
            why_not_apply=lambda _: why_not_written(self.facts),
            titles=lambda page: self.facts.titles.get(page, "the whole"),
        )
        self._resolver = ConflictResolver(self, self._changes, self.facts, self.heard)
        yield from super().compose()

    def compose_body(self) -> ComposeResult:
        """Put the header, the tabs and what each shows."""
        yield LinesBar(self._draw_head, id="head")
        yield TabStrip(NAMES[:CONFLICTS], short=SHORT_NAMES, active=_tab_of(self.opened_at))
        yield OverviewPane(self.facts, self.store.clock)
        pane = ChangesPane(self.store, self.key, self.facts, self.pending, self.seen)
        pane.wanted = self.opened_at.page
        yield pane
        yield ConversationPane(self.facts, self.pending, self.store.clock)
        yield self.preview
        yield ConflictsPane()

    def on_mount(self) -> None:
        """Show what is known and read what was typed before."""
        self._show_tab()
        self._show()
        self.work(self._load_drafts(), "drafts")
        self.work(self._load_resolution(), "resolution")

    def on_unmount(self) -> None:
        """Give up what is being read."""
        self.facts.close()
        super().on_unmount()

    # What is shown

    @property
    def location(self) -> ChangeRequestLocation:
        """The change request, at the page looked at and the tab shown."""
        if not self.is_mounted:
            return self.opened_at
        page = self.pane.current if self.tab in (CHANGES, PREVIEW) else None
        request = self.facts.request.value
        title = f"#{request.number} {request.subject}" if request is not None else self.opened_at.title
        return ChangeRequestLocation(
            self.space, self.key, page=page.id if page is not None else None, title=title, tab=self.tab
        )

    def arrive(self, location: ChangeRequestLocation) -> None:
        """Go to the page that the location names."""
        if page := location.page:
            self.query_one(TabStrip).active = _tab_of(location)
            self.pane.go_to_page(page)

    def heard(self) -> None:
        """Show soon what has changed."""
        # Much is loaded at once; drawing once for all that came since the last time is enough.
        if not self._due:
            self._due = bool(self.call_later(self._show))

    def _show(self) -> None:
        self._due = False
        if not self.is_attached:
            return
        self._show_head()
        self.query_one(OverviewPane).show()
        self.pane.show()
        self.talked.show()
        self.show_preview()
        self._show_conflicts()
        self._look_ahead()
        self.refresh_bindings()

    def _show_head(self) -> None:
        request, space = self.facts.request.value, self.facts.space.value
        organization = self.facts.organization.value if self.facts.organization is not None else None
        named = f"#{request.number} {request.subject or 'without a subject'}" if request is not None else "…"
        self.show_where(organization.title if organization else "…", space.title if space else "…", named)
        self.query_one("#head", LinesBar).refresh()
        pages = self.facts.pages
        tabs = self.query_one(TabStrip)
        tabs.count(CHANGES, len(pages) if pages is not None else None)
        listed = self.facts.comments.value
        open_threads = sum(1 for one in listed.items if one.status == "open") if listed is not None else None
        tabs.count(CONVERSATION, open_threads)

    def _draw_head(self, width: int) -> Sequence[Line]:
        return head_lines(self.facts, self.store.clock(), len(self.unsent_comments), width)

    def on_changes_pane_looked(self) -> None:
        """Show the page looked at as it will be."""
        self.show_preview()
        self.refresh_bindings()

    def _show_conflicts(self) -> None:
        resolution = self._resolver.resolution
        request = self.facts.request.value
        if resolution is not None and request is not None and request.status == "merged":
            # It was resolved and merged elsewhere.
            self.work(self._resolver.discard(), "resolution")
            resolution = None
        tabs = self.query_one(TabStrip)
        names = NAMES if resolution is not None else NAMES[:CONFLICTS]
        if names != tabs.names:
            tabs.names = names
            tabs.refresh()
            if tabs.active >= len(names):
                tabs.active = OVERVIEW
        if resolution is not None:
            tabs.count(CONFLICTS, resolution.left)
            self.query_one(ConflictsPane).show(resolution)

    def _look_ahead(self) -> None:
        """Find conflicts with main, once for each state of both sides."""
        request, space = self.facts.request.value, self.facts.space.value
        if request is None or space is None or self.facts.pages is None:
            return
        if not request.outdated and request.revision_merged_ancestor is None:
            # It is based on main as it is: nothing can conflict.
            return
        state = (request.revision, space.revision)
        if self._looked_ahead != state:
            self._looked_ahead = state
            self.work(self._resolver.look_ahead(), "look ahead", group="look ahead")

    async def _load_drafts(self) -> None:
        await self.discussion.talking.load()
        waiting = len(self.unsent_comments)
        if waiting:
            self.say(f"{signs.count(waiting, 'comment')} of yours here {'is' if waiting == 1 else 'are'} not sent yet.")

    async def _load_resolution(self) -> None:
        await self._resolver.load()
        if self._resolver.resolution is None and self.tab == CONFLICTS:
            # They were resolved elsewhere since the last visit.
            self.query_one(TabStrip).active = OVERVIEW

    # Tabs

    def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        event.stop()
        self._show_tab()

    def _show_tab(self) -> None:
        for index, name in enumerate(PANES):
            self.query_one(f"#{name}").display = index == self.tab
        pane = self.pane
        target = {
            OVERVIEW: "#description",
            CHANGES: "#diff" if pane.has_class("-reading") else "#pages",
            CONVERSATION: "#threads",
            PREVIEW: "#page",
            CONFLICTS: "#conflict-list",
        }[self.tab]
        self.query_one(target).focus()
        self.refresh_bindings()

    def escape(self) -> bool:
        """Go back from the diff to the tree before leaving."""
        return super().escape() or (self.tab == CHANGES and self.pane.leave_diff())

    @property
    def unsent(self) -> str | None:
        """The comments that are not sent."""
        waiting = len(self.unsent_comments)
        told = [signs.count(waiting, "comment")] if waiting else []
        resolution = self._resolver.resolution
        if resolution is not None and resolution.choices:
            told.append("choices for conflicts")
        return " and ".join(told) or None

    # The change request

    def action_request_merge(self) -> None:
        """Merge."""
        self.work(self._merge(), "merge", group="request")

    async def _merge(self) -> None:
        if await self._tasks.merge():
            if await self._resolver.find_left():
                self.action_request_conflicts()
            else:
                self._looked_ahead = None
                self.facts.refresh()

    def action_request_pull(self) -> None:
        """Update from main."""
        self.work(self._pull(), "pull", group="request")

    async def _pull(self) -> None:
        if await self._resolver.pull():
            self.action_request_conflicts()

    def action_request_conflicts(self) -> None:
        """Show the conflicts."""
        self._show_conflicts()
        self.query_one(TabStrip).active = CONFLICTS

    def on_conflict_list_chosen(self, event: ConflictList.Chosen) -> None:
        """Resolve a conflict and go on to the next."""
        self._resolver.choose(event.conflict, Choice(event.side))
        self._show_conflicts()
        event.list.action_conflict_next()

    def action_conflict_apply(self) -> None:
        """Apply the resolution."""
        self.work(self._apply(), "apply", group="request")

    async def _apply(self) -> None:
        if await self._resolver.apply():
            self.query_one(TabStrip).active = OVERVIEW

    def action_page_edit(self) -> None:
        """Write in one's editor what a conflict comes to."""
        if (conflict := self.query_one(ConflictsPane).current) is not None:
            self.work(self._resolver.edit(conflict, here=False), "edit", group="request")

    def action_page_edit_here(self) -> None:
        """Write here what a conflict comes to."""
        if (conflict := self.query_one(ConflictsPane).current) is not None:
            self.work(self._resolver.edit(conflict, here=True), "edit", group="request")

    def action_change_undo(self) -> None:
        """Take the last choice back while resolving, else the last change."""
        if self.tab != CONFLICTS or not self._resolver.undo():
            super().action_change_undo()

    def action_item_rename(self) -> None:
        """Change the subject."""
        self.work(self._tasks.rename(), "rename", group="request")

    def action_request_describe(self) -> None:
        """Change the description."""
        self.work(self._tasks.describe(), "describe", group="request")

    def action_request_status(self) -> None:
        """Change the status."""
        self.work(self._tasks.choose_status(), "status", group="request")

    def action_request_reviewers(self) -> None:
        """Ask for a review."""
        self.work(self._tasks.request_reviewers(), "reviewers", group="request")

    def action_request_space(self) -> None:
        """Open the space."""
        page = self.pane.current
        self.go(SpaceLocation(self.space, page=page.id if page is not None else None))

    def action_view_refresh(self) -> None:
        """Ask for everything anew."""
        self.facts.refresh()
        if self.pane.reading is not None:
            self.pane.reading.refresh()

    # What can be done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what belongs to conflicts only there, and reviewing not there."""
        tabs = ONLY_IN.get(action)
        if tabs is not None:
            return self.is_mounted and self.tab in tabs
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Say why an action cannot be done now."""
        if not self.is_mounted:
            return None
        resolution = self._resolver.resolution
        if action == "item.open_in_browser" and self.address is not None and not for_browser(self.address):
            return "it is only in this program"
        if action in ("item.open_in_browser", "item.copy_link"):
            return None if self.address is not None else "it has no address"
        if action == "change.undo" and self.tab == CONFLICTS and resolution is not None and resolution.steps:
            return None
        if action == "review.suggest" and self.pointed().block is None:
            return "the cursor is on no block"
        if action == "item.delete":
            here = self.thread_here
            is_pending = isinstance(here, PendingComment) or self.pane.pending_here is not None
            return None if is_pending else "only a comment that is not sent is discarded here"
        return why_not(action, self.facts, resolution) or super().why_not(action)


def _tab_of(location: ChangeRequestLocation) -> int:
    """Return the tab on which one was; who is sent to a page sees its changes."""
    tab = (CHANGES if location.page else OVERVIEW) if location.tab is None else location.tab
    return min(tab, CONFLICTS)
