"""What is said of the job as it stands: by each rule book, by its queue, and of the room for it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fluxtui.answers.fixes.finder import FixFinder
from fluxtui.answers.fixes.rationale import explain
from fluxtui.model.jobspec import verdicts
from fluxtui.notation.problem import printable
from fluxtui.ui.job.remedies import Remedy
from fluxtui.ui.job.verdicts import Fault, Ruling
from fluxtui.ui.kit.text import line_of
from fluxtui.workbench import Raw, State, unread

ABOUT = {
    "RFC 46": "the shape as a text",
    "RFC 14": "any jobspec",
    "V1": "RFC 25, what most of Flux reads",
    "flux-core": "what flux-core takes at submission",
}

JUDGES = ("RFC 14", "V1", "flux-core")

LAST = "of the last text that could be read"
UNREAD = "not known while the shape cannot be read"


def rulings(state: State, remedies: Sequence[Remedy]) -> tuple[Ruling, ...]:
    """What is wrong with the job, the worst first.

    remedies are the ways out where its queue refuses it or there is no room (`remedies.remedies`).

    While its YAML or JSON cannot be read, that comes first, and all else is marked as being about
    the text before: nothing of it is mended, as that would throw away what is being typed.
    """
    raw = state.job.raw
    found = [*_of_rules(state), *_of_queue(state, tuple(remedies))]
    if raw is not None:
        found = [
            one._replace(
                about=LAST,
                faults=tuple(f._replace(finder=None, remedies=()) for f in one.faults),
                old=True,
            )
            if one.known
            else one
            for one in found
        ]
        found.insert(0, _of_raw(raw))
    return tuple(found)


def _of_raw(raw: Raw) -> Ruling:
    """Why the text that is typed cannot be read."""
    placed = (replace(one, path=f"line {line_of(one, raw.text)}") for one in raw.errors)
    faults = tuple(Fault(problem, "", None) for problem in placed)
    return Ruling(raw.form.upper(), "the text as it is typed", faults)


def _of_rules(state: State) -> Iterator[Ruling]:
    """What is said of the fields, of the shape, and of the jobspec."""
    document = state.jobspec()
    if fields := unread(state):
        faults = tuple(
            Fault(
                replace(one.problem, path=None, message=f"{one.words}: {one.problem.message}"),
                f"Meanwhile the job goes on {one.instead}, as before.",
                None,
            )
            for one in fields
        )
        yield Ruling("Form", "the fields as they are typed", faults)
    wrong = [problem for problem in state.build.syntax if problem.severity == "error"]
    yield Ruling("RFC 46", ABOUT["RFC 46"], tuple(Fault(problem, "", None) for problem in wrong))
    if wrong:  # what was read of the shape is not what is meant, and nobody judges it
        for name in JUDGES:
            yield Ruling(name, UNREAD, (), known=False)
        return
    finder = FixFinder(document)
    for found in state.verdicts or verdicts.verdicts(document):
        because = (Fault(p, explain(p) or "", finder) for p in found.problems)
        yield Ruling(found.name, ABOUT[found.name], tuple(because))


def _of_queue(state: State, remedies: tuple[Remedy, ...]) -> Iterator[Ruling]:
    """What the job's queue says of it, and whether there is room.

    What RFC 14 has said already is not said again.
    """
    outlook = state.outlook
    own, fit = outlook.own, outlook.fit
    if own is None:
        return
    name = f"queue {printable(outlook.queue)}" if outlook.queue else "Flux"
    refusals = [refusal for refusal in own.refusals if refusal.kind != "jobspec"]
    about = "whether it takes the job" if own.schedules else "it is stopped: a job waits there"
    old = outlook.stale or outlook.unasked
    faults = tuple(
        Fault(refusal.problem, _in_words(refusal.words), None, remedies) for refusal in refusals
    )
    yield Ruling(name, "of an earlier job" if old else about, faults, old)
    if fit is not None and fit.feasible is not None:
        short = fit.own.reasons if not fit.feasible else ()
        about = "of an earlier job" if outlook.old else "whether the cluster has what is asked for"
        yield Ruling("room", about, tuple(Fault(p, "", None, remedies) for p in short), outlook.old)


def _in_words(words: str) -> str:
    return f"Flux says: {printable(words)}" if words else ""
