"""Several documents open at once: the title, the list, going there, closing."""

from pathlib import Path

import pytest

from fluxtui.ui.dialogs.documents import DocumentsDialog
from fluxtui.workbench import EditRequires
from tests.ui.helpers import (
    NARROW,
    WIDE,
    afresh,
    document,
    done,
    messages,
    plain,
    press,
    row_of,
    screen_text,
    settle,
    until,
    workbench_at,
    write_document,
)


@pytest.fixture
def files(here: Path) -> list[str]:
    """Three documents in the folder that the program runs in."""
    return [
        write_document(here / f"{name}.json", document(nodes, {"gpu": "0-1"}))
        for name, nodes in (("a", 8), ("b", 12), ("c", 4))
    ]


async def open_all(app, pilot, files: list[str]) -> None:
    for file in files:
        app.open_source(file)
        await done(pilot)
    app.bring("cluster")
    await settle(pilot)


async def test_the_title_says_which_of_how_many(here: Path, files: list[str]) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        for size in (NARROW, WIDE):
            await afresh(app, pilot, size=size)
            await open_all(app, pilot, files[:1])
            assert "a.json   8 nodes" in row_of(app, "#title")
            await open_all(app, pilot, files[1:])
            assert "c.json 3/3   4 nodes" in row_of(app, "#title")
            await press(pilot, "[")
            assert "b.json 2/3   12 nodes" in row_of(app, "#title")
            await press(pilot, "]", "]")
            assert "a.json 1/3   8 nodes" in row_of(app, "#title")
        # It tells whole facts, and cuts no name at what parts them.
        for width, facts in ((120, "160 gpus"), (80, "196 nodes"), (70, "(built in)"), (40, "c…")):
            await afresh(app, pilot, size=(width, 24))
            told = row_of(app, "#title").rpartition("queue batch")[0].rstrip()
            assert told.endswith(f" {facts}")
        name = f"a · b   {'c' * 40}.json"
        await afresh(app, pilot, size=NARROW)
        app.open_source(write_document(here / name, document(4)))
        await done(pilot)
        assert name in row_of(app, "#title")
        await pilot.resize_terminal(50, 24)
        await settle(pilot)
        assert f"a · b   {'c' * 20}" in row_of(app, "#title")
        assert "c…" in row_of(app, "#title")


async def test_a_program_that_is_started_with_several_files_opens_them_all(
    here: Path, files: list[str]
) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        app.open_sources(files)
        await done(pilot)
        names = [one.cluster.source.name for one in app.state.documents]
        assert names == ["a.json", "b.json", "c.json"]
        assert plain(app, "#title").startswith("fluxtui  a.json 1/3")
        assert messages(app)[0].startswith("b.json is open too: ctrl+d lists what is open")
        await press(pilot, "escape", "]")
        assert plain(app, "#title").startswith("fluxtui  b.json 2/3")
        assert (app.state.cursor, app.cluster_pane.map.cursor) == (0, 0)
        # The first one with nodes is shown.
        wrong = write_document(here / "wrong.json", '{"version": 1, "execution": {"R_lite": 5}}')
        await afresh(app, pilot)
        app.open_sources([wrong, files[1], files[0]])
        await done(pilot)
        assert plain(app, "#title").startswith("fluxtui  b.json 1/2")


async def test_several_are_opened_and_shown_as_they_were_left(files: list[str], here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Each is shown as it was left.
        await open_all(app, pilot, files[:2])
        await press(pilot, "end", "left", "space", "[")
        assert (app.state.cursor, app.state.selected) == (0, 0)
        await press(pilot, "right", "right", "]")
        assert (app.state.cursor, app.state.selected) == (10, 1 << 10)
        assert app.cluster_pane.map.cursor == 10
        assert "n10" in plain(app, "#node-details")
        assert "◇ 1 selected" in screen_text(app) or "◆ 1 selected" in screen_text(app)
        await press(pilot, "[")
        assert app.cluster_pane.map.cursor == 2
        assert "selected" not in screen_text(app).splitlines()[-1]
        # The constraint is shared.
        other = write_document(here / "d.json", document(8, {"gpu": "0-6"}))
        await afresh(app, pilot, requires="gpu")
        await open_all(app, pilot, [files[0], other])
        assert plain(app, "#answer") == "7 of 8 nodes"
        await press(pilot, "[")
        assert plain(app, "#answer") == "2 of 8 nodes"
        app.edit(EditRequires("-gpu"))
        await press(pilot, "]")
        assert plain(app, "#answer") == "1 of 8 nodes"
        await press(pilot, "ctrl+z")
        assert (plain(app, "#answer"), app.state.place) == ("7 of 8 nodes", 1)
        # Enter goes on to the next one.
        await afresh(app, pilot)
        await open_all(app, pilot, files)
        await press(pilot, "ctrl+d", "enter")
        assert app.state.place == 0
        await press(pilot, "ctrl+d", "enter")
        assert app.state.place == 1
        # Brackets are typed where one types.
        await afresh(app, pilot)
        await open_all(app, pilot, files[:2])
        app.shape_bar.entry.focus()
        await settle(pilot)
        await press(pilot, *"slot/[core]")
        assert app.state.build.text == "slot/[core]"
        assert app.state.place == 1


async def test_the_list_of_what_is_open(here: Path, files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # The list of what is open.
        await open_all(app, pilot, files)
        await press(pilot, "ctrl+d")
        text = screen_text(app)
        assert "Open documents" in text
        assert "  1 a.json  8 nodes · 32 cores" in text
        assert "now 3 c.json  4 nodes · 16 cores" in text
        assert "enter or a number goes · d compares · x closes · o opens · esc leaves" in text
        await press(pilot, "down", "enter")
        assert app.state.place == 1
        await press(pilot, "ctrl+d", "3")
        assert app.state.place == 2
        await press(pilot, "ctrl+d", "ctrl+d")
        assert len(app.screen_stack) == 1
        # The cursor of the list is seen apart from the one in force.
        await afresh(app, pilot)
        await open_all(app, pilot, files[:2])
        await press(pilot, "ctrl+d")
        for key, signs in (("", "›  1,   now2"), ("up", "   1,›  now2"), ("down", "›  1,   now2")):
            await press(pilot, *filter(None, [key]))
            lines = screen_text(app).splitlines()
            rows = [line for line in lines if "nodes · " in line and ".json" in line][-2:]
            marks = [row.partition(".json")[0].split("│")[-1][:-1].split() for row in rows]
            assert marks == [part.split() for part in signs.replace("now", "now ").split(",")]
        await press(pilot, "up", "up", "enter")
        assert app.state.place == 0
        # The list opens another.
        await afresh(app, pilot)
        await open_all(app, pilot, files[:1])
        await press(pilot, "ctrl+d", "o")
        assert type(app.screen).__name__ == "OpenDialog"
        # The palette has it all.
        await afresh(app, pilot)
        await open_all(app, pilot, files[:2])
        titles = {command.title for command in app.get_system_commands(app.screen)}
        wanted = {"Documents  (ctrl+d)", "Next document", "Previous document", "Close document"}
        assert wanted <= titles
        await press(pilot, "ctrl+p", *"close document")
        await until(pilot, lambda: "Close the document that is shown" in screen_text(app))
        await press(pilot, "enter")
        assert len(app.state.documents) == 1

        # A number of two digits.
        paths = [write_document(here / f"{n}.json", document(n + 1)) for n in range(12)]
        await afresh(app, pilot)
        await open_all(app, pilot, paths)
        for keys, place in ((("3",), 2), (("1", "2"), 11), (("1", "enter"), 0)):
            await press(pilot, "ctrl+d", *keys)
            assert app.state.place == place
        # Hostile names are shown as they are.
        names = ["[red]x[@click=app.quit]y.json", "a\x1b[31mb.json"]
        await afresh(app, pilot)
        await open_all(app, pilot, [write_document(here / name, document(4)) for name in names])
        await press(pilot, "ctrl+d")
        assert "1 [red]x[@click=app.quit]y.json" in screen_text(app)
        assert "2 a\\x1b[31mb.json" in screen_text(app)


async def test_closing_in_the_list(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await open_all(app, pilot, files)
        await press(pilot, "ctrl+d", "home", "x")
        assert [one.cluster.source.name for one in app.state.documents] == ["b.json", "c.json"]
        assert isinstance(app.screen, DocumentsDialog)
        await press(pilot, "escape")
        app.action_close_document()
        await settle(pilot)
        assert plain(app, "#title").startswith("fluxtui  b.json   12 nodes")
        await press(pilot, "]")
        assert "No other document is open: ctrl+o opens one." in messages(app)[-1]
        app.action_close_document()
        await settle(pilot)
        assert plain(app, "#title").startswith("fluxtui  nothing open")
        assert "No document is open: ctrl+o opens an R document," in screen_text(app)
        assert plain(app, "#node-details").split() == ["nothing", "open"]
        assert "zoom" not in screen_text(app)  # nor any other key that would do nothing
        app.action_close_document()
        await settle(pilot)
        assert "No document is open." in messages(app)[-1]
        await press(pilot, "ctrl+d")
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
        room = " ".join(plain(app, "#room").split())
        assert "queues unknown: open a configuration with -c" in room
        app.open_source(str(queues))
        await done(pilot)
        assert "queue gpu is not configured" in plain(app, "#verdicts") + screen_text(app)
        await press(pilot, "f11", "escape")  # the stage, and back
        await press(pilot, "ctrl+z")
        assert app.state.submission.queue == "gpu"
        await press(pilot, "ctrl+s", "enter")
        await until(pilot, lambda: any("Saved" in one for one in messages(app)))
    assert job.read_text() == text
