"""The stage in the workbench: a list of constraints, or the person's own."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.controller import Controller, WorkbenchApp

if TYPE_CHECKING:
    from fluxtui.model.stage import Stage, Step
    from fluxtui.ui.stage.stage_screen import Script, StageMap, StageScreen


FAULTS = 5  # of a list that are shown
SHOWN = 3  # seconds that each of them is


class Staging(Controller):
    """Shows stage lists: the one that ships, or a person's own.

    first is shown once the screen is there, and first_faults say what is wrong with it.
    make_map makes its map; on_copy copies a step, and on_picture saves the screen.
    """

    follows = ("cluster",)

    first: "Stage | None" = None
    first_faults: tuple[Problem, ...] = ()
    screen: "StageScreen | None" = None  # while it is open
    _script: "Script | None" = None  # of the list that was shown last
    _place = 0  # in it
    _held_back = ""  # a message for the workbench that came while the stage was open
    _own_steps: "tuple[Step, ...]" = ()  # what they were when the stage was left

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
        """Begin on the stage, where the workbench was started for that."""
        if self.first is not None:
            self.show_list(self.first, self.first_faults)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Show the list on the cluster that is open now."""
        if self.screen is not None and after.cluster is not before.cluster:
            self.screen.show_cluster(after.cluster)

    def tell_workbench(self, text: str) -> None:
        """Show a notice once the stage is closed."""
        if self.screen is not None:
            self._held_back = text
        else:
            self.app.notify(text, timeout=8)

    def open(self) -> None:
        """Go to the stage, to the list and the step where it was left.

        Where the list is the one that ships and the constraint another one since, go to that.
        """
        from fluxtui.library import stages

        script, place = self._script or stages.rfc31, self._place
        own = own_steps(self.app.state)
        if own and own != self._own_steps and script is stages.rfc31:
            place = -len(own)
        self._present(script, place)

    def open_examples(self) -> None:
        """Show the list that ships, from its first step on."""
        from fluxtui.library import stages

        self._present(stages.rfc31, 0)

    def show_list(self, stage: "Stage", problems: tuple[Problem, ...] = ()) -> None:
        """Show a list from its first step on; problems say what is wrong with some of its steps."""
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
            make_map=self._make_map,
            on_copy=self._on_copy,
            on_picture=self._on_picture,
        )

        def left(constraint: str | None) -> None:
            self.screen, self._place = None, screen.place
            if constraint is not None:
                self.app.edit(workbench.EditRequires(constraint))
                self.app.focus_constraint()
            self._own_steps = own_steps(self.app.state)
            if self._held_back:
                self.tell_workbench(self._held_back)
                self._held_back = ""

        self.app.push_screen(screen, left)


def own_steps(state: workbench.State) -> "tuple[Step, ...]":
    """The steps of a person's own constraint, as it is typed; two where one is kept as A.

    None where nothing is asked.
    """
    from fluxtui.model.stage import Step

    kept, text = state.kept, state.ask.text
    if kept is not None and kept.text.strip() != text.strip():
        one = Step("A", kept.text, "The constraint kept for comparison.")
        return one, Step("B", text, "The constraint in the input.")
    return (Step("Your constraint", text),) if text.strip() else ()
