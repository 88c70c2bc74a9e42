"""Changes of the spaces and collections of an organization, as mutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from recto.client.call import all_pages
from recto.contract.addresses import Main
from recto.contract.collections import (
    Collection,
    Collections,
    CreateCollection,
    TransferCollection,
    UpdateCollection,
)
from recto.contract.content import Content
from recto.contract.spaces import CreateSpace, Space, Spaces, TransferSpace, UpdateSpace
from recto.contract.templates import TEMPLATES, ApplyTemplate, Templates
from recto.store.collection_moves import calls_of_collections
from recto.store.locations import DeletedSpace
from recto.store.mutation import (
    Lookup,
    Matches,
    Mutation,
    Undecided,
    changes,
    changes_items,
    matches,
    new_among,
    new_in_list,
    unless_changed,
)
from recto.store.query_keys import about, calls
from recto.store.roles import may_administrate

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.model import Body
    from recto.store.deleted_spaces import DeletedSpaces
    from recto.store.mutation import Known

B = TypeVar("B", bound="Body")

_KEPT_OF_TITLE = 30
"""The characters of a title that are also in the title of its copy."""


# Spaces


def create_space(organization: str, body: CreateSpace) -> Mutation[Space]:
    """Create an empty space; undoing deletes it, where the person may."""
    title = body.title or "Untitled"

    return Mutation(
        doing=f"Creating the space “{title}”",
        done=f"Created the space “{title}”",
        call=lambda call: call(Spaces.create_space, organization, body),
        lookup=new_in_list(
            lambda one: one.title == title and one.parent == body.parent, Spaces.list_spaces, organization
        ),
        stale=calls_of_collections(organization),
        inverse=lambda made: delete_space(made) if may_administrate(made) else None,
    )


def update_space(space: Space, body: UpdateSpace) -> Mutation[Space]:
    """Change the settings of a space; undoing sets them back where the API can."""
    shown = {name: value for name, value in body if name in body.model_fields_set and name in ("title", "edit_mode")}
    if "emoji" in body.model_fields_set:
        shown["emoji"] = body.emoji or ""

    def change(one: Space) -> Space:
        return one.model_copy(update=shown) if one.id == space.id else one

    words = _words(f"the space “{space.title}”", body)
    return Mutation(
        doing=f"Changing {words}",
        done=f"Renamed the space to “{body.title}”" if body.model_fields_set == {"title"} else f"Changed {words}",
        call=lambda call: call(Spaces.update_space, space.id, body),
        effects=(changes(Spaces.get_space, change, space_id=space.id), changes_items(Spaces.list_spaces, change)),
        stale=(about(space_id=space.id), calls(Spaces.list_spaces), calls(Collections.list_collection_spaces)),
        inverse=unless_changed(
            _set_back(space, body, update_space),
            body.model_fields_set,
            lambda call: call(Spaces.get_space, space.id),
        ),
        once=True,
        lane=("space", space.id),
    )


def delete_space(space: Space, deleted: DeletedSpaces | None = None) -> Mutation[None]:
    """Delete a space, and note that it was deleted here; undoing restores it."""

    async def work(call: Call) -> None:
        await call(Spaces.delete_space, space.id)
        if deleted is not None:
            deleted.remember(DeletedSpace(space.id, space.organization, space.title, deleted.now()))

    return Mutation(
        doing=f"Deleting the space “{space.title}”",
        done=f"Deleted the space “{space.title}”",
        call=work,
        effects=(changes_items(Spaces.list_spaces, lambda one: None if one.id == space.id else one),),
        stale=(*calls_of_collections(space.organization), about(space_id=space.id)),
        inverse=lambda _: restore_space(space.id, space.title, space.organization, deleted),
        lane=("space", space.id),
    )


def restore_space(space: str, title: str, organization: str, deleted: DeletedSpaces | None = None) -> Mutation[Space]:
    """Restore a deleted space to its former place; undoing deletes it again."""

    async def work(call: Call) -> Space:
        restored = await call(Spaces.restore_space, space)
        if deleted is not None:
            deleted.forget(space)
        return restored

    return Mutation(
        doing=f"Restoring the space “{title}”",
        done=f"Restored the space “{title}”",
        call=work,
        stale=(*calls_of_collections(organization), about(space_id=space)),
        inverse=lambda restored: delete_space(restored, deleted),
        lane=("space", space),
    )


def duplicate_space(space: Space, deleted: DeletedSpaces | None = None) -> Mutation[Space]:
    """Copy a space, beside it; undoing deletes the copy, where the person may."""

    def is_beside(one: Space) -> bool:
        return one.parent == space.parent and one.id != space.id

    def is_copy(one: Space) -> bool:
        # Each platform has a title of its own for a copy, which may be cut.
        return is_beside(one) and space.title[:_KEPT_OF_TITLE] in one.title

    async def find(call: Call) -> Matches[Space]:
        return matches(await all_pages(call, Spaces.list_spaces, space.organization), is_copy, is_beside)

    return Mutation(
        doing=f"Duplicating the space “{space.title}”",
        done=f"Duplicated the space “{space.title}”",
        call=lambda call: call(Spaces.duplicate_space, space.id),
        lookup=new_among(find),
        stale=calls_of_collections(space.organization),
        inverse=lambda copy: delete_space(copy, deleted) if may_administrate(copy) else None,
        once=True,
        lane=("space", space.id),
    )


def transfer_space(space: Space, organization: str, title: str) -> Mutation[Space]:
    """Transfer a space to another organization, last at its top."""
    return Mutation(
        doing=f"Transferring the space “{space.title}”",
        done=f"Transferred the space “{space.title}” to “{title}”",
        call=lambda call: call(Spaces.transfer_space, space.id, TransferSpace(organization=organization)),
        stale=(*calls_of_collections(space.organization, organization), about(space_id=space.id)),
        lane=("space", space.id),
    )


def apply_template(space: str, body: ApplyTemplate, title: str) -> Mutation[bool]:
    """Put the pages of a template after those of a space."""
    titles = next((each.pages for each in TEMPLATES if each.id == body.id), ())

    async def work(call: Call) -> bool:
        await call(Templates.apply_template, space, body)
        return True

    async def before(call: Call) -> Known:
        return tuple(page.id for page in (await call(Content.list_pages, Main(space))).pages)

    async def after(call: Call, known: Known) -> bool | None:
        new = [page.title for page in (await call(Content.list_pages, Main(space))).pages if page.id not in known]
        if not new:
            return None
        if any(tuple(new[start : start + len(titles)]) == titles for start in range(len(new)) if titles):
            return True
        raise Undecided("The pages may have been added.", "There are new pages; others may have written them.")

    return Mutation(
        doing=f"Adding the pages of “{title}”",
        done=f"Added the pages of “{title}”",
        call=work,
        lookup=Lookup(before, after),
        stale=(about(space_id=space), calls(Spaces.list_spaces)),
        lane=("space", space),
    )


# Collections


def create_collection(organization: str, body: CreateCollection) -> Mutation[Collection]:
    """Create an empty collection; undoing deletes it, where the person may."""
    title = body.title or "Untitled"

    return Mutation(
        doing=f"Creating the collection “{title}”",
        done=f"Created the collection “{title}”",
        call=lambda call: call(Collections.create_collection, organization, body),
        lookup=new_in_list(
            lambda one: one.title == title and one.parent == body.parent, Collections.list_collections, organization
        ),
        stale=calls_of_collections(organization),
        inverse=lambda made: delete_collection(made) if may_administrate(made) else None,
    )


def update_collection(collection: Collection, body: UpdateCollection) -> Mutation[Collection]:
    """Change a collection's title, description or default level; undoing sets them back."""
    shown = {name: getattr(body, name) for name in body.model_fields_set}

    def change(one: Collection) -> Collection:
        return one.model_copy(update=shown) if one.id == collection.id else one

    words = _words(f"the collection “{collection.title}”", body)
    is_rename = body.model_fields_set == {"title"}
    return Mutation(
        doing=f"Changing {words}",
        done=f"Renamed the collection to “{body.title}”" if is_rename else f"Changed {words}",
        call=lambda call: call(Collections.update_collection, collection.id, body),
        effects=(changes_items(Collections.list_collections, change),),
        stale=(about(collection_id=collection.id), calls(Collections.list_collections)),
        inverse=unless_changed(
            _set_back(collection, body, update_collection),
            body.model_fields_set,
            lambda call: call(Collections.get_collection, collection.id),
        ),
        once=True,
        lane=("collection", collection.id),
    )


def delete_collection(collection: Collection) -> Mutation[None]:
    """Delete a collection; its content takes its place. Nothing undoes it: a new collection has another id."""
    return Mutation(
        doing=f"Deleting the collection “{collection.title}”",
        done=f"Deleted the collection “{collection.title}”",
        call=lambda call: call(Collections.delete_collection, collection.id),
        stale=(*calls_of_collections(collection.organization), about(collection_id=collection.id)),
        lane=("collection", collection.id),
    )


def transfer_collection(collection: Collection, organization: str, title: str) -> Mutation[Collection]:
    """Transfer a collection with all that is in it to another organization, last at its top."""
    body = TransferCollection(organization=organization)
    return Mutation(
        doing=f"Transferring the collection “{collection.title}”",
        done=f"Transferred the collection “{collection.title}” to “{title}”",
        call=lambda call: call(Collections.transfer_collection, collection.id, body),
        stale=(*calls_of_collections(collection.organization, organization), about(collection_id=collection.id)),
        lane=("collection", collection.id),
    )


def _words(thing: str, body: Body) -> str:
    names = sorted(name.replace("_", " ") for name in body.model_fields_set)
    return f"the {' and '.join(names)} of {thing}" if 0 < len(names) <= 2 else f"the settings of {thing}"


def _set_back(thing: Any, body: B, update: Callable[[Any, B], Mutation[Any]]) -> Callable[[Any], Mutation[Any] | None]:
    """Return the inverse of a change of settings; there is none where the API cannot restore all of them."""
    before = {name: _plain(getattr(thing, name, None)) for name in body.model_fields_set}
    if "icon" in before or "emoji" in before:
        # A space has one sign: what it had before takes the place of the other.
        icon = thing.urls.icon
        before |= {"icon": icon} if icon else {"emoji": thing.emoji or None}
        before.pop("emoji" if icon else "icon", None)
    if "description" in before:
        before["description"] = before["description"] or ""
    try:
        back = type(body).model_validate(before)
    except ValidationError:
        return lambda _: None
    return lambda response: update(response, back)


def _plain(value: Any) -> Any:
    return value.model_dump(exclude_unset=True, by_alias=True) if hasattr(value, "model_dump") else value
