"""A page with its pictures: each is shown where a person asks for it, and nothing is fetched before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import events
from textual.message import Message

from recto.document.markdown.blocks import BlockKind
from recto.store.signal import Subscription
from recto.tui.actions import Action, register
from recto.tui.pictures.album import Album
from recto.tui.pictures.drawing import Cell
from recto.tui.pictures.gallery import Gallery, State, gallery_of
from recto.tui.pictures.kitty import kitty_of
from recto.tui.pictures.means import Means, cell_of_terminal, means_of
from recto.tui.widgets.reading_view import ReadingView
from recto.tui.widgets.sheet_view import Position

if TYPE_CHECKING:
    from recto.tui.render.drawn import Source
    from recto.tui.render.leaf import Leaf
    from recto.tui.render.picture import PictureLeaf
    from recto.tui.render.surroundings import Surroundings

register(
    Action("page.picture", "Show or hide the picture", ("p",), "Page", hint="picture"),
    Action("page.pictures", "Show all pictures of this page", (), "Page"),
)

_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_ASKED_FOR = (State.SHOWN, State.LOADING)


class IllustratedView(ReadingView, inherit_bindings=False):
    """The leaves of a page, some of which are pictures."""

    class PicturesWanted(Message):
        """The person wants to see pictures; those in ``gallery`` by then are seen. ``sharp`` is how they are read."""

        def __init__(self, gallery: Gallery, wanted: Sequence[Source], *, sharp: bool) -> None:
            super().__init__()
            self.gallery = gallery
            self.wanted = wanted
            self.sharp = sharp

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.album = Album(self._colour, lambda: kitty_of(self.app), lambda: not self.screen.is_active)
        self._gallery = Gallery()
        self._changes: Subscription | None = None
        self._redraws = False
        self._has_pictures: bool | None = None

    def on_mount(self) -> None:
        """Show what the session knows of pictures."""
        self._gallery = gallery_of(self.app)
        cell = Cell() if self.app.is_headless else cell_of_terminal()
        self.album.open(self._gallery, means_of(self.app), cell)
        self._changes = self._gallery.changed.subscribe(self._picture_changed)
        if self.album.means is Means.KITTY:
            self.app.app_resume_signal.subscribe(self, self._terminal_came_back)
            self.watch(self.screen, "stack_updates", self._dialog_came_or_went, init=False)
        self._ask_for_what_is_always_shown()

    def on_unmount(self) -> None:
        """Let the terminal forget the pictures that nobody sees any more."""
        if self._changes is not None:
            self._changes.close()
        if self.album.means is Means.KITTY:
            kitty_of(self.app).leave(self.album)

    def on_resize(self, event: events.Resize) -> None:
        """Set the page anew where pictures may take more of its height, or less."""
        if self.album.fit(self.room.height) and self._is_illustrated:
            self._wanted = self.position
            self._set()

    def show_leaves(self, leaves: Sequence[Leaf], position: Position) -> None:
        """Show other leaves."""
        self._has_pictures = None
        super().show_leaves(leaves, position)
        self._ask_for_what_is_always_shown()

    def _illustrated(self, surroundings: Surroundings | None) -> Surroundings:
        """Return what is around the page, with what shows its pictures."""
        from recto.tui.render.surroundings import ALONE

        return replace(surroundings or ALONE, pictures=self.album)

    def _colour(self, name: str) -> str:
        return self.app.theme_variables.get(name, "#000000")[:7]

    # Which pictures

    def _pictures(self) -> Iterator[Source]:
        """Yield the pictures of the page, whether they are folded away or not."""
        from recto.tui.render.picture import pictures_in

        return (picture.source for leaf in self._leaves for picture, _offset in pictures_in(leaf))

    def _pictures_here(self) -> Sequence[Source]:
        """Return the pictures that the cursor's row names, else all that stand beside each other there."""
        from recto.tui.render.picture import pictures_in

        leaf = self.cursor_leaf
        found = list(pictures_in(leaf)) if leaf is not None else []
        if leaf is not None and not found and _is_of_figure(leaf):
            return [picture.source for picture, _offset in pictures_in(self._leaves[self._cursor.leaf - 1])]
        rows = self._sheet.rows(self._cursor.leaf) if found and self._sheet is not None else []
        parts = rows[self._cursor.row].parts if self._cursor.row < len(rows) else ()
        starts = [part.start for part in parts if part.start >= 0]
        named = [picture for picture, offset in found if any(_names(picture, offset, start) for start in starts)]
        return [picture.source for picture in named or [picture for picture, _offset in found]]

    @property
    def _is_illustrated(self) -> bool:
        if self._has_pictures is None:
            self._has_pictures = next(self._pictures(), None) is not None
        return self._has_pictures

    # Asking

    def action_page_picture(self) -> None:
        """Show the picture under the cursor, or hide it."""
        here = self._pictures_here()
        if shown := [source for source in here if self._is_asked_for(source)]:
            for source in shown:
                self._gallery.hide(source.address)
        else:
            self._ask_for(here)

    def action_page_pictures(self) -> None:
        """Show all pictures of the page."""
        self._ask_for(source for source in self._pictures() if not self._is_asked_for(source))

    def _is_asked_for(self, source: Source) -> bool:
        entry = self._gallery.find(source.address)
        return entry is not None and entry.state in _ASKED_FOR

    def _ask_for(self, sources: Iterable[Source]) -> None:
        wanted = {source.address: source for source in sources if _why_not(source) is None}
        if wanted:
            sharp = self.album.means is Means.KITTY
            self.post_message(self.PicturesWanted(self._gallery, tuple(wanted.values()), sharp=sharp))

    def _ask_for_what_is_always_shown(self) -> None:
        """Ask for the files of the space where a person has asked for them once for all."""
        if self.album.means is not Means.NOTHING and getattr(self.app, "pictures", "ask") == "always":
            self._ask_for(one for one in self._pictures() if self._is_always_shown(one))

    def _is_always_shown(self, source: Source) -> bool:
        # Of what is not called a picture nobody wants to read each time that it is none.
        called = source.name.lower().endswith(_SUFFIXES)
        return source.of_space and called and self._gallery.find(source.address) is None

    def cursor_moved(self, before: Leaf, after: Leaf) -> None:
        """Offer other keys where what the cursor has left or come to has some of its own."""
        if before is not after and (self._has_keys(before) or self._has_keys(after)):
            self.refresh_bindings()

    def _has_keys(self, leaf: Leaf) -> bool:
        from recto.tui.render.picture import pictures_in

        return _is_of_figure(leaf) or next(pictures_in(leaf), None) is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to show pictures where there are some."""
        if action == "page_picture":
            return bool(self._pictures_here())
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Say why pictures cannot be shown."""
        if action not in ("page.picture", "page.pictures"):
            return None
        if not self._is_illustrated:
            return "this page has no pictures"
        if self.album.means is Means.NOTHING:
            return "this terminal has too few colours for pictures"
        sources = self._pictures_here() if action == "page.picture" else list(self._pictures())
        reasons = [_why_not(source) for source in sources]
        return reasons[0] if reasons and None not in reasons else None

    # What has become of them

    def _picture_changed(self, address: str) -> None:
        if self.album.means is Means.KITTY and self._gallery.find(address) is None:
            kitty_of(self.app).drop(address)
        if not self._redraws and self._is_illustrated:
            # Several may have come since the last time: all of them are drawn at once.
            self._redraws = True
            self.call_later(self._draw_anew)

    def _draw_anew(self) -> None:
        self._redraws = False
        if self.is_attached and self._sheet is not None:
            self.folded()
            if self._pictures_here():
                self._bring_leaf_into_view()
            self.refresh_bindings()

    def _bring_leaf_into_view(self) -> None:
        """Scroll as far as the whole of what the cursor stands in is seen, though not the cursor out of sight."""
        sheet, stop = self._sheet, self._cursor
        if sheet is None:
            return
        top, height = round(self.scroll_y), self.room.height
        line = sheet.line_of(stop)
        below = sheet.top(stop.leaf) + sheet.height(stop.leaf) - (top + height)
        if below > 0:
            self._put(stop.leaf, line - sheet.top(stop.leaf), max(0, line - top - below))

    def _dialog_came_or_went(self) -> None:
        self.refresh()

    def _terminal_came_back(self, _app: Any) -> None:
        kitty_of(self.app).forget()
        self.album.renew()
        self.refresh()


def _is_of_figure(leaf: Leaf) -> bool:
    """Say whether a leaf is a picture or, where it has none, what is written below the one before it."""
    return leaf.block.kind is BlockKind.FIGURE


def _names(picture: PictureLeaf, offset: int, start: int) -> bool:
    return offset <= start <= offset + len(picture.text())


def _why_not(source: Source) -> str | None:
    """Say why a picture cannot be asked for; ``None`` where it can."""
    if not source.address:
        return "where its file is, is not known"
    if source.name.lower().endswith((".svg", ".svgz")):
        return "an SVG drawing is for the browser, where “open in the browser” leads"
    return None
