"""The Jobs pane, on a running Flux as it was recorded."""

from dataclasses import replace
from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.model.live.jobs import Job, in_order
from fluxtui.ui.live.jobs import JobsPane, jobs_of
from tests.live.conversation import opened
from tests.ui.helpers import plain, workbench_at


async def test_jobs_are_listed_and_explained_as_the_instance_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = opened(tmp_path, monkeypatch, "simple-owner")
    assert cluster.snapshot is not None
    async with workbench_at((120, 40)) as (app, pilot):
        app.go_to("jobs")
        await pilot.until(lambda: "fluxtui -r live" in plain(app, "#jobs"))
        # The picture alone, so that nothing goes on but what is told here.
        site = replace(cluster, source=workbench.Source("site.json", "site.json"))
        app.edit(workbench.OpenCluster(site))
        await pilot.settle()
        pane, jobs = app.pane(JobsPane), jobs_of(cluster.snapshot, everybody=True)
        assert len(jobs) > 3
        assert [job.id for job in jobs] == [
            job.id for job in jobs_of(cluster.snapshot, everybody=False)
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


def test_those_that_run_come_first_then_those_that_wait_as_they_are_scheduled() -> None:
    states = ((1, "SCHED", 16, 7), (2, "RUN", 16, 8), (3, "SCHED", 20, 7), (4, "DEPEND", None, 8))
    jobs = {i: Job(i, state, user, priority=p) for i, state, p, user in states}  # type: ignore[arg-type]

    class Of:
        userid = 7

        def __init__(self) -> None:
            self.jobs = in_order(jobs.values())

    assert [job.id for job in jobs_of(Of(), everybody=True)] == [2, 3, 1, 4]  # type: ignore[arg-type]
    assert [job.id for job in jobs_of(Of(), everybody=False)] == [3, 1]  # type: ignore[arg-type]
    assert jobs_of(None, everybody=True) == ()
