"""Actions on whole collections and spaces: create, rename, set, transfer, duplicate and delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from recto.client.call import all_pages, pages
from recto.client.errors import ClientError
from recto.contract.addresses import Main
from recto.contract.collections import Collection, Collections, CreateCollection, UpdateCollection
from recto.contract.content import Content
from recto.contract.organizations import Organizations
from recto.contract.sites import Sites
from recto.contract.spaces import CreateSpace, Space, Spaces, UpdateSpace
from recto.document.text import count
from recto.store.deleted_spaces import DeletedSpaces
from recto.store.drafts import DraftPlace
from recto.store.locations import item_id
from recto.store.mutation import Undecided
from recto.store.roles import needs
from recto.store.space_changes import (
    create_collection,
    create_space,
    delete_collection,
    delete_space,
    duplicate_space,
    transfer_collection,
    transfer_space,
    update_collection,
    update_space,
)
from recto.tui.actions import Action, register
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, ConfirmTitle
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.form import Field, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.lists.tree_rows import Order
from recto.tui.look import signs
from recto.tui.screens.organizations.organization_rows import COLLECTION, SITE, SPACE
from recto.tui.screens.organizations.panes import INBOX, MEMBERS, SUBJECTS
from recto.tui.screens.space.space_settings import EDITING, LEVELS, confirm_level, space_filling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from recto.contract.content import Page
    from recto.store.mutation import Mutation, Outcome
    from recto.tui.screens.organizations.organization_tree_pane import Selection
    from recto.tui.screens.view import View

_GROUP = "Organizations"

register(
    Action("organization.new_collection", "New collection", ("c",), _GROUP, "collection", writes=True),
    Action(
        "organization.item_settings",
        "Change the settings of the collection or space",
        ("e",),
        _GROUP,
        "settings",
        writes=True,
    ),
    Action("organization.duplicate_space", "Duplicate the space", ("C",), _GROUP, writes=True),
    Action("organization.transfer_item", "Transfer to another organization", ("T",), _GROUP, writes=True),
)

TITLE_LENGTH: Final = 50
"""The most characters of the title of a space or a collection."""

_MOST_POINTS: Final = 8
"""The most affected items that are named; the rest is counted."""

NEW_SPACE: Final = Form(
    "new-space",
    CreateSpace,
    Field("title", required=True),
    Field("emoji", says="One emoji, shown before the title.", check=signs.why_no_emoji),
    Field("language", says="The code of the language of its pages, such as en or pt-br."),
    Field("edit_mode", "Editing", choices=EDITING, none="main can be changed"),
    sends="Create the space",
)

NEW_COLLECTION: Final = Form(
    "new-collection", CreateCollection, Field("title", required=True), sends="Create the collection"
)

COLLECTION_SETTINGS: Final = Form(
    "collection-settings",
    UpdateCollection,
    Field("title", required=True),
    Field("description", says="A sentence about its contents."),
    Field("default_level", "Default role", choices=LEVELS, none="only access given elsewhere"),
)

_ELSEWHERE: Final = "only on an organization, collection or space"
"""The reason why no space or collection is made on other items."""

_NOT_MADE_HERE: Final = {INBOX: "edit a page (‹page.edit›) to begin one", MEMBERS: "members join by an invite"}
"""By the kind of the selected item, the reason why its items are not created here."""

_IN_COLLECTIONS = (
    "organization.item_settings",
    "organization.duplicate_space",
    "organization.transfer_item",
    "item.rename",
    "item.delete",
)
_OF_SITES = {
    "item.delete": "only under Sites",
    "item.rename": "only in the site's settings",
    "organization.item_settings": "only in the site's settings",
}
"""The note on the row of a site about where sites are changed."""


class CollectionTasks:
    """The actions, on behalf of a view; ``selection`` returns its selection, ``staged`` the number of staged moves."""

    def __init__(self, view: View, selection: Callable[[], Selection]) -> None:
        self._view = view
        self._selection = selection

    def why_not(self, action: str) -> str | None:
        """Return the reason why a task cannot be done now; ``None`` where it can."""
        at = self._selection()
        lacks = self._view.store.lacks
        if action == "item.new":
            reason = _NOT_MADE_HERE.get(at.kind) or _why_not_new(at)
            return "this server cannot create spaces" if lacks(Spaces.create_space) else reason
        if action == "organization.new_collection":
            lacking = lacks(Collections.create_collection)
            return "this server cannot create collections" if lacking else _why_not_new(at)
        if action not in _IN_COLLECTIONS:
            return None
        if at.kind == SITE and action in _OF_SITES:
            return _OF_SITES[action]
        if not isinstance(at.thing, Space | Collection):
            return "no collection or space is selected"
        if action == "organization.duplicate_space":
            if not isinstance(at.thing, Space):
                return "only spaces are duplicated"
            lacking = lacks(Spaces.duplicate_space)
            return "this server cannot duplicate spaces" if lacking else _why_not_into(at, at.thing.parent)
        return needs(at.thing.permissions, "admin")

    # Making

    async def new_space(self) -> str | None:
        """Ask for the settings of a new space, and make it at the cursor; returns its item."""
        return await self._new("space", NEW_SPACE, create_space)

    async def new_collection(self) -> str | None:
        """Ask for the title of a new collection, and make it where the cursor is; return its item."""
        return await self._new("collection", NEW_COLLECTION, create_collection)

    async def _new(self, kind: str, form: Form[Any], create: Callable[[str, Any], Mutation[Any]]) -> str | None:
        view, at = self._view, self._selection()
        organization = at.organization
        if organization is None:
            return None

        async def submit(body: Any) -> Outcome[Any]:
            return await view.send(create(organization.id, body))

        given = {"parent": at.collection} if at.collection else {}
        place = DraftPlace(organization=organization.id)
        dialog = FormDialog(
            view.store,
            f"New {kind} in {_place_of(at)}",
            Filling(form, submit, given=given, place=place),
        )
        made = await view.ask(dialog)
        if made is None:
            return None
        view.say(f"Created the {kind} “{made.title}”.")
        return item_id(kind, made.id)

    async def duplicate(self) -> str | None:
        """Duplicate the selected space; return the item of the copy."""
        space = self._selection().space
        if space is None:
            return None
        outcome = await self._view.carry_out(duplicate_space(space, self._deleted))
        return item_id(SPACE, outcome.value.id) if outcome.value is not None else None

    # Changing

    async def rename(self) -> None:
        """Ask for another title of the selected collection or space."""
        view, at, thing = self._view, self._selection(), self._selection().thing
        if not isinstance(thing, Space | Collection):
            return
        asks, draft = f"Rename the {at.kind}", view.store.line_drafts.of("rename", thing.id)
        latest = Latest[Space | Collection](thing, partial(self._read, thing))

        async def reread() -> str:
            return (await latest()).title

        while True:
            prompt = PromptLine(asks, latest.value.title, limit=TITLE_LENGTH, draft=draft, reread=reread)
            if (typed := await view.ask(prompt)) is None:
                return
            title, thing = typed.strip(), latest.value
            if title == thing.title:
                return
            if isinstance(thing, Space):
                outcome: Outcome[Any] = await view.send(update_space(thing, UpdateSpace(title=title)))
            else:
                outcome = await view.send(update_collection(thing, UpdateCollection(title=title)))
            if outcome.error is None:
                draft.discard()
                return
            # The prompt comes again with its text, under the error.
            view.say_failed(outcome.error)
            if isinstance(outcome.error, Undecided):
                return

    async def _read(self, thing: Space | Collection) -> Space | Collection:
        if isinstance(thing, Space):
            return await self._view.store.call(Spaces.get_space, thing.id)
        return await self._view.store.call(Collections.get_collection, thing.id)

    async def settings(self) -> None:
        """Show the settings of the selected collection or space as a form."""
        thing = self._selection().thing
        if isinstance(thing, Space | Collection):
            filling: Filling[Any, Any] = (
                space_filling(self._view, thing) if isinstance(thing, Space) else self._collection(thing)
            )
            title = f"Settings of {thing.title}"
            if await self._view.ask(FormDialog(self._view.store, title, filling)) is not None:
                self._view.say(f"Saved the settings of “{thing.title}”.")

    def _collection(self, collection: Collection) -> Filling[UpdateCollection, Collection]:
        view = self._view

        latest = Latest(collection, lambda: view.store.fetch(Collections.get_collection, collection.id))

        async def submit(body: UpdateCollection) -> Outcome[Collection] | None:
            change = update_collection(latest.value, body)
            return await view.send(change) if await confirm_level(view, latest.value, body, change) else None

        return Filling(
            COLLECTION_SETTINGS,
            submit,
            thing=collection,
            reread=latest,
            place=DraftPlace(organization=collection.organization, block=collection.id),
            reason=needs(collection.permissions, "admin"),
        )

    async def transfer(self) -> None:
        """Ask for the target organization, show what will be transferred and lost, and transfer."""
        view, at, thing = self._view, self._selection(), self._selection().thing
        if not isinstance(thing, Space | Collection):
            return
        listed = await all_pages(view.store.call, Organizations.list_organizations)
        others = {one.id: one for page in listed for one in page.items if one.id != thing.organization}
        if not others:
            view.say("There is no other organization to transfer it to.")
            return
        choices = [Choice(one.id, one.title, reason=needs(one.permissions, "create") or "") for one in others.values()]
        chosen = await view.ask(Choose(f"Transfer “{thing.title}” to", choices))
        if chosen is None:
            return
        title = others[chosen].title
        question = Confirm(
            f"Transfer “{thing.title}” to {title}",
            "It becomes the last item there. Its invite links stop working, and roles come from that organization.",
            "A space on a site has to be taken off it first.",
            points=await self._inside(at, thing) if isinstance(thing, Collection) else (),
            does=f"transfers it to {title}",
            undo=NO_UNDO,
        )
        if await view.ask(question):
            transfers: Mutation[Any] = (
                transfer_space(thing, chosen, title)
                if isinstance(thing, Space)
                else transfer_collection(thing, chosen, title)
            )
            await view.carry_out(transfers)

    # Deleting

    async def delete(self) -> None:
        """Show what will be deleted with the selected collection or space, and delete it."""
        at = self._selection()
        if isinstance(at.thing, Space):
            await self._delete_space(at.thing)
        elif isinstance(at.thing, Collection):
            await self._delete_collection(at, at.thing)

    async def _delete_space(self, space: Space) -> None:
        view = self._view
        points = [point async for point in self._list_losses(space)]
        question = ConfirmTitle(
            f"Delete the space “{space.title}”",
            "It can be restored for seven days under Deleted spaces.",
            points=points,
            named=space.title or "Untitled space",
            does="deletes the space",
            undo=UNDO,
        )
        if await view.ask(question):
            await view.carry_out(delete_space(space, self._deleted))

    async def _list_losses(self, space: Space) -> AsyncIterator[str]:
        """Yield what will be deleted with a space, and what could not be counted."""
        try:
            tree = await self._view.store.fetch(Content.list_pages, Main(space.id))
            yield count(sum(page.type == "document" for page in Order(tree.pages, _under).nodes), "page")
        except ClientError as error:
            yield f"its pages, which could not be counted: {error.why}"
        if space.change_requests:
            yield count(space.change_requests, "change request")
        if space.comments:
            yield count(space.comments, "open comment")
        try:
            listed = pages(self._view.store.call, Sites.list_sites, space.organization, space=space.id)
            sites = [site async for page in listed for site in page.items]
        except ClientError as error:
            yield f"its places on sites, which could not be loaded: {error.why}"
            return
        for site in sites[:_MOST_POINTS]:
            yield f"its place on the site “{site.title}”"
        if len(sites) > _MOST_POINTS:
            yield f"its places on {count(len(sites) - _MOST_POINTS, 'other site')}"

    async def _delete_collection(self, at: Selection, collection: Collection) -> None:
        view = self._view
        inside = await self._inside(at, collection)
        moves = "Its contents move up one level; permissions do not change." if inside else "It is empty."
        question = Confirm(
            f"Delete the collection “{collection.title}”",
            moves,
            points=inside,
            does="deletes the collection",
            undo=NO_UNDO,
        )
        if await view.ask(question):
            await view.carry_out(delete_collection(collection))

    async def _inside(self, at: Selection, collection: Collection) -> list[str]:
        """Name the collections directly in a collection, each with its spaces, and the spaces as they are now."""
        below = at.contents.children.get(item_id(COLLECTION, collection.id), ()) if at.contents is not None else ()
        things = [at.contents.things[item] for item in below] if at.contents is not None else []
        found = [
            f"the collection “{one.title}”{_with_spaces(at, one)}" for one in things if isinstance(one, Collection)
        ]
        listed = pages(self._view.store.call, Collections.list_collection_spaces, collection.id)
        found += [f"the space “{space.title}”" async for page in listed for space in page.items]
        more = len(found) - _MOST_POINTS
        return found if more <= 1 else [*found[:_MOST_POINTS], f"{more} more"]

    @property
    def _deleted(self) -> DeletedSpaces:
        return DeletedSpaces(self._view.store)


def _with_spaces(at: Selection, collection: Collection) -> str:
    """Return how many spaces are in a collection, at any depth, in words; empty without any."""
    held, waiting = 0, [item_id(COLLECTION, collection.id)]
    while waiting and at.contents is not None:
        below = at.contents.children.get(waiting.pop(), ())
        held += sum(isinstance(at.contents.things[item], Space) for item in below)
        waiting += below
    return f" with {count(held, 'space')}" if held else ""


def _under(page: Page) -> Sequence[Page]:
    return page.pages


def _place_of(at: Selection) -> str:
    """Name what something new goes into: the collection under the cursor or around it, or the organization."""
    if at.collection and at.contents is not None:
        return f"“{at.contents.things[item_id(COLLECTION, at.collection)].title}”"
    return at.organization.title if at.organization is not None else ""


def _why_not_new(at: Selection) -> str | None:
    if at.organization is None:
        return "no organization is selected"
    if at.kind in SUBJECTS or at.kind == SITE:
        return _ELSEWHERE
    return _why_not_into(at, at.collection)


def _why_not_into(at: Selection, collection: str | None) -> str | None:
    """Return the reason why nothing can be put into a collection of the selected organization, or to its top."""
    if at.organization is None or collection is None or at.contents is None:
        return needs(at.organization.permissions, "create") if at.organization is not None else None
    into = at.contents.things.get(item_id(COLLECTION, collection))
    return needs(into.permissions, "create") if into is not None else "its collection is hidden from you"
