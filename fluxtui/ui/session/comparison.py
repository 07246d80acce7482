"""Comparing: two open documents, or two constraints on the one that is shown."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from fluxtui import workbench
from fluxtui.model.cancellation import Stop, Stopped
from fluxtui.notation.problem import printable
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.kit.text import shorten, totals
from fluxtui.ui.session.documents import short_name
from fluxtui.ui.session.exporting import Exporting
from fluxtui.ui.session.saving import Saving, writes
from fluxtui.ui.session.tasks import Tasks
from fluxtui.workbench import Cluster, Compared
from fluxtui.workbench.documents import is_same

if TYPE_CHECKING:
    from fluxtui.answers.compare import Row


NAME = 40  # columns of the name of a document
SIGNS = {"+": ("+", "count"), "-": ("−", "problem"), "~": ("~", "slot")}  # and their colours
GROUP = "comparing"  # of its tasks


@dataclass(eq=False, repr=False)
class Comparison(Controller):
    """Compares two documents beside the event loop, and keeps a constraint to compare others.

    entry is the input of the constraint; export copies, and saving writes what differs. jobspecs
    gives those of the pending jobs of a running instance, by their ids, in a thread.
    """

    tasks: Tasks
    entry: Entry
    export: Exporting
    saving: Saving
    jobspecs: "Callable[[Cluster], Mapping[int, Mapping[str, Any]]]"

    follows = ("compared",)
    _lists = False  # the changes that are found are to be listed at once
    _told = ("", "")  # the last message

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Compare two documents again where one of them was read again meanwhile."""
        gone = before.compared
        if gone is None or after.compared is not None or after.kept is not None:
            return
        found = _open_now(gone, after)
        if len(found) == 2 and found != [gone.before, gone.after] and after.cluster in found:
            self._compare(*found)

    # Two constraints

    def compare_constraints(self) -> None:
        """Keep the constraint as A to compare others with it; again to stop."""
        if self.app.state.kept is not None:
            self.app.edit(workbench.KeepConstraint(False))
        elif self._is_finished():
            self.app.edit(workbench.KeepConstraint())
            self.app.focus_constraint()
            self.entry.give_way()  # to the other one

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
            sources = [one.cluster.source for one in state.documents]
            items = [
                Item(number, source.name, source.path or "", key=f"{number + 1}")
                for number, source in enumerate(sources)
                if number != state.place
            ]
            title = f"Compare {state.cluster.source.name} with"
            self.open_dialog(Picker(title, items, enter="compares"), self.compare_with)

    def compare_with(self, number: int, lists: bool = False) -> None:
        """Compare the current document with another one, and list it; the later one is B."""
        state = self.app.state
        if number == state.place:
            self.app.notify("Choose a document other than the current one.", timeout=4)
            return
        first, second = sorted((number, state.place))
        documents = state.documents
        self._compare_in_sight(documents[first].cluster, documents[second].cluster, lists=lists)

    def _compare_in_sight(self, before: Cluster, after: Cluster, *, lists: bool = False) -> None:
        self._told = ("", "")
        self.app.action_go_to_zone("cluster")  # where it shows and its keys are
        self._compare(before, after, lists=lists)

    def _compare(self, before: Cluster, after: Cluster, *, lists: bool = False) -> None:
        self.tasks.cancel(GROUP)
        self._lists = lists
        words = f"comparing {short_name(before)} and {short_name(after)}"
        work = partial(_compared, before, after, self.jobspecs)
        self.tasks.start(GROUP, words, work, self._show_changes)

    def _show_changes(self, found: Compared) -> None:
        from fluxtui.answers.compare import headline, matched_by

        app, title = self.app, f"{short_name(found.before)} → {short_name(found.after)}"
        now = _open_now(found, app.state)
        if len(now) == 2:  # a running instance went on meanwhile
            nodes = [one.resources for one in (found.before, found.after)]
            if any(one.resources is not was for one, was in zip(now, nodes, strict=True)):
                self._compare(*now, lists=self._lists)
                return
            found = replace(found, before=now[0], after=now[1])
        words = headline(found.changes, found.rows)
        if found.rows:
            app.edit(workbench.CompareDocuments(found))
            if app.state.compared is not found:
                return  # one of them was closed meanwhile, or a third one is shown
            if found.changes.why_ranks:
                words += f" ({matched_by(found.changes)})"
            if app.screen_stack[0].focused is app.views.view:
                words += "; D lists what changes, d stops"
        before, self._told = self._told, (title, words)
        if self._lists and app.state.compared is found:
            self.list_changes()  # which says the same
        elif self._told != before:  # a document may have been read again meanwhile
            app.notify(words, title=title, timeout=8)

    # The list of changes

    def list_changes(self, at: int = 0) -> None:
        """List what differs between the two documents that are compared, with the cursor at one."""
        compared = self.app.state.compared
        if self.tasks.runs(GROUP):
            self._lists = True
        elif compared is None:
            self.compare_documents()
        else:
            items = []
            for number, row in enumerate(compared.rows):
                lead, role = SIGNS[row.sign]
                value = ("select", number)
                items.append(Item(value, row.names, row.words, row.size, "", lead, role, row.group))
            keys: list[RowKey[tuple[str, int]]] = [
                RowKey("ctrl+y,c", "copies", lambda _: ("copy", 0), closes=True),
                RowKey("ctrl+s,s", "saves", lambda _: ("save", 0), closes=True),
                RowKey("r", "reverses", lambda _: ("swap", 0), closes=True),
                RowKey("q,D", "", lambda _: None, closes=True),
            ]
            about = partial(_summary, compared)
            picker = Picker(
                "Changes", items, enter="selects them", keys=keys, at=at, width=100, about=about
            )
            self.open_dialog(picker, partial(self._chosen, compared))

    def _chosen(self, compared: Compared, chosen: tuple[str, int]) -> None:
        match chosen:
            case "select", row if compared.rows[row].nodes:
                self._show_nodes(compared, compared.rows[row])
            case "select", row:
                self.list_changes(row)
            case "copy", _:
                self.export.copy_text("the changes", partial(report, compared))
            case "save", _:
                note = "A name ending in .json saves JSON; any other, text."
                write = writes(partial(_written, compared))
                self.saving.save_as("the changes", write, "changes.txt", note)
            case "swap", _:
                self._compare_in_sight(compared.after, compared.before)

    def _show_nodes(self, compared: Compared, row: "Row") -> None:
        """Select the nodes of a row, in the document that has them."""
        app, cluster = self.app, compared.before if row.sign == "-" else compared.after
        listed = enumerate(app.state.documents)
        places = [n for n, one in listed if one.cluster.resources is cluster.resources]
        if not places:
            return  # it was closed or read again meanwhile
        app.edit(workbench.GoToDocument(places[0]))
        app.edit(workbench.MoveCursor((row.nodes & -row.nodes).bit_length() - 1))
        app.edit(workbench.Select(row.nodes))
        app.action_go_to_zone("cluster")


def _open_now(compared: Compared, state: workbench.State) -> list[Cluster]:
    """Two documents as they are open by now; fewer where one was closed."""
    found, cwd = list[Cluster](), state.around.cwd
    for old in (compared.before, compared.after):
        same = (
            one.cluster for one in state.documents if is_same(one.cluster.source, old.source, cwd)
        )
        found += list(same)[:1]
    return found


def _summary(compared: Compared, style: Palette) -> Text:
    """What is compared, and how much differs."""
    from fluxtui.answers.compare import headline, matched_by

    text = Text(no_wrap=True, overflow="ellipsis")
    for sign, cluster in (("-", compared.before), ("+", compared.after)):
        lead, role = SIGNS[sign]
        text.append(f"{lead} ", style=style.role(role))
        text.append(shorten(printable(cluster.source.name), NAME), style=style.strong)
        text.append(f"  {totals(cluster.resources.whole)}\n", style=style.quiet)
    words = f"{headline(compared.changes, compared.rows)} ({matched_by(compared.changes)})"
    return text.append(words, style=style.quiet)


def report(compared: Compared) -> str:
    """What differs between two documents, as text."""
    from fluxtui.answers import compare

    sources = (compared.before.source, compared.after.source)
    first, second = (source.path or source.name for source in sources)
    lines = compare.report(compared.changes, compared.rows, first, second)
    return "\n".join(printable(line) for line in lines)


def _written(compared: Compared, path: str) -> str:
    if not path.endswith(".json"):
        return report(compared) + "\n"
    from fluxtui.answers.compare import to_json
    from fluxtui.workbench import rehearsal

    changes, found = compared.changes, compared.rehearsed
    rehearsed = rehearsal.to_json(found, changes) if found is not None else None
    return json.dumps(to_json(changes, compared.rows, rehearsed), indent=2) + "\n"


def _compared(
    before: Cluster,
    after: Cluster,
    jobspecs: "Callable[[Cluster], Mapping[int, Mapping[str, Any]]]",
    stop: Stop,
) -> Compared:
    from fluxtui.answers.compare import changes, rows
    from fluxtui.workbench import rehearsal

    found = changes(before.resources, after.resources, stop=stop)
    if found is None:
        raise Stopped
    told, rehearsed, requeued = tuple(rows(found)), None, (0, 0)
    if before.config is not None and after.config is not None:
        rehearsed = rehearsal.rehearse(found, before, after, jobspecs(before))
        told += tuple(rehearsal.rows(rehearsed, found)) if rehearsed is not None else ()
        requeued = rehearsal.requeued(found, before, after)
    return Compared(before, after, found, told, rehearsed, requeued)
