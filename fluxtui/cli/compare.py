"""``fluxtui compare``: what differs between the clusters of two R documents."""

import argparse

from fluxtui.answers import compare
from fluxtui.cli.clusters import resources_of
from fluxtui.cli.options import Parser
from fluxtui.cli.output import print_json, print_text, report
from fluxtui.notation.problem import Problem

_DESCRIPTION = """\
Show what differs between the clusters of two R documents, from A to B: nodes that
came, went, or have another rank, other cores or gpus, and properties that nodes
gained or lost."""

_EPILOG = """\
examples:
  fluxtui compare yesterday.json today.json
  flux resource R | fluxtui compare R.json -
  fluxtui compare -o json A.json B.json | jq .added.hosts
  fluxtui compare --by rank A.json B.json

A node is the same one in both if it has the same host name; where nodes have no
names, or share them, if it has the same rank, and the answer says so. --by
chooses one of the two. A line that begins with + is about nodes only in B, one
with - about nodes only in A, one with ~ about nodes in both. Long lists are cut
there; -o json has them whole. Times, slots and graphs are not compared.

exit codes: 0 the nodes are the same, 1 they differ, 2 wrong usage, or one of the
documents cannot be read"""

#: What a script takes for trouble, as it does of diff.
TROUBLE = 2


def run(arguments: list[str]) -> int:
    """Compare two documents; returns the exit code."""
    options = _options(arguments)
    names = (options.before, options.after)
    before, after = (resources_of(name) for name in names)
    if before is None or after is None:
        return TROUBLE
    found = compare.changes(before, after, options.by)
    assert found is not None  # nothing stops it
    if options.by == "host" and found.by != "host":
        report([Problem(f"nodes cannot be matched by host: {found.why_ranks}; try --by rank")])
        return TROUBLE
    if options.output == "json":
        print_json(compare.to_json(found))
    else:
        rows = list(compare.rows(found))
        shown = ("standard input" if name == "-" else name for name in names)
        told = compare.report(found, rows, *shown)
        print_text("\n".join(told))
    return 0 if found.is_same else 1


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = Parser("fluxtui compare", _DESCRIPTION, _EPILOG, "fluxtui compare [options] A B")
    add = parser.add_argument
    document = (
        "an R document, or a configuration that lists nodes; '-' is standard input, 'demo' the "
        "cluster that ships inside"
    )
    add("before", metavar="A", help=document)
    add("after", metavar="B", help="the document that is compared with it")
    add("-o", "--output", choices=("text", "json"), default="text", help="how to answer (text)")
    add("--by", choices=("rank", "host"), help="what tells that two nodes are the same (host)")
    options = parser.parse_args(arguments)
    if options.before == options.after == "-":
        parser.error("standard input cannot hold both documents")
    return options
