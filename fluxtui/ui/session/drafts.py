"""Drafts: work in progress is saved, and can be restored after a crash."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from string import ascii_lowercase
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from fluxtui import workbench
from fluxtui.bridge.draft_json import Draft
from fluxtui.notation.problem import Problem, printable, render
from fluxtui.opening import drafts
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.kit.workers import run_in_thread, start_thread, start_worker
from fluxtui.ui.session.saving import REPLACED, Saving, Work, is_unsaved

if TYPE_CHECKING:
    from fluxtui import opening
    from fluxtui.bridge.drafts import Kept, Store

# Seconds from an edit to the writing of the draft, and so at least between two writings: a killed
# process loses at most what was typed in this time and while a draft was written. The key's own
# frame is drawn first.
PAUSE = 0.04

# The pause before a draft is at least this many times what the last one took to write, as typing
# is slower meanwhile: a large draft is written less often.
SHARE = 2

PATIENCE = 1.0  # seconds that quitting waits for the draft to be written

KNOWN = 20  # jobs remembered as not to be kept; one that is forgotten may be kept twice
NAME = 40  # characters of the summary of a job


@dataclass(eq=False, repr=False)
class Drafts(Controller):
    """Saves drafts, restores them, and keeps jobs that are replaced.

    A replaced job is kept as a session, unless it is empty, unchanged since it was opened, or saved
    in its file. The user is not asked, as the step can be undone and the job restored later.

    store keeps the drafts; if it is None, none are kept. Only the launched program sets it. saving
    knows the job's file, and tell shows a message once the user is in the workbench.
    """

    saving: Saving
    tell: Callable[[str], None]
    store: "Store | None" = None

    follows = ("build", "ask", "submission", "job")
    _is_writing = False
    _fault = ""  # why the last draft could not be written
    _has_crashed = False
    _unkept: Problem | None = None  # why the last draft could not be kept on closing

    def __post_init__(self) -> None:
        self._initial: Work | None = self.saving.work
        self._written: Work | None = self._initial
        self._known_work = [self.saving.work]  # unchanged since opened, or kept already

    # Keeping

    def ready(self) -> None:
        """Report drafts of workbenches that did not close properly, and start to keep drafts."""
        if self.store is not None:
            state, file = self.app.state, self.saving.file
            # Import now what the first draft needs, so that it is as fast as the others.
            start_thread(lambda: draft_of(state, file, None).to_json())
            start_worker(self.app, "drafts", self._report_found, self.store)
            self._keep()

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Start writing a draft of what changed."""
        self._keep()

    def edited(self, edit: workbench.Edit, before: workbench.State, after: workbench.State) -> None:
        """Keep a job that another one replaces."""
        if isinstance(edit, workbench.OpenJob):
            self._keep_replaced(before)
        elif not isinstance(edit, workbench.SaveJob) or self.saving.unsaved:
            return
        self._add_known(self.saving.work)

    async def keep_now(self) -> str | None:
        """Write the draft, and return why that failed: "" if it was written or nothing changed.

        Return None if no drafts are kept.
        """
        store, draft = self.store, self.last_draft()
        if store is None or draft is None:
            return None if store is None else ""
        try:
            problem = await asyncio.wait_for(run_in_thread(lambda: store.keep(draft)), PATIENCE)
        except TimeoutError:
            return "the draft takes too long to write"
        return "" if problem is None else problem.message

    def close(self, *, left: bool) -> None:
        """Write the last draft."""
        if self.store is not None:
            self._unkept = self.store.close(self.last_draft() or Draft(), left=left)

    def last_draft(self) -> "Draft | None":
        """Return a draft of the current work; None if nothing changed since the start."""
        if self._initial is not None and self._initial.is_same(self.saving.work):
            return None
        return draft_of(self.app.state, self.saving.file, self.app.config_path)

    def farewell(self) -> str:
        """Return how to get unsaved work back, or that it is lost; "" if all was saved."""
        draft = self.last_draft() if self.store is not None else None
        if draft is None or draft.blank or not draft.unsaved:
            return ""
        if self._unkept is not None:
            return f"fluxtui: {render(self._unkept)}"
        return f"fluxtui --restore brings back {summary(draft)}"

    def _keep(self) -> None:
        """Start the worker that writes drafts, unless it is running."""
        if self.store is not None and self.app.is_running and not self._is_writing:
            self._is_writing = True
            start_worker(self.app, "keeping", self._write, self.store)

    async def _write(self, store: "Store") -> None:
        """Write drafts until the current work is written; report why the last one failed."""

        def write() -> Problem | None:
            state = self.app.state
            work = self.saving.work_of(state)
            problem = store.keep(draft_of(state, work.file, self.app.config_path))
            self._written = work
            return problem

        problem, duration = None, 0.0
        while self._written is None or not self._written.is_same(self.saving.work):
            await asyncio.sleep(max(PAUSE, SHARE * duration))
            start = time.monotonic()
            problem = await run_in_thread(write)
            duration = time.monotonic() - start
        self._is_writing = False
        if problem is not None and problem.message != self._fault:
            self._fault = problem.message
            self.app.report_problems((problem,), "Draft")

    # A job that another one replaces

    def replace_shape(self, text: str) -> None:
        """Replace the current shape with one that was not typed here."""
        self._keep_replaced(self.app.state)
        self.app.edit(workbench.EditShape(text))
        self._add_known(self.saving.work)

    def _keep_replaced(self, state: workbench.State) -> None:
        """Keep the job of a state unless it is empty or known not to need that."""
        work = self.saving.work_of(state)
        # A constraint alone is not a job, and the history of its input keeps it.
        is_empty = state.build.blank and state.job.document is None and state.job.raw is None
        # A job that is known under another file, or without one, need not be kept either.
        known = any(one.is_same(work._replace(file=one.file)) for one in self._known_work)
        if self.store is not None and self.app.is_running and not known and not is_empty:
            start_worker(self.app, REPLACED, self._store_replaced, self.store, work, state)

    async def _store_replaced(self, store: "Store", work: Work, state: workbench.State) -> None:
        """Keep the job of a state and notify the user, unless the job is saved in its file."""
        config = self.app.config_path
        draft = await run_in_thread(lambda: draft_of(state, work.file, config))
        if not draft.unsaved:
            return
        problem = await run_in_thread(lambda: store.set_aside(draft))
        if problem is not None:
            self.app.report_problems((problem,), "ctrl+z brings it back")
            return
        self._add_known(work)
        self.app.notify(f"{summary(draft)} was replaced; ctrl+z to undo", timeout=8)

    def _add_known(self, work: Work) -> None:
        self._known_work = [*self._known_work[1 - KNOWN :], work]

    # Restoring

    async def _report_found(self, store: "Store") -> None:
        """Report, once each, the drafts to restore and the files that could not be read."""
        found, problems = await run_in_thread(store.found)
        crashed = [kept for kept in found if kept.crashed and not store.is_replaced(kept)]
        self._has_crashed = bool(crashed)
        new = [kept for kept in crashed if not kept.reported and kept.draft.unsaved]
        self.app.report_problems(problems, "Drafts")
        if new:
            what = f"Unsaved draft from {_when(new[0])}"
            what = what if len(new) == 1 else f"{len(new)} unsaved drafts"
            self.tell(f"{what}: {key_of('commands', 'ctrl+p')} 'Restore'")
        await run_in_thread(store.mark_reported)

    def commands(self) -> Iterator[SystemCommand]:
        """Yield the commands that restore a draft or a session."""
        draft = "Continue with the draft of a session that did not close properly"
        session = "Continue an earlier session, most recent first"
        if self.store is not None and self._has_crashed:
            yield SystemCommand("Restore the draft", draft, partial(self.offer, crashed=True))
        if self.store is not None:
            offer = partial(self.offer, crashed=False)
            yield SystemCommand("Restore the last session", session, offer)

    def offer(self, *, crashed: bool) -> None:
        """Restore the draft of a crash or, if not crashed, a session; ask which of several."""
        if self.store is not None:
            start_worker(self.app, "restoring", self._offer, self.store, crashed=crashed)

    async def _offer(self, store: "Store", *, crashed: bool) -> None:
        found, problems = await run_in_thread(store.found)
        offered = [kept for kept in found if kept.crashed == crashed]
        if len(offered) == 1:
            await self._restore(offered[0])
        elif offered:
            items = [
                Item(kept, _when(kept), summary(kept.draft), key=letter)
                for letter, kept in zip(ascii_lowercase, offered, strict=False)
            ]
            title = f"Restore a {'draft' if crashed else 'session'}"
            self.open_dialog(
                Picker(title, items, enter="restores"),
                lambda kept: start_worker(self.app, "restoring", self._restore, kept),
            )
        else:
            what = "draft" if crashed else "last session"
            self.app.warn(f"There is no {what} to restore.")
            self.app.report_problems(problems, "Drafts")

    async def _restore(self, kept: "Kept") -> None:
        self._put_back(kept, *await run_in_thread(lambda: _read(kept.draft)))
        what = "Draft" if kept.crashed else "Session"
        self.app.notify(f"{what} from {_when(kept)} restored; ctrl+z to undo")

    def restore(self, kept: "Kept", queue: str | None = None) -> None:
        """Replace the current work with a draft, without a thread: for the start of the program.

        queue, if given, overrides the queue that the draft has chosen.
        """
        self._put_back(kept, *_read(kept.draft))
        if queue is not None:
            self.app.edit(workbench.ChooseQueue(queue))
        self.app.history = workbench.History(self.app.state)  # nothing before it can be undone

    def _put_back(
        self, kept: "Kept", edit: workbench.OpenJob, file: "opening.OpenFile | None"
    ) -> None:
        self.saving.remember(file)
        if self.store is not None:
            self.store.replaces(kept)
        self._initial = self._written = None
        self.app.edit(edit)
        if kept.crashed:  # its file is removed with the next draft, so this job must be kept
            self._known_work.pop()


def draft_of(
    state: workbench.State, file: "opening.OpenFile | None", config: str | None
) -> "Draft":
    """Return all the work in a state as a draft; file is the one that the job belongs to."""
    unsaved = file is None or is_unsaved(state, file)
    return drafts.draft_of(state, file, config, unsaved=unsaved)


def _read(draft: "Draft") -> "tuple[workbench.OpenJob, opening.OpenFile | None]":
    return drafts.restoring(draft), drafts.file_of(draft)


def _when(kept: "Kept") -> str:
    """Return the time of a draft, ``14:02``; with the date if not today, the host if another."""
    try:
        then = datetime.fromtimestamp(kept.when)
        form = "%H:%M" if then.date() == datetime.now().date() else "%Y-%m-%d %H:%M"
        words = then.strftime(form)
    except (OverflowError, OSError, ValueError):
        words = "some time ago"
    return words if kept.host == os.uname().nodename else f"{words} on {printable(kept.host)}"


def summary(draft: "Draft") -> str:
    """Return the shape of a draft, else its file, its constraint or its text, shortened."""
    texts = (draft.shape, draft.path or "", draft.requires, draft.raw[0] if draft.raw else "")
    first = next((text for text in texts if text.strip()), "a job without a shape")
    return shorten(printable(" ".join(first.split())), NAME)
