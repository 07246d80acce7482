"""The ``resources`` of a jobspec, and what RFC 14 asks of them."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.vertex_place import Place, path_of, top_of
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, Severity, at, further, nearest

CANONICAL, V1 = "RFC 14", "RFC 25"

# Levels that a document may have; a tree so deep describes no machine.
MAX_DEPTH = 200

# Errors of one document that are kept, and warnings.
MAX_PROBLEMS = 1000

KEYS = ("type", "count", "unit", "exclusive", "with", "label", "id")

#: The largest whole number that flux-core's reader of JSON holds.
MOST = 2**63 - 1

# Those that most vertices have, and no others.
PLAIN_KEYS = frozenset({"type", "count", "with", "label"})
_NONE: list[Any] = []


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


class Slots:
    """The slots of a resources list by their labels.

    places is the number of the vertex at the top that a label is in, where that is known.
    """

    def __init__(self, resources: object, places: Mapping[str, int]) -> None:
        self._resources = resources
        self._places = places
        self._labelled: dict[str, Mapping[str, Any]] | None = None
        self._types: dict[str, dict[str, None]] = {}
        self._is_asked = False

    @property
    def labelled(self) -> Mapping[str, Mapping[str, Any]]:
        """All of them; of those that share a label, which RFC 14 refuses, the first counts."""
        if self._labelled is None:
            self._labelled = {}
            for slot in slots(self._resources):
                self._labelled.setdefault(slot["label"], slot)
        return self._labelled

    def named(self, label: str) -> Mapping[str, Any] | None:
        """The slot with a label; None where there is none."""
        place = self._places.get(label)
        # Nearly all jobspecs have one task; for each further one the slots are not gone through.
        is_first, self._is_asked = not self._is_asked, True
        if is_first and place is not None and isinstance(self._resources, list | tuple):
            for slot in slots(self._resources[place : place + 1]):
                if slot["label"] == label:
                    return slot
        return self.labelled.get(label)

    def types(self, slot: Mapping[str, Any]) -> Mapping[str, None]:
        """The types of the resources in one of these slots, each once, in order."""
        label = slot["label"]
        if label not in self._types:
            inside = walk(slot.get("with"))
            found = (str(v.get("type")) for _, v, _ in inside if isinstance(v, Mapping))
            self._types[label] = dict.fromkeys(found)
        return self._types[label]


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

    def error(self, message: str, path: str, *expected: str) -> None:
        """Note what the rule refuses."""
        self._note(message, path, expected, "error")

    def warn(self, message: str, path: str, *expected: str) -> None:
        """Note what is legal and surprising."""
        self._note(message, path, expected, "warning")

    def _note(self, message: str, path: str, expected: tuple[str, ...], kind: Severity) -> None:
        problem = Problem(message, None, path or None, expected, self.rule, kind)
        if self._kept[kind] < MAX_PROBLEMS:
            self._kept[kind] += 1
            self.problems.append(problem)
        elif kind not in self._cut:
            self._cut[kind] = len(self.problems)
            self.problems.append(problem)
        else:
            last = self._cut[kind]
            self.problems[last] = further((self.problems[last], problem))


def check_canonical(resources: object, path: str = "resources") -> list[Problem]:
    """What RFC 14 holds against a resources list, warnings included."""
    return judge_canonical(resources, path).problems


class Found(NamedTuple):
    """What RFC 14 says of a resources list.

    problems  what it holds against it
    is_plain  it is as nearly all are: each vertex has a type and a count that is one number, a slot
              has a label and resources, no level is too deep, and there is nothing that JSON cannot
              bring to flux-core. Nobody needs to look at each vertex of such a list again.
    labels    the number of the vertex at the top that each label is in
    """

    problems: list[Problem]
    is_plain: bool = False
    labels: Mapping[str, int] = {}  # nobody changes it


def judge_canonical(resources: object, path: str = "resources") -> Found:
    """What RFC 14 says of a resources list, by paths that start with ``path``."""
    check = Checker(CANONICAL)
    plain = True
    if not isinstance(resources, list | tuple):
        check.error(f"resources is a list; found {shown(resources)}", path, "a list")
        return Found(check.problems)
    if not resources:
        check.error("resources holds at least one resource; it is empty", path, "a resource")
    labels: dict[str, Place] = {}
    stack: list[tuple[Any, Place, int]] = [
        (vertex, (None, i), 0) for i, vertex in reversed(list(enumerate(resources)))
    ]
    while stack:
        vertex, place, depth = stack.pop()
        if type(vertex) is not dict and not isinstance(vertex, Mapping):
            message = f"a resource is a dictionary; found {shown(vertex)}"
            check.error(message, path_of(path, place), "a dictionary")
            plain = False
            continue
        if not _is_plain(vertex):
            plain = False
            _vertex(check, vertex, path_of(path, place))
        label, inner = vertex.get("label"), vertex.get("with")
        if isinstance(label, str):
            _take_label(check, label, labels, path, place)
        if depth == MAX_DEPTH and inner:
            message = f"more than {MAX_DEPTH} levels of resources"
            check.error(message, at(path_of(path, place), "with"))
            plain = False
        elif isinstance(inner, list | tuple):
            stack.extend([(inner[i], (place, i), depth + 1) for i in range(len(inner) - 1, -1, -1)])
    return Found(check.problems, plain, {label: top_of(place) for label, place in labels.items()})


def _is_plain(vertex: Mapping[str, Any]) -> bool:
    """The vertex is as nearly all are, and nothing but its label can be wrong with it."""
    kind, count = vertex.get("type"), vertex.get("count")
    if type(kind) is not str or type(count) is not int or not 1 <= count <= MOST:
        return False
    inner = vertex.get("with", _NONE)
    if type(inner) is not list or not (inner or inner is _NONE):
        return False
    if kind == "slot" and (inner is _NONE or "label" not in vertex):
        return False
    label = vertex.get("label", "")
    return vertex.keys() <= PLAIN_KEYS and type(label) is str and (kind + label).isprintable()


def _vertex(check: Checker, vertex: Mapping[str, Any], path: str) -> None:
    """RFC 14, Resources: the keys of one vertex, but for the label being its own alone."""
    kind = vertex.get("type")
    name = kind if isinstance(kind, str) and kind else "resource"
    if "type" not in vertex:
        check.error("a resource needs a type", path, "type")
    elif not isinstance(kind, str):
        check.error(f"a type is a string; found {shown(kind)}", at(path, "type"), "a string")
    if "count" not in vertex:
        check.error(f"{_a(name)} needs a count", path, "count")
    else:
        check.problems.extend(counts.from_json(vertex["count"], at(path, "count")).problems)
    for key in ("unit", "label", "id"):
        if key in vertex and not isinstance(vertex[key], str):
            message = f"{key} is a string; found {shown(vertex[key])}"
            check.error(message, at(path, key), "a string")
    if "exclusive" in vertex and not isinstance(vertex["exclusive"], bool):
        message = f"exclusive is true or false; found {shown(vertex['exclusive'])}"
        check.error(message, at(path, "exclusive"), "true", "false")
    if vertex.get("type") == "slot" and "label" not in vertex:
        check.error("a slot needs a label", path, "label")
    _with(check, vertex, path)
    for key in vertex:
        if key not in KEYS:
            close = None if check.full else nearest(str(key), KEYS)
            hint = f"; did you mean {close}?" if close else ""
            check.error(f"a resource has no key '{key}'{hint}", path, *KEYS)


def _take_label(
    check: Checker, label: str, labels: dict[str, Place], path: str, place: Place
) -> None:
    """Note a label, which is unique."""
    taken = labels.setdefault(label, place)
    if taken is not place:
        message = f"the label '{label}' is taken by {path_of(path, taken)}"
        check.error(message, at(path_of(path, place), "label"), "another label")


def _with(check: Checker, vertex: Mapping[str, Any], path: str) -> None:
    """A ``with`` holds at least one vertex, and a slot needs one."""
    if "with" not in vertex:
        if vertex.get("type") == "slot":
            check.error("a slot needs a with: the resources in it", path, "with")
        return
    children = vertex["with"]
    if not isinstance(children, list | tuple):
        message = f"with is a list of resources; found {shown(children)}"
        check.error(message, at(path, "with"), "a list")
    elif not children:
        message = "with holds at least one resource; it is empty"
        check.error(message, at(path, "with"), "a resource")


def _a(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def count_words(count: object) -> str:
    """The value of a ``count`` in words, such as ``2 or more``; what is no count by its kind."""
    if is_whole(count):
        return str(count)
    read = counts.from_json(count)
    if read.value is not None and read.ok:
        return counts.describe(read.value)
    return f"'{count}'" if isinstance(count, str) else shown(count)
