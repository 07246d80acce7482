"""Open the stage from the workbench, with a list of constraints or the user's own."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.model.constraint.tree import to_json
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.text import shorten

if TYPE_CHECKING:
    from fluxtui.model.stage import Stage, Step
    from fluxtui.ui.stage.stage_screen import Script, StageMap, StageScreen


FAULTS = 5  # how many problems of a list are shown
NAME = 40  # columns of a constraint that was replaced
SHOWN = 3  # seconds to show each of them


class Staging(Controller):
    """Shows stage lists: the built-in one, or the user's own.

    first is a list to show once the screen is up, and first_faults are its problems. make_map
    builds the map of the stage; on_copy copies a step, and on_picture saves the screen.
    """

    follows = ("cluster",)

    first: "Stage | None" = None
    first_faults: tuple[Problem, ...] = ()
    screen: "StageScreen | None" = None  # while it is open
    _script: "Script | None" = None  # the list that was shown last
    _place = 0  # the step in it where the stage was closed
    _held_back = ""  # a message for the workbench that came while the stage was open
    _own_steps: "tuple[Step, ...]" = ()  # the user's own steps when the stage was closed

    def __init__(
        self,
        app: WorkbenchApp,
        make_map: "Callable[[Callable[[], object]], StageMap]",
        on_copy: Callable[[workbench.State, str, str], None],
        on_picture: Callable[[], None],
    ) -> None:
        super().__init__(app)
        self._make_map, self._on_copy, self._on_picture = make_map, on_copy, on_picture

    def ready(self) -> None:
        """Open the stage if the program was started with a list."""
        if self.first is not None:
            self.show_list(self.first, self.first_faults)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Show the steps on the newly opened cluster."""
        if self.screen is not None and after.cluster is not before.cluster:
            self.screen.show_cluster(after.cluster)

    def tell_workbench(self, text: str) -> None:
        """Show a message in the workbench, after the stage is closed if it is open."""
        if self.screen is not None:
            self._held_back = text
        else:
            self.app.notify(text, timeout=8)

    def open(self) -> None:
        """Open the stage at the list and the step where it was closed.

        If that is the built-in list, and the user's constraint has changed since, open it at that.
        """
        from fluxtui.library import stages

        script, place = self._script or stages.rfc31, self._place
        own = own_steps(self.app.state)
        if own and own != self._own_steps and script is stages.rfc31:
            place = -len(own)
        self._present(script, place)

    def open_examples(self) -> None:
        """Show the built-in list from its first step."""
        from fluxtui.library import stages

        self._present(stages.rfc31, 0)

    def show_list(self, stage: "Stage", problems: tuple[Problem, ...] = ()) -> None:
        """Show a list from its first step, and report problems of its steps."""
        self._present(lambda resources: stage, 0)
        if problems:
            listed = [printable(problem.message) for problem in problems[:FAULTS]]
            rest = len(problems) - FAULTS
            more = [f"and {rest:,} more: fluxtui check lists them all"] if rest > 0 else []
            text, timeout = "\n".join([*listed, *more]), SHOWN * max(2, len(listed))
            title = f"Stage {printable(stage.title)}"
            self.app.warn(text, title=title, timeout=timeout)

    def _present(self, script: "Script", place: int) -> None:
        from fluxtui.library import stages
        from fluxtui.ui.stage.stage_screen import StageScreen

        self._script = script
        own_leads = script is stages.rfc31
        if self.screen is not None:
            self.screen.show_script(script, own_leads=own_leads)
            return
        screen = self.screen = StageScreen(
            *(self.app.state.cluster, script, place, own_steps(self.app.state)),
            own_leads=own_leads,
            last=last_readable(self.app.state),
            make_map=self._make_map,
            on_copy=self._on_copy,
            on_picture=self._on_picture,
        )

        def closed(constraint: str | None) -> None:
            self.screen, self._place = None, screen.place
            if constraint is not None:
                before = " ".join(self.app.state.ask.text.split())
                self.app.edit(workbench.EditRequires(constraint))
                self.app.focus_constraint()
                if before and before != " ".join(constraint.split()):
                    words = f"{shorten(before, NAME)} was replaced; ctrl+z to undo"
                    self.app.notify(words, timeout=8)
            self._own_steps = own_steps(self.app.state)
            if self._held_back:
                self.tell_workbench(self._held_back)
                self._held_back = ""

        self.app.push_screen(screen, closed)


def own_steps(state: workbench.State) -> "tuple[Step, ...]":
    """Return a step for the constraint in the input, or two if another one is kept as A.

    Empty if there is no constraint.
    """
    from fluxtui.model.stage import Step

    kept, text = state.kept, state.ask.text
    if kept is not None and kept.text.strip() != text.strip():
        first = Step("A", kept.text, "The constraint kept for comparison.")
        return first, Step("B", text, "The constraint in the input.")
    return (Step("Your constraint", text),) if text.strip() else ()


def last_readable(state: workbench.State) -> str:
    """Return the constraint in the input, or while that cannot be read, the one before it."""
    constraint = state.ask.constraint
    return workbench.constraint_text(to_json(constraint)) if constraint is not None else ""
