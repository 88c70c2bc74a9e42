"""Pictures of a page: each is shown when a person asks for it, and nothing is fetched before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from recto.document.markdown.blocks import BlockKind
from recto.store.signal import Subscription
from recto.tui.page.cursor import PageCursor
from recto.tui.pictures.album import Album
from recto.tui.pictures.cells import CellSize
from recto.tui.pictures.gallery import Gallery, State, gallery_of
from recto.tui.pictures.kitty import kitty_of
from recto.tui.pictures.means import Means, cell_of_terminal, means_of
from recto.tui.render.figures import pictures_in
from recto.tui.render.surroundings import ALONE

if TYPE_CHECKING:
    from recto.tui.render.figures import PictureLeaf
    from recto.tui.render.leaf import Leaf
    from recto.tui.render.picture_source import Source
    from recto.tui.render.surroundings import Surroundings

_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_ASKED_FOR = (State.SHOWN, State.LOADING)


class PagePictures:
    """The pictures of a page, shown or only named.

    ``request`` is called with those that a person wants to see; when they are in ``gallery`` they are drawn.
    """

    def __init__(self, cursor: PageCursor, request: Callable[[Sequence[Source]], None]) -> None:
        self.gallery = Gallery()
        self.album = Album(self._colour, lambda: kitty_of(self._view.app), lambda: not self._view.screen.is_active)
        self._cursor = cursor
        self._view = cursor.view
        self._request = request
        self._changes: Subscription | None = None
        self._redraws = False
        self._known: tuple[Sequence[Leaf], bool] | None = None
        """Leaves, and whether there are pictures among them."""

    # With the widget

    def open(self) -> None:
        """Begin to show pictures that the session has loaded."""
        app = self._view.app
        self.gallery = gallery_of(app)
        cell = CellSize() if app.is_headless else cell_of_terminal()
        self.album.open(self.gallery, means_of(app), cell)
        self._changes = self.gallery.changed.subscribe(self._on_change)
        if self.is_sharp:
            app.app_resume_signal.subscribe(self._view, self._on_resume)
            self._view.watch(self._view.screen, "stack_updates", self._on_dialog, init=False)
        self.request_what_is_always_shown()

    def close(self) -> None:
        """Free this page's pictures in the terminal."""
        if self._changes is not None:
            self._changes.close()
        if self.is_sharp:
            kitty_of(self._view.app).leave(self.album)

    def resize(self) -> None:
        """Lay out the page again if the height of pictures changes."""
        if self.album.fit(self._view.room.height) and self._is_illustrated:
            self._cursor.set_again()

    def around(self, surroundings: Surroundings | None) -> Surroundings:
        """Return the surroundings of a page, with the album that draws its pictures."""
        return replace(surroundings or ALONE, pictures=self.album)

    @property
    def is_sharp(self) -> bool:
        """Whether the terminal draws pictures itself, pixel by pixel."""
        return self.album.means is Means.KITTY

    def _colour(self, name: str) -> str:
        return self._view.app.theme_variables.get(name, "#000000")[:7]

    # Which pictures

    def here(self) -> Sequence[Source]:
        """Return the pictures that the cursor's row names, else all that stand beside each other there."""
        cursor = self._cursor
        leaf = cursor.leaf
        found = list(_pictures_in(leaf)) if leaf is not None else []
        if leaf is not None and not found and _is_of_figure(leaf):
            return [picture.source for picture, _offset in _pictures_in(cursor.leaves[cursor.stop.leaf - 1])]
        rows = cursor.sheet.rows(cursor.stop.leaf) if found and cursor.sheet is not None else []
        parts = rows[cursor.stop.row].parts if cursor.stop.row < len(rows) else ()
        starts = [part.start for part in parts if part.start >= 0]
        named = [picture for picture, offset in found if any(_names(picture, offset, start) for start in starts)]
        return [picture.source for picture in named or [picture for picture, _offset in found]]

    def _all(self) -> Iterator[Source]:
        """Yield the pictures of the page, whether they are folded away or not."""
        return (picture.source for leaf in self._cursor.leaves for picture, _offset in _pictures_in(leaf))

    @property
    def _is_illustrated(self) -> bool:
        leaves = self._cursor.leaves
        if self._known is None or self._known[0] is not leaves:
            self._known = (leaves, next(self._all(), None) is not None)
        return self._known[1]

    @staticmethod
    def is_in(leaf: Leaf) -> bool:
        """Whether a leaf shows or explains a picture."""
        return _is_of_figure(leaf) or next(_pictures_in(leaf), None) is not None

    # Asking

    def toggle(self) -> None:
        """Show the pictures under the cursor, or hide them."""
        here = self.here()
        if shown := [source for source in here if self._is_asked_for(source)]:
            for source in shown:
                self.gallery.hide(source.address)
        else:
            self._ask_for(here)

    def show_all(self) -> None:
        """Show all pictures of the page."""
        self._ask_for(source for source in self._all() if not self._is_asked_for(source))

    def request_what_is_always_shown(self) -> None:
        """Ask for the files of the space, where the settings say that pictures are always shown."""
        if self.album.means is not Means.NOTHING and getattr(self._view.app, "pictures", "ask") == "always":
            self._ask_for(source for source in self._all() if self._is_always_shown(source))

    def _is_asked_for(self, source: Source) -> bool:
        entry = self.gallery.find(source.address)
        return entry is not None and entry.state in _ASKED_FOR

    def _ask_for(self, sources: Iterable[Source]) -> None:
        wanted = {source.address: source for source in sources if _why_not(source) is None}
        if wanted:
            self._request(tuple(wanted.values()))

    def _is_always_shown(self, source: Source) -> bool:
        # Reading a file that is not called a picture each time only finds that it is none.
        called = source.name.lower().endswith(_SUFFIXES)
        return source.of_space and called and self.gallery.find(source.address) is None

    def why_not_here(self) -> str | None:
        """Return why the pictures under the cursor cannot be shown."""
        here = self.here()
        return self._why_not(here) or (None if here else "no picture under the cursor")

    def why_not_all(self) -> str | None:
        """Return why the pictures of the page cannot be shown."""
        return self._why_not(list(self._all()))

    def _why_not(self, sources: Sequence[Source]) -> str | None:
        if not self._is_illustrated:
            return "this page has no pictures"
        if self.album.means is Means.NOTHING:
            return "this terminal has too few colours for pictures"
        reasons = [_why_not(source) for source in sources]
        return reasons[0] if reasons and None not in reasons else None

    # What changes

    def _on_change(self, address: str) -> None:
        if self.is_sharp and self.gallery.find(address) is None:
            kitty_of(self._view.app).drop(address)
        if not self._redraws and self._is_illustrated:
            # Several may have come since the last time: all of them are drawn at once.
            self._redraws = True
            self._view.call_later(self._redraw)

    def _redraw(self) -> None:
        self._redraws = False
        if self._view.is_attached and self._cursor.sheet is not None:
            self._cursor.set_again()
            if self.here():
                self._cursor.bring_leaf_into_view()
            self._view.refresh_bindings()

    def _on_dialog(self) -> None:
        self._view.refresh()

    def _on_resume(self, _app: object) -> None:
        kitty_of(self._view.app).forget()
        self.album.renew()
        self._view.refresh()


def _pictures_in(leaf: Leaf) -> Iterator[tuple[PictureLeaf, int]]:
    return pictures_in(leaf)


def _is_of_figure(leaf: Leaf) -> bool:
    """Whether a leaf is a picture, or a caption that follows it."""
    return leaf.block.kind is BlockKind.FIGURE


def _names(picture: PictureLeaf, offset: int, start: int) -> bool:
    return offset <= start <= offset + len(picture.text())


def _why_not(source: Source) -> str | None:
    """Return why a picture cannot be asked for; ``None`` where it can."""
    if not source.address:
        return "its file is unknown"
    if source.name.lower().endswith((".svg", ".svgz")):
        return "SVG drawings open only in a browser"
    return None
