"""Lists that change while a client pages through them: each item that stays is seen exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequests, CreateChangeRequest, UpdateChangeRequest
from recto.contract.collections import Collections
from recto.contract.comments import CommentBodyInput, Comments, PostComment, PostReply
from recto.contract.common import ListPage
from recto.contract.members import Members
from recto.contract.operation import Operation
from recto.contract.spaces import CreateSpace, Spaces
from recto.contract.teams import CreateTeam, Teams
from recto.server.context import Context
from recto.server.http.registry import entry
from recto.server.people import directory
from recto.server.platform import Platform
from support.platform import FrozenClock, make_platform, own_organization


def call(context: Context, operation: Operation[Any, Any], *given: Any, **named: Any) -> Any:
    """Answer an operation inside a transaction that is open."""
    found, arguments = entry(operation), operation.arguments(*given, **named)
    assert found is not None
    prepared = found.prepare(context, **arguments) if found.prepare is not None else None
    return found.handler(replace(context, prepared=prepared), **arguments)


@dataclass(frozen=True)
class ListCase:
    """A list, and how something comes onto it and goes off it."""

    listing: Callable[..., Any]
    add: Callable[[], str]
    remove: Callable[[str], object]
    id_of: Callable[[Any], str] = field(default=lambda item: str(item["id"]))

    def page(self, **paging: Any) -> ListPage[Any]:
        """Return a page of the list, as a client reads it."""
        return ListPage[Any].model_validate_json(self.listing(**paging).to_json())


def spaces(context: Context, organization: str) -> ListCase:
    return ListCase(
        lambda **paging: call(context, Spaces.list_spaces, organization, **paging),
        lambda: call(context, Spaces.create_space, organization, CreateSpace()).id,
        lambda space: call(context, Spaces.delete_space, space),
    )


def spaces_of_a_collection(context: Context, organization: str) -> ListCase:
    collection = directory.create_collection(context, organization, "Shelf")
    return ListCase(
        lambda **paging: call(context, Collections.list_collection_spaces, collection, **paging),
        lambda: call(context, Spaces.create_space, organization, CreateSpace(parent=collection)).id,
        lambda space: call(context, Spaces.delete_space, space),
    )


def members(sort: str, order: str) -> Callable[[Context, str], ListCase]:
    def make(context: Context, organization: str) -> ListCase:
        def add() -> str:
            user = directory.create_user(context, "Somebody")
            directory.add_member(context, organization, user, "read")
            context.database.execute("UPDATE members SET last_seen_at = ? WHERE user = ?", context.stamp(), user)
            return user

        return ListCase(
            lambda **paging: call(context, Members.list_members, organization, sort=sort, order=order, **paging),
            add,
            lambda user: call(context, Members.delete_member, organization, user),
        )

    return make


def teams(context: Context, organization: str) -> ListCase:
    return ListCase(
        lambda **paging: call(context, Teams.list_teams, organization, **paging),
        lambda: call(context, Teams.create_team, organization, CreateTeam(title="Team", members=())).id,
        lambda team: call(context, Teams.delete_team, organization, team),
    )


def change_requests(context: Context, organization: str) -> ListCase:
    space = call(context, Spaces.create_space, organization, CreateSpace()).id

    def put(change_request: str, status: Any) -> Any:
        return call(
            context, ChangeRequests.update_change_request, space, change_request, UpdateChangeRequest(status=status)
        )

    def add() -> str:
        made = call(context, ChangeRequests.create_change_request, space, CreateChangeRequest())
        return str(put(made.id, "open").id)

    return ListCase(
        lambda **paging: call(context, ChangeRequests.list_change_requests, space, **paging),
        add,
        lambda change_request: put(change_request, "archived"),
    )


def comments(order: str) -> Callable[[Context, str], ListCase]:
    def make(context: Context, organization: str) -> ListCase:
        space = call(context, Spaces.create_space, organization, CreateSpace()).id
        body = PostComment(body=CommentBodyInput(markdown="So."))
        return ListCase(
            lambda **paging: call(context, Comments.list_comments, Main(space), order=order, **paging),
            lambda: call(context, Comments.post_comment, Main(space), body).id,
            lambda comment: call(context, Comments.delete_comment, Main(space), comment),
        )

    return make


def replies(context: Context, organization: str) -> ListCase:
    space = call(context, Spaces.create_space, organization, CreateSpace()).id
    said = CommentBodyInput(markdown="So.")
    comment = call(context, Comments.post_comment, Main(space), PostComment(body=said)).id
    return ListCase(
        lambda **paging: call(context, Comments.list_replies, Main(space), comment, **paging),
        lambda: call(context, Comments.post_reply, Main(space), comment, PostReply(body=said)).id,
        lambda reply: call(context, Comments.delete_reply, Main(space), comment, reply),
    )


SHELVES = {
    "spaces": spaces,
    "spaces of a collection": spaces_of_a_collection,
    "members, those who joined last first": members("joinedAt", "desc"),
    "members, those who joined first first": members("joinedAt", "asc"),
    "members who were seen": members("lastSeenAt", "desc"),
    "teams": teams,
    "change requests": change_requests,
    "comments, newest first": comments("desc"),
    "comments, oldest first": comments("asc"),
    "replies": replies,
}

ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("page"), st.integers(1, 4)),
        st.tuples(st.just("add"), st.integers(0, 1)),
        st.tuples(st.just("remove"), st.integers(0, 20)),
    ),
    max_size=25,
)


class _Undo(Exception):
    """Ends an example, so that nothing of it stays in the file."""


@pytest.fixture(scope="module")
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, clock: FrozenClock) -> Iterator[Platform]:
    platform = make_platform(Path(tmp_path_factory.mktemp("paging")), clock=clock)
    yield platform
    platform.close()


@dataclass
class Reader:
    """A client that pages through a shelf while others put things there and take them away."""

    case: ListCase
    clock: FrozenClock
    there: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    stayed: set[str] = field(default_factory=set)
    page: str | None = None
    at_the_end: bool = False

    def begin(self, number: int) -> None:
        """Put so many things there, after what is there from the beginning."""
        self.there = [self.case.id_of(item) for item in self.case.page(limit=1000).items]
        for _ in range(number):
            self.there.append(self.case.add())
        self.stayed = set(self.there)

    def read(self, limit: int) -> None:
        """Read the next page."""
        if self.at_the_end:
            return
        answer = self.case.page(page=self.page, limit=limit)
        items = [self.case.id_of(item) for item in answer.items]
        assert len(items) <= limit
        assert answer.count == len(self.there)
        assert set(items) <= set(self.there), "what is gone is listed"
        self.seen += items
        self.at_the_end = answer.next is None
        self.page = answer.next.page if answer.next else None

    def add(self, minutes: int) -> None:
        """Put one thing there, now or a little later."""
        self.clock.advance(minutes=minutes)
        self.there.append(self.case.add())

    def remove(self, at: int) -> None:
        """Take one thing away, but not what was there before all others, which may be the person who reads."""
        if len(self.there) > 1:
            gone = self.there.pop(1 + at % (len(self.there) - 1))
            self.case.remove(gone)
            self.stayed.discard(gone)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELVES)
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(0, 9), acts=ACTS)
def test_each_item_that_stays_is_seen_exactly_once(
    workshop: Platform, clock: FrozenClock, name: str, number: int, acts: list[tuple[str, int]]
) -> None:
    def work(connection: Any) -> None:
        reader = Reader(SHELVES[name](workshop.context(connection), organization), clock)
        reader.begin(number)
        for what, amount in acts:
            {"page": reader.read, "add": reader.add, "remove": reader.remove}[what](amount)
        while not reader.at_the_end:
            reader.read(3)
        assert len(reader.seen) == len(set(reader.seen)), "an item was seen twice"
        assert reader.stayed <= set(reader.seen), "an item was passed over"
        raise _Undo

    organization = own_organization(workshop)
    with pytest.raises(_Undo):
        workshop.database.write_now(work)
