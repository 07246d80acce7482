"""The base of the controllers, and the interface of the app that controllers and panes use."""

from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from rich.cells import cell_len
from textual.app import SystemCommand
from textual.screen import Screen
from textual.widget import Widget

from fluxtui import workbench
from fluxtui.notation.problem import Problem, counted, how_many, printable, render
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.terminal.themed import ThemedApp

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.model.live.jobs import Job

Result = TypeVar("Result")

KEPT = 200  # how many of the last messages are kept
TOAST_EDGES = 3  # columns of a message taken by its border and padding


class Fixer(Protocol):
    """Finds fixes and applies them."""

    def find(self, state: workbench.State) -> Sequence[workbench.Fix]:
        """Return the fixes for a state, the best first."""

    def mend(self, problem: Problem | None = None) -> None:
        """Apply the likeliest fix for a problem of the jobspec, or the best fix of all."""


class Views(Protocol):
    """The views of the cluster's nodes, of which one is in sight."""

    @property
    def panes(self) -> Mapping[str, Pane]:
        """The panes of the views, by name."""

    @property
    def view(self) -> Widget:
        """The widget that shows the nodes in the visible view."""

    @property
    def listed(self) -> int | None:
        """A mask of the nodes that view lists; None if it lists all."""

    def show_busy(self, words: str) -> None:
        """Show what is being done; an empty text ends that."""

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Show these lines where there are no nodes; by default, what to do there."""

    def keeping_place(
        self, before: workbench.Cluster, changes: "Changes", count: int
    ) -> AbstractContextManager[None]:
        """Keep the node on top and the zoom while a reloaded document with count nodes is shown."""


class Message(NamedTuple):
    """The full text of a message, and when it was shown."""

    at: datetime
    text: str


class WorkbenchApp(ThemedApp, inherit_bindings=False):
    """What panes and controllers need of the app, in addition to what Textual's App has.

    edit applies an edit made by the user, and step_to goes to another step of the history. stop
    stops one background task and returns whether there was one; leave takes one step back. go_to
    shows and focuses a pane. show_title shows what is open and what is being read. screen_actions
    are the actions that reach the workbench while another screen is open. seen is the index of the
    node under the mouse or the cursor. edit_lines edits a multi-line field in a dialog, and
    columns_chosen saves the columns of the table. is_live is true while the current state of a
    running Flux is shown: act_on_queue and act_on_job then ask what to do with a queue or a job,
    follow_job shows a job's progress, reopen_job opens it as a new job, and list_jobs lists the
    jobs that match a filter. start_task starts a long task, and replace_cluster replaces the open
    cluster by a newer reading of it. config_path is the Flux configuration opened with it.
    """

    history: workbench.History
    views: Views
    fixes: Fixer
    panes: Mapping[str, Pane]  # by name
    edit: Callable[[workbench.Edit], None]
    step_to: Callable[[workbench.History], None]
    stop: Callable[[], bool]
    leave: Callable[[], None]
    go_to: Callable[[str], None]
    action_go_to_zone: Callable[[str], None]
    focus_shape: Callable[[], None]
    focus_constraint: Callable[[], None]
    show_title: Callable[..., None]
    screen_actions: Callable[[], set[str]]
    seen: Callable[[], int | None]
    edit_lines: Callable[[str], None]
    columns_chosen: Callable[[tuple[str, ...]], None]
    is_live: Callable[[], bool]
    follow_job: Callable[[int, str], None]
    act_on_job: "Callable[[Job, str], None]"
    reopen_job: "Callable[[Job], None]"
    act_on_queue: Callable[[str], None]
    list_jobs: Callable[[str], None]
    start_task: Callable[..., None]
    replace_cluster: Callable[[workbench.Cluster, workbench.Cluster], Coroutine[Any, Any, object]]
    config_path: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.messages: deque[Message] = deque(maxlen=KEPT)

    @property
    def state(self) -> workbench.State:
        """The current state."""
        raise NotImplementedError

    @property
    def focused_pane(self) -> Pane | None:
        """The pane that has the focus, even while a dialog is open."""
        focused = self.screen_stack[0].focused
        around = focused.ancestors_with_self if focused is not None else ()
        return next((widget for widget in around if isinstance(widget, Pane)), None)

    def notify(self, message: str, *, title: str = "", short: str = "", **options: Any) -> None:
        """Show a message in one line over the title; the list of messages keeps its full text.

        short is shown in place of a message of several lines. Markup is not interpreted.
        """
        message = "\n".join(map(printable, message.split("\n")))
        lead = f"{printable(title)}: " if title else ""
        if self.messages and self.messages[-1].text == lead + message:
            self.messages.pop()
        self.messages.append(Message(datetime.now(), lead + message))
        line = lead + (short or message.partition("\n")[0])
        room = self.size.width * 9 // 10 - TOAST_EDGES
        if line != lead + message or cell_len(line) > room:
            key = key_of("messages", "M")
            letter, fronts = key if len(key) == 1 else None, self.screen_stack[:1]
            is_text = any(s.focused and s.focused.check_consume_key(key, letter) for s in fronts)
            more = f" · {'esc ' if is_text else ''}{key} lists all"
            more = "" if self.screen_stack[1:] else more  # no such key in a dialog
            line = shorten(line, room - cell_len(more), "words") + more
        options["markup"] = False
        super().notify(line, **options)

    def warn(self, message: str, *, title: str = "", **options: Any) -> None:
        """Show a warning; see notify."""
        self.notify(message, title=title, severity="warning", **options)

    def report_problems(self, problems: Iterable[Problem], title: str) -> None:
        """Report problems in one message: the text of a single problem, or how many there are."""
        listed = list(problems)
        if not listed:
            return
        errors = sum(problem.severity == "error" for problem in listed)
        level: Literal["error", "warning"] = "error" if errors else "warning"
        short = counted(how_many(listed), "problem" if errors else "warning") if listed[1:] else ""
        text = "\n".join(map(render, listed))
        text = text if short else text.removeprefix("warning: ")  # the message is one
        self.notify(text, title=title, short=short, severity=level, timeout=12)


class WorkbenchPane(Pane):
    """A pane of the workbench, which passes its edits to the app."""

    app: WorkbenchApp
    shown: workbench.State | None = None  # None until the pane is first in sight

    @property
    def state(self) -> workbench.State:
        """The state that the pane shows, or will show first."""
        return self.shown or self.app.state

    def show(self, state: workbench.State) -> None:
        """Show a state."""
        self.shown = state

    def show_again(self) -> None:
        """Draw the same state again, because something outside the state has changed."""
        if self.shown is not None:
            self.show(self.shown)


@dataclass(eq=False, repr=False)
class Controller:
    """One concern of the app: drafts, documents, the watcher, export, fixes ...

    The app has one ordered list of controllers and calls these methods in that order. A controller
    gets the other controllers that it needs as arguments.

    follows names the parts of the state (fields of `workbench.State`) whose changes call changed().
    """

    app: WorkbenchApp
    follows: tuple[str, ...] = field(default=(), init=False)

    def open_dialog(self, dialog: Screen[Result | None], take: Callable[[Result], object]) -> None:
        """Open a dialog; take is called with its result, unless it is closed without one."""

        def closed(result: Result | None) -> None:
            if result is not None:
                take(result)

        self.app.push_screen(dialog, closed)

    def ready(self) -> None:
        """Called once the first frame is on the screen."""

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Called after a part of the state in follows changed; the panes show the new state."""

    def commands(self) -> Iterable[SystemCommand]:
        """Return further commands to offer in the palette now."""
        return ()

    def stop(self) -> bool:
        """Stop what is running, for the escape key; return whether anything was running."""
        return False

    def close(self, *, left: bool) -> None:
        """Save what must not be lost when the program ends; left is true if the user quit.

        It may be called twice, and from a thread other than the event loop's.
        """
