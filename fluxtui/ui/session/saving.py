"""The workbench with saving: a job into its file, and what is asked before one leaves."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.bridge import files, paths
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.layout import in_sight
from fluxtui.ui.session.replacing import ASIDE, Replacing

if TYPE_CHECKING:
    from textual.timer import Timer

    from fluxtui.model.documents.rewrite import Written
    from fluxtui.opening import OpenFile
    from fluxtui.ui.session.save import Answer
    from fluxtui.workbench.job import Form

SAVING = "saving"
SAVE, LEAVE = "s", "q"  # what it is answered with whether to leave
AT_REST = 0.4  # seconds without an edit, before it is said that the text was written anew


class Saving(Replacing):
    """Writes jobspecs, says where the layout of a text is lost by that, and leaves."""

    _resting: "Timer | None" = None
    _told_of: "Written | None" = None  # the text that it was said of, that its layout is lost

    def edit(self, edit: workbench.Edit) -> None:
        """Take an edit; a job that is opened is shown in the form of its file."""
        if isinstance(edit, workbench.OpenJob):
            form = self._form_of(edit.job)
            if form is not None:
                self.pane(TextPane).turn_to(form)
        super().edit(edit)

    def _form_of(self, job: workbench.Job) -> "Form | None":
        """The form that a job that is opened is read in; None where it has no text."""
        if job.raw is not None:
            return job.raw.form
        file = self._files.get(job.path) if job.path is not None else None
        return file.legible if file is not None else next(iter(job.written), None)

    # The layout of a text, where it is lost

    def _become(self, history: workbench.History) -> None:
        before = self.state.job
        super()._become(history)
        if self.state.job is not before and self.is_running:
            self._rest()

    def _rest(self) -> None:
        """See whether the text that is shown kept its layout, once nothing is being typed."""
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        form = self.pane(TextPane).written
        written = self.state.job.written.get(form)
        if written is not None and written is not self._told_of:
            self._resting = self.set_timer(AT_REST, lambda: self._look_at_layout(form))

    def _look_at_layout(self, form: "Form") -> None:
        from fluxtui.opening import saving

        if in_sight(self.pane(TextPane)) and form == self.pane(TextPane).form:
            self._tell_lost(self.state, form, saving.lost(self.state, form), f"{form.upper()} text")

    def _tell_lost(
        self, state: workbench.State, form: "Form", lost: tuple[Problem, ...], title: str
    ) -> None:
        """Say that the layout of a text could not be kept: once, for as long as it is the base."""
        written = state.job.written.get(form)
        if lost and written is not self._told_of:
            self._told_of = written
            self.tell(lost, title)

    # Saving

    def action_save(self) -> None:
        """Ask where to save the jobspec, and save it."""
        state = self.state
        if state.empty and state.job.raw is None:
            self.focus_shape()
            self.notify(
                "Type a shape first: there is no jobspec to save yet.\n"
                "ctrl+y, then w, saves nodes in a file.",
                severity="warning",
            )
            return
        self._ask_path(state)

    def _ask_path(
        self, state: workbench.State, *, leave: bool = False, typed: str = "", fault: str = ""
    ) -> None:
        """Ask where to save what a state holds, and save it; leave ends the workbench then.

        typed is where it could not be written, and fault why.
        """
        from fluxtui.ui.session.save import SaveDialog

        dialog = SaveDialog(state, self.file, self.pane(TextPane).written, typed, fault)
        self.push_screen(dialog, partial(self._answered, state, leave))

    def _answered(self, state: workbench.State, leave: bool, answer: "Answer | None") -> None:
        """Do what was chosen when it was asked where to save what a state holds."""
        if answer is None:
            return
        if answer.read_again:
            self.open_source(answer.path)
        else:
            start_worker(self, SAVING, self._save, state, answer.path, answer.form, leave=leave)

    async def _save(
        self, state: workbench.State, path: str, form: "Form", *, leave: bool = False
    ) -> None:
        from fluxtui.opening import saving

        if self.recall is not None:
            self.recall.remember()
        file, problems = await run_in_thread(lambda: saving.save_job(state, path, form))
        if file is None:
            self._ask_path(state, leave=leave, typed=paths.short(path), fault=_said(problems))
            return
        self.belongs_to(file)
        self.edit(workbench.SaveJob(file.path, state.job))
        what = "the jobspec" if file.document is not None else "the text as it stands"
        self.notify(printable(paths.short(file.path)), title=f"Saved {what}", markup=False)
        self._tell_lost(state, form, problems, "Saved")
        if leave:
            self.exit()

    async def _write(
        self, path: str, text: Callable[[str], str], what: str, note: str = ""
    ) -> None:
        """Write to a file the text that a path asks for; where that cannot be, ask for another one.

        note says there how a path tells what is written.
        """
        problems = await run_in_thread(lambda: files.write_atomic(path, text(path)))
        if not problems:
            self.notify(printable(path), title=f"Saved {what}", markup=False)
            return
        from fluxtui.ui.kit.path import PathDialog

        def chosen(other: str | None) -> None:
            if other is not None:
                start_worker(self, SAVING, self._write, other, text, what, note)

        self.push_screen(PathDialog(f"Save {what}", note, path, _said(problems)), chosen)

    def open_source(self, name: str) -> None:
        """Read a document in the background; the subclass knows how."""

    # Leaving

    async def action_quit(self) -> None:
        """Leave, once what is being saved is saved; ask where the job's file would lack something.

        Quitting once more, while that is asked, leaves at once.
        """
        under_way = [worker for worker in self.workers if worker.group in (SAVING, ASIDE)]
        if under_way:  # an empty list would mean all workers, and one may be reading a pipe
            here = self.screen
            await self.workers.wait_for_complete(under_way)
            if self.screen is not here:
                return  # it could not be written, and is asked about
        file = self.file
        if file is None or not self._would_lose:
            self.exit()
            return
        from fluxtui.ui.session.leaving import LeavingDialog

        if isinstance(self.screen, LeavingDialog):
            self.exit()
        else:
            dialog = LeavingDialog(file.path, kept=self.drafts is not None)
            self.push_screen(dialog, partial(self._leave, self.state, file))

    @property
    def _would_lose(self) -> bool:
        """Something that was typed is not in the job's file; it may be no part of the job yet."""
        from fluxtui.opening import saving

        return self.unsaved or saving.unfinished(self.state)

    def _leave(self, state: workbench.State, file: "OpenFile", letter: str | None) -> None:
        """Do what was chosen when it was asked whether to leave."""
        if letter == LEAVE:
            self.exit()
        elif letter == SAVE:
            start_worker(self, SAVING, self._save_and_leave, state, file)

    async def _save_and_leave(self, state: workbench.State, file: "OpenFile") -> None:
        """Save a job in its file and leave; where that needs a word, it is asked for first."""
        from fluxtui.bridge import stamps
        from fluxtui.opening import saving

        change = await run_in_thread(lambda: stamps.change(file.path, file.stamp, file.text))
        if change is not None or saving.unfinished(state):
            self._ask_path(state, leave=True)
        else:
            await self._save(state, file.path, file.form, leave=True)


def _said(problems: tuple[Problem, ...]) -> str:
    """Why nothing was written."""
    return "; ".join(problem.message for problem in problems)
