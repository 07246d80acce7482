"""Answers on standard output, problems on standard error, and JSON Lines.

All output of a verb goes through this module, which keeps terminal codes in the text of documents
from reaching the terminal.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from fluxtui.notation.problem import (
    MAX_PROBLEMS,
    Problem,
    Span,
    at,
    capped,
    did_you_mean,
    how_many,
    is_printable,
    nearest,
    printable,
    render,
)

if TYPE_CHECKING:
    from fluxtui.model.resources.resource_set import Resources

#: How many problems of one input are printed; more would hide the first ones.
MOST_PROBLEMS = 20
#: Of a longer line, only the part around the problem is shown.
LONGEST_LINE = 160
#: The maximum length of an input line, in bytes.
LONGEST_INPUT = 16 << 20


def report(problems: Iterable[Problem], text: str | None = None, source: str = "") -> None:
    """Print problems on standard error, each with its place in the text; source names the text."""
    listed = list(problems)
    sys.stdout.flush()
    lead = f"{printable(source)}: " if source else ""
    for problem in listed[:MOST_PROBLEMS]:
        remark(lead + render(*cropped(problem, text)))
    more = how_many(listed[MOST_PROBLEMS:])
    if more:
        remark(f"... and {more:,} more")


def report_typed(problems: Iterable[Problem], text: str, kind: Literal["shape", "query"]) -> None:
    """Print the problems of a shape or a query; if it is wrong, also what was probably meant."""
    listed = list(problems)
    report(listed, text)
    if any(problem.severity == "error" for problem in listed):
        from fluxtui.answers.fixes.texts import corrected_query, corrected_shape
        from fluxtui.notation.shellwords import quote

        meant = corrected_shape(text) if kind == "shape" else corrected_query(text)
        if meant is not None:
            remark(f"did you mean {quote(meant)}?")


def usable(resources: "Resources", name: str, text: str | None = None) -> bool:
    """Print the problems of an R document, and return whether it is usable.

    A document with nodes is; its problems are then warnings. name is that of the document.
    """
    fine = resources.node_count > 0 or resources.ok
    problems = resources.problems
    if fine:
        problems = tuple(replace(problem, severity="warning") for problem in problems)
    report(problems, text, name)
    return fine


def cropped(problem: Problem, text: str | None) -> tuple[Problem, str | None]:
    """Shorten a text to the part of the problem's line that fits a terminal.

    Returns the problem with its span in the new text, which is None if the problem has no place.
    """
    if text is None or problem.span is None:
        return problem, None
    start, end = problem.span
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    if last - first <= LONGEST_LINE:
        return problem, text
    left, right = max(first, start - 40), min(last, start + 80)
    before, after = "…" if left > first else "", "…" if right < last else ""
    shift = len(before) - left
    span = Span(start + shift, min(end, right) + shift)
    return replace(problem, span=span), before + text[left:right] + after


def print_text(text: str) -> None:
    """Print an answer as text, with control characters other than line breaks escaped."""
    print(_printable_lines(text))


def page(text: str) -> None:
    """Print a long text; on a terminal, with the user's pager."""
    if not sys.stdout.isatty():
        print_text(text)
        return
    import pydoc

    pydoc.pager(_printable_lines(text))


def print_script(text: str) -> bool:
    """Print a text unchanged, unless it has control characters other than tabs; return whether.

    A terminal would obey these, and escaping them would change the script.
    """
    is_safe = all(is_printable(line.replace("\t", "")) for line in text.split("\n"))
    if is_safe:
        print(text)
    return is_safe


def remark(text: str) -> None:
    """Print a remark on standard error, escaped as by `print_text`."""
    print(_printable_lines(text), file=sys.stderr)


def print_records(records: Iterable[str]) -> None:
    """Print CSV records, which end in CRLF (RFC 4180), escaped as by `print_text`."""
    end = "\r\n"
    sys.stdout.writelines(printable(record.removesuffix(end)) + end for record in records)


def print_rows(rows: Iterable[Iterable[str]]) -> None:
    """Print rows of tab-separated cells, escaped as by `print_text`."""
    for row in rows:
        print("\t".join(map(printable, row)))


def print_json(value: object, *, indent: int | None = 2) -> None:
    """Print one JSON document; on one line if indent is None."""
    print(_json(value, indent))


def _printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def _json(value: object, indent: int | None = None) -> str:
    """JSON in printable ASCII; json.dumps does not escape DEL."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


def refusal(problems: Iterable[Problem]) -> dict[str, Any]:
    """The JSON Lines answer to an invalid input."""
    return {"problems": [problem.to_json() for problem in problems]}


def answer_lines(
    answer: Callable[[str], dict[str, Any]],
    refuse: Callable[[Iterable[Problem]], dict[str, Any]] = refusal,
    fine: Callable[[dict[str, Any]], bool] = lambda found: "problems" not in found,
) -> int:
    """Answer each line of standard input at once with one JSON object on a line.

    refuse makes the answer to a line that is not UTF-8, or longer than ``LONGEST_INPUT`` bytes.
    Returns 0 if fine is true for all answers, otherwise 1.
    """
    code = 0
    for number, raw in enumerate(_lines(sys.stdin.buffer), 1):
        if raw is None:
            message = f"line {number} is longer than {LONGEST_INPUT >> 20} MiB"
            found = refuse([Problem(message)])
        else:
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError:
                found = refuse([Problem(f"line {number} is not UTF-8 text")])
            else:
                found = answer(line.removesuffix("\n").removesuffix("\r"))
        if not fine(found):
            code = 1
        print(_json(found), flush=True)
    return code


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of a stream; None for each line that is too long, which is skipped."""
    while raw := stream.readline(LONGEST_INPUT + 1):
        if len(raw) <= LONGEST_INPUT or raw.endswith(b"\n"):
            yield raw
            continue
        while (more := stream.readline(1 << 20)) and not more.endswith(b"\n"):
            pass
        yield None


def text_of(line: str, key: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the text in a line, or problems.

    A line that begins with ``{`` is a JSON object with the text under key; any other is the text.
    """
    if not line.lstrip().startswith("{"):
        return line, ()
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        from fluxtui.notation import json_text

        problems = json_text.parse(line).problems
        return "", problems or (Problem("the line is not JSON", None, None, (), "RFC 8259"),)
    return text_in(line, document, key)


def text_in(line: str, document: dict[str, Any], key: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the text under the only key of a line's JSON object, or problems.

    Any other key is a problem.
    """
    form = f'{{"{key}": "..."}}'
    problems = unknown_keys(document, (key,))
    if key not in document:
        missing = Problem(f"the object has no key '{key}'", None, None, (form,))
        return "", _located(line, problems) or (missing,)
    text = document[key]
    if not isinstance(text, str):
        from fluxtui.notation.json_value import shown

        message = f"{key} is a string; found {shown(text)}"
        problems.insert(0, Problem(message, None, key, ("a string",)))
    return ("", _located(line, problems)) if problems else (text, ())


def _located(line: str, problems: list[Problem]) -> tuple[Problem, ...]:
    """Return problems of the object in a line with their places in the line."""
    from fluxtui.model.documents import document

    return document.read_json(line).located(capped(problems)) if problems else ()


def unknown_keys(
    document: Mapping[str, Any], known: Sequence[str], whom: str = ""
) -> list[Problem]:
    """Return a problem for each unknown key of a line.

    whom, if given, names what the known keys may accompany, for the message.
    """
    found: list[Problem] = []
    for name in document:
        if name not in known:
            # Looking for the nearest key takes time, and later problems are not printed.
            near = nearest(name, known) if len(found) < MAX_PROBLEMS else None
            beside = f" beside {whom}" if whom else ""
            message = f"unknown key '{name}'{beside}{did_you_mean(near)}"
            found.append(Problem(message, None, at("", name), tuple(known)))
    return found
