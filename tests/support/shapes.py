"""Answers as the public descriptions allow them, made up from a seed: alternatives, values, nulls and absences.

What an object always holds comes from the list of what answers always carry, what it may hold from the table of the
reference, and what a field is from its name, below. None of it comes from the models that are to read it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from contract.reference.further import FURTHER

_FOLDER = Path(__file__).parents[1] / "contract/reference"
ALWAYS: dict[str, Any] = json.loads((_FOLDER / "guaranteed_fields.json").read_text(encoding="utf-8"))
_TABLE: dict[str, Any] = json.loads((_FOLDER / "table.json").read_text(encoding="utf-8"))

_DEEPEST = 4
"""How deep objects lie in each other where they may do so without end."""

_KINDS = {
    **{
        name: name
        for name in (
            *("Collection", "Space", "Site", "SiteSpace", "SiteSection", "SiteSectionGroup", "ShareLink"),
            *("ChangeRequest", "Comment", "CommentReply", "Revision", "Organization", "Translation"),
        )
    },
    "Adaptive schema": "SiteAdaptiveSchema",
    "Template condition": "SiteAdaptiveTemplateCondition",
    "Published site": "PublishedContentSite",
    "Page": "RevisionPage",
    "File": "RevisionFile",
    "Search hit": "SearchPageResult",
    "Organization search hit": "SearchSpaceResult",
    "Backlink item": "Backlink",
    "Link item": "ContentReferenceUsage",
    "Agent instructions": "OrganizationAgentInstructions",
    "Git info": "GitSyncState",
    "Member": "OrganizationMember",
    "Team": "OrganizationTeam",
    "SAML provider": "OrganizationSAMLProvider",
    "OpenAPI specification": "OpenAPISpec",
    "OpenAPI spec version": "OpenAPISpecVersion",
    "Version content": "OpenAPISpecContent",
    "SSO login info": "OrganizationSSOProviderLogin",
}
"""The rows of the list by what the table calls them."""

_MAY = {row: set(_TABLE["kinds"][kind]["fields"]) for kind, row in _KINDS.items()} | {
    **{f"RevisionType{name}": set(_TABLE["kinds"]["Revision"]["fields"]) - {"type"}
       for name in ("Edits", "Merge", "Rollback", "Update", "Computed")},
    "RevisionPageDocument": set(_TABLE["kinds"]["Page"]["fields"]) - {"type", "markdown", "computed", "computedSeed"},
    "RevisionPageGroup": {"emoji", "icon", "createdAt", "updatedAt", "hidden", "git", "urls"},
    "RevisionPageLink": {"emoji", "icon", "createdAt", "updatedAt", "hidden", "slug", "path", "pages", "href"},
    "User": {"email", "photoURL"},
    "ChangeRequestReview": {"requestedBy", "comment"},
    "ContentReferenceUsage": {"brokenContext"},
    "RevisionSemanticChanges": {"more"},
    "SearchPageResult": {"sections"},
    "ChangedRevisionPage": {"path"},
    "Site": set(_TABLE["kinds"]["Site"]["fields"]) - {"ads"},
}  # fmt: skip
"""Fields that may be there besides, by row."""

_NULLABLE = frozenset(
    {
        *("description", "emoji", "icon", "condition", "defaultLevel", "role", "lastSeenAt", "updatedAt", "editedAt"),
        *("language", "parent", "section", "sectionGroup", "gitSync", "mergedFrom", "git", "cover", "variables"),
        *("photoURL", "email", "hostname", "basename", "defaultTeam", "defaultContent", "requestedBy"),
    }
)
"""Fields that services send as null where there is nothing."""

_BESIDES: dict[str, Any] = {
    "ChangeRequestMerge": {"always": ["revision", "result"]},
    "Backlink": {"one of": [["ContentLocationPage", "ContentLocationReusableContent", "ContentLocationSpace"]]},
    "ContentRef": {"one of": [[
        "ContentRefAnchor", "ContentRefCollection", "ContentRefFile", "ContentRefOpenAPI", "ContentRefPage",
        "ContentRefReusableContent", "ContentRefSpace", "ContentRefURL", "ContentRefUser",
    ]]},
    "ContentLocation": {"one of": [[
        "ContentLocationCollection", "ContentLocationFile", "ContentLocationPage", "ContentLocationReusableContent",
        "ContentLocationSpace", "ContentLocationURL", "ContentLocationUser",
    ]]},
    "SiteExternalLink": {"always": ["object", "id", "title", "icon", "url", "condition"],
                         "constants": {"object": "site-external-link"}},
    "Unheard": {"always": ["object", "id"], "constants": {"object": "unheard-of"}},
    "SiteRedirectDestinationExternal": {"always": ["kind", "url"], "constants": {"kind": "external"}},
    "RevisionPageLayoutPreset": {"always": []},
    "ReplyTarget": {"always": ["id"]},
}  # fmt: skip
"""Rows that the list names and does not hold, or that stand for a choice."""

_NUMBERS = frozenset(
    [
        "number",
        "comments",
        "replies",
        "changeRequests",
        "changeRequestsOpen",
        "changeRequestsDraft",
        "count",
        "siteSpaces",
        "total",
        "more",
        "width",
        "height",
        "yPos",
        "score",
        "rank",
        "importedResources",
        "totalResources",
        "discountPercent",
        "lastProcessedErrorCount",
        "runs",
        "totalWords",
        "totalPages",
        "totalDuration",
        "latestRunDuration",
        "latestPages",
        "latestWords",
    ]
)
_TRUTHS = frozenset(
    [
        "outdated",
        "disabled",
        "sso",
        "view",
        "access",
        "admin",
        "viewInviteLinks",
        "edit",
        "triggerGitSync",
        "comment",
        "merge",
        "review",
        "installIntegration",
        "delete",
        "reply",
        "create",
        "ownTeam",
        "createContent",
        "createOpenAPISpec",
        "ingestConversations",
        "viewBilling",
        "listMembers",
        "listTeams",
        "listIntegrations",
        "listInstallations",
        "inviteLinks",
        "published",
        "default",
        "draft",
        "hidden",
        "hasAdvancedCustomizationFeature",
        "noIndex",
        "noRobotsIndex",
        "active",
        "frozen",
        "submittable",
        "enabled",
        "permanent",
        "captureWildcard",
        "viewAdaptiveSchema",
        "editAdaptiveSchema",
        "isActive",
        "customizations",
        "ai",
        "redundant",
    ]
)

_VALUES: dict[str, tuple[Any, ...]] = {
    "status": ("draft", "open", "archived", "merged"),
    "visibility": ("public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"),
    "editMode": ("live", "locked"),
    "role": ("admin", "create", "review", "edit", "comment", "read", None),
    "permission": ("admin", "create", "review", "edit", "comment", "read"),
    "defaultRole": ("admin", "read"),
    "defaultLevel": ("admin", "read", None, "inherit"),
    "language": ("en", "pt-br", "yue"),
    "emoji": ("1f3e0", "👍", "1f468-200d-1f4bb"),
    "icon": ("house", "github"),
    "relation": ("reference", "dependsOn"),
    "type": ("business", "community", "basic", "ultimate"),
    "useCase": ("docsSite", "notes"),
    "communityType": ("openSource",),
    "plan": ("free_2024", "pro", "enterprise_2024"),
    "agentsContext": ("excluded", "included"),
    "actionType": ("edit", "comment"),
    "contentType": ("image/png", "text/markdown"),
    "installationProvider": ("github", "gitlab", "github-legacy"),
    "installationStatus": ("active", "pending"),
    "result": ("merge", "conflicts", "update"),
    "kind": ("page", "space"),
    "rule": ("require_at_least_one_review", "require_author_to_merge", "require_agent_review"),
    "backend": ("custom",),
    "coverSize": ("hero", "full", "background"),
    "appliedType": ("basic",),
}
"""The values of fields, those of them that are an enumeration."""

_OF_ROW: dict[tuple[str, str], tuple[Any, ...]] = {
    ("ChangeRequestReview", "status"): ("approved", "changes-requested"),
    ("Comment", "status"): ("open", "resolved"),
    ("OrganizationSAMLProvider", "status"): ("active", "pending"),
    ("ContentReferenceUsage", "status"): ("ok", "broken", "in-app"),
    ("ChangedRevisionPage", "type"): ("document", "group", "link"),
    ("RevisionPageLayoutOptions", "width"): ("default", "wide"),
    ("TeamMember", "role"): ("owner", "member"),
}

_ENUMERATIONS = frozenset(
    {"status", "visibility", "editMode", "relation", "type", "useCase", "communityType", "plan", "agentsContext",
     "actionType", "installationProvider", "installationStatus", "result"}
)  # fmt: skip
"""Fields whose value may be one that the contract does not name."""


class Shapes:
    """Makes answers up; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0
        self.newer = self._random.random() < 0.5
        self.sparse = self._random.random() < 0.25
        """Whether objects that have an id lack some of what is always there."""
        self._rows = {name: row["newer" if self.newer else "older"] for name, row in ALWAYS.items()} | _BESIDES

    # Operations

    def answer(self, answer: Any, *, goes_on: bool = False) -> Any:
        """Return an answer as the table says what an operation answers; ``goes_on`` lets a list have a next page."""
        if answer is None:
            return None
        if "kind" in answer:
            return self.row(_KINDS[answer["kind"]])
        if "list" in answer:
            of = answer["list"]
            many = self._random.choice((0, 1, 2, 5))
            items = [self.row(_KINDS[of]) if isinstance(of, str) else self.named(of["fields"]) for _ in range(many)]
            listed: dict[str, Any] = {"items": items}
            if self._maybe():
                listed["count"] = self._count(many)
            if goes_on and self._maybe():
                listed["next"] = {"page": "2"}
            return listed
        return self.named(answer["fields"])

    def named(self, fields: list[str]) -> dict[str, Any]:
        """Return an object of which the table tells only the names of its fields."""
        known = {name: row for name, row in _BY_FIELDS.items() if name <= set(fields)}
        if known:
            return self.row(known[max(known, key=len)], whole=fields)
        return {name: self.field("", name, 1) for name in fields}

    # Objects

    def row(self, name: str, depth: int = 0, whole: list[str] | None = None) -> dict[str, Any]:
        """Return an object of a row of the list."""
        made = self._form(name, self._rows.get(name, {"always": []}), depth)
        for field in sorted(_MAY.get(name, set()) - made.keys()):
            if self._random.random() < 0.4:
                made[field] = self.field(name, field, depth)
        for field in whole or ():
            made.setdefault(field, self.field(name, field, depth))
        if self.sparse and "id" in made:
            kept = {"id", "object", "type", "kind"}
            made = {key: value for key, value in made.items() if key in kept or self._random.random() < 0.7}
        if self._random.random() < 0.3:
            made[f"unheardOf{self._random.randrange(9)}"] = self._anything()
        return made

    def _form(self, name: str, form: Any, depth: int) -> dict[str, Any]:
        if isinstance(form, str):
            chosen: dict[str, Any] = self.row(form, depth)
            return chosen
        made: dict[str, Any] = {}
        for field in form.get("always", ()):
            if field in form.get("inside", {}):
                made[field] = self._form(f"{name}.{field}", form["inside"][field], depth + 1)
            elif field in form.get("each", {}):
                made[field] = [self._form(f"{name}.{field}", form["each"][field], depth + 1) for _ in range(2)]
            else:
                made[field] = self.field(name, field, depth)
        for field, inside in form.get("where", {}).items():
            if self._maybe():
                made[field] = self._form(f"{name}.{field}", inside, depth + 1) | made.get(field, {})
        for alternatives in form.get("one of", ()):
            made |= self._form(name, self._random.choice(alternatives), depth)
        made |= form.get("constants", {})
        return made

    # Fields

    def field(self, row: str, name: str, depth: int) -> Any:
        """Return a value of a field, by its name and the object it is in."""
        if name in _NULLABLE and (row, name) not in _NEVER_NULL and self._random.random() < 0.15:
            return None
        made = _FIELDS.get((row, name)) or _FIELDS.get(("", name))
        if made is not None:
            return made(self, depth)
        values = _OF_ROW.get((row, name)) or _VALUES.get(name)
        if values is not None:
            if name in _ENUMERATIONS and (row, name) not in _TAGS and self._random.random() < 0.15:
                return "unheard-of"
            return self._random.choice(values)
        if name in _NUMBERS:
            return self._count(self._random.randrange(40))
        if name in _TRUTHS:
            return self._maybe()
        if name.endswith("At") or name.endswith("Date") or name == "deadline":
            return self._moment()
        return self._text(name)

    def rows(self, name: str, depth: int, most: int = 3) -> list[dict[str, Any]]:
        """Return a list of objects, empty where it lies too deep."""
        return [self.row(name, depth + 1) for _ in range(self._random.randrange(most + 1) if depth < _DEEPEST else 0)]

    def rich_text(self, depth: int = 0) -> dict[str, Any]:
        """Return a rich text."""
        return {"object": "document", "data": {"schemaVersion": 3}, "nodes": [self._block(depth) for _ in range(3)]}

    def _block(self, depth: int) -> dict[str, Any]:
        leaf = {"object": "leaf", "text": self._text("text"), "marks": [{"object": "mark", "type": "bold"}]}
        text = {"object": "text", "key": self._id(), "leaves": [leaf]}
        block: dict[str, Any] = {"object": "block", "type": "paragraph", "key": self._id(), "nodes": [text]}
        kind = self._random.randrange(5)
        if kind == 1:
            inline = {"object": "inline", "type": "mention", "data": {"ref": self.row("ContentRef")}, "isVoid": True}
            block["nodes"].append(inline)
        elif kind == 2:
            block |= {"type": "expandable", "nodes": [], "data": {}, "fragments": [
                {"object": "fragment", "fragment": "expandable-body", "type": "expandable-body", "key": self._id(),
                 "nodes": [self._block(depth + 1)] if depth < 2 else []}
            ]}  # fmt: skip
        elif kind == 3:
            block |= {"type": "unheard-of", "data": {"anything": self._anything()}}
        elif kind == 4:
            block = {"object": "unheard-of", "something": self._anything()}
        return block

    def pages(self, depth: int) -> list[dict[str, Any]]:
        """Return pages of a tree, some with others under them; now and then of an unknown kind."""
        made = self.rows("RevisionPage", depth)
        if made and self._random.random() < 0.2:
            made[0]["type"] = "unheard-of"
        return made

    def structure(self, depth: int) -> list[dict[str, Any]]:
        """Return items of a site's structure."""
        kinds = ["SiteSection", "SiteSection", "SiteSectionGroup"]
        kinds += ["SiteExternalLink"] if self.newer else ["Unheard"]
        return [self.row(self._random.choice(kinds), depth + 1) for _ in range(3 if depth < 2 else 0)]

    def variables(self) -> dict[str, Any]:
        """Return variables."""
        return {
            self._text("name"): self._random.choice(("text", 3, 2.5, True)) for _ in range(self._random.randrange(4))
        }

    def urls(self) -> dict[str, Any]:
        """Return addresses."""
        return {name: self._address() for name in ("app", "location", "published", "public") if self._maybe()}

    # Values

    def _maybe(self) -> bool:
        return self._random.random() < 0.5

    def choose(self, *of: Callable[[], Any]) -> Any:
        """Return what one of these makes."""
        return self._random.choice(of)()

    def _id(self) -> str:
        self._number += 1
        return f"{self._number:04}" + "".join(self._random.choices("abcdefXYZ019", k=8))

    def _text(self, name: str) -> str:
        if name == "id" or name.endswith("Id"):
            return self._id()
        if name in ("url", "app", "location") or name.endswith("URL"):
            return self._address()
        words = ("plain", "Ünïcode 文", "[bold]not[/]", "\x1b[31mred", "a very long text " * 9, "")
        return f"{name} {self._random.choice(words)}".strip()

    def _address(self) -> str:
        return self._random.choice(("https://example.com/x", "/relative/address", "https://example.com/ü?a=b"))

    def _count(self, number: int) -> float:
        return number + 0.0 if self._random.random() < 0.1 else number

    def _moment(self) -> str:
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self._random.randrange(5_000_000))
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z" if self._maybe() else "+00:00")

    def _anything(self) -> Any:
        return self._random.choice((None, 3, 2.5, True, "text", [1, {"a": None}], {"deep": {"er": []}}))


Field = Callable[[Shapes, int], Any]

_TAGS = frozenset({("SiteStructure", "type")})
_NEVER_NULL = frozenset(
    {
        *(("EmojiReaction", "emoji"), ("ChangeRequestRequestedReviewer", "requestedBy")),
        *((row, "language") for row in ("Translation", "TranslationSource", "TranslationResult")),
    }
)

_BY_FIELDS: dict[frozenset[str], str] = {
    frozenset({"pages"}): "RevisionTypeEdits",
    frozenset({"changes"}): "RevisionSemanticChanges",
    frozenset({"displayName", "email"}): "User",
    frozenset({"id", "revision", "reviewer", "status", "outdated"}): "ChangeRequestReview",
    frozenset({"requestedBy", "kind", "user", "revision"}): "ChangeRequestRequestedReviewer",
    frozenset({"user", "count", "actionType"}): "UserContributor",
    frozenset({"type", "structure"}): "SiteStructure",
    frozenset({"organization", "team", "permissions"}): "OrganizationTeamMember",
    frozenset({"source", "destination"}): "SiteRedirect",
    frozenset({"permission", "space"}): "MemberContentPermission",
    frozenset({"kind"}): "Backlink",
}
"""The rows of which the table tells only some fields."""

_FIELDS: dict[tuple[str, str], Field] = {
    **{("", name): (lambda g, d: g.row("User", d + 1)) for name in
       ("createdBy", "postedBy", "resolvedBy", "reviewer", "requestedBy", "user", "updatedBy")},
    ("ContentRefUser", "user"): lambda g, d: g._id(),
    ("", "urls"): lambda g, d: g.urls(),
    ("", "pages"): lambda g, d: g.pages(d),
    ("SearchSpaceResult", "pages"): lambda g, d: g.rows("SearchPageResult", d),
    ("", "files"): lambda g, d: g.rows("RevisionFile", d),
    ("", "reusableContents"): lambda g, d: g.rows("RevisionReusableContent", d),
    ("", "parents"): lambda g, d: [g._id() for _ in range(2)],
    ("", "variables"): lambda g, d: g.variables(),
    ("RevisionSemanticChangeVariablesEdited", "variables"): lambda g, d: {"before": g.variables(), "after": None},
    ("", "mergedFrom"): lambda g, d: g.choose(lambda: g.row("ChangeRequest", d + 2), lambda: g._id()),
    ("", "document"): lambda g, d: g.rich_text(),
    ("ChangeRequest", "description"): lambda g, d: g.choose(lambda: g.rich_text(), lambda: None),
    ("", "computed"): lambda g, d: {"integration": "openapi"},
    ("", "computedSeed"): lambda g, d: g._id(),
    ("", "layout"): lambda g, d: g.row("RevisionPageLayout", d),
    ("RevisionPageLayoutOptions", "title"): lambda g, d: True,
    ("RevisionPageLayoutOptions", "description"): lambda g, d: False,
    **{("RevisionPageLayoutOptions", name): (lambda g, d: g._maybe()) for name in
       ("tableOfContents", "outline", "pagination", "metadata", "tags", "actions", "anchors")},
    ("RevisionPageLayoutOptions", "coverMask"): lambda g, d: "blur",
    ("RevisionPageLayoutOptions", "cover"): lambda g, d: g._maybe(),
    ("", "cover"): lambda g, d: {"ref": g.row("ContentRefFile"), "yPos": 0.25},
    ("", "tags"): lambda g, d: [],
    ("", "git"): lambda g, d: g.choose(lambda: {"oid": "abc", "path": "a/b.md"}, lambda: {"oid": "abc", "message": "m",
                                                                                         "createdByService": True}),
    ("RevisionPageLink", "target"): lambda g, d: g.row("ContentRef", d),
    ("", "size"): lambda g, d: g._count(1024),
    ("", "dimensions"): lambda g, d: {"width": 12, "height": 8.5},
    ("", "lastProcessedErrors"): lambda g, d: g.rows("OpenAPIErrorObject", d),
    ("", "reactions"): lambda g, d: g.rows("EmojiReaction", d),
    ("Comment", "body"): lambda g, d: g.choose(lambda: {"markdown": "Some *w*"}, lambda: {"document": g.rich_text()}),
    ("CommentReply", "body"): lambda g, d: g.choose(lambda: {"markdown": "x"}, lambda: {"document": g.rich_text()}),
    ("", "repliers"): lambda g, d: g.rows("UserContributor", d),
    ("ChangeRequestReview", "comment"): lambda g, d: g.row("Comment", d + 2),
    ("OrganizationAgentInstructions", "updatedBy"): lambda g, d: g._id(),
    ("", "instructions"): lambda g, d: g.rich_text(),
    ("Translation", "source"): lambda g, d: g.row("TranslationSource", d + 1),
    ("Translation", "result"): lambda g, d: g.row("TranslationResult", d + 1),
    ("OrganizationSAMLProvider", "defaultTeam"): lambda g, d: g.row("OrganizationTeam", d + 1),
    ("EmojiReaction", "users"): lambda g, d: [{"user": g.row("User"), "reactedAt": g._moment()}],
    ("", "organizations"): lambda g, d: g.rows("Organization", d),
    ("", "member"): lambda g, d: g.row("TeamMember", d + 1),
    ("", "users"): lambda g, d: g.rows("ChangeRequestRequestedReviewer", d),
    ("", "versionContext"): lambda g, d: g.choose(
        lambda: {"type": "changeRequest", "changeRequest": g.row("ChangeRequest", d + 2)},
        lambda: {"type": "revision", "revision": g._id()},
        lambda: {"type": "unheard-of", "something": g._anything()},
    ),
    ("Backlink", "file"): lambda g, d: g.row("RevisionFile", d + 1),
    ("Backlink", "space"): lambda g, d: g.row("Space", d + 2),
    ("Backlink", "organization"): lambda g, d: g.row("Organization", d + 2),
    ("", "team"): lambda g, d: g.row("OrganizationTeam", d + 1),
    ("OrganizationTeamMember", "team"): lambda g, d: g.row("TeamMember", d + 1),
    ("OrganizationTeamMember", "organization"): lambda g, d: g.row("OrganizationMember", d + 1),
    ("MemberContentPermission", "space"): lambda g, d: g.row("Space", d + 1),
    ("", "mergeRules"): lambda g, d: g.row("MergeRulesSpaceConfiguration", d + 1),
    ("Organization", "mergeRules"): lambda g, d: g.row("MergeRulesStandaloneConfiguration", d + 1),
    ("", "rules"): lambda g, d: g.rows("MergeRule", d),
    ("MergeRule", "users"): lambda g, d: [g._id()],
    ("Site", "icon"): lambda g, d: g.choose(lambda: {"icon": "house"}, lambda: {"emoji": "1f3e0"}, lambda: {}),
    ("Site", "features"): lambda g, d: g.rows("SiteFeature", d),
    ("", "proxy"): lambda g, d: g.row("SiteProxy", d),
    ("", "adaptiveContent"): lambda g, d: {"enabled": g._maybe()},
    ("", "ads"): lambda g, d: g.row("SiteAds", d),
    ("SiteAds", "topic"): lambda g, d: "documentation",
    ("SiteSpace", "space"): lambda g, d: g.row("Space", d + 1),
    ("SiteSection", "siteSpaces"): lambda g, d: g.rows("SiteSpace", d),
    ("SiteSectionGroup", "sections"): lambda g, d: g.rows("SiteSection", d),
    ("SiteSectionGroup", "children"): lambda g, d: g.structure(d),
    ("SiteStructure", "structure"): lambda g, d: g.structure(d),
    ("PublishedContentSite", "site"): lambda g, d: g.row("Site", d + 1),
    ("PublishedContentSite", "structure"): lambda g, d: g.row("SiteStructure", d + 1),
    ("PublishedContentSite.customizations", "site"): lambda g, d: {},
    ("PublishedContentSite.customizations", "siteSpaces"): lambda g, d: {},
    ("", "scripts"): lambda g, d: [],
    ("SiteRedirect", "destination"): lambda g, d: g.row("SiteRedirectDestination", d),
    ("", "gitSync"): lambda g, d: {"repoName": "a/b", "installationProvider": "github", "url": "https://x.y"},
    ("", "visitorAuth"): lambda g, d: g.choose(lambda: {"backend": "custom"}, lambda: {"backend": "integration",
                                                                                       "integration": "okta"}),
    ("", "permissions"): lambda g, d: {name: g._maybe() for name in ("view", "edit", "admin", "delete", "reply")},
    ("Comment", "target"): lambda g, d: {"space": g._id(), "revision": g._id()},
    ("", "emailDomains"): lambda g, d: ["example.org"],
    ("", "defaultContent"): lambda g, d: g.row("SitePointer", d),
    ("", "billing"): lambda g, d: {"interval": "monthly"},
    ("Organization", "sso"): lambda g, d: g._maybe(),
    ("OrganizationMember", "sso"): lambda g, d: g._maybe(),
    ("", "internal_billingMigration"): lambda g, d: {"deadline": g._moment(), "discountPercent": 10},
    ("", "trial"): lambda g, d: {"status": "none"},
    ("", "blocked"): lambda g, d: {"reason": "x", "source": "internal"},
    ("Organization", "customHostname"): lambda g, d: "docs.example.org",
    ("OrganizationMember", "spaces"): lambda g, d: g._count(3),
    ("OrganizationMember", "sites"): lambda g, d: g._count(3),
    ("OrganizationMember", "teams"): lambda g, d: g._count(3),
    ("OrganizationTeam", "members"): lambda g, d: g._count(3),
    ("OrganizationTeam", "spaces"): lambda g, d: g._count(3),
    ("OrganizationSAMLProvider", "service"): lambda g, d: {"acsURL": "x", "startURL": "y", "entityID": "z"},
    ("", "sections"): lambda g, d: g.rows("SearchSectionResult", d),
    ("ContentReferenceUsage", "targetReference"): lambda g, d: g.row("ContentLocation", d),
    ("ContentReferenceUsage", "locationReferences"): lambda g, d: [g.row("Backlink", d)],
    **{(row, "organization"): (lambda g, d: g.row("Organization", d + 2)) for row in
       ("ContentLocationPage", "ContentLocationSpace", "ContentLocationFile", "ContentLocationReusableContent",
        "ContentLocationCollection")},
    **{(row, "space"): (lambda g, d: g.row("Space", d + 2)) for row in
       ("ContentLocationPage", "ContentLocationSpace", "ContentLocationFile", "ContentLocationReusableContent")},
    ("ContentLocationPage", "page"): lambda g, d: g.row("RevisionPage", d + 3),
    ("ContentLocationFile", "file"): lambda g, d: g.row("RevisionFile", d + 1),
    ("ContentLocationReusableContent", "reusableContent"): lambda g, d: g.row("RevisionReusableContent", d + 1),
    ("ContentLocationCollection", "collection"): lambda g, d: g.row("Collection", d + 1),
    ("", "jsonSchema"): lambda g, d: g.row("SiteAdaptiveJSONSchema", d),
    ("", "properties"): lambda g, d: {
        f"claim{at}": g.row("SiteAdaptiveJSONSchemaClaimsProperties", d + 1) for at in range(2 if d < 3 else 0)
    },
    ("", "items"): lambda g, d: {"type": "string", "description": "x"},
    ("", "enum"): lambda g, d: ["a", "b"],
    ("", "changes"): lambda g, d: g.rows("RevisionSemanticChange", d, 6),
    **{(f"RevisionSemanticChange{name}", "page"): (lambda g, d: g.row("ChangedRevisionPage", d)) for name in
       ("PageCreated", "PageEdited", "PageDeleted", "PageMoved")},
    **{(f"RevisionSemanticChangeFile{name}", "file"): (lambda g, d: g.row("ChangedRevisionFile", d)) for name in
       ("Created", "Edited", "Deleted")},
    **{(f"RevisionSemanticChangeReusableContent{name}", "reusableContent"):
       (lambda g, d: g.row("ChangedRevisionReusableContent", d)) for name in ("Created", "Edited", "Deleted")},
    ("RevisionSemanticChangePageMoved", "parent"): lambda g, d: {"before": g._id(), "after": None},
    ("", "attributes"): lambda g, d: {"title": {"before": "a", "after": "b"}, "icon": {"after": "x"}},
    ("SiteSection", "icon"): lambda g, d: "house",
}  # fmt: skip
"""How fields are made that are more than a text, a number, a moment or a truth; by row and name, or by name alone."""


def reference_answers() -> dict[tuple[str, str], Any]:
    """Return what each operation of the reference and beyond it answers, by its method and its path without names."""
    told = {
        (each["method"], re.sub(r"\{\w+\}", "{}", each["path"])): each["answer"]
        for each in (*_TABLE["operations"], *FURTHER)
    }
    items = {"/sso": "SSO login info", "/template-conditions": "Template condition", "/adaptive": "Template condition"}
    for (method, path), answer in told.items():
        for end, kind in items.items():
            if answer == {"fields": ["items"]} and end in path:
                told[method, path] = {"list": kind}
    return told
