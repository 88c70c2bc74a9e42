from __future__ import annotations

import pytest
from pydantic import ValidationError

from recto.contract.misfit import misfit
from recto.contract.organizations import UpdateOrganization
from recto.contract.spaces import CreateSpace


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ('{"title": 3}', "title: must be a string"),
        ('{"title": "x", "colour": "red"}', "colour: is not a field of this request"),
        ('{"editMode": "open", "emoji": false}', "emoji: must be a string; editMode: one of 'live' or 'locked'"),
        ("[]", "The body: must be an object"),
        ("{", "The body is not valid JSON: EOF while parsing an object at line 1 column 1"),
    ],
)
def test_each_field_that_is_wrong_is_named(sent: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        CreateSpace.model_validate_json(sent, strict=True, by_alias=True, by_name=False)
    assert misfit(caught.value, "The body") == said


def test_a_kind_that_is_spelled_like_its_field_is_named_once() -> None:
    with pytest.raises(ValidationError) as caught:
        UpdateOrganization.model_validate_json('{"defaultContent": {"type": "site"}, "emailDomains": ["a", 1]}')
    said = "emailDomains[0]: must be a domain such as example.org; emailDomains[1]: must be a string"
    assert misfit(caught.value, "The body") == f"{said}; defaultContent.site: is required"
