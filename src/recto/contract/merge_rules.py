"""Rules that a change request must meet before it may be merged."""

from typing import Annotated, Literal

from pydantic import Field

from recto.contract.model import LEFT_OUT, Body, Model

RuleName = Literal[
    "require_specific_reviewers",
    "require_one_of_specific_reviewers",
    "allow_bypass",
    "require_at_least_one_review",
    "require_at_least_one_approved_review",
    "require_all_reviews_approved",
    "require_up_to_date_change_request",
    "require_change_request_subject",
    "require_change_request_description",
    "require_author_to_merge",
    "require_agent_review",
    "custom",
]


class MergeRule(Model):
    """A rule: ``users`` go with the rules that name reviewers and bypasses, ``expression`` with ``custom``."""

    rule: RuleName | str
    users: tuple[str, ...] = ()
    expression: str | None = None
    message: str | None = None


class MergeRules(Model):
    """The rules of an organization or a space: ``inherit``, ``none``, or ``rules`` that must pass in order."""

    type: Literal["inherit", "none", "rules"] | str
    rules: tuple[MergeRule, ...] = ()


class MergeRuleBody(Body):
    """A rule to set."""

    rule: RuleName
    users: Annotated[tuple[str, ...], Field(max_length=100)] = LEFT_OUT
    expression: Annotated[str, Field(max_length=1024)] = LEFT_OUT
    message: Annotated[str, Field(max_length=512)] = LEFT_OUT


class MergeRulesBody(Body):
    """The rules, to be set."""

    type: Literal["inherit", "none", "rules"]
    rules: Annotated[tuple[MergeRuleBody, ...], Field(max_length=50)] = LEFT_OUT


class OrganizationMergeRulesBody(MergeRulesBody):
    """The rules of an organization, which has none to inherit, to be set."""

    type: Literal["none", "rules"]
