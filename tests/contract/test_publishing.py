"""What hosted services answer about sites is read, also where it is more than the embedded platform says."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from recto.contract.adaptive import AdaptiveSchema
from recto.contract.operation import Operation
from recto.contract.publishing import Checkout, PublishedSite, Publishing
from recto.contract.redirects import Redirect
from recto.contract.share_links import ShareLink
from recto.contract.sites import Site, SiteIcon


def test_publishing_may_be_answered_with_a_checkout() -> None:
    assert isinstance(Publishing.publish_site, Operation)
    answer = TypeAdapter(Publishing.publish_site.response)
    checkout = answer.validate_python({"type": "checkout", "sessionId": "cs_1"})
    assert (type(checkout), checkout.session_id) == (Checkout, "cs_1")
    site = answer.validate_python({"object": "site", "id": "site_1", "type": "premium", "published": True})
    assert (type(site), site.published) == (Site, True)


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        (AdaptiveSchema, {"jsonSchema": {"properties": {"language": {"type": "string", "enum": ["en", "fr"]}}}}),
        (Redirect, {"id": "r", "source": "/a*", "destination": {"kind": "site-home"}, "draft": True}),
        (Redirect, {"id": "r"}),
        (ShareLink, {"id": "l", "urls": {"published": "/relative?key=1"}, "views": 7}),
        (PublishedSite, {"structure": {"type": "pages", "structure": []}, "scripts": [{"src": "x"}], "share": "k"}),
        (Site, {"id": "s", "visibility": "nobody", "hostname": "localhost", "proxy": {"target": "/docs"}}),
    ],
)
def test_unknown_values_pass_through(model: type[BaseModel], answer: dict[str, object]) -> None:
    assert model.model_validate(answer).model_dump(mode="json", by_alias=True, exclude_unset=True).items() >= (
        answer.items()
    )


@pytest.mark.parametrize("icon", ["emoji", None, {"icon": {"light": "https://a.example/l", "dark": None}}])
def test_an_icon_is_an_address_or_a_word_or_nothing(icon: object) -> None:
    found = Site.model_validate({"id": "s", "icon": icon}).icon
    assert found == icon or isinstance(found, SiteIcon)


def test_a_site_needs_an_id() -> None:
    with pytest.raises(ValidationError):
        Site.model_validate({"title": "Docs"})
