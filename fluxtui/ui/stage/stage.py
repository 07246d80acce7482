"""The workbench with a stage: constraints to show one after the other, and views to hand on."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.screen import Screen

from fluxtui import workbench
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.kit.workers import start_worker
from fluxtui.ui.session.writing import Writing

if TYPE_CHECKING:
    from fluxtui.model.stage import Stage, Step
    from fluxtui.ui.session import copying
    from fluxtui.ui.stage.stage_screen import Script, StageScreen


FAULTS = 5  # of a list that are told
TOLD = 3  # seconds that each of them stands there


class Staging(Writing):
    """Shows stage lists: the one that ships, or a person's own.

    first_stage is shown once the screen stands, and first_faults say what is wrong with it.
    """

    first_stage: "Stage | None" = None
    first_faults: tuple[Problem, ...] = ()
    _on_stage: "StageScreen | None" = None  # while it is open
    _script: "Script | None" = None  # of the list that was shown last
    _stage_place = 0  # in it
    _unsaid = ""  # a message for the workbench that came while the stage was open
    _own_steps: "tuple[Step, ...]" = ()  # what they were when the stage was left

    def on_ready(self) -> None:
        """Begin on the stage, where the workbench was started for that."""
        if self.first_stage is not None:
            self.show_stage(self.first_stage, self.first_faults)

    def announce(self, text: str) -> None:
        """Tell of a draft once the stage is left: it is none of what is shown there."""
        if self._on_stage is not None:
            self._unsaid = text
        else:
            super().announce(text)

    def _become(self, history: workbench.History) -> None:
        before = self.state.cluster
        super()._become(history)
        if self._on_stage is not None and self.state.cluster is not before:
            self._on_stage.show_cluster(self.state.cluster)

    @property
    def screen_actions(self) -> set[str]:
        """On the stage, the theme can be changed too."""
        on_stage = self.screen_stack[-1:] == [self._on_stage]
        return super().screen_actions | ({"themes"} if on_stage else set())

    def action_stage(self) -> None:
        """Go to the stage, to the list and the step where it was left.

        Where the list is the one that ships and the constraint another one since, go to that.
        """
        from fluxtui.library import stages

        script, place = self._script or stages.rfc31, self._stage_place
        own = own_steps(self.state)
        if own and own != self._own_steps and script is stages.rfc31:
            place = -len(own)
        self._present(script, place)

    def action_examples_on_stage(self) -> None:
        """Show the list that ships, from its first step on."""
        from fluxtui.library import stages

        self._present(stages.rfc31, 0)

    def show_stage(self, stage: "Stage", problems: tuple[Problem, ...] = ()) -> None:
        """Show a list from its first step on; problems say what is wrong with some of its steps."""
        self._present(lambda resources: stage, 0)
        if problems:
            told = [_told(problem, stage) for problem in problems[:FAULTS]]
            rest = len(problems) - FAULTS
            more = [f"and {rest:,} more: fluxtui check lists them all"] if rest > 0 else []
            text, timeout = "\n".join([*told, *more]), TOLD * max(2, len(told))
            title = f"Stage {printable(stage.title)}"
            self.notify(text, title=title, severity="warning", timeout=timeout, markup=False)

    def _present(self, script: "Script", place: int) -> None:
        from fluxtui.library import stages
        from fluxtui.ui.stage.stage_screen import StageScreen

        self._script = script
        own_leads = script is stages.rfc31
        if self._on_stage is not None:
            self._on_stage.show_script(script, own_leads=own_leads)
            return
        screen = self._on_stage = StageScreen(
            self.state.cluster,
            script,
            place,
            own=own_steps(self.state),
            own_leads=own_leads,
            on_copy=self._copy_view,
            on_picture=self.action_picture,
        )

        def left(constraint: str | None) -> None:
            self._on_stage, self._stage_place = None, screen.place
            if constraint is not None:
                self.edit(workbench.EditRequires(constraint))
                self.focus_constraint()
            self._own_steps = own_steps(self.state)
            if self._unsaid:
                super(Staging, self).announce(self._unsaid)
                self._unsaid = ""

        self.push_screen(screen, left)

    # Views to hand on

    def action_view_text(self) -> None:
        """Copy the constraint, its answer and how it is read as text, for a chat."""
        from fluxtui.ui.constraint.view_text import view_text

        state = self.state
        self._copy_view(lambda: view_text(state))

    def _copy_view(self, text: Callable[[], str]) -> None:
        from fluxtui.ui.session import copying

        choice = copying.Choice("", "the view as text", "", text)
        start_worker(self, "copying", self._copy, choice)

    async def _copy(self, choice: "copying.Choice") -> None:
        """Copy something; the subclass knows how."""

    def action_picture(self) -> None:
        """Save the screen as a picture; the subclass knows how."""

    # The palette and the keys

    def stage_commands(self, screen: Screen[object]) -> Iterator[SystemCommand]:
        """What the palette has on the stage; nothing elsewhere."""
        stage = self._on_stage
        if stage is not None and screen is stage:
            yield SystemCommand("List", "Choose a step of the list", stage.action_choose)
            yield SystemCommand("Edit", "Edit the constraint in the workbench", stage.action_edit)
            yield SystemCommand("Copy", "Copy the view as text for a chat", stage.action_copy)
            yield SystemCommand("Picture", "Save the view as a picture", stage.action_picture)
            yield SystemCommand("Keys", "Show the keys of the stage", stage.action_keys)
            yield SystemCommand("Leave", "Leave the stage", stage.action_leave)


def own_steps(state: workbench.State) -> "tuple[Step, ...]":
    """The steps of a person's own constraint, as it is typed; two where one is kept as A.

    None where nothing is asked.
    """
    from fluxtui.model.stage import Step

    kept, text = state.kept, state.ask.text
    if kept is not None and kept.text.strip() != text.strip():
        one = Step("A", kept.text, "The constraint that is kept, to compare others with it.")
        return one, Step("B", text, "The constraint in the bar.")
    return (Step("Your constraint", text),) if text.strip() else ()


def _told(problem: Problem, stage: "Stage") -> str:
    """A fault of a list, with the number that the step has on the stage."""
    found = re.match(r"(?:steps)?\[([0-9]+)\]", problem.path or "")
    if found is None:
        return printable(problem.message)
    item = int(found[1])
    number = sum(step.item < item for step in stage.steps)
    if any(step.item == item for step in stage.steps):
        where = f"step {number + 1}"
    else:
        where = f"left out after step {number}" if number else "left out before step 1"
    return printable(f"{where}: {problem.message}")
