"""What a tree must be beyond its grammar: its labels, and keys with a meaning (RFC 46, RFC 14)."""

from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.shape.tree import RULE, Item, Vertex

# Keys that RFC 14 gives a meaning, and what their values are.
TEXTS = ("label", "unit", "id")

_TAKEN = {
    "type": "the type comes before the braces",
    "count": "the count comes before the braces, as in =4",
    "with": "children come after the braces, as in /core",
}


def check(vertices: tuple[Vertex, ...]) -> list[Problem]:
    """The problems of a tree that was read from a text; not in the order of the text."""
    problems: list[Problem] = []
    labels: set[str] = set()
    unlabelled: list[Vertex] = []
    slots = 0
    stack = [*vertices[::-1]]
    while stack:
        vertex = stack.pop()
        stack += vertex.children[::-1]
        if vertex.type == "slot":
            slots += 1
            if vertex.label is None:
                unlabelled.append(vertex)
            else:
                _unique(vertex.label, vertex.label_span or vertex.span, labels, problems)
        elif len(vertex.type) == 4 and vertex.type.lower() == "slot":
            message = f"'{vertex.type}' is a type of its own; flux-core reads it as slot"
            span = vertex.type_span
            problems.append(Problem(message, span, None, ("slot",), RULE, "warning"))
        if vertex.keys:
            _keys(vertex, labels, problems)
    if slots > 1:
        for vertex in unlabelled:
            message = "a slot needs a label where there is more than one slot"
            expected = ("{ and a label",)
            problems.append(Problem(message, vertex.type_span, None, expected, RULE))
    return problems


def _unique(label: str, span: Span, labels: set[str], problems: list[Problem]) -> None:
    if label in labels:
        message = f"the label '{label}' is already taken"
        expected = ("another label",)
        problems.append(Problem(message, span, None, expected, "RFC 14"))
    labels.add(label)


def _keys(vertex: Vertex, labels: set[str], problems: list[Problem]) -> None:
    """Repeated keys, keys that are written another way, values of the wrong kind."""
    seen = {"label"} if vertex.type == "slot" and vertex.label is not None else set()
    for item in vertex.keys:
        if item.key in _TAKEN:
            problems.append(Problem(f"{_TAKEN[item.key]}, not as a key", item.key_span, rule=RULE))
        elif item.key in seen:
            message = f"duplicate key '{item.key}'"
            problems.append(Problem(message, item.key_span, None, ("another key",), RULE))
        else:
            _value(item, problems)
            if item.key == "label" and isinstance(item.value, str):
                _unique(item.value, item.value_span or item.span, labels, problems)
        seen.add(item.key)


def _value(item: Item, problems: list[Problem]) -> None:
    """Whether a key of RFC 14 has the kind of value it asks for."""
    span = item.value_span or item.key_span
    if item.key in TEXTS and not isinstance(item.value, str):
        message = f"the value of '{item.key}' is a string"
        plain = isinstance(item.value, int | float) and not isinstance(item.value, bool)
        expected = (f'{item.key}:"{item.value}"' if plain else "a string",)
        problems.append(Problem(message, span, None, expected, "RFC 14"))
    elif item.key == "exclusive" and not isinstance(item.value, bool):
        message = "the value of 'exclusive' is true or false"
        problems.append(Problem(message, span, None, ("x", "-x"), "RFC 14"))
