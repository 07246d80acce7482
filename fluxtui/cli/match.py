"""``fluxtui match``: the ranks that satisfy a query or a constraint (RFC 35, RFC 31, RFC 20)."""

import json
import sys
from typing import Any

from fluxtui.answers import match
from fluxtui.cli.options import Parser, add_resources, parse_expression
from fluxtui.cli.output import answer_lines, print_json, refusal, report, usable
from fluxtui.model import requires
from fluxtui.model.resources import Resources, read_text
from fluxtui.notation import query

_DESCRIPTION = """\
Print the ranks that satisfy a query (RFC 35), or a constraint object (RFC 31),
which begins with '{', on the cluster of an R document (RFC 20)."""

_EPILOG = """\
examples:
  fluxtui match -r demo gpu
  fluxtui match -r R.json 'gpu&-debug' -o hosts
  fluxtui match -r R.json -debug
  flux R encode -r 0-3 -H n[0-3] | fluxtui match -r - host:n[2-5]
  fluxtui match -r R.json '{"or": [{"ranks": ["0-3"]}, {"properties": ["gpu"]}]}'
  fluxtui match -r R.json - < queries.txt

With '-', each line of standard input is a query, a constraint object, or
{"query": "..."}, and is answered by a line with {"ranks", "hosts", "count"} or
{"problems": [...]}.

Options stand as words of their own; all other words, also those that begin with
one dash, are the expression. What follows '--' is the expression in any case.

exit codes: 0 some rank matches (of '-': every line had an answer), 1 none does or
an input is wrong, 2 wrong usage"""


def _parser() -> Parser:
    usage = "fluxtui match [-h] -r R [-o ranks|hosts|json] EXPR"
    parser = Parser("fluxtui match", _DESCRIPTION, _EPILOG, usage)
    add = parser.add_argument
    add(
        "expression",
        metavar="EXPR",
        nargs="*",
        help="a query or a constraint object, or '-' for one a line on standard input",
    )
    add_resources(parser)
    add(
        "-o",
        "--output",
        choices=("ranks", "hosts", "json"),
        help="what to print: the ranks as an idset, the hosts as a hostlist, or both (ranks)",
    )
    return parser


def run(arguments: list[str]) -> int:
    """Answer one expression or many; returns the exit code."""
    parser = _parser()
    options = parse_expression(parser, arguments, "ro")
    many = options.expression == "-"
    if options.resources is None:
        parser.error("no R document to match with; give one with -r FILE, or try -r demo")
    if many and options.resources == "-":
        parser.error("standard input cannot hold both the R document and the expressions")
    if many and options.output not in {None, "json"}:
        parser.error("'-' answers in JSON Lines and takes no other output")
    resources = _resources(options.resources)
    if resources is None:
        return 1
    if many:
        return answer_lines(lambda line: _answer(line, resources))
    return _one(options.expression, resources, options.output or "ranks")


def _one(expression: str, resources: Resources, output: str) -> int:
    """Answer one expression for a person or a shell."""
    asked = requires.read(expression)
    problems = query.parse(expression).problems if asked.blank else asked.problems
    report(problems, expression)
    if asked.constraint is None:
        return 1
    mask = match.match(asked.constraint, resources)
    report(asked.located(match.hints(asked.constraint, resources)), expression)
    if output == "json":
        print_json(_found(mask, resources))
    elif mask:
        print(str(resources.ranks_of(mask)) if output == "ranks" else resources.hosts_of(mask))
    else:
        print("no rank matches", file=sys.stderr)
    return 0 if mask else 1


def _found(mask: int, resources: Resources) -> dict[str, Any]:
    return {
        "ranks": str(resources.ranks_of(mask)),
        "hosts": resources.hosts_of(mask),
        "count": mask.bit_count(),
    }


def _answer(line: str, resources: Resources) -> dict[str, Any]:
    """Answer one line of JSON Lines."""
    asked = requires.read(_query_of(line))
    if asked.constraint is None:
        return refusal(query.parse(line).problems if asked.blank else asked.problems)
    return _found(match.match(asked.constraint, resources), resources)


def _query_of(line: str) -> str:
    """The query of ``{"query": "..."}``; every other line as it is."""
    if line.lstrip().startswith("{") and '"query"' in line:
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            return line
        if len(document) == 1 and isinstance(document.get("query"), str):
            return str(document["query"])
    return line


def _resources(name: str) -> Resources | None:
    """The cluster of an R document; its problems are printed, None where nothing is usable."""
    from fluxtui.bridge import files

    found = files.read_source(name)
    source = found.value
    if source is None:
        report(found.problems)
        return None
    resources = read_text(source.text)
    return resources if usable(resources, source.name, source.text) else None
