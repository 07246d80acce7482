"""The file of the job: whether it is up to date, saving it, and asking on quitting."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

from textual.binding import Binding, BindingType

from fluxtui import workbench
from fluxtui.bridge import files, paths, stamps
from fluxtui.bridge.in_place import Over
from fluxtui.bridge.stamps import Change
from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.opening import OpenFile, saving
from fluxtui.opening.saving import differs
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.input import wait_for_keys
from fluxtui.ui.kit.path import AskPathDialog, PathDialog
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import line_of
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.session.memory import Preferences, Recall
from fluxtui.ui.session.tasks import Tasks
from fluxtui.workbench import Raw, State, missing_from_job, unread
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from textual.timer import Timer

    from fluxtui.model.documents.rewrite import Written

# The groups of the workers that write files, and of those that keep a replaced job.
SAVING, REPLACED = "saving", "replaced"
NOTE = "The extension sets the format: .yaml, .json, or .sh for a script of flux batch."
FORMATS: "Mapping[str, Form | Literal['script']]" = {
    "": "yaml", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".sh": "script",
}  # fmt: skip
AT_REST = 0.4  # seconds without an edit before a lost layout is reported

# The edits that replace the whole job, and so its text.
_WHOLE = (workbench.TypeJobspec, workbench.OpenJob)

#: Writes to a path, in a thread, unless stopped; returns whether it did, and problems to report.
Write: TypeAlias = Callable[[str, Stop], tuple[bool, tuple[Problem, ...]]]


class Work(NamedTuple):
    """What the user has made, for comparison with a later state."""

    shape: str
    requires: str
    queue: str | None
    job: workbench.Job
    file: "OpenFile | None"

    def is_same(self, other: "Work") -> bool:
        """Whether nothing changed between the two; jobs and files are compared by identity."""
        same_texts = self[:3] == other[:3]
        return same_texts and self.job is other.job and self.file is other.file


class _TextView(Protocol):
    """The pane that shows the text of the job in one of its forms."""

    @property
    def form(self) -> str: ...

    @property
    def is_in_sight(self) -> bool: ...

    @property
    def written(self) -> "Form": ...

    def turn_to(self, form: "Form", *, always: bool = False) -> None: ...


class Answer(NamedTuple):
    """Where to save, in which form, and what may be overwritten: the file may change meanwhile."""

    path: str
    form: "Form | Literal['script']"
    over: Over


class SaveDialog(AskPathDialog[Answer]):
    """Asks where to save, and in which form.

    file is the job's own file, which is written at once unless it was changed on disk; then
    open_instead can open it. Any other existing file is overwritten only when enter is pressed
    again. form is the format of a new file; an unreadable text keeps its own. typed is a path that
    could not be written, fault the reason.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "open_instead", "Open instead", show=False, priority=True),
    ]

    confirmed: tuple[str, Change | None] | None = None

    def __init__(
        self,
        state: State,
        file: OpenFile | None,
        form: Form,
        open_instead: Callable[[str], None],
        typed: str = "",
        fault: str = "",
    ) -> None:
        self._raw, self._file, self._open_instead = state.job.raw, file, open_instead
        notes = [NOTE]
        if self._raw is not None:
            form = self._raw.form
            notes.append(f"{_trouble(self._raw)}; it is saved as it is.")
        else:
            notes += [f"{words[0].upper()}{words[1:]}." for words in missing_from_job(state)]
            notes += [f"{field.words}; it is saved {field.instead}." for field in unread(state)]
        known = file.path if file is not None else state.job.path
        suggestion = f"jobspec.{form}" if known is None else paths.short(known)
        super().__init__("Save the jobspec", " ".join(notes), typed or suggestion, fault)

    async def check(self, value: str) -> None:
        """Close with the answer, or show why the job cannot be saved there yet."""

        def inspect() -> tuple[OpenFile | None, Change | None, str | None, bool]:
            file = self._file
            if file is None or not paths.same(value, file.path):
                return None, None, *paths.why_not_save(value)
            change = stamps.change(file.path, file.stamp, file.text)
            return file, change, *paths.why_not_save(value)

        own_file, change, reason, exists = await run_in_thread(inspect)
        extension = os.path.splitext(value)[1].lower()
        form = own_file.form if own_file is not None else FORMATS.get(extension)
        must_confirm = exists if own_file is None else change is not None
        if reason is not None:
            self.say(reason)
        elif form is None:
            self.say(f"{extension} is not a format. {NOTE}")
        elif self._raw is not None and self._raw.form != form:
            self.say(
                f"{_trouble(self._raw)}, so it cannot be saved in another format. "
                f"Fix it first, or save it under a name ending in .{self._raw.form}."
            )
        elif not must_confirm or self.confirmed == (value, change):
            path = own_file.path if own_file is not None else os.path.expanduser(value)
            self.dismiss(Answer(path, form, _over(own_file, change, exists=exists)))
        else:
            self.confirmed, name = (value, change), os.path.basename(value)
            if change is None:
                self.say_exists(value)
            elif change.gone:
                self.say(f"{name} is gone. Press enter again to write it.")
            else:
                self.say(
                    f"{name} was changed on disk{_when(change)}{_how_much(change)}. "
                    "Press enter again to overwrite it, or ctrl+r to open it instead."
                )
                self.say_keys(("enter", "overwrites"), ("ctrl+r", "opens it"), ("escape", "closes"))

    def action_open_instead(self) -> None:
        """Open the changed file in place of the job."""
        change = self.confirmed[1] if self.confirmed is not None else None
        if self._file is not None and change is not None and not change.gone:
            self.dismiss(None)
            self._open_instead(self._file.path)


def _over(file: OpenFile | None, change: Change | None, *, exists: bool) -> Over:
    """Return what the user agreed to overwrite."""
    if change is not None and not change.gone:
        return change.stamp or "anything"
    return file.stamp if file is not None and exists else "anything" if exists else "nothing"


def _trouble(raw: Raw) -> str:
    """Return where a text cannot be read: at its first error, whatever warnings it has."""
    problem = raw.errors[0]
    text = f"The {raw.form.upper()} text"
    if problem.span is None:
        return f"{text} cannot be read"
    return f"{text} has a problem on line {line_of(problem, raw.text)}"


def _when(change: Change) -> str:
    """Return how long ago a file was changed: `` 3 minutes ago``."""
    if not change.when:
        return ""
    ago = max(time.time() - change.when, 0)
    for seconds, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if ago >= seconds:
            return f" {counted(int(ago / seconds), unit)} ago"
    return " just now"


def _how_much(change: Change) -> str:
    """Return how much a file was changed: ``: 2 new lines, 1 line gone``."""
    if change.stamp is None:
        return " and cannot be read now"
    parts = [f"{counted(change.added, 'new line')}"] if change.added else []
    if change.removed:
        parts.append(f"{counted(change.removed, 'line')} gone")
    return f": {', '.join(parts)}" if parts else ": its lines were reordered"


@dataclass(eq=False, repr=False)
class Saving(Controller):
    """Saves the job in its file, and other things where the user wants them.

    It reports when the text in pane loses its layout. keep_draft writes the draft and returns why
    that failed (`Drafts.keep_now`); open_source opens a file.
    """

    tasks: Tasks
    pane: _TextView
    recall: Recall
    preferences: Preferences
    keep_draft: Callable[[], Awaitable[str | None]] = field(init=False)
    open_source: Callable[[str], None] = field(init=False)

    follows = ("job",)

    _files: "dict[str, OpenFile]" = field(default_factory=dict)
    _layout_timer: "Timer | None" = None
    _quit_picker: "Picker[str] | None" = None  # the last question on quitting
    _reported: "Written | None" = None  # the text whose lost layout was reported

    # The file

    @property
    def file(self) -> "OpenFile | None":
        """The file that the job was last opened from or saved in, as it was then."""
        return self.work.file

    @property
    def work(self) -> Work:
        """The current work."""
        return self.work_of(self.app.state)

    def work_of(self, state: workbench.State) -> Work:
        """Return the work in a state. May be called in any thread."""
        job = state.job
        file = self._files.get(job.path) if job.path is not None else None
        return Work(state.build.text, state.ask.text, state.submission.queue, job, file)

    @property
    def unsaved(self) -> bool:
        """Whether something that was typed is not in the job's file; False if there is no file.

        An unreadable text that was opened from the file and not edited is in the file.
        """
        state, file = self.app.state, self.file
        is_partial = file is not None and state.job.raw is None and saving.unfinished(state)
        return is_partial or is_unsaved(state, file)

    @property
    def file_words(self) -> str:
        """The name of the job's file, with a mark if the job differs from it."""
        file = self.file
        if file is None:
            return ""
        name = printable(os.path.basename(file.path))
        return f"{name} \N{BULLET}" if self.unsaved else name

    def remember(self, file: "OpenFile | None") -> None:
        """Remember a file that a job was opened from or saved in."""
        if file is not None:
            self._files[file.path] = file

    # Following edits

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Check, once typing pauses, whether the displayed text kept its layout."""
        if self._layout_timer is not None:
            self._layout_timer.stop()
            self._layout_timer = None
        if after.job.written and self.app.is_running:
            self._layout_timer = self.app.set_timer(AT_REST, self._check_layout)

    def _check_layout(self) -> None:
        pane, state = self.pane, self.app.state
        form = pane.written
        is_new = state.job.written.get(form) not in (None, self._reported)
        if is_new and pane.is_in_sight and form == pane.form:
            self._report_lost(state, form, saving.lost(state, form), f"{form.upper()} text")

    def _report_lost(
        self, state: workbench.State, form: "Form", lost: tuple[Problem, ...], title: str
    ) -> None:
        """Report that a text could not keep its layout, once for each text that was written."""
        written = state.job.written.get(form)
        if lost and written is not self._reported:
            self._reported = written
            self.app.report_problems(lost, title)

    def edited(self, edit: workbench.Edit, before: workbench.State, after: workbench.State) -> None:
        """Show an opened job in the form of its file; warn if an unreadable text was replaced."""
        pane, raw = self.pane, before.job.raw
        if isinstance(edit, workbench.OpenJob):
            file, form = self.file, next(iter(edit.job.written), None)
            if edit.job.raw is not None:
                form = edit.job.raw.form
            elif file is not None:
                form = file.legible
            if form is not None:
                pane.turn_to(form, always=edit.job.raw is not None)
        elif raw is not None and after.job.raw is None and not isinstance(edit, _WHOLE):
            self.app.warn(f"The unreadable {raw.form.upper()} was replaced; ctrl+z to undo")

    # Saving

    async def save(self) -> None:
        """Ask where to save the jobspec, with all that was typed so far, and save it."""
        await self._wait_for_typing()
        state = self.app.state
        if state.empty and state.job.raw is None:
            self.app.focus_shape()
            self.app.warn("Type a shape first: there is no jobspec to save yet.")
        else:
            self._ask_path(state)

    def _ask_path(
        self, state: workbench.State, *, leave: bool = False, typed: str = "", fault: str = ""
    ) -> None:
        """Ask where to save the job of a state, and save it; leave then quits the workbench.

        typed is a path that could not be written, fault the reason.
        """

        def save(answer: Answer) -> None:
            path, form, over = answer
            if form == "script":
                start_worker(self.app, SAVING, self._save_script, state, path, over, leave=leave)
            else:
                start_worker(self.app, SAVING, self._save, state, path, form, over, leave=leave)

        form = self.pane.written
        dialog = SaveDialog(state, self.file, form, self.open_source, typed, fault)
        self.open_dialog(dialog, save)

    async def _save(
        self, state: workbench.State, path: str, form: "Form", over: "Over", *, leave: bool = False
    ) -> None:
        self.recall.remember()
        file, problems = await run_in_thread(lambda: saving.save_job(state, path, form, over))
        if file is None:
            self._ask_path(state, leave=leave, typed=paths.short(path), fault=_reasons(problems))
            return
        self.remember(file)
        self.app.edit(workbench.SaveJob(file.path, state.job))
        self.preferences.add_file(file.path)
        what = "the jobspec" if file.document is not None else "the text as it is"
        where = printable(paths.short(file.path))
        self.app.notify(where, title=f"Saved {what}")
        self._report_lost(state, form, problems, "Saved")
        if leave:
            self.app.exit()

    async def _save_script(
        self, state: workbench.State, path: str, over: "Over", *, leave: bool = False
    ) -> None:
        """Save the job as a batch script, which does not become its file."""
        is_saved, problems = await run_in_thread(lambda: saving.save_script(state, path, over))
        if not is_saved:
            self._ask_path(state, leave=leave, typed=paths.short(path), fault=_reasons(problems))
            return
        self.preferences.add_file(path)
        self.app.notify(printable(paths.short(path)), title="Saved the batch script")
        self.app.report_problems(problems, "Saved the batch script")
        if leave and not problems:  # what the script loses is read before one leaves
            self.app.exit()

    def save_as(self, what: str, write: Write, path: str, note: str = "", fault: str = "") -> None:
        """Ask where to write something, suggesting a path, and write it there.

        what names it, note describes it; fault is the reason if writing it to path failed.
        """
        dialog = PathDialog(f"Save {what}", note, path, fault)
        self.open_dialog(dialog, partial(self.write, what, write, note=note))

    def write(self, what: str, write: Write, path: str, note: str = "") -> None:
        """Write something to a path; if that fails, ask for another path."""
        name, results = printable(os.path.basename(path)), list[tuple[bool, tuple[Problem, ...]]]()

        def report(result: tuple[bool, tuple[Problem, ...]]) -> None:
            is_saved, problems = result
            if is_saved:
                self.app.notify(printable(path), title=f"Saved {what}")
                self.app.report_problems(problems, "Saved")
            else:
                self.save_as(what, write, path, note, _reasons(problems))

        def work(stop: Stop) -> tuple[bool, tuple[Problem, ...]]:
            results.append(write(path, stop))
            return results[0]

        def stopped() -> None:
            if results:  # it was stopped too late
                report(results[0])
            else:
                self.app.notify(f"{name} was not written.", timeout=3)

        self.tasks.start(SAVING, f"writing {name}", work, report, stopped)

    def save_picture(self) -> None:
        """Save the screen as a picture."""
        name = f"fluxtui-{datetime.now():%Y-%m-%d-%H%M%S}.svg"
        picture = self.app.export_screenshot()
        self.write("a picture", writes(lambda _: picture), name)

    # Quitting

    async def quit(self) -> None:
        """Quit once all saves have finished; ask first if something would be lost.

        Quitting again while the question is open quits at once.
        """
        app = self.app
        under_way = [worker for worker in app.workers if worker.group in (SAVING, REPLACED)]
        if under_way:  # an empty list would mean all workers, and one may be reading a pipe
            screen = app.screen
            await app.workers.wait_for_complete(under_way)
            if app.screen is not screen:
                return  # a file could not be written, and a dialog asks where to save it

        if app.screen is self._quit_picker:
            app.exit()
            return
        await self._wait_for_typing()
        fault = await self.keep_draft()
        state, file = app.state, self.file
        # Text that cannot be read yet is in no jobspec, and so in no file. A job without a file is
        # lost only if it has no draft.
        in_file = file is not None and not (self.unsaved or saving.unfinished(state))
        if in_file or (file is None and (not fault or (state.empty and state.job.raw is None))):
            app.exit()
            return

        def leave(chosen: str) -> None:
            if chosen == "quit":
                app.exit()
            elif file is None:
                self._ask_path(app.state, leave=True)
            else:
                start_worker(app, SAVING, self._save_and_leave, app.state, file)

        lost = f"the changes are lost{f': {fault}' if fault else ''}"
        back = lost if fault or fault is None else "fluxtui --restore brings it back"
        name, where = ("The job", "") if file is None else (os.path.basename(file.path), file.path)
        items = [
            Item("save", "save and quit", paths.short(where) if where else "asks where", key="s"),
            Item("quit", "quit without saving", back, key="q"),
        ]
        self._quit_picker = Picker(
            f"{name} has unsaved changes", items, enter="chooses", escape="cancels"
        )
        self.open_dialog(self._quit_picker, leave)

    async def _wait_for_typing(self) -> None:
        """Wait until the focused widget has handled the keys typed before this one."""
        if self.app.focused is not None:
            await wait_for_keys(self.app.focused)

    async def _save_and_leave(self, state: workbench.State, file: "OpenFile") -> None:
        """Save a job in its file and quit; ask if the file was changed or a text is unreadable."""
        change = await run_in_thread(lambda: stamps.change(file.path, file.stamp, file.text))
        if change is not None or saving.unfinished(state):
            self._ask_path(state, leave=True)
        else:
            await self._save(state, file.path, file.form, file.stamp, leave=True)


def is_unsaved(state: workbench.State, file: "OpenFile | None") -> bool:
    """Return whether a job differs from its file; False if it has none."""
    return file is not None and differs(state, file)


def writes(text: Callable[[str], str], *, private: bool = False) -> Write:
    """Return a `Write` of the text for a path; private makes a new file its owner's alone."""

    def write(path: str, stop: Stop) -> tuple[bool, tuple[Problem, ...]]:
        content = text(path)
        stop_if(stop)
        problems = files.write_atomic(path, content, private=private)
        return not problems, problems

    return write


def _reasons(problems: tuple[Problem, ...]) -> str:
    return "; ".join(problem.message for problem in problems)
