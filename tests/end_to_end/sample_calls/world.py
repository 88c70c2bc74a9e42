"""A workspace in which everything can be done that the API offers, and people of each role who try it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

from end_to_end.scenarios.world import fill
from recto.server.context import Context
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.platform import Speaker, wait_for_jobs

PEOPLE: Final = (*ROLES, "guest", "stranger")
"""Who tries each sample: a member of each role, a member without one, and a user of no organization."""

Known = Mapping[str, str]
"""The ids of what is in the workspace, by the names of the path parameters and by names of our own."""

_DOCUMENT = {
    "object": "document",
    "data": {"schemaVersion": 1},
    "nodes": [
        {
            "object": "block",
            "type": "paragraph",
            "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "Be kind.", "marks": []}]}],
        }
    ],
}


def prepare(path: Path) -> Known:
    """Make the workspace in a file and return what is in it."""
    places = asdict(fill(path))
    platform = Platform.open(path)
    try:
        known = {f"{name}_id": place for name, place in places.items()}
        known |= {"space_id": places["manual"], "collection_id": places["shelf"], "file_id": places["logo"]}
        platform.database.write_now(partial(_connect_with_git, space=places["manual"]))
        known |= platform.database.write_now(
            lambda connection: _people(platform.context(connection), places["organization"])
        )
        known |= {"page_id": "start", "page_path": "setup/cables", "email_domain": "example.org", "ref": "logo"}
        return asyncio.run(_fill(platform, known))
    finally:
        platform.close()


def token_of(person: str) -> str:
    """Return the token of one of the people."""
    return f"token-of-{person}"


def admit_people(platform: Platform, known: Known) -> None:
    """Let the people speak to a platform that is open on a copy of the workspace."""
    for person in PEOPLE:
        platform.admit(token_of(person), known[f"user:{person}"])


def _connect_with_git(connection: Connection, space: str) -> None:
    connection.insert(
        "git_syncs",
        space=space,
        address="https://git.example/docs.git",
        ref="refs/heads/main",
        directory="",
        repo_name="docs",
        provider="github-legacy",
        url="https://git.example/docs",
        updated_at="2026-05-04T10:00:00.000Z",
    )


def _people(context: Context, organization: str) -> dict[str, str]:
    found: dict[str, str] = {}
    elsewhere = directory.create_organization(context, "Elsewhere")
    directory.add_member(context, elsewhere, context.caller, "admin")
    for person in PEOPLE:
        user = directory.create_user(context, person.title(), f"{person}@example.org")
        found[f"user:{person}"] = user
        if person != "stranger":
            directory.add_member(context, organization, user, next((role for role in ROLES if role == person), None))
    directory.add_member(context, elsewhere, found["user:admin"], "admin")
    return found | {"elsewhere_id": elsewhere, "user_id": found["user:edit"]}


async def _fill(platform: Platform, known: dict[str, str]) -> Known:
    """Make one thing of each kind, each as a person may who has the least role for it."""
    admit_people(platform, known)
    ada = Speaker(platform)
    commentator = Speaker(platform, known["user:comment"])
    organization, space = f"/orgs/{known['organization_id']}", f"/spaces/{known['space_id']}"
    site = f"{organization}/sites/{known['site_id']}"
    await ada.send("PATCH", organization, {"emailDomains": ["example.org"], "inviteLinks": True})
    await ada.send("PUT", f"{organization}/agent-instructions", {"instructions": _DOCUMENT})
    known |= await _make_in_organization(ada, organization, known)
    known |= await _make_specification(platform, ada, organization)
    known |= await _make_on_site(ada, site, known)
    known |= await _make_in_space(ada, commentator, space, known)
    return known


async def _make_in_organization(ada: Speaker, organization: str, known: Known) -> dict[str, str]:
    team = await ada.send("PUT", f"{organization}/teams", {"title": "Crew", "members": [known["user:edit"]]}, 201)
    provider = await ada.send("POST", f"{organization}/saml", {"label": "Login"}, 201)
    invite = await ada.send("POST", f"{organization}/link-invites", {"role": "read"})
    deleted = await ada.send("POST", f"{organization}/spaces", {"title": "Thrown away"}, 201)
    loose = await ada.send("POST", f"{organization}/spaces", {"title": "Loose"}, 201)
    portable = await ada.send("POST", f"{organization}/spaces", {"title": "Portable"}, 201)
    await ada.send("DELETE", f"/spaces/{deleted['id']}", status=204)
    french = {"source": {"space": known["manual_id"], "language": "en"}, "language": "fr", "instructions": _DOCUMENT}
    translation = await ada.send("POST", f"{organization}/translations", french, 201)
    return {
        "translation_id": translation["id"],
        "team_id": team["id"],
        "saml_provider_id": provider["id"],
        "invite_id": invite["id"],
        "deleted_id": deleted["id"],
        "loose_id": loose["id"],
        "portable_id": portable["id"],
    }


async def _make_specification(platform: Platform, ada: Speaker, organization: str) -> dict[str, str]:
    text = '{"openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "paths": {}}'
    await ada.send("PUT", f"{organization}/openapi/pets", {"source": {"text": text}}, 201)
    await wait_for_jobs(platform)
    version = await ada.get(f"{organization}/openapi/pets/versions/latest")
    return {"spec_slug": "pets", "version_id": version["id"]}


async def _make_on_site(ada: Speaker, site: str, known: Known) -> dict[str, str]:
    link = await ada.send("POST", f"{site}/share-links", {"name": "For friends"}, 201)
    external = {"kind": "external", "url": "https://a.example/"}
    redirect = await ada.send("POST", f"{site}/redirects", {"source": "/old", "destination": external}, 201)
    site_spaces = (await ada.get(f"{site}/site-spaces"))["items"]
    of = {each["space"]["id"]: each["id"] for each in site_spaces}
    grouped = await ada.send("POST", f"{site}/sections", {"spaceId": known["loose_id"], "title": "Grouped"}, 201)
    await ada.send("POST", f"{site}/section-groups/{known['group_id']}/sections", {"sectionId": grouped["id"]}, 201)
    further = await ada.send("POST", f"{site}/section-groups", {"title": "Further"}, 201)
    await ada.send("POST", f"{site}/publish")
    return {
        "share_link_id": link["id"],
        "site_redirect_id": redirect["id"],
        "site_space_id": of[known["manual_id"]],
        "other_site_space_id": of[known["blog_id"]],
        "site_section_id": known["guide_id"],
        "other_section_id": known["reference_id"],
        "grouped_section_id": grouped["id"],
        "site_section_group_id": known["group_id"],
        "other_group_id": further["id"],
    }


async def _make_in_space(ada: Speaker, commentator: Speaker, space: str, known: Known) -> dict[str, str]:
    """Make a change request with an edited page, talk on it and on the space, and a requested reviewer."""
    request = await ada.send("POST", f"{space}/change-requests", {"subject": "Say more"}, 201)
    path = f"{space}/change-requests/{request['id']}"
    file = {"name": "note.txt", "contentType": "text/plain", "base64": base64.b64encode(b"A note.").decode()}
    changes = [
        {"operation": "update_page", "page": known["page_id"], "document": {"markdown": "# Start\n\nMore.\n"}},
        {"operation": "insert_files", "files": [file]},
    ]
    await ada.send("POST", f"{path}/content", {"changes": changes})
    await ada.send("PATCH", path, {"status": "open"})
    await ada.send("POST", f"{path}/requested-reviewers", {"users": [known["user:review"]]})
    found = {"change_request_id": request["id"], "revision_id": (await ada.get(space))["revision"]}
    for where, name in ((space, ""), (path, "proposal_")):
        comment = await commentator.send("POST", f"{where}/comments", {"body": {"markdown": "Well."}, "page": "start"})
        reply = await commentator.send(
            "POST", f"{where}/comments/{comment['id']}/replies", {"body": {"markdown": "Yes."}}
        )
        found |= {f"{name}comment_id": comment["id"], f"{name}comment_reply_id": reply["id"]}
    return found


def fill_in(template: Any, known: Known) -> Any:
    """Return a body or query in which each ``"{name}"`` is what is known by that name."""
    if isinstance(template, str):
        if template.startswith("{") and template.endswith("}"):
            return known[template[1:-1]]
        return template
    if isinstance(template, dict):
        return {fill_in(name, known): fill_in(value, known) for name, value in template.items()}
    return [fill_in(each, known) for each in template] if isinstance(template, list) else template
