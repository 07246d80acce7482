"""The Jobs pane, on a running Flux as it was recorded."""

from dataclasses import replace
from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.answers.listing.jobs import Wanted, listed
from fluxtui.model.live.jobs import Job, in_order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import span
from fluxtui.ui.live.jobs import JobsPane
from fluxtui.ui.live.jobs_rows import UP, Layout, Now, needs
from tests.live.conversation import opened
from tests.ui.helpers import messages, plain, workbench_at


def shown(pane: JobsPane) -> tuple[Job, ...]:
    return pane._listed.jobs


async def test_jobs_are_listed_and_explained_as_the_instance_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = opened(tmp_path, monkeypatch, "simple-owner")
    assert cluster.snapshot is not None
    async with workbench_at((120, 40), notifications=True) as (app, pilot):
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
        assert "running" not in plain(app, "#jobs")
        assert all(job.f58 in plain(app, "#jobs") for job in jobs[:3])
        running = next(n for n, job in enumerate(jobs) if job.state == "RUN")
        pane.view.action_move(running - pane.view.row)
        await pilot.press("enter")
        assert app.state.selected == jobs[running].mask(cluster.resources) != 0
        waiting = next(n for n, job in enumerate(jobs) if job.is_pending)
        pane.view.action_move(waiting - pane.view.row)
        await pilot.until(lambda: "! " in plain(app, "#job-details"))
        assert jobs[waiting].f58 in plain(app, "#job-details")
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
        await pilot.until(lambda: "state run " in plain(app, "#job-filter Trouble"))
        await pilot.press("enter")
        assert all(job.state == "RUN" for job in shown(pane))
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
        await pilot.until(lambda: "No running Flux is followed" in "".join(messages(app)))


@pytest.mark.parametrize("width", [20, 38, 78, 196])
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


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0s"), (59.9, "59s"), (3599, "59m"), (3661, "1h01m"), (90_000, "1d01h"), (1e8, "1157d")],
)
def test_a_span_of_time_takes_six_columns(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_those_that_run_come_first_then_those_that_wait_as_they_are_scheduled() -> None:
    states = ((1, "SCHED", 16, 7), (2, "RUN", 16, 8), (3, "SCHED", 20, 7), (4, "DEPEND", None, 8))
    jobs = {i: Job(i, state, user, priority=p) for i, state, p, user in states}  # type: ignore[arg-type]

    class Of:
        userid = 7

        def __init__(self) -> None:
            self.jobs = in_order(jobs.values())

    assert [job.id for job in listed(Of(), Wanted(everybody=True)).jobs] == [2, 3, 1, 4]  # type: ignore[arg-type]
    assert [job.id for job in listed(Of(), Wanted()).jobs] == [3, 1]  # type: ignore[arg-type]
