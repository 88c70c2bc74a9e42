"""The list pane: a list of the platform in columns, declared by data.

A pane declares what it lists, and requests it by an operation; its host or heir adds the actions::

    LINKS = Listed(
        title="Share links",
        what="the share links",
        one="share link",
        columns=(
            Column("Name", lambda link: link.name, width=24, least=10, grows=True),
            Column("State", lambda link: "active" if link.active else "off", width=8),
            Column("Address", lambda link: link.urls.published or "", width=40, least=12, rank=1),
        ),
        name=lambda link: link.name,
        empty=Nothing("No share links yet.", "a", "creates one"),
    )


    class ShareLinksPane(ListPane[ShareLink]):
        BINDINGS = bindings("item.new", "item.delete")

        def __init__(self, store: Store) -> None:
            super().__init__(store, LINKS, id="share-links")

        def show_links_of(self, organization: str, site: str) -> None:
            self.list_from(ShareLinks.list_share_links, organization, site)

        def why_not(self, action: str) -> str | None:
            return self.why_none_chosen(action, "item.delete") or super().why_not(action)

        def action_item_delete(self) -> None:
            self.work(self._delete(), "delete share links")

        async def _delete(self) -> None:
            links = self.chosen
            if await self.ask(Confirm(...)):
                await self.change_each(links, delete_link, doing="Deleting share links", done="Deleted")
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from textual.message import Message

from recto.client.errors import Unsupported
from recto.document.text import count
from recto.frozen import frozen
from recto.store.batch import BatchProgress, Part, batch
from recto.store.growing_list import GrowingList
from recto.store.query import QueryState
from recto.tui.actions import bindings
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.report import Report
from recto.tui.lists.columns import Column, Layout, Texts, lay_out, text_of
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look.lines import Line, plain
from recto.tui.screens.pane import Pane
from recto.tui.widgets.lines_bar import LinesBar

if TYPE_CHECKING:
    from recto.contract.common import ListPage
    from recto.contract.operation import Operation
    from recto.store.mutation import Mutation
    from recto.store.query import Listing, Query
    from recto.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")

_NEAR_END = 20
"""How many rows before the last known one the next page is asked for."""

_TYPING = 0.15
"""The seconds without another letter after which the platform is asked to search."""

_ROOM_OF_SIGN = 2
"""The cells before each row while some are selected."""


@frozen
class Option:
    """An order or a filter: its name, and the arguments of the request.

    ``column`` is the title of the column by which they sort, ``without`` says what the platform leaves out for it.
    """

    label: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    column: str = ""
    without: str = ""


@frozen
class Nothing:
    """The text of an empty list, the key that fills it, and what that key does."""

    sentence: str
    key: str = ""
    makes: str = ""


@frozen
class Listed(Generic[T]):
    """The declaration of a list pane.

    ``what`` names the list in a sentence ("the members"), ``one`` an item ("member"), ``name`` an item by itself.
    ``search`` is the operation's parameter that searches; without it filtering looks in the text of the columns, for
    which the rest of the list is loaded. The first of ``sorts`` and of ``filters`` holds at the beginning.
    """

    title: str
    what: str
    one: str
    columns: Sequence[Column[T]]
    name: Callable[[T], str]
    empty: Nothing
    key: Callable[[T], Hashable] = lambda item: cast(Any, item).id
    search: str = ""
    sorts: Sequence[Option] = ()
    filters: Sequence[Option] = ()
    why_not_open: Callable[[], str | None] = lambda: None
    """Returns the reason why ``enter`` does nothing with an item, where it changes one."""


class RecordList(VirtualList):
    """The rows of a list pane; a filter shows only the rows that contain it."""

    def __init__(self, matching: Callable[[str], int], *, id: str, quiet: bool) -> None:
        super().__init__(selectable=True, quiet=quiet, id=id)
        self._matching = matching
        self.is_being_changed = False
        """Whether selected items are being changed, so that esc stops that before it selects nothing."""
        self.selection.outlasts_rows = True  # the selection survives another search

    def find(self, text: str) -> int:
        """Show only the rows that hold a text; return how many are known."""
        if text == self._needle:
            return len(self.rows)
        self._needle = text
        self.refresh_bindings()
        found = self._matching(text)
        self.refresh()
        return found

    def why_not(self, action: str) -> str | None:
        """Return the reason why nothing can be opened: the pane's own, or that the list is empty."""
        if action != "list.open":
            return None
        pane = self.parent
        reason = pane.why_not(action) if isinstance(pane, ListPane) else None
        return reason or super().why_not(action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave esc to the pane while selected items are being changed."""
        if action == "list_clear" and self.is_being_changed:
            return False
        return super().check_action(action, parameters)

    @property
    def columns_width(self) -> int:
        """The cells that columns share."""
        return max(1, self.room.width - 1 - (_ROOM_OF_SIGN if self.selection else 0))


class ListPane(Pane, Generic[T]):
    """Lists the items of an operation, page by page as the cursor goes down; heirs add the actions.

    Loading, empty, partial and failed look different. ``/`` filters, ``s`` sorts, space and ``v`` select several;
    ``change_each`` changes all of them with progress, and esc stops it.
    """

    BINDINGS = bindings("list.order", "view.escape", "view.refresh")

    @frozen
    class Opened(Message):
        """The person goes into an item."""

        pane: ListPane[Any]
        item: Any

    @frozen
    class Moved(Message):
        """The cursor is on another item, or on none."""

        pane: ListPane[Any]
        item: Any

    def __init__(self, store: Store, listed: Listed[T], *, id: str, quiet: bool = False) -> None:
        self.listed = listed
        self.rows = RecordList(self._filter, id=f"{id}-list", quiet=quiet)
        self.rows.mark_news(store.news)
        self._head = LinesBar(self._draw_head, id=f"{id}-head")
        super().__init__(store, listed.title, self._head, self.rows, id=id)
        self._sort = next(iter(listed.sorts), None)
        self._only = next(iter(listed.filters), None)
        self._texts = Texts(listed.columns)
        self._layout: Layout[T] | None = None
        self._layout_width = -1
        self._ask: Callable[[Mapping[str, Any]], Query[Any]] | None = None
        self._all: Query[Listing[T]] | None = None
        """The list without the filter."""
        self._found: Query[Listing[T]] | None = None
        """What the platform found for it."""
        self._selected: dict[Hashable, T] = {}
        """The selected items by their keys."""
        self._batch: BatchProgress | None = None
        self._is_there = False

    def on_mount(self) -> None:
        """Load the list, where it was set before."""
        self._is_there = True
        self._begin()

    # The list

    def list_from(self, operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs) -> None:
        """List the items of an operation called with these arguments, page by page."""

        def ask(more: Mapping[str, Any]) -> Query[Any]:
            given = {**operation.arguments(*args, **kwargs), **more}
            return cast("Any", self.store.query_pages)(operation, **given)  # type: ignore[no-any-return]

        self.list_query(ask)

    def list_query(self, ask: Callable[[Mapping[str, Any]], Query[Any]]) -> None:
        """List the items of a query, which is given the arguments of the chosen order and filter."""
        self._ask = ask
        self.rows.selection.clear()
        self.rows.find("")
        self._begin()

    def list_nothing(self, sentence: str, key: str = "", makes: str = "") -> None:
        """Show in place of the list why nothing is listed, and the key that still acts."""
        self._ask = self._all = self._found = None
        for name in ("all", "found"):
            self.follow_instead(name, self._show)
        self.rows.selection.clear()
        self.rows.show(ItemRows((), self._draw, self.listed.key, str))
        self.entitle(self.listed.title, "", "")
        self.show_empty(sentence, key, makes)

    @property
    def is_listing(self) -> bool:
        """Whether it has something to list."""
        return self._ask is not None

    def reload(self) -> None:
        """Request the list again or, if a later page failed, that page."""
        for query in (self._all, self._found):
            if isinstance(query, GrowingList):
                query.retry()
            elif query is not None:
                query.refresh()

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The list, or the matches in it."""
        shown = self._found or self._all
        return (shown,) if shown is not None else ()

    @property
    def items(self) -> Sequence[T]:
        """The items that are shown, in their order."""
        return cast("ItemRows[T]", self.rows.rows).items if isinstance(self.rows.rows, ItemRows) else ()

    @property
    def current(self) -> T | None:
        """The item under the cursor."""
        rows = self.rows.rows
        return cast("ItemRows[T]", rows).item(self.rows.cursor) if isinstance(rows, ItemRows) else None

    @property
    def chosen(self) -> tuple[T, ...]:
        """The selected items, shown or not, as they were selected; without any the item under the cursor."""
        if self.rows.selection:
            self._note_selected()
            return tuple(self._selected[key] for key in self.rows.selected if key in self._selected)
        return (self.current,) if self.current is not None else ()

    def go_to(self, key: Hashable) -> bool:
        """Put the cursor on the item with this key; return whether it is there."""
        return self.rows.go_to(key)

    def _begin(self) -> None:
        """Follow the list as it is sorted and filtered now, and the matches in it."""
        if self._ask is None or not self._is_there:
            return
        self._found = None
        self.follow_instead("found", self._show)
        if self.rows.needle and self.listed.search:
            self.work(self._search(self.rows.needle), "search", instead_of="search")
        self._all = self._ask(self._options)
        self.follow_instead("all", self._show, self._all)

    @property
    def _options(self) -> dict[str, Any]:
        chosen = [one.arguments for one in (self._sort, self._only) if one is not None]
        return {name: value for arguments in chosen for name, value in arguments.items()}

    # Filtering

    def _filter(self, text: str) -> int:
        if self.listed.search:
            self.work(self._search(text), "search", instead_of="search")
        self._show(None)
        return len(self.rows.rows)

    async def _search(self, text: str) -> None:
        """Search on the platform; known items that match are shown until it has answered."""
        if text:
            await asyncio.sleep(_TYPING)
        self._found = self._ask({**self._options, self.listed.search: text}) if text and self._ask else None
        self.follow_instead("found", self._show, *([self._found] if self._found is not None else []))
        self._show(None)

    # Drawing

    def _show(self, _: Query[Any] | None) -> None:
        query, needle = self._all, self.rows.needle
        if query is None:
            return
        found = self._found if needle and self._found is not None and self._found.value is not None else None
        shown = found or query
        known: Sequence[T] = shown.value.items if shown.value is not None else ()
        if needle and found is None:
            known = self._texts.filter_items(known, needle)
        self._load_on(shown, needle)
        self._note_selected()
        is_all = shown.value is not None and shown.value.complete and not needle
        if is_all and not (self._only is not None and self._only.arguments):
            self._drop_gone(known)
        unread = shown.value.unread if shown.value is not None else ()
        columns = self.listed.columns
        goes_on = shown.value is not None and not shown.value.complete and shown.state is not QueryState.FAILED
        self.rows.show(
            ItemRows(known, self._draw, self.listed.key, lambda item: text_of(columns, item), unread=unread),
            goes_on=goes_on and not needle,
        )
        self._show_state(shown, len(known), needle)
        self._head.refresh()
        self.refresh_bindings()

    def _note_selected(self) -> None:
        """Remember the selected items that are shown, for when they are not."""
        if self.rows.selection:
            shown = {key: item for item in self.items if (key := self.listed.key(item)) in self.rows.selection}
            self._selected = {key: item for key, item in self._selected.items() if key in self.rows.selection} | shown

    def _drop_gone(self, known: Sequence[T]) -> None:
        """Deselect items that are gone."""
        if self.rows.selection and (gone := set(self.rows.selected) - {self.listed.key(item) for item in known}):
            self.rows.selection.drop(gone)

    def _load_on(self, shown: Query[Listing[T]], needle: str) -> None:
        """Load the rest of a list that is filtered here."""
        if needle and not self.listed.search and shown.state is QueryState.READY and isinstance(shown, GrowingList):
            shown.more()

    def _show_state(self, shown: Query[Listing[T]], known: int, needle: str) -> None:
        """Show the state of the list and the number of items."""
        value = shown.value
        is_loading = shown.state in (QueryState.LOADING, QueryState.REFRESHING)
        nothing = self._empty_text(needle)
        has_items = self.show_state(
            shown, self.listed.what, empty=nothing.sentence, key=nothing.key, makes=nothing.makes
        )
        if has_items and not known and needle and not is_loading:
            self.show_empty(nothing.sentence, nothing.key, nothing.makes)
        self.entitle(self.listed.title, self._beside(value, known, needle), self._describe_rest(shown, is_loading))

    def _empty_text(self, needle: str) -> Nothing:
        """Return the text of the empty list."""
        if needle:
            return Nothing(f"No {self.listed.one} matches “{needle}”.", "escape", "shows all again")
        if self._only is not None and self._only.arguments:
            return Nothing(f"No {self.listed.one} among: {self._only.label}.", "s", "shows others")
        if self._sort is not None and self._sort.without:
            return Nothing(f"No {self.listed.one}, without {self._sort.without}.", "s", "sorts otherwise")
        return self.listed.empty

    def _beside(self, value: Listing[T] | None, known: int, needle: str) -> str:
        if value is None or not (known or value.unread):
            return ""
        words = [f"{known:,} of them" if needle else _count(value, self.listed.one)]
        if self._only is not None and self._only.arguments:
            words.append(self._only.label)
        if self._sort is not None and not self._sort.column:
            words.append(self._sort.label)
        if self._sort is not None and self._sort.without:
            words.append(f"without {self._sort.without}")
        return ", ".join(words)

    def _describe_rest(self, shown: Query[Listing[T]], is_loading: bool) -> str:
        value = shown.value
        if value is None:
            return ""
        if shown.state is QueryState.FAILED:
            return (
                "not refreshed: ‹view.refresh› tries again"
                if value.complete
                else "not all are here: ‹view.refresh› tries again"
            )
        if value.unread:
            return f"{count(len(value.unread), 'item')} could not be read"
        if value.complete:
            return value.remark
        return "loading more" if is_loading else "more come as you go down"

    def _lay_out(self) -> Layout[T]:
        width = self.rows.columns_width
        if self._layout is None or width != self._layout_width:
            self._layout, self._layout_width = lay_out(self.listed.columns, width), width
        return self._layout

    def _draw(self, item: T, _width: int) -> Line:
        return self._lay_out().row(item)

    def _draw_head(self, _width: int) -> Sequence[Line]:
        indent = " " * (_ROOM_OF_SIGN if self.rows.selection else 0)
        sorted_by = self._sort.column if self._sort is not None else ""
        return [[(indent + self._lay_out().head(sorted_by), "muted")]]

    # The cursor

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Ask for the next page where the end is near, and report the item."""
        event.stop()
        shown = self._found or self._all
        if isinstance(shown, GrowingList) and event.index >= len(event.list.rows) - _NEAR_END:
            shown.more()
        self.post_message(self.Moved(self, self.current))

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Report the item that the person goes into."""
        event.stop()
        if (item := self.current) is not None:
            self.post_message(self.Opened(self, item))

    def on_virtual_list_selection_changed(self, event: VirtualList.SelectionChanged) -> None:
        """Keep the titles above their columns; the screen counts."""
        self._head.refresh()

    # Sorting

    def action_list_order(self) -> None:
        """Ask how to sort and what to show."""
        self.work(self._order(), "order")

    async def _order(self) -> None:
        listed = self.listed
        named: dict[str, Option] = {}
        choices: list[Choice] = []
        for kind, options, now in (("sort", listed.sorts, self._sort), ("show", listed.filters, self._only)):
            for option in options:
                id = f"{kind} {option.label}"
                named[id] = option
                choices.append(
                    Choice(
                        id,
                        f"{kind.capitalize()}: {option.label}",
                        "now" if option is now else option.without and f"without {option.without}",
                    )
                )
        answer = await self.ask(Choose(f"{listed.title}: sort, or show only some", choices))
        if answer is None:
            return
        if answer.startswith("sort "):
            self._sort = named[answer]
        else:
            self._only = named[answer]
        self._begin()

    # Changing several

    def why_none_chosen(self, action: str, *of: str) -> str | None:
        """Return why an action of the list has no item to act on."""
        return f"no {self.listed.one} under the cursor" if action in of and not self.chosen else None

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done now."""
        if action == "list.order" and not (self.listed.sorts or self.listed.filters):
            return "this list has one order"
        if action == "item.new" and self._all is not None and isinstance(self._all.error, Unsupported):
            return f"this server has no {self.listed.one}s"
        return self.listed.why_not_open() if action == "list.open" else None

    async def change_each(
        self, items: Sequence[T], change: Callable[[T], Mutation[Any]], *, doing: str, done: str
    ) -> bool:
        """Change items in turn and show the result; failed items stay selected.

        ``doing`` and ``done`` name it for several: ``Removing members``, ``Removed``. Says whether all is done.
        """
        if len(items) == 1:
            outcome = await self.carry_out(change(items[0]))
            if outcome.ok:
                self.rows.selection.clear()
            return outcome.ok
        listed = self.listed
        parts = [Part(listed.key(item), listed.name(item), change(item)) for item in items]
        of = count(len(parts), listed.one)
        mutation = batch(parts, doing=f"{doing} ({of})", done=f"{done} {of}")
        progress = cast(BatchProgress, mutation.progress)
        self._batch = progress
        self.rows.is_being_changed = True
        try:
            with progress.changed.subscribe(
                lambda at: cast(
                    None, self.post_message(self.News(f"{doing}: {at.done + 1:,} of {at.total:,}; ‹view.escape› stops"))
                )
            ):
                outcome_of_all = await self.send(mutation)
        finally:
            self._batch = None
            self.rows.is_being_changed = False
            self.post_message(self.News(""))
        result = outcome_of_all.value
        if result is None:
            if outcome_of_all.error is not None:
                self.say_failed(outcome_of_all.error)
            return False
        self.rows.selection.drop(part.key for part, _ in result.done)
        made = count(len(result.done), listed.one)
        left = len(parts) - len(result.done) - len(result.failed)
        if not result.failed:
            stopped = f" Stopped: {left:,} not begun and still selected." if left else ""
            self.say(f"{done} {made}.{stopped}")
            return not left
        head = [f"{done} {made}; {len(result.failed):,} failed and are still selected."]
        if left:
            head.append(f"{left:,} were not begun.")
        points = [f"{plain(failure.part.name)}: {failure.error}" for failure in result.failed]
        await self.ask(Report(f"{doing}: not all", [*head, "", *points]))
        return False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer esc while several items are being changed."""
        if action == "view_escape":
            return self._batch is not None
        return super().check_action(action, parameters)

    def action_view_escape(self) -> None:
        """Change no further items."""
        if self._batch is not None:
            self._batch.stop()

    def action_view_refresh(self) -> None:
        """Ask again."""
        self.reload()


def _count(value: Listing[Any], one: str) -> str:
    known = len(value.items) + len(value.unread)
    if value.complete or value.total == known:
        return count(known, one)
    return f"{known:,} of {value.total:,}" if value.total is not None else f"{known:,} so far"
