"""What a YAML parser found wrong with a text, in words for the person who wrote it."""

from typing import Any

from fluxtui.notation.problem import Problem, Span

# A piece of what PyYAML or libyaml says -> what a person is told, and what would be right.
_WORDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "mapping values are not allowed",
        "a ':' makes a key where none can stand",
        ("the indentation of the keys around it", "quotes around a value that holds ': '"),
    ),
    ("could not find expected ':'", "no ':' follows the key", ("KEY: VALUE",)),
    ("sequence entries are not allowed", "a list begins on the line of its key", ("a new line",)),
    ("expected '-' indicator", "a list ends here without what follows it fitting", ("'- '",)),
    ("expected key", "no key of the mapping begins here", ("a key, indented as those before",)),
    ("but found '-'", "no key of the mapping begins here", ("a key, indented as those before",)),
    ("expected <block end>", "the indentation does not fit what stands before", ()),
    ("expected ',' or ']'", "the list is not closed", ("','", "']'")),
    ("expected ',' or '}'", "the mapping is not closed", ("','", "'}'")),
    ("unexpected end of stream", "the string is not closed", ("a closing quote",)),
    ("unknown escape character", "the string has an escape that YAML does not know", ()),
    ("incompatible YAML", "a version of YAML that cannot be read", ("%YAML 1.1",)),
    ("expected <document start>", "nothing may follow the end of the document", ()),
    ("expected '<document start>'", "nothing may follow the end of the document", ()),
    ("comment or line break", "the text of '|' or '>' begins on a line of its own", ()),
    ("chomping or indentation", "the text of '|' or '>' begins on a line of its own", ()),
    ("directive name", "'%' begins a directive, which has no name", ("quotes around it",)),
    ("alphabetic or numeric", "an anchor or alias without a name", ()),
    ("tag URI", "the tag is not closed", ("'>'",)),
    ("expected '>'", "the tag is not closed", ("'>'",)),
    ("tab character", "a tab cannot indent in YAML", ("spaces",)),
)


def problem(error: Any, text: str, rule: str) -> Problem:
    """The syntax error of a parser as a problem with a span."""
    mark = error.problem_mark or error.context_mark
    said = str(error.problem or "")
    index = min(mark.index, len(text)) if mark is not None else len(text)
    if "could not find expected ':'" in said and error.context_mark is not None:
        index = error.context_mark.index
    span = Span(index, min(index + 1, len(text)))
    if "cannot start any token" in said:
        return _sign(text[index : index + 1], span, rule)
    if "node content" in said:
        return _no_value(text, index, rule)
    for piece, message, expected in _WORDS:
        if piece in said:
            return Problem(f"not YAML: {message}", span, None, expected, rule)
    return Problem("not YAML: this cannot be read", span, None, (), rule)


def _no_value(text: str, index: int, rule: str) -> Problem:
    """Nothing, or a sign of another kind, stands where a value has to."""
    if sign := text[index : index + 1].strip():
        message = f"not YAML: '{sign}' stands where a value has to"
        return Problem(message, Span(index, index + 1), None, ("a value",), rule)
    last = len(text[:index].rstrip()) - 1
    opened = text[last] if last >= 0 else ""
    closing = {"[": ("a value", "']'"), "{": ("KEY: VALUE", "'}'")}.get(opened, ("a value",))
    message = "not YAML: it ends where a value has to follow"
    return Problem(message, Span(max(last, 0), last + 1), None, closing, rule)


def _sign(sign: str, span: Span, rule: str) -> Problem:
    """A sign that begins no value."""
    if sign == "\t":
        return Problem("not YAML: a tab cannot indent in YAML", span, None, ("spaces",), rule)
    message = f"not YAML: a value cannot begin with '{sign}'"
    return Problem(message, span, None, ("the value in quotes",), rule)
