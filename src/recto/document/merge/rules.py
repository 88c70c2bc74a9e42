"""Merge rules: what each requires, and whether a change request meets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from recto.contract.merge_rules import MergeRule, MergeRules
from recto.document.expressions.language import ExpressionError, parse, truth
from recto.frozen import frozen

RULES_WITH_USERS: Final = frozenset({"require_specific_reviewers", "require_one_of_specific_reviewers", "allow_bypass"})
"""The rules that name people."""

Thing = Mapping[str, Any]
"""An item of the API as plain data."""


@frozen
class Situation:
    """A change request and its context, as input of rules; ``None`` is unknown.

    ``reviews`` may hold outdated ones, which do not count; ``actor`` is who wants to merge; ``names`` are those of
    people by their ids.
    """

    request: Thing
    reviews: Sequence[Thing] | None = None
    actor: Thing | None = None
    space: Thing | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def standing(self) -> list[Thing]:
        """The reviews that count."""
        return [review for review in self.reviews or () if not review.get("outdated")]

    @property
    def verdicts(self) -> dict[str, str]:
        """The status of each reviewer's latest review."""
        return {str(_id(review.get("reviewer"))): str(review.get("status")) for review in self.standing}

    def people(self, ids: Sequence[str]) -> str:
        """Name people."""
        return ", ".join(self.names.get(id, id) for id in ids)


@frozen
class Verdict:
    """Whether a rule is met, and a sentence that says so; ``met`` is ``None`` where it is unknown.

    The platform itself merges only where all rules are known to be met.
    """

    rule: MergeRule
    met: bool | None
    says: str


_Found = tuple[bool | None, str]


def rules_in_force(own: MergeRules | None, inherited: MergeRules | None) -> tuple[MergeRule, ...] | None:
    """Return the rules of a space, or of its organization where it inherits; ``None`` where they are not known."""
    found = inherited if own is None or own.type == "inherit" else own
    if found is None:
        return None
    return found.rules if found.type == "rules" else ()


def may_pass_over(rules: Sequence[MergeRule], actor: str | None) -> bool:
    """Whether this user may bypass the rules."""
    return actor is not None and any(rule.rule == "allow_bypass" and actor in rule.users for rule in rules)


def evaluate_rules(rules: Sequence[MergeRule], situation: Situation) -> list[Verdict]:
    """Return the verdict on each rule with a requirement, in order, with the rule's own message."""
    verdicts = []
    for rule in rules:
        if rule.rule != "allow_bypass":
            met, says = _RULES.get(str(rule.rule), _check_unknown)(situation, rule)
            verdicts.append(Verdict(rule, met, f"{says} ({rule.message})" if rule.message and not met else says))
    return verdicts


def _id(person: object) -> Any:
    return person.get("id") if isinstance(person, Mapping) else None


def _check_specific(situation: Situation, rule: MergeRule) -> _Found:
    verdicts = situation.verdicts
    missing = [user for user in rule.users if user not in verdicts]
    if missing:
        return False, f"A review by {situation.people(missing)} is missing"
    return True, f"Reviewed by {situation.people(rule.users)}"


def _check_one_of_specific(situation: Situation, rule: MergeRule) -> _Found:
    verdicts = situation.verdicts
    if any(user in verdicts for user in rule.users):
        return True, f"Reviewed by one of {situation.people(rule.users)}"
    return False, f"A review by one of {situation.people(rule.users)} is missing"


def _check_reviewed(situation: Situation, rule: MergeRule) -> _Found:
    if situation.verdicts:
        return True, "At least one person has reviewed it"
    return False, "No reviews yet"


def _check_approved(situation: Situation, rule: MergeRule) -> _Found:
    if "approved" in situation.verdicts.values():
        return True, "At least one person has approved it"
    return False, "No approvals yet"


def _check_all_approved(situation: Situation, rule: MergeRule) -> _Found:
    against = [user for user, status in situation.verdicts.items() if status != "approved"]
    if against:
        return False, f"{situation.people(against)} asked for changes"
    return True, "All reviews approve it" if situation.verdicts else "No reviews request changes"


def _check_up_to_date(situation: Situation, rule: MergeRule) -> _Found:
    if situation.request.get("outdated"):
        return False, "It is outdated: the main content has moved on"
    return True, "It is up to date with the main content"


def _check_subject(situation: Situation, rule: MergeRule) -> _Found:
    if str(situation.request.get("subject") or "").strip():
        return True, "It has a subject"
    return False, "It has no subject"


def _check_description(situation: Situation, rule: MergeRule) -> _Found:
    if _has_text(situation.request.get("description")):
        return True, "It has a description"
    return False, "It has no description"


def _has_text(document: object) -> bool:
    """Whether a rich text has any text."""
    ahead = [document]
    while ahead:
        node = ahead.pop()
        if isinstance(node, list | tuple):
            ahead.extend(node)
        elif isinstance(node, Mapping):
            if str(node.get("text") or "").strip():
                return True
            ahead += [node.get("nodes"), node.get("leaves")]
    return False


def _check_author(situation: Situation, rule: MergeRule) -> _Found:
    author, actor = _id(situation.request.get("createdBy")), _id(situation.actor)
    if author is None or actor is None:
        return None, "Only its author may merge it"
    mine = author == actor
    return mine, "You are its author, who alone may merge it" if mine else "Only its author may merge it"


def _check_agent(situation: Situation, rule: MergeRule) -> _Found:
    return False, "A review by an agent is asked for, and there is none to ask from here"


def _check_custom(situation: Situation, rule: MergeRule) -> _Found:
    written = rule.expression or ""
    try:
        expression = parse(written)
    except ExpressionError as error:
        return None, f"The expression {written} cannot be read: {error}" if written else "It has no expression"
    known = {
        "space": situation.space,
        "changeRequest": situation.request,
        "reviews": situation.standing if situation.reviews is not None else None,
        "actor": situation.actor,
    }
    if any(path[0] in known and known[path[0]] is None for path in expression.names()):
        return None, f"The platform evaluates: {written}"
    if truth(expression.evaluate(known)):
        return True, f"This is true: {written}"
    return False, f"This is not true: {written}"


def _check_unknown(situation: Situation, rule: MergeRule) -> _Found:
    return None, f"“{rule.rule}” is a rule that is not known here"


_RULES: Mapping[str, Callable[[Situation, MergeRule], _Found]] = {
    "require_specific_reviewers": _check_specific,
    "require_one_of_specific_reviewers": _check_one_of_specific,
    "require_at_least_one_review": _check_reviewed,
    "require_at_least_one_approved_review": _check_approved,
    "require_all_reviews_approved": _check_all_approved,
    "require_up_to_date_change_request": _check_up_to_date,
    "require_change_request_subject": _check_subject,
    "require_change_request_description": _check_description,
    "require_author_to_merge": _check_author,
    "require_agent_review": _check_agent,
    "custom": _check_custom,
}
