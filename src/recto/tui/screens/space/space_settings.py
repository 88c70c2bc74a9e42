"""The settings of a space as a form: in a dialog, and on a tab of the space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recto.contract.spaces import Space, Spaces, UpdateSpace
from recto.store.drafts import DraftPlace
from recto.store.roles import needs
from recto.store.space_changes import update_space
from recto.tui.dialogs.confirm import ConfirmTitle, undo_of
from recto.tui.forms.form import Field, Filling, Form, Latest
from recto.tui.forms.form_pane import FormPane
from recto.tui.forms.merge_rules import merge_rules_field
from recto.tui.forms.role_words import ROLES
from recto.tui.look import signs
from recto.tui.look.fact_rows import fact

if TYPE_CHECKING:
    from recto.contract.collections import Collection, UpdateCollection
    from recto.store.mutation import Mutation, Outcome
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.screens.interactive import Interactive

LEVELS: Final = {"inherit": "that of the collection or organization"} | {role: ROLES[role] for role in reversed(ROLES)}
"""The default levels of a space or a collection, and what each lets members do."""

EDITING: Final = {"live": "main can be changed", "locked": "only merges change main"}
"""The edit modes of a space in words."""

SPACE_SETTINGS: Final = Form(
    "space-settings",
    UpdateSpace,
    Field("title", required=True),
    Field(
        "emoji",
        says="One emoji, shown before the title.",
        none="no emoji",
        read=lambda space: signs.emoji(space.emoji),
        check=signs.why_no_emoji,
    ),
    Field("language", says="The code of the language of its pages, such as en or pt-br."),
    Field("edit_mode", "Editing", choices=EDITING),
    Field("default_level", "Default role", choices=LEVELS, none="only access given elsewhere"),
    Field(
        "icon", says="The address of a picture, in place of an emoji.", none="no icon", read=lambda one: one.urls.icon
    ),
    merge_rules_field("What a change request must meet before it is merged."),
)


async def confirm_level(
    host: Interactive,
    before: Space | Collection,
    body: UpdateSpace | UpdateCollection,
    change: Mutation[Any],
) -> bool:
    """Name what a wider default role gives, and ask for the title; whether the ``change`` may be made."""
    level = body.default_level if "default_level" in body.model_fields_set else None
    if level is None or level == before.default_level or (level != "admin" and before.default_level is not None):
        return True
    says = f"All members of the organization get in by default: “{level}”, which {LEVELS[level]}."
    if level == "inherit":
        says = "Whoever has a role in its collection, or in the organization, has it here, too."
    title = before.title or "yes"
    question = ConfirmTitle(
        "Widen who gets in", says, named=title, does="saves the settings", undo=undo_of(change, before)
    )
    return await host.ask(question) is True


def space_filling(host: Interactive, space: Space) -> Filling[UpdateSpace, Space]:
    """Return the settings of a space to be filled in on behalf of a view or pane, which sends them."""

    latest = Latest(space, lambda: host.store.fetch(Spaces.get_space, space.id))

    async def submit(body: UpdateSpace) -> Outcome[Space] | None:
        change = update_space(latest.value, body)
        return await host.send(change) if await confirm_level(host, latest.value, body, change) else None

    return Filling(
        SPACE_SETTINGS,
        submit,
        thing=space,
        reread=latest,
        place=DraftPlace(organization=space.organization, space=space.id),
        reason=needs(space.permissions, "admin"),
        facts=[fact("visibility", signs.sign(signs.VISIBILITY, space.visibility).word)],
    )


class SpaceSettingsPane(FormPane):
    """The settings of a space on a tab."""

    def __init__(self, store: Store, space: str) -> None:
        super().__init__(store, "Settings", id="space-settings")
        self._space = space
        self._query = store.query(Spaces.get_space, space)

    def on_mount(self) -> None:
        """Ask for the space, where that has not been done."""
        self.follow(self._query, self._show)

    def _show(self, query: Query[Space]) -> None:
        if self.show_state(query, "the settings") and query.value is not None:
            self.fill(self._space, space_filling(self, query.value))

    def reload(self) -> None:
        """Ask again."""
        self._query.refresh()
