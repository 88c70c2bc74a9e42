"""Resolving conflicts: the changes of both sides to the same parts of pages, the choices, and the resulting write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from recto.contract.changes import Change, DeletePage, PageText, RevertPage, UpdatePage
from recto.document.merge.text_merge import ConflictHunk, MergedText, Side, find_conflicts
from recto.frozen import frozen
from recto.store.titled_text import whole


class Matter(StrEnum):
    """The part of a page that a conflict is about."""

    TEXT = "text"
    ATTRIBUTE = "attribute"
    PLACE = "place"
    DELETED = "deleted"


@frozen
class Conflict:
    """A decision to make, in three versions.

    Those of a text are parts of it; those of a place are (id of the parent, index among its siblings, words); a
    deletion says on each side whether the page is there.
    """

    page: str
    title: str
    matter: Matter
    name: str
    """The attribute, or the number of the hunk in its page."""
    base: Any
    ours: Any
    theirs: Any
    is_block: bool = False
    """Whether the sides of a text are whole blocks, which both together keep apart."""

    @property
    def id(self) -> str:
        """Its unique id."""
        return f"{self.page}/{self.matter}/{self.name}"

    @property
    def subject(self) -> str:
        """Its identity after the change request has moved on, when hunks may have other numbers."""
        text = self.matter is Matter.TEXT
        versions = [_bare(self.ours), _bare(self.theirs)] if text else [self.name, self.ours, self.theirs]
        return json.dumps([self.page, self.matter, *versions], default=str)

    def version(self, side: Side) -> Any:
        """Return the version of a side; of both only for a text."""
        if side is Side.BOTH:
            return ConflictHunk(self.base, self.ours, self.theirs).take(side, is_block=self.is_block)
        return {Side.OURS: self.ours, Side.THEIRS: self.theirs, Side.BASE: self.base}[side]

    def allows(self, side: Side) -> bool:
        """Whether it can be resolved by a side."""
        if side is Side.BOTH:
            return self.matter is Matter.TEXT
        return side is not Side.BASE or self.matter in (Matter.TEXT, Matter.ATTRIBUTE)


@frozen
class Choice:
    """The resolution of a conflict: a side, or another text."""

    side: Side | None = None
    text: str | None = None

    def of(self, conflict: Conflict) -> Any:
        """Return the chosen version."""
        return conflict.version(self.side) if self.side is not None else self.text


@dataclass(frozen=True)
class ConflictingPage:
    """A page with its conflicts; ``text`` is ``None`` where its text is not."""

    id: str
    title: str
    text: MergedText | None = None
    others: tuple[Conflict, ...] = ()
    is_there: bool = True
    """Whether the change request still has the page."""
    marked: bool = False
    """Whether the text is the change request's own, with markers that the platform put into it."""

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The conflicts, in reading order."""
        text = self.text or MergedText(())
        hunks = zip(text.conflicts, text.are_blocks, strict=True)
        return (
            *self.others,
            *(
                Conflict(self.id, self.title, Matter.TEXT, str(number), hunk.base, hunk.ours, hunk.theirs, is_block)
                for number, (hunk, is_block) in enumerate(hunks, 1)
            ),
        )


@dataclass(frozen=True)
class Resolution:
    """Pages in conflict, and the choices so far.

    ``revision`` is the change request's, ``main`` the revision of main that it is based on.
    """

    pages: tuple[ConflictingPage, ...]
    revision: str = ""
    main: str = ""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    steps: tuple[tuple[str, Choice | None], ...] = ()
    """The last choices, each with the choice before it, to undo them."""

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """All conflicts, page by page."""
        return tuple(conflict for page in self.pages for conflict in page.conflicts)

    @property
    def left(self) -> int:
        """The number of conflicts that are not resolved."""
        return sum(1 for conflict in self.conflicts if conflict.id not in self.choices)

    def choose(self, conflict: str, choice: Choice | None) -> Resolution:
        """Resolve a conflict, or open it again."""
        before = self.choices.get(conflict)
        choices = {**self.choices, conflict: choice} if choice is not None else dict(self.choices)
        if choice is None:
            choices.pop(conflict, None)
        kept = {id: value for id, value in choices.items() if value is not None}
        return replace(self, choices=kept, steps=(*self.steps, (conflict, before)))

    def undo(self) -> Resolution:
        """Undo the last choice."""
        if not self.steps:
            return self
        conflict, before = self.steps[-1]
        return replace(self.choose(conflict, before), steps=self.steps[:-1])

    def onto(self, fresh: Resolution) -> Resolution:
        """Return another resolution with the choices of this one, wherever there is still the same conflict."""
        chosen = {
            conflict.subject: self.choices[conflict.id] for conflict in self.conflicts if conflict.id in self.choices
        }
        choices = {
            conflict.id: choice for conflict in fresh.conflicts if (choice := chosen.get(conflict.subject)) is not None
        }
        return replace(fresh, choices=choices, steps=())

    def changes(self) -> list[Change]:
        """Return the changes that write the resolved pages; only where nothing is left."""
        return [change for page in self.pages for change in self._changes_of(page)]

    def _changes_of(self, page: ConflictingPage) -> list[Change]:
        given: dict[str, Any] = {}
        for conflict in page.others:
            value = self.choices[conflict.id].of(conflict)
            if conflict.matter is Matter.DELETED:
                if not value:
                    return [DeletePage(page=page.id)]
                given.setdefault("title", page.title)
            elif conflict.matter is Matter.PLACE:
                parent, index, _ = value
                given["into"] = parent
                if self.choices[conflict.id].side is Side.THEIRS:
                    given["at"] = index
            else:
                # An empty text takes an attribute away.
                given[conflict.name] = "" if value is None else value
        if page.text is not None:
            given["document"] = PageText(markdown=whole(page.title, self.text_of(page)))
        back: list[Change] = [] if page.is_there else [RevertPage(page=page.id, revision=self.main)]
        return [*back, UpdatePage(page=page.id, **given)] if given else back

    def text_of(self, page: ConflictingPage) -> str:
        """Return a page's text with its conflicts resolved."""
        text = page.text or MergedText(())
        # From the last to the first, so that the numbers of those before stay as they are.
        hunks = [conflict for conflict in page.conflicts if conflict.matter is Matter.TEXT]
        for number in reversed(range(len(hunks))):
            choice = self.choices.get(hunks[number].id)
            if choice is not None:
                text = text.resolve(number, choice.side if choice.side is not None else choice.text or "")
        return text.text

    # On disk

    def dump(self) -> str:
        """Write it as JSON."""
        return json.dumps(
            {
                "revision": self.revision,
                "main": self.main,
                "pages": [_page_dump(page) for page in self.pages],
                "choices": {id: {"side": choice.side, "text": choice.text} for id, choice in self.choices.items()},
            },
            ensure_ascii=False,
        )


def load_resolution(text: str) -> Resolution | None:
    """Read the JSON of ``dump``; ``None`` if it is anything else."""
    try:
        data = json.loads(text)
        choices = {
            str(id): Choice(Side(choice["side"]) if choice["side"] else None, choice["text"])
            for id, choice in data["choices"].items()
        }
        pages = tuple(_page_load(page) for page in data["pages"])
        return Resolution(pages, str(data["revision"]), str(data["main"]), choices)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def rebase_page(page: ConflictingPage, text_now: str) -> ConflictingPage:
    """Return a conflicting page on the text that the change request has now.

    Where that holds conflict markers they are its conflicts, with the base that ``page`` knows. Where the markers of
    before are gone, the text was resolved elsewhere.
    """
    marked = find_conflicts(text_now)
    known = page.text.conflicts if page.text is not None else ()
    if marked.clean:
        return replace(page, text=None, marked=False) if page.marked else page
    bases = {(_bare(hunk.ours), _bare(hunk.theirs)): hunk.base for hunk in known}
    same = len(known) == len(marked.conflicts)
    number = 0
    regions: list[str | ConflictHunk] = []
    for region in marked.regions:
        if isinstance(region, ConflictHunk):
            base = region.base or bases.get((_bare(region.ours), _bare(region.theirs)))
            base = base if base is not None else known[number].base if same else ""
            regions.append(replace(region, base=base))
            number += 1
        else:
            regions.append(region)
    return replace(page, text=replace(marked, regions=tuple(regions)), marked=True)


def _bare(text: str) -> str:
    return text.strip()


def _page_dump(page: ConflictingPage) -> dict[str, Any]:
    return {
        "id": page.id,
        "title": page.title,
        "isThere": page.is_there,
        "isMarked": page.marked,
        "text": None if page.text is None else [_region_dump(region) for region in page.text.regions],
        "others": [
            [conflict.matter, conflict.name, conflict.base, conflict.ours, conflict.theirs] for conflict in page.others
        ],
    }


def _region_dump(region: str | ConflictHunk) -> str | dict[str, str]:
    if isinstance(region, str):
        return region
    return {"base": region.base, "ours": region.ours, "theirs": region.theirs}


def _page_load(data: Mapping[str, Any]) -> ConflictingPage:
    regions: Sequence[Any] | None = data["text"]
    id, title = str(data["id"]), str(data["title"])
    text = None
    if regions is not None:
        text = MergedText(tuple(each if isinstance(each, str) else ConflictHunk(**each) for each in regions))
    others = tuple(
        Conflict(id, title, Matter(matter), str(name), base, ours, theirs)
        for matter, name, base, ours, theirs in data["others"]
    )
    return ConflictingPage(id, title, text, others, bool(data["isThere"]), bool(data["isMarked"]))
