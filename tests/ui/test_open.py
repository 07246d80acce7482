"""Opening files of any kind by keys: the content tells what they are."""

import json
from pathlib import Path

from textual.widgets import Input, OptionList

from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.ui.dialogs.files import OpenDialog
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    afresh,
    cluster,
    demo,
    document,
    done,
    fill_dialog,
    messages,
    plain,
    press,
    screen_text,
    settle,
    shown,
    until,
    workbench_at,
    write_document,
)

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a", "b"], queue="batch")
YAML = "# mine\n" + dump(JOB)


async def open_by_keys(pilot, path: str) -> None:
    """Open a path in the dialog."""
    await press(pilot, "ctrl+o")
    await fill_dialog(pilot, path)


async def test_jobspecs(here: Path) -> None:
    write_document(here / "job", YAML)
    faulty = {"resources": [{"count": 1}], "tasks": []}
    write_document(here / "faulty.json", faulty)
    write_document(here / "broken.yaml", YAML.replace("- a", "- [a"))
    write_document(here / "broken.json", json.dumps(JOB)[:-1])
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu") as (app, pilot):
        await open_by_keys(pilot, "job")
        assert app.state.jobspec() == JOB
        assert app.query_one("#shape-input", Input).value == "node=2/slot/core=4"
        assert app.query_one("#constraint-input", Input).value == ""
        assert app.state.submission.queue == "batch"
        assert app.state.cluster.source == demo().source
        assert app.file is not None
        assert not app.unsaved
        await press(pilot, "ctrl+z")
        assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu")
        assert app.file is None
        await press(pilot, "ctrl+r")
        assert app.state.jobspec() == JOB
        assert app.file is not None
        # Faults are said, and it opens.
        await afresh(app, pilot)
        await open_by_keys(pilot, "faulty.json")
        assert app.state.jobspec() == faulty
        assert "a resource needs a type" in messages(app)[-1]
        # A text that cannot be read is brought to be mended, in its own form.
        for form, size in (*(("yaml", size) for size in SIZES), ("json", NARROW)):
            await afresh(app, pilot, size=size)
            await open_by_keys(pilot, f"broken.{form}")
            assert app.state.job.raw is not None
            assert "mend it here" in messages(app)[-1]
            assert "line " in messages(app)[-1]
            assert shown(app.text_pane)
            assert app.text_pane.form == form


async def test_a_script(here: Path) -> None:
    write_document(here / "job.sh", "#!/bin/sh\n#SBATCH -N 3\n#SBATCH --bogus\nsrun ./app\n")
    async with workbench_at(NARROW) as (app, pilot):
        await open_by_keys(pilot, "job.sh")
        assert app.state.build.text.startswith("node=3")
        assert app.file is None
        assert any("sbatch script" in message for message in messages(app))
        assert any("job.sh, line 3" in message for message in messages(app))
        await press(pilot, "ctrl+s")
        assert app.screen.query_one(Input).value == "jobspec.yaml"


async def test_configurations(here: Path) -> None:
    write_document(here / "flux.toml", '[queues.mine]\nrequires = ["gpu"]\n')
    write_document(here / "R.json", document(9, {"gpu": "0-1"}))
    (here / "conf.d").mkdir()
    write_document(here / "conf.d" / "a.toml", "[queues.a]\n")
    write_document(here / "conf.d" / "b.toml", "[queues.b]\n")
    async with workbench_at(on=cluster(4, {"gpu": "0-2"}), shape="node") as (app, pilot):
        await open_by_keys(pilot, "flux.toml")
        assert app.state.cluster.resources.node_count == 4
        assert app.state.cluster.coverage == {"mine": 0b111}
        assert "1 queue beside test" in messages(app)[-1]
        assert "mine" in plain(app, "#queues")
        await open_by_keys(pilot, "R.json")
        assert app.state.cluster.resources.node_count == 9
        assert app.state.cluster.coverage == {"mine": 0b11}
        # Where nothing is open.
        await afresh(app, pilot)
        app.action_close_document()
        await settle(pilot)
        await open_by_keys(pilot, "flux.toml")
        assert messages(app)[-1].endswith("1 queue")
        # A folder of them, or one of its files.
        for keys, queues in (
            (("enter",), ["a", "b"]),
            (("down", "enter"), ["a", "b"]),
            (("down", "down", "enter"), ["a"]),
        ):
            await afresh(app, pilot, on=cluster(4))
            await open_by_keys(pilot, "conf.d")
            assert isinstance(app.screen, OpenDialog)
            assert app.screen.query_one(Input).value == "conf.d/"
            listed = app.screen.query_one(OptionList)
            await until(pilot, lambda listed=listed: listed.option_count == 3)
            first, *others = [str(option.prompt) for option in listed.options]
            assert first.startswith("*.toml")
            assert others == ["a.toml", "b.toml"]
            await press(pilot, *keys)
            await done(pilot)
            config = app.state.cluster.config
            assert config is not None
            assert [queue.name for queue in config.queues] == queues


async def test_several_at_the_start(here: Path) -> None:
    names = [
        write_document(here / "R.json", document(6)),
        write_document(here / "job.yaml", YAML),
        write_document(here / "flux.toml", "[queues.batch]\n"),
    ]
    async with workbench_at(NARROW, on=cluster(1)) as (app, pilot):
        app.open_sources(names)
        await done(pilot)
        await settle(pilot)
        assert app.state.cluster.resources.node_count == 6
        assert app.state.cluster.has_queue("batch")
        assert app.state.jobspec() == JOB


async def test_the_dialog(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Why a file cannot be opened is seen whole.
        for size in (*SIZES, (50, 14), (40, 10)):
            for before in (size, NORMAL):
                await pilot.resize_terminal(*before)
                await press(pilot, "ctrl+o")
                await pilot.resize_terminal(*size)
                await settle(pilot)
                await fill_dialog(pilot, "/nonexist")
                said = " ".join(screen_text(app).replace("│", " ").split())
                assert "That cannot be opened: No such file or directory." in said
                assert app.screen.query_one("#open-list").region.height > 0
                await press(pilot, "escape")
        await pilot.resize_terminal(*NARROW)
        # Documents of a kind come first.
        for name in ("zoo.yaml", "notes.txt", "a.sbatch", "m.toml", "b.json"):
            write_document(here / name, "x")
        await press(pilot, "ctrl+o")
        await done(pilot)
        options = app.screen.query_one(OptionList).options
        names = "a.sbatch b.json m.toml zoo.yaml notes.txt"
        assert [str(option.prompt) for option in options] == names.split()
        await press(pilot, "escape")
        # A folder without configuration is gone into.
        (here / "jobs").mkdir()
        await open_by_keys(pilot, "jobs/")
        assert isinstance(app.screen, OpenDialog)
        await press(pilot, "enter")
        await done(pilot)
        assert isinstance(app.screen, OpenDialog)
        assert app.screen.query_one(Input).value == "jobs/"
        await press(pilot, "escape")
        # The whole of a long list is seen.
        for number in range(30):
            write_document(here / f"job{number:02}", YAML)
        await press(pilot, "ctrl+o")
        await done(pilot)
        assert "zoo.yaml" in screen_text(app)
        assert "notes.txt" not in screen_text(app)
        await press(pilot, "down", "end")
        assert "notes.txt" in screen_text(app)
