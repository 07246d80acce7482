"""Properties in the workbench: into the constraint and out of it, and their nodes on the map."""

import itertools

import pytest

from fluxtui.ui.constraint.property_lines import Turner, containing, ordered
from fluxtui.workbench import OpenCluster, Select, TypeRequires, start, step
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    demo,
    messages,
    plain,
    screen_text,
    workbench_at,
)
from tests.ui.properties import found_out, frame, into, names, said, signs, title

PROPERTIES = demo().resources.properties

SIZED = pytest.mark.parametrize("nodes", [200, 1_000_000])


async def test_properties_are_asked_for_by_keys_and_clicks() -> None:
    async with workbench_at(requires="gpu|bigmem") as (app, pilot):
        # Enter requires and enter again drops.
        await into(app, pilot, "genoa")
        await pilot.press("enter")
        assert app.state.ask.text == "(gpu|bigmem)&genoa"
        assert signs(app) == {"gpu": "either", "bigmem": "either", "genoa": "required"}
        await pilot.press("space")
        assert app.state.ask.text == "gpu|bigmem"
        assert "genoa" not in signs(app)
        await pilot.press("enter", "ctrl+z")
        assert app.state.ask.text == "gpu|bigmem"
        # An exclamation mark excludes and enter turns that round.
        await pilot.afresh(requires="gpu")
        await into(app, pilot, "debug")
        for key, text, standing in (
            ("exclamation_mark", "gpu&-debug", "excluded"),
            ("enter", "gpu&debug", "required"),
            ("exclamation_mark", "gpu&-debug", "excluded"),
            ("exclamation_mark", "gpu", None),
        ):
            await pilot.press(key)
            assert app.state.ask.text == text
            assert app.query_one("#constraint-input").value == text  # type: ignore[attr-defined]
            assert signs(app).get("debug") == standing
        for _ in range(4):
            await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu"
        # A condition in the midst comes back to its place.
        await pilot.afresh(requires="ssd & gpu & -debug")
        await into(app, pilot, "gpu")
        await pilot.press("enter")
        assert app.state.ask.text == "ssd & -debug"
        await pilot.press("enter")
        assert app.state.ask.text == "ssd & gpu & -debug"
        await pilot.press("enter")
        await pilot.put("ssd & -debug&rack1")  # another text, in which it has no place
        await into(app, pilot, "gpu")
        await pilot.press("enter")
        assert app.state.ask.text == "ssd & -debug&rack1&gpu"
        # A click on the sign turns it at once.
        await pilot.afresh(size=NORMAL)
        await pilot.click("#properties", offset=(0, 1))
        await pilot.settle()
        assert app.state.ask.text == "batch"
        await pilot.click("#properties", offset=(0, 1))
        await pilot.settle()
        assert app.state.ask.blank
        await pilot.click("#properties", offset=(5, 2))
        await pilot.settle()
        assert app.state.ask.blank
        await pilot.double_click("#properties", offset=(5, 2))
        await pilot.settle()
        assert app.state.ask.text == "debug"
        # An unfinished constraint is left alone.
        await pilot.afresh(size=WIDE)
        await pilot.put("gpu&(")
        await into(app, pilot, "debug")
        for key in ("enter", "exclamation_mark"):
            await pilot.press(key)
            assert app.state.ask.text == "gpu&("
            assert "Finish the constraint" in messages(app)[-1]
        # A selects its nodes and a again does not.
        await pilot.afresh(size=NORMAL)
        app.edit(Select(0b1))
        await into(app, pilot, "gpu")
        await pilot.press("a")
        assert app.state.selected == 0b1 | PROPERTIES["gpu"]
        assert "24 selected" in plain(app, "#property-details")
        await pilot.press("down", "a")
        assert app.state.selected == 0b1 | PROPERTIES["gpu"] | PROPERTIES["bigmem"]
        await pilot.press("up", "a")
        assert app.state.selected == 0b1 | PROPERTIES["bigmem"]
        assert "selected" not in plain(app, "#property-details")
        # The palette does the same.
        for command, text in [
            ("Require the property", "login"),
            ("Exclude the property", "-login"),
        ]:
            await pilot.afresh()
            app.go_to("properties")
            await pilot.press("home")
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
            await pilot.afresh(requires=text)
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
        await pilot.press("up")
        assert frame(app).startswith("enter requires  ! drops it")
        await pilot.press("up")
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
            await pilot.press(key)
            assert app.state.ask is before.ask
            assert not app.state.selected
            assert "no properties" in plain(app, "#properties").lower()


@SIZED
async def test_turning_at_any_size(nodes: int) -> None:
    half, third = f"0-{nodes // 2 - 1}", f"0-{nodes // 3 - 1}"
    on = cluster(nodes, {"half": half, "third": third, "rest": f"{nodes // 2}-{nodes - 1}"})
    async with workbench_at(on=on) as (app, pilot):
        await into(app, pilot, "third")
        await pilot.press("enter", "down", "exclamation_mark", "up", "up")
        assert app.state.ask.text == "third&-rest"
        assert app.state.ask.mask == on.resources.properties["third"]
        assert names(app) == ["half", "third", "rest"]
        assert plain(app, "#properties").split()[-1] == "0"
        await pilot.press("down", "enter", "down", "exclamation_mark")
        assert app.state.ask.blank


# The list of properties: its order, its filter, and what is said of one of them


TEN = {"b": "0-4", "rack10": "5-9", "A": "0-9", "rack2": "0", "c": ""}

# What is said of one


@pytest.mark.parametrize("nodes", [200, 1_000_000])
async def test_it_says_how_they_stand_to_each_other(nodes: int) -> None:
    half = nodes // 2
    on = cluster(
        nodes,
        {
            "all": f"0-{nodes - 1}",
            "low": f"0-{half - 1}",
            "high": f"{half}-{nodes - 1}",
            "first": "0-9",
            "same": f"0-{half - 1}",
            "across": f"{half - 3}-{half + 2}",
            "none": "",
        },
    )
    async with workbench_at(NARROW, on=on) as (app, pilot):
        count = f"{half:,}"
        for name, words in {
            "low": f"always with same · within all {nodes:,} · holds first 10 · never with high",
            "high": f"within all {nodes:,} · never with low {count}, same {count}, first 10",
            "first": f"within low {count}, same {count} · never with high {count}, across 6",
            "across": f"within all {nodes:,} · never with first 10",
            "all": "on every node",
            "none": "none · on no node",
        }.items():
            await into(app, pilot, name)
            assert words in said(app)
        await into(app, pilot, "first")
        assert said(app).startswith("first · ranks 0-9 · n[0-9]")


async def test_what_is_said_of_properties() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # It says what the form of a name means.
        on = cluster(9, {"mi50@gpu": "0-3", "+batch": "2-4", "plain": "0"})
        await pilot.afresh(on=on)
        await into(app, pilot, "mi50@gpu")
        assert "@gpu is for the scheduler, which may apply it to gpu" in said(app)
        await into(app, pilot, "+batch")
        assert "+ is local to this instance" in said(app)
        await into(app, pilot, "plain")
        assert "scheduler" not in said(app)
        assert "instance" not in said(app)
        # Where there is room more of them are named.
        await pilot.afresh(size=NORMAL)
        await into(app, pilot, "gpu")
        assert "+" in said(app)
        await pilot.press("f8")
        await pilot.settle()
        assert "holds trento 16, amd-mi250x@gpu 16, nvidia-h100@gpu 8" in said(app)
        # Those of another document are its own.
        one = cluster(1000, {"a": "0-9", "b": "0-3"})
        two = cluster(50, {"a": "0-9", "b": "20-30"})
        await pilot.afresh(on=one, size=NARROW)
        await into(app, pilot, "a")
        assert "holds b 4" in said(app)
        app.edit(OpenCluster(two))
        app.edit(OpenCluster(one))
        app.edit(OpenCluster(two))
        await found_out(app, pilot)
        assert "never with b 11" in said(app)
        assert "holds" not in said(app)
        # A property without a name is quoted.
        await pilot.afresh(on=cluster(9, {"": "0-3", " ": "1", "y": "0"}))
        await into(app, pilot)
        rows = plain(app, "#properties").splitlines()
        assert [row[2:5].rstrip() for row in rows] == ['""', '" "', "y"]
        assert '""' in plain(app, "#node-details")
        # Names are shown as they are.
        for name in ["[b]x[/b]", "[@click=app.quit]x[/]", "$x", "\x1b[31mred", "a\tb"]:
            await pilot.afresh(on=cluster(9, {name: "0-3", "y": "0"}))
            await into(app, pilot)
            await pilot.press("enter")
            shown = name.replace("\x1b", "\\x1b").replace("\t", "\\t")
            assert shown in said(app)
            assert app.state.ask.mask == 0b1111
            await pilot.press("slash", *shown[:4], "enter")
            assert f"/{shown[:4]}  1 of 2" in title(app)
            assert f"/{shown[:4]}  1 of 2" in screen_text(app)
            assert all(c.isprintable() or c == "\n" for c in screen_text(app))
            found = [c for c in app.get_system_commands(app.screen) if shown in str(c.help)]
            assert len(found) == 3
            assert "esc shows all" in frame(app)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_all_that_is_said_of_them_is_in_sight(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu") as (app, pilot):
        await into(app, pilot, "login")
        for name in PROPERTIES:
            details = app.panes["properties"].details
            assert len(details.lines) <= details.size.height
            assert said(app).startswith(name)
            await pilot.press("down")


# The order


def test_the_orders() -> None:
    masks = {"b": 0b11111, "rack10": 0b1111100000, "A": 0b1111111111, "rack2": 0b1, "c": 0}

    def in_order(by, match: int = 0) -> list[str]:  # type: ignore[no-untyped-def]
        found = ordered(masks, by, match, lambda: False)
        assert found is not None
        return list(found)

    assert in_order("document") == ["b", "rack10", "A", "rack2", "c"]
    assert in_order("name") == ["A", "b", "c", "rack2", "rack10"]
    assert in_order("nodes") == ["A", "b", "rack10", "rack2", "c"]
    assert in_order("match", 0b1100000) == ["rack10", "A", "b", "rack2", "c"]
    never = itertools.chain([False] * 2, itertools.repeat(True))
    assert ordered(masks, "match", 1, never.__next__) is None


@pytest.mark.parametrize("nodes", [200, 1_000_000])
async def test_o_sorts_and_the_cursor_stays_with_its_property(nodes: int) -> None:
    on = cluster(nodes, TEN)
    async with workbench_at(on=on, requires="rank:5-8") as (app, pilot):
        await into(app, pilot, "rack2")
        for order, expected in (
            ("name", ["A", "b", "c", "rack2", "rack10"]),
            ("nodes", ["A", "b", "rack10", "rack2", "c"]),
            ("match", ["rack10", "A", "b", "rack2", "c"]),
            ("", ["b", "rack10", "A", "rack2", "c"]),
        ):
            await pilot.press("o")
            await found_out(app, pilot)
            assert names(app) == expected
            assert title(app) == f"Properties  by {order}".removesuffix("  by ")
            assert app.panes["properties"].view.row == expected.index("rack2")
            assert said(app).startswith("rack2")


async def test_properties_are_sorted() -> None:
    async with workbench_at(on=cluster(200, TEN)) as (app, pilot):
        # By match it follows what is typed.
        await into(app, pilot)
        await pilot.press("o", "o", "o")
        await found_out(app, pilot)
        for text, first in (("rank:0-1", "b"), ("rank:7", "rack10"), ("rank:0 rack2", "b")):
            await pilot.put(text)
            await found_out(app, pilot)
            assert names(app)[0] == first
            assert app.panes["properties"].view.row == 0  # who is at the top stays there
            assert said(app).startswith(first)


# The filter


def test_a_name_holds_a_text_whatever_the_case() -> None:
    assert containing(("GPU", "amd-mi50@gpu", "x"), " gPu") == ("GPU", "amd-mi50@gpu")
    assert containing(("GPU", "x"), "") == ("GPU", "x")


async def test_properties_are_filtered() -> None:
    async with workbench_at() as (app, pilot):
        # A slash filters while one types.
        await into(app, pilot, "ssd")
        await pilot.press("slash", "G", "P")
        assert names(app) == ["gpu", "amd-mi250x@gpu", "nvidia-h100@gpu"]
        await pilot.press("u", "enter")
        assert app.focused is app.panes["properties"].view
        assert "/GPu  3 of 18" in title(app)
        assert "/GPu  3 of 18" in screen_text(app)
        await pilot.press("end", "enter")
        assert app.state.ask.text == "nvidia-h100@gpu"
        await pilot.press("escape")
        assert names(app) == list(PROPERTIES)
        assert app.panes["properties"].view.row == list(PROPERTIES).index("nvidia-h100@gpu")
        assert title(app) == "Properties"
        await pilot.press("escape")
        assert app.focused is not app.panes["properties"].view
        # Escape in the question shows all again.
        await pilot.afresh()
        await into(app, pilot, "genoa")
        await pilot.press("slash", "r", "a", "c", "k", "1", "escape")
        assert names(app) == list(PROPERTIES)
        assert app.focused is app.panes["properties"].view
        assert app.panes["properties"].details.display
        # Letters are for the text of the question.
        await pilot.afresh()
        await into(app, pilot)
        await pilot.press("slash", *"oa/!s?")
        assert app.focused is not None
        assert app.focused.value == "oa/!s?"  # type: ignore[attr-defined]
        assert app.state.ask.blank
        assert not app.state.selected
        assert "no property has this" in screen_text(app)
        await pilot.press("enter")
        assert not app.panes["properties"].view.has_focus  # there is nothing to take
        await pilot.press("escape")
        assert names(app) == list(PROPERTIES)
        # A filter that another document has nothing for says so.
        await pilot.afresh()
        await into(app, pilot)
        await pilot.press("slash", "g", "p", "u", "enter")
        app.edit(OpenCluster(cluster(9, {"x": "0"})))
        await pilot.settle()
        assert "No name has gpu in it." in plain(app, "#properties")
        await pilot.press("enter", "exclamation_mark", "escape")
        assert names(app) == ["x"]
        assert app.state.ask.blank
        # The palette asks for the filter.
        await pilot.afresh()
        await into(app, pilot)
        await pilot.press("ctrl+p", *"filter the prop")
        await pilot.done()
        await pilot.press("enter")
        await pilot.settle()
        await pilot.press("g", "p", "u")
        assert names(app) == ["gpu", "amd-mi250x@gpu", "nvidia-h100@gpu"]
