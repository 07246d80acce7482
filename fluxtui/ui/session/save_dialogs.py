"""The dialogs for saving a job, and for quitting with unsaved changes."""

import os
import time
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from fluxtui.bridge import paths, stamps
from fluxtui.bridge.in_place import Over
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
    """Where to save, in which form, and over what: it may be something else by then."""

    path: str
    form: Form
    over: Over


class SaveDialog(AskPathDialog[Answer]):
    """Asks where to save, and in which form.

    file is the job's own file, which is written at once unless it was changed on disk, when
    open_instead can open it; any other existing file is overwritten only when enter is pressed
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
            if state.stale:
                notes.append("The text is unfinished: the last complete jobspec is saved.")
            notes += [f"{one.words}; it is saved {one.instead}." for one in unread(state)]
        known = file.path if file is not None else state.job.path
        suggestion = f"jobspec.{form}" if known is None else paths.short(known)
        super().__init__("Save the jobspec", " ".join(notes), typed or suggestion, fault)

    async def check(self, value: str) -> None:
        """End with the path and the form, or say what is in the way."""

        def look() -> tuple[OpenFile | None, Change | None, str | None, bool]:
            own = self._file
            if own is None or not paths.same(value, own.path):
                return None, None, *paths.why_not_save(value)
            change = stamps.change(own.path, own.stamp, own.text)
            return own, change, *paths.why_not_save(value)

        own, change, reason, exists = await run_in_thread(look)
        form: Form = "json" if value.endswith(".json") else "yaml"
        form = own.form if own is not None else form
        is_odd = exists if own is None else change is not None
        if reason is not None:
            self.say(reason)
        elif self._raw is not None and self._raw.form != form:
            self.say(
                f"{_trouble(self._raw)}, so it cannot be saved in another format. "
                f"Fix it first, or save it under a name ending in .{self._raw.form}."
            )
        elif not is_odd or self.confirmed == (value, change):
            path = own.path if own is not None else os.path.expanduser(value)
            self.dismiss(Answer(path, form, _over(own, change, exists=exists)))
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
        """Open the file that was changed, in the place of the job."""
        change = self.confirmed[1] if self.confirmed is not None else None
        if self._file is not None and change is not None and not change.gone:
            self.dismiss(None)
            self._open_instead(self._file.path)


def _over(own: OpenFile | None, change: Change | None, *, exists: bool) -> Over:
    """What is overwritten, as it was asked about."""
    if change is not None and not change.gone:
        return change.stamp or "anything"
    return own.stamp if own is not None and exists else "anything" if exists else "nothing"


class QuitDialog(Picker[str]):
    """Asks whether to save before quitting; kept says that what is not saved can be restored."""

    def __init__(self, path: str, *, kept: bool) -> None:
        back = "fluxtui --restore brings it back" if kept else "the changes are lost"
        items = [
            Item("save", "save and quit", paths.short(path), key="s"),
            Item("quit", "quit without saving", back, key="q"),
        ]
        title = f"{os.path.basename(path)} has unsaved changes"
        super().__init__(title, items, enter="chooses", escape="cancels")


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
