"""What other services of this kind offer beyond the reference, and what the reference leaves open, by hand."""

from __future__ import annotations

from typing import Any

_SPACE = "/v1/spaces/{spaceId}"
_REQUEST = f"{_SPACE}/change-requests/{{changeRequestId}}"
_REVISION = f"{_SPACE}/revisions/{{revisionId}}"
_ORGANIZATION = "/v1/orgs/{organizationId}"
_SITE = f"{_ORGANIZATION}/sites/{{siteId}}"
_TEAM = f"{_ORGANIZATION}/teams/{{teamId}}"

_ROLES = ["admin", "create", "review", "edit", "comment", "read"]
_YES = {"default": "true", "type": "boolean"}
_READING: dict[str, Any] = {"metadata": _YES, "computed": _YES}
_PAGE: dict[str, Any] = {
    "format": {"values": ["document", "markdown"]},
    "evaluated": {"default": "false", "values": ["true", "false", "deterministic-only"]},
    **_READING,
}
_LIST: dict[str, Any] = {"page": {}, "limit": {"max": 1000}}
_POINTER: dict[str, Any] = {
    "type": {"required": True, "values": ["site-space", "site-section", "site-section-group", "site-external-link"]},
    "id": {"required": True},
}


def _asks(method: str, path: str, status: int, answer: Any, /, **query: Any) -> dict[str, Any]:
    return {"method": method, "path": path, "query": query, "body": {}, "status": status, "answer": answer}


def _sends(method: str, path: str, status: int, answer: Any, /, **body: Any) -> dict[str, Any]:
    return {"method": method, "path": path, "query": {}, "body": body, "status": status, "answer": answer}


def _least_of(**said: Any) -> dict[str, Any]:
    return {"required": True, **said}


def _may(**said: Any) -> dict[str, Any]:
    return {"required": False, **said}


FURTHER: list[dict[str, Any]] = [
    _asks("GET", "/v1/user", 200, {"fields": ["id", "displayName", "email", "photoURL", "urls"]}),
    _sends(
        "POST", f"{_ORGANIZATION}/spaces", 201, {"kind": "Space"},
        title=_may(max=50), emoji=_may(), parent=_may(), language=_may(), editMode=_may(values=["live", "locked"]),
    ),
    _asks("GET", f"{_SPACE}/pdf", 200, {"fields": ["url"]}, only={"type": "boolean"}, page={}),
    _asks("GET", f"{_REQUEST}/changes", 200, {"fields": ["changes", "more"]}, limit={"default": "10"}),
    _asks("GET", f"{_REQUEST}/reviews", 200, {"list": {"fields": [
        "id", "revision", "reviewer", "requestedBy", "status", "outdated", "comment", "createdAt", "updatedAt",
    ]}}, **_LIST, outdated={"type": "boolean"}, format={"values": ["document", "markdown"]}),
    _sends(
        "POST", f"{_REQUEST}/reviews", 201, {"fields": ["id", "revision", "reviewer", "status", "outdated"]},
        status=_least_of(values=["approved", "changes-requested"]), comment=_may(),
    ),
    _asks("GET", f"{_REQUEST}/requested-reviewers", 200, {"list": {"fields": [
        "kind", "user", "revision", "requestedBy", "createdAt",
    ]}}, **_LIST),
    _sends("POST", f"{_REQUEST}/requested-reviewers", 200, {"fields": ["users"]},
           users=_least_of(type="array", min=1), subject=_may(max=100), description=_may(type="Document")),
    _asks("DELETE", f"{_REQUEST}/requested-reviewers/{{userId}}", 204, None),
    _asks("GET", f"{_REQUEST}/contributors", 200,
          {"list": {"fields": ["user", "count", "updatedAt", "actionType"]}}, **_LIST),
    _asks("GET", f"{_REQUEST}/links", 200, {"list": "Link item"}, **_LIST,
          status={"values": ["ok", "broken", "in-app"]}, brokenContext={"values": ["change-request", "space"]}),
    _asks("GET", _REVISION, 200, {"kind": "Revision"}, **_READING),
    _asks("GET", f"{_REVISION}/pages", 200, {"fields": ["pages"]}, **_READING),
    _asks("GET", f"{_REVISION}/files", 200, {"list": "File"}, **_LIST, **_READING),
    _asks("GET", f"{_REVISION}/files/{{fileId}}", 200, {"kind": "File"}, **_READING),
    _asks("GET", f"{_REVISION}/page/{{pageId}}", 200, {"kind": "Page"}, **_PAGE),
    _asks("GET", f"{_REVISION}/path/{{pagePath}}", 200, {"kind": "Page"}, **_PAGE),
    _asks("GET", f"{_REVISION}/changes", 200, {"fields": ["changes", "more"]}, limit={"default": "10"}),
    _asks("GET", f"{_SPACE}/content/path/{{pagePath}}", 200, {"kind": "Page"}, **_PAGE),
    _asks("GET", f"{_REQUEST}/content/path/{{pagePath}}", 200, {"kind": "Page"}, **_PAGE),
    _asks("GET", f"{_SPACE}/content/page/{{pageId}}/backlinks", 200, {"list": {"fields": ["kind"]}}, **_LIST),
    _asks("GET", f"{_REQUEST}/content/page/{{pageId}}/backlinks", 200, {"list": {"fields": ["kind"]}}, **_LIST),
    _asks("GET", f"{_SPACE}/comments/{{commentId}}/replies", 200, {"list": "CommentReply"},
          **_LIST, format={"values": ["document", "markdown"]}),
    _asks("GET", f"{_SPACE}/commenters", 200, {"list": "Member"}, **_LIST),
    _asks("GET", f"{_SITE}/structure", 200, {"fields": ["type", "structure"]}),
    _sends("PATCH", f"{_SITE}/structure/sort", 200, {"fields": ["object", "id", "title"]},
           item=_least_of(fields=_POINTER),
           position=_least_of(fields={"before": _may(fields=_POINTER), "after": _may(fields=_POINTER)})),
    _asks("POST", f"{_SITE}/publish", 200, {"kind": "Site"}),
    _asks("POST", f"{_SITE}/unpublish", 200, {"kind": "Site"}),
    _asks("GET", f"{_TEAM}/members", 200, {"list": {"fields": ["organization", "team", "permissions"]}}, **_LIST),
    _sends("PUT", f"{_TEAM}/members", 204, None,
           add=_may(type="array"), remove=_may(type="array"), memberships=_may()),
    _sends("PUT", f"{_TEAM}/members/{{userId}}", 204, None, role=_may(values=["owner", "member"])),
    _asks("DELETE", f"{_TEAM}/members/{{userId}}", 204, None),
    _asks("GET", f"{_ORGANIZATION}/link-invites", 200, {"list": {"fields": ["id", "role", "level", "redundant"]}},
          **_LIST),
    _sends("POST", f"{_ORGANIZATION}/link-invites", 200, {"fields": ["id", "role", "level", "redundant"]},
           role=_may(values=_ROLES), level=_may(values=_ROLES), space=_may(), collection=_may()),
    _sends("PATCH", f"{_ORGANIZATION}/link-invites/{{inviteId}}", 200, {"fields": ["id", "role", "level"]},
           role=_may(values=_ROLES), level=_may(values=_ROLES), space=_may(), collection=_may()),
    _asks("GET", f"{_SITE}/redirects", 200, {"list": {"fields": ["id", "source", "destination", "permanent"]}},
          **_LIST),
    _sends("POST", f"{_SITE}/redirects", 201, {"fields": ["id", "source", "destination", "permanent"]},
           source=_least_of(max=512), destination=_least_of(), permanent=_may()),
    _sends("PATCH", f"{_SITE}/redirects/{{siteRedirectId}}", 200, {"fields": ["id", "source", "destination"]},
           source=_may(max=512), destination=_may(), permanent=_may()),
    _asks("DELETE", f"{_SITE}/redirects/{{siteRedirectId}}", 204, None),
    {
        "method": "POST", "path": f"{_REQUEST}/content", "query": {"compat": _YES}, "status": 200,
        "body": {"changes": _least_of(type="array", min=1, max=50)}, "answer": None,
    },
]  # fmt: skip
"""The further operations, as the table holds those of the reference; the PDF of a space comes with the other one."""

STATUS: dict[tuple[str, str], int] = {
    ("POST", f"{_SPACE}/duplicate"): 201,
    ("PUT", f"{_ORGANIZATION}/teams"): 201,
    ("POST", f"{_SITE}/sections"): 201,
    ("POST", f"{_SITE}/section-groups"): 201,
    ("POST", f"{_SITE}/section-groups/{{siteSectionGroupId}}/sections"): 201,
    ("POST", f"{_ORGANIZATION}/join"): 204,
    ("POST", f"{_ORGANIZATION}/openapi"): 201,
    ("POST", f"{_ORGANIZATION}/translations"): 201,
    ("POST", f"{_ORGANIZATION}/translations/{{translationId}}/run"): 204,
}
"""The status of success where the reference shows none and it is not 200."""

CREATED: dict[tuple[str, str], int] = {("PUT", f"{_ORGANIZATION}/openapi/{{specSlug}}"): 201}
"""The further status of an operation that makes what it would otherwise have changed."""

_NEWER_LIST: dict[str, Any] = {"requestedReviewer": {}, "orderBy": {"values": ["createdAt", "updatedAt"]}}

QUERY: dict[tuple[str, str], dict[str, Any]] = {
    ("GET", f"{_ORGANIZATION}/search"): {"query": {"required": True, "max": 512}},
    ("GET", f"{_ORGANIZATION}/teams"): {"owner": {}, "title": {}},
    ("GET", f"{_SPACE}/change-requests"): _NEWER_LIST,
    ("GET", f"{_ORGANIZATION}/change-requests"): _NEWER_LIST,
    ("GET", f"{_ORGANIZATION}/sites"): {
        "type": {"values": ["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]}
    },
}
"""Query parameters that the reference names otherwise or not at all."""

NEWER = frozenset({"requestedReviewer", "orderBy", "sort=name"})
"""Query parameters, or values of them, that only newer services know: the program does not ask for them by itself."""

NAMELESS = frozenset({"a member-id filter", "a title filter"})
"""What the reference says instead of a name."""

VALUES: dict[str, list[str]] = {
    "order": ["asc", "desc"],
    "format": ["document", "markdown"],
    "change-requests status": ["draft", "open", "archived", "merged"],
    "comments status": ["open", "resolved", "all"],
    "members role": [*_ROLES, "guest"],
    "members sort": ["joinedAt", "lastSeenAt", "name"],
}
"""The values of query parameters of which the reference names some: by name, or by the end of the path and name."""

FIELDS: dict[tuple[str, str], set[str]] = {
    ("PATCH", _SPACE): {"icon"},
    ("PATCH", f"{_SITE}/sections/{{siteSectionId}}"): {"siteSectionGroupId"},
    ("PATCH", f"{_SITE}/section-groups/{{siteSectionGroupId}}"): {"parentSectionGroupId"},
}
"""Fields of bodies that newer services take as well."""

INNER_FIELDS = frozenset({"position.before.collection", "position.after.collection", "source.text"})
"""Fields within fields of bodies that services take beside those of the reference."""

NULLABLE: dict[tuple[str, str], set[str]] = {
    ("PATCH", _SPACE): {"defaultLevel", "emoji", "icon"},
    ("POST", f"{_SPACE}/move"): {"parent"},
    ("PATCH", _ORGANIZATION): {"defaultContent", "logo"},
    ("POST", f"{_ORGANIZATION}/saml"): {"defaultRole"},
    ("PATCH", f"{_ORGANIZATION}/saml/{{samlProviderId}}"): {"defaultRole"},
    ("PATCH", f"{_SITE}/sections/{{siteSectionId}}"): {"icon", "description", "siteSectionGroupId"},
    ("PATCH", f"{_SITE}/section-groups/{{siteSectionGroupId}}"): {"icon", "parentSectionGroupId"},
    ("POST", f"{_REQUEST}/content"): {"changes.update_page.into"},
}
"""Fields of bodies that may be null where the reference does not say so."""

OPTIONAL: dict[tuple[str, str], set[str]] = {
    ("POST", f"{_SITE}/sections"): {"title", "icon"},
    ("POST", f"{_SITE}/section-groups"): {"icon", "sections"},
}
"""Fields that the reference leaves unmarked, as if they were required, and that services let be left out."""
