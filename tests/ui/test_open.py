"""Opening files of any kind by keys: the content tells what they are."""

import json
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.ui.dialogs.files import OpenDialog
from tests.ui.helpers import (
    NARROW,
    SHAPE,
    SIZES,
    WIDE,
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
YAML = "# mine\n" + jobspec.dump(JOB)


async def open_by_keys(pilot, path: str) -> None:
    """Open a path in the dialog."""
    await press(pilot, "ctrl+o")
    await fill_dialog(pilot, path)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_jobspec(size: tuple[int, int], here: Path) -> None:
    write_document(here / "job", YAML)
    async with workbench_at(size, shape=SHAPE, requires="gpu") as (app, pilot):
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


async def test_faults_are_said_and_it_opens(here: Path) -> None:
    write_document(here / "job.json", {"resources": [{"count": 1}], "tasks": []})
    async with workbench_at() as (app, pilot):
        await open_by_keys(pilot, "job.json")
        assert app.state.jobspec() == {"resources": [{"count": 1}], "tasks": []}
        assert "a resource needs a type" in messages(app)[-1]


async def test_a_text_that_cannot_be_read_is_brought_to_be_mended(here: Path) -> None:
    write_document(here / "job.yaml", YAML.replace("- a", "- [a"))
    for size in SIZES:
        async with workbench_at(size) as (app, pilot):
            await open_by_keys(pilot, "job.yaml")
            assert app.state.job.raw is not None
            assert "mend it here" in messages(app)[-1]
            assert "line " in messages(app)[-1]
            assert shown(app.text_pane)
            assert app.text_pane.form == "yaml"


async def test_json_that_cannot_be_read_is_brought_as_json(here: Path) -> None:
    write_document(here / "job.json", json.dumps(JOB)[:-1])
    async with workbench_at() as (app, pilot):
        await open_by_keys(pilot, "job.json")
        assert app.state.job.raw is not None
        assert app.text_pane.form == "json"


async def test_a_script(here: Path) -> None:
    write_document(here / "job.sh", "#!/bin/sh\n#SBATCH -N 3\n#SBATCH --bogus\nsrun ./app\n")
    async with workbench_at() as (app, pilot):
        await open_by_keys(pilot, "job.sh")
        assert app.state.build.text.startswith("node=3")
        assert app.file is None
        assert any("sbatch script" in message for message in messages(app))
        assert any("job.sh, line 3" in message for message in messages(app))
        await press(pilot, "ctrl+s")
        assert app.screen.query_one(Input).value == "jobspec.yaml"


async def test_a_configuration_file(here: Path) -> None:
    write_document(here / "flux.toml", '[queues.mine]\nrequires = ["gpu"]\n')
    write_document(here / "R.json", document(9, {"gpu": "0-1"}))
    async with workbench_at(on=cluster(4, {"gpu": "0-2"}), shape="node") as (app, pilot):
        await open_by_keys(pilot, "flux.toml")
        assert app.state.cluster.resources.node_count == 4
        assert app.state.cluster.coverage == {"mine": 0b111}
        assert "1 queue beside test" in messages(app)[-1]
        assert "mine" in plain(app, "#queues")
        await open_by_keys(pilot, "R.json")
        assert app.state.cluster.resources.node_count == 9
        assert app.state.cluster.coverage == {"mine": 0b11}


async def test_a_configuration_file_where_nothing_is_open(here: Path) -> None:
    write_document(here / "flux.toml", '[queues.mine]\nrequires = ["gpu"]\n')
    async with workbench_at() as (app, pilot):
        app.action_close_document()
        await settle(pilot)
        await open_by_keys(pilot, "flux.toml")
        assert messages(app)[-1].endswith("1 queue")


@pytest.mark.parametrize(
    ("keys", "queues"),
    [
        (("enter",), ["a", "b"]),
        (("down", "enter"), ["a", "b"]),
        (("down", "down", "enter"), ["a"]),
    ],
)
async def test_a_folder_of_configuration(
    here: Path, keys: tuple[str, ...], queues: list[str]
) -> None:
    (here / "conf.d").mkdir()
    write_document(here / "conf.d" / "a.toml", "[queues.a]\n")
    write_document(here / "conf.d" / "b.toml", "[queues.b]\n")
    async with workbench_at(on=cluster(4)) as (app, pilot):
        await open_by_keys(pilot, "conf.d")
        assert isinstance(app.screen, OpenDialog)
        assert app.screen.query_one(Input).value == "conf.d/"
        listed = app.screen.query_one(OptionList)
        await until(pilot, lambda: listed.option_count == 3)
        first, *others = [str(option.prompt) for option in listed.options]
        assert first.startswith("*.toml")
        assert others == ["a.toml", "b.toml"]
        await press(pilot, *keys)
        await done(pilot)
        config = app.state.cluster.config
        assert config is not None
        assert [queue.name for queue in config.queues] == queues


async def test_a_folder_without_configuration_is_gone_into(here: Path) -> None:
    (here / "jobs").mkdir()
    async with workbench_at() as (app, pilot):
        await open_by_keys(pilot, "jobs/")
        assert isinstance(app.screen, OpenDialog)
        await press(pilot, "enter")
        await done(pilot)
        assert isinstance(app.screen, OpenDialog)
        assert app.screen.query_one(Input).value == "jobs/"


async def test_several_at_the_start(here: Path) -> None:
    names = [
        write_document(here / "R.json", document(6)),
        write_document(here / "job.yaml", YAML),
        write_document(here / "flux.toml", "[queues.batch]\n"),
    ]
    async with workbench_at(on=cluster(1)) as (app, pilot):
        app.open_sources(names)
        await done(pilot)
        await settle(pilot)
        assert app.state.cluster.resources.node_count == 6
        assert app.state.cluster.has_queue("batch")
        assert app.state.jobspec() == JOB


async def test_documents_of_a_kind_come_first_in_the_list(here: Path) -> None:
    for name in ("zoo.yaml", "notes.txt", "a.sbatch", "m.toml", "b.json"):
        write_document(here / name, "x")
    async with workbench_at() as (app, pilot):
        await press(pilot, "ctrl+o")
        await done(pilot)
        options = app.screen.query_one(OptionList)
        assert [str(o.prompt) for o in options.options] == [
            "a.sbatch",
            "b.json",
            "m.toml",
            "zoo.yaml",
            "notes.txt",
        ]


@pytest.mark.parametrize("size", [*SIZES, (50, 14), (40, 10)])
@pytest.mark.parametrize("shrinks", [False, True])
async def test_why_a_file_cannot_be_opened_is_seen_whole(
    size: tuple[int, int], shrinks: bool
) -> None:
    async with workbench_at((120, 40) if shrinks else size) as (app, pilot):
        await press(pilot, "ctrl+o")
        await pilot.resize_terminal(*size)
        await settle(pilot)
        await fill_dialog(pilot, "/nonexist")
        said = " ".join(screen_text(app).replace("│", " ").split())
        assert "That cannot be opened: No such file or directory." in said
        assert app.screen.query_one("#open-list").region.height > 0


async def test_the_whole_list_of_files_is_seen(here: Path) -> None:
    for number in range(30):
        write_document(here / f"job{number:02}", YAML)
    async with workbench_at((80, 24)) as (app, pilot):
        await press(pilot, "ctrl+o")
        await done(pilot)
        await press(pilot, "down", "end")
        assert "job29" in screen_text(app)
