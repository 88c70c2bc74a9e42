"""The overview of a change request: its description, what must be met, who reviews and who wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from textual.app import ComposeResult

from recto.client.errors import Unsupported
from recto.contract.common import UrlReference
from recto.contract.unread import all_unread
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.text import count
from recto.tui import actions
from recto.tui.lists.fact_list import FactList
from recto.tui.lists.rows import unread_lines
from recto.tui.look import signs
from recto.tui.look.fact_rows import fact, heading, rows
from recto.tui.look.lines import Line, Span, fit, plain
from recto.tui.look.times import ago, both, exact
from recto.tui.page.page_view import PageView
from recto.tui.screens.pane import Pane, Tab

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest, ChangeRequestLink
    from recto.store.checklist import Check
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.screens.change_request.facts import RequestFacts

KeyOf: TypeAlias = Callable[[str], str]
"""Returns the key that an action has now, by its name."""

_UNKNOWN = signs.Sign("the platform decides", "?", "muted")


class DescriptionPane(Pane):
    """Shows the description."""

    def __init__(self, store: Store, facts: RequestFacts) -> None:
        self._page = PageView(id="description")
        super().__init__(store, "Description", self._page, id="description-panel")
        self._facts = facts
        self._described: str | None = None

    def show(self) -> None:
        """Draw the known state."""
        request = self._facts.request.value
        if not self.show_state(self._facts.request, "the change request") or request is None:
            return
        text = description_of(request)
        if text != self._described:
            self._described = text
            self._page.show("", text, page="description")
        if not text.strip():
            self.show_empty("No description.", "e", "writes one")


class AboutPane(Pane):
    """Shows what must be met, who reviews and who wrote."""

    def __init__(self, store: Store, facts: RequestFacts) -> None:
        self._list = FactList(id="about")
        self._list.mark_news(store.news)
        super().__init__(store, "About", self._list, id="about-panel")
        self._facts = facts

    def show(self) -> None:
        """Draw the known state."""
        if self._facts.request.value is not None:
            lines = about_lines(self._facts, self.store.clock(), partial(actions.main_key, self))
            self._list.show(rows(*lines))


class OverviewTab(Tab):
    """The description, and beside it what must be met, who reviews and who wrote."""

    def __init__(self, store: Store, facts: RequestFacts) -> None:
        super().__init__(store, id="overview")
        self._description = DescriptionPane(store, facts)
        self._about = AboutPane(store, facts)
        self.target = self._description.target

    def compose(self) -> ComposeResult:
        """Put both."""
        yield self._description
        yield self._about

    def show(self) -> None:
        """Draw the known state."""
        self._description.show()
        self._about.show()


def head_lines(facts: RequestFacts, now: datetime, waiting: int, width: int) -> list[list[Span]]:
    """Return a line with the state, the author and the age, and a line with the reviewers and their verdicts."""
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
        first += [("   ", ""), (f"{signs.PENDING.sign} {count(waiting, 'comment')} not sent", signs.PENDING.role)]
    second: list[Span] = []
    for one in facts.verdicts():
        sign = signs.sign(signs.REVIEW, one.status)
        second += [(f"{sign.sign} ", sign.role), (one.reviewer, "")]
        second.append((f" {sign.word}", "muted" if one.outdated else sign.role))
        second += [(", outdated", "muted")] if one.outdated else []
        second.append(("   ", ""))
    if facts.lacks_changes and facts.pages is not None:
        second.append(("changes as the page trees show them", "muted"))
    note = "" if facts.reviews.value is None else "no reviewers requested"
    return [fit(first, width), fit(second or [(note, "faint")], width)]


def check_lines(checks: Sequence[Check], key_of: KeyOf) -> list[Line]:
    """Return the checks, and for each unmet check the key that fulfils it."""
    lines: list[Line] = []
    for check in checks:
        sign = {True: signs.MET, False: signs.NOT_MET, None: _UNKNOWN}[check.met]
        line: list[Span] = [
            (f"{sign.sign} ", sign.role),
            (plain(check.says), "" if check.met is not False else "strong"),
        ]
        if (action := _remedy_action(check)) is not None:
            line += [
                ("  ", ""),
                (actions.key_label(key_of(action.name)), "accent"),
                (f" {action.title.lower()}", "muted"),
            ]
        lines.append(line)
    return lines


def remedy_keys(checks: Sequence[Check], key_of: KeyOf) -> dict[str, str]:
    """Return the names of the actions that fulfil unmet checks, by the keys that :func:`check_lines` names."""
    return {key_of(action.name): action.name for check in checks if (action := _remedy_action(check)) is not None}


def _remedy_action(check: Check) -> actions.Action | None:
    return actions.find(check.remedy) if check.met is not True else None


def about_lines(facts: RequestFacts, now: datetime, key_of: KeyOf) -> tuple[list[Line], dict[int, str]]:
    """Return the checklist, the reviewers and the contributors; and the ids of reviews, by the index of their line."""
    request = facts.request.value
    if request is None:
        return [], {}
    lines: list[Line] = []
    if request.status != "merged":
        lines += [heading("Before it is merged"), *check_lines(facts.checks(), key_of), []]
    lines.append(heading("Reviewers"))
    reviews = {index: one.review for index, one in enumerate(facts.verdicts(), start=len(lines)) if one.review}
    lines += [*_reviewers(facts), []]
    lines += [heading("Contributors"), *_contributors(facts, now), []]
    lines += [heading("Facts"), *_facts(request, now)]
    return lines, reviews


def _reviewers(facts: RequestFacts) -> list[Line]:
    if facts.reviews.value is None:
        return [_missing_line(facts.reviews, "reviews")]
    lines: list[Line] = []
    for one in facts.verdicts():
        sign = signs.sign(signs.REVIEW, one.status)
        line: list[Span] = [(f"{sign.sign} ", sign.role), (f"{one.reviewer:<20} ", ""), (sign.word, sign.role)]
        lines.append([*line, ("  outdated", "muted")] if one.outdated else line)
    lines += unread_lines(facts.reviews.value.unread)
    lines += unread_lines(facts.asked.value.unread if facts.asked.value is not None else ())
    return lines or [[("No reviewers requested; no reviews yet.", "muted")]]


def _contributors(facts: RequestFacts, now: datetime) -> list[Line]:
    listed = facts.contributors.value
    if listed is None:
        return [_missing_line(facts.contributors, "contributors")]
    lines: list[Line] = []
    for one in listed.items:
        words = count(one.count, "edit" if one.action_type == "edit" else "comment")
        lines.append([(f"{signs.person(one.user):<22} ", ""), (f"{words}, {ago(one.updated_at, now)}", "muted")])
    lines += unread_lines(listed.unread)
    return lines or [[("No contributors yet.", "muted")]]


def _missing_line(query: Query[Any], what: str) -> Line:
    if isinstance(query.error, Unsupported):
        return [(f"This server does not offer {what}.", "muted")]
    return [("× could not be loaded" if query.error else "… loading", "muted")]


def _facts(request: ChangeRequest, now: datetime) -> list[Line]:
    merged = []
    if request.merged_at is not None:
        by = f" by {signs.person(request.merged_by)}" if request.merged_by is not None else ""
        merged = [fact("merged", f"{exact(request.merged_at)}{by}")]
    return [
        fact("number", f"#{request.number}"),
        fact("created", exact(request.created_at)),
        fact("updated", both(request.updated_at, now)),
        *merged,
        *(fact("about", _link(link)) for link in request.links),
        fact("revision", request.revision),
        fact("based on", request.base),
        *unread_lines(all_unread(request)),
    ]


def _link(link: ChangeRequestLink) -> str:
    address = link.ref.url if isinstance(link.ref, UrlReference) else ""
    return "  ".join(part for part in (link.title, address) if part) or link.id


def description_of(request: ChangeRequest) -> str:
    """Return the description as Markdown."""
    if request.description is None:
        return ""
    return to_markdown(request.description)
