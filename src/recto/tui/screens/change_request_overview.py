"""What the overview of a change request tells: its description, what must be met, who reviews and who wrote."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recto.tui import actions, signs
from recto.tui.facts import fact, heading
from recto.tui.lines import Line, Span, fit, plain
from recto.tui.times import ago, exact
from recto.tui.widgets.rows import WrappedRows

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.store.checklist import Check
    from recto.tui.screens.change_request_facts import RequestFacts

_UNKNOWN = signs.Sign("the platform decides", "?", "muted")


def head_lines(facts: RequestFacts, now: datetime, waiting: int, width: int) -> list[list[Span]]:
    """Tell the state, the author and the age on one line, and the reviewers with their verdicts on another."""
    request = facts.request.value
    if request is None:
        return [[], []]
    state = signs.sign(signs.CHANGE_REQUEST, str(request.status))
    first: list[Span] = [*state.spans, (f"   by {signs.person(request.created_by)}", "")]
    first.append((f"   {ago(request.created_at, now)}", "muted"))
    if facts.conflicts:
        first += [("   ", ""), *signs.CONFLICTING.spans]
    if request.outdated:
        first += [("   ", ""), *signs.OUTDATED.spans]
    if waiting:
        first += [("   ", ""), (f"{signs.PENDING.sign} {signs.count(waiting, 'comment')} not sent", signs.PENDING.role)]
    second: list[Span] = []
    for name, verdict, outdated in facts.verdicts():
        sign = signs.sign(signs.REVIEW, verdict)
        second += [(f"{sign.sign} ", sign.role), (name, ""), (f" {sign.word}", "muted" if outdated else sign.role)]
        second += [(", outdated", "muted")] if outdated else []
        second.append(("   ", ""))
    return [fit(first, width), fit(second or [("nobody is asked to review it", "faint")], width)]


def check_lines(checks: Sequence[Check]) -> list[Line]:
    """Tell what must be met, and the key that mends what is not."""
    told: list[Line] = []
    for check in checks:
        sign = {True: signs.MET, False: signs.NOT_MET, None: _UNKNOWN}[check.met]
        line: list[Span] = [
            (f"{sign.sign} ", sign.role),
            (plain(check.says), "" if check.met is not False else "strong"),
        ]
        if check.met is not True and check.mends and (action := actions.find(check.mends)) is not None:
            key = actions.key_label(action.keys[0]) if action.keys else ":"
            line += [("  ", ""), (key, "accent"), (f" {action.title.lower()}", "muted")]
        told.append(line)
    return told


def about_lines(facts: RequestFacts, now: datetime) -> list[Line]:
    """Tell the checklist, the reviewers and the contributors."""
    request = facts.request.value
    if request is None:
        return []
    told: list[Line] = []
    if request.status != "merged":
        told += [heading("Before it is merged"), *check_lines(facts.checks()), []]
    told += [heading("Reviewers"), *_reviewers(facts), []]
    told += [heading("Contributors"), *_contributors(facts, now), []]
    told += [heading("Facts"), *_facts(request, now)]
    return told


def _reviewers(facts: RequestFacts) -> list[Line]:
    if facts.reviews.value is None:
        return [[("× could not be loaded" if facts.reviews.error else "… loading", "muted")]]
    told: list[Line] = []
    for name, verdict, outdated in facts.verdicts():
        sign = signs.sign(signs.REVIEW, verdict)
        line: list[Span] = [(f"{sign.sign} ", sign.role), (f"{name:<20} ", ""), (sign.word, sign.role)]
        told.append([*line, ("  outdated", "muted")] if outdated else line)
    return told or [[("Nobody has reviewed it, and nobody is asked to.", "muted")]]


def _contributors(facts: RequestFacts, now: datetime) -> list[Line]:
    listed = facts.contributors.value
    if listed is None:
        return [[("× could not be loaded" if facts.contributors.error else "… loading", "muted")]]
    told: list[Line] = []
    for one in listed.items:
        words = signs.count(one.count, "edit" if one.action_type == "edit" else "comment")
        told.append([(f"{signs.person(one.user):<22} ", ""), (f"{words}, {ago(one.updated_at, now)}", "muted")])
    return told or [[("Nobody yet.", "muted")]]


def _facts(request: ChangeRequest, now: datetime) -> list[Line]:
    return [
        fact("number", f"#{request.number}"),
        fact("created", exact(request.created_at)),
        fact("updated", f"{exact(request.updated_at)}, {ago(request.updated_at, now)}"),
        fact("revision", request.revision),
        fact("based on", request.base),
    ]


def description_rows(request: ChangeRequest) -> WrappedRows[str]:
    """Return the description as rows; empty where there is none."""
    text = description_of(request)
    return WrappedRows([text] if text.strip() else [], _draw_markdown, key=lambda text: text)


def description_of(request: ChangeRequest) -> str:
    """Return the description as Markdown."""
    if request.description is None:
        return ""
    from recto.document.rich_markdown import to_markdown

    return to_markdown(request.description)


def _draw_markdown(text: str, width: int) -> Sequence[Line]:
    from recto.tui.render.markdown import render_lines

    return render_lines(text, width)
