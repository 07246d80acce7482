"""The workbench with several documents open: going from one to another, and two compared."""

import threading
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.session.saving import SAVING
from fluxtui.ui.session.taking import Taking
from fluxtui.workbench import Cluster
from fluxtui.workbench.documents import is_same

if TYPE_CHECKING:
    from fluxtui.answers.compare import Row
    from fluxtui.ui.session.changes import Wish
    from fluxtui.ui.session.documents_dialog import Chosen

COMPARING = "comparing"
TOLD = 8  # seconds that it stands there what differs
NAME = 24  # characters of the name of a document, where two are named


class OpenDocuments(Taking):
    """Lists the open documents, goes from one to another, closes them, and compares two."""

    _comparing: threading.Event | None = None  # set once what is compared is not wanted
    _to_list: threading.Event | None = None  # that of a comparison that is to be listed at once

    def _become(self, history: workbench.History) -> None:
        before = self.state
        super()._become(history)
        after = self.state
        if len(before.documents) == 1 and len(after.documents) == 2:
            is_behind = after.cluster is before.cluster
            name = _name(after.documents[1].cluster if is_behind else before.cluster)
            self._tell_of_several(f"{name} {'is open too' if is_behind else 'stays open'}")
        if before.compared is not None and after.compared is None and after.kept is None:
            self._compare_again(before.compared)

    def _tell_of_several(self, title: str) -> None:
        """Say, when a second document is opened, which one is not seen, and how to go on.

        It may come while a person types: the key is one that is no text.
        """
        self.notify(
            "ctrl+d lists what is open: to go to the other one, or to compare them.",
            title=title,
            timeout=TOLD,
            markup=False,
        )

    # From one to another

    def action_documents(self) -> None:
        """List what is open: to go there, to close it, or to compare it."""
        from fluxtui.ui.session.documents_dialog import documents_picker

        if self.state.documents:
            self.push_screen(documents_picker(self.state), self._chosen)
        else:
            self.action_open()

    def _chosen(self, chosen: "Chosen | None") -> None:
        if chosen is None:
            return
        match chosen.what:
            case "go":
                self.edit(workbench.GoToDocument(chosen.number))
            case "open":
                self.action_open()
            case "compare":
                self._compare_with(chosen.number)
            case "close":
                self.edit(workbench.CloseDocument(chosen.number))
                if self.state.documents:
                    self.action_documents()

    def action_next_document(self) -> None:
        """Go to the next of the open documents; after the last comes the first."""
        self._go_on(1)

    def action_previous_document(self) -> None:
        """Go to the open document before; before the first comes the last."""
        self._go_on(-1)

    def _go_on(self, by: int) -> None:
        count = len(self.state.documents)
        if count > 1:
            self.edit(workbench.GoToDocument((self.state.place + by) % count))
        else:
            self.notify("No other document is open: ctrl+o opens one.", timeout=4)

    def action_close_document(self) -> None:
        """Close the document in force; the next one takes its place."""
        if self.state.documents:
            self.edit(workbench.CloseDocument(self.state.place))
        else:
            self.notify("No document is open.", timeout=4)

    # Two compared

    def action_compare_documents(self) -> None:
        """Compare the document in force with another one; once more ends that."""
        count = len(self.state.documents)
        if self.state.compared is not None:
            self.edit(workbench.CompareDocuments(None))
        elif count < 2:
            self.notify("Open another document first, to compare it: ctrl+o.", timeout=5)
        elif count == 2:
            self._compare_with(1 - self.state.place)
        else:
            self._ask_with_which()

    def _ask_with_which(self) -> None:
        from fluxtui.ui.kit.picker import Item, Picker

        state = self.state
        choices = [
            Item(number, one.source.name, one.source.path or "", key=f"{number + 1}")
            for number, one in enumerate(document.cluster for document in state.documents)
            if number != state.place
        ]

        def chosen(number: int | None) -> None:
            if number is not None:
                self._compare_with(number)

        name = state.cluster.source.name
        self.push_screen(Picker(f"Compare {name} with", choices, enter="compares"), chosen)

    def _compare_with(self, number: int) -> None:
        """Compare the document in force with another one; the one that was opened later is B."""
        state = self.state
        if number == state.place:
            self.notify("Choose another document than the one you are in.", timeout=4)
            return
        first, second = sorted((number, state.place))
        self._compare_in_sight(state.documents[first].cluster, state.documents[second].cluster)

    def _compare_in_sight(self, before: Cluster, after: Cluster) -> None:
        """Compare two documents, and go where that shows and its keys are, before it is done."""
        self.go_to(self.workspace.active("cluster"))
        self._compare(before, after)

    def _compare_again(self, gone: workbench.Compared) -> None:
        """Compare two documents again, where one of them was read again meanwhile."""
        state = self.state
        found: list[Cluster] = []
        for old in (gone.before, gone.after):
            new = (one.cluster for one in state.documents)
            same = (one for one in new if is_same(one.source, old.source, state.around.cwd))
            found += list(same)[:1]
        if len(found) == 2 and found != [gone.before, gone.after] and state.cluster in found:
            self._compare(*found)

    def _compare(self, before: Cluster, after: Cluster) -> None:
        self.stop_comparing()
        stop = self._comparing = threading.Event()
        start_worker(self, COMPARING, self._find_changes, before, after, stop)

    async def _find_changes(self, before: Cluster, after: Cluster, stop: threading.Event) -> None:
        """Compare beside the event loop, then show what differs."""
        if stop.is_set():
            return
        names = f"{_name(before)} and {_name(after)}"
        self.views.show_busy(f"comparing {names} …  esc stops")
        try:
            found = await run_in_thread(partial(_compared, before, after, stop))
        finally:
            wanted = not stop.is_set()
            if self._comparing is stop:
                self.stop_comparing()
        if found is not None and wanted:
            self._take_changes(found)
            if self._to_list is stop and self.state.compared is found:
                self.action_changes()

    def _take_changes(self, found: workbench.Compared) -> None:
        from fluxtui.answers.compare import headline, matched_by

        title = f"{_name(found.before)} → {_name(found.after)}"
        said = headline(found.changes)
        if found.changes.is_same:
            self.notify(said, title=title, timeout=TOLD, markup=False)
            return
        self.edit(workbench.CompareDocuments(found))
        if self.state.compared is not found:
            return  # one of them was closed meanwhile, or a third one is in force
        if found.changes.why_ranks:
            said += f"\n{matched_by(found.changes)}"
        if self.screen_stack[0].focused is self.views.view:
            said += "\nD lists it, n and p go through it, d ends"
        self.notify(said, title=title, timeout=TOLD, markup=False)

    def stop_comparing(self) -> bool:
        """Compare no longer; whether that was being done."""
        if self._comparing is None:
            return False
        self._comparing.set()
        self._comparing = None
        self.views.show_busy("")
        return True

    async def action_unselect(self) -> None:
        """Stop comparing; where nothing is compared, select none any more, or leave."""
        if not self.stop_comparing():
            await super().action_unselect()

    # The report

    def action_changes(self) -> None:
        """List what differs between the two documents that are compared."""
        compared = self.state.compared
        if self._comparing is not None:
            self._to_list = self._comparing
            return
        if compared is None:
            self.action_compare_documents()
            return
        from fluxtui.ui.session.changes import ChangesDialog

        self.push_screen(ChangesDialog(compared), partial(self._wished, compared))

    def _wished(self, compared: workbench.Compared, wish: "Wish | None") -> None:
        """Do what was asked for in the list of changes."""
        if wish is None:
            return
        match wish.what:
            case "go":
                self._show_nodes(compared, compared.rows[wish.row])
            case "copy":
                from fluxtui.ui.session import copying

                choice = copying.Choice("", "the changes", "", lambda: report(compared))
                start_worker(self, "copying", self._copy, choice)
            case "save":
                self._save_changes(compared)
            case "swap":
                self._compare_in_sight(compared.after, compared.before)

    def _show_nodes(self, compared: workbench.Compared, row: "Row") -> None:
        """Select the nodes of a row, in the document that has them."""
        cluster = compared.before if row.sign == "-" else compared.after
        places = [n for n, one in enumerate(self.state.documents) if one.cluster is cluster]
        if not places:
            return  # it was closed or read again meanwhile
        self.edit(workbench.GoToDocument(places[0]))
        self.edit(workbench.MoveCursor((row.nodes & -row.nodes).bit_length() - 1))
        self.edit(workbench.Select(row.nodes))
        self.go_to(self.workspace.active("cluster"))

    def _save_changes(self, compared: workbench.Compared) -> None:
        from fluxtui.ui.kit.path import PathDialog

        note = "A name that ends in .json saves all of it as JSON; any other one the text."

        def chosen(path: str | None) -> None:
            if path is not None:
                text = partial(_written, compared)
                start_worker(self, SAVING, self._write, path, text, "the changes", note)

        self.push_screen(PathDialog("Save the changes", note, "changes.txt"), chosen)


def report(compared: workbench.Compared) -> str:
    """What differs between two documents, as text."""
    from fluxtui.answers.compare import report as told

    sources = (compared.before.source, compared.after.source)
    first, second = (source.path or source.name for source in sources)
    return "\n".join(
        printable(line) for line in told(compared.changes, compared.rows, first, second)
    )


def _written(compared: workbench.Compared, path: str) -> str:
    if not path.endswith(".json"):
        return report(compared) + "\n"
    import json

    from fluxtui.answers.compare import to_json

    return json.dumps(to_json(compared.changes), indent=2) + "\n"


def _compared(before: Cluster, after: Cluster, stop: threading.Event) -> workbench.Compared | None:
    """What differs, and how it is told; None where it is not wanted any more."""
    from fluxtui.answers.compare import changes, rows

    found = changes(before.resources, after.resources, stop=stop.is_set)
    if found is None:
        return None
    told = tuple(row for row in rows(found) if not stop.is_set())
    return workbench.Compared(before, after, found, told)


def _name(cluster: Cluster) -> str:
    from fluxtui.ui.kit.wording import shorten

    return shorten(printable(cluster.source.name), NAME)
