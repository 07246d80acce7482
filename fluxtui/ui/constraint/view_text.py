"""A constraint and its answer as plain text for a chat, at most 80 columns wide."""

import json
from collections.abc import Iterable, Iterator

from fluxtui.answers.explain.explanation import explain, lines
from fluxtui.model.constraint.tree import to_json
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.query.format import from_constraint
from fluxtui.ui.kit.text import fold, shorten
from fluxtui.workbench import State

COLUMNS = 80
LEAD = 12  # columns of the label before a line
RANGES = 60  # how many ranges of hosts and of ranks are written
LINES = 60  # how many lines of the tree are written
NO_QUERY = "(no query can express this)"
EVERY_NODE = "(none: all nodes)"


def view_text(state: State, title: str = "", note: str = "") -> str:
    """Return a state's constraint, as a query and an RFC 31 object, and its answer as plain text.

    title and note come first, if given. A constraint that cannot be read is shown with the reason.
    Slow if the match has very many ranges: not for the event loop.
    """
    notes = [line for row in note.splitlines() for line in _broken(row) or [""]]
    blocks = [_broken(title), notes, _labelled(_constraint(state))]
    if state.ask.blank or state.ask.requires.constraint is not None:
        blocks += [_labelled(_answer(state)), list(_tree(state))]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _constraint(state: State) -> Iterator[tuple[str, str]]:
    """Yield the constraint in both notations, or why it cannot be read."""
    ask, constraint = state.ask, state.ask.requires.constraint
    if constraint is None:
        yield "constraint", EVERY_NODE if ask.blank else ask.text
    else:
        obj = to_json(constraint)
        query = from_constraint(obj) if ask.requires.is_json else ask.text.strip()
        yield "query", NO_QUERY if query is None else query or EVERY_NODE
        yield "JSON", json.dumps(obj, ensure_ascii=False)
    for problem in ask.problems:
        yield "problem" if problem.severity == "error" else "note", problem.message


def _answer(state: State) -> Iterator[tuple[str, str]]:
    resources, ask, totals = state.cluster.resources, state.ask, state.ask.totals
    whole = counted(resources.node_count, "node")
    yield "matches", f"{totals.nodes:,} of {whole} ({state.cluster.source.name})"
    if totals.nodes:
        gpus = f", {counted(totals.gpus, 'gpu')}" if totals.gpus else ""
        yield "with", counted(totals.cores, "core") + gpus
        yield "hosts", resources.hosts_of(ask.mask, limit=RANGES)
        yield "ranks", resources.ranks_text(ask.mask, limit=RANGES)
        if state.known_queue is not None:
            yield "queue", f"{state.left.bit_count():,} of them are in {state.known_queue}"


def _tree(state: State) -> Iterator[str]:
    """Yield the parts of the constraint, with the counts of nodes that each matches and leaves."""
    explanation = explain(state.ask.requires, state.cluster.resources, state.ask.counted)
    if explanation is None or not explanation.root.parts:
        return
    width = max(len(f"{explanation.total:,}"), len("remaining"))
    yield f"{'matches':>{width}}  {'remaining':>{width}}"
    for number, line in enumerate(lines(explanation.root)):
        if number == LINES:
            yield "…"
            return
        counts = f"{line.part.alone:>{width},}  {line.part.left:>{width},}  "
        note = f"   {line.note}" if line.note else ""
        words = shorten(printable(line.guide + line.words), COLUMNS - len(counts) - len(note))
        yield f"{counts}{words}{note}"


def _labelled(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return labelled texts, wrapped into lines; blank ones are left out."""
    return [
        f"{'' if number else lead:<{LEAD}}{line}"
        for lead, text in rows
        for number, line in enumerate(_broken(text, COLUMNS - LEAD))
    ]


def _broken(text: str, width: int = COLUMNS) -> list[str]:
    """Return a text wrapped into lines of a width; no lines for a blank text."""
    return [line.rstrip() for line in fold(printable(text), width)] if text.strip() else []
