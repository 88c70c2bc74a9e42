"""The registry of named actions and what a screen offers of them: bindings, footer, help and palette read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from textual.binding import Binding, BindingType
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character
from textual.message_pump import MessagePump

from recto.frozen import frozen
from recto.pattern import pattern

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

    from recto.store.query import Query

_NO_KEY = "no-key-"

_MARK = pattern(r"‹([a-z_]+(?:\.[a-z_0-9]+)+)›")
"""An action in a sentence, in whose place its key is shown."""

_KEY_NAMES = frozenset({*Keys, *KEY_NAME_REPLACEMENTS.values()})
_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})

MOVING, GOING, CHANGING, FORM, TEXT, DIALOG = "Move", "Go", "Change", "Form", "Text", "Dialog"

GROUPS = (
    *(MOVING, GOING, CHANGING),
    *("Organizations", "Space", "Page", "Revision"),
    *("Change request", "Review", "Diff", "Thread", "Conflicts"),
    *("Site", "Arrange"),
    *("Console", "Settings", FORM, TEXT, DIALOG),
)
"""The groups of actions, in the order of the help and of the printed tables."""

_ELSEWHERE = {
    MOVING: "only in a list or on a page",
    GOING: "not in a dialog; ‹dialog.close› closes it",
    CHANGING: "only on a page or an item",
    "Organizations": "only on Organizations",
    "Space": "only in a space",
    "Page": "only on a page",
    "Revision": "only in a past revision",
    "Change request": "only on a change request's screen",
    "Review": "only on a change request's screen",
    "Diff": "only in a diff",
    "Thread": "only in a thread",
    "Conflicts": "only while resolving conflicts",
    "Site": "only on a site",
    "Arrange": "only in the trees of pages, spaces and sites",
    "Console": "only in the console",
    "Settings": "only in the settings",
    FORM: "only in a form",
    TEXT: "only in a field of several lines",
    DIALOG: "only in certain dialogs",
    "list.open": "nothing to open here",
    "list.select": "nothing to select here",
    "list.range": "nothing to select here",
    "list.find": "nothing to find in here",
    "list.find_next": "no search; ‹list.find› begins one",
    "list.find_previous": "no search; ‹list.find› begins one",
    "list.order": "only in a list with columns",
    "list.left": "nothing is wider than the screen",
    "list.right": "nothing is wider than the screen",
    "tree.expand": "only in a tree",
    "tree.collapse": "only in a tree",
    "tree.expand_all": "only in a tree or on a page",
    "tree.collapse_all": "only in a tree or on a page",
    "view.tree": "no tree beside this",
    "view.refresh": "nothing to refresh here",
    "view.next_panel": "no other panel here",
    "view.previous_panel": "no other panel here",
    "item.new": "nothing is added here",
    "item.change": "nothing to change here",
    "item.rename": "nothing to rename here",
    "member.team": "only among members",
    "member.sign_on": "only among members",
    **dict.fromkeys(
        ("translation.run", "translation.cancel", "translation.result", "translation.source"), "only among translations"
    ),
    **dict.fromkeys(
        ("specification.compare", "specification.fetch", "specification.publish"), "only among specifications"
    ),
    "sites.with_space": "only in a list of sites",
    "organization.restore_space": "only among deleted spaces",
    **dict.fromkeys(("sign_on.copy_value", "sign_on.copy_login"), "only in the sign-on of an organization"),
    "organization.instructions": "only in the settings of an organization",
    **dict.fromkeys(("site.path", "site.condition", "site.content", "site.make_default"), "only on tab 1 of a site"),
    "site.switch_link": "only on tab 3 of a site",
    **dict.fromkeys(("audience.claim", "audience.clear", "audience.edit_schema"), "only on tab 4 of a site"),
    **dict.fromkeys(("site.publish", "site.visit_with"), "only on tab 6 of a site"),
    "item.delete": "nothing to delete here",
    "item.open_in_browser": "nothing with an address here",
    "item.copy_text": "only on a page or in a thread",
    "list.filter": "only among comments or change requests",
    "item.copy_link": "nothing with an address here",
    "page.edit": "no text of a page here",
    "page.edit_here": "no text of a page here",
    "revision.revert": "only where something was merged",
    "change.undo": "not in a dialog; ‹dialog.close› closes it",
    "change.redo": "not in a dialog; ‹dialog.close› closes it",
    "app.copy_selection": "no text is selected",
    "arrange.drop": "nothing is lifted",
    "arrange.put_back": "nothing is lifted",
    "arrange.apply": "no moves are staged",
    "dialog.finish": "no list to accept here",
    "dialog.confirm": "nothing to confirm here",
    "dialog.decline": "nothing to confirm here",
    "form.keep_draft": "only on leaving a form",
    "job.cancel": "only among jobs",
    "moves.go_on": "only after moves have stopped",
    "moves.take_back": "only after moves have stopped",
    "addresses.redirect": "only where addresses change",
    "page.place": "only for a new page",
    "page.write_here": "only for a new page",
    **dict.fromkeys(("rules.inherit", "rules.remove", "rules.down", "rules.up"), "only among merge rules"),
    "search.scope": "only in a search",
    "search.edit": "only in a search",
}
"""Why an action, or one of a group, cannot be done where it is not offered, which may be in another of its group."""

_SIGNS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "backspace": "bksp",
    "slash": "/",
    "minus": "-",
    "underscore": "_",
    "plus": "+",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "delete": "Del",
}


@frozen
class Action:
    """Something that can be done, under a name that settings refer to.

    ``page.edit`` is done by a method ``action_page_edit`` of the screen or widget that offers it. ``hint`` is the
    short word of the footer; actions without a hint are not listed there. ``call`` replaces the method's name where
    several actions share a method with an argument. An action that ``writes`` changes something on the platform,
    or leads only to that.
    """

    name: str
    title: str
    keys: tuple[str, ...] = ()
    group: str = CHANGING
    hint: str = ""
    call: str = ""
    priority: bool = False
    in_palette: bool = True
    writes: bool = False
    drafted: bool = False
    """Whether its text is kept as a draft, so that it can begin where the platform cannot be reached."""

    @property
    def elsewhere(self) -> str:
        """The reason why it cannot be done where it is not offered, in a few words."""
        if self.name.startswith("view.tab_"):
            return f"no tab {self.name[-1]} here"
        return _ELSEWHERE.get(self.name) or _ELSEWHERE[self.group]

    @property
    def method(self) -> str:
        """The call that Textual runs on the screen or widget that offers the action."""
        return self.call or self.name.replace(".", "_")

    def reword(self, title: str) -> Action:
        """Return the action with another title, and the first word of it as the hint."""
        return replace(self, title=title, hint=title.partition(" ")[0].lower())


OPENING = frozenset(
    {
        *("app.jump", "app.palette", "app.help", "app.settings", "app.console"),
        "list.order",
        *("member.team", "member.sign_on", "item.change"),
        *("item.new", "item.rename", "item.delete", "page.edit", "page.edit_here", "page.copy"),
        *("space.comment", "space.search", "space.choose_address", "revision.revert"),
        *("view.jobs", "space.import"),
        *("organization.import", "organization.rename_me", "organization.remove_guide"),
        *("organization.join", "organization.instructions"),
        *("organization.new_collection", "organization.item_settings", "organization.transfer_item", "arrange.apply"),
        *("sites.with_space", "site.publish", "site.visit_with", "audience.edit_schema"),
        *("translation.cancel", "job.cancel"),
        *("request.merge", "request.update", "request.describe", "request.status"),
        *("request.reviewers", "request.withdraw"),
        *("review.comment", "review.suggest", "review.submit"),
        *("thread.reply", "thread.edit", "thread.react", "list.filter"),
        *("site.path", "site.condition", "site.content"),
        *("form.change", "console.send"),
    }
)
"""The actions that lead to a dialog or an editor; keys typed from then on belong to it."""


def opens_text(action: Action) -> bool:
    """Whether an action leads to a dialog, an editor, or the line for what to find."""
    return action.name in OPENING or action.name == "list.find"


_actions: dict[str, Action] = {}

_RENAMED = {
    "organization.bring_in": "organization.import",
    "comments.filter": "list.filter",
    "page.forward": "view.forward",
    "request.pull": "request.update",
    "thread.take": "thread.apply_suggestion",
    "space.choose_request": "space.choose_address",
    "request.space": "page.changes",
    "view.back": "view.up",
    "settle.ours": "conflict.ours",
    "settle.theirs": "conflict.theirs",
    "settle.both": "conflict.both",
    "settle.base": "conflict.base",
    "settle.next": "conflict.next",
    "settle.previous": "conflict.previous",
    "settle.apply": "conflict.apply",
    "site.lift": "arrange.lift",
    "site.drop": "arrange.drop",
    "site.put_back": "arrange.put_back",
    "site.down": "arrange.down",
    "site.up": "arrange.up",
    "site.out": "arrange.out",
    "site.in": "arrange.in",
    "site.apply": "arrange.apply",
    "shelf.new_collection": "organization.new_collection",
    "shelf.settings": "organization.item_settings",
    "shelf.duplicate": "organization.duplicate_space",
    "shelf.transfer": "organization.transfer_item",
    "shelf.restore": "organization.restore_space",
}
"""Former names of actions, which settings may still hold, with those of today."""


def register(*actions: Action) -> None:
    """Add actions to the registry; raises ``ValueError`` for a name that it has."""
    for action in actions:
        if action.name in _actions:
            raise ValueError(f"the action {action.name} is registered twice")
        _actions[action.name] = action
    all_actions.cache_clear()


def get(name: str) -> Action:
    """Return the action of this name; raises ``KeyError``."""
    return _actions[name]


def find(name: str | None) -> Action | None:
    """Return the action of this name, or ``None``."""
    return _actions.get(name) if name else None


@cache
def all_actions() -> tuple[Action, ...]:
    """Return all actions that the modules loaded so far have registered, by group."""
    return tuple(sorted(_actions.values(), key=lambda action: GROUPS.index(action.group)))


def bindings(*names: str) -> list[BindingType]:
    """Return Textual's bindings for these actions; the id of each is the action's name, so that a keymap finds it."""
    found: list[BindingType] = []
    for name in names:
        action = get(name)
        found.append(
            Binding(
                ",".join((*action.keys, _no_key(name))),
                action.method,
                action.title,
                show=bool(action.hint),
                priority=action.priority,
                id=action.name,
            )
        )
    return found


def keymap(keys: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return Textual's keymap for the keys of the settings, which may use former names of actions."""
    named = {current_name(name): chosen for name, chosen in keys.items()}
    return {name: ",".join((*(_keymap_name(key) for key in chosen), _no_key(name))) for name, chosen in named.items()}


def current_name(name: str) -> str:
    """Return the name of today for a former name of an action."""
    return _RENAMED.get(name, name)


def former_names(name: str) -> list[str]:
    """Return the names that an action had before."""
    return [former for former, now in _RENAMED.items() if now == name]


def normalize(keys: Iterable[str]) -> tuple[str, ...]:
    """Return keys by their long names, as actions have them: ``?`` is ``question_mark``."""
    spelled = ",".join(_keymap_name(key) for key in keys)
    return tuple(binding.key for binding in Binding.make_bindings([Binding(spelled, "")])) if spelled else ()


def keys_in_force(chosen: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the keys of each action by name, under those of the settings."""
    own = {current_name(name): normalize(keys) for name, keys in chosen.items()}
    return {action.name: own.get(action.name, action.keys) for action in all_actions()}


def unknown_names(keys: Iterable[str]) -> list[str]:
    """Return the names that no registered action has."""
    return [name for name in keys if current_name(name) not in _actions]


def unknown_keys(keys: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the keys of the settings that no terminal sends, as they are written."""
    return [key for chosen in keys.values() for key in chosen if not _exists(key)]


def _exists(key: str) -> bool:
    *modifiers, last = _keymap_name(key).split("+") if key != "+" else [key]
    named = len(last) == 1 or last in _KEY_NAMES or key_to_character(last) is not None
    return named and _MODIFIERS.issuperset(modifiers)


def key_label(key: str) -> str:
    """Return the label of a key: ``ctrl+s``, ``?``, ``PgDn``, ``G``."""
    *modifiers, last = key.split("+")
    character = key_to_character(last) or ""
    sign = character if character.strip() and character.isprintable() else last
    return "+".join([*modifiers, _SIGNS.get(last, sign)])


def keys_label(keys: Iterable[str]) -> str:
    """Return the labels of several keys, the main key first."""
    return " ".join(key_label(key) for key in keys)


def is_key(key: str) -> bool:
    """Whether a terminal can send this key; the mark of an action is none."""
    return not key.startswith(_NO_KEY)


def _no_key(name: str) -> str:
    # The palette finds actions by their bindings, and Textual drops those whose keys all go to another action.
    return _NO_KEY + name


def _keymap_name(key: str) -> str:
    # A comma separates keys in Textual's keymap, so the key itself goes by its long name.
    return {",": "comma", " ": "space"}.get(key, key)


register(
    Action("list.down", "Down", ("j", "down"), MOVING),
    Action("list.up", "Up", ("k", "up"), MOVING),
    Action("list.top", "Go to the top", ("g", "home"), MOVING),
    Action("list.bottom", "Go to the bottom", ("G", "end"), MOVING),
    Action("list.half_down", "Half a page down", ("ctrl+d",), MOVING),
    Action("list.half_up", "Half a page up", ("ctrl+u",), MOVING),
    Action("list.page_down", "A page down", ("pagedown",), MOVING),
    Action("list.page_up", "A page up", ("pageup",), MOVING),
    Action("list.open", "Open", ("enter",), MOVING, hint="open"),
    Action("list.select", "Select", ("space",), MOVING),
    Action("list.range", "Select a range", ("v",), MOVING),
    Action("list.clear", "Clear the search or the selection", ("escape",), MOVING, in_palette=False),
    Action("list.find", "Find here", ("slash",), MOVING, hint="find"),
    Action("list.find_next", "Next match", ("n",), MOVING),
    Action("list.find_previous", "Previous match", ("N",), MOVING),
    Action("list.order", "Sort the list, or show only some", ("s",), MOVING, "sort"),
    Action("list.filter", "Show only some of the list", ("F",), MOVING),
    Action("list.left", "Scroll left", ("comma", "shift+left"), MOVING),
    Action("list.right", "Scroll right", ("full_stop", "shift+right"), MOVING),
    Action("tree.expand", "Expand, or go in", ("l", "right"), MOVING),
    Action("tree.collapse", "Collapse, or go to the parent", ("h", "left"), MOVING),
    Action("tree.expand_all", "Expand all", ("Z",), MOVING),
    Action("tree.collapse_all", "Collapse all", ("z",), MOVING),
    Action("view.escape", "Cancel or close", ("escape",), GOING),
    Action("view.up", "Go up one step", ("backspace",), GOING, hint="back"),
    Action("view.previous", "Go to the previous view", ("minus",), GOING),
    Action("view.forward", "Go forward again", ("underscore",), GOING),
    Action("view.tree", "Go to the tree", ("h", "left"), GOING),
    Action("view.refresh", "Refresh", ("r",), GOING),
    Action("view.next_panel", "Next panel", ("tab",), GOING),
    Action("view.previous_panel", "Previous panel", ("shift+tab",), GOING),
    *(
        Action(f"view.tab_{digit}", f"Tab {digit}", (str(digit),), GOING, call=f"view_tab({digit})", in_palette=False)
        for digit in range(1, 10)
    ),
    Action("view.quit", "Go up one step; quit on Organizations", ("q",), GOING),
    Action("view.jobs", "Show running jobs, and the results of earlier ones", ("ampersand",), GOING),
    Action("app.jump", "Go to anything by name", ("f", "ctrl+o"), GOING, "jump"),
    Action("app.palette", "Show all actions by name", ("colon", "ctrl+p"), GOING, "actions"),
    Action("app.help", "Show the keys that work here", ("question_mark", "f1"), GOING, "keys"),
    Action("app.console", "Console: call any operation of the API", ("exclamation_mark",), GOING),
    Action("app.settings", "Change settings: theme, editor, keys", ("f9",), GOING),
    Action("app.quit", "Quit", ("ctrl+q",), GOING, priority=True),
    Action("app.copy_selection", "Copy the selected text", ("ctrl+c",), GOING, in_palette=False),
    Action("item.new", "New", ("a",), CHANGING, "new", writes=True),
    Action("item.change", "Change", ("e",), CHANGING, "change", writes=True),
    Action("item.rename", "Rename", ("f2",), CHANGING, "rename", writes=True),
    Action("item.delete", "Delete", ("D",), CHANGING, writes=True),
    Action("item.open_in_browser", "Open in browser", ("o",), CHANGING),
    Action("item.copy_text", "Copy text", ("y",), CHANGING),
    Action("content.pdf", "Save as PDF", ("W",), GOING),
    Action("item.copy_link", "Copy link", ("Y",), CHANGING),
    Action("page.changes", "Go to the changes of the page, and back to the page", ("plus",), GOING, "changes"),
    Action("page.edit", "Edit in your editor", ("e",), CHANGING, "edit", writes=True, drafted=True),
    Action("page.edit_here", "Edit in the built-in editor", ("E",), CHANGING, writes=True, drafted=True),
    Action("revision.revert", "Revert what was merged", ("R",), CHANGING, "revert", writes=True),
    Action("change.undo", "Undo the last change", ("u",), CHANGING, writes=True),
    Action("change.redo", "Redo", ("U",), CHANGING, writes=True),
    Action("text.send", "Send or save the text", ("ctrl+s",), TEXT, "send"),
    Action("text.leave", "Leave the text as a draft", ("escape",), TEXT, "leave"),
    Action("text.copy_all", "Copy a text that could not be saved", ("f5",), TEXT, "copy all"),
    Action("text.discard", "Discard a text that could not be saved", ("f8",), TEXT, "discard"),
    Action("dialog.close", "Close", ("escape",), DIALOG, "close"),
    Action("dialog.accept", "Accept", ("enter",), DIALOG, "accept"),
    Action("dialog.finish", "Accept the list", ("ctrl+s",), DIALOG, "accept"),
    Action("dialog.confirm", "Yes", ("y",), DIALOG),
    Action("dialog.decline", "No", ("n",), DIALOG),
    Action("job.cancel", "Cancel the job", ("c",), DIALOG, "cancel"),
    Action("dialog.down", "Down", ("down", "ctrl+n"), DIALOG),
    Action("dialog.up", "Up", ("up", "ctrl+p"), DIALOG),
)


# What a screen offers


class Passing(str):
    """A reason that passes by itself: an action that is refused for it acts as soon as it has passed."""

    __slots__ = ()


def not_loaded(thing: str, query: Query[Any] | None) -> str:
    """Return the reason that what an action needs is not loaded: it passes, unless loading has failed."""
    has_failed = query is not None and query.error is not None
    return f"{thing} could not be loaded" if has_failed else Passing(f"{thing} is not loaded yet")


READ_ONLY = "Recto is read-only now"
"""The reason why nothing can be changed in a read-only program."""

REFRESHING = Passing("what is shown is being refreshed")
NOT_REFRESHED = "what is shown could not be refreshed"
CUT_OFF = "the platform cannot be reached"
"""The reasons why nothing can be changed while cached responses are shown."""


@frozen
class Offer:
    """An action offered on a screen: its keys, the node that does it, and the reason why it cannot, if any."""

    action: Action
    keys: tuple[str, ...]
    node: DOMNode
    reason: str | None

    @property
    def key(self) -> str:
        """The label of the main key; empty without a key."""
        return key_label(self.keys[0]) if self.keys else ""


def why_not(node: object, action: Action) -> str | None:
    """Return the reason why a node cannot do an action now; ``None`` where it can."""
    reason = getattr(getattr(node, "app", None), "why_no_writes", None) if action.writes else None
    if reason and not (action.drafted and reason in (CUT_OFF, NOT_REFRESHED)):
        return reason if isinstance(reason, str) else str(reason)
    ask = getattr(node, "why_not", None)
    reason = ask(action.name) if ask else None
    return name_keys(node, reason) if isinstance(reason, str) else None


def why_key_not(node: DOMNode, key: str) -> str | None:
    """Return why the action that a key has by default at a node, or around it, cannot be done; ``None`` if it can."""
    around, action = _declaration(node, key)
    return why_not(around, action) if action is not None else None


def key_shown(node: DOMNode, key: str) -> str:
    """Return the label of the key that an action has now, given by its default key at a node, or around it."""
    action = _declaration(node, key)[1]
    if action is None or key in _keys_now(node, action.name):
        return key_label(key)
    return key_label(main_key(node, action.name))


def main_key(node: MessagePump, name: str) -> str:
    """Return the key that an action has now, the first of several; that of the palette where it has none."""
    return next(iter((*_keys_now(node, name), *_keys_now(node, "app.palette"))), "colon")


def name_keys(node: object, sentence: str) -> str:
    """Return a sentence with the keys in force in place of the marks of their actions: ``‹page.edit› continues it``.

    Sentences are made where no keys are known. They pass through here on their way to the screen, and nowhere else.
    """
    if "‹" not in sentence or not isinstance(node, MessagePump):
        return sentence
    return _MARK.sub(lambda mark: key_label(main_key(node, mark[1])) if mark[1] in _actions else mark[0], sentence)


def _keys_now(node: MessagePump, name: str) -> Sequence[str]:
    in_force: Mapping[str, Sequence[str]] = getattr(node.app, "keys_in_force", {})
    return in_force.get(name, get(name).keys)


def _declaration(node: DOMNode, key: str) -> tuple[DOMNode, Action | None]:
    """Return the action that has a key by default at a node, or around it, and the node that declares it."""
    for around in node.ancestors_with_self:
        if (name := _names_by_key(type(around)).get(key)) is not None:
            return around, get(name)
    return node, None


@cache
def _names_by_key(kind: type) -> Mapping[str, str]:
    """Return the actions that a class declares by the keys that they have by default, the nearest class first."""
    names: dict[str, str] = {}
    for base in kind.mro():
        for name in _declarations_of(base):
            for key in get(name).keys:
                names.setdefault(key, name)
    return names


@cache
def _order_of(kind: type) -> Mapping[str, int]:
    """Return the place of each action among those that a class declares, those of the classes above it first."""
    order: dict[str, int] = {}
    for base in reversed(kind.mro()):
        for name in _declarations_of(base):
            order.setdefault(name, len(order))
    return order


def reword_for(node: object, action: Action) -> Action:
    """Return an action with the title and the hint that a node gives it, such as what its form does."""
    word = getattr(node, "word", None)
    worded = word(action) if word else action
    return worded if isinstance(worded, Action) else action


_MOST_REASONS = 3
"""Reasons that are shown for a key with several actions, on two lines: more fill half of a small dialog."""


def why_unbound(screen: Screen[Any], key: str, in_force: Mapping[str, Sequence[str]]) -> str:
    """Return why a key does nothing: by the action's own reason, the nearest to the focus first.

    ``in_force`` are the keys of all actions, by name.
    """
    means = [action for action in all_actions() if key in in_force.get(action.name, ())]
    if not means:
        of_help = [help for help in in_force["app.help"] if not _is_typed(screen, help)] or in_force["app.help"]
        return f"{key_label(key)} has no action. {keys_label(of_help[:1])} shows the keys that work here."
    for node in (screen.focused or screen).ancestors_with_self:
        declared = {binding for base in type(node).mro() for binding in _declarations_of(base)}
        for action in means:
            if action.name in declared:
                return sentence(reword_for(node, action), why_not(node, action) or action.elsewhere)
    if len(means) == 1:
        return sentence(means[0], means[0].elsewhere)
    # One word each, to fit a line: titles begin with their verb.
    words: dict[str, dict[str, None]] = {}
    for action in means:
        word = action.hint or action.title.partition(" ")[0].rstrip(",").lower()
        words.setdefault(action.elsewhere, {})[word] = None
    if len(words) > _MOST_REASONS:
        named = dict.fromkeys(word for group in words.values() for word in group)
        return f"{key_label(key)} does nothing here; elsewhere: {', '.join(named)}."
    reasons = [f"{', '.join(group)} ({reason})" for reason, group in words.items()]
    return f"{key_label(key)}: {', '.join(reasons)}."


def _is_typed(screen: Screen[Any], key: str) -> bool:
    """Whether a key is text for the focus."""
    return screen.focused is not None and screen.focused.check_consume_key(key, key_to_character(key))


def sentence(action: Action, reason: str) -> str:
    """Return the sentence that says why an action cannot be done."""
    return reason if reason.endswith(".") else f"{action.title}: {reason}."


def _declarations_of(base: type) -> list[str]:
    return [name for binding in vars(base).get("BINDINGS", ()) if (name := getattr(binding, "id", None))]


def offers(screen: Screen[Any], *, hinted: bool = False) -> list[Offer]:
    """Return what a screen offers, nearest to the focus first, without the keys that a nearer node takes.

    With ``hinted`` only the actions that have a hint and a key; the others are not asked why they cannot act.
    """
    keys: dict[str, list[str]] = {}
    nodes: dict[str, DOMNode] = {}
    for key, active in screen.active_bindings.items():
        action = find(active.binding.id)
        if action is None:
            continue
        nodes.setdefault(action.name, active.node)
        # The same action may be offered twice, by a list and by the screen around it: the nearer counts.
        if active.node is nodes[action.name] and is_key(key):
            keys.setdefault(action.name, []).append(key)
    return [
        Offer(action := reword_for(node, get(name)), tuple(keys.get(name, ())), node, why_not(node, action))
        for name, node in _as_declared(nodes)
        if not hinted or (name in keys and get(name).hint)
    ]


def _as_declared(nodes: dict[str, DOMNode]) -> list[tuple[str, DOMNode]]:
    """Sort the actions of each node as it declares them; Textual puts those with keys from the settings last."""
    similarity: dict[DOMNode, int] = {}
    for node in nodes.values():
        similarity.setdefault(node, len(similarity))

    def place(one: tuple[str, DOMNode]) -> tuple[int, int]:
        order = _order_of(type(one[1]))
        return similarity[one[1]], order.get(one[0], len(order))

    return sorted(nodes.items(), key=place)
