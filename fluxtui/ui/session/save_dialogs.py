"""The dialogs for saving a job, and for quitting with unsaved changes."""

import os
import time
from typing import ClassVar, Literal, NamedTuple

from textual.binding import Binding, BindingType

from fluxtui.bridge import paths, stamps
from fluxtui.bridge.stamps import Change
from fluxtui.notation.problem import counted
from fluxtui.opening import OpenFile
from fluxtui.ui.kit.path import AskPathDialog
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import line_of
from fluxtui.ui.kit.workers import run_in_thread
from fluxtui.workbench import Raw, State, unread
from fluxtui.workbench.job import Form

NOTE = "The extension sets the format: .yaml or .json."


class Answer(NamedTuple):
    """Where to save, and in which form; or, with read_again, the file to read again instead."""

    path: str
    form: Form
    read_again: bool = False


class SaveDialog(AskPathDialog[Answer]):
    """Asks where to save.

    file is the job's own file, which is written at once unless it was changed on disk; any other
    existing file is overwritten only when enter is pressed again. form is the format of a new file;
    an unreadable text keeps its own. typed is a path that could not be written, fault the reason.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "read_again", "Open instead", show=False, priority=True),
    ]

    def __init__(
        self, state: State, file: OpenFile | None, form: Form, typed: str = "", fault: str = ""
    ) -> None:
        self._raw = state.job.raw
        self._stale = state.stale
        self._unread = unread(state)
        self._file = file
        known = file.path if file is not None else state.job.path
        form = self._raw.form if self._raw is not None else form
        suggestion = f"jobspec.{form}" if known is None else paths.short(known)
        super().__init__("Save the jobspec", self._about(), typed or suggestion, fault)
        self._confirmed: tuple[str, Change | None] | None = None
        self._changed = False

    def _about(self) -> str:
        """What is saved, if that may be surprising."""
        if self._raw is not None:
            return f"{NOTE} {_trouble(self._raw)}; it is saved as it is."
        notes = [f"{one.words}; it is saved {one.instead}." for one in self._unread]
        if self._stale:
            notes.insert(0, "The text is unfinished: the last complete jobspec is saved.")
        return " ".join([NOTE, *notes])

    def forget(self) -> None:
        """Forget which file may be overwritten."""
        self._confirmed = None

    async def check(self, value: str) -> None:
        """End with the path and the form, or say what is in the way."""
        file = self._file
        own = file is not None and await run_in_thread(lambda: paths.same(value, file.path))
        form = file.form if own and file is not None else _form(value)
        reason, exists = await run_in_thread(lambda: paths.why_not_save(value))
        if reason is not None:
            self.say(reason)
        elif self._raw is not None and self._raw.form != form:
            self.say(
                f"{_trouble(self._raw)}, so it cannot be saved in another format. "
                f"Fix it first, or save it under a name ending in .{self._raw.form}."
            )
        elif own and file is not None:
            change = await run_in_thread(lambda: stamps.change(file.path, file.stamp, file.text))
            if change is None or self._confirmed == (value, change):
                self.dismiss(Answer(file.path, form))
            else:
                self._ask_about(value, change)
        elif exists and self._confirmed != (value, None):
            self._confirmed = (value, None)
            self.say_exists(value)
        else:
            self.dismiss(Answer(os.path.expanduser(value), form))

    def _ask_about(self, value: str, change: Change) -> None:
        self._confirmed = (value, change)
        self._changed = not change.gone
        name = os.path.basename(value)
        if change.gone:
            self.say(f"{name} is gone. Press enter again to write it.")
            return
        self.say_keys(("enter", "overwrites"), ("ctrl+r", "opens it"), ("escape", "closes"))
        self.say(
            f"{name} was changed on disk{_when(change)}{_how_much(change)}. "
            "Press enter again to overwrite it, or ctrl+r to open it instead."
        )

    def action_read_again(self) -> None:
        """Read the file that was changed, in the place of the job."""
        if self._changed and self._file is not None:
            self.dismiss(Answer(self._file.path, self._file.form, read_again=True))

    def say(self, text: str) -> None:
        """Say what is in the way; once it says nothing, there is no file to open instead."""
        if not text:
            self._changed = False
            self.say_keys(*self.keys)
        super().say(text)


class QuitDialog(Picker[Literal["save", "quit"]]):
    """Asks whether to save before quitting; kept says that what is not saved can be restored."""

    def __init__(self, path: str, *, kept: bool) -> None:
        back = "fluxtui --restore brings it back" if kept else "the changes are lost"
        super().__init__(
            f"{os.path.basename(path)} has unsaved changes",
            [
                Item("save", "save and quit", paths.short(path), key="s"),
                Item("quit", "quit without saving", back, key="q"),
            ],
            enter="chooses",
            escape="cancels",
        )


def _form(path: str) -> Form:
    return "json" if path.endswith(".json") else "yaml"


def _trouble(raw: Raw) -> str:
    """Where a text cannot be read; what is odd about it beside that is no reason."""
    problem = raw.errors[0]
    text = f"The {raw.form.upper()} text"
    if problem.span is None:
        return f"{text} cannot be read"
    return f"{text} has a problem on line {line_of(problem, raw.text)}"


def _when(change: Change) -> str:
    """When a file was changed: `` 3 minutes ago``."""
    if not change.when:
        return ""
    ago = max(time.time() - change.when, 0)
    for seconds, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if ago >= seconds:
            return f" {counted(int(ago / seconds), unit)} ago"
    return " just now"


def _how_much(change: Change) -> str:
    """By how much: ``: 2 new lines, 1 line gone``."""
    if change.stamp is None:
        return " and cannot be read now"
    parts = [f"{counted(change.added, 'new line')}"] if change.added else []
    if change.removed:
        parts.append(f"{counted(change.removed, 'line')} gone")
    return f": {', '.join(parts)}" if parts else ": its lines were reordered"
