"""Jobspecs with faults, the problems that are said of them, and what a fix makes of one."""

import copy
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from fluxtui.answers.fixes.finder import Fix, FixFinder
from fluxtui.model.jobspec import jobspec, submit_check
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources


def job(text: str) -> dict[str, Any]:
    """The jobspec of a shape."""
    read = parse_shape(text)
    assert read.ok, read.problems
    return jobspec.build(to_resources(read))


def said(document: Any) -> list[Problem]:
    """All that is said of a jobspec, V1 first."""
    verdict = jobspec.check(document)
    problems = (*verdict.v1_problems, *verdict.problems, *submit_check.check(document))
    return list(dict.fromkeys((*problems, *verdict.warnings)))


def refusals(document: Any) -> list[Problem]:
    """Why a jobspec is not V1, or flux-core would not take it."""
    return [*jobspec.check(document).v1_problems, *submit_check.check(document)]


def shape_of(document: Any) -> str:
    """The shape of a jobspec's resources."""
    return format_shape(from_resources(document["resources"]).value)


def fixes(problem: Problem, document: Any, most: int = 8) -> tuple[Fix, ...]:
    """The fixes for a problem of a jobspec."""
    return FixFinder(document).fixes(problem, most)


def offered(document: Any, part: str) -> tuple[Fix, ...]:
    """The fixes for the first problem whose message has this part."""
    problem = next(problem for problem in said(document) if part in problem.message)
    return fixes(problem, document)


def first_fixes(document: Any, most: int = 20) -> tuple[Any, list[str]]:
    """The jobspec after the first fix for the first refusal, again and again; and what was done."""
    done: list[str] = []
    while (left := refusals(document)) and len(done) < most:
        found = fixes(left[0], document, 1)
        if not found:
            break
        document = found[0].document
        done.append(found[0].label)
    return document, done


_COUNTS = ("", "", "", "=2", "=4", "=2-8", "=2+", "=1,3,5", "=2-8:2:*", "=4+:2", "=[3]")
_KEYS = ("+x", "-x", "unit:GB", "id:a", "foo", "bar:1", "b:{a:1}", "label:")


@st.composite
def shapes(
    draw: st.DrawFn, types: Sequence[str] = ("node", "socket", "core", "gpu", "slot")
) -> str:
    """Legal shape texts of these types, with counts, keys and labels of all kinds."""
    number = 0

    def label() -> str:
        nonlocal number
        number += 1
        return f"l{number}" if number > 1 else draw(st.sampled_from(("default", "a")))

    def several(depth: int) -> str:
        listed = [vertex(depth) for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3))))]
        return listed[0] if len(listed) == 1 else f"[{';'.join(listed)}]"

    def vertex(depth: int) -> str:
        kind = draw(st.sampled_from([t for t in types if t != "slot" or depth > 0]))
        keys = draw(st.lists(st.sampled_from(_KEYS), max_size=2, unique_by=lambda k: k.strip("+-")))
        slot = kind == "slot"
        items = [label()] if slot else []
        items += [
            f"label:{label()}" if k == "label:" else k for k in keys if k != "label:" or not slot
        ]
        text = kind + draw(st.sampled_from(_COUNTS)) + (f"{{{','.join(items)}}}" if items else "")
        below = slot or (depth > 0 and draw(st.booleans()))
        return f"{text}/{several(depth - 1)}" if below else text

    return several(draw(st.integers(0, 3)))


_VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2.0, "", "x", "2-4", "1h", [], {}, [1], ["x"], {"a": 1}, 2**63, "a\0b",
)  # fmt: skip


@st.composite
def faulty(draw: st.DrawFn, documents: Sequence[Any]) -> Any:
    """One of these jobspecs with parts that are missing, of another kind, or too many."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(document))
        if not places:
            break
        place, key = draw(st.sampled_from(places))
        change = draw(st.sampled_from(("value", "value", "drop", "further", "twice")))
        value = copy.deepcopy(draw(st.sampled_from(_VALUES)))
        if change == "drop":
            del place[key]
        elif change == "further" and isinstance(place, dict):
            place[draw(st.sampled_from(("foo", "labl", "duration", "cout")))] = value
        elif change == "twice" and isinstance(place, list):
            place.append(copy.deepcopy(place[key]))
        else:
            place[key] = value
    return document


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a document, as what holds it and its key."""
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        return []
    return [(value, key) for key, _ in inner] + [p for _, item in inner for p in _places(item)]
