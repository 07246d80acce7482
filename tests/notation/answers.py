"""What the small notations answer, recorded whole: ``answers.txt``.

A line asks with a kind and the JSON of its arguments, what is answered is indented below it. The
problems of a text have the characters that they are about.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fluxtui.notation import (
    count,
    dependency,
    duration,
    environment,
    json_text,
    settings,
    shellwords,
)
from fluxtui.notation.problem import Completion, Problem, Span, counted, listed
from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import host_index, hostlist, idset
from fluxtui.notation.shape import edit as edits
from fluxtui.notation.shape.completion import Known
from fluxtui.notation.shape.completion import completions as shape_completions
from fluxtui.notation.shape.format import format_shape, revise
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Item, Vertex, from_resources, path_of, to_resources, walk
from tests.messages import MINE

FILE = Path(__file__).parent / "answers.txt"

RANKS = idset.parse("0-3,7,10-12,100").value
HOSTS = host_index.HostIndex(hostlist.parse("n[0-299],gpu7,gpu7").value)
INDEX = host_index.HostIndex(hostlist.parse("n[0-11],login").value)
PROPERTIES = {"gpu": 48, "amd@gpu": 1, "batch": 1180, "not": 2, "a:b": 3}
INSIDE = Known(domains={"numa": "8 on each node"})
SETTINGS = {
    "verbose": settings.Known("how much is told", (("1", "some"), ("2", "more"))),
    "pty.interactive": settings.Known("a terminal"),
    "pty.ranks": settings.Known("of these"),
}

COMPLETIONS: dict[str, Callable[[str, int], list[Completion]]] = {
    "count": count.completions,
    "duration": duration.completions,
    "hostlist": lambda text, cursor: host_index.completions(text, cursor, HOSTS),
    "idset": lambda text, cursor: idset.completions(text, cursor, RANKS),
    "query": lambda text, cursor: query_completions(text, cursor, PROPERTIES, HOSTS, RANKS),
    "query of an index": lambda text, cursor: query_completions(text, cursor, {}, INDEX, RANKS),
    "settings": lambda text, cursor: settings.completions(text, cursor, SETTINGS),
    "shape": shape_completions,
    "shape of a cluster": lambda text, cursor: shape_completions(text, cursor, INSIDE),
}


def _problems(problems: Iterable[Problem], text: str = "") -> Iterator[str]:
    for problem in problems:
        where = f"{problem.path}: " if problem.path else ""
        if problem.span is not None:
            start, end = problem.span
            where = f"{json.dumps(text[start:end])} at {start}: "
        expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
        warning = "warning: " if problem.severity == "warning" else ""
        yield f"{warning}{where}{problem.message}{expected}"


def _shown(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)


def _count(text: str) -> Iterator[str]:
    found, problems = count.parse(text)
    if found is not None:
        yield f"{count.format(found)}: {count.describe(found)}; {json.dumps(count.to_json(found))}"
    yield from _problems(problems, text)


def _count_of_json(value: Any) -> Iterator[str]:
    found, problems = count.from_json(value)
    yield "none" if found is None else count.format(found)
    yield from _problems(problems)


def _idset(text: str) -> Iterator[str]:
    found, problems = idset.parse(text)
    yield str(found)
    yield from _problems(problems, text)


def _hostlist(text: str) -> Iterator[str]:
    found, problems = hostlist.parse(text)
    yield f"{found}: {found.count}"
    yield from _problems(problems, text)


def _duration(text: str) -> Iterator[str]:
    found, problems = duration.parse(text)
    if found is not None:
        yield f"{found!r} seconds, {duration.format(found)}: {duration.describe(found)}"
    yield from _problems(problems, text)


def _written(format: Callable[[Any], str], value: Any) -> Iterator[str]:
    try:
        yield format(value)
    except ValueError as error:
        yield f"not expressed: {error}"


def _dependency(text: str) -> Iterator[str]:
    found, problems = dependency.parse(text)
    if found is not None:
        yield f"{json.dumps(found, ensure_ascii=False)}: {dependency.describe(found)}"
    yield from _problems(problems, text)


def _environment(text: str) -> Iterator[str]:
    found = environment.parse(text, MINE)
    yield json.dumps(found.variables)
    yield from _problems(found.problems, text)


def _words(text: str) -> Iterator[str]:
    found, problems = shellwords.split(text)
    yield json.dumps([word.text for word in found])
    yield from _problems(problems, text)


def _words_of(words: list[str]) -> Iterator[str]:
    line = shellwords.join(words)
    yield line
    assert [word.text for word in shellwords.split(line).value] == words


def _settings(text: str) -> Iterator[str]:
    found = settings.parse(text)
    yield json.dumps(found.value)
    for entry in found.entries:
        yield f"{list(entry.path)}: {_shown(text[slice(*entry.span)])}"
    yield from _problems(found.problems, text)


def _json(text: str) -> Iterator[str]:
    found = json_text.parse(text)
    yield json.dumps(found.value)
    yield from _problems(found.problems, text)


def _shape(text: str) -> Iterator[str]:
    read = parse_shape(text)
    yield _shown(format_shape(read))
    written = [to_resources(read), to_resources(read, counts="string")]
    yield from [json.dumps(one) for one in (written if written[0] != written[1] else written[:1])]
    yield from _problems(read.problems, text)


def _of_resources(resources: Any, label: str | None = "default") -> Iterator[str]:
    found, problems = from_resources(resources, label)
    yield _shown(format_shape(found))
    yield from _problems(problems)


def _query(text: str) -> Iterator[str]:
    read = parse_query(text)
    if read.tree is not None:
        if read.ok:
            yield format_query(read.tree)
        yield json.dumps(to_constraint(read.tree))
    yield from _problems(read.problems, text)


def _tokens(kind: str, text: str) -> Iterator[str]:
    read = {"shape": parse_shape, "query": parse_query, "json": json_text.parse}[kind](text)
    yield " ".join(f"{token.kind} {text[slice(*token.span)]}" for token in read.tokens)


def _parts(text: str) -> Iterator[str]:
    """Where the parts of a shape are."""
    for vertex in walk(parse_shape(text).vertices):
        spans = [vertex.span, vertex.type_span, vertex.count_span, vertex.label_span]
        for item in vertex.keys:
            spans += [item.span, item.key_span, item.value_span]
        yield ", ".join("none" if span is None else text[slice(*span)] for span in spans)


def _places(kind: str, text: str) -> Iterator[str]:
    places: json_text.Places = {}
    if kind == "json":
        places = json_text.parse(text).places
    elif tree := parse_query(text).tree:
        to_constraint(tree, places)
    for path, place in places.items():
        inner = f" ({text[slice(*place.within(Span(1, 3)))]})" if place.chunks else ""
        yield f"{path}: {text[slice(*place.span)]}{inner}"


def _complete(kind: str, text: str, cursor: int | None = None) -> Iterator[str]:
    found = COMPLETIONS[kind](text, len(text) if cursor is None else cursor)
    for offer in found[:20]:
        made = text[: offer.span.start] + offer.text + text[offer.span.end :]
        yield f"{made}: {offer.description}"
    if found[20:]:
        yield f"and {len(found) - 20} more"


def _edit(text: str, name: str, path: list[int], *arguments: Any) -> Iterator[str]:
    after = getattr(edits, name)(parse_shape(text), tuple(path), *arguments)
    yield f"{_shown(after.text)} {list(after.path)}" if after.text != text else f"{after.path}"
    yield from _problems([after.problem] if after.problem else [])


def _revise(text: str, resources: Any) -> Iterator[str]:
    if isinstance(resources, str):
        resources = to_resources(parse_shape(resources))
    yield _shown(revise(parse_shape(text), resources).text)


def _key(value: Any) -> Iterator[str]:
    vertex = Vertex("node", keys=(Item("k", value),))
    yield format_shape([vertex])
    assert parse_shape(format_shape([vertex])).vertices[0].keys[0].value == value


def _beginning(text: str, typed: str) -> Iterator[str]:
    index = host_index.HostIndex(hostlist.parse(text).value)
    yield ", ".join(f"{one.text} {one.nodes}" for one in index.beginning_with(typed, 10))


def _places_of_hosts(text: str, wanted: str) -> Iterator[str]:
    index = host_index.HostIndex(hostlist.parse(text).value)
    yield str(index.indices(hostlist.parse(wanted).value))


KINDS: dict[str, Callable[..., Iterator[str]]] = {
    "count": _count,
    "count of": _count_of_json,
    "idset": _idset,
    "hostlist": _hostlist,
    "hosts beginning": _beginning,
    "places of hosts": _places_of_hosts,
    "places": _places,
    "duration": _duration,
    "duration of": lambda seconds: iter([duration.format(seconds), duration.describe(seconds)]),
    "dependency": _dependency,
    "dependency of": partial(_written, dependency.format),
    "environment": _environment,
    "environment of": partial(_written, environment.format),
    "variable": lambda name, value: iter([environment.shown(name, value)]),
    "words": _words,
    "words of": _words_of,
    "settings": _settings,
    "settings of": lambda value: iter([settings.format(value)]),
    "json": _json,
    "json of": lambda value: iter([json_text.dump(value)]),
    "shape": _shape,
    "shape of": _of_resources,
    "shape key": _key,
    "query": _query,
    "shape parts": _parts,
    "path of": lambda document: iter([str(path_of(document))]),
    "line of": lambda text, *path: iter([edits.line_of(parse_shape(text), path)]),
    "query of": lambda constraint: iter([json.dumps(from_constraint(constraint))]),
    "tokens": _tokens,
    "complete": _complete,
    "counted": lambda number, *noun: iter([counted(number, *noun)]),
    "listed": lambda words, *last: iter([repr(listed(words, *last))]),
    "edit": _edit,
    "revise": _revise,
}


def answer(line: str) -> Iterator[str]:
    """What is answered to a recorded question."""
    kind, _, arguments = line.partition(" [")
    for one in KINDS[kind](*json.loads(f"[{arguments}")):
        yield (one or "(nothing)").rstrip()
