"""How ``fluxtui match`` explains an expression, as text of 80 columns."""

import textwrap
from collections.abc import Callable, Iterator

from fluxtui.answers.explain import names, relaxations
from fluxtui.answers.explain.explanation import Explanation, Line, Part, lines, quoted
from fluxtui.answers.explain.findings import findings
from fluxtui.answers.explain.target import Target
from fluxtui.answers.explain.why import WhySet, why, why_set
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.sets import idset

COLUMNS = 80
#: The width of the labels in front of lines.
LEAD = 10
#: The maximum number of suggested changes; pairs of changes only if no single change helps.
RELAXATIONS = 5
#: The maximum number of notes.
NOTES = 20
#: How many nodes that share a host name are explained one by one.
MOST_NODES = 20


def explained(explanation: Explanation) -> str:
    """Explain an expression: its matches, its funnel, its tree, notes, and suggested changes."""
    found = [*_lines("matches", _matching(explanation)), *_lines("funnel", _funnel(explanation))]
    if explanation.root.parts:
        found += ["", *_tree(explanation)]
    unknown = names.unknown(explanation.root.constraint, explanation.resources)
    for block in (_noted(explanation, unknown), _more(explanation, unknown)):
        lines = list(block)
        found += ["", *lines] if lines else []
    return "\n".join(found)


def reasons(explanation: Explanation, target: Target) -> list[str]:
    """Explain why nodes are in or out: a block for each node, or one block for a set."""
    if target.is_set:
        return ["\n".join(_set(explanation, why_set(explanation, target.mask)))]
    indices = idset.from_mask(target.mask).lowest(MOST_NODES)
    blocks = ["\n".join(_node(explanation, index)) for index in indices]
    others = target.mask.bit_count() - len(blocks)
    return [*blocks, f"and {others:,} more with this name"] if others else blocks


def _matching(explanation: Explanation) -> str:
    words = f"{explanation.count:,} of {counted(explanation.total, 'node')}"
    hosts = explanation.resources.hosts_of(explanation.mask, limit=4)
    return f"{words}: {hosts}" if hosts and explanation.count < explanation.total else words


def _funnel(explanation: Explanation) -> str:
    """``196, gpu 24, batch 24, not debug 18``"""
    steps = (f"{step.words} {step.left:,}" for step in explanation.funnel)
    emptied = explanation.emptied_by
    end = f"; nothing is left after {quoted(emptied.constraint)}" if emptied is not None else ""
    return ", ".join((f"{explanation.total:,}", *steps)) + end


def _tree(explanation: Explanation) -> Iterator[str]:
    """Each part, how many nodes match it alone, how many are left, and what an ``or`` adds."""
    width = max(len(f"{explanation.total:,}"), len("alone"))
    yield f"{'alone':>{width}}  {'left':>{width}}"

    def counts(part: Part) -> str:
        return f"{part.alone:>{width},}  {part.left:>{width},}  "

    def note(line: Line) -> str:
        return f"   {line.note}" if line.note else ""

    yield from _branches(explanation.root, counts, note)


def _branches(
    root: Part,
    column: Callable[[Part], str],
    note: Callable[[Line], str] = lambda line: "",
) -> Iterator[str]:
    """Yield a line for a part and all parts below it, between a column and a note."""
    for line in lines(root):
        more = note(line)
        yield cut(f"{column(line.part)}{line.guide}{line.words}", len(more)) + more


def cut(text: str, reserved: int = 0) -> str:
    """Shorten a line to `COLUMNS`, leaving room for reserved more characters."""
    text = printable(text)
    room = COLUMNS - reserved
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _noted(explanation: Explanation, unknown: tuple[names.Unknown, ...]) -> Iterator[str]:
    """The findings about an expression and its unknown names, one sentence each."""
    messages = [finding.message for finding in findings(explanation)]
    messages += [name.problem.message for name in unknown]
    messages = list(dict.fromkeys(messages))
    for number, message in enumerate(messages[:NOTES]):
        yield from _lines("" if number else "notes", message)
    if len(messages) > NOTES:
        yield from _lines("", f"and {len(messages) - NOTES:,} more")


def _more(explanation: Explanation, unknown: tuple[names.Unknown, ...]) -> Iterator[str]:
    """Changes that would make more nodes match, each with the expression to type."""
    found = relaxations.relaxations(explanation, unknown, RELAXATIONS)
    if not found and not explanation.count:
        found = relaxations.best_pairs(explanation, unknown, most=RELAXATIONS)
        if not found:
            untried = relaxations.untried(explanation)
            nothing = relaxations.nothing_helps(explanation, untried)
            yield from _lines("more", f"{nothing}; {untried}" if untried else nothing)
    for number, relaxation in enumerate(found):
        yield from _lines("" if number else "more", relaxation.sentence)
        yield f"{'':{LEAD + 2}}{printable(relaxation.text)}"


def _node(explanation: Explanation, index: int) -> Iterator[str]:
    """Why one node is in or out, and which parts of the expression hold for it."""
    found = why(explanation, index)
    yield from _wrapped(found.sentence)
    if explanation.root.parts:
        yield ""
        holds = {id(part): held for part, held in found.holds}
        yield from _branches(
            explanation.root, lambda part: f"  {'yes' if holds[id(part)] else 'no':<3}  "
        )


def _set(explanation: Explanation, found: WhySet) -> Iterator[str]:
    """Why nodes of a set are out, grouped by reason."""
    if not found.groups:
        yield from _wrapped(found.sentence)
    for group in found.groups:
        yield from _wrapped(group.sentence)
        hosts = explanation.resources.hosts_of(group.mask, limit=4)
        ranks = explanation.resources.ranks_text(group.mask, limit=4)
        yield cut(f"  {hosts or f'ranks {ranks}'}")


def _lines(lead: str, words: str) -> Iterator[str]:
    """Words after a label, wrapped to as many lines as needed."""
    return _wrapped(words, f"{lead:<{LEAD}}", " " * LEAD)


def _wrapped(words: str, first: str = "", others: str = "") -> Iterator[str]:
    return iter(
        textwrap.wrap(
            printable(words),
            COLUMNS,
            initial_indent=first,
            subsequent_indent=others,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
