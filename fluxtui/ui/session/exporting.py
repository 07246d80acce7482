"""Exports: the texts that can be copied of a state, copying one, and saving nodes to a file."""

import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.app import SystemCommand
from textual.content import Content

from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.documents.document import dump
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.shellwords import is_plain
from fluxtui.opening.nodes import save_nodes, text_of
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.pane import in_sight
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.session.saving import Saving, writes
from fluxtui.ui.session.tasks import Tasks
from fluxtui.workbench import State, job_text, looked, missing_from_job
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering
    from fluxtui.opening import nodes

OSC_52_SURE = 70_000  # characters that every terminal accepts; many accept more

# Control characters except tabs and line breaks.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")

FORMS: tuple[tuple[str, Form], ...] = (("y", "yaml"), ("j", "json"))

#: The most wanted command lines, with their letters.
PROGRAMS = {"flux submit": "l", "sbatch": "b"}

#: The most characters that are copied: a longer text would keep a terminal busy for too long.
MOST = 8_000_000

#: The panes whose texts are made from the whole job.
OF_JOB = ("text", "form", "commands", "queues")

SHOWN = 48  # columns of a text in the details of the list


class Choice(NamedTuple):
    """One thing to copy: the letter that picks it, its label, a short form of it, and its text.

    text is called with a function that returns whether to stop, and may then raise
    `fluxtui.model.cancellation.Stopped`; it returns None if the text is longer than `MOST`.
    in_file is true if w saves it. pane names the pane that shows it.
    """

    key: str
    label: str
    detail: str
    text: Callable[[Stop], str | None]
    pane: str = ""
    in_file: bool = False


class NodesForm(NamedTuple):
    """A form of nodes: its name, words that follow "matching", a file name, and a description."""

    form: "nodes.Form"
    words: str
    file: str
    note: str


#: The forms that nodes can be saved in, by letter, the most wanted first.
NODES_FORMS = {
    "d": NodesForm(
        "R",
        "nodes as an R document",
        "nodes.json",
        "An R document (RFC 20) of just these nodes, with the same ranks, properties and times.",
    ),
    "t": NodesForm(
        "csv",
        "nodes as a table (CSV)",
        "nodes.csv",
        "A row for each node: rank, host, cores, gpus, their ids, the domains in it where those are"
        " known, and the properties separated by |. A name that a spreadsheet would take for a"
        " formula, since it starts with =, +, - or @, has a ' in front.",
    ),
    "m": NodesForm(
        "matrix",
        "nodes and properties as a table (CSV)",
        "nodes.csv",
        "A row for each node: rank, host, cores, gpus, their ids, the domains in it where those are"
        " known, and a column for each property, 1 where the node has it, else 0.",
    ),
    "h": NodesForm("hosts", "hosts", "hosts.txt", "A hostlist (RFC 29), in rank order."),
    "r": NodesForm("ranks", "ranks", "ranks.txt", "An idset (RFC 22)."),
}

#: The letters of the forms that can be copied, the most wanted first.
COPIED = "hrdt"


class Nodes(NamedTuple):
    """Nodes in a form: the letter that picks them; "selected", "listed", "matching" or "all"."""

    key: str
    which: str
    mask: int
    form: NodesForm

    @property
    def label(self) -> str:
        """The nodes and the form in words, such as ``matching hosts``."""
        return f"{self.which} {self.form.words}"


def nodes_to_take(
    state: State, keys: str = "".join(NODES_FORMS), listed: int | None = None
) -> list[Nodes]:
    """Return the nodes that can be exported: first selected, then listed, then matching nodes.

    listed is a mask of the rows of a filtered table. Letters pick the first of these groups,
    capitals the second; the third has no keys.
    """
    ask, selected = state.ask, state.selected
    matching = "matching" if ask.constraint is not None else "all"
    groups = [("selected", selected), ("listed", listed), (matching, ask.mask)]
    if listed == ask.mask:
        del groups[1]
    distinct: dict[int, str] = {}
    for which, mask in groups:
        if mask:
            distinct.setdefault(mask, which)
    return [
        Nodes((key, key.upper(), "")[place], which, mask, NODES_FORMS[key])
        for place, (mask, which) in enumerate(distinct.items())
        for key in keys
        if state.cluster.resources.hosts or key != "h"
    ]


def choices(
    state: State,
    front: str = "",
    shown: str = "yaml",
    renderings: "Sequence[Rendering]" = (),
    listed: int | None = None,
) -> list[Choice]:
    """Return what can be copied now: first what the pane in front shows, then the most wanted.

    front is the name of that pane, empty without one; shown is the form in the text pane, and
    renderings are the lines in the pane of commands. listed is a mask of a filtered table's rows.
    """
    resources, outlook = state.cluster.resources, state.outlook
    found, later = list[Choice](), list[Choice]()
    for nodes in nodes_to_take(state, COPIED, listed):
        choice = _nodes(nodes.key, nodes.label, resources, nodes.mask, nodes.form.form, "cluster")
        (found if nodes.which == "selected" else later).append(choice._replace(in_file=True))
    found += _command_lines(state, renderings)
    if state.build.resources:
        found.append(_of_text("s", "shape", state.build.text, "tree"))
        for letter, form in FORMS:
            text, pane = partial(_text_of_job, state, form), "text" if form == shown else "form"
            found.append(Choice(letter, f"jobspec as {form.upper()}", "", text, pane))
    found += later
    constraint = state.ask.constraint
    if constraint is not None and not state.ask.stale:
        label = "constraint as JSON"
        found.append(
            Choice("c", label, "RFC 31", lambda stop: json.dumps(to_json(constraint)), "explain")
        )
    if outlook.placement is not None and not outlook.old:
        found.append(_nodes("p", "placed hosts", resources, outlook.placement.mask, "hosts", "fit"))
    own = looked(state).own if outlook.unasked and not outlook.stale else outlook.own
    stored = own.stored if own is not None and not outlook.stale else None
    if stored is not None:
        label, pane = "jobspec as Flux stores it", "text" if shown == "stored" else "queues"
        found.append(Choice("f", label, "JSON", lambda stop: dump(stored, "json"), pane))
    if state.cursor is not None:
        host = resources.host(state.cursor)
        found.append(_of_text("n", "node at the cursor", host, "node"))
    return sorted(found, key=lambda choice: choice.pane != front)


def _command_lines(state: State, renderings: "Sequence[Rendering]") -> Iterator[Choice]:
    """Yield the most wanted command lines with letters; others, and scripts, with numbers.

    A script with control characters is left out: pasted, it would do something else.
    """
    from fluxtui.answers.commands.translation import to_command

    for command in () if state.empty else to_command(state.jobspec(), tuple(PROGRAMS)):
        if command.text is not None:
            label = f"{command.name} command line"
            yield _of_text(PROGRAMS[command.name], label, command.text, "commands")
    others = []
    for command in renderings:
        if command.text is not None and command.name not in PROGRAMS:
            others.append((f"{command.name} command line", command.text))
        if command.script is not None and is_plain(command.script.replace("\t", "")):
            others.append((f"{command.name} script", command.script))
    for key, (label, text) in enumerate(others[:9], 1):
        yield _of_text(str(key), label, text, "commands")


def _of_text(key: str, label: str, text: str, pane: str) -> Choice:
    """Return the choice of a text that exists already."""
    return Choice(key, label, shorten(" ".join(text.split()), SHOWN), lambda stop: text, pane)


def _nodes(
    key: str, label: str, resources: Resources, mask: int, form: "nodes.Form", pane: str
) -> Choice:
    def text(stop: Stop) -> str | None:
        return text_of(resources, mask, form, MOST, stop)

    return Choice(key, label, counted(mask.bit_count(), "node"), text, pane)


def _text_of_job(state: State, form: Form, stop: Stop) -> str:
    return job_text(state, form)


# Copying and saving


@dataclass(eq=False, repr=False)
class Exporting(Controller):
    """Copies texts, and saves nodes and snapshots.

    form returns the form of the job in the text pane, renderings the command lines of a state, and
    view_text the explanation of its constraint, with a title and a note.
    """

    tasks: Tasks
    saving: Saving
    form: Callable[[], str]
    renderings: "Callable[[State], Sequence[Rendering]]"
    view_text: Callable[[State, str, str], str]

    # To the clipboard

    def copy(self) -> None:
        """Ask what to copy, and copy it."""
        items: list[Item[Callable[[], None]]] = []
        for choice in self.choices():
            words = "slurm" if choice.label.startswith("sbatch") else ""
            run = partial(self.copy_choice, choice)
            items.append(Item(run, choice.label, choice.detail, key=choice.key, words=words))
        if nodes_to_take(self.app.state):
            what = "R document, CSV, hosts, ranks"
            items.append(Item(self.save_nodes, "save nodes to a file", what, key="w"))
        self.open_dialog(Picker("Copy", items, enter="copies"), operator.call)

    def choices(self) -> list[Choice]:
        """Return what can be copied, first what the pane in front shows.

        That is the focused pane, or the only visible one; the views of the nodes count as one.
        """
        app, front = self.app, ""
        names = [name for name, pane in app.panes.items() if pane is app.focused_pane]
        names = names or [name for name, pane in app.panes.items() if in_sight(pane)]
        if len(names) == 1:
            front = "cluster" if names[0] in app.views.panes else names[0]
        renderings = self.renderings(app.state)
        return choices(app.state, front, self.form(), renderings, app.views.listed)

    def commands(self) -> Iterable[SystemCommand]:
        """Yield a command for each thing to copy, and one that saves a running Flux."""
        if self.app.state.cluster.snapshot is not None:
            words = "Save the nodes, queues and jobs of the Flux as they are shown"
            yield SystemCommand("Save a snapshot", words, self.save_snapshot)
        for choice in self.choices():
            detail = Content(printable(choice.detail))
            yield SystemCommand(
                f"Copy: {choice.label}",
                detail,  # type: ignore[arg-type]  # a str is markup
                partial(self.copy_choice, choice),
            )

    def copy_text(self, label: str, text: Callable[[], str]) -> None:
        """Copy a text, which is made in a thread."""
        self.copy_choice(Choice("", label, "", lambda stop: text()))

    def copy_view(self, state: State | None = None, title: str = "", note: str = "") -> None:
        """Copy a constraint, its answer and its explanation as text, to paste into a chat."""
        shown = state or self.app.state
        self.copy_text("the view as text", lambda: self.view_text(shown, title, note))

    def copy_choice(self, choice: Choice) -> None:
        """Copy one thing, whose text is made in a thread."""
        self.saving.recall.remember()
        self.tasks.start(
            "copying",
            f"copying {choice.label}",
            partial(_to_desktop, choice),
            partial(self._copied, choice),
            lambda: self.app.notify(f"Not copied: {choice.label}.", timeout=3),
        )

    def _copied(self, choice: Choice, copied: tuple[str, bool] | None) -> None:
        """Put a text on the terminal's clipboard too, and say which clipboards have it."""
        if copied is None:
            words = f"{choice.label}: too long for a clipboard"
            words += "; ctrl+y, then w saves them" if choice.in_file else ""
            self.app.warn(words, title="Not copied")
            return
        text, is_on_desktop = copied
        self.app.copy_to_clipboard(text)
        how = "OSC 52 and desktop" if is_on_desktop else "OSC 52"
        if len(text) > OSC_52_SURE and not is_on_desktop:
            how += f"; many terminals reject {len(text):,} characters"
        lines = len(text.splitlines())
        what = f"{lines} lines" if lines > 1 else printable(shorten(text.strip(), 40))
        title = f"Copied {choice.label}"
        missing = missing_from_job(self.app.state) if choice.pane in OF_JOB else ()
        if missing:
            self.app.warn("; ".join(missing), title=title)
        else:
            self.app.notify(f"{what} ({how})", title=title)

    # Saving nodes

    def save_nodes(self) -> None:
        """Ask which nodes to save in which form, then where, and save them."""
        items = [
            Item(nodes, nodes.label, counted(nodes.mask.bit_count(), "node"), key=nodes.key)
            for nodes in nodes_to_take(self.app.state, listed=self.app.views.listed)
        ]
        if not items:
            self.app.warn("No node is selected or matches.")
            return
        resources = self.app.state.cluster.resources

        def ask_where(nodes: Nodes) -> None:
            what = counted(nodes.mask.bit_count(), f"{nodes.which} node")
            write = partial(save_nodes, resources, nodes.mask, nodes.form.form)
            self.saving.save_as(what, write, nodes.form.file, nodes.form.note)

        self.open_dialog(Picker("Save nodes to a file", items), ask_where)

    def save_snapshot(self) -> None:
        """Ask where to save the snapshot of a running Flux, and save it."""
        from fluxtui.opening.live import snapshot_text

        if (snapshot := self.app.state.cluster.snapshot) is not None:
            document = snapshot.document
            write = writes(lambda path: snapshot_text(document), private=True)
            note = "It opens anywhere, with fluxtui -r FILE or ctrl+o."
            self.saving.save_as("a snapshot", write, "snapshot.json", note)


def _to_desktop(choice: Choice, stop: Stop) -> tuple[str, bool] | None:
    """Put a text on the desktop's clipboard; return it, and whether that worked.

    None if it is too long. Lone surrogates, which can come from a command line, are replaced, as no
    clipboard takes them; so are control characters, as a terminal would act on them when pasted.
    """
    from fluxtui.bridge import clipboard

    text = choice.text(stop)
    stop_if(stop)
    if text is None:
        return None
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = _CONTROL.sub(lambda sign: printable(sign[0]), text)
    return text, clipboard.copy_to_desktop(text)
