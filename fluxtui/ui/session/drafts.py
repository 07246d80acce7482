"""Drafts: work is saved while it is done, and can be restored after a crash."""

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

# Seconds from an edit to when the draft is written, and so at least from one writing to the next:
# a process that is killed loses at most what was typed in these, and while a draft was written.
# The frame of a key is drawn before.
PAUSE = 0.04

# A large draft, which takes long to write, is written less often: at most a part of the time, as
# whoever types has to wait meanwhile.
SHARE = 2

PATIENCE = 1.0  # seconds that quitting waits for the draft to be written

KNOWN = 20  # remembered jobs that need not be kept; more may be kept twice
NAME = 40  # characters of the name of a job


@dataclass(eq=False, repr=False)
class Drafts(Controller):
    """Saves drafts, restores them, and keeps jobs that are replaced.

    A replaced job is kept as a session, unless it is empty, unchanged since it was opened, or saved
    in its file. Nothing is asked, as the step can be undone and the job restored later.

    store is where drafts are kept; where it is None, none are: the program that a person starts
    sets it. saving knows the job's file, and tell says something once a person is in the workbench.
    """

    saving: Saving
    tell: Callable[[str], None]
    store: "Store | None" = None

    follows = ("build", "ask", "submission", "job")
    _is_writing = False
    _fault = ""  # why the last draft could not be written
    _has_crashed = False
    _unkept: Problem | None = None  # why the last draft is not kept, once the program has ended

    def __post_init__(self) -> None:
        self._initial: Work | None = self.saving.work
        self._written: Work | None = self._initial
        self._not_missed = [self.saving.work]  # opened and not changed, or kept already

    # Keeping

    def ready(self) -> None:
        """Announce drafts of workbenches that did not close properly."""
        if self.store is not None:
            state, file = self.app.state, self.saving.file
            # Load now what the first draft needs, so that it is as quick as the others.
            start_thread(lambda: draft_of(state, file, None).to_json())
            start_worker(self.app, "drafts", self._report_found, self.store)
            self._keep()

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Save what a step changed."""
        self._keep()

    def edited(self, edit: workbench.Edit, before: workbench.State, after: workbench.State) -> None:
        """Keep a job that another one replaces."""
        if isinstance(edit, workbench.OpenJob):
            self._keep_replaced(before)
        elif not isinstance(edit, workbench.SaveJob) or self.saving.unsaved:
            return
        self._miss_no_more(self.saving.work)

    async def keep_now(self) -> str | None:
        """Write the draft, and return why that failed: blank if it was written or nothing changed.

        None if no drafts are kept.
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
        """Say how to get back what was not saved, or that it is lost; blank if all was saved."""
        draft = self.last_draft() if self.store is not None else None
        if draft is None or draft.blank or not draft.unsaved:
            return ""
        if self._unkept is not None:
            return f"fluxtui: {render(self._unkept)}"
        return f"fluxtui --restore brings back {summary(draft)}"

    def _keep(self) -> None:
        """Start writing the draft, unless that is running."""
        if self.store is not None and self.app.is_running and not self._is_writing:
            self._is_writing = True
            start_worker(self.app, "keeping", self._write, self.store)

    async def _write(self, store: "Store") -> None:
        """Write drafts until the current one is written; say why the last one could not be."""

        def write() -> Problem | None:
            state = self.app.state
            work = self.saving.work_of(state)
            problem = store.keep(draft_of(state, work.file, self.app.config_path))
            self._written = work
            return problem

        problem, took = None, 0.0
        while self._written is None or not self._written.is_same(self.saving.work):
            await asyncio.sleep(max(PAUSE, SHARE * took))
            start = time.monotonic()
            problem = await run_in_thread(write)
            took = time.monotonic() - start
        self._is_writing = False
        if problem is not None and problem.message != self._fault:
            self._fault = problem.message
            self.app.report_problems((problem,), "Draft")

    # A job that another one replaces

    def replace_shape(self, text: str) -> None:
        """Replace the current shape with one that was not typed here."""
        self._keep_replaced(self.app.state)
        self.app.edit(workbench.EditShape(text))
        self._miss_no_more(self.saving.work)

    def _keep_replaced(self, state: workbench.State) -> None:
        """Keep the job of a state if it would be missed."""
        work = self.saving.work_of(state)
        # A constraint alone is no job; it is in the history of the input.
        no_job = state.build.blank and state.job.document is None and state.job.raw is None
        # Which file a job belongs to makes no difference to whether it is missed.
        known = any(one.is_same(work._replace(file=one.file)) for one in self._not_missed)
        if self.store is not None and self.app.is_running and not known and not no_job:
            start_worker(self.app, REPLACED, self._store_replaced, self.store, work, state)

    async def _store_replaced(self, store: "Store", work: Work, state: workbench.State) -> None:
        """Keep the job of a state, and say so; nothing where its file holds it."""
        config = self.app.config_path
        draft = await run_in_thread(lambda: draft_of(state, work.file, config))
        if not draft.unsaved:
            return
        problem = await run_in_thread(lambda: store.set_aside(draft))
        if problem is not None:
            self.app.report_problems((problem,), "ctrl+z brings it back")
            return
        self._miss_no_more(work)
        self.app.notify(f"{summary(draft)} was replaced; ctrl+z to undo", timeout=8)

    def _miss_no_more(self, work: Work) -> None:
        self._not_missed = [*self._not_missed[1 - KNOWN :], work]

    # Restoring

    async def _report_found(self, store: "Store") -> None:
        """Say once that there are drafts to restore, and what could not be read."""
        found, problems = await run_in_thread(store.found)
        crashed = [kept for kept in found if kept.crashed and not store.is_replaced(kept)]
        self._has_crashed = bool(crashed)
        fresh = [kept for kept in crashed if not kept.reported and kept.draft.unsaved]
        self.app.report_problems(problems, "Drafts")
        if fresh:
            what = f"Unsaved draft from {_when(fresh[0])}"
            what = what if len(fresh) == 1 else f"{len(fresh)} unsaved drafts"
            self.tell(f"{what}: {key_of('commands', 'ctrl+p')} 'Restore'")
        await run_in_thread(store.mark_reported)

    def commands(self) -> Iterator[SystemCommand]:
        """What can be restored."""
        draft = "Continue with the draft of a session that did not close properly"
        session = "Continue an earlier session, the last one first"
        if self.store is not None and self._has_crashed:
            yield SystemCommand("Restore the draft", draft, partial(self.offer, crashed=True))
        if self.store is not None:
            offer = partial(self.offer, crashed=False)
            yield SystemCommand("Restore the last session", session, offer)

    def offer(self, *, crashed: bool) -> None:
        """Restore a draft after a crash, or the last session.

        It is asked which where there are several.
        """
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
        """Put a draft in the place of what is here. Reads it at once: for the start.

        queue takes the place of the one that was chosen then.
        """
        self._put_back(kept, *_read(kept.draft))
        if queue is not None:
            self.app.edit(workbench.ChooseQueue(queue))
        self.app.history = workbench.History(self.app.state)  # there is nothing before it to undo

    def _put_back(
        self, kept: "Kept", edit: workbench.OpenJob, file: "opening.OpenFile | None"
    ) -> None:
        self.saving.remember(file)
        if self.store is not None:
            self.store.replaces(kept)
        self._initial = self._written = None
        self.app.edit(edit)
        if kept.crashed:  # its file goes, once the draft of this workbench holds it
            self._not_missed.pop()


def draft_of(
    state: workbench.State, file: "opening.OpenFile | None", config: str | None
) -> "Draft":
    """All that was made, as a draft; file is the one that the job belongs to."""
    unsaved = file is None or is_unsaved(state, file)
    return drafts.draft_of(state, file, config, unsaved=unsaved)


def _read(draft: "Draft") -> "tuple[workbench.OpenJob, opening.OpenFile | None]":
    return drafts.restoring(draft), drafts.file_of(draft)


def _when(kept: "Kept") -> str:
    """``14:02``; with the date where that is not today, and the host where it is another."""
    try:
        then = datetime.fromtimestamp(kept.when)
        form = "%H:%M" if then.date() == datetime.now().date() else "%Y-%m-%d %H:%M"
        words = then.strftime(form)
    except (OverflowError, OSError, ValueError):
        words = "some time ago"
    return words if kept.host == os.uname().nodename else f"{words} on {printable(kept.host)}"


def summary(draft: "Draft") -> str:
    """What a draft is about, shortened: its shape, or its file, or its constraint."""
    texts = (draft.shape, draft.path or "", draft.requires, draft.raw[0] if draft.raw else "")
    first = next((text for text in texts if text.strip()), "a job without a shape")
    return shorten(printable(" ".join(first.split())), NAME)
