"""A query with some of its parts left out or replaced (RFC 35)."""

from collections.abc import Mapping, Sequence

from fluxtui.answers.explain.rewrite_row import joined
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import Constraint, Hostlist, Properties, Ranks, to_json
from fluxtui.notation.problem import Span
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.tree import Node, Term

_SPACE = " \t\r\n\f\v"


def query_text(
    reading: Requires, spans: Mapping[str, Span], edits: Mapping[str, Constraint | None]
) -> str | None:
    """The query after edits, as close to what was typed as can be; whether it says the same as
    the edits do is not looked at. None where nothing is left or a part has no place.
    """
    if reading.tree is None or any(path not in spans for path in edits):
        return None
    writer = _Writer(reading.text)
    for path, new in edits.items():
        writer.plan(reading.tree, spans[path], new)
    whole = Span(0, len(reading.text))
    outer = _outer(reading.text, reading.tree.span, whole)
    text = writer.outer(reading.tree, whole)
    if text is None:
        return None
    return reading.text[: outer.start] + text + reading.text[outer.end :]


def _outer(text: str, span: Span, bounds: Span) -> Span:
    """A place with the parentheses around it, as far as they stand within bounds."""
    start, end = span
    while True:
        before, after = start - 1, end
        while before >= bounds.start and text[before] in _SPACE:
            before -= 1
        while after < bounds.end and text[after] in _SPACE:
            after += 1
        if before < bounds.start or after >= bounds.end or text[before] + text[after] != "()":
            return Span(start, end)
        start, end = before, after + 1


class _Writer:
    """Writes the parts of one query; `plan` first, then `outer`."""

    def __init__(self, text: str) -> None:
        self.text = text
        #: What stands at a place now, None where nothing does.
        self.new: dict[Span, str | None] = {}

    def plan(self, tree: Node, span: Span, new: Constraint | None) -> None:
        """Put something in the place of the part that stands at span."""
        node = _smallest(tree, span)
        place = node.span
        value = isinstance(node, Term) and len(node.values) > 1 and span in node.value_spans
        if value:
            place = span
        if new is None:
            self.new[place] = None
        elif isinstance(node, Term):
            self.new[place] = self.term(node, new, whole=not value)
        elif node.kind == "not":
            inner = Span(node.operator_span.end, node.span.end)
            self.new[place] = self.text[slice(*_outer(self.text, node.operand.span, inner))]
        else:
            self.new[place] = from_constraint(to_json(new)) or ""

    def term(self, node: Term, new: Constraint, *, whole: bool) -> str:
        """A term in the place of another: only its value, where the kind stays the same."""
        kind = type(new).__name__.lower()
        if isinstance(new, Properties | Hostlist | Ranks) and kind == node.operator:
            text = ",".join(new.values)
            if not whole:
                return text
            if node.name is None:
                return from_constraint(to_json(new)) or text
            first, last = node.value_spans[0], node.value_spans[-1]
            head = self.text[node.span.start : first.start]
            return head + text + self.text[last.end : node.span.end]
        return from_constraint(to_json(new)) or ""

    def outer(self, node: Node, bounds: Span) -> str | None:
        """A node with its parentheses; they go where one operand is left that needs none."""
        place = _outer(self.text, node.span, bounds)
        if not any(_within(span, node.span) for span in self.new):
            return self.text[slice(*place)]
        text, bare = self.inner(node)
        if text is None or bare:
            return text
        return (
            self.text[place.start : node.span.start] + text + self.text[node.span.end : place.end]
        )

    def inner(self, node: Node) -> tuple[str | None, bool]:
        """A node without the parentheses around it, and whether it needs none any more."""
        text, span = self.text, node.span
        if span in self.new:
            return self.new[span], False
        if isinstance(node, Term):
            places = list(node.value_spans)
            pieces = [self.new.get(at, text[slice(*at)]) for at in places]
        elif node.kind == "not":
            rest = Span(node.operator_span.end, span.end)
            places = [_outer(text, node.operand.span, rest)]
            pieces = [self.outer(node.operand, rest)]
        else:
            places = [_outer(text, operand.span, span) for operand in node.operands]
            pieces = [self.outer(operand, span) for operand in node.operands]
        row = joined(text, places, pieces)
        if row is None:
            return None, False
        bare = node.kind in ("and", "or") and self.is_one(node.operands, places, pieces)
        return text[span.start : places[0].start] + row + text[places[-1].end : span.end], bare

    def is_one(
        self, operands: Sequence[Node], places: Sequence[Span], pieces: Sequence[str | None]
    ) -> bool:
        """Of several operands one is left, which is a term or has parentheses of its own."""
        kept = [at for at, piece in enumerate(pieces) if piece is not None]
        if len(kept) != 1:
            return False
        only = operands[kept[0]]
        return only.kind in ("term", "not") or places[kept[0]] != only.span


def _within(span: Span, around: Span) -> bool:
    return around.start <= span.start and span.end <= around.end


def _smallest(node: Node, span: Span) -> Node:
    """The smallest node that covers a place."""
    if node.kind == "term":
        return node
    for operand in (node.operand,) if node.kind == "not" else node.operands:
        if _within(span, operand.span):
            return _smallest(operand, span)
    return node
