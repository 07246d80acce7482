"""Properties: what is said of them, in which order, and how they come into the constraint."""

import itertools

from rich.cells import cell_len

from fluxtui.answers.explain.properties import relations
from fluxtui.ui.constraint.properties import STANDINGS, PropertySummary, row, summary_lines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import wrap
from fluxtui.workbench import Cluster, OpenCluster
from tests.ui.documents import cluster, demo
from tests.ui.helpers import workbench_at
from tests.ui.seen import plain

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
        " ": '" " · rank 1',
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
        for documents, words in (((one,), "holds b 4"), ((two, one, two), "never with b 11")):
            for document in documents:
                app.edit(OpenCluster(document))
            await pilot.done()
            await pilot.press("home")
            assert plain(app, "#property-details").endswith(words)
