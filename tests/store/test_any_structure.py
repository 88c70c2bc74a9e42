"""From any structure of a site to any other reachable one: each call is accepted, and it ends there."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.client.sender import Sender
from recto.server.platform import Platform
from recto.server.sites import sections, site_spaces, sites
from recto.server.spaces.spaces import add_space
from recto.store.arrangement import Arrangement, Kind
from recto.store.drafts import Drafts
from recto.store.rearranging import SiteAddress, rearrange, rearrangement
from recto.store.store import Store
from support.other_platforms import NOT_ALLOWED, NOT_FOUND, OtherPlatform
from support.platform import BASE_URL, make_platform, own_organization
from support.slow import with_slow

SEEDS = range(12)
DEEPEST = 3


def make_site(platform: Platform, chance: random.Random) -> SiteAddress:
    """Make a site with nested groups, and sections of some site spaces each."""
    organization = own_organization(platform)

    def work(connection: Any) -> SiteAddress:
        context = platform.context(connection)
        site = sites.add_site(context, organization, "Any")
        depths: dict[str | None, int] = {None: 0}
        spaces = [add_space(context, organization, f"Space {number}") for number in range(3)]
        for number in range(chance.randint(1, 4)):
            parent = chance.choice([group for group, depth in depths.items() if depth < DEEPEST])
            group = sections.create_group(context, site, f"Group {number}", parent=parent)
            depths[group] = depths[parent] + 1
        for number in range(chance.randint(2, 5)):
            parent = chance.choice([*depths])
            section = sections.create_section(context, site, f"Section {number}", parent=parent)
            for space in spaces[: chance.randint(1, 3)]:
                site_spaces.add_site_space(context, site, space, section=section)
        return SiteAddress(organization, site)

    return platform.database.write_now(work)


def shuffle(base: Arrangement, chance: random.Random) -> Arrangement:
    """Return another arrangement of the same items: groups and sections anywhere, site spaces in their section."""
    movable = [item for item in base.items.values() if item.kind in (Kind.GROUP, Kind.SECTION)]
    children: dict[str | None, list[str]] = {None: []}
    depths: dict[str | None, int] = {None: 0}
    for item in sorted(movable, key=lambda item: (item.kind is Kind.SECTION, chance.random())):
        parent = chance.choice(
            [group for group, depth in depths.items() if depth < DEEPEST or item.kind is Kind.SECTION]
        )
        children.setdefault(parent, []).append(item.id)
        if item.kind is Kind.GROUP:
            depths[item.id] = depths[parent] + 1
    for item in movable:
        if item.kind is Kind.SECTION:
            children[item.id] = [*base.under(item.id)]
    return base.with_order(
        {parent: tuple(_mix(ids, chance)) for parent, ids in children.items()}
        | {parent: () for parent in base.children if parent not in children}
    )


def _mix(ids: Iterable[str], chance: random.Random) -> list[str]:
    return sorted(ids, key=lambda _: chance.random())


@pytest.mark.parametrize(
    ("without", "refusal"),
    [
        ((), NOT_FOUND),
        (("/sort",), NOT_FOUND),
        (("/sort",), NOT_ALLOWED),
        (("/structure",), NOT_FOUND),
        (("/structure", "/sort"), NOT_FOUND),
    ],
    ids=["all", "no sort (404)", "no sort (405)", "no structure", "neither"],
)
@pytest.mark.parametrize("seed", with_slow(SEEDS, SEEDS[3:]))
async def test_any_structure_leads_to_any_other(
    tmp_path: Path, seed: int, without: tuple[str, ...], refusal: httpx.Response
) -> None:
    chance = random.Random(seed)
    platform = make_platform(tmp_path)
    site = make_site(platform, chance)
    transport = OtherPlatform(platform, has=lambda _, path: not path.endswith(without), refusal=refusal)
    store = Store(
        Sender(BASE_URL, platform.token, transport=lambda: transport),
        Drafts(tmp_path / "drafts", platform.clock),
        clock=platform.clock,
        address="https://docs.example.com",
    )
    try:
        base = await site.read(store.call)
        wanted = shuffle(base, chance)
        outcome = await rearrange(store, rearrangement(site, base, wanted, doing="Moving", done="Moved"))
        assert outcome.error is None, outcome.error
        assert (await site.read(store.call)).children == wanted.children
    finally:
        await store.aclose()
        platform.close()
