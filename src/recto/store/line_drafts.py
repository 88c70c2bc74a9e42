"""Lines typed into prompts and not sent, kept in memory for the session."""

from __future__ import annotations


class LineDraft:
    """The text typed into a prompt about a subject; ``text`` is ``None`` where nothing is kept."""

    def __init__(self, texts: dict[tuple[str, str], str], key: tuple[str, str]) -> None:
        self._texts = texts
        self._key = key

    @property
    def text(self) -> str | None:
        """The text to offer again."""
        return self._texts.get(self._key)

    def keep(self, text: str, *known: str) -> None:
        """Keep a text until it is discarded; nothing where it is among the ``known``, apart from spaces around it."""
        if text.strip() in (one.strip() for one in known):
            self.discard()
        else:
            self._texts[self._key] = text

    def discard(self) -> None:
        """Forget the text: it was sent, or deliberately emptied."""
        self._texts.pop(self._key, None)


class LineDrafts:
    """The lines of all prompts. Unlike :class:`recto.store.drafts.Drafts`, they are never on disk: some are keys."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], str] = {}

    def of(self, prompt: str, subject: str = "") -> LineDraft:
        """Return the draft of a prompt about a subject, such as the id of a renamed page."""
        return LineDraft(self._texts, (prompt, subject))
