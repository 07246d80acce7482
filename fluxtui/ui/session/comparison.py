"""Comparing two open documents, or two constraints on the current document."""

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


NAME = 40  # the longest name of a document, in columns
SIGNS = {"+": ("+", "count"), "-": ("−", "problem"), "~": ("~", "slot")}  # sign, colour
GROUP = "comparing"  # the group of its tasks


@dataclass(eq=False, repr=False)
class Comparison(Controller):
    """Compares two documents in a thread, and keeps a constraint to compare others with.

    entry is the input of the constraint; export copies the differences, and saving writes them to
    a file. jobspecs returns the jobspecs of the pending jobs of a running instance, by job id; it
    blocks.
    """

    tasks: Tasks
    entry: Entry
    export: Exporting
    saving: Saving
    jobspecs: "Callable[[Cluster], Mapping[int, Mapping[str, Any]]]"

    follows = ("compared",)
    _lists = False  # whether to list the changes as soon as they are known
    _last_message = ("", "")  # title and words

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Compare two documents again if one of them was reloaded."""
        ended = before.compared
        if ended is None or after.compared is not None or after.kept is not None:
            return
        clusters = _open_now(ended, after)
        is_reloaded = len(clusters) == 2 and clusters != [ended.before, ended.after]
        if is_reloaded and after.cluster in clusters:
            self._compare(*clusters)

    # Two constraints

    def compare_constraints(self) -> None:
        """Keep the constraint as A to compare others with it; if one is kept, stop comparing."""
        if self.app.state.kept is not None:
            self.app.edit(workbench.KeepConstraint(False))
        elif self._is_finished():
            self.app.edit(workbench.KeepConstraint())
            self.app.focus_constraint()
            self.entry.give_way()  # the next text replaces the kept one in the bar

    def swap_constraints(self) -> None:
        """Swap the kept constraint, A, with the one in the bar."""
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
        """Compare the current document with another one; if it is compared, stop comparing."""
        state = self.app.state
        count = len(state.documents)
        if state.compared is not None:
            self.app.edit(workbench.CompareDocuments(None))
        elif count < 2:
            self.app.notify("Open another document first (ctrl+o) to compare with.", timeout=5)
        elif count == 2:
            self.compare_with(1 - state.place)
        else:
            sources = [document.cluster.source for document in state.documents]
            items = [
                Item(number, source.name, source.path or "", key=f"{number + 1}")
                for number, source in enumerate(sources)
                if number != state.place
            ]
            title = f"Compare {state.cluster.source.name} with"
            self.open_dialog(Picker(title, items, enter="compares"), self.compare_with)

    def compare_with(self, number: int, lists: bool = False) -> None:
        """Compare the current document with another one; the later one in the list is B.

        lists opens the list of changes as soon as they are known.
        """
        state = self.app.state
        if number == state.place:
            self.app.notify("Choose a document other than the current one.", timeout=4)
            return
        first, second = sorted((number, state.place))
        documents = state.documents
        self._compare_in_sight(documents[first].cluster, documents[second].cluster, lists=lists)

    def _compare_in_sight(self, before: Cluster, after: Cluster, *, lists: bool = False) -> None:
        self._last_message = ("", "")
        self.app.action_go_to_zone("cluster")  # the changes show there, and its keys work there
        self._compare(before, after, lists=lists)

    def _compare(self, before: Cluster, after: Cluster, *, lists: bool = False) -> None:
        self.tasks.cancel(GROUP)
        self._lists = lists
        words = f"comparing {short_name(before)} and {short_name(after)}"
        work = partial(_compared, before, after, self.jobspecs)
        self.tasks.start(GROUP, words, work, self._show_changes)

    def _show_changes(self, result: Compared) -> None:
        from fluxtui.answers.compare import headline, matched_by

        app, title = self.app, f"{short_name(result.before)} → {short_name(result.after)}"
        now = _open_now(result, app.state)
        if len(now) == 2:  # a running instance may have changed meanwhile
            compared = (result.before, result.after)
            if any(a.resources is not b.resources for a, b in zip(now, compared, strict=True)):
                self._compare(*now, lists=self._lists)
                return
            result = replace(result, before=now[0], after=now[1])
        words = headline(result.changes, result.rows)
        if result.rows:
            app.edit(workbench.CompareDocuments(result))
            if app.state.compared is not result:
                return  # one of them was closed meanwhile, or a third one is shown
            if result.changes.why_ranks:
                words += f" ({matched_by(result.changes)})"
            if app.screen_stack[0].focused is app.views.view:
                words += "; D lists what changes, d stops"
        before, self._last_message = self._last_message, (title, words)
        if self._lists and app.state.compared is result:
            self.list_changes()  # which says the same
        elif self._last_message != before:  # a reload may have found the same again
            app.notify(words, title=title, timeout=8)

    # The list of changes

    def list_changes(self, at: int = 0) -> None:
        """List the changes between the two documents compared, with the cursor on row at."""
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
        """Select the nodes of a row, in the document that has these nodes."""
        app, cluster = self.app, compared.before if row.sign == "-" else compared.after
        documents = enumerate(app.state.documents)
        places = [n for n, one in documents if one.cluster.resources is cluster.resources]
        if not places:
            return  # it was closed or reloaded meanwhile
        app.edit(workbench.GoToDocument(places[0]))
        app.edit(workbench.MoveCursor((row.nodes & -row.nodes).bit_length() - 1))
        app.edit(workbench.Select(row.nodes))
        app.action_go_to_zone("cluster")


def _open_now(compared: Compared, state: workbench.State) -> list[Cluster]:
    """Return the current state of both documents; fewer than two if one was closed."""
    clusters, cwd = list[Cluster](), state.around.cwd
    for old in (compared.before, compared.after):
        same = (
            one.cluster for one in state.documents if is_same(one.cluster.source, old.source, cwd)
        )
        clusters += list(same)[:1]
    return clusters


def _summary(compared: Compared, style: Palette) -> Text:
    """Return lines that say what is compared, and how much differs."""
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
    """Return the differences between two documents as text."""
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

    changes, rehearsed = compared.changes, compared.rehearsed
    jobs = rehearsal.to_json(rehearsed, changes) if rehearsed is not None else None
    return json.dumps(to_json(changes, compared.rows, jobs), indent=2) + "\n"


def _compared(
    before: Cluster,
    after: Cluster,
    jobspecs: "Callable[[Cluster], Mapping[int, Mapping[str, Any]]]",
    stop: Stop,
) -> Compared:
    from fluxtui.answers import compare
    from fluxtui.workbench import rehearsal

    changes = compare.changes(before.resources, after.resources, stop=stop)
    if changes is None:
        raise Stopped
    rows, rehearsed, requeued = tuple(compare.rows(changes)), None, (0, 0)
    if before.config is not None and after.config is not None:
        rehearsed = rehearsal.rehearse(changes, before, after, jobspecs(before))
        rows += tuple(rehearsal.rows(rehearsed, changes)) if rehearsed is not None else ()
        requeued = rehearsal.requeued(changes, before, after)
    return Compared(before, after, changes, rows, rehearsed, requeued)
