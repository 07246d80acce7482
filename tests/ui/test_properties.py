"""Properties: what is said of them, in which order, and how they come into the constraint."""

import itertools

from rich.cells import cell_len

from fluxtui.answers.explain.properties import relations
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.constraint.properties import PropertiesPane
from fluxtui.ui.constraint.property_lines import STANDINGS, PropertySummary, row, summary_lines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import wrap
from fluxtui.workbench import Cluster, OpenCluster, Select
from tests.ui.documents import cluster, demo
from tests.ui.helpers import NARROW, NORMAL, WIDE, Hands, workbench_at
from tests.ui.seen import lacking, messages, plain, screen_text

PROPERTIES = demo().resources.properties
STYLE = Palette.of({})
SIGNS = {sign: standing for standing, (sign, _, _) in STANDINGS.items()}
TEN = {"b": "0-4", "rack10": "5-9", "A": "0-9", "rack2": "0", "c": ""}


def summary(on: Cluster, name: str, width: int = 200, height: int = 9, selected: int = 0) -> str:
    """What is said of a property, in one line."""
    properties = on.resources.properties
    known = relations(properties)
    about = PropertySummary(name, on.resources, None, selected, known.of(name), known.counts)
    return " ".join(line.plain for line in summary_lines(about, STYLE, width, height))


def test_it_says_what_properties_are_to_each_other_and_what_the_form_of_a_name_means() -> None:
    named = {"all": "0-1999", "low": "0-999", "high": "1000-1999", "first": "0-9", "same": "0-999"}
    named |= {"across": "997-1002", "none": "", "mi50@gpu": "5-12", "+batch": "5-12", " ": "1"}
    on = cluster(2000, named)
    for name, words in {
        "low": "always with same · within all 2,000 · holds first 10",
        "high": "within all 2,000 · never with low 1,000, same 1,000, first 10",
        "first": "first · ranks 0-9 · n[0-9] within low 1,000, same 1,000 · holds",
        "all": "all · on every node",
        "none": "none · on no node",
        "mi50@gpu": "@gpu is for the scheduler, which may apply it to gpu",
        "+batch": "+ is local to this instance",
        " ": '" " · ranks 1',
    }.items():
        assert words in summary(on, name)
    assert "scheduler" not in summary(on, "low")
    assert "· 7 selected ·" in summary(on, "first", selected=7)


def test_as_much_is_said_as_there_is_room_for_and_no_more() -> None:
    even = ",".join(map(str, range(0, 100, 2)))
    on = cluster(100, {"even": even, **{f"p{number}": f"{number}-99" for number in range(40)}})
    for on_, names in ((on, ("even", "p20")), (demo(), tuple(PROPERTIES))):
        for name, width, height in itertools.product(names, (30, 48, 76), (3, 4, 6)):
            known = relations(on_.resources.properties)
            about = PropertySummary(name, on_.resources, None, 0, known.of(name), known.counts)
            lines = summary_lines(about, STYLE, width, height)
            assert sum(len(wrap(line, width)) for line in lines) <= height
    # With room to spare nothing is cut.
    assert "ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,… " in summary(on, "even", 300)
    assert "holds trento 16, amd-mi250x@gpu 16, nvidia-h100@gpu 8" in summary(demo(), "gpu", 150, 6)


def test_a_row_has_aligned_numbers_and_names_are_cut_last() -> None:
    names = ("gpu", "a-property-with-a-long-name")
    for room in (24, 40, 100):
        columns = {"widest": len(names[1]), "nodes": 1_000_000, "room": room}
        lines = [
            row(name, "required", (count, 7), STYLE, **columns).plain
            for name, count in zip(names, (5, 900_000), strict=True)
        ]
        assert all(line.startswith("✓ ") and line.endswith(" 7") for line in lines)
        assert {cell_len(line) for line in lines} == {max(map(cell_len, lines))}
        assert (names[1] in lines[1]) is (room > 40)
        assert ("…" in lines[1]) is (room <= 40)
    for sign, standing in SIGNS.items():
        assert row("gpu", standing, (5, 7), STYLE, **columns).plain.startswith(f"{sign} ")
    bare = row("gpu", None, (5, None), STYLE, widest=3, nodes=9, room=30)
    assert bare.plain.split()[:2] == ["gpu", "5"]


async def into(app: FluxTUI, pilot: Hands, name: str | None = None) -> None:
    """Give the focus to the list, with the cursor on a property; what it works out is known."""
    app.go_to("properties")
    await worked_out(app, pilot)
    if name is not None:
        await pilot.press("home", *["down"] * names(app).index(name))
    await pilot.settle()


async def worked_out(app: FluxTUI, pilot: Hands) -> None:
    """Wait for what is worked out in the background."""
    await pilot.settle()
    await pilot.until(lambda: not any("property" in w.group for w in app.workers if w.is_running))


def names(app: FluxTUI) -> list[str]:
    """The properties that are listed, in order."""
    return [line[2:].split()[0] for line in plain(app, "#properties").splitlines()]


def signs(app: FluxTUI) -> dict[str, str]:
    """What the constraint asks of each property that has a sign."""
    rows = plain(app, "#properties").splitlines()
    return {line[2:].split()[0]: SIGNS[line[0]] for line in rows if line[0] != " "}


def said(app: FluxTUI) -> str:
    """What is said of the property with the cursor, in one line."""
    return " ".join(plain(app, "#property-details").split())


def frame(app: FluxTUI) -> str:
    return str(app.pane(PropertiesPane).border_subtitle or "").replace("\\[", "[")


async def test_properties_are_asked_for_by_keys_and_clicks() -> None:
    async with workbench_at(requires="gpu|bigmem") as (app, pilot):
        # Enter requires, and enter again no longer.
        await into(app, pilot, "genoa")
        await pilot.press("enter")
        assert app.state.ask.text == "(gpu|bigmem)&genoa"
        assert signs(app) == {"gpu": "either", "bigmem": "either", "genoa": "required"}
        goes = (("enter", "gpu|bigmem"), ("enter ctrl+z", "gpu|bigmem"))
        await pilot.steps(lambda: app.state.ask.text, *goes)
        # An exclamation mark excludes, and enter turns that round.
        await pilot.afresh(requires="gpu")
        await into(app, pilot, "debug")
        await pilot.steps(
            lambda: (app.state.ask.text, app.ask_bar.entry.value, signs(app).get("debug")),
            ("exclamation_mark", ("gpu&-debug", "gpu&-debug", "excluded")),
            ("enter", ("gpu&debug", "gpu&debug", "required")),
            ("exclamation_mark", ("gpu&-debug", "gpu&-debug", "excluded")),
            ("exclamation_mark", ("gpu", "gpu", None)),
        )
        # A click on the sign does it at once, one on the name the second time.
        await pilot.afresh(size=NORMAL)
        await pilot.go("properties")
        await pilot.click("#properties", offset=(0, 1))
        assert app.state.ask.text == "batch"
        await pilot.click("#properties", offset=(0, 1))
        await pilot.click("#properties", offset=(5, 2))
        assert app.state.ask.blank
        await pilot.double_click("#properties", offset=(5, 2))
        assert app.state.ask.text == "debug"
        # An unfinished constraint is left alone.
        await pilot.afresh(size=WIDE)
        await pilot.put("gpu&(")
        await into(app, pilot, "debug")
        for key in ("enter", "exclamation_mark"):
            await pilot.press(key)
            assert app.state.ask.text == "gpu&("
            assert "Finish the constraint" in messages(app)[-1]
        # Space and a select its nodes, and no longer.
        await pilot.afresh(size=NORMAL)
        app.edit(Select(0b1))
        await into(app, pilot, "gpu")
        gpu, bigmem = PROPERTIES["gpu"], PROPERTIES["bigmem"]
        await pilot.press("space")
        assert app.state.selected == 0b1 | gpu
        assert "24 selected" in said(app)
        goes = (("down a", 0b1 | gpu | bigmem), ("up a", 0b1 | bigmem))
        await pilot.steps(lambda: app.state.selected, *goes)
        assert "selected" not in said(app)
        # A cluster without properties says what it can be asked for.
        await pilot.afresh(on=cluster(5), size=NARROW)
        await into(app, pilot)
        told = ("This cluster has no properties.", "host:n[0-3]")
        assert not lacking(plain(app, "#properties"), *told)
        for key in ("enter", "exclamation_mark", "a", "o"):
            await pilot.press(key)
            assert app.state.ask.blank
            assert not app.state.selected


async def test_they_are_sorted_and_the_cursor_stays_with_its_property() -> None:
    async with workbench_at(on=cluster(200, TEN), requires="rank:5-8") as (app, pilot):
        await into(app, pilot, "rack2")
        for order, expected in (
            ("name", ["A", "b", "c", "rack2", "rack10"]),
            ("nodes", ["A", "b", "rack10", "rack2", "c"]),
            ("match", ["rack10", "A", "b", "rack2", "c"]),
            ("", ["b", "rack10", "A", "rack2", "c"]),
        ):
            await pilot.press("o")
            await worked_out(app, pilot)
            assert names(app) == expected
            assert frame(app) == f"by {order} · nodes, matching".removeprefix("by  · ")
            assert app.pane(PropertiesPane).view.row == expected.index("rack2")
            assert said(app).startswith("rack2")
        # By match it follows what is typed; who is at the top stays there.
        await pilot.press("home", "o", "o", "o")
        await worked_out(app, pilot)
        for text, first in (("rank:0-1", "b"), ("rank:7", "rack10"), ("rank:0 rack2", "b")):
            await pilot.put(text)
            await worked_out(app, pilot)
            assert names(app)[0] == first
            assert said(app).startswith(first)


async def test_they_are_filtered() -> None:
    async with workbench_at() as (app, pilot):
        # A slash filters while one types.
        await into(app, pilot, "ssd")
        await pilot.press("slash", "G", "P")
        assert names(app) == ["gpu", "amd-mi250x@gpu", "nvidia-h100@gpu"]
        await pilot.press("u", "enter")
        assert app.focused is app.pane(PropertiesPane).view
        assert "3 of 18 contain GPu" in frame(app)
        await pilot.press("end", "enter")
        assert app.state.ask.text == "nvidia-h100@gpu"
        await pilot.press("escape")
        assert names(app) == list(PROPERTIES)
        assert said(app).startswith("nvidia-h100@gpu")
        # Escape in the question shows all again; letters are for its text.
        await pilot.afresh()
        await into(app, pilot)
        await pilot.press("slash", *"oa/!s?")
        assert app.query_one("#property-filter-entry").value == "oa/!s?"  # type: ignore[attr-defined]
        assert (app.state.ask.text, app.state.selected) == ("", 0)
        assert "no property name contains" in screen_text(app)
        await pilot.press("enter")
        assert not app.pane(PropertiesPane).view.has_focus  # there is nothing to keep
        await pilot.press("escape")
        assert names(app) == list(PROPERTIES)
        # A filter that another document has nothing for says so.
        await pilot.press("slash", "g", "p", "u", "enter")
        await pilot.edit(OpenCluster(cluster(9, {"x": "0"})))
        assert "No property name contains gpu." in plain(app, "#properties")
        await pilot.press("enter", "exclamation_mark", "escape")
        assert names(app) == ["x"]
        assert app.state.ask.blank


async def test_details_are_made_for_their_size_also_where_the_pane_keeps_its_own() -> None:
    async with workbench_at((2, 2)) as (app, pilot):
        await pilot.go("properties", "down", "slash")
        await pilot.resize_terminal(120, 40)
        await pilot.press("escape")
        details = app.panes["properties"].details
        shown = [line.plain for line in details.lines]
        await pilot.resize_terminal(121, 40)
        await pilot.resize_terminal(120, 40)
        assert shown == [line.plain for line in details.lines]
        assert len(shown) > 1
        # What is said of another document is its own.
        one, two = cluster(1000, {"a": "0-9", "b": "0-3"}), cluster(50, {"a": "0-9", "b": "20-30"})
        await pilot.afresh(on=one)
        await into(app, pilot, "a")
        assert "holds b 4" in said(app)
        for document in (two, one, two):
            app.edit(OpenCluster(document))
        await worked_out(app, pilot)
        assert "never with b 11" in said(app)
        assert "holds" not in said(app)
