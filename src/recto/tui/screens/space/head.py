"""The title of a space's screen: the organization, the space, the address at which it is seen, and its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.spaces import Space, Spaces
from recto.store.roles import role_of
from recto.tui.actions import not_loaded
from recto.tui.look.signs import LOCKED

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.query import Query
    from recto.tui.screens.space.space_address import SpaceAddress
    from recto.tui.screens.view import View


class SpaceHead:
    """Follows the space and its organization, and shows them."""

    def __init__(self, view: View, address: SpaceAddress) -> None:
        self._view = view
        self._address = address
        self._space: Query[Space] | None = None
        self._organization: Query[Organization] | None = None
        self._asks_for_organization = False

    @property
    def space(self) -> Space | None:
        """The space, once it is known."""
        return self._space.value if self._space is not None else None

    @property
    def trusted_space(self) -> Space | None:
        """The space whose permissions count; a cached space has none."""
        return self.space if self._space is not None and self._space.cached_at is None else None

    @property
    def why_unknown(self) -> str:
        """The reason that the space is not known yet."""
        return not_loaded("the space", self._space)

    @property
    def organization(self) -> Organization | None:
        """The organization of the space, once it is known."""
        return self._organization.value if self._organization is not None else None

    @property
    def organization_id(self) -> str | None:
        """The organization's id, as the space names it."""
        return (self.space.organization if self.space is not None else None) or None

    def begin(self) -> None:
        """Show the title at once, without asking."""
        if self._view.store.known_response(Spaces.get_space, self._address.at.space) is not None:
            self.follow()
        else:
            self.show()

    def follow(self) -> None:
        """Ask for the space, once."""
        if self._space is None:
            self._space = self._view.store.query(Spaces.get_space, self._address.at.space)
            self._view.follow(self._space, self.show)

    def reload(self) -> None:
        """Ask again for the space."""
        if self._space is not None:
            self._space.refresh()

    def show(self, _query: Query[Any] | None = None) -> None:
        """Show the title as far as it is known."""
        space = self.space
        if self.organization_id is not None and not self._asks_for_organization:
            self._asks_for_organization = True
            self._view.after_start(self._ask_for_organization)
        locked = f"{LOCKED.sign} {LOCKED.word}" if space is not None and space.edit_mode == "locked" else ""
        self._view.show_where(
            *([self.organization.title] if self.organization is not None else []),
            space.title if space is not None else "Space",
            address=self._address.words,
            aside=" · ".join(part for part in (self._address.origin, locked) if part),
            role=role_of(space.permissions) if space is not None else "",
        )
        self._view.refresh_bindings()

    def _ask_for_organization(self) -> None:
        from recto.contract.organizations import Organizations

        assert self.organization_id is not None
        self._organization = self._view.store.query(Organizations.get_organization, self.organization_id)
        self._view.follow(self._organization, self.show)
