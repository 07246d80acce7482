"""Nodes that are taken away: by the copy menu, and into a file."""

import csv
import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from fluxtui.model.cancellation import Stop
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from fluxtui.opening import nodes
from fluxtui.ui.kit.path import PathDialog
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session import copying
from fluxtui.ui.session import exporting as taking
from fluxtui.workbench import Select
from tests import big
from tests.answers.clusters import taken
from tests.ui.helpers import (
    cluster,
    demo,
    document,
    messages,
    screen_text,
    workbench_at,
)
from tests.ui.test_browse import into

GPU = demo().resources.properties["gpu"]
BIGMEM = demo().resources.properties["bigmem"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ranks(text: str) -> Any:
    """The ranks of an R document that is as it should be."""
    found = resources.read_text(text)
    assert found.problems == ()
    return found.ranks


# The clipboard


async def test_the_copy_menu_offers_nodes() -> None:
    async with workbench_at() as (app, pilot):
        # The selection comes first and the match by capitals.
        whole = demo().resources
        await pilot.afresh(requires="gpu")
        await into(app, pilot)
        app.edit(Select(BIGMEM))
        for key, mask in (("h", BIGMEM), ("H", GPU)):
            await pilot.press("ctrl+y")
            assert isinstance(app.screen, Picker)
            await pilot.press(key)
            await pilot.done()
            assert app.clipboard == whole.hosts_of(mask)
        for key, mask in (("r", BIGMEM), ("R", GPU)):
            app.export.copy_choice(key)
            await pilot.done()
            assert app.clipboard == str(whole.ranks_of(mask))
        for key, mask in (("d", BIGMEM), ("D", GPU)):
            app.export.copy_choice(key)
            await pilot.done()
            assert ranks(app.clipboard) == whole.ranks_of(mask)
        for key, mask in (("t", BIGMEM), ("T", GPU)):
            app.export.copy_choice(key)
            await pilot.done()
            rows = list(csv.reader(io.StringIO(app.clipboard, newline="")))
            assert len(rows) == 1 + mask.bit_count()
        # What is selected and matches is offered once.
        await pilot.afresh(requires="gpu")
        app.edit(Select(GPU))
        found = [choice for choice in copying.choices(app.state) if "nodes as" in choice.label]
        assert [choice.key for choice in found] == ["d", "t"]
        assert all(choice.label.startswith("selected") for choice in found)
        # The copy menu leads to files.
        await pilot.afresh(requires="gpu")
        await pilot.press("ctrl+y", "w")
        assert isinstance(app.screen, Picker)
        assert "Save nodes in a file" in screen_text(app)
        # No nodes to save.
        await pilot.afresh(requires="nosuch")
        await into(app, pilot)
        await pilot.press("w")
        assert not isinstance(app.screen, Picker)
        assert "No node is selected or matches" in messages(app)[0]
        # It is in the palette.
        await pilot.afresh(requires="gpu")
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert "Copy: matching nodes as an R document" in titles


async def test_too_much_for_a_clipboard_is_said_and_not_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copying, "MOST", 1000)
    async with workbench_at(on=cluster(500)) as (app, pilot):
        app.export.copy_choice("t")
        await pilot.done()
        assert app.clipboard == ""
        (told,) = messages(app)
        assert told.startswith("Not copied: all nodes as a table")
        assert "ctrl+y, then w, saves" in told
        app.export.copy_choice("h")
        await pilot.done()
        assert app.clipboard == "n[0-499]"


FORMS: tuple[nodes.Form, ...] = ("R", "csv", "matrix", "hosts", "ranks")


@given(taken)
def test_a_text_is_refused_where_it_is_longer_and_not_before(of: tuple[Resources, int]) -> None:
    for form in FORMS:
        text = nodes.text_of(*of, form, 1 << 20)
        assert text is not None
        pieces = "".join(nodes.take(*of, form, lambda: False).pieces)
        assert pieces == text if form in ("csv", "matrix") else f"{text}\n"
        assert nodes.text_of(*of, form, len(text)) == text
        assert not text or nodes.text_of(*of, form, len(text) - 1) is None


@pytest.mark.parametrize("form", ["R", "ranks"])
def test_what_is_too_long_is_not_made(form: nodes.Form, monkeypatch: pytest.MonkeyPatch) -> None:
    found = resources.read_text(big.text(big.alternating(20_000)))
    even = found.properties["even"]
    text = nodes.text_of(found, even, form, 1 << 20)
    assert text is not None
    monkeypatch.setattr(nodes, "take", None)
    # A rank is counted as one digit and a comma, so that only what is far too long is not begun.
    assert nodes.text_of(found, even, form, len(text) // 3) is None


def test_the_hosts_are_made_up_to_what_is_too_long() -> None:
    found = resources.read_text(big.text(big.prefixes(100_000)))
    made = list(nodes._parts(found, found.everything, "R"))
    assert sum(made) > 1_700_000
    assert max(made) < 200_000  # so that one can stop in between


async def test_copying_that_takes_long_is_said_and_escape_stops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on, take = threading.Event(), nodes.take

    def slowly(of: Resources, mask: int, form: nodes.Form, stop: Stop) -> nodes.Taken:
        go_on.wait(10)
        return take(of, mask, form, stop)

    monkeypatch.setattr(nodes, "take", slowly)
    monkeypatch.setattr(taking, "MOMENT", 0.01)
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        app.export.copy_choice("h")
        await pilot.until(lambda: "copying selected hosts …  esc stops" in screen_text(app))
        await pilot.press("escape")
        assert "copying" not in screen_text(app)
        assert app.state.selected == GPU
        go_on.set()
        await pilot.done()
        assert app.clipboard == ""
        assert "Not copied: selected hosts" in messages(app)[-1]
        app.export.copy_choice("h")
        await pilot.done()
        assert app.clipboard == demo().resources.hosts_of(GPU)
        assert "copying" not in screen_text(app)


async def test_of_copying_that_is_done_at_once_no_word_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(taking, "MOMENT", 60)
    async with workbench_at(requires="gpu") as (app, pilot):
        said: list[str] = []
        monkeypatch.setattr(app.views.active, "show_busy", said.append)
        app.export.copy_choice("h")
        await pilot.done()
        assert app.clipboard == demo().resources.hosts_of(GPU)
        assert said == []


# Files


async def test_nodes_are_saved_in_every_form(here: Path) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # W saves the selected nodes as an r document.
        await into(app, pilot)
        app.edit(Select(BIGMEM))
        await pilot.press("w")
        assert "selected nodes as an R document" in screen_text(app)
        assert "matching nodes as an R document" in screen_text(app)
        await pilot.press("d")
        assert isinstance(app.screen, PathDialog)
        assert "Save 8 selected nodes" in screen_text(app)
        await pilot.press("enter")
        await pilot.done()
        text = (here / "nodes.json").read_text()
        assert text.count("\n") == 1
        assert ranks(text) == demo().resources.ranks_of(BIGMEM)
        assert "Saved 8 nodes: " in messages(app)[0]
        assert app.focused is app.views.view
        # Every form of what matches.
        for key, name in [
            ("d", "nodes.json"),
            ("t", "nodes.csv"),
            ("m", "nodes.csv"),
            ("h", "hosts.txt"),
            ("r", "ranks.txt"),
        ]:
            whole = demo().resources
            (here / name).unlink(missing_ok=True)
            await pilot.afresh(requires="gpu")
            await into(app, pilot)
            await pilot.press("w", key, "enter")
            await pilot.done()
            text = (here / name).read_bytes().decode()
            match key:
                case "d":
                    assert ranks(text) == whole.ranks_of(GPU)
                case "h":
                    assert text == f"{whole.hosts_of(GPU)}\n"
                case "r":
                    assert text == f"{whole.ranks_of(GPU)}\n"
                case _:
                    head, *rows = csv.reader(io.StringIO(text, newline=""))
                    assert [int(row[0]) for row in rows] == list(whole.ranks_of(GPU))
                    assert ("bigmem" in head) == (key == "m")
                    assert text.count("\r\n") == len(rows) + 1


async def test_a_file_that_is_there_is_overwritten_after_enter_twice(here: Path) -> None:
    (here / "nodes.json").write_text("mine")
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        await pilot.press("w", "d", "enter")
        await pilot.done()
        assert "nodes.json exists. Press enter again" in screen_text(app)
        assert (here / "nodes.json").read_text() == "mine"
        await pilot.put("other.json", "Input")
        await pilot.put("nodes.json", "Input")
        await pilot.press("enter")
        await pilot.done()
        assert (here / "nodes.json").read_text() == "mine"
        await pilot.press("enter")
        await pilot.done()
        assert ranks((here / "nodes.json").read_text()) == demo().resources.ranks_of(GPU)


async def test_paths_that_will_not_do_and_those_that_do(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # A path that will not do.
        for path, why in [
            ("", "Type a path."),
            ("none/R.json", "There is no folder"),
            (".", "folder"),
        ]:
            await pilot.afresh(requires="gpu")
            await into(app, pilot)
            await pilot.press("w", "d")
            await pilot.put(path, "Input")
            await pilot.press("enter")
            await pilot.done()
            assert why in screen_text(app)
            await pilot.press("escape")
            assert not any(path.is_file() for path in here.iterdir())
        # What is saved is what was asked about.
        await pilot.afresh(requires="gpu")
        await into(app, pilot)
        await pilot.press("w", "r")
        app.edit(Select(1))
        await pilot.press("enter")
        await pilot.done()
        assert (here / "ranks.txt").read_text() == f"{demo().resources.ranks_of(GPU)}\n"


async def test_what_the_document_does_not_have_is_said(here: Path) -> None:
    raw = document(4, nslots=8)
    del raw["execution"]["nodelist"]
    (here / "R.json").write_text(json.dumps(raw))
    async with workbench_at(source="R.json", requires="rank:1", notifications=True) as (app, pilot):
        await pilot.done()
        await into(app, pilot)
        await pilot.press("w", "d", "enter")
        await pilot.done()
        told = "\n".join(messages(app))
        assert "Saved 1 node: " in told
        assert "nslots is left out" in told
        assert "host names are not known" in told


async def test_escape_stops_the_writing_and_leaves_no_file(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, take = threading.Event(), threading.Event(), nodes.take

    def slowly(of: Resources, mask: int, form: nodes.Form, stop: Stop) -> nodes.Taken:
        began.set()
        go_on.wait(10)
        return take(of, mask, form, stop)

    monkeypatch.setattr(nodes, "take", slowly)
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("w", "t", "enter")
        await pilot.until(began.is_set)
        assert "writing nodes.csv …  esc stops" in screen_text(app)
        await pilot.press("escape")
        assert "writing" not in screen_text(app)
        assert app.state.selected == GPU
        go_on.set()
        await pilot.done()
        assert "nodes.csv was not written" in messages(app)[-1]
        assert not any(path.is_file() for path in here.iterdir())
        await pilot.press("escape")
        assert app.state.selected == 0


async def test_one_may_be_written_while_another_is(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, take = threading.Event(), nodes.take

    def slowly(of: Resources, mask: int, form: nodes.Form, stop: Stop) -> nodes.Taken:
        if form == "csv":
            go_on.wait(10)
        return take(of, mask, form, stop)

    monkeypatch.setattr(nodes, "take", slowly)
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        await pilot.press("w", "t", "enter")
        await pilot.until(lambda: "writing nodes.csv" in screen_text(app))
        await pilot.press("w", "r", "enter")
        await pilot.until((here / "ranks.txt").exists)
        go_on.set()
        await pilot.done()
        assert len((here / "nodes.csv").read_text().splitlines()) == 1 + GPU.bit_count()
        assert "writing" not in screen_text(app)


async def test_hosts_are_offered_where_there_are_some(here: Path) -> None:
    raw = document(4)
    del raw["execution"]["nodelist"]
    (here / "R.json").write_text(json.dumps(raw))
    async with workbench_at(source="R.json", requires="rank:1") as (app, pilot):
        await pilot.done()
        keys = [choice.key for choice in copying.choices(app.state)]
        assert "h" not in keys
        assert "r" in keys
        await into(app, pilot)
        await pilot.press("w")
        assert "matching ranks" in screen_text(app)
        assert "matching hosts" not in screen_text(app)
