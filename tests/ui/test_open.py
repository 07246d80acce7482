"""Opening files of any kind by keys: the content tells what they are."""

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session.dialogs import OpenDialog
from fluxtui.workbench import EditRequires
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    WIDE,
    cluster,
    demo,
    document,
    messages,
    plain,
    row_of,
    screen_text,
    shown,
    workbench_at,
    write_document,
)

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a", "b"], queue="batch")

YAML = "# mine\n" + dump(JOB)


async def open_by_keys(pilot, path: str) -> None:
    """Open a path in the dialog."""
    await pilot.press("ctrl+o")
    await pilot.fill_dialog(path)


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
        assert app.saving.file is not None
        assert not app.saving.unsaved
        await pilot.press("ctrl+z")
        assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu")
        assert app.saving.file is None
        await pilot.press("ctrl+r")
        assert app.state.jobspec() == JOB
        assert app.saving.file is not None
        # Faults are said, and it opens.
        await pilot.afresh()
        await open_by_keys(pilot, "faulty.json")
        assert app.state.jobspec() == faulty
        assert "a resource needs a type" in messages(app)[-1]
        # A text that cannot be read is brought to be mended, in its own form.
        for form, size in (*(("yaml", size) for size in SIZES), ("json", NARROW)):
            await pilot.afresh(size=size)
            await open_by_keys(pilot, f"broken.{form}")
            assert app.state.job.raw is not None
            assert "fix it here" in messages(app)[-1]
            assert "line " in messages(app)[-1]
            assert shown(app.panes["text"])
            assert app.panes["text"].form == form


async def test_a_script(here: Path) -> None:
    write_document(here / "job.sh", "#!/bin/sh\n#SBATCH -N 3\n#SBATCH --bogus\nsrun ./app\n")
    async with workbench_at(NARROW) as (app, pilot):
        await open_by_keys(pilot, "job.sh")
        assert app.state.build.text.startswith("node=3")
        assert app.saving.file is None
        assert any("sbatch script" in message for message in messages(app))
        assert any("job.sh, line 3" in message for message in messages(app))
        await pilot.press("ctrl+s")
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
        assert "1 queue for test" in messages(app)[-1]
        assert "mine" in plain(app, "#queues")
        await open_by_keys(pilot, "R.json")
        assert app.state.cluster.resources.node_count == 9
        assert app.state.cluster.coverage == {"mine": 0b11}
        # Where nothing is open.
        await pilot.afresh()
        app.documents.close_shown()
        await pilot.settle()
        await open_by_keys(pilot, "flux.toml")
        assert messages(app)[-1].endswith("1 queue")
        # A folder of them, or one of its files.
        for keys, queues in (
            (("enter",), ["a", "b"]),
            (("down", "enter"), ["a"]),
            (("down", "down", "enter"), ["b"]),
        ):
            await pilot.afresh(on=cluster(4))
            await open_by_keys(pilot, "conf.d")
            assert isinstance(app.screen, OpenDialog)
            assert app.screen.query_one(Input).value == "conf.d/"
            await pilot.until(lambda: len(app.screen.labels) == 3)
            assert app.screen.labels == ["*.toml", "a.toml", "b.toml"]
            await pilot.press(*keys)
            await pilot.done()
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
        app.documents.open_sources(names)
        await pilot.done()
        await pilot.settle()
        assert app.state.cluster.resources.node_count == 6
        assert app.state.cluster.has_queue("batch")
        assert app.state.jobspec() == JOB


async def test_the_dialog(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Why a file cannot be opened is seen whole.
        for size in (*SIZES, (50, 14), (40, 10)):
            for before in (size, NORMAL):
                await pilot.resize_terminal(*before)
                await pilot.press("ctrl+o")
                await pilot.resize_terminal(*size)
                await pilot.settle()
                await pilot.fill_dialog("/nonexist")
                said = " ".join(screen_text(app).replace("│", " ").split())
                assert "That cannot be opened: No such file or directory." in said
                assert app.screen.rows.region.height > 0
                await pilot.press("escape")
        await pilot.resize_terminal(*NARROW)
        # Documents of a kind come first.
        for name in ("zoo.yaml", "notes.txt", "a.sbatch", "m.toml", "b.json"):
            write_document(here / name, "x")
        await pilot.press("ctrl+o")
        await pilot.done()
        names = "a.sbatch b.json m.toml zoo.yaml notes.txt"
        assert app.screen.labels[:5] == names.split()
        await pilot.press("escape")
        # A folder without configuration is gone into.
        (here / "jobs").mkdir()
        await open_by_keys(pilot, "jobs/")
        assert isinstance(app.screen, OpenDialog)
        await pilot.press("enter")
        await pilot.done()
        assert isinstance(app.screen, OpenDialog)
        assert app.screen.query_one(Input).value == "jobs/"
        await pilot.press("escape")
        # The whole of a long list is seen.
        for number in range(30):
            write_document(here / f"job{number:02}", YAML)
        await pilot.press("ctrl+o")
        await pilot.done()
        assert "zoo.yaml" in screen_text(app)
        assert "notes.txt" not in screen_text(app)
        await pilot.press("down", "end")
        assert "notes.txt" in screen_text(app)


# Several documents open at once: the title, the list, going there, closing


@pytest.fixture
def files(here: Path) -> list[str]:
    """Three documents in the folder that the program runs in."""
    return [
        write_document(here / f"{name}.json", document(nodes, {"gpu": "0-1"}))
        for name, nodes in (("a", 8), ("b", 12), ("c", 4))
    ]


async def open_all(app, pilot, files: list[str]) -> None:
    for file in files:
        app.documents.open_source(file)
        await pilot.done()
    app.go_to("map")
    await pilot.settle()


async def test_the_title_says_which_of_how_many(here: Path, files: list[str]) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        for size in (NARROW, WIDE):
            await pilot.afresh(size=size)
            await open_all(app, pilot, files[:1])
            assert "a.json   8 nodes" in row_of(app, "#title")
            await open_all(app, pilot, files[1:])
            assert "c.json 3/3   4 nodes" in row_of(app, "#title")
            await pilot.press("[")
            assert "b.json 2/3   12 nodes" in row_of(app, "#title")
            await pilot.press("]", "]")
            assert "a.json 1/3   8 nodes" in row_of(app, "#title")
        # It tells whole facts, and cuts no name at what parts them.
        for width, facts in ((120, "160 gpus"), (80, "196 nodes"), (70, "(built in)"), (40, "c…")):
            await pilot.afresh(size=(width, 24))
            told = row_of(app, "#title").rpartition("queue batch")[0].rstrip()
            assert told.endswith(f" {facts}")
        name = f"a · b   {'c' * 40}.json"
        await pilot.afresh(size=NARROW)
        app.documents.open_source(write_document(here / name, document(4)))
        await pilot.done()
        assert name in row_of(app, "#title")
        await pilot.resize_terminal(50, 24)
        await pilot.settle()
        assert f"a · b   {'c' * 20}" in row_of(app, "#title")
        assert "c…" in row_of(app, "#title")


async def test_a_program_that_is_started_with_several_files_opens_them_all(
    here: Path, files: list[str]
) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        app.documents.open_sources(files)
        await pilot.done()
        names = [one.cluster.source.name for one in app.state.documents]
        assert names == ["a.json", "b.json", "c.json"]
        assert plain(app, "#title").startswith("fluxtui  a.json 1/3")
        assert "b.json is open too: ctrl+d lists and compares" in messages(app)[0]
        await pilot.press("escape", "]")
        assert plain(app, "#title").startswith("fluxtui  b.json 2/3")
        assert (app.state.cursor, app.views.map.view.cursor) == (0, 0)
        # The first one with nodes is shown.
        wrong = write_document(here / "wrong.json", '{"version": 1, "execution": {"R_lite": 5}}')
        await pilot.afresh()
        app.documents.open_sources([wrong, files[1], files[0]])
        await pilot.done()
        assert plain(app, "#title").startswith("fluxtui  b.json 1/2")


async def test_several_are_opened_and_shown_as_they_were_left(files: list[str], here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Each is shown as it was left.
        await open_all(app, pilot, files[:2])
        await pilot.press("end", "left", "space", "[")
        assert (app.state.cursor, app.state.selected) == (0, 0)
        await pilot.press("right", "right", "]")
        assert (app.state.cursor, app.state.selected) == (10, 1 << 10)
        assert app.views.map.view.cursor == 10
        assert "n10" in plain(app, "#node-details")
        assert "◇ 1 selected" in screen_text(app) or "◆ 1 selected" in screen_text(app)
        await pilot.press("[")
        assert app.views.map.view.cursor == 2
        assert "selected" not in screen_text(app).splitlines()[-1]
        # The constraint is shared.
        other = write_document(here / "d.json", document(8, {"gpu": "0-6"}))
        await pilot.afresh(requires="gpu")
        await open_all(app, pilot, [files[0], other])
        assert plain(app, "#answer") == "7 of 8 nodes"
        await pilot.press("[")
        assert plain(app, "#answer") == "2 of 8 nodes"
        app.edit(EditRequires("-gpu"))
        await pilot.press("]")
        assert plain(app, "#answer") == "1 of 8 nodes"
        await pilot.press("ctrl+z")
        assert (plain(app, "#answer"), app.state.place) == ("7 of 8 nodes", 1)
        # Enter goes on to the next one.
        await pilot.afresh()
        await open_all(app, pilot, files)
        await pilot.press("ctrl+d", "enter")
        assert app.state.place == 0
        await pilot.press("ctrl+d", "enter")
        assert app.state.place == 1
        # Brackets are typed where one types.
        await pilot.afresh()
        await open_all(app, pilot, files[:2])
        app.shape_bar.entry.focus()
        await pilot.settle()
        await pilot.press(*"slot/[core]")
        assert app.state.build.text == "slot/[core]"
        assert app.state.place == 1


async def test_the_list_of_what_is_open(here: Path, files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # The list of what is open.
        await open_all(app, pilot, files)
        await pilot.press("ctrl+d")
        text = screen_text(app)
        assert "Open documents" in text
        assert " 1  a.json  8 nodes · 32 cores" in text
        assert " 3  c.json  shown now · 4 nodes · 16 cores" in text
        assert "enter goes there · d compares · x closes · o opens · esc closes" in text
        await pilot.press("down", "enter")
        assert app.state.place == 1
        await pilot.press("ctrl+d", "3")
        assert app.state.place == 2
        await pilot.press("ctrl+d", "ctrl+d")
        assert len(app.screen_stack) == 1
        # The cursor begins at the one after that in force, and stays within the list.
        await pilot.press("ctrl+d")
        assert app.screen.item.label == "a.json"
        await pilot.press("up", "down", "enter")
        assert app.state.place == 1
        # The list opens another.
        await pilot.afresh()
        await open_all(app, pilot, files[:1])
        await pilot.press("ctrl+d", "o")
        assert type(app.screen).__name__ == "OpenDialog"
        # The palette has it all.
        await pilot.afresh()
        await open_all(app, pilot, files[:2])
        await pilot.press("ctrl+p", *"close document")
        await pilot.until(lambda: "Close the document that is shown" in screen_text(app))
        await pilot.press("enter")
        assert len(app.state.documents) == 1

        # A number of two digits.
        paths = [write_document(here / f"{n}.json", document(n + 1)) for n in range(12)]
        await pilot.afresh()
        await open_all(app, pilot, paths)
        for keys, place in ((("3",), 2), (("1", "2"), 11), (("1", "enter"), 0)):
            await pilot.press("ctrl+d", *keys)
            assert app.state.place == place
        # Hostile names are shown as they are.
        names = ["[red]x[@click=app.quit]y.json", "a\x1b[31mb.json"]
        await pilot.afresh()
        await open_all(app, pilot, [write_document(here / name, document(4)) for name in names])
        await pilot.press("ctrl+d")
        assert "1  [red]x[@click=app.quit]y.json" in screen_text(app)
        assert "2  a\\x1b[31mb.json" in screen_text(app)


async def test_closing_in_the_list(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await open_all(app, pilot, files)
        await pilot.press("ctrl+d", "home", "x")
        assert [one.cluster.source.name for one in app.state.documents] == ["b.json", "c.json"]
        assert isinstance(app.screen, Picker)
        await pilot.press("escape")
        app.documents.close_shown()
        await pilot.settle()
        assert plain(app, "#title").startswith("fluxtui  b.json   12 nodes")
        await pilot.press("]")
        assert "No other document is open: ctrl+o opens one." in messages(app)[-1]
        app.documents.close_shown()
        await pilot.settle()
        assert plain(app, "#title").startswith("fluxtui  nothing open")
        assert "No document is open: ctrl+o opens an R document," in screen_text(app)
        assert plain(app, "#node-details").split() == ["nothing", "open"]
        assert "zoom" not in screen_text(app)  # nor any other key that would do nothing
        app.documents.close_shown()
        await pilot.settle()
        assert "No document is open." in messages(app)[-1]
        await pilot.press("ctrl+d")
        assert type(app.screen).__name__ == "OpenDialog"


async def test_a_job_keeps_its_queue_on_clusters_that_do_not_have_it(
    files: list[str], here: Path
) -> None:
    text = (
        "# mine\nversion: 1\nresources:\n  - {type: slot, count: 1, label: task, "
        "with: [{type: core, count: 2}]}\ntasks:\n"
        "  - {command: [app], slot: task, count: {per_slot: 1}}\n"
        "attributes: {system: {duration: 0, queue: gpu}}\n"
    )
    job, queues = here / "job.yaml", here / "site.toml"
    job.write_text(text)
    queues.write_text("[queues.batch]\n")
    async with workbench_at((120, 40)) as (app, pilot):
        await open_all(app, pilot, [str(job), *files[:2]])
        assert "queue gpu (unknown here)" in row_of(app, "#title")
        room = " ".join(plain(app, "#fit").split())
        assert "queues unknown: open a configuration with -c" in room
        app.documents.open_source(str(queues))
        await pilot.done()
        assert "queue gpu is not configured" in plain(app, "#verdicts") + screen_text(app)
        await pilot.press("f11", "escape")  # the stage, and back
        await pilot.press("ctrl+z")
        assert app.state.submission.queue == "gpu"
        await pilot.press("ctrl+s", "enter")
        await pilot.until(lambda: any("Saved" in one for one in messages(app)))
    assert job.read_text() == text
