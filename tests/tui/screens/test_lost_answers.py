"""Every write that is not safe to repeat, by the keys that make it: where its answer is lost, it is there once."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import recto
from recto.client.errors import TimedOut, Unreachable
from recto.contract.api import operations
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.collections import Collections
from recto.contract.comments import Comments
from recto.contract.imports import Imports
from recto.contract.invites import Invites
from recto.contract.operation import Operation
from recto.contract.redirects import Redirects
from recto.contract.reviews import Reviews
from recto.contract.share_links import ShareLinks
from recto.contract.sign_on import SignOn
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from recto.contract.specifications import Specifications
from recto.contract.structure import SectionGroups, Sections, SiteSpaces
from recto.contract.teams import Teams
from recto.contract.templates import Templates
from recto.contract.translations import Translations
from recto.store.drafts import DraftKind, DraftState
from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    item_id,
)
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.dialogs.dialog import Dialog
from recto.tui.forms.form_dialog import FormDialog
from support.content import Desk
from support.guide import LONG, START, Guide, make_guide, open_store
from support.platform import FrozenClock, join, make_platform, own_organization
from support.reviewing import Seat
from support.screens import all_messages, settled
from support.sites import Docs, make_docs
from support.web import ADDRESS, TITLE, web  # noqa: F401  each address leads to a page

SUGGESTION = "Better?\n\n```suggestion\nRead on, and enjoy.\n```"


@dataclass(frozen=True)
class World:
    """A workspace with a space that has an open change request, and a site."""

    guide: Guide
    docs: Docs

    @property
    def organization(self) -> str:
        return own_organization(self.guide.platform)

    async def items(self, path: str, **query: Any) -> list[Any]:
        return list((await self.guide.ada.get(path, **query))["items"])


# Where the writes are made


def space(world: World, request: dict[str, Any]) -> Location:
    return SpaceLocation(world.guide.space, page="start")


def change_request(world: World, request: dict[str, Any]) -> Location:
    return ChangeRequestLocation(world.guide.space, request["id"], page="start")


def organizations(world: World, request: dict[str, Any]) -> Location:
    return OrganizationsLocation(item_id("organization", world.organization))


def in_organization(kind: str) -> Callable[[World, dict[str, Any]], Location]:
    """Return what gives the location of a row of the organization, such as its teams."""
    return lambda world, request: OrganizationsLocation(item_id(kind, world.organization))


def site(world: World, request: dict[str, Any], tab: int = 0) -> Location:
    return SiteLocation(world.docs.organization, world.docs.site, tab=tab)


# What is there before


async def nothing(world: World) -> None:
    """Leave the workspace as it is."""


async def commented(world: World, *, proposed: bool, text: str = "Is it so?") -> None:
    guide = world.guide
    path = guide.path if proposed else f"/spaces/{guide.space}"
    address = f"{path}/content/page/start"
    nodes = (await guide.ada.get(address, format="document"))["document"]["nodes"]
    body = {"body": {"markdown": text}, "page": "start", "node": nodes[-1]["key"]}
    await guide.grace.send("POST", f"{path}/comments", body)


async def move_on(world: World, text: str) -> None:
    """Merge another text of a page into main."""
    guide = world.guide
    guide.clock.advance(minutes=5)
    other = await Desk.open(guide.grace, guide.space, "Something else")
    page = "reference" if "reference" in text else "start"
    await other.write({"operation": "update_page", "page": page, "document": {"markdown": text}})
    await other.merge()


moved_on_elsewhere = partial(move_on, text=LONG.replace("Line 3 of", "Line three of"))
moved_on_in_conflict = partial(move_on, text=START.replace("five minutes to install", "seven minutes to install"))


async def invites_allowed(world: World) -> None:
    await world.guide.ada.send("PATCH", f"/orgs/{world.organization}", {"inviteLinks": True})


async def joined(world: World) -> None:
    join(world.guide.platform, world.organization, "Bob Byte", "review")


# What is there afterwards


async def comments(world: World, *, proposed: bool) -> int:
    path = world.guide.path if proposed else f"/spaces/{world.guide.space}"
    listed = await world.items(f"{path}/comments", format="markdown")
    return sum(one["body"]["markdown"] == "Only once" for one in listed)


async def replies(world: World, *, proposed: bool) -> int:
    path = world.guide.path if proposed else f"/spaces/{world.guide.space}"
    (comment,) = await world.items(f"{path}/comments")
    return len(await world.items(f"{path}/comments/{comment['id']}/replies"))


async def drafts(world: World, *, subject: str = "") -> list[Any]:
    """Return the change requests that were made, with a subject that begins like this."""
    answer = await world.guide.ada.request("GET", f"/spaces/{world.guide.space}/change-requests?status=draft")
    return [one for one in answer.json()["items"] if one["subject"].startswith(subject)]


async def requests(world: World, *, holds: str) -> int:
    """Count the change requests that were made, once they hold a page that holds a text."""
    found = await drafts(world)
    for one in found:
        assert await pages(world, holds=holds, request=one["id"]) == 1
    return len(found)


async def requests_named(world: World, *, subject: str) -> int:
    return len(await drafts(world, subject=subject))


async def pages(world: World, *, holds: str, request: str = "1") -> int:
    """Count the pages of a change request of which the title or the text holds a text."""
    path = f"/spaces/{world.guide.space}/change-requests/{request}/content"
    listed = (await world.guide.ada.get(f"{path}/pages"))["pages"]
    texts = [
        one["title"] + str((await world.guide.ada.get(f"{path}/page/{one['id']}", format="markdown")).get("markdown"))
        for one in listed
    ]
    return sum(holds in text for text in texts)


async def without(text: str, world: World) -> int:
    """Count the change requests of which no page holds a text."""
    return int(await pages(world, holds=text) == 0)


async def moves(world: World) -> int:
    """Count the first page among those of the change request that do not stand first."""
    tree = await world.guide.ada.get(f"{world.guide.path}/content/pages")
    return [one["title"] for one in tree["pages"][1:]].count("Getting started")


async def files(world: World) -> int:
    """Count the files of the change request that are named as this one."""
    path = f"{world.guide.path}/content/files"
    return sum(one["name"] == Path(__file__).name for one in await world.items(path))


async def pages_of_template(world: World) -> int:
    """Count the first pages of the template in main."""
    tree = await world.guide.ada.get(f"/spaces/{world.guide.space}/content/pages")
    return sum(one["title"].startswith("Changelog") for one in tree["pages"])


async def imported_pages(world: World) -> int:
    """Count the imported pages in main."""
    tree = await world.guide.ada.get(f"/spaces/{world.guide.space}/content/pages")
    return sum(one["title"] == TITLE for one in tree["pages"])


async def reviews(world: World) -> int:
    return len(await world.items(f"{world.guide.path}/reviews"))


async def count_requested_reviewers(world: World) -> int:
    return len(await world.items(f"{world.guide.path}/requested-reviewers"))


async def merge(world: World) -> int:
    return int((await world.guide.desk.get())["status"] == "merged")


async def up_to_date(world: World) -> int:
    return int(not (await world.guide.desk.get())["outdated"])


async def in_list(world: World, kind: str, field: str = "title", value: str = "Only once") -> int:
    """Count the items of a list of the organization of which a field has a value."""
    listed = await world.items(f"/orgs/{world.organization}/{kind}", limit=100)
    return sum(one.get(field) == value for one in listed)


async def on_site(world: World, *, kind: str, field: str = "title", value: str = "Only once") -> int:
    listed = await world.items(f"/orgs/{world.docs.organization}/sites/{world.docs.site}/{kind}", limit=100)
    section = world.docs.ids["Changelog"]
    if kind == "site-spaces":
        return sum(one["title"] == "Version 2" and one.get("section") == section for one in listed)
    return sum(one[field] == value for one in listed)


ONCE = "“Only once”"
"""Among keys: a text that is typed, in quotes."""


@dataclass(frozen=True)
class Write:
    """An operation that makes or appends something, and how a person comes to call it."""

    name: str
    operation: Operation[Any, Any]
    at: Callable[[World, dict[str, Any]], Location]
    keys: tuple[str, ...]
    says: str
    count: Callable[[World], Awaitable[int]]
    """How often what is written is there."""
    given: Callable[[World], Awaitable[None]] = nothing
    first: tuple[str, ...] = field(default=())
    """The keys before those of which the answer is lost."""
    has_draft: bool = False
    leaves: tuple[DraftKind, ...] = ()
    """The drafts that are begun by it."""
    has_form: bool = False
    """Whether it is made in a form, which stays with what was typed until it is sent."""


NEW_PAGE = ("a", ONCE, "ctrl+t", "“Words”", "ctrl+s")
EDIT = ("E", "down", "enter", "ctrl+end", ONCE, "ctrl+s")

WRITES = (
    Write(
        "comment in a space",
        Comments.post_comment,
        space,
        ("c", ONCE, "ctrl+s"),
        "Sent the comment “Only once”.",
        partial(comments, proposed=False),
        has_draft=True,
    ),
    Write(
        "reply in a space",
        Comments.post_reply,
        space,
        ("3", "enter", "c", ONCE, "ctrl+s"),
        "Replied in the thread on",
        partial(replies, proposed=False),
        partial(commented, proposed=False),
        has_draft=True,
    ),
    Write(
        "edit in a new change request",
        ChangeRequests.create_change_request,
        space,
        ("E", "enter", "enter", "ctrl+end", ONCE, "ctrl+s"),
        "“Getting started” is in #2",
        partial(requests, holds="Only once"),
        has_draft=True,
    ),
    Write(
        "edit in a change request",
        ContentChanges.write_content,
        space,
        EDIT,
        "“Getting started” is in #1",
        partial(pages, holds="Only once"),
        has_draft=True,
    ),
    Write(
        "edit that is undone",
        ContentChanges.write_content,
        space,
        ("u",),
        "Reverted the edit of “Getting started” in #1 (undo).",
        partial(without, "Only once"),
        first=EDIT,
    ),
    Write(
        "edit that is made again",
        ContentChanges.write_content,
        space,
        ("U",),
        "Made the edit of “Getting started” in #1 again (redo).",
        partial(pages, holds="Only once"),
        first=(*EDIT, "u"),
    ),
    Write(
        "page that is there again",
        ContentChanges.write_content,
        space,
        ("u",),
        "Reverted the removal of “Getting started” in #1 (undo).",
        partial(pages, holds="ten minutes to install"),
        first=("D", "y", "down", "enter"),
    ),
    Write(
        "page in a new change request",
        ChangeRequests.create_change_request,
        space,
        (*NEW_PAGE, "enter", "enter"),
        "“Only once” is in #2",
        partial(requests, holds="Only once"),
        has_draft=True,
    ),
    Write(
        "page in a change request",
        ContentChanges.write_content,
        space,
        (*NEW_PAGE, "down", "enter"),
        "“Only once” is in #1",
        partial(pages, holds="Only once"),
        has_draft=True,
    ),
    Write(
        "file in a change request",
        ContentChanges.write_content,
        space,
        ("4", "a", f"“{__file__}”", "enter", "down", "enter"),
        f"“{Path(__file__).name}” is in #1",
        files,
    ),
    Write(
        "title in a change request",
        ContentChanges.write_content,
        space,
        ("f2", "ctrl+u", ONCE, "enter", "down", "enter"),
        "The title “Only once” is in #1",
        partial(pages, holds="Only once"),
    ),
    Write(
        "removal of a page in a new change request",
        ChangeRequests.create_change_request,
        space,
        ("D", "y", "enter", "enter"),
        "The removal of “Getting started” is in #2",
        partial(requests_named, subject="Delete Getting started"),
    ),
    Write(
        "move of a page in a change request",
        ContentChanges.write_content,
        space,
        ("A", "y", "down", "enter"),
        "The move of “Getting started” is in #1",
        moves,
        first=("h", "J"),
    ),
    Write(
        "change request without changes",
        ChangeRequests.create_change_request,
        space,
        ("w", ONCE, "enter"),
        "Created the change request “Only once”.",
        partial(requests_named, subject="Only once"),
    ),
    Write(
        "suggestion in a space",
        ContentChanges.write_content,
        space,
        ("3", "enter", "t", "down", "enter"),
        "“Getting started” is in #1",
        partial(pages, holds="Read on, and enjoy."),
        partial(commented, proposed=False, text=SUGGESTION),
        has_draft=True,
    ),
    Write(
        "pages of a template",
        Templates.apply_template,
        space,
        ("T", "enter", "“changelog”", "enter", "ctrl+s"),
        "Added the pages of “Changelog” after the others",
        pages_of_template,
        has_form=True,
    ),
    Write(
        "import of content",
        Imports.import_content,
        space,
        ("B", f"“{ADDRESS}”", "ctrl+s"),
        "Imported",
        imported_pages,
    ),
    Write(
        "comment in a change request",
        Comments.post_comment,
        change_request,
        ("enter", "c", ONCE, "ctrl+s"),
        "Sent the comment “Only once”.",
        partial(comments, proposed=True),
        has_draft=True,
    ),
    Write(
        "reply in a change request",
        Comments.post_reply,
        change_request,
        ("3", "enter", "c", ONCE, "ctrl+s"),
        "Replied in the thread on",
        partial(replies, proposed=True),
        partial(commented, proposed=True),
        has_draft=True,
    ),
    Write(
        "review",
        Reviews.submit_review,
        change_request,
        ("S", "enter"),
        "Approved #1 “Say how long it takes”.",
        reviews,
        has_draft=True,
    ),
    Write(
        "request for a review",
        Reviews.request_reviewers,
        change_request,
        ("colon", "“request a review”", "enter", "“bob”", "enter"),
        "Requested a review of #1 “Say how long it takes” from Bob Byte.",
        count_requested_reviewers,
        joined,
    ),
    Write(
        "merge",
        ChangeRequests.merge,
        change_request,
        ("M", "y"),
        "Merged #1 “Say how long it takes” into main",
        merge,
    ),
    Write(
        "update from main",
        ChangeRequests.pull,
        change_request,
        ("P", "y"),
        "Updated #1 “Say how long it takes” from main. Nothing conflicts.",
        up_to_date,
        moved_on_elsewhere,
    ),
    Write(
        "update from main in conflict",
        ChangeRequests.pull,
        change_request,
        ("P", "y"),
        "1 of 1 left",
        up_to_date,
        moved_on_in_conflict,
        leaves=(DraftKind.RESOLUTION,),
    ),
    Write(
        "resolution of conflicts",
        ContentChanges.write_content,
        change_request,
        ("A", "y"),
        "Applied the resolution to #1 “Say how long it takes”. Nothing conflicts any more",
        partial(pages, holds="It takes seven minutes"),
        moved_on_in_conflict,
        first=("P", "y", "right"),
        has_draft=True,
    ),
    Write(
        "revert in a new change request",
        ChangeRequests.create_change_request,
        change_request,
        ("R", "y"),
        "#2 “Revert #1: Say how long it takes” reverts it once it is merged.",
        partial(requests_named, subject="Revert #1"),
        first=("M", "y"),
    ),
    Write(
        "suggestion in a change request",
        ContentChanges.write_content,
        change_request,
        ("3", "enter", "t"),
        "Applied the suggestion to “Getting started”.",
        partial(pages, holds="Read on, and enjoy."),
        partial(commented, proposed=True, text=SUGGESTION),
    ),
    Write(
        "space",
        Spaces.create_space,
        organizations,
        ("a", ONCE, "ctrl+s"),
        "Created the space “Only once”.",
        partial(in_list, kind="spaces"),
        has_form=True,
    ),
    Write(
        "section",
        Sections.create_section,
        site,
        ("a", "“section”", "enter", "“version 1”", "enter", "ctrl+u", ONCE, "enter"),
        "Added the section “Only once”.",
        partial(on_site, kind="sections"),
        has_form=True,
    ),
    Write(
        "section made again",
        Sections.create_section,
        site,
        ("U",),
        "Added the section “Only once” (redo).",
        partial(on_site, kind="sections"),
        first=("a", "“section”", "enter", "“version 1”", "enter", "ctrl+u", ONCE, "enter", "u"),
    ),
    Write(
        "group",
        SectionGroups.create_group,
        site,
        ("a", "“group”", "enter", ONCE, "enter"),
        "Added the group “Only once”.",
        partial(on_site, kind="section-groups"),
        has_form=True,
    ),
    Write(
        "site space",
        SiteSpaces.create_site_space,
        site,
        ("slash", "“Changelog”", "enter", "escape", "a", "enter", "“version 2”", "enter"),
        "Put “Version 2” on the site.",
        partial(on_site, kind="site-spaces"),
    ),
    Write(
        "collection",
        Collections.create_collection,
        organizations,
        ("c", ONCE, "ctrl+s"),
        "Created the collection “Only once”.",
        partial(in_list, kind="collections"),
    ),
    Write(
        "copy of a space",
        Spaces.duplicate_space,
        lambda world, request: OrganizationsLocation(item_id("space", world.guide.space)),
        ("C",),
        "Duplicated the space “Guide”.",
        partial(in_list, kind="spaces", value="Copy of Guide"),
    ),
    Write(
        "site",
        Sites.create_site,
        in_organization("sites"),
        ("a", ONCE, "ctrl+s"),
        "Created the site “Only once”",
        partial(in_list, kind="sites"),
        first=("enter",),
    ),
    Write(
        "team",
        Teams.create_team,
        in_organization("teams"),
        ("a", ONCE, "ctrl+s"),
        "Created the team “Only once”.",
        partial(in_list, kind="teams"),
        first=("enter",),
    ),
    Write(
        "invite",
        Invites.create_invite,
        in_organization("invites"),
        ("a", "“whole org”", "enter", "“comment”", "enter"),
        "Created an invite",
        partial(in_list, kind="link-invites", field="role", value="comment"),
        invites_allowed,
        first=("enter",),
    ),
    Write(
        "identity provider",
        SignOn.create_saml_provider,
        in_organization("sign-on"),
        ("a", ONCE, "tab", "“urn:example”", "tab", "“https://example.org/sso”", "tab", "“MIIB”", "ctrl+s"),
        "Created the identity provider “Only once”.",
        partial(in_list, kind="saml", field="label"),
        first=("enter",),
    ),
    Write(
        "specification",
        Specifications.create_specification,
        in_organization("specifications"),
        ("a", "“only-once”", "tab", "“https://example.org/openapi.json”", "ctrl+s"),
        "Added the specification “only-once”",
        partial(in_list, kind="openapi", field="slug", value="only-once"),
        first=("enter",),
    ),
    Write(
        "translation",
        Translations.create_translation,
        in_organization("translations"),
        ("a", "enter", "“Guide”", "enter", "tab", "“en”", "tab", "“de”", "ctrl+s"),
        "Added the translation of “Guide” into de",
        partial(in_list, kind="translations", field="language", value="de"),
        first=("enter",),
    ),
    Write(
        "share link",
        ShareLinks.create_share_link,
        partial(site, tab=2),
        ("a", ONCE, "enter"),
        "Created the share link “Only once”.",
        partial(on_site, kind="share-links", field="name"),
    ),
    Write(
        "redirect",
        Redirects.create_redirect,
        partial(site, tab=4),
        ("a", "“/only/once”", "enter", "enter", "“Payments guide”", "enter", "ctrl+s"),
        "Added the redirect from /only/once.",
        partial(on_site, kind="redirects", field="source", value="/only/once"),
    ),
    Write(
        "redirect of an old address",
        Redirects.create_redirect,
        site,
        ("slash", "“Changelog”", "enter", "escape", "p", "ctrl+u", "“news”", "enter", "r"),
        "Redirected 1 old address.",
        partial(on_site, kind="redirects", field="source", value="/changelog"),
    ),
)

SAME_TWICE = {
    "Git.export_branch",  # what is pushed already makes no commit
    "Git.import_branch",  # what is imported already changes nothing
    "Collections.move_collection",
    "Collections.transfer_collection",
    "Organizations.join_organization",
    "Organizations.ping",
    "Publishing.publish_site",
    "Publishing.unpublish_site",
    "SectionGroups.add_section",
    "SectionGroups.move_group",
    "Sections.move_section",
    "SignOn.make_sso_member",
    "SiteSpaces.move_site_space",
    "Spaces.move_space",
    "Spaces.restore_space",
    "Spaces.transfer_space",
    "Translations.run_translation",  # what is translated already is not translated again
}
"""Says where or in what state something is to be: called twice, it is so all the same."""


@pytest.fixture
async def world(tmp_path: Path, clock: FrozenClock) -> AsyncIterator[World]:
    platform = make_platform(tmp_path, clock=clock)
    docs = make_docs(platform)
    yield World(await make_guide(platform, clock), docs)
    platform.close()


@asynccontextmanager
async def open_program(world: World, write: Write, folder: Path) -> AsyncIterator[Seat]:
    """Open the program where the write is made."""
    await write.given(world)
    store, transport = open_store(world.guide.platform, folder)

    async def open_view() -> Store:
        return store

    location = write.at(world, await world.guide.desk.get())
    app = RectoApp(open_view, opening=location)
    async with app.run_test(size=(160, 44)) as pilot:
        await settled(pilot)
        seat = Seat(pilot, store, transport, world.guide)
        await press(seat, *write.first)
        world.guide.clock.advance(minutes=1)
        transport.changes.clear()
        yield seat
    await store.aclose()


async def press(seat: Seat, *keys: str) -> None:
    for key in keys:
        if key.startswith("“"):
            await seat.type(key.strip("“”"))
        else:
            await seat.press(key)


def says(seat: Seat, text: str) -> bool:
    """Whether a text is on the screen or in a message."""
    messages = all_messages(seat.pilot.app)
    return seat.shows(text) or any(text in each for each in messages)


def lose(seat: Seat, write: Write, *, and_the_network: bool = False) -> None:
    """Lose the answer of the write once the server has carried it out."""

    async def lost() -> None:
        if and_the_network:
            seat.transport.down = Unreachable("Could not load it.", "The network is down.")
        raise TimedOut("The write failed.", "No answer came.", may_have_arrived=True)

    seat.transport.then[write.operation.name] = lost


def named(write: Write) -> str:
    return write.name


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITES, ids=named)
async def test_a_write_whose_answer_is_lost_is_there_once_and_the_screen_says_so(
    write: Write, world: World, tmp_path: Path
) -> None:
    async with open_program(world, write, tmp_path) as seat:
        lose(seat, write)
        await press(seat, *write.keys)
        assert says(seat, write.says), "\n".join(seat.lines)
        assert seat.transport.changes.count(write.operation.name) == 1
        assert await write.count(world) == 1
        assert tuple(draft.kind for draft in seat.store.drafts.find()) == write.leaves


CHOOSING = [
    write
    for write in WRITES
    if write.name in ("comment in a space", "review", "page in a new change request", "space", "group")
]


@pytest.mark.slow
@pytest.mark.parametrize("write", CHOOSING, ids=named)
async def test_where_it_cannot_be_decided_it_is_sent_again_only_after_another_look(
    write: Write, world: World, tmp_path: Path
) -> None:
    async with open_program(world, write, tmp_path) as seat:
        lose(seat, write, and_the_network=True)
        await press(seat, *write.keys)
        seat.assert_shows("It may have arrived", "y  sends it again")
        seat.transport.down = None
        await seat.press("y")
        assert says(seat, write.says), "\n".join(seat.lines)
        assert seat.transport.changes.count(write.operation.name) == 1
        assert await write.count(world) == 1
        assert seat.store.drafts.find() == []


@pytest.mark.slow
@pytest.mark.parametrize("write", CHOOSING, ids=named)
async def test_where_it_cannot_be_decided_it_can_be_left(write: Write, world: World, tmp_path: Path) -> None:
    async with open_program(world, write, tmp_path) as seat:
        lose(seat, write, and_the_network=True)
        await press(seat, *write.keys)
        seat.assert_shows("your text is kept as a draft" if write.has_draft else "n  leaves it")
        await seat.press("n")
        drafts = [draft.state for draft in seat.store.drafts.find()]
        if write.has_form:
            assert isinstance(seat.pilot.app.screen, FormDialog)
            seat.assert_shows("Only once")
            assert drafts == [DraftState.TYPED]
        else:
            assert not isinstance(seat.pilot.app.screen, Dialog)
            assert drafts == ([DraftState.UNSURE] if write.has_draft else [])
        assert seat.transport.changes.count(write.operation.name) == 1


async def test_a_form_that_was_left_is_sent_again_only_after_another_look(world: World, tmp_path: Path) -> None:
    (write,) = (write for write in WRITES if write.name == "space")
    async with open_program(world, write, tmp_path) as seat:
        lose(seat, write, and_the_network=True)
        await press(seat, *write.keys)
        await seat.press("n", "escape", "k")
        assert not isinstance(seat.pilot.app.screen, Dialog)
        seat.transport.down = None
        await seat.press("a", "ctrl+s")
        assert says(seat, write.says), "\n".join(seat.lines)
        assert seat.transport.changes.count(write.operation.name) == 1
        assert await write.count(world) == 1


async def test_what_arrives_only_when_the_time_is_over_is_there_once(world: World, tmp_path: Path) -> None:
    (write,) = (write for write in WRITES if write.name == "comment in a space")
    async with open_program(world, write, tmp_path) as seat:
        late = TimedOut("The write failed.", "No answer came.", may_have_arrived=True)
        seat.transport.errors[write.operation.name] = [late]
        await press(seat, *write.keys)
        seat.assert_shows("It may have arrived", "may still arrive", "y  sends it again")
        await seat.press("n")
        comment = {"body": {"markdown": "Only once"}, "page": "start"}
        await world.guide.ada.send("POST", f"/spaces/{world.guide.space}/comments", comment)
        await press(seat, *write.keys[:1], "ctrl+s")
        assert says(seat, write.says), "\n".join(seat.lines)
        assert seat.transport.changes.count(write.operation.name) == 1
        assert await write.count(world) == 1
        assert seat.store.drafts.find() == []


# That nothing is missing


def name_of(operation: Operation[Any, Any]) -> str:
    return f"{operation.resource.__name__}.{operation.name}"


def makes(operation: Operation[Any, Any]) -> bool:
    """Whether an operation is not safe to repeat: others set, remove or read something."""
    return operation.method == "POST" or operation.status == 201


def named_in_program() -> tuple[set[str], set[str]]:
    """Return what the store and the screens name as ``Resource.operation``, and all their texts."""
    folder = Path(recto.__file__).parent
    attributes, texts = set(), set()
    for part in ("store", "tui"):
        for file in sorted((folder / part).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    attributes.add(f"{node.value.id}.{node.attr}")
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    texts.add(node.value)
    return attributes, texts


def test_the_table_covers_every_write_that_a_screen_offers() -> None:
    attributes, texts = named_in_program()
    declared = {name_of(operation) for operation in operations() if makes(operation)}
    offered = {name for name in declared if name in attributes or name.partition(".")[2] in texts}
    assert offered == {name_of(write.operation) for write in WRITES} | SAME_TWICE
    assert declared == offered, "no screen makes these"


MAKING = {"Mutation": None, "_mutation": 2}
"""What makes a change as a value, with the place of its call where that is not named."""

SAFE = {"require_writes"}
"""Writes nothing: the platform refuses a write without changes."""


Function = ast.FunctionDef | ast.AsyncFunctionDef


class Modules:
    """Modules, and what the functions in them come to call."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._trees = {name: ast.parse(text) for name, text in texts.items()}
        self._functions = {
            name: {node.name: node for node in tree.body if isinstance(node, Function)}
            for name, tree in self._trees.items()
        }
        self._imported = {
            name: {
                each.name: str(node.module)
                for node in tree.body
                if isinstance(node, ast.ImportFrom)
                for each in node.names
            }
            for name, tree in self._trees.items()
        }

    def blind(self, needed: Set[str]) -> list[str]:
        """Return the changes that call one of these operations and have no lookup; steps may have their own."""
        return [found for name, tree in self._trees.items() for found in self._blind(name, tree, {}, needed)]

    def _blind(self, name: str, node: ast.AST, around: dict[str, Function], needed: Set[str]) -> Iterator[str]:
        if isinstance(node, Function) and not around:
            around = {one.name: one for one in ast.walk(node) if isinstance(one, Function)}
        kind = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and kind in MAKING:
            given = {each.arg: each.value for each in node.keywords}
            place = MAKING[kind]
            call = node.args[place] if place is not None else given.get("call")
            # With ``**more`` the callers are looked at.
            if call is not None and not given.keys() & {"lookup", None}:
                reached = self._reached(name, call, around, set()) & needed
                yield from (f"{name}:{node.lineno} {operation}" for operation in sorted(reached))
        for child in ast.iter_child_nodes(node):
            yield from self._blind(name, child, around, needed)

    def _reached(self, name: str, node: ast.AST, around: Mapping[str, Function], seen: set[int]) -> set[str]:
        """Return the operations that code names, itself or in functions that it names."""
        if id(node) in seen or (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("Attempt")):
            return set()
        seen.add(id(node))
        found: set[str] = set()
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
        if isinstance(node, ast.Name) and node.id not in SAFE:
            other = self._imported[name].get(node.id, name)
            if node.id in around:
                found |= self._reached(name, around[node.id], around, seen)
            elif node.id in (functions := self._functions.get(other, {})):
                found |= self._reached(other, functions[node.id], {}, seen)
        for child in ast.iter_child_nodes(node):
            found |= self._reached(name, child, around, seen)
        return found


def test_each_change_that_makes_something_says_how_to_look_for_it() -> None:
    folder = Path(recto.__file__).parent
    texts = {
        ".".join(("recto", *file.relative_to(folder).with_suffix("").parts)): text
        for part in ("store", "tui")
        for file in sorted((folder / part).rglob("*.py"))
        if "Mutation(" in (text := file.read_text()) or part == "store"
    }
    needed = {name_of(operation) for operation in operations() if makes(operation)} - SAME_TWICE
    assert Modules(texts).blind(needed) == []


def test_a_change_without_a_lookup_is_seen() -> None:
    text = """
    def make(space):
        async def work(call):
            return await step(call, space)
        return Mutation(doing="", done="", call=work)
    async def step(call, space):
        return await call(Spaces.create_space, space)
    def known(space):
        return Mutation(call=lambda call: call(Spaces.create_space, space), lookup=look)
    def in_steps(space):
        async def work(call):
            return await Attempt(lambda call: call(Spaces.create_space, space), look).make(call)
        return Mutation(call=work)
    """
    assert Modules({"m": textwrap.dedent(text)}).blind({"Spaces.create_space"}) == ["m:5 Spaces.create_space"]
