"""Drafts: typed texts, on disk before they are sent.

Each draft is a folder: ``draft.json`` says what it is and belongs to, and beside it lies the text, in a file that an
editor can open. A folder appears as a whole and disappears as a whole; anything else that lies there is left alone.
While a program works on a draft it holds a lock in its folder, and other programs do not find that draft.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field, fields, replace
from datetime import datetime, timedelta
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from recto import disk
from recto.checkpoints import checkpoint
from recto.clock import now
from recto.frozen import fields_of, frozen

log = logging.getLogger(__name__)

_FACTS = "draft.json"
_LOCK = "lock"
_TRASH = ".trash-"
_LEFT_OVER = timedelta(days=1)  # by then no other process is still making it


class DraftKind(Enum):
    """What the text will become."""

    PAGE_EDIT = "page-edit"
    NEW_PAGE = "new-page"
    DESCRIPTION = "description"
    """The description of a change request."""
    COMMENT = "comment"
    REPLY = "reply"
    REVIEW = "review"
    SUGGESTION = "suggestion"
    RESOLUTION = "settlement"
    """The sides chosen of the conflicts of a change request; the value is that of earlier versions."""
    CONFLICT_TEXT = "resolution"
    """A text typed in place of the sides of one conflict."""
    FORM = "form"
    """The changed fields of a form."""


class DraftState(Enum):
    """Whether the text is typed, being sent, or sent without a response."""

    TYPED = "typed"
    SENDING = "sending"
    UNSURE = "unsure"
    """It was sent and no response came: it may have arrived."""


@frozen
class DraftPlace:
    """The ids of what a draft belongs to; as a filter, the ids that are set have to be equal."""

    organization: str | None = None
    space: str | None = None
    change_request: str | None = None
    page: str | None = None
    block: str | None = None
    comment: str | None = None
    site: str | None = None

    def covers(self, other: DraftPlace) -> bool:
        """Whether the other place is this place or lies in it."""
        return all(
            mine is None or mine == getattr(other, item.name)
            for item in fields(self)
            for mine in [getattr(self, item.name)]
        )


@frozen
class Draft:
    """A text that a person typed and what it is for; the text itself is in the file at ``path``."""

    id: str
    kind: DraftKind
    place: DraftPlace
    path: Path
    created: datetime
    updated: datetime
    state: DraftState = DraftState.TYPED
    base_revision: str | None = None
    """The revision from which the text was taken."""
    base_hash: str | None = None
    """The :func:`text_hash` of the text as it was taken, to tell whether anything was typed."""
    sent_hash: str | None = None
    """The :func:`text_hash` of the text that was sent last; ``None`` where none was, or it was refused."""
    known: tuple[str, ...] | None = ()
    """What was on the platform before it was sent, to find out whether it has arrived; ``None``: unknown."""
    facts: dict[str, str] = field(default_factory=dict)
    """Further facts to keep with it, such as a verdict."""


def text_hash(text: str) -> str:
    """Return a digest that is equal for equal texts."""
    return sha256(text.encode()).hexdigest()


class _Hold:
    """How often this program holds a draft, and the descriptor of the lock on it."""

    def __init__(self, lock: int | None) -> None:
        self.lock = lock
        self.count = 1

    def unlock(self) -> None:
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None


class Drafts:
    """The drafts in a folder, which is made with the first draft; its calls write to the disk."""

    def __init__(self, folder: Path, clock: Callable[[], datetime] = now) -> None:
        self._folder = folder
        self._clock = clock
        # A thread may write typed text while the screen reads and records facts.
        self._turn = threading.RLock()
        self._holds: dict[str, _Hold] = {}

    @property
    def folder(self) -> Path:
        """The folder; it may not be there yet."""
        return self._folder

    def start(
        self,
        kind: DraftKind,
        place: DraftPlace,
        text: str = "",
        *,
        name: str = "text",
        suffix: str = ".md",
        base_revision: str | None = None,
        base_text: str | None = None,
        facts: dict[str, str] | None = None,
    ) -> Draft:
        """Put a new draft on disk; ``name`` is what the text's file is called, as far as a file may be called that."""
        now = self._clock()
        folder = self._folder / uuid4().hex
        draft = Draft(
            id=folder.name,
            kind=kind,
            place=place,
            path=folder / f"{_file_name(name)}{suffix}",
            created=now,
            updated=now,
            base_revision=base_revision,
            base_hash=None if base_text is None else text_hash(base_text),
            facts=dict(facts or {}),
        )
        self._put(draft, text)
        return draft

    def find(
        self, within: DraftPlace | None = None, kind: DraftKind | None = None, *, held_elsewhere: bool = False
    ) -> list[Draft]:
        """Return the drafts of a place and a kind, the oldest first; what cannot be read as a draft is left out.

        Drafts that another program holds are left out or, with ``held_elsewhere``, are all that is returned.
        """
        try:
            folders = [entry for entry in self._folder.iterdir() if not entry.name.startswith(".")]
        except OSError:
            return []
        drafts = (self._read(folder) for folder in folders)
        wanted = within or DraftPlace()
        with self._turn:
            found = [
                draft
                for draft in drafts
                if draft is not None and wanted.covers(draft.place) and kind in (None, draft.kind)
                if self._is_held_elsewhere(draft) == held_elsewhere
            ]
        return sorted(found, key=lambda draft: (draft.created, draft.id))

    def _is_held_elsewhere(self, draft: Draft) -> bool:
        return draft.id not in self._holds and disk.is_locked(draft.path.parent / _LOCK)

    def hold(self, draft: Draft) -> None:
        """Hide a draft from other programs until it was released as often, or this program ends.

        Raises :class:`BlockingIOError` where another program holds it.
        """
        with self._turn:
            if draft.id in self._holds:
                self._holds[draft.id].count += 1
            else:
                self._holds[draft.id] = _Hold(disk.lock(draft.path.parent / _LOCK))

    def release(self, draft: Draft) -> None:
        """Make a draft visible to other programs again; does nothing after :meth:`close`."""
        with self._turn:
            if (held := self._holds.get(draft.id)) is None:
                return
            held.count -= 1
            if not held.count:
                held.unlock()
                del self._holds[draft.id]

    def close(self) -> None:
        """Release all drafts."""
        with self._turn:
            for held in self._holds.values():
                held.unlock()
            self._holds.clear()

    def get(self, draft_id: str) -> Draft | None:
        """Return the draft with an id as it is on disk now, or ``None``."""
        return self._read(self._folder / draft_id) if re.fullmatch(r"[\w-]+", draft_id) else None

    def text(self, draft: Draft) -> str:
        """Return the text as it is on disk now; bytes that are not UTF-8 come out as replacement characters."""
        return draft.path.read_bytes().decode(errors="replace")

    def is_edited(self, draft: Draft) -> bool:
        """Whether the text differs from the original; false for a removed draft."""
        try:
            text = self.text(draft)
        except FileNotFoundError:
            return False
        return draft.base_hash is None or text_hash(text) != draft.base_hash

    def save(self, draft: Draft, text: str) -> Draft:
        """Save the text, also after an editor wrote it to the file; a removed draft is restored."""
        with self._turn:
            if not draft.path.parent.is_dir():
                self._put(draft, text)
            else:
                disk.write(draft.path, text.encode())
            return self._change_notes(draft, updated=self._clock())

    def note(self, draft: Draft, **facts: str) -> Draft:
        """Remember further facts about the draft."""
        with self._turn:
            current = self.get(draft.id) or draft
            return self._change_notes(current, facts={**current.facts, **facts})

    def rebase(self, draft: Draft, base_revision: str | None, base_text: str) -> Draft:
        """Record another base revision of the text."""
        return self._change_notes(draft, base_revision=base_revision, base_hash=text_hash(base_text))

    def mark_sending(self, draft: Draft, known: tuple[str, ...] | None = ()) -> Draft:
        """Record that the present text is being sent, and the state of the platform before."""
        return self._change_notes(draft, state=DraftState.SENDING, sent_hash=text_hash(self.text(draft)), known=known)

    def mark_kept(self, draft: Draft) -> Draft:
        """Record that the text was refused, and is to be sent again or changed."""
        return self._change_notes(draft, state=DraftState.TYPED, sent_hash=None)

    def mark_absent(self, draft: Draft) -> Draft:
        """Record that the text was looked for and not found; what was sent stays known for the next look."""
        return self._change_notes(draft, state=DraftState.TYPED)

    def unsure(self, draft: Draft) -> Draft:
        """Record that no response came, so the text may have arrived."""
        return self._change_notes(draft, state=DraftState.UNSURE)

    def confirm(self, draft: Draft) -> Draft | None:
        """Remove a draft that has arrived; if it was edited since it was sent, keep and return it."""
        with self._turn:
            current = self.get(draft.id)
            if current is None:
                return None
            if current.sent_hash is not None and text_hash(self.text(current)) != current.sent_hash:
                return self.mark_kept(current)
            self.discard(current)
            return None

    def discard(self, draft: Draft) -> None:
        """Discard a draft; nothing where it is gone already."""
        folder = draft.path.parent
        trash = folder.with_name(_TRASH + folder.name)
        with self._turn:
            checkpoint("drafts.before-discard")
            with suppress(FileNotFoundError):
                folder.rename(trash)
            if draft.id in self._holds:
                self._holds[draft.id].unlock()
            checkpoint("drafts.discarding")
            disk.sync_folder(self._folder)
            shutil.rmtree(trash, ignore_errors=True)
            checkpoint("drafts.after-discard")

    def recover(self) -> list[Draft]:
        """At the start of the program: mark drafts that were being sent as unsure, and return all that are."""
        self._tidy()
        unsure = []
        for draft in self.find():
            if draft.state is DraftState.SENDING:
                unsure.append(self.unsure(draft))
            elif draft.state is DraftState.UNSURE:
                unsure.append(draft)
        return unsure

    def _put(self, draft: Draft, text: str) -> None:
        """Put the draft's complete folder in place."""
        disk.make_folder(self._folder)
        making = Path(tempfile.mkdtemp(prefix=disk.TEMPORARY, dir=self._folder))
        try:
            disk.write(making / draft.path.name, text.encode())
            disk.write(making / _FACTS, _dump(draft))
            if (held := self._holds.get(draft.id)) is not None:  # a draft that was discarded while it is held
                held.unlock()
                held.lock = disk.lock(making / _LOCK)
            checkpoint("drafts.before-start")
            making.rename(draft.path.parent)
        except OSError:
            shutil.rmtree(making, ignore_errors=True)
            raise
        disk.sync_folder(self._folder)
        checkpoint("drafts.after-start")

    def _change_notes(self, draft: Draft, **changed: Any) -> Draft:
        """Change the notes of a draft, starting from those on disk: the caller's may be out of date."""
        with self._turn:
            noted = replace(self.get(draft.id) or draft, **changed)
            if noted.path.parent.is_dir():
                disk.write(noted.path.parent / _FACTS, _dump(noted))
            return noted

    def _tidy(self) -> None:
        """Remove what a program that was killed left: discarded and incomplete drafts."""
        yesterday = (self._clock() - _LEFT_OVER).timestamp()
        with suppress(OSError):
            for entry in list(self._folder.iterdir()):
                unfinished = entry.name.startswith(disk.TEMPORARY) and entry.stat().st_mtime < yesterday
                if unfinished or entry.name.startswith(_TRASH):
                    shutil.rmtree(entry, ignore_errors=True)

    def _read(self, folder: Path) -> Draft | None:
        try:
            return _load(folder, json.loads((folder / _FACTS).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            log.info("Not a draft: %s (%s)", folder, type(error).__name__)
            return None


def _file_name(name: str) -> str:
    """Return the name without what a file's name cannot hold on some system, and no longer than it may be."""
    return re.sub(r"[^\w.-]+", "-", name)[:60].strip("-.") or "text"


def _dump(draft: Draft) -> bytes:
    place = {item.name: value for item in fields(draft.place) if (value := getattr(draft.place, item.name)) is not None}
    facts = {
        "kind": draft.kind.value,
        "state": draft.state.value,
        "text": draft.path.name,
        "place": place,
        "created": draft.created.isoformat(),
        "updated": draft.updated.isoformat(),
        "baseRevision": draft.base_revision,
        "baseHash": draft.base_hash,
        "sentHash": draft.sent_hash,
        "known": draft.known,
        "facts": draft.facts,
    }
    return json.dumps(facts, ensure_ascii=False, indent=1).encode()


def _load(folder: Path, facts: dict[str, Any]) -> Draft:
    """Read a sidecar; missing or mistyped fields raise, unknown fields are skipped."""
    known = {item.name for item in fields_of(DraftPlace)}
    path = folder / Path(facts["text"]).name
    if not path.is_file():
        raise FileNotFoundError(path)
    return Draft(
        id=folder.name,
        kind=DraftKind(facts["kind"]),
        place=DraftPlace(**{name: str(value) for name, value in facts["place"].items() if name in known}),
        path=path,
        created=_moment(facts["created"]),
        updated=_moment(facts["updated"]),
        state=DraftState(facts["state"]),
        base_revision=facts.get("baseRevision"),
        base_hash=facts.get("baseHash"),
        sent_hash=facts.get("sentHash"),
        known=None if (known := facts.get("known", ())) is None else tuple(str(each) for each in known),
        facts={str(name): str(value) for name, value in facts.get("facts", {}).items()},
    )


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} does not say in which time zone")
    return moment
