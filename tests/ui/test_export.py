"""What is taken away: to the clipboard by the copy menu, and nodes into a file."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given

from fluxtui.answers.export import csv_lines
from fluxtui.model.cancellation import Stop, never_stop
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.opening import nodes
from fluxtui.ui.kit.path import PathDialog
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session import exporting, tasks
from fluxtui.workbench import ReplaceJob, Select, TypeField
from tests import big
from tests.model.clusters import taken
from tests.ui.documents import cluster, demo, document, write_document
from tests.ui.helpers import NARROW, REQUIRES, SHAPE, Hands, workbench_at
from tests.ui.maps import into
from tests.ui.seen import lacking, messages, screen_text

GPU = demo().resources.properties["gpu"]
BIGMEM = demo().resources.properties["bigmem"]


def ranks(text: str) -> Any:
    """The ranks of an R document that is as it should be."""
    found = resources.read_text(text)
    assert found.problems == ()
    return found.ranks


async def copied(pilot: Hands, key: str) -> str:
    """What is on the clipboard once that with this key in the menu was copied."""
    app = pilot.workbench
    app.export.copy_choice(next(one for one in app.export.choices() if one.key == key))
    await pilot.done()
    return app.clipboard


async def test_every_choice_copies_what_it_says() -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires=REQUIRES) as (app, pilot):
        state, whole = app.state, demo().resources
        outlook, mask = state.outlook, state.ask.mask
        keys = [choice.key for choice in app.export.choices() if not choice.key.isdigit()]
        found = {key: await copied(pilot, key) for key in keys}
        for key in "yj":
            assert yaml.safe_load(found.pop(key)) == state.jobspec()
        assert json.loads(found.pop("f")) == outlook.own.stored
        assert json.loads(found.pop("c")) == to_json(state.ask.constraint)
        assert resources.read_text(found.pop("d")).ranks == whole.ranks_of(mask)
        assert found.pop("b").startswith("sbatch -n4 -N4 ")
        assert found == {
            "s": SHAPE,
            "h": whole.hosts_of(mask, limit=None),
            "r": str(whole.ranks_of(mask)),
            "t": "".join(csv_lines(whole, mask)),
            "n": whole.host(0),
            "p": whole.hosts_of(outlook.placement.mask, limit=None),
            "l": "flux submit -N4 -n4 -c8 -g1 --requires='gpu&-debug' app",
        }


async def test_a_copied_job_is_said_to_lack_what_cannot_be_read() -> None:
    async with workbench_at(NARROW, shape="slot=4/[core=8;]", requires="gpu|") as (app, pilot):
        assert await copied(pilot, "l") == "flux submit -n4 -c8 app"
        assert "the shape has an error: the job asks for slot=4/core=8" in messages(app)[-1]
        assert "the constraint has an error: the job has none" in messages(app)[-1]
        assert await copied(pilot, "s") == "slot=4/[core=8;]"
        assert "error" not in messages(app)[-1]


async def test_what_a_terminal_would_obey_is_copied_in_escapes_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workbench_at(NARROW, shape="node=4/slot/core=8") as (app, pilot):
        app.edit(TypeField("command", r"printf '%s' $'a\x1b[201~b'"))
        await pilot.go("commands")
        script = next(c for c in app.export.choices() if c.label == "flux batch script")
        assert (script.text(never_stop) or "").startswith("#!/bin/sh\n")
        await pilot.do("ctrl+y", "1")
        assert app.clipboard.startswith("flux run ")
        assert app.clipboard.endswith(r"""printf %s a"$(printf '\033')"'[201~b'""")
        named = jobspec.with_system(app.state.jobspec(), "job", {"name": "a\x1bb"})
        await pilot.edit(ReplaceJob(named))  # a directive has no escapes
        assert "flux batch script" not in [choice.label for choice in app.export.choices()]
        # Too much for a clipboard is not copied.
        await pilot.afresh(on=cluster(500))
        monkeypatch.setattr(exporting, "MOST", 1000)
        assert await copied(pilot, "t") == ""
        (told,) = messages(app)
        assert told.startswith("Not copied: all nodes as a table")
        assert "ctrl+y, then w saves" in told
        assert await copied(pilot, "h") == "n[0-499]"


FORMS: tuple[nodes.Form, ...] = ("R", "csv", "matrix", "hosts", "ranks")


@given(taken)
def test_a_text_is_refused_where_it_is_longer_and_not_before(of: tuple[Resources, int]) -> None:
    for form in FORMS:
        text = nodes.text_of(*of, form, 1 << 20)
        assert text is not None
        pieces = "".join(nodes.export(*of, form, lambda: False).pieces)
        assert pieces == text if form in ("csv", "matrix") else f"{text}\n"
        assert nodes.text_of(*of, form, len(text)) == text
        assert not text or nodes.text_of(*of, form, len(text) - 1) is None


@pytest.mark.parametrize("form", ["R", "ranks"])
def test_what_is_too_long_is_not_made(form: nodes.Form, monkeypatch: pytest.MonkeyPatch) -> None:
    found = resources.read_text(big.text(big.alternating(20_000)))
    even = found.properties["even"]
    text = nodes.text_of(found, even, form, 1 << 20)
    assert text is not None
    monkeypatch.setattr(nodes, "export", None)
    # A rank is counted as one digit and a comma, so that only what is far too long is not begun.
    assert nodes.text_of(found, even, form, len(text) // 3) is None


class Slow:
    """Makes the taking of nodes in some forms wait until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *forms: str) -> None:
        self.began, self.go_on = threading.Event(), threading.Event()
        export = nodes.export

        def slowly(of: Resources, mask: int, form: nodes.Form, stop: Stop) -> nodes.Exported:
            if form in forms:
                self.began.set()
                self.go_on.wait(10)
            return export(of, mask, form, stop)

        monkeypatch.setattr(nodes, "export", slowly)


async def test_escape_stops_copying_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch, "hosts")
    monkeypatch.setattr(tasks, "MOMENT", 0.01)
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        copying_it = asyncio.create_task(copied(pilot, "h"))
        await pilot.until(lambda: "copying selected hosts …  esc stops" in screen_text(app))
        await pilot.press("escape")
        assert "copying" not in screen_text(app)
        assert app.state.selected == GPU
        slow.go_on.set()
        assert await copying_it == ""
        assert "Not copied: selected hosts" in messages(app)[-1]
        # What is done at once is not worth a word.
        monkeypatch.setattr(tasks, "MOMENT", 60)
        said: list[str] = []
        monkeypatch.setattr(app.views, "show_busy", said.append)
        assert await copied(pilot, "h") == demo().resources.hosts_of(GPU)
        assert said == []


async def test_escape_stops_the_writing_and_leaves_no_file(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch, "csv")
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("w", "t", "enter")
        await pilot.until(slow.began.is_set)
        await pilot.until(lambda: "writing nodes.csv …  esc stops" in screen_text(app))
        await pilot.press("w", "r", "enter")  # another one may be written meanwhile
        await pilot.until((here / "ranks.txt").exists)
        await pilot.press("escape")
        assert "writing" not in screen_text(app)
        assert app.state.selected == GPU
        slow.go_on.set()
        await pilot.done()
        assert "nodes.csv was not written" in messages(app)[-1]
        assert not (here / "nodes.csv").exists()
        await pilot.press("escape")
        assert app.state.selected == 0
        # Of what was stopped too late it is said that it was written.
        written, go_on = threading.Event(), threading.Event()

        def write(path: str, stop: Stop) -> tuple[bool, tuple[Problem, ...]]:
            written.set()
            return go_on.wait(10), ()

        app.saving.write("a note", write, "note.txt")
        await pilot.until(written.is_set)
        await pilot.until(lambda: "writing note.txt …  esc stops" in screen_text(app))
        await pilot.press("escape")
        go_on.set()
        await pilot.done()
        assert messages(app)[-1] == "Saved a note: note.txt"


async def test_nodes_are_saved_in_every_form(here: Path) -> None:
    saved: tuple[tuple[str, str, nodes.Form], ...] = (
        ("d", "nodes.json", "R"),
        ("t", "nodes.csv", "csv"),
        ("m", "nodes.csv", "matrix"),
        ("h", "hosts.txt", "hosts"),
        ("r", "ranks.txt", "ranks"),
    )
    async with workbench_at(NARROW, requires="gpu") as (app, pilot):
        await into(app, pilot)
        for key, name, form in saved:
            (here / name).unlink(missing_ok=True)
            await pilot.do("w", key, "enter")
            end = "" if name == "nodes.csv" else "\n"
            text = nodes.text_of(demo().resources, GPU, form, 1 << 20)
            assert (here / name).read_bytes().decode() == f"{text}{end}"


async def test_it_is_asked_which_nodes_and_where(here: Path) -> None:
    async with workbench_at(NARROW, requires="gpu") as (app, pilot):
        await into(app, pilot)
        app.edit(Select(BIGMEM))
        await pilot.press("ctrl+y", "w")  # the copy menu leads there too
        assert not lacking(
            screen_text(app), "selected nodes as an R document", "matching nodes as an R document"
        )
        await pilot.press("d")
        assert isinstance(app.screen, PathDialog)
        assert "Save 8 selected nodes" in screen_text(app)
        app.edit(Select(1))  # what is saved is what was asked about
        await pilot.do("enter")
        assert ranks((here / "nodes.json").read_text()) == demo().resources.ranks_of(BIGMEM)
        assert "Saved 8 selected nodes: " in messages(app)[0]
        # A file that is there is overwritten after enter a second time; a name typed anew is asked
        # about anew.
        app.edit(Select(0))
        await pilot.do("w", "d", "enter")
        assert "nodes.json exists. Press enter again" in screen_text(app)
        for name in ("other.json", "nodes.json"):
            await pilot.put(name, "Input")
        await pilot.do("enter")
        assert ranks((here / "nodes.json").read_text()) == demo().resources.ranks_of(BIGMEM)
        await pilot.do("enter")
        assert ranks((here / "nodes.json").read_text()) == demo().resources.ranks_of(GPU)
        for path, why in [
            ("", "Type a path."),
            ("none/R.json", "There is no folder"),
            (".", "fold"),
        ]:
            await pilot.press("w", "d")
            await pilot.put(path, "Input")
            await pilot.do("enter")
            assert why in screen_text(app)
            await pilot.press("escape")
        assert [path.name for path in here.iterdir()] == ["nodes.json"]
        await pilot.put("nosuch")
        await into(app, pilot)
        await pilot.press("w")
        assert not isinstance(app.screen, Picker)
        assert "No node is selected or matches" in messages(app)[-1]


async def test_what_the_document_does_not_have_is_said(here: Path) -> None:
    raw = document(4, nslots=8)
    del raw["execution"]["nodelist"]
    path = write_document(here / "R.json", raw)
    async with workbench_at(NARROW, source=path, requires="rank:1") as (app, pilot):
        await pilot.done()
        keys = [choice.key for choice in exporting.choices(app.state)]
        assert "h" not in keys
        assert "r" in keys
        await into(app, pilot)
        await pilot.press("w")
        assert "matching ranks" in screen_text(app)
        assert "matching hosts" not in screen_text(app)
        await pilot.do("d", "enter")
        told = "\n".join(messages(app))
        assert not lacking(
            told, "Saved 1 matching node: ", "nslots is left out", "host names are not known"
        )
