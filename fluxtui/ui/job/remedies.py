"""What one key does about a job that has no room or is refused: one list, wherever it is told."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from fluxtui import workbench
from fluxtui.notation.problem import printable
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from fluxtui.ui.kit.wording import shorten

if TYPE_CHECKING:
    from fluxtui.answers.explain.relaxations import Relaxation

MOST = 9  # as many as there are digits for them
QUEUES = 4  # that are offered


class Remedy(NamedTuple):
    """One way out: what it is, in a few words, and the edit that it takes."""

    label: str
    edit: workbench.Edit


def remedies(state: workbench.State, changes: Sequence["Relaxation"]) -> tuple[Remedy, ...]:
    """The ways out for a job that its queue refuses or that has no room; none for any other.

    Changes of a constraint that no node meets come first, then the nearest request that fits, and
    the queues that the job runs in as it is. While the answers are those of an earlier job there
    are none.
    """
    outlook = state.outlook
    room = outlook.fit.own if outlook.fit is not None else None
    is_full = room is not None and room.feasible is False
    if outlook.old or outlook.unasked or not (is_full or outlook.admitted is False):
        return ()
    return tuple(islice(_found(state, changes if is_full else ()), MOST))


def changed(change: "Relaxation") -> Remedy:
    """The way out that a change of the constraint is."""
    return Remedy(printable(change.sentence), workbench.EditRequires(change.text))


def _found(state: workbench.State, changes: Sequence["Relaxation"]) -> Iterator[Remedy]:
    outlook = state.outlook
    yield from map(changed, changes)
    nearest = outlook.fit.own.nearest if outlook.fit is not None else None
    if nearest is not None:
        vertices, problems = from_resources(nearest.resources)
        if not any(problem.severity == "error" for problem in problems):
            edit = workbench.EditShape(format_shape(vertices))
            yield Remedy(f"ask for {printable(nearest.change)}", edit)
    others = (name for name in outlook.admissions if name and name != outlook.queue)
    running = (name for name in others if outlook.runs_in(name) and outlook.rooms.get(name))
    for name in islice(running, QUEUES):
        queue = shorten(printable(name), 24)
        yield Remedy(f"take queue {queue}, which has room", workbench.ChooseQueue(name))
