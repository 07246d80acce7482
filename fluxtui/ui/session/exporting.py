"""Exports: copying to the clipboard, and saving nodes to a file."""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.content import Content

from fluxtui.model.cancellation import Stopped
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.pane import in_sight
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.session.memory import Recall
from fluxtui.ui.session.saving import SAVING, TextView

if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering
    from fluxtui.model.resources.resource_set import Resources
    from fluxtui.ui.session import copying
    from fluxtui.workbench import State

OSC_52_SURE = 70_000  # characters; terminals differ in how much they take
MOMENT = 0.3  # seconds; what takes no longer is not worth a word before it is there
TO_FILE = "w"


# Control characters but tabs and line breaks.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


class Exporting(Controller):
    """Copies what there is, and saves nodes that are selected or match.

    recall keeps what was typed, pane shows the text of the job, and renderings gives the command
    lines of a state, and view_text how its constraint is read, with a title and a note.
    """

    _under_way: tuple[threading.Event, ...] = ()  # one for each text; set once it is not wanted

    def __init__(
        self,
        app: WorkbenchApp,
        recall: Recall,
        pane: TextView,
        renderings: "Callable[[State], Sequence[Rendering]]",
        view_text: "Callable[[State, str, str], str]",
    ) -> None:
        super().__init__(app)
        self._recall, self._pane = recall, pane
        self._renderings, self._view_text = renderings, view_text

    # To the clipboard

    def copy(self) -> None:
        """Ask what to copy, and copy it."""
        from fluxtui.ui.kit.picker import Item, Picker
        from fluxtui.ui.session import copying

        choices = []
        for c in self.choices():
            words = "slurm" if c.label.startswith("sbatch") else ""
            choices.append(Item(c.key, c.label, c.detail, key=c.key, words=words))
        if copying.nodes_to_take(self.app.state):
            what = "R document, CSV, hosts, ranks"
            choices.append(Item(TO_FILE, "save nodes to a file", what, key=TO_FILE))

        def chosen(key: str | None) -> None:
            if key == TO_FILE:
                self.save_nodes()
            elif key is not None:
                self.copy_choice(key)

        self.app.push_screen(Picker("Copy", choices, enter="copies"), chosen)

    def choices(self) -> "list[copying.Choice]":
        """What there is to copy, what the pane in front shows first."""
        from fluxtui.ui.session import copying

        app = self.app
        renderings = self._renderings(app.state)
        return copying.choices(app.state, self._front(), self._pane.form, renderings)

    def _front(self) -> str:
        """The pane that a person looks at: the one with the focus, or the only one in sight.

        The views of the nodes are one, cluster.
        """
        panes, focused = self.app.panes, self.app.focused_pane
        seen = [name for name, pane in panes.items() if pane is focused]
        seen = seen or [name for name, pane in panes.items() if in_sight(pane)]
        if len(seen) != 1:
            return ""
        return "cluster" if seen[0] in self.app.views.panes else seen[0]

    def copy_choice(self, key: str) -> None:
        """Copy what has this key in the menu, if something has."""
        for choice in self.choices():
            if choice.key == key:
                start_worker(self.app, "copying", self._copy, choice)

    def copy_text(self, label: str, text: Callable[[], str]) -> None:
        """Copy a text, which is made beside the event loop."""
        from fluxtui.ui.session import copying

        start_worker(self.app, "copying", self._copy, copying.Choice("", label, "", text))

    def copy_view(self, state: "State | None" = None, title: str = "", note: str = "") -> None:
        """Copy a constraint, its answer and its explanation as text, for a chat."""
        shown = state or self.app.state
        self.copy_text("the view as text", lambda: self._view_text(shown, title, note))

    def commands(self) -> Iterable[SystemCommand]:
        """What there is to copy."""
        for choice in self.choices():
            yield SystemCommand(
                f"Copy: {choice.label}",
                Content(printable(choice.detail)),  # type: ignore[arg-type]  # a str is markup
                partial(self.copy_choice, choice.key),
            )

    async def _copy(self, choice: "copying.Choice") -> None:
        self._recall.remember()
        stop = choice.stop or threading.Event()
        with self._busy(f"copying {choice.label} …  esc stops", stop, after=MOMENT):
            try:
                text = await run_in_thread(choice.text)
            except Stopped:
                text = None
        if stop.is_set():
            self.app.notify(f"Not copied: {choice.label}.", timeout=3, markup=False)
        elif text is None:
            self._refuse(choice)
        else:
            await self._put(text, choice.label)

    def _refuse(self, choice: "copying.Choice") -> None:
        instead = "; ctrl+y, then w saves them" if choice.in_file else ""
        self.app.notify(
            f"{choice.label}: too long for a clipboard{instead}",
            title="Not copied",
            severity="warning",
        )

    async def _put(self, text: str, label: str) -> None:
        """Put a text on every clipboard there is, and say so."""
        from fluxtui.bridge import clipboard

        # A lone surrogate, which a command line can bring in, is no text for any clipboard; and a
        # terminal that a text is pasted into acts on control characters.
        text = text.encode("utf-8", "replace").decode("utf-8")
        text = _CONTROL.sub(lambda sign: printable(sign[0]), text)
        self.app.copy_to_clipboard(text)
        desktop = await run_in_thread(lambda: clipboard.copy_to_desktop(text))
        how = "OSC 52 and desktop" if desktop else "OSC 52"
        if len(text) > OSC_52_SURE and not desktop:
            how += f"; many terminals reject {len(text):,} characters"
        lines = len(text.splitlines())
        what = f"{lines} lines" if lines > 1 else printable(wording.shorten(text.strip(), 40))
        self.app.notify(f"{what} ({how})", title=f"Copied {label}", markup=False)

    # Saving nodes

    def save_nodes(self) -> None:
        """Ask which nodes to save in which form, then where, and save them."""
        from fluxtui.ui.kit.picker import Item, Picker
        from fluxtui.ui.session import copying

        groups = copying.nodes_to_take(self.app.state)
        if not groups:
            self.app.notify("No node is selected or matches.", severity="warning")
            return
        resources = self.app.state.cluster.resources
        offered = {
            nodes.key(form): (nodes, form)
            for nodes in groups
            for form in copying.NODES_FORMS
            if resources.hosts or form.form != "hosts"
        }
        choices = []
        for key, (nodes, form) in offered.items():
            count = counted(nodes.mask.bit_count(), "node")
            choices.append(Item(key, f"{nodes.which} {form.words}", count, key=key))

        def chosen(key: str | None) -> None:
            if key is not None:
                self._ask_where(resources, *offered[key])

        self.app.push_screen(Picker("Save nodes to a file", choices), chosen)

    def _ask_where(
        self, resources: "Resources", nodes: "copying.Nodes", form: "copying.NodesForm"
    ) -> None:
        from fluxtui.ui.kit.path import PathDialog

        count = counted(nodes.mask.bit_count(), f"{nodes.which} node")
        if nodes.which == "all":
            count = f"all {nodes.mask.bit_count():,} nodes"

        def chosen(path: str | None) -> None:
            if path is not None:
                start_worker(self.app, SAVING, self._save_nodes, resources, nodes.mask, form, path)

        self.app.push_screen(PathDialog(f"Save {count}", form.note, form.file), chosen)

    async def _save_nodes(
        self, resources: "Resources", mask: int, form: "copying.NodesForm", path: str
    ) -> None:
        from fluxtui.opening.nodes import save_nodes

        name = printable(os.path.basename(path))
        stop = threading.Event()
        problems: tuple[Problem, ...]
        with self._busy(f"writing {name} …  esc stops", stop):
            try:
                saved, problems = await run_in_thread(
                    partial(save_nodes, resources, mask, form.form, path, stop.is_set)
                )
            except Stopped:
                self.app.notify(f"{name} was not written.", timeout=3, markup=False)
                return
        if saved:
            count = counted(mask.bit_count(), "node")
            self.app.notify(printable(path), title=f"Saved {count}", markup=False)
        self.app.report_problems(problems, "Saved" if saved else "Not saved")

    # Long tasks

    @contextmanager
    def _busy(self, words: str, stop: threading.Event, after: float = 0) -> Iterator[None]:
        """Say what is being done, after so many seconds; from then on escape sets stop."""
        done = False

        def say() -> None:
            if not done:  # a stopped timer may still fire once
                self._under_way += (stop,)
                self.app.views.show_busy(words)

        timer = self.app.set_timer(after, say) if after else None
        if timer is None:
            say()
        try:
            yield
        finally:
            done = True
            if timer is not None:
                timer.stop()
            if stop in self._under_way:
                self._under_way = tuple(other for other in self._under_way if other is not stop)
                if not self._under_way:
                    self.app.views.show_busy("")

    def stop(self) -> bool:
        """Stop exporting; return whether something was being exported."""
        if not self._under_way:
            return False
        for stop in self._under_way:
            stop.set()
        self._under_way = ()
        self.app.views.show_busy("")
        return True
