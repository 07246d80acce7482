"""The screen as plain text, pane by pane, for screen readers.

Each function yields what its pane shows of a state as sentences. Counts, verdicts and problems come
from the same functions as those of the pane.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.model.constraint.tree import to_json
from fluxtui.notation.json_text import dump
from fluxtui.notation.problem import (
    Problem,
    counted,
    is_digits,
    listed,
    plural,
    printable,
    shortened,
)
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import IdSet, to_mask
from fluxtui.ui.constraint.explain_lines import Parts, Question, sentences
from fluxtui.ui.constraint.explanations import MOST as MOST_CHANGES
from fluxtui.ui.constraint.explanations import Advice, advise, in_order, within
from fluxtui.ui.constraint.properties import STANDINGS
from fluxtui.ui.job import fixes as found_fixes
from fluxtui.ui.job.fit import fit_lines
from fluxtui.ui.job.queues import details, queue_words, queues_of
from fluxtui.ui.job.text import PROGRAMS, command_lines, renderings
from fluxtui.ui.job.tree import faults_of, places_of, vertex_rows
from fluxtui.ui.job.verdicts import verdict_line
from fluxtui.ui.kit.linear import in_words
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.prompt import trouble_words
from fluxtui.ui.kit.text import property_name
from fluxtui.ui.layout import ZONES, Tab
from fluxtui.ui.live.jobs import COLUMNS, Now
from fluxtui.ui.nodes.highlights import highlights_of
from fluxtui.ui.nodes.node import document_lines, kinds_of_problems, node_lines
from fluxtui.workbench import Fix, State, field_context, field_text, job_text

if TYPE_CHECKING:
    from fluxtui.answers.containment.items import Item
    from fluxtui.answers.containment.tree import Containment
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.ui.job.tree import Row

#: Yields the lines of a pane for a state.
Reading = Callable[[State], Iterator[str]]

PLAIN = Palette()
WIDE = 1_000_000  # columns, so that no line is wrapped or cut
RANGES = 60  # how many ranges of hosts or ranks are named
MOST = 200  # the most lines of a pane that lists things
DEPTH = 2  # how many levels of the graph are listed
QUEUES = 20  # how many queues have all their details listed


def _words(lines: Iterable[Text | str]) -> Iterator[str]:
    return filter(None, map(in_words, lines))


def problem_sentence(problem: Problem, text: str) -> str:
    """Return a problem of a text with its place: ``error at character 5, '&': nothing ...``."""
    where = ""
    if problem.span is not None:
        start, end = problem.span
        piece = shortened(text[start:end])
        where = f" at character {start + 1}, '{piece}'" if piece else " at the end"
    path = f" in {printable(problem.path)}" if problem.path else ""
    expected = listed([printable(name) for name in problem.expected], "or")
    more = f"; expected {expected}" if expected else ""
    return f"{problem.severity}{where}{path}: {printable(problem.message)}{more}"


# The lines above the panes


def head(state: State) -> Iterator[str]:
    """Yield the document, both inputs with their problems, and the verdicts."""
    cluster, ask, build = state.cluster, state.ask, state.build
    facts = cluster.resources.whole.words() if cluster.resources.node_count else ["no nodes"]
    yield f"{printable(cluster.source.name)}: {', '.join(facts)}"
    if state.outlook.queue:
        yield f"Queue: {printable(state.outlook.queue)}"
    yield f"Shape: {printable(build.text) or 'empty'}"
    if not build.blank:
        yield from (problem_sentence(problem, build.text) for problem in build.syntax)
    yield f"Requires: {printable(ask.text) or 'empty, which matches all nodes'}"
    if not ask.blank:
        yield from (problem_sentence(problem, ask.text) for problem in in_order(ask.problems))
    if ask.stale:
        nodes = "; the nodes are those of the previous one" if ask.constraint is not None else ""
        yield f"The constraint cannot be read{nodes}."
    yield next(map_lines(state))
    words = in_words(verdict_line(state, fixes(state), WIDE, PLAIN))
    yield f"Verdicts: {words or 'none yet'}"


def fixes(state: State) -> tuple[Fix, ...]:
    """Return the fixes for what is wrong, the best first."""
    advice = _advice(state)
    repaired = tuple(found_fixes.repairs(state))
    return found_fixes.in_order(state, repaired, advice.changes if advice is not None else ())


def _explanation(state: State) -> "Explanation | None":
    from fluxtui.answers.explain.explanation import explain

    ask = state.ask
    return None if ask.stale else explain(ask.requires, state.cluster.resources, ask.counted)


def _advice(state: State) -> Advice | None:
    explanation = _explanation(state)
    return advise(explanation, within(state)) if explanation is not None else None


# The job


def tree_lines(state: State) -> Iterator[str]:
    """Yield the vertices of the shape, each with its level, its placement, and its problem."""
    if state.build.stale:
        yield "The tree is that of the last shape that could be read."
    faults, places = faults_of(state), places_of(state)

    def below(rows: "Sequence[Row]", level: int) -> Iterator[str]:
        for row in rows:
            words = in_words("".join(text for text, _ in row.parts).replace("✗", ""))
            fault = faults.get(row.path)
            wrong = f"; wrong: {printable(fault.message)}" if fault is not None else ""
            yield f"level {level}: {words}{wrong}"
            yield from below(row.inside, level + 1)

    rows = vertex_rows(state.build.resources, faults, places)
    yield from below(rows, 1) if rows else ["There is no shape yet."]


def form_lines(state: State) -> Iterator[str]:
    """Yield the fields of the job: the text of each, its meaning, and its problems."""
    from fluxtui.model.form import fields

    context = field_context(state, state.jobspec())
    for field in fields.FIELDS:
        text = field_text(state, field.name)
        words = field.describe(field.get(context.document), context)
        unread = state.job.unread.get(field.name)
        problems = unread or fields.problems(field, text, context.document, context)
        shown = "; ".join(map(printable, text.splitlines())) or "not set"
        kept = "kept: " if unread else ""
        yield f"{field.label}: {shown}" + (f" ({kept}{in_words(words)})" if words else "")
        yield from (problem_sentence(problem, text) for problem in problems)


def text_lines(state: State) -> Iterator[str]:
    """Yield the job as YAML; the text as typed if it cannot be read."""
    raw = state.job.raw
    if raw is not None:
        yield trouble_words(raw.errors, raw.text)
    if state.empty and raw is None:
        yield "There is no job yet."
        return
    yield from map(printable, job_text(state, raw.form if raw is not None else "yaml").splitlines())


def commands_lines(state: State) -> Iterator[str]:
    """Yield the job as command lines of each program."""
    if state.empty:
        yield "There is no job yet."
        return
    for program in PROGRAMS:
        for line in command_lines(renderings(state, program), WIDE, PLAIN):
            text = line.plain.strip()
            is_line = line.plain.startswith("  ") and not text.startswith("·")
            yield from [printable(text)] if is_line else _words([line])


def jobs_lines(state: State) -> Iterator[str]:
    """Yield the jobs of a running Flux, each with the values of its columns."""
    from fluxtui.answers.listing import jobs

    snapshot = state.cluster.snapshot
    if snapshot is None or snapshot.jobs is None:
        yield "No running Flux is open, so there are no jobs to list."
        return
    found, now = (
        jobs.listed(snapshot, jobs.Wanted(everybody=True)),
        Now(snapshot.taken, snapshot.resources),
    )
    waiting = len(found.jobs) - found.runs
    yield f"{counted(found.count, 'job')}: {found.runs:,} run, {waiting:,} wait"
    for job in found.jobs[:MOST]:
        values = ((name, column.text(job, now)) for name, column in COLUMNS.items())
        yield ", ".join(f"{name} {printable(text)}" for name, text in values if text)
    yield from _rest(len(found.jobs), "job")


def _rest(count: int, noun: str) -> Iterator[str]:
    if count > MOST:
        yield f"and {counted(count - MOST, f'more {noun}')}"


# The cluster


def map_lines(state: State) -> Iterator[str]:
    """Yield each highlight of the map: ``18 of 196 nodes match: dunegpu[01-12,17-22]``."""
    resources, found = state.cluster.resources, highlights_of(state)
    if not resources.node_count:
        yield "There are no nodes."
        return
    ask, seen = state.ask, 0
    lines: list[str] = []
    if state.looked_at is not None:
        lines.append(f"The map shows queue {printable(state.looked_at)}.")
    if ask.constraint is not None:
        count = ask.mask.bit_count()
        lines.append(_nodes(state, ask.mask, plural("matches", count, "match")))
    for light in (*found.lights, found.dark._replace(mask=resources.everything)):
        mask = less(light.mask, seen)
        seen |= light.mask
        is_listed = light.words in ("match", "last match")  # the first line has all matches
        if mask and light.words and not is_listed:
            lines.append(_nodes(state, mask, _verb(light.words, mask.bit_count())))
    everything = resources.everything, f"{_be(resources.node_count)} in the cluster"
    yield from lines or [_nodes(state, *everything)]


def _verb(words: str, count: int) -> str:
    """Return the verb phrase for some nodes, from the words of a legend."""
    number, _, rest = words.partition(" ")
    words = rest if is_digits(number.replace(",", "")) else words
    match, be = plural("matches", count, "match"), _be(count)
    verbs = {"match": match, "no match": f"{plural('does', count, 'do')} not match"}
    verbs |= {"others": f"{be} others", "neither": f"{be} neither", "both": f"{be} in both"}
    if words.startswith("match, "):
        return f"{match}, but {be} {words.removeprefix('match, ')}"
    return verbs.get(words, f"{be} {words}")


def _be(count: int) -> str:
    return plural("is", count, "are")


def _nodes(state: State, mask: int, verb: str) -> str:
    resources = state.cluster.resources
    hosts = printable(resources.hosts_of(mask, limit=RANGES))
    ranks = f"{plural('rank', mask.bit_count())} {resources.ranks_text(mask, limit=RANGES)}"
    names = hosts or (ranks if mask else "")
    whole = counted(resources.node_count, "node")
    sentence = f"{mask.bit_count():,} of {whole} {verb}{': ' if names else ''}{names}"
    return sentence.replace(",…", ", and more")


def table_lines(state: State) -> Iterator[str]:
    """Yield each group of equal nodes, with what they have and how many of them match."""
    from fluxtui.answers.containment.items import Tally
    from fluxtui.answers.listing.lister import fold

    cluster, resources = state.cluster, state.cluster.resources
    states = cluster.snapshot.nodes.by_state if cluster.snapshot is not None else {}
    classes: dict[int, list[int]] = {}
    for index, number in enumerate(fold(resources, states=states.values()).classes):
        classes.setdefault(number, []).append(index)
    if not classes:
        yield "There are no nodes."
    for members in islice(classes.values(), MOST):
        bits = to_mask(IdSet.of(members))
        node = resources.node(members[0])
        has = [counted(len(node.cores), "core")]
        has += [counted(len(node.gpus), "gpu")] if node.gpus else []
        inside = resources.inside_at(members[0])
        has += [Tally(*each).words for each in inside.counts.items()]
        has += [f"{inside.all_memory:,} GiB of memory"] if inside.all_memory else []
        has += [name for name, nodes in states.items() if nodes & bits]
        has += [property_name(name) for name in node.properties] or ["no properties"]
        alike = "" if len(members) == 1 else " alike"
        hosts = printable(resources.hosts_of(bits, limit=RANGES)) or resources.ranks_text(bits)
        line = f"{counted(len(members), 'node')}{alike}, {hosts}: {', '.join(has)}"
        if state.ask.constraint is not None:
            line += f"; {(bits & state.ask.mask).bit_count():,} of them match"
        yield line.replace(",…", ", and more")
    yield from _rest(len(classes), "kind")


def graph_lines(state: State) -> Iterator[str]:
    """Yield the resource graph from the top, each vertex with counts of what is below it."""
    from fluxtui.answers.containment.tree import containment_of
    from fluxtui.model.cancellation import never_stop

    cluster = state.cluster
    tree = containment_of(cluster.graph, cluster.resources, cluster.stretches)
    tree.take(tree.work_out(never_stop))
    lines = list(islice(_below(tree, None, 1), MOST + 1))
    yield from lines[:MOST] or ["There is no graph."]
    if len(lines) > MOST:
        yield "and more"


def _below(tree: "Containment", item: "Item | None", level: int) -> Iterator[str]:
    from fluxtui.answers.containment.items import Bond, Fold
    from fluxtui.answers.containment.tree import items_below

    items = items_below(tree, item)
    for each in map(items.__getitem__, range(len(items))):
        if isinstance(each, Bond):
            continue  # the vertex that it links to has a line of its own
        vertex = tree.vertex(each.first if isinstance(each, Fold) else each)
        if isinstance(each, Fold):
            yield f"level {level}: {each.count:,} {printable(vertex.type)} alike"
            continue
        facts = [printable(vertex.name)] if vertex.name else []
        facts += [f"rank {vertex.rank}"] if vertex.rank >= 0 else []
        facts += ["down"] if vertex.is_down else []
        facts += map(printable, vertex.properties)
        facts += [tally.words for tally in tree.tallies(each)]
        yield f"level {level}: {', '.join((printable(vertex.type), *facts))}"
        if level < DEPTH:
            yield from _below(tree, each, level + 1)


# The details


def node_words(state: State) -> Iterator[str]:
    """Yield the node under the cursor, then the document."""
    yield from _words(kinds_of_problems(state.cluster.resources.problems, PLAIN))
    if state.cursor is not None:
        yield from _words(node_lines(state, state.cursor, _explanation(state), PLAIN))
    yield from _words(document_lines(state, PLAIN))


def explain_lines(state: State) -> Iterator[str]:
    """Yield the reading of the constraint, what each part matches and leaves, and the findings."""
    explanation, ask = _explanation(state), state.ask
    advice = _advice(state)
    choices = [fix.words for fix in fixes(state)][:MOST_CHANGES] if explanation else []
    question = Question(state, Parts(explanation), state.cursor, advice, choices)
    above, below = sentences(question)
    yield from _words(f"{sign} {words}" for sign, words, *_ in above)
    for line in islice(question.parts.rows, MOST):
        part = line.part
        counts = f"matches {part.alone:,}, {part.left:,} {plural('remains', part.left, 'remain')}"
        note = f", {line.note}" if line.note else ""
        level = len(line.guide) // 2 + 1
        yield f"level {level}: {printable(line.words)}: {counts}{note}"
    yield from _rest(len(question.parts.rows), "part")
    yield from _words(f"{sign} {words}" for sign, words, *_ in below)
    if ask.constraint is not None and not ask.stale:
        yield f"As an RFC 31 object: {printable(dump(to_json(ask.constraint)))}"


def properties_lines(state: State) -> Iterator[str]:
    """Yield the properties, each with how many nodes have it and match, and whether it is asked."""
    from fluxtui.answers.explain.properties import standings

    ask, properties = state.ask, state.cluster.resources.properties
    standing_of = standings(ask.constraint) if ask.constraint is not None else {}
    for name, mask in islice(properties.items(), MOST):
        parts = [counted(mask.bit_count(), "node")]
        count = (mask & ask.mask).bit_count()
        if ask.constraint is not None:
            parts.append(f"{count:,} {plural('matches', count, 'match')}")
        parts += filter(None, [STANDINGS[standing_of.get(name)][1]])
        yield f"{property_name(name)}: {', '.join(parts)}"
    yield from _rest(len(properties), "property")
    if not properties:
        yield "This cluster has no properties."


def queues_lines(state: State) -> Iterator[str]:
    """Yield the queues, each with its verdict on the job, its nodes, requirements and limits."""
    config = state.cluster.config
    queues = queues_of(config)
    if config is None or not queues:
        yield "No queue is configured."
        return
    for number, queue in enumerate(queues[:MOST]):
        yield queue_words(state, config, queue)
        if number < QUEUES:
            yield from _words(details(state, config, queue, PLAIN)[1:])
    yield from _rest(len(queues), "queue")


def fit_words(state: State) -> Iterator[str]:
    """Yield whether the job fits, where it would run, what is missing, and the fixes."""
    yield from _words(fit_lines(state, fixes(state), PLAIN, in_full=True))


# The whole screen


#: The function for each pane, by the name of the pane.
PANES: Mapping[str, Reading] = {
    "tree": tree_lines,
    "form": form_lines,
    "text": text_lines,
    "commands": commands_lines,
    "jobs": jobs_lines,
    "map": map_lines,
    "table": table_lines,
    "graph": graph_lines,
    "node": node_words,
    "explain": explain_lines,
    "properties": properties_lines,
    "queues": queues_lines,
    "fit": fit_words,
}


def screen(state: State, tabs: Iterable[Tab]) -> Iterator[str]:
    """Yield the whole screen: the lines above the panes, then each pane after a blank line."""
    yield from head(state)
    for tab in tabs:
        yield ""
        yield from pane(state, tab)


def pane(state: State, tab: Tab) -> Iterator[str]:
    """Yield a pane, preceded by its zone and its title."""
    zone = next(words for words, _, groups in ZONES.values() if tab.group in groups)
    yield f"{zone}, {tab.title}:"
    read = PANES.get(tab.name)
    yield from read(state) if read is not None else ["There is no plain text of this pane."]
