"""Which panes are in sight: pairs that take each other's place, tabs where it is narrow, zoom."""

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from fluxtui.ui.kit.pane import Pane

# In the layout with two columns, the second of each pair stands in for the first on request.
PAIRS = {"explain": "node", "queues": "properties", "form": "text"}
HIDDEN_BY_FORM = ("fit",)  # in that layout
BUILD = ("tree", "fit", "text", "form")
BROWSE = ("cluster", "node", "explain", "properties", "queues")

# The panes that answer what is typed into a bar, the one that does so most of all first.
ANSWERING = {"shape": (*BUILD, "queues"), "requires": (*BROWSE, "fit")}


class PaneTabs(Static):
    """One line that names the panes where only one fits; a click brings a pane to the front."""

    def __init__(self, names: Mapping[str, str], *, id: str) -> None:
        super().__init__(id=id)
        self._names = names

    def show_front(self, front: str) -> None:
        """Mark the pane that is in front."""
        tabs = (
            f"[@click=app.front('{name}')]"
            + (f"[reverse] {title} [/reverse]" if name == front else f"[dim] {title} [/dim]")
            + "[/]"
            for name, title in self._names.items()
        )
        self.update(Content.from_markup("".join(tabs)), layout=False)


class Panes(Vertical):
    """Holds the panes by name and arranges them; the stylesheet says how for each size.

    ``-beside`` marks the pane of a pair that the other one stands in for, ``-front`` the pane that
    a narrow or zoomed screen shows (and the containers around it), ``-behind`` all others.
    """

    def __init__(self, panes: Mapping[str, Pane]) -> None:
        super().__init__(id="workspace")
        self.panes = panes
        self.front = "tree"
        self._standing_in: set[str] = set()
        self._around: dict[Widget, tuple[str, ...]] = {}
        self._tabs = PaneTabs({name: pane.title for name, pane in panes.items()}, id="tabs")

    def compose(self) -> ComposeResult:
        """Tabs, then the building side and the browsing side."""
        panes = self.panes
        build, job, browse = (Vertical(id=name) for name in ("build", "job", "browse"))
        self._around = {build: BUILD, job: BUILD[:2], browse: BROWSE}
        self._mark()
        yield self._tabs
        with Horizontal(id="panes"):
            with build:
                with job:
                    yield panes["tree"]
                    yield panes["fit"]
                yield panes["text"]
                yield panes["form"]
            with browse:
                yield from (panes[name] for name in BROWSE)

    @property
    def tabbed(self) -> bool:
        """Only one pane is in sight."""
        return any(self.screen.has_class(c) for c in ("-narrow", "-short", "-zoomed"))

    def bring_to_front(self, name: str) -> None:
        """Make a pane the one that a narrow or zoomed screen shows, and put it in sight."""
        self.front = name
        if name in PAIRS:
            self._standing_in.add(name)
        else:
            self._standing_in -= {n for n, other in PAIRS.items() if other == name}
        if name in HIDDEN_BY_FORM:
            self._standing_in.discard("form")
        self._mark()

    def answer(self, bar: str) -> None:
        """See that one who types into a bar sees what becomes of it, where there are tabs.

        A pane that was zoomed is what a person wants to see.
        """
        answering = ANSWERING[bar]
        tabs = self.is_attached and self.tabbed and not self.screen.has_class("-zoomed")
        if tabs and self.front not in answering:
            self.bring_to_front(answering[0])

    def toggle(self, name: str) -> bool:
        """Bring the second pane of a pair in sight, or its first again; whether it is in sight."""
        shown = self.front == name if self.tabbed else name in self._standing_in
        wide = self.screen.has_class("-wide") and not self.tabbed
        target = name if wide or not shown else PAIRS[name]
        self.bring_to_front(target)
        return target == name

    def next_name(self, by: int) -> str:
        """The name of the pane after the front one, or before it, among those in sight."""
        names = [n for n in self.panes if self.tabbed or in_sight(self.panes[n])]
        at = names.index(self.front) if self.front in names else -1
        return names[(at + by) % len(names)]

    def _mark(self) -> None:
        marked: dict[Widget, None] = {}  # in order, whose styles are others now

        def mark(widget: Widget, name: str, is_on: bool) -> None:
            if widget.has_class(name) != is_on:
                widget.set_class(is_on, name, update=False)
                marked[widget] = None

        ahead: set[Widget] = {self.panes[self.front]}
        ahead |= {widget for widget, names in self._around.items() if self.front in names}
        for widget in (*self.panes.values(), *self._around):
            mark(widget, "-front", widget in ahead)
            mark(widget, "-behind", widget not in ahead)
        for second, first in PAIRS.items():
            mark(self.panes[second], "-beside", second not in self._standing_in)
            mark(self.panes[first], "-beside", second in self._standing_in)
        for widget, names in self._around.items():
            mark(widget, "-forming", names is BUILD and "form" in self._standing_in)
            mark(widget, "-queueing", names is BROWSE and "queues" in self._standing_in)
        if self.is_attached and marked:
            # The marks of a container are of no matter to what is in it, but for the panes.
            self.app.stylesheet.update_nodes([*self._around, *self.panes.values()])
        self._tabs.show_front(self.front)


def in_sight(widget: Widget) -> bool:
    """The widget and all that it stands in is displayed."""
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))
