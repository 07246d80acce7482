"""What a part of the app is that is neither a widget nor state, and what it asks of the app."""

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
from fluxtui.notation.problem import Problem, counted, printable, render
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.terminal.themed import ThemedApp

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.model.live.jobs import Job

Result = TypeVar("Result")

KEPT = 200  # messages, the last ones
TOAST_EDGES = 3  # columns of a message that are not its text


class Fixer(Protocol):
    """Finds fixes and applies them."""

    def find(self, state: workbench.State) -> Sequence[workbench.Fix]:
        """The fixes of a state, the best first."""

    def mend(self, problem: Problem | None = None) -> None:
        """Apply the likeliest fix for a problem of the jobspec, or the best fix of all."""


class Views(Protocol):
    """The views of the nodes, for what is about the cluster in whichever of them is in sight."""

    @property
    def panes(self) -> Mapping[str, Pane]:
        """The panes by their names."""

    @property
    def view(self) -> Widget:
        """The nodes in the one that is in sight."""

    @property
    def listed(self) -> int | None:
        """The nodes that it lists, as a mask; None where it lists all."""

    def show_busy(self, words: str) -> None:
        """Say what is being done; blank for nothing any more."""

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Say this where there are no nodes; without it, what to do there."""

    def keeping_place(
        self, before: workbench.Cluster, changes: "Changes", count: int
    ) -> AbstractContextManager[None]:
        """Show a document, which is read again meanwhile, as it was."""


class Message(NamedTuple):
    """A message that was shown, whole, and when."""

    at: datetime
    text: str


class WorkbenchApp(ThemedApp, inherit_bindings=False):
    """What panes and controllers ask of the app, beside what Textual's has.

    edit applies an edit made by the person, and step_to goes to another step of the history; stop
    stops one background task, and says whether there was one; leave takes one step back. go_to
    shows and focuses a pane. show_title shows what is open, and what is on its way. screen_actions
    are the actions that reach the workbench while another screen is open. seen is the node under
    the mouse or the cursor. edit_lines edits a field of many lines, columns_chosen keeps those of
    the table. is_live says that what is shown is a running Flux as it is now; of one, act_on_queue
    and act_on_job ask what to do, follow_job shows how a job goes on, reopen_job makes a new job of
    one, and list_jobs lists those that a filter leaves. start_task starts work that takes long, and
    replace_cluster puts what was read again in the place of the open cluster. config_path names the
    Flux configuration beside it.
    """

    history: workbench.History
    views: Views
    fixes: Fixer
    panes: Mapping[str, Pane]  # by their names
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
        """The focused pane."""
        focused = self.screen_stack[0].focused
        around = focused.ancestors_with_self if focused is not None else ()
        return next((widget for widget in around if isinstance(widget, Pane)), None)

    def notify(self, message: str, *, title: str = "", short: str = "", **options: Any) -> None:
        """Show a message in one line over the title; the list of messages has the whole of it.

        short is shown instead of a message of several lines. Nothing in it is markup.
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
        """The same for a warning."""
        self.notify(message, title=title, severity="warning", **options)

    def report_problems(self, problems: Iterable[Problem], title: str) -> None:
        """Report problems in one message: a single one in its words, several by their number."""
        listed = list(problems)
        if not listed:
            return
        errors = sum(problem.severity == "error" for problem in listed)
        level: Literal["error", "warning"] = "error" if errors else "warning"
        short = counted(len(listed), "problem" if errors else "warning") if listed[1:] else ""
        text = "\n".join(map(render, listed))
        self.notify(text, title=title, short=short, severity=level, timeout=12)


class WorkbenchPane(Pane):
    """A pane of the workbench, which hands its edits to the app."""

    app: WorkbenchApp
    shown: workbench.State | None = None  # None before it is first in sight

    @property
    def state(self) -> workbench.State:
        """The state that it shows."""
        return self.shown or self.app.state

    def show(self, state: workbench.State) -> None:
        """Show a state."""
        self.shown = state

    def show_again(self) -> None:
        """Show the same again, as something else about it is another one."""
        if self.shown is not None:
            self.show(self.shown)


@dataclass(eq=False, repr=False)
class Controller:
    """One concern of the app: drafts, documents, the watcher, export, fixes ...

    The app has them in one ordered list and calls each of these methods in that order. What one
    needs of another, it is given when it is made.

    follows names the parts of the state (fields of `workbench.State`) whose change it is told of.
    """

    app: WorkbenchApp
    follows: tuple[str, ...] = field(default=(), init=False)

    def open_dialog(self, dialog: Screen[Result | None], take: Callable[[Result], object]) -> None:
        """Open a dialog; take gets its result, unless a person closes it without one."""

        def closed(result: Result | None) -> None:
            if result is not None:
                take(result)

        self.app.push_screen(dialog, closed)

    def ready(self) -> None:
        """Called once the first frame is on the screen."""

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """A step has changed what it follows; the panes show that already."""

    def commands(self) -> Iterable[SystemCommand]:
        """Further commands that the palette offers now."""
        return ()

    def stop(self) -> bool:
        """Stop what is running, for the escape key; return whether anything was."""
        return False

    def close(self, *, left: bool) -> None:
        """The program ends: write what must not be lost.

        left tells that a person left it. It may be called beside the event loop, and twice.
        """
