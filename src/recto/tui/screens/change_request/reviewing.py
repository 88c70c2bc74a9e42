"""Reviewing a change request: page by page, with comments that wait until they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.addresses import InChangeRequest
from recto.contract.comments import Comment
from recto.contract.content import Page
from recto.contract.unread import unread_of
from recto.document.markdown.page_links import LinkKind, read_link
from recto.document.suggestion import write_suggestion
from recto.store.locations import ChangeRequestLocation
from recto.store.page_text import title_lines
from recto.store.pending_review import PendingComment, PendingReview
from recto.store.request_changes import RequestChanges
from recto.store.review_pages import DELETED, Viewed
from recto.store.reviewing import submit_review
from recto.tui.actions import Action, bindings, register
from recto.tui.navigation.urls import for_browser
from recto.tui.page.page_view import PageView
from recto.tui.screens.change_request.changes import ChangesPane
from recto.tui.screens.change_request.conversation import ConversationPane
from recto.tui.screens.change_request.parts import PendingWanted, Spoken, ThreadWanted, speak_of
from recto.tui.screens.change_request.tabs import CHANGES, CONVERSATION, PREVIEW
from recto.tui.screens.reading.links import Destination, ToPage, destination
from recto.tui.screens.reading.page_index import PageIndex
from recto.tui.screens.reading.pane import ReadingPane
from recto.tui.screens.view import View
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.store import Store
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.talking import Discussion

_AS_IT_WILL_BE = "as it will be"

_REVIEW = "Review"
_VIEWED_FILE = ".viewed.json"

register(
    Action("review.viewed", "Viewed, and on to the next page", ("space",), _REVIEW, "viewed"),
    Action("review.next_page", "Next changed page", ("right_curly_bracket",), _REVIEW),
    Action("review.previous_page", "Changed page before", ("left_curly_bracket",), _REVIEW),
    Action("review.comment", "Comment on the block under the cursor", ("c",), _REVIEW, "comment", writes=True),
    Action("review.suggest", "Suggest other words for the block", ("s",), _REVIEW, writes=True),
    Action("review.submit", "Submit your review", ("S",), _REVIEW, "submit review", writes=True),
)


class RequestReviewing(View[ChangeRequestLocation]):
    """The part of the view that reviews; ``facts`` follow the change request, ``discussion`` sends what is typed."""

    BINDINGS = bindings(
        "review.viewed",
        "review.next_page",
        "review.previous_page",
        "review.comment",
        "review.suggest",
        "review.submit",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
    )

    facts: RequestFacts
    discussion: Discussion

    def __init__(self, store: Store, location: ChangeRequestLocation) -> None:
        super().__init__(store, location)
        self.space = location.space
        self.key = location.change_request
        self.pending = PendingReview(store, InChangeRequest(self.space, self.key), self.heard)
        # Space marks the page as viewed.
        self.preview = ReadingPane(
            store,
            InChangeRequest(self.space, self.key),
            id="preview",
            title="Preview",
            beside=_AS_IT_WILL_BE,
            addressed=False,
            folds_with_space=False,
        )
        """The page looked at under changes, as it will be."""
        self.seen = Viewed(store.drafts.folder / _VIEWED_FILE)

    def heard(self) -> None:
        """Hear that something has changed."""

    @property
    def pane(self) -> ChangesPane:
        """What is changed."""
        return self.query_one(ChangesPane)

    @property
    def talked(self) -> ConversationPane:
        """What is said."""
        return self.query_one(ConversationPane)

    @property
    def tab(self) -> int:
        """The tab that is shown."""
        return self.query_one(TabStrip).active

    @property
    def unsent_comments(self) -> list[PendingComment]:
        """The comments that are not sent."""
        return [*self.pending.comments, *self.pending.left]

    def action_review_viewed(self) -> None:
        """Mark the page as viewed and go on."""
        self.pane.mark_viewed()

    def action_review_next_page(self) -> None:
        """Go to the next changed page."""
        self.pane.step(1)

    def action_review_previous_page(self) -> None:
        """Go to the changed page before."""
        self.pane.step(-1)

    def pointed(self) -> Spoken:
        """Return where a comment would go."""
        if self.tab == CHANGES:
            return self.pane.pointed() or Spoken(None)
        return self._pointed_in_preview() if self.tab == PREVIEW else Spoken(None)

    def _pointed_in_preview(self) -> Spoken:
        reading, page = self.pane.reading, self.preview.shown
        if reading is None or reading.after is None or page is None:
            return Spoken(None)
        # Blocks are counted in the text under the title.
        return speak_of(reading, max(1, self.preview.cursor_line + 1 - title_lines(page)))

    def action_review_comment(self) -> None:
        """Comment on what is under the cursor."""
        item = self.thread_here
        if isinstance(item, Comment):
            self.discussion.reply(item)
            return
        pending = item if isinstance(item, PendingComment) else self.pane.pending_here
        if pending is not None:
            self._continue(pending)
            return
        spoken = self.pointed()
        self._comment(spoken)

    def _comment(self, spoken: Spoken, text: str = "") -> None:
        place = self.talked.place_name(spoken.page)
        self.work(self.discussion.talking.comment(spoken.page, spoken.block, spoken.preview, place, text), "comment")

    def _continue(self, pending: PendingComment) -> None:
        place = self.talked.place_name(pending.page)
        self.work(self.discussion.talking.continue_comment(pending, place), "comment")

    def action_review_suggest(self) -> None:
        """Suggest other words for the block under the cursor."""
        spoken = self.pointed()
        if spoken.block is not None:
            self._comment(spoken, write_suggestion(spoken.source))

    def action_review_submit(self) -> None:
        """Submit the review."""
        space = self.facts.space.value
        against = None if space is None or space.permissions.review else "your role may not review here"
        talking, port = self.discussion.talking, self.discussion
        submitting = submit_review(
            self.store, RequestChanges(self.space, self.key), talking, self.pending, port, against
        )
        self.work(submitting, "submit")

    @property
    def thread_here(self) -> Comment | PendingComment | None:
        """The thread under the cursor of the conversation."""
        return self.talked.current if self.tab == CONVERSATION else None

    def on_thread_wanted(self, event: ThreadWanted) -> None:
        """Open a thread."""
        self.work(self.discussion.open(event.comment, self.talked.place_of(event.comment)), "thread")

    def on_pending_wanted(self, event: PendingWanted) -> None:
        """Go on with a comment that is not sent."""
        self._continue(event.pending)

    def action_item_delete(self) -> None:
        """Discard the comment under the cursor that is not sent."""
        item = self.thread_here
        pending = item if isinstance(item, PendingComment) else self.pane.pending_here
        if pending is not None:
            self.work(self.discussion.talking.discard(pending), "discard")

    # The preview

    def show_preview(self) -> None:
        """Show the page looked at as it will be, or why it is not there."""
        reading, preview, tree = self.pane.reading, self.preview, self.facts.tree.value
        if tree is not None and tree.pages is not preview.index.roots:
            preview.know(PageIndex.of(tree.pages, unread_of(tree)))
        if (reading is None or DELETED in reading.page.kinds) and preview.page is not None:
            preview.clear()
        if reading is None:
            if self.facts.pages is None:
                self.facts.tell_missing(preview)
            elif self.facts.pages:
                preview.show_loading("the page")
            else:
                preview.show_empty("There is no changed page to preview.")
        elif DELETED in reading.page.kinds:
            preview.entitle(reading.page.title or "Untitled", _AS_IT_WILL_BE)
            preview.show_empty("This page will be gone.", "}", "goes to the next changed page")
        elif preview.page != reading.page.id:
            preview.open(reading.page.id)

    def _is_previewed(self, page: str) -> bool:
        return any(one.id == page and DELETED not in one.kinds for one in self.facts.pages or ())

    def action_view_back(self) -> None:
        """Go back to the page from which a link was followed, then to the screen before."""
        while self.tab == PREVIEW and (page := self.preview.back()) is not None:
            if self._is_previewed(page):
                self.pane.go_to_page(page)
                return
        super().action_view_back()

    # Links, and what is copied

    def on_reading_pane_link_chosen(self, event: ReadingPane.LinkChosen) -> None:
        """Go where a link of the preview leads: to a changed page there, else to the page in the space."""
        leads = event.leads
        if event.browse:
            self.preview.browse(leads)
        elif isinstance(leads, ToPage) and self._is_previewed(leads.page):
            self.preview.visit(leads.page, anchor=leads.anchor)
            self.pane.go_to_page(leads.page)
        else:
            self.preview.leave_by(leads)

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Go where a link of the description leads: to a changed page in the preview, else to the page in the space."""
        link = read_link(event.href)
        if link.kind is LinkKind.ANCHOR:
            if not event.view.go_to_anchor(link.anchor):
                self.say(f"There is no place called #{link.anchor}.")
            return
        leads = self._described(event.href)
        if isinstance(leads, ToPage) and self._is_previewed(leads.page):
            self.query_one(TabStrip).active = PREVIEW
            self.preview.open(leads.page, anchor=leads.anchor)
            self.pane.go_to_page(leads.page)
        else:
            self.preview.leave_by(leads)

    def _described(self, href: str) -> Destination:
        """Return where a link of the description leads, which stands on no page."""
        return destination(href, Page(id=""), self.preview.index)

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Open a link of the description, or the change request, in the browser."""
        # A place in the description is in the change request.
        if event.href is not None and read_link(event.href).kind is not LinkKind.ANCHOR:
            self.preview.browse(self._described(event.href))
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
