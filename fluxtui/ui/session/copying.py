"""What can be copied or saved from a state."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.model.cancellation import Stop
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

SHOWN = 48  # columns of a text that is shown as a detail


class Choice(NamedTuple):
    """One thing to copy: the letter that picks it, its name, what it is now, and its text.

    text gets what says whether to stop, and may raise `fluxtui.model.cancellation.Stopped` then; it
    gives None where it has more than `MOST` characters. in_file says that w saves it. pane names
    the pane that shows it.
    """

    key: str
    label: str
    detail: str
    text: Callable[[Stop], str | None]
    pane: str = ""
    in_file: bool = False


class NodesForm(NamedTuple):
    """A form of nodes: its name, the same after which nodes they are, a file, and what is in it."""

    form: "nodes.Form"
    words: str
    file: str
    note: str


#: The forms that nodes can be saved in, by their letters, most wanted first.
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
        "A row for each node: rank, host, cores, gpus, their ids, and the properties separated by"
        " |. Names are written as they are: a spreadsheet takes one that starts with =, +, - or @"
        " for a formula, unless the column is imported as text.",
    ),
    "m": NodesForm(
        "matrix",
        "nodes and properties as a table (CSV)",
        "nodes.csv",
        "A row for each node: rank, host, cores, gpus, their ids, and a column for each property,"
        " 1 where the node has it, else 0.",
    ),
    "h": NodesForm("hosts", "hosts", "hosts.txt", "A hostlist (RFC 29), in rank order."),
    "r": NodesForm("ranks", "ranks", "ranks.txt", "An idset (RFC 22)."),
}

#: Those of them that can be copied, most wanted first.
COPIED = "hrdt"


class Nodes(NamedTuple):
    """Nodes in a form: the letter that picks it; selected, matching or all; the nodes."""

    key: str
    which: str
    mask: int
    form: NodesForm

    @property
    def label(self) -> str:
        """What they are: ``matching hosts``."""
        return f"{self.which} {self.form.words}"


def nodes_to_take(state: State, keys: str = "".join(NODES_FORMS)) -> list[Nodes]:
    """The nodes that may be exported: the selected ones, then, by capitals, those that match."""
    ask, selected = state.ask, state.selected
    groups = [("selected", selected)] if selected else []
    if ask.mask and ask.mask != selected:
        groups.append(("matching" if ask.constraint is not None else "all", ask.mask))
    return [
        Nodes(key if (which, mask) == groups[0] else key.upper(), which, mask, NODES_FORMS[key])
        for which, mask in groups
        for key in keys
        if state.cluster.resources.hosts or key != "h"
    ]


def choices(
    state: State, front: str = "", shown: str = "yaml", renderings: "Sequence[Rendering]" = ()
) -> list[Choice]:
    """What there is to copy now: what the pane in front shows first, then the most wanted.

    front names that pane, if one is; shown is the form in the text pane, and renderings the command
    lines in that beside it.
    """
    resources, outlook = state.cluster.resources, state.outlook
    found, later = list[Choice](), list[Choice]()
    for nodes in nodes_to_take(state, COPIED):
        one = _nodes(nodes.key, nodes.label, resources, nodes.mask, nodes.form.form, "cluster")
        (found if nodes.which == "selected" else later).append(one._replace(in_file=True))
    found += _command_lines(state, renderings)
    if state.build.resources:
        found.append(_made("s", "shape", state.build.text, "tree"))
        for letter, form in FORMS:
            text, pane = partial(_text_of_job, state, form), "text" if form == shown else "form"
            found.append(Choice(letter, f"jobspec as {form.upper()}", "", text, pane))
    found += later
    constraint = state.ask.constraint
    if constraint is not None:
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
        found.append(_made("n", "node at the cursor", resources.host(state.cursor), "node"))
    return sorted(found, key=lambda choice: choice.pane != front)


def _command_lines(state: State, renderings: "Sequence[Rendering]") -> Iterator[Choice]:
    """The most wanted command lines by letters; the others, and scripts, by numbers.

    A script that holds control characters is for a file: pasted it would do something else.
    """
    from fluxtui.answers.commands.translation import to_command

    for each in () if state.empty else to_command(state.jobspec(), tuple(PROGRAMS)):
        if each.text is not None:
            label = f"{each.name} command line"
            yield _made(PROGRAMS[each.name], label, each.text, "commands")
    others = []
    for each in renderings:
        if each.text is not None and each.name not in PROGRAMS:
            others.append((f"{each.name} command line", each.text))
        if each.script is not None and is_plain(each.script.replace("\t", "")):
            others.append((f"{each.name} script", each.script))
    for key, (label, text) in enumerate(others[:9], 1):
        yield _made(str(key), label, text, "commands")


def _made(key: str, label: str, text: str, pane: str) -> Choice:
    """A text that is there already."""
    return Choice(key, label, shorten(" ".join(text.split()), SHOWN), lambda stop: text, pane)


def _nodes(
    key: str, label: str, resources: Resources, mask: int, form: "nodes.Form", pane: str
) -> Choice:
    def text(stop: Stop) -> str | None:
        from fluxtui.opening.nodes import text_of

        return text_of(resources, mask, form, MOST, stop)

    return Choice(key, label, counted(mask.bit_count(), "node"), text, pane)


def _text_of_job(state: State, form: Form, stop: Stop) -> str:
    return job_text(state, form)
