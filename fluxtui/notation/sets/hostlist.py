"""Lists of host names written as text such as ``foo[0-3,7],bar`` (RFC 29)."""

import re

from fluxtui.notation.problem import (
    ENOUGH,
    Parsed,
    Problem,
    Span,
    first_of,
    is_digits,
    too_long,
)
from fluxtui.notation.sets.hosts import (
    DIGITS,
    MAX_BEFORE_DIGITS,
    MAX_DIGITS,
    Builder,
    HostList,
    padding,
)

RULE = "RFC 29"

#: The longest text that is read, in characters; that of a million names is shorter.
MAX_LENGTH = 1 << 24

# Names that are looked at together.
_SOME = 1 << 13

# Printable ASCII but white space, comma and brackets.
_NAME = r"[!-+\--Z\\^-~]*"
_NAMES = re.compile(r"[!-Z\\^-~]*")
_EXPRESSION = re.compile(rf"({_NAME})(?:\[([0-9,-]+)\]({_NAME}))?")
# Nothing is tried again: what could be would be kept, for each bracket of a text of millions.
_BROKEN = re.compile(r"[^\[\],]*+(?:\[[^\]]*+\]?+[^\[\],]*+|\])*+")
_FOREIGN = re.compile(r"[^!-~]")


def parse(text: str, offset: int = 0) -> Parsed[HostList]:
    """Read a hostlist (RFC 29); the empty text is the empty list.

    Each number of ``[...]`` keeps its own leading zeroes, as Flux reads and writes lists;
    where RFC 29 can be read to spread those of the first number over the others, a warning
    says so. An expression left empty between commas adds no host. Spans of problems count
    from ``offset``. After a problem the value holds what could be read.
    """
    if len(text) > MAX_LENGTH:
        return Parsed(HostList(), (too_long("hostlist", text, RULE, MAX_LENGTH),))
    out = Builder()
    problems = parse_into(out, text, offset)
    return Parsed(out.done(), problems)


def names_into(out: Builder, names: list[str]) -> bool:
    """Append names to a builder, if each is one name; else False, and nothing is appended.

    It gives what `parse_into` gives of the names with commas between.
    """
    # Some at a time: a look at a million of them in one step would hold up all other threads.
    for start in range(0, len(names), _SOME):
        some = names[start : start + _SOME]
        joined = ",".join(some)
        if not _NAMES.fullmatch(joined) or joined.count(",") >= len(some):
            return False
    out.names(names)
    return True


def parse_into(out: Builder, text: str, offset: int = 0) -> tuple[Problem, ...]:
    """Append the hosts of a hostlist text to a builder; what is wrong with the text."""
    if _NAMES.fullmatch(text):
        out.names(text.split(","))
        return ()
    problems: list[Problem] = []
    at, end = 0, len(text)
    while at < end and len(problems) < ENOUGH:
        match = _EXPRESSION.match(text, at)
        stop = match.end() if match else at
        if match and (stop == end or text[stop] == ","):
            prefix, body, suffix = match.groups()
            if body is None:
                out.names((prefix,))
            else:
                wrong = out.idlist(prefix, body, suffix)
                if wrong is not None:
                    start = offset + match.start(2)
                    span = _element(body, wrong, start)
                    problems.append(_idlist_problem(prefix, wrong, span, start + len(body)))
                else:
                    problems += _width_warning(body, offset + match.start(2))
        else:
            broken = _BROKEN.match(text, at)
            stop = max(broken.end() if broken else end, stop)
            problems.append(_expression_problem(text[at:stop], offset + at))
            _recover(out, text[at:stop])
        at = stop + 1
    return first_of(problems, "hostlist", is_cut=at < end)


def _recover(out: Builder, expression: str) -> None:
    """Keep the names of an expression whose only fault is a foreign character."""
    if "[" not in expression and "]" not in expression:
        out.names(expression.split())


def _element(body: str, element: str, offset: int) -> Span:
    """The span of an element of the idlist."""
    at = offset
    for part in body.split(","):
        if part == element:
            break
        at += len(part) + 1
    return Span(at, at + len(element))


def _width_warning(body: str, offset: int) -> tuple[Problem, ...]:
    """Say so where the padding of the first number could be meant for a shorter one."""
    pad = padding(body)
    if not pad:
        return ()
    for part in body.split(","):
        head = part.partition("-")[0]
        if len(head) < pad:
            message = (
                f"'{head}' is read as written, as Flux reads it; by RFC 29 the leading zeroes "
                f"of the first number could make it '{head:0>{pad}}'"
            )
            expected = (f"{head:0>{pad}}", f"'{head}' outside the brackets")
            return (
                Problem(message, _element(body, part, offset), None, expected, RULE, "warning"),
            )
    return ()


def _idlist_problem(prefix: str, element: str, span: Span, last: int) -> Problem:
    """What is wrong with this element of an idlist that goes up to last, after a prefix."""
    head, dash, tail = element.partition("-")
    if not element:
        after = span.start == last
        comma = Span(last - 1, last) if after else Span(span.start, span.start + 1)
        message = f"a number is missing {'after' if after else 'before'} ','"
        return Problem(message, comma, None, ("a number",), RULE)
    shown = element if len(element) <= 40 else element[:40] + "..."
    if is_digits(element.replace("-", "", 1)) and head and (tail or not dash):
        longest = len(prefix) - len(prefix.rstrip(DIGITS)) + max(len(head), len(tail))
        if longest > MAX_DIGITS:
            message = f"a number of {longest} digits is too large"
            return Problem(message, span, None, (), RULE)
        if dash and int(tail) < int(head):
            message = f"range '{shown}' runs backwards"
            return Problem(message, span, None, (f"{tail}-{head}",), RULE)
        message = (
            f"names with digits after ']' do not count up; a hostlist takes {MAX_BEFORE_DIGITS} "
            f"of them"
        )
        return Problem(message, span, None, ("fewer hosts",), RULE)
    if dash and is_digits(head) and not tail:
        message = "the last number is missing after '-'"
        return Problem(message, Span(span.end - 1, span.end), None, ("N-M",), RULE)
    return Problem(f"'{shown}' is not a number or a range", span, None, ("N", "N-M"), RULE)


def _expression_problem(text: str, offset: int) -> Problem:
    """The first thing that is wrong with one hostlist expression."""

    def problem(message: str, place: int, *expected: str) -> Problem:
        span = Span(offset + place, offset + min(place + 1, max(len(text), 1)))
        return Problem(message, span, None, expected, RULE)

    foreign = _FOREIGN.search(text)
    opened = text.find("[")
    closed = text.find("]")
    if foreign and foreign.group().isspace():
        return problem("white space does not belong in a hostlist", foreign.start(), "','")
    if foreign:
        return problem(
            f"'{foreign.group()}' does not belong in a host name",
            foreign.start(),
            "printable ASCII characters",
        )
    if closed >= 0 and (opened < 0 or closed < opened):
        return problem("']' closes nothing; no '[' is open", closed)
    if closed < 0:
        return problem("the bracket '[' is not closed", opened, "']'")
    inner = text[opened + 1 : closed]
    if not inner:
        return problem("there is no number between the brackets", opened, "a number", "N-M")
    for place, char in enumerate(inner, opened + 1):
        if char not in "0123456789,-":
            return problem(f"'{char}' does not belong between brackets", place, "a number", "','")
    again = text.find("[", closed)
    if again >= 0:
        return problem("a host expression has one pair of brackets", again, "','")
    return problem("']' closes nothing; no '[' is open", text.find("]", closed + 1))
