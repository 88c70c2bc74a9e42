"""The table: the rows of all screens, and the operations that only the console has to reach."""

from __future__ import annotations

from tui.reach import collections, content, organizations, people, requests, settings, sites, talk
from tui.reach.row import Row

ROWS: tuple[Row, ...] = (
    *organizations.ROWS,
    *settings.ROWS,
    *people.ROWS,
    *collections.ROWS,
    *content.ROWS,
    *requests.ROWS,
    *talk.ROWS,
    *sites.ROWS,
)

CONSOLE_ONLY = {
    "Members.get_member": "served by Members.list_members",
    "Teams.get_team": "served by Teams.list_teams",
    "SignOn.get_saml_provider": "served by SignOn.list_saml_providers",
    "Collections.get_collection": "served by Collections.list_collections",
    "Content.get_file_at_revision": "served by Content.list_files_at_revision",
    "Comments.get_comment": "served by Comments.list_comments",
    "Comments.get_comment_in_change_request": "served by Comments.list_comments_in_change_request",
    "Comments.get_reply": "served by Comments.list_replies",
    "Comments.get_reply_in_change_request": "served by Comments.list_replies_in_change_request",
}
"""The operations that no screen but the console has to reach, with the reason; a list names what serves it."""

FOR_EVERYONE = {
    "Organizations.ping": "opening an organization is noted for whoever opens it",
    "Organizations.join_organization": "those with an e-mail address of its domain may join; the screen lists no other",
}
"""The operations that change something and that no role is refused, with the reason."""
