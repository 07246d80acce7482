"""The parts of the screen, and what a person asks for in them: each of it becomes an edit."""

from typing import TYPE_CHECKING, Literal

from fluxtui import opening, workbench
from fluxtui.bridge import files
from fluxtui.notation.problem import Problem
from fluxtui.ui.bars import AskBar, ShapeBar
from fluxtui.ui.constraint.explain import ExplainPane
from fluxtui.ui.constraint.explanations import Explaining
from fluxtui.ui.constraint.part_editing import Bar
from fluxtui.ui.constraint.properties import PropertiesPane
from fluxtui.ui.job.fit import FitPane
from fluxtui.ui.job.fixes import Fixes
from fluxtui.ui.job.form import FormPane
from fluxtui.ui.job.queues import QueuesPane
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.job.tree import TreePane
from fluxtui.ui.layout import Panes, in_sight
from fluxtui.ui.nodes.cluster import ClusterPane
from fluxtui.ui.nodes.node import NodePane
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.terminal.themed import ThemedApp
from fluxtui.ui.title import Title

if TYPE_CHECKING:
    from fluxtui.ui.constraint.property_lines import Turner


class Parts(ThemedApp):
    """The bars, the panes and the state. What is asked for in them goes through edit().

    The subclass shows the state in them, and knows what more can be done.
    """

    def __init__(self, state: workbench.State | None = None) -> None:
        super().__init__()
        self.history = workbench.History(state or _demo())
        self._hover: int | None = None
        self.title_line = Title(id="title")
        self.shape_bar = ShapeBar(
            lambda text: self._type("shape", workbench.TypeShape(text)), self._enter_constraint
        )
        self.ask_bar = AskBar(
            lambda text: self._type("requires", workbench.TypeRequires(text)), self._enter_cluster
        )
        self.cluster_pane = ClusterPane(
            Handlers(self._move, self._over, lambda mask: self.edit(workbench.Select(mask))),
            id="pane-cluster",
        )
        self.tree_pane = TreePane(
            lambda text: self.edit(workbench.EditShape(text)), self._mend, id="pane-tree"
        )
        self.text_pane = TextPane(
            lambda text, form: self.edit(workbench.TypeJobspec(text, form)), id="pane-text"
        )
        self.form_pane = FormPane(
            lambda name, text: self.edit(workbench.TypeField(name, text)),
            lambda name: self.edit(workbench.LeaveField(name)),
            self._edit_lines,
            lambda: self.ask_bar.known.names,
            id="pane-form",
        )
        self.explaining = Explaining()
        self.node_pane = NodePane(self.explaining.explain, id="pane-node")
        self.explain_pane = ExplainPane(
            self.explaining,
            self._bar(),
            self._advised,
            lambda: self.fixes.find(self.state),
            self.edit,
            id="pane-explain",
        )
        self.fixes: Fixes = Fixes(self, self.explain_pane.changes)  # type: ignore[arg-type]
        self.ask_bar.entry.on_move = self.explain_pane.follow
        self.ask_bar.entry.on_gone = self.explain_pane.show_problems
        self.properties_pane = PropertiesPane(
            self._turn_property,
            lambda mask: self.edit(workbench.Select(mask)),
            id="pane-properties",
        )
        self._turner: Turner | None = None  # made with the first turn
        self.fit_pane = FitPane(self.fixes.find, self.fixes.take, id="pane-fit")
        self.queues_pane = QueuesPane(
            self._choose_queue,
            lambda name: self.edit(workbench.LookAtQueue(name)),
            self._set_queue,
            id="pane-queues",
        )
        self.workspace = Panes(
            {
                "tree": self.tree_pane,
                "form": self.form_pane,
                "fit": self.fit_pane,
                "text": self.text_pane,
                "cluster": self.cluster_pane,
                "node": self.node_pane,
                "explain": self.explain_pane,
                "properties": self.properties_pane,
                "queues": self.queues_pane,
            }
        )
        self.shape_bar.entry.takes_paste = self.pasted

    # The state

    @property
    def state(self) -> workbench.State:
        """The state in force."""
        return self.history.state

    def edit(self, edit: workbench.Edit) -> None:
        """Take an edit from a person."""
        self._become(self.history.do(edit))

    def _type(self, bar: str, edit: workbench.Edit) -> None:
        self.workspace.answer(bar)
        self.edit(edit)

    def _become(self, history: workbench.History) -> None:
        self.history = history

    def bring(self, name: str) -> None:
        """Put a pane in sight."""
        self.workspace.bring_to_front(name)

    # What the bars and panes ask for

    def pasted(self, text: str) -> bool:
        """Take a paste into the shape that is no shape; the subclass knows what else it may be."""
        return False

    def _move(self, index: int) -> None:
        self._hover = None
        self.edit(workbench.MoveCursor(index))

    def _over(self, index: int | None) -> None:
        self._hover = index
        seen = index if index is not None else self.state.cursor
        self.node_pane.show(self.state, seen)
        if in_sight(self.explain_pane):
            self.explain_pane.show(self.state, seen)

    def _bar(self) -> Bar:
        """The constraint's text, as the reading of it needs it."""
        entry = self.ask_bar.entry
        return Bar(
            lambda text: self.edit(workbench.EditRequires(text)),
            lambda text: self.edit(workbench.TypeRequires(text)),
            entry.point_at,
            self._to_place,
            lambda: entry.cursor_position if self.focused is entry else None,
            lambda: self.ask_bar.known.names,
        )

    def _to_place(self, place: int) -> None:
        """Go to the constraint, to this place in its text."""
        self.action_focus_constraint()
        self.ask_bar.entry.cursor_position = place

    def _enter_constraint(self) -> None:
        """From the shape to the constraint; what was typed as a command line is read as one."""
        if not self.pasted(self.shape_bar.entry.value):
            self.action_focus_constraint()

    def action_focus_shape(self) -> None:
        """Go to the shape, at once: the next key may be typed already."""
        self.screen.set_focus(self.shape_bar.entry)

    def action_focus_constraint(self) -> None:
        """Go to the constraint, at once: the next key may be typed already."""
        self.screen.set_focus(self.ask_bar.entry)

    def _enter_cluster(self) -> None:
        """From the constraint to the cluster, to the first node that matches."""
        self.bring("cluster")
        # The input may still have keys to handle that were typed before this one.
        self.ask_bar.entry.call_later(self._to_first_match)

    def _to_first_match(self) -> None:
        mask = self.state.ask.mask
        if self.state.ask.constraint is not None and mask:
            self._move((mask & -mask).bit_length() - 1)

    def _mend(self, problem: Problem | None) -> None:
        """Repair a problem of the job; without one, apply the best fix."""
        if problem is None:
            self.fixes.apply_best()
        else:
            self.fixes.mend(problem)

    def _edit_lines(self, name: str) -> None:
        """Edit a field of many lines; the subclass knows how."""

    def _choose_queue(self, name: str) -> None:
        """Take a queue for the job; taken once more, leave it to Flux again."""
        chosen = None if name == self.state.submission.queue else name
        self.edit(workbench.ChooseQueue(chosen))

    def _set_queue(self, name: str, what: Literal["enabled", "started"]) -> None:
        """Take a queue to be the other way: disabled or enabled, stopped or started."""
        self.edit(workbench.TurnQueue(name, what))

    def _advised(self) -> None:
        """More is known of what to change about a constraint that no node meets."""
        self.fit_pane.show(self.state)
        self.fixes.advised()

    def _turn_property(self, name: str, wanted: bool) -> None:
        """Ask for a property in the constraint, or against it; where it does so, no longer."""
        from fluxtui.ui.constraint.property_lines import Turner

        ask = self.state.ask
        self._turner = self._turner or Turner()
        text = self._turner.turned(ask, name, wanted=wanted)
        if text is not None:
            self.edit(workbench.EditRequires(text))
        elif ask.stale:
            self.notify("Finish the constraint first: as it stands it has a problem.", timeout=4)
        else:
            self.notify("The constraint would be too long a text.", severity="warning", timeout=4)


def _demo() -> workbench.State:
    """The state on the cluster that ships inside."""
    cluster, _ = opening.open_cluster(files.DEMO, None)
    return workbench.start(cluster)
