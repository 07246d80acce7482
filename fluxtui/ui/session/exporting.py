"""Exports: copying to the clipboard, and saving nodes to a file."""

import operator
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.content import Content

from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.pane import in_sight
from fluxtui.ui.session.memory import Recall
from fluxtui.ui.session.saving import SAVING
from fluxtui.ui.session.tasks import Tasks

if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering
    from fluxtui.model.resources.resource_set import Resources
    from fluxtui.ui.session import copying
    from fluxtui.workbench import State

OSC_52_SURE = 70_000  # characters; terminals differ in how much they take

# Control characters but tabs and line breaks.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


class Exporting(Controller):
    """Copies what there is, and saves nodes that are selected or match.

    recall keeps what was typed, form gives the form of the job's text that is shown, renderings the
    command lines of a state, and view_text how its constraint is read, with a title and a note.
    """

    def __init__(
        self,
        app: WorkbenchApp,
        tasks: Tasks,
        recall: Recall,
        form: Callable[[], str],
        renderings: "Callable[[State], Sequence[Rendering]]",
        view_text: "Callable[[State, str, str], str]",
    ) -> None:
        super().__init__(app)
        self._tasks, self._recall, self._form = tasks, recall, form
        self._renderings, self._view_text = renderings, view_text

    # To the clipboard

    def copy(self) -> None:
        """Ask what to copy, and copy it."""
        from fluxtui.ui.kit.picker import Item, Picker
        from fluxtui.ui.session import copying

        items: list[Item[Callable[[], None]]] = []
        for one in self.choices():
            words = "slurm" if one.label.startswith("sbatch") else ""
            run = partial(self.copy_choice, one)
            items.append(Item(run, one.label, one.detail, key=one.key, words=words))
        if copying.nodes_to_take(self.app.state):
            what = "R document, CSV, hosts, ranks"
            items.append(Item(self.save_nodes, "save nodes to a file", what, key="w"))
        self.open_dialog(Picker("Copy", items, enter="copies"), operator.call)

    def choices(self) -> "list[copying.Choice]":
        """What there is to copy, what the pane in front shows first.

        That is the one with the focus, or the only one in sight; the views of the nodes are one.
        """
        from fluxtui.ui.session import copying

        app, front = self.app, ""
        seen = [name for name, pane in app.panes.items() if pane is app.focused_pane]
        seen = seen or [name for name, pane in app.panes.items() if in_sight(pane)]
        if len(seen) == 1:
            front = "cluster" if seen[0] in app.views.panes else seen[0]
        return copying.choices(app.state, front, self._form(), self._renderings(app.state))

    def commands(self) -> Iterable[SystemCommand]:
        """What there is to copy."""
        for one in self.choices():
            detail = Content(printable(one.detail))
            yield SystemCommand(
                f"Copy: {one.label}",
                detail,  # type: ignore[arg-type]  # a str is markup
                partial(self.copy_choice, one),
            )

    def copy_text(self, label: str, text: Callable[[], str]) -> None:
        """Copy a text, which is made beside the event loop."""
        from fluxtui.ui.session import copying

        self.copy_choice(copying.Choice("", label, "", lambda stop: text()))

    def copy_view(self, state: "State | None" = None, title: str = "", note: str = "") -> None:
        """Copy a constraint, its answer and its explanation as text, for a chat."""
        shown = state or self.app.state
        self.copy_text("the view as text", lambda: self._view_text(shown, title, note))

    def copy_choice(self, choice: "copying.Choice") -> None:
        """Copy one thing, which is made beside the event loop."""
        self._recall.remember()
        self._tasks.start(
            "copying",
            f"copying {choice.label}",
            partial(_to_desktop, choice),
            partial(self._copied, choice),
            lambda: self.app.notify(f"Not copied: {choice.label}.", timeout=3, markup=False),
        )

    def _copied(self, choice: "copying.Choice", found: tuple[str, bool] | None) -> None:
        """Put a text on the terminal's clipboard too, and say where it is."""
        if found is None:
            words = f"{choice.label}: too long for a clipboard"
            words += "; ctrl+y, then w saves them" if choice.in_file else ""
            self.app.notify(words, title="Not copied", severity="warning")
            return
        text, is_on_desktop = found
        self.app.copy_to_clipboard(text)
        how = "OSC 52 and desktop" if is_on_desktop else "OSC 52"
        if len(text) > OSC_52_SURE and not is_on_desktop:
            how += f"; many terminals reject {len(text):,} characters"
        lines = len(text.splitlines())
        what = f"{lines} lines" if lines > 1 else printable(wording.shorten(text.strip(), 40))
        self.app.notify(f"{what} ({how})", title=f"Copied {choice.label}", markup=False)

    # Saving nodes

    def save_nodes(self) -> None:
        """Ask which nodes to save in which form, then where, and save them."""
        from fluxtui.ui.kit.picker import Item, Picker
        from fluxtui.ui.session import copying

        items = [
            Item(one, one.label, counted(one.mask.bit_count(), "node"), key=one.key)
            for one in copying.nodes_to_take(self.app.state)
        ]
        if not items:
            self.app.notify("No node is selected or matches.", severity="warning")
            return
        where = partial(self._ask_where, self.app.state.cluster.resources)
        self.open_dialog(Picker("Save nodes to a file", items), where)

    def _ask_where(self, resources: "Resources", nodes: "copying.Nodes") -> None:
        from fluxtui.ui.kit.path import PathDialog

        title = f"Save {counted(nodes.mask.bit_count(), f'{nodes.which} node')}"
        dialog = PathDialog(title, nodes.form.note, nodes.form.file)
        self.open_dialog(dialog, partial(self._save_nodes, resources, nodes))

    def _save_nodes(self, resources: "Resources", nodes: "copying.Nodes", path: str) -> None:
        from fluxtui.opening.nodes import save_nodes

        name = printable(os.path.basename(path))

        def take(found: tuple[bool, tuple[Problem, ...]]) -> None:
            is_saved, problems = found
            if is_saved:
                count = counted(nodes.mask.bit_count(), "node")
                self.app.notify(printable(path), title=f"Saved {count}", markup=False)
            self.app.report_problems(problems, "Saved" if is_saved else "Not saved")

        self._tasks.start(
            SAVING,
            f"writing {name}",
            partial(save_nodes, resources, nodes.mask, nodes.form.form, path),
            take,
            lambda: self.app.notify(f"{name} was not written.", timeout=3, markup=False),
        )


def _to_desktop(choice: "copying.Choice", stop: Stop) -> tuple[str, bool] | None:
    """The text to copy, put on the desktop's clipboard if there is one; None where it is too long.

    A lone surrogate, which a command line can bring in, is no text for any clipboard; and a
    terminal that a text is pasted into acts on control characters.
    """
    from fluxtui.bridge import clipboard

    text = choice.text(stop)
    stop_if(stop)
    if text is None:
        return None
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = _CONTROL.sub(lambda sign: printable(sign[0]), text)
    return text, clipboard.copy_to_desktop(text)
