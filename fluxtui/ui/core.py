"""The screen and the flow of state: an edit in, each pane its slice of the next state."""

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.driver import Driver
from textual.notifications import Notify
from textual.screen import Screen

from fluxtui import workbench
from fluxtui.bridge import themes
from fluxtui.model.jobspec.request import summary
from fluxtui.ui.actions import BY_NAME, LASTING, bindings
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.key_bar import KeyBar
from fluxtui.ui.kit.keys import written
from fluxtui.ui.kit.offers import close_completions
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.layout import in_sight
from fluxtui.ui.nodes.highlights import lit
from fluxtui.ui.parts import Parts
from fluxtui.ui.screen import HEIGHTS, WIDTHS, MainScreen
from fluxtui.ui.terminal.signals import lasting, leave_on_signals

if TYPE_CHECKING:
    from fluxtui.bridge.typed import Typed
    from fluxtui.ui.app import FluxTUI
    from fluxtui.ui.session.recall import Recall

# A pane that makes its parts when it is first seen has them after a frame or two.
FOCUS_TRIES = 20

# Parts of a constraint (`Requires.places`) that all panes can show within a frame. Of a longer one
# a frame shows which nodes match, and the next one what the panes tell of it.
LONG = 256

# The parts of the state that panes are shown by.
_PARTS = (
    *("cluster", "build", "ask", "job", "cursor", "outlook", "submission", "looked_at"),
    *("selected", "kept", "documents", "compared"),
)


class Workbench(Parts, inherit_bindings=False):
    """The panes and the state they show. Every change goes through edit().

    What a person can do with it, beyond typing and moving about, the subclass adds.
    """

    TITLE = "fluxtui"
    CSS_PATH = Path(__file__).with_name("styles.tcss")
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(),
        Binding("ctrl+c", "help_quit", "How to quit", show=False, system=True),
    ]

    recall: "Recall | None" = None  # what was typed before; the program that a person starts has it

    def __init__(self, state: workbench.State | None = None, theme: str = themes.DEFAULT) -> None:
        super().__init__(state)
        self._shown: workbench.State | None = None
        self._due: set[str] = set()
        self._last_entry: Entry | None = None
        self._going_to: Pane | None = None  # whose parts are not there yet
        self.use_theme_file(theme)

    def recall_from(self, store: "Typed") -> None:
        """Offer in the inputs what is in a store, and keep in it what is used; before the start."""
        from fluxtui.ui.session.recall import Recall

        entries = {"shape": self.shape_bar.entry, "requires": self.ask_bar.entry}
        self.recall = Recall(self, store, entries)

    # Building the screen

    def compose(self) -> ComposeResult:
        """The title, the inputs and the panes, already with what they show in the first frame."""
        self._restyle()
        yield self.title_line
        yield self.shape_bar
        with Vertical(id="bottom"):
            yield self.ask_bar
            yield KeyBar(LASTING)
        yield self.workspace

    def get_default_screen(self) -> Screen[None]:
        """The screen that the workbench stands on."""
        return MainScreen.for_terminal()

    def on_mount(self) -> None:
        """Follow the theme, and begin with the shape."""
        self.theme_changed_signal.subscribe(self, lambda _: self._restyle())
        # Not on a resize: the styles of another size come into force after it.
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._laid_out())
        self.shape_bar.entry.focus()
        if self.recall is not None:
            self.call_after_refresh(self.recall.begin)

    def on_load(self) -> None:
        """Leave the terminal in order when a signal ends the program, from before it is taken."""
        leave_on_signals(self, lambda: self.put_away(left=False))

    def get_driver_class(self) -> type[Driver]:
        """The driver of a terminal, whose loss does not keep the program from ending."""
        return lasting(super().get_driver_class())

    def put_away(self, *, left: bool) -> None:
        """Write what must not be lost, when the program ends; left says that a person left it.

        May be called beside the event loop, and more than once.
        """
        if self.recall is not None:
            self.recall.close()

    def _laid_out(self) -> None:
        """Panes that have come into sight show what they missed."""
        if self._due:
            self._show_due()

    # Styles

    def _restyle(self) -> None:
        """Draw everything again in the colours of the theme in force."""
        self.palette = Palette.of(self.theme_variables)
        self._shown = None
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a dialog or the palette is open, only the keys that quit reach the workbench."""
        return action != "do" or len(self.screen_stack) == 1 or parameters[0] in self.screen_actions

    async def action_do(self, name: str) -> None:
        """Do what an action is for, by its name."""
        done = BY_NAME[name].run(cast("FluxTUI", self))
        if inspect.isawaitable(done):
            await done

    @property
    def screen_actions(self) -> set[str]:
        """The actions that reach the workbench while another screen is open."""
        return {"quit"}

    def get_key_display(self, binding: Binding) -> str:
        """F1 and ^o, as keyboards and manuals write them."""
        return written(binding.key.split(",")[0])

    def on_notify(self, event: Notify) -> None:
        """Show no message a second time while it still stands, as when a key is held."""
        new = event.notification
        said = (new.message, new.title, new.severity)
        if any((old.message, old.title, old.severity) == said for old in self._notifications):
            event.prevent_default()

    # The flow of state: an edit in, the next state out, each pane its slice

    def _become(self, history: workbench.History) -> None:
        """Show what a step changes, before the next frame is drawn."""
        super()._become(history)
        if self.is_running and self._shown is not None:
            self._show()

    def _show(self) -> None:
        """Hand each part of the screen what changed; panes out of sight get it a little later."""
        state, before = self.state, self._shown
        self._shown = state
        style = self.palette
        changed = {
            part: before is None or getattr(state, part) is not getattr(before, part)
            for part in _PARTS
        }
        cluster, build, ask = changed["cluster"], changed["build"], changed["ask"]
        outlook = changed["outlook"]
        if cluster:
            self._hover = None
            if before is not None:
                close_completions(self.screen_stack)
            self.cluster_pane.show_cluster(state.cluster)
        if cluster or outlook or changed["job"] or changed["documents"]:
            self.show_title()
        if build or outlook or changed["job"]:
            self.shape_bar.show(state, lambda: _said(state.build), style)
        if ask or cluster or outlook or changed["kept"]:
            self.ask_bar.show(state, style)
        lights = any(changed[part] for part in ("looked_at", "selected", "kept", "compared"))
        if ask or cluster or outlook or lights:
            self.cluster_pane.show_lit(lit(state), state.ask)
        if changed["cursor"] or cluster:
            self.cluster_pane.show_cursor(state.cursor)
        job = changed["job"]
        due = {
            "tree": build or outlook,
            "form": build or outlook or ask or job or cluster,
            "fit": build or outlook,
            "text": build or outlook or ask or job,
            "node": ask or cluster or changed["cursor"] or changed["compared"],
            "explain": ask or cluster or outlook or changed["cursor"] or changed["selected"],
            "properties": ask or cluster or changed["selected"],
            "queues": ask or cluster or build or outlook,
        }
        self._due |= {name for name, wanted in due.items() if wanted}
        # A person in a pane is to find there what the last key made of it.
        waits = ask and self.focused is self.ask_bar.entry
        if not waits or len(state.ask.requires.places) <= LONG:
            self._show_due(at_once=True)
        if self._due:
            self.call_after_refresh(self._show_due)

    def _show_due(self, *, at_once: bool = False) -> None:
        """Let the panes that are due show the state; at once those alone that are seen.

        A pane that is not ready is left for later, and until it is seen.
        """
        if not self.is_running:
            return
        for name in sorted(self._due):
            pane = self.workspace.panes[name]
            seen = in_sight(pane)
            if (pane.ready and seen) if at_once else (pane.ready or seen):
                self._due.discard(name)
                self._show_pane(name)

    def _show_pane(self, name: str) -> None:
        state = self.state
        match name:
            case "tree":
                self.tree_pane.show(state)
            case "form":
                self.form_pane.show(state)
            case "fit":
                self.fit_pane.show(state)
            case "text":
                self.text_pane.show(state)
            case "node":
                self.node_pane.show(state, self._hover if self._hover is not None else state.cursor)
            case "explain":
                self.explain_pane.show(
                    state, self._hover if self._hover is not None else state.cursor
                )
            case "properties":
                self.properties_pane.show(state)
            case "queues":
                self.queues_pane.show(state)

    @property
    def file_words(self) -> str:
        """The file of the job; the subclass that has files knows it."""
        return ""

    def show_title(self, reading: str = "") -> None:
        """Show what is open in the first line; reading is what is on its way."""
        self.title_line.show_state(self.state, reading, self.file_words)

    def bring(self, name: str) -> None:
        """Put a pane in sight and give it the focus."""
        super().bring(name)
        pane, left = self.workspace.panes[name], self.screen_stack[0].focused
        if isinstance(left, Entry) and not any(isinstance(w, Pane) for w in left.ancestors):
            self._last_entry = left  # its message of the focus may not have come yet
        self._going_to = None
        if not self._focus_in(pane):
            self._going_to = pane
            self.call_after_refresh(self._arrive, pane)

    def _focus_in(self, pane: Pane) -> bool:
        """Give the focus to the first part of a pane that takes it; whether there is one yet.

        At once: the next key may be typed already.
        """
        self._show_due()
        for widget in pane.query("*"):
            if widget.can_focus and in_sight(widget) and widget.is_mounted:
                widget.screen.set_focus(widget)
                return True
        return False

    def _focused_pane(self) -> Pane | None:
        focused = self.screen_stack[0].focused
        if focused is None:
            return None
        return next((a for a in focused.ancestors_with_self if isinstance(a, Pane)), None)

    def _arrive(self, pane: Pane, tries: int = FOCUS_TRIES) -> None:
        """Give the focus to a pane once its parts are there, unless the person went on."""
        if self._going_to is not pane:
            return
        if self._focus_in(pane):
            self._going_to = None
        elif tries:
            self.call_after_refresh(self._arrive, pane, tries - 1)

    async def on_event(self, event: events.Event) -> None:
        """Have the pane ready that a person has gone to before the next key is looked at.

        It is typed for what the pane makes when it is first seen, and for what is due there.
        """
        pane = self._going_to
        typed = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        clicked = isinstance(event, events.MouseDown) and not event.is_forwarded
        if self._due and (clicked or (typed and self.focused is not self.ask_bar.entry)):
            self._show_due()  # what is done in a pane is about what it is to show
        if pane is not None and typed:
            await pane.made()
            self._arrive(pane, 0)
            self._going_to = None
        await super().on_event(event)

    async def action_focus_next(self) -> None:  # type: ignore[override]  # it is awaited if it can be
        """Take what is chosen of the offers of an input, else go to the next widget."""
        focused = self.focused
        if isinstance(focused, Entry) and await focused.take_suggestion():
            return
        super().action_focus_next()


def _said(build: workbench.Build) -> str:
    """What is asked for, in words."""
    return summary(build.resources)
