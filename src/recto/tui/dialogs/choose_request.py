"""A dialog to choose a change request, or to name a new change request."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from recto.store.editing import SUBJECT_LIMIT
from recto.tui.dialogs.choose import Choice, FinderDialog, Scored, draw_choice
from recto.tui.dialogs.fuzzy import Fuzzy, fold
from recto.tui.look import signs, times
from recto.tui.look.lines import plain
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.remark import Remark

if TYPE_CHECKING:
    from datetime import datetime

    from recto.contract.change_requests import ChangeRequest
    from recto.store.line_drafts import LineDraft
    from recto.tui.look.lines import Line

NEW = ""
"""The answer that stands for a new change request."""

_AS_TYPED = 1.0
"""Score of a label in which the typed words follow one another; below it they stand anywhere in it."""


class ChooseRequest(FinderDialog[Choice, str]):
    """Asks for a change request; answers its id, or :data:`NEW` for a new one with the subject ``subject``.

    The line finds by beginnings of words, and is the subject of a new change request: it begins with a proposed
    subject, selected, so that typing replaces it. A new change request is first until something else is typed. Then
    those in which the typed words follow one another are above it, and those that have them anywhere below: whoever
    typed a subject and enter means a new one.
    A typed subject stays in the ``draft``, to be proposed again, until the caller has used it.
    """

    def __init__(
        self, title: str, choices: Sequence[Choice], *, draft: LineDraft, proposed: str = "", made: str = ""
    ) -> None:
        value = draft.text or proposed
        super().__init__(title, choices, placeholder="a few letters, or the subject of a new one", value=value)
        self._draft = draft
        self._first = proposed
        self._proposed = Fuzzy(value).words
        self._made = made
        """When a new change request is made, in a few words."""
        self.subject = ""
        """The subject of the new change request, where that was chosen."""

    @property
    def _typed(self) -> str:
        return " ".join(self.query_one(LineField).value.split())

    @property
    def _is_untouched(self) -> bool:
        return Fuzzy(self._typed).words in ([], self._proposed)

    def key_of(self, item: Choice) -> Hashable:
        """Return the id."""
        return item.id

    def text_of(self, item: Choice) -> str:
        """Return the label."""
        return item.label

    def draw(self, item: Choice, width: int) -> Line:
        """Draw the choice."""
        return draw_choice(item, width)

    def score(self, query: Fuzzy, item: Choice) -> float:
        """Return how closely the typed words stand together in a label; a proposed subject matches all."""
        label = " ".join(fold(item.label).split())
        if query.words == self._proposed or _holds(label, " ".join(query.words)):
            return _AS_TYPED
        return _AS_TYPED / 2 if all(_holds(label, word) for word in query.words) else 0.0

    def order(self, found: Sequence[Scored[Choice]]) -> list[Choice]:
        """Put the new change request first, or after those that contain the words as typed."""
        named = f"New change request “{self._typed}”" if self._typed else "New change request"
        new = Choice(NEW, named, self._made if self._typed else "type its subject")
        known = super().order(found)
        before = 0 if self._is_untouched else self._count_as_typed()
        return [*known[:before], new, *known[before:]]

    def _count_as_typed(self) -> int:
        return sum(score >= _AS_TYPED for score, _item in self._matches.best)

    def list_matches(self) -> None:
        """Show the matches, and the problem of the subject."""
        super().list_matches()
        self._show_wrong(_too_long(self._typed))

    def _show_wrong(self, wrong: str) -> None:
        verdict = self.query_one(".verdict", Remark)
        verdict.display = bool(wrong)
        verdict.show(Content.styled(plain(wrong), "$error"))

    def choose(self, item: Choice) -> None:
        """Answer with the change request; a new change request needs a fitting subject."""
        if item.id == NEW:
            wrong = _too_long(self._typed) if self._typed else "Type the subject of the new change request."
            if wrong:
                self._show_wrong(wrong)
                return
            self.subject = self._typed
            self._draft.keep(self.subject)
        self.dismiss(item.id)

    async def action_dialog_close(self) -> None:
        """Close without an answer, and keep a typed subject that no change request has."""
        if self._typed in ("", self._first):
            self._draft.discard()
        elif not self._count_as_typed():
            self._draft.keep(self._typed)
        await super().action_dialog_close()


def _holds(label: str, text: str) -> bool:
    """Whether a text begins a word of a label; scripts without case may not separate words, so it begins anywhere."""
    at = label.find(text)
    while at > 0 and (label[at - 1].islower() or label[at - 1].isdigit()):
        at = label.find(text, at + 1)
    return at >= 0


def _too_long(subject: str) -> str:
    length = len(subject)
    return f"{length} characters; a subject has at most {SUBJECT_LIMIT}." if length > SUBJECT_LIMIT else ""


def request_choice(request: ChangeRequest, now: datetime, *, here: bool = False) -> Choice:
    """Return a change request to choose: number and subject, status, age and author, whose name may be cut."""
    status = signs.sign(signs.CHANGE_REQUEST, request.status).word
    age = times.ago(request.updated_at or request.created_at, now)
    parts = [*(["you are here"] if here else []), status, age, signs.person(request.created_by)]
    return Choice(request.id, f"#{request.number} {request.subject or 'Without a subject'}", " · ".join(parts))
