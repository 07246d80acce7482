"""``fluxtui match``: the ranks that satisfy a query or a constraint (RFC 35, RFC 31, RFC 20)."""

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fluxtui.answers import matching
from fluxtui.answers.explain import names
from fluxtui.cli.clusters import open_named
from fluxtui.cli.options import Parser, add_resources, parse_expression
from fluxtui.cli.output import (
    answer_lines,
    print_json,
    print_text,
    refusal,
    remark,
    report,
    report_typed,
    text_in,
)
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.query.parser import parse as parse_query

if TYPE_CHECKING:
    from fluxtui.answers.explain.target import Target
    from fluxtui.model.live.nodes import NodeStates

_DESCRIPTION = """\
Print the ranks that satisfy a query (RFC 35), or a constraint object (RFC 31),
which begins with '{'. The cluster is that of an R document (RFC 20), or the one
listed in resource.config of a Flux configuration."""

_EPILOG = """\
examples:
  fluxtui match -r demo gpu
  fluxtui match -r R.json 'gpu&-debug' -o hosts
  fluxtui match -r /etc/flux/system/conf.d +batch
  fluxtui match -r R.json -debug
  fluxtui match -r demo 'gpu&bigmem' -o explain
  fluxtui match -r demo 'gpu&-debug' --why dunegpu13
  fluxtui match -r demo 'rank:0-35,100-131,164-195' --shortest
  flux R encode -r 0-3 -H n[0-3] | fluxtui match -r - host:n[2-5]
  fluxtui match -r R.json gpu -o R | fluxtui match -r - -debug
  fluxtui match -r R.json {} -o csv --matrix > nodes.csv
  fluxtui match -r R.json '{"or": [{"ranks": ["0-3"]}, {"properties": ["gpu"]}]}'
  fluxtui match -r live 'gpu&-debug' --state free
  fluxtui match -r R.json gpu --filter 'numa:4 memory:512+'
  fluxtui match -r R.json - < queries.txt

-o explain shows how the expression is read: for each part, how many nodes match
it alone and how many are left after it; parts that contradict each other or
change nothing; names that the cluster does not have; and changes that let more
nodes match. --why explains why a node matches or not; for an idset or a hostlist,
how many nodes do not match, by reason. --shortest goes the other way: it prints a
short expression for exactly the nodes that match, by properties unless hosts or
ranks are much shorter, and as an exclusion such as -rank:7 only if a list of the
nodes is much longer. With -o json, all of these are parts of the answer.

--filter takes the same words as the filter of the table in the workbench: what a
node has (cores:96, gpus:1+, memory:128-512 in GiB) or has inside (numa:4, numa;
RFC 49), ranks, part of a host name, a property, or a state in a running Flux. A
node must fit all words; -word excludes nodes, and a|b means either.

-o R prints the nodes that match as an R document of their own, on one line.
Ranks, hosts, cores, gpus, properties and times stay as they are; nslots is kept
only if all nodes match; a resource graph is cut to these nodes, with what
contains and what supplies them. -o csv prints a table with a header (RFC 4180):
rank, host, cores, gpus, core_ids, gpu_ids; where the R describes the inside of
nodes (RFC 49), the number of domains by name, and memory_gib; and properties,
separated by '|'. Invisible characters in names are escaped, and a name that a
spreadsheet would take for a formula, because it begins with =, +, - or @, gets a
' in front.

With '-', each line of standard input is a query, a constraint object, or
{"query": "..."}, and is answered by a line with {"ranks", "hosts", "count"} (with
--explain, --why and --shortest also these) or {"problems": [...]}.

Options are separate words; all other words, even those that begin with one dash,
are the expression. What follows '--' is the expression in any case."""

_EXITS = {
    0: "some rank matches (of '-': every line had an answer)",
    1: "none does or an input is wrong",
}
_ANSWERS = {"-o json": "match", "-o R": "R", "-": "match_line"}

_STATES = (
    *("up", "free", "used", "partly", "allocated", "housekeeping"),
    *("down", "drained", "draining", "offline", "excluded", "torpid"),
)


def parser() -> Parser:
    """The parser of the verb."""
    usage = "fluxtui match [-h] -r R [-o ranks|hosts|json|explain|R|csv] [--why NODES]\n"
    usage += f"{'':21}[--state STATE] [--filter WORDS] [--shortest] [--no-graph]\n"
    usage += f"{'':21}[--matrix] EXPR"
    declared = Parser("fluxtui match", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, usage)
    add = declared.add_argument
    add(
        "expression",
        metavar="EXPR",
        nargs="*",
        help="a query or a constraint object, or '-' for one per line on standard input",
    )
    add_resources(declared)
    add(
        "-o",
        "--output",
        metavar="FORM",
        choices=("ranks", "hosts", "json", "explain", "R", "csv"),
        help="what to print: ranks (an idset), hosts (a hostlist), json (both), explain (how the "
        "expression is read), R (the nodes as an R document), csv (as a table); ranks without it",
    )
    add(
        "--state",
        metavar="STATE",
        choices=_STATES,
        help=f"only nodes in this state, of a running Flux or a snapshot: {', '.join(_STATES)}",
    )
    add("--filter", metavar="WORDS", help="only nodes that fit all words: see below")
    add("--explain", action="store_true", help="explain; with -o json as part of the answer")
    add("--why", metavar="NODES", help="why a rank, a host, an idset or a hostlist is in or out")
    add("--shortest", action="store_true", help="a short expression for the nodes that match")
    add("--no-graph", action="store_true", help="with -o R: leave out the resource graph")
    add("--matrix", action="store_true", help="with -o csv: a column of 1 and 0 for each property")
    return declared


def run(arguments: list[str]) -> int:
    """Answer one expression or many, and return the exit code."""
    options = _options(arguments)
    opened = open_named(options.resources)
    if opened is None:
        return 1
    resources = opened.resources
    if options.state is not None and opened.nodes is None:
        remark(
            "fluxtui match: --state needs a running Flux or a snapshot; an R document has no states"
        )
        return 2
    left = None
    if options.filter is not None:
        from fluxtui.answers.listing.filtering import Filter

        states = opened.nodes.named if opened.nodes is not None else {}
        filtered = Filter(resources, states).nodes(options.filter)
        if filtered.problem is not None:
            report((filtered.problem,), options.filter)
            return 1
        left = filtered.mask
    live = _Live(opened.nodes, options.state, left)
    target = None
    if options.why is not None:
        from fluxtui.answers.explain.target import find

        named = find(options.why, resources)
        report(named.problems, options.why)
        if not named.ok:
            return 1
        target = named.value
    more = _more(options, target, resources)
    if options.expression == "-":
        return answer_lines(lambda line: _answer(line, resources, more, live))
    if options.output == "explain":
        return _explained(options, resources, target)
    return _one(options, resources, more, live)


def _options(arguments: list[str]) -> argparse.Namespace:
    """Parse and check the command line; exit 2 on wrong usage."""
    declared = parser()
    options = parse_expression(declared, _joined(arguments), "ro")
    many = options.expression == "-"
    if options.resources is None:
        declared.error("no R document to match with; give one with -r FILE, or try -r demo")
    if many and options.resources == "-":
        declared.error("standard input cannot hold both the R document and the expressions")
    if many and options.output not in {None, "json"}:
        declared.error("'-' answers in JSON Lines and takes no other output")
    if options.output == "explain":
        options.explain = True
    elif options.explain or options.why is not None or options.shortest:
        if options.output not in {None, "json"}:
            declared.error(f"-o {options.output} leaves no room to explain; try -o json")
        options.output = options.output or "explain"
    if options.filter is not None and options.output == "explain":
        declared.error("--filter chooses nodes, and what is explained is of all of them")
    options.output = options.output or "ranks"
    for option, output in (("no_graph", "R"), ("matrix", "csv")):
        if getattr(options, option) and options.output != output:
            declared.error(f"--{option.replace('_', '-')} goes with -o {output}")
    return options


def _joined(arguments: list[str]) -> list[str]:
    """Rewrite ``--why n1`` to ``--why=n1``, so that its value is not taken for the expression."""
    found: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            return [*found, word, *rest]
        value = next(rest, None) if word in ("--why", "--filter") else None
        found.append(word if value is None else f"{word}={value}")
    return found


def _read(expression: str) -> Requires | None:
    """Read an expression; print its problems and return None if it is wrong."""
    reading = requires.read(expression)
    if reading.constraint is None:
        problems = parse_query(expression).problems if reading.blank else reading.problems
        report_typed(problems, expression, "query")
        return None
    return reading


def _one(options: argparse.Namespace, resources: Resources, more: "_More", live: "_Live") -> int:
    """Answer one expression from the command line; return the exit code."""
    expression, output = options.expression, options.output
    reading = _read(expression)
    if reading is None or reading.constraint is None:
        return 1
    report(reading.problems, expression)
    mask = live.within(matching.match(reading.constraint, resources))
    report(reading.located(names.hints(reading.constraint, resources)), expression)
    if output == "json":
        print_json(_found(mask, resources) | live.counts(mask) | more(reading))
    elif output in {"R", "csv"}:
        from fluxtui.cli import match_outputs

        parts = {"matrix": options.matrix, "with_graph": not options.no_graph}
        match_outputs.write(output, mask, resources, **parts)
    elif mask:
        print_text(str(resources.ranks_of(mask)) if output == "ranks" else resources.hosts_of(mask))
    else:
        remark(live.none())
    return 0 if mask else 1


def _explained(options: argparse.Namespace, resources: Resources, target: "Target | None") -> int:
    """Explain one expression, why nodes are in or out, and a short expression for the matches."""
    from fluxtui.answers.explain import explanation
    from fluxtui.cli import match_words

    reading = _read(options.expression)
    found = explanation.explain(reading, resources) if reading is not None else None
    if found is None:
        return 1
    blocks = [match_words.explained(found)] if options.explain else []
    blocks += match_words.reasons(found, target) if target is not None else []
    if options.shortest and found.count:
        from fluxtui.cli import match_shortest

        blocks.append(match_shortest.text(found.mask, resources))
    if blocks:
        print_text("\n\n".join(blocks))
    else:
        remark("no rank matches")
    return 0 if found.count else 1


class _Live(NamedTuple):
    """The states of nodes on a running instance, the required state, and the mask of the filter."""

    nodes: "NodeStates | None"
    state: str | None
    left: int | None

    def within(self, mask: int) -> int:
        """The nodes of a mask that are in the required state and pass the filter."""
        mask &= mask if self.left is None else self.left
        return (
            mask if self.state is None or self.nodes is None else mask & self.nodes.mask(self.state)
        )

    def counts(self, mask: int) -> dict[str, Any]:
        """How many nodes of a mask are up and free now; empty for an R document."""
        if self.nodes is None:
            return {}
        found = self.nodes.counts(mask)
        return {"up": found.up, "free": found.free}

    def none(self) -> str:
        """The remark that no node matches."""
        if self.state is not None:
            return f"no rank that matches is {self.state}"
        return "no rank matches" if self.left is None else "no rank that matches fits the filter"


def _found(mask: int, resources: Resources) -> dict[str, Any]:
    return {
        "ranks": str(resources.ranks_of(mask)),
        "hosts": resources.hosts_of(mask),
        "count": mask.bit_count(),
    }


#: Makes the parts of an answer that explain it.
_More = Callable[[Requires], dict[str, Any]]


def _more(options: argparse.Namespace, target: "Target | None", resources: Resources) -> _More:
    """The function for the explanations that the options request, besides the matching nodes."""
    if not options.explain and not options.shortest and target is None:
        return lambda reading: {}
    from fluxtui.cli import match_json

    def more(reading: Requires) -> dict[str, Any]:
        found = match_json.answer(reading, resources, target, explain_it=options.explain)
        if options.shortest:
            from fluxtui.cli import match_shortest

            assert reading.constraint is not None
            mask = matching.match(reading.constraint, resources)
            found["shortest"] = match_shortest.answer(mask, resources)
        return found

    return more


def _answer(line: str, resources: Resources, more: _More, live: _Live) -> dict[str, Any]:
    """The answer to one line of JSON Lines."""
    text, problems = _query_of(line)
    if problems:
        return refusal(problems)
    reading = requires.read(text)
    if reading.constraint is None:
        return refusal(parse_query(text).problems if reading.blank else reading.problems)
    mask = live.within(matching.match(reading.constraint, resources))
    return _found(mask, resources) | live.counts(mask) | more(reading)


def _query_of(line: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the query in ``{"query": "..."}``, or its problems; any other line unchanged.

    This is unambiguous, because no constraint has an operator of that name.
    """
    if line.lstrip().startswith("{") and '"query"' in line:
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            return line, ()
        if "query" in document:
            return text_in(line, document, "query")
    return line, ()
