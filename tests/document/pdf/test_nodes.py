"""Pages as the data that a PDF is set from."""

from __future__ import annotations

import re
from typing import Any, cast

from recto.document.markdown.page import parse_page
from recto.document.pdf.nodes import Surroundings, write_page


def texts(node: Any) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, dict):
        return texts(list(node.values()))
    return " ".join(map(texts, node)) if isinstance(node, list) else ""


def set_text(markdown: str) -> str:
    return texts(write_page(parse_page(markdown), 0, 1, Surroundings()).nodes)


def test_words_that_no_line_holds_are_broken_after_their_parts() -> None:
    address = "https://example.org/layered-services/architecture/of/a/large-network"
    assert f"{address} ".replace("\u200b", "") in set_text(f"See {address} there.").replace("\u200b", "")
    assert "layered-\u200bservices/\u200barchitecture/\u200b" in set_text(f"See {address} there.")
    assert "\u200b" not in set_text("A word_of_some_length, and internationalization.")


def test_words_fit_the_columns_of_their_table() -> None:
    row = "|" + "|".join(f"`theIdentifier_{at}` internationalization." for at in range(12)) + "|\n"
    words = re.split("[ \u200b]", set_text(f"{row}|{'-|' * 12}\n{row}"))
    assert max(len(word) for word in words if word != "internationalization.") < 90 // 12
    assert words.count("internationalization.") == 24
    assert "\u200b" not in set_text("| `theIdentifier_1` |\n|-|\n| x |\n")


def words_of(paragraph: str) -> list[str]:
    (node,) = write_page(parse_page(paragraph), 0, 1, Surroundings()).nodes
    return list(cast(Any, node)["c"])


def test_an_icon_leaves_no_blank_and_buttons_stand_apart() -> None:
    assert words_of('<i class="fa-compass">:compass:</i> Guides') == ["Guides"]
    button = '<a href="https://example.org/{0}" class="button primary">{0}</a>'
    assert words_of(button.format("A") + button.format("B")) == ["A", " ", "B"]
