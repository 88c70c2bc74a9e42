"""The deeds on what is written: content, change requests, reviews and talk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from end_to_end.deeds.table import MEMBER, Deed, reading
from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.comments import Comments
from recto.contract.content import Content
from recto.contract.git import Git
from recto.contract.imports import Imports
from recto.contract.links import Links
from recto.contract.operation import Operation, Route
from recto.contract.pdf import Pdfs
from recto.contract.reviews import Reviews
from recto.contract.search import Search
from recto.contract.templates import Templates
from support.web import ADDRESS

_SAID = {"markdown": "So it is."}
_ATTRIBUTES: dict[str, Any] = {
    "title": "Page",
    "slug": "page",
    "emoji": "1f4c4",
    "icon": "book",
    "description": "What it is about",
    "hidden": False,
    "noIndex": False,
    "noRobotsIndex": False,
    "condition": "visitor.claims.partner",
    "into": "setup",
    "at": 0,
}
_CHANGES = [
    {"operation": "insert_page", "document": {"markdown": "Text.\n"}, "ref": "new", **_ATTRIBUTES},
    {"operation": "update_page", "page": "cables", "document": {"markdown": "Text.\n"}, **_ATTRIBUTES, "slug": "wires"},
    {"operation": "revert_page", "page": "start", "revision": "{revision_id}"},
    {
        "operation": "insert_files",
        "files": [{"name": "b.txt", "contentType": "text/plain", "ref": "b", "base64": "Qg=="}],
    },
    {"operation": "delete_page", "page": "cables"},
]

DEEDS: dict[Operation[Any, Any] | Route, Deed] = {
    ChangeRequests.list_organization_change_requests: Deed(MEMBER),
    ChangeRequests.list_change_requests: Deed("read"),
    ChangeRequests.create_change_request: Deed("edit", {"subject": "Another"}),
    ChangeRequests.get_change_request: Deed("read"),
    ChangeRequests.update_change_request: Deed(
        "edit", {"subject": "Renamed", "description": {"object": "document", "nodes": []}, "status": "draft"}
    ),
    ChangeRequests.merge: Deed("review", again=409),
    ChangeRequests.pull: Deed("edit"),
    ChangeRequests.list_contributors: Deed("read"),
    ContentChanges.write_content: Deed("edit", {"changes": _CHANGES}, again=400),
    ContentChanges.list_changes: Deed("read"),
    Reviews.list_reviews: Deed("read"),
    Reviews.submit_review: Deed("review", {"status": "approved", "comment": _SAID}),
    Reviews.list_requested_reviewers: Deed("read"),
    Reviews.request_reviewers: Deed("edit", {"users": ["{user:review}", "{user:admin}"], "subject": "Look at it"}),
    Reviews.withdraw_reviewer: Deed("edit", path={"user_id": "user:review"}),
}

DEEDS |= reading(Content, Links)
DEEDS[Templates.apply_template] = Deed(
    "edit", {"id": "changelog", "params": {"contentRefs": {"product": {"kind": "url", "url": "https://a.example"}}}}
)
_BRANCH = {
    "url": "{repository}",
    "ref": "refs/heads/main",
    "repoCacheID": "cache",
    "repoTreeURL": "https://git.example/docs/tree/main/",
    "repoCommitURL": "https://git.example/docs/commit/",
    "repoProjectDirectory": "",
    "timestamp": "2026-11-23T10:00:00Z",
    "force": True,
    "gitInfo": {"provider": "gitlab", "url": "https://git.example/docs"},
}
DEEDS[Git.import_branch] = Deed("create", {**_BRANCH, "standalone": False})
DEEDS[Git.export_branch] = Deed("create", {**_BRANCH, "commitMessage": "From Recto"})
DEEDS[Git.get_info] = Deed("read")
DEEDS[Git.remove_legacy_installation] = Deed("admin", unknown={"space_id": 204}, who={"guest": 204, "stranger": 204})
DEEDS[Imports.import_content] = Deed("create", {"url": ADDRESS, "source": "markdown"})
DEEDS |= reading(Pdfs)
DEEDS[Search.search_space] = Deed("read", query={"query": "welcome"})

_OWN = {"create": 403, "review": 403, "edit": 403}  # it is the commentator's, and an admin may remove it
_TALK: dict[Operation[Any, Any] | Route, Deed] = {
    **reading(Comments),
    Comments.post_comment: Deed("comment", {"body": _SAID, "page": "start"}),
    Comments.update_comment: Deed("comment", {"resolved": True, "addedReactions": ["1f44d"], "removedReactions": []}),
    Comments.delete_comment: Deed("comment", who=_OWN),
    Comments.post_reply: Deed("comment", {"body": _SAID}),
    Comments.update_reply: Deed("comment", {"addedReactions": ["1f44d"], "removedReactions": []}),
    Comments.delete_reply: Deed("comment", who=_OWN, unknown={"comment_id": 204}),
}
_PROPOSED = {"comment_id": "proposal_comment_id", "comment_reply_id": "proposal_comment_reply_id"}
DEEDS |= {
    route: replace(deed, path=_PROPOSED) if route.address is InChangeRequest else deed
    for operation, deed in _TALK.items()
    if isinstance(operation, Operation)
    for route in operation.routes
}
