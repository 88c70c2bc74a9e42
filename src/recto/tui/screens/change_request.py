"""A change request: what it is about, what it changes, what is said about it, and how it will read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container

from recto.contract.comments import Comment
from recto.store.pending_review import PendingComment, PendingReview
from recto.store.places import Spot
from recto.store.request_changes import RequestChanges
from recto.store.review_pages import Viewed
from recto.store.settlement import Choice
from recto.tui import navigation, signs
from recto.tui.actions import Action, bindings, register
from recto.tui.facts import rows
from recto.tui.lines import Line
from recto.tui.screens.change_request_changes import ChangesPane
from recto.tui.screens.change_request_conversation import ConversationPane
from recto.tui.screens.change_request_facts import RequestFacts
from recto.tui.screens.change_request_overview import about_lines, description_of, head_lines
from recto.tui.screens.change_request_parts import PendingWanted, Spoken, ThreadWanted
from recto.tui.screens.change_request_preview import PreviewPane
from recto.tui.screens.change_request_reasons import why_not
from recto.tui.screens.change_request_settling import Settling
from recto.tui.screens.change_request_talk import RequestTalk
from recto.tui.screens.change_request_tasks import Tasks
from recto.tui.screens.view import View
from recto.tui.widgets.facts import Facts
from recto.tui.widgets.lines_bar import LinesBar
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.settle_list import SettleList
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.store import Store

_REVIEW, _REQUEST = "Review", "Change request"

register(
    Action("review.viewed", "Viewed, and on to the next page", ("space",), _REVIEW, "viewed"),
    Action("review.next_page", "Next changed page", ("right_curly_bracket",), _REVIEW),
    Action("review.previous_page", "Changed page before", ("left_curly_bracket",), _REVIEW),
    Action("review.comment", "Comment on the block under the cursor", ("c",), _REVIEW, "comment", writes=True),
    Action("review.suggest", "Suggest other words for the block", ("s",), _REVIEW, writes=True),
    Action("review.submit", "Submit your review", ("S",), _REVIEW, "submit review", writes=True),
    Action("request.merge", "Merge", ("M",), _REQUEST, "merge", writes=True),
    Action("request.pull", "Pull the main content in", ("P",), _REQUEST, "pull", writes=True),
    Action("request.describe", "Change the description", (), _REQUEST, writes=True),
    Action("request.status", "Change the status: draft, open, archived", (), _REQUEST, writes=True),
    Action("request.reviewers", "Ask for a review", (), _REQUEST, writes=True),
    Action("request.space", "Open the space", (), _REQUEST),
    Action("request.conflicts", "Settle the conflicts", (), _REQUEST),
    Action("settle.apply", "Write what is settled", ("A",), "Conflicts", "write", writes=True),
)

OVERVIEW, CHANGES, CONVERSATION, PREVIEW, CONFLICTS = range(5)
_TABS = ("Overview", "Changes", "Conversation", "Preview")
_PANES = ("overview", "changes", "conversation", "preview", "conflicts")
_VIEWED_FILE = ".viewed.json"
_ONLY_IN = {
    **dict.fromkeys(("page_edit", "page_edit_here", "settle_apply"), (CONFLICTS,)),
    **dict.fromkeys(("review_viewed", "review_next_page", "review_previous_page"), (CHANGES, PREVIEW)),
    "review_suggest": (CHANGES, PREVIEW),
    "review_comment": (OVERVIEW, CHANGES, CONVERSATION, PREVIEW),
    "item_delete": (CHANGES, CONVERSATION),
}
"""The tabs in which an action has a meaning."""


class ChangeRequestView(View):
    """Shows a change request; what is typed is on disk before it is sent."""

    BINDINGS = bindings(
        "review.viewed",
        "review.next_page",
        "review.previous_page",
        "review.comment",
        "review.suggest",
        "review.submit",
        "request.merge",
        "request.pull",
        "item.rename",
        "item.delete",
        "request.describe",
        "request.status",
        "request.reviewers",
        "request.space",
        "request.conflicts",
        "settle.apply",
        "page.edit",
        "page.edit_here",
        "item.open_in_browser",
        "item.copy_link",
        "view.refresh",
    )

    def __init__(self, store: Store, spot: Spot) -> None:
        super().__init__(store, spot)
        self._space = spot.arguments["space"]
        self._key = spot.arguments["change_request"]
        self._due = False
        self._looked_ahead: tuple[str, str] | None = None
        self._described: str | None = None
        self._changes = RequestChanges(self._space, self._key)
        self._pending = PendingReview(store, self._space, self._key, self._heard)
        self._viewed = Viewed(store.drafts.folder / _VIEWED_FILE)

    def compose(self) -> ComposeResult:
        """Begin to follow before what follows is put on the screen."""
        self._facts = RequestFacts(self.store, self._space, self._key, self._heard)
        self._tasks = Tasks(self, self._changes, self._facts)
        self._talk = RequestTalk(self, self._changes, self._facts, self._pending)
        self._settling = Settling(self, self._changes, self._facts, self._heard)
        yield from super().compose()

    def compose_body(self) -> ComposeResult:
        """Put the header, the tabs and what each shows."""
        yield LinesBar(self._draw_head, id="head")
        tab = CHANGES if "page" in self.opened_at.arguments else self.opened_at.view.get("tab", OVERVIEW)
        yield TabStrip(_TABS, active=tab)
        with Container(id="overview"):
            yield Panel("Description", PageView(id="description"), id="description-panel")
            yield Panel("About", Facts(id="about"), id="about-panel")
        pane = ChangesPane(self.store, self._key, self._facts, self._pending, self._viewed)
        pane.wanted = self.opened_at.arguments.get("page")
        yield pane
        yield ConversationPane(self._facts, self._pending, self.store.clock)
        yield PreviewPane()
        with Container(id="conflicts"):
            yield Panel("Conflicts", SettleList(id="disputes"), id="disputes-panel")

    def on_mount(self) -> None:
        """Show what is known and read what was typed before."""
        self._show_tab()
        self._show()
        self.work(self._load_drafts(), "drafts")
        self.work(self._settling.load(), "settlement")

    def on_unmount(self) -> None:
        """Give up what is being read."""
        self._facts.close()
        super().on_unmount()

    # What is shown

    @property
    def _pane(self) -> ChangesPane:
        return self.query_one(ChangesPane)

    @property
    def _talked(self) -> ConversationPane:
        return self.query_one(ConversationPane)

    @property
    def _tab(self) -> int:
        return self.query_one(TabStrip).active

    @property
    def spot(self) -> Spot:
        """The change request, at the page looked at and the tab shown."""
        if not self.is_mounted:
            return self.opened_at
        arguments = {"space": self._space, "change_request": self._key}
        page = self._pane.current
        if page is not None and self._tab in (CHANGES, PREVIEW):
            arguments["page"] = page.id
        request = self._facts.request.value
        title = f"#{request.number} {request.subject}" if request is not None else self.opened_at.title
        return Spot(navigation.CHANGE_REQUEST, arguments, title, {"tab": self._tab})

    def arrive(self, spot: Spot) -> None:
        """Go to the page that the spot names."""
        if page := spot.arguments.get("page"):
            self.query_one(TabStrip).active = CHANGES
            self._pane.go_to_page(page)

    def _heard(self) -> None:
        # Much is loaded at once; drawing once for all that came since the last time is enough.
        if not self._due:
            self._due = bool(self.call_later(self._show))

    def _show(self) -> None:
        self._due = False
        if not self.is_attached:
            return
        self._show_head()
        self._show_overview()
        self._pane.show()
        self._talked.show()
        self.query_one(PreviewPane).show(self._pane.reading)
        self._show_conflicts()
        self._look_ahead()
        self.refresh_bindings()

    def _show_head(self) -> None:
        request, space = self._facts.request.value, self._facts.space.value
        organization = self._facts.organization.value if self._facts.organization is not None else None
        named = f"#{request.number} {request.subject or 'without a subject'}" if request is not None else "…"
        self.show_where(organization.title if organization else "…", space.title if space else "…", named)
        self.query_one("#head", LinesBar).refresh()
        pages = self._facts.pages
        tabs = self.query_one(TabStrip)
        tabs.count(CHANGES, len(pages) if pages is not None else None)
        listed = self._facts.comments.value
        open_threads = sum(1 for one in listed.items if one.status == "open") if listed is not None else None
        tabs.count(CONVERSATION, open_threads)

    def _draw_head(self, width: int) -> Sequence[Line]:
        return head_lines(self._facts, self.store.clock(), len(self._unsent_comments), width)

    def _show_overview(self) -> None:
        panel = self.query_one("#description-panel", Panel)
        if not panel.follow(self._facts.request, "the change request"):
            return
        request = self._facts.request.value
        assert request is not None
        text = description_of(request)
        if text != self._described:
            self._described = text
            self.query_one("#description", PageView).show("", text)
        if not text.strip():
            panel.show_empty("It has no description. “Change the description” writes one.", ":", "finds it")
        told = about_lines(self._facts, self.store.clock())
        self.query_one(Facts).show(rows(told))

    def on_changes_pane_looked(self) -> None:
        """Show the page looked at as it will be."""
        self.query_one(PreviewPane).show(self._pane.reading)
        self.refresh_bindings()

    def _show_conflicts(self) -> None:
        settlement = self._settling.settlement
        request = self._facts.request.value
        if settlement is not None and request is not None and request.status == "merged":
            # It was settled and merged elsewhere.
            self.work(self._settling.let_go(), "settlement")
            settlement = None
        tabs = self.query_one(TabStrip)
        names = _TABS if settlement is None else (*_TABS, "Conflicts")
        if names != tabs.names:
            tabs.names = names
            tabs.refresh()
            if tabs.active >= len(names):
                tabs.active = OVERVIEW
        if settlement is None:
            return
        tabs.count(CONFLICTS, settlement.left)
        total = len(settlement.disputes)
        state = f"{settlement.left} of {total} left" if settlement.left else f"all {total} settled, A writes them"
        self.query_one("#disputes-panel", Panel).entitle("Conflicts", state)
        self.query_one(SettleList).show_settlement(settlement)

    def _look_ahead(self) -> None:
        """Find out, once for each state of both sides, whether the main content conflicts."""
        request, space = self._facts.request.value, self._facts.space.value
        if request is None or space is None or self._facts.pages is None:
            return
        if not request.outdated and request.revision_merged_ancestor is None:
            # It has the main content that it began from: there is nothing to conflict with.
            return
        state = (request.revision, space.revision)
        if self._looked_ahead != state:
            self._looked_ahead = state
            self.work(self._settling.look_ahead(), "look ahead", group="look ahead")

    async def _load_drafts(self) -> None:
        await self._pending.load()
        waiting = len(self._unsent_comments)
        if waiting:
            self.say(f"{signs.count(waiting, 'comment')} of yours here {'is' if waiting == 1 else 'are'} not sent yet.")

    # Tabs

    def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        event.stop()
        self._show_tab()

    def _show_tab(self) -> None:
        for index, name in enumerate(_PANES):
            self.query_one(f"#{name}").display = index == self._tab
        pane = self._pane
        target = {
            OVERVIEW: "#description",
            CHANGES: "#diff" if pane.has_class("-reading") else "#pages",
            CONVERSATION: "#threads",
            PREVIEW: "#page",
            CONFLICTS: "#disputes",
        }[self._tab]
        self.query_one(target).focus()
        self.refresh_bindings()

    def escape(self) -> bool:
        """Go back from the diff to the tree before leaving."""
        return super().escape() or (self._tab == CHANGES and self._pane.leave_diff())

    # Reviewing

    @property
    def _unsent_comments(self) -> list[PendingComment]:
        return [*self._pending.comments, *self._pending.left]

    @property
    def unsent(self) -> str | None:
        """The comments that are not sent."""
        waiting = len(self._unsent_comments)
        told = [signs.count(waiting, "comment")] if waiting else []
        settlement = self._settling.settlement
        if settlement is not None and settlement.choices:
            told.append("what you settled of the conflicts")
        return " and ".join(told) or None

    def action_review_viewed(self) -> None:
        """Mark the page as viewed and go on."""
        self._pane.mark_viewed()

    def action_review_next_page(self) -> None:
        """Go to the next changed page."""
        self._pane.step(1)

    def action_review_previous_page(self) -> None:
        """Go to the changed page before."""
        self._pane.step(-1)

    def _pointed(self) -> Spoken:
        if self._tab == CHANGES:
            return self._pane.pointed() or Spoken(None)
        return self.query_one(PreviewPane).pointed() if self._tab == PREVIEW else Spoken(None)

    def action_review_comment(self) -> None:
        """Comment on what is under the cursor."""
        item = self._thread_here
        if isinstance(item, Comment):
            self._talk.reply(item)
            return
        pending = item if isinstance(item, PendingComment) else self._pane.pending_here
        if pending is not None:
            self._talk.change_pending(pending, self._talked.place_name(pending.page))
            return
        spoken = self._pointed()
        self._talk.comment(spoken.page, spoken.block, spoken.preview, self._talked.place_name(spoken.page))

    def action_review_suggest(self) -> None:
        """Suggest other words for the block under the cursor."""
        from recto.document.suggestion import write_suggestion

        spoken = self._pointed()
        if spoken.block is not None:
            text = write_suggestion(spoken.source)
            self._talk.comment(spoken.page, spoken.block, spoken.preview, self._talked.place_name(spoken.page), text)

    def action_review_submit(self) -> None:
        """Submit the review."""
        space = self._facts.space.value
        against = None if space is None or space.permissions.review else "your role may not review here"
        self._talk.submit(self._facts.titles, against)

    @property
    def _thread_here(self) -> Comment | PendingComment | None:
        return self._talked.current if self._tab == CONVERSATION else None

    def on_thread_wanted(self, event: ThreadWanted) -> None:
        """Open a thread."""
        self._talk.open_thread(event.comment, self._talked.place_of(event.comment))

    def on_pending_wanted(self, event: PendingWanted) -> None:
        """Go on with a comment that is not sent."""
        self._talk.change_pending(event.pending, self._talked.place_name(event.pending.page))

    def action_item_delete(self) -> None:
        """Discard the comment under the cursor that is not sent."""
        item = self._thread_here
        pending = item if isinstance(item, PendingComment) else self._pane.pending_here
        if pending is not None:
            self._talk.discard(pending)

    # The change request

    def action_request_merge(self) -> None:
        """Merge."""
        self.work(self._merge(), "merge", group="request")

    async def _merge(self) -> None:
        if await self._tasks.merge():
            if await self._settling.find_left():
                self.action_request_conflicts()
            else:
                self._looked_ahead = None
                self._facts.refresh()

    def action_request_pull(self) -> None:
        """Pull the main content in."""
        self.work(self._pull(), "pull", group="request")

    async def _pull(self) -> None:
        if await self._settling.pull():
            self.action_request_conflicts()

    def action_request_conflicts(self) -> None:
        """Show the conflicts to settle."""
        self._show_conflicts()
        self.query_one(TabStrip).active = CONFLICTS

    def on_settle_list_chosen(self, event: SettleList.Chosen) -> None:
        """Settle a dispute and go on to the next."""
        self._settling.choose(event.dispute, Choice(event.side))
        self._show_conflicts()
        event.list.action_settle_next()

    def action_settle_apply(self) -> None:
        """Write what is settled."""
        self.work(self._apply(), "settle", group="request")

    async def _apply(self) -> None:
        if await self._settling.apply():
            self.query_one(TabStrip).active = OVERVIEW

    def action_page_edit(self) -> None:
        """Write in one's editor what a dispute comes to."""
        if (dispute := self.query_one(SettleList).current) is not None:
            self.work(self._settling.edit(dispute, here=False), "edit", group="request")

    def action_page_edit_here(self) -> None:
        """Write here what a dispute comes to."""
        if (dispute := self.query_one(SettleList).current) is not None:
            self.work(self._settling.edit(dispute, here=True), "edit", group="request")

    def action_change_undo(self) -> None:
        """Take the last choice back while settling, else the last change."""
        if self._tab != CONFLICTS or not self._settling.undo():
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
        page = self._pane.current
        self.go(navigation.at_space(self._space, page=page.id if page is not None else None))

    def action_view_refresh(self) -> None:
        """Ask for everything anew."""
        self._facts.refresh()
        if self._pane.reading is not None:
            self._pane.reading.refresh()

    def action_item_open_in_browser(self) -> None:
        """Open it in the platform's web app."""
        if (address := self._address) is not None:
            self.app.open_url(address)

    def action_item_copy_link(self) -> None:
        """Copy its address."""
        if (address := self._address) is not None:
            self.app.copy_to_clipboard(address)
            self.say(f"Copied {address}")

    @property
    def _address(self) -> str | None:
        request = self._facts.request.value
        address = (request.urls.app or request.urls.location) if request is not None else None
        return address if address and address.startswith(("https://", "http://")) else None

    # What can be done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what belongs to conflicts only there, and reviewing not there."""
        tabs = _ONLY_IN.get(action)
        if tabs is not None:
            return self.is_mounted and self._tab in tabs
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Say why an action cannot be done now."""
        if not self.is_mounted:
            return None
        settlement = self._settling.settlement
        if action in ("item.open_in_browser", "item.copy_link"):
            return None if self._address else "it has no address"
        if action == "change.undo" and self._tab == CONFLICTS and settlement is not None and settlement.steps:
            return None
        if action == "review.suggest" and self._pointed().block is None:
            return "the cursor is on no block"
        if action == "item.delete":
            here = self._thread_here
            is_pending = isinstance(here, PendingComment) or self._pane.pending_here is not None
            return None if is_pending else "only a comment that is not sent is discarded here"
        return why_not(action, self._facts, settlement) or super().why_not(action)
