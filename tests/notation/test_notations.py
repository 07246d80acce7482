"""What the small notations write is read back; what they answer is recorded whole in answers.txt.

The problems of a text that is asked about have the characters that they are about; more problems
are in tests/messages.toml.
"""

import json
import math
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import (
    count,
    dependency,
    duration,
    environment,
    json_text,
    settings,
    shellwords,
)
from fluxtui.notation.count import Range
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import (
    MAX_LENGTH,
    Completion,
    Parsed,
    Problem,
    Span,
    counted,
    listed,
    shortened,
)
from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import host_index, hostlist, idset
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.shape import edit as edits
from fluxtui.notation.shape.completion import Known
from fluxtui.notation.shape.completion import completions as shape_completions
from fluxtui.notation.shape.format import format_shape, revise
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Item, Vertex, from_resources, path_of, to_resources, walk
from tests.each import for_each
from tests.json_values import SCALARS, values
from tests.messages import MINE, WITHIN
from tests.recorded import Agree, by_kind, rerun


def _index(text: str) -> host_index.HostIndex:
    return host_index.HostIndex(hostlist.parse(text).value)


FILE = Path(__file__).parent / "answers.txt"

RANKS = idset.parse("0-3,7,10-12,100").value
HOSTS, INDEX = map(_index, ("n[0-299],gpu7,gpu7", "n[0-11],login"))
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


def _reader(
    parse: Callable[[str], Parsed[Any]], show: Callable[[Any], str]
) -> Callable[[str], Iterator[str]]:
    """What a text is read as, if it is anything, and its problems."""

    def read(text: str) -> Iterator[str]:
        found = parse(text)
        if found.value is not None:
            yield show(found.value)
        yield from _problems(found.problems, text)

    return read


def _count(found: count.Count) -> str:
    return f"{count.format(found)}: {count.describe(found)}; {json.dumps(count.to_json(found))}"


def _duration(found: float) -> str:
    return f"{found!r} seconds, {duration.format(found)}: {duration.describe(found)}"


def _dependency(found: dict[str, Any]) -> str:
    return f"{json.dumps(found, ensure_ascii=False)}: {dependency.describe(found)}"


def _count_of_json(value: Any) -> Iterator[str]:
    found, problems = count.from_json(value)
    yield "none" if found is None else count.format(found)
    yield from _problems(problems)


def _written(format: Callable[[Any], str], value: Any) -> Iterator[str]:
    try:
        yield format(value)
    except ValueError as error:
        yield f"not expressed: {error}"


def _environment(text: str) -> Iterator[str]:
    found = environment.parse(text, MINE)
    yield json.dumps(found.variables)
    yield from _problems(found.problems, text)


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


KINDS: dict[str, Callable[..., Iterator[str]]] = {
    "count": _reader(count.parse, _count),
    "count of": _count_of_json,
    "idset": _reader(idset.parse, str),
    "hostlist": _reader(hostlist.parse, lambda found: f"{found}: {found.count}"),
    "hosts beginning": lambda text, typed: iter(
        [", ".join(f"{o.text} {o.nodes}" for o in _index(text).beginning_with(typed, 10))]
    ),
    "places of hosts": lambda text, wanted: iter(
        [str(_index(text).indices(hostlist.parse(wanted).value))]
    ),
    "places": _places,
    "duration": _reader(duration.parse, _duration),
    "duration of": lambda seconds: iter([duration.format(seconds), duration.describe(seconds)]),
    "dependency": _reader(dependency.parse, _dependency),
    "dependency of": partial(_written, dependency.format),
    "environment": _environment,
    "environment of": partial(_written, environment.format),
    "variable": lambda name, value: iter([environment.shown(name, value)]),
    "words": _reader(shellwords.split, lambda words: json.dumps([word.text for word in words])),
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


def test_answers_are_as_recorded(agree: Agree) -> None:
    agree(FILE, rerun(FILE, by_kind(KINDS)))


# Counts (RFC 14) and durations (RFC 23)

RANGES = st.builds(
    lambda low, more, operand, operator: Range(
        max(low, 2), None if more is None else max(low, 2) + more, operand, operator
    ),
    st.integers(1, 10**6),
    st.none() | st.integers(0, 10**6),
    st.integers(2, 10**6),
    st.sampled_from("+*^"),
)
SETS = st.sets(st.integers(1, 200), min_size=2, max_size=30).map(IdSet.of)
COUNTS = st.integers(1, 10**30) | RANGES | SETS


@given(COUNTS, st.integers(0, 3000))
def test_a_count_is_read_back_and_agrees_with_its_values(value: count.Count, limit: int) -> None:
    assert count.parse(count.format(value)) == (value, ())
    if not isinstance(value, IdSet) or len(value.ranges) > 1:
        assert count.from_json(count.to_json(value)) == (value, ())
    below = [*takewhile(lambda each: each <= limit, islice(count.values(value), 4000))]
    assert count.least(value) == next(count.values(value))
    assert count.greatest(value, limit) == (below[-1] if below else None)


def test_towers_of_powers_do_not_grow_without_end() -> None:
    assert len(list(count.values(Range(2, None, 3, "^")))) < 20
    assert list(count.values(Range(2, None, 10**9, "^"))) == [2]
    assert count.greatest(Range(2, None, 2, "^"), 300) == 256


@given(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**9).map(float))
def test_a_duration_is_read_back(seconds: float) -> None:
    assert duration.parse(duration.format(seconds)) == (seconds, ())


# Dependencies (RFC 26) and environments, which no line may express

SIMPLE = st.text(string.printable + "ƒé", max_size=8)
ENTRIES = st.builds(
    lambda more, scheme, value: {"scheme": scheme, "value": value, **more},
    st.dictionaries(
        SIMPLE.filter(lambda key: key not in ("scheme", "value")),
        SIMPLE | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(SIMPLE),
        max_size=3,
    ),
    SIMPLE | st.sampled_from([*dependency.SCHEMES]),
    SIMPLE,
)


@given(ENTRIES)
def test_a_dependency_is_read_back(found: dict[str, Any]) -> None:
    with suppress(ValueError):
        assert identical(dependency.parse(dependency.format(found)).value, found, ordered=False)


NAMES = st.text(string.printable, max_size=5) | st.sampled_from(
    ["A", "B_1", "x%%", "-a", "^", "$x"]
)
TEXTS = st.text(string.printable + "é", max_size=8) | st.sampled_from(["$HOME", "'", '"$A"', "\\"])


@given(st.dictionaries(NAMES, st.none() | TEXTS, max_size=5))
def test_an_environment_is_read_back(variables: dict[str, Any]) -> None:
    with suppress(ValueError):
        text = environment.format(variables)
        assert text.isprintable()
        for mine in ({}, MINE):
            found = environment.parse(text, mine)
            assert (found.ok, [*found.variables.items()]) == (True, [*variables.items()])


@given(st.text("[]!-a*?^", max_size=7), st.lists(st.text("[]!-a^", min_size=1, max_size=4)))
def test_a_pattern_means_what_it_means_to_fnmatch(pattern: str, names: list[str]) -> None:
    names = [pattern, *names]
    assert environment.matching(names, pattern) == [n for n in names if fnmatchcase(n, pattern)]


# Settings as words, and JSON

KEYS = st.text(max_size=6) | st.sampled_from(["a", "a.b", "cpu-affinity", "", "=", "{", "-", "0"])
WORDS = st.sampled_from(
    ["true", "null", "1", "1.0", "-0", "1e5", "1e999", "Infinity", "{{id}}", "{", "[", "'", '"',
     "a,", "a b", "a=b", "\n", "\x7f", "\\", "a\"b", "\u202e", "01", "+1", ".5", "NaN"]
)  # fmt: skip
VALUES = values(SCALARS | WORDS | st.just(10**400), KEYS)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_settings_are_read_back(value: dict[str, Any]) -> None:
    text = settings.format(value)
    found = settings.parse(text)
    assert found.problems == ()
    assert identical(found.value, value, ordered=False)
    assert text.isprintable()


def test_settings_have_places_and_limits() -> None:
    text = 'a.b=1 "c d"={"e":2} f'
    found = settings.parse(text)
    assert [text[slice(*entry.span)] for entry in found.entries] == ["a.b=1", '"c d"={"e":2}', "f"]
    assert [text[slice(*entry.key_span)] for entry in found.entries] == ["a.b", '"c d"', "f"]
    assert text[slice(*found.place(("c d", "e")))] == '"c d"={"e":2}'
    assert text[slice(*found.place(("a",)))] == "a.b=1"
    assert found.place(("x",)) is None
    assert not settings.parse("a" * (MAX_LENGTH + 1)).ok
    value: Any = 1
    for level in range(5000):
        if level == 100:
            assert settings.parse(settings.format(value)).value == value
        value = {"a": value}
    with pytest.raises(ValueError, match=r"."):
        settings.format(value)


@for_each("text, shown", [
    ("n" * 60, "n" * 60),
    ("n" * 61, "n" * 39 + "…" + "n" * 20),
    ("a" * 10**7 + "z" * 20, "a" * 39 + "…" + "z" * 20),
    ("\x1b" * 10**7, "\\x1b" * 9 + "\\x1…" + "\\x1b" * 5),
], label=lambda case: case[0][:2])  # fmt: skip
def test_what_a_message_quotes_is_printable_and_has_both_its_ends(text: str, shown: str) -> None:
    assert shortened(text) == shown


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_what_json_writes_is_read_and_one_line_reads_back(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = json_text.parse(text)
    assert (parsed.problems, parsed.value) == ((), value)
    assert text[slice(*parsed.places["="].span)] == text
    line = json_text.dump(value)
    assert line.isprintable()
    assert json_text.load(line) == value == json.loads(line)


@given(st.text('{}[]:,"\\0-1.eE tru\n', max_size=12) | st.text(max_size=8))
def test_any_text_is_read_as_json_reads_it(text: str) -> None:
    parsed = json_text.parse(text)
    try:
        expected = json.loads(text, parse_constant=lambda name: math.nan)
    except ValueError:
        expected = None
        assert not parsed.ok
    assert parsed.value == expected or "NaN" in text or "Infinity" in text


@for_each("use, value", [
    *((use, value) for use in (json_text.dump, lambda value: settings.format({"x": value}))
      for value in (math.nan, math.inf, {1: "a"}, [{None: 1}], {"a": object()}, [10**5000])),
    *((duration.format, value) for value in (-1.0, math.nan)),
    *((json_text.load, text)
      for text in ("", "NaN", "[Infinity]", "1e999", "{", "[" * 100_000, "1 2")),
], label=lambda case: type(case[1]))  # fmt: skip
def test_what_is_no_json_or_no_duration_is_neither_written_nor_read(
    use: Callable[[Any], object], value: Any
) -> None:
    with pytest.raises(ValueError, match=r"."):
        use(value)


@pytest.mark.parametrize("kind", ["idset", "hostlist", "count", "duration"])
@given(text=st.text("0123456789-,[]:+*^nms. ", max_size=10), cursor=st.integers(0, 10))
def test_offers_lead_on(kind: str, text: str, cursor: int) -> None:
    parse, before = WITHIN[kind], text[: min(cursor, len(text))]
    for offer in COMPLETIONS[kind](text, cursor):
        assert offer.description
        assert 0 <= offer.span.start <= offer.span.end == len(before)
        made = before[: offer.span.start] + offer.text
        assert len(made) > len(before)
        unfinished = made[-1] in "-,[:" or ("[" in made and "]" not in made)
        problems = [len(parse(text, 0).problems) for text in (made, before)]
        assert unfinished or problems[0] <= problems[1], made
