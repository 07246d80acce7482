"""The workbench reads what is open again when it changes on the disk."""

import json
from pathlib import Path

from textual.pilot import Pilot

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from tests.ui.helpers import (
    afresh,
    document,
    done,
    messages,
    put,
    workbench_at,
    write_document,
)
from tests.ui.terminal import Terminal

LOOKS = 4  # a file has to stand still before it is read
QUEUES = "[queues.a]\n[queues.b]\n[policy]\njobspec.defaults.system.queue = 'a'\n"


async def look(app: FluxTUI, pilot: Pilot[None], looks: int = LOOKS) -> None:
    """Look at the files as often as the clock would have it, and wait for what follows."""
    for _ in range(looks):
        app.look_at_files()
        await done(pilot)


async def open_file(app: FluxTUI, pilot: Pilot[None], path: str) -> None:
    app.open_source(path)
    await done(pilot)


def hosts(app: FluxTUI, mask: int) -> str:
    return app.state.cluster.resources.hosts_of(mask)


def named(app: FluxTUI, host: str) -> int:
    """The index of the node of this name."""
    return app.state.cluster.resources.indices_of_host(host).bit_length() - 1


def queues(app: FluxTUI) -> list[str]:
    config = app.state.cluster.config
    return [queue.name for queue in config.queues] if config is not None else []


async def test_a_document_that_changes_is_read_again(here: Path) -> None:
    path = write_document(here / "R.json", document(40, {"gpu": "0-19"}))
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        await put(pilot, "gpu")
        app.edit(workbench.Select(0b1111 << 10))
        app.edit(workbench.MoveCursor(30))
        await look(app, pilot)
        assert messages(app) == []
        write_document(here / "R.json", document(42, {"gpu": "0-9"}, hosts="new[1-2],n[0-39]"))
        await look(app, pilot)
        state = app.state
        assert state.cluster.resources.node_count == 42
        assert hosts(app, state.selected) == "n[10-13]"
        assert state.cluster.resources.host(state.cursor or 0) == "n30"
        assert (state.ask.text, hosts(app, state.ask.mask)) == ("gpu", "new[1-2],n[0-7]")
        assert messages(app) == ["R.json was read again: 2 nodes added · 40 changed"]
        app.action_undo()
        assert app.state.ask.text == ""


async def test_documents_are_watched(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # What is selected meanwhile counts.
        path = write_document(here / "R.json", document(40))
        await afresh(app, pilot)
        await open_file(app, pilot, path)
        write_document(here / "R.json", document(20, hosts="n[20-39]"))
        app.edit(workbench.Select(0b1))
        app.action_read_again()
        app.edit(workbench.Select(0b11 << 25))
        await done(pilot)
        assert hosts(app, app.state.selected) == "n[25-26]"


async def test_what_is_half_written_leaves_what_is_open(here: Path) -> None:
    whole = json.dumps(document(40))
    path = write_document(here / "R.json", whole)
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        for text in (whole[:60], whole[:70], ""):
            write_document(here / "R.json", text)
            await look(app, pilot)
            assert app.state.cluster.resources.node_count == 40
        (said,) = messages(app)
        assert said.startswith("R.json cannot be read as it stands: R.json, line 1")
        write_document(here / "R.json", document(41))
        await look(app, pilot)
        assert app.state.cluster.resources.node_count == 41
        assert messages(app)[1:] == ["R.json was read again: 1 node added · 40 the same"]


async def test_a_document_with_new_errors_leaves_what_is_open(here: Path) -> None:
    path = write_document(here / "R.json", document(40))
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        write_document(here / "R.json", document(40, hosts="n[0-20]"))
        await look(app, pilot)
        assert app.state.cluster.resources.ok
        assert "nodelist names 21 hosts for 40 ranks" in messages(app)[0]


async def test_a_document_that_is_gone_is_told_once(here: Path) -> None:
    path = write_document(here / "R.json", document(40))
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        (here / "R.json").unlink()
        await look(app, pilot, 2 * LOOKS)
        assert messages(app) == ["R.json is not there any more: What is open stays as it is."]
        assert app.state.cluster.resources.node_count == 40
        write_document(here / "R.json", document(39))
        await look(app, pilot)
        assert app.state.cluster.resources.node_count == 39


async def test_the_configuration_beside_it_is_watched_too(here: Path) -> None:
    path = write_document(here / "R.json", document(4))
    config = here / "conf.d"
    config.mkdir()
    (config / "a.toml").write_text(QUEUES)
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        await open_file(app, pilot, str(config))
        app.edit(workbench.ChooseQueue("b"))
        assert queues(app) == ["a", "b"]
        (config / "b.toml").write_text("[queues.c]\n")
        await look(app, pilot)
        assert queues(app) == ["a", "b", "c"]
        assert app.state.submission.queue == "b"
        assert messages(app)[-1] == "R.json was read again: queue c added"
        (config / "b.toml").write_text("[queues\n")
        await look(app, pilot)
        assert queues(app) == ["a", "b", "c"]
        assert "b.toml, line 1" in messages(app)[-1]


async def test_the_queues_beside_the_cluster_that_ships(here: Path) -> None:
    config = here / "flux.toml"
    config.write_text(QUEUES)
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, str(config))
        assert queues(app) == ["a", "b"]
        config.write_text(QUEUES + "[queues.c]\n")
        await look(app, pilot)
        assert queues(app) == ["a", "b", "c"]
        assert app.state.cluster.source.builtin


async def test_nodes_of_a_configuration(here: Path) -> None:
    text = '[[resource.config]]\nhosts = "n[0-3]"\ncores = "0-3"\n'
    path = write_document(here / "flux.toml", text)
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        (here / "flux.toml").write_text(text.replace('"0-3"', '"0-7"'))
        await look(app, pilot)
        assert app.state.cluster.resources.whole.cores == 32
        (here / "flux.toml").write_text(text.replace('cores = "0-3"', ""))
        await look(app, pilot)
        assert app.state.cluster.resources.whole.cores == 32
        assert "n[0-3] have neither cores nor gpus" in messages(app)[-1]


async def test_watching_can_be_paused(here: Path) -> None:
    path = write_document(here / "R.json", document(4))
    async with workbench_at(notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        app.action_watch()
        write_document(here / "R.json", document(5))
        await look(app, pilot)
        assert app.state.cluster.resources.node_count == 4
        app.action_watch()
        await look(app, pilot)
        assert app.state.cluster.resources.node_count == 5


async def test_asked_for_it_is_read_at_once(here: Path) -> None:
    path = write_document(here / "R.json", document(4))
    async with workbench_at(notifications=True) as (app, pilot):
        app.action_read_again()
        await done(pilot)
        assert messages(app)[-1].endswith("was read again: nothing in it has changed")
        await open_file(app, pilot, path)
        write_document(here / "R.json", document(5))
        app.action_read_again()
        await done(pilot)
        assert app.state.cluster.resources.node_count == 5


async def test_another_document_opened_meanwhile_stays(here: Path) -> None:
    path = write_document(here / "R.json", document(4))
    other = write_document(here / "S.json", document(7))
    async with workbench_at() as (app, pilot):
        await open_file(app, pilot, path)
        write_document(here / "R.json", document(5))
        app.action_read_again()
        await open_file(app, pilot, other)
        assert app.state.cluster.source.name == "S.json"
        assert app.state.cluster.resources.node_count == 7


def test_it_looks_by_itself(here: Path) -> None:
    text = '[[resource.config]]\nhosts = "n[0-7]"\ncores = "0-3"\n' + QUEUES
    (here / "conf.d").mkdir()
    (here / "conf.d" / "a.toml").write_text(text)
    with Terminal("-r", str(here / "conf.d")) as terminal:
        terminal.wait_for("conf.d", "8 nodes", "queue a (default)")
        (here / "conf.d" / "a.toml").write_text(text.replace("n[0-7]", "n[0-8]"))
        terminal.wait_for("9 nodes")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
