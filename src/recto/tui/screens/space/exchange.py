"""Imports and exports of a space, and the pages of templates: each begins with its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from recto.contract.addresses import Address, AtRevision
from recto.contract.templates import TEMPLATES, ApplyTemplate, Template
from recto.store.drafts import DraftPlace
from recto.store.space_changes import apply_template
from recto.tui.dialogs.choose import Choice
from recto.tui.forms.form import Field, FieldKind, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.look.fact_rows import heading
from recto.tui.screens.space.export_form import export_to_folder
from recto.tui.screens.space.git_sync import export_to_git, import_from_git, remove_installation
from recto.tui.screens.space.import_form import import_into
from recto.urls import read_url, without_typed_credentials

if TYPE_CHECKING:
    from recto.contract.spaces import Space
    from recto.store.mutation import Outcome
    from recto.tui.look.lines import Line
    from recto.tui.screens.interactive import Interactive

_WEB = ("http://", "https://", "mailto:")
_ADDRESS = re.compile(r"[a-zA-Z]+://\S*")
_TITLES: Final = {each.id: each.title for each in TEMPLATES}


def _hosted_choice(typed: str) -> Choice:
    if not typed:
        return Choice("", "A template of a hosted platform", reason="type its id")
    return Choice(typed, typed, "a template of the platform")


def _read_references(text: str) -> dict[str, Any]:
    """Return the content references of lines such as ``support: https://help.example.org``."""
    found: dict[str, Any] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, address = (part.strip() for part in line.partition(":"))
        if not (name and colon and address):
            raise ValueError(f"“{line}” is not a name, a colon and an address")
        if name in found:
            raise ValueError(f"“{name}” is given twice")
        found[name] = _reference(name, address)
    return {"content_refs": found}


def _without_credentials(text: str) -> str:
    return _ADDRESS.sub(lambda found: without_typed_credentials(found[0]), text)


def _reference(name: str, address: str) -> dict[str, str]:
    if address.startswith(_WEB):
        return {"kind": "url", "url": address}
    url = read_url(address)
    if url is None or not url.thing.space:
        raise ValueError(
            f"{name}: needs a web address, or the address of a page or space, as copied by ‹item.copy_link›"
        )
    thing = url.thing
    if not thing.page:
        return {"kind": "space", "space": thing.space}
    place = {"page": thing.page, "space": thing.space}
    return {"kind": "anchor", "anchor": thing.anchor, **place} if thing.anchor else {"kind": "page", **place}


FROM_TEMPLATE: Final = Form(
    "template",
    ApplyTemplate,
    Field("id", "Template", kind=FieldKind.CHOICE, create=_hosted_choice, default=TEMPLATES[0].id, required=True),
    Field(
        "params",
        "Links",
        kind=FieldKind.TEXT,
        write=_read_references,
        placeholder="support: https://help.example.org",
        says="One line for each link to fill in. A link without an address becomes plain text.",
        keeps=_without_credentials,
    ),
    sends="Add the pages",
)


async def add_from_template(host: Interactive, space: str, organization: str) -> None:
    """Ask for a template, and put its pages after those of the space."""
    title = ""

    async def submit(body: ApplyTemplate) -> Outcome[bool]:
        nonlocal title
        title = _TITLES.get(body.id, body.id)
        return await host.send(apply_template(space, body, title))

    filling = Filling(
        FROM_TEMPLATE,
        submit,
        choices={"id": [Choice(each.id, each.title, each.description) for each in TEMPLATES]},
        place=DraftPlace(organization=organization, space=space),
        remembered=host.store.form_values(space, FROM_TEMPLATE.name),
        remember=partial(host.store.keep_form_values, space, FROM_TEMPLATE.name),
        facts=[heading("Links of the templates"), *(_links_of(each) for each in TEMPLATES)],
    )
    says = "The pages are added after those of main at once. No key undoes this; you can delete the pages."
    if await host.ask(FormDialog(host.store, "Pages from a template", filling, says=says)):
        host.say(f"Added the pages of “{title}” after the others.")


def _links_of(template: Template) -> Line:
    return [(f"{template.title}  ", "muted"), (", ".join(template.references), "")]


class Exchange:
    """The forms of imports and exports on a space's screen, once the space is loaded.

    ``space`` returns the space, or ``None`` while it is not loaded.
    """

    def __init__(self, screen: Interactive, space: Callable[[], Space | None]) -> None:
        self._screen = screen
        self._space = space

    def add_template(self) -> None:
        """Add the pages of a template to main."""
        self._open("template", lambda space: add_from_template(self._screen, space.id, space.organization))

    def import_git(self) -> None:
        """Import a branch of a repository into main."""
        self._open("git", lambda space: import_from_git(self._screen, space))

    def export_git(self) -> None:
        """Push main to a branch of a repository."""
        self._open("git", lambda space: export_to_git(self._screen, space))

    def remove_git(self) -> None:
        """Remove the legacy Git installation."""
        self._open("git", lambda space: remove_installation(self._screen, space))

    def export_folder(self, at: Address) -> None:
        """Write the space, as it is seen at an address, into a folder."""
        self._open("export", lambda space: export_to_folder(self._screen, space, at))

    def import_content(self, at: Address) -> None:
        """Import content after the pages at an address; a past revision takes none."""
        if not isinstance(at, AtRevision):
            self._open("import", lambda space: import_into(self._screen, at, space.organization))

    def _open(self, name: str, form: Callable[[Space], Coroutine[Any, Any, None]]) -> None:
        if (space := self._space()) is not None:
            self._screen.work_to_open(form(space), name)
