"""The guide's change requests to practise on, in three states, with their comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from recto.contract.changes import Change, InsertPage, PageText, UpdatePage
from recto.frozen import frozen
from recto.server.content import keys
from recto.server.content.change_requests import create_change_request, find_change_request, update_change_request
from recto.server.content.comments import Anchor, Scope, find_comment, post_comment, post_reply, react
from recto.server.content.merges import merge
from recto.server.content.objects import load_text
from recto.server.content.reviews import add_requests
from recto.server.content.revisions import get_revision, tree_of
from recto.server.content.write_plan import apply_plan, plan_write
from recto.server.context import Context
from recto.server.people.access import require

_SHIPPED = "A draft is kept for a week, and then it is gone."
_MERGED = "A draft is kept until the platform has confirmed what you sent. Nothing removes it before."
_CONFLICTING = "A draft is kept for good, on the machine on which you typed it. You decide when it goes."

_FIRST_STEPS = """\
These steps take one change from the first edit to the merge. They take about five minutes, and you can stop after any
of them: nothing is lost."""
_FIRST_STEPS_NEW = """\
These five steps take one change from the first edit to the merge, in the order in which you will do them every day.
They take about five minutes. You can stop after any of them: nothing is lost."""
_JUMP = """\
Press `f`, type `first`, and press `enter`. The jump list opens any organization, space, page, site or open change
request by a few letters of its name."""
_JUMP_NEW = """\
Press `f`, type a few letters of this page's title, and press `enter`. The same list opens any organization, space,
page, site or open change request."""
_FOUND = "You have used most of Recto. The other pages of this guide describe the rest."
_FOUND_NEW = """\
You have used most of Recto. [What next](first-steps/what-next.md) says which page of this guide to read when."""
_LETTERS = """\
While a text field has the focus, letters are text. Leave the field with `esc`: what you typed is kept as a draft."""
_LETTERS_NEW = """\
While a text field has the focus, letters are text and no key does anything else. Leave the field with `esc`: what you
typed is kept as a draft."""
_WHAT_NEXT = """\
---
description: Which page of this guide to read when.
icon: signs-post
---

# What next

| To | Read |
|---|---|
| change more than a word | [Editing and drafts](/pages/{editing}) |
| look at a colleague's change | [How a review goes](/pages/{reviewing}) |
| see your own pages here | [Importing your own documentation](/pages/{importing}) |
| put a site in order | [The site](/pages/{site}) |

There is no need to read them all: `?` shows the keys wherever you are.
"""

_WHY_CONFLICTING = """\
Made in your name, to practise on. It says how long drafts are kept, and adds to the page about the log.

While it was open, *Drafts do not expire* was merged, which changes the same sentence. Press `P` to
update from main, and resolve the conflict."""
_WHY_MERGED = "A week is not how it works: a draft stays until the platform has confirmed it."
_WHY_OPEN = """\
The first steps begin without an introduction. This announces the steps in their order, and adds a
page that says where to go from there.

Three pages are changed or new. Read them, apply the suggestion or reply to it, and merge when you are satisfied."""


@frozen
class _Edit:
    """A replacement for a passage of a page, which must be there once; ``page`` is the page's file."""

    page: str
    passage: str
    new: str


@frozen
class _Stage:
    """The guide's space and who acts in it: the owner of the workspace and a colleague, both in the present."""

    you: Context
    colleague: Context
    space: str
    pages: Mapping[str, str]

    def change_request(
        self, author: Context, subject: str, description: str, edits: Sequence[_Edit], *more: Change
    ) -> str:
        """Make an open change request and return its id."""
        name = create_change_request(author, self.space, subject)
        document = keys.plain_document(description).to_json().decode()
        row = find_change_request(author.database, self.space, name)
        revision = get_revision(author.database, row["revision"])
        tree = tree_of(author.database, revision)
        changes: list[Change] = []
        for page in dict.fromkeys(edit.page for edit in edits):
            node = tree.get(self.pages[page])
            text = load_text(author.database, node.text if node else None)
            for edit in edits:
                if edit.page == page:
                    before, passage, after = text.partition(edit.passage)
                    assert passage, f"{page} no longer says: {edit.passage}"
                    text = before + edit.new + after
            changes.append(UpdatePage(page=self.pages[page], document=PageText(markdown=text)))
        apply_plan(author, row, plan_write(author, row, [*changes, *more]))
        row = find_change_request(author.database, self.space, name)
        update_change_request(author, row, {"status": "open", "description": document})
        return name

    def scope(self, context: Context, change_request: str | None = None) -> Scope:
        """Return where comments on a change request go, or those on the main content."""
        request = find_change_request(context.database, self.space, change_request) if change_request else None
        return Scope(require(context, self.space), request)

    def comment(
        self, who: Context, change_request: str | None, page: str, begins: str, markdown: str, *emojis: str
    ) -> str:
        """Comment on the block of a page that begins with these words, react to it as its author, and return its id."""
        scope = self.scope(who, change_request)
        node = tree_of(who.database, scope.revision(who)).get(self.pages[page])
        assert node is not None
        previews = keys.previews(who.database, node.id, node.text)
        block = next(key for key, preview in previews.items() if preview.startswith(begins))
        comment = post_comment(who, scope, markdown, Anchor(node.id, block))
        react(who, scope, comment, emojis, ())
        return comment


def set_up_practice(you: Context, colleague: Context, space: str, pages: Mapping[str, str]) -> None:
    """Make the guide's change requests and comments, as if made over the last days.

    ``pages`` gives the ids of the pages of the guide's space by their files.
    """
    stage = _Stage(you, colleague, space, pages)
    conflicting = _make_conflicting(stage)
    _make_merged(stage)
    post_comment(
        ago(colleague, days=2, hours=5),
        stage.scope(colleague, conflicting),
        "I have just merged *Drafts do not expire*, which changes the same sentence. Update from main with `P`"
        " and use the right parts of both. Your addition to the page about the log is good as it is.",
    )
    _open(stage)
    stage.comment(
        ago(colleague, hours=3),
        None,
        "README.md",
        "## Where to go next",
        "Is anything missing here? Press `enter` on this comment and reply.",
        "👋",
    )


def _make_conflicting(stage: _Stage) -> str:
    return stage.change_request(
        ago(stage.you, days=6),
        "Drafts are kept for good",
        _WHY_CONFLICTING,
        [
            _Edit("editing.md", _SHIPPED, _CONFLICTING),
            _Edit(
                "trouble.md",
                "The log records events with their times, never your texts or your token.",
                "The log records events with their times and the numbers of errors, never your texts or your token.",
            ),
        ],
    )


def _make_merged(stage: _Stage) -> None:
    author = ago(stage.colleague, days=4, hours=2)
    name = stage.change_request(author, "Drafts do not expire", _WHY_MERGED, [_Edit("editing.md", _SHIPPED, _MERGED)])
    later = ago(stage.colleague, days=2, hours=6)
    merge(later, find_change_request(later.database, stage.space, name))


def _open(stage: _Stage) -> None:
    author = ago(stage.colleague, days=1, hours=7)
    # A page that comes from no file points at others by their ids.
    pages = {name: stage.pages[f"{name}.md"] for name in ("editing", "reviewing", "importing", "site")}
    what_next = PageText(markdown=_WHAT_NEXT.format_map(pages))
    name = stage.change_request(
        author,
        "Tell the first steps in order",
        _WHY_OPEN,
        [
            _Edit("first-steps.md", _FIRST_STEPS, _FIRST_STEPS_NEW),
            _Edit("first-steps.md", _JUMP, _JUMP_NEW),
            _Edit("first-steps.md", _FOUND, _FOUND_NEW),
            _Edit("moving-about.md", _LETTERS, _LETTERS_NEW),
        ],
        InsertPage(document=what_next, slug="what-next", into=stage.pages["first-steps.md"]),
    )
    scope = stage.scope(author, name)
    add_requests(author, scope, [stage.you.caller], None)
    asked = stage.comment(
        ago(stage.colleague, days=1, hours=6),
        name,
        "first-steps.md",
        "These five steps",
        "Is *every day* true? I review every day, but I import a folder once a month.",
        "🤔",
    )
    later = ago(stage.colleague, days=1, hours=5)
    post_reply(
        later,
        scope,
        find_comment(later, scope, asked),
        "On second thought: it is about these steps, and those I do take every day. I would leave it.",
    )
    stage.comment(
        ago(stage.colleague, hours=20),
        name,
        "moving-about.md",
        "While a text field",
        "I am not sure about my own sentence. What do you think of this one?\n\n```suggestion\nWhile a text field has"
        " the focus, every letter is text. Leave the field with `esc`: what you typed is kept as a draft.\n```",
    )


def ago(context: Context, *, days: int = 0, hours: int = 0) -> Context:
    """Return the context as it would have been some time ago."""
    time = timedelta(days=days, hours=hours)
    return replace(context, clock=lambda: context.clock() - time)
