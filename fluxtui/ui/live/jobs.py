"""The jobs of a running Flux: the nodes that they have, and why one of them waits."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import BindingType

from fluxtui.answers.listing.jobs import FEW, ORDERS, Listed, Wanted, listed
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines, OneLine, RowsView, columns_for
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text import DOT, shorten
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.live.jobs_rows import DOWN, UP, Layout, Now, job_lines, needs
from fluxtui.workbench import Edit, Select, State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.pending import Reason
    from fluxtui.model.live.jobs import Job
    from fluxtui.model.live.snapshot import Snapshot

FILTER_SHOWN = 24  # columns
TICK = 5  # seconds after which times are drawn anew

_NO_FLUX = ("No jobs: start with fluxtui -r live", "where a Flux runs, or open a snapshot.")
_HINT = "ids, states (run, pending, held), queues, users, part of a name; -word: not, a|b: either"


class JobList(RowsView):
    """The list of jobs, or a hint where there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("jobs.choose", "enter,space", "choose", "Nodes",
             "Select the nodes that the job has, on the map and in the table", footer=True),
    ]  # fmt: skip
    has_jobs = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is something to choose where there are jobs."""
        return action != "choose" or self.has_jobs


class Titles(OneLine):
    """The titles of the columns; on_click is given the place in the row that is clicked."""

    def __init__(self, on_click: Callable[[int], object]) -> None:
        super().__init__(id="job-titles")
        self._hand_on = on_click

    def on_click(self, event: events.Click) -> None:
        """Hand on where."""
        self._hand_on(event.x)


class JobsPane(Pane):
    """Lists the jobs of a running Flux; below, why the selected one waits, or where it runs.

    edit is given what is selected. follow shows how a job goes on, act asks what to do to it, and
    reopen makes a new job of its jobspec; is_live tells whether the picture is that of now.
    ask_jobspec asks a running Flux for a jobspec, beside the event loop; None where it shows none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("jobs.filter", "slash", "filter", "Filter",
             "List only jobs whose id, state, queue, user or name a text fits", footer=True,
             first=True),
        bind("jobs.follow", "f", "follow", "Follow",
             "Show the events and the output of the job as they come, and cancel it", footer=True),
        bind("jobs.act", "a", "act", "On Flux",
             "Cancel, hold or release the job, change its urgency, or raise an exception",
             footer=True),
        bind("jobs.sort", "o", "sort", "Sort",
             "Choose what to sort by; a click on a title does too", footer=True),
        bind("jobs.turn", "O", "turn", "Reverse", "Reverse the order"),
        bind("jobs.everybody", "m", "everybody", "Mine, all",
             "Show the jobs of all users, or only yours", footer=True),
        bind("jobs.cancel", "k", "act('k')", "Cancel", "Cancel the job, after a question"),
        bind("jobs.reopen", "j", "reopen", "As new job",
             "Open the jobspec of the job as a new job"),
        bind("jobs.show_all", "escape", "show_all", ""),
        bind("jobs.rows", "down", "go_to_rows", "", "Keep the filter and go to the rows",
             first=True),
    ]  # fmt: skip

    synonyms = "why pending waits running squeue output log live"
    _state: State | None = None

    def __init__(
        self,
        edit: Callable[[Edit], None],
        follow: Callable[[int, str], object],
        act: "Callable[[Job, str], object]",
        reopen: "Callable[[Job], object]",
        is_live: Callable[[], bool],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._edit, self._follow, self._act, self._reopen = edit, follow, act, reopen
        self._is_live = is_live
        self.ask_jobspec: Callable[[int], Mapping[str, Any] | None] = lambda id_: None
        self._tasks = LatestTasks(self)
        self.wanted = Wanted()
        self._kept_text = ""  # the filter, once its question is answered
        self._listed, self._needs = Listed(), dict[str, int]()
        self._selected: int | None = None  # its id: it stays selected as others come and go
        self._columns = Layout({})
        self.titles = Titles(self._sort_at)
        self.view = JobList(self._choose, lambda row: self._describe(), id="jobs")
        self.details = LinesView(id="job-details", wrap=True, hang=2)
        self.parts = (self.titles, self.view, self.details)

    def on_mount(self) -> None:
        """Have the times go on."""
        self.set_interval(TICK, self._tick)

    def _tick(self) -> None:
        if self._is_live() and self.is_in_sight:
            self._draw()

    @property
    def selected(self) -> "Job | None":
        """The selected job."""
        jobs = self._listed.jobs
        return jobs[min(self.view.row, len(jobs) - 1)] if jobs else None

    @property
    def _snapshot(self) -> "Snapshot | None":
        return self._state.cluster.snapshot if self._state is not None else None

    # The list

    def show(self, state: State) -> None:
        """Show the jobs as they are now."""
        before, self._state = self._state, state
        if before is None or before.cluster is not state.cluster:
            self._list()
        elif before is state:
            self._draw()  # in other colours

    def want(self, wanted: Wanted) -> None:
        """List the jobs as wanted."""
        if wanted != self.wanted:
            self.wanted = wanted
            self._list()

    def _list(self) -> None:
        """List what is wanted, at once where that is quick."""
        self._tasks.cancel("jobs")
        snapshot, wanted = self._snapshot, self.wanted
        if snapshot is None or snapshot.jobs is None:
            self._show((Listed(), {}))
            return

        def find() -> tuple[Listed, dict[str, int]]:
            found = listed(snapshot, wanted)
            return found, needs(found.jobs, Now(snapshot.taken, snapshot.resources))

        if len(snapshot.jobs) <= FEW:
            self._show(find())
        else:
            self._tasks.start("jobs", lambda stop: find(), self._show)

    def _show(self, found: tuple[Listed, dict[str, int]]) -> None:
        self._listed, self._needs = found
        row = self.view.row
        if self._selected is not None:
            row = self._listed.rows.get(self._selected, row)
        self._draw()
        if row != self.view.row:
            self.view.go_to(row)
        if (prompt := Prompt.open_in(self)) is not None:
            prompt.look_again()
        self._say()
        self._describe()

    def _draw(self) -> None:
        """Draw the rows; each is made when it is seen."""
        jobs, snapshot = self._listed.jobs, self._snapshot
        self.titles.display = bool(jobs)
        if self.view.has_jobs != bool(jobs):
            self.view.has_jobs = bool(jobs)
            self.refresh_bindings()
        if not jobs or snapshot is None:
            self.view.show_lines(self.hint(*self._hints(snapshot)))
            return
        now = Now(time.time() if self._is_live() else snapshot.taken, snapshot.resources)
        room = columns_for(self.view, len(jobs)) or self.size.width
        layout = Layout.of(self._needs, room, users=self.wanted.everybody)
        self._columns, style = layout, self.style
        self.titles.show(layout.titles(self.wanted, style))
        self.view.show_lines(MadeLines(len(jobs), lambda row: layout.row(jobs[row], now, style)))

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self.call_after_refresh(self._draw)

    def _hints(self, snapshot: "Snapshot | None") -> tuple[str, ...]:
        """Why there are no jobs to list, and what to do."""
        if snapshot is None:
            return _NO_FLUX
        if snapshot.jobs is None:
            return ("This instance does not show its jobs.",)
        if self.wanted.text.strip():
            return ("No job fits the filter: esc clears it.",)
        if self.wanted.everybody or not snapshot.jobs:
            return ("There is no active job.",)
        return ("You have no active job;", "m shows those of all users.")

    def _say(self) -> None:
        """Say in the frame what is listed, by which filter, and in what order."""
        found, shown = self._listed, len(self._listed.jobs)
        some = f"{shown:,} of " if shown < found.count else ""
        whose = "all users" if self.wanted.everybody else "yours"
        waits = f"{found.runs:,} run, {shown - found.runs:,} wait" if shown else ""
        typed = found.words if len(found.words) <= FILTER_SHOWN else self.wanted.text.strip()
        last = shorten(printable(typed), FILTER_SHOWN) or waits
        if found.problem is not None:  # of a filter that had a meaning before
            last = printable(found.problem.message)
        order = "" if self.wanted.by in self._columns.widths else self._order_words()
        words = (f"{some}{counted(found.count, 'job')}", whose, last, order)
        self.say_in_frame(DOT.join(filter(None, words)) if self._snapshot is not None else "")

    def _order_words(self) -> str:
        by, down = self.wanted.by, self.wanted.down
        return f"by {by} {DOWN if down else UP}" if by != "order" or down else ""

    # The selected job

    def _describe(self) -> None:
        """Show the selected job, and why it waits once that is found."""
        job, snapshot, before = self.selected, self._snapshot, self._selected
        self.details.display = self._listed.count > 0
        self._selected = job.id if job is not None else None
        is_same = job is not None and job.id == before
        if is_same and "why" in self._tasks.running:
            return  # which takes its time, and is asked again at the next picture
        self._tasks.cancel("why")
        if job is None or snapshot is None:
            self.details.show_lines(())
            return
        from fluxtui.answers.feasibility.pending import why

        def found(reasons: "tuple[Reason, ...]") -> None:
            self.details.show_lines(job_lines(job, snapshot, reasons, self.style))

        if not (job.is_pending and is_same):
            found(())
        if job.is_pending:
            asked = self.ask_jobspec
            self._tasks.start("why", lambda stop: why(job, snapshot, asked(job.id)), found)

    def _choose(self, row: int) -> None:
        """Select the nodes of the job; one that waits has none yet, and changes nothing."""
        job, state = self.selected, self._state
        if job is not None and state is not None and (mask := job.mask(state.cluster.resources)):
            self._edit(Select(mask))

    def action_follow(self) -> None:
        """Show how the selected job goes on."""
        if (job := self.selected) is not None:
            self._follow(job.id, job.name)

    def action_act(self, key: str = "") -> None:
        """Ask what to do to the selected job on the running Flux, or do what a key does."""
        if (job := self.selected) is not None:
            self._act(job, key)

    def action_reopen(self) -> None:
        """Open the jobspec of the selected job as a new job."""
        if (job := self.selected) is not None:
            self._reopen(job)

    # Whose jobs, which of them, in what order

    def action_everybody(self) -> None:
        """Show the jobs of all users, or only those of the person."""
        self.want(replace(self.wanted, everybody=not self.wanted.everybody))

    def action_turn(self) -> None:
        """Reverse the order."""
        self.want(self.wanted.sorted_by(self.wanted.by))

    def _sort_at(self, x: int) -> None:
        name = self._columns.at(x)
        if name is not None and name in ORDERS:
            self.want(self.wanted.sorted_by(name))

    def action_sort(self) -> None:
        """Ask what to sort by."""
        from fluxtui.ui.kit.picker import Item, Picker

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

    async def action_filter(self) -> None:
        """Ask for a text; only jobs that it fits are listed, from its first letter on."""
        prompt = await Prompt.within(self, self._leave_filter, id="job-filter")
        self._kept_text = ""
        prompt.ask("Filter", self.wanted.text, self._keep, self._filter, note=self._note)
        prompt.entry.select_all()

    def _filter(self, text: str) -> Problem | None:
        self.want(replace(self.wanted, text=text))
        return self._listed.problem

    def _note(self, text: str) -> str:
        return printable(self._listed.words) if text.strip() else _HINT

    def _keep(self, text: str) -> None:
        self._kept_text = text

    def _leave_filter(self) -> None:
        self.screen.set_focus(self.view)  # at once, as the next key may already be typed
        self.want(replace(self.wanted, text=self._kept_text))

    def action_go_to_rows(self) -> None:
        """Keep the filter, and go to the rows."""
        if (prompt := Prompt.open_in(self)) is not None:
            self._kept_text = self.wanted.text
            prompt.close()

    def action_show_all(self) -> None:
        """Clear the filter."""
        self.want(replace(self.wanted, text=""))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are for the list, where there is one; escape where there is a filter to clear."""
        if self._snapshot is None:
            return False
        if action == "filter":
            return self.has_keys(self.view)
        if action == "go_to_rows":
            prompt = Prompt.open_in(self)
            return prompt is not None and self.has_keys(prompt.entry)
        return bool(self.wanted.text) if action == "show_all" else True
