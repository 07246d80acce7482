"""The queues: their answers to the job, their nodes on the map, choosing one, and what if."""

import re
from dataclasses import replace

from fluxtui.model import queues as configured
from fluxtui.model.queues import Status
from fluxtui.ui.job.queues import details, queue_lines, what_ifs
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, Cluster, Source, State, TurnQueue, start, step
from tests.ui.documents import cluster, demo
from tests.ui.helpers import SHAPE, workbench_at
from tests.ui.seen import looks_of, plain, row_of

MASKS = demo().coverage
STYLE = Palette.of({})


def rows(state: State) -> dict[str, str]:
    """The row of each queue in the list, by the first word of its name."""
    lines = [line.plain for line in queue_lines(state, STYLE)]
    return {line[4:].split()[0]: line for line in lines if line.strip()}


def known(state: State, name: str) -> str:
    config = state.cluster.config
    queue = next(queue for queue in config.queues if queue.name == name)
    return "\n".join(line.plain for line in details(state, config, queue, STYLE))


def test_every_queue_answers_the_job() -> None:
    state = start(demo(), "node=10/slot/core", "-bigmem")
    found = rows(state)
    assert list(found) == list(MASKS)
    for queue in state.outlook.admissions:
        sign = {True: "✓", False: "✗", None: "?"}[state.outlook.runs_in(queue)]
        assert found[queue][2] == sign
        assert f" {MASKS[queue].bit_count():,} " in found[queue]
        assert f" {(MASKS[queue] & state.ask.mask).bit_count():,} " in found[queue]
    assert "10 nodes, at most 8" in found["debug"]
    assert "no match" in rows(start(demo(), "slot/core", "-bigmem"))["bigmem"]
    assert "default" in rows(start(demo()))["batch"]
    said = "requested nnodes (10) exceeds policy limit of 8 for queue debug"
    assert f"Flux: {said}" in known(state, "debug")
    # Without queues that is said.
    assert "start with -c" in "\n".join(rows(start(cluster(4), SHAPE)).values())
    # The queue without a name answers too.
    config = configured.read_config({"policy": {"limits": {"job-size": {"max": {"nnodes": 2}}}}})
    on = Cluster.of(Source("test"), cluster(4).resources, config)
    (line,) = queue_lines(start(on, "node=3/slot/core"), STYLE)
    assert line.plain.startswith("  ✗ (no name)")
    assert "3 nodes, at most 2" in line.plain


def test_what_if_a_queue_were_otherwise() -> None:
    state, config = start(demo(), "node=2/slot/core"), demo().config
    assert config is not None
    assert not what_ifs(state, config)
    disabled = step(state, TurnQueue("batch", "enabled"))
    assert disabled.outlook.admitted is False
    assert rows(disabled)["batch"][2] == "✗"
    assert "disabled (what if)" in known(disabled, "batch")
    both = step(step(state, TurnQueue("debug", "enabled")), TurnQueue("batch", "started"))
    assert rows(both)["debug"].endswith("  what if disabled")
    assert rows(both)["batch"][2] == "!"
    stopped = {name for name, row in rows(both).items() if "  what if stopped" in row}
    assert stopped == {"batch", "long"}  # whose parent is batch
    back = step(step(both, TurnQueue("debug", "enabled")), TurnQueue("batch", "started"))
    assert "what if" not in "".join(rows(back).values())
    # One that is closed may be taken to be open.
    closed = {"debug": Status(enabled=False, disable_reason="maintenance")}
    state = replace(state, submission=replace(state.submission, statuses=closed))
    assert what_ifs(state, config) == {}
    opened = step(state, TurnQueue("debug", "enabled"))
    assert what_ifs(opened, config) == {"debug": "enabled"}
    assert "what if enabled" in known(opened, "debug")
    assert what_ifs(step(opened, TurnQueue("debug", "enabled")), config) == {}


async def test_the_keys_of_the_list() -> None:
    async with workbench_at() as (app, pilot):
        # Looking at a queue lights its nodes.
        await pilot.afresh(shape=SHAPE, requires="gpu")
        await pilot.press("f5", "down", "down")
        assert app.state.looked_at == "gpu"
        map_ = app.views.map.view
        both = MASKS["gpu"] & (MASKS["batch"] | MASKS["debug"] | MASKS["bigmem"])
        looks = looks_of(map_, 0, app.state.cluster.resources.node_count)
        shared = sum(1 << i for i, look in enumerate(looks) if look.glyph == "◪")
        alone = sum(1 << i for i, look in enumerate(looks) if look.glyph == "■")
        assert (shared, alone) == (both, MASKS["gpu"] & ~both)
        await pilot.press("f5")
        assert app.focused is app.shape_bar.entry
        assert app.state.looked_at is None
        # Choosing one adds its constraint apart, and once more leaves it to Flux.
        await pilot.afresh(shape=SHAPE, requires="-bigmem")
        await pilot.go("queues", "down", "down", "enter")
        own = {"not": [{"properties": ["bigmem"]}]}
        spec = app.state.jobspec()["attributes"]["system"]
        assert (app.state.ask.text, spec["queue"], spec["constraints"]) == ("-bigmem", "gpu", own)
        left = MASKS["gpu"] & app.state.ask.mask
        assert f"{left.bit_count()} in gpu" in plain(app, "#answer")
        assert re.search("queue gpu(?! .default)", row_of(app, "#title"))
        assert plain(app, "#queue-details").startswith("gpu ")
        await pilot.press("enter")
        assert app.state.submission.queue is None
        assert "queue batch (default)" in row_of(app, "#title")
        # What if one is disabled or stopped; taken back that leaves nothing.
        for key, in_line in [("e", "✗ queue batch: disabled"), ("x", "! batch: stopped")]:
            await pilot.afresh(shape="node=2/slot/core")
            await pilot.go("queues")
            before = row_of(app, "#verdicts")
            await pilot.press(key)
            assert in_line in row_of(app, "#verdicts")
            await pilot.press(key)
            assert row_of(app, "#verdicts") == before
        # A queue that is not there is refused and can be left.
        await pilot.afresh(shape=SHAPE)
        await pilot.edit(ChooseQueue("nosuch"))
        assert "✗ refused" in plain(app, "#verdicts")
        assert "queue nosuch (unknown here)" in plain(app, "#title")
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Leave the queue to Flux"].callback()
        assert app.state.submission.queue is None
