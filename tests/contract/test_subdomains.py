from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from recto.contract.subdomains import OrganizationTarget, OtherTarget, Subdomain


def made(name: str) -> Subdomain:
    target = {"type": "organization", "organization": "o1"}
    return Subdomain.model_validate_json(json.dumps({"subdomain": name, "target": target, "isActive": True}))


@pytest.mark.parametrize("name", ["abc", "a-c", "0--9", "a" * 32, f"{'a' * 15}-{'b' * 16}"])
def test_a_name_at_the_edge_is_taken(name: str) -> None:
    found = made(name)
    assert (found.subdomain, found.is_active) == (name, True)
    assert json.loads(found.wire()) == {
        "object": "subdomain",
        "subdomain": name,
        "target": {"type": "organization", "organization": "o1"},
        "isActive": True,
    }


@pytest.mark.parametrize("name", ["", "ab", "a" * 33, "-bc", "ab-", "Abc", "a_c", "a.c", "äbc", "abc\n", "a c"])
def test_a_name_past_the_edge_is_none(name: str) -> None:
    with pytest.raises(ValidationError, match="subdomain"):
        made(name)


@pytest.mark.parametrize("missing", ["subdomain", "target", "isActive"])
def test_what_makes_a_subdomain_is_required(missing: str) -> None:
    whole = {"subdomain": "abc", "target": {"type": "organization", "organization": "o1"}, "isActive": False}
    with pytest.raises(ValidationError, match=missing):
        Subdomain.model_validate({name: value for name, value in whole.items() if name != missing})


def test_what_it_leads_to_may_be_of_a_kind_that_nobody_has_named() -> None:
    sent = {"subdomain": "abc", "target": {"type": "site", "site": "s1"}, "isActive": False}
    found = Subdomain.model_validate(sent)
    assert isinstance(found.target, OtherTarget)
    assert json.loads(found.wire()) == {"object": "subdomain"} | sent
    assert isinstance(made("abc").target, OrganizationTarget)
