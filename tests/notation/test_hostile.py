"""Texts that are meant to hurt: each is answered at once, in little memory, and in words.

The bounds on time are generous, so that a busy machine does not fail them; a text whose cost grows
with its square would take minutes.
"""

import tracemalloc
from collections.abc import Callable
from typing import Any

from fluxtui.answers import matching
from fluxtui.answers.explain import names
from fluxtui.model.constraint import requires
from fluxtui.model.resources import document
from fluxtui.notation import count, duration, json_text, settings, shellwords
from fluxtui.notation.problem import ENOUGH, MAX_LENGTH, MAX_PROBLEMS
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.shape.parser import parse_shape
from tests.each import for_each, the
from tests.model.clusters import alike
from tests.pace import within

READERS: dict[str, Callable[[str], Any]] = {
    "idset": idset.parse,
    "hostlist": hostlist.parse,
    "count": count.parse,
    "duration": duration.parse,
    "shape": parse_shape,
    "query": parse_query,
    "requires": requires.read,
    "json_text": json_text.parse,
    "settings": settings.parse,
    "shellwords": shellwords.split,
}

HUGE = 50_000_000
DEEP = 100_000


def timed(read: Callable[[], Any]) -> Any:
    """What it gives, within a bound on time."""
    return within(5, read)


def measured(read: Callable[[], Any]) -> Any:
    """What it gives, within a bound on memory; what counts that takes its own time."""
    tracemalloc.start()
    try:
        found = read()
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
    return found


@for_each("kind", READERS)
def test_a_line_of_fifty_megabytes_and_garbage_without_end(kind: str) -> None:
    for unit in ("1,", "a"):
        text = unit * (HUGE // len(unit))
        found = measured(lambda text=text: READERS[kind](text))
        assert not found.ok or (kind, unit) in {("hostlist", "a"), ("duration", "1,")}
        assert all(len(problem.message) < 200 for problem in found.problems)
    for unit in (*"[{}=;|\":'", "'a'", "\\a", "a=[", "x:a ", "9-1,", "\x00", "\ud800"):
        text = (unit * MAX_LENGTH)[: MAX_LENGTH // 2]
        found = timed(lambda text=text: READERS[kind](text))
        assert len(found.problems) <= MAX_PROBLEMS + 1
        assert all(len(problem.message) < 400 for problem in found.problems)


@for_each("kind, text", [
    *(("shape", text) for text in ("a/" * DEEP, "[" * DEEP, "node{a:" + "[" * DEEP)),
    ("shape", "node" + "{a:" * DEEP),
    *(("query", text) for text in ("(" * DEEP + "a" + ")" * DEEP, "not " * DEEP + "a", "-" * DEEP)),
    ("query", "-a " * DEEP), ("query", "a|b c|" * DEEP),
    ("requires", '{"and":[' * DEEP), ("json_text", "[" * DEEP), ("idset", "[" * DEEP),
    ("hostlist", "n" + "[" * DEEP), ("count", "[" * DEEP), ("settings", "a=" + "[" * DEEP),
], label=lambda case: f"{case[0]} {case[1][:12]}")  # fmt: skip
def test_deep_nesting(kind: str, text: str) -> None:
    for size in (DEEP * 8, MAX_LENGTH, 2000):
        use = timed if size == MAX_LENGTH else measured
        found = use(lambda size=size: READERS[kind](text[:size]))
        assert not found.ok
        assert found.problems[0].span is not None


def test_reading_ends_where_problems_do_not() -> None:
    found = parse_shape("=" * 5000)
    assert not found.ok
    assert found.problems[-1].message == f"{ENOUGH - MAX_PROBLEMS + 1} more problems from here on"
    assert found.tokens[-1].span.end == 5000


@for_each("text, nodes, said", [
    ("host:n[0-999999999999]", 4, "999,999,999,996 of 1,000,000,000,000 hosts are not in"),
    ("host:n[0-999999999999]-eth0", 0, "hosts are not in the cluster"),
    ("rank:0-4294967295", 4, "ranks 4-4294967295 are not in the cluster, which has 0-3"),
])  # fmt: skip
def test_wide_sets_are_matched(text: str, nodes: int, said: str) -> None:
    cluster = document.read(alike(4, "0-4294967295"))
    asked = the(requires.read(text).constraint)
    assert measured(lambda: matching.match(asked, cluster)).bit_count() == nodes
    assert said in measured(lambda: names.hints(asked, cluster))[0].message
