"""The widget of a form: a row for each field with its fault, and sending once all are valid."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from recto.client.errors import ClientError, Refused
from recto.document.text import count
from recto.frozen import frozen
from recto.tui.actions import FORM, Action, bindings, get, key_label, main_key, name_keys, register, sentence
from recto.tui.dialogs.choose import Choose
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.form import WHOLE, FieldKind, FormState, format_value
from recto.tui.forms.form_draft import OPEN_ELSEWHERE, FormDraft
from recto.tui.forms.leaving import DISCARD, KEEP, LeaveForm
from recto.tui.look.lines import plain
from recto.tui.look.text_roles import COLOURS
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.remark import Remark

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.worker import Worker

    from recto.store.store import Store
    from recto.tui.forms.form import Field, Filling, Raw
    from recto.tui.widgets.text_pad import TextPad

register(
    Action("form.send", "Save or send the form", ("ctrl+s",), FORM, "save", writes=True),
    Action("form.change", "Change the field, or go to the next one", ("enter",), FORM, "change"),
    Action("form.next_value", "Next value", ("space",), FORM),
    Action("form.from_file", "Fill the field from a file", ("f3",), FORM, "from a file"),
    Action("form.reset", "Undo the changes of the field", ("x",), FORM),
    Action("form.stop", "Stop typing", ("escape",), FORM, "stop typing", in_palette=False),
)

_LARGEST_FILE = 256 * 1024
"""The most bytes of a file that fills a field."""

_NARROW = 64
"""The width in cells below which labels stand above their fields."""


class FormView(VerticalScroll, Interactive, can_focus=False):
    """A form; in a dialog (``eager``) letters are text at once, else after enter."""

    BINDINGS = bindings("form.send")

    @frozen
    class Sent(Message):
        """The form was sent; ``value`` is the response."""

        view: FormView
        value: Any

    @frozen
    class Changed(Message):
        """A field has another value."""

        view: FormView

    @frozen
    class Left(Message):
        """The person wants to leave the form."""

        view: FormView

    def __init__(
        self, store: Store, title: str, filling: Filling[Any, Any] | None = None, *, eager: bool = False
    ) -> None:
        super().__init__()
        self.store = store
        self._title = title
        self.state: FormState[Any] | None = FormState(filling) if filling is not None else None
        self.eager = eager
        self._sending: Worker[None] | None = None
        self._draft = self._draft_of(filling)
        self._sent_draft: FormDraft | None = None
        """The draft that is being sent; it is released after that, also where another form takes its place."""
        self._left_with: dict[str, Raw] = {}
        """The values with which the form may be left without a question."""
        self._begins = False
        """Whether the person goes into the first field as soon as it is there."""

    def compose(self) -> ComposeResult:
        """Compose a row for each field, and a line for what concerns all of them."""
        state = self.state
        for entry in state.form.entries if state is not None else ():
            if isinstance(entry, str):
                yield Static(Content(plain(entry)), classes="heading")
            elif state is not None:
                yield FieldRow(self, state, entry)
        yield Remark(id="whole")
        yield FactLines(self)

    def on_mount(self) -> None:
        """Show the values, and the draft that was not sent."""
        self.show()
        self.work(self._restore(), "draft", instead_of="restore")

    def on_unmount(self) -> None:
        """Leave the draft to the next form."""
        self._leave_draft()

    def fill(self, filling: Filling[Any, Any]) -> None:
        """Show another form, or the form of something else."""
        if self._draft is not self._sent_draft:
            self._leave_draft()
        self.state = FormState(filling)
        self._draft = self._draft_of(filling)
        if self.is_attached:
            self.work(self._make_rows(), "rows", instead_of="rows")

    async def _make_rows(self) -> None:
        await self.recompose()
        self.show()
        if self._begins:
            self.begin()
        await self._restore()

    # Drafts

    def _draft_of(self, filling: Filling[Any, Any] | None) -> FormDraft | None:
        if filling is None or filling.place is None or filling.reason:
            return None
        return FormDraft(self.store, filling.place, filling.form.name)

    def _leave_draft(self) -> None:
        if self._draft is not None:
            self._draft.close()

    async def _restore(self) -> None:
        state = self.state
        text = await self._draft.find() if self._draft is not None else None
        if not text or state is None or state is not self.state or state.changed:
            return
        state.load(text, self._draft.base if self._draft is not None else "")
        if state.changed:
            self.show()
            self.post_message(self.Changed(self))
            self.say("What you typed here before is back; it is not sent yet.")

    def _keep(self) -> None:
        """Keep typed values on disk while they differ from the first values."""
        state, draft = self.state, self._draft
        if state is not None and draft is not None:
            if not draft.is_begun:
                draft.base = state.dump_base()
            self.work(self._save_draft(draft, state.dump()) if state.changed else draft.discard(), "draft")

    async def _save_draft(self, draft: FormDraft, typed: str) -> None:
        if await draft.save(typed):
            self.say(OPEN_ELSEWHERE)

    async def discard(self) -> None:
        """Discard the draft."""
        if self._draft is not None:
            await self._draft.discard()

    # Leaving

    @property
    def has_draft(self) -> bool:
        """Whether the typed values are kept on disk."""
        return self._draft is not None

    @property
    def changes(self) -> str:
        """What was changed and is not saved, as a noun; empty without changes."""
        changed = self.state.changed if self.state is not None else []
        return f"{count(len(changed), 'changed field')} of “{self._title}”" if changed else ""

    @property
    def asks(self) -> bool:
        """Whether leaving the form asks first."""
        return bool(self.changes) and self.state is not None and self.state.raw != self._left_with

    async def ask_to_leave(self, on_answer: Callable[[], None] = lambda: None) -> bool:
        """Ask whether to discard the changes or keep them as a draft; return whether the form may be left.

        ``on_answer`` is called as soon as it may, before the draft is discarded.
        """
        if not self.asks:
            return True
        answer = await self.ask(LeaveForm(self.changes, has_draft=self.has_draft))
        if answer is not None:
            on_answer()
        if answer == DISCARD and self.state is not None:
            self.state.reset_all()
            self.show()
            self.post_message(self.Changed(self))
            await self.discard()
        elif answer == KEEP:
            self.ask_no_more(self.typed)
        return answer is not None

    @property
    def typed(self) -> dict[str, Raw]:
        """The present values of the fields."""
        return dict(self.state.raw) if self.state is not None else {}

    def ask_no_more(self, typed: dict[str, Raw]) -> None:
        """Leave the form without asking, unless its values are no longer ``typed``."""
        self._left_with = typed

    def take(self, filling: Filling[Any, Any]) -> None:
        """Show the same form with newer values; typed values stay."""
        assert self.state is not None
        self.state.take(filling)
        self.show()

    def on_resize(self, event: events.Resize) -> None:
        """Put labels above their fields where it is narrow."""
        self.set_class(event.size.width < _NARROW, "-narrow")

    @property
    def rows(self) -> list[FieldRow]:
        """The rows, in order."""
        return list(self.query(FieldRow))

    def begin(self) -> None:
        """Focus the first field."""
        rows = self.rows
        self._begins = not rows
        if rows:
            rows[0].enter()

    def show(self) -> None:
        """Show the values and their faults."""
        if self.state is None or not self.query("#whole"):
            return  # the rows are being made, and shown after that
        for row in self.rows:
            row.show()
        whole = self.state.faults.get(WHOLE, "") or self.state.failure
        reason = self.state.filling.reason
        text = Content.styled(plain(f"× {whole}"), "$error") if whole else Content.styled(plain(reason or ""), "$muted")
        found = self.query_one("#whole", Remark)
        found.display = bool(whole or reason)
        found.show(text)
        self.query_one(FactLines).show_facts()
        self.refresh_bindings()

    def put(self, name: str, value: Raw) -> None:
        """Set the value of a field."""
        if self.state is not None and self.state.raw[name] != value:
            self.state.put(name, value)
            self.show()
            self._keep()
            self.post_message(self.Changed(self))

    def step(self, row: FieldRow, by: int) -> bool:
        """Go to another row; false if there is none."""
        rows = self.rows
        index = rows.index(row) + by if row in rows else -1
        if not 0 <= index < len(rows):
            return False
        rows[index].enter()
        return True

    # Sending

    def word(self, action: Action) -> Action:
        """Return the title of sending: what the form does."""
        return action.reword(self.state.form.sends) if action.name == "form.send" and self.state is not None else action

    def why_not(self, action: str) -> str | None:
        """Return the reason why the form cannot be sent."""
        state = self.state
        if action != "form.send" or state is None:
            return None
        if state.filling.reason:
            return state.filling.reason
        if self._sending is not None and not self._sending.is_finished:
            return "it is being sent"
        if state.filling.thing is not None and not state.changed:
            return "nothing was changed"
        return state.fault

    def action_form_send(self) -> None:
        """Send the form."""
        self._sending = self.work(self._send(), "form", unless_running="form")

    async def _send(self) -> None:
        state, draft = self.state, self._draft
        if state is None or not await self._is_as_known(state):
            return
        body, sent = state.body, dict(state.raw)
        if body is None:
            return
        self._sent_draft = draft
        try:
            outcome = await state.filling.submit(body)
            if outcome is not None and outcome.error is None:
                state.accept(outcome.value, sent)
                if draft is not None:
                    await self._let_go(draft, state, sent)
        finally:
            self._sent_draft = None
            if draft is not None and draft is not self._draft:
                draft.close()
        if outcome is None:
            return
        failure = outcome.error
        if failure is not None:
            state.refuse(failure.message or failure.why if isinstance(failure, Refused) else failure.why)
            self.show()
            self.say_failed(failure)
            return
        if state.filling.remember is not None:
            state.filling.remember(state.without_secrets())
        self.show()
        self.post_message(self.Changed(self))
        self.post_message(self.Sent(self, outcome.value))

    async def _is_as_known(self, state: FormState[Any]) -> bool:
        """Read the item again, and show conflicting changes by others; return whether there are none."""
        if state.filling.reread is None or state.filling.thing is None:
            return True
        try:
            fresh = await state.filling.reread()
        except ClientError as error:
            self.say_failed(error)
            return False
        both = state.rebase(fresh)
        if both:
            self.show()
            words, key = count(len(both), "field"), key_label(main_key(self, "form.send"))
            self.say(f"Others changed {words} meanwhile; {key} replaces what they wrote.")
        return not both

    async def _let_go(self, draft: FormDraft, state: FormState[Any], sent: dict[str, Raw]) -> None:
        """Discard the draft of the values ``sent``; what was typed since begins a new draft."""
        draft.base = state.dump_base()
        await draft.discard()
        if state.changed and state.raw != sent:
            await self._save_draft(draft, state.dump())

    # What the text fields say

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Send the form, unless something is wrong."""
        event.stop()
        reason = self.why_not("form.send")
        if reason is None:
            self.action_form_send()
        else:
            self.say(sentence(self.word(get("form.send")), reason))

    def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Leave the field, in a dialog the form."""
        event.stop()
        if self.eager:
            self.post_message(self.Left(self))
        else:
            for row in self.rows:
                if row.control is event.pad:
                    row.action_form_stop()


class FactLines(Remark):
    """Facts that cannot be changed, below the fields."""

    def __init__(self, form: FormView) -> None:
        super().__init__()
        self._form = form

    def show_facts(self) -> None:
        """Show the facts."""
        state = self._form.state
        facts = state.filling.facts if state is not None else ()
        self.display = bool(facts)
        lines = [Content.assemble(*((plain(text), _style(role)) for text, role in line)) for line in facts]
        self.show(Content("\n").join(lines))


def _style(role: str) -> str:
    """Return Textual's style for roles, such as ``strong accent``."""
    return " ".join("bold" if word == "strong" else f"${COLOURS[word]}" for word in role.split())


class FieldRow(Container, inherit_bindings=False):
    """A field: its label, its control, a mark if it was changed, and its fault or purpose below."""

    BINDINGS = bindings(
        *("form.change", "form.next_value", "form.from_file", "form.reset", "form.stop"),
        *("list.down", "list.up", "list.top", "list.bottom"),
    )

    def __init__(self, form: FormView, state: FormState[Any], entry: Field) -> None:
        super().__init__()
        self._form = form
        self._state = state
        self.entry = entry
        self.kind = self._state.form.kind(entry.name)
        self.is_typed = self._state.form.is_typed(entry.name)
        self.control = self._make_control()
        self._mark, self._note = Remark(classes="mark"), Remark(classes="note")
        self._text = state.raw[entry.name]
        """The text that the control was given, or that was taken from it."""
        self._has_begun = False
        """Whether something was typed here, so that an empty field may be called wrong."""
        self.can_focus = not (self.is_typed and form.eager)
        self.control.can_focus = self.is_typed and form.eager

    def _make_control(self) -> Widget:
        raw = self._state.raw[self.entry.name]
        if not self.is_typed:
            return Remark(classes="value")
        assert isinstance(raw, str)
        if self._state.form.has_lines(self.entry.name):
            from recto.tui.widgets.text_pad import MarkdownPad, TextPad

            refused, sends = self._state.filling.reason, self._state.form.sends
            if self.kind is FieldKind.MARKDOWN:
                return MarkdownPad(raw, reason=refused, sends=sends)
            return TextPad(raw, placeholder=self.entry.placeholder, reason=refused, sends=sends)
        return LineField(raw, placeholder=self.entry.placeholder or self.entry.none)

    def compose(self) -> ComposeResult:
        """Compose the label, the control and the note."""
        yield Static(Content(plain(self.entry.label)), classes="label")
        with Vertical(classes="held"):
            with Horizontal(classes="line"):
                yield self.control
                yield self._mark
            yield self._note

    # Drawing

    def on_mount(self) -> None:
        """Show the value."""
        self.show()

    def show(self) -> None:
        """Show the value and its fault."""
        name, state = self.entry.name, self._state
        raw = state.raw[name]
        if self.is_typed:
            self._show_text(str(raw))
        elif isinstance(self.control, Remark):
            self.control.show(self._value())
        changed = raw != state.initial[name] and state.filling.thing is not None
        limit = state.form.limit(name)
        counted = f"{len(raw)} of {limit}" if limit and isinstance(raw, str) and self.control.has_focus else ""
        mark = counted or ("changed" if changed else "")
        self._mark.show(Content.styled(mark, "$changed" if changed else "$muted"))
        self._show_note()
        self.set_class(state.filling.reason is not None, "-refused")

    def _show_text(self, text: str) -> None:
        """Set the text of the control, unless typed text is not taken yet."""
        if text == self._text:
            return
        self._text = text
        if isinstance(self.control, LineField):
            self.control.value = text
        elif isinstance(self.control, TextArea):
            self.control.load_text(text)

    def _show_note(self) -> None:
        state, name = self._state, self.entry.name
        fault = state.faults.get(name, "")
        if fault and not self._has_begun and state.raw[name] == state.initial[name]:
            fault = ""  # an empty field is no error yet
        others, unread = state.others.get(name), state.unread.get(name)
        remark = "" if fault else state.remark(name)
        if fault:
            note = Content.styled(plain(name_keys(self, f"× {fault}")), "$error")
        elif others is not None:
            note = Content.styled(plain(f"Others changed it meanwhile, to: {others}"), "$warning")
        elif remark:
            note = Content.styled(plain(remark), "$warning")
        elif unread:
            note = Content.styled(plain(f"× {unread}"), "$muted")
        else:
            note = Content.styled(plain(name_keys(self, self.entry.says)), "$muted")
        self._note.display = bool(fault or others is not None or remark or unread or self.entry.says)
        self._note.show(note)

    def _value(self) -> Content:
        raw = self._state.raw[self.entry.name]
        if self.kind is FieldKind.OWN:
            assert isinstance(raw, str)
            return Content.styled(plain(self.entry.words(raw) if self.entry.words else raw), "$foreground")
        if self.kind is FieldKind.SWITCH:
            return Content.assemble(("● on" if raw else "○ off", "$foreground"))
        chosen = self._state.choices_made(self.entry.name)
        if self.kind is FieldKind.SEVERAL:
            words = ", ".join(choice.label for choice in chosen)
            return Content.assemble((plain(words) or self.entry.none or "none", "$foreground" if words else "$muted"))
        label, detail = (chosen[0].label, chosen[0].detail) if chosen else (format_value(raw), "")
        return Content.assemble(
            ("‹ ", "$faint"), (plain(label), "$foreground"), (" ›", "$faint"), (plain(f"  {detail}"), "$muted")
        )

    # Keys

    def enter(self) -> None:
        """Focus the field."""
        (self if self.can_focus else self.control).focus()

    def why_not(self, action: str) -> str | None:
        """Return the reason why a key does nothing here."""
        if action.startswith("form.") and action != "form.stop" and self._state.filling.reason:
            return self._state.filling.reason
        if action in ("form.change", "form.next_value", "form.from_file") and self.entry.name in self._state.unread:
            return "part of it could not be read"
        if action == "form.reset" and self._state.raw[self.entry.name] == self._state.initial[self.entry.name]:
            return "it was not changed"
        is_found = self.entry.name in self._state.filling.find
        if action == "form.next_value" and (
            self.is_typed or is_found or self.kind in (FieldKind.SEVERAL, FieldKind.OWN)
        ):
            return "‹form.change› changes this field"
        if action == "form.from_file" and not self.entry.from_file:
            return "this field is not filled from a file"
        if action == "list.down" and self._form.rows[-1:] == [self]:
            return "this is the last field"
        if action == "list.up" and self._form.rows[:1] == [self]:
            return "this is the first field"
        return None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to stop typing only on a tab: esc closes a dialog."""
        if action == "form_stop":
            return not self._form.eager and self.control.has_focus
        if action == "form_from_file":
            return self.entry.from_file
        if action in ("form_reset", "form_next_value"):
            return not self.control.has_focus
        return super().check_action(action, parameters)

    def action_list_down(self) -> None:
        """Go to the next field."""
        self._form.step(self, 1)

    def action_list_up(self) -> None:
        """Go to the field before."""
        self._form.step(self, -1)

    def action_list_top(self) -> None:
        """Go to the first field."""
        for row in self._form.rows[:1]:
            row.enter()

    def action_list_bottom(self) -> None:
        """Go to the last field."""
        for row in self._form.rows[-1:]:
            row.enter()

    def action_form_change(self) -> None:
        """Change the value; where it is typed, begin or end typing."""
        if self.control.has_focus:
            self._end_typing()
        elif self.is_typed:
            self.can_focus, self.control.can_focus = False, True
            self.control.focus()
        elif self.kind is FieldKind.SWITCH:
            self.action_form_next_value()
        else:
            self._form.work(self._choose(), "choose", unless_running="choose")

    def _end_typing(self) -> None:
        if not self._form.eager:
            self.action_form_stop()
        elif self.entry.sends or not self._form.step(self, 1):
            reason = self._form.why_not("form.send")
            if reason is None:
                self._form.action_form_send()
            else:
                self._form.say(sentence(self._form.word(get("form.send")), reason))

    def action_form_stop(self) -> None:
        """Stop typing; letters are keys again."""
        self.can_focus, self.control.can_focus = True, False
        self.focus()

    def action_form_next_value(self) -> None:
        """Take the next value."""
        name = self.entry.name
        raw = self._state.raw[name]
        if isinstance(raw, bool):
            self._form.put(name, not raw)
            return
        ids = [choice.id for choice in self._state.choices(name) if not choice.reason]
        if ids:
            self._form.put(name, ids[(ids.index(raw) + 1) % len(ids)] if raw in ids else ids[0])

    async def _choose(self) -> None:
        name = self.entry.name
        if self.kind is FieldKind.SEVERAL:
            await self._choose_several()
            return
        if self.entry.edit is not None:
            edited = await self.entry.edit(self._form, self._state.filling.thing, str(self._state.raw[name]))
            if edited is not None:
                self._form.put(name, edited)
            return
        choices = sorted(self._state.choices(name), key=lambda choice: choice.id != self._state.raw[name])
        dialog = Choose(self.entry.label, choices, create=self.entry.create, find=self._state.finder(name))
        chosen = await self._form.ask(dialog)
        if chosen is not None:
            self._form.put(name, chosen)

    async def _choose_several(self) -> None:
        from recto.tui.dialogs.choose_several import ChooseSeveral

        name = self.entry.name
        raw = self._state.raw[name]
        assert isinstance(raw, tuple)
        dialog = ChooseSeveral(self.entry.label, self._state.choices(name), raw, find=self._state.finder(name))
        chosen = await self._form.ask(dialog)
        if chosen is not None:
            self._form.put(name, chosen)

    def action_form_from_file(self) -> None:
        """Fill the field with the text of a file."""
        self._form.work(self._read_file(), "file", unless_running="file")

    async def _read_file(self) -> None:
        title = f"{self.entry.label} from a file"
        draft = self._form.store.line_drafts.of(title)
        typed = await self._form.ask(PromptLine(title, label="File", placeholder="~/", draft=draft))
        if typed is None:
            return
        try:
            text = await asyncio.to_thread(_text_of, typed)
        except (OSError, RuntimeError, ValueError) as error:
            self._form.say(f"{typed} could not be read: {getattr(error, 'strerror', None) or error}.")
        else:
            draft.discard()
            self._has_begun = True
            self._form.put(self.entry.name, text)

    def action_form_reset(self) -> None:
        """Undo the changes of the field."""
        self._form.put(self.entry.name, self._state.initial[self.entry.name])

    # Typing

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take the typed text."""
        event.stop()
        self._take(event.input.value)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Take the typed text."""
        event.stop()
        self._take(event.text_area.text)

    def _take(self, text: str) -> None:
        self._text = text
        self._has_begun = self._has_begun or text != self._state.initial[self.entry.name]
        self._form.put(self.entry.name, text)

    def on_descendant_focus(self) -> None:
        """Count the characters while the field has the focus."""
        self.show()

    def on_descendant_blur(self) -> None:
        """End typing when the focus leaves the text by another key, such as tab."""
        if not self._form.eager:
            self.can_focus, self.control.can_focus = True, False
        self._has_begun = True
        self.show()


def _text_of(path: str) -> str:
    with Path(path.strip()).expanduser().open("rb") as file:
        found = file.read(_LARGEST_FILE + 1)
    if len(found) > _LARGEST_FILE:
        raise ValueError("it is too long for this field")
    return found.decode(errors="replace").strip("\r\n\t \ufeff")
