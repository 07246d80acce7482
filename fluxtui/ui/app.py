"""The app, which wires panes and controllers together."""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import events
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from fluxtui import workbench
from fluxtui.bridge import crash
from fluxtui.bridge.chosen import LAYOUT, THEME
from fluxtui.notation.problem import Problem
from fluxtui.ui.actions import bindings
from fluxtui.ui.core import Workbench, differs
from fluxtui.ui.job.fixes import FitFinder
from fluxtui.ui.job.tree import TreePane
from fluxtui.ui.kit.keys import OWN, load_all
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.nodes.map import StateMap
from fluxtui.ui.nodes.node import NodePane
from fluxtui.ui.nodes.views import ClusterViews
from fluxtui.ui.registry import ROWS
from fluxtui.ui.session.memory import COLUMNS, Preferences, Recall

if TYPE_CHECKING:
    from fluxtui.ui.controller import Controller
    from fluxtui.ui.dialogs.commands import Commands

# How many new objects trigger a garbage collection; one then takes about a millisecond.
NEW_OBJECTS = 20_000

# Modules that are loaded after the first frame, so that it comes quickly: the table first, then
# the explanations of a constraint, the palette, the help and the graph.
_TABLE = ("ui.nodes.cluster_table",)
_EXPLAIN = ("answers.explain.findings", "answers.explain.relaxations", "answers.explain.why")
_LATER = (*_EXPLAIN, "ui.dialogs.commands", "ui.nodes.graph")

# The styles of dialogs, loaded when the first dialog opens.
_DIALOGS = Path(__file__).with_name("dialogs.tcss")


class FluxTUI(Workbench):
    """The complete workbench.

    state is the initial state; by default it opens the built-in demo cluster. theme names the
    initial theme.
    """

    ROWS = ROWS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(row.tab for row in ROWS)]

    controllers: "Sequence[Controller]" = ()
    _is_complete = False
    # Called once the controllers have been made.
    equip: Callable[[], None] = staticmethod(lambda: None)

    _opening: str | None = None
    _reading = ""  # which document is being read, and how far
    _first_problems: tuple[Problem, ...] = ()

    def complete(self) -> None:
        """Make what the first frame does not show: the other panes, and the controllers."""
        if not self._is_complete:
            self._is_complete = True
            super().complete()
            self._wire()
            self.equip()

    def _wire(self) -> None:
        """Make the controllers, and connect them with the panes and each other."""
        from fluxtui.ui.dialogs.aloud import Aloud
        from fluxtui.ui.dialogs.theme import Themes
        from fluxtui.ui.job.authoring import Authoring
        from fluxtui.ui.job.form import FormPane
        from fluxtui.ui.job.text import CommandsPane, TextPane, stored_view
        from fluxtui.ui.live.acting import Acting
        from fluxtui.ui.live.follow import Live
        from fluxtui.ui.live.jobs import JobsPane
        from fluxtui.ui.live.record import Replay
        from fluxtui.ui.live.submit import Submitting
        from fluxtui.ui.session.comparison import Comparison
        from fluxtui.ui.session.documents import Documents
        from fluxtui.ui.session.drafts import Drafts
        from fluxtui.ui.session.exporting import Exporting
        from fluxtui.ui.session.saving import Saving
        from fluxtui.ui.session.selection import Selection
        from fluxtui.ui.session.tasks import Tasks
        from fluxtui.ui.session.watching import Watcher
        from fluxtui.ui.stage.stage import Staging

        shape, requires, space = self.shape_bar.entry, self.ask_bar.entry, self.workspace
        text, form, lines = self.pane(TextPane), self.pane(FormPane), self.pane(CommandsPane)
        self.views: ClusterViews = ClusterViews(self.panes, lambda: space.active("cluster"))
        self.preferences = Preferences(self)
        keep = self.preferences.keep
        self.recall = Recall(self, {"shape": shape, "requires": requires})
        self.tasks = Tasks(self)
        self.saving = Saving(self, self.tasks, text, self.recall, self.preferences)
        self.export = Exporting(
            *(self, self.tasks, self.saving, lambda: text.form, lines.renderings, _view_text)
        )
        self.stage = Staging(self, StateMap, self.export.copy_view, self.saving.save_picture)
        self.drafts = Drafts(self, self.saving, self.stage.tell_workbench)
        self.saving.keep_draft = self.drafts.keep_now
        self.watcher, self.live, self.replay = Watcher(self), Live(self), Replay(self)
        self.start_task, self.replace_cluster = self.tasks.start, self.watcher.replace_cluster
        self.acting = Acting(self, self.live)
        self.act_on_queue, self.act_on_job = self.acting.ask, self.acting.ask_job
        self.reopen_job = self.acting.reopen
        self.pane(NodePane).ask_parts = self.live.parts_of_jobs
        self.pane(JobsPane).ask_jobspec = self.live.jobspec
        self.comparison = Comparison(
            *(self, self.tasks, requires, self.export, self.saving), self.live.jobspecs
        )
        self.documents: Documents = Documents(
            *(self, self.watcher, self.saving),
            show_stage=self.stage.show_list,
            compare=self.comparison.compare_with,
        )
        self.saving.open_source = self.documents.open_source
        self.selection = Selection(self, self.tasks)
        self.fit_finder = FitFinder(self)
        tree = self.pane(TreePane)
        self.authoring = Authoring(
            *(self, tree, text, form, lines, self.fixes), self.drafts.replace_shape
        )
        self.submitting = Submitting(
            *(self, self.live, self.authoring.show_verdicts, stored_view),
            *(self.preferences.kept, self.preferences.add),
        )
        self.follow_job, self.edit_lines = self.submitting.follow, self.authoring.edit_lines
        self.aloud = Aloud(self, _read_aloud, self.export.copy_text)
        self.themes = Themes(self, lambda name: keep(THEME, (name,)))
        self.workspace.on_split = lambda splits: keep(LAYOUT, splits.dumped())
        # Their methods are called in this order: a list for the stage is shown before drafts are
        # announced, drafts are written before the history of the inputs, and escape stops a
        # document that is being read last.
        self.controllers = (
            *(self.fit_finder, self.watcher, self.stage, self.drafts, self.recall),
            *(self.preferences, self.tasks, self.export, self.selection, self.comparison),
            *(self.saving, self.authoring, self.fixes, self.documents, self.live),
            *(self.replay, self.acting, self.submitting),
        )

    def edit(self, edit: workbench.Edit) -> None:
        """Apply an edit made by the user."""
        self.complete()
        before = self.state
        super().edit(edit)
        for controller in (self.drafts, self.saving):
            controller.edited(edit, before, self.state)

    def step_to(self, history: workbench.History) -> None:
        """Go to another step of the history."""
        before = self.state
        super().step_to(history)
        for controller in self.controllers:
            if differs(before, self.state, controller.follows):
                controller.changed(before, self.state)

    def advised(self) -> None:
        """Show more suggested changes, found for a constraint that matches no node."""
        super().advised()
        if self.controllers:
            self.authoring.show_verdicts_again()

    def stop(self) -> bool:
        """Stop one background task; return whether there was one."""
        return any(controller.stop() for controller in self.controllers)

    def close(self, *, left: bool) -> None:
        """Save what must not be lost when the program ends; left is true if the user quit.

        It may be called more than once, and from a thread other than the event loop's.
        """
        for controller in self.controllers:
            controller.close(left=left)

    def push_screen(self, screen: Any, *more: Any, **options: Any) -> Any:
        """Open a dialog over the workbench and clear earlier messages."""
        self.clear_notifications()
        if not self.stylesheet.has_source(str(_DIALOGS)):
            self.stylesheet.add_source(_DIALOGS.read_text("utf-8"), (str(_DIALOGS), ""))
        return super().push_screen(screen, *more, **options)

    def open_when_ready(self, source: str | None, problems: tuple[Problem, ...] = ()) -> None:
        """Read this document once the screen is up, and report earlier problems."""
        self._opening = source
        self._first_problems = problems

    def on_mount(self) -> None:
        """Start with the pane that the configuration names, maximized if it says so."""
        if self.settings.pane is not None:
            self.complete()
            self.workspace.activate(self.settings.pane)
        if self.settings.maximized:
            self.screen.add_class("-maximized")
        if self.controllers:
            self.documents.announce()

    async def on_event(self, event: events.Event) -> None:
        """Make what a key or a click may be meant for before handling it."""
        if isinstance(event, events.InputEvent | events.Paste):
            self.complete()
        await super().on_event(event)

    def on_ready(self) -> None:
        """Called once the first frame is on the screen."""
        self.complete()
        _freeze_garbage()
        start_worker(self, "warming", self._warm_up)
        for controller in self.controllers:
            controller.ready()
        self.report_problems(self._first_problems, "Opening")
        self.report_problems(self.theme_problems, "Theme")
        if self._opening is not None:
            self.documents.open_source(self._opening)

    def on_unmount(self) -> None:
        """Clean up after the screen is gone."""
        gc.unfreeze()

    async def _warm_up(self) -> None:
        """Load what the first frame did not need, before a key has to wait for it."""
        cluster = self.state.cluster
        await run_in_thread(partial(_load, _TABLE))
        listed, columns = self.views.table.part, await self.preferences.kept(COLUMNS)
        if columns:
            listed.put_columns(columns)
        await run_in_thread(lambda: workbench.warm_up(cluster))
        await run_in_thread(partial(_load, _LATER))
        await self.commands.load()
        if self.settings.keymap:
            bound = await run_in_thread(load_all)
            self.report_problems(self.settings.check_keymap(bound, OWN), "Keymap")
        if self.settings.templates:
            found = await run_in_thread(self.settings.check_templates)
            self.report_problems(found, "Templates")
        _freeze_garbage()

    # Navigation

    def next_match(self, by: Literal[-1, 1]) -> None:
        """Go to the next or previous matching node, in the order of the active view."""
        name = self.workspace.active("cluster")
        if name in self._due:  # the view may be out of sight
            self._due.discard(name)
            self.panes[name].show(self.state)
        self.views.view.action_next_match(by)

    async def find(self) -> None:
        """Ask for a node to find in the active view of the cluster."""
        name = self.workspace.active("cluster")
        self.go_to(name)
        await self.views.panes[name].find()

    def leave(self) -> None:
        """Stop what is running, restore a maximized pane, or leave an input for a pane.

        In a pane without an input it does nothing, since keys already act on the pane.
        """
        if self.stop():
            return
        if self.screen.has_class("-maximized"):
            self.maximize_pane()
            return
        front = self.workspace.tabs[self.workspace.front]
        if front.typed:
            self.go_to(self.workspace.active("cluster"))
        elif self.focused_pane is None:
            self.go_to(front.name)

    def take_pasted(self, text: str, *, jobspecs: bool = True) -> bool:
        """Open a document pasted into an input; return False if the text is not a document."""
        return self.documents.take_pasted(text, jobspecs=jobspecs)

    # Requests of the panes

    def pasted(self, text: str) -> bool:
        """Read a command line or script in the shape input as a job; return whether it was one."""
        return self.authoring.take_pasted(text)

    def columns_chosen(self, names: tuple[str, ...]) -> None:
        """Save the columns of the table."""
        self.preferences.keep(COLUMNS, names)

    def is_live(self) -> bool:
        """Return whether the current state of a running Flux is shown."""
        return self.state.cluster.snapshot is not None and not self.live.moment

    def list_jobs(self, text: str) -> None:
        """List the jobs of all users that match a filter."""
        from fluxtui.ui.live.jobs import JobsPane

        pane = self.pane(JobsPane)
        self.go_to("jobs")
        pane.want(replace(pane.wanted, everybody=True, text=text))

    # The palette

    @cached_property
    def commands(self) -> "Commands":
        """The palette and the help, loaded after the first frame."""
        from fluxtui.ui.dialogs.commands import Commands

        return Commands(self, self.workspace.tabs, self.preferences.kept, self.preferences.keep)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield further commands for the palette, besides actions, bindings and panes."""
        if len(self.screen_stack) > 1:
            return
        if self.state.submission.queue is not None:
            leave = partial(self.edit, workbench.ChooseQueue(None))
            help_text = "Name no queue in the job, so that Flux uses its default"
            yield SystemCommand("Leave the queue to Flux", help_text, leave)
        snapshot = self.state.cluster.snapshot
        for state, nodes in snapshot.nodes.by_state.items() if snapshot is not None else ():
            if nodes or state == "drained":  # drained is what people look for first
                words = f"List them in the table: {nodes.bit_count():,}"
                words += "; flux resource undrain brings them back" if state == "drained" else ""
                yield SystemCommand(f"Show {state} nodes", words, partial(self._list, state))
        for controller in self.controllers:
            yield from controller.commands()

    def _list(self, state: str) -> None:
        """List the nodes of a running Flux that are in a state."""
        self.go_to("table")
        self.views.table.part.filter_by(f"state:{state}")

    def show_title(self, reading: str | None = None) -> None:
        """Update the title; reading names the document being read, and is empty once it is read."""
        if reading is not None:
            self._reading = reading
        moment = self.live.moment if self.state.cluster.snapshot is not None else None
        lost = "lost, " if moment and self.live.is_lost else ""
        shown = None if moment is None else lost + moment
        file_words = self.saving.file_words if self.controllers else ""
        self.title_line.show_state(self.state, self._reading, file_words, shown)
        self.verdict_bar.show_moment(moment or "")

    def screen_actions(self) -> set[str]:
        """The actions that reach the workbench while another screen is open; more on the stage."""
        on_stage = self.screen_stack[-1:] == [self.stage.screen]
        return super().screen_actions() | ({"themes", "help", "commands"} if on_stage else set())

    def last_words(self) -> str:
        """Return the report for a crash: what was typed, and where the details are."""
        state, kept = self.state, bool(self.controllers) and self.drafts.store is not None
        return crash.report(state.build.text, state.ask.text, kept=kept)


def _view_text(state: workbench.State, title: str, note: str) -> str:
    """Return a constraint, its answer and its explanation as text, for a chat."""
    from fluxtui.ui.constraint.view_text import view_text

    return view_text(state, title, note)


def _read_aloud(state: workbench.State, name: str) -> Sequence[str]:
    """Return a pane as plain lines; the whole screen if name is empty."""
    from fluxtui.ui import plain

    tabs = [row.tab for row in ROWS]
    if not name:
        return [*plain.screen(state, tabs)]
    return [line for tab in tabs if tab.name == name for line in plain.pane(state, tab)]


def _freeze_garbage() -> None:
    """Collect only objects made from now on, in batches that take less than a frame."""
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    gc.enable()


def _load(names: Iterable[str]) -> None:
    for name in names:
        import_module(f"fluxtui.{name}")
