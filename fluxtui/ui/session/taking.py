"""The workbench with what a person takes away: to the clipboard, and nodes into a file."""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from fluxtui.model.cancellation import Stopped
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.layout import in_sight
from fluxtui.ui.session.documents import Documents
from fluxtui.ui.session.saving import SAVING
from fluxtui.ui.session.selecting import Selecting

if TYPE_CHECKING:
    from fluxtui.model.resources.resource_set import Resources
    from fluxtui.ui.session import copying

OSC_52_SURE = 70_000  # characters; terminals differ in how much they take
MOMENT = 0.3  # seconds; what takes no longer is not worth a word before it is there
TO_FILE = "w"


# Control characters but tabs and line breaks.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


class Taking(Selecting, Documents):
    """Copies what there is, and saves nodes that are selected or match."""

    _taking: tuple[threading.Event, ...] = ()  # one for each text; set once it is not wanted

    # To the clipboard

    def action_copy(self) -> None:
        """Ask what to copy, and copy it."""
        from fluxtui.ui.kit.picker import Item, Picker
        from fluxtui.ui.session import copying

        choices = [Item(c.key, c.label, c.detail, key=c.key) for c in self.to_copy()]
        if copying.nodes_to_take(self.state):
            what = "R document, CSV, hosts, ranks"
            choices.append(Item(TO_FILE, "save nodes in a file", what, key=TO_FILE))
        self.push_screen(Picker("Copy", choices, enter="copies"), self._copy_or_save)

    def _copy_or_save(self, key: str | None) -> None:
        if key == TO_FILE:
            self.action_save_nodes()
        else:
            self.copy_named(key)

    def to_copy(self) -> "list[copying.Choice]":
        """What there is to copy, what the pane in front shows first."""
        from fluxtui.ui.session import copying

        pane = self.pane(TextPane)
        seen = [name for name, one in self.workspace.panes.items() if in_sight(one)]
        front = next((n for n, p in self.workspace.panes.items() if p is self.focused_pane), "")
        front = front or (seen[0] if len(seen) == 1 else "")
        return copying.choices(self.state, front, pane.form, pane.renderings)

    def copy_named(self, key: str | None) -> None:
        """Copy what has this key in the menu; None copies nothing."""
        for choice in self.to_copy():
            if choice.key == key:
                start_worker(self, "copying", self._copy, choice)

    async def _copy(self, choice: "copying.Choice") -> None:
        if self.recall is not None:
            self.recall.remember()
        stop = choice.stop or threading.Event()
        with self._busy(f"copying {choice.label} …  esc stops", stop, after=MOMENT):
            try:
                text = await run_in_thread(choice.text)
            except Stopped:
                text = None
        if stop.is_set():
            self.notify(f"Not copied: {choice.label}.", timeout=3, markup=False)
        elif text is None:
            self._refuse(choice)
        else:
            await self._put(text, choice.label)

    def _refuse(self, choice: "copying.Choice") -> None:
        """Say that a text is too long, and what to do instead."""
        from fluxtui.ui.session import copying

        self.notify(
            f"More than {copying.MOST:,} characters are too many for a clipboard"
            + (":\nctrl+y, then w, saves the nodes in a file." if choice.in_file else "."),
            title=f"Not copied: {choice.label}",
            severity="warning",
        )

    async def _put(self, text: str, label: str) -> None:
        """Put a text on every clipboard there is, and say so."""
        # A lone surrogate, which a command line can bring in, is no text for any clipboard; and a
        # terminal that a text is pasted into acts on control characters.
        text = text.encode("utf-8", "replace").decode("utf-8")
        text = _CONTROL.sub(lambda sign: printable(sign[0]), text)
        self.copy_to_clipboard(text)
        from fluxtui.bridge import clipboard

        desktop = await run_in_thread(lambda: clipboard.copy_to_desktop(text))
        how = "by the terminal (OSC 52)" + (" and to the desktop" if desktop else "")
        if len(text) > OSC_52_SURE and not desktop:
            how += f"; many terminals refuse as much as {len(text):,} characters"
        lines = len(text.splitlines())
        what = f"{lines} lines" if lines > 1 else printable(wording.shorten(text.strip(), 60))
        self.notify(f"{what}\n{how}", title=f"Copied: {label}", markup=False)

    # Nodes into a file

    def action_save_nodes(self) -> None:
        """Ask which nodes to save in which form, then where, and save them."""
        from fluxtui.ui.kit.picker import Item, Picker
        from fluxtui.ui.session import copying

        groups = copying.nodes_to_take(self.state)
        if not groups:
            self.notify(
                "There are no nodes to save: select some in the cluster, or change the constraint.",
                severity="warning",
            )
            return
        resources = self.state.cluster.resources
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

        self.push_screen(Picker("Save nodes in a file", choices), chosen)

    def _ask_where(
        self, resources: "Resources", nodes: "copying.Nodes", form: "copying.NodesForm"
    ) -> None:
        from fluxtui.ui.kit.path import PathDialog

        count = counted(nodes.mask.bit_count(), f"{nodes.which} node")
        if nodes.which == "all":
            count = f"all {nodes.mask.bit_count():,} nodes"

        def chosen(path: str | None) -> None:
            if path is not None:
                start_worker(self, SAVING, self._save_nodes, resources, nodes.mask, form, path)

        self.push_screen(PathDialog(f"Save {count}", form.note, form.file), chosen)

    async def _save_nodes(
        self,
        resources: "Resources",
        mask: int,
        form: "copying.NodesForm",
        path: str,
    ) -> None:
        """Write nodes to a file beside the event loop."""
        from fluxtui.opening.nodes import save_nodes

        name = printable(os.path.basename(path))
        stop = threading.Event()
        with self._busy(f"writing {name} …  esc stops", stop):
            try:
                saved, told = await run_in_thread(
                    partial(save_nodes, resources, mask, form.form, path, stop.is_set)
                )
            except Stopped:
                self.notify(f"{name} was not written.", timeout=3, markup=False)
                return
        self._tell_saved(mask, path, saved, told)

    @contextmanager
    def _busy(self, words: str, stop: threading.Event, after: float = 0) -> Iterator[None]:
        """Say what is being done, after so many seconds; from then on escape sets stop."""
        done = False

        def say() -> None:
            if not done:  # a timer that is stopped may have its turn still
                self._taking += (stop,)
                self.views.show_busy(words)

        timer = self.set_timer(after, say) if after else None
        if timer is None:
            say()
        try:
            yield
        finally:
            done = True
            if timer is not None:
                timer.stop()
            if stop in self._taking:
                self._taking = tuple(other for other in self._taking if other is not stop)
                if not self._taking:
                    self.views.show_busy("")

    def _tell_saved(self, mask: int, path: str, saved: bool, told: tuple[Problem, ...]) -> None:
        if saved:
            count = counted(mask.bit_count(), "node")
            self.notify(printable(path), title=f"Saved {count}", markup=False)
        self.tell(told, "Saved" if saved else "Not saved")

    def stop_taking(self) -> bool:
        """Take nothing away any more; whether that was being done."""
        if not self._taking:
            return False
        for stop in self._taking:
            stop.set()
        self._taking = ()
        self.views.show_busy("")
        return True

    async def action_unselect(self) -> None:
        """Stop taking away; where nothing is, select none any more, or leave."""
        if not self.stop_taking():
            await super().action_unselect()
