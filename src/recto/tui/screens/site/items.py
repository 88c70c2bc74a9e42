"""Changes of the items of a site: their questions, and the mutation that results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recto.contract.spaces import Spaces
from recto.document.text import count
from recto.store.arrangement import Arrangement, Item, Kind, changed_addresses
from recto.store.mutation import Mutation
from recto.store.rearranging import Site
from recto.store.site_changes import SiteChanges
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.prompt import PromptLine

if TYPE_CHECKING:
    from recto.tui.screens.view import View

LONGEST_PATH = 100
LONGEST_CONDITION = 1024
MOST_LISTED = 8
"""How many of the things that would be lost are named one by one."""


class SiteItems:
    """Asks for the values of a change and returns its mutation, or ``None`` where the person cancels."""

    def __init__(self, view: View, site: Site) -> None:
        self._view = view
        self._site = site
        self._changes = SiteChanges(site)
        self._typed: dict[str, str] = {}

    @property
    def has_typed(self) -> bool:
        """Whether something was typed that has not become a change yet."""
        return bool(self._typed)

    def forget(self) -> None:
        """Forget the typed values."""
        self._typed.clear()

    async def _line(self, title: str, value: str = "", **options: Any) -> str | None:
        """Ask for a line; asked again after a change that failed, it comes back as it was typed."""
        answer = await self._view.ask(PromptLine(title, self._typed.get(title, value), **options))
        if answer is not None:
            self._typed[title] = answer
        return answer

    async def rename(self, item: Item) -> Mutation[Any] | None:
        """Ask for another title of a section or a group."""
        title = await self._line(f"Rename the {item.kind.word}", item.title)
        title = (title or "").strip()
        return self._changes.rename(item, title) if title and title != item.title else None

    async def path(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Ask for another path of a section or a site space, and confirm where addresses change with it."""
        path = await self._line(
            f"Path of “{item.name}”", item.path, label="Path", limit=LONGEST_PATH, check=wrong_with_path
        )
        if not path or path == item.path:
            return None
        after = _with_item(arrangement, replace(item, path=path))
        return self._changes.set_path(item, path) if await self._addresses_may(arrangement, after) else None

    async def condition(self, item: Item) -> Mutation[Any] | None:
        """Ask for the condition on which a section or a site space is shown; an empty one shows it to everyone."""
        says = "Shown to visitors for whom this is true; empty shows it to everyone."
        condition = await self._line(
            f"Condition of “{item.name}”",
            item.condition or "",
            label="Condition",
            limit=LONGEST_CONDITION,
            required=False,
            says=says,
            placeholder="visitor.claims.unsigned.beta",
        )
        if condition is None or (condition.strip() or None) == item.condition:
            return None
        return self._changes.set_condition(item, condition.strip() or None)

    async def default(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Make a section or a site space what the site or the section opens with; shows which addresses change."""
        after = arrangement
        for rival in arrangement.rivals(item.id):
            after = _with_item(after, replace(rival, default=rival.id == item.id))
        return self._changes.make_default(arrangement, item) if await self._addresses_may(arrangement, after) else None

    async def delete(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Show what is lost with an item, and ask."""
        says, points = losses(arrangement, item)
        dialog = Confirm(f"Remove the {item.kind.word}", *says, points=points, does=f"removes “{item.name}”")
        return self._changes.delete(item) if await self._view.ask(dialog) else None

    async def new(self, arrangement: Arrangement, at: Item | None) -> Mutation[Any] | None:
        """Ask for the kind of a new item, and for its values."""
        section = _nearest(arrangement, at, Kind.SECTION)
        group = _nearest(arrangement, at, Kind.GROUP)
        choices = [Choice("section", "Section", "with its first space, at the top level")]
        if arrangement.sectioned and arrangement.items:
            choices.append(Choice("group", "Group", f"in “{group.name}”" if group else "at the top level"))
        if section is not None:
            choices.insert(0, Choice("space", "Space", f"in the section “{section.name}”"))
        elif not arrangement.sectioned or not arrangement.items:
            choices.insert(0, Choice("space", "Space", "on the site"))
        match await self._view.ask(Choose("New", choices)):
            case "group":
                title = await self._line("New group")
                return self._changes.add_group(title.strip(), group.id if group else None) if title else None
            case "section":
                return await self._new_section(arrangement)
            case "space":
                return await self._new_site_space(arrangement, section)
        return None

    async def _new_section(self, arrangement: Arrangement) -> Mutation[Any] | None:
        chosen = await self._choose_space("The first space of the new section", frozenset())
        if chosen is None:
            return None
        space, name = chosen
        title = await self._line("New section", name)
        return self._changes.add_section(arrangement, space, title.strip()) if title else None

    async def _new_site_space(self, arrangement: Arrangement, section: Item | None) -> Mutation[Any] | None:
        there = arrangement.under(section.id if section else None)
        used = frozenset(space for id in there if (space := arrangement.items[id].space) is not None)
        chosen = await self._choose_space("A space to put here", used)
        if chosen is None:
            return None
        space, name = chosen
        return self._changes.add_site_space(space, name, section.id if section else None)

    async def _choose_space(self, title: str, used: frozenset[str]) -> tuple[str, str] | None:
        """Ask for a space of the organization; those that are there already cannot be chosen."""
        query = await self._view.store.query_list(Spaces.list_spaces, self._site.organization).settled()
        if query.error is not None:
            raise query.error
        spaces = query.value.items if query.value is not None else ()
        names = {space.id: space.title or space.id for space in spaces}
        choices = [
            Choice(id, name, reason="already here" if id in used else "")
            for id, name in sorted(names.items(), key=lambda each: each[1].casefold())
        ]
        if not choices:
            self._view.say("The organization has no spaces yet: create one first.")
            return None
        chosen = await self._view.ask(Choose(title, choices))
        return (chosen, names[chosen]) if chosen is not None else None

    async def _addresses_may(self, before: Arrangement, after: Arrangement) -> bool:
        """Ask whether addresses may change, where any does."""
        changed = changed_addresses(before, after)
        if not changed:
            return True
        points = [f"{one.item.name}: {one.before} → {one.after}" for one in changed[:MOST_LISTED]]
        if len(changed) > MOST_LISTED:
            points.append(f"{len(changed) - MOST_LISTED} more")
        says = (
            f"{count(len(changed), 'address', 'addresses')} of the site will change; links to the old ones may break."
        )
        dialog = Confirm("Addresses change", says, points=points, does="changes them")
        agreed = await self._view.ask(dialog)
        return agreed is True


def why_item_not(action: str, arrangement: Arrangement, item: Item | None) -> str | None:
    """Return the reason why an item cannot be changed; ``None`` where it can."""
    if action not in _ABOUT_ITEMS:
        return None
    if item is None:
        return "no item is selected"
    if (reason := _WHY_NOT.get((action, item.kind))) is not None:
        return reason
    if item.kind is Kind.OTHER:
        return "unknown to this version"
    if item.kind is Kind.LINK:
        return "the API cannot change external links"
    if action == "site.make_default" and item.default:
        return "already the default"
    return None


_ABOUT_ITEMS = {"item.rename", "item.delete", "site.path", "site.condition", "site.make_default"}
_WHY_NOT = {
    ("item.rename", Kind.SITE_SPACE): "a site space has its space's title",
    ("site.path", Kind.GROUP): "a group has no path",
    ("site.condition", Kind.GROUP): "a group has no condition",
    ("site.make_default", Kind.GROUP): "a group cannot be the default",
}


def wrong_with_path(path: str) -> str | None:
    """Return the error in the path of a section or a site space, if any."""
    if any(character.isspace() or character in "?#" for character in path):
        return "A path contains no spaces, “?” or “#”."
    if path.startswith("/") or path.endswith("/"):
        return "A path neither begins nor ends with “/”."
    return None


def losses(arrangement: Arrangement, item: Item) -> tuple[list[str], list[str]]:
    """Return what removing an item does, and the names of the items removed with it."""
    inside = [arrangement.items[id] for id in arrangement.under(item.id)]
    match item.kind:
        case Kind.GROUP:
            held = "It is empty." if not inside else f"Its contents ({count(len(inside), 'item')}) take its place."
            return [f"This removes the group “{item.name}”. {held}"], []
        case Kind.SECTION:
            says = [f"This removes the section “{item.name}” with its {count(len(inside), 'site space')}."]
            says.append("The spaces themselves stay; their addresses and settings on this site are lost.")
            points = [each.name for each in inside[:MOST_LISTED]]
            return says, [*points, *([f"{len(inside) - MOST_LISTED} more"] if len(inside) > MOST_LISTED else [])]
        case _:
            says = [f"This removes “{item.name}” from the site, with its address and settings."]
            return [*says, "The space itself stays."], []


def _nearest(arrangement: Arrangement, at: Item | None, kind: Kind) -> Item | None:
    """Return the item of a kind that an item is, or is in."""
    if at is None:
        return None
    found = (arrangement.items[id] for id in (at.id, *arrangement.above(at.id)))
    return next((item for item in found if item.kind is kind), None)


def _with_item(arrangement: Arrangement, item: Item) -> Arrangement:
    return Arrangement({**arrangement.items, item.id: item}, arrangement.children, arrangement.sectioned)
