"""The workbench screen and the flow of state: an edit goes in, each pane gets its slice."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.geometry import Offset
from textual.screen import Screen

from fluxtui import opening, workbench
from fluxtui.bridge import files, themes
from fluxtui.model.jobspec.request import summary
from fluxtui.ui.actions import BY_NAME, LETTERS, run
from fluxtui.ui.bars import AskBar, ShapeBar, Title, VerdictBar
from fluxtui.ui.constraint.explanations import Explanations
from fluxtui.ui.controller import WorkbenchApp
from fluxtui.ui.job.fixes import Fixes
from fluxtui.ui.job.tree import shapes_to_try
from fluxtui.ui.kit.dialog import OverlayScreen
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.key_bar import KeyBar
from fluxtui.ui.kit.keys import BOUND, is_bound, written
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane, in_sight
from fluxtui.ui.layout import ZONES, Direction, Tab, Workspace
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.screen import HEIGHTS, WIDTHS, JumpScreen, MainScreen
from fluxtui.ui.terminal.drivers import driver_for
from fluxtui.ui.terminal.signals import OrderlyExit, leave_on_signals

# Frames to wait for a pane that builds its widgets when first shown; normally it takes one or two.
FOCUS_TRIES = 20

# The most parts of a constraint (`Requires.places`) that all panes can show within one frame. For
# a longer constraint the first frame shows the matching nodes, and the panes follow in the next.
LONG = 256

# The parts of the state that the title, the inputs and the verdicts are drawn from.
_TITLE = ("cluster", "outlook", "job", "documents")
_SHAPE = ("build", "outlook", "job")
_REQUIRES = ("ask", "cluster", "outlook", "kept")
_VERDICTS = ("build", "outlook", "job", "ask", "cluster")

AnyPane = TypeVar("AnyPane", bound=Pane)


@dataclass(frozen=True, slots=True)
class Row:
    """One pane of the registry.

    tab      its name, the title of its tab, and its place on the screen
    make     builds it for a workbench
    parts    the parts of the state (fields of `workbench.State`) that it shows; ``hover`` is the
             node under the mouse
    answers  the inputs (``shape``, ``requires``) whose answer it shows
    """

    tab: Tab
    make: "Callable[[Workbench], Pane]"
    parts: tuple[str, ...]
    answers: tuple[str, ...]


class Workbench(OrderlyExit, WorkbenchApp, inherit_bindings=False):
    """The panes listed in ROWS and the state they show. Every change goes through edit().

    With complete=False only the first pane of each group of tabs is made, so that the first frame
    comes sooner: complete() has to make the others before any key is handled.

    The subclass adds all actions beyond typing and navigation. Its ``pasted`` reads a text in the
    shape input that is not a shape, and returns whether it could. Its ``close`` saves what must not
    be lost; ``left`` is true if the user quit. It may be called more than once and from any thread.
    """

    pasted: Callable[[str], bool]
    close: Callable[..., None]

    TITLE = "fluxtui"
    CSS_PATH = Path(__file__).with_name("styles.tcss")
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    ROWS: ClassVar[Sequence[Row]] = ()
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "help_quit", "How to quit", show=False, system=True),
    ]

    def __init__(
        self,
        state: workbench.State | None = None,
        theme: str = themes.DEFAULT,
        *,
        complete: bool = True,
    ) -> None:
        super().__init__()
        self.history = workbench.History(state or _demo())
        self._hover: int | None = None
        self._shown: workbench.State | None = None
        self._due: set[str] = set()
        self._last_entry: Entry | None = None
        self._pending_focus: Pane | None = None  # to be focused once it is built
        self.explanations: Explanations = Explanations(self, self.advised)
        self.title_line = Title(id="title")
        self.shape_bar = ShapeBar(
            lambda text: self._type("shape", workbench.TypeShape(text)), self._enter_constraint
        )
        self.ask_bar: AskBar = AskBar(
            lambda text: self._type("requires", workbench.TypeRequires(text)), self._enter_cluster
        )
        self.fixes: Fixes = Fixes(self, self.explanations.changes)
        self.verdict_bar = VerdictBar(self.fixes.find)
        for bar in (self.shape_bar, self.ask_bar):
            bar.entry.around = (self.shape_bar, self.ask_bar, self.verdict_bar)
        self.handlers = Handlers(
            *(self._move, self._over, lambda mask: self.edit(workbench.Select(mask))),
            self.columns_chosen,
        )
        self.panes: dict[str, Pane] = {}
        self.workspace = Workspace(self.panes, [row.tab for row in self.ROWS])
        first = {row.tab.group: row for row in reversed(self.ROWS)}.values()
        self._make_panes(first)
        self.shape_bar.entry.takes_paste = self.pasted
        self.use_theme_file(theme)
        if complete:
            self.complete()

    # Building the screen

    def _make_panes(self, rows: Iterable[Row]) -> None:
        """Make the panes of these rows that have not been made."""
        made = dict(self.panes)
        for row in rows:
            if row.tab.name not in made:
                made[row.tab.name] = pane = row.make(self)
                pane.title, pane.on_title = row.tab.title, self.workspace.show_tabs
        self.panes.clear()
        self.panes.update(
            (row.tab.name, made[row.tab.name]) for row in self.ROWS if row.tab.name in made
        )

    def complete(self) -> None:
        """Make and mount the panes that the first frame does not show."""
        self._make_panes(self.ROWS)
        if self.workspace.is_attached:
            self.workspace.mount_rest()

    def compose(self) -> ComposeResult:
        """Yield the title, the inputs, the verdicts and the panes, showing the initial state."""
        self._restyle()
        yield self.title_line
        yield self.shape_bar
        yield self.ask_bar
        yield self.verdict_bar
        yield self.workspace
        yield KeyBar(id="keys")

    def get_default_screen(self) -> Screen[None]:
        """Return the screen of the workbench."""
        return MainScreen.for_terminal()

    def on_mount(self) -> None:
        """Follow the theme, and focus the shape."""
        self.theme_changed_signal.subscribe(self, lambda _: self._restyle())
        # Not on a resize: the styles for the new size are applied only after it.
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._show_due())
        self.shape_bar.entry.focus()

    def on_load(self) -> None:
        """Handle signals before the driver takes over the terminal, so that it is restored."""
        leave_on_signals(self, lambda: self.close(left=False))

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that lets the program end when the terminal is lost."""
        return driver_for(super().get_driver_class())

    # Styles and keys

    def _restyle(self) -> None:
        self.palette = Palette.of(self.theme_variables)
        self._shown = None
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key of the app is active now.

        While a dialog is open, only `screen_actions` reach the workbench. A letter or a digit goes
        to the focused widget if it has a binding for it.
        """
        if action == "digit":
            keys = BOUND[f"pane.{parameters[0]}"].split(",")
            return len(self.screen_stack) == 1 and not is_bound(self.focused, keys)
        if action != "do":
            return True
        target = BY_NAME[str(parameters[0])]
        if len(self.screen_stack) > 1:
            return target.name in self.screen_actions()
        if target.name == "commands" and isinstance(self.focused, Entry):
            return self.focused.popup is None  # in a popup, ctrl+p moves up
        letters = LETTERS[target.name]
        return not (letters and is_bound(self.focused, letters))

    async def action_do(self, name: str) -> None:
        """Run the action with this name."""
        await run(self, BY_NAME[name])

    def screen_actions(self) -> set[str]:
        """The actions that reach the workbench while another screen is open."""
        return {"quit"}

    # The state, and edits made in the inputs and panes

    @property
    def state(self) -> workbench.State:
        """The current state."""
        return self.history.state

    def seen(self) -> int | None:
        """Return the index of the node under the mouse, or else under the cursor."""
        return self._hover if self._hover is not None else self.state.cursor

    def pane(self, kind: type[AnyPane]) -> AnyPane:
        """Return the pane of this class."""
        return next(pane for pane in self.panes.values() if isinstance(pane, kind))

    def edit(self, edit: workbench.Edit) -> None:
        """Apply an edit made by the user."""
        self.step_to(self.history.do(edit))

    def _type(self, entry: str, edit: workbench.Edit) -> None:
        """Apply an edit typed into an input; if only one pane fits, show one with its answer.

        A maximized pane is not replaced: the user chose to see it.
        """
        space, has = self.workspace, self.screen.has_class
        answering = [row.tab.name for row in self.ROWS if entry in row.answers]
        elsewhere = space.front not in answering and space.is_attached
        if elsewhere and (has("-narrow") or has("-short")) and not has("-maximized"):
            space.activate(answering[0])
        self.edit(edit)

    def _move(self, index: int) -> None:
        self._hover = None
        self.edit(workbench.MoveCursor(index))

    def _over(self, index: int | None) -> None:
        self._hover = index
        self._due |= {row.tab.name for row in self.ROWS if "hover" in row.parts}
        self._show_due(at_once=True)

    def _enter_constraint(self) -> None:
        """Read a typed command line as a job, or else go to the constraint."""
        if not self.pasted(self.shape_bar.entry.value):
            self.focus_constraint()

    def focus_shape(self) -> None:
        """Focus the shape at once, because the next key may already have been typed."""
        self.screen.set_focus(self.shape_bar.entry)

    def focus_constraint(self) -> None:
        """Focus the constraint at once, because the next key may already have been typed."""
        self.screen.set_focus(self.ask_bar.entry)

    def focus_entry(self) -> None:
        """Focus the input that was last typed into."""
        self.screen.set_focus(self._last_entry or self.shape_bar.entry)

    def _enter_cluster(self) -> None:
        """Go from the constraint to the first matching node."""

        def to_first_match() -> None:
            mask = self.state.ask.mask
            if self.state.ask.constraint is not None and mask:
                self._move((mask & -mask).bit_length() - 1)

        self.action_go_to_zone("cluster")
        # The input may still have to handle keys that were typed before this one.
        self.ask_bar.entry.call_later(to_first_match)

    def advised(self) -> None:
        """Show more suggested changes, found for a constraint that matches no node."""
        self._due |= {"fit", "explain"}
        self._show_due(at_once=True)
        self.verdict_bar.show_state(self.state, self.palette)

    # The flow of state: an edit goes in, the next state comes out, each pane gets its slice

    def step_to(self, history: workbench.History) -> None:
        """Go to another step of the history, and show what changed in the next frame."""
        self.history = history
        if self.is_running and self._shown is not None:
            self._show()

    def _show(self) -> None:
        """Update the parts of the screen whose state changed; hidden panes when they are shown."""
        state, before = self.state, self._shown
        self._shown = state

        def changed(parts: tuple[str, ...]) -> bool:
            return before is None or differs(before, state, parts)

        style = self.palette
        if changed(("cluster",)):
            self._hover = None
            self.shape_bar.suggest(shapes_to_try(state.cluster.resources)[-1][0])
            self.shape_bar.know(state.cluster)
            self.ask_bar.know(state.cluster.resources)
            focused = self.screen_stack[0].focused
            if before is not None and isinstance(focused, Entry) and not focused.is_in_history:
                focused.close_list()  # its suggestions come from the previous cluster
        if changed(_TITLE):
            self.show_title()
        if changed(_SHAPE):
            self.shape_bar.show(state, lambda: summary(state.build.resources), style)
        if changed(_REQUIRES):
            self.ask_bar.show(state, style)
        if changed(_VERDICTS):
            self.verdict_bar.show_state(state, style)
        for row in self.ROWS:
            if changed(tuple(part for part in row.parts if part != "hover")):
                self._due.add(row.tab.name)
        # Panes wait only while typing in the constraint: elsewhere the next key may act on them.
        waits = changed(("ask",)) and self.focused is self.ask_bar.entry
        if not waits or len(state.ask.requires.places) <= LONG:
            self._show_due(at_once=True)
        elif (active := self.workspace.active("cluster")) in self._due:
            self._show_due(at_once=True, only=active)
        if self._due:
            self.call_after_refresh(self._show_due)

    def _show_due(self, *, at_once: bool = False, only: str = "") -> None:
        """Update the visible panes that are due: with at_once those that are ready, else all."""
        if not self.is_running:
            return
        for name in sorted(self._due & self.panes.keys()):  # not all may have been made
            pane = self.panes[name]
            if only in ("", name) and in_sight(pane) and (pane.ready or not at_once):
                self._due.discard(name)
                pane.show(self.state)

    # Navigation

    def action_go_to_zone(self, zone: str) -> None:
        """Go to the active pane of a zone."""
        self.go_to(self.workspace.active(zone))

    def action_help_quit(self) -> None:
        """Say which key quits."""
        self.notify(f"{written(BOUND['quit'].split(',')[0])} quits", timeout=4)

    def action_digit(self, digit: str) -> None:
        """Go to the zone or the tab of a digit; in that zone already, go to its next tab."""
        space = self.workspace
        zone = next((name for name, (_, key, _) in ZONES.items() if key == digit), None)
        if zone is None:
            self.go_to(next(tab.name for tab in space.tabs.values() if tab.digit == digit))
            return
        active = space.active(zone)
        here = self.focused_pane is self.panes[active]
        self.go_to(space.next_tab(zone) if here else active)

    def go_to(self, name: str) -> None:
        """Show and focus a pane."""
        self.workspace.activate(name)
        pane, left = self.panes[name], self.screen_stack[0].focused
        if isinstance(left, Entry) and not any(isinstance(w, Pane) for w in left.ancestors):
            self._last_entry = left  # its focus event may not have arrived yet
        self._pending_focus = None
        if not self._focus_in(pane):
            self._pending_focus = pane
            self.call_after_refresh(self._focus_when_ready, pane)

    action_go_to = go_to  # for the links in the frames

    def jump(self) -> None:
        """Label each part of the screen with a letter, and go to the one whose letter is typed."""
        places: list[tuple[Offset, Callable[[], object]]] = [
            (self.shape_bar.region.offset, self.focus_shape),
            (self.ask_bar.region.offset, self.focus_constraint),
            *(
                (pane.region.offset + Offset(1, 0), partial(self.go_to, name))
                for name, pane in self.panes.items()
                if pane.is_on_screen
            ),
        ]
        self.push_screen(JumpScreen(places))

    def toggle_pane(self, name: str) -> None:
        """Go to a pane, or if it has the focus, back to the last input."""
        if self.focused_pane is self.panes[name]:
            self.focus_entry()
        else:
            self.go_to(name)

    def go_round(self, by: int) -> None:
        """Go to the next or previous visible pane; from an input, to the front pane."""
        space = self.workspace
        here = self.focused_pane is None and in_sight(space.panes[space.front])
        self.go_to(space.front if here else space.beside(by))

    def maximize_pane(self) -> None:
        """Maximize the focused pane, or restore it."""
        pane = self.focused_pane
        if pane is not None:
            self.workspace.activate(self._name_of(pane))
        self.screen.toggle_class("-maximized")
        self.call_after_refresh(self._show_due)

    def move_split(self, way: Direction) -> None:
        """Move the edge of the front pane."""
        self.workspace.move_split(way)

    def _name_of(self, pane: Pane) -> str:
        return next(name for name, other in self.panes.items() if other is pane)

    def _focus_in(self, pane: Pane) -> bool:
        """Focus the first focusable widget of a pane; return False if there is none yet.

        The focus moves at once, because the next key may already have been typed.
        """
        self._show_due()
        first = (pane.inside,) if pane.inside is not None else ()
        for widget in (*first, *pane.query("*")):
            if widget.can_focus and in_sight(widget) and widget.is_mounted:
                widget.screen.set_focus(widget)
                return True
        return False

    def on_descendant_focus(self) -> None:
        """Remember the focused pane or input, for escape and for the tabs."""
        if not self.screen_stack:
            return  # the program is ending
        focused, pane = self.screen.focused, self.focused_pane
        if pane is not None:
            self.workspace.front = self._name_of(pane)
        elif isinstance(focused, Entry):
            self._last_entry = focused

    def _focus_when_ready(self, pane: Pane, tries: int = FOCUS_TRIES) -> None:
        """Focus a pane once it is built, unless the focus has moved on."""
        if self._pending_focus is not pane:
            return
        if self._focus_in(pane):
            self._pending_focus = None
        elif tries:
            self.call_after_refresh(self._focus_when_ready, pane, tries - 1)

    async def on_event(self, event: events.Event) -> None:
        """Update and focus the pane the user has gone to before handling the next key or click.

        A pane may build its widgets when it is first shown; the key is meant for these.
        """
        if self.is_leaving and isinstance(event, events.InputEvent | events.Paste):
            return
        pane = self._pending_focus
        typed = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        if typed:
            await self._wait_for_dialog()  # a dialog may have opened in the meantime
        clicked = isinstance(event, events.MouseDown) and not event.is_forwarded
        if isinstance(event, events.MouseDown) and self._is_gone(event):
            return
        if self._due and (clicked or (typed and self.focused is not self.ask_bar.entry)):
            self._show_due()  # the key or click is meant for the current state
        if pane is not None and typed:
            await pane.made()
            self._focus_when_ready(pane, 0)
            self._pending_focus = None
        await super().on_event(event)
        if typed:
            await self._wait_for_dialog()  # this key may close the dialog before the next one comes

    async def _wait_for_dialog(self) -> None:
        """Wait until an open dialog is mounted and has handled the keys typed into it."""
        if len(self.screen_stack) > 1 and isinstance(self.screen, OverlayScreen):
            await self.screen.wait_for_keys()

    def _is_gone(self, event: events.MouseEvent) -> bool:
        """Return whether the widget under the mouse has been removed.

        Textual 8.2.8 crashes on such a widget, because it has no parent.
        """
        widget, _ = self.screen.get_widget_and_offset_at(event.x, event.y)
        return widget is not None and widget.parent is None and not isinstance(widget, Screen)

    async def action_focus_next(self) -> None:  # type: ignore[override]  # it is awaited if it can be
        """Accept a suggestion of the focused input, or else go to the next widget."""
        focused = self.focused
        if isinstance(focused, Entry) and await focused.take_suggestion():
            return
        super().action_focus_next()


def differs(before: workbench.State, after: workbench.State, parts: Iterable[str]) -> bool:
    """Return whether any of these parts is a different object in the two states."""
    return any(getattr(after, part) is not getattr(before, part) for part in parts)


def _demo() -> workbench.State:
    cluster, _ = opening.open_cluster(files.DEMO, None)
    return workbench.start(cluster)
