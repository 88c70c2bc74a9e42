"""The tabs of a space, in their order."""

from __future__ import annotations

CONTENT, REQUESTS, COMMENTS, FILES, LINKS, REVISIONS = range(6)
"""The tabs by their place."""

NAMES = ("Content", "Change requests", "Comments", "Files", "Links", "Revisions")

SHORT_NAMES = {"Change requests": "Changes"}
"""What stands for a name where there is little room."""

IDS = ("content", "requests", "comments", "files", "links", "revisions")
"""The id of what each tab shows."""

LIST_IDS = ("pages", "request-list", "comment-list", "file-list", "link-list", "revision-list")
"""The id of the list in it."""
