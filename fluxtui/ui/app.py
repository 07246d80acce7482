"""What a person can do with the workbench. Dialogs are imported when they are wanted."""

import gc
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import SystemCommand
from textual.content import Content
from textual.screen import Screen

from fluxtui import workbench
from fluxtui.bridge import crash, themes
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.actions import ACTIONS, key_name
from fluxtui.ui.constraint import explanations as explaining
from fluxtui.ui.constraint.properties import PropertiesPane
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker, start_worker
from fluxtui.ui.layout import in_sight
from fluxtui.ui.session import viewing
from fluxtui.ui.session.documents import READING
from fluxtui.ui.session.open_documents import OpenDocuments
from fluxtui.ui.session.pasting import Pasting
from fluxtui.ui.session.saving import SAVING
from fluxtui.ui.session.viewing import Viewing
from fluxtui.ui.session.watching import Watching
from fluxtui.ui.stage.stage import Staging
from fluxtui.ui.terminal import theming
from fluxtui.ui.terminal.signals import Leaving

# New objects that are worth a collection, which takes a millisecond then.
NEW_OBJECTS = 20_000

# The edits that put a whole job in place of the text of another.
_WHOLE = (workbench.TypeJobspec, workbench.OpenJob)

# The styles of what stands over the workbench, read when the first of it opens.
_DIALOGS = Path(__file__).with_name("dialogs.tcss")


class FluxTUI(Leaving, OpenDocuments, Viewing, Pasting, Watching, Staging):
    """The workbench as a person has it.

    state is what it opens with; without one it opens on the cluster that ships inside. theme names
    the theme it starts in.
    """

    _opening: str | None = None
    _told_first: tuple[Problem, ...] = ()

    def __init__(self, state: workbench.State | None = None, theme: str = themes.DEFAULT) -> None:
        super().__init__(state, theme)

    def edit(self, edit: workbench.Edit) -> None:
        """Take an edit; say so where a text that could not be read gives way to it."""
        raw = self.state.job.raw
        super().edit(edit)
        if raw is not None and self.state.job.raw is None and not isinstance(edit, _WHOLE):
            self.notify(
                f"The {raw.form.upper()} that could not be read gave way to this change.\n"
                "ctrl+z brings it back.",
                severity="warning",
            )

    def push_screen(self, screen: Any, *more: Any, **options: Any) -> Any:
        """Put a dialog over the workbench; what was told before stands in nobody's way."""
        self.clear_notifications()
        if not self.stylesheet.has_source(str(_DIALOGS)):
            self.stylesheet.add_source(_DIALOGS.read_text("utf-8"), (str(_DIALOGS), ""))
        return super().push_screen(screen, *more, **options)

    def open_when_ready(self, source: str | None, problems: tuple[Problem, ...] = ()) -> None:
        """Once the screen stands, read this document, and say what was wrong before."""
        self._opening = source
        self._told_first = problems

    def on_ready(self) -> None:
        """The screen stands."""
        _freeze_garbage()
        start_worker(self, "warming", self._warm_up)
        self.look_for_room()
        self.tell(self._told_first, "Opening")
        self.tell(self.theme_problems, "Theme")
        if self._opening is not None:
            self.open_source(self._opening)

    def on_unmount(self) -> None:
        """The screen is gone."""
        gc.unfreeze()

    async def _warm_up(self) -> None:
        """Make what the first frame does without, so that no key need wait for it."""
        cluster = self.state.cluster
        await run_in_thread(viewing.warm_up_table)
        self.views.table.make()
        await run_in_thread(lambda: workbench.warm_up(cluster))
        await run_in_thread(explaining.warm_up)
        await run_in_thread(viewing.warm_up_graph)
        _freeze_garbage()

    # Getting about

    def action_help(self) -> None:
        """Show the keys and the two notations."""
        from fluxtui.ui.dialogs.help import HelpDialog

        self.push_screen(HelpDialog())

    def action_command_palette(self) -> None:
        """Show all that can be done, by name."""
        from fluxtui.ui.dialogs.commands import Commands

        if not isinstance(self.screen, Commands):
            self.push_screen(Commands())

    def next_form(self) -> None:
        """Go on from YAML to JSON to what Flux stores, or bring the text in sight first."""
        text = self.pane(TextPane)
        if in_sight(text):
            text.toggle()
            text.show(self.state)
        else:
            self.go_to("text")

    def jump(self) -> None:
        """Show a letter on each part of the screen, and go where the one that is typed leads."""
        from fluxtui.ui.jump import JumpScreen

        self.push_screen(JumpScreen(self))

    def fix(self) -> None:
        """Apply the best fix for what is wrong."""
        self.fixes.apply_best()

    def action_new_job(self) -> None:
        """Begin a new job; the one that is open is kept as others are that another one replaces."""
        self.edit(workbench.OpenJob("", "", None, workbench.Job()))
        self.focus_shape()

    def leave(self) -> None:
        """End what is going on, restore the pane, or go between the inputs and the cluster."""
        if self.stop_taking() or self.stop_naming() or self.stop_comparing():
            return
        if any(worker.group == READING and worker.is_running for worker in self.workers):
            self.workers.cancel_group(self, READING)
        elif self.screen.has_class("-maximized"):
            self.maximize_pane()
        elif isinstance(self.focused, Entry) and self.focused_pane is None:
            self.go_to(self.workspace.front)
        else:
            self.focus_entry()

    # The rest

    def action_themes(self) -> None:
        """Choose a theme, from the shipped ones, one's own and Textual's."""
        start_exclusive_worker(self, "themes", self._choose_theme)

    async def _choose_theme(self) -> None:
        from fluxtui.ui.dialogs.theme import choose_theme

        loaded = await run_in_thread(theming.load_all)
        for theme, _ in loaded.themes:
            self.register_theme(theme)
        self.tell(loaded.problems, "Theme files")
        own = [(theme.name, title) for theme, title in loaded.themes]
        named = {name for name, _ in own}
        others = [name for name in self.available_themes if name not in named]
        choose_theme(self, own, others, self.keep_theme)

    action_change_theme = action_themes

    def action_picture(self) -> None:
        """Save the screen as a picture."""
        name = f"fluxtui-{datetime.now():%Y-%m-%d-%H%M%S}.svg"
        picture = self.export_screenshot()
        start_worker(self, SAVING, self._write, name, lambda _: picture, "a picture")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Everything a person can do, for the palette."""
        on_stage = list(self.stage_commands(screen))
        if on_stage:
            yield from on_stage
            return
        for action in ACTIONS:
            run = partial(action.run, self)
            keys = f"  ({key_name(action)})" if action.keys else ""
            yield SystemCommand(f"{action.label}{keys}", action.help, run)
        for name, by in (("Next match  (n)", 1), ("Previous match  (p)", -1)):
            help_text = "Go to the next node that matches, or the one before, in the cluster"
            yield SystemCommand(name, help_text, partial(self.views.view.action_next_match, by))
        yield SystemCommand(
            "Select what matches  (a)",
            "Select all nodes that match, beside those that are selected, in the cluster",
            self.views.view.action_select_matching,
        )
        for command in self.pane(PropertiesPane).commands():
            yield SystemCommand(*command)  # type: ignore[arg-type]  # a str is markup
        for name in self.workspace.panes:
            title = self.workspace.tabs[name].title
            help_text = f"Go to the pane {title}"
            yield SystemCommand(f"Go to {title}", help_text, partial(self.go_to, name))
        if self.state.submission.queue is not None:
            leave = partial(self.edit, workbench.ChooseQueue(None))
            help_text = "Name no queue in the job: the default one takes it"
            yield SystemCommand("Leave the queue to Flux", help_text, leave)
        yield from self.restore_commands()
        yield from self.view_commands()
        for choice in self.to_copy():
            yield SystemCommand(
                f"Copy: {choice.label}",
                Content(printable(choice.detail)),  # type: ignore[arg-type]  # a str is markup
                lambda key=choice.key: self.copy_named(key),
            )

    def _last_words(self) -> str:
        state, kept = self.state, self.drafts is not None
        return crash.report(state.build.text, state.ask.text, kept=kept)

    def _fatal_error(self) -> None:
        """End with what was typed and where the details are, not with a traceback."""
        self._exit_renderables.append(self._last_words())
        self._close_messages_no_wait()


def _freeze_garbage() -> None:
    """Collect from now on only what comes new, in lots that take less than a frame."""
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    gc.enable()
