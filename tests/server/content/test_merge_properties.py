"""Two lines of edits to one space: whatever happens, nothing that either side wrote is lost in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.contract.changes import WriteContent
from recto.server.content import merges
from recto.server.content.change_requests import create_change_request, find_change_request
from recto.server.content.content_merge import MergeConflict
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.content.objects import load_text
from recto.server.content.open_conflicts import find_open_conflicts
from recto.server.content.revisions import get_revision, main_revision, tree_of
from recto.server.content.tree import Tree
from recto.server.content.write_plan import apply_plan, plan_write
from recto.server.context import Context
from recto.server.http.problems import Problem
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Row
from support.platform import make_platform, own_organization

pytestmark = pytest.mark.slow

T = TypeVar("T")

PAGES = tuple("abcdef")
LINES = 6


class _Undo(Exception):
    """Ends an example, so that nothing of it stays in the file."""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    platform = make_platform(Path(tmp_path_factory.mktemp("merge")))
    yield platform
    platform.close()


def try_example(platform: Platform, example: Callable[[Context, str], None]) -> None:
    """Run an example on a space of its own: a and b with c, d under b, and e with f under it."""

    def text(page: str) -> str:
        return "".join(f"{page}{line}\n" for line in range(LINES))

    def page(name: str, *children: ImportedPage) -> ImportedPage:
        return ImportedPage(name, name.upper(), name, text=text(name), children=children)

    def work(connection: Any) -> None:
        context = platform.context(connection)
        space = add_space(context, own, "Space")
        tree = ImportedTree((page("a"), page("b", page("c"), page("d")), page("e", page("f"))))
        import_tree(context, space, tree)
        example(context, space)
        raise _Undo

    own = own_organization(platform)
    with pytest.raises(_Undo):
        platform.database.write_now(work)


@dataclass(frozen=True)
class Act:
    """One edit of a line of edits."""

    what: str
    page: str
    line: int
    into: str | None
    at: int


@dataclass
class Side:
    """A change request with what was done in it."""

    context: Context
    space: str
    name: str
    number: str
    written: dict[str, set[str]] = field(default_factory=dict)
    serial: int = 0

    @classmethod
    def begin(cls, context: Context, space: str, name: str) -> Side:
        made = create_change_request(context, space, name)
        return cls(context, space, name, str(find_change_request(context.database, space, made)["number"]))

    @property
    def row(self) -> Any:
        return find_change_request(self.context.database, self.space, self.number)

    @property
    def tree(self) -> Tree:
        return tree_of(self.context.database, get_revision(self.context.database, self.row["revision"]))

    def lines(self, page: str) -> list[str]:
        node = self.tree.get(page)
        return load_text(self.context.database, node.text).splitlines() if node else []

    def write(self, **change: Any) -> None:
        changes = WriteContent.model_validate({"changes": [change]}).changes
        apply_plan(self.context, self.row, plan_write(self.context, self.row, changes))

    def do(self, act: Act) -> None:
        """Do an edit, as far as the pages it is about are there."""
        if self.tree.get(act.page) is None:
            return
        into = act.into if act.into and self.tree.get(act.into) else None
        self.serial += 1
        token = f"{self.name}{self.serial}"
        try:
            match act.what:
                case "replace" | "add" | "remove":
                    self._edit(act, token)
                case "title":
                    self.write(operation="update_page", page=act.page, title=f"Title {token}")
                case "move":
                    self.write(operation="update_page", page=act.page, into=into, at=act.at)
                case "delete":
                    self.write(operation="delete_page", page=act.page)
                case "insert":
                    given = {"document": {"markdown": f"# {token}\n"}, "at": act.at}
                    self.write(operation="insert_page", **given, **({} if into is None else {"into": into}))
        except Problem as problem:
            assert "cannot move under itself" in problem.message

    def _edit(self, act: Act, token: str) -> None:
        lines = self.lines(act.page)
        at = min(act.line, len(lines))
        if act.what == "add":
            lines.insert(at, token)
        elif at < len(lines):
            lines[at : at + 1] = [token] if act.what == "replace" else []
        text = "".join(f"{line}\n" for line in lines)
        self.write(operation="update_page", page=act.page, document={"markdown": text})

    def own_lines(self) -> dict[str, set[str]]:
        """Return the lines of each page that only this side wrote and that are still there."""
        return {
            page: {line for line in self.lines(page) if line.startswith(self.name)}
            for page in PAGES
            if self.tree.get(page)
        }


def main_tree(context: Context, space: str) -> Tree:
    return tree_of(context.database, main_revision(context.database, space))


def is_a_tree(tree: Tree) -> None:
    assert len(tree.places) == sum(1 for _ in tree.root.walk()), "no page stands in two places"
    for siblings in ([*tree.root.children], *([*node.children] for node in tree.root.walk())):
        slugs = [node.slug for node in siblings]
        assert len(set(slugs)) == len(slugs), "siblings have slugs of their own"


def acts(pages: tuple[str, ...] = PAGES, *, only: tuple[str, ...] = ()) -> st.SearchStrategy[list[Act]]:
    kinds = only or ("replace", "replace", "add", "remove", "title", "move", "delete", "insert")
    act = st.builds(
        Act,
        what=st.sampled_from(kinds),
        page=st.sampled_from(pages),
        line=st.integers(0, LINES),
        into=st.none() | st.sampled_from(pages),
        at=st.integers(0, 3),
    )
    return st.lists(act, min_size=1, max_size=5)


def edit_and_merge_first(context: Context, space: str, first: list[Act], second: list[Act]) -> tuple[Side, Side]:
    """Do two lines of edits and merge the first."""
    left, right = Side.begin(context, space, "left"), Side.begin(context, space, "right")
    for act in first:
        left.do(act)
    for act in second:
        right.do(act)
    merges.merge(context, left.row)
    return left, right


PROVEN = settings(derandomize=True, deadline=None, max_examples=150)


@given(first=acts(), second=acts())
@PROVEN
def test_nothing_that_either_side_wrote_is_lost_in_silence(
    workshop: Platform, first: list[Act], second: list[Act]
) -> None:
    def example(context: Context, space: str) -> None:
        left, right = edit_and_merge_first(context, space, first, second)
        left_lines, right_lines = left.own_lines(), right.own_lines()
        titles = {page: node.title for page in PAGES for node in [right.tree.get(page)] if node}
        merges.pull(context, right.row)
        pulled = right.tree
        is_a_tree(pulled)
        disputed = {(each.page, each.field) for each in find_open_conflicts(context.database, right.row["revision"])}
        for page, lines in [*left_lines.items(), *right_lines.items()]:
            if lines:
                assert lines <= set(right.lines(page)), f"lines of {page} are gone"
        for page, title in titles.items():
            if title.startswith("Title") and (page, "title") not in disputed:
                node = pulled.get(page)
                assert node is not None
                assert node.title == title
        assert not right.row["outdated"]

    try_example(workshop, example)


def would_conflict(context: Context, row: Row) -> tuple[MergeConflict, ...]:
    """Return what keeps a change request from being merged, or would conflict on an update."""
    connection = context.database
    ours, theirs = get_revision(connection, row["revision"]), main_revision(connection, row["space"])
    return (*find_open_conflicts(connection, ours.id), *merges._merge(context, row, ours, theirs).conflicts)


@given(first=acts(), second=acts())
@PROVEN
def test_a_merge_says_of_both_lines_what_an_update_would_or_changes_nothing(
    workshop: Platform, first: list[Act], second: list[Act]
) -> None:
    def example(context: Context, space: str) -> None:
        _, right = edit_and_merge_first(context, space, first, second)
        before = main_revision(context.database, space)
        expected = would_conflict(context, right.row)
        try:
            merges.merge(context, right.row)
        except Problem as problem:
            assert problem.status == 409
            assert expected
            assert all(f"“{each.title}”" in problem.message for each in expected)
            assert main_revision(context.database, space) == before
            assert right.row["status"] == "draft"
        else:
            assert not expected
            is_a_tree(main_tree(context, space))
            assert right.row["status"] == "merged"

    try_example(workshop, example)


@given(first=acts(("a", "c")), second=acts(("e", "f")))
@PROVEN
def test_edits_of_different_pages_merge_to_both(workshop: Platform, first: list[Act], second: list[Act]) -> None:
    def example(context: Context, space: str) -> None:
        left, right = edit_and_merge_first(context, space, first, second)
        ours, theirs = left.tree, right.tree
        merges.merge(context, right.row)
        merged = main_tree(context, space)
        is_a_tree(merged)
        for tree, pages in ((ours, ("a", "c")), (theirs, ("e", "f"))):
            for page in pages:
                expected, found = tree.get(page), merged.get(page)
                assert (found is None) == (expected is None)
                if expected and found:
                    assert (found.title, found.text) == (expected.title, expected.text)
                    assert merged.places[page].parent == tree.places[page].parent

    try_example(workshop, example)


@given(
    first=st.lists(st.integers(0, 1), min_size=1, max_size=3),
    second=st.lists(st.integers(4, 5), min_size=1, max_size=3),
)
@PROVEN
def test_edits_of_different_lines_merge_to_both(workshop: Platform, first: list[int], second: list[int]) -> None:
    def example(context: Context, space: str) -> None:
        _, right = edit_and_merge_first(
            context,
            space,
            [Act("replace", "a", line, None, 0) for line in first],
            [Act("replace", "a", line, None, 0) for line in second],
        )
        merges.merge(context, right.row)
        node = main_tree(context, space).get("a")
        assert node is not None
        lines = load_text(context.database, node.text).splitlines()
        assert [line.startswith("left") for line in lines] == [at in first for at in range(LINES)]
        assert [line.startswith("right") for line in lines] == [at in second for at in range(LINES)]

    try_example(workshop, example)


@given(first=acts(), second=acts())
@PROVEN
def test_what_is_in_conflict_can_be_settled_and_merged(workshop: Platform, first: list[Act], second: list[Act]) -> None:
    def example(context: Context, space: str) -> None:
        _, right = edit_and_merge_first(context, space, first, second)
        merges.pull(context, right.row)
        for conflict in find_open_conflicts(context.database, right.row["revision"]):
            if right.tree.get(conflict.page):
                with pytest.raises(Problem):
                    merges.merge(context, right.row)
                right.write(operation="delete_page", page=conflict.page)
        merges.merge(context, right.row)
        is_a_tree(main_tree(context, space))
        assert main_tree(context, space).root.hash == right.tree.root.hash

    try_example(workshop, example)
