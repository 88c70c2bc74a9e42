"""The port of merging and of resolving conflicts: its dialogs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recto.document.text import count
from recto.store.merging import Forecast
from recto.tui import actions
from recto.tui.dialogs.confirm import NO_UNDO
from recto.tui.dialogs.confirm_merge import ConfirmMerge
from recto.tui.dialogs.prompt import PromptText
from recto.tui.look import signs
from recto.tui.look.lines import Line, Span, plain
from recto.tui.screens.change_request.overview import check_lines, remedy_keys
from recto.tui.screens.view_port import ViewPort

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.store.conflicts import Examination
    from recto.store.keeper import TypedText
    from recto.store.resolution import Resolution
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.view import View

MERGE_UNDO: Final = "‹revision.revert› takes a merge back, by a change request."


class MergeDialogs(ViewPort):
    """The dialogs of merging and of resolving conflicts, on a screen."""

    def __init__(self, view: View, facts: RequestFacts, conflicts_changed: Callable[[], None]) -> None:
        super().__init__(view)
        self._facts = facts
        self.conflicts_changed = conflicts_changed

    # Merging

    async def forecast(self, request: ChangeRequest) -> Forecast:
        """Read again all that a merge depends on."""
        return await self._facts.forecast(request)

    async def confirm_merge(self, forecast: Forecast) -> bool:
        """Show what will be merged, and ask whether to merge."""
        request = forecast.request
        title = f"Merge #{request.number} {request.subject}"
        key_of = partial(actions.main_key, self._view)
        lines = [*_merge_lines(forecast), [], *check_lines(forecast.checks, key_of)]
        does = "merges it into main"
        says, remedy = "It cannot be merged yet.", remedy_keys(forecast.checks, key_of)
        answer = await self._view.ask(
            ConfirmMerge(title, lines, does=does, undo=MERGE_UNDO, obstacle=forecast.obstacle, says=says, remedy=remedy)
        )
        if isinstance(answer, str):
            # This is the work of merging, which another work of the view may end.
            self._view.call_later(self._view.app.run_action, actions.get(answer).method, self._view)
        return answer is True

    # Resolving conflicts

    async def confirm_update(self, request: ChangeRequest, examination: Examination) -> bool:
        """Show what an update from main will do, and ask whether to update."""
        does = "updates it; conflicts are resolved afterwards" if examination.resolution.pages else "updates it"
        title = f"Update #{request.number} from main"
        return await self._view.ask(ConfirmMerge(title, _update_lines(examination), does=does, undo=NO_UNDO)) is True

    async def confirm_resolution(self, resolution: Resolution) -> bool:
        """Show what will be written, and ask whether to apply it."""
        lines: list[Line] = [
            [("· ", "faint"), (plain(page.title), ""), (f"  {count(len(page.conflicts), 'conflict')}", "muted")]
            for page in resolution.pages
        ]
        title = f"Apply the resolution of {count(len(resolution.conflicts), 'conflict')}"
        does = "writes it into the change request, all at once"
        return await self._view.ask(ConfirmMerge(title, lines, does=does, undo=NO_UNDO)) is True

    async def edit_file(self, file: Path, line: int) -> bool:
        """Open a file in the person's editor, at a line counted from 1; false without an editor."""
        return await self._view.edit_file(file, line)

    async def ask_text(self, typed: TypedText) -> str | None:
        """Ask for the text that resolves a conflict; ``None`` where it is left."""
        return await self._view.ask(PromptText("Resolve the conflict", typed=typed))


def _merge_lines(forecast: Forecast) -> list[Line]:
    """Return the lines on what a merge puts into main, and on objections that do not block it."""
    parts: list[Span] = []
    if forecast.pages is not None:
        parts.append((count(forecast.pages, "page"), "strong"))
    if forecast.lines is not None:
        added, removed = forecast.lines
        parts += [("  ", ""), (f"+{added:,}", "added"), (" ", ""), (f"-{removed:,}", "removed"), (" lines", "muted")]
    if forecast.pages == 0 and not forecast.others:
        parts = [("Its content is as in main: there is nothing to merge.", "")]
    lines: list[Line] = [parts or [("What it changes is not known.", "muted")]]
    lines += [[("· ", "faint"), (plain(other), "")] for other in forecast.others]
    if forecast.open_threads:
        sign = signs.COMMENT["open"]
        lines.append([(f"{sign.sign} ", sign.role), (count(forecast.open_threads, "open thread"), "")])
    for name in forecast.against:
        sign = signs.REVIEW["changes-requested"]
        lines.append([(f"{sign.sign} ", sign.role), (f"{plain(name)} requested changes", "strong")])
    return lines


def _update_lines(examination: Examination) -> list[Line]:
    """Return the lines that say what an update from main will do."""
    lines: list[Line] = [
        [(f"Main has changed {count(examination.moved_on, 'page')} since.", "")],
    ]
    both = len(examination.both)
    if both:
        lines.append([(f"{count(both, 'page')} changed on both sides.", "")])
    if not examination.resolution.pages:
        lines.append([(f"{signs.MET.sign} ", signs.MET.role), ("Nothing conflicts.", "")])
        return lines
    lines.append([])
    sign: Span = (f"{signs.CONFLICTING.sign} ", signs.CONFLICTING.role)
    return lines + [
        [sign, (plain(page.title), "strong"), (f"  {count(len(page.conflicts), 'conflict')}", "muted")]
        for page in examination.resolution.pages
    ]
