"""What ``fluxtui match`` says of how an expression is read, in lines of 80 columns."""

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
#: The width of the words that say what a line is about.
LEAD = 10
#: Changes that are told; pairs of changes only where no single one helps.
RELAXATIONS = 5
#: Notes that are told.
NOTES = 20
#: Nodes that share a host and are told one by one.
MOST_NODES = 20


def explained(explanation: Explanation) -> str:
    """How an expression is read: its funnel, its tree, what is odd, and what to change."""
    found = [*_lines("matches", _matching(explanation)), *_lines("funnel", _funnel(explanation))]
    if explanation.root.parts:
        found += ["", *_tree(explanation)]
    unknown = names.unknown(explanation.root.constraint, explanation.resources)
    for block in (_noted(explanation, unknown), _more(explanation, unknown)):
        lines = list(block)
        found += ["", *lines] if lines else []
    return "\n".join(found)


def reasons(explanation: Explanation, target: Target) -> list[str]:
    """Why nodes are in or out: a block for each of them, or one for a set."""
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
    """Each part with how many match it alone, how many are left, and what an ``or`` gains."""
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
    """A part and all below it, a line each: behind a column, and before a note."""
    for line in lines(root):
        more = note(line)
        yield cut(f"{column(line.part)}{line.guide}{line.words}", len(more)) + more


def cut(text: str, reserved: int = 0) -> str:
    """A line for a terminal, with room for so many characters more."""
    text = printable(text)
    room = COLUMNS - reserved
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _noted(explanation: Explanation, unknown: tuple[names.Unknown, ...]) -> Iterator[str]:
    """What is odd about the expression, a sentence each."""
    said = [mark.message for mark in findings(explanation)]
    said += [one.problem.message for one in unknown]
    said = list(dict.fromkeys(said))
    for number, message in enumerate(said[:NOTES]):
        yield from _lines("" if number else "notes", message)
    if len(said) > NOTES:
        yield from _lines("", f"and {len(said) - NOTES:,} more")


def _more(explanation: Explanation, unknown: tuple[names.Unknown, ...]) -> Iterator[str]:
    """What to change so that more nodes match, each with the expression to type."""
    found = relaxations.relaxations(explanation, unknown, RELAXATIONS)
    if not found and not explanation.count:
        found = relaxations.best_pairs(explanation, unknown, most=RELAXATIONS)
        if not found:
            untried = relaxations.untried(explanation)
            told = relaxations.nothing_helps(untried)
            yield from _lines("more", f"{told}; {untried}" if untried else told)
    for number, one in enumerate(found):
        yield from _lines("" if number else "more", one.sentence)
        yield f"{'':{LEAD + 2}}{printable(one.text)}"


def _node(explanation: Explanation, index: int) -> Iterator[str]:
    """Why one node is in or out, and what holds for it."""
    found = why(explanation, index)
    yield from _wrapped(found.sentence)
    if explanation.root.parts:
        yield ""
        holds = {id(part): held for part, held in found.holds}
        yield from _branches(
            explanation.root, lambda part: f"  {'yes' if holds[id(part)] else 'no':<3}  "
        )


def _set(explanation: Explanation, found: WhySet) -> Iterator[str]:
    """Why some nodes of a set are out, and which these are."""
    if not found.groups:
        yield from _wrapped(found.sentence)
    for group in found.groups:
        yield from _wrapped(group.sentence)
        hosts = explanation.resources.hosts_of(group.mask, limit=4)
        ranks = explanation.resources.ranks_text(group.mask, limit=4)
        yield cut(f"  {hosts or f'ranks {ranks}'}")


def _lines(lead: str, words: str) -> Iterator[str]:
    """Words behind what they are about, in as many lines as they need."""
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
