from __future__ import annotations

from typing import Any

import pytest

from recto.document.expressions.claims import Verdicts, claims, condition_fault, depends_on, unknown_in_condition
from recto.document.expressions.language import Expression

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "unsigned": {"type": "object", "properties": {"beta": {"type": "boolean", "description": "Tries new things"}}},
        "plan": {"type": "string", "enum": ["free", "pro"]},
        "groups": {"type": "array", "items": {"type": "string"}},
        "two words": {"type": "number"},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def test_claims_are_listed_with_their_place_kind_and_values() -> None:
    found = {claim.expression: claim for claim in claims(SCHEMA)}
    assert list(found) == [
        "visitor.claims.unsigned.beta",
        "visitor.claims.plan",
        "visitor.claims.groups",
        'visitor.claims["two words"]',
        "visitor.claims.address.city",
    ]
    beta, plan, groups, *_ = found.values()
    assert (beta.kind, beta.is_unsigned, beta.description) == ("boolean", True, "Tries new things")
    assert (plan.values, plan.is_unsigned, groups.kind) == (("free", "pro"), False, "string[]")


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": {"a": 1, "b": {"type": "array"}}}])
def test_what_is_not_as_a_schema_should_be_is_passed_over(schema: dict[str, Any]) -> None:
    assert [claim.expression for claim in claims(schema)] == (["visitor.claims.b"] if schema.get("properties") else [])


@pytest.mark.parametrize(
    ("condition", "remark"),
    [
        ("visitor.claims.unsigned.beta", None),
        ("visitor.claims.plan == 'pro' && visitor.claims.groups.includes('x')", None),
        ('visitor.claims["two words"] > 3', None),
        ("visitor.claims.groups.length > 1", None),
        (
            "visitor.claims.plann == 'pro'",
            "“visitor.claims.plann” is not in the adaptive schema; “visitor.claims.plan” is.",
        ),
        ("visitor.claims.address.zip", "“visitor.claims.address.zip” is not in the adaptive schema."),
        ("!(true || space.vars.x)", "“space.vars.x” is undefined: a condition knows only visitor.claims."),
        ("visitor.claim.plan", "“visitor.claim.plan” is undefined: a condition knows only visitor.claims."),
        ("visitor.claims.", None),
    ],
)
def test_names_that_the_schema_does_not_have_are_remarked_on(condition: str, remark: str | None) -> None:
    assert unknown_in_condition(condition, SCHEMA) == remark


def test_a_condition_that_cannot_be_read_says_where() -> None:
    assert condition_fault("  ") is None
    assert condition_fault("visitor.claims.beta") is None
    assert condition_fault("visitor.claims.") == "A name is missing before the end (character 16)."


def test_a_changed_claim_evaluates_only_the_conditions_that_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[str] = []
    evaluate = Expression.evaluate

    def count_all(expression: Expression, names: Any) -> Any:
        evaluated.append(expression.text)
        return evaluate(expression, names)

    monkeypatch.setattr(Expression, "evaluate", count_all)
    beta, plan, both = "visitor.claims.unsigned.beta", "visitor.claims.plan == 'pro'", "!visitor.claims"
    other = "!space.vars.x"
    verdicts = Verdicts()

    def is_met(visitor: dict[str, Any]) -> list[bool]:
        verdicts.visitor = visitor
        evaluated.clear()
        return [verdicts.is_met(condition) for condition in (beta, plan, both, other, "visitor.")]

    assert is_met({"plan": "pro"}) == [False, True, False, True, False]
    assert evaluated == [beta, plan, both, other]
    assert is_met({"plan": "pro"}) == [False, True, False, True, False]
    assert evaluated == []
    assert is_met({"plan": "pro", "unsigned": {"beta": True}}) == [True, True, False, True, False]
    assert evaluated == [beta, both]
    # A claim of another kind is another claim, though Python takes the values to be equal.
    assert is_met({"plan": "pro", "unsigned": {"beta": 1}})[:2] == [True, True]
    assert evaluated == [beta, both]


def test_a_condition_depends_on_the_claims_that_it_names() -> None:
    plan = next(claim for claim in claims(SCHEMA) if claim.path[-1] == "plan")
    assert depends_on("visitor.claims.plan == 'pro'", plan)
    assert not depends_on("visitor.claims.planet || visitor.", plan)
    assert not depends_on("visitor.claims.planet", plan)
