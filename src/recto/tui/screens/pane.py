"""The panes that a screen is laid out from, and the tabs that hold several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from recto.client.errors import NotAllowed, Unsupported
from recto.frozen import frozen
from recto.tui.actions import name_keys
from recto.tui.look.lines import plain
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.notice import Notice

if TYPE_CHECKING:
    from recto.store.query import Query
    from recto.store.store import Store


CHANGED_BY_OTHERS = "changed by others: ‹view.refresh› shows it"
"""Stands beside the title of what does not change under the reader."""

DELETED_BY_OTHERS = "deleted by others"
"""Stands beside the title of a page that is not there any more, and stays for its reader."""

NEWER_REVISION = "newer revision: ‹view.refresh› loads it"
"""Stands beside the title of a page of which is not known yet whether the newer revision changed it."""


class Pane(Container, Interactive):
    """A bordered part of a screen: it asks the store, holds what it shows, and tells its screen by messages.

    Its title stands in the border, counts and states beside it. A notice can stand over the body: loading, empty or
    failed. The widget under the notice keeps the focus, so that keys such as new and refresh work where there is
    nothing yet.
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    @frozen
    class News(Message):
        """Something to say at the right of the bottom line, until it is replaced; empty clears it."""

        text: str

    def __init__(self, store: Store, title: str, *body: Widget, id: str) -> None:
        super().__init__(id=id)
        self.store = store
        self.target = body[-1]
        """The widget that takes the keys."""
        self._body = body
        self._notice = Notice()
        self._notice.display = False
        self.entitle(title)

    def take_focus(self) -> None:
        """Focus the pane at once, so that the keys typed next belong there."""
        self.screen.set_focus(self.target)

    def compose(self) -> ComposeResult:
        """Compose the body and the place for a notice."""
        yield from self._body
        yield self._notice

    def on_mount(self) -> None:
        """Follow the focus."""
        self.watch(self.screen, "focused", self._mark_focus)

    def _mark_focus(self) -> None:
        # The border alone changes. A rule for ``:focus-within``, or a class that is set with an update, would have
        # Textual style all in the pane again; the rule even whenever the focus moves inside it.
        if self.has_class("-focused") != self.has_focus_within:
            self.set_class(self.has_focus_within, "-focused", update=False)
            self.app.stylesheet.update_nodes([self])

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the border; all lines between the first and the last are alike."""
        last = self.size.height - 1
        drawn: dict[int, Strip] = {}
        for y in crop.line_range:
            alike = min(y, 1) if y < last else y
            if alike not in drawn:
                drawn[alike] = super().render_lines(Region(crop.x, alike, crop.width, 1))[0]
        return [drawn[min(y, 1) if y < last else y] for y in crop.line_range]

    def entitle(self, title: str, beside: str = "", below: str | None = None) -> None:
        """Set the title, a count or state beside it and, if given, the text in the lower border."""
        parts: list[tuple[str, str] | str] = [plain(title)]
        if beside:
            parts.append((f"  {plain(name_keys(self, beside))}", "not bold $muted"))
        self.border_title = Content.assemble(*parts)
        if below is not None:
            self.border_subtitle = Content.styled(plain(name_keys(self, below)), "$muted")

    def show_body(self) -> None:
        """Show the body."""
        self._notice.display = False

    def show_loading(self, what: str) -> None:
        """Show that something is loading."""
        self._notice.busy(f"Loading {what}")
        self._notice.display = True

    def show_empty(self, sentence: str, key: str = "", makes: str = "", *more: tuple[str, str]) -> None:
        """Show that it is empty, and the key that fills it; ``more`` keys below, with what they make."""
        self._notice.empty(sentence, *([(key, makes)] if key else []), *more)
        self._notice.display = True

    def show_failed(self, what: str, why: str, *, again: bool = True) -> None:
        """Show what failed, why, and how to try again, if that may help."""
        self._notice.show_failure(what, why, key="r" if again else "")
        self._notice.display = True

    def show_state(self, query: Query[Any], what: str, *, empty: str = "", key: str = "", makes: str = "") -> bool:
        """Show the state of a query; returns whether it has something for the body to show.

        ``what`` names the thing in a sentence: "the pages". ``empty`` is what an empty list says. A value that could
        not be refreshed stays, and the lower border says so.
        """
        value = query.value
        state = query.state.value
        items = getattr(value, "items", value) or getattr(value, "unread", ())
        if value is not None and (items or not isinstance(items, tuple | list)):
            self.border_subtitle = Content.styled("not refreshed", "$warning") if state == "failed" else ""
            self.show_body()
            return True
        is_known = value is not None and query.loaded_at is not None
        self.border_subtitle = Content.styled("not refreshed", "$warning") if is_known and state == "failed" else ""
        if isinstance(query.error, Unsupported):
            self.show_empty(f"This server does not offer {what}.")
        elif isinstance(query.error, NotAllowed) and not is_known:
            self.show_failed(f"No access to {what}.", _why(query.error), again=False)
        elif state == "failed" and not is_known:
            self.show_failed(f"Could not load {what}.", _why(query.error))
        elif state == "loading" or value is None:
            self.show_loading(what)
        else:
            self.show_empty(empty or f"Nothing in {what} yet.", key, makes)
        return False


class Tab(Container, Interactive):
    """Panes that are shown together, on a tab of a screen; ``target`` is the widget that takes the keys."""

    target: Widget

    def __init__(self, store: Store, *, id: str) -> None:
        super().__init__(id=id)
        self.store = store

    def take_focus(self) -> None:
        """Put the person into the tab at once, so that the keys typed next belong there."""
        self.screen.set_focus(self.target)


def _why(error: Exception | None) -> str:
    """Return the reason and the next step of a failure, without what failed."""
    parts = (getattr(error, "why", ""), getattr(error, "next_step", ""))
    return " ".join(part for part in parts if part) or str(error)
