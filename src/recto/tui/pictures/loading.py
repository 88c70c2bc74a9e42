"""Bringing pictures that a person asked for, and reading them beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.tui.pictures.gallery import State

if TYPE_CHECKING:
    from recto.store.store import Store
    from recto.tui.pictures.gallery import Gallery
    from recto.tui.render.drawn import Source


async def load_pictures(store: Store, gallery: Gallery, wanted: Iterable[Source], *, sharp: bool) -> None:
    """Show pictures; what is not known of them is fetched. Whoever gives up waiting leaves nothing half done."""
    await asyncio.gather(*(_load(store, gallery, source, sharp=sharp) for source in wanted))


async def _load(store: Store, gallery: Gallery, source: Source, *, sharp: bool) -> None:
    from recto.tui.pictures.decode import MOST_BYTES, Unreadable, read_picture

    address = source.address
    if not gallery.begin(address):
        return
    try:
        async with gallery.turns:
            content = await store.download(address, MOST_BYTES)
            gallery.take(address, await asyncio.to_thread(read_picture, content, sharp=sharp))
    except ClientError as error:
        gallery.fail(address, str(error))
    except Unreadable as error:
        gallery.fail(address, f"{source.name} cannot be shown. {error}")
    finally:
        entry = gallery.find(address)
        if entry is not None and entry.state is State.LOADING:
            gallery.forget(address)
