"""The tabs of a change request, in their order."""

from __future__ import annotations

OVERVIEW, CHANGES, CONVERSATION, PREVIEW, CONFLICTS = range(5)
"""The tabs by their place; the last is there only while conflicts are resolved."""

NAMES = ("Overview", "Changes", "Conversation", "Preview", "Conflicts")

SHORT_NAMES = {"Conversation": "Talk"}
"""What stands for a name where there is little room."""

PANES = ("overview", "changes", "conversation", "preview", "conflicts")
"""The id of what each tab shows."""

ONLY_IN = {
    "conflict_apply": (CONFLICTS,),
    **dict.fromkeys(("review_viewed", "review_next_page", "review_previous_page"), (CHANGES, PREVIEW)),
    "list_filter": (CONVERSATION,),
    "review_suggest": (CHANGES, PREVIEW),
    "review_comment": (OVERVIEW, CHANGES, CONVERSATION, PREVIEW),
    "item_delete": (CHANGES, CONVERSATION),
    "view_tree": (CHANGES,),
}
"""The tabs in which an action has a meaning."""
