"""What a change request must meet before it is merged, as far as it can be told from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.merge_rules import MergeRule, MergeRules
    from recto.contract.reviews import Review

REQUEST_REVIEW, REVIEW, PULL, SUBJECT, DESCRIPTION, SETTLE, REOPEN = (
    "request.reviewers",
    "review.submit",
    "request.pull",
    "item.rename",
    "request.describe",
    "request.conflicts",
    "request.status",
)
"""The names of the actions that mend what is not met."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to be met. ``met`` is ``None`` where only the platform knows; ``mends`` names an action."""

    met: bool | None
    says: str
    mends: str = ""
    firm: bool = True
    """Whether a merge is out of the question while it is not met."""


@dataclass(frozen=True)
class Candidate:
    """A change request that someone may want to merge, with what is known around it; ``None`` is not known."""

    request: ChangeRequest
    rules: Sequence[MergeRule] | None
    reviews: Sequence[Review] | None
    me: str | None
    may_merge: bool | None
    conflicts: int | None = None
    """How many parts of pages are in conflict."""
    settling: bool = False
    """Whether they are being settled, after a pull."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of people by id."""

    @property
    def verdicts(self) -> dict[str, str]:
        """What each reviewer said in the review that still stands."""
        found: dict[str, str] = {}
        for review in reversed(self.reviews or ()):
            if review.reviewer is not None and not review.outdated:
                found[review.reviewer.id] = str(review.status)
        return found

    def people(self, ids: Sequence[str]) -> str:
        """Name people."""
        return ", ".join(self.names.get(id, id) for id in ids)


def rules_in_force(space: MergeRules | None, organization: MergeRules | None) -> tuple[MergeRule, ...] | None:
    """Return the rules of a space, or of its organization where it inherits; ``None`` where they are not known."""
    found = organization if space is None or space.type == "inherit" else space
    if found is None:
        return None
    return found.rules if found.type == "rules" else ()


def checklist(candidate: Candidate) -> list[Check]:
    """Return what must be met, the state and conflicts first, then the rules in their order."""
    checks = [_state(candidate), _permission(candidate), _conflicts(candidate)]
    rules = candidate.rules
    if rules is None:
        checks.append(Check(None, "The merge rules cannot be read from here; the platform checks them"))
        return checks
    passes = any(rule.rule == "allow_bypass" and candidate.me in rule.users for rule in rules)
    for rule in rules:
        if rule.rule == "allow_bypass":
            continue
        check = _RULES.get(str(rule.rule), _unknown)(candidate, rule)
        says = f"{check.says} ({rule.message})" if rule.message and not check.met else check.says
        checks.append(Check(check.met, says, check.mends, firm=not passes))
    if passes:
        checks.append(Check(True, "You may pass over the merge rules"))
    elif not rules:
        checks.append(Check(True, "No merge rules are set"))
    return checks


def obstacle(checks: Sequence[Check]) -> str | None:
    """Return why a merge is out of the question, in a few words; ``None`` where it can be tried."""
    return next((check.says for check in checks if check.met is False and check.firm), None)


def _state(candidate: Candidate) -> Check:
    status = candidate.request.status
    if status in ("draft", "open"):
        return Check(True, f"It is {'an open' if status == 'open' else 'a draft'} change request")
    return Check(False, f"It is {status}", REOPEN if status == "archived" else "")


def _permission(candidate: Candidate) -> Check:
    if candidate.may_merge is None:
        return Check(None, "Whether you may merge is not known yet")
    return Check(candidate.may_merge, "You may merge here" if candidate.may_merge else "Your role may not merge here")


def _conflicts(candidate: Candidate) -> Check:
    if candidate.settling:
        left = candidate.conflicts or 0
        few = "One conflict is" if left == 1 else f"{left} conflicts are"
        return Check(False, f"{few} not settled" if left else "What is settled is not written yet", SETTLE)
    if candidate.conflicts:
        places = "one place" if candidate.conflicts == 1 else f"{candidate.conflicts} places"
        return Check(False, f"It conflicts with the main content in {places}", PULL)
    if candidate.request.outdated:
        says = "The main content has moved on; what differs is merged with it"
        return Check(True if candidate.conflicts == 0 else None, says, PULL)
    return Check(True, "Nothing conflicts with the main content")


def _specific(candidate: Candidate, rule: MergeRule) -> Check:
    missing = [user for user in rule.users if user not in candidate.verdicts]
    if missing:
        return Check(False, f"A review by {candidate.people(missing)} is missing", REQUEST_REVIEW)
    return Check(True, f"Reviewed by {candidate.people(rule.users)}")


def _one_of_specific(candidate: Candidate, rule: MergeRule) -> Check:
    if any(user in candidate.verdicts for user in rule.users):
        return Check(True, f"Reviewed by one of {candidate.people(rule.users)}")
    return Check(False, f"A review by one of {candidate.people(rule.users)} is missing", REQUEST_REVIEW)


def _reviewed(candidate: Candidate, rule: MergeRule) -> Check:
    if candidate.verdicts:
        return Check(True, "At least one person has reviewed it")
    return Check(False, "Nobody has reviewed it", REVIEW)


def _approved(candidate: Candidate, rule: MergeRule) -> Check:
    if "approved" in candidate.verdicts.values():
        return Check(True, "At least one person has approved it")
    return Check(False, "Nobody has approved it", REVIEW)


def _all_approved(candidate: Candidate, rule: MergeRule) -> Check:
    against = [user for user, status in candidate.verdicts.items() if status != "approved"]
    if against:
        return Check(False, f"{candidate.people(against)} asked for changes", REVIEW)
    return Check(True, "All reviews approve it")


def _up_to_date(candidate: Candidate, rule: MergeRule) -> Check:
    if candidate.request.outdated:
        return Check(False, "It is outdated: the main content has moved on", PULL)
    return Check(True, "It is up to date with the main content")


def _subject(candidate: Candidate, rule: MergeRule) -> Check:
    if candidate.request.subject.strip():
        return Check(True, "It has a subject")
    return Check(False, "It has no subject", SUBJECT)


def _description(candidate: Candidate, rule: MergeRule) -> Check:
    if _says_something(candidate.request.description):
        return Check(True, "It has a description")
    return Check(False, "It has no description", DESCRIPTION)


def _says_something(node: Any) -> bool:
    if str(getattr(node, "text", "") or "").strip():
        return True
    parts = (*(getattr(node, "nodes", None) or ()), *(getattr(node, "leaves", None) or ()))
    return any(_says_something(part) for part in parts)


def _author(candidate: Candidate, rule: MergeRule) -> Check:
    author = candidate.request.created_by
    if author is None or candidate.me is None:
        return Check(None, "Only its author may merge it")
    mine = author.id == candidate.me
    return Check(mine, "You are its author, who alone may merge it" if mine else "Only its author may merge it")


def _agent(candidate: Candidate, rule: MergeRule) -> Check:
    return Check(False, "A review by an agent is asked for, and there is none to ask from here")


def _custom(candidate: Candidate, rule: MergeRule) -> Check:
    return Check(None, f"The platform evaluates: {rule.expression or 'a rule of its own'}")


def _unknown(candidate: Candidate, rule: MergeRule) -> Check:
    return Check(None, f"The platform checks “{rule.rule}”")


_RULES: Mapping[str, Callable[[Candidate, MergeRule], Check]] = {
    "require_specific_reviewers": _specific,
    "require_one_of_specific_reviewers": _one_of_specific,
    "require_at_least_one_review": _reviewed,
    "require_at_least_one_approved_review": _approved,
    "require_all_reviews_approved": _all_approved,
    "require_up_to_date_change_request": _up_to_date,
    "require_change_request_subject": _subject,
    "require_change_request_description": _description,
    "require_author_to_merge": _author,
    "require_agent_review": _agent,
    "custom": _custom,
}
