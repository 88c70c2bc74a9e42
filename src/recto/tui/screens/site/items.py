"""Changes of the items of a site: their questions, redirects of addresses that change, and the mutation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import ComposeResult

from recto.client.errors import Unsupported
from recto.contract.adaptive import AdaptiveContents
from recto.contract.redirects import Redirects
from recto.contract.spaces import CreateSpace, Spaces
from recto.contract.structure import (
    CreateGroup,
    CreateSection,
    SiteSection,
    SiteSectionGroup,
    UpdateGroup,
    UpdateSection,
    UpdateSiteSpace,
)
from recto.document.expressions.claims import condition_fault, unknown_in_condition
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, ChangedAddress, Item, Kind, find_changed_addresses, item_of
from recto.store.drafts import DraftPlace
from recto.store.mutation import Mutation, Outcome
from recto.store.rearranging import SiteAddress
from recto.store.redirect_changes import RedirectChanges, old_addresses
from recto.store.site_changes import SiteChanges
from recto.store.space_changes import create_space
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, Question, answer_keys, explain, shorten
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog

if TYPE_CHECKING:
    from recto.contract.redirects import Redirect
    from recto.store.line_drafts import LineDraft
    from recto.store.query import Listing, Query
    from recto.tui.screens.interactive import Interactive

LONGEST_PATH = 100
LONGEST_CONDITION = 1024

LONGEST_SPACE_TITLE = 50
_NEW = "new:"
"""Begins the id of the choice that creates a space; its title follows."""

M = TypeVar("M", SiteSection, SiteSectionGroup)


@frozen
class ChosenSpace:
    """A space of the organization, or a space to create where ``id`` is ``None``."""

    id: str | None
    title: str


class SiteItems:
    """Asks for the values of a change and returns its mutation, or ``None`` where the person cancels.

    What is asked in a form (a new section or group, all that can be changed of an item) is also sent from there.
    """

    def __init__(self, view: Interactive, site: SiteAddress) -> None:
        self._view = view
        self._site = site
        self._changes = SiteChanges(site)
        self._draft: LineDraft | None = None
        """The line that was typed for the change."""
        self.next: Mutation[Any] | None = None
        """What the person wants to be done when the change has been made."""

    @property
    def has_typed(self) -> bool:
        """Whether something was typed that has not become a change yet."""
        return self._draft is not None and self._draft.text is not None

    def begin(self) -> None:
        """Begin another change, with nothing to be done next."""
        self._draft = None
        self.next = None

    def finish(self) -> None:
        """Discard the line of the change, which was made."""
        if self._draft is not None:
            self._draft.discard()

    async def _line(
        self, item: Item, title: str, value: Callable[[Item], str], **options: Any
    ) -> tuple[str | None, Item]:
        """Ask for a value of an item; until the change is made it comes back as it was typed.

        Returns what was typed, and the item as it was read last.
        """
        self._draft = self._view.store.line_drafts.of(title, item.id)

        async def read() -> Item:
            return (await self._site.read(self._view.store.call)).items.get(item.id, item)

        latest = Latest(item, read)

        async def reread() -> str:
            return value(await latest())

        typed = await self._view.ask(PromptLine(title, value(item), draft=self._draft, reread=reread, **options))
        return typed, latest.value

    async def rename(self, item: Item) -> Mutation[Any] | None:
        """Ask for another title of a section or a group."""
        title, item = await self._line(item, f"Rename the {item.kind.word}", lambda item: item.title)
        title = (title or "").strip()
        return self._changes.rename(item, title) if title and title != item.title else None

    async def path(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Ask for another path of a section or a site space, and confirm where addresses change with it."""
        path, item = await self._line(
            item,
            f"Path of “{item.name}”",
            lambda item: item.path,
            label="Path",
            limit=LONGEST_PATH,
            check=path_fault,
        )
        if not path or path == item.path:
            return None
        after = _with_item(arrangement, replace(item, path=path))
        return self._changes.set_path(item, path) if await self._addresses_may(arrangement, after) else None

    async def condition(self, item: Item) -> Mutation[Any] | None:
        """Ask for the condition on which a section or a site space is shown; empty shows it to everyone."""
        schema = await self._schema()
        says = "Shown to visitors for whom this is true; empty shows it to everyone."
        condition, item = await self._line(
            item,
            f"Condition of “{item.name}”",
            lambda item: item.condition or "",
            label="Condition",
            limit=LONGEST_CONDITION,
            required=False,
            check=condition_fault,
            warn=(lambda text: unknown_in_condition(text, schema)) if schema is not None else None,
            says=says,
            placeholder="visitor.claims.unsigned.beta",
        )
        if condition is None or (condition.strip() or None) == item.condition:
            return None
        return self._changes.set_condition(item, condition.strip() or None)

    async def _schema(self) -> dict[str, Any] | None:
        """Return the site's adaptive schema; ``None`` where it cannot be loaded."""
        address = (self._site.organization, self._site.id)
        query = await self._view.store.query(AdaptiveContents.get_adaptive_schema, *address).wait()
        return query.value.json_schema if query.value is not None else None

    async def default(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Make a section or a site space what the site or the section opens with; shows which addresses change."""
        after = arrangement
        for rival in arrangement.default_candidates(item.id):
            after = _with_item(after, replace(rival, default=rival.id == item.id))
        return self._changes.make_default(arrangement, item) if await self._addresses_may(arrangement, after) else None

    async def delete(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Show what gets lost with an item, and ask."""
        says, points = losses(arrangement, item)
        points += await self._redirects_lost(arrangement, item)
        title, does = f"Remove the {item.kind.word}", f"removes “{item.name}”"
        after = _without(arrangement, item)
        if find_changed_addresses(arrangement, after):
            may = await self._addresses_may(
                arrangement, after, *says, title=title, points=points, does=does, undo=NO_UNDO
            )
        else:
            may = await self._view.ask(Confirm(title, *says, points=points, does=does, undo=NO_UNDO)) is True
        return self._changes.delete(item) if may else None

    async def _redirects_lost(self, arrangement: Arrangement, item: Item) -> list[str]:
        """Name the redirects that go with an item: those that lead to it, or to what goes with it."""
        if item.kind is Kind.GROUP:
            return []
        query = await self._redirects()
        if isinstance(query.error, Unsupported):
            return []
        if query.value is None:
            return ["its redirects, which could not be loaded"]
        gone = {item.id, *arrangement.under(item.id)}
        leading = [
            one
            for one in query.value.items
            if (to := one.destination) and gone & {to.site_section_id, to.site_space_id}
        ]
        return shorten([f"the redirect from {one.source}" for one in leading])

    async def _redirects(self) -> Query[Listing[Redirect]]:
        address = (self._site.organization, self._site.id)
        return await self._view.store.query_list(Redirects.list_redirects, *address).wait()

    async def add(self, arrangement: Arrangement, at: Item | None) -> str | None:
        """Ask for the kind of a new item and for its values, and add it; returns its id."""
        self.begin()
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
                return await self._add_group(group)
            case "section":
                return await self._add_section(arrangement)
            case "space":
                return await self._add_site_space(arrangement, section)
        return None

    async def _add_group(self, parent: Item | None) -> str | None:
        async def submit(body: CreateGroup) -> Outcome[SiteSectionGroup]:
            return await self._view.send(self._changes.add_group(body))

        form = Form("new-section-group", CreateGroup, _new_title(), _ICON, sends="Create the section group")
        given = {"parent": parent.id} if parent is not None else {}
        made = await self._ask_for_new(Kind.GROUP, Filling(form, submit, given=given, place=self._place()))
        return made.id if made is not None else None

    async def _add_section(self, arrangement: Arrangement) -> str | None:
        chosen = await self._choose_space("The first space of the new section", frozenset())
        if chosen is None:
            return None
        space, gathered = chosen.id, _gather(arrangement)

        async def submit(body: CreateSection) -> Outcome[SiteSection] | None:
            nonlocal space
            says, does = "The first section takes in the site spaces at the top level.", "creates the section"
            if not await self._addresses_may(arrangement, gathered, says, does=does, undo=NO_UNDO):
                return None
            space = space or await self._make(chosen)  # a space made for a call that failed is not made again
            if space is None:
                return None
            return await self._view.send(
                self._changes.add_section(arrangement, body.model_copy(update={"space_id": space}))
            )

        form = Form("new-section", CreateSection, _new_title(chosen.title), _ICON, sends="Create the section")
        filling = Filling(form, submit, given={"space_id": space or ""}, place=self._place())
        made = await self._ask_for_new(Kind.SECTION, filling)
        return made.id if made is not None else None

    async def _ask_for_new(self, kind: Kind, filling: Filling[Any, M]) -> M | None:
        made = await self._view.ask(FormDialog(self._view.store, f"New {kind.word}", filling))
        if made is not None:
            self._view.say(f"Added the {kind.word} “{made.title}”.")
            if self.next is not None:
                await self._view.carry_out(self.next)
        return made

    async def _add_site_space(self, arrangement: Arrangement, section: Item | None) -> str | None:
        there = arrangement.under(section.id if section else None)
        chosen = await self._choose_space("A space to put here", _spaces_of(arrangement, there))
        if chosen is None or (space := await self._make(chosen)) is None:
            return None
        mutation = self._changes.add_site_space(space, chosen.title, section.id if section else None)
        made = (await self._view.carry_out(mutation)).value
        return made.id if made is not None else None

    async def change(self, arrangement: Arrangement, item: Item) -> None:
        """Ask for all that can be changed of a section, a group or a site space, in a form."""
        self.begin()
        schema = await self._schema() if item.kind is not Kind.GROUP else None

        latest = Latest(arrangement, partial(self._site.read, self._view.store.call))

        def item_now() -> Item:
            return latest.value.items.get(item.id, item)

        async def reread() -> Item:
            await latest()
            return item_now()

        async def submit(body: UpdateSection | UpdateGroup | UpdateSiteSpace) -> Outcome[Any] | None:
            path = getattr(body, "path", None)
            before, now = latest.value, item_now()
            after = _with_item(before, replace(now, path=path)) if path else before
            if not await self._addresses_may(before, after):
                return None
            return await self._view.send(self._changes.update(now, body))

        spaces: Sequence[Choice] = await self._space_choices(()) if item.kind is Kind.SITE_SPACE else ()
        filling: Filling[Any, Any] = Filling(
            FORMS[item.kind],
            submit,
            thing=item,
            choices={"space_id": spaces},
            warn={"condition": lambda text: unknown_in_condition(text, schema)} if schema is not None else {},
            reread=reread,
            place=self._place(item.id),
        )
        changed = await self._view.ask(FormDialog(self._view.store, f"Change the {item.kind.word}", filling))
        if changed is not None:
            self._view.say(f"Changed the {item.kind.word} “{item_of(changed).name}”.")
            if self.next is not None:
                await self._view.carry_out(self.next)

    async def content(self, arrangement: Arrangement, item: Item) -> Mutation[Any] | None:
        """Ask for another space that a site space is to show."""
        used = _spaces_of(arrangement, arrangement.beside(item.id))
        chosen = await self._choose_space(f"The space that “{item.name}” shows", used)
        if chosen is None or (space := await self._make(chosen)) is None:
            return None
        return self._changes.set_space(item, space, chosen.title)

    def _place(self, item: str | None = None) -> DraftPlace:
        """Return the place of drafts about the site, or about an item on it."""
        return DraftPlace(organization=self._site.organization, site=self._site.id, block=item)

    async def _choose_space(self, title: str, used: Collection[str]) -> ChosenSpace | None:
        """Ask for a space of the organization, or the title of a new space; those in ``used`` cannot be chosen."""
        choices = await self._space_choices(used)
        titles = {choice.id: choice.label for choice in choices}
        chosen = await self._view.ask(Choose(title, choices, create=self._new_space))
        if chosen is None:
            return None
        new = chosen.removeprefix(_NEW)
        return ChosenSpace(None, new) if new != chosen else ChosenSpace(chosen, titles[chosen])

    async def _space_choices(self, used: Collection[str]) -> list[Choice]:
        """Return the spaces of the organization by title; those in ``used`` cannot be chosen."""
        query = await self._view.store.query_list(Spaces.list_spaces, self._site.organization).wait()
        if query.error is not None:
            raise query.error
        spaces = query.value.items if query.value is not None else ()
        found = [Choice(one.id, one.title or one.id, reason="already here" if one.id in used else "") for one in spaces]
        return sorted(found, key=lambda choice: choice.label.casefold())

    def _new_space(self, typed: str) -> Choice:
        if self._view.store.lacks(Spaces.create_space):
            return Choice(_NEW, "New space", reason="this server cannot create spaces")
        if not typed:
            return Choice(_NEW, "New space", reason="type its title first")
        long = len(typed) > LONGEST_SPACE_TITLE
        reason = f"{len(typed)} characters; at most {LONGEST_SPACE_TITLE}" if long else ""
        return Choice(f"{_NEW}{typed}", f"New space “{typed}”", "created, and put here", reason)

    async def _make(self, chosen: ChosenSpace) -> str | None:
        """Return the id of a chosen space, created where it is new; ``None`` where that failed."""
        if chosen.id is None:
            outcome = await self._view.send(create_space(self._site.organization, CreateSpace(title=chosen.title)))
            if outcome.error is not None:
                self._view.say_failed(outcome.error)
            return outcome.value.id if outcome.value is not None else None
        return chosen.id

    async def _addresses_may(self, before: Arrangement, after: Arrangement, *says: str, **options: Any) -> bool:
        """Ask whether addresses may change, where any does, and whether the old ones are to be redirected.

        ``says`` and ``options`` are as for :class:`ConfirmAddresses`.
        """
        self.next = None
        changed = find_changed_addresses(before, after)
        if not changed:
            return True
        offered = not isinstance((await self._redirects()).error, Unsupported)
        old = old_addresses(before, after) if offered else ()
        answer = await self._view.ask(ConfirmAddresses(changed, len(old), *says, **options))
        if answer == REDIRECT:
            self.next = RedirectChanges(self._site).keep_addresses(old)
        return answer is not None


def why_item_not(action: str, item: Item | None) -> str | None:
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


_ABOUT_ITEMS = {
    "item.rename",
    "item.change",
    "item.delete",
    "site.path",
    "site.condition",
    "site.make_default",
    "site.content",
}
_WHY_NOT = {
    ("item.rename", Kind.SITE_SPACE): "a site space has its space's title",
    ("site.path", Kind.GROUP): "a group has no path",
    ("site.condition", Kind.GROUP): "a group has no condition",
    ("site.content", Kind.GROUP): "only on a site space",
    ("site.content", Kind.SECTION): "only on a site space",
    ("site.make_default", Kind.GROUP): "a group cannot be the default",
}


def path_fault(path: str) -> str | None:
    """Return the error in the path of a section or a site space, if any."""
    if any(character.isspace() or character in "?#" for character in path):
        return "A path contains no spaces, “?” or “#”."
    if path.startswith("/") or path.endswith("/"):
        return "A path neither begins nor ends with “/”."
    return None


def _path_fault(path: Any) -> str | None:
    return path_fault(str(path))


def _condition_fault(condition: Any) -> str | None:
    return condition_fault(str(condition))


_PATH = Field("path", says="Its part of the address.", check=_path_fault)
_CONDITION = Field(
    "condition", says="Shown to visitors for whom this is true; empty shows it to everyone.", check=_condition_fault
)
_ICON = Field("icon", says="The name of an icon, such as book or rocket.")


def _new_title(title: str = "") -> Field:
    return Field(
        "title",
        says="‹form.change› adds it, ‹view.next_panel› goes to its icon.",
        required=True,
        default=title,
        sends=True,
    )


FORMS: Mapping[Kind, Form[Any]] = {
    Kind.SECTION: Form(
        "section",
        UpdateSection,
        Field("title", required=True),
        _PATH,
        _ICON,
        Field("description"),
        _CONDITION,
    ),
    Kind.GROUP: Form("section-group", UpdateGroup, Field("title", required=True), _ICON),
    Kind.SITE_SPACE: Form(
        "site-space",
        UpdateSiteSpace,
        Field("space_id", "Space", kind=FieldKind.CHOICE, read=lambda item: item.space or "", required=True),
        _PATH,
        _CONDITION,
    ),
}
"""The forms of what can be changed of an item, by its kind."""


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
            return says, shorten([each.name for each in inside])
        case _:
            says = [f"This removes “{item.name}” from the site, with its address and settings."]
            return [*says, "The space itself stays."], []


def _spaces_of(arrangement: Arrangement, site_spaces: Iterable[str]) -> frozenset[str]:
    return frozenset(space for id in site_spaces if (space := arrangement.items[id].space) is not None)


def _nearest(arrangement: Arrangement, at: Item | None, kind: Kind) -> Item | None:
    """Return the item of a kind that an item is, or is in."""
    if at is None:
        return None
    found = (arrangement.items[id] for id in (at.id, *arrangement.above(at.id)))
    return next((item for item in found if item.kind is kind), None)


def _with_item(arrangement: Arrangement, item: Item) -> Arrangement:
    return Arrangement({**arrangement.items, item.id: item}, arrangement.children, arrangement.sectioned)


def _without(arrangement: Arrangement, item: Item) -> Arrangement:
    """Return the arrangement without a section or a site space; the first that is left replaces a default."""
    if item.kind not in (Kind.SECTION, Kind.SITE_SPACE):
        return arrangement
    gone = {item.id, *arrangement.under(item.id)}
    default_candidates = {each.id for each in arrangement.default_candidates(item.id)} - gone
    heir = (
        next((each.id for _, each in arrangement.walk() if each.id in default_candidates), None)
        if item.default
        else None
    )
    items = {
        id: replace(each, default=True) if id == heir else each
        for id, each in arrangement.items.items()
        if id not in gone
    }
    children = {
        parent: tuple(id for id in ids if id not in gone)
        for parent, ids in arrangement.children.items()
        if parent not in gone
    }
    return Arrangement(items, children, arrangement.sectioned)


def _gather(arrangement: Arrangement) -> Arrangement:
    """Return the arrangement with a first section around the site spaces of the top level; its path is not known."""
    at_top = tuple(id for id in arrangement.under(None) if arrangement.items[id].kind is Kind.SITE_SPACE)
    if not at_top:
        return arrangement
    section = Item(id="", kind=Kind.SECTION, title="", path="…", default=True)
    others = tuple(id for id in arrangement.under(None) if id not in at_top)
    return Arrangement(
        {**arrangement.items, "": section}, {**arrangement.children, None: ("", *others), "": at_top}, sectioned=True
    )


CHANGE, REDIRECT = "change", "redirect"

actions.register(
    Action("addresses.redirect", "Change, and redirect the old addresses", ("r",), "Dialog", "redirect", writes=True)
)


class ConfirmAddresses(Question[str]):
    """Names the addresses that change; answers :data:`CHANGE` or :data:`REDIRECT`, or nothing.

    ``redirected`` is the number of old addresses that can be redirected. Where they change along with something else,
    ``says`` are the sentences about that, and ``points`` name what it takes along.
    """

    BINDINGS = bindings("dialog.confirm", "addresses.redirect", "dialog.decline")

    def __init__(
        self,
        changed: Sequence[ChangedAddress],
        redirected: int,
        *says: str,
        title: str = "Addresses change",
        points: Sequence[str] = (),
        does: str = "changes them",
        undo: str = UNDO,
    ) -> None:
        total = count(len(changed), "address", "addresses")
        listed = shorten([f"{one.item.name}: {one.before} → {one.after}" for one in changed])
        addresses = f"{total} of the site will change; links to the old ones may break."
        along = [*explain(says, points), "\n\n" if points else "\n"] if says or points else []
        super().__init__(title, [*along, *explain([addresses], listed)])
        self._redirected = redirected
        self._does = does
        self._undo = undo

    def compose_body(self) -> ComposeResult:
        """Compose the addresses and the keys."""
        yield self._explanation
        answers = [("dialog.confirm", self._does)]
        if self._redirected:
            redirects = count(self._redirected, "old address", "old addresses")
            answers.append(("addresses.redirect", f"{self._does}, and redirects {redirects}"))
        yield answer_keys(self, *answers, undo=self._undo)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer redirects only where there is an old address."""
        if action == "addresses_redirect":
            return self._redirected > 0
        return super().check_action(action, parameters)

    def action_dialog_confirm(self) -> None:
        """Answer to change them."""
        self.dismiss(CHANGE)

    def action_addresses_redirect(self) -> None:
        """Answer to change them and to redirect the old ones."""
        self.dismiss(REDIRECT)

    def action_dialog_decline(self) -> None:
        """Answer to leave them."""
        self.dismiss(None)
