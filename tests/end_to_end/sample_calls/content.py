"""The sample calls on what is written: content, change requests, reviews and talk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from end_to_end.sample_calls.table import MEMBER, SampleCall, reading
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

SAMPLES: dict[Operation[Any, Any] | Route, SampleCall] = {
    ChangeRequests.list_organization_change_requests: SampleCall(MEMBER),
    ChangeRequests.list_change_requests: SampleCall("read"),
    ChangeRequests.create_change_request: SampleCall("edit", {"subject": "Another"}),
    ChangeRequests.get_change_request: SampleCall("read"),
    ChangeRequests.update_change_request: SampleCall(
        "edit", {"subject": "Renamed", "description": {"object": "document", "nodes": []}, "status": "draft"}
    ),
    ChangeRequests.merge: SampleCall("review", again=409),
    ChangeRequests.pull: SampleCall("edit"),
    ChangeRequests.list_contributors: SampleCall("read"),
    ContentChanges.write_content: SampleCall("edit", {"changes": _CHANGES}, again=400),
    ContentChanges.list_changes: SampleCall("read"),
    Reviews.list_reviews: SampleCall("read"),
    Reviews.submit_review: SampleCall("review", {"status": "approved", "comment": _SAID}),
    Reviews.list_requested_reviewers: SampleCall("read"),
    Reviews.request_reviewers: SampleCall(
        "edit", {"users": ["{user:review}", "{user:admin}"], "subject": "Look at it"}
    ),
    Reviews.withdraw_reviewer: SampleCall("edit", path={"user_id": "user:review"}),
}

SAMPLES |= reading(Content, Links)
SAMPLES[Templates.apply_template] = SampleCall(
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
SAMPLES[Git.import_branch] = SampleCall("create", {**_BRANCH, "standalone": False})
SAMPLES[Git.export_branch] = SampleCall("create", {**_BRANCH, "commitMessage": "From Recto"})
SAMPLES[Git.get_info] = SampleCall("read")
SAMPLES[Git.remove_legacy_installation] = SampleCall(
    "admin", unknown={"space_id": 204}, who={"guest": 204, "stranger": 204}
)
SAMPLES[Imports.import_content] = SampleCall("create", {"url": ADDRESS, "source": "markdown"})
SAMPLES |= reading(Pdfs)
SAMPLES[Search.search_space] = SampleCall("read", query={"query": "welcome"})

_OWN = {"create": 403, "review": 403, "edit": 403}  # it is the commentator's, and an admin may remove it
_TALK: dict[Operation[Any, Any] | Route, SampleCall] = {
    **reading(Comments),
    Comments.post_comment: SampleCall("comment", {"body": _SAID, "page": "start"}),
    Comments.update_comment: SampleCall(
        "comment", {"resolved": True, "addedReactions": ["1f44d"], "removedReactions": []}
    ),
    Comments.delete_comment: SampleCall("comment", who=_OWN),
    Comments.post_reply: SampleCall("comment", {"body": _SAID}),
    Comments.update_reply: SampleCall("comment", {"addedReactions": ["1f44d"], "removedReactions": []}),
    Comments.delete_reply: SampleCall("comment", who=_OWN, unknown={"comment_id": 204}),
}
_PROPOSED = {"comment_id": "proposal_comment_id", "comment_reply_id": "proposal_comment_reply_id"}
SAMPLES |= {
    route: replace(sample, path=_PROPOSED) if route.address is InChangeRequest else sample
    for operation, sample in _TALK.items()
    if isinstance(operation, Operation)
    for route in operation.routes
}
