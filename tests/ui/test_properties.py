"""Properties in the workbench: into the constraint and out of it, and their nodes on the map."""

import pytest

from fluxtui.ui.turning import Turner
from fluxtui.workbench import Select, TypeRequires, start, step
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    afresh,
    cluster,
    demo,
    messages,
    plain,
    press,
    put,
    settle,
    workbench_at,
)
from tests.ui.properties import frame, into, names, signs

PROPERTIES = demo().resources.properties
SIZED = pytest.mark.parametrize("nodes", [200, 1_000_000])


async def test_properties_are_asked_for_by_keys_and_clicks() -> None:
    async with workbench_at(requires="gpu|bigmem") as (app, pilot):
        # Enter requires and enter again drops.
        await into(app, pilot, "genoa")
        await press(pilot, "enter")
        assert app.state.ask.text == "(gpu|bigmem)&genoa"
        assert signs(app) == {"gpu": "either", "bigmem": "either", "genoa": "required"}
        await press(pilot, "space")
        assert app.state.ask.text == "gpu|bigmem"
        assert "genoa" not in signs(app)
        await press(pilot, "enter", "ctrl+z")
        assert app.state.ask.text == "gpu|bigmem"
        # An exclamation mark excludes and enter turns that round.
        await afresh(app, pilot, requires="gpu")
        await into(app, pilot, "debug")
        for key, text, standing in (
            ("exclamation_mark", "gpu&-debug", "excluded"),
            ("enter", "gpu&debug", "required"),
            ("exclamation_mark", "gpu&-debug", "excluded"),
            ("exclamation_mark", "gpu", None),
        ):
            await press(pilot, key)
            assert app.state.ask.text == text
            assert app.query_one("#constraint-input").value == text  # type: ignore[attr-defined]
            assert signs(app).get("debug") == standing
        for _ in range(4):
            await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu"
        # A condition in the midst comes back to its place.
        await afresh(app, pilot, requires="ssd & gpu & -debug")
        await into(app, pilot, "gpu")
        await press(pilot, "enter")
        assert app.state.ask.text == "ssd & -debug"
        await press(pilot, "enter")
        assert app.state.ask.text == "ssd & gpu & -debug"
        await press(pilot, "enter")
        await put(pilot, "ssd & -debug&rack1")  # another text, in which it has no place
        await into(app, pilot, "gpu")
        await press(pilot, "enter")
        assert app.state.ask.text == "ssd & -debug&rack1&gpu"
        # A click on the sign turns it at once.
        await afresh(app, pilot, size=NORMAL)
        await pilot.click("#properties", offset=(0, 1))
        await settle(pilot)
        assert app.state.ask.text == "batch"
        await pilot.click("#properties", offset=(0, 1))
        await settle(pilot)
        assert app.state.ask.blank
        await pilot.click("#properties", offset=(5, 2))
        await settle(pilot)
        assert app.state.ask.blank
        await pilot.double_click("#properties", offset=(5, 2))
        await settle(pilot)
        assert app.state.ask.text == "debug"
        # An unfinished constraint is left alone.
        await afresh(app, pilot, size=WIDE)
        await put(pilot, "gpu&(")
        await into(app, pilot, "debug")
        for key in ("enter", "exclamation_mark"):
            await press(pilot, key)
            assert app.state.ask.text == "gpu&("
            assert "Finish the constraint" in messages(app)[-1]
        # A selects its nodes and a again does not.
        await afresh(app, pilot, size=NORMAL)
        app.edit(Select(0b1))
        await into(app, pilot, "gpu")
        await press(pilot, "a")
        assert app.state.selected == 0b1 | PROPERTIES["gpu"]
        assert "24 selected" in plain(app, "#property-details")
        await press(pilot, "down", "a")
        assert app.state.selected == 0b1 | PROPERTIES["gpu"] | PROPERTIES["bigmem"]
        await press(pilot, "up", "a")
        assert app.state.selected == 0b1 | PROPERTIES["bigmem"]
        assert "selected" not in plain(app, "#property-details")
        # The palette does the same.
        for command, text in [
            ("Require the property", "login"),
            ("Exclude the property", "-login"),
        ]:
            await afresh(app, pilot)
            app.bring("properties")
            await press(pilot, "home")
            (found,) = (
                c for c in app.get_system_commands(app.screen) if c.title.startswith(command)
            )
            found.callback()
            assert app.state.ask.text == text


async def test_signs_of_what_is_asked() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Each property shows what is asked of it.
        for text, standing in [
            ("gpu&-debug", {"gpu": "required", "debug": "excluded"}),
            ("not (gpu|debug)", {"gpu": "excluded", "debug": "excluded"}),
            ("not (gpu debug)", {"gpu": "either", "debug": "either"}),
            ("ssd (gpu|bigmem)", {"ssd": "required", "gpu": "either", "bigmem": "either"}),
            ("gpu&-gpu", {"gpu": "both"}),
            ("(gpu|ssd)&gpu", {"gpu": "required", "ssd": "either"}),
            ('{"properties": ["gpu", "^debug"]}', {"gpu": "required", "debug": "excluded"}),
            ("host:dune[001-003]", {}),
            ("", {}),
        ]:
            await afresh(app, pilot, requires=text)
            await into(app, pilot)
            assert signs(app) == standing


def test_what_was_turned_round_is_taken_out_by_the_same_key() -> None:
    turner, state = Turner(), start(demo(), requires_text="-gpu ssd")
    found = []
    for wanted in (True, True, True, False, False, False):
        text = turner.turned(state.ask, "gpu", wanted=wanted)
        assert text is not None
        state = step(state, TypeRequires(text))
        found.append(text)
    assert found == ["gpu ssd", "ssd", "gpu ssd", "-gpu ssd", "ssd", "-gpu ssd"]


async def test_the_frame_says_what_the_keys_do() -> None:
    async with workbench_at(NARROW, requires="gpu&-debug") as (app, pilot):
        await into(app, pilot, "gpu")
        assert frame(app).startswith("enter drops it  ! excludes  / filters  o sorts  a selects")
        await press(pilot, "up")
        assert frame(app).startswith("enter requires  ! drops it")
        await press(pilot, "up")
        assert frame(app).startswith("enter requires  ! excludes")
    async with workbench_at(NORMAL, requires="gpu&-debug") as (app, pilot):
        assert frame(app) == "all nodes, matching"
        await into(app, pilot, "gpu")
        assert frame(app) == "enter drops it  ! excludes"


async def test_without_properties_no_key_does_anything() -> None:
    async with workbench_at(NARROW, on=cluster(5)) as (app, pilot):
        before = app.state
        await into(app, pilot)
        for key in ("enter", "exclamation_mark", "a", "o", "down"):
            await press(pilot, key)
            assert app.state.ask is before.ask
            assert not app.state.selected
            assert "no properties" in plain(app, "#properties").lower()


@SIZED
async def test_turning_at_any_size(nodes: int) -> None:
    half, third = f"0-{nodes // 2 - 1}", f"0-{nodes // 3 - 1}"
    on = cluster(nodes, {"half": half, "third": third, "rest": f"{nodes // 2}-{nodes - 1}"})
    async with workbench_at(on=on) as (app, pilot):
        await into(app, pilot, "third")
        await press(pilot, "enter", "down", "exclamation_mark", "up", "up")
        assert app.state.ask.text == "third&-rest"
        assert app.state.ask.mask == on.resources.properties["third"]
        assert names(app) == ["half", "third", "rest"]
        assert plain(app, "#properties").split()[-1] == "0"
        await press(pilot, "down", "enter", "down", "exclamation_mark")
        assert app.state.ask.blank
