"""The pictures of a session: which were asked for, loading them, and keeping them within bounds."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from recto.client.errors import ClientError
from recto.store.signal import Signal

if TYPE_CHECKING:
    from textual.app import App

    from recto.store.store import Store
    from recto.tui.pictures.decoding import Picture
    from recto.tui.render.picture_source import Source

MOST_KEPT = 48_000_000
"""Bytes of pictures that are kept in memory; of those beyond, the ones seen longest ago go."""


_AT_ONCE = 2


class State(Enum):
    """The state of a picture."""

    LOADING = "loading"
    SHOWN = "shown"
    HIDDEN = "hidden"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class GalleryEntry:
    """A picture that was asked for; ``why`` says why it cannot be shown."""

    state: State
    picture: Picture | None = None
    why: str = ""


class Gallery:
    """Remembers pictures by the address of their file; ``changed`` passes the picture loaded, hidden or dropped."""

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        self.changed: Signal[str] = Signal()
        self.turns = asyncio.Semaphore(_AT_ONCE)
        """Whoever brings and reads a picture takes one: a large one takes much memory for a moment."""
        self._most_kept = most_kept
        self._entries: OrderedDict[str, GalleryEntry] = OrderedDict()
        self._kept = 0

    def find(self, address: str) -> GalleryEntry | None:
        """Return the entry of a picture; ``None`` where it was not asked for."""
        return self._entries.get(address)

    def see(self, address: str) -> None:
        """Note that a picture has been in sight."""
        if address in self._entries:
            self._entries.move_to_end(address)

    def begin(self, address: str) -> bool:
        """Show a picture that is known; else say that it has to be loaded, and note that it is being loaded."""
        entry = self._entries.get(address)
        if entry is not None and entry.state is State.LOADING:
            return False
        known = entry.picture if entry is not None else None
        self._put(address, GalleryEntry(State.SHOWN if known else State.LOADING, known))
        return known is None

    def take(self, address: str, picture: Picture) -> None:
        """Take what was loaded, and show it unless it was hidden meanwhile."""
        entry = self._entries.get(address)
        hidden = entry is not None and entry.state is State.HIDDEN
        self._put(address, GalleryEntry(State.HIDDEN if hidden else State.SHOWN, picture))
        while self._kept > self._most_kept and len(self._entries) > 1:
            oldest = next(iter(self._entries))
            self.forget(oldest)

    def fail(self, address: str, why: str) -> None:
        """Note why a picture cannot be shown."""
        self._put(address, GalleryEntry(State.FAILED, None, why))

    def hide(self, address: str) -> None:
        """Show a picture no longer; it stays known."""
        entry = self._entries.get(address)
        if entry is not None and entry.state is not State.HIDDEN:
            self._put(address, GalleryEntry(State.HIDDEN, entry.picture))

    def forget(self, address: str) -> None:
        """Drop a picture, as if it had not been asked for."""
        entry = self._entries.pop(address, None)
        if entry is not None:
            self._kept -= entry.picture.size if entry.picture is not None else 0
            self.changed.emit(address)

    def _put(self, address: str, entry: GalleryEntry) -> None:
        before = self._entries.get(address)
        self._kept -= before.picture.size if before is not None and before.picture is not None else 0
        self._kept += entry.picture.size if entry.picture is not None else 0
        self._entries[address] = entry
        self._entries.move_to_end(address)
        self.changed.emit(address)


_galleries: WeakKeyDictionary[App[Any], Gallery] = WeakKeyDictionary()


def gallery_of(app: App[Any]) -> Gallery:
    """Return the pictures of a running program."""
    return _galleries.setdefault(app, Gallery())


async def load_pictures(store: Store, gallery: Gallery, wanted: Iterable[Source], *, sharp: bool) -> None:
    """Show pictures; unknown ones are fetched. Cancelling leaves nothing half done."""
    await asyncio.gather(*(_load(store, gallery, source, sharp=sharp) for source in wanted))


async def _load(store: Store, gallery: Gallery, source: Source, *, sharp: bool) -> None:
    from recto.tui.pictures.decoding import MOST_BYTES, Unreadable, read_picture

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
