"""The arrangement of an organization's collections and spaces, and the calls that move them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recto.client.call import all_pages
from recto.contract.collections import Collection, Collections, MoveCollection
from recto.contract.organizations import Organization, Organizations
from recto.contract.positions import CollectionPointer, SiblingPosition, SpacePointer
from recto.contract.spaces import MoveSpace, Space, Spaces
from recto.frozen import frozen
from recto.store.arrangement import IN_COLLECTIONS, Arrangement, Item, Kind
from recto.store.locations import item_id
from recto.store.move_plan import PutInCollection
from recto.store.query_keys import calls
from recto.store.roles import needs

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.positions import Pointer
    from recto.store.move_plan import Step
    from recto.store.query_keys import Chooser


def arrange_collections(
    organization: Organization, collections: Sequence[Collection], spaces: Sequence[Space]
) -> Arrangement:
    """Return the arrangement of an organization's collections and spaces.

    The organization is the only item at the top. The ids are those of the organizations' tree, such as ``space:abc``.
    An item whose collection the person may not see stands at the top, and stays there.
    """
    top = item_id(Kind.ORGANIZATION.value, organization.id)
    items = {
        top: Item(
            top,
            Kind.ORGANIZATION,
            organization.title or "Untitled organization",
            why_closed=needs(organization.permissions, "create"),
        )
    }
    children: dict[str | None, list[str]] = {None: [top]}
    known = {collection.id for collection in collections}
    for kind, placed in ((Kind.COLLECTION, collections), (Kind.SPACE, spaces)):
        for each in placed:
            id = item_id(kind.value, each.id)
            is_hidden = each.parent is not None and each.parent not in known
            items[id] = Item(
                id,
                kind,
                each.title or f"Untitled {kind.word}",
                why_fixed="its collection is hidden from you" if is_hidden else needs(each.permissions, "admin"),
                why_closed=needs(each.permissions, "create") if isinstance(each, Collection) else None,
            )
            parent = item_id(Kind.COLLECTION.value, each.parent) if each.parent and not is_hidden else top
            children.setdefault(parent, []).append(id)
    return Arrangement(items, {parent: tuple(ids) for parent, ids in children.items()}, kinds_apart=IN_COLLECTIONS)


@frozen
class CollectionsOf:
    """The collections and spaces of an organization, as an ordered set of items."""

    organization: str
    title: str

    @property
    def name(self) -> str:
        """Their name in sentences."""
        return f"the collections and spaces of “{self.title}”"

    @property
    def lane(self) -> tuple[str, str]:
        """The lane in which their changes run in turn."""
        return ("collections", self.organization)

    @property
    def stale(self) -> tuple[Chooser, ...]:
        """The queries that moves make stale."""
        return calls_of_collections(self.organization)

    async def read(self, call: Call) -> Arrangement:
        """Ask how the collections and spaces are arranged now."""
        organization = await call(Organizations.get_organization, self.organization)
        collections = await all_pages(call, Collections.list_collections, self.organization)
        spaces = await all_pages(call, Spaces.list_spaces, self.organization)
        return arrange_collections(
            organization,
            [each for page in collections for each in page.items],
            [each for page in spaces for each in page.items],
        )

    async def make(self, call: Call, step: Step) -> None:
        """Put a collection or a space in its place."""
        assert isinstance(step, PutInCollection)
        place: dict[str, Any] = {}
        if step.before is not None:
            place["parent"] = thing_id(step.into.id) if step.into.kind is Kind.COLLECTION else None
        if step.anchor is not None:
            place["position"] = SiblingPosition(**{step.where.value: _pointer(step.anchor)})
        if step.item.kind is Kind.COLLECTION:
            await call(Collections.move_collection, thing_id(step.item.id), MoveCollection(**place))
        else:
            await call(Spaces.move_space, thing_id(step.item.id), MoveSpace(**place))


def calls_of_collections(*organizations: str) -> tuple[Chooser, ...]:
    """Choose the queries of the collections and spaces of organizations, and of each of them."""
    return (
        *(calls(Spaces.list_spaces, organization_id=id) for id in organizations),
        *(calls(Collections.list_collections, organization_id=id) for id in organizations),
        calls(Spaces.get_space),
        calls(Collections.get_collection),
        calls(Collections.list_collection_spaces),
    )


def thing_id(item: str) -> str:
    """Return the id of what an item of the organizations' tree stands for."""
    return item.partition(":")[2]


def _pointer(anchor: Item) -> Pointer:
    if anchor.kind is Kind.COLLECTION:
        return CollectionPointer(collection=thing_id(anchor.id))
    return SpacePointer(space=thing_id(anchor.id))
