"""Fixes for the job, the best first.

The code that finds fixes is imported for the first job that needs one, not for the first frame.
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

MOST = 9  # fixes that are shown: one for each digit key
REPAIRS = 4  # fixes that are shown for one problem of the jobspec
FIT = "fit"  # the group of the workers that search for a fit
BETWEEN_KEYS = 0.15  # seconds without an edit before a slow search for a fit
PROBLEMS = 20  # problems of the jobspec for which fixes are searched
QUEUES = 4  # other queues that are offered
NODE_LIMITS = ("max nnodes", "min nnodes")
WRITTEN = 60  # characters of a corrected text in the words of its fix
MEANT = 2  # corrections that are offered for a misspelt name
QUOTES = '":'  # what may enclose a name in a constraint, or follow an operator

# Up to this many tokens of a shape, repairs of its jobspec are found with each key, in some 2 ms.
QUICK = 100


# Finding them


def in_order(
    state: State, repaired: Sequence[Fix], changes: Sequence["Relaxation"] = ()
) -> tuple[Fix, ...]:
    """Return all fixes without duplicates, those of the worst problem first.

    An unreadable constraint has only corrections: any other fix would be for the constraint before
    it. repaired are the fixes of the jobspec, changes those of the constraint.
    """
    if state.job.raw is not None:
        return ()
    spelt, relaxed = tuple(meant(state)), tuple(map(_relaxation_fix, changes))
    texts = tuple(corrected(state))
    if state.ask.stale:
        return (*texts, *spelt)[:MOST]
    ways = tuple(ways_out(state, changes))
    legal = state.verdicts is None or state.verdicts.canonical.ok
    no_match = () if _usable_nodes(state) else (*relaxed, *spelt)
    ranked = (*no_match, *ways, *repaired) if legal else (*repaired, *no_match, *ways)
    unique: list[Fix] = []
    for fix in (*texts, *ranked, *closer(state), *spelt, *relaxed):
        if all(fix.words != other.words and fix.edit != other.edit for other in unique):
            unique.append(fix)
    return tuple(unique[:MOST])


def repairs(state: State, *, every: bool = False, of: Problem | None = None) -> Iterator[Fix]:
    """Yield the fixes for a problem of the jobspec, for every problem, or for the first with any.

    Problems of the resource that does not fit come first. There are none while a text cannot be
    read, as they would overwrite it.
    """
    faults = () if unreadable(state) else state.faults
    errors = [fault for fault in faults if fault.severity == "error"][:PROBLEMS]
    if not errors:
        return
    if misfit := _misfit(state):
        errors.sort(key=lambda fault: not (fault.path or "").startswith(misfit))
    from fluxtui.answers.fixes.finder import FixFinder

    finder = FixFinder(state.jobspec())
    for problem in errors if of is None else [of]:
        found = finder.fixes(problem, REPAIRS)
        yield from (Fix(printable(f.label), ReplaceJob(f.document)) for f in found)
        if found and not every:
            return


def _misfit(state: State) -> str:
    """Return the path of the resource that does not fit; empty if all fit or none is named."""
    fit = state.outlook.fit
    reasons = fit.own.reasons if fit is not None and fit.feasible is False else ()
    path = (reasons[0].path if reasons else None) or ""
    return path.removesuffix(".type").removesuffix(".count") if path.startswith("resources") else ""


def unreadable(state: State) -> str:
    """Return the name of the text that cannot be read; empty if all can be."""
    if state.job.raw is not None:
        return state.job.raw.form.upper()
    if not (state.build.blank or state.build.shape.ok):
        return "shape"
    return "constraint" if state.ask.stale else ""


def ways_out(state: State, changes: Sequence["Relaxation"] = ()) -> Iterator[Fix]:
    """Yield the fixes for a job that does not fit or that its queue refuses, best first.

    These are the changes to a constraint that matches no node, else the nearest request that fits,
    then the queues that would run the unchanged job. There are none while the answers are those of
    an earlier job.
    """
    outlook, matching = state.outlook, _usable_nodes(state)
    is_full = outlook.fit is not None and outlook.fit.hopeless
    if outlook.old or outlook.unasked or not (is_full or outlook.admitted is False):
        return
    if is_full and not matching:  # no smaller request would fit either
        yield from map(_relaxation_fix, changes)
    else:
        yield from _smaller_requests(state)
    if outlook.fit is not None and outlook.fit.own.satisfiable_but_unallocatable:
        return  # the same could happen in any queue
    others = (name for name in outlook.admissions if name and name != outlook.queue)
    running = (name for name in others if outlook.runs_in(name) and outlook.rooms.get(name))
    for name in islice(running, QUEUES):
        yield Fix(f"use queue {shorten(printable(name), 24)}", ChooseQueue(name), "fits there")


def _usable_nodes(state: State) -> int | None:
    """Return the mask of the nodes that the job may use."""
    return state.outlook.allowed if state.outlook.own is not None else state.left


def _relaxation_fix(change: "Relaxation") -> Fix:
    """Return a change to the constraint as a fix."""
    label, _, gain = printable(change.sentence).rpartition(": ")
    return Fix(label, EditRequires(change.text), gain)


def _smaller_requests(state: State) -> Iterator[Fix]:
    """Yield fixes that ask for less: the nearest request that fits, within the queue's limits."""
    fit, admission = state.outlook.fit, state.outlook.own
    nearest = fit.own.nearest if fit is not None else None
    change = printable(nearest.change) if nearest is not None else ""
    wanted = list(nearest.resources if nearest is not None else state.build.resources)
    for refusal in admission.refusals if admission is not None else ():
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
    """Yield fixes that put the gpus of each slot near its cores, for a job that fits."""
    outlook = state.outlook
    if outlook.fit is not None and not outlook.old:
        from fluxtui.answers.admission import Refusal, counts, is_counted

        config = state.cluster.config
        counts_jobs = config is not None and is_counted(config)
        for near in outlook.fit.own.closer:
            if counts_jobs and isinstance(counts(parse(near.resources)), Refusal):
                continue  # Flux would refuse it
            yield from _asking(near.resources, printable(near.change), printable(near.effect))


def _asking(resources: Sequence[Mapping[str, Any]], change: str, effect: str = "") -> Iterator[Fix]:
    vertices, problems = from_resources(resources)
    if not any(problem.severity == "error" for problem in problems):
        yield Fix(f"ask for {change}", EditShape(format_shape(vertices)), effect)


def corrected(state: State) -> Iterator[Fix]:
    """Yield fixes that make a shape, and a constraint, that cannot be read readable."""
    has_bad_shape = not (state.build.blank or state.build.shape.ok)
    if not (has_bad_shape or state.ask.stale):
        return
    from fluxtui.answers.fixes.texts import corrected_query, corrected_shape

    if has_bad_shape and (text := corrected_shape(state.build.text)) is not None:
        yield Fix(f"write {shorten(printable(text), WRITTEN)}", EditShape(text))
    if state.ask.stale and (text := corrected_query(state.ask.text)) is not None:
        yield Fix(f"write {shorten(printable(text), WRITTEN)}", EditRequires(text))


def meant(state: State) -> Iterator[Fix]:
    """Yield fixes for the misspelt names of the constraint, in order of the names."""
    ask = state.ask
    for problem in ask.problems:
        if problem.code != MISSPELT or problem.span is None:
            continue
        wrong = ask.text[slice(*problem.span)]
        for name in problem.expected[:MEANT]:
            # Keep the quotes or the colon that the misspelt name has.
            written = json.dumps(name) if wrong[:1] == '"' else name + ":" * wrong.endswith(":")
            text = splice(ask.text, [(problem.span, written)])
            errors = problem.severity == "error"
            if len(read_requires(text).problems) <= len(ask.requires.problems) - errors:
                label = f"write '{printable(name)}' for '{printable(wrong.strip(QUOTES))}'"
                yield Fix(label, EditRequires(text))


@dataclass(eq=False, repr=False)
class Fixes(Controller):
    """Finds the fixes for the current state, and applies them.

    relaxations returns the changes known so far that let the constraint match more nodes: they are
    computed in the background.
    """

    relaxations: "Callable[[State], Sequence[Relaxation]]"
    # The last repairs, after the verdicts and whatever else they depend on.
    _repairs: "tuple[Verdicts | None, tuple[str, ...], tuple[Fix, ...]]" = (None, (), ())

    def find(self, state: State, *, every: bool = False) -> tuple[Fix, ...]:
        """Return the fixes of a state, best first: for its jobspec, its fit and its constraint.

        every searches for fixes of all problems of the jobspec, too slow for each key; otherwise
        a long jobspec gets no fixes of its own.
        """
        if every:
            return in_order(state, tuple(repairs(state, every=True)), self.relaxations(state))
        verdicts, basis, repaired = self._repairs
        # An unreadable text leaves the verdicts as they were, but there are no repairs then.
        current = (state.outlook.domain, unreadable(state), _misfit(state))
        if state.verdicts is not verdicts or basis != current:
            quick = len(state.build.shape.tokens) <= QUICK
            repaired = tuple(repairs(state)) if quick else ()
            self._repairs = state.verdicts, current, repaired
        return in_order(state, repaired, self.relaxations(state))

    def mend(self, problem: Problem | None = None) -> None:
        """Apply the best fix for a problem of the jobspec; without any, the best fix of all."""
        state, notify = self.app.state, self.app.notify
        fix = next(repairs(state, of=problem), None) if problem is not None else None
        if fix is None:
            found, name = self.find(state), unreadable(state)
            if name and not found:
                notify(f"The {name} cannot be read: correct it first.", timeout=4)
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
    """Return fixes as numbered lines; a click on one has its number as ``fix`` in its meta."""
    lines = []
    for number, fix in enumerate(fixes, 1):
        line = Text.assemble((f"  {number} ", style.key), (fix.words, style.match), end="")
        line.stylize(Style.from_meta({"fix": number}))
        lines.append(line)
    return lines


class TakesFixes(Widget):
    """A widget that lists fixes: enter applies the first, a digit or a click any of them."""

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
        """Leave a digit without a fix to other bindings."""
        if action == "take":
            return isinstance(parameters[0], int) and parameters[0] <= len(self.fixes)
        return super().check_action(action, parameters)

    def action_take(self, number: int) -> None:
        """Apply the fix with this number, from 1; ignore a number without a fix."""
        if 0 < number <= len(self.fixes):
            self.app.edit(self.fixes[number - 1].edit)

    def on_click(self, event: events.Click) -> None:
        """Apply the fix under the mouse."""
        self.action_take(event.style.meta.get("fix", 0))


class FitFinder(Controller):
    """Finds in a thread whether the job fits, if that is slow."""

    follows = ("outlook",)

    _is_searching = False

    def ready(self) -> None:
        """Find the fit of the first job."""
        self.changed(self.app.state, self.app.state)

    def changed(self, before: State, after: State) -> None:
        """Start the search for a fit, unless it is running."""
        if after.outlook.due and self.app.is_running and not self._is_searching:
            self._is_searching = True
            start_worker(self.app, FIT, self._find)

    async def _find(self) -> None:
        """Search until the fit of the current job is found.

        The search waits while the user types, as it would slow down the keys.
        """
        try:
            while self.app.state.outlook.due:
                state = self.app.state
                await asyncio.sleep(BETWEEN_KEYS)
                if state.outlook is self.app.state.outlook:
                    found = await run_in_thread(partial(find_outlook, state))
                    self.app.edit(FindRoom(state.outlook, found))
        finally:
            self._is_searching = False
