"""Writing a job: examples to begin with, requests in other words, verdicts and what mends them."""

from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui import opening, workbench
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.kit.wording import begins_as_command
from fluxtui.ui.session.documents import Documents

if TYPE_CHECKING:
    from fluxtui.answers.commands.translation import ReadCommand
    from fluxtui.library import Example
    from fluxtui.ui.job.verdicts_dialog import VerdictsDialog


class Writing(Documents):
    """The workbench with what helps to write a job."""

    _verdicts: "VerdictsDialog | None" = None  # the list that was opened last

    # Undo and redo

    def action_undo(self) -> None:
        """Take back the last change of a text or of what is asked of the queues."""
        if not self._step_within(back=True):
            self._step_back(self.history.undo(), "nothing to undo")

    def action_redo(self) -> None:
        """Do again what was taken back."""
        if not self._step_within(back=False):
            self._step_back(self.history.redo(), "nothing to redo")

    def _step_within(self, *, back: bool) -> bool:
        """Let what a person types in take the step, where its text is not one of the state."""
        around = self.focused.ancestors_with_self if self.focused is not None else ()
        steps = (getattr(widget, "step_within", None) for widget in around)
        return any(step(back=back) for step in steps if step is not None)

    def _step_back(self, history: workbench.History, otherwise: str) -> None:
        if history is self.history:
            self.notify(otherwise, timeout=2)
        else:
            self._become(history)

    # Beginning

    def action_examples(self) -> None:
        """Choose an example to begin with."""
        from fluxtui.ui.job.examples import examples_picker

        self.push_screen(examples_picker(self.palette), self._begin)

    def _begin(self, example: "Example | None") -> None:
        """Put an example in the place of what it is about: the job, the shape, the constraint."""
        if example is None:
            return
        if example.document is not None:
            self.edit(opening.edit_of(example.document))
        elif example.shape:
            self.replace_shape(example.shape)
        else:
            self.edit(workbench.EditRequires(example.requires))
        where = f"{example.rfc}, {example.section[:1].lower()}{example.section[1:]}"
        self.notify(example.text, title=f"{where}: {example.title}", timeout=8, markup=False)

    def action_paste_request(self) -> None:
        """Read a command line or a script of Flux, Slurm or PBS as a job."""
        self._ask_command("")

    def _ask_command(self, text: str) -> None:
        from fluxtui.answers.commands.translation import from_command
        from fluxtui.ui.kit.lines_dialog import LinesDialog

        environ = self.state.around.environ

        def tell(typed: str) -> Text:
            return self._read_command(from_command(typed, environ)) if typed.strip() else Text()

        def taken(typed: str | None) -> None:
            found = from_command(typed, environ) if typed and typed.strip() else None
            if found is not None:
                self._open_command(found)

        note = (
            "Paste or type a command line of flux submit, run, batch or alloc, srun, sbatch, "
            "salloc or qsub, or a script with its #flux:, #SBATCH or #PBS lines."
        )
        self.push_screen(LinesDialog("A request in other words", note, text, tell), taken)

    def _read_command(self, found: "ReadCommand") -> Text:
        """What a request in other words means, in a few lines."""
        style = self.palette
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
            self.tell(found.problems[:3], "Not understood")
            return
        self.edit(opening.edit_of(found.document))
        notes = (Problem(note.text, note.span, severity="warning") for note in found.notes)
        self.tell((*found.problems, *notes)[:4], f"Read as {found.what}")

    def pasted(self, text: str) -> bool:
        """Take a paste into the shape that is a command line or a script; whether it was one."""
        if "\n" not in text.strip() and not begins_as_command(text):
            return False
        from fluxtui.answers.commands.scripts import looks_like_command

        if not looks_like_command(text):
            return False
        self._ask_command(text)
        return True

    # Fields of many lines

    def edit_lines(self, name: str) -> None:
        """Edit a field of many lines in a dialog."""
        from fluxtui.model.form import fields
        from fluxtui.ui.kit.lines_dialog import LinesDialog

        field = fields.by_name(name)
        text = workbench.field_text(self.state, name)

        def taken(lines: str | None) -> None:
            if lines is not None:
                self.edit(workbench.TypeField(name, lines))
                self.edit(workbench.LeaveField(name))

        self.push_screen(LinesDialog(field.label, field.help, text), taken)

    # Verdicts

    def action_verdicts(self) -> None:
        """Show what each rule book says of the job, and the fixes."""
        if self.state.empty and self.state.job.raw is None:
            self.focus_shape()
            self.notify("Type a shape first: there is no job to judge yet.", severity="warning")
            return
        self.fixes.show_verdicts()
