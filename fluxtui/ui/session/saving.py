"""The file of the job: whether it is up to date, saving it, and asking on quitting."""

import os
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from fluxtui import workbench
from fluxtui.bridge import files, paths
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.session.memory import Preferences, Recall

if TYPE_CHECKING:
    from textual.timer import Timer

    from fluxtui.bridge.in_place import Over
    from fluxtui.model.documents.rewrite import Written
    from fluxtui.opening import OpenFile
    from fluxtui.workbench.job import Form

# The groups of the workers that write files, and that keep a job which another one replaces.
SAVING, REPLACED = "saving", "replaced"
AT_REST = 0.4  # seconds without an edit, before it is said that the text was rewritten

# The edits that put a whole job in place of the text of another.
_WHOLE = (workbench.TypeJobspec, workbench.OpenJob)


class Work(NamedTuple):
    """What a person made, to tell it from what they make later."""

    shape: str
    requires: str
    queue: str | None
    job: workbench.Job
    file: "OpenFile | None"

    def is_same(self, other: "Work") -> bool:
        """Whether nothing changed between the two; jobs and files are compared by identity."""
        same_texts = self[:3] == other[:3]
        return same_texts and self.job is other.job and self.file is other.file


class TextView(Protocol):
    """The pane with the text of the job."""

    @property
    def is_in_sight(self) -> bool:
        """Whether it is visible."""

    @property
    def form(self) -> str:
        """The form that it shows."""

    @property
    def written(self) -> "Form":
        """The form that the job is written in there."""

    def turn_to(self, form: "Form", *, always: bool = False) -> None:
        """Show the text in a form of a file; unless always, not where what Flux stores is shown."""


class Saving(Controller):
    """Knows the file of the job and saves in it; says where that loses the layout of a text.

    pane shows that text. recall and preferences keep what was typed and saved. is_kept says whether
    drafts are, from which what is not saved can be restored, and open_source opens a file.
    """

    follows = ("job",)

    open_source: Callable[[str], None]

    def __init__(
        self,
        app: WorkbenchApp,
        pane: TextView,
        recall: Recall,
        preferences: Preferences,
        is_kept: Callable[[], bool],
    ) -> None:
        super().__init__(app)
        self._pane, self._recall, self._preferences = pane, recall, preferences
        self._is_kept = is_kept
        self._files: dict[str, OpenFile] = {}
        self._resting: Timer | None = None
        self._reported: Written | None = None  # the text whose lost layout was reported

    # The file

    @property
    def file(self) -> "OpenFile | None":
        """The file that the job was opened from or saved in, as it was then."""
        return self.work.file

    @property
    def work(self) -> Work:
        """The work so far."""
        return self.work_of(self.app.state)

    def work_of(self, state: workbench.State) -> Work:
        """What was made in a state. May be called in any thread."""
        job = state.job
        file = self._files.get(job.path) if job.path is not None else None
        return Work(state.build.text, state.ask.text, state.submission.queue, job, file)

    @property
    def unsaved(self) -> bool:
        """The job is not what its file holds; False where it has no file."""
        return is_unsaved(self.app.state, self.file)

    @property
    def file_words(self) -> str:
        """The name of the job's file, with a mark where the job differs from it."""
        file = self.file
        if file is None:
            return ""
        name = printable(os.path.basename(file.path))
        return f"{name} \N{BULLET}" if self.unsaved else name

    def remember(self, file: "OpenFile | None") -> None:
        """Remember a file that a job was opened from or saved in."""
        if file is not None:
            self._files[file.path] = file

    # What a step changes

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """See, once nothing is being typed, whether the text that is shown kept its layout."""
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        if after.job.written and self.app.is_running:
            self._resting = self.app.set_timer(AT_REST, self._check_layout)

    def _check_layout(self) -> None:
        from fluxtui.opening import saving

        pane, state = self._pane, self.app.state
        form = pane.written
        is_new = state.job.written.get(form) not in (None, self._reported)
        if is_new and pane.is_in_sight and form == pane.form:
            self._report_lost(state, form, saving.lost(state, form), f"{form.upper()} text")

    def _report_lost(
        self, state: workbench.State, form: "Form", lost: tuple[Problem, ...], title: str
    ) -> None:
        """Say that the layout of a text could not be kept: once, for as long as it is the base."""
        written = state.job.written.get(form)
        if lost and written is not self._reported:
            self._reported = written
            self.app.report_problems(lost, title)

    def edited(self, edit: workbench.Edit, before: workbench.State, after: workbench.State) -> None:
        """Show a job that is opened in the form of its file; say where a text is given up."""
        pane, raw = self._pane, before.job.raw
        if isinstance(edit, workbench.OpenJob):
            file, form = self.file, next(iter(edit.job.written), None)
            if edit.job.raw is not None:
                form = edit.job.raw.form
            elif file is not None:
                form = file.legible
            if form is not None:
                pane.turn_to(form, always=edit.job.raw is not None)
        elif raw is not None and after.job.raw is None and not isinstance(edit, _WHOLE):
            words = f"The unreadable {raw.form.upper()} was replaced; ctrl+z to undo"
            self.app.notify(words, severity="warning")

    # Saving

    def save(self) -> None:
        """Ask where to save the jobspec, and save it."""
        state = self.app.state
        if state.empty and state.job.raw is None:
            self.app.focus_shape()
            words = "Type a shape first: there is no jobspec to save yet."
            self.app.notify(words, severity="warning")
        else:
            self._ask_path(state)

    def _ask_path(
        self, state: workbench.State, *, leave: bool = False, typed: str = "", fault: str = ""
    ) -> None:
        """Ask where to save what a state holds, and save it; leave ends the workbench then.

        typed is where it could not be written, and fault why.
        """
        from fluxtui.ui.session.save_dialogs import Answer, SaveDialog

        def save(answer: Answer) -> None:
            start_worker(self.app, SAVING, self._save, state, *answer, leave=leave)

        form = self._pane.written
        dialog = SaveDialog(state, self.file, form, self.open_source, typed, fault)
        self.open_dialog(dialog, save)

    async def _save(
        self, state: workbench.State, path: str, form: "Form", over: "Over", *, leave: bool = False
    ) -> None:
        from fluxtui.opening import saving

        self._recall.remember()
        file, problems = await run_in_thread(lambda: saving.save_job(state, path, form, over))
        if file is None:
            self._ask_path(state, leave=leave, typed=paths.short(path), fault=_reasons(problems))
            return
        self.remember(file)
        self.app.edit(workbench.SaveJob(file.path, state.job))
        self._preferences.add_file(file.path)
        what = "the jobspec" if file.document is not None else "the text as it is"
        where = printable(paths.short(file.path))
        self.app.notify(where, title=f"Saved {what}")
        self._report_lost(state, form, problems, "Saved")
        if leave:
            self.app.exit()

    def write(self, path: str, text: Callable[[str], str], what: str, note: str = "") -> None:
        """Write to a file the text that a path asks for; where that fails, ask for another path.

        what names the text, and note says how a path decides what is written.
        """
        start_worker(self.app, SAVING, self._write, path, text, what, note)

    async def _write(self, path: str, text: Callable[[str], str], what: str, note: str) -> None:
        problems = await run_in_thread(lambda: files.write_atomic(path, text(path)))
        if not problems:
            self.app.notify(printable(path), title=f"Saved {what}")
            return
        from fluxtui.ui.kit.path import PathDialog

        dialog = PathDialog(f"Save {what}", note, path, _reasons(problems))
        self.open_dialog(dialog, lambda other: self.write(other, text, what, note))

    def save_picture(self) -> None:
        """Save the screen as a picture."""
        name = f"fluxtui-{datetime.now():%Y-%m-%d-%H%M%S}.svg"
        picture = self.app.export_screenshot()
        self.write(name, lambda _: picture, "a picture")

    # Quitting

    async def quit(self) -> None:
        """Leave, once what is being saved is saved; ask where the job's file would lack something.

        Quitting once more, while that is asked, leaves at once.
        """
        app = self.app
        under_way = [worker for worker in app.workers if worker.group in (SAVING, REPLACED)]
        if under_way:  # an empty list would mean all workers, and one may be reading a pipe
            here = app.screen
            await app.workers.wait_for_complete(under_way)
            if app.screen is not here:
                return  # it could not be written, and is asked about
        from fluxtui.opening import saving

        state, file = app.state, self.file
        # What was typed may be no part of the job yet, and then of no file either.
        if file is None or not (self.unsaved or saving.unfinished(state)):
            app.exit()
            return
        from fluxtui.ui.session.save_dialogs import QuitDialog

        def leave(chosen: str) -> None:
            if chosen == "quit":
                app.exit()
            else:
                start_worker(app, SAVING, self._save_and_leave, state, file)

        if isinstance(app.screen, QuitDialog):
            app.exit()
        else:
            self.open_dialog(QuitDialog(file.path, kept=self._is_kept()), leave)

    async def _save_and_leave(self, state: workbench.State, file: "OpenFile") -> None:
        """Save a job in its file and leave; ask first where the file or the job are in doubt."""
        from fluxtui.bridge import stamps
        from fluxtui.opening import saving

        change = await run_in_thread(lambda: stamps.change(file.path, file.stamp, file.text))
        if change is not None or saving.unfinished(state):
            self._ask_path(state, leave=True)
        else:
            await self._save(state, file.path, file.form, file.stamp, leave=True)


def is_unsaved(state: workbench.State, file: "OpenFile | None") -> bool:
    """A job differs from its file; False where it has none."""
    from fluxtui.opening.saving import differs

    return file is not None and differs(state, file)


def _reasons(problems: tuple[Problem, ...]) -> str:
    return "; ".join(problem.message for problem in problems)
