"""What will become of the job: which queues take it, and whether there is room for it.

The rules of queues and schedulers are loaded when they are first asked, which is not before a shape
is typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fluxtui.model.ingest import Ingest
from fluxtui.model.queue_status import Status, effective
from fluxtui.model.queues import Config
from fluxtui.model.resource_set import Resources

if TYPE_CHECKING:
    from fluxtui.answers.admission import Admission, Person
    from fluxtui.answers.fit import Fit
    from fluxtui.answers.room_graph import Yard


@dataclass(frozen=True, slots=True)
class Submission:
    """Who submits the job, and to which queue.

    queue     the queue a person chose; None leaves it to Flux, which takes the default one
    person    the user who submits; None where that is not known
    statuses  the status of queues as it was read or set by hand, by name; others are open
    """

    queue: str | None = None
    person: "Person | None" = None
    statuses: Mapping[str, Status] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What will become of the job that is built.

    queue       the queue the job goes to; empty for the anonymous one, and where it goes to none
    asked       the job as it is submitted
    own         the answer of its queue, or of Flux where it goes to none; None where no job is
    admissions  the answer of every queue, in the order of the configuration; of the anonymous one
                where it names none
    statuses    how each queue stands, a virtual one with its parent
    allowed     the nodes that the job's constraints leave, the queue's among them; None where that
                is still to be worked out
    fit         whether there is room for it; None where nothing is asked
    stale       fit is that of an earlier job
    due         the room for it is still to be found, beside the event loop
    """

    queue: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
    own: "Admission | None" = None
    admissions: "tuple[Admission, ...]" = ()
    statuses: Mapping[str, Status] = field(default_factory=dict)
    ingest: Ingest = field(default_factory=Ingest)
    allowed: int | None = None
    fit: "Fit | None" = None
    stale: bool = False
    due: bool = False

    @property
    def jobspec(self) -> Mapping[str, Any]:
        """The job with what its queue adds, or as it is submitted where there is none to add."""
        filled = self.own.filled if self.own is not None else None
        return self.asked if filled is None else filled

    def admission(self, queue: str) -> "Admission | None":
        """The answer of one queue."""
        return next((found for found in self.admissions if found.queue == queue), None)

    @property
    def admitted(self) -> bool | None:
        """The job's queue takes it; where Flux looks for room first, only if it finds some."""
        if self.own is None:
            return None
        if self.own.admitted and self.ingest.feasibility and self.fit is not None:
            return False if self.fit.simple.feasible is False else self.own.admitted
        return self.own.admitted


def idle(config: Config | None, submission: Submission) -> Outlook:
    """The outlook where no job is built: where one would go, and how the queues stand."""
    found = config or Config()
    queue = found.queue(None)
    name = queue.name if queue is not None else ""
    return Outlook(
        submission.queue if submission.queue is not None else name,
        statuses=effective(found, submission.statuses),
        ingest=found.ingest,
    )


def look(
    before: Outlook, jobspec: Mapping[str, Any], config: Config | None, submission: Submission
) -> Outlook:
    """The outlook of a job but for the room: what queues say of it, and how they stand.

    The fit of the outlook before is kept, marked stale.
    """
    from fluxtui.answers import admission

    found = config or Config()
    person, statuses = submission.person, submission.statuses
    own = admission.admit(jobspec, found, user=person, statuses=statuses)
    return replace(
        idle(config, submission),
        queue=own.queue,
        asked=jobspec,
        own=own,
        admissions=admission.matrix(jobspec, found, person, statuses),
        fit=before.fit,
        stale=before.fit is not None,
    )


def prospect(
    jobspec: Mapping[str, Any],
    resources: Resources,
    yard: "Yard",
    config: Config | None,
    submission: Submission,
) -> "tuple[Outlook, Fit]":
    """The whole outlook of a jobspec, without a workbench around it, and the fit in it."""
    from fluxtui.answers.fit import fit

    outlook = look(Outlook(), jobspec, config, submission)
    found = fit(outlook.jobspec, resources, yard)
    return replace(outlook, fit=found), found
