"""The queues: their answers to the job, their nodes on the map, choosing one, and what if."""

from dataclasses import replace

from fluxtui.model import queues as configured
from fluxtui.model.queues import Status
from fluxtui.ui.job.queues import details, queue_lines, what_ifs
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, Cluster, Source, TurnQueue, start, step
from tests.ui.documents import cluster, demo
from tests.ui.helpers import SHAPE, workbench_at
from tests.ui.seen import plain

MASKS = demo().coverage
STYLE = Palette.of({})


def test_the_queue_without_a_name_answers() -> None:
    config = configured.read_config({"policy": {"limits": {"job-size": {"max": {"nnodes": 2}}}}})
    on = Cluster.of(Source("test"), cluster(4).resources, config)
    (line,) = queue_lines(start(on, "node=3/slot/core"), STYLE)
    assert line.plain.startswith("  ✗ (no name)")
    assert "3 nodes, at most 2" in line.plain


def test_a_queue_that_is_closed_may_be_taken_to_be_open() -> None:
    state, config = start(demo(), "node=2/slot/core"), demo().config
    closed = {"debug": Status(enabled=False, disable_reason="maintenance")}
    state = replace(state, submission=replace(state.submission, statuses=closed))
    assert what_ifs(state, config) == {}
    opened = step(state, TurnQueue("debug", "enabled"))
    assert what_ifs(opened, config) == {"debug": "enabled"}
    queue = next(queue for queue in config.queues if queue.name == "debug")
    assert "what if enabled" in details(opened, config, queue, STYLE)[0].plain
    assert what_ifs(step(opened, TurnQueue("debug", "enabled")), config) == {}


async def test_a_queue_that_is_not_there_is_refused_and_can_be_left() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.edit(ChooseQueue("nosuch"))
        assert "✗ refused" in plain(app, "#verdicts")
        assert "queue nosuch (unknown here)" in plain(app, "#title")
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Leave the queue to Flux"].callback()
        assert app.state.submission.queue is None
