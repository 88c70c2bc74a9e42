"""Prompts for text: a line with a limit checked while typing, or several lines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from recto.client.errors import ClientError
from recto.store.line_drafts import LineDraft, LineDrafts
from recto.tui.actions import bindings, name_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.remark import Remark

if TYPE_CHECKING:
    from recto.store.keeper import TypedText
    from recto.tui.widgets.text_pad import TextPad

Check = Callable[[str], str | None]
"""Returns the fault of a text, or ``None``."""


class PromptLine(Dialog[str]):
    """Asks for a line; enter accepts it if ``check`` finds no fault and it is within the limit.

    ``label`` names the field, above it and in errors; ``warn`` returns a warning about an unusual value that is
    accepted. ``reread`` returns the value as it is now: where others have changed it meanwhile, that is shown before it
    is replaced. What was typed stays in the ``draft``, to be offered again in place of ``value``, until the caller has
    sent it.
    """

    BINDINGS = bindings("dialog.accept")

    def __init__(
        self,
        title: str,
        value: str = "",
        *,
        label: str = "Title",
        limit: int | None = None,
        required: bool = True,
        check: Check | None = None,
        warn: Check | None = None,
        says: str = "",
        placeholder: str = "",
        draft: LineDraft | None = None,
        reread: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        super().__init__(title)
        self._value = value
        self._reread = reread
        self._is_replaced = False
        """Whether the value is that of others, who changed it meanwhile."""
        self._draft = draft or LineDrafts().of(title)
        self._label = label
        self._limit = limit
        self._required = required
        self._check = check
        self._warn = warn
        self._says = says
        self._placeholder = placeholder
        self._is_begun = False
        """Whether there was ever a text in the line."""

    def compose_body(self) -> ComposeResult:
        """Compose the explanation, the labelled line and the verdict."""
        offered = self._draft.text
        for sentence in (self._says, "You typed this before; typing replaces it." if offered is not None else ""):
            if sentence:
                yield Static(Content(plain(name_keys(self, sentence))), classes="says")
        yield Static(Content(plain(self._label)), classes="label")
        yield LineField(self._value if offered is None else offered, placeholder=self._placeholder)
        yield Remark(classes="verdict")

    def on_mount(self) -> None:
        """Check the first value, and select what was typed before."""
        field = self.query_one(LineField)
        self._check_line(field.value)
        if self._draft.text is not None:
            field.select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check the text."""
        self._check_line(event.value)

    def _fault_of(self, text: str) -> str | None:
        if self._required and not text.strip():
            return f"{self._label} cannot be empty."
        if self._limit is not None and len(text) > self._limit:
            return f"{len(text)} characters; at most {self._limit} are allowed."
        return self._check(text) if self._check else None

    def _check_line(self, text: str) -> None:
        wrong = self._fault_of(text)
        verdict = self.query_one(".verdict", Remark)
        counted = f"{len(text)} of {self._limit}" if self._limit is not None else ""
        self._is_begun = self._is_begun or bool(text)
        # An empty line in which nothing was typed is no error yet.
        fault = wrong if self._is_begun else None
        warning = self._warn(text) if self._warn and not wrong else None
        if self._is_replaced and text.strip() != self._value:
            theirs = f"to “{self._value}”" if self._value else "and emptied it"
            warning = name_keys(self, f"Others changed it meanwhile, {theirs}: ‹dialog.accept› replaces theirs.")
        role = "$error" if fault else "$warning" if warning else "$muted"
        verdict.show(Content.styled(plain(fault or warning or counted), role))
        self.refresh_bindings()

    def why_not(self, action: str) -> str | None:
        """Return the reason why the line cannot be accepted."""
        if action == "dialog.accept" and self.is_mounted:
            return self._fault_of(self.query_one(LineField).value)
        return super().why_not(action)

    def action_dialog_accept(self) -> None:
        """Answer with the line."""
        typed = self.query_one(LineField).value
        self._draft.keep(typed, self._value)
        if self._reread is None or typed.strip() == self._value.strip():
            self.dismiss(typed)
        else:
            self.run_worker(self._accept_unless_changed(typed, self._reread), exclusive=True, exit_on_error=False)

    async def _accept_unless_changed(self, typed: str, reread: Callable[[], Awaitable[str]]) -> None:
        try:
            now = await reread()
        except ClientError:
            now = self._value  # the change itself says what is wrong
        if now in (self._value, typed.strip()):
            self.dismiss(typed)
        else:
            self._value, self._is_replaced = now, True
            self._check_line(self.query_one(LineField).value)

    async def action_dialog_close(self) -> None:
        """Close without an answer, and keep what was typed."""
        self._draft.keep(self.query_one(LineField).value, self._value, "")
        await super().action_dialog_close()


class PromptText(Dialog[str]):
    """Asks for several lines, saved as typed in the draft, if given; ctrl+s accepts."""

    def __init__(
        self,
        title: str,
        value: str = "",
        *,
        limit: int | None = None,
        says: str = "",
        placeholder: str = "",
        typed: TypedText | None = None,
        sends: str = "",
    ) -> None:
        super().__init__(title)
        self._value = value
        self._limit = limit
        self._says = says
        self._placeholder = placeholder
        self._typed = typed
        self._sends = sends

    def compose_body(self) -> ComposeResult:
        """Compose the explanation, the field and the verdict."""
        from recto.tui.widgets.text_pad import TextPad, UnsavedLine

        if self._says:
            yield Static(Content(plain(name_keys(self, self._says))), classes="says")
        yield UnsavedLine(self._typed)
        yield TextPad(self._value, typed=self._typed, placeholder=self._placeholder, sends=self._sends)
        yield Remark(classes="verdict")

    def on_text_area_changed(self, event: TextPad.Changed) -> None:
        """Count the characters."""
        text = event.text_area.text
        if self._limit is not None:
            style = "$error" if len(text) > self._limit else "$muted"
            self.query_one(".verdict", Remark).show(Content.styled(f"{len(text)} of {self._limit}", style))

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Answer with the text, unless it is empty or too long."""
        event.stop()
        if not event.text.strip():
            self.notify("Nothing to send yet.", markup=False)
        elif self._limit is not None and len(event.text) > self._limit:
            self.notify(f"{len(event.text)} characters; at most {self._limit} are allowed.", markup=False)
        else:
            self.dismiss(event.text)

    def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Close without an answer; what was typed is in the draft."""
        event.stop()
        self.dismiss(None)

    def on_text_pad_discarded(self, event: TextPad.Discarded) -> None:
        """Close without an answer, and with nothing in the draft."""
        event.stop()
        self.dismiss(None)

    async def action_dialog_close(self) -> None:
        """Leave the text, once it is saved."""
        from recto.tui.widgets.text_pad import TextPad

        await self.query_one(TextPad).action_text_leave()
