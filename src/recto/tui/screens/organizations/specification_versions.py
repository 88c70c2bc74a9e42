"""The versions of a specification; a version as a tree of its operations, and as text."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from recto.contract.specifications import Specification, Specifications, SpecificationVersion, VersionContent
from recto.document.openapi.description import Description
from recto.document.openapi.differences import Differences, compare, describe
from recto.document.text import count
from recto.store.locations import SpaceLocation
from recto.store.specification_uses import SpecificationUse, uses_of
from recto.store.specifications import values_in
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.report import ScrolledLines
from recto.tui.lists.columns import Column
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.look import lines, times
from recto.tui.look.lines import Line
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.organizations.details import Detail, QueryPane

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recto.contract.organizations import Organization
    from recto.document.openapi.api_model import Entry
    from recto.store.query import Query
    from recto.store.store import Store

register(
    Action(
        "specification.compare", "Compare with the version before, or two selected", ("d",), "Organizations", "compare"
    )
)

_LONGEST_LINE = 2_000
"""Characters of a line of the text that are shown."""


def specification_detail(store: Store, organization: Organization, specification: Specification) -> Detail:
    """Return the panes of a specification: its versions, its uses, and the problems of its source."""
    of_it = store, organization, specification
    return Detail(specification.slug, VersionsPane(*of_it), UsesPane(*of_it), SourcePane(*of_it))


class VersionsPane(ListPane[SpecificationVersion]):
    """The versions of a specification, the newest first."""

    BINDINGS = bindings("item.copy_link", "specification.compare")

    def __init__(self, store: Store, organization: Organization, specification: Specification) -> None:
        listed = Listed[SpecificationVersion](
            title=f"Versions of {specification.slug}",
            what="the versions",
            one="version",
            columns=(
                Column("Created", _created_text, width=18),
                Column("Id", lambda version: version.id, width=22, least=10, grows=True),
                Column("Address", lambda version: for_browser(version.url) or "", width=40, least=12, rank=1),
            ),
            name=lambda version: version.id,
            empty=Nothing("No versions yet: a source that is valid becomes the first."),
        )
        super().__init__(store, listed, id="specification-versions", quiet=True)
        self._organization = organization
        self._specification = specification
        self.list_from(Specifications.list_versions, organization.id, specification.slug)

    def why_not(self, action: str) -> str | None:
        """Return the reason why there is no link to copy, or nothing to compare."""
        if reason := self.why_none_chosen(action, "item.copy_link", "specification.compare"):
            return reason
        if action == "item.copy_link" and self.current is not None and for_browser(self.current.url) is None:
            return "its address is not on the web"
        if action == "specification.compare" and self._compared is None:
            return "no version before it" if len(self.chosen) == 1 else "select two versions"
        return super().why_not(action)

    @property
    def _compared(self) -> tuple[SpecificationVersion, SpecificationVersion] | None:
        """The two selected versions, the older first; else the version under the cursor and the version before it."""
        ids = [version.id for version in self.items]
        places = sorted(ids.index(version.id) for version in self.chosen if version.id in ids)
        if len(places) == 1 and places[0] + 1 < len(ids):
            places.append(places[0] + 1)
        return (self.items[places[1]], self.items[places[0]]) if len(places) == 2 else None

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show what a version holds."""
        event.stop()
        query = self.store.query(
            Specifications.get_content, self._organization.id, self._specification.slug, event.item.id
        )
        content = OperationsPane(self.store, query), TextPane(self.store, query)
        self.post_message(Detail.Wanted(Detail(_created_text(event.item), *content)))

    def action_specification_compare(self) -> None:
        """Show what changed between two selected versions, or since the version before that under the cursor."""
        if self._compared is not None:
            older, newer = self._compared
            pane = VersionChangesPane(self.store, self._organization.id, self._specification.slug, older, newer)
            self.post_message(Detail.Wanted(Detail(f"{_created_text(older)} to {_created_text(newer)}", pane)))

    def action_item_copy_link(self) -> None:
        """Copy the address of the version under the cursor."""
        if self.current is not None:
            self.app.copy_to_clipboard(self.current.url)
            self.say("Copied the address of the version.")


class UsesPane(ListPane[SpecificationUse]):
    """The pages that name a specification or are computed from it, in change requests too; enter leads to the page."""

    def __init__(self, store: Store, organization: Organization, specification: Specification) -> None:
        listed = Listed[SpecificationUse](
            title="Used on",
            what="the pages that use the specification",
            one="page",
            columns=(
                Column("Page", lambda use: use.title or "Untitled", width=24, least=12, grows=True),
                Column("Space", lambda use: use.where, width=20, least=10),
                Column("Used by", lambda use: use.how, width=14, least=8),
            ),
            name=lambda use: use.title,
            empty=Nothing("No page names the specification."),
            key=lambda use: use.key,
        )
        super().__init__(store, listed, id="specification-uses", quiet=True)
        self.list_query(lambda _options: uses_of(store, organization.id, specification))

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Go to the page."""
        event.stop()
        use: SpecificationUse = event.item
        request = use.change_request.id if use.change_request is not None else None
        self.go(SpaceLocation(use.space.id, change_request=request, page=use.page))


class VersionChangesPane(QueryPane[VersionContent]):
    """What changed between two versions, breaking changes first."""

    def __init__(
        self, store: Store, organization: str, slug: str, older: SpecificationVersion, newer: SpecificationVersion
    ) -> None:
        self._lines = ScrolledLines(_rows(()))
        self._older = store.query(Specifications.get_content, organization, slug, older.id)
        self._compared: tuple[VersionContent | None, VersionContent | None] = (None, None)
        query = store.query(Specifications.get_content, organization, slug, newer.id)
        super().__init__(
            store, "Changes", self._lines, query, self._draw, what="the changes", id="specification-changes"
        )

    def on_mount(self) -> None:
        """Follow the older version, too."""
        self.follow(self._older, self._follow)

    @property
    def in_focus(self) -> Sequence[Query[VersionContent]]:
        """Both versions."""
        return (*super().in_focus, self._older)

    def reload(self) -> None:
        """Request both again."""
        super().reload()
        self._older.refresh()

    def _follow(self, _query: Query[VersionContent]) -> None:
        """Show the changes, or the state of the version that is not there."""
        lacking = next((query for query in self.in_focus if query.value is None), self._query)
        if self.show_state(lacking, self._what) and self._query.value is not None:
            self._draw(self._query.value)

    def _draw(self, newer: VersionContent) -> None:
        older = self._older.value
        # Each of the two queries calls this; the values of both are compared once.
        if older is not None and not (self._compared[0] is older and self._compared[1] is newer):
            self._compared = older, newer
            self.work(self._compare(older, newer), "changes", instead_of="changes")

    async def _compare(self, older: VersionContent, newer: VersionContent) -> None:
        before, after = values_in(older), values_in(newer)
        if before is None or after is None:
            self.show_empty("The form of these versions is not known.")
            return
        found = await asyncio.to_thread(compare, before, after)
        self._lines.show(_change_rows(found))
        self.entitle("Changes", f"{sum(change.breaking for change in found.changes):,} breaking")


class SourcePane(QueryPane[Specification]):
    """The state of a source, and why it could not be processed."""

    def __init__(self, store: Store, organization: Organization, specification: Specification) -> None:
        self._list = ScrolledLines(_rows(()))
        query = store.query(Specifications.get_specification, organization.id, specification.slug)
        super().__init__(
            store, "Source", self._list, query, self._draw, what="the specification", id="specification-source"
        )

    def _draw(self, found: Specification) -> None:
        processed = f", processed {times.exact(found.last_processed_at)}" if found.last_processed_at else ""
        shown = [found.source_url or "Sent as text", f"{found.processing_state}{processed}"]
        if address := for_browser(found.urls.published):
            shown.append(f"Anyone may read it at {address}")
        self._list.show(_rows([*shown, *(error.message for error in found.last_processed_errors)]))


class OperationsPane(QueryPane[VersionContent]):
    """The operations of a version, by their tags."""

    def __init__(self, store: Store, query: Query[VersionContent]) -> None:
        self._entries: dict[str, Entry] = {}
        """The operations by the ids of their items."""
        self._tree = TreeList()
        self._tree.can_open = lambda index: self._tree.tree_rows.rows[index].item.id in self._entries
        super().__init__(
            store, "Operations", self._tree, query, self._draw, what="the operations", id="specification-operations"
        )

    def _draw(self, content: VersionContent) -> None:
        self.work(self._list(content), "operations", instead_of="operations")

    async def _list(self, content: VersionContent) -> None:
        values = values_in(content)
        entries = await asyncio.to_thread(_outline, values) if values is not None else ()
        if not entries:
            self.show_empty("It describes no operations." if values is not None else "Its form is not known.")
            return
        self._entries = {_id_of(entry): entry for entry in entries}
        groups: dict[str, list[Entry]] = {}
        for entry in entries:
            groups.setdefault(entry.group, []).append(entry)
        items = [_group(name, entries) for name, entries in groups.items()]
        self._tree.show_items(items if any(groups) else items[0].children)
        self._tree.action_tree_expand_all()
        self.entitle("Operations", count(len(entries), "operation"))

    def on_virtual_list_chosen(self, event: TreeList.Chosen) -> None:
        """Show an operation as text."""
        event.stop()
        entry = self._entries[str(event.key)]
        text = TextPane(self.store, self._query, part=lambda values: Description(values).source(entry))
        self.post_message(Detail.Wanted(Detail(f"{entry.method.upper()} {entry.path}", text)))


class TextPane(QueryPane[VersionContent]):
    """A version, or a part of it, as JSON."""

    def __init__(
        self,
        store: Store,
        query: Query[VersionContent],
        *,
        part: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda values: values,
    ) -> None:
        self._part = part
        self._lines = ScrolledLines(_rows(()))
        super().__init__(store, "Text", self._lines, query, self._draw, what="the text", id="specification-text")

    def _draw(self, content: VersionContent) -> None:
        self.work(self._list(content), "text", instead_of="text")

    async def _list(self, content: VersionContent) -> None:
        values = values_in(content)
        shown = self._part(values) if values is not None else content.filesystem
        self._lines.show(_rows(await asyncio.to_thread(_text, shown)))


def _outline(values: Mapping[str, Any]) -> tuple[Entry, ...]:
    return Description(values).outline()


def _text(values: Any) -> list[str]:
    return [line[:_LONGEST_LINE] for line in json.dumps(values, ensure_ascii=False, indent=2).splitlines()]


def _id_of(entry: Entry) -> str:
    return f"{entry.group} {entry.method} {entry.path}"


def _group(name: str, entries: Sequence[Entry]) -> TreeItem:
    children = [
        TreeItem(
            _id_of(entry),
            f"{entry.method.upper():<7}{lines.plain(entry.path)}",
            role="muted" if entry.deprecated else "",
            note=f"  {lines.plain(entry.summary)}{' (deprecated)' if entry.deprecated else ''}",
        )
        for entry in entries
    ]
    return TreeItem(f"group {name}", lines.plain(name) or "Without a tag", children=children, inside=len(children))


def _rows(shown: Sequence[str]) -> WrappedRows[int]:
    def draw(index: int, width: int) -> Sequence[Line]:
        return lines.wrap([(lines.plain(shown[index]), "")], width, 2)

    return WrappedRows(range(len(shown)), draw, key=lambda index: index)


def _change_rows(found: Differences) -> WrappedRows[int]:
    shown = describe(found)
    breaking = sum(change.breaking for change in found.changes)

    def draw(index: int, width: int) -> Sequence[Line]:
        role = "error" if index <= breaking and breaking else ""
        return lines.wrap([(lines.plain(shown[index]), role)], width, 4)

    return WrappedRows(range(len(shown)), draw, key=lambda index: index)


def _created_text(version: SpecificationVersion) -> str:
    return times.exact(version.created_at) if version.created_at is not None else version.id
