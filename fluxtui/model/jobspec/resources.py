"""The ``resources`` of a jobspec, and what RFC 14 asks of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, Severity, further

CANONICAL, V1 = "RFC 14", "RFC 25"

# Levels that a document may have; a tree so deep describes no machine.
MAX_DEPTH = 200

# Errors of one document that are kept, and warnings.
MAX_PROBLEMS = 1000


def is_whole(value: object, least: int = 1) -> bool:
    """Whether a value is an integer of at least this much; true and 2.0 are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def walk(resources: object, path: str = "resources") -> Iterator[tuple[str, Any, int]]:
    """Every vertex with its path and its depth, parents first, in the order of the document.

    What is no dictionary is given too. Goes no deeper than ``MAX_DEPTH``.
    """
    top = list(resources) if isinstance(resources, list | tuple) else []
    # Written out rather than by `at`, which takes half of the time of a check of many vertices.
    stack = [(f"{path}[{i}]", vertex, 0) for i, vertex in reversed(list(enumerate(top)))]
    while stack:
        here, vertex, depth = stack.pop()
        yield here, vertex, depth
        inner = vertex.get("with") if isinstance(vertex, Mapping) else None
        if isinstance(inner, list | tuple) and depth < MAX_DEPTH:
            children = [(f"{here}.with[{i}]", child, depth + 1) for i, child in enumerate(inner)]
            stack.extend(reversed(children))


def slots(resources: object) -> Iterator[Mapping[str, Any]]:
    """The slots of a resources list that have a label, in the order of the document."""
    top = list(resources) if isinstance(resources, list | tuple) else []
    stack = [(vertex, 0) for vertex in reversed(top)]
    while stack:
        vertex, depth = stack.pop()
        if type(vertex) is not dict and not isinstance(vertex, Mapping):
            continue
        if vertex.get("type") == "slot" and isinstance(vertex.get("label"), str):
            yield vertex
        inner = vertex.get("with")
        if isinstance(inner, list | tuple) and depth < MAX_DEPTH:
            stack.extend([(child, depth + 1) for child in reversed(inner)])


class Checker:
    """Collects the problems of one document by one rule; beyond a number nobody reads it counts."""

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.problems: list[Problem] = []
        self._kept = {"error": 0, "warning": 0}
        self._cut: dict[Severity, int] = {}  # where the problem stands that counts the others

    @property
    def full(self) -> bool:
        """Further errors are left out."""
        return self._kept["error"] >= MAX_PROBLEMS

    def error(self, message: str, path: str, *expected: str, code: str = "") -> None:
        """Note what the rule refuses."""
        self.add(Problem(message, None, path or None, expected, self.rule, "error", 1, code))

    def warn(self, message: str, path: str, *expected: str, code: str = "") -> None:
        """Note what is legal and surprising."""
        self.add(Problem(message, None, path or None, expected, self.rule, "warning", 1, code))

    def add(self, problem: Problem) -> None:
        """Take a problem as it is."""
        kind = problem.severity
        if self._kept[kind] < MAX_PROBLEMS:
            self._kept[kind] += 1
            self.problems.append(problem)
        elif kind not in self._cut:
            self._cut[kind] = len(self.problems)
            self.problems.append(problem)
        else:
            last = self._cut[kind]
            self.problems[last] = further((self.problems[last], problem))


def count_words(count: object) -> str:
    """The value of a ``count`` in words, such as ``2 or more``; what is no count by its kind."""
    if is_whole(count):
        return str(count)
    read = counts.from_json(count)
    if read.value is not None and read.ok:
        return counts.describe(read.value)
    return f"'{count}'" if isinstance(count, str) else shown(count)
