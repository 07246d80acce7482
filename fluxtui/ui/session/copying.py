"""What can be copied or saved from a state."""

import json
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.model.constraint.tree import to_json
from fluxtui.model.documents.document import dump
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted
from fluxtui.notation.shellwords import is_plain
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import State, job_text, looked
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering
    from fluxtui.opening import nodes

FORMS: tuple[tuple[str, Form], ...] = (("y", "yaml"), ("j", "json"))

#: The command lines that are wanted most, by their letters.
PROGRAMS = {"flux submit": "l", "sbatch": "b"}

#: Characters; more is for a file, as a terminal would be busy with it for long.
MOST = 8_000_000


class Choice(NamedTuple):
    """One thing to copy: the letter that picks it, its name, what it is now, and its text.

    The text is None where it has more than `MOST` characters. Once stop is set it is not wanted any
    more: asking for it may raise `fluxtui.model.cancellation.Stopped` then. in_file says that w
    saves it. pane names the pane that shows it.
    """

    key: str
    label: str
    detail: str
    text: Callable[[], str | None]
    stop: threading.Event | None = None
    in_file: bool = False
    pane: str = ""


class NodesForm(NamedTuple):
    """A format in which nodes are exported.

    key    the letter that picks it
    form   its name
    words  its name after which nodes they are
    file   the name of a file in it
    note   what is in such a file
    """

    key: str
    form: "nodes.Form"
    words: str
    file: str
    note: str


#: The forms that nodes can be saved in, most wanted first.
NODES_FORMS = (
    NodesForm(
        "d",
        "R",
        "nodes as an R document",
        "nodes.json",
        "An R document (RFC 20) of just these nodes, with the same ranks, properties and times.",
    ),
    NodesForm(
        "t",
        "csv",
        "nodes as a table (CSV)",
        "nodes.csv",
        "A row for each node: rank, host, cores, gpus, their ids, and the properties separated by"
        " |. Names are written as they are: a spreadsheet takes one that starts with =, +, - or @"
        " for a formula, unless the column is imported as text.",
    ),
    NodesForm(
        "m",
        "matrix",
        "nodes and properties as a table (CSV)",
        "nodes.csv",
        "A row for each node: rank, host, cores, gpus, their ids, and a column for each property,"
        " 1 where the node has it, else 0.",
    ),
    NodesForm("h", "hosts", "hosts", "hosts.txt", "A hostlist (RFC 29), in rank order."),
    NodesForm("r", "ranks", "ranks", "ranks.txt", "An idset (RFC 22)."),
)

#: Those of them that can be copied, most wanted first.
COPIED = tuple(form for key in "hrdt" for form in NODES_FORMS if form.key == key)


class Nodes(NamedTuple):
    """A set of nodes to export.

    which  what they are: selected, matching or all
    mask   the nodes
    upper  their letters are capitals, as the others are those of nodes that come first
    """

    which: str
    mask: int
    upper: bool

    def key(self, form: NodesForm) -> str:
        """The letter that picks these nodes in a form."""
        return form.key.upper() if self.upper else form.key


def nodes_to_take(state: State) -> list[Nodes]:
    """The nodes that may be exported: the selected ones, then those that match."""
    ask, selected = state.ask, state.selected
    found = [Nodes("selected", selected, upper=False)] if selected else []
    if ask.mask and ask.mask != selected:
        which = "matching" if ask.constraint is not None else "all"
        found.append(Nodes(which, ask.mask, upper=bool(found)))
    return found


def _json(document: object) -> str:
    return dump(document, "json")


def choices(
    state: State, front: str = "", shown: str = "yaml", renderings: "Sequence[Rendering]" = ()
) -> list[Choice]:
    """What there is to copy now: what the pane in front shows first, then the most wanted.

    front names that pane, if one is; shown is the form in the text pane, and renderings the command
    lines in that beside it.
    """
    taken = nodes_to_take(state)
    resources = state.cluster.resources
    forms = [form for form in COPIED if resources.hosts or form.form != "hosts"]
    groups = [[_nodes(resources, nodes, form) for form in forms] for nodes in taken]
    first = groups.pop(0) if state.selected else []
    nodes = (choice for group in groups for choice in group)
    lines = [*_usual_lines(state), *_lines(renderings)]
    found = [*first, *lines, *_job(state, shown), *nodes, *_rest(state, shown)]
    return sorted(found, key=lambda choice: choice.pane != front)


def _lines(renderings: "Sequence[Rendering]") -> list[Choice]:
    """The other command lines, and scripts with directives, by numbers.

    A script that holds control characters is for a file: pasted it would do something else.
    """
    found = []
    for each in renderings:
        name, line, script = each.name, each.text, each.script
        if line is not None and name not in PROGRAMS:
            found.append((f"{name} command line", line))
        if script is not None and is_plain(script.replace("\t", "")):
            found.append((f"{name} script", script))
    return [
        Choice(
            str(number),
            label,
            shorten(" ".join(text.split()), 48),
            partial(str, text),
            pane="commands",
        )
        for number, (label, text) in enumerate(found[:9], 1)
    ]


def _usual_lines(state: State) -> list[Choice]:
    """The command lines that are wanted most, where the job can be written as one."""
    from fluxtui.answers.commands.translation import to_command

    if state.empty:
        return []
    found = ((each.name, each.text) for each in to_command(state.jobspec(), tuple(PROGRAMS)))
    return [
        Choice(
            PROGRAMS[name],
            f"{name} command line",
            shorten(line, 48),
            partial(str, line),
            pane="commands",
        )
        for name, line in found
        if line is not None
    ]


def _nodes(resources: Resources, nodes: Nodes, form: NodesForm) -> Choice:
    key, label = nodes.key(form), f"{nodes.which} {form.words}"
    found = _choice(key, label, resources, nodes.mask, form.form)
    return found._replace(in_file=True, pane="cluster")


def _choice(key: str, label: str, resources: Resources, mask: int, form: "nodes.Form") -> Choice:
    stop = threading.Event()

    def text() -> str | None:
        from fluxtui.opening.nodes import text_of

        return text_of(resources, mask, form, MOST, stop.is_set)

    return Choice(key, label, counted(mask.bit_count(), "node"), text, stop)


def _job(state: State, shown: str) -> list[Choice]:
    build = state.build
    if not build.resources:
        return []
    shape = Choice("s", "shape", shorten(build.text, 48), lambda: build.text, pane="tree")
    forms = (
        Choice(
            letter,
            f"jobspec as {form.upper()}",
            "",
            partial(job_text, state, form),
            pane="text" if form == shown else "form",
        )
        for letter, form in FORMS
    )
    return [shape, *forms]


def _rest(state: State, shown: str) -> list[Choice]:
    """The constraint, the placement, the stored jobspec, and the node at the cursor."""
    found: list[Choice] = []
    constraint, resources = state.ask.constraint, state.cluster.resources
    if constraint is not None:
        found.append(
            Choice(
                "c",
                "constraint as JSON",
                "RFC 31",
                lambda: json.dumps(to_json(constraint)),
                pane="explain",
            )
        )
    outlook = state.outlook
    if outlook.placement is not None and not outlook.old:
        placed = outlook.placement.mask
        hosts = _choice("p", "placed hosts", resources, placed, "hosts")
        found.append(hosts._replace(pane="fit"))
    own = looked(state).own if outlook.unasked and not outlook.stale else outlook.own
    stored = own.stored if own is not None else None
    if stored is not None and not outlook.stale:
        pane = "text" if shown == "stored" else "queues"
        text = partial(_json, stored)
        found.append(Choice("f", "jobspec as Flux stores it", "JSON", text, pane=pane))
    cursor = state.cursor
    if cursor is not None:
        host = resources.host(cursor)
        found.append(Choice("n", "node at the cursor", host, lambda: host, pane="node"))
    return found
