"""The tab with a site's audience: its visitors' claims, conditions on them, and what a visitor is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
from pydantic import ValidationError
from textual.app import ComposeResult
from textual.content import Content as StyledText

from recto.contract.adaptive import (
    MAX_CLAIM_NAME,
    AdaptiveContents,
    AdaptiveSchema,
    ClaimDescription,
    ClaimValues,
    TemplateCondition,
    TemplateConditions,
    VisitorSchema,
)
from recto.contract.addresses import Main
from recto.contract.content import Content, walk_pages
from recto.contract.misfit import misfit
from recto.contract.model import Body
from recto.contract.sites import Site
from recto.contract.structure import SiteStructure, Structure
from recto.document.expressions.claims import CLAIMS, Claim, Verdicts, claims, depends_on
from recto.document.text import count
from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.audience import (
    DEPENDS,
    Edit,
    Fault,
    claim_of,
    differences,
    find_hidden,
    format_schema,
    page_verdict,
    read_schema,
    set_schema,
    with_claim,
    with_claimed,
    without_claim,
)
from recto.store.mutation import Outcome
from recto.tui import actions
from recto.tui.actions import Action, bindings, not_loaded
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import UNDO, Confirm, shorten
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.form import Field, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.form_draft import OPEN_ELSEWHERE, FormDraft
from recto.tui.forms.leaving import KEEP, LeaveForm
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, plain
from recto.tui.screens.interactive import Interactive
from recto.tui.screens.pane import Pane
from recto.tui.screens.site.structure import describe_in, rows_of
from recto.tui.screens.site.tab import SiteTab
from recto.tui.widgets.line_view import Ground
from recto.tui.widgets.remark import Remark
from recto.tui.widgets.text_pad import TextPad

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.store import Store

_GROUP = "Site"

actions.register(
    Action("audience.claim", "Give the visitor of the preview another value", ("space",), _GROUP, "visitor's value"),
    Action("audience.clear", "Preview a visitor without claims", ("x",), _GROUP),
    Action("audience.edit_schema", "Edit the schema as JSON", ("E",), _GROUP, "as JSON", writes=True),
)

_OF_SCHEMA = frozenset({"audience.claim", "audience.edit_schema", "item.new", "item.change", "item.delete"})

_MOST_SPACES = 30
"""The most spaces of a site whose pages are looked through for conditions on a claim."""

_NOT_SET = "not set"
_YES, _NO = "yes", "no"


class ClaimBody(Body):
    """A claim as a person fills it in."""

    name: Annotated[str, pydantic.Field(min_length=1, max_length=MAX_CLAIM_NAME)]
    type: Literal["boolean", "string", "number", "boolean[]", "string[]", "number[]"] = "boolean"
    values: ClaimValues = ()
    description: ClaimDescription = ""
    unsigned: bool = False


CLAIM = Form(
    "claim",
    ClaimBody,
    Field("name", read=lambda claim: claim.path[-1]),
    Field("type", read=lambda claim: claim.kind, required=True, default="boolean"),
    Field("values", says="The values of a text, where only some are allowed; separated by commas."),
    Field("description", says="What the claim means; shown in descriptions of conditions."),
    Field(
        "unsigned",
        says="On: visitors say it of themselves, without proof (a cookie, a parameter of the address).",
        read=lambda claim: claim.is_unsigned,
    ),
    whole=True,
    sends="Save the claim",
)


class ListOf(Pane):
    """A plain list in a pane."""

    def __init__(self, store: Store, title: str, *, id: str) -> None:
        self.rows = VirtualList(id=f"{id}-list")
        super().__init__(store, title, self.rows, id=id)

    @property
    def current(self) -> Any:
        """The item under the cursor."""
        rows = self.rows.rows
        return rows.item(self.rows.cursor) if isinstance(rows, ItemRows) else None


class AudienceTab(SiteTab):
    """Claims, template conditions, and the preview of a visitor."""

    BINDINGS = bindings(
        "audience.claim",
        "audience.clear",
        "item.new",
        "item.change",
        "item.delete",
        "audience.edit_schema",
        "item.copy_text",
    )

    def __init__(self, store: Store, address: SiteAddress) -> None:
        super().__init__(store, address, id="audience-tab")
        self._schema: Query[AdaptiveSchema] = store.query(AdaptiveContents.get_adaptive_schema, *self.ids)
        self._conditions: Query[TemplateConditions] = store.query(AdaptiveContents.list_template_conditions, *self.ids)
        self._structure: Query[SiteStructure] = store.query(Structure.get_structure, *self.ids)
        self._claims = ListOf(store, "Claims", id="claims")
        self._templates = ListOf(store, "Template conditions", id="templates")
        self._tree = TreeList(leads=False, id="preview-tree")
        self._preview = Pane(store, "Preview", self._tree, id="preview-pane")
        self._visitor: dict[str, Any] = {}
        self._verdicts = Verdicts()
        self._pages: dict[str, tuple[Page, ...]] = {}
        """The pages of the spaces that were looked into, by the id of the space."""
        self.target = self._claims.rows

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """What the tab lists."""
        return (self._schema, self._conditions)

    def compose(self) -> ComposeResult:
        """Compose the claims above the conditions, and the preview beside them."""
        with Ground(classes="columns"):
            with Ground(classes="stack"):
                yield self._claims
                yield self._templates
            yield self._preview

    def on_mount(self) -> None:
        """Follow the schema, the conditions and the structure."""
        self.follow(self._schema, self._show_claims)
        self.follow(self._conditions, self._show_conditions)
        self.follow(self._structure, self._show_preview)
        self.follow(self.site, self._show_preview)

    def reload(self) -> None:
        """Request everything shown again."""
        super().reload()
        for query in (self._schema, self._conditions, self._structure):
            query.refresh()

    # Drawing

    @property
    def _json(self) -> dict[str, Any]:
        return self._schema.value.json_schema if self._schema.value is not None else {}

    def _show_claims(self, _query: Query[AdaptiveSchema] | None = None) -> None:
        self.refresh_bindings()
        if not self._claims.show_state(self._schema, "the adaptive schema"):
            return
        found = [*claims(self._json)]
        self._claims.rows.show(ItemRows(found, self._draw_claim, key=lambda claim: claim.path))
        self._claims.entitle("Claims", count(len(found), "claim") if found else "")
        if not found:
            self._claims.show_empty("No claims yet: all visitors are alike.", "a", "adds one")

    def _draw_claim(self, claim: Claim, width: int) -> Line:
        value = claim_of(self._visitor, claim)
        kind = " | ".join(claim.values) if claim.values else claim.kind
        name = claim.expression.removeprefix("visitor.claims")
        left: Line = [
            (lines.plain(name.removeprefix(".")), "strong"),
            (lines.plain(f"  {kind}"), "muted"),
            (lines.plain(f"  {claim.description}") if claim.description else "", "faint"),
        ]
        shown = _NOT_SET if value is None else _format_value(value)
        return lines.beside(list(left), [(lines.plain(shown), "faint" if value is None else "accent")], width)

    def _show_conditions(self, query: Query[TemplateConditions]) -> None:
        if not self._templates.show_state(query, "the template conditions") or query.value is None:
            return
        found = query.value.items
        self._templates.rows.show(ItemRows(found, _draw_condition, key=lambda one: one.condition))
        if not found:
            self._templates.show_empty("No conditions yet: they come from the claims.")

    def _show_preview(self, _query: Query[Any] | None = None) -> None:
        if not self._preview.show_state(self._structure, "the structure of the site") or self._structure.value is None:
            return
        arrangement = Arrangement.of(self._structure.value)
        hidden = find_hidden(arrangement, self._verdicts)
        spaces = [id for id, item in arrangement.items.items() if item.kind is Kind.SITE_SPACE]
        left = sum(id not in hidden for id in spaces)
        is_on = self._is_adaptive(self.site.value)
        below = "" if is_on else "adaptive content is off: no condition counts"
        self._preview.entitle("Preview", f"{left} of {count(len(spaces), 'site space')} shown", below)
        describe = describe_in(arrangement)

        def make_row(item: Item) -> TreeItem:
            row = describe(item)
            pages = self._pages.get(item.space or "")
            reason = hidden.get(item.id)
            inside = () if pages is None else tuple(self._page_rows(pages))
            lazy = item.kind is Kind.SITE_SPACE and item.space is not None and pages is None and reason is None
            if reason is None:
                return TreeItem(
                    row.id,
                    row.label,
                    mark="✓ ",
                    detail=row.detail,
                    note=item.condition or "",
                    children=inside,
                    lazy=lazy,
                )
            return TreeItem(row.id, row.label, mark="× ", role="faint", note=reason)

        self._tree.open_items(*(id for id, item in arrangement.items.items() if item.kind is not Kind.SITE_SPACE))
        self._tree.show_items(rows_of(arrangement, make_row))

    def _page_rows(self, pages: Iterable[Page]) -> Iterable[TreeItem]:
        for page in pages:
            reason = page_verdict(page, self._verdicts)
            sign = "? " if reason == DEPENDS else "× " if reason else "✓ "
            yield TreeItem(
                f"page:{page.id}",
                page.title or "Untitled",
                mark=sign,
                role="faint" if sign == "× " else "",
                note=reason or page.condition or "",
                children=() if sign == "× " else tuple(self._page_rows(page.pages)),
            )

    def _is_adaptive(self, site: Site | None) -> bool:
        return site is None or (site.adaptive_content is not None and site.adaptive_content.enabled)

    def on_tree_list_wanted(self, event: TreeList.Wanted) -> None:
        """Look into the pages of a site space."""
        event.stop()
        arrangement = Arrangement.of(self._structure.value) if self._structure.value is not None else None
        item = arrangement.items.get(event.item.id) if arrangement is not None else None
        if item is not None and item.space is not None:
            space = item.space
            query = self.store.query(Content.list_pages, Main(space))

            def take(query: Query[Any]) -> None:
                if query.value is not None:
                    self._pages[space] = query.value.pages
                    self._show_preview()

            self.follow_instead(f"pages of {space}", take, query)

    def _set_visitor(self, visitor: dict[str, Any]) -> None:
        self._visitor = self._verdicts.visitor = visitor
        self._claims.rows.redraw()
        self._show_preview()
        self.refresh_bindings()

    # The visitor of the preview

    def action_audience_claim(self) -> None:
        """Give the visitor another value of the claim under the cursor."""
        self.work(self._claim(self._claims.current), "claim", instead_of="claim")

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Give the visitor another value of a claim; copy a condition."""
        if event.list is self._claims.rows:
            event.stop()
            self.action_audience_claim()
        elif event.list is self._templates.rows:
            event.stop()
            self.action_item_copy_text()

    async def _claim(self, claim: Claim) -> None:
        now = claim_of(self._visitor, claim)
        if claim.kind == "boolean":
            self._set_visitor(with_claimed(self._visitor, claim, {None: True, True: False}.get(now)))
            return
        title = f"{claim.expression} of the visitor"
        if claim.values and not claim.kind.endswith("[]"):
            chosen = await self.ask(Choose(title, [Choice("", _NOT_SET), *(Choice(one, one) for one in claim.values)]))
            if chosen is not None:
                self._set_visitor(with_claimed(self._visitor, claim, chosen or None))
            return
        several = claim.kind.endswith("[]")
        label = "Values, separated by commas" if several else "Value"
        value = _format_value(now) if now is not None else ""
        draft = self.store.line_drafts.of(claim.expression, self.address.id)
        typed = await self.ask(PromptLine(title, value, label=label, required=False, draft=draft))
        if typed is not None:
            draft.discard()
            self._set_visitor(with_claimed(self._visitor, claim, _value(claim, typed)))

    def action_audience_clear(self) -> None:
        """Preview a visitor without claims."""
        self._set_visitor({})

    def action_item_copy_text(self) -> None:
        """Copy the condition under the cursor."""
        if (text := self._condition) is not None:
            self.app.copy_to_clipboard(text)
            self.say(f"Copied {text}")

    @property
    def _condition(self) -> str | None:
        if self._templates.rows.has_focus:
            template = self._templates.current
            return template.condition if isinstance(template, TemplateCondition) else None
        claim = self._claims.current
        return claim.expression if isinstance(claim, Claim) else None

    # Changing the schema

    def action_item_new(self) -> None:
        """Add a claim."""
        self.work(self._fill_in(None), "claim", unless_running="schema")

    def action_item_change(self) -> None:
        """Change the claim."""
        self.work(self._fill_in(self._claims.current), "claim", unless_running="schema")

    async def _fill_in(self, claim: Claim | None) -> None:
        async def submit(body: ClaimBody) -> Outcome[AdaptiveSchema] | None:
            made = _claim_of(body, claim)
            if claim is not None and made.path != claim.path and not await self._may_rename(claim, made):
                return None
            return await self._save(lambda schema: with_claim(schema, made, claim))

        async def read_again() -> Claim | None:
            return next((one for one in claims(await self._read_schema()) if claim and one.path == claim.path), claim)

        filling = Filling(
            CLAIM,
            submit,
            thing=claim,
            reread=read_again,
            place=self.place(claim.expression if claim is not None else None),
        )
        title = "New claim" if claim is None else f"Claim {claim.path[-1]}"
        if await self.ask(FormDialog(self.store, title, filling)) is not None:
            self.say("Changed the adaptive schema.")

    def action_item_delete(self) -> None:
        """Delete the claim, after naming the conditions that ask for it."""
        self.work(self._delete(self._claims.current), "claim", unless_running="schema")

    async def _may_rename(self, claim: Claim, made: Claim) -> bool:
        """Ask whether to rename a claim for which conditions ask, since they keep the old name."""
        asking = await self._find_conditions_on(claim)
        if not asking:
            return True
        says = f"“{claim.expression}” becomes “{made.expression}”. These conditions still ask for the old name:"
        question = Confirm("Rename the claim", says, points=shorten(asking), does="renames it", undo=UNDO)
        return await self.ask(question) is True

    async def _find_conditions_on(self, claim: Claim) -> list[str]:
        """Return the conditions of items and pages of the site that ask for a claim, each with whose it is.

        Pages that were not looked at are named, too.
        """
        structure = (await self._structure.wait()).value
        if structure is None:
            return ["what is on the site, which could not be loaded"]
        items = Arrangement.of(structure).items.values()
        found = [(item.name, item.condition) for item in items]
        spaces = {item.space: item.name for item in items if item.space is not None}
        not_looked_at = []
        for number, (space, name) in enumerate(spaces.items()):
            listed = (
                (await self.store.query(Content.list_pages, Main(space)).wait()).value
                if number < _MOST_SPACES
                else None
            )
            if listed is None:
                not_looked_at.append(name)
            else:
                found += [(page.title or "Untitled", page.condition) for page in walk_pages(listed.pages)]
        asking = [f"{name}: {condition}" for name, condition in found if condition and depends_on(condition, claim)]
        return asking + [f"pages of “{name}”, which were not looked at" for name in not_looked_at]

    async def _delete(self, claim: Claim) -> None:
        asking = await self._find_conditions_on(claim)
        says = f"This takes “{claim.expression}” out of the schema."
        if asking:
            says += " These conditions ask for it:"
        if await self.ask(Confirm("Delete the claim", says, points=shorten(asking), does="deletes it", undo=UNDO)):
            outcome = await self._save(lambda schema: without_claim(schema, claim))
            if outcome is not None and outcome.error is not None:
                self.say_failed(outcome.error)
            elif outcome is not None:
                self.say(f"Deleted the claim {claim.expression}.")

    def action_audience_edit_schema(self) -> None:
        """Edit the schema as JSON."""
        self.work(self._edit(), "schema", unless_running="schema")

    async def _edit(self) -> None:
        known = self._json
        text = format_schema(known)
        draft = FormDraft(self.store, self.place(), "adaptive-schema", text)
        try:
            while (text := await self.ask(SchemaDialog(self.store, text, draft)) or "") and json.loads(text) != known:
                wanted = json.loads(text)
                outcome = await self._save(partial(_replace, wanted), known=json.loads(draft.base))
                if outcome is None:
                    continue
                if outcome.error is None:
                    await draft.discard()
                    self.say("Changed the adaptive schema.")
                    return
                self.say_failed(outcome.error)
        finally:
            draft.close()

    async def _save(self, edit: Edit, known: dict[str, Any] | None = None) -> Outcome[AdaptiveSchema] | None:
        """Read the schema again, edit it and write it as a whole.

        Where ``known`` is to be replaced and others changed it meanwhile, ask first. Returns ``None`` where the person
        decides not to, or where it cannot be written.
        """
        fresh = await self._read_schema()
        if known is not None and (changed := differences(known, fresh)):
            says = "Others have changed the schema since you opened it; yours replaces theirs."
            if not await self.ask(
                Confirm("Changed meanwhile", says, points=changed, does="replaces theirs", undo=UNDO)
            ):
                return None
        try:
            schema = VisitorSchema.model_validate(edit(fresh))
        except ValueError as error:
            wrong = misfit(error, "the schema") if isinstance(error, ValidationError) else str(error)
            self.notify(lines.plain(wrong), severity="error", markup=False)
            return None
        return await self.send(set_schema(self.address, fresh, schema))

    async def _read_schema(self) -> dict[str, Any]:
        return (await self.store.call(AdaptiveContents.get_adaptive_schema, *self.ids)).json_schema

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if not self.is_mounted:
            return None
        if (reason := super().why_not(action)) is not None:
            return reason
        if action in _OF_SCHEMA and self._schema.value is None:
            return not_loaded("the schema", self._schema)
        if action in ("audience.claim", "item.change", "item.delete") and not self._claims.rows.has_focus:
            return "only on a claim"
        if action in ("audience.claim", "item.change", "item.delete") and self._claims.current is None:
            return "no claim under the cursor"
        if action == "item.copy_text" and self._condition is None:
            return "no condition under the cursor"
        if action == "audience.clear" and not self._visitor:
            return "the visitor has no claims"
        return None


def _replace(wanted: dict[str, Any], _schema: dict[str, Any]) -> dict[str, Any]:
    return wanted


def _draw_condition(template: TemplateCondition, width: int) -> Line:
    left: Line = [(lines.plain(template.description), "")]
    return lines.beside(list(left), [(lines.plain(template.condition), "muted")], width)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return _YES if value else _NO
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _value(claim: Claim, typed: str) -> Any:
    """Return what a person types as the value of a claim; ``None`` for nothing."""
    words = [word.strip() for word in typed.split(",") if word.strip()]
    if not words:
        return None
    if claim.kind.endswith("[]"):
        return [_single(claim.kind.removesuffix("[]"), word) for word in words]
    return _single(claim.kind, typed.strip())


def _single(kind: str, word: str) -> Any:
    if kind == "boolean":
        return word.casefold() in (_YES, "true")
    if kind == "number":
        try:
            return float(word)
        except ValueError:
            return word
    return word


def _claim_of(body: ClaimBody, before: Claim | None) -> Claim:
    """Return the claim that a form describes; a nested claim stays in its object."""
    in_object = before is not None and len(before.path) > len(CLAIMS) + 1 + before.is_unsigned
    parent = before.path[:-1] if before is not None and in_object else (*CLAIMS, *(("unsigned",) * body.unsigned))
    return Claim((*parent, body.name), body.type, body.values, body.description)


class SchemaDialog(Dialog[str], Interactive):
    """Asks for a schema as JSON; ctrl+s answers with the text once it is valid.

    The typed text is in the draft until that is discarded.
    """

    def __init__(self, store: Store, text: str, draft: FormDraft) -> None:
        super().__init__("Adaptive schema")
        self.store = store
        self._text = text
        self._draft = draft

    def compose_body(self) -> ComposeResult:
        """Compose the text and its fault."""
        pad = TextPad(self._text)
        pad.show_line_numbers = True
        yield pad
        yield Remark(classes="verdict")

    def on_mount(self) -> None:
        """Check the text, and show what was typed before and not saved."""
        self._check_text(self._text)
        self.work(self._restore(), "draft", instead_of="draft")

    async def _restore(self) -> None:
        typed, pad = await self._draft.find(), self.query_one(TextPad)
        if typed and typed != self._text and pad.text == self._text:
            pad.load_text(typed)
            self.say("What you typed here before is back; it is not sent yet.")

    def on_text_area_changed(self, event: TextPad.Changed) -> None:
        """Check the text, and save it to disk."""
        event.stop()
        text = event.text_area.text
        self._check_text(text)
        if self._draft.is_begun or text != self._text:
            self.work(self._save_draft(text), "draft")

    async def _save_draft(self, text: str) -> None:
        if await self._draft.save(text):
            self.say(OPEN_ELSEWHERE)

    def _check_text(self, text: str) -> None:
        verdict = self.query_one(".verdict", Remark)
        found = read_schema(text)
        if isinstance(found, Fault):
            verdict.show(StyledText.styled(plain(f"× line {found.line}: {found.sentence}"), "$error"))
        else:
            verdict.show(StyledText.styled("✓ valid schema", "$muted"))

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Answer with the text, or go to the line that is wrong."""
        event.stop()
        found = read_schema(event.text)
        if isinstance(found, Fault):
            event.pad.move_cursor((found.line - 1, 0))
            self.notify(plain(f"Line {found.line}: {found.sentence}"), severity="error", markup=False)
        else:
            self.dismiss(event.text)

    async def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Leave the text, where it was changed after asking."""
        event.stop()
        await self.action_dialog_close()

    async def action_dialog_close(self) -> None:
        """Leave the text, where it was changed after asking."""
        if self.query_one(TextPad).text == self._text:
            self.dismiss(None)
        else:
            self.work(self._leave(), "leave", unless_running="leave")

    async def _leave(self) -> None:
        answer = await self.ask(LeaveForm("the adaptive schema", has_draft=True))
        if answer is None:
            return
        if answer != KEEP:
            await self._draft.discard()
        self.dismiss(None)
