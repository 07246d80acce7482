"""The jobs of a running Flux: the nodes that they have, and why one of them waits."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import BindingType

from fluxtui.notation.duration import describe
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import styled_line
from fluxtui.ui.kit.wording import DOT, fitted, moment
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import Edit, Select, State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.pending import Reason
    from fluxtui.model.live.jobs import Job
    from fluxtui.model.live.snapshot import Snapshot

NAME_LIMIT, QUEUE_LIMIT = 18, 10  # columns
MEASURED = 100  # jobs whose names and queues say how wide the columns are
HOSTS_NAMED = 5

_LOOKS = {"RUN": "good", "CLEANUP": "good", "INACTIVE": "faint"}  # the others wait
_NO_FLUX = ("No jobs: start with fluxtui -r live", "where a Flux runs, or open a snapshot.")


def jobs_of(snapshot: "Snapshot | None", *, everybody: bool) -> "tuple[Job, ...]":
    """The jobs of the person who asks, or of all users; of all where it is not known who asks."""
    if snapshot is None or snapshot.jobs is None:
        return ()
    mine = snapshot.userid
    jobs = snapshot.jobs.values()
    return tuple(job for job in jobs if everybody or mine is None or job.userid == mine)


def job_rows(jobs: "Sequence[Job]", style: Palette) -> Sequence[Text]:
    """A row for each job, made when it is seen: id, state, nodes, name, queue, and where it is."""
    some = jobs[:MEASURED]
    name = min(max((cell_len(printable(job.name)) for job in some), default=0), NAME_LIMIT)
    queue = min(max((cell_len(printable(job.queue)) for job in some), default=0), QUEUE_LIMIT)
    id_ = max((len(job.f58) for job in some), default=0)

    def row(number: int) -> Text:
        job = jobs[number]
        return styled_line(
            (f"{job.f58:<{id_}} ", style.plain),
            (f"{job.state.lower():<8} ", style.role(_LOOKS.get(job.state, "match"))),
            (f"{job.nodes if job.nodes is not None else '':>5} ", style.quiet),
            (f"{fitted(printable(job.name), name)}  ", style.plain),
            (f"{fitted(printable(job.queue), queue)}  " if queue else "", style.quiet),
            (printable(job.ranks or ", ".join(job.dependencies)), style.quiet),
            style=style.plain,
        )

    return MadeLines(len(jobs), row)


def job_lines(
    job: "Job", snapshot: "Snapshot", reasons: "Sequence[Reason]", style: Palette
) -> list[Text]:
    """What is known of one job: what it is, where it runs, or why it waits and what would help."""
    facts = [job.state.lower()]
    facts += [counted(job.nodes, "node")] if job.nodes is not None else []
    facts += [f"for {describe(job.duration)}"] if job.duration else []
    facts += [f"urgency {job.urgency}"] if job.urgency is not None else []
    facts += [f"since {moment(at)}"] if (at := job.started or job.submitted) is not None else []
    lines = [
        styled_line((f"{job.f58}  ", style.strong), (printable(job.name), style.plain)),
        styled_line((DOT.join(facts), style.quiet)),
    ]
    if mask := job.mask(snapshot.resources):
        hosts = snapshot.resources.hosts_of(mask, limit=HOSTS_NAMED)
        lines.append(styled_line((f"on {printable(hosts)}", style.placed)))
    for reason in reasons if job.is_pending else ():
        lines.append(styled_line(("! ", style.warning), (printable(reason.message), style.plain)))
        if reason.change:
            change = (printable(reason.change), style.strong)
            lines.append(styled_line(("  try ", style.quiet), change))
    return lines


class JobList(RowsView):
    """The list of jobs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("jobs.choose", "enter,space", "choose", "Nodes",
             "Select the nodes that the job has, on the map and in the table", footer=True),
    ]  # fmt: skip


class JobsPane(Pane):
    """Lists the jobs of a running Flux; below, why the selected one waits, or where it runs.

    edit is given what is selected; follow shows how a job goes on, by its id and its name.
    """

    title = "Jobs"

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("jobs.everybody", "m", "everybody", "Mine, all",
             "Show the jobs of all users, or only yours", footer=True),
        bind("jobs.follow", "f", "follow", "Follow",
             "Show the events and the output of the job as they come, and cancel it", footer=True),
    ]  # fmt: skip

    _state: State | None = None
    _everybody = False

    def __init__(
        self, edit: Callable[[Edit], None], follow: Callable[[int, str], object], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._edit, self._follow = edit, follow
        self._tasks = LatestTasks(self)
        self._jobs: tuple[Job, ...] = ()
        self._selected: int | None = None  # its id: it stays selected as others come and go
        self.view = JobList(self._choose, self._move, id="jobs")
        self.details = LinesView(id="job-details", wrap=True)
        self.parts = (self.view, self.details)

    @property
    def selected(self) -> "Job | None":
        """The selected job."""
        return self._jobs[min(self.view.row, len(self._jobs) - 1)] if self._jobs else None

    def show(self, state: State) -> None:
        """Show the jobs as they are now."""
        before, self._state = self._state, state
        if before is None or before.cluster is not state.cluster or before is state:
            self._list()

    def _list(self) -> None:
        snapshot = self._state.cluster.snapshot if self._state is not None else None
        self._jobs = jobs_of(snapshot, everybody=self._everybody)
        rows = job_rows(self._jobs, self.style) if self._jobs else self.hint(*self._hints(snapshot))
        places = {job.id: row for row, job in enumerate(self._jobs)}
        self.view.show_lines(rows)
        if (row := places.get(self._selected or 0, self.view.row)) != self.view.row:
            self.view.go_to(row)
        whose = "all users" if self._everybody else "yours"
        self.say_in_frame(f"{counted(len(self._jobs), 'job')}{DOT}{whose}" if snapshot else "")
        self._describe()

    def _hints(self, snapshot: "Snapshot | None") -> tuple[str, ...]:
        """Why there are no jobs to list, and what to do."""
        if snapshot is None:
            return _NO_FLUX
        if snapshot.jobs is None:
            return ("This instance does not show its jobs.",)
        whose = "" if self._everybody else " of yours: m shows those of all"
        return (f"There is no active job{whose}.",)

    def _describe(self) -> None:
        """Show the selected job, and why it waits once that is found."""
        job, snapshot = self.selected, self._state.cluster.snapshot if self._state else None
        self.details.display = job is not None
        self._selected = job.id if job is not None else None
        if job is None or snapshot is None:
            return
        from fluxtui.answers.feasibility.pending import why

        def found(reasons: "tuple[Reason, ...]") -> None:
            self.details.show_lines(job_lines(job, snapshot, reasons, self.style))

        if job.is_pending:
            self._tasks.start("why", lambda stop: why(job, snapshot), found)
        else:
            self._tasks.cancel_all()
            found(())

    def _move(self, row: int) -> None:
        self._describe()

    def _choose(self, row: int) -> None:
        """Select the nodes of the job; one that waits has none yet, and changes nothing."""
        job, state = self.selected, self._state
        if job is not None and state is not None and (mask := job.mask(state.cluster.resources)):
            self._edit(Select(mask))

    def action_everybody(self) -> None:
        """Show the jobs of all users, or only those of the person."""
        self._everybody = not self._everybody
        self._list()

    def action_follow(self) -> None:
        """Show how the selected job goes on."""
        if (job := self.selected) is not None:
            self._follow(job.id, job.name)
