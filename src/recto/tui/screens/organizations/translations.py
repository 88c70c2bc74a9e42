"""The translations of an organization's spaces, with their state and what their runs have done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recto.client.errors import ClientError
from recto.contract.jobs import JobState
from recto.contract.model import LEFT_OUT, Body
from recto.contract.rich_text import Document
from recto.contract.spaces import Language, Space, Spaces
from recto.contract.translations import (
    CreateTranslation,
    SourceToTranslate,
    Translation,
    Translations,
    UpdateTranslation,
)
from recto.document.text import count
from recto.store.drafts import DraftPlace
from recto.store.locations import SpaceLocation
from recto.store.mutation import Outcome
from recto.store.roles import needs
from recto.store.translations import (
    create_translation,
    delete_translation,
    describe_last_run,
    run_translation,
    set_instructions,
)
from recto.tui.actions import bindings
from recto.tui.dialogs.choose import Choice
from recto.tui.dialogs.confirm import NO_UNDO, Confirm
from recto.tui.dialogs.import_report import in_brief
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.lists.columns import Column
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.organizations.details import Detail
from recto.tui.screens.organizations.translated_pages import (
    cancel_run,
    draw_state,
    follow_runs,
    translation_detail,
    why_not_run,
    why_run_not_cancelled,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recto.contract.jobs import JobRecord
    from recto.contract.organizations import Organization
    from recto.store.query import Listing, Query
    from recto.store.store import Store


class _New(Body):
    """A translation to be added, as filled in; without a language of the source that of the space."""

    space: str
    source_language: Language = LEFT_OUT
    language: Language
    instructions: Document = LEFT_OUT


_CODE: Final = "The code of a language, such as en or pt-br."
_INSTRUCTIONS: Final = "Instructions"

NEW: Final = Form(
    "new-translation",
    _New,
    Field("space", "Source", kind=FieldKind.CHOICE, required=True),
    Field("source_language", "Its language", placeholder="the language of the space", says=_CODE),
    Field("language", "Into", required=True, placeholder="de", says=_CODE),
    Field("instructions", _INSTRUCTIONS, says="Markdown: how to write, and which words to use."),
    sends="Add the translation",
)

INSTRUCTIONS: Final = Form(
    "translation-instructions",
    UpdateTranslation,
    Field("instructions", _INSTRUCTIONS, says="Markdown; after a change the next run translates every page."),
    whole=True,
)


def _sum_up(job: JobRecord) -> str:
    """Return how many pages a run has translated, and what came back broken or waits in a change request."""
    if pages := job.counts.get("pages", 0):
        done = f"Translated {count(pages, 'page')} of {job.what}."
    else:
        done = f"No page of {job.what} was translated{'' if job.findings else ': nothing has changed'}."
    return " ".join((done, *(f"{in_brief(finding)}." for finding in job.findings)))


class TranslationsPane(ListPane[Translation]):
    """The translations of an organization."""

    BINDINGS = bindings(
        "item.new",
        "item.change",
        "translation.run",
        "translation.cancel",
        "translation.result",
        "translation.source",
        "item.delete",
    )

    def __init__(self, store: Store) -> None:
        listed = Listed[Translation](
            title="Translations",
            what="the translations",
            one="translation",
            columns=(
                Column("Source", lambda one: self._title(one), width=24, least=12, grows=True),
                Column("From", lambda one: one.source.language, width=5, rank=1),
                Column("Into", lambda one: one.language, width=5),
                Column("State", lambda one: draw_state(store, one), width=22, least=17),
                Column("Pages", lambda one: f"{one.stats.total_pages:,}", width=6, rank=2, at_right=True),
                Column("Words", lambda one: f"{one.stats.total_words:,}", width=7, rank=3, at_right=True),
                Column("Last run", describe_last_run, width=32, least=26, rank=4),
            ),
            name=self._words,
            empty=Nothing("No translations yet.", "a", "adds one"),
        )
        super().__init__(store, listed, id="translations", quiet=True)
        self._organization: Organization | None = None
        self._titles: Mapping[str, str] = {}
        """The titles of the spaces of the organization, by id."""

    def on_mount(self) -> None:
        """Follow the runs, which change the states."""
        follow_runs(self, self._follow_run)

    def _follow_run(self, job: JobRecord) -> None:
        self._show(None)
        self.refresh_bindings()
        if job.ended_at is None:
            return
        self.reload()
        # A run that was refused has not begun, and the key says why.
        if job.state is JobState.FAILED and job.step:
            self.say_failed(ClientError(f"{job.what} was not translated.", job.message, ""))
        elif job.state is JobState.FINISHED and self._organization is not None:
            self.store.query_list(Spaces.list_spaces, self._organization.id).refresh()  # the first run makes a space
            self.say(_sum_up(job))

    def show_organization(self, organization: Organization) -> None:
        """List the translations of an organization."""
        is_same = self._organization is not None and self._organization.id == organization.id
        self._organization = organization
        if not is_same:
            spaces = self.store.query_list(Spaces.list_spaces, organization.id)
            self.follow_instead("spaces", self._note_titles, spaces)
            self.list_from(Translations.list_translations, organization.id)

    def _note_titles(self, spaces: Query[Listing[Space]]) -> None:
        if spaces.value is not None:
            self._titles = {space.id: space.title for space in spaces.value.items}
            self._show(None)

    def _title(self, translation: Translation) -> str:
        return self._titles.get(translation.source.space) or translation.source.space

    def _words(self, translation: Translation) -> str:
        return f"“{self._title(translation)}” into {translation.language}"

    # Actions

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the translations."""
        organization, translation = self._organization, self.current
        if organization is None:
            return "no organization"
        changing = ("item.change", "translation.run", "item.delete")
        if action in ("item.new", *changing) and (reason := needs(organization.permissions, "create")):
            return reason
        going = ("translation.cancel", "translation.result", "translation.source")
        if reason := self.why_none_chosen(action, *changing, *going):
            return reason
        if action == "translation.run":
            return next(filter(None, (why_not_run(self.store, one) for one in self.chosen)), None)
        if action == "translation.cancel" and translation is not None:
            return why_run_not_cancelled(self.store, translation)
        if action == "translation.result" and translation is not None and translation.result is None:
            return "not translated yet; ‹translation.run› runs it"
        return super().why_not(action)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show the pages of a translation."""
        event.stop()
        if self._organization is not None:
            detail = translation_detail(self.store, self._organization, event.item, self._title(event.item))
            self.post_message(Detail.Wanted(detail))

    def action_item_new(self) -> None:
        """Add a translation."""
        if self._organization is not None:
            self.work(self._add(self._organization.id), "new translation", unless_running="new translation")

    async def _add(self, organization: str) -> None:
        listed = await self.store.query_list(Spaces.list_spaces, organization).wait()
        spaces = {space.id: space for space in (listed.value.items if listed.value is not None else ())}

        async def submit(body: _New) -> Outcome[Translation]:
            what, space = "Could not add the translation.", spaces.get(body.space)
            if space is None:
                # A draft may name a space that was deleted since.
                why = "The organization has no such space any more."
                return Outcome(None, ClientError(what, why, "Choose another space."))
            language = body.source_language or space.language
            if not language:
                why = "The space has no language of its own."
                return Outcome(None, ClientError(what, why, "Type the language it is in."))
            source = SourceToTranslate(space=body.space, language=language)
            instructions = body.instructions or Document()
            wanted = CreateTranslation(source=source, language=body.language, instructions=instructions)
            return await self.send(create_translation(organization, wanted))

        choices = sorted((Choice(space.id, space.title or space.id) for space in spaces.values()), key=_by_label)
        filling = Filling(NEW, submit, choices={"space": choices}, place=DraftPlace(organization=organization))
        made = await self.ask(FormDialog(self.store, "New translation", filling))
        if made is not None:
            self.say(f"Added the translation of {self._words(made)}; ‹translation.run› runs it.")

    def action_item_change(self) -> None:
        """Edit the instructions of the translation under the cursor."""
        if self._organization is not None and self.current is not None:
            self.work(
                self._edit_instructions(self._organization.id, self.current),
                "instructions",
                unless_running="instructions",
            )

    async def _edit_instructions(self, organization: str, translation: Translation) -> None:
        latest = Latest(
            translation, lambda: self.store.fetch(Translations.get_translation, organization, translation.id)
        )

        async def submit(body: UpdateTranslation) -> Outcome[Translation]:
            return await self.send(set_instructions(organization, latest.value, body.instructions))

        filling = Filling(
            INSTRUCTIONS,
            submit,
            thing=translation,
            reread=latest,
            place=DraftPlace(organization=organization, block=translation.id),
        )
        title = f"Instructions for the translation of {self._words(translation)}"
        if await self.ask(FormDialog(self.store, title, filling)) is not None:
            self.say("Saved the instructions; the next run translates every page.")

    def action_translation_run(self) -> None:
        """Run the selected translations."""
        if self._organization is not None:
            self.work(self._run(self._organization.id, self.chosen), "run", unless_running="run")

    async def _run(self, organization: str, chosen: Sequence[Translation]) -> None:
        await self.change_each(
            chosen,
            lambda one: run_translation(organization, one),
            doing="Starting translations",
            done="Started",
        )

    def action_translation_cancel(self) -> None:
        """Cancel the run of the translation under the cursor."""
        if self.current is not None:
            self.work(cancel_run(self, self.current), "cancel", unless_running="cancel")

    def action_translation_result(self) -> None:
        """Go to the space that holds the translation under the cursor."""
        if self.current is not None and self.current.result is not None:
            self.go(self.store.at_choice(SpaceLocation(self.current.result.space)))

    def action_translation_source(self) -> None:
        """Go to the space that is translated."""
        if self.current is not None:
            self.go(self.store.at_choice(SpaceLocation(self.current.source.space)))

    def action_item_delete(self) -> None:
        """Delete the selected translations, after a question."""
        if self._organization is not None:
            self.work(self._delete(self._organization.id, self.chosen), "delete translations", unless_running="delete")

    async def _delete(self, organization: str, chosen: Sequence[Translation]) -> None:
        question = Confirm(
            f"Delete {count(len(chosen), 'translation')}",
            "The spaces that hold them stay, with their pages; a run that is under way ends.",
            points=[self._words(one) for one in chosen],
            does="deletes the translation" if len(chosen) == 1 else "deletes the translations",
            undo=NO_UNDO,
        )
        if await self.ask(question):
            await self.change_each(
                chosen,
                lambda one: delete_translation(organization, one),
                doing="Deleting translations",
                done="Deleted",
            )


def _by_label(choice: Choice) -> str:
    return choice.label.casefold()
