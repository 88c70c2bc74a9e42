"""The table: the rows of all screens, and the operations that only the console has to reach."""

from __future__ import annotations

from tui.reach import (
    collections,
    content,
    organizations,
    people,
    requests,
    settings,
    sites,
    specifications,
    talk,
    translations,
)
from tui.reach.row import Row

ROWS: tuple[Row, ...] = (
    *organizations.ROWS,
    *settings.ROWS,
    *specifications.ROWS,
    *translations.ROWS,
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
    "Specifications.get_latest_version": "served by Specifications.list_versions",
    "Specifications.get_version": "served by Specifications.list_versions",
    "Specifications.get_latest_content": "served by Specifications.get_content",
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

_WHOLE = "leaves parts of the answer out, which a screen shows"
_BEYOND = "the reference does not have it: older services refuse it"
_FOR_A_KEY = "shows what visitors with a share key see, which Publication does"

_OF_GIT = "a program that synchronizes both sides gives it; a person imports what is there now"

FOR_THE_CONSOLE = {
    "metadata": _WHOLE,
    "computed": _WHOLE,
    "evaluated": "expressions are evaluated here, with the values of the space",
    "get_space share_key": _FOR_A_KEY,
    "list_sections share_key": _FOR_A_KEY,
    "list_site_spaces share_key": _FOR_A_KEY,
    "get_page_by_path format": "only the id is wanted, then the page is shown as any other",
    "requested_reviewer": _BEYOND,
    "order_by": _BEYOND,
    "create_change_request agent_task_id": "agents name their task; a person has none",
    "write_content compat": "without it the answer says what each change did, which the screen reads from the page",
    "list_collections nested": "the tree shows all collections, each in its own",
    "post_comment table_cell": "the cursor of a page stands on blocks: a table is one",
    "update_reply resolved": "`x` resolves the thread itself, with the same effect",
    "list_links status": "the list marks the broken ones and counts them; `/` finds them",
    "list_links broken_context": "the list shows the broken links with their page already",
    "list_page_links status": "a page has few links, and the broken ones are marked",
    "list_reviews format": "a verdict is shown with its comment in the conversation, as Markdown",
    "list_reviews outdated": "the overview shows all, the outdated ones marked",
    "request_reviewers subject": "changes the change request, which `f2` does",
    "request_reviewers description": "changes the change request, which an action of its own does",
    "create_group sections": "sections are lifted into a group, which names their places",
    "repo_cache_id": _OF_GIT,
    "repo_tree_url": _OF_GIT,
    "repo_commit_url": _OF_GIT,
    "timestamp": _OF_GIT,
    "git_info": _OF_GIT,
    "list_site_spaces default": "the tree shows all, the default marked",
}
"""The fields that have no control on any screen, with the reason; a name without its operation stands for each."""
