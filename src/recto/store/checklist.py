"""The checklist of a merge: the requirements, as far as they are known here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recto.document.merge.rules import Situation, evaluate_rules, may_pass_over
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.common import User
    from recto.contract.merge_rules import MergeRule
    from recto.contract.model import Model
    from recto.contract.reviews import Review
    from recto.contract.spaces import Space

REQUEST_REVIEW, REVIEW, UPDATE, SUBJECT, DESCRIPTION, RESOLVE, REOPEN = (
    "request.reviewers",
    "review.submit",
    "request.update",
    "item.rename",
    "request.describe",
    "request.conflicts",
    "request.status",
)
"""The names of the actions that fulfil the unmet checks."""


@frozen
class Check:
    """A requirement. ``met`` is ``None`` where only the platform knows; ``remedy`` names an action."""

    met: bool | None
    says: str
    remedy: str = ""
    firm: bool = True
    """Whether it blocks the merge while it is not met."""


@dataclass(frozen=True)
class Candidate:
    """A change request that may be merged, and the known facts about it; ``None`` is unknown."""

    request: ChangeRequest
    rules: Sequence[MergeRule] | None
    reviews: Sequence[Review] | None
    me: User | None
    may_merge: bool | None
    conflicts: int | None = None
    """How many parts of pages are in conflict."""
    resolving: bool = False
    """Whether they are being resolved, after an update from main."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of people by id."""
    space: Space | None = None

    @property
    def situation(self) -> Situation:
        """What merge rules go by."""
        return Situation(
            request=_plain(self.request),
            reviews=[_plain(review) for review in reversed(self.reviews)] if self.reviews is not None else None,
            actor=_plain(self.me) if self.me is not None else None,
            space=_plain(self.space) if self.space is not None else None,
            names=self.names,
        )


def _plain(response: Model) -> dict[str, Any]:
    return response.model_dump(mode="json", by_alias=True, exclude_unset=True)


def checklist(candidate: Candidate) -> list[Check]:
    """Return what must be met, the state and conflicts first, then the rules in their order."""
    checks = [_state(candidate), _permission(candidate), _conflicts(candidate)]
    rules = candidate.rules
    if rules is None:
        checks.append(Check(None, "The merge rules cannot be read from here; the platform checks them"))
        return checks
    passes = may_pass_over(rules, candidate.me.id if candidate.me is not None else None)
    for verdict in evaluate_rules(rules, candidate.situation):
        remedy = "" if verdict.met else _MENDS.get(str(verdict.rule.rule), "")
        checks.append(Check(verdict.met, verdict.says, remedy, firm=not passes))
    if passes:
        checks.append(Check(True, "You may pass over the merge rules"))
    elif not rules:
        checks.append(Check(True, "No merge rules are set"))
    return checks


def obstacle(checks: Sequence[Check]) -> str | None:
    """Return why a merge is blocked, in a few words; ``None`` if it can be tried."""
    return next((check.says for check in checks if check.met is False and check.firm), None)


def _state(candidate: Candidate) -> Check:
    status = candidate.request.status
    if status in ("draft", "open"):
        return Check(True, "It is open, not a draft" if status == "open" else "A draft can be merged, too")
    return Check(False, f"It is {status}", REOPEN if status == "archived" else "")


def _permission(candidate: Candidate) -> Check:
    if candidate.may_merge is None:
        return Check(None, "Whether your role may merge is not known yet")
    return Check(candidate.may_merge, f"Your role may {'' if candidate.may_merge else 'not '}merge")


def _conflicts(candidate: Candidate) -> Check:
    if candidate.resolving:
        left = candidate.conflicts or 0
        few = "One conflict is" if left == 1 else f"{left} conflicts are"
        return Check(False, f"{few} not resolved" if left else "The resolution is not applied yet", RESOLVE)
    if candidate.conflicts:
        places = "one place" if candidate.conflicts == 1 else f"{candidate.conflicts} places"
        return Check(False, f"It conflicts with main in {places}", UPDATE)
    if candidate.request.outdated:
        says = "Main has changed; both are merged"
        return Check(True if candidate.conflicts == 0 else None, says, UPDATE)
    return Check(True, "Nothing conflicts with main")


_MENDS: Mapping[str, str] = {
    "require_specific_reviewers": REQUEST_REVIEW,
    "require_one_of_specific_reviewers": REQUEST_REVIEW,
    "require_at_least_one_review": REVIEW,
    "require_at_least_one_approved_review": REVIEW,
    "require_all_reviews_approved": REVIEW,
    "require_up_to_date_change_request": UPDATE,
    "require_change_request_subject": SUBJECT,
    "require_change_request_description": DESCRIPTION,
}
