"""A constraint and its answer as plain text for a chat, at most 80 columns wide."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fluxtui.model.constraint.tree import Constraint, to_json
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.query.format import from_constraint
from fluxtui.ui.kit.text import fold
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation

COLUMNS = 80
LEAD = 12  # columns of the word that says what a line is about
RANGES = 60  # of hosts and of ranks that are written
LINES = 60  # of the tree
NO_QUERY = "(no query can express this)"
EVERY_NODE = "(none: all nodes)"


def view_text(state: State, title: str = "", note: str = "") -> str:
    """The constraint of a state as a query and an RFC 31 object, and its answer, as plain text.

    title and note stand before it, where they are given. A constraint that cannot be read is
    shown with the reason. Takes time where the match has very many ranges: not for the event loop.
    """
    notes = [line for row in note.splitlines() for line in _broken(row) or [""]]
    blocks = [_broken(title), notes, list(_asked(state))]
    if state.ask.blank or state.ask.requires.constraint is not None:
        blocks += [list(_answer(state)), list(_tree(state))]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _asked(state: State) -> Iterator[str]:
    """The constraint in both notations, or why it cannot be read."""
    ask = state.ask
    constraint = ask.requires.constraint
    if constraint is None:
        yield from _labelled("constraint", ask.text if not ask.blank else EVERY_NODE)
    else:
        yield from _labelled("query", _query(ask.text, constraint, is_json=ask.requires.is_json))
        yield from _labelled("JSON", json.dumps(to_json(constraint), ensure_ascii=False))
    for problem in ask.problems:
        lead = "problem" if problem.severity == "error" else "note"
        yield from _labelled(lead, problem.message)


def _query(text: str, constraint: Constraint, *, is_json: bool) -> str:
    if not is_json:
        return text.strip()
    written = from_constraint(to_json(constraint))
    return NO_QUERY if written is None else written or EVERY_NODE


def _answer(state: State) -> Iterator[str]:
    resources, ask = state.cluster.resources, state.ask
    whole = counted(resources.node_count, "node")
    count = ask.totals.nodes
    yield from _labelled("matches", f"{count:,} of {whole} ({state.cluster.source.name})")
    if not count:
        return
    cores, gpus = ask.totals.cores, ask.totals.gpus
    with_them = counted(cores, "core")
    yield from _labelled("with", with_them + (f", {counted(gpus, 'gpu')}" if gpus else ""))
    hosts = resources.hosts_of(ask.mask, limit=RANGES)
    if hosts:
        yield from _labelled("hosts", hosts)
    yield from _labelled("ranks", resources.ranks_text(ask.mask, limit=RANGES))
    queue = state.known_queue
    if queue is not None:
        yield from _labelled("queue", f"{state.left.bit_count():,} of them are in {queue}")


def _tree(state: State) -> Iterator[str]:
    """Each part of the constraint with the nodes that it matches alone, and those that remain."""
    from fluxtui.answers.explain.explanation import explain, lines

    found: Explanation | None = explain(
        state.ask.requires, state.cluster.resources, state.ask.counted
    )
    if found is None or not found.root.parts:
        return
    width = max(len(f"{found.total:,}"), len("remaining"))
    yield f"{'matches':>{width}}  {'remaining':>{width}}"
    for number, line in enumerate(lines(found.root)):
        if number == LINES:
            yield "…"
            return
        counts = f"{line.part.alone:>{width},}  {line.part.left:>{width},}  "
        note = f"   {line.note}" if line.note else ""
        words = shorten(printable(line.guide + line.words), COLUMNS - len(counts) - len(note))
        yield f"{counts}{words}{note}"


def _labelled(lead: str, text: str) -> list[str]:
    """A text behind the word that says what it is, in as many lines as it needs."""
    first, *others = _broken(text, COLUMNS - LEAD) or [""]
    return [f"{lead:<{LEAD}}{first}", *(" " * LEAD + line for line in others)]


def _broken(text: str, width: int = COLUMNS) -> list[str]:
    """A text in lines of a width; none for a blank one."""
    return [line.rstrip() for line in fold(printable(text), width)] if text.strip() else []
