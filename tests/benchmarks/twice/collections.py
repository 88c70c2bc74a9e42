"""Organizations with many collections and spaces."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.contract.collections import Collection, CollectionPermissions
from recto.contract.organizations import Organization, OrganizationPermissions
from recto.contract.spaces import Space, SpacePermissions
from recto.store.arrangement import Arrangement
from recto.store.collection_moves import arrange_collections
from recto.store.landing import Landings
from recto.store.move_plan import plan
from recto.store.moves import Move, Where, apply_move
from recto.tui.screens.organizations.organization_contents import OrganizationContents
from recto.tui.screens.organizations.organization_rows import Branch, rows_of

_OWN = Organization(id="own", title="Own", permissions=OrganizationPermissions(admin=True, create_content=True))


def _contents(spaces: int) -> OrganizationContents:
    """Return that many spaces, ten in each collection; every collection lies in the one before, up to ten deep."""
    return OrganizationContents(
        organization="own",
        collections=tuple(
            Collection(
                id=f"c{n}",
                title=f"Collection {n}",
                parent=f"c{n - 1}" if n % 10 else None,
                permissions=CollectionPermissions(admin=True, create=True),
            )
            for n in range(spaces // 10)
        ),
        spaces=tuple(
            Space(id=f"s{n}", title=f"Space {n}", parent=f"c{n // 10}", permissions=SpacePermissions(admin=True))
            for n in range(spaces)
        ),
        complete=True,
    )


def _arrange(spaces: int) -> Arrangement:
    contents = _contents(spaces)
    return arrange_collections(_OWN, contents.collections, contents.spaces)


@case("show the rows of an organization", size=4_000)
def _(spaces: int) -> Callable[[], object]:
    """Prepare that many spaces in collections in collections."""
    contents = _contents(spaces)
    return lambda: rows_of([Branch(_OWN, contents, contents.children, {})])


@case("lift a space among collections", size=4_000)
def _(spaces: int) -> Callable[[], object]:
    """Prepare that many spaces, all in sight, of which the last one is lifted and carried past all places."""
    arrangement = _arrange(spaces)
    last = (f"space:s{spaces - 1}",)
    return lambda: [*Landings(arrangement, last, arrangement.items.keys())]


@case("move all spaces of an organization to the top", size=2_000)
def _(spaces: int) -> Callable[[], object]:
    """Prepare that many spaces, which all go to the top of the organization."""
    before = _arrange(spaces)
    after = apply_move(before, Move(tuple(f"space:s{n}" for n in range(spaces)), "organization:own", Where.INSIDE))
    assert isinstance(after, Arrangement)
    return lambda: plan(before, after)
