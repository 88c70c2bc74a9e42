"""A page's Markdown as the platform gives it, under its title as a heading, and the text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.pattern import pattern

if TYPE_CHECKING:
    from recto.contract.content import Page

_TITLE = pattern(r"\A#(?:[ \t][^\n]*)?(?:\n|\Z)(?:[ \t]*\n)?")


def body_of(page: Page | None) -> str:
    """Return the text of a page without the heading that gives its title; empty where there is no page or no text."""
    return _TITLE.sub("", page.markdown or "", count=1) if page is not None else ""


def split_title(text: str) -> tuple[str, str]:
    """Return the title from the first heading of a text, empty without a heading, and the text below."""
    text = text.lstrip("\n")
    found = _TITLE.match(text)
    return (" ".join(found[0].removeprefix("#").split()), text[found.end() :]) if found is not None else ("", text)


def title_lines(page: Page) -> int:
    """Return the number of lines of a page's Markdown before the text that ``body_of`` returns."""
    markdown = page.markdown or ""
    return markdown.count("\n", 0, len(markdown) - len(body_of(page)))


def whole(title: str, body: str) -> str:
    """Return a text under its title, as the platform takes it; the heading keeps dividers at the top what they are."""
    return f"# {title}\n\n{body}"
