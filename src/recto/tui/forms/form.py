"""Forms as values: the fields of a body, their first values, and where the body goes.

A form is declared once, beside the screen that opens it. Types, limits, choices and required fields are those of the
body's own model; the declaration adds words::

    NEW_TEAM = Form("new-team", CreateTeam, Field("title", "Name"), Field("members", kind=FieldKind.SEVERAL))

    SETTINGS = Form(
        "site-settings",
        UpdateSite,
        "Address",
        Field("title", required=True),
        Field("visibility", choices={"public": "everybody reads it", "share-link": "those with a share link"}),
        Field("proxy", says="such as example.org/docs", none="no proxy"),
    )

A filling changes a ``thing``, of which only the changed fields are sent, or, without a thing, makes
something new::

    async def submit(body: CreateTeam) -> Outcome[Team] | None:
        return await self.send(create_team(organization, body))

    team = await self.ask(FormDialog(self.store, "New team", Filling(NEW_TEAM, submit, choices={"members": people})))

    self._settings = FormPane(self.store, "Settings", id="settings")
    self._settings.fill(site.id, Filling(SETTINGS, submit, thing=site, reason=needs(site.permissions, "admin")))
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import ValidationError

from recto.contract.misfit import faults
from recto.contract.model import Body, Model, json_name
from recto.contract.rich_text import Document
from recto.contract.unread import all_unread, unread_of
from recto.document.rich_text.markdown_edits import with_markdown
from recto.document.rich_text.markdown_writer import to_markdown
from recto.frozen import frozen
from recto.tui.dialogs.choose import Choice, Find

if TYPE_CHECKING:
    from recto.store.drafts import DraftPlace
    from recto.store.mutation import Outcome
    from recto.tui.look.lines import Line
    from recto.tui.screens.interactive import Interactive

B = TypeVar("B", bound=Body)
R = TypeVar("R")
T = TypeVar("T")

Raw = str | bool | tuple[str, ...]
"""The value of a control: a text, a switch, or the ids of several choices."""


class FieldKind(Enum):
    """How a field is filled in."""

    LINE = "line"
    TEXT = "text"
    """Several lines."""
    MARKDOWN = "markdown"
    CHOICE = "choice"
    SEVERAL = "several"
    """Several of the choices."""
    SWITCH = "switch"
    NUMBER = "number"
    WORDS = "words"
    """A list of words, separated by commas or spaces."""
    DATE = "date"
    OWN = "own"
    """In a dialog of its own (``edit``); the control holds JSON."""


_TYPED: Final = {FieldKind.LINE, FieldKind.TEXT, FieldKind.MARKDOWN, FieldKind.NUMBER, FieldKind.WORDS, FieldKind.DATE}
_SEVERAL_LINES: Final = {FieldKind.TEXT, FieldKind.MARKDOWN}

_MAY_BE_EMPTY: Final = {FieldKind.SWITCH, FieldKind.SEVERAL, FieldKind.WORDS}
"""The kinds whose value may be off or empty even in a required field."""

_NO_CLEARING: Final = "the API cannot clear it"

WHOLE: Final = ""
"""The name for faults that belong to no single field."""


@frozen
class Field:
    """A field of a form, by its name in the body; the body's model gives the rest."""

    name: str
    label: str = ""
    says: str = ""
    """A short explanation, shown below."""
    kind: FieldKind | None = None
    choices: Mapping[str, str] | None = None
    """The values to choose from and what each means; those of a ``Literal`` need none."""
    create: Callable[[str], Choice] | None = None
    """Returns the choice that makes a value of the text typed to choose."""
    none: str = ""
    """The word for no value, such as "no access"; a field that takes ``null``, or may be left out, offers it."""
    required: bool = False
    placeholder: str = ""
    read: Callable[[Any], Any] | None = None
    """Returns its value in the thing; else it is the attribute of its name."""
    write: Callable[[Any], Any] | None = None
    """Returns its value in the body for that of the control; raises ``ValueError`` with the fault."""
    check: Callable[[Any], str | None] | None = None
    """Returns a further fault of the control's value."""
    default: Any = None
    """Its first value where something new is made."""
    keeps: Callable[[str], str] | None = None
    """Returns the part to store of a text that may hold a secret, in its draft and for the next time."""
    sends: bool = False
    """Whether enter sends the form from here, since the fields below are seldom filled in."""
    from_file: bool = False
    """Whether it may be filled with the text of a file."""
    edit: Callable[[Interactive, Any, str], Awaitable[str | None]] | None = None
    """Asks for another value of the kind ``OWN``, given the form, its thing and the value; ``None`` leaves it."""
    words: Callable[[str], str] | None = None
    """Returns a value of the kind ``OWN`` in words."""


class Form(Generic[B]):
    """The fields of a body that are asked for, in order; a text among them is a heading.

    ``name`` names its drafts. A ``whole`` body is sent with all its fields, changed or not. ``sends`` is what sending
    does, as the title of an action.
    """

    def __init__(
        self, name: str, body: type[B], *entries: Field | str, whole: bool = False, sends: str = "Save the changes"
    ) -> None:
        self.name = name
        self.body = body
        self.whole = whole
        self.sends = sends
        self.entries = [_complete(each, body) if isinstance(each, Field) else each for each in entries]
        self.fields = {each.name: each for each in self.entries if isinstance(each, Field)}

    def kind(self, name: str) -> FieldKind:
        """Return how a field is filled in."""
        kind = self.fields[name].kind
        assert kind is not None
        return kind

    def is_typed(self, name: str) -> bool:
        """Whether a field is filled in with letters."""
        return self.kind(name) in _TYPED

    def has_lines(self, name: str) -> bool:
        """Whether a field takes several lines."""
        return self.kind(name) in _SEVERAL_LINES

    def takes_none(self, name: str) -> bool:
        """Whether a field of the body may be ``null``."""
        return NoneType in get_args(self.body.model_fields[name].annotation)

    def limit(self, name: str) -> int | None:
        """Return how many characters a field takes, where its model says so."""
        info = self.body.model_fields[name]
        if _value_type(info.annotation) is not str:
            return None
        marks = [*info.metadata, *_nested_marks(info.annotation)]
        return next((most for mark in marks if (most := getattr(mark, "max_length", None)) is not None), None)


class Latest(Generic[T]):
    """The item to change, as it was read last: the change and its undo are based on it.

    For ``Filling.reread``; ``submit`` then takes the ``value``.
    """

    def __init__(self, thing: T, read: Callable[[], Awaitable[T]]) -> None:
        self.value = thing
        self._read = read

    async def __call__(self) -> T:
        """Read it again."""
        self.value = await self._read()
        return self.value


@frozen
class Filling(Generic[B, R]):
    """A form being filled in: its first values, and where its body goes."""

    form: Form[B]
    submit: Callable[[B], Awaitable[Outcome[R] | None]]
    """Sends the body; ``None`` where the person decided not to."""
    thing: object | None = None
    """The thing to change; ``None`` makes something new."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the body that are not asked for."""
    choices: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
    """By field, what there is to choose from now."""
    find: Mapping[str, Find] = field(default_factory=dict)
    """By field, what requests more to choose from than the choices known now."""
    reread: Callable[[], Awaitable[object]] | None = None
    """Reads the thing again before it is sent, to show what others changed meanwhile."""
    warn: Mapping[str, Callable[[str], str | None]] = field(default_factory=dict)
    """By field, what returns a remark on a strange text that is accepted."""
    place: DraftPlace | None = None
    """The place of the draft; without a place no draft is kept on disk."""
    remembered: Mapping[str, Raw] = field(default_factory=dict)
    """By field, its first value where something new is made, in place of the field's own."""
    remember: Callable[[Mapping[str, Raw]], None] | None = None
    """Called with the values without secrets once they are sent."""
    reason: str | None = None
    """Why nothing can be changed, such as "needs the admin role"."""
    facts: Sequence[Line] = ()
    """Facts that cannot be changed, shown below the fields."""


class FormState(Generic[B]):
    """The state of a form while it is filled in: first values, present values, and their faults."""

    def __init__(self, filling: Filling[B, Any]) -> None:
        self.filling = filling
        self.form = filling.form
        self.initial = {name: self._first(each) for name, each in self.form.fields.items()}
        self.raw = dict(self.initial)
        self.faults: dict[str, str] = {}
        """The faults, by field."""
        self.failure = ""
        """Why the last call failed, where that is about no field; the form can be sent again."""
        self.others: dict[str, str] = {}
        """By field, the value that others gave it meanwhile."""
        self.unread = self._find_unread()
        """By field, an item of its list that could not be read, so that the list cannot be written back."""
        self._refused: dict[str, tuple[Raw | None, str]] = {}
        """What the server refused, by field, with the value that it refused."""
        self._found: dict[str, dict[str, Choice]] = {}
        """By field, the choices that were requested."""
        self._body: B | None = None
        self.check()

    def _first(self, each: Field, thing: object | None = None) -> Raw:
        thing = thing or self.filling.thing
        kind = self.form.kind(each.name)
        if thing is None:
            first, remembered = _raw(kind, each.default), self.filling.remembered.get(each.name)
            return remembered if remembered is not None and type(remembered) is type(first) else first
        return _raw(kind, each.read(thing) if each.read else getattr(thing, each.name, None))

    def _find_unread(self) -> dict[str, str]:
        thing, found = self.filling.thing, {}
        if isinstance(thing, Model):
            for name in self.form.fields:
                notes = [*unread_of(thing, json_name(name)), *all_unread(getattr(thing, name, None))]
                if notes:
                    found[name] = notes[0].words
        return found

    # Typing

    def put(self, name: str, value: Raw) -> None:
        """Set the value of a field, and check all."""
        self.raw[name] = value
        self.failure = ""
        self.check()

    def reset(self, name: str) -> None:
        """Reset a field to its first value."""
        self.put(name, self.initial[name])

    def reset_all(self) -> None:
        """Reset all fields to their first values."""
        self.raw = dict(self.initial)
        self.failure = ""
        self.check()

    @property
    def changed(self) -> list[str]:
        """The fields that differ from their first value, in order."""
        return [name for name in self.form.fields if self.raw[name] != self.initial[name]]

    def remark(self, name: str) -> str | None:
        """Return a warning about the text of a field, which is accepted anyway."""
        warn, raw = self.filling.warn.get(name), self.raw[name]
        return warn(raw) if warn is not None and isinstance(raw, str) and raw else None

    def finder(self, name: str) -> Find | None:
        """Return the function that requests more choices for a field, if there are more."""
        find = self.filling.find.get(name)
        if find is None:
            return None

        async def found(text: str) -> AsyncIterator[Sequence[Choice]]:
            known = {choice.id for choice in self.filling.choices.get(name, ())}
            async for page in find(text):
                self._found.setdefault(name, {}).update((each.id, each) for each in page if each.id not in known)
                yield page

        return found

    def choices(self, name: str) -> list[Choice]:
        """Return the choices for a field, including the choice of nothing (an empty id)."""
        each = self.form.fields[name]
        found = [*self.filling.choices.get(name, ()), *self._found.get(name, {}).values()]
        if not found:
            found = [Choice(value, value, meaning) for value, meaning in (each.choices or {}).items()]
        if self.form.kind(name) is FieldKind.SEVERAL:
            return found
        is_optional = self.form.takes_none(name) or (self.filling.thing is None and not each.required)
        if is_optional or not self.initial[name]:
            found.insert(0, Choice("", each.none or "not set"))
        elif each.none:
            found.insert(0, Choice("", each.none, reason=_NO_CLEARING))
        known = {choice.id for choice in found}
        found += [Choice(value, value) for value in (self.raw[name],) if isinstance(value, str) and value not in known]
        return found

    def choices_made(self, name: str) -> list[Choice]:
        """Return the choices of a field."""
        value = self.raw[name]
        if isinstance(value, tuple):
            by_id = {choice.id: choice for choice in self.choices(name)}
            return [by_id.get(id, Choice(id, id)) for id in value]
        return [choice for choice in self.choices(name) if choice.id == value]

    # Sending

    @property
    def body(self) -> B | None:
        """The body to send; ``None`` if there is a fault."""
        if self.faults or self._body is None:
            return None
        # To read Markdown takes too long to be done at each letter.
        texts = [
            name for name in self.form.fields if self.form.kind(name) is FieldKind.MARKDOWN and self._is_sent(name)
        ]
        rich = {name: with_markdown(self._document(name), str(self.raw[name])) for name in texts}
        return self._body.model_copy(update=rich)

    def _document(self, name: str) -> Document:
        each, thing = self.form.fields[name], self.filling.thing
        found = None if thing is None else each.read(thing) if each.read else getattr(thing, name, None)
        return found if isinstance(found, Document) else Document()

    @property
    def fault(self) -> str | None:
        """The first fault, as a sentence without its full stop."""
        for name, why in self.faults.items():
            return f"{self.form.fields[name].label}: {why}" if name else why
        return None

    def check(self) -> None:
        """Check all fields, by the rules of the body's model."""
        self.faults = {}
        values: dict[str, Any] = dict(self.filling.given)
        for name in self.form.fields:
            if not self._is_sent(name):
                continue
            try:
                values[name] = self._value(name)
            except ValueError as error:
                self.faults[name] = str(error)
        try:
            self._body = self.form.body.model_validate(values)
        except ValidationError as error:
            spelled = {json_name(name): name for name in self.form.fields}
            for name, sentence in faults(error).items():
                own = spelled.get(name, name if name in self.form.fields else WHOLE)
                self.faults.setdefault(own, sentence if own else f"{name}: {sentence}".removeprefix(": "))
        self._refused = {
            name: (value, why) for name, (value, why) in self._refused.items() if self.raw.get(name) == value
        }
        for name in self.faults.keys() & self.form.fields.keys():
            if self._is_cleared(name) and not self.form.fields[name].required:
                self.faults[name] = f"{_NO_CLEARING}; type another value"
        for name, (_value, why) in self._refused.items():
            self.faults.setdefault(name, why)

    def _is_cleared(self, name: str) -> bool:
        """Whether a value of the item was removed."""
        empty = ("", ())
        return self.filling.thing is not None and self.raw[name] in empty and self.initial[name] not in empty

    def _is_sent(self, name: str) -> bool:
        if self.form.whole:
            return True
        if self.filling.thing is not None:
            return self.raw[name] != self.initial[name]
        is_needed = self.form.fields[name].required or self.form.body.model_fields[name].is_required()
        return self.raw[name] not in ("", ()) or is_needed

    def _value(self, name: str) -> Any:
        each, raw = self.form.fields[name], self.raw[name]
        if name in self.unread:
            raise ValueError(f"has an {self.unread[name]}, which would be lost")
        if each.required and (not raw.strip() if isinstance(raw, str) else raw == ()):
            raise ValueError("cannot be empty")
        if each.check is not None and (wrong := each.check(raw)) is not None:
            raise ValueError(wrong)
        if self.form.kind(name) is FieldKind.MARKDOWN:
            return Document()
        value = _value(self.form.kind(name), raw)
        if value is None and not self.form.takes_none(name):
            if self.form.kind(name) in (FieldKind.CHOICE, FieldKind.NUMBER, FieldKind.DATE):
                raise ValueError("cannot be cleared")
            value = ""
        return each.write(value) if each.write else value

    def refuse(self, message: str) -> None:
        """Show a refusal of the server at the fields that its message names, else below all."""
        named = [name for name in self.form.fields if _names(message, name)]
        for name in named:
            self._refused[name] = (self.raw[name], message)
        if not named:
            self.failure = message
        else:
            self.check()

    # What others changed

    def take(self, filling: Filling[B, Any]) -> None:
        """Continue with newer values of the thing; typed values stay."""
        self.filling = filling
        if filling.thing is not None:
            self.rebase(filling.thing)

    def rebase(self, thing: object) -> list[str]:
        """Rebase the form on the present item; return the changed fields that others changed, too."""
        before, self.filling = self.initial, replace(self.filling, thing=thing)
        self.unread = self._find_unread()
        self.initial = {name: self._first(each, thing) for name, each in self.form.fields.items()}
        both = []
        for name, now in self.initial.items():
            if now == before[name]:
                continue
            typed = self.raw[name]
            if typed == before[name] or (isinstance(typed, str) and typed.strip() == now):
                self.raw[name] = now
            elif typed != now:
                both.append(name)
                self.others[name] = format_value(now)
        self.check()
        return both

    def accept(self, response: object, sent: dict[str, Raw]) -> None:
        """Rebase the form on the response to the values ``sent``; what was typed since stays."""
        if self.filling.thing is not None and type(response) is type(self.filling.thing):
            self.initial = sent
            self.rebase(response)
        self.others = {}

    # Drafts

    def dump(self) -> str:
        """Return what was changed as a text, to be kept on disk, with the labels of requested choices."""
        kept: dict[str, Any] = {name: self._kept_value(name, self.raw[name]) for name in self.changed}
        labels = {
            name: {each.id: each.label for each in self.choices_made(name) if each.id in self._found[name]}
            for name in self.changed
            if name in self._found
        }
        return json.dumps({**kept, _LABELS: labels} if labels else kept, ensure_ascii=False, indent=1)

    def dump_base(self) -> str:
        """Return the first values as a text, to be kept with the draft."""
        return json.dumps(
            {name: self._kept_value(name, value) for name, value in self.initial.items()}, ensure_ascii=False
        )

    def without_secrets(self) -> dict[str, Raw]:
        """Return the values without those that must not be stored."""
        return {name: self._kept_value(name, value) for name, value in self.raw.items()}

    def _kept_value(self, name: str, value: Raw) -> Raw:
        keeps = self.form.fields[name].keeps
        return keeps(value) if keeps is not None and isinstance(value, str) else value

    def load(self, text: str, base: str = "") -> None:
        """Load the changes of a draft; what does not fit is left out.

        ``base`` are the first values of that time: what others changed since is shown beside the fields.
        """
        kept, before = _read_values(text), _read_values(base)
        self._load_labels(kept.pop(_LABELS, None))
        for name, value in kept.items():
            if name not in self.raw or type(value) is not type(self.raw[name]):
                continue
            self.raw[name] = value
            now = self.initial[name]
            if value != now and before.get(name, now) != self._kept_value(name, now):
                self.others[name] = format_value(now)
        self.check()

    def _load_labels(self, kept: object) -> None:
        """Load the labels of choices that are requested page by page and may not be on the first page."""
        for name, labels in kept.items() if isinstance(kept, dict) else ():
            if name in self.filling.find and isinstance(labels, dict):
                found = {id: Choice(id, label) for id, label in labels.items() if isinstance(label, str)}
                self._found[name] = found | self._found.get(name, {})


def _read_values(text: str) -> dict[str, Any]:
    """Return the kept values by field; empty if the text is something else."""
    try:
        kept = json.loads(text)
    except ValueError:
        return {}
    found = kept.items() if isinstance(kept, dict) else ()
    return {name: tuple(map(str, value)) if isinstance(value, list) else value for name, value in found}


_LABELS = ""
"""The key of labels in a kept text: no field has this name."""


def format_value(raw: Raw) -> str:
    """Return a value in words."""
    if isinstance(raw, bool):
        return "on" if raw else "off"
    return (", ".join(raw) if isinstance(raw, tuple) else raw) or "nothing"


# What follows from a model


def _complete(given: Field, body: type[Body]) -> Field:
    """Return a field with what its model says of it."""
    info = body.model_fields[given.name]
    values = _literals(info.annotation)
    kind = given.kind or (FieldKind.CHOICE if given.choices or values else _kind(info.annotation))
    choices = given.choices
    if values:
        choices = {value: (given.choices or {}).get(value, "") for value in values}
    return replace(
        given,
        label=given.label or given.name.replace("_", " ").capitalize(),
        kind=kind,
        choices=choices,
        required=given.required or (info.is_required() and kind not in _MAY_BE_EMPTY),
    )


def _kind(annotation: Any) -> FieldKind:
    found = _value_type(annotation)
    if found is bool:
        return FieldKind.SWITCH
    if found in (int, float):
        return FieldKind.NUMBER
    if found is datetime:
        return FieldKind.DATE
    if found is Document:
        return FieldKind.MARKDOWN
    if get_origin(found) is tuple:
        return FieldKind.WORDS
    return FieldKind.LINE


def _value_type(annotation: Any) -> Any:
    """Return the type of an annotation without ``None`` and marks."""
    while True:
        if get_origin(annotation) in (Union, UnionType):
            annotation = next(part for part in get_args(annotation) if part is not NoneType)
        elif hasattr(annotation, "__metadata__"):
            annotation = get_args(annotation)[0]
        else:
            return annotation


def _literals(annotation: Any) -> list[str]:
    found = _value_type(annotation)
    if get_origin(found) is tuple:
        found = _value_type(get_args(found)[0])
    return [str(value) for value in get_args(found)] if get_origin(found) is Literal else []


def _nested_marks(annotation: Any) -> list[Any]:
    """Return the marks of an annotation that is not ``None`` alone, as in ``Annotated[str, …] | None``."""
    marks: list[Any] = []
    for part in get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ():
        for mark in getattr(part, "__metadata__", ()):
            marks += [mark, *getattr(mark, "metadata", ())]
    return marks


# Between controls and bodies


def _raw(kind: FieldKind, value: Any) -> Raw:
    if kind is FieldKind.OWN:
        return json.dumps(value, ensure_ascii=False)
    if kind is FieldKind.SWITCH:
        return bool(value)
    if kind is FieldKind.SEVERAL:
        return tuple(value or ())
    if value is None:
        return ""
    if kind is FieldKind.MARKDOWN:
        return to_markdown(value)
    if kind is FieldKind.WORDS:
        return ", ".join(value)
    return value.isoformat(timespec="minutes") if isinstance(value, datetime) else str(value)


def _value(kind: FieldKind, raw: Raw) -> Any:
    """Return what a control's value stands for; an empty text is ``None``."""
    if not isinstance(raw, str):
        return raw
    if kind is FieldKind.OWN:
        return json.loads(raw)
    if kind is FieldKind.WORDS:
        return tuple(word for word in re.split(r"[,\s]+", raw) if word)
    text = raw if kind in _SEVERAL_LINES else raw.strip()
    if kind is FieldKind.DATE and text:
        moment = _moment(text)
        return moment if moment.tzinfo else moment.astimezone()
    return text or None


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a date such as 2025-03-31, or with a time: 2025-03-31 14:00") from None


def _names(message: str, name: str) -> bool:
    """Whether a message of the server names a field, as ``emailDomains[0]: must be…`` does."""
    return re.search(rf"(?<![\w.]){re.escape(json_name(name))}(?=[\[.:\s]|$)", message) is not None
