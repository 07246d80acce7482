"""The library of examples: finding and taking one by keys; a whole job written by keys."""

from pathlib import Path

import yaml
from textual.widgets import Input

from fluxtui import library
from fluxtui.library import Example
from fluxtui.ui.job.examples import examples_picker
from fluxtui.ui.kit.picker import Picker
from tests.ui.helpers import NARROW, SHAPE, SIZES, workbench_at
from tests.ui.seen import plain, screen_text
from tests.ui.writing import fill


def found(words: str) -> list[str]:
    return [example.title for example in library.find(words)]


async def test_an_example_is_found_seen_and_taken() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        taken: list[Example | None] = []

        async def begin(*keys: str) -> Picker[Example]:
            taken.clear()
            picker = examples_picker(app.palette)
            app.push_screen(picker, taken.append)
            await pilot.settle()
            await pilot.burst(*keys)
            return picker

        def chosen() -> str:
            return plain(app, "#picker-preview").partition("\n")[0]

        for size in SIZES:
            await pilot.resize_terminal(*size)
            picker = await begin()
            assert picker.labels == found("")
            parts = ("#picker-rows", "#picker-preview")
            rows, beside = (app.screen.query_one(part).region for part in parts)
            assert rows.bottom <= beside.y if size == NARROW else rows.right <= beside.x
            assert library.entries()[0].shape in screen_text(app)
            await pilot.burst(*["down"] * 60)
            assert chosen() == found("")[60]
            await pilot.press("escape")
            assert taken == [None]
            assert app.focused is app.query_one("#shape-input")
        await begin(*"nonesuch", "enter")
        assert "No example has all of these words." in screen_text(app)
        assert taken == []
        await pilot.burst(*["backspace"] * 8, *"gpu", "down")
        assert chosen() == found("gpu")[1]
        assert f"{len(found('gpu'))} of {len(found(''))}" in screen_text(app)
        await pilot.press("escape")
        # Enter takes what was typed right before; what to do with it is for who asked.
        await begin(*"mpi", "down", "enter")
        assert taken == [library.find("mpi")[1]]
        assert app.state.build.text == SHAPE
        # Page keys scroll the preview; another example is shown from its top.
        await pilot.resize_terminal(*NARROW)
        await begin(*"14 1.5", *["pagedown"] * 9)
        assert "HOME: /home/flux" in screen_text(app)
        await pilot.burst("backspace", *"6")
        assert app.screen.query_one("#picker-preview").scroll_offset.y == 0


DOCUMENTS = {example.id: example.document for example in library.entries()}

# The use cases of RFC 25, one of them by keys alone.
WRITTEN = {
    "rfc25-example": ("node=4/slot/core=2", {"command": "app"}),
    "rfc25-1.1": ("node=4/slot/core", {"command": "flux start"}),
    "rfc25-2.1": ("node=4/slot{myslot}/core", {"command": "hostname", "tasks": "total=5"}),
    "rfc25-2.2": ("slot=10/core=2", {"command": "myapp"}),
    "rfc25-2.3": ("slot=10/[core=2;gpu]", {"command": "myapp"}),
    "rfc25-2.4": ("node=4/slot=4/[core;gpu]", {"command": "myapp"}),
}

COMMON = {"duration": "1h", "cwd": "/home/flux", "environment": "HOME=/home/flux"}


async def test_the_use_cases_of_rfc_25_are_written_from_blank(tmp_path: Path) -> None:
    async with workbench_at() as (app, pilot):
        for name, (shape, own) in WRITTEN.items():
            await pilot.afresh()
            await pilot.burst(*shape)
            await pilot.press("escape", "f12")
            for field, text in {**own, **COMMON}.items():
                if name == "rfc25-2.1":
                    await fill(pilot, field, text)
                else:
                    await pilot.put(text, f"#field-{field}")
            await pilot.press("ctrl+s", "end")
            entry, path = app.screen.query_one("#save-path", Input), tmp_path / f"{name}.yaml"
            await pilot.burst(*["backspace"] * len(entry.value), *str(path), "enter")
            await pilot.done()
            assert yaml.safe_load(path.read_text()) == DOCUMENTS[name]
