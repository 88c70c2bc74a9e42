"""The queries that the view of a change request follows: the change request and everything around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError, NotFound, Unsupported
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests, Contributor
from recto.contract.changes import MAX_LISTED, Changes, ContentChanges
from recto.contract.comments import Comment, Comments
from recto.contract.common import User
from recto.contract.content import Content, PageTree, walk_pages
from recto.contract.organizations import Organization, Organizations
from recto.contract.reviews import RequestedReviewer, Review, Reviews
from recto.contract.spaces import Space, Spaces
from recto.contract.unread import all_unread
from recto.contract.users import Users
from recto.document.merge.rules import rules_in_force
from recto.document.text import count
from recto.frozen import frozen
from recto.store.checklist import Candidate, Check, checklist
from recto.store.content_writes import request_name
from recto.store.merging import Forecast
from recto.store.page_reading import PageCounts
from recto.store.query import QueryState
from recto.store.review_pages import ReviewPage, compare_trees, other_changes, review_pages
from recto.tui.lists.thread_rows import links_elsewhere
from recto.tui.look import signs

if TYPE_CHECKING:
    from recto.contract.operation import Operation
    from recto.store.query import Listing, OnScreen, Query
    from recto.store.signal import Subscription
    from recto.store.store import Store

AGAINST = "changes-requested"
"""The verdict that asks for changes."""

MOST_COUNTED = 20
"""The most pages that are counted before a merge is shown; more are counted in the background."""

MOST_NAMED = 20
"""How many titles of other spaces and their pages are requested for one page."""


@frozen
class Verdict:
    """A reviewer's name and verdict; ``review`` is its id, empty where the reviewer is only asked."""

    reviewer: str
    status: str
    outdated: bool = False
    review: str = ""


class RequestFacts:
    """What is known of a change request; ``changed`` is called after each change of it, once it is followed."""

    def __init__(self, store: Store, space: str, key: str, changed: Callable[[], None], on_screen: OnScreen) -> None:
        self._store = store
        self._changed = changed
        self.on_screen = on_screen
        self._subscriptions: list[Subscription] = []
        self.conflicts: int | None = None
        """How many parts of pages are in conflict, where that is known."""
        self.resolving = False
        """Whether conflicts are being resolved."""
        ours, at = (space, key), InChangeRequest(space, key)
        self.request: Query[ChangeRequest] = store.query(ChangeRequests.get_change_request, *ours)
        self.space: Query[Space] = store.query(Spaces.get_space, space)
        self.me: Query[User] = store.query(Users.get_user)
        self.reviews: Query[Listing[Review]] = store.query_list(Reviews.list_reviews, *ours)
        self.asked: Query[Listing[RequestedReviewer]] = store.query_list(Reviews.list_requested_reviewers, *ours)
        self.contributors: Query[Listing[Contributor]] = store.query_list(ChangeRequests.list_contributors, *ours)
        self.comments: Query[Listing[Comment]] = store.query_list(
            Comments.list_comments, at, order="asc", status="all", format="markdown"
        )
        self.changes: Query[Changes] = store.query(ContentChanges.list_changes, at, limit=MAX_LISTED)
        self.tree: Query[PageTree] = store.query(Content.list_pages, at)
        self.counts = PageCounts(store, key)
        self._elsewhere: dict[str, str] = {}
        """The titles of other spaces and of their pages, as far as they were asked for."""
        self.organization: Query[Organization] | None = None
        self.old_tree: Query[PageTree] | None = None

    def follow(self) -> None:
        """Begin to follow it."""
        for query in self.queries:
            self._follow(query)

    def _follow(self, query: Query[Any]) -> Query[Any]:
        self._subscriptions.append(query.watch(self._take_change, self.on_screen))
        return query

    def _take_change(self, _: object) -> None:
        self._forget()
        if self.organization is None and (space := self.space.value) is not None and space.organization:
            self.organization = self._follow(self._store.query(Organizations.get_organization, space.organization))
        request = self.request.value
        if self.old_tree is None and request is not None and self.lacks_changes:
            self.old_tree = self._follow(self._store.query(Content.list_pages, AtRevision(request.space, request.base)))
        self._changed()

    def _forget(self) -> None:
        for name in ("pages", "pages_by_id", "titles", "link_titles", "others", "threads_by_page"):
            self.__dict__.pop(name, None)

    def close(self) -> None:
        """Stop following everything."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()

    def refresh(self) -> None:
        """Refresh everything."""
        for query in self.queries:
            query.refresh()

    @property
    def name(self) -> str:
        """The number and subject."""
        request = self.request.value
        return request_name(request) if request is not None else "the change request"

    @property
    def queries(self) -> list[Query[Any]]:
        """The followed queries."""
        found: list[Query[Any] | None] = [
            *(self.request, self.space, self.me, self.reviews, self.asked, self.contributors, self.comments),
            *(self.changes, self.tree, self.organization, self.old_tree),
        ]
        return [query for query in found if query is not None]

    def lacks(self, operation: Operation[Any, Any]) -> bool:
        """Whether this server turned out to lack an operation."""
        return self._store.lacks(operation)

    # Pages

    @property
    def lacks_changes(self) -> bool:
        """Whether this server cannot say what a change request changes."""
        return self.changes.state is QueryState.FAILED and isinstance(self.changes.error, Unsupported | NotFound)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of all pages of the change request, by id."""
        tree = self.tree.value
        return {page.id: page.title for page in walk_pages(tree.pages)} if tree is not None else {}

    @cached_property
    def link_titles(self) -> dict[str, str]:
        """The titles of all pages, those that are deleted, too, by id and by path, to be shown for their addresses."""
        tree = self.tree.value
        if tree is None:
            return {}
        deleted = {page.id: page.title for page in self.pages or () if page.id not in self.titles}
        by_path = {page.path: page.title for page in walk_pages(tree.pages)}
        return {**self._elsewhere, **by_path, **deleted, **self.titles}

    def find_unnamed_elsewhere(self, texts: Iterable[str]) -> list[str]:
        """Return other spaces and pages there to which links in texts lead, and whose titles were not requested yet."""
        return sorted({link for text in texts for link in links_elsewhere(text)} - self._elsewhere.keys())[:MOST_NAMED]

    async def name_elsewhere(self, links: Iterable[str]) -> None:
        """Request the titles of other spaces and pages there."""
        for link in links:
            self._elsewhere[link] = ""
            space, _, page = link.partition("/")
            with suppress(ClientError):
                if page:
                    found = await self._store.fetch(Content.get_page, Main(space), page, format="markdown")
                    self._elsewhere[link] = found.title
                else:
                    self._elsewhere[link] = (await self._store.fetch(Spaces.get_space, space)).title
        self._forget()
        self._changed()

    @cached_property
    def pages(self) -> list[ReviewPage] | None:
        """The pages that are changed; ``None`` while that is not known."""
        changes = self.changes.value
        if changes is not None:
            return review_pages(changes, self.titles)
        if self.old_tree is not None and self.old_tree.value is not None and self.tree.value is not None:
            unread = {note.id for note in all_unread((self.old_tree.value, self.tree.value))}
            compared = compare_trees(self.old_tree.value.pages, self.tree.value.pages)
            return [page for page in compared if page.id not in unread]
        return None

    @cached_property
    def pages_by_id(self) -> dict[str, ReviewPage]:
        """The pages that are changed, as far as they are known."""
        return {page.id: page for page in self.pages or ()}

    @cached_property
    def threads_by_page(self) -> dict[str, list[Comment]]:
        """The threads on pages, by the page's id."""
        found: dict[str, list[Comment]] = {}
        for comment in _items(self.comments):
            if comment.target.page is not None:
                found.setdefault(comment.target.page.id, []).append(comment)
        return found

    def threads_of(self, page: str) -> Sequence[Comment]:
        """Return the threads on a page."""
        return self.threads_by_page.get(page, ())

    @cached_property
    def others(self) -> list[str]:
        """The changes besides pages, each as a few words; also how many are not listed."""
        changes = self.changes.value
        if changes is None:
            return []
        listed = other_changes(changes)
        return [*listed, f"and {count(changes.more, 'more change')}, not listed here"] if changes.more else listed

    # People

    @property
    def names(self) -> dict[str, str]:
        """Names of the people who are known here, by id."""
        request = self.request.value
        people: list[User | None] = [self.me.value, request.created_by if request is not None else None]
        people += [review.reviewer for review in _items(self.reviews)]
        people += self.asked_users
        people += [contributor.user for contributor in _items(self.contributors)]
        return {user.id: signs.person(user) for user in people if user is not None}

    @property
    def asked_users(self) -> list[User]:
        """The members who are asked to review."""
        return [asked.user for asked in _items(self.asked) if asked.user is not None]

    def verdicts(self) -> list[Verdict]:
        """Return the last verdict of each reviewer; those who are asked to review stand last."""
        found: dict[str, Verdict] = {}
        given: dict[str, datetime | None] = {}
        for review in reversed(_items(self.reviews)):
            if review.reviewer is not None:
                found.pop(review.reviewer.id, None)
                reviewer = signs.person(review.reviewer)
                found[review.reviewer.id] = Verdict(reviewer, str(review.status), review.outdated, review.id)
                given[review.reviewer.id] = review.created_at
        for asked in _items(self.asked):
            # Requests are fetched again less often than reviews: a later verdict has answered its request.
            if asked.user is not None and not _is_after(given.get(asked.user.id), asked.created_at):
                found[asked.user.id] = Verdict(signs.person(asked.user), "requested")
        return list(found.values())

    # Merging

    async def forecast(self, request: ChangeRequest) -> Forecast:
        """Read again all that a merge depends on."""
        for query in self.queries:
            query.refresh()
        for query in self.queries:
            await query.wait()
        self._forget()
        pages = self.pages
        if pages is not None and len(self.counts.find_uncounted(request, pages)) <= MOST_COUNTED:
            await self.counts.count(request, pages)
        counted = pages is not None and not self.counts.find_uncounted(request, pages)
        listed = self.comments.value
        return Forecast(
            request=request,
            checks=self.checks(),
            pages=len(pages) if pages is not None else None,
            lines=self.counts.total if counted else None,
            others=self.others,
            open_threads=sum(1 for one in listed.items if one.status == "open") if listed is not None else None,
            against=[one.reviewer for one in self.verdicts() if one.status == AGAINST and not one.outdated],
        )

    def checks(self) -> list[Check]:
        """Return the checklist of a merge."""
        request = self.request.value
        if request is None:
            return []
        space, organization = self.space.value, self.organization.value if self.organization is not None else None
        rules = None
        if space is not None:
            rules = rules_in_force(space.merge_rules, organization.merge_rules if organization is not None else None)
        unread = [note for thing in (space, organization) if thing for note in all_unread(thing.merge_rules)]
        unknown = [Check(None, f"A merge rule that could not be read: {note.words}") for note in unread]
        known = checklist(
            Candidate(
                request=request,
                rules=rules,
                reviews=self.reviews.value.items if self.reviews.value is not None else None,
                me=self.me.value,
                may_merge=space.permissions.merge if space is not None else None,
                conflicts=self.conflicts,
                resolving=self.resolving,
                names=self.names,
                space=space,
            )
        )
        return [*known, *unknown]


def _items(query: Query[Listing[Any]]) -> Sequence[Any]:
    return query.value.items if query.value is not None else ()


def _is_after(moment: datetime | None, other: datetime | None) -> bool:
    return moment is not None and other is not None and moment > other
