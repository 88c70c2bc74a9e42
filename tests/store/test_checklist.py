from __future__ import annotations

from typing import Any

import pytest

from recto.contract.change_requests import ChangeRequest
from recto.contract.common import User
from recto.contract.merge_rules import MergeRule
from recto.contract.reviews import Review
from recto.contract.spaces import Space
from recto.document.rich_text.rich_pages import to_document
from recto.store.checklist import Candidate, Check, checklist, obstacle

ADA, GRACE = User(id="ada"), User(id="grace")


def request(**values: Any) -> ChangeRequest:
    return ChangeRequest(id="c", **{"subject": "S", "created_by": GRACE, **values})


def review(user: User, status: str, **values: Any) -> Review:
    return Review(id=f"r-{user.id}", reviewer=user, status=status, **values)


def rule(name: str, **values: Any) -> MergeRule:
    return MergeRule(rule=name, **values)


def checks(*rules: MergeRule, reviews: tuple[Review, ...] = (), me: str = "ada", **values: Any) -> list[Check]:
    known = {name: values.pop(name) for name in ("conflicts", "resolving", "may_merge", "space") if name in values}
    candidate = Candidate(
        request(**values),
        rules,
        reviews,
        User(id=me),
        known.pop("may_merge", True),
        names={"ada": "Ada", "grace": "Grace"},
        **known,
    )
    return checklist(candidate)


CASES: list[tuple[MergeRule, tuple[Review, ...], dict[str, Any], bool | None]] = [
    (rule("require_at_least_one_review"), (), {}, False),
    (rule("require_at_least_one_review"), (review(ADA, "changes-requested"),), {}, True),
    (rule("require_at_least_one_review"), (review(ADA, "approved", outdated=True),), {}, False),
    (rule("require_at_least_one_approved_review"), (review(ADA, "changes-requested"),), {}, False),
    (rule("require_at_least_one_approved_review"), (review(ADA, "approved"),), {}, True),
    (rule("require_all_reviews_approved"), (review(ADA, "approved"), review(GRACE, "changes-requested")), {}, False),
    (rule("require_all_reviews_approved"), (review(ADA, "approved"),), {}, True),
    (rule("require_specific_reviewers", users=("ada", "grace")), (review(ADA, "approved"),), {}, False),
    (rule("require_one_of_specific_reviewers", users=("ada", "grace")), (review(ADA, "approved"),), {}, True),
    (rule("require_up_to_date_change_request"), (), {"outdated": True}, False),
    (rule("require_up_to_date_change_request"), (), {}, True),
    (rule("require_change_request_subject"), (), {"subject": " "}, False),
    (rule("require_change_request_description"), (), {}, False),
    (rule("require_change_request_description"), (), {"description": to_document("Why.")}, True),
    (rule("require_author_to_merge"), (), {}, False),
    (rule("require_author_to_merge"), (), {"me": "grace"}, True),
    (rule("require_agent_review"), (), {}, False),
    (rule("custom", expression="true"), (), {}, True),
    (rule("custom", expression="reviews[0].status === 'approved'"), (review(ADA, "approved"),), {}, True),
    (rule("custom", expression="actor.id !== changeRequest.createdBy.id"), (), {"me": "grace"}, False),
    (rule("custom", expression="space.title === 'Docs'"), (), {}, None),
    (rule("custom", expression="space.title === 'Docs'"), (), {"space": Space(id="s", title="Docs")}, True),
    (rule("custom", expression="only the platform reads this"), (), {}, None),
    (rule("something_new"), (), {}, None),
]


@pytest.mark.parametrize(("one", "reviews", "values", "met"), CASES)
def test_each_rule_is_met_or_not(
    one: MergeRule, reviews: tuple[Review, ...], values: dict[str, Any], met: bool | None
) -> None:
    found = checks(one, reviews=reviews, **values)
    assert found[-1].met is met
    assert (obstacle(found) is None) is (met is not False)


def test_what_is_not_met_names_the_action_that_mends_it_and_the_rules_own_words() -> None:
    found = checks(rule("require_at_least_one_review", message="Two eyes see more"))[-1]
    assert found.remedy == "review.submit"
    assert found.says == "No reviews yet (Two eyes see more)"


def test_who_may_pass_over_the_rules_is_not_held_up_by_them() -> None:
    found = checks(rule("require_at_least_one_review"), rule("allow_bypass", users=("ada",)))
    assert obstacle(found) is None
    assert obstacle(checks(rule("require_at_least_one_review"), rule("allow_bypass", users=("grace",)))) is not None


def test_state_role_and_conflicts_hold_up_whatever_the_rules_say() -> None:
    assert obstacle(checks(status="archived")) == "It is archived"
    assert obstacle(checks(may_merge=False)) == "Your role may not merge"
    assert obstacle(checks(outdated=True, conflicts=2)) == "It conflicts with main in 2 places"
    assert obstacle(checks(conflicts=1, resolving=True)) == "One conflict is not resolved"
    assert obstacle(checks(outdated=True, conflicts=0)) is None
    assert obstacle(checks(outdated=True)) is None
