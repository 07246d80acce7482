"""What is said of a job while one of its texts cannot be read, or a queue refuses it."""

from pathlib import Path

import pytest
from textual.widgets import Static

from fluxtui.model.documents.document import read_yaml
from fluxtui.model.jobspec import jobspec
from fluxtui.ui.app import FluxTUI
from fluxtui.workbench import TypeField
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    Hands,
    row_of,
    screen_text,
    shown,
    workbench_at,
)
from tests.ui.writing import fill, system

SHAPE = "node=2/slot/core=4"


async def told(pilot: Hands) -> str:
    """What the dialog of the verdicts says, in one line."""
    await pilot.press("ctrl+l")
    await pilot.settle()
    assert isinstance(pilot.app, FluxTUI)
    text = " ".join(screen_text(pilot.app).replace("│", " ").split())
    await pilot.press("escape")
    return text


# A field of the form


async def test_wrong_fields_are_named() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # A wrong field counts and is named.
        await pilot.press("f12")
        await fill(pilot, "duration", "2 hours")
        assert system(app)["duration"] == 0.0
        assert "✗ Duration '2 hours'" in row_of(app, "#verdicts")
        text = await told(pilot)
        assert "Duration '2 hours' cannot be read" in text
        assert "expected 2h" in text
        assert "Nothing is wrong" not in text
        await pilot.burst(*["backspace"] * 6, "h")
        assert "Duration" not in row_of(app, "#verdicts")
        assert system(app)["duration"] == 7200.0
        # A field that was left is what the next change begins with.
        await pilot.afresh(shape=SHAPE, size=(200, 50))
        await pilot.press("f12")
        await fill(pilot, "duration", "1h")
        await pilot.press("down", "up")
        await fill(pilot, "duration", "3 parsecs")
        assert system(app)["duration"] == 3600.0
        assert "kept: 1 hour" in app.panes["form"].rows["duration"].words
        for _ in range(2):
            await pilot.press("ctrl+z")
        assert system(app)["duration"] == 3600.0
        # Hints are cut between words.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        await pilot.press("f12")
        for row in app.panes["form"].rows.values():
            if row.field.multiline or row.target.value:
                continue
            line = row.target.render_line(0).text.rstrip()
            assert line == row.field.hint or line.endswith("…")
            words = line.removesuffix("…").split()
            assert row.field.hint.split()[: len(words) - 1] == words[:-1]
            assert any(word.startswith(words[-1].rstrip(",:")) for word in row.field.hint.split())
            assert words[-1].rstrip(",:") in [w.rstrip(",:") for w in row.field.hint.split()]


async def test_what_is_saved_instead_of_a_wrong_field_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        app.edit(TypeField("job-name", "a"))
        await pilot.press("f12")
        await fill(pilot, "duration", "90m")
        await pilot.press("down", "up")
        await fill(pilot, "duration", "2 hours")
        await pilot.press("ctrl+s")
        note = str(app.screen.query_one(".note", Static).render())
        assert "Duration '2 hours' cannot be read; it is saved with 90m." in note
        await pilot.press("enter")
        await pilot.done()
        saved = read_yaml((tmp_path / "jobspec.yaml").read_text()).value
        assert jobspec.system(saved)["duration"] == 5400.0


# YAML and JSON


async def test_an_error_stands_whole_below_the_text() -> None:
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        # A message is not shown twice while it stands.
        await pilot.burst(*["ctrl+z"] * 5)
        assert len(app._notifications) == 1
        app.notify("something else")
        await pilot.settle()
        assert len(app._notifications) == 2
        for size in (NARROW, WIDE):
            await pilot.afresh(shape=SHAPE, size=size)
            app.go_to("text")
            await pilot.settle()
            await pilot.press("enter", "down", "end")
            await pilot.burst(*" a: b")
            (problem, *_) = app.state.job.raw.problems  # type: ignore[union-attr]
            assert app.panes["text"].trouble is not None
            assert shown(app.panes["text"].trouble)
            said = " ".join(line.plain.strip() for line in app.panes["text"].trouble.lines)
            assert said == f"line 2: {problem.message}"
            drawn = " ".join(screen_text(app).split())
            for word in problem.message.split():
                assert word in drawn
            assert app.panes["text"].trouble.size.height == len(app.panes["text"].trouble.lines)
            await pilot.press("escape")
            assert shown(app.panes["text"].trouble)
