"""Forms as values: what follows from a body's model, what is sent, and what is wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from recto.client.responses import Responses
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.sign_on import SamlProvider, UpdateSamlProvider
from recto.contract.sites import CreateSite
from recto.contract.spaces import CreateSpace, Space, UpdateSpace
from recto.contract.teams import CreateTeam, Team
from recto.store.mutation import Outcome
from recto.tui.dialogs.choose import Choice
from recto.tui.forms.form import WHOLE, Field, FieldKind, Filling, Form, FormState
from recto.tui.forms.merge_rules import merge_rules_field

SPACE = Form(
    "space",
    UpdateSpace,
    Field("title", required=True),
    Field("edit_mode", choices={"live": "changed at once"}),
    Field("default_level", none="no access"),
    Field("language"),
    Field("emoji"),
    Field("icon"),
)
ORGANIZATION = Form("organization", UpdateOrganization, Field("email_domains"), Field("sso"), Field("logo"))
NEW_SPACE = Form("new-space", CreateSpace, Field("title", required=True), Field("language"), Field("edit_mode"))


async def nowhere(body: Any) -> Outcome[None] | None:
    return None


def state(form: Form[Any], thing: object | None = None, **given: Any) -> FormState[Any]:
    return FormState(Filling(form, nowhere, thing=thing, **given))


def test_kinds_choices_limits_and_what_is_required_follow_from_the_model() -> None:
    assert [SPACE.kind(name) for name in SPACE.fields] == [
        *(FieldKind.LINE, FieldKind.CHOICE, FieldKind.CHOICE, FieldKind.LINE, FieldKind.LINE, FieldKind.LINE)
    ]
    assert [ORGANIZATION.kind(name) for name in ORGANIZATION.fields] == [
        FieldKind.WORDS,
        FieldKind.SWITCH,
        FieldKind.LINE,
    ]
    assert SPACE.limit("title") == 50
    assert SPACE.limit("icon") == 2048
    assert SPACE.fields["edit_mode"].choices == {"live": "changed at once", "locked": ""}
    assert SPACE.takes_none("default_level")
    assert not SPACE.takes_none("language")
    assert Form("team", CreateTeam, Field("title")).fields["title"].required
    assert not Form("site", CreateSite, Field("title")).fields["title"].required


def test_of_something_known_only_what_was_changed_is_sent() -> None:
    filling = state(SPACE, Space(id="1", title="Guide", emoji="📘", default_level="read"))
    assert filling.changed == []

    filling.put("title", "Manual")

    assert filling.changed == ["title"]
    assert filling.body is not None
    assert filling.body.to_json() == b'{"title":"Manual"}'


def test_what_is_cleared_is_null_where_the_body_takes_it() -> None:
    filling = state(SPACE, Space(id="1", title="Guide", emoji="📘", default_level="read", language="en"))

    filling.put("emoji", "")
    filling.put("default_level", "")
    assert filling.body is not None
    assert filling.body.to_json() == b'{"defaultLevel":null,"emoji":null}'

    filling.put("language", "")
    assert filling.faults == {"language": "the API cannot clear it; type another value"}
    filling.put("title", " ")
    assert filling.faults["title"] == "cannot be empty"
    assert filling.body is None


def test_the_form_refuses_to_clear_fields_that_the_api_cannot_clear() -> None:
    form = Form(
        "provider",
        UpdateSamlProvider,
        Field("entity_id"),
        Field("default_team", kind=FieldKind.CHOICE, none="no team", read=lambda one: one.default_team.id),
    )
    provider = SamlProvider(id="p", entity_id="urn:x", default_team=Team(id="t", title="Writers"))
    filled = state(form, provider)

    filled.put("entity_id", "")
    assert filled.faults == {"entity_id": "the API cannot clear it; type another value"}
    assert filled.body is None
    filled.put("entity_id", "urn:y")
    assert filled.faults == {}
    assert filled.choices("default_team")[0] == Choice("", "no team", reason="the API cannot clear it")


def test_what_is_new_is_sent_with_what_was_filled_in_and_what_is_given() -> None:
    filling = state(NEW_SPACE, given={"parent": "c1"})
    assert filling.faults == {"title": "cannot be empty"}

    filling.put("title", "Guide")
    filling.put("edit_mode", "locked")

    assert filling.body is not None
    assert filling.body.to_json() == b'{"title":"Guide","parent":"c1","editMode":"locked"}'


def test_limits_are_those_of_the_model_and_named_beside_the_field() -> None:
    filling = state(SPACE, Space(id="1", title="Guide"))

    filling.put("title", "x" * 51)

    assert filling.faults == {"title": "at most 50 characters"}


def test_items_of_a_list_are_words_and_a_wrong_one_is_counted() -> None:
    filling = state(ORGANIZATION, Organization(id="1", email_domains=("example.org",)))
    assert filling.raw["email_domains"] == "example.org"

    filling.put("email_domains", "example.org, example.com  docs.example.net")
    assert filling.body is not None
    assert filling.body.to_json() == b'{"emailDomains":["example.org","example.com","docs.example.net"]}'

    filling.put("email_domains", "example.org, nothing")
    assert filling.faults == {"email_domains": "item 2: must be a domain such as example.org"}


def test_what_concerns_several_fields_stands_below_all_of_them() -> None:
    filling = state(SPACE, Space(id="1", title="Guide"))

    filling.put("emoji", "📘")
    filling.put("icon", "https://example.org/a.png")

    assert filling.faults == {WHOLE: "either emoji or icon"}


def test_a_refusal_stands_beside_the_field_it_names_until_that_is_changed() -> None:
    filling = state(ORGANIZATION, Organization(id="1"))
    filling.put("email_domains", "example.org")

    filling.refuse("emailDomains[0]: belongs to another organization")
    assert filling.faults == {"email_domains": "emailDomains[0]: belongs to another organization"}
    filling.put("sso", True)
    assert list(filling.faults) == ["email_domains"]

    filling.put("email_domains", "example.com")
    assert filling.faults == {}
    filling.refuse("The plan does not allow it.")
    assert filling.failure == "The plan does not allow it."
    assert filling.body is not None


def test_what_others_changed_meanwhile_is_shown_and_what_is_typed_stays() -> None:
    filling = state(SPACE, Space(id="1", title="Guide", emoji="📘", edit_mode="live"))
    filling.put("title", "Manual")

    both = filling.rebase(Space(id="1", title="Handbook", emoji="📗", edit_mode="live"))

    assert both == ["title"]
    assert filling.others == {"title": "Handbook"}
    assert filling.raw["title"] == "Manual"
    assert filling.raw["emoji"] == "📗"
    assert filling.changed == ["title"]


def test_a_text_that_was_saved_without_the_spaces_around_it_is_no_change_of_others() -> None:
    filling = state(SPACE, Space(id="1", title="Guide", edit_mode="live"))
    filling.put("title", "Manual ")

    filling.accept(Space(id="1", title="Manual", edit_mode="live"), dict(filling.raw))

    assert (filling.others, filling.changed, filling.raw["title"]) == ({}, [], "Manual")


async def test_a_list_is_not_sent_while_an_item_of_it_is_unread() -> None:
    form = Form("settings", UpdateOrganization, Field("title"), Field("email_domains"), merge_rules_field(""))
    rules = {"type": "rules", "rules": [{"rule": "require_author_to_merge"}, {"rule": 5, "id": "r9"}]}
    content = json.dumps({"id": "1", "title": "Docs", "emailDomains": ["example.org", 5], "mergeRules": rules})
    thing = await Responses().parse(Organizations.get_organization, "Could not load it.", content.encode())
    filling = state(form, thing)
    assert filling.unread == {"email_domains": "unreadable item", "merge_rules": "unreadable item r9 (rule)"}

    filling.put("title", "Guide")
    assert filling.body is not None
    for name, value in (("email_domains", "example.com"), ("merge_rules", '{"type": "none"}')):
        filling.put(name, value)
        assert filling.body is None
        assert "which would be lost" in filling.faults.pop(name)
        filling.reset(name)
    filling.rebase(thing.model_copy(update={"email_domains": (), "merge_rules": None}))
    assert filling.body is not None


async def test_requested_choices_keep_their_labels_with_what_is_typed() -> None:
    async def find(text: str) -> AsyncIterator[Sequence[Choice]]:
        yield [Choice("u1", "Grace Hopper", "grace@example.org"), Choice("u2", "Rea Reader")]

    team = Form("team", CreateTeam, Field("title"), Field("members", kind=FieldKind.SEVERAL))
    filling = state(team, find={"members": find})
    finder = filling.finder("members")
    assert finder is not None
    assert [len(page) async for page in finder("")] == [2]
    filling.put("members", ("u1",))
    later = state(team, find={"members": find})

    later.load(filling.dump())
    assert [(each.id, each.label) for each in later.choices_made("members")] == [("u1", "Grace Hopper")]
    assert "Rea Reader" not in filling.dump()


def test_what_is_typed_survives_as_a_text() -> None:
    thing = Organization(id="1", email_domains=("example.org",))
    filling = state(ORGANIZATION, thing)
    filling.put("sso", True)
    filling.put("email_domains", "example.com")
    later = state(ORGANIZATION, thing)

    later.load(filling.dump(), filling.dump_base())
    assert later.raw == filling.raw
    assert later.others == {}

    later = state(ORGANIZATION, Organization(id="1", email_domains=("example.net",)))
    later.load(filling.dump(), filling.dump_base())
    assert later.others == {"email_domains": "example.net"}

    for broken in ("", "[]", '{"": {"sso": 1}}', '{"": []}', '{"sso": "yes", "unknown": 1}', "\x00"):
        later = state(ORGANIZATION, thing)
        later.load(broken, broken)
        assert later.changed == []
