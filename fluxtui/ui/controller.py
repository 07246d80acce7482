"""What a part of the app is that is neither a widget nor state, and what it asks of the app."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual.app import SystemCommand
from textual.screen import Screen
from textual.widget import Widget

from fluxtui import workbench
from fluxtui.notation.problem import Problem
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.terminal.themed import ThemedApp

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes

Result = TypeVar("Result")


class Views(Protocol):
    """The views of the nodes, for what is about the cluster in whichever of them is in sight."""

    @property
    def panes(self) -> Mapping[str, Pane]:
        """The panes by their names."""

    @property
    def view(self) -> Widget:
        """The nodes in the one that is in sight."""

    def show_busy(self, words: str) -> None:
        """Say what is being done; blank for nothing any more."""

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Say this where there are no nodes; without it, what to do there."""

    def keeping_place(
        self, before: workbench.Cluster, changes: "Changes", count: int
    ) -> AbstractContextManager[None]:
        """Show a document, which is read again meanwhile, as it was."""


class WorkbenchApp(ThemedApp, inherit_bindings=False):
    """What controllers ask of the app, beside what Textual's has."""

    history: workbench.History
    views: Views

    @property
    def state(self) -> workbench.State:
        """The current state."""
        raise NotImplementedError

    def edit(self, edit: workbench.Edit) -> None:
        """Apply an edit made by the person."""
        raise NotImplementedError

    def step_to(self, history: workbench.History) -> None:
        """Go to another step of the history."""
        raise NotImplementedError

    def stop(self) -> bool:
        """Stop one background task; return whether there was one."""
        raise NotImplementedError

    def leave(self) -> None:
        """Stop what is running, restore the pane, or go between the inputs and the cluster."""
        raise NotImplementedError

    def report_problems(self, problems: Iterable[Problem], title: str) -> None:
        """Report problems in one message."""
        raise NotImplementedError

    def show_title(self, reading: str = "") -> None:
        """Show what is open in the first line; reading is what is on its way."""
        raise NotImplementedError

    @property
    def panes(self) -> Mapping[str, Pane]:
        """The panes by their names."""
        raise NotImplementedError

    @property
    def focused_pane(self) -> Pane | None:
        """The focused pane."""
        raise NotImplementedError

    def go_to(self, name: str) -> None:
        """Show and focus a pane."""
        raise NotImplementedError

    def action_go_to_zone(self, zone: str) -> None:
        """Go to a zone."""
        raise NotImplementedError

    def focus_shape(self) -> None:
        """Go to the shape."""
        raise NotImplementedError

    def focus_constraint(self) -> None:
        """Go to the constraint."""
        raise NotImplementedError

    @property
    def screen_actions(self) -> set[str]:
        """The actions that reach the workbench while another screen is open."""
        raise NotImplementedError


class Controller:
    """One concern of the app: drafts, documents, the watcher, export, fixes ...

    The app has them in one ordered list and calls each of these methods in that order. What one
    needs of another, it is given when it is made.

    follows names the parts of the state (fields of `workbench.State`) whose change it is told of.
    """

    follows: tuple[str, ...] = ()

    def __init__(self, app: WorkbenchApp) -> None:
        self.app = app

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
