"""The queues: their answers to the job, their nodes on the map, choosing one, and what if."""

import pytest

from fluxtui.model import queues
from fluxtui.workbench import Cluster, Source
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    WIDE,
    cluster,
    demo,
    plain,
    press,
    row_of,
    screen_text,
    settle,
    workbench_at,
)

MASKS = dict(
    zip((queue.name for queue in demo().config.queues), demo().coverage, strict=True)  # type: ignore[union-attr]
)


def lines(text: str) -> dict[str, str]:
    """The row of each queue in the list."""
    return {line[4:].split()[0]: line for line in text.splitlines() if line.strip()}


@pytest.mark.parametrize("size", SIZES)
async def test_every_queue_answers_the_job(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape="node=10/slot/core") as (app, pilot):
        app.bring("queues")
        await settle(pilot)
        rows = lines(plain(app, "#queues"))
        assert list(rows) == list(MASKS)
        for answer in app.state.outlook.admissions:
            sign = {True: "✓", False: "✗", None: "?"}[answer.admitted]
            assert sign in rows[answer.queue]
            assert f"{MASKS[answer.queue].bit_count():,}" in rows[answer.queue]
        assert "✗" in rows["debug"]  # at most 8 nodes
        assert "8" in rows["debug"]
        assert "✓" in rows["batch"]


async def test_a_refusal_is_told_in_the_words_of_flux_beside_ours() -> None:
    async with workbench_at(WIDE, shape="node=10/slot/core") as (app, pilot):
        app.bring("queues")
        await settle(pilot)
        await press(pilot, "down")
        answer = app.state.outlook.admission("debug")
        assert answer is not None
        assert answer.refusals[0].words in plain(app, "#queue-details").replace("\n", " ")
        assert answer.refusals[0].words == (
            "requested nnodes (10) exceeds policy limit of 8 for queue debug"
        )


async def test_looking_at_a_queue_lights_its_nodes() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        await press(pilot, "f5")
        app.bring("queues")
        await settle(pilot)
        await press(pilot, "down", "down")
        assert app.state.looked_at == "gpu"
        map_ = app.cluster_pane.map
        assert map_.mask == MASKS["gpu"]
        both = MASKS["gpu"] & (MASKS["batch"] | MASKS["debug"] | MASKS["bigmem"])
        looks = map_.looks_between(0, app.state.cluster.resources.node_count)
        shared = sum(1 << i for i, look in enumerate(looks) if look.glyph == "◪")
        alone = sum(1 << i for i, look in enumerate(looks) if look.glyph == "■")
        assert shared == both
        assert alone == MASKS["gpu"] & ~both
        assert "in gpu" in str(app.cluster_pane.border_subtitle)
        app.shape_bar.entry.focus()
        await settle(pilot)
        assert app.state.looked_at is None
        assert "match" in str(app.cluster_pane.border_subtitle)


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_choosing_a_queue_adds_its_constraint_apart(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE, requires="-bigmem") as (app, pilot):
        app.bring("queues")
        await settle(pilot)
        await press(pilot, "down", "down", "enter")
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
        await press(pilot, "enter")
        assert app.state.submission.queue is None
        assert "queue batch (default)" in row_of(app, "#title")


async def test_the_reading_shows_the_queue_apart() -> None:
    async with workbench_at(WIDE, requires="gpu|debug") as (app, pilot):
        app.bring("queues")
        await settle(pilot)
        await press(pilot, "down", "enter")
        text = plain(app, "#constraint-tree").splitlines()
        assert text[-2].split() == [str(MASKS["debug"].bit_count()), "in", "queue", "debug"]
        assert text[-1].split()[-1] == "both"


async def test_what_if_a_queue_is_disabled_or_stopped() -> None:
    async with workbench_at(shape="node=2/slot/core") as (app, pilot):
        app.bring("queues")
        await settle(pilot)
        await press(pilot, "e")
        own = app.state.outlook.own
        assert own is not None
        assert own.queue == "batch"
        assert own.admitted is False
        assert "✗" in lines(plain(app, "#queues"))["batch"]
        assert "disabled" in plain(app, "#queue-details")
        assert "refuses it" in plain(app, "#room")
        await press(pilot, "e", "x")
        own = app.state.outlook.own
        assert own is not None
        assert own.admitted
        assert not own.schedules
        assert "does not schedule" in plain(app, "#room").replace("\n", " ")
        child = app.state.outlook.statuses["long"]
        assert (child.started, child.blocked) == (False, "parent")
        await press(pilot, "x")
        assert app.state.outlook.statuses["long"].started


async def test_the_text_shows_what_flux_will_store() -> None:
    async with workbench_at(shape="node=2/slot/core") as (app, pilot):
        await press(pilot, "f4", "f4")
        assert app.text_pane.form == "stored"
        marked = [line for line in plain(app, "#jobspec-text").splitlines() if line[:1] in "+-"]
        assert any(line.split() == ["+", "queue:", "batch"] for line in marked)
        assert any("3600" in line for line in marked)
        assert app.text_pane.written == "yaml"
        await press(pilot, "f4")
        assert app.text_pane.form == "yaml"


async def test_a_refused_job_is_not_stored() -> None:
    async with workbench_at(shape="node=180/slot/core") as (app, pilot):
        await press(pilot, "f4", "f4")
        assert "refuses" in plain(app, "#jobspec-text")
        assert "exceeds policy limit" in plain(app, "#jobspec-text")


async def test_without_queues_the_pane_says_so() -> None:
    async with workbench_at(WIDE, on=cluster(4), shape=SHAPE) as (app, _):
        assert "start with -c" in plain(app, "#queues")
        assert app.state.outlook.own is not None
        assert app.state.outlook.own.admitted


async def test_names_of_queues_are_shown_literally() -> None:
    config = queues.read_config(
        {
            "queues": {"[red]x[/]\x1b[31m": {"requires": ["a"]}},
            "policy": {"jobspec": {"defaults": {"system": {"queue": "[red]x[/]\x1b[31m"}}}},
        }
    )
    on = Cluster.of(Source("test"), cluster(4).resources, config)
    async with workbench_at(WIDE, on=on, shape=SHAPE, requires="a") as (app, pilot):
        app.bring("queues")
        await settle(pilot)
        await press(pilot, "enter")
        text = screen_text(app)
        assert "\x1b" not in text
        assert "[red]x[/]" in text
