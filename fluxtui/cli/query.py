"""``fluxtui query``: the constraint object of a query (RFC 35, RFC 31)."""

from dataclasses import replace
from typing import Any

from fluxtui.cli.options import Parser, parse_expression
from fluxtui.cli.output import answer_lines, print_json, refusal, report_typed, text_of
from fluxtui.notation.problem import Problem
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import Query, to_constraint

_DESCRIPTION = """\
Print the constraint object (RFC 31) that Flux makes of a query (RFC 35), such as
one given to --requires. Readings that may surprise are pointed out."""

_EPILOG = """\
examples:
  fluxtui query 'gpu&-debug'
  fluxtui query -debug
  fluxtui query 'host:n[1-3]|rank:0'
  fluxtui query - < queries.txt

With '-', each line of standard input is a query, or {"query": "..."}, and is
answered by a line with {"constraint": {...}} or {"problems": [...]}.

Options are separate words; all other words, even those that begin with one dash,
are the query. What follows '--' is the query in any case.

An operator that Flux does not know is a warning here: the query can be read, and
Flux refuses it when the job is submitted."""

_EXITS = {
    0: "fine",
    1: "the query is wrong (of '-': any of them)",
}
_ANSWERS = {"": "constraint", "-": "query_line"}


#: A query without any of these characters has no operator names and no illegal names.
_DOUBTFUL = frozenset(":!^`'\"")


def parser() -> Parser:
    """The parser of the verb."""
    usage = "fluxtui query [-h] EXPR"
    declared = Parser("fluxtui query", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, usage)
    declared.add_argument(
        "expression",
        metavar="EXPR",
        nargs="*",
        help="a query, or '-' for one per line on standard input",
    )
    return declared


def run(arguments: list[str]) -> int:
    """Answer one query or many, and return the exit code."""
    options = parse_expression(parser(), arguments, "")
    if options.expression == "-":
        return answer_lines(_answer)
    parsed = parse_query(options.expression)
    report_typed((*parsed.problems, *_doubts(parsed)), parsed.text, "query")
    if not parsed.ok or parsed.tree is None:
        return 1
    print_json(to_constraint(parsed.tree))
    return 0


def _doubts(parsed: Query) -> tuple[Problem, ...]:
    """What Flux would refuse in a query that it can parse, as warnings."""
    if not parsed.ok or not _DOUBTFUL & set(parsed.text):
        return ()
    from fluxtui.model.constraint import requires

    further = requires.read(parsed.text).problems
    return tuple(replace(p, severity="warning") for p in further if p not in parsed.problems)


def _answer(line: str) -> dict[str, Any]:
    text, problems = text_of(line, "query")
    if problems:
        return refusal(problems)
    parsed = parse_query(text)
    if not parsed.ok or parsed.tree is None:
        return refusal(parsed.problems)
    return {"constraint": to_constraint(parsed.tree)}
