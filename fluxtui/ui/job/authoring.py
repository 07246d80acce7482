"""Writing a job: from examples, command lines and scripts, or in the user's own editor."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import SuspendNotSupported

from fluxtui import opening, workbench
from fluxtui.notation.problem import capped, counted, printable
from fluxtui.ui.controller import Controller
from fluxtui.ui.job.fit import VerdictsDialog
from fluxtui.ui.job.fixes import Fixes
from fluxtui.ui.job.form import FormPane
from fluxtui.ui.job.text import CommandsPane, TextPane
from fluxtui.ui.job.tree import TreePane
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text import begins_as_command
from fluxtui.ui.kit.workers import run_in_thread

if TYPE_CHECKING:
    from fluxtui.library import Example
    from fluxtui.opening.scripts import ReadScript
    from fluxtui.workbench import State

SHOWN = 3  # problems and notes on a script that is typed, before it is opened


@dataclass(eq=False, repr=False)
class Authoring(Controller):
    """Helps to write a job.

    tree, text, form and lines are the panes that show the job as a tree, as text, as a form and as
    command lines.
    replace_shape replaces the shape with an example.
    """

    tree: TreePane
    text: TextPane
    form: FormPane
    lines: CommandsPane
    fixes: Fixes
    replace_shape: Callable[[str], None]

    _verdicts: "VerdictsDialog | None" = None  # the list that was opened last

    def next_form(self) -> None:
        """Show the next form: YAML, JSON, as stored, command lines; first show the text pane."""
        for pane, other in ((self.lines, "text"), (self.text, "commands")):
            if pane.is_in_sight:
                pane.action_next_form()
                if pane.form == next(iter(pane.FORMS)):  # after its last form comes the other pane
                    self.app.go_to(other)
                return
        self.app.go_to("text")

    def undo(self) -> None:
        """Undo the last edit."""
        self._step(self.app.history.undo(), back=True)

    def redo(self) -> None:
        """Redo the last undone edit."""
        self._step(self.app.history.redo(), back=False)

    def _step(self, history: workbench.History, *, back: bool) -> None:
        """Go to a step of the history; in a prompt, to a step of the text that is typed there."""
        focused = self.app.focused
        around = focused.ancestors_with_self if focused is not None else ()
        prompt = next((widget for widget in around if isinstance(widget, Prompt)), None)
        if prompt is not None and prompt.step_within(back=back):
            return
        if history is self.app.history:
            self.app.notify(f"nothing to {'undo' if back else 'redo'}", timeout=2)
        else:
            selected = self.app.state.selected
            self.tree.follow_change(history.state)
            self.app.step_to(history)
            now = self.app.state.selected
            if now != selected:  # the nodes may be out of sight
                self.app.notify(f"{counted(now.bit_count(), 'node')} selected", timeout=2)

    # Starting a job

    def new_job(self) -> None:
        """Start an empty job; an unsaved one is kept as a session."""
        self.app.edit(workbench.OpenJob("", "", None, workbench.Job()))
        self.app.focus_shape()

    async def show_examples(self) -> None:
        """Choose an example or a template to start from."""
        from fluxtui.opening.templates import examples_of
        from fluxtui.ui.job.examples import examples_picker

        given = self.app.settings.templates
        # Templates may be read from files, so not on the event loop.
        templates = await run_in_thread(partial(examples_of, given)) if given else ()
        self.open_dialog(examples_picker(self.app.palette, templates), self.begin_with)

    def begin_with(self, example: "Example") -> None:
        """Replace the job, the shape or the constraint with an example."""
        if example.document is not None:
            self.app.edit(opening.edit_of(example.document))
        elif example.shape:
            self.replace_shape(example.shape)
        else:
            self.app.edit(workbench.EditRequires(example.requires))
        where = f"{example.rfc}, {example.section[:1].lower()}{example.section[1:]}"
        title = f"{where}: {example.title}"
        self.app.notify(example.text, title=title, timeout=8)

    # Command lines and scripts

    def ask_command(self, text: str = "") -> None:
        """Read a command line or a script of Flux, Slurm, PBS or LSF as a job."""
        from fluxtui.opening.scripts import read_script
        from fluxtui.ui.kit.lines_dialog import LinesDialog

        def describe(typed: str) -> Text:
            return script_meaning(read_script(typed), self.app.palette) if typed.strip() else Text()

        def take(typed: str) -> None:
            if typed.strip():
                self._open_script(read_script(typed))

        note = (
            "Paste or type a command line of flux submit, run, batch or alloc, srun, sbatch, "
            "salloc, qsub, bsub or jsrun, or a script with its #flux:, #SBATCH, #PBS or #BSUB "
            "lines."
        )
        title = "From a command line or script"
        self.open_dialog(LinesDialog(title, note, text, describe), take)

    def _open_script(self, script: "ReadScript") -> None:
        if script.jobspec is None:
            self.app.report_problems(script.problems, "Not understood")
            return
        self.app.edit(opening.edit_of(script.jobspec))
        problems = capped((*script.problems, *script.remarks))
        self.app.report_problems(problems, f"Read as {script.title}")

    def take_pasted(self, text: str) -> bool:
        """Read a command line or a script pasted into the shape; return whether it was one."""
        if "\n" not in text.strip() and not begins_as_command(text):
            return False
        from fluxtui.answers.commands.scripts import looks_like_command

        is_command = looks_like_command(text)
        if is_command:
            self.ask_command(text)
        return is_command

    # Texts of many lines

    def edit_lines(self, name: str) -> None:
        """Edit a field of the form that has many lines."""
        from fluxtui.model.form import fields
        from fluxtui.ui.kit.lines_dialog import LinesDialog

        field, text = fields.by_name(name), workbench.field_text(self.app.state, name)
        self.open_dialog(LinesDialog(field.label, field.help, text), partial(self._fill, name))

    def _fill(self, name: str, text: str) -> None:
        self.app.edit(workbench.TypeField(name, text))
        self.app.edit(workbench.LeaveField(name))

    def edit_outside(self) -> None:
        """Edit the job in the user's own editor: its YAML or JSON, or the script in the form.

        The new text is applied as one edit. A text that cannot be read is shown with its problems,
        as if it were typed here.
        """
        from fluxtui.bridge import editor

        app, row, form = self.app, self.form.current, self.text.written
        is_script = row is not None and row.field.name == "script"
        if is_script:
            text, suffix = workbench.field_text(app.state, "script"), ".sh"
        else:
            text, suffix = workbench.job_text(app.state, form), f".{form}"
        try:
            with app.suspend():
                edited = editor.edit(text, suffix)
        except SuspendNotSupported:
            app.warn("No editor can be started in this terminal.")
            return
        app.refresh(layout=True)
        app.report_problems(edited.problems, "Editor")
        if edited.value == text:
            return
        if is_script:
            self._fill("script", edited.value)
        else:
            app.edit(workbench.TypeJobspec(edited.value, form))
            app.go_to("text")

    # Verdicts

    def show_verdicts(self) -> None:
        """Show the verdicts on the job, with fixes."""
        app, fixes = self.app, self.fixes
        if app.state.empty and app.state.job.raw is None:
            app.focus_shape()
            app.warn("Type a shape first: there is no job yet.")
            return
        self._verdicts = VerdictsDialog(partial(fixes.find, every=True), self.undo)
        self.follows = ("build", "ask", "job", "outlook")

        def closed(_: object) -> None:
            self.follows = ()

        app.push_screen(self._verdicts, closed)

    def changed(self, before: "State", after: "State") -> None:
        """Update the list of verdicts."""
        self.show_verdicts_again()

    def show_verdicts_again(self) -> None:
        """Update the list of verdicts, if it is open."""
        if self._verdicts is not None and self.app.screen is self._verdicts:
            self._verdicts.show_again()


def script_meaning(script: "ReadScript", style: Palette) -> Text:
    """Return what a command line or script means, in a few lines."""
    text = Text()
    looks = {"error": style.problem, "warning": style.warning}
    found = [(problem, looks[problem.severity]) for problem in script.problems]
    found += [(problem, style.quiet) for problem in script.remarks]
    if script.jobspec is not None:
        shape = printable(opening.edit_of(script.jobspec).shape) or "no resources"
        text.append(f"{script.what}: ", style.quiet).append(shape, style.strong)
        if len(found) > SHOWN:
            more = f"   {SHOWN} of {len(found)} notes; all are listed once it is opened"
            text.append(more, style.warning)
        text.append("\n")
    for problem, look in found[:SHOWN]:
        text.append(f"{printable(problem.message)}\n", look)
    return text
