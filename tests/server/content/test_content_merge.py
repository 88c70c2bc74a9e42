from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from recto.server.content.content_merge import Labels, _TreeMerge
from recto.server.content.objects import save_texts, text_hash
from recto.server.content.tree import Node, make_node, root_node
from recto.server.platform import Platform
from recto.server.storage.database import Connection

THEN, NOW = "2026-03-02T09:00:00.000Z", "2026-03-02T10:00:00.000Z"
SHELVES = {"a": ("b", "c"), "d": ("e", "f", "g")}
TEXT = "".join(f"Line {line}\n\n" for line in range(8))

Said = Mapping[str, tuple[str, str]]
"""What pages say by their ids: title and text."""


def tree(connection: Connection, said: Said, gone: Sequence[str] = (), moved: Mapping[str, str] | None = None) -> Node:
    """Return the shelves with the pages that say something of their own, or whose file has another path."""

    def page(name: str, children: tuple[Node, ...] = ()) -> Node:
        title, text = said.get(name, (name, TEXT))
        path = (moved or {}).get(name, f"{name}.md")
        attributes: dict[str, Any] = {"title": title, "slug": name, "git": {"path": path}}
        save_texts(connection, {text_hash(text): text})
        return make_node(name, "document", attributes, text_hash(text), THEN, THEN, children)

    return root_node(
        tuple(
            page(pending, tuple(page(name) for name in names if name not in gone)) for pending, names in SHELVES.items()
        )
    )


OURS: Said = {"b": ("B", TEXT), "c": ("c", f"First\n\n{TEXT}"), "d": ("D", TEXT), "e": ("e", "Ours\n")}
THEIRS: Said = {"c": ("C", f"{TEXT}Last\n\n"), "d": ("D", TEXT), "e": ("e", "Theirs\n"), "g": ("G", f"{TEXT}Last\n\n")}


def test_looking_only_at_what_changed_gives_what_looking_at_all_gives(platform: Platform) -> None:
    def work(connection: Connection) -> None:
        sides = tree(connection, {}), tree(connection, OURS), tree(connection, THEIRS)
        labels = Labels("ours", "theirs")
        some, all_of_it = (_TreeMerge(connection, *sides, NOW, labels) for _ in range(2))
        root = some.result()
        assert root.hash == all_of_it._merge_trees().hash
        assert (some.texts, some.conflicts, some.rewritten) == (
            all_of_it.texts,
            all_of_it.conflicts,
            all_of_it.rewritten,
        )
        found = {node.id: node for node in root.walk()}
        assert {name: node.title for name, node in found.items()} == dict(zip("abcdefg", "aBCDefG", strict=True))
        assert some.texts[found["c"].text or ""] == f"First\n\n{TEXT}Last\n\n"
        assert [(each.page, each.field) for each in some.conflicts] == [("e", "text")]
        assert {name for name, node in found.items() if node.updated == NOW} == {"c", "e"}

    platform.database.write_now(work)


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_page_that_is_gone_on_one_side_stays_gone(platform: Platform, side: str) -> None:
    def work(connection: Connection) -> None:
        gone = {"ours": (("f",), ()), "theirs": ((), ("f",))}[side]
        sides = tree(connection, {}), tree(connection, OURS, gone[0]), tree(connection, THEIRS, gone[1])
        merged = _TreeMerge(connection, *sides, NOW, Labels("ours", "theirs")).result()
        assert [node.id for node in merged.walk()] == list("abcdeg")

    platform.database.write_now(work)


@pytest.mark.parametrize("gone", [(), ("f",)])
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_the_path_of_a_file_is_that_of_the_side_that_moved_it(
    platform: Platform, side: str, gone: Sequence[str]
) -> None:
    def work(connection: Connection) -> None:
        moved = {"b": "new/b.md", "g": "new/g.md"}
        mover, other = tree(connection, {}, gone, moved), tree(connection, {"b": ("B", TEXT), "c": ("C", TEXT)})
        ours, theirs = (mover, other) if side == "ours" else (other, mover)
        work = _TreeMerge(connection, tree(connection, {}), ours, theirs, NOW, Labels("ours", "theirs"))
        found = {node.id: node for node in work.result().walk()}
        paths = {name: node.attributes["git"]["path"] for name, node in found.items()}
        assert paths == {name: moved.get(name, f"{name}.md") for name in "abcdefg" if name not in gone}
        assert (found["b"].title, found["c"].title, work.conflicts) == ("B", "C", [])
        assert {name for name, node in found.items() if node.updated == NOW} <= {"b"}

    platform.database.write_now(work)
