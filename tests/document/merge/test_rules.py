"""Merge rules on plain data: each rule met, not met and not to be told, in order, with its message."""

from __future__ import annotations

from typing import Any

import pytest

from recto.contract.merge_rules import MergeRule, MergeRules
from recto.document.merge.rules import Situation, evaluate_rules, may_pass_over, rules_in_force

ADA, GRACE = {"id": "ada"}, {"id": "grace"}
SAYING = {"nodes": [{"object": "block", "nodes": [{"object": "text", "leaves": [{"text": "Why."}]}]}]}


def rule(name: str, **values: Any) -> MergeRule:
    return MergeRule(rule=name, **values)


def review(person: dict[str, str], status: str = "approved", **values: Any) -> dict[str, Any]:
    return {"reviewer": person, "status": status, **values}


def situation(*reviews: dict[str, Any], actor: dict[str, str] | None = ADA, **request: Any) -> Situation:
    return Situation({"createdBy": GRACE, **request}, reviews, actor, {"title": "Docs"}, {"ada": "Ada"})


AGAINST = review(ADA, "changes-requested")
OLD = review(ADA, outdated=True)


@pytest.mark.parametrize(
    ("one", "around", "met", "says"),
    [
        (rule("require_at_least_one_review"), situation(OLD), False, "No reviews yet"),
        (rule("require_at_least_one_review"), situation(AGAINST), True, "At least one person has reviewed it"),
        (rule("require_at_least_one_approved_review"), situation(AGAINST), False, "No approvals yet"),
        (
            rule("require_at_least_one_approved_review"),
            situation(AGAINST, review(GRACE)),
            True,
            "At least one person has approved it",
        ),
        (rule("require_all_reviews_approved"), situation(), True, "No reviews request changes"),
        (rule("require_all_reviews_approved"), situation(review(GRACE)), True, "All reviews approve it"),
        (rule("require_all_reviews_approved"), situation(AGAINST, review(GRACE)), False, "Ada asked for changes"),
        (
            rule("require_specific_reviewers", users=("ada", "grace")),
            situation(review(GRACE)),
            False,
            "A review by Ada is missing",
        ),
        (
            rule("require_specific_reviewers", users=("ada", "grace")),
            situation(AGAINST, review(GRACE)),
            True,
            "Reviewed by Ada, grace",
        ),
        (
            rule("require_one_of_specific_reviewers", users=("ada", "grace")),
            situation(review({"id": "eve"})),
            False,
            "A review by one of Ada, grace is missing",
        ),
        (
            rule("require_one_of_specific_reviewers", users=("ada", "grace")),
            situation(AGAINST),
            True,
            "Reviewed by one of Ada, grace",
        ),
        (
            rule("require_up_to_date_change_request"),
            situation(outdated=True),
            False,
            "It is outdated: the main content has moved on",
        ),
        (rule("require_up_to_date_change_request"), situation(), True, "It is up to date with the main content"),
        (rule("require_change_request_subject"), situation(subject=" "), False, "It has no subject"),
        (rule("require_change_request_subject"), situation(subject="S"), True, "It has a subject"),
        (rule("require_change_request_description"), situation(), False, "It has no description"),
        (
            rule("require_change_request_description"),
            situation(description={"nodes": [{"nodes": [{"leaves": [{"text": " "}]}]}]}),
            False,
            "It has no description",
        ),
        (rule("require_change_request_description"), situation(description=SAYING), True, "It has a description"),
        (rule("require_author_to_merge"), situation(), False, "Only its author may merge it"),
        (
            rule("require_author_to_merge"),
            situation(actor=GRACE),
            True,
            "You are its author, who alone may merge it",
        ),
        (rule("require_author_to_merge"), situation(actor=None), None, "Only its author may merge it"),
        (
            rule("require_agent_review"),
            situation(review(GRACE)),
            False,
            "A review by an agent is asked for, and there is none to ask from here",
        ),
        (rule("custom", expression="space.title"), situation(), True, "This is true: space.title"),
        (rule("custom", expression="space.emoji"), situation(), False, "This is not true: space.emoji"),
        (rule("custom", expression="reviews.length"), situation(OLD), False, "This is not true: reviews.length"),
        (rule("custom", expression="actor.id"), situation(actor=None), None, "The platform evaluates: actor.id"),
        (
            rule("custom", expression="a ="),
            situation(),
            None,
            "The expression a = cannot be read: '=' is not part of the language (character 3)",
        ),
        (rule("custom"), situation(), None, "It has no expression"),
        (rule("be_nice"), situation(), None, "“be_nice” is a rule that is not known here"),
    ],
)
def test_a_rule_is_met_or_not(one: MergeRule, around: Situation, met: bool | None, says: str) -> None:
    (verdict,) = evaluate_rules([one], around)
    assert (verdict.met, verdict.says) == (met, says)
    (verdict,) = evaluate_rules([one.model_copy(update={"message": "M"})], around)
    assert verdict.says == (says if met else f"{says} (M)")


def test_reviews_that_are_not_known_leave_an_expression_open() -> None:
    unknown = Situation({"createdBy": GRACE})
    without_reviews = rule("custom", expression="reviews.length == 0")
    assert [verdict.met for verdict in evaluate_rules([without_reviews], unknown)] == [None]


def test_rules_are_judged_in_order_and_a_bypass_is_none_that_asks() -> None:
    rules = [rule("custom", expression="1"), rule("allow_bypass", users=("ada",)), rule("require_author_to_merge")]
    assert [verdict.rule for verdict in evaluate_rules(rules, situation())] == [rules[0], rules[2]]
    assert may_pass_over(rules, "ada")
    assert not may_pass_over(rules, "grace")
    assert not may_pass_over(rules, None)
    assert not may_pass_over([rule("require_specific_reviewers", users=("ada",))], "ada")


def test_the_rules_of_the_organization_count_where_the_space_inherits() -> None:
    own = MergeRules(type="rules", rules=(rule("custom"),))
    assert rules_in_force(MergeRules(type="inherit"), own) == own.rules
    assert rules_in_force(own, MergeRules(type="none")) == own.rules
    assert rules_in_force(MergeRules(type="none"), own) == ()
    assert rules_in_force(None, None) is None
    assert rules_in_force(MergeRules(type="inherit"), None) is None
