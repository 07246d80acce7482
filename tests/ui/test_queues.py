"""The queues: their answers to the job, their nodes on the map, choosing one, and what if."""

import time
from dataclasses import replace

from fluxtui.model import queues
from fluxtui.model.queues import Status
from fluxtui.notation.problem import printable
from fluxtui.ui.job import queues as queue_words
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, Cluster, Source, TurnQueue, start, step
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    cluster,
    demo,
    looks_of,
    plain,
    row_of,
    screen_text,
    workbench_at,
)

MASKS = demo().coverage


def lines(text: str) -> dict[str, str]:
    """The row of each queue in the list."""
    return {line[4:].split()[0]: line for line in text.splitlines() if line.strip()}


async def test_queues_answer_the_job() -> None:
    async with workbench_at(shape="node=10/slot/core") as (app, pilot):
        # Every queue answers the job.
        app.go_to("queues")
        await pilot.settle()
        rows = lines(plain(app, "#queues"))
        assert list(rows) == list(MASKS)
        for queue in app.state.outlook.admissions:
            sign = {True: "✓", False: "✗", None: "?"}[app.state.outlook.runs_in(queue)]
            assert sign in rows[queue]
            assert f"{MASKS[queue].bit_count():,}" in rows[queue]
        assert "✗" in rows["debug"]  # at most 8 nodes
        assert "8" in rows["debug"]
        assert "✓" in rows["batch"]
        # A refusal is told in the words of flux beside ours.
        await pilot.afresh(shape="node=10/slot/core", size=WIDE)
        app.go_to("queues")
        await pilot.settle()
        await pilot.press("down")
        answer = app.state.outlook.admission("debug")
        assert answer is not None
        assert answer.refusals[0].words in plain(app, "#queue-details").replace("\n", " ")
        assert answer.refusals[0].words == (
            "requested nnodes (10) exceeds policy limit of 8 for queue debug"
        )
        # Looking at a queue lights its nodes.
        await pilot.afresh(shape=SHAPE, requires="gpu", size=NORMAL)
        await pilot.press("f5", "down", "down")
        assert app.state.looked_at == "gpu"
        map_ = app.views.map.view
        assert map_.mask == MASKS["gpu"]
        both = MASKS["gpu"] & (MASKS["batch"] | MASKS["debug"] | MASKS["bigmem"])
        looks = looks_of(map_, 0, app.state.cluster.resources.node_count)
        shared = sum(1 << i for i, look in enumerate(looks) if look.glyph == "◪")
        alone = sum(1 << i for i, look in enumerate(looks) if look.glyph == "■")
        assert shared == both
        assert alone == MASKS["gpu"] & ~both
        assert "in gpu" in str(app.views.active.border_subtitle)
        app.shape_bar.entry.focus()
        await pilot.settle()
        assert app.state.looked_at is None
        assert "match" in str(app.views.active.border_subtitle)
        # Choosing a queue adds its constraint apart.
        await pilot.afresh(shape=SHAPE, requires="-bigmem")
        app.go_to("queues")
        await pilot.settle()
        await pilot.press("down", "down", "enter")
        assert app.state.submission.queue == "gpu"
        assert app.state.ask.text == "-bigmem"
        spec = app.state.jobspec()
        assert spec["attributes"]["system"]["queue"] == "gpu"
        own = {"not": [{"properties": ["bigmem"]}]}
        assert spec["attributes"]["system"]["constraints"] == own
        stored = app.state.outlook.own
        assert stored is not None
        assert stored.stored is not None
        assert stored.stored["attributes"]["system"]["constraints"] == {
            "and": [own, {"properties": ["gpu"]}]
        }
        left = MASKS["gpu"] & app.state.ask.mask
        assert app.state.outlook.allowed == left
        assert f"{left.bit_count()} in gpu" in plain(app, "#answer")
        assert "queue gpu" in row_of(app, "#title")
        assert "(default)" not in row_of(app, "#title")
        await pilot.press("enter")
        assert app.state.submission.queue is None
        assert "queue batch (default)" in row_of(app, "#title")
        # The reading shows the queue apart.
        await pilot.afresh(requires="gpu|debug", size=WIDE)
        app.go_to("queues")
        await pilot.settle()
        await pilot.press("down", "enter")
        text = plain(app, "#constraint-tree").splitlines()
        assert text[-2].split()[1:] == [str(MASKS["debug"].bit_count()), "in", "queue", "debug"]
        assert text[-1].split()[-1] == "both"
        # F5 goes to the queues and back.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        await pilot.press("f5", "e")
        assert app.state.build.text == SHAPE
        assert app.state.outlook.admitted is False
        await pilot.press("f5")
        assert app.focused is app.shape_bar.entry
        assert not app.panes["queues"].display


async def test_what_if_a_queue_were_otherwise() -> None:
    async with workbench_at(shape="node=2/slot/core") as (app, pilot):
        # What if a queue is disabled or stopped.
        app.go_to("queues")
        await pilot.settle()
        await pilot.press("e")
        own = app.state.outlook.own
        assert own is not None
        assert own.queue == "batch"
        assert own.admitted is False
        assert "✗" in lines(plain(app, "#queues"))["batch"]
        assert "disabled (what if)" in plain(app, "#queue-details")
        assert "refuses it" in plain(app, "#fit")
        await pilot.press("e", "x")
        own = app.state.outlook.own
        assert own is not None
        assert own.admitted
        assert not own.schedules
        assert "does not schedule" in plain(app, "#fit").replace("\n", " ")
        rows = lines(plain(app, "#queues"))
        assert "! batch" in rows["batch"]
        assert "stopped" in rows["batch"]
        assert "batch !" in plain(app, "#verdicts")
        child = app.state.outlook.statuses["long"]
        assert (child.started, child.blocked) == (False, "parent")
        await pilot.press("x")
        assert app.state.outlook.statuses["long"].started
        # A what if is told from the truth.
        await pilot.afresh(shape="node=2/slot/core")
        app.go_to("queues")
        await pilot.settle()
        assert "what if" not in plain(app, "#queues")
        await pilot.press("down", "e", "up", "x", "down", "down")  # away from both
        rows = lines(plain(app, "#queues"))
        assert rows["debug"].endswith("  what if disabled")
        assert "  what if stopped" in rows["batch"]
        assert "  what if stopped" in rows["long"]  # it stands on batch
        assert "what if" not in rows["gpu"] + rows["bigmem"]
        await pilot.press("up", "e", "up", "x")
        assert "what if" not in plain(app, "#queues")
        # A what if taken back leaves the verdicts.
        for key in ["e", "x"]:
            await pilot.afresh(shape="node=2/slot/core")
            app.go_to("queues")
            await pilot.settle()
            before = row_of(app, "#verdicts")
            await pilot.press(key)
            assert "what if" in row_of(app, "#verdicts")
            await pilot.press(key)
            assert row_of(app, "#verdicts") == before


def test_what_if_a_queue_that_is_closed_were_open() -> None:
    state, config = start(demo()), demo().config
    assert config is not None
    closed = {"debug": Status(enabled=False, disable_reason="maintenance")}
    state = replace(state, submission=replace(state.submission, statuses=closed))
    assert queue_words.what_ifs(state, config) == {}
    state = step(state, TurnQueue("debug", "enabled"))
    assert queue_words.what_ifs(state, config) == {"debug": "enabled"}
    debug = next(queue for queue in config.queues if queue.name == "debug")
    said = queue_words.details(state, config, debug, Palette.of({}))
    assert "what if enabled" in said[0].plain
    state = step(state, TurnQueue("debug", "enabled"))
    assert queue_words.what_ifs(state, config) == {}


async def test_what_flux_will_store() -> None:
    async with workbench_at(shape="node=2/slot/core") as (app, pilot):
        # The text shows what flux will store.
        await pilot.press("f4", "f4")
        assert app.panes["text"].form == "stored"
        marked = [line for line in plain(app, "#jobspec-text").splitlines() if line[:1] in "+-"]
        assert any(line.split() == ["+", "queue:", "batch"] for line in marked)
        assert any("3600" in line for line in marked)
        assert app.panes["text"].written == "yaml"
        await pilot.press("f4")
        assert app.panes["text"].form == "flux"
        # A refused job is not stored.
        await pilot.afresh(shape="node=180/slot/core")
        await pilot.press("f4", "f4")
        assert "refuses" in plain(app, "#jobspec-text")
        assert "exceeds policy limit" in plain(app, "#jobspec-text")
        # Without queues the pane says so.
        await pilot.afresh(shape=SHAPE, on=cluster(4), size=WIDE)
        assert "start with -c" in plain(app, "#queues")
        assert app.state.outlook.own is not None
        assert app.state.outlook.own.admitted
        # A queue that is not there is refused and can be left.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        app.edit(ChooseQueue("nosuch"))
        await pilot.settle()
        assert "nosuch ✗" in plain(app, "#verdicts")
        assert "queue nosuch (unknown here)" in plain(app, "#title")
        assert "refuses it" in plain(app, "#fit")
        assert "fits" not in plain(app, "#verdicts")
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Leave the queue to Flux"].callback()
        assert app.state.submission.queue is None
        # The details are those of the queue the job goes to.
        await pilot.afresh(shape=SHAPE, size=WIDE)
        app.edit(ChooseQueue("gpu"))
        await pilot.settle()
        assert plain(app, "#queue-details").startswith("gpu ")
        # A line that is cut says so.
        await pilot.afresh(shape="node=10/slot/core", size=NARROW)
        app.go_to("queues")
        await pilot.settle()
        app.panes["queues"].view.styles.width = 20
        await pilot.settle()
        rows = [app.panes["queues"].view.render_line(y).text for y in range(5)]
        assert all(row.rstrip().endswith("…") for row in rows)


async def test_queues_of_other_clusters() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # Names of queues are shown literally.
        for name in ["[red]x[/]\x1b[31m", "x[@y=", "[/", "[a=b", "[link=", "[@click=app.quit]q[/]"]:
            config = queues.read_config(
                {
                    "queues": {name: {"requires": ["a"]}},
                    "policy": {"jobspec": {"defaults": {"system": {"queue": name}}}},
                }
            )
            on = Cluster.of(Source("test"), cluster(4).resources, config)
            await pilot.afresh(shape=SHAPE, requires="a", on=on)
            app.go_to("queues")
            await pilot.settle()
            await pilot.press("enter")
            text = screen_text(app)
            assert "\x1b" not in text
            assert name[:6] in text
            assert f"■ in {printable(name)[:16]}" in text  # the legend of the map
        # The queue without a name answers too.
        config = queues.read_config({"policy": {"limits": {"job-size": {"max": {"nnodes": 2}}}}})
        on = Cluster.of(Source("test"), cluster(4).resources, config)
        await pilot.afresh(shape="node=3/slot/core", on=on)
        assert "Flux ✗" in plain(app, "#verdicts")
        assert "3 nodes, at most 2" in plain(app, "#queues")
        app.go_to("queues")
        await pilot.settle()
        await pilot.press("enter")
        assert app.state.submission.queue is None


async def test_the_stored_view_takes_no_time_that_grows_with_its_square() -> None:
    requires = "|".join(f"rank:{n}" for n in range(400))
    async with workbench_at(shape="node/slot/core", requires=requires) as (app, pilot):
        start = time.process_time()
        await pilot.press("f4", "f4")
        assert time.process_time() - start < 5  # a comparison of all lines takes half a minute
        assert "+" in plain(app, "#jobspec-text")
