"""The workbench with drafts: what is made in it is kept, and comes back after a crash."""

import os
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual.app import SystemCommand

from fluxtui import opening, workbench
from fluxtui.bridge import themes
from fluxtui.notation.problem import Problem, printable, render
from fluxtui.ui.core import Workbench
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.workers import run_in_thread, start_thread, start_worker

if TYPE_CHECKING:
    import asyncio

    from fluxtui.bridge.draft_json import Draft
    from fluxtui.bridge.drafts import Kept, Store

# Seconds from an edit to when the draft is written, and so at least from one writing to the next:
# a process that is killed loses at most what was typed in these, and while a draft was written.
# The frame of a key is drawn before.
PAUSE = 0.04

# A large draft, which takes long to write, is written less often: at most a part of the time, as
# whoever types has to wait meanwhile.
SHARE = 4

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

# What a person made, to be told from what they make later.
Work = tuple[str, str, str | None, workbench.Job, "opening.OpenFile | None"]


class Keeping(Workbench):
    """Keeps a draft of what a person makes, and restores one.

    drafts is where they are kept; where it is None, none are. The program that a person starts has
    one. config_path names the Flux configuration beside the documents.
    """

    drafts: "Store | None" = None
    config_path: str | None = None
    _keeping = False
    _unkept = ""
    _has_crashed = False

    def __init__(self, state: workbench.State | None = None, theme: str = themes.DEFAULT) -> None:
        super().__init__(state, theme)
        self._files: dict[str, opening.OpenFile] = {}
        self._turn = threading.Lock()  # of the thread that writes, and of what begins it
        self._begun: Work | None = self._work()
        self._kept: Work | None = self._begun
        self._compared: tuple[Work, bool] | None = None

    # The file

    @property
    def file(self) -> "opening.OpenFile | None":
        """The file that the job was opened from or saved in, as it was then."""
        return self._file_of(self.state)

    def _file_of(self, state: workbench.State) -> "opening.OpenFile | None":
        path = state.job.path
        return self._files.get(path) if path is not None else None

    @property
    def unsaved(self) -> bool:
        """The job is not what its file holds; False where it has no file."""
        work = self._work()
        if self._compared is None or not is_same_work(self._compared[0], work):
            self._compared = work, _unsaved(self.state, self.file)
        return self._compared[1]

    @property
    def file_words(self) -> str:
        """The name of the job's file, with a mark where it does not hold what stands here."""
        if self.file is None:
            return ""
        name = printable(os.path.basename(self.file.path))
        return f"{name} \N{BULLET}" if self.unsaved else name

    def belongs_to(self, file: "opening.OpenFile | None") -> None:
        """Remember a file that a job was opened from or saved in."""
        if file is not None:
            self._files[file.path] = file

    # Keeping

    def on_ready(self) -> None:
        """Tell of the drafts of workbenches that were not left."""
        if self.drafts is not None:
            state, file = self.state, self.file
            # The first draft is to be as quick as the others: what it loads is loaded now.
            start_thread(lambda: draft_of(state, file, None).to_json())
            start_worker(self, "drafts", self._tell_of_drafts, self.drafts)
            self._keep()

    def last_draft(self) -> "Draft | None":
        """The draft of what stands now; None where that is what the workbench began with."""
        if self._begun is not None and is_same_work(self._begun, self._work()):
            return None
        return draft_of(self.state, self.file, self.config_path)

    def put_away(self, *, left: bool) -> None:
        """Write the draft, and what was typed."""
        if self.drafts is not None:
            from fluxtui.bridge.draft_json import Draft

            self.drafts.close(self.last_draft() or Draft(), left=left)
        super().put_away(left=left)

    def _become(self, history: workbench.History) -> None:
        super()._become(history)
        self._keep()

    def _keep(self) -> None:
        """Have the draft kept, unless that is being done."""
        if self.drafts is None or not self.is_running or self._is_kept:
            return
        with self._turn:
            if self._keeping:
                return  # what is new is seen before that ends
            self._keeping = True
        start_worker(
            self,
            "keeping",
            self._await_kept,
            start_thread(partial(self._write_drafts, self.drafts)),
        )

    async def _await_kept(self, written: "asyncio.Future[Problem | None]") -> None:
        """Tell where the draft could not be written."""
        problem = await written
        if problem is not None and problem.message != self._unkept:
            self._unkept = problem.message
            self.tell((problem,), "Draft")

    def _write_drafts(self, drafts: "Store") -> Problem | None:
        """Write drafts until the one in force is written; why the last one could not be.

        In a thread, which keeps time of its own: the event loop may be long at a key.
        """
        problem, took = None, 0.0
        while True:
            with self._turn:
                if self._is_kept:
                    self._keeping = False
                    return problem
            time.sleep(max(PAUSE, SHARE * took))
            start = time.monotonic()
            state, config = self.state, self.config_path
            file = self._file_of(state)
            problem = drafts.keep(draft_of(state, file, config))
            self._kept = _work_of(state, file)
            took = time.monotonic() - start

    @property
    def _is_kept(self) -> bool:
        return self._kept is not None and is_same_work(self._kept, self._work())

    def _work(self) -> Work:
        state = self.state
        return _work_of(state, self._file_of(state))

    # Restoring

    async def _tell_of_drafts(self, drafts: "Store") -> None:
        """Say once that there are drafts to restore, and what could not be read."""
        found, problems = await run_in_thread(drafts.found)
        crashed = [kept for kept in found if kept.crashed and not drafts.is_replaced(kept)]
        self._has_crashed = bool(crashed)
        fresh = [kept for kept in crashed if not kept.told and kept.draft.unsaved]
        self.tell(problems, "Drafts")
        if fresh:
            self.announce(_announcement(fresh))
        await run_in_thread(drafts.told)

    def announce(self, text: str) -> None:
        """Tell of a draft, shortly: it may stand before what a person works at."""
        self.notify(text, timeout=8, markup=False)

    def restore_commands(self) -> Iterator[SystemCommand]:
        """What the palette has for drafts."""
        if self.drafts is None:
            return
        if self._has_crashed:
            help_text = "Go on with what a workbench held that was not closed"
            yield SystemCommand("Restore the draft", help_text, self.action_restore_draft)
        help_text = "Go on with what a workbench held that was left, the last one first"
        yield SystemCommand("Restore the last session", help_text, self.action_restore_session)

    def action_restore_draft(self) -> None:
        """Restore the draft of a workbench that was not closed; ask which, where there are more."""
        if self.drafts is not None:
            start_worker(self, "restoring", self._choose, self.drafts, crashed=True)

    def action_restore_session(self) -> None:
        """Restore what the workbench held that was left last."""
        if self.drafts is not None:
            start_worker(self, "restoring", self._choose, self.drafts, crashed=False)

    async def _choose(self, drafts: "Store", *, crashed: bool) -> None:
        from fluxtui.ui.kit.picker import Item, Picker

        found, problems = await run_in_thread(drafts.found)
        offered = dict(zip(_LETTERS, (k for k in found if k.crashed == crashed), strict=False))
        if not offered:
            what = "draft" if crashed else "last session"
            self.notify(f"There is no {what} to restore.", severity="warning")
            self.tell(problems, "Drafts")
        elif len(offered) == 1:
            await self._restore(offered["a"])
        else:
            choices = [
                Item(letter, _when(kept).removeprefix("of "), summary(kept.draft, 40), key=letter)
                for letter, kept in offered.items()
            ]

            title = f"Restore a {'draft' if crashed else 'session'}"

            def chosen(letter: str | None) -> None:
                if letter is not None:
                    start_worker(self, "restoring", self._restore, offered[letter])

            self.push_screen(Picker(title, choices, enter="restores"), chosen)

    async def _restore(self, kept: "Kept") -> None:
        edit, file = await run_in_thread(lambda: _read(kept.draft))
        self._put_back(kept, edit, file)
        what = "draft" if kept.crashed else "session"
        self.notify(f"The {what} {_when(kept)} is here again; ctrl+z takes it back.", markup=False)

    def restore(self, kept: "Kept", queue: str | None = None) -> None:
        """Put a draft in the place of what is here. Reads it at once: for the start.

        queue takes the place of the one that was chosen then.
        """
        self._put_back(kept, *_read(kept.draft))
        if queue is not None:
            self.edit(workbench.ChooseQueue(queue))

    def _put_back(
        self, kept: "Kept", edit: workbench.OpenJob, file: "opening.OpenFile | None"
    ) -> None:
        self.belongs_to(file)
        if self.drafts is not None:
            self.drafts.replaces(kept)
        self._begun = self._kept = None
        self.edit(edit)

    # Messages

    def tell(self, problems: Iterable[Problem], title: str) -> None:
        """Say what went wrong, one message for all of it."""
        listed = list(problems)
        text = "\n".join(render(problem) for problem in listed)
        bad = any(problem.severity == "error" for problem in listed)
        level: Literal["error", "warning"] = "error" if bad else "warning"
        if text:
            self.notify(text, title=printable(title), severity=level, timeout=12, markup=False)


def _work_of(state: workbench.State, file: "opening.OpenFile | None") -> Work:
    return state.build.text, state.ask.text, state.submission.queue, state.job, file


def is_same_work(one: Work, other: Work) -> bool:
    """Whether nothing was made between the two; jobs and files are compared as objects."""
    return one[:3] == other[:3] and one[3] is other[3] and one[4] is other[4]


def draft_of(
    state: workbench.State,
    file: "opening.OpenFile | None",
    config: str | None,
) -> "Draft":
    """All that was made, as a draft; file is the one that the job belongs to."""
    from fluxtui.opening import drafts

    unsaved = file is None or _unsaved(state, file)
    return drafts.draft_of(state, file, config, unsaved=unsaved)


def _unsaved(state: workbench.State, file: "opening.OpenFile | None") -> bool:
    from fluxtui.opening.saving import differs

    return file is not None and differs(state, file)


def _read(draft: "Draft") -> "tuple[workbench.OpenJob, opening.OpenFile | None]":
    from fluxtui.opening import drafts

    return drafts.restoring(draft), drafts.file_of(draft)


def _announcement(fresh: "list[Kept]") -> str:
    """What is said of drafts that were not closed, the newest first."""
    newest = fresh[0]
    if len(fresh) == 1:
        said = f"A draft {_when(newest)} was not closed"
    else:
        said = f"{len(fresh)} drafts were not closed"
    return f"{said}: ctrl+p 'Restore'"


def _when(kept: "Kept") -> str:
    """``of 14:02``; with the date where that is not today, and the host where it is another."""
    try:
        then = datetime.fromtimestamp(kept.when)
        form = "%H:%M" if then.date() == datetime.now().date() else "%Y-%m-%d %H:%M"
        said = f"of {then.strftime(form)}"
    except (OverflowError, OSError, ValueError):
        said = "of some time"
    return said if kept.host == os.uname().nodename else f"{said} on {printable(kept.host)}"


def summary(draft: "Draft", width: int) -> str:
    """What a draft is about, in so many characters: its shape, or its file, or its constraint."""
    texts = (draft.shape, draft.path or "", draft.requires, draft.raw[0] if draft.raw else "")
    first = next((text for text in texts if text.strip()), "a job without a shape")
    return wording.shorten(printable(" ".join(first.split())), width)
