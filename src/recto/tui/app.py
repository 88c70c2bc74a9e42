"""The app: goes from view to view, offers the actions available everywhere, and shuts down."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast
from unicodedata import category

from textual import events
from textual.actions import parse
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from recto import paths
from recto.document.text import count, printable
from recto.settings import Settings
from recto.store.line_drafts import LineDrafts
from recto.store.locations import ChangeRequestLocation, Location, SpaceLocation, parent_of
from recto.tui import actions
from recto.tui.actions import CUT_OFF, NOT_REFRESHED, READ_ONLY, REFRESHING, Offer, bindings, offers, why_not
from recto.tui.failed_work import report_failed_work
from recto.tui.look import times
from recto.tui.look.themes import ON_SIXTEEN, THEMES, read_later, style_sheets
from recto.tui.navigation import views
from recto.tui.navigation.key_queue import KeyQueue
from recto.tui.navigation.location_history import History
from recto.tui.navigation.messages import Arrival, Beginning, Go, GoUp, HasPages, HasStaged, HasUnsent, Left, Visited
from recto.tui.navigation.typed_ahead import TypedAhead
from recto.tui.private_names import (
    KeyAfterEscape,
    fail_in_one_sentence,
    keep_pastes_whole,
    report_mouse,
    run_key_binding,
    tell_esc_from_alt,
)
from recto.tui.screens.guarded_screen import GuardedScreen
from recto.tui.screens.opening_screen import Opening
from recto.tui.starting import Start
from recto.tui.terminal import crash
from recto.tui.terminal.end_signals import PATIENCE, handle_end_signals

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from recto.store.store import Store
    from recto.tui.dialogs.jump import Target
    from recto.tui.screens.settings.settings_screen import SettingsScreen
    from recto.tui.screens.view import View
    from recto.tui.starting import Lead, OpenStore
    from recto.tui.terminal.editor import Editor

_WIDTHS = [(0, "-narrow"), (80, "-medium"), (100, "-wide"), (140, "-broad")]
_HEIGHTS = [(0, "-low"), (30, "-high")]

FindTargets = Callable[["Store"], AsyncIterator[Sequence["Target"]]]


class RectoApp(App[None], inherit_bindings=False):
    """The program. ``opening`` is where to begin: a location, a way to find it, or ``None`` for the last location."""

    CSS_PATH = style_sheets()
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS
    TITLE = "Recto"
    BINDINGS = bindings(
        "app.jump", "app.palette", "app.help", "app.console", "app.settings", "app.quit", "app.copy_selection"
    )

    def __init__(
        self,
        open_store: OpenStore,
        settings: Settings | None = None,
        opening: Location | Lead | None = None,
        *,
        targets: FindTargets | None = None,
        editor: Editor | None = None,
    ) -> None:
        super().__init__()
        fail_in_one_sentence(self, lambda error: crash.sentence(crash.record(error)))
        self._settings = settings or Settings()
        self._line_drafts = LineDrafts()
        """What was typed into the prompts of the settings."""
        keys = KeyQueue(self, self._quits)
        self._start = Start(self, self, open_store, opening, keys, self._quits)
        self._targets = targets
        self._editor = editor
        self.history = History()
        """The locations visited in this session."""
        self.typed_ahead = TypedAhead(self, keys, self._quits)
        """The keys typed before the dialog is there to which they belong."""
        self._keys = keys
        self._ending: asyncio.Task[None] | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self._apply_look()

    def _apply_look(self) -> None:
        """Apply the settings of the look."""
        self.animation_level = "full" if self._settings.animations else "none"
        few = self.console.color_system == "standard"
        self.theme = ON_SIXTEEN.get(self._settings.theme, self._settings.theme) if few else self._settings.theme
        times.show_dates(self._settings.dates)

    # Starting

    def refresh_css(self, animate: bool = True) -> None:
        """Parse the style sheets again, unless there is no screen yet: the first screen parses them anyway."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def get_default_screen(self) -> Screen[Any]:
        """Return the view that is shown first."""
        return self._start.first_screen()

    def on_mount(self) -> None:
        """Prepare the first frame, and painting over what an editor or the shell left on the terminal."""
        self.set_keymap(actions.keymap(self._settings.keys))
        self.app_resume_signal.subscribe(self, lambda _: cast(None, self.refresh()))

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Refresh the screen without its layout, which Textual requests twice when a screen on top has closed."""
        return super().refresh(repaint=repaint and not layout, recompose=recompose)

    def on_ready(self) -> None:
        """Begin to open, now that the first frame is painted."""
        self._start.begin()

    def on_opening_again(self) -> None:
        """Try again to open."""
        self._start.begin()

    def on_opening_cancel_wanted(self) -> None:
        """Ask whether to cancel the work of the start."""
        self._start.ask_to_cancel()

    def on_opening_given_up(self, event: Opening.GivenUp) -> None:
        """Leave without having opened anything."""
        self._start.give_up(event.why)

    @property
    def last_words(self) -> str:
        """Message to print to the shell after a failed start."""
        return self._start.last_words

    @property
    def _store(self) -> Store | None:
        return self._start.store

    def after_opening(self, begun: Beginning) -> None:
        """Show the text of the start, and name actions in the settings that do not exist."""
        if begun.lines:
            from recto.tui.dialogs.report import Report

            self.push_screen(Report(begun.title, begun.lines))
        if actions.unknown_names(self._settings.keys):
            views.import_views()
        for name in actions.unknown_names(self._settings.keys):
            near = get_close_matches(name, [action.name for action in actions.all_actions()], 1)
            meant = f"Did you mean “{near[0]}”?" if near else "The guide lists them in its space “Keys”."
            self.notify(
                f"Your settings give keys to “{name}”, but there is no such action. {meant}",
                severity="warning",
                markup=False,
            )
        for key in actions.unknown_keys(self._settings.keys):
            self.notify(
                f"Your settings name a key “{key}”, but there is no such key. In the settings (‹app.settings›),"
                " ‹list.open› on an action takes the key that you press.",
                severity="warning",
                markup=False,
            )

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    @property
    def read_only(self) -> bool:
        """Whether nothing is to be changed."""
        return self._settings.read_only

    @property
    def why_no_writes(self) -> str | None:
        """Why nothing can be changed now, in a few words; ``None`` if something can.

        Cached content cannot be changed: it may be old, and its permissions are unknown.
        """
        if self.read_only:
            return READ_ONLY
        if self._store is None or self._store.cached_at is None:
            return None
        if self._store.is_refreshing:
            return REFRESHING
        return NOT_REFRESHED if self._store.offline is None else CUT_OFF

    @property
    def pictures(self) -> str:
        """Whether pictures are shown when a person asks for each (``ask``), or those of the space ``always``."""
        return self._settings.pictures

    # Going from view to view

    @property
    def open_views(self) -> list[View]:
        """The open views, the top last."""
        from recto.tui.screens.view import View

        return [screen for screen in self.screen_stack if isinstance(screen, View)]

    @property
    def view(self) -> View | None:
        """The top view, even if a dialog covers it."""
        return next(reversed(self.open_views), None)

    async def on_go(self, event: Go) -> None:
        """Go to a location."""
        here = self.view
        if event.instead is not None and (here is not event.instead or not here.is_on_top):
            return  # another screen was opened since, or this one was left
        if self._asks_to_leave(self.on_go, event):
            return
        if here is not None:
            self.history.visit(here.here)
        if event.reason and here is not None:
            here.say(event.reason)
        if event.instead is not None and here is not None:
            self._remember(here)
            with self.batch_update():  # the view below is not seen in between
                await here.dismiss()
                if not await self._close_down_to(event.location, event.arrival):
                    await self.show_view(event.location, arrival=event.arrival)
        else:
            await self._go(event.location, event.arrival)
            self.history.visit(event.location)

    def _asks_to_leave(self, go: Callable[..., object], *given: object) -> bool:
        """If the top view has changed forms, ask about them, then ``go``; return whether it has."""
        here = self.view
        return here is not None and here.asks_to_leave(lambda: self.call_later(go, *given))

    async def _go(self, location: Location, arrival: Arrival | None = None) -> None:
        """Go to a location, on the view that is open for it where nothing above that would be lost."""
        here = self.view
        if here is not None and here.here.subject == location.subject:
            here.arrival = arrival
            here.arrive(location)
            return
        if here is not None:
            self._remember(here)
        if not await self._close_down_to(location, arrival):
            await self.show_view(location, arrival=arrival)

    async def _close_down_to(self, location: Location, arrival: Arrival | None = None) -> bool:
        """Close the views above the open view of a location and arrive there; false where no view shows it."""
        views = self.open_views
        below = next((view for view in reversed(views) if view.here.subject == location.subject), None)
        if below is None or not self._may_close_above(below):
            return False
        with self.batch_update():
            for view in reversed(views[views.index(below) + 1 :]):
                await view.dismiss()
        below.arrival = arrival
        below.arrive(location)
        self._remember(below)
        return True

    def _may_close_above(self, below: View) -> bool:
        stack = self.screen_stack
        views = self.open_views
        return all(screen in views and _may_close(screen) for screen in stack[stack.index(below) + 1 :])

    async def on_go_up(self, event: GoUp) -> None:
        """Go to the parent; from the topmost view quit, if ``quit`` is set."""
        here = self.view
        if here is None or not here.is_on_top:
            # A dialog was opened since; its text must not be lost.
            return
        if self._asks_to_leave(self.on_go_up, event):
            return
        parent = parent_of(here.here)
        if parent is None:
            if event.quit:
                await self.action_app_quit()
            return
        if isinstance(parent, SpaceLocation):
            parent = here.store.at_choice(parent)
        self.history.visit(here.here)
        self._remember(here)
        if not await self._close_down_to(parent):
            with self.batch_update():
                if _may_close(here):
                    await here.dismiss()
                await self.show_view(parent)
        self.history.visit(parent)

    async def on_go_previous(self) -> None:
        """Go to the location visited before."""
        await self._go_along(self.history.go_back, "No view before this one.")

    async def on_go_forward(self) -> None:
        """Go to the location from which the person went back."""
        await self._go_along(self.history.go_forward, "No view to go forward to.")

    async def _go_along(
        self, step: Callable[[Location, Callable[[Location], bool]], Location | None], none: str
    ) -> None:
        here = self.view
        if here is None or not here.is_on_top or self._asks_to_leave(self._go_along, step, none):
            return

        def is_gone(location: Location) -> bool:
            if location.subject != here.here.subject or not isinstance(here, HasPages):
                return False
            page = location.page if isinstance(location, SpaceLocation | ChangeRequestLocation) else None
            return page is not None and here.lacks_page(page)

        location = step(here.here, is_gone)
        if location is None:
            here.explain(none)
        else:
            await self._go(location)

    def on_visited(self, event: Visited) -> None:
        """Make ``-`` lead back to a location that a view shows."""
        self.history.visit(event.location)

    def on_left(self, event: Left) -> None:
        """Note where a location was left."""
        self.history.update(event.location)

    async def show_view(self, location: Location, *, first: bool = False, arrival: Arrival | None = None) -> View:
        """Go to the view of a location; the first puts off what can wait until ``take_up``."""
        assert self._store is not None
        view = views.view_class(location)(self._store, location)
        view.arrival = arrival
        if first:
            view.hold_back()
        await self.push_screen(view)
        self.history.visit(location)
        self._remember(view)
        return view

    def _remember(self, view: View) -> None:
        if self._store is not None and self._store.locations is not None:
            self._store.locations.remember(self._store.address, view.here)

    # Actions

    def push_screen(self, screen: Any, *given: Any, **options: Any) -> Any:
        """Push a screen; keys typed for it wait until it is composed."""
        below = self.screen
        if not isinstance(screen, GuardedScreen) or not screen.IS_FIRST:
            read_later(self.stylesheet)
        pushed = super().push_screen(screen, *given, **options)
        self.typed_ahead.note_pushed(self.screen, below)
        return pushed

    async def on_event(self, event: events.Event) -> None:
        """Run keys in order, through the queue; each key that acts clears the reason shown for the key before."""
        if isinstance(event, KeyAfterEscape):
            for key in self._keys_of(event):
                await self.on_event(key)
            return
        is_pressed = isinstance(event, events.Key) and not event.is_forwarded
        if is_pressed and not self.screen_stack:
            return  # pressed while the program ends: nothing handles it any more
        self._start.note(event)
        if self._keys.takes(event):
            return
        if is_pressed and isinstance(screen := self.screen, GuardedScreen):
            screen.explain("")
        if isinstance(event, events.Key) and _is_untyped_text(event) and self._is_text_written:
            event = events.Paste(event.character or "")
        await super().on_event(event)

    @property
    def keys_in_force(self) -> Mapping[str, Sequence[str]]:
        """The keys of each action by name, with those of the settings."""
        return actions.keys_in_force(self._settings.keys)

    @property
    def _is_text_written(self) -> bool:
        """Whether letters are text for the focus."""
        return self.focused is not None and self.focused.check_consume_key("a", "a")

    def _keys_of(self, event: KeyAfterEscape) -> Sequence[events.Key]:
        """Read a letter after an escape as alt and the letter if text is written or that is bound, else as two keys."""
        bound = {key for keys in self.keys_in_force.values() for key in keys}
        if event.has_alt and (self._is_text_written or event.key in bound):
            return [events.Key(event.key, event.character)]
        return event.apart

    async def on_key(self, event: events.Key) -> None:
        """Run the binding of a key, or show why it does nothing; then the next key may act."""
        event.prevent_default()  # that of ``App`` would look for a binding again
        try:
            if not await run_key_binding(self, event.key):
                self._explain_key(event.key)
        finally:
            self._keys.note_acted(event)

    def _quits(self, event: events.Key) -> bool:
        keys = self._settings.keys.get("app.quit", actions.get("app.quit").keys)
        return event.key in keys or event.character in keys

    async def run_action(
        self,
        action: Any,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do an action, or say why it cannot be done now."""
        node = default_namespace or self
        screen = node.screen if isinstance(node, Widget) and node.is_attached else None
        if isinstance(screen, GuardedScreen) and not screen.is_whole:
            return True
        known = next((one for one in actions.all_actions() if one.method == action), None)
        if known is not None and node.check_action(*parse(action)[1:]):
            reason = why_not(node, known)
            if reason is not None:
                says = actions.sentence(actions.reword_for(node, known), reason)
                if isinstance(reason, actions.Passing) and isinstance(screen, GuardedScreen):
                    self.typed_ahead.follow_awaited(screen, screen.explain_until(says, node, known))
                else:
                    self._explain(says, instead_of=[known])
                return True
        below, known_work = self.screen, set(self.workers)
        handled = await super().run_action(action, default_namespace, namespaces)
        if handled and known is not None:
            if known.name in actions.OPENING:
                self.typed_ahead.follow(below, [worker for worker in self.workers if worker not in known_work])
            elif known.name in ("list.find", "dialog.accept", "dialog.close"):
                self._follow_finding(known, node)
        return handled

    def _follow_finding(self, action: actions.Action, node: DOMNode) -> None:
        """Hold keys while the search line is about to open or close."""
        from recto.tui.widgets.line_field import FindLine

        if action.name == "list.find":
            self.typed_ahead.follow_focus(lambda: isinstance(self.focused, FindLine))
        elif isinstance(node, FindLine):
            self.typed_ahead.follow_focus(lambda: self.focused is not node)

    def _explain_key(self, key: str) -> None:
        """Show why a key does nothing here: a view that was not gone to yet may have an action for it."""
        views.import_views()
        in_force = self.keys_in_force
        of_key = [action for action in actions.all_actions() if key in in_force[action.name]]
        self._explain(actions.why_unbound(self.screen, key, in_force), instead_of=of_key)

    def _explain(self, reason: str, *, instead_of: Sequence[actions.Action] = ()) -> None:
        """Show why actions cannot be done; letters typed at once for what they would open are dropped."""
        screen = self.screen
        if isinstance(screen, GuardedScreen):
            screen.explain(reason)
            if any(map(actions.opens_text, instead_of)):
                self.typed_ahead.follow_refusal(screen)

    def action_app_help(self) -> None:
        """Show the keys that work here."""
        from recto.tui.dialogs.help import Help, place_of, writing_rows

        screen = self.screen
        self.push_screen(Help(offers(screen), writing_rows(screen), place_of(screen)))

    def action_app_palette(self) -> None:
        """Show every action by name, and run the chosen action."""
        from recto.tui.dialogs.palette import Palette

        views.import_views()

        async def take_up(chosen: Offer | Location | None) -> None:
            if isinstance(chosen, Offer):
                await self.run_action(chosen.action.method, chosen.node)
            elif chosen is not None:
                self.post_message(Go(chosen))

        self.push_screen(Palette(offers(self.screen), self._find_places), take_up)

    async def _find_places(self) -> Sequence[Target]:
        from recto.tui.navigation.targets import places

        return await places(self._store) if self._store is not None else ()

    def action_app_jump(self) -> None:
        """Ask where to go, and go there."""
        from recto.tui.dialogs.jump import Jump

        store = self._store
        if store is None:
            self.notify("Nothing is loaded yet.")
            return
        from recto.tui.navigation.targets import by_words, targets

        find = self._targets or targets
        jump = Jump(lambda: find(store), lambda words: by_words(store, words))

        def go(location: Location | None) -> None:
            if location is not None:
                self.post_message(Go(location, arrival=Arrival(words=jump.words) if jump.words else None))

        self.push_screen(jump, go)

    def action_app_console(self) -> None:
        """Open the console over the whole API."""
        store, view = self._store, self.view
        if store is None:
            self.notify("Nothing is loaded yet.")
            return
        from recto.tui.screens.console.choose_operation import Operations, ids_at

        self.push_screen(Operations(store, ids_at(store, view.here) if view is not None else {}))

    def action_app_settings(self) -> None:
        """Show the settings."""
        from recto.tui.screens.settings.settings_screen import SettingsScreen

        views.import_views()
        self.push_screen(SettingsScreen(self._settings, paths.settings_file(), self._line_drafts))

    def on_settings_screen_changed(self, event: SettingsScreen.Changed) -> None:
        """Apply changed settings."""
        before, self._settings = self._settings, event.change(self._settings)
        if self._settings == before:
            return
        self._apply_look()
        self.set_keymap(actions.keymap(self._settings.keys))
        if self._settings.mouse != before.mouse:
            report_mouse(self, self._settings.mouse)
        if self._settings.dates != before.dates and self._store is not None:
            self._store.show_again()

    async def action_app_quit(self) -> None:
        """Leave; ask first where something is typed and not sent, or would be lost."""
        unsent = [view.unsent for view in self.open_views if isinstance(view, HasUnsent) and view.unsent]
        lost = [view.staged for view in self.open_views if isinstance(view, HasStaged) and view.staged]
        for screen in self.screen_stack:
            for form in screen.changed_forms if isinstance(screen, GuardedScreen) else ():
                (unsent if form.has_draft else lost).append(form.changes)
        unsaved = self._store.keeper.unsaved if self._store is not None else []
        half_done = [*self._store.runs_in_steps] if self._store is not None else []
        if not unsent and not lost and not unsaved and not half_done:
            await self._quit()
            return
        from recto.tui.dialogs.confirm import NOTHING_CHANGES, Confirm

        async def leave(yes: bool | None) -> None:
            if yes:
                await self._quit()

        says = []
        if unsent:
            kept = "" if unsaved else " It is kept as a draft."
            says.append(f"Not sent yet: {' and '.join(unsent)}.{kept}")
        if unsaved:
            says.append(
                f"What you typed could not be saved to disk ({count(len(unsaved), 'text')}). Quitting loses it."
            )
        if lost:
            says.append(f"{' and '.join(lost)}. Quitting discards them.")
        if half_done:
            says.append(f"{'; '.join(run.message for run in half_done)}. Quitting leaves the rest undone.")
        self.push_screen(Confirm("Quit", *says, does="quits", undo=NOTHING_CHANGES), leave)

    def action_app_copy_selection(self) -> None:
        """Copy the text marked with the mouse."""
        text = self.screen.get_selected_text()
        if text:
            self.copy_to_clipboard(text)
            self.notify("Copied the selected text.")
        else:
            copy = actions.get("app.copy_selection")
            self._explain(actions.sentence(copy, copy.elsewhere))

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text through the terminal and, if present, tmux and the system's clipboard."""
        super().copy_to_clipboard(text)
        if not self.is_headless:
            self.run_worker(self._copy_beside(text), exit_on_error=False)

    async def _copy_beside(self, text: str) -> None:
        from recto.tui.terminal import clipboard

        took = await asyncio.to_thread(lambda: clipboard.send(text, clipboard.commands()))
        if not took and clipboard.takes_none():
            self.notify("This terminal has no clipboard, so nothing was copied.", severity="warning")

    async def _quit(self) -> None:
        await self._finish()
        self.exit()

    async def _finish(self) -> None:
        """Save the location, and wait a limited time for writes that are under way."""
        if (view := self.view) is not None:
            self._remember(view)
        if self._store is None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._store.aclose()
        from recto.tui.pictures.kitty import kitty_of

        # While the terminal still shows the screen to which they belong.
        kitty_of(self).forget()

    def end(self, number: int) -> None:
        """Shut down because of a signal with this number."""
        self._ending = asyncio.get_running_loop().create_task(self._end(number))

    async def _end(self, number: int) -> None:
        await self._finish()
        if number == getattr(signal, "SIGHUP", None):
            # There is no terminal any more that could be restored.
            os.kill(os.getpid(), number)
        self.exit(return_code=128 + number)

    async def edit_file(self, file: Path, line: int = 1) -> bool:
        """Open a file in the person's editor at a line; false without an editor. Raises ``EditorError``."""
        from recto.tui.terminal.editor import find_editor, in_terminal

        editor = self._editor
        if editor is None:
            command = find_editor(chosen=self._settings.editor)
            if command is None:
                return False
            editor = in_terminal(self, command)
        editor(file, line)
        # What was typed meanwhile went to the editor; from here on keys act again.
        self.typed_ahead.forget()
        return True

    # Telling

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a passing message; markup and control characters in it have no effect."""
        super().notify(
            printable(actions.name_keys(self, message)), title=title, severity=severity, timeout=timeout, markup=False
        )

    # Failing

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report work that failed."""
        report_failed_work(self, event)


def _may_close(view: View) -> bool:
    """Whether nothing is lost when a view is closed."""
    return not isinstance(view, HasStaged) or view.may_close


def _is_untyped_text(key: events.Key) -> bool:
    """Whether a key is text that Textual does not type, which asks ``str.isprintable``.

    That says no to wide and no-break spaces, to joiners, and to emoji that are newer than this Python.
    """
    character = key.character or ""
    return len(character) == 1 and not key.is_printable and category(character) not in ("Cc", "Cs")


def run_app(app: RectoApp) -> int:
    """Run the program until the person leaves, and return the exit code."""
    tell_esc_from_alt()
    keep_pastes_whole()
    with handle_end_signals(app.end):
        app.run(mouse=app.settings.mouse)
    return app.return_code or 0
