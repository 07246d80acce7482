"""The pane that lists the jobs of a running Flux, and says why the selected one waits."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType

from fluxtui.answers.listing.jobs import (
    FEW,
    HOSTS_NAMED,
    ORDERS,
    Listed,
    Wanted,
    lasts,
    listed,
    where,
)
from fluxtui.notation.duration import describe
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LazyLines, LinesView, OneLine, RowsView, columns_for
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.prompt import Filtered, Prompt
from fluxtui.ui.kit.text import DOT, moment, shorten, styled_line
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import Select, State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.pending import Reason
    from fluxtui.model.live.jobs import Job
    from fluxtui.model.live.snapshot import Snapshot
    from fluxtui.model.resources.resource_set import Resources

GAP = 2
MEASURED = 500  # how many jobs are measured to set the widths of the columns
LONG = 100  # names of jobs are cut to this many characters
UP, DOWN = "▴", "▾"  # after the title of the column that jobs are sorted by

_LOOKS = {"run": "good", "cleanup": "good", "held": "warning"}  # the others wait


class Now(NamedTuple):
    """The time that jobs are shown for, in seconds since the epoch, and the nodes there are."""

    time: float
    resources: "Resources"


class Column(NamedTuple):
    """A column: its text for a job, its smallest and largest width, and how it is drawn."""

    text: "Callable[[Job, Now], str]"
    least: int
    most: int
    role: str = "quiet"
    right: bool = False


#: The columns from left to right.
COLUMNS: Mapping[str, Column] = {
    "job": Column(lambda job, now: job.f58, 14, 14, "plain"),
    "state": Column(lambda job, now: job.status, 8, 8),
    "nodes": Column(lambda job, now: f"{job.nodes:,}" if job.nodes else "", 6, 6, right=True),
    "time": Column(lambda job, now: lasts(job, now.time), 6, 6, right=True),
    "user": Column(lambda job, now: job.user, 6, 12),
    "queue": Column(lambda job, now: job.queue, 6, 12),
    "name": Column(lambda job, now: job.name[:LONG], 8, 24, "plain"),
    "where": Column(lambda job, now: where(job, now.resources, now.time), 12, 48),
}
# The columns by importance: where there is no room for all, the last ones are left out.
_BY_IMPORTANCE = ("job", "state", "nodes", "time", "user", "name", "queue", "where")


def needs(jobs: "Sequence[Job]", now: Now) -> dict[str, int]:
    """Return how wide each column should be for its texts and its title; "where" gets its most."""

    def need(name: str, column: Column) -> int:
        texts = (printable(column.text(job, now)) for job in jobs[:MEASURED])
        return min(max(map(cell_len, texts), default=0), column.most)

    measured = ((name, column) for name, column in COLUMNS.items() if name != "where")
    return {name: max(need(name, column), len(name)) for name, column in measured} | {
        "where": COLUMNS["where"].most
    }


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns that fit, and their widths."""

    widths: Mapping[str, int]

    @classmethod
    def of(cls, needed: Mapping[str, int], room: int, *, users: bool) -> "Layout":
        """Return as many columns as fit into room; the column of users only if users is true."""
        widths, left = dict[str, int](), room + GAP
        for name in _BY_IMPORTANCE:
            width = min(needed[name], COLUMNS[name].least)
            if width + GAP <= left and (users or name != "user"):
                widths[name], left = width, left - width - GAP
        for name in ("name", "queue", "user", "where"):  # which may be cut
            more = min(needed[name] - widths.get(name, needed[name]), left)
            if name in widths:
                widths[name], left = widths[name] + more, left - more
        return cls({name: widths[name] for name in COLUMNS if name in widths})

    def titles(self, wanted: Wanted, style: Palette) -> Text:
        """Return the line of titles; the column that jobs are sorted by shows the direction."""
        line = styled_line(style=style.quiet)
        for name, width in self.widths.items():
            is_sorted, is_right = name == wanted.by, COLUMNS[name].right
            sign = (DOWN if wanted.down else UP) if is_sorted else ""
            title = f"{name:>{width}}{sign}" if is_right else f"{name}{sign}"
            look = style.strong if is_sorted else style.quiet
            line.append(f"{title:<{width + GAP}}", look + Style.from_meta({"sort": name}))
        line.rstrip()
        return line

    def row(self, job: "Job", now: Now, style: Palette) -> Text:
        """Return the line of a job."""
        line = styled_line(style=style.plain)
        for name, width in self.widths.items():
            column = COLUMNS[name]
            text = shorten(printable(column.text(job, now)), width)
            gap = " " * (width - cell_len(text))
            text = gap + text if column.right else text + gap
            role = _LOOKS.get(job.status, "match") if name == "state" else column.role
            line.append(" " * GAP if line else "").append(text, style.role(role))
        return line


def job_lines(
    job: "Job", snapshot: "Snapshot", reasons: "Sequence[Reason]", style: Palette, selected: int = 0
) -> list[Text]:
    """Return the details of a job: what it is, where it runs, or why it waits and what helps.

    selected is a mask of nodes; the lines say if all nodes of the job are among them.
    """
    facts = [job.status, *(printable(word) for word in (job.user, job.queue) if word)]
    facts += [counted(job.nodes, "node")] if job.nodes is not None else []
    facts += [f"for {describe(job.duration)}"] if job.duration else []
    facts += [f"urgency {job.urgency}"] if job.urgency is not None else []
    facts += [f"since {moment(job.since)}"] if job.since is not None else []
    lines = [
        styled_line((f"{job.f58}  ", style.strong), (printable(job.name), style.plain)),
        styled_line((DOT.join(facts), style.quiet)),
    ]
    if mask := job.mask(snapshot.resources):
        hosts = snapshot.resources.hosts_of(mask, limit=HOSTS_NAMED)
        more = f"{DOT}selected" if mask & ~selected == 0 else ""
        lines.append(styled_line((f"on {printable(hosts)}", style.placed), (more, style.quiet)))
    for reason in reasons if job.is_pending else ():
        sign = "  " if reason.kind == "turn" else "! "  # waiting for its turn is normal
        lines.append(styled_line((sign, style.warning), (printable(reason.message), style.plain)))
        if reason.change:
            change = (printable(reason.change), style.strong)
            lines.append(styled_line(("  try ", style.quiet), change))
    return lines


# The pane

FILTER_SHOWN = 24  # columns of the filter in the frame
TICK = 5  # seconds after which times are redrawn

_NO_FLUX = ("No jobs: start with fluxtui -r live", "where a Flux runs, or open a snapshot.")
_HINT = "ids, states (run, pending, held), queues, users, part of a name; -word: not, a|b: either"


class JobList(RowsView):
    """The list of jobs, or a hint if there are none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("jobs.choose", "enter,space", "choose", "Nodes",
             "Select the nodes that the job has, on the map and in the table", footer=True),
    ]  # fmt: skip
    has_jobs = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable choosing while there are no jobs."""
        return action != "choose" or self.has_jobs


class JobsPane(WorkbenchPane, Filtered):
    """Lists the jobs of a running Flux; below, why the selected one waits, or where it runs.

    ask_jobspec asks a running Flux for a jobspec, off the event loop; None if it does not show it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Actions that open a dialog are handled first, so that the next keys go to the dialog.
        bind("jobs.filter", "slash", "filter", "Filter",
             "List only jobs whose id, state, queue, user or name a text fits", footer=True,
             first=True),
        bind("jobs.follow", "f", "follow", "Follow",
             "Show the events and the output of the job as they come, and cancel it", footer=True),
        bind("jobs.act", "a", "act", "Manage",
             "Cancel, hold or release the job, change its urgency, or raise an exception",
             footer=True, first=True),
        bind("jobs.sort", "o", "sort", "Sort",
             "Choose what to sort by; a click on a title does too", footer=True, first=True),
        bind("jobs.turn", "O", "turn", "Reverse", "Reverse the order"),
        bind("jobs.everybody", "m", "everybody", "Mine, all",
             "Show the jobs of all users, or only yours", footer=True),
        bind("jobs.cancel", "k", "act('k')", "Cancel", "Cancel the job, after a question",
             first=True),
        bind("jobs.reopen", "j", "reopen", "As new job",
             "Open the jobspec of the job as a new job"),
        bind("jobs.show_all", "escape", "show_all", ""),
        bind("jobs.rows", "down", "go_to_rows", "", "Keep the filter and go to the rows",
             first=True),
    ]  # fmt: skip

    synonyms = "why pending waits running squeue output log live"
    view: JobList

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.ask_jobspec: Callable[[int], Mapping[str, Any] | None] = lambda id_: None
        self._tasks = LatestTasks(self)
        self.wanted = Wanted()
        self._listed, self._needs = Listed(), dict[str, int]()
        self._reasons: tuple[Reason, ...] = ()  # why the selected job waits
        self._selected: int | None = None  # by id, so that it stays selected as others come and go
        self._columns = Layout({})
        self.titles = OneLine(id="job-titles")
        self.view = JobList(self._choose, lambda row: self._describe(), id="jobs")
        self.details = LinesView(id="job-details", wrap=True, hang=2)
        self.parts = (self.titles, self.view, self.details)

    def on_mount(self) -> None:
        """Keep the times current."""
        self.set_interval(TICK, self._tick)

    def _tick(self) -> None:
        if self.app.is_live() and self.is_in_sight:
            self._draw()

    @property
    def selected(self) -> "Job | None":
        """The selected job."""
        jobs = self._listed.jobs
        return jobs[min(self.view.row, len(jobs) - 1)] if jobs else None

    @property
    def _snapshot(self) -> "Snapshot | None":
        return self.state.cluster.snapshot

    # The list

    def show(self, state: State) -> None:
        """Show the jobs as they are now."""
        before = self.shown
        super().show(state)
        if before is None or before.cluster is not state.cluster:
            self._list()
        elif before is state:
            self._draw()  # in other colours
            self._draw_job()
        elif before.selected != state.selected:
            self._draw_job()

    def want(self, wanted: Wanted) -> None:
        """List the jobs that are wanted, in the order that is wanted."""
        if wanted != self.wanted:
            self.wanted, self.filter_text = wanted, wanted.text
            self._list()

    def _list(self) -> None:
        """List the jobs that are wanted; in a thread if there are many."""
        self._tasks.cancel("jobs")
        snapshot, wanted = self._snapshot, self.wanted
        if snapshot is None or snapshot.jobs is None:
            self._show((Listed(), {}))
            return

        def find() -> tuple[Listed, dict[str, int]]:
            result = listed(snapshot, wanted)
            return result, needs(result.jobs, Now(snapshot.taken, snapshot.resources))

        if len(snapshot.jobs) <= FEW:
            self._show(find())
        else:
            self._tasks.start("jobs", lambda stop: find(), self._show)

    def _show(self, result: tuple[Listed, dict[str, int]]) -> None:
        self._listed, self._needs = result
        row = self.view.row
        if self._selected is not None:
            row = self._listed.rows.get(self._selected, row)
        self._draw()
        if row != self.view.row:
            self.view.go_to(row)
        if (prompt := Prompt.open_in(self)) is not None:
            prompt.look_again()
        self._show_summary()
        self._describe()

    def _draw(self) -> None:
        """Draw the rows; the line of a row is made when it comes into sight."""
        jobs, snapshot = self._listed.jobs, self._snapshot
        self.titles.display = bool(jobs)
        if self.view.has_jobs != bool(jobs):
            self.view.has_jobs = bool(jobs)
            self.refresh_bindings()
        if not jobs or snapshot is None:
            self.view.show_lines(self.hint(*self._hints(snapshot)))
            return
        now = Now(time.time() if self.app.is_live() else snapshot.taken, snapshot.resources)
        room = columns_for(self.view, len(jobs)) or self.size.width
        layout = Layout.of(self._needs, room, users=self.wanted.everybody)
        self._columns, style = layout, self.style
        self.titles.show(layout.titles(self.wanted, style))
        self.view.show_lines(LazyLines(len(jobs), lambda row: layout.row(jobs[row], now, style)))

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self.call_after_refresh(self._draw)

    def _hints(self, snapshot: "Snapshot | None") -> tuple[str, ...]:
        """Return lines that say why there are no jobs to list, and what to do."""
        if snapshot is None:
            return _NO_FLUX
        if snapshot.jobs is None:
            return ("This instance does not show its jobs.",)
        if self.wanted.text.strip():
            return ("No job fits the filter: esc clears it.",)
        if self.wanted.everybody or not snapshot.jobs:
            return ("There is no active job.",)
        lead = "You have" if self.app.is_live() else f"{printable(snapshot.user)} has"
        return (f"{lead} no active job;", "m shows those of all users.")

    def _show_summary(self) -> None:
        """Show in the frame what is listed, by which filter, and in what order."""
        jobs, shown = self._listed, len(self._listed.jobs)
        some = f"{shown:,} of " if shown < jobs.count else ""
        counts = f"{jobs.runs:,} run, {shown - jobs.runs:,} wait" if shown else ""
        words = jobs.words or self.wanted.text.strip()
        words = words if len(words) <= FILTER_SHOWN else self.wanted.text.strip()
        last = shorten(printable(words), FILTER_SHOWN) or counts
        by, down = self.wanted.by, self.wanted.down
        is_usual = by in self._columns.widths or (by == "order" and not down)
        order = "" if is_usual else f"by {by} {DOWN if down else UP}"
        parts = (f"{some}{counted(jobs.count, 'job')}", self._whose, last, order)
        self.say_in_frame(DOT.join(filter(None, parts)) if self._snapshot is not None else "")

    @property
    def _whose(self) -> str:
        """Whose jobs are listed; those of a snapshot may be another person's."""
        snapshot = self._snapshot
        if self.wanted.everybody or snapshot is None or snapshot.userid is None:
            return "all users"
        return "yours" if self.app.is_live() else f"{printable(snapshot.user)}'s"

    # The selected job

    def _describe(self) -> None:
        """Show the selected job, and why it waits once that is known."""
        job, snapshot, before = self.selected, self._snapshot, self._selected
        self.details.display = self._listed.count > 0
        self._selected = job.id if job is not None else None
        is_same = job is not None and job.id == before
        if is_same and "why" in self._tasks.running:
            return  # let the slow search finish; the next snapshot starts another
        self._tasks.cancel("why")
        waits = job is not None and job.is_pending
        self._explain(self._reasons if waits and is_same else ())
        if job is not None and snapshot is not None and waits:
            from fluxtui.answers.feasibility.pending import why

            ask = self.ask_jobspec
            self._tasks.start("why", lambda stop: why(job, snapshot, ask(job.id)), self._explain)

    def _explain(self, reasons: "tuple[Reason, ...]") -> None:
        """Show the selected job with the reasons why it waits."""
        self._reasons = reasons
        self._draw_job()

    def _draw_job(self) -> None:
        job, snapshot, lines = self.selected, self._snapshot, list[Text]()
        if job is not None and snapshot is not None:
            lines = job_lines(job, snapshot, self._reasons, self.style, self.state.selected)
        self.details.show_lines(lines)

    def _choose(self, row: int) -> None:
        """Select the nodes of the job; a job that waits has none yet."""
        job = self.selected
        if job is not None and (mask := job.mask(self.state.cluster.resources)):
            self.app.edit(Select(mask))
        elif job is not None:
            self.notify(f"{job.f58} has no nodes yet", timeout=4)

    def action_follow(self) -> None:
        """Show the events and the output of the selected job."""
        if (job := self.selected) is not None:
            self.app.follow_job(job.id, job.name)

    def action_act(self, key: str = "") -> None:
        """Ask what to do to the selected job on the running Flux; key chooses it directly."""
        if (job := self.selected) is not None:
            self.app.act_on_job(job, key)

    def action_reopen(self) -> None:
        """Open the jobspec of the selected job as a new job."""
        if (job := self.selected) is not None:
            self.app.reopen_job(job)

    # Users, filter and order

    def action_everybody(self) -> None:
        """Switch between the jobs of all users and the user's own."""
        self.want(replace(self.wanted, everybody=not self.wanted.everybody))

    def action_turn(self) -> None:
        """Reverse the order."""
        self.want(self.wanted.sorted_by(self.wanted.by))

    def on_click(self, event: events.Click) -> None:
        """Sort by the title that is clicked."""
        if (name := event.style.meta.get("sort", "")) in ORDERS:
            self.want(self.wanted.sorted_by(name))

    def action_sort(self) -> None:
        """Ask what to sort by."""
        sign = DOWN if self.wanted.down else UP
        items = [
            Item(by, order.title, order.first, lead=sign if by == self.wanted.by else "")
            for by, order in ORDERS.items()
        ]
        at = list(ORDERS).index(self.wanted.by)
        picker = Picker("Sort by", items, enter="sorts; again to reverse", at=at)

        def take(by: str | None) -> None:
            if by is not None:
                self.want(self.wanted.sorted_by(by))

        self.app.push_screen(picker, take)

    def put_filter(self, text: str) -> Problem | None:
        """List only jobs whose id, state, queue, user or name a text fits."""
        self.want(replace(self.wanted, text=text))
        return self._listed.problem

    def filter_note(self, text: str) -> str:
        """Return how the text of the filter was understood, or what may be typed."""
        return printable(self._listed.words) if text.strip() else _HINT

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable all actions without a snapshot, and some while the list has no focus."""
        if action in ("act", "sort") and not self.has_keys(self.view):
            return False
        return self._snapshot is not None and super().check_action(action, parameters)
