"""The Jobs pane, on a running Flux as it was recorded."""

from dataclasses import replace

import pytest
from textual.widgets import Input, Static

from fluxtui import workbench
from fluxtui.answers.listing.jobs import Wanted, listed
from fluxtui.bridge.live.job import EVENTS, Event
from fluxtui.bridge.live.watch import merged
from fluxtui.model.live.jobs import Job, read_all
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.duration import brief
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.workers import run_in_thread
from fluxtui.ui.live.jobs import UP, JobsPane, Layout, Now, needs
from fluxtui.ui.live.log import JobLog, Tail
from tests.each import for_each
from tests.live.conftest import Following, is_asked, told
from tests.live.instance import JOBSPEC
from tests.opened import demo
from tests.ui.helpers import Hands
from tests.ui.seen import plain


def shown(pane: JobsPane) -> tuple[Job, ...]:
    return pane._listed.jobs


async def test_jobs_are_listed_and_explained_as_the_instance_goes_on(following: Following) -> None:
    async with following("simple-owner") as (app, pilot):
        cluster = app.state.cluster
        app.edit(workbench.OpenCluster(demo()))
        app.go_to("jobs")
        await pilot.until(lambda: "fluxtui -r live" in plain(app, "#jobs"))
        # The picture alone, so that nothing goes on but what is told here.
        site = replace(cluster, source=workbench.Source("site.json", "site.json"))
        app.edit(workbench.OpenCluster(site))
        await pilot.settle()
        pane, jobs = app.pane(JobsPane), listed(cluster.snapshot, Wanted(everybody=True)).jobs
        assert len(jobs) > 3
        assert [job.id for job in jobs] == [
            job.id for job in listed(cluster.snapshot, Wanted()).jobs
        ]
        assert "fluxtui -r live" not in plain(app, "#jobs")
        assert all(job.f58 in plain(app, "#jobs") for job in jobs[:3])
        running = next(n for n, job in enumerate(jobs) if job.state == "RUN")
        pane.view.action_move(running - pane.view.row)
        await pilot.press("enter")
        assert app.state.selected == jobs[running].mask(cluster.resources) != 0
        assert " · selected" in plain(app, "#job-details")
        waiting = next(n for n, job in enumerate(jobs) if job.is_pending)
        pane.view.action_move(waiting - pane.view.row)
        await pilot.until(lambda: "! " in plain(app, "#job-details"))
        assert jobs[waiting].f58 in plain(app, "#job-details")
        await pilot.press("enter")
        assert f"{jobs[waiting].f58} has no nodes yet" in told(app)
        # Where the jobspec of one is shown, what that asks for counts.
        node = {"type": "node", "count": 1, "with": [{"type": "core", "count": 1}]}
        system = {"constraints": {"properties": ["none-such"]}}
        jobspec = {"resources": [node], "attributes": {"system": system}}
        pane.ask_jobspec = lambda id_: jobspec
        free = next(
            n for n, job in enumerate(jobs) if (job.status, job.queue) == ("sched", "batch")
        )
        pane.view.action_move(free - pane.view.row)
        await pilot.done()
        assert "it can never start" in plain(app, "#job-details")
        pane.view.action_move(waiting - pane.view.row)
        # One that runs has ended: the one that is selected stays so.
        left = {id_: job for id_, job in cluster.snapshot.jobs.items() if id_ != jobs[0].id}
        at = app.state.cluster
        later = at.at(replace(cluster.snapshot, jobs=left))
        app.edit(workbench.RefreshCluster(at, later))
        await pilot.settle()
        assert pane.selected == jobs[waiting]
        assert pane.view.row == waiting - 1
        # A filter leaves some, and escape lists all again; a title sorts.
        await pilot.press("slash", *"state:run")
        await pilot.until(lambda: "state run " in plain(app, "#jobs-filter Trouble"))
        await pilot.press("enter")
        assert {job.state for job in shown(pane)} == {"RUN"}
        await pilot.press("escape")
        await pilot.until(lambda: len(shown(pane)) == len(left))
        # One that no job fits says so, and how to go on.
        await pilot.do("slash", *"no-such", "down")
        assert plain(app, "#jobs").strip() == "No job fits the filter: esc clears it."
        assert pane.border_subtitle == f"0 of {len(left)} jobs · root's · no-such"
        await pilot.press("escape")
        await pilot.until(lambda: len(shown(pane)) == len(left))
        assert await pilot.click("#job-titles", offset=(1, 0))
        await pilot.until(lambda: f"job{UP}" in plain(app, "#job-titles"))
        await pilot.press("O")
        assert [job.id for job in shown(pane)] == sorted(left, reverse=True)
        await pilot.press("m")
        await pilot.until(lambda: "user" in plain(app, "#job-titles"))
        # Nothing is done to a job of a picture.
        await pilot.press("a")
        await pilot.until(lambda: "No running Flux is followed" in told(app))


@for_each("width", [20, 38, 78, 196])
def test_columns_take_the_room_there_is(width: int) -> None:
    wide = Job(1, "SCHED", 7, "漢字 [b]\x1b" * 20, "q" * 30, nodes=12_000, user="u" * 30, urgency=0)
    now = Now(0.0, Resources())
    layout = Layout.of(needs([wide], now), width, users=True)
    row = layout.row(wide, now, Palette())
    assert row.cell_len <= width
    assert layout.titles(Wanted(by="nodes"), Palette()).cell_len <= width + 1
    assert row.plain.startswith(wide.f58)
    assert "\x1b" not in row.plain
    assert ("…" in row.plain) is (width > 20)
    assert ("where" in layout.widths) is (width > 38)


@for_each("seconds, words", [
    (0, "0s"), (59.9, "59s"), (3599, "59m"), (3661, "1h01m"), (90_000, "1d01h"), (1e8, "1157d"),
])  # fmt: skip
def test_a_span_of_time_takes_six_columns(seconds: float, words: str) -> None:
    assert brief(seconds) == words


def command(app: FluxTUI) -> str:
    return app.screen.query_one("#confirm-command", Static).render().plain  # type: ignore[union-attr]


async def held(app: FluxTUI, pilot: Hands) -> JobsPane:
    """The Jobs pane with the job that is held."""
    app.go_to("jobs")
    pane = app.pane(JobsPane)
    pane.want(Wanted(everybody=True, text="held"))
    await pilot.until(lambda: len(shown(pane)) == 1)
    return pane


async def test_a_job_is_released_given_an_exception_and_opened_as_a_new_one(
    following: Following,
) -> None:
    async with following("simple-owner", "slot/core=7") as (app, pilot):
        pane = await held(app, pilot)
        f58 = shown(pane)[0].f58
        await pilot.press("a", "r")
        await pilot.until(lambda: is_asked(app))
        assert f"flux job urgency '{f58}' default" in command(app)
        await pilot.press("enter")
        await pilot.until(lambda: f"{f58} is released" in told(app) and not is_asked(app))
        await pilot.press("a", "x")
        await pilot.until(lambda: is_asked(app))
        await pilot.press("enter")
        await pilot.settle()
        assert is_asked(app)  # as it says what is missing
        app.screen.query_one(Input).value = "timeout 2 slow"
        await pilot.until(lambda: f"--type=timeout '{f58}' slow" in command(app))
        await pilot.press("enter")
        await pilot.until(lambda: "told of the exception" in told(app) and not is_asked(app))
        await pilot.press("j")
        await pilot.until(lambda: "jobspec of " + f58 in told(app))
        assert app.state.build.text == "node{x}/slot{task}/core"
        assert app.state.submission.queue == "batch"
        assert "jobspec of " + f58 in told(app)
        app.authoring.undo()
        assert app.state.build.text == "slot/core=7"
        app.go_to("queues")
        await pilot.press("down", "j")
        await pilot.until(lambda: {job.queue for job in shown(pane)} == {"debug"})
        assert app.focused_pane is pane


async def test_a_guest_hears_what_they_lack_and_sees_the_state_of_a_job(
    following: Following,
) -> None:
    async with following("fluxion-guest") as (app, pilot):
        app.acting.ask("debug")
        await pilot.press("d")
        await pilot.settle()
        assert not is_asked(app)
        said = told(app) + "\n".join(map(str, app.screen._items))  # type: ignore[attr-defined]
        assert "only the owner of the instance may" in said
        await pilot.press("escape")
        await held(app, pilot)
        for key in "kj":
            await pilot.press(key)
            await pilot.until(lambda: "only its user and the owner" in told(app))
            app.messages.clear()
            await pilot.until(lambda: not told(app))
        await pilot.press("f")
        await pilot.until(lambda: isinstance(app.screen, JobLog) and app.screen.is_mounted)
        await pilot.until(lambda: "! it is held" in plain(app, "#job-now"))
        log = app.screen.query_one(Tail)
        await pilot.until(lambda: len(log.lines) >= 2)
        assert "this is its state" in log.lines[0].plain
        assert log.lines[1].plain.endswith("held")


async def test_a_log_is_one_stream_for_all_who_follow_it(
    following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following("submit-owner") as (app, pilot):
        connection = app.live.connection
        assert connection is not None
        id_ = await run_in_thread(lambda: connection.submit(JOBSPEC).value)
        asked, follow = [], connection.follow
        monkeypatch.setattr(connection, "follow", lambda *a: (asked.append(a), follow(*a))[1])
        heard: list[list[Event] | None] = [[], []]
        for mine in heard:
            leave = app.live.follow_log(id_, EVENTS, lambda told, mine=mine: mine.append(told))
        await pilot.until(lambda: heard[0][-1:] == [None])
        assert heard[0] == heard[1] != []
        assert len(asked) == 1
        leave()


@for_each("changed, left", [
    ([], {1: 8, 2: 16}),
    ([{"id": 1, "state": 16}], {1: 16, 2: 16}),
    ([{"id": 2, "state": 64}, {"id": 3, "state": 8}], {1: 8, 3: 8}),
    ([{"id": 9, "state": 64}], {1: 8, 2: 16}),
])  # fmt: skip
def test_jobs_that_changed_take_the_place_of_what_was_known(
    changed: list[dict[str, int]], left: dict[int, int]
) -> None:
    jobs = [{"id": 1, "state": 8}, {"id": 2, "state": 16}]
    assert {one["id"]: one["state"] for one in merged(jobs, changed)} == left


def test_what_has_not_changed_is_not_read_again() -> None:
    entries = [{"id": 1, "state": 8}, {"id": 2, "state": 16, "userid": 7}]
    first = read_all(entries, {"7": "ada"}, {})
    again = read_all([dict(entries[1]), {"id": 1, "state": 16}], {"7": "ada"}, first)
    assert again[2] is first[2]
    assert (first[2].user, again[1].state) == ("ada", "RUN")
