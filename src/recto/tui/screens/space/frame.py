"""The tabs and panels of a space; what stands on another tab or in a closed panel is made when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.space import aside
from recto.tui.screens.space.layout import PAGE, PARTS, SIDE, TREE
from recto.tui.screens.space.panels import Panels
from recto.tui.screens.space.reading import SpaceReading
from recto.tui.screens.space.tab_names import CONTENT, IDS, LIST_IDS, NAMES, SHORT_NAMES
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.tui.screens.space.side import Side
    from recto.tui.screens.space.talk_lists import Lists


class SpaceFrame(SpaceReading):
    """The part of the view that says what is shown."""

    lists: Lists
    side: Side

    def compose_body(self) -> ComposeResult:
        """Put the tabs, the pages, and the list that is to be seen."""
        at = self.opened_at
        tab = min(at.tab, len(NAMES) - 1)
        yield TabStrip(NAMES, short=SHORT_NAMES, active=tab)
        # Who was sent to a page begins to read; who comes back is where they were.
        panel = at.panel if at.panel in PARTS else PAGE if at.page else TREE
        yield Panels(panel, side=self.side.kind is not None, widths={TREE: at.tree_width, SIDE: at.side_width})
        if tab != CONTENT:
            self._lists[tab] = VirtualList(id=LIST_IDS[tab])
            yield Panel(NAMES[tab], self._lists[tab], id=IDS[tab])

    # Tabs

    @property
    def tab(self) -> int:
        """The tab that is shown."""
        return self.query_one(TabStrip).active

    @property
    def on_content(self) -> bool:
        """Whether the pages are shown, and not one of the lists."""
        return self.tab == CONTENT

    async def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        if event.index != CONTENT and event.index not in self._lists:
            made = VirtualList(id=LIST_IDS[event.index])
            await self.query_one(".body").mount(Panel(NAMES[event.index], made, id=IDS[event.index]))
            self._lists[event.index] = made
        self.turn_to(event.index)

    def turn_to(self, tab: int) -> None:
        """Show what is on a tab, and put the person there."""
        self.panels.display = tab == CONTENT
        for index in self._lists:
            self.query_one(f"#{IDS[index]}").display = index == tab
        self.lists.look_at(tab)
        self.inventory.look_at(tab)
        if tab == CONTENT:
            self.panels.go_to(self.panels.part)
        else:
            # At once, as the panels do: of two digits in quick succession the second says where keys go.
            self.set_focus(self._lists[tab])
        self.refresh_bindings()

    # Panels

    def on_panels_entered(self, event: Panels.Entered) -> None:
        """Take the page for read when a person goes to it."""
        if event.part == PAGE:
            self.reader.settle()
        self.refresh_bindings()

    def on_panels_parted(self, event: Panels.Parted) -> None:
        """Remember how wide the person wants the panels."""
        self.place_changed()

    def action_view_next_panel(self) -> None:
        """Go to the next panel that is open."""
        if self.on_content:
            self.panels.go_round(1)

    def action_view_previous_panel(self) -> None:
        """Go to the panel before."""
        if self.on_content:
            self.panels.go_round(-1)

    async def _toggle_side(self, kind: str) -> None:
        if self.side.kind == kind:
            self._close_side()
            return
        self.side.kind = kind
        await self.panels.open_side()
        self.side.show()
        self.refresh_bindings()

    def _close_side(self) -> None:
        self.side.kind = None
        self.side.show()
        self.panels.close_side()
        self.refresh_bindings()

    async def action_space_outline(self) -> None:
        """Open or close the outline."""
        await self._toggle_side(aside.OUTLINE)

    async def action_space_comments(self) -> None:
        """Open or close the comments of the page."""
        await self._toggle_side(aside.COMMENTS)

    async def action_space_links(self) -> None:
        """Open or close the links of the page, and what points at it."""
        await self._toggle_side(aside.LINKS)

    async def action_space_facts(self) -> None:
        """Open or close the facts."""
        await self._toggle_side(aside.FACTS)

    # Back

    def escape(self) -> bool:
        """Close the side panel; where there is room for one panel only, go up to the tree."""
        if super().escape():
            return True
        if self.on_content and self.side.kind is not None:
            self._close_side()
            return True
        if self.on_content and self.panels.alone and self.panels.part == PAGE:
            self.panels.go_to(TREE)
            return True
        return False
