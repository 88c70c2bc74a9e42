"""Reasons why actions in a space cannot be done now, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.store.roles import lacks_permission, needs
from recto.tui.actions import get
from recto.tui.screens.reading.page_index import NEW, UNREAD

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.content import Page
    from recto.contract.spaces import Space

_ON_PAGES = "‹view.tab_1› shows the pages"
_ON_PAGES_THEN = "‹view.tab_2› shows the page as it was"

ADDRESSES = ("item.open_in_browser", "item.copy_link")
"""Actions on the address of a page."""

_OF_PAGE = frozenset(
    {
        *("page.edit", "page.edit_here", "item.new", "item.rename", "item.delete"),
        *("space.outline", "space.comments", "space.facts", "space.links", "space.comment"),
        *("page.marks", "page.changes", "page.copy", "page.pictures"),
        *ADDRESSES,
    }
)
_NOT_IN_THE_PAST = frozenset(
    {
        *("item.new", "item.rename", "item.delete"),
        *("space.comments", "space.links", "space.comment"),
    }
)
_BESIDE_TREE = frozenset({"view.tree", "view.next_panel", "view.previous_panel"})
_EDITS = frozenset({"page.edit", "page.edit_here", "item.new", "item.rename", "item.delete", "revision.revert"})


_LEGACY = "github-legacy"
"""The provider whose installations are removed in one step."""


def why_not(
    action: str,
    *,
    at: Address,
    space: Space | None,
    unknown: str,
    page: Page | None,
    on_pages: bool,
    has_tree: bool,
    draft: bool,
    writes: bool = True,
) -> str | None:
    """Return why an action is not possible, or ``None``; ``page`` is the shown page, ``draft`` whether it has a draft.

    ``at`` is where the space is seen, ``unknown`` the reason while it is not known, ``has_tree`` whether the page tree
    is shown, ``writes`` whether the server takes pages that are written.
    """
    if action == "page.marks" and not isinstance(at, InChangeRequest):
        return "only in a change request; ‹space.choose_address› chooses one"
    if action == "space.template":
        return _why_no_template(at, space, unknown)
    if action in ("space.git_import", "space.git_export", "space.git_legacy"):
        return _why_no_git(action, space, unknown)
    if action == "space.export" and space is None:
        return unknown
    if action == "content.pdf" and isinstance(at, AtRevision):
        return "not in a past revision; ‹space.choose_address› leads back to main"
    if action == "space.import":
        return _why_no_import(at, space, unknown)
    if action == "revision.page_now" and not isinstance(at, AtRevision):
        return "only in a past revision"
    if isinstance(at, AtRevision) and action in _NOT_IN_THE_PAST:
        return "not in a past revision; ‹space.choose_address› leads back to main"
    way = _ON_PAGES_THEN if isinstance(at, AtRevision) else _ON_PAGES
    if action in _OF_PAGE and not on_pages:
        return f"only on a page; {way}"
    if action in _BESIDE_TREE and not has_tree:
        return f"{get(action).elsewhere}; {way}"
    if (action in _EDITS or action == "space.comment") and page is not None and page.type == UNREAD:
        return "this page could not be read"
    if action == "item.delete" and draft:
        return None
    if action in _EDITS and (reason := why_no_edits(space, writes)):
        return reason
    if page is not None and page.type == NEW:
        is_of_sent = action in ("item.rename", "space.comment", *ADDRESSES)
        return "this page is not sent yet" if is_of_sent else None
    if action in ("page.edit", "page.edit_here", "item.rename"):
        return _why_not_written(page)
    if action in ("item.delete", *ADDRESSES) and page is None:
        return "no page is selected"
    if action == "space.comment":
        if page is not None and page.type == "computed":
            return "a computed page takes no comments"
        if page is None or page.type != "document":
            return "this page has no text"
        if space is not None:
            return lacks_permission(space.permissions, "comment")
    return None


def _why_no_template(at: Address, space: Space | None, unknown: str) -> str | None:
    if not isinstance(at, Main):
        return "only in main; ‹space.choose_address› leads there"
    if space is None:
        return unknown
    if space.edit_mode == "locked":
        return "the space is locked: only merges change main"
    return lacks_permission(space.permissions, "edit")


def _why_no_git(action: str, space: Space | None, unknown: str) -> str | None:
    if space is None:
        return unknown
    if action != "space.git_legacy":
        return lacks_permission(space.permissions, "trigger_git_sync")
    if space.git_sync is None or space.git_sync.installation_provider != _LEGACY:
        return "the space has no legacy installation"
    return lacks_permission(space.permissions, "admin")


def _why_no_import(at: Address, space: Space | None, unknown: str) -> str | None:
    if isinstance(at, AtRevision):
        return "not in a past revision; ‹space.choose_address› leads back to main"
    if space is None:
        return unknown
    if isinstance(at, Main) and space.edit_mode == "locked":
        return "the space is locked; ‹space.choose_address› chooses a change request"
    return needs(space.permissions, "create")


def why_no_edits(space: Space | None, writes: bool) -> str | None:
    """Return why pages of a space cannot be written, or ``None``; ``writes`` says whether the server takes them."""
    if space is not None and (reason := lacks_permission(space.permissions, "edit")):
        return reason
    return None if writes else "this server takes no edits of pages"


def _why_not_written(page: Page | None) -> str | None:
    if page is None:
        return "no page is shown"
    if page.type != "document":
        return f"a {page.type} page is not written here"
    return None
