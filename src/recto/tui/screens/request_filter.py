"""The filter of a list of change requests: all, or those that a person created or contributed to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recto.contract.users import Users
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.choose_members import find_members
from recto.tui.look.signs import person

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from recto.contract.members import Member
    from recto.tui.screens.interactive import Interactive

_PEOPLE: Final = {
    "creator": ("By", "by"),
    "contributor": ("Contributed to by", "contributed to by"),
}
"""By the parameter that takes a person: the words of its choices, and those of the filtered list."""

_ELSE: Final = "else"


class RequestFilter:
    """Asks which change requests are shown; ``shown`` is called when others are to be asked for.

    ``organization`` returns the organization whose members are offered; ``None`` where there are several.
    """

    def __init__(
        self, owner: Interactive, organization: Callable[[], Awaitable[str | None]], shown: Callable[[], None]
    ) -> None:
        self._owner = owner
        self._organization = organization
        self._shown = shown
        self.arguments: Mapping[str, Any] = {}
        """The arguments to list with; empty where all are shown."""
        self.words = ""
        """The words for the title of the list: "by Ada Lovelace"."""

    @property
    def empty(self) -> str:
        """The sentence for an empty list."""
        return f"No change requests {self.words}."

    def ask(self) -> None:
        """Ask which change requests to show."""
        self._owner.work_to_open(self._ask(), "filter")

    async def _ask(self) -> None:
        me = await self._owner.store.fetch_or_kept(Users.get_user)
        organization = await self._organization()
        choices = [Choice("", "All change requests")]
        for field, (label, _) in _PEOPLE.items():
            choices.append(Choice(f"{field}:{me.id}", f"{label} {person(me)}"))
            if organization is not None:
                choices.append(Choice(f"{field}:{_ELSE}", f"{label} another member…"))
        chosen = await self._owner.ask(Choose("Show change requests", choices))
        if chosen is None:
            return
        field, _, value = chosen.partition(":")
        if not field:
            self.arguments, self.words = {}, ""
        elif value == _ELSE and organization is not None:
            if not await self._choose_person(field, organization):
                return
        else:
            self.arguments, self.words = {field: value}, f"{_PEOPLE[field][1]} {person(me)}"
        self._shown()

    async def _choose_person(self, field: str, organization: str) -> bool:
        """Ask for a member of the organization; returns whether a member was chosen."""
        label, words = _PEOPLE[field]
        names: dict[str, str] = {}

        def note(member: Member) -> str:
            names[member.id] = person(member.user)
            return ""

        find = find_members(self._owner.store, organization, note)
        chosen = await self._owner.ask(Choose(f"{label}…", find=find))
        if chosen is not None:
            self.arguments, self.words = {field: chosen}, f"{words} {names[chosen]}"
        return chosen is not None
