"""Writing a job: examples, command lines and scripts, the person's own editor."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import SuspendNotSupported

from fluxtui import opening, workbench
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.job.fixes import Fixes
from fluxtui.ui.job.form import FormPane
from fluxtui.ui.job.text import CommandsPane, TextPane
from fluxtui.ui.kit.wording import begins_as_command
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.answers.commands.translation import ReadCommand
    from fluxtui.bridge.settings import Template
    from fluxtui.library import Example
    from fluxtui.ui.job.verdicts_dialog import VerdictsDialog
    from fluxtui.workbench import State

FIT = "fit"
BETWEEN_KEYS = 0.15  # seconds without an edit before a slow search for a fit


class Authoring(Controller):
    """Helps to write a job.

    text, form and commands are the panes that show the job so. replace_shape puts an example in the
    place of the shape.
    """

    follows = ("build", "ask", "job", "outlook")

    def __init__(
        self,
        app: WorkbenchApp,
        text: TextPane,
        form: FormPane,
        commands: CommandsPane,
        fixes: Fixes,
        replace_shape: Callable[[str], None],
    ) -> None:
        super().__init__(app)
        self._text, self._form, self._commands = text, form, commands
        self._fixes, self._replace_shape = fixes, replace_shape
        self._verdicts: VerdictsDialog | None = None  # the list that was opened last

    def next_form(self) -> None:
        """Go on from YAML to JSON, what Flux stores and command lines; or to the text first."""
        if self._commands.is_in_sight:
            self._commands.action_next_form()
            if self._commands.form == "flux":
                self.app.go_to("text")
        elif self._text.is_in_sight:
            self._text.action_next_form()
            if self._text.form == "yaml":
                self.app.go_to("commands")
        else:
            self.app.go_to("text")

    # Undo and redo

    def undo(self) -> None:
        """Undo the last edit."""
        if not self._step_within(back=True):
            self._step(self.app.history.undo(), "nothing to undo")

    def redo(self) -> None:
        """Redo the last undone edit."""
        if not self._step_within(back=False):
            self._step(self.app.history.redo(), "nothing to redo")

    def _step_within(self, *, back: bool) -> bool:
        """Let what a person types in take the step, where its text is not one of the state."""
        from fluxtui.ui.kit.prompt import Prompt

        focused = self.app.focused
        around = focused.ancestors_with_self if focused is not None else ()
        prompt = next((widget for widget in around if isinstance(widget, Prompt)), None)
        return prompt is not None and prompt.step_within(back=back)

    def _step(self, history: workbench.History, otherwise: str) -> None:
        if history is self.app.history:
            self.app.notify(otherwise, timeout=2)
        else:
            self.app.step_to(history)

    # Starting a job

    def new_job(self) -> None:
        """Start an empty job; an unsaved one is kept as a session."""
        self.app.edit(workbench.OpenJob("", "", None, workbench.Job()))
        self.app.focus_shape()

    def show_examples(self) -> None:
        """Choose an example or a template to start from."""
        given = self.app.settings.templates
        if given:  # those of a file are read: not on the event loop
            start_worker(self.app, "examples", self._read_templates, given)
        else:
            self._choose_example(())

    async def _read_templates(self, given: "Sequence[Template]") -> None:
        from fluxtui.opening.templates import examples_of

        self._choose_example(await run_in_thread(partial(examples_of, given)))

    def _choose_example(self, templates: "Sequence[Example]") -> None:
        from fluxtui.ui.job.examples import examples_picker

        self.app.push_screen(examples_picker(self.app.palette, templates), self.begin_with)

    def begin_with(self, example: "Example | None") -> None:
        """Replace the job, the shape or the constraint with an example."""
        if example is None:
            return
        if example.document is not None:
            self.app.edit(opening.edit_of(example.document))
        elif example.shape:
            self._replace_shape(example.shape)
        else:
            self.app.edit(workbench.EditRequires(example.requires))
        where = f"{example.rfc}, {example.section[:1].lower()}{example.section[1:]}"
        title = f"{where}: {example.title}"
        self.app.notify(example.text, title=title, timeout=8, markup=False)

    # Command lines and scripts

    def ask_command(self, text: str = "") -> None:
        """Read a command line or a script of Flux, Slurm or PBS as a job."""
        from fluxtui.answers.commands.translation import from_command
        from fluxtui.ui.kit.lines_dialog import LinesDialog

        environ = self.app.state.around.environ

        def describe(typed: str) -> Text:
            return self._describe(from_command(typed, environ)) if typed.strip() else Text()

        def chosen(typed: str | None) -> None:
            if typed and typed.strip():
                self._open_command(from_command(typed, environ))

        note = (
            "Paste or type a command line of flux submit, run, batch or alloc, srun, sbatch, "
            "salloc or qsub, or a script with its #flux:, #SBATCH or #PBS lines."
        )
        dialog = LinesDialog("From a command line or script", note, text, describe)
        self.app.push_screen(dialog, chosen)

    def _describe(self, found: "ReadCommand") -> Text:
        """What a command line or script means, in a few lines."""
        style = self.app.palette
        text = Text()
        if found.document is not None:
            edit = opening.edit_of(found.document)
            text.append(f"{found.what}: ", style=style.quiet)
            text.append(printable(edit.shape) or "no resources", style=style.strong)
            text.append("\n")
        for problem in found.problems[:3]:
            look = style.problem if problem.severity == "error" else style.warning
            text.append(printable(problem.message) + "\n", style=look)
        for note in found.notes[:3]:
            text.append(printable(note.text) + "\n", style=style.quiet)
        return text

    def _open_command(self, found: "ReadCommand") -> None:
        if found.document is None:
            self.app.report_problems(found.problems[:3], "Not understood")
            return
        self.app.edit(opening.edit_of(found.document))
        notes = (Problem(note.text, note.span, severity="warning") for note in found.notes)
        self.app.report_problems((*found.problems, *notes)[:4], f"Read as {found.what}")

    def take_pasted(self, text: str) -> bool:
        """Read a command line or a script pasted into the shape; return whether it was one."""
        if "\n" not in text.strip() and not begins_as_command(text):
            return False
        from fluxtui.answers.commands.scripts import looks_like_command

        if not looks_like_command(text):
            return False
        self.ask_command(text)
        return True

    # Fields of many lines

    def edit_lines(self, name: str) -> None:
        """Edit a field of the form that has many lines."""
        from fluxtui.model.form import fields
        from fluxtui.ui.kit.lines_dialog import LinesDialog

        field = fields.by_name(name)
        text = workbench.field_text(self.app.state, name)

        def chosen(lines: str | None) -> None:
            if lines is not None:
                self.app.edit(workbench.TypeField(name, lines))
                self.app.edit(workbench.LeaveField(name))

        self.app.push_screen(LinesDialog(field.label, field.help, text), chosen)

    def edit_outside(self) -> None:
        """Edit the job in the person's own editor: its YAML or JSON, or the script in the form.

        What comes back is one edit. A text that cannot be read is shown with its problems, as one
        that is typed is.
        """
        from fluxtui.bridge import editor

        app, row = self.app, self._form.current
        is_script = row is not None and row.field.name == "script"
        form = self._text.written
        if is_script:
            text, suffix = workbench.field_text(app.state, "script"), ".sh"
        else:
            text, suffix = workbench.job_text(app.state, form), f".{form}"
        try:
            with app.suspend():
                found = editor.edit(text, suffix)
        except SuspendNotSupported:
            app.notify("No editor can be started in this terminal.", severity="warning")
            return
        app.refresh(layout=True)
        app.report_problems(found.problems, "Editor")
        if found.value == text:
            return
        if is_script:
            app.edit(workbench.TypeField("script", found.value))
            app.edit(workbench.LeaveField("script"))
        else:
            app.edit(workbench.TypeJobspec(found.value, form))
            app.go_to("text")

    # Verdicts

    def show_verdicts(self) -> None:
        """Show the verdicts on the job, with fixes."""
        state = self.app.state
        if state.empty and state.job.raw is None:
            self.app.focus_shape()
            words = "Type a shape first: there is no job to check yet."
            self.app.notify(words, severity="warning")
        else:
            from fluxtui.ui.job.verdicts_dialog import VerdictsDialog, verdicts_of

            app, fixes = self.app, self._fixes
            self._verdicts = VerdictsDialog(
                lambda: (verdicts_of(app.state), fixes.find_all(app.state)), fixes.take, self.undo
            )
            app.push_screen(self._verdicts)

    def changed(self, before: "State", after: "State") -> None:
        """Show the verdicts as they are by now."""
        self.show_verdicts_again()

    def show_verdicts_again(self) -> None:
        """Show the verdicts as they are by now, if they are open."""
        if self._verdicts is not None and self.app.screen is self._verdicts:
            self._verdicts.show_again()


class FitFinder(Controller):
    """Looks, beside the event loop, whether a job fits where that is slow to find."""

    follows = ("outlook",)

    _looking = False

    def ready(self) -> None:
        """Find the fit of the first job."""
        self._look()

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Start finding the fit, unless that is running."""
        self._look()

    def _look(self) -> None:
        if self.app.state.outlook.due and self.app.is_running and not self._looking:
            self._looking = True
            start_worker(self.app, FIT, self._find)

    async def _find(self) -> None:
        """Look until the fit of the current job is found.

        Not while one types: the search would take its time from the keys.
        """
        try:
            while self.app.state.outlook.due:
                state = self.app.state
                await asyncio.sleep(BETWEEN_KEYS)
                if state.outlook is not self.app.state.outlook:
                    continue
                found = await run_in_thread(partial(workbench.find_outlook, state))
                self.app.edit(workbench.FindRoom(state.outlook, found))
        finally:
            self._looking = False
