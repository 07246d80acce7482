"""The zones of the screen, the tabs in each, and the splits between them.

There are three zones: the job, the cluster and the details. In each, one pane is in sight and the
tabs in its frame name the others. On a wide screen the zones stand side by side and the details are
split in two; else the cluster is over the details, beside the job; on a narrow or short screen, and
while a pane is maximized, one pane has all the room.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from fluxtui.notation.problem import is_digits
from fluxtui.ui.kit.pane import Pane, in_sight

Direction = Literal["left", "right", "up", "down"]

LEAST, MOST, STEP = 15, 85, 4  # percent of the room that a split may give, and by how much it moves


@dataclass(frozen=True, slots=True)
class Tab:
    """A pane's place on the screen.

    name   the pane's
    title  what its tab says
    group  the tabs that it takes turns with: a zone, or ``upper`` or ``lower`` of the details
    digit  the key that leads to it; blank where only the zone has one
    least  the columns that it needs beside others: its zone has so many while it shows the pane
    typed  whether one types there at once, where a digit is text: so none goes through it
    """

    name: str
    title: str
    group: str
    digit: str = ""
    least: int = 0
    typed: bool = False


#: The zones: their titles, the digits that lead to them, and the groups of tabs in each.
ZONES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "job": ("Job", "1", ("job",)),
    "cluster": ("Cluster", "2", ("cluster",)),
    "details": ("Details", "3", ("upper", "lower")),
}

# How a title says that it is not the active one.
FAINT = "$role-faint"

ZONE_OF = {group: zone for zone, (_, _, groups) in ZONES.items() for group in groups}


@dataclass(frozen=True, slots=True)
class Splits:
    """The splits of the screen, in percent.

    job     columns of the job, beside the cluster over the details
    cluster rows of the cluster over the details
    left, middle  columns of the job and of the cluster where all zones stand side by side
    upper   rows of the upper details there
    """

    job: int = 40
    cluster: int = 58
    left: int = 30
    middle: int = 42
    upper: int = 55

    def dumped(self) -> tuple[str, ...]:
        """The splits as texts, to be kept."""
        return tuple(map(str, astuple(self)))

    @classmethod
    def of(cls, texts: Sequence[str], shares: Mapping[str, int] | None = None) -> "Splits":
        """The splits that were kept; where these are none, the usual ones.

        shares of the job, the cluster and the details take the place of those, in percent.
        """
        if len(texts) != len(cls.__slots__) or not all(is_digits(text) for text in texts):
            usual, given = cls(), shares or {}
            left = given.get("job", usual.left)
            details = given.get("details", 100 - usual.left - usual.middle)
            return cls(
                job=given.get("job", usual.job),
                cluster=given.get("cluster", usual.cluster),
                left=left,
                middle=max(100 - left - details, LEAST),
            )
        job, cluster, left, middle, upper = (min(max(int(text), LEAST), MOST) for text in texts)
        return cls(job, cluster, left, min(middle, 100 - LEAST - left), upper)


class Zone(Vertical):
    """One zone: its panes, of which one is in sight, or one of each of its groups."""


class Workspace(Container):
    """Arranges the panes in the zones; the stylesheet says how for each size of the screen.

    ``-inactive`` marks a pane whose zone shows another one, ``-hidden`` one that is out of sight
    where only one is seen, ``-covered`` one of the details that another of its half covers where
    these are split in two.
    """

    def __init__(self, panes: Mapping[str, Pane], tabs: Sequence[Tab]) -> None:
        super().__init__(id="workspace")
        self.panes = panes
        self.tabs = {tab.name: tab for tab in tabs}
        for name, tab in self.tabs.items():
            panes[name].title = tab.title
        self.front = tabs[0].name
        self.on_split: Callable[[Splits], None] = lambda splits: None
        self.splits = Splits()
        self._active: dict[str, str] = {}  # by zone
        self._covering: dict[str, str] = {}  # by group
        for tab in reversed(tabs):
            self._active[ZONE_OF[tab.group]] = self._covering[tab.group] = tab.name
        self._zones = {name: Zone(id=f"zone-{name}") for name in ZONES}
        self._dragged: Direction | None = None

    def compose(self) -> ComposeResult:
        """The zones with their panes."""
        self._mark()
        for name, zone in self._zones.items():
            with zone:
                for tab in self.tabs.values():
                    if ZONE_OF[tab.group] == name:
                        yield self.panes[tab.name]

    # Which panes are in sight

    @property
    def mode(self) -> Literal["one", "columns", "wide"]:
        """Whether the screen shows one pane, two columns, or three."""
        has = self.screen.has_class
        if has("-narrow") or has("-short") or has("-maximized"):
            return "one"
        return "wide" if has("-wide") else "columns"

    def active(self, zone: str) -> str:
        """The name of the pane that a zone shows."""
        return self._active[zone]

    def activate(self, name: str) -> None:
        """Show a pane in its zone, and in front where only one is shown."""
        group = self.tabs[name].group
        self.front = self._active[ZONE_OF[group]] = self._covering[group] = name
        self._mark()

    def in_sight(self) -> list[str]:
        """The names of the visible panes, in tab order."""
        return [name for name in self.tabs if in_sight(self.panes[name])]

    def beside(self, by: int) -> str:
        """The name of the pane after the front one, or before it: of those in sight, if several."""
        names = list(self.tabs) if self.mode == "one" else self.in_sight()
        at = names.index(self.front) if self.front in names else -1
        return names[(at + by) % len(names)]

    def next_tab(self, zone: str, by: int = 1) -> str:
        """The name of the tab after the active one of a zone, but for those where one types."""
        active = self._active[zone]
        tabs = (tab for tab in self.tabs.values() if ZONE_OF[tab.group] == zone)
        names = [tab.name for tab in tabs if not tab.typed or tab.name == active]
        return names[(names.index(active) + by) % len(names)]

    def _mark(self) -> None:
        """Set the classes that show or hide each pane and zone."""
        changed: dict[Widget, None] = {}

        def mark(widget: Widget, name: str, is_on: bool) -> None:
            if widget.has_class(name) != is_on:
                widget.set_class(is_on, name, update=False)
                changed[widget] = None

        front_zone = ZONE_OF[self.tabs[self.front].group]
        for name, tab in self.tabs.items():
            pane = self.panes[name]
            mark(pane, "-inactive", self._active[ZONE_OF[tab.group]] != name)
            mark(pane, "-covered", self._covering[tab.group] != name)
            mark(pane, "-hidden", self.front != name)
        for zone, widget in self._zones.items():
            mark(widget, "-hidden", zone != front_zone)
        if self.is_attached:
            if changed:
                self.app.stylesheet.update_nodes([*self._zones.values(), *self.panes.values()])
                self._split()
            self.show_tabs()

    # The tabs

    def show_tabs(self) -> None:
        """Write the tabs into the frames of the visible panes."""
        mode = self.mode
        for name in self.tabs:
            pane = self.panes[name]
            if in_sight(pane):
                groups = ZONES[ZONE_OF[self.tabs[name].group]][2]
                shown = (self.tabs[name].group,) if mode == "wide" else groups
                tabs = [
                    replace(tab, title=self.panes[tab.name].title)
                    for tab in self.tabs.values()
                    if tab.group in shown
                ]
                # What has just come into sight has no size of its own yet.
                zone = self._zones[ZONE_OF[self.tabs[name].group]]
                width = pane.size.width or (zone.size.width or self.size.width) - 4
                pane.show_tabs(tab_titles(tabs, name, width - 2, alone=mode == "one"))

    def on_resize(self) -> None:
        """Split the screen, and name as many tabs as fit."""
        self._split()

    # The splits

    def _split(self) -> None:
        """Give each zone its share of the room, and name its tabs as there is room for them."""
        self.call_after_refresh(self.show_tabs)
        splits, mode, width = self.splits, self.mode, max(self.size.width, 1)
        least = min(self.tabs[self._active["job"]].least * 100 // width, MOST)
        splits = replace(splits, job=max(splits.job, least), left=max(splits.left, least))
        splits = replace(splits, middle=min(splits.middle, 100 - LEAST - splits.left))
        columns = {
            "one": "1fr",
            "columns": f"{splits.job}fr {100 - splits.job}fr",
            "wide": f"{splits.left}fr {splits.middle}fr {100 - splits.left - splits.middle}fr",
        }[mode]
        rows = f"{splits.cluster}fr {100 - splits.cluster}fr" if mode == "columns" else "1fr"
        self.styles.grid_columns = columns
        self.styles.grid_rows = rows
        self._zones["job"].styles.row_span = 2 if mode == "columns" else 1
        upper = splits.upper if mode == "wide" else 1
        for name, tab in self.tabs.items():
            if tab.group in ("upper", "lower"):
                share = upper if tab.group == "upper" else 100 - upper
                self.panes[name].styles.height = f"{share}fr"

    def put_splits(self, splits: Splits) -> None:
        """Change the splits."""
        if splits != self.splits:
            self.splits = splits
            if self.is_attached:
                self._split()

    def move_split(self, way: Direction) -> None:
        """Move the edge beside the pane in front by a step, and keep that."""
        is_wide, by = self.mode == "wide", STEP if way in ("right", "down") else -STEP
        splits, group = self.splits, self.tabs[self.front].group
        if way in ("up", "down"):
            splits = _moved(splits, "upper" if is_wide else "cluster", by)
        elif not is_wide:
            splits = _moved(splits, "job", by)
        elif group == "job":
            splits = _moved(_moved(splits, "left", by), "middle", -by)
        else:
            splits = _moved(splits, "middle", by)
        self.put_splits(splits)
        self.on_split(splits)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging the edge between two zones."""
        self._dragged = self._edge_at(event)
        if self._dragged is not None:
            self.capture_mouse()
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the edge."""
        if self._dragged is None:
            return
        region, splits, is_wide = self.region, self.splits, self.mode == "wide"
        across = round((event.screen_x - region.x) * 100 / max(region.width, 1))
        down = round((event.screen_y - region.y) * 100 / max(region.height, 1))
        match self._dragged:
            case "left" if is_wide:
                splits = _moved(splits, "middle", splits.left - across)
                splits = _moved(splits, "left", across - splits.left)
            case "left":
                splits = _moved(splits, "job", across - splits.job)
            case "right":
                splits = _moved(splits, "middle", across - splits.left - splits.middle)
            case _:
                name = "upper" if is_wide else "cluster"
                splits = _moved(splits, name, down - getattr(splits, name))
        self.put_splits(splits)

    def on_mouse_up(self) -> None:
        """Stop dragging, and remember the splits."""
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            self.on_split(self.splits)

    def _edge_at(self, event: events.MouseDown) -> Direction | None:
        """The movable edge under the mouse, if any."""
        x, y, mode = event.screen_x, event.screen_y, self.mode
        if mode == "one":
            return None
        job, cluster, details = (self._zones[name].region for name in ZONES)
        if x in (job.right - 1, cluster.x):
            return "left"
        if mode == "wide":
            if x in (cluster.right - 1, details.x):
                return "right"
            upper = self.panes[self._covering["upper"]].region
            return "down" if upper.x <= x < upper.right and y == upper.bottom - 1 else None
        return "down" if cluster.x <= x < cluster.right and y == cluster.bottom - 1 else None


def _moved(splits: Splits, name: str, by: int) -> Splits:
    """Splits of which one is another one, within what leaves room for all."""
    most = MOST
    if name == "left":
        most = 100 - LEAST - splits.middle
    elif name == "middle":
        most = 100 - LEAST - splits.left
    return replace(splits, **{name: min(max(getattr(splits, name) + by, LEAST), most)})


def tab_titles(tabs: Sequence[Tab], active: str, room: int, *, alone: bool) -> Content:
    """The tabs of a zone for its frame, in at most so many columns; a click on one leads there.

    alone is where one pane has all the room: the other zones are named too.
    """
    zone = ZONE_OF[tabs[0].group]
    for brief in range(4):
        content = Content.assemble(*_titles(tabs, active, zone, alone=alone, brief=brief))
        if content.cell_length <= room:
            break
    return content


def _titles(
    tabs: Sequence[Tab], active: str, zone: str, *, alone: bool, brief: int
) -> Iterable[Content]:
    """The words of the tabs in their looks; brief is 0 for all of it, 3 for the active alone."""
    for name, (title, digit, _) in ZONES.items():
        if name == zone or (alone and brief < 2):
            words = Content(f"{digit} {title}").stylize(_link(f"app.go_to_zone({name!r})"))
            if name != zone:
                words = words.stylize(FAINT)
            yield words.stylize("bold") if name == zone and alone else words
            yield Content("  ")
    shown = [tab for tab in tabs if brief < 3 or tab.name == active]
    for tab in shown:
        if tab is not shown[0]:
            yield Content(" │ ").stylize(FAINT)
        link = _link(f"app.go_to({tab.name!r})")
        digit = f"{tab.digit} " if tab.digit and not brief else ""
        own = Content(tab.title).stylize("bold" if tab.name == active else FAINT)
        yield (Content(digit).stylize(FAINT) + own).stylize(link)


def _link(action: str) -> Style:
    return Style.from_meta({"@click": action})
