"""``recto ADDRESS``: opens the program at what an address names."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from recto.cli import program
from recto.cli.failures import USAGE, CommandError
from recto.settings import Settings
from recto.tui.navigation.url_locations import ElsewhereError, find_location, for_browser, other_platform
from recto.urls import ThingUrl, read_url, same_platform

if TYPE_CHECKING:
    from recto.store.locations import Location
    from recto.store.store import Store


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Open the program at an address; a token goes to the platform that it was set for and to no other."""
    address = read_url(arguments.address)
    if address is None:
        if settings.base_url is None or for_browser(arguments.address.strip()) is None:
            raise CommandError(_names_nothing(arguments.address), USAGE)
        return program.show(settings, token, partial(_find_published, arguments.address))
    if address.is_of_workspace:
        settings = replace(settings, base_url=None)
    elif settings.base_url is None or not same_platform(settings.base_url, address.platform):
        raise CommandError(
            f"{address} is on {address.platform}, {_describe_platform(settings)} {_next_step(address)}", USAGE
        )

    async def lead(store: Store, tell: Callable[[str], None]) -> Location:
        tell(f"Looking for {address}")
        try:
            return await find_location(store, address)
        except ElsewhereError as error:
            raise CommandError(str(error)) from error

    return program.show(settings, token, lead)


async def _find_published(address: str, store: Store, tell: Callable[[str], None]) -> Location:
    """Return the location of a page by the address at which a site shows it."""
    from recto.tui.navigation.targets import find_published

    tell(f"Looking for {address} on the sites")
    found = await find_published(store, address)
    if found is None:
        raise CommandError(f"{_names_nothing(address)} No site of {store.address} shows it.")
    return found


def _names_nothing(address: str) -> str:
    return (
        f"Recto cannot open {address}. It opens the addresses of organizations, collections, sites, spaces, change "
        "requests, revisions and pages, and with --base-url those of pages on the sites of that platform."
    )


def _describe_platform(settings: Settings) -> str:
    here = settings.base_url
    return "and no platform is set." if here is None else f"and the platform that is set is {here}."


def _next_step(address: ThingUrl) -> str:
    return other_platform(address)
