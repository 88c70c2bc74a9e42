"""The spaces that were deleted from here, with the days left in which they can be restored."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from recto.document.text import count
from recto.store.deleted_spaces import RETENTION, DeletedSpaces, Restorable, query_deleted
from recto.store.space_changes import restore_space
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.columns import Column
from recto.tui.look import times
from recto.tui.screens.list_pane import Listed, ListPane, Nothing

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.mutation import Mutation
    from recto.store.store import Store

register(
    Action("organization.restore_space", "Restore the deleted space", ("R",), "Organizations", "restore", writes=True),
)


class DeletedSpacesPane(ListPane[Restorable]):
    """The spaces of an organization that were deleted from here."""

    BINDINGS = bindings("organization.restore_space")

    def __init__(self, store: Store) -> None:
        listed = Listed[Restorable](
            title="Deleted spaces",
            what="the deleted spaces",
            one="deleted space",
            columns=(
                Column("Title", lambda deleted: deleted.title, width=24, least=14, grows=True),
                Column("Left", self._time_left, width=18, least=12),
                Column("Deleted", lambda deleted: times.ago(deleted.deleted_at, store.clock()), width=12, rank=1),
            ),
            name=lambda deleted: deleted.title,
            empty=Nothing("No deleted spaces. Those deleted with Recto are listed here while they can be restored."),
        )
        super().__init__(store, listed, id="deleted", quiet=True)
        self._organization = ""

    def show_organization(self, organization: Organization) -> None:
        """List the deleted spaces of an organization."""
        if organization.id != self._organization:
            self._organization = organization.id
            self.list_query(lambda _: query_deleted(self.store, organization.id))

    def _time_left(self, deleted: Restorable) -> str:
        if deleted.space is None:
            return "gone, or hidden"
        left = deleted.deleted_at + RETENTION - self.store.clock()
        return f"{count(left.days, 'day')} left" if left.days else "less than a day left"

    def why_not(self, action: str) -> str | None:
        """Return the reason why the selected spaces cannot be restored."""
        if action == "organization.restore_space":
            if reason := self.why_none_chosen(action, action):
                return reason
            for deleted in self.chosen:
                if deleted.space is None:
                    return "gone, or hidden from you"
        return super().why_not(action)

    def action_organization_restore_space(self) -> None:
        """Restore the selected spaces."""
        self.work(self._restore(self.chosen), "restore")

    async def _restore(self, chosen: tuple[Restorable, ...]) -> None:
        change = partial(_restoration, self._organization, DeletedSpaces(self.store))
        await self.change_each(chosen, change, doing="Restoring spaces", done="Restored")


def _restoration(organization: str, deleted: DeletedSpaces, one: Restorable) -> Mutation[object]:
    return restore_space(one.id, one.title, organization, deleted)
