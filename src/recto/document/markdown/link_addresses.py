"""The addresses that a text links to, and the text with others in their place; code stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_FENCE: Final = re.compile(r"^[ \t>]*(?:[*+-][ \t]+|\d{1,9}[.)][ \t]+)*(`{3,}|~{3,})")
_CODE: Final = r"(?P<ticks>`{1,9})(?!`)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)"
_WIKI_LINKS: Final = re.compile(rf"{_CODE}|(?<!\\)\[\[(?P<inside>[^\[\]\n]{{1,1000}})\]\]")
_TARGETS: Final = re.compile(
    _CODE
    + r"""
    |(?P<brackets>\]\([ \t]{0,9})(?:<(?P<pointed>[^<>\n]{1,2000})>|(?P<plain>[^()\s<>]{1,2000}))
    |(?P<attribute>\b(?:src|srcset|href|url)=)(?P<mark>["'])(?P<quoted>[^"'\n]{1,2000})(?P=mark)
    |^(?P<definition>[ ]{0,3}\[[^\]\n]{1,1000}\]:[ \t]{1,9})(?P<defined>[^\s<>]{1,2000})""",
    re.VERBOSE,
)


def addresses_in(text: str) -> Iterator[str]:
    """Yield the addresses that a text names outside of code."""
    found: list[str] = []

    def note(address: str) -> str:
        found.append(address)
        return address

    change_addresses(text, note)
    yield from found


def change_addresses(text: str, change: Callable[[str], str]) -> str:
    """Return a text with each address replaced by what ``change`` returns for it."""
    if not ("](" in text or "=" in text or "]:" in text):
        return text
    return _change_lines(text, lambda line: _TARGETS.sub(lambda found: _put(found, change), line))


def change_wiki_links(text: str, change: Callable[[str], str | None]) -> str:
    """Return a text with each ``[[link]]`` replaced by what ``change`` returns for its inside; ``None`` leaves it."""
    if "[[" not in text:
        return text

    def put(found: re.Match[str]) -> str:
        new = change(found["inside"]) if found["inside"] else None
        return found[0] if new is None else new

    return _change_lines(text, lambda line: _WIKI_LINKS.sub(put, line))


def _change_lines(text: str, change: Callable[[str], str]) -> str:
    """Return a text with each line outside of fenced code replaced by what ``change`` returns for it."""
    lines = text.split("\n")
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark is not None and (not fence or (mark[1][0] == fence[0] and len(mark[1]) >= len(fence))):
            fence = "" if fence else mark[1]
        elif not fence:
            lines[number] = change(line)
    return "\n".join(lines)


def _put(found: re.Match[str], change: Callable[[str], str]) -> str:
    if found["attribute"]:
        return f"{found['attribute']}{found['mark']}{change(found['quoted'])}{found['mark']}"
    if found["definition"]:
        return f"{found['definition']}{change(found['defined'])}"
    if found["ticks"]:
        return found[0]
    written = found["pointed"] or found["plain"]
    new = change(written)
    if new == written:
        return found[0]
    return f"{found['brackets']}{new}" if " " not in new else f"{found['brackets']}<{new}>"
