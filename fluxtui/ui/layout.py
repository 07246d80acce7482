"""The zones of the screen, the tabs in each, and the splits between them.

There are three zones: the job, the cluster and the details. Each shows one pane, and the tabs in
its frame name the others. On a wide screen the zones are side by side and the details are split in
two. On others, the cluster is above the details, both to the right of the job. On a narrow or short
screen, and while a pane is maximized, one pane takes all the room.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.style import Style

from fluxtui.notation.problem import is_digits
from fluxtui.ui.kit.pane import Pane, in_sight

Direction = Literal["left", "right", "up", "down"]

LEAST, MOST, STEP = 15, 85, 4  # limits of a split, and how far a key moves it, in percent


@dataclass(frozen=True, slots=True)
class Tab:
    """A pane's place on the screen.

    name   the name of the pane
    title  the text of its tab
    group  the tabs it shares a place with: a zone, or ``upper`` or ``lower`` of the details
    digit  the key that goes to it; empty if only the zone has one
    least  the minimum width in columns of its zone while it shows the pane next to other zones
    typed  whether it is typed into at once, so digits are text: repeating a zone's key skips it
    """

    name: str
    title: str
    group: str
    digit: str = ""
    least: int = 0
    typed: bool = False


#: The zones by name: title, digit of the key that goes to it, and groups of tabs.
ZONES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "job": ("Job", "1", ("job",)),
    "cluster": ("Cluster", "2", ("cluster",)),
    "details": ("Details", "3", ("upper", "lower")),
}

ZONE_OF = {group: zone for zone, (_, _, groups) in ZONES.items() for group in groups}

# The colour of the titles of inactive tabs.
FAINT = "$role-faint"


@dataclass(frozen=True, slots=True)
class Splits:
    """The positions of the edges between the zones, in percent of the width or the height.

    job          the right edge of the job, in the layout of two columns
    cluster      the lower edge of the cluster, in the layout of two columns
    left, right  the edges of the cluster in the layout of three columns
    upper        the lower edge of the upper details in the layout of three columns
    """

    job: int = 40
    cluster: int = 58
    left: int = 30
    right: int = 72
    upper: int = 55

    def dumped(self) -> tuple[str, ...]:
        """Return the shares of the zones as texts to save."""
        shares = (self.job, self.cluster, self.left, self.right - self.left, self.upper)
        return tuple(map(str, shares))

    @classmethod
    def of(cls, texts: Sequence[str], shares: Mapping[str, int] | None = None) -> "Splits":
        """Return the splits from saved texts (`dumped`), or the defaults if there are none.

        shares are configured defaults for the job, the cluster and the details, in percent.
        """
        if len(texts) == len(cls.__slots__) and all(is_digits(text) for text in texts):
            job, cluster, left, middle, upper = (min(max(int(text), LEAST), MOST) for text in texts)
            return cls(job, cluster, left, upper=upper).moved("right", left + middle)
        given, usual = shares or {}, cls()
        left = given.get("job", usual.left)
        right = 100 - given.get("details", 100 - usual.right)
        job, cluster = given.get("job", usual.job), given.get("cluster", usual.cluster)
        return cls(job, cluster, left, max(right, left + LEAST))

    def moved(self, edge: str, to: int) -> "Splits":
        """Return the splits with one edge moved, within the limits."""
        least = self.left + LEAST if edge == "right" else LEAST
        most = self.right - LEAST if edge == "left" else MOST
        return replace(self, **{edge: min(max(to, least), most)})


class Zone(Vertical):
    """One zone, which shows one of its panes, or one of each of its groups."""


class Workspace(Container):
    """Arranges the panes in the zones; the stylesheet has a layout for each size of the screen.

    ``-inactive`` marks panes whose zone shows another pane. ``-hidden`` marks panes that are hidden
    if only one pane is shown, and ``-covered`` those hidden if the details are split in two. panes
    holds those made so far, by name, in the order of the tabs; there is one for the first tab of
    each group.
    """

    def __init__(self, panes: Mapping[str, Pane], tabs: Sequence[Tab]) -> None:
        super().__init__(id="workspace")
        self.panes = panes
        self.tabs = {tab.name: tab for tab in tabs}
        self.front = tabs[0].name
        self.on_split: Callable[[Splits], None] = lambda splits: None
        self.splits = Splits()
        self._active = {ZONE_OF[tab.group]: tab.name for tab in reversed(tabs)}  # by zone
        self._covering = {tab.group: tab.name for tab in reversed(tabs)}
        self._zones = {name: Zone(id=f"zone-{name}") for name in ZONES}
        self._dragged = ""  # the edge being dragged

    def compose(self) -> ComposeResult:
        """Yield the zones with their panes."""
        self._mark()
        self._split()
        for name, zone in self._zones.items():
            with zone:
                tabs = self._tabs_of(*ZONES[name][2])
                yield from (self.panes[tab.name] for tab in tabs if tab.name in self.panes)

    def mount_rest(self) -> None:
        """Mount the panes that have been made since, each after that of the tab before it."""
        self._mark()
        for name, zone in self._zones.items():
            first, *others = (self.panes[tab.name] for tab in self._tabs_of(*ZONES[name][2]))
            for pane in others:
                if not pane.is_attached:
                    zone.mount(pane, after=first)
                first = pane
        self._split()

    def _tabs_of(self, *groups: str) -> list[Tab]:
        return [tab for tab in self.tabs.values() if tab.group in groups]

    # Which panes are in sight

    @property
    def mode(self) -> Literal["one", "columns", "wide"]:
        """Whether the screen shows one pane, two columns, or three."""
        has = self.screen.has_class
        if has("-narrow") or has("-short") or has("-maximized"):
            return "one"
        return "wide" if has("-wide") else "columns"

    def active(self, zone: str) -> str:
        """Return the name of the pane that a zone shows."""
        return self._active[zone]

    def activate(self, name: str) -> None:
        """Show a pane in its zone; it is the one shown if there is room for only one."""
        group = self.tabs[name].group
        self.front = self._active[ZONE_OF[group]] = self._covering[group] = name
        self._mark()
        if self.is_attached:
            self.app.stylesheet.update_nodes([*self._zones.values(), *self.panes.values()])
            self._split()
            self.show_tabs()

    def in_sight(self) -> list[str]:
        """Return the names of the visible panes, in the order of the tabs."""
        return [name for name, pane in self.panes.items() if in_sight(pane)]

    def beside(self, by: int) -> str:
        """Return the pane by steps from the front one, among the visible panes if several are."""
        names = list(self.tabs) if self.mode == "one" else self.in_sight()
        at = names.index(self.front) if self.front in names else -1
        return names[(at + by) % len(names)]

    def next_tab(self, zone: str, by: int = 1) -> str:
        """Return the name of the next tab of a zone, skipping panes that are typed into."""
        active, tabs = self._active[zone], self._tabs_of(*ZONES[zone][2])
        names = [tab.name for tab in tabs if not tab.typed or tab.name == active]
        return names[(names.index(active) + by) % len(names)]

    def _mark(self) -> None:
        """Set the classes that show or hide each pane and zone, without updating their styles."""
        front_zone = ZONE_OF[self.tabs[self.front].group]
        for name, pane in self.panes.items():
            tab = self.tabs[name]
            pane.set_class(self._active[ZONE_OF[tab.group]] != name, "-inactive", update=False)
            pane.set_class(self._covering[tab.group] != name, "-covered", update=False)
            pane.set_class(self.front != name, "-hidden", update=False)
        for zone, widget in self._zones.items():
            widget.set_class(zone != front_zone, "-hidden", update=False)

    # The tabs

    def show_tabs(self) -> None:
        """Write the tabs into the frames of the visible panes."""
        if not self.is_attached:
            return
        mode = self.mode
        for name in self.in_sight():
            pane, group = self.panes[name], self.tabs[name].group
            zone = self._zones[ZONE_OF[group]]
            shown = self._tabs_of(*((group,) if mode == "wide" else ZONES[ZONE_OF[group]][2]))
            titles = {name: other.title for name, other in self.panes.items()}
            tabs = [replace(tab, title=titles.get(tab.name, tab.title)) for tab in shown]
            # A pane that has just become visible has no size yet.
            width = pane.size.width or (zone.size.width or self.size.width) - 4
            pane.show_tabs(tab_titles(tabs, name, width - 2, alone=mode == "one"))

    def on_resize(self) -> None:
        """Apply the splits to the new size, and show as many tabs as fit."""
        self._split()

    # The splits

    def _split(self) -> None:
        """Give each zone its share of the screen, and update the tabs after the layout."""
        self.call_after_refresh(self.show_tabs)
        splits, mode = self.splits, self.mode
        needed = self.tabs[self._active["job"]].least * 100 // max(self.size.width, 1)
        job, left = (max(share, min(needed, MOST)) for share in (splits.job, splits.left))
        right = max(splits.right, min(left + LEAST, MOST))
        self.styles.grid_columns = {
            "one": "1fr",
            "columns": f"{job}fr {100 - job}fr",
            "wide": f"{left}fr {right - left}fr {100 - right}fr",
        }[mode]
        is_stacked = mode == "columns"
        rows = f"{splits.cluster}fr {100 - splits.cluster}fr" if is_stacked else "1fr"
        self.styles.grid_rows = rows
        self._zones["job"].styles.row_span = 2 if is_stacked else 1
        upper = splits.upper if mode == "wide" else 1
        for group, share in (("upper", upper), ("lower", 100 - upper)):
            for tab in self._tabs_of(group):
                if tab.name in self.panes:
                    self.panes[tab.name].styles.height = f"{share}fr"

    def put_splits(self, splits: Splits) -> None:
        """Change the splits."""
        self.splits = splits
        if self.is_attached:
            self._split()

    def move_split(self, way: Direction) -> None:
        """Move an edge of the front pane by a step, and report the splits to on_split."""
        edge, is_wide = "job", self.mode == "wide"
        if way in ("up", "down"):
            edge = "upper" if is_wide else "cluster"
        elif is_wide:
            edge = "left" if self.tabs[self.front].group == "job" else "right"
        by = STEP if way in ("right", "down") else -STEP
        self.put_splits(self.splits.moved(edge, getattr(self.splits, edge) + by))
        self.on_split(self.splits)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging the edge between two zones."""
        self._dragged = self._edge_at(event.screen_x, event.screen_y)
        if self._dragged:
            self.capture_mouse()
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the edge."""
        if self._dragged:
            x, y, width, height = self.region
            share = (event.screen_x - x) / max(width, 1)
            if self._dragged in ("cluster", "upper"):
                share = (event.screen_y - y) / max(height, 1)
            self.put_splits(self.splits.moved(self._dragged, round(share * 100)))

    def on_mouse_up(self) -> None:
        """Stop dragging, and report the splits to on_split."""
        if self._dragged:
            self._dragged = ""
            self.release_mouse()
            self.on_split(self.splits)

    def _edge_at(self, x: int, y: int) -> str:
        """Return the name of the edge under the mouse; empty if there is none to move."""
        if self.mode == "one":
            return ""
        is_wide = self.mode == "wide"
        job, cluster, details = (self._zones[name].region for name in ZONES)
        upper = self.panes[self._covering["upper"]].region if is_wide else cluster
        if x in (job.right - 1, cluster.x):
            return "left" if is_wide else "job"
        if is_wide and x in (cluster.right - 1, details.x):
            return "right"
        is_below = upper.x <= x < upper.right and y == upper.bottom - 1
        return ("upper" if is_wide else "cluster") if is_below else ""


def tab_titles(tabs: Sequence[Tab], active: str, room: int, *, alone: bool) -> Content:
    """Return the tabs of a zone for a frame, in at most room columns; a click goes to a tab.

    alone says that only one pane is shown; then the other zones are named too. If there is too
    little room, the digits of tabs are left out, then the other zones, then the other tabs.
    """
    content = Content()
    for brief in range(4):
        content = Content.assemble(*_titles(tabs, active, alone=alone, brief=brief))
        if content.cell_length <= room:
            break
    return content


def _titles(tabs: Sequence[Tab], active: str, *, alone: bool, brief: int) -> Iterable[Content]:
    own_zone = ZONE_OF[tabs[0].group]
    for zone, (title, digit, _) in ZONES.items():
        look = "" if zone == own_zone else FAINT
        if zone == own_zone or (alone and brief < 2):
            words = _link(Content(f"{digit} {title}").stylize(look), f"app.go_to_zone({zone!r})")
            yield words.stylize("bold") if zone == own_zone and alone else words
            yield Content("  ")
    shown = [tab for tab in tabs if brief < 3 or tab.name == active]
    for number, tab in enumerate(shown):
        yield Content(" │ " if number else "").stylize(FAINT)
        key = Content(f"{tab.digit} " if tab.digit and not brief else "").stylize(FAINT)
        name = Content(tab.title).stylize("bold" if tab.name == active else FAINT)
        yield _link(key + name, f"app.go_to({tab.name!r})")


def _link(content: Content, action: str) -> Content:
    return content.stylize(Style.from_meta({"@click": action}))
