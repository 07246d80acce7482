"""``fluxtui compare``: what differs between two clusters, or what a configuration would change."""

import argparse
from typing import TYPE_CHECKING

from fluxtui.answers import compare
from fluxtui.answers.compare import Changes, StateChange
from fluxtui.cli.clusters import Opened, open_named
from fluxtui.cli.options import Parser, add_resources
from fluxtui.cli.output import print_json, print_text, report
from fluxtui.notation.problem import Problem, Severity

if TYPE_CHECKING:
    from fluxtui.workbench import Cluster
    from fluxtui.workbench.rehearsal import Rehearsal

_DESCRIPTION = """\
Show what differs between the clusters of two R documents, from A to B: nodes that
were added, removed, or have another rank, other cores or gpus or another topology
(RFC 49), and properties that nodes gained or lost. For two snapshots, or moments
of a record, also the nodes that changed state. If both have a configuration, also
what would happen to queues, pending jobs and settings if Flux loaded that of B."""

_EPILOG = """\
examples:
  fluxtui compare yesterday.json today.json
  flux resource R | fluxtui compare R.json -
  fluxtui compare -o json A.json B.json | jq .added.hosts
  fluxtui compare --by rank A.json B.json
  fluxtui compare live conf.d           what the edited configuration would change
  fluxtui compare -r site.json conf.d   the same, on a snapshot
  fluxtui compare day@09:17 day         what has changed since then in a record
  fluxtui compare -r R.json /etc/flux/system/conf.d conf.d

Nodes are paired by host name; if nodes have no names, or share them, by rank, and
the answer says so. --by chooses one of the two. A line that begins with + is
about nodes only in B, with - about nodes only in A, and with ~ about nodes in
both. Long lists are cut; -o json has all of them. Times, slots and graphs are not
compared, nor are running jobs and the reasons why nodes are drained.

A configuration without nodes of its own is taken to be for the nodes of A, or of
-r, and is compared with the configuration of A; an R document has none. It is
read as Flux reads it, a file or a whole directory, and replaces the other one as
a whole. The answer lists what Flux would refuse in it; the nodes that join or
leave each queue, or are in none; limits and defaults; pending jobs that would be
worse or better off; and for each setting, whether 'flux config reload' is enough
(as of flux-core 0.88). For jobs whose jobspec the user may not see, the job list
is used. In JSON, all this is under "configuration"."""

_EXITS = {
    0: "nothing differs",
    1: "something does",
    2: "wrong usage, or one of the documents cannot be read, or Flux would refuse the "
    "configuration",
}
_ANSWERS = {"-o json": "compare"}

#: The exit code for trouble, as of diff.
TROUBLE = 2


def run(arguments: list[str]) -> int:
    """Compare two documents, and return the exit code."""
    options = _options(arguments)
    found = _open_both(options)
    if found is None:
        return TROUBLE
    before, after = found
    if not _is_comparable(options, before, after):
        return TROUBLE
    changes = compare.changes(before.resources, after.resources, options.by)
    assert changes is not None  # only a stopped comparison is None
    if options.by == "host" and changes.by != "host":
        report([Problem(f"nodes cannot be matched by host: {changes.why_ranks}; try --by rank")])
        return TROUBLE
    states = None
    if before.nodes is not None and after.nodes is not None:
        states = compare.state_changes(changes, before.nodes, after.nodes)
    return _answer(options, changes, states, _rehearsed(options, changes, before, after))


def _answer(
    options: argparse.Namespace,
    changes: Changes,
    states: list[StateChange] | None,
    found: "Rehearsal | None",
) -> int:
    rows, rehearsed = list(compare.rows(changes, states or ())), None
    if found is not None:
        from fluxtui.workbench import rehearsal

        rows += rehearsal.rows(found, changes)
        rehearsed = rehearsal.to_json(found, changes)
    if options.output == "json":
        print_json(compare.to_json(changes, rows, rehearsed, states))
    else:
        names = (options.before, options.after)
        shown = ("standard input" if name == "-" else name for name in names)
        print_text("\n".join(compare.report(changes, rows, *shown)))
    refused = found is not None and bool(found.refused)
    return TROUBLE if refused else 1 if rows else 0


def _open_both(options: argparse.Namespace) -> tuple[Opened, Opened] | None:
    """Open A and B; a configuration without nodes is applied to those of -r, or of A for B."""
    base, before = None, None
    if options.resources is not None:
        base = open_named(options.resources, configured=True)
        if base is None:
            return None
    if options.before == options.resources:
        before = base
    before = before or open_named(options.before, _cluster(base), configured=True)
    if before is None:
        return None
    after = open_named(options.after, _cluster(before), configured=True)
    return None if after is None else (before, after)


def _is_comparable(options: argparse.Namespace, before: Opened, after: Opened) -> bool:
    """Whether A and B can be compared; print a problem if only B has a configuration."""
    config = after.cluster.config if after.cluster is not None else None
    if config is None or (before.cluster is not None and before.cluster.config is not None):
        return True
    has_nodes = after.resources.hosts is not before.resources.hosts  # of its own
    names = ("standard input" if n == "-" else f"'{n}'" for n in (options.before, options.after))
    a, b = names
    message = f"{a} has no configuration with which {b} could be compared"
    expected = ("a snapshot", "live", "-r R and two configurations")
    severity: Severity = "warning" if has_nodes else "error"
    report([Problem(message, expected=() if has_nodes else expected, severity=severity)])
    return has_nodes


def _cluster(base: Opened | None) -> "Cluster | None":
    """The cluster whose nodes a configuration without its own nodes is applied to."""
    if base is None or base.cluster is not None:
        return base.cluster if base is not None else None
    from fluxtui.workbench import Cluster, Source

    return Cluster.of(Source(""), base.resources)


def _rehearsed(
    options: argparse.Namespace, changes: Changes, before: Opened, after: Opened
) -> "Rehearsal | None":
    """The effects of B's configuration on A; None if A or B has no configuration."""
    old, new = before.cluster, after.cluster
    if old is None or new is None:
        return None
    from fluxtui.bridge import files
    from fluxtui.workbench.rehearsal import rehearse

    jobspecs = None
    if old.snapshot is not None and files.is_live(options.before):
        from fluxtui.opening.live import pending_jobspecs

        jobspecs = pending_jobspecs(options.before, old.snapshot)
    return rehearse(changes, old, new, jobspecs)


def parser() -> Parser:
    """The parser of the verb."""
    usage = "fluxtui compare [options] [A] B"
    declared = Parser("fluxtui compare", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, usage)
    add = declared.add_argument
    document = (
        "an R document, a configuration, a snapshot, or 'live'; '-' is standard input, 'demo' the "
        "cluster that ships inside; A is what -r names where it is left out"
    )
    add("documents", metavar="A B", nargs="+", help=document)
    add("-o", "--output", choices=("text", "json"), default="text", help="output format (text)")
    add("--by", choices=("rank", "host"), help="how nodes are paired (host)")
    add_resources(declared)
    return declared


def _options(arguments: list[str]) -> argparse.Namespace:
    """Parse and check the command line; exit 2 on wrong usage."""
    declared = parser()
    options = declared.parse_args(arguments)
    names = [*options.documents]
    if len(names) == 1 and options.resources is not None:
        names.insert(0, options.resources)
    if len(names) != 2:
        declared.error("give two documents, A and B, or one and -r R, which is then A")
    options.before, options.after = names
    if names[0] == names[1] == "-":
        declared.error("standard input cannot hold both documents")
    return options
