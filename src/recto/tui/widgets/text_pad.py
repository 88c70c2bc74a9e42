"""Multi-line fields: ctrl+s sends, esc leaves; Markdown is highlighted."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.text import Text
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from recto.document.suggestion import end_of_suggestion
from recto.document.text import printable_in_place
from recto.frozen import frozen
from recto.store.keeper import NotKept
from recto.tui.actions import bindings
from recto.tui.look.lines import plain
from recto.tui.look.text_roles import roles

if TYPE_CHECKING:
    from recto.store.keeper import TypedText
    from recto.store.signal import Subscription
    from recto.tui.actions import Action


class TextPad(TextArea):
    """A text area for comments and other text of a few pages."""

    BINDINGS = bindings("text.send", "text.leave", "text.copy_all", "text.discard")

    @frozen
    class Sent(Message):
        """The person wants the text to be sent or saved."""

        pad: TextPad
        text: str

        @property
        def control(self) -> TextPad:
            """The pad, so that handlers can select by it."""
            return self.pad

    @frozen
    class Left(Message):
        """The person leaves the text as it is; it is to be kept as a draft."""

        pad: TextPad
        text: str

        @property
        def control(self) -> TextPad:
            """The pad, so that handlers can select by it."""
            return self.pad

    @frozen
    class Discarded(Message):
        """The person has discarded the text."""

        pad: TextPad

        @property
        def control(self) -> TextPad:
            """The pad, so that handlers can select by it."""
            return self.pad

    def __init__(
        self,
        text: str = "",
        *,
        typed: TypedText | None = None,
        placeholder: str = "",
        reason: str | None = None,
        sends: str = "",
        id: str | None = None,
    ) -> None:
        self._typed = typed
        self._reason = reason
        """The reason why the text can be read only; ``None`` where it can be changed."""
        self._sends = sends
        """What sending does, as the title of an action, where it is more than to send this text."""
        self._copied: str | None = None
        text = typed.text if typed is not None else text
        super().__init__(
            text,
            placeholder=placeholder,
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            tab_behavior="focus",
            read_only=reason is not None,
        )
        before = text[: end_of_suggestion(text)]
        row, _, line = before.rpartition("\n")
        self.move_cursor((row.count("\n") + 1 if "\n" in before else 0, len(line)))
        self._watching: Subscription | None = None

    def get_line(self, line_index: int) -> Text:
        """Return a line without terminal control characters, to draw; the text itself is unchanged."""
        return Text(printable_in_place(self.document.get_line(line_index)), end="", no_wrap=True)

    def on_resize(self) -> None:
        """Keep the cursor visible once the lines are wrapped for the new width."""
        self.call_after_refresh(self.scroll_cursor_visible)

    # Saving

    def on_mount(self) -> None:
        """Follow whether the text is on disk."""
        if self._typed is not None:
            self._watching = self._typed.watch(self.refresh_bindings)

    def on_unmount(self) -> None:
        """Stop following it."""
        if self._watching is not None:
            self._watching.close()

    def on_text_area_changed(self) -> None:
        """Save the text."""
        if self._typed is not None:
            self._typed.type(self.text)

    @property
    def _is_unsaved(self) -> bool:
        return self._typed is not None and self._typed.error is not None

    async def _may_close(self) -> bool:
        """Save the text; return whether it is on disk or was copied, else show why not."""
        if self._typed is None:
            return True
        self._typed.type(self.text)
        try:
            await self._typed.save()
        except NotKept as error:
            if self._copied == self.text:
                return True
            self.notify(plain(f"{error} It stays open until it is saved or copied."), severity="error", markup=False)
            return False
        return True

    def word(self, action: Action) -> Action:
        """Return the title of sending: what it does."""
        return action.reword(self._sends) if self._sends and action.name == "text.send" else action

    def why_not(self, action: str) -> str | None:
        """Return the reason why the text cannot be sent."""
        return self._reason if action == "text.send" else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to copy or discard the text only where it could not be saved."""
        if action in ("text_copy_all", "text_discard"):
            return self._is_unsaved
        return super().check_action(action, parameters)

    async def action_text_send(self) -> None:
        """Post that the text is to be sent, once it is saved."""
        if await self._may_close():
            self.post_message(self.Sent(self, self.text))

    async def action_text_leave(self) -> None:
        """Post that the text is to be left, once it is saved or copied."""
        if await self._may_close():
            self.post_message(self.Left(self, self.text))

    def action_text_copy_all(self) -> None:
        """Copy the whole text, after which it may be left."""
        self._copied = self.text
        self.app.copy_to_clipboard(self.text)
        self.notify("Copied all of the text.", markup=False)

    def action_text_discard(self) -> None:
        """Discard the text, when the person confirms."""
        from recto.tui.dialogs.confirm import NO_UNDO, Confirm

        async def discard(yes: bool | None) -> None:
            if yes and self._typed is not None:
                with suppress(NotKept):  # the next start finds it again
                    await self._typed.discard()
                self.post_message(self.Discarded(self))

        says = "It is not on disk; its text is lost."
        self.app.push_screen(Confirm("Discard what you typed", says, does="discards it", undo=NO_UNDO), discard)


class UnsavedLine(Static):
    """A line above a text that is shown as long as the text could not be saved; no message covers it."""

    def __init__(self, typed: TypedText | None) -> None:
        super().__init__()
        self._typed = typed
        self._watching: Subscription | None = None
        self.display = False

    def on_mount(self) -> None:
        """Follow whether the text is on disk."""
        if self._typed is not None:
            self._watching = self._typed.watch(self._show)
            self._show()

    def on_unmount(self) -> None:
        """Stop following it."""
        if self._watching is not None:
            self._watching.close()

    def _show(self) -> None:
        error = self._typed.error if self._typed is not None else None
        self.display = error is not None
        if error is not None:
            says = f"× Not saved to disk. {error.why} It is tried again; until then it stays open or is copied."
            self.update(Content.styled(plain(says), "$error"))


MOST = 200 * 1024
"""The characters up to which a text is highlighted; in a longer text keys would have to wait for it."""

MOST_OF_LINE = 4_000
"""The characters up to which a line is highlighted; highlighting longer lines could take without end."""

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_LINES = (
    (re.compile(r" {0,3}#{1,6}[ \t].*"), "strong accent"),
    (re.compile(r" {0,3}>.*"), "muted"),
)
_PIECES = (
    (re.compile(r"^\s*(?:[-*+]|\d+[.)])(?=\s)"), "accent"),
    (re.compile(r"\*\*[^*\n]+\*\*"), "strong"),
    (re.compile(r"\[[^\]\n]*\]\([^)\n]*\)"), "accent"),
    (re.compile(r"\{%.*?%\}"), "changed"),
    (re.compile(r"`[^`\n]+`"), "code"),
)


class MarkdownPad(TextPad):
    """A text area for Markdown."""

    def __init__(
        self, text: str = "", *, typed: TypedText | None = None, reason: str | None = None, sends: str = ""
    ) -> None:
        self._highlights_markdown = len(typed.text if typed is not None else text) < MOST
        self._fenced: frozenset[int] = frozenset()
        super().__init__(text, typed=typed, reason=reason, sends=sends)
        self._fenced = self._find_fenced()

    def on_text_area_changed(self) -> None:
        """Find code blocks again: a fence changes all that follows."""
        self._highlights_markdown = len(self.text) < MOST
        fenced = self._find_fenced()
        if fenced != self._fenced:
            self._fenced = fenced
            self.notify_style_update()

    def _find_fenced(self) -> frozenset[int]:
        if not self._highlights_markdown:
            return frozenset()
        fenced: list[int] = []
        fence = ""
        for index, line in enumerate(self.document.lines):
            found = _FENCE.match(line)
            if fence:
                fenced.append(index)
                if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                    fence = ""
            elif found:
                fenced.append(index)
                fence = found[1]
        return frozenset(fenced)

    def get_line(self, line_index: int) -> Text:
        """Return a highlighted line."""
        line = super().get_line(line_index)
        if self._highlights_markdown:
            self._style(line, line_index)
        return line

    def _style(self, line: Text, index: int) -> None:
        own = roles(self.app)
        if index in self._fenced:
            line.stylize(own.style("code"))
            return
        if len(line.plain) > MOST_OF_LINE:
            return
        for pattern, role in _LINES:
            if pattern.match(line.plain):
                line.stylize(own.style(role))
                return
        for pattern, role in _PIECES:
            for found in pattern.finditer(line.plain):
                line.stylize(own.style(role), found.start(), found.end())
