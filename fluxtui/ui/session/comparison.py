"""Comparing: two open documents, or two constraints on the one that is shown."""

import json
import threading
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.notation.problem import printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.session.documents import short_name
from fluxtui.ui.session.exporting import Exporting
from fluxtui.ui.session.saving import Saving
from fluxtui.workbench import Cluster
from fluxtui.workbench.documents import is_same

if TYPE_CHECKING:
    from fluxtui.answers.compare import Row

COMPARING = "comparing"
SHOWN = 8  # seconds that the message is shown


class Comparison(Controller):
    """Compares two documents beside the event loop, and keeps a constraint to compare others.

    entry is the input of the constraint; export copies, and saving writes what differs.
    """

    follows = ("compared",)

    _comparing: threading.Event | None = None  # set to cancel the comparison
    _to_list: threading.Event | None = None  # that of a comparison that is to be listed at once

    def __init__(self, app: WorkbenchApp, entry: Entry, export: Exporting, saving: Saving) -> None:
        super().__init__(app)
        self._entry, self._export, self._saving = entry, export, saving

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Compare two documents again where one of them was read again meanwhile."""
        if before.compared is not None and after.compared is None and after.kept is None:
            self._compare_again(before.compared)

    def stop(self) -> bool:
        """Stop comparing; return whether that was running."""
        if self._comparing is None:
            return False
        self._comparing.set()
        self._comparing = None
        self.app.views.show_busy("")
        return True

    # Two constraints

    def compare_constraints(self) -> None:
        """Keep the constraint as A to compare others with it; again to stop."""
        if self.app.state.kept is not None:
            self.app.edit(workbench.KeepConstraint(False))
        elif self._is_finished():
            self.app.edit(workbench.KeepConstraint())
            self.app.focus_constraint()
            self._entry.give_way()  # to the other one

    def swap_constraints(self) -> None:
        """Put the kept constraint, A, in the bar again, and keep the one that was there."""
        if self.app.state.kept is None:
            self.app.notify("No constraint is kept yet: A in a pane keeps this one.", timeout=4)
        elif self._is_finished():
            self.app.edit(workbench.SwapConstraints())

    def _is_finished(self) -> bool:
        if self.app.state.ask.stale:
            self.app.focus_constraint()
            self.app.notify("Finish the constraint first: it has a problem.", timeout=4)
        return not self.app.state.ask.stale

    # Two documents

    def compare_documents(self) -> None:
        """Compare the current document with another one; again to stop."""
        state = self.app.state
        count = len(state.documents)
        if state.compared is not None:
            self.app.edit(workbench.CompareDocuments(None))
        elif count < 2:
            self.app.notify("Open another document first (ctrl+o) to compare with.", timeout=5)
        elif count == 2:
            self.compare_with(1 - state.place)
        else:
            self._ask_with_which()

    def _ask_with_which(self) -> None:
        from fluxtui.ui.kit.picker import Item, Picker

        state = self.app.state
        choices = []
        for number, source in enumerate(one.cluster.source for one in state.documents):
            path = source.path or "" if source.path != source.name else ""
            if number != state.place:
                choices.append(Item(number, source.name, path, key=f"{number + 1}"))

        def chosen(number: int | None) -> None:
            if number is not None:
                self.compare_with(number)

        title = f"Compare {state.cluster.source.name} with"
        self.app.push_screen(Picker(title, choices, enter="compares"), chosen)

    def compare_with(self, number: int) -> None:
        """Compare the current document with another one; the later one is B."""
        state = self.app.state
        if number == state.place:
            self.app.notify("Choose a document other than the current one.", timeout=4)
            return
        first, second = sorted((number, state.place))
        self._compare_in_sight(state.documents[first].cluster, state.documents[second].cluster)

    def _compare_in_sight(self, before: Cluster, after: Cluster) -> None:
        """Compare two documents, and go where that shows and its keys are, before it is done."""
        self.app.action_go_to_zone("cluster")
        self._compare(before, after)

    def _compare_again(self, gone: workbench.Compared) -> None:
        """Compare two documents again, where one of them was read again meanwhile."""
        state = self.app.state
        found: list[Cluster] = []
        for old in (gone.before, gone.after):
            new = (one.cluster for one in state.documents)
            same = (one for one in new if is_same(one.source, old.source, state.around.cwd))
            found += list(same)[:1]
        if len(found) == 2 and found != [gone.before, gone.after] and state.cluster in found:
            self._compare(*found)

    def _compare(self, before: Cluster, after: Cluster) -> None:
        self.stop()
        stop = self._comparing = threading.Event()
        start_worker(self.app, COMPARING, self._find_changes, before, after, stop)

    async def _find_changes(self, before: Cluster, after: Cluster, stop: threading.Event) -> None:
        """Compare in the background, then show what differs."""
        if stop.is_set():
            return
        names = f"{short_name(before)} and {short_name(after)}"
        self.app.views.show_busy(f"comparing {names} …  esc stops")
        try:
            found = await run_in_thread(partial(_compared, before, after, stop))
        finally:
            wanted = not stop.is_set()
            if self._comparing is stop:
                self.stop()
        if found is not None and wanted:
            self._show_changes(found)
            if self._to_list is stop and self.app.state.compared is found:
                self.list_changes()

    def _show_changes(self, found: workbench.Compared) -> None:
        from fluxtui.answers.compare import headline, matched_by

        app, title = self.app, f"{short_name(found.before)} → {short_name(found.after)}"
        words = headline(found.changes)
        if not found.changes.is_same:
            app.edit(workbench.CompareDocuments(found))
            if app.state.compared is not found:
                return  # one of them was closed meanwhile, or a third one is shown
            if found.changes.why_ranks:
                words += f" ({matched_by(found.changes)})"
            if app.screen_stack[0].focused is app.views.view:
                words += "; D lists them, d stops"
        app.notify(words, title=title, timeout=SHOWN, markup=False)

    # The list of changes

    def list_changes(self) -> None:
        """List what differs between the two documents that are compared."""
        compared = self.app.state.compared
        if self._comparing is not None:
            self._to_list = self._comparing
        elif compared is None:
            self.compare_documents()
        else:
            from fluxtui.ui.session.dialogs import ChangesDialog

            self.app.push_screen(ChangesDialog(compared), partial(self._chosen, compared))

    def _chosen(self, compared: workbench.Compared, chosen: int | str | None) -> None:
        match chosen:
            case int():
                self._show_nodes(compared, compared.rows[chosen])
            case "copy":
                self._export.copy_text("the changes", partial(report, compared))
            case "save":
                self._save_changes(compared)
            case "swap":
                self._compare_in_sight(compared.after, compared.before)

    def _show_nodes(self, compared: workbench.Compared, row: "Row") -> None:
        """Select the nodes of a row, in the document that has them."""
        app, cluster = self.app, compared.before if row.sign == "-" else compared.after
        places = [n for n, one in enumerate(app.state.documents) if one.cluster is cluster]
        if not places:
            return  # it was closed or read again meanwhile
        app.edit(workbench.GoToDocument(places[0]))
        app.edit(workbench.MoveCursor((row.nodes & -row.nodes).bit_length() - 1))
        app.edit(workbench.Select(row.nodes))
        app.action_go_to_zone("cluster")

    def _save_changes(self, compared: workbench.Compared) -> None:
        from fluxtui.ui.kit.path import PathDialog

        note = "A name ending in .json saves everything as JSON; any other saves the text."

        def chosen(path: str | None) -> None:
            if path is not None:
                self._saving.write(path, partial(_written, compared), "the changes", note)

        self.app.push_screen(PathDialog("Save the changes", note, "changes.txt"), chosen)


def report(compared: workbench.Compared) -> str:
    """What differs between two documents, as text."""
    from fluxtui.answers import compare

    sources = (compared.before.source, compared.after.source)
    first, second = (source.path or source.name for source in sources)
    lines = compare.report(compared.changes, compared.rows, first, second)
    return "\n".join(printable(line) for line in lines)


def _written(compared: workbench.Compared, path: str) -> str:
    if not path.endswith(".json"):
        return report(compared) + "\n"
    from fluxtui.answers.compare import to_json

    return json.dumps(to_json(compared.changes), indent=2) + "\n"


def _compared(before: Cluster, after: Cluster, stop: threading.Event) -> workbench.Compared | None:
    """What differs, with a row for each change; None where it is not wanted any more."""
    from fluxtui.answers.compare import changes, rows

    found = changes(before.resources, after.resources, stop=stop.is_set)
    if found is None:
        return None
    listed = tuple(row for row in rows(found) if not stop.is_set())
    return workbench.Compared(before, after, found, listed)
