"""Fixes for the job, the best first.

What finds a fix is loaded with the first job that needs one, as the first frame does without.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from fluxtui.model.constraint.requires import read as read_requires
from fluxtui.model.jobspec.request import parse
from fluxtui.notation import duration
from fluxtui.notation.problem import MISSPELT, Problem, counted, printable, splice
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.workbench import (
    ChooseQueue,
    EditRequires,
    EditShape,
    FindRoom,
    Fix,
    ReplaceJob,
    State,
    TypeField,
    find_outlook,
)

if TYPE_CHECKING:
    from fluxtui.answers.explain.relaxations import Relaxation
    from fluxtui.model.jobspec.verdicts import Verdicts

MOST = 9  # how many fixes are shown: one for each digit key
REPAIRS = 4  # how many fixes of one problem of the jobspec are shown
FIT = "fit"  # the group of workers that look for it
BETWEEN_KEYS = 0.15  # seconds without an edit before a slow search for a fit
PROBLEMS = 20  # how many problems of the jobspec are searched for fixes
QUEUES = 4  # how many other queues are offered
NODE_LIMITS = ("max nnodes", "min nnodes")
MEANT = 2  # names that a misspelt one may mean
QUOTES = '":'  # around a name in a text, and after an operator

# Parts of a shape up to which a key waits for the repairs of its jobspec, some 2 ms.
QUICK = 100


# Finding them


def in_order(
    state: State, repaired: Sequence[Fix], changes: Sequence["Relaxation"] = ()
) -> tuple[Fix, ...]:
    """All fixes, those of the first thing that is wrong in front, each edit once.

    Of a constraint that cannot be read there is only what it may mean: all else would be of the
    one before. repaired are the fixes of the jobspec, changes those of the constraint.
    """
    if state.job.raw is not None:
        return ()
    spelt, relaxed = tuple(meant(state)), tuple(map(_relaxed, changes))
    if state.ask.stale:
        return spelt[:MOST]
    ways = tuple(ways_out(state, changes))
    legal = state.verdicts is None or state.verdicts.canonical.ok
    first = () if _matching(state) else (*relaxed, *spelt)
    found = (*first, *ways, *repaired) if legal else (*repaired, *first, *ways)
    once: list[Fix] = []
    for fix in (*found, *closer(state), *spelt, *relaxed):
        if all(fix.words != one.words and fix.edit != one.edit for one in once):
            once.append(fix)
    return tuple(once[:MOST])


def repairs(state: State, *, every: bool = False, of: Problem | None = None) -> Iterator[Fix]:
    """The fixes for a problem of the jobspec, or for the first that has any, or for every one.

    There are none while a text cannot be read, which they would throw away.
    """
    wrong = () if unreadable(state) else state.faults
    errors = [one for one in wrong if one.severity == "error"][:PROBLEMS]
    if not errors:
        return
    from fluxtui.answers.fixes.finder import FixFinder

    finder = FixFinder(state.jobspec())
    for problem in errors if of is None else [of]:
        found = finder.fixes(problem, REPAIRS)
        yield from (Fix(printable(f.label), ReplaceJob(f.document)) for f in found)
        if found and not every:
            return


def unreadable(state: State) -> str:
    """The name of a text that cannot be read; empty for none."""
    if state.job.raw is not None:
        return state.job.raw.form.upper()
    if not (state.build.blank or state.build.shape.ok):
        return "shape"
    return "constraint" if state.ask.stale else ""


def ways_out(state: State, changes: Sequence["Relaxation"] = ()) -> Iterator[Fix]:
    """The fixes for a job that does not fit or that its queue refuses, best first.

    changes to a constraint that matches no node come first, then the nearest request that fits and
    the queues that would run the job as it is. There are none while the answers are of an earlier
    job.
    """
    outlook, matching = state.outlook, _matching(state)
    is_full = outlook.fit is not None and outlook.fit.hopeless
    if outlook.old or outlook.unasked or not (is_full or outlook.admitted is False):
        return
    if is_full and not matching:  # to ask for less helps nobody
        yield from map(_relaxed, changes)
    else:
        yield from _less(state)
    if outlook.fit is not None and outlook.fit.own.satisfiable_but_unallocatable:
        return  # as it may be in any queue
    others = (name for name in outlook.admissions if name and name != outlook.queue)
    running = (name for name in others if outlook.runs_in(name) and outlook.rooms.get(name))
    for name in islice(running, QUEUES):
        yield Fix(f"use queue {shorten(printable(name), 24)}", ChooseQueue(name), "fits there")


def _matching(state: State) -> int | None:
    return state.outlook.allowed if state.outlook.own is not None else state.left


def _relaxed(change: "Relaxation") -> Fix:
    """A change to the constraint as a fix."""
    label, _, gain = printable(change.sentence).rpartition(": ")
    return Fix(label, EditRequires(change.text), gain)


def _less(state: State) -> Iterator[Fix]:
    """Asking for less: the nearest request that fits, within the limits of the queue."""
    fit, own, listed = state.outlook.fit, state.outlook.own, state.build.resources
    nearest = fit.own.nearest if fit is not None else None
    change = printable(nearest.change) if nearest is not None else ""
    wanted = list(nearest.resources if nearest is not None else listed)
    for refusal in own.refusals if own is not None else ():
        allowed = refusal.allowed
        if refusal.kind == "duration":
            longest = duration.format(allowed)
            yield Fix(f"limit it to {longest}", TypeField("duration", longest))
        elif refusal.kind == "counts" and fit is not None and fit.own.counted is not None:
            yield from _asking(fit.own.counted.resources, printable(fit.own.counted.change))
        elif refusal.kind in NODE_LIMITS and [one["type"] for one in wanted] == ["node"]:
            count = wanted[0]["count"]
            least, most = (allowed, count) if refusal.kind == "max nnodes" else (count, allowed)
            nodes = state.cluster.covered(state.outlook.queue).bit_count()
            if isinstance(count, int) and 0 < least < most and allowed <= nodes:
                change = f"{counted(allowed, 'node')}, not {refusal.asked:,}"
                wanted = [{**wanted[0], "count": allowed}]
    if change:
        yield from _asking(wanted, change)


def closer(state: State) -> Iterator[Fix]:
    """The requests near one that fits whose slots have their gpus near their cores."""
    outlook = state.outlook
    if outlook.fit is not None and not outlook.old:
        from fluxtui.answers.admission import Refusal, counts, is_counted

        config = state.cluster.config
        counts_jobs = config is not None and is_counted(config)
        for one in outlook.fit.own.closer:
            if counts_jobs and isinstance(counts(parse(one.resources)), Refusal):
                continue  # which Flux refuses
            yield from _asking(one.resources, printable(one.change), printable(one.effect))


def _asking(resources: Sequence[Mapping[str, Any]], change: str, effect: str = "") -> Iterator[Fix]:
    vertices, problems = from_resources(resources)
    if not any(problem.severity == "error" for problem in problems):
        yield Fix(f"ask for {change}", EditShape(format_shape(vertices)), effect)


def meant(state: State) -> Iterator[Fix]:
    """Yield fixes for the misspelt names of the constraint, in order of the names."""
    ask = state.ask
    for problem in ask.problems:
        if problem.code != MISSPELT or problem.span is None:
            continue
        was = ask.text[slice(*problem.span)]
        for name in problem.expected[:MEANT]:
            # It is in quotes, or before a colon, where the other one was.
            written = json.dumps(name) if was[:1] == '"' else name + ":" * was.endswith(":")
            text = splice(ask.text, [(problem.span, written)])
            errors = problem.severity == "error"
            if len(read_requires(text).problems) <= len(ask.requires.problems) - errors:
                label = f"write '{printable(name)}' for '{printable(was.strip(QUOTES))}'"
                yield Fix(label, EditRequires(text))


@dataclass(eq=False, repr=False)
class Fixes(Controller):
    """Finds the fixes for the current state, and applies them.

    relaxations gives what is known so far of how to change the constraint so that more nodes match:
    it is worked out in the background.
    """

    relaxations: "Callable[[State], Sequence[Relaxation]]"
    # What the repairs were found for (verdicts; domain and unreadable text), and the repairs.
    _repairs: "tuple[Verdicts | None, tuple[str, str], tuple[Fix, ...]]" = (None, ("", ""), ())

    def find(self, state: State, *, every: bool = False) -> tuple[Fix, ...]:
        """The fixes of a state, the best first: for its jobspec, its fit, and its constraint.

        With every they are for each problem of the jobspec, which may take longer than a key; else
        those of a long jobspec are left out.
        """
        if every:
            return in_order(state, tuple(repairs(state, every=True)), self.relaxations(state))
        judged, basis, found = self._repairs
        # The same verdicts may be those of a text that cannot be read, which has no repairs.
        now = (state.outlook.domain, unreadable(state))
        if state.verdicts is not judged or basis != now:
            quick = len(state.build.shape.tokens) <= QUICK
            found = tuple(repairs(state)) if quick else ()
            self._repairs = state.verdicts, now, found
        return in_order(state, found, self.relaxations(state))

    def mend(self, problem: Problem | None = None) -> None:
        """Apply the likeliest fix for a problem of the jobspec, or the best fix of all."""
        state, notify = self.app.state, self.app.notify
        fix = next(repairs(state, of=problem), None) if problem is not None else None
        if fix is None:
            found, unread = self.find(state), unreadable(state)
            if unread and not (state.ask.stale and found):
                notify(f"The {unread} cannot be read: correct it first.", timeout=4)
                return
            fix = next(iter(found or self.find(state, every=True)), None)
        if fix is None:
            notify("No automatic fix available.", timeout=3)
            return
        self.app.edit(fix.edit)
        words = f"{shorten(fix.label, 60)}; ctrl+z to undo"
        notify(words, title="Fixed", timeout=3)


# Choosing one


def numbered(fixes: Sequence[Fix], style: Palette) -> list[Text]:
    """Fixes as lines, each with its number; a click on one carries that as ``fix``."""
    lines = []
    for number, fix in enumerate(fixes, 1):
        line = Text.assemble((f"  {number} ", style.key), (fix.words, style.match), end="")
        line.stylize(Style.from_meta({"fix": number}))
        lines.append(line)
    return lines


class TakesFixes(Widget):
    """What lists fixes: enter applies the first, its number or a click any of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("fit.fix", "enter", "take(1)", "Fix", "Apply the first fix", footer=True, first=True),
        *(
            bind(f"fit.{number}", str(number), f"take({number})", f"Fix {number}", "Apply this fix")
            for number in range(1, MOST + 1)
        ),
    ]

    app: WorkbenchApp
    fixes: Sequence[Fix] = ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave a digit without a fix to the panes."""
        if action == "take":
            return isinstance(parameters[0], int) and parameters[0] <= len(self.fixes)
        return super().check_action(action, parameters)

    def action_take(self, number: int) -> None:
        """Apply the fix with a number."""
        if 0 < number <= len(self.fixes):
            self.app.edit(self.fixes[number - 1].edit)

    def on_click(self, event: events.Click) -> None:
        """Apply the fix under the mouse."""
        self.action_take(event.style.meta.get("fix", 0))


class FitFinder(Controller):
    """Finds in a thread whether a job fits, if that is slow."""

    follows = ("outlook",)

    _looking = False

    def ready(self) -> None:
        """Find the fit of the first job."""
        self.changed(self.app.state, self.app.state)

    def changed(self, before: State, after: State) -> None:
        """Start finding the fit, unless that is running."""
        if after.outlook.due and self.app.is_running and not self._looking:
            self._looking = True
            start_worker(self.app, FIT, self._find)

    async def _find(self) -> None:
        """Look until the fit of the current job is found.

        Not while one types: the search would take its time from the keys.
        """
        try:
            while self.app.state.outlook.due:
                state = self.app.state
                await asyncio.sleep(BETWEEN_KEYS)
                if state.outlook is self.app.state.outlook:
                    found = await run_in_thread(partial(find_outlook, state))
                    self.app.edit(FindRoom(state.outlook, found))
        finally:
            self._looking = False
