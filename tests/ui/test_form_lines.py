"""A field of many lines: its row in the form, and the box that it is written in."""

from rich.text import Text
from textual import events

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.dialogs.lines import LinesDialog
from tests.ui.helpers import SHAPE, afresh, burst, press, settle, workbench_at
from tests.ui.writing import system


def box(app: FluxTUI) -> LinesDialog:
    """The box that is open."""
    assert isinstance(app.screen, LinesDialog)
    return app.screen


def script(app: FluxTUI) -> object:
    """The text of the job's script; None where it has none."""
    return system(app).get("files", {}).get("script", {}).get("data")


# The row


async def test_what_is_typed_on_the_row_is_text_of_the_box() -> None:
    async with workbench_at() as (app, pilot):
        # What is typed on the row is text of the box.
        for fast in [False, True]:
            await afresh(app, pilot, shape=SHAPE)
            await press(pilot, "f12", "down")
            before = app.state
            text = [*"#!/bin/sh", "enter", *"cs[?]"]
            await (burst if fast else press)(pilot, *text)
            assert box(app).editor.text == "#!/bin/sh\ncs[?]"
            assert app.state.ask.text == ""
            assert app.state is before
            await press(pilot, "ctrl+s")
            assert script(app) == "#!/bin/sh\ncs[?]"
            assert app.focused is app.form_pane.rows["script"].target
        # A burst goes through the box and on.
        await afresh(app, pilot, shape=SHAPE)
        await burst(pilot, "f12", "down", *"#!/bin/sh", "escape")
        assert script(app) == "#!/bin/sh"
        await burst(pilot, "enter", "enter", *"date", "ctrl+s")
        assert script(app) == "#!/bin/sh\ndate"
        # What is typed on the row goes on from what stands there.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "down", *"#!/bin/sh", "escape", "x", "escape")
        assert script(app) == "#!/bin/shx"
        # A paste on the row is text of the box.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "down")
        app.post_message(events.Paste("#!/bin/sh\r#SBATCH -n 4\rdate\r"))
        await settle(pilot)
        assert box(app).editor.text == "#!/bin/sh\n#SBATCH -n 4\ndate\n"
        # Keys that are no text do what they do on the row.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "down", "down", "up")
        assert app.focused is app.form_pane.rows["script"].target
        await press(pilot, "tab")
        assert len(app.screen_stack) == 1
        assert app.focused is not app.form_pane.rows["script"].target
        # A blank stands between a label and the text.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        for row in app.form_pane.rows.values():
            assert row.target.region.x > row.label.region.x + len("✗ Shell options")


# The box


async def test_escape_and_undo_in_the_box() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # Escape keeps what was typed and one step takes it back.
        await press(pilot, "f12", "down", "enter", *"#!/bin/sh", "enter", *"date")
        assert "esc" in str(box(app).box.border_subtitle)
        await press(pilot, "escape")
        assert script(app) == "#!/bin/sh\ndate"
        await press(pilot, "ctrl+z")
        assert script(app) is None
        await press(pilot, "ctrl+r")
        assert script(app) == "#!/bin/sh\ndate"
        # Escape changes nothing where nothing was typed.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "down")
        before = app.state.jobspec()
        await press(pilot, "enter", "x", "backspace", "escape")
        assert len(app.screen_stack) == 1
        assert app.state.jobspec() == before
        assert not app.history.past
        # Undo and redo in the box.
        for redo in ["ctrl+r", "ctrl+y"]:
            await afresh(app, pilot, shape=SHAPE)
            await press(pilot, "f12", "down", "enter", *"date", "ctrl+z")
            assert box(app).editor.text == ""
            await press(pilot, redo)
            assert box(app).editor.text == "date"
        # Escape leaves a request that nobody typed in.
        await afresh(app, pilot)
        app.push_screen(LinesDialog("A title", "a note", "srun app", Text))
        await settle(pilot)
        await press(pilot, "x", "backspace", "ctrl+z", "ctrl+z", "escape")
        assert len(app.screen_stack) == 1


async def test_escape_asks_before_a_request_goes() -> None:
    ended: list[str | None] = []
    async with workbench_at() as (app, pilot):
        app.push_screen(LinesDialog("A title", "a note", "srun app", Text), ended.append)
        await settle(pilot)
        await press(pilot, "x", "escape")
        assert "again" in str(box(app).box.border_subtitle)
        assert "escape again" in str(box(app).told.content)
        await press(pilot, "y")
        assert "again" not in str(box(app).box.border_subtitle)
        assert str(box(app).told.content) == box(app).editor.text
        await press(pilot, "escape")
        assert ended == []
        await press(pilot, "escape")
        assert ended == [None]


async def test_long_lines_and_replaced_commands() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # The cursor stays in sight in a long line.
        await press(pilot, "f12", "down", "enter")
        app.post_message(events.Paste("x" * 300))
        await settle(pilot)
        editor = box(app).editor
        assert 0 < 300 - editor.scroll_offset.x < editor.size.width
        await press(pilot, "home")
        assert editor.scroll_offset.x == 0
        # A command that a script takes the place of is named.
        await afresh(app, pilot, shape=SHAPE, size=(200, 50))
        await press(pilot, "f12", *"train.py -v", "down")
        help_line = app.form_pane._help
        assert "train.py" not in help_line.plain
        await press(pilot, *"#!/bin/sh", "escape")
        assert "in place of the command train.py -v" in help_line.plain
        assert "ctrl+z" in help_line.plain
        await press(pilot, "enter", "enter", "x", "escape")
        assert "in place of the command train.py -v" in help_line.plain
        while app.history.past:
            await press(pilot, "ctrl+z")
        assert "in place of" not in help_line.plain
        # A plain command is not missed.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "down", *"#!/bin/sh", "escape")
        assert "in place of" not in app.form_pane._help.plain


# What the script runs in place of
