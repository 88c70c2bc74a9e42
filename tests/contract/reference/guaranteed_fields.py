"""A check of responses against the fields they always have, by ``guaranteed_fields.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from contract.reference.make_guaranteed_fields import ALWAYS, Form
from recto.contract import (
    adaptive,
    agent_instructions,
    change_requests,
    changes,
    collections,
    comments,
    common,
    content,
    links,
    members,
    merge_rules,
    organizations,
    publishing,
    redirects,
    reviews,
    search,
    share_links,
    sign_on,
    sites,
    spaces,
    specifications,
    structure,
    teams,
    translations,
)
from recto.contract.model import Model
from recto.contract.operation import Route

COLUMNS = ("older", "newer")

ROWS: dict[str, dict[str, Form]] = json.loads(ALWAYS.read_text(encoding="utf-8"))

_REFERENCES = {
    "anchor": "ContentRefAnchor",
    "collection": "ContentRefCollection",
    "file": "ContentRefFile",
    "openapi": "ContentRefOpenAPI",
    "page": "ContentRefPage",
    "reusable-content": "ContentRefReusableContent",
    "space": "ContentRefSpace",
    "url": "ContentRefURL",
    "user": "ContentRefUser",
}
_LOCATIONS = {
    "collection": "ContentLocationCollection",
    "file": "ContentLocationFile",
    "openapi": "ContentLocationOpenAPI",
    "page": "ContentLocationPage",
    "reusable-content": "ContentLocationReusableContent",
    "space": "ContentLocationSpace",
    "url": "ContentLocationURL",
    "user": "ContentLocationUser",
}
_BY_KIND: dict[type[Model], tuple[str, dict[str, str]]] = {
    **dict.fromkeys(
        (
            common.AnchorReference,
            common.CollectionReference,
            common.FileReference,
            common.OpenApiReference,
            common.OtherReference,
            common.PageReference,
            common.ReusableContentReference,
            common.SpaceReference,
            common.UrlReference,
            common.UserReference,
        ),
        ("kind", _REFERENCES),
    ),
    links.LinkLocation: ("kind", _LOCATIONS),
    links.ReferencedContent: ("kind", _LOCATIONS),
    links.VersionContext: (
        "type",
        {"changeRequest": "ContentLocationChangeRequestContext", "revision": "ContentLocationRevisionContext"},
    ),
}
"""The models of which a constant says which row it is: the field that holds it, and the rows."""

BY_MODEL: dict[type[Model], str] = {
    adaptive.AdaptiveSchema: "SiteAdaptiveSchema",
    adaptive.TemplateCondition: "SiteAdaptiveTemplateCondition",
    agent_instructions.Instructions: "OrganizationAgentInstructions",
    change_requests.ChangeRequest: "ChangeRequest",
    change_requests.Contributor: "UserContributor",
    changes.ChangedFile: "ChangedRevisionFile",
    changes.ChangedPage: "ChangedRevisionPage",
    changes.ChangedReusableContent: "ChangedRevisionReusableContent",
    changes.Changes: "RevisionSemanticChanges",
    changes.FileChanged: "RevisionSemanticChange",
    changes.OtherChange: "RevisionSemanticChange",
    changes.PageCreatedOrDeleted: "RevisionSemanticChange",
    changes.PageEdited: "RevisionSemanticChange",
    changes.PageMoved: "RevisionSemanticChange",
    changes.ReusableContentChanged: "RevisionSemanticChange",
    changes.VariablesEdited: "RevisionSemanticChange",
    collections.Collection: "Collection",
    comments.Comment: "Comment",
    comments.CommentReply: "CommentReply",
    comments.Reaction: "EmojiReaction",
    comments.TableCell: "TableCellTarget",
    common.User: "User",
    content.File: "RevisionFile",
    content.GitObject: "GitSyncBlob",
    content.Page: "RevisionPage",
    content.PageCover: "RevisionPageDocumentCover",
    content.PageLayout: "RevisionPageLayoutOptions",
    content.ReusableContent: "RevisionReusableContent",
    content.Revision: "Revision",
    content.RevisionGit: "GitSyncCommit",
    search.SearchHit: "SearchPageResult",
    search.SearchSection: "SearchSectionResult",
    links.ContentLink: "ContentReferenceUsage",
    links.LinkStats: "ContentReferencesStats",
    members.Member: "OrganizationMember",
    members.MemberSpace: "MemberContentPermission",
    merge_rules.MergeRule: "MergeRule",
    merge_rules.MergeRules: "MergeRulesSpaceConfiguration",
    organizations.DefaultContent: "OrganizationDefaultContent",
    organizations.Organization: "Organization",
    publishing.PublishedSite: "PublishedContentSite",
    redirects.Redirect: "SiteRedirect",
    redirects.RedirectDestination: "SiteRedirectDestination",
    reviews.RequestedReviewer: "ChangeRequestRequestedReviewer",
    reviews.Review: "ChangeRequestReview",
    search.SpaceSearchHits: "SearchSpaceResult",
    share_links.ShareLink: "ShareLink",
    sign_on.SamlProvider: "OrganizationSAMLProvider",
    specifications.Specification: "OpenAPISpec",
    specifications.SpecificationError: "OpenAPIErrorObject",
    specifications.SpecificationVersion: "OpenAPISpecVersion",
    specifications.VersionContent: "OpenAPISpecContent",
    sign_on.SsoLogin: "OrganizationSSOProviderLogin",
    sites.AdaptiveContent: "SiteAdaptiveContent",
    sites.Site: "Site",
    sites.SiteAds: "SiteAds",
    sites.SiteFeature: "SiteFeature",
    sites.SiteProxy: "SiteProxy",
    spaces.GitSync: "GitSyncState",
    spaces.Space: "Space",
    spaces.VisitorAuth: "VisitorAuth",
    structure.SiteSection: "SiteSection",
    structure.SiteSectionGroup: "SiteSectionGroup",
    structure.SiteSpace: "SiteSpace",
    structure.SiteStructure: "SiteStructure",
    teams.Team: "OrganizationTeam",
    teams.TeamMember: "OrganizationTeamMember",
    teams.TeamMembership: "TeamMember",
    translations.Translation: "Translation",
    translations.TranslationResult: "TranslationResult",
    translations.TranslationSource: "TranslationSource",
}


def missing_fields(operation: Route, answer: bytes) -> list[str]:
    """Return the guaranteed fields that a response lacks, by either column; each once."""
    raw = json.loads(answer)
    read = TypeAdapter(operation.response).validate_json(answer)
    return list(dict.fromkeys(lack for column in COLUMNS for lack in _list_missing(read, raw, column, "")))


def row_of(model: type[Model], raw: Mapping[str, Any]) -> str | None:
    """Return the name of the row that an object of a model is held to."""
    if model in _BY_KIND:
        field, rows = _BY_KIND[model]
        return rows.get(raw.get(field, ""))
    found = (BY_MODEL[each] for each in model.__mro__ if each in BY_MODEL)
    return next(found, None)


def _list_missing(read: Any, raw: Any, column: str, place: str) -> Iterator[str]:
    """Go through a response, as parsed and as received, side by side."""
    if isinstance(read, Model):
        row = row_of(type(read), raw)
        if row is not None and not _is_only_newer(row, raw, column):
            yield from (f"{column}: {row}{lack}" for lack in _amiss(ROWS[row][column], raw, column))
        if isinstance(read, adaptive.AdaptiveSchema):
            schema, form = raw["jsonSchema"], ROWS["SiteAdaptiveJSONSchema"][column]
            yield from (f"{column}: the schema{lack}" for lack in _amiss(form, schema, column))
            for name, claim in schema["properties"].items():
                yield from _list_missing_of_claim(name, claim, column)
        elif type(read) in _BY_KIND and row is None:
            yield f"{column}: no {type(read).__name__} is such as {raw}"
        for name in read.model_fields_set:
            field = type(read).model_fields.get(name)
            wire = field.alias if field is not None and field.alias else name
            if wire in raw:
                yield from _list_missing(getattr(read, name), raw[wire], column, f"{place}.{wire}")
    elif isinstance(read, dict):
        for name, value in read.items():
            yield from _list_missing(value, raw.get(name), column, f"{place}.{name}")
    elif isinstance(read, (list, tuple)):
        for one, its in zip(read, raw, strict=True):
            yield from _list_missing(one, its, column, f"{place}[]")


def _list_missing_of_claim(name: str, claim: dict[str, Any], column: str) -> Iterator[str]:
    form = ROWS["SiteAdaptiveJSONSchemaClaimsProperties"][column]
    yield from (f"{column}: the claim {name}{lack}" for lack in _amiss(form, claim, column))
    for inner, within in claim.get("properties", {}).items():
        yield from _list_missing_of_claim(f"{name}.{inner}", within, column)
    if "items" in claim:
        yield from _list_missing_of_claim(f"{name}[]", claim["items"], column)


def _is_only_newer(row: str, raw: Mapping[str, Any], column: str) -> bool:
    """Whether an object is of a kind that the older list has not, such as a redirect to another site."""
    older, newer = (ROWS[row][each].get("one of") for each in COLUMNS)
    if column == "newer" or older == newer or "always" in ROWS[row][column]:
        return False
    return bool(list(_amiss(ROWS[row]["older"], raw, "older"))) and not list(_amiss(ROWS[row]["newer"], raw, "newer"))


def _amiss(form: Form, raw: Any, column: str) -> Iterator[str]:
    """Yield what is amiss with an object by a form, as what can be put behind the name of the object."""
    if not isinstance(raw, dict):
        yield f" is {raw!r}, not an object"
        return
    for name in form.get("always", ()):
        if name not in raw:
            yield f".{name} is left out"
    for name, constant in form.get("constants", {}).items():
        if name in raw and raw[name] != constant:
            yield f".{name} is {raw[name]!r}, not {constant!r}"
    for name, inside in {**form.get("inside", {}), **form.get("where", {})}.items():
        if name in raw:
            yield from (f".{name}{lack}" for lack in _amiss(inside, raw[name], column))
    for name, each in form.get("each", {}).items():
        for one in raw.get(name, ()):
            yield from (f".{name}[]{lack}" for lack in _amiss(each, one, column))
    for alternatives in form.get("one of", ()):
        forms = [form for each in alternatives for form in _resolve(each, column)]
        fitting = [each for each in forms if not list(_amiss(each, raw, column))]
        meant = [each for each in forms if each.get("constants") and _has(raw, each["constants"])]
        if meant:
            if not any(each in fitting for each in meant):
                yield from _amiss(meant[0], raw, column)
        elif fitting:
            continue
        elif any(each.get("constants") for each in forms):
            yield f" is none of its alternatives: {raw}"
        elif any(raw.keys() & set(each["always"]) for each in forms):
            yield f" has only some of {forms[0]['always']}"


def _resolve(alternative: Form | str, column: str) -> list[Form]:
    """Return the forms that an alternative stands for: a row that is itself one of several stands for all of them.

    A row that is not in the list has nothing that is always there.
    """
    if not isinstance(alternative, str):
        return [alternative]
    form = ROWS.get(alternative, {}).get(column, {})
    if "always" in form or "one of" not in form:
        return [form]
    return [each for group in form["one of"] for one in group for each in _resolve(one, column)]


def _has(raw: Mapping[str, Any], constants: Mapping[str, Any]) -> bool:
    return all(raw.get(name) == constant for name, constant in constants.items())
