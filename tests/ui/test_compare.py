"""A constraint that is kept as A, and what another one gains and loses against it."""

from fluxtui.ui.app import FluxTUI
from fluxtui.workbench import LookAtQueue, OpenCluster
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SIZES,
    WIDE,
    afresh,
    cluster,
    demo,
    looks_of,
    messages,
    plain,
    press,
    put,
    row_of,
    screen_text,
    settle,
    workbench_at,
)
from tests.ui.test_browse import into

PROPERTIES = {"x": "1-4", "y": "3-6"}


def said(app: FluxTUI) -> str:
    """What the line below the constraint says."""
    return plain(app, "#ask-message")


async def test_glyphs_tell_gained_from_lost() -> None:
    async with workbench_at() as (app, pilot):
        # The bar counts what is gained and lost.
        for size in SIZES:
            await afresh(app, pilot, requires="gpu|debug", size=size)
            await press(pilot, "ctrl+k")
            assert said(app) == "A gpu|debug 40 is kept: write another one here, ctrl+k ends"
            await put(pilot, "gpu|bigmem")
            assert said(app).startswith("A gpu|debug 40 · B 32: +8 gained, −16 lost")
            assert "A gpu|debug 40 · B 32: +8 gained, −16 lost" in row_of(app, "#ask-message")
            assert plain(app, "#answer") == "32 of 196 nodes"
            if size == WIDE:
                assert said(app).endswith(" · gained dunemem[1-8] · lost dune[145-160]")
        # Map and table tell gained from lost.
        for view in ("#node-map", "#node-table"):
            await afresh(app, pilot, requires="x", on=cluster(8, PROPERTIES), size=NORMAL)
            widget = await into(app, pilot, view)
            await press(pilot, "ctrl+k")
            await put(pilot, "y")
            looks = looks_of(widget, 0, 8)
            assert [look.glyph for look in looks] == list("·▽▽■■▲▲·")
            assert [looks[at].role for at in (0, 1, 3, 5)] == ["faint", "problem", "match", "count"]
            if view == "#node-map":
                assert widget.render_line(0).text.split()[1:] == list("·▽▽■■▲▲·")
        # The frame says what the glyphs mean.
        await afresh(app, pilot, requires="x", on=cluster(8, PROPERTIES))
        await press(pilot, "ctrl+k")
        assert "▲ 0 gained  ▽ 0 lost  ■ 4 both  · neither" in screen_text(app)
        await put(pilot, "y")
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  · neither   ctrl+k ends" in screen_text(app)
        await put(pilot, "y&")
        assert "□ 2 both" in screen_text(app)
        # Selected nodes keep what the comparison says of them.
        for view in ("#node-map", "#node-table"):
            await afresh(app, pilot, requires="x", on=cluster(8, PROPERTIES))
            widget = await into(app, pilot, view)
            await press(pilot, "ctrl+k")
            await put(pilot, "y")
            app.bring("cluster")
            await settle(pilot)
            await press(pilot, "a")  # what is gained and what is lost
            assert app.state.selected == 0b1100110
            await press(pilot, "home", "space")
            looks = looks_of(widget, 0, 8)
            assert [look.glyph for look in looks] == list("·▽▽■■▲▲·")
            assert [look.marked for look in looks] == [bit == "1" for bit in "11100110"]
            assert [looks[at].role for at in (1, 3, 5)] == ["problem", "match", "count"]
            drawn = widget.render_line(2 if view == "#node-table" else 0)
            lines = {s.text.strip(): s.style for s in drawn if s.style is not None}
            assert next(style for text, style in lines.items() if "▽" in text).underline
            if view == "#node-map":
                assert not lines["■ ■"].underline
        # The legend counts the comparison then the selected.
        await afresh(app, pilot, requires="x", on=cluster(8, PROPERTIES))
        await press(pilot, "ctrl+k")
        await put(pilot, "y")
        app.bring("cluster")
        await settle(pilot)
        await press(pilot, "a")
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  ▁ 4 selected" in screen_text(app)
        await press(pilot, "escape")
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  · neither" in screen_text(app)
        # N and p go through what is gained and lost.
        await afresh(app, pilot, requires="x", on=cluster(8, PROPERTIES))
        await press(pilot, "ctrl+k")
        await put(pilot, "y")
        await into(app, pilot)
        found = []
        for key in ("n", "n", "n", "n", "n", "p"):
            await press(pilot, key)
            found.append(app.state.cursor)
        assert found == [1, 2, 5, 6, 1, 6]


async def test_a_long_constraint_leaves_room_for_the_counts() -> None:
    text = "|".join(f"rack{n}" for n in range(1, 7)) + "&-host:dune[001-003]"
    async with workbench_at(NARROW, requires=text) as (app, pilot):
        await press(pilot, "ctrl+k")
        await put(pilot, "gpu")
        row = row_of(app, "#ask-message")
        assert "A rack1|rack2" in row
        assert "… " in row
        assert " lost" in row
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        assert len(said(app)) > len(row.strip())


async def test_one_is_kept_and_compared_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        # The key works in an input and ends it again.
        await put(pilot, "gpu")
        await press(pilot, "home", "ctrl+k")
        assert app.state.ask.text == "gpu"
        assert app.state.kept is not None
        await put(pilot, "bigmem")
        await press(pilot, "ctrl+k")
        assert app.state.kept is None
        assert said(app).startswith("512 cores")
        assert "gained" not in screen_text(app)
        # The same nodes in other words.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "ctrl+k")
        await put(pilot, "host:dunegpu[01-24]")
        assert said(app) == "A gpu 24 · B 24: the same nodes"
        # A blank constraint is all nodes.
        await afresh(app, pilot)
        await press(pilot, "ctrl+k")
        assert said(app).startswith("A all nodes 196 is kept")
        await put(pilot, "gpu")
        assert said(app).startswith("A all nodes 196 · B 24: +0 gained, −172 lost")
        await put(pilot, "")
        await press(pilot, "ctrl+k")
        await put(pilot, "gpu")
        await press(pilot, "ctrl+k")
        await put(pilot, "")
        assert said(app).startswith("A gpu 24 · B 196: +172 gained, −0 lost")
        # An unfinished constraint cannot be kept.
        await afresh(app, pilot, requires="gpu")
        await put(pilot, "gpu&")
        await press(pilot, "ctrl+k")
        assert app.state.kept is None
        assert messages(app) == [": Finish the constraint first: as it stands it has a problem."]
        # Swapping a and b.
        await afresh(app, pilot, requires="gpu|debug")
        app.action_swap_compared()
        await settle(pilot)
        assert "ctrl+k keeps the one in the bar" in messages(app)[0]
        await press(pilot, "ctrl+k")
        await put(pilot, "gpu|bigmem")
        app.action_swap_compared()
        assert app.state.ask.text == "gpu|debug"
        assert said(app).startswith("A gpu|bigmem 32 · B 40: +16 gained, −8 lost")
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu|bigmem"
        assert said(app).startswith("A gpu|debug 40 · B 32: +8 gained, −16 lost")
        await press(pilot, "ctrl+r")
        assert said(app).startswith("A gpu|bigmem 32 · B 40: +16 gained, −8 lost")
        # Undo keeps a.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "ctrl+k")
        await put(pilot, "bigmem")
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu"
        assert said(app).startswith("A gpu 24 is kept")


async def test_other_clusters_and_queues_come_between() -> None:
    async with workbench_at(on=cluster(8, PROPERTIES), requires="x") as (app, pilot):
        # On another cluster a is matched anew.
        await press(pilot, "ctrl+k")
        await put(pilot, "y")
        app.edit(OpenCluster(cluster(12, {"x": "0-8", "y": "9"})))
        await settle(pilot)
        assert said(app) == "A x 9 · B 1: +1 gained, −9 lost · gained n9 · lost n[0-8]"
        assert "▲ 1 gained  ▽ 9 lost  ■ 0 both" in screen_text(app)
        # A queue that is looked at comes before the comparison.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "ctrl+k")
        app.edit(LookAtQueue("debug"))
        await settle(pilot)
        assert "in debug" in screen_text(app)
        app.edit(LookAtQueue(None))
        await settle(pilot)
        assert "gained" in screen_text(app)
        # Another constraint is written where it belongs.
        await afresh(app, pilot, shape="node", requires="gpu")
        app.shape_bar.entry.focus()
        await press(pilot, "ctrl+k", "x")
        assert (app.state.build.text, app.state.ask.text) == ("node", "x")
        await press(pilot, "ctrl+k", "ctrl+k", "end", "|", "y")  # or it is changed
        assert (app.state.build.text, app.state.ask.text) == ("node", "x|y")


async def test_texts_are_shown_literally() -> None:
    on = cluster(8, {"[red]": "1-2", "y": "2-3"}, hosts="[b]n[0-7]")
    async with workbench_at(WIDE, on=on, requires='{"properties": ["[red]"]}') as (app, pilot):
        await press(pilot, "ctrl+k")
        await put(pilot, '{"properties": ["y"]}')
        assert said(app).startswith('A {"properties": ["[red]"]} 2 · B 2: +1 gained, −1 lost')


async def test_the_demo_cluster_has_what_these_tests_count() -> None:
    properties = demo().resources.properties
    assert [properties[name].bit_count() for name in ("gpu", "debug", "bigmem")] == [24, 22, 8]
