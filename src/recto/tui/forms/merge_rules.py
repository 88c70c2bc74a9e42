"""Merge rules: the field of a form, and the dialog that edits them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.client.errors import ClientError
from recto.contract.members import Members
from recto.contract.merge_rules import MergeRuleBody
from recto.contract.spaces import Space
from recto.document.expressions.language import ExpressionError, parse
from recto.document.merge.rules import RULES_WITH_USERS
from recto.document.text import count
from recto.store.mutation import Outcome
from recto.tui.actions import FORM, Action, bindings, name_keys, register
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.choose_members import find_members, member_choice
from recto.tui.dialogs.dialog import Dialog
from recto.tui.forms.form import Field, FieldKind, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line
from recto.tui.screens.interactive import Interactive

if TYPE_CHECKING:
    from recto.contract.merge_rules import MergeRules
    from recto.contract.organizations import Organization
    from recto.store.store import Store


register(
    Action("rules.inherit", "Use the organization's rules, or own rules", ("i",), FORM, "inherit"),
    Action("rules.remove", "Remove the rule", ("x",), FORM, "remove"),
    Action("rules.down", "Move the rule down", ("J",), FORM),
    Action("rules.up", "Move the rule up", ("K",), FORM),
)

Rule = dict[str, Any]
"""A rule as JSON: ``rule``, and optionally ``users``, ``expression`` and ``message``."""

_WORDS: Final = {
    "require_specific_reviewers": "A review by each of {people}",
    "require_one_of_specific_reviewers": "A review by one of {people}",
    "allow_bypass": "May merge regardless of the rules: {people}",
    "require_at_least_one_review": "At least one review",
    "require_at_least_one_approved_review": "At least one approval",
    "require_all_reviews_approved": "No review that asks for changes",
    "require_up_to_date_change_request": "The change request is up to date with main",
    "require_change_request_subject": "The change request has a subject",
    "require_change_request_description": "The change request has a description",
    "require_author_to_merge": "Only the author merges",
    "require_agent_review": "A review by an agent",
    "custom": "An expression is true: {expression}",
}

_MESSAGE: Final = Field("message", says="Shown where the rule is not met.")
_SENDS: Final = "Use the rule"
_WITH_USERS: Final = Form(
    "merge-rule-users",
    MergeRuleBody,
    Field("users", "People", kind=FieldKind.SEVERAL, required=True),
    _MESSAGE,
    sends=_SENDS,
)
_CUSTOM: Final = Form(
    "merge-rule-custom",
    MergeRuleBody,
    Field(
        "expression",
        says="Knows space, changeRequest, reviews and actor, as in reviews.length > 1.",
        required=True,
        check=lambda text: _expression_fault(str(text)),
    ),
    _MESSAGE,
    sends=_SENDS,
)
_PLAIN: Final = Form("merge-rule", MergeRuleBody, _MESSAGE, sends=_SENDS)


def merge_rules_field(says: str) -> Field:
    """Return the field for the merge rules of an organization or a space."""
    return Field(
        "merge_rules",
        kind=FieldKind.OWN,
        says=says,
        read=lambda thing: as_json(thing.merge_rules),
        edit=edit_rules,
        words=rules_in_words,
    )


def as_json(rules: MergeRules | None) -> dict[str, Any]:
    """Return merge rules as they are sent."""
    if rules is None:
        return {"type": "none"}
    found = [_without_empty(rule.model_dump(mode="json", exclude_unset=True)) for rule in rules.rules]
    return _body_of(rules.type == "inherit", found)


def _body_of(inherits: bool, rules: list[Rule]) -> dict[str, Any]:
    if inherits:
        return {"type": "inherit"}
    return {"type": "rules", "rules": rules} if rules else {"type": "none"}


def _without_empty(rule: Rule) -> Rule:
    return {name: value for name, value in rule.items() if value}


def rules_in_words(raw: str) -> str:
    """Return the merge rules of a control in words."""
    rules = json.loads(raw)
    if rules["type"] == "inherit":
        return "those of the organization"
    return "; ".join(rule_in_words(rule) for rule in rules.get("rules", ())) or "none"


def rule_in_words(rule: Rule, names: dict[str, str] | None = None) -> str:
    """Return a rule in words; without ``names`` people are counted."""
    users = rule.get("users", ())
    people = ", ".join(names.get(user, user) for user in users) if names else count(len(users), "person", "people")
    words = _WORDS.get(rule["rule"], f"“{rule['rule']}”, a rule that is not known here")
    return words.format(people=people, expression=rule.get("expression", "…"))


def _expression_fault(text: str) -> str | None:
    try:
        parse(text)
    except ExpressionError as error:
        return f"cannot be read: {error}"
    return None


async def edit_rules(form: Interactive, thing: Organization | Space, raw: str) -> str | None:
    """Ask for other merge rules of an organization or a space."""
    organization = thing.organization if isinstance(thing, Space) else thing.id
    return await form.ask(RulesDialog(form.store, organization, raw, inherits=isinstance(thing, Space)))


class RulesDialog(Dialog[str], Interactive):
    """Asks for merge rules, in order; answers them as JSON. Those of a space may be inherited."""

    BINDINGS = bindings("item.new", "rules.remove", "rules.down", "rules.up", "rules.inherit", "dialog.finish")

    def __init__(self, store: Store, organization: str, raw: str, *, inherits: bool) -> None:
        super().__init__("Merge rules")
        self.store = store
        self._organization = organization
        self._raw = raw
        known = json.loads(raw)
        self._rules: list[Rule] = list(known.get("rules", ()))
        self._may_inherit = inherits
        self._inherits = known["type"] == "inherit"
        self._people: dict[str, Choice] = {}
        """The members in the rules by their ids."""

    def compose_body(self) -> ComposeResult:
        """Compose the source of the rules, and the rules."""
        yield Static(classes="says")
        yield VirtualList(guided=True)

    def on_mount(self) -> None:
        """Show the rules, with the names of the people in them where there are any."""
        self._show()
        if any(rule.get("users") for rule in self._rules):
            self.work(self._name_people(), "people", instead_of="people")

    async def _name_people(self) -> None:
        """Request the names of the people in the rules, who may be members no longer."""
        for user in {user for rule in self._rules for user in rule.get("users", ())} - self._people.keys():
            with suppress(ClientError):
                self._people[user] = member_choice(await self.store.fetch(Members.get_member, self._organization, user))
        self._show()

    def _show(self, cursor: int | None = None) -> None:
        if self._inherits:
            says = "The organization's rules apply. ‹rules.inherit› sets own rules."
        elif self._rules:
            says = "Each must be met before a change request is merged."
        else:
            says = "No rules: members with the review role can merge. ‹item.new› adds a rule."
        self.query_one(".says", Static).update(Content(name_keys(self, says)))
        shown = [] if self._inherits else list(range(len(self._rules)))
        listed = self.query_one(VirtualList)
        listed.show(WrappedRows(shown, self._draw, key=lambda index: index), cursor)
        self.refresh_bindings()

    def _draw(self, index: int, width: int) -> list[Line]:
        rule = self._rules[index]
        names = {id: choice.label for id, choice in self._people.items()}
        found: list[Line] = [*lines.wrap([(lines.plain(rule_in_words(rule, names)), "")], width, 2)]
        if message := rule.get("message"):
            found += lines.wrap([(lines.plain(f"  {message}"), "muted")], width, 2)
        return found

    @property
    def _current(self) -> int | None:
        cursor = self.query_one(VirtualList).cursor
        return cursor if not self._inherits and 0 <= cursor < len(self._rules) else None

    def why_not(self, action: str) -> str | None:
        """Return the reason why a key does nothing."""
        if not self.is_whole:
            return None
        match action:
            case "rules.inherit" if not self._may_inherit:
                return "an organization inherits from nothing"
            case "item.new" if self._inherits:
                return "the organization's rules apply; ‹rules.inherit› sets own rules"
            case "rules.remove" | "rules.down" | "rules.up" | "list.open" if self._current is None:
                return "no rule is selected"
            case "rules.down" if self._current == len(self._rules) - 1:
                return "it is the last one"
            case "rules.up" if self._current == 0:
                return "it is the first one"
        return super().why_not(action)

    # Actions

    def action_item_new(self) -> None:
        """Add a rule."""
        self.work(self._add(), "rule", unless_running="rule")

    async def _add(self) -> None:
        several = {"people": "some people", "expression": "…"}
        choices = [Choice(rule, words.format(**several)) for rule, words in _WORDS.items()]
        chosen = await self.ask(Choose("New rule", choices))
        if chosen is None:
            return
        rule: Rule | None = {"rule": chosen}
        if chosen in RULES_WITH_USERS or chosen == "custom":
            rule = await self._ask_rule({"rule": chosen})
        if rule is not None:
            self._rules.append(rule)
            self._show(len(self._rules) - 1)
            await self._name_people()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Change the rule under the cursor."""
        event.stop()
        if (at := self._current) is not None:
            self.work(self._change(at), "rule", unless_running="rule")

    async def _change(self, at: int) -> None:
        rule = await self._ask_rule(self._rules[at])
        if rule is not None:
            self._rules[at] = rule
            self._show(at)
            await self._name_people()

    async def _ask_rule(self, rule: Rule) -> Rule | None:
        has_users = rule["rule"] in RULES_WITH_USERS
        form = _WITH_USERS if has_users else _CUSTOM if rule["rule"] == "custom" else _PLAIN

        async def keep(body: MergeRuleBody) -> Outcome[MergeRuleBody]:
            return Outcome(body)

        filling = Filling(
            _begin_with(form, rule),
            keep,
            given={"rule": rule["rule"]},
            choices={"users": [*self._people.values()]} if has_users else {},
            find={"users": find_members(self.store, self._organization)} if has_users else {},
        )
        several = {"people": "some people", "expression": "…"}
        body = await self.ask(FormDialog(self.store, _WORDS.get(rule["rule"], "Rule").format(**several), filling))
        return None if body is None else _without_empty(body.model_dump(mode="json", exclude_unset=True))

    def action_rules_remove(self) -> None:
        """Remove the rule under the cursor."""
        if (at := self._current) is not None:
            del self._rules[at]
            self._show(min(at, len(self._rules) - 1) if self._rules else None)

    def action_rules_down(self) -> None:
        """Move the rule under the cursor down."""
        self._move(1)

    def action_rules_up(self) -> None:
        """Move the rule under the cursor up."""
        self._move(-1)

    def _move(self, by: int) -> None:
        if (at := self._current) is not None:
            self._rules.insert(at + by, self._rules.pop(at))
            self._show(at + by)

    def action_rules_inherit(self) -> None:
        """Toggle inheriting the rules of the organization."""
        self._inherits = not self._inherits
        self._show()

    def action_dialog_finish(self) -> None:
        """Answer with the rules."""
        self.dismiss(json.dumps(_body_of(self._inherits, self._rules), ensure_ascii=False))


def _begin_with(form: Form[MergeRuleBody], rule: Rule) -> Form[MergeRuleBody]:
    """Return a form whose first values are those of a rule."""
    fields = (replace(each, default=rule.get(each.name)) for each in form.fields.values())
    return Form(form.name, form.body, *fields, sends=form.sends)
