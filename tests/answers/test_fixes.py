"""What mends a jobspec: case by case, and what holds of every fix; the verdicts, and why."""

import copy
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fluxtui.answers.fixes.finder import Fix, FixFinder
from fluxtui.answers.fixes.rationale import explain
from fluxtui.answers.fixes.texts import corrected_query, corrected_shape
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.model.jobspec.verdicts import by_vertex, check_submission, verdicts
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from tests.answers.commands.test_laws import RECORDED
from tests.each import for_each
from tests.model.cases import Case
from tests.model.jobspecs import BASE, RFC14, RFC25, changed, job
from tests.recorded import Agree, rerun

SLOW = settings(suppress_health_check=list(HealthCheck))


def shape_of(document: Any) -> str:
    """The shape of a jobspec's resources."""
    return format_shape(from_resources(document["resources"]).value)


def said(document: Any) -> list[Problem]:
    """All that is said of a jobspec, V1 first."""
    verdict = jobspec.check(document)
    problems = (*verdict.v1_problems, *verdict.problems, *check_submission(document))
    return list(dict.fromkeys((*problems, *verdict.warnings)))


def refusals(document: Any) -> list[Problem]:
    """Why a jobspec is not V1, or flux-core would not take it."""
    return [*jobspec.check(document).v1_problems, *check_submission(document)]


def fixes(problem: Problem, document: Any, most: int = 8) -> tuple[Fix, ...]:
    """The fixes for a problem of a jobspec."""
    return FixFinder(document).fixes(problem, most)


def found(document: Any, part: str) -> Problem:
    """The first problem whose message has this part."""
    return next(problem for problem in said(document) if part in problem.message)


def first_fixes(document: Any, most: int = 20) -> tuple[Any, list[str]]:
    """The jobspec after the first fix for the first refusal, again and again; and what was done."""
    done: list[str] = []
    while (left := refusals(document)) and len(done) < most:
        first = fixes(left[0], document, 1)
        if not first:
            break
        document = first[0].document
        done.append(first[0].label)
    return document, done


#: What mends single jobspecs; see `answers`.
FIXES = Path(__file__).with_name("fixes.txt")


def answers(line: str) -> Iterator[str]:
    """What mends the jobspec of a shape, or a legal one with a change; or what all that leads to.

    Lines with a bar ask why there is the rule of the first problem whose message has the part
    behind it, and for its fixes.
    """
    asked, _, part = line.partition(" | ")
    kind, _, text = asked.partition(" ")
    if kind == "leads":
        yield shape_of(first_fixes(job(text))[0])
        return
    case = Case(text, [])
    document = job(text) if kind == "shape" else case.document
    problem = found(document, part)
    yield f"because {explain(problem) or '...'}"
    for fix in fixes(problem, document):
        there: Any = fix.document
        if kind == "shape":
            yield f"{fix.label} -> {shape_of(there)}"
            continue
        *around, last = case.place.split("/")
        for step in around:
            there = there[int(step) if step.isdigit() else step]
        key: Any = int(last) if last.isdigit() else last
        is_gone = isinstance(there, dict) and key not in there
        yield f"{fix.label} -> {'gone' if is_gone else json.dumps(there[key])}"


def test_fixes_are_as_recorded(agree: Agree) -> None:
    agree(FIXES, rerun(FIXES, answers))


def test_keys_get_their_places_and_names() -> None:
    document = changed("attributes/duration", 60, changed("attributes/system/duration", ...))
    first = fixes(found(document, "found 'duration'"), document)[0]
    assert first.label == "move 'duration' to attributes.system"
    system = {**BASE["attributes"]["system"], "duration": 60}
    assert first.document["attributes"] == {"system": system}
    document = changed("resources/0/cuont", 4, changed("resources/0/count", ...))
    for part in ("no key 'cuont'", "needs a count"):
        assert fixes(found(document, part), document)[0].label == "rename the key 'cuont' to count"
    document = changed("tasks/0/slot", "task", job("node=4"))  # what a new slot is called
    assert shape_of(first_fixes(document)[0]) == "node=4/slot{task}/core"


def test_no_fix_for_what_is_not_said_of_the_document_or_cannot_be_mended() -> None:
    problem = said(job("node=4"))[0]
    assert fixes(problem, job("node/slot/core")) == ()
    assert fixes(Problem("strange", path="resources[7]", rule="RFC 14"), job("node=4")) == ()
    # A tree of more levels than are read is no machine that anybody could name.
    resources: list[Any] = [{"type": "core", "count": 1}]
    for _ in range(202):
        resources = [{"type": "x", "count": 1, "with": resources}]
    deep = {**RFC25["1.1"], "resources": resources}
    assert fixes(found(deep, "levels"), deep) == ()


def test_the_problem_of_a_shape_alone_has_fixes_too() -> None:
    document = job("cluster/node")
    request = parse(document["resources"])
    for problem in (*request.refusals(), *jobspec.v1_resources(request)):
        assert fixes(problem, document)


# What holds of every fix


COUNTS = st.sampled_from((1, 1, 1, 2, 4, "1,3,5", {"min": 2}, {"min": 4, "max": 9})) | st.builds(
    lambda operator: {"min": 2, "max": 8, "operator": operator, "operand": 2},
    st.sampled_from("+*^"),
)
KEYS = {"exclusive": st.booleans(), "unit": st.just("GB"), "id": st.just("a"), "foo": st.just(1)}


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    """Jobspecs with resources of all kinds, with counts, keys and labels of all kinds."""
    number = itertools.count(1)
    types = ["node", "socket", "core", "gpu"]
    types += draw(st.sampled_from(([], ["cluster", "rack", "memory"])))

    def vertex(depth: int) -> dict[str, Any]:
        kind = draw(st.sampled_from([*types, *(["slot"] if depth else [])]))
        made = {"type": kind, "count": draw(COUNTS)}
        key = draw(st.sampled_from(("", "", *KEYS)))
        made |= {key: draw(KEYS[key])} if key else {}
        if kind == "slot" or draw(st.integers(0, 9)) == 0:
            made["label"] = f"l{next(number)}"
        if kind == "slot" or (depth and draw(st.booleans())):
            made["with"] = several(depth - 1)
        return made

    def several(depth: int) -> list[dict[str, Any]]:
        return [vertex(depth) for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3))))]

    return jobspec.build(several(draw(st.integers(0, 3))))


VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2.0, "", "x", "2-4", "1h", [], {}, [1], ["x"], {"a": 1}, 2**63, "a\0b",
)  # fmt: skip


@st.composite
def faulty(draw: st.DrawFn, documents: Sequence[Any] = (*RFC25.values(), *RFC14.values())) -> Any:
    """One of these jobspecs with parts that are missing, of another kind, or too many."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(document))
        if not places:
            break
        place, key = draw(st.sampled_from(places))
        change = draw(st.sampled_from(("value", "value", "drop", "further", "twice")))
        value = copy.deepcopy(draw(st.sampled_from(VALUES)))
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
    if not isinstance(value, dict | list):
        return []
    inner = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [(value, key) for key, _ in inner] + [p for _, item in inner for p in _places(item)]


def _is_shared(before: Any, after: Any) -> bool:
    """Whether every part that is equal at the same key is the same object."""
    # As JSON, for 1, 1.0 and true are three things there and equal here.
    if isinstance(before, dict | list) and json.dumps(before) == json.dumps(after):
        return before is after
    if not isinstance(before, dict) or not isinstance(after, dict):
        return True
    return all(_is_shared(before[key], after[key]) for key in before if key in after)


def _errors(problems: list[Problem], rule: str) -> int:
    return sum(problem.rule == rule and problem.severity == "error" for problem in problems)


def check_all(document: Any) -> None:
    """Each fix of each problem does what it promises, and each reason is fit to print."""
    before, problems = json.dumps(document), said(document)
    for problem in problems:
        assert (explain(problem) or " ").isprintable()
        for fix in fixes(problem, document):
            left = said(fix.document)
            assert problem not in left, fix.label
            assert _errors(left, problem.rule) <= _errors(problems, problem.rule), fix.label
            assert _is_shared(document, fix.document), fix.label
            assert fix.label
            assert fix.label.isprintable()
            assert len(fix.label) < 200
    assert json.dumps(document) == before


UNEXPLAINED = "version is a whole|attributes of a task|distribution"


@for_each("row", RECORDED, lambda row: row["id"])
def test_every_problem_of_the_recorded_jobspecs_has_a_fix_that_mends_it(row: Any) -> None:
    if not isinstance(row["jobspec"], dict):
        return
    check_all(row["jobspec"])
    finder = FixFinder(row["jobspec"])  # one for all problems of a jobspec
    for problem in said(row["jobspec"]):
        first = finder.fixes(problem, 1)
        assert len(first) == 1, problem
        assert fixes(problem, row["jobspec"])[:1] == first
        why = explain(problem)
        assert why is not None or re.search(UNEXPLAINED, problem.message)
        assert why is None or 1 <= len(re.findall(r"\.(?= [A-Z0-9]|$)", why)) <= 3


HOSTILE = job("node/slot/core")
for place in (HOSTILE, HOSTILE["resources"][0], HOSTILE["attributes"]):
    place["\x1b[31m" * 20] = 1
HOSTILE["tasks"][0]["slot"] = "\x1b[31m" * 20


@SLOW
@given(faulty())
@example(HOSTILE)
def test_fixes_mend_whatever_is_wrong(document: Any) -> None:
    check_all(document)
    mended, done = first_fixes(document, 40)
    assert refusals(mended) == [], done


@SLOW
@given(jobs())
@example(job("[node=2-4/slot{a}/core=2+;socket{foo}/slot{b,+x}/[core{id:a};gpu=1,3]]"))
@example(job("node/[" + ";".join(f"slot{{s{i},foo}}/core=2-8" for i in range(30)) + "]"))
def test_fixes_lead_all_resources_to_v1(document: Any) -> None:
    check_all(document)
    mended, done = first_fixes(document)
    assert refusals(mended) == [], done
    is_said = any("approximate" in label for label in done)
    types = {vertex.type for vertex in parse(document["resources"]).walk()}
    assert is_said or not types & {"cluster", "rack", "memory"}


# The verdicts, and why there are the rules


@for_each("document, oks, rules", [
    (BASE, [True, True, True], []),
    (job("node=2-4/slot/core"), [True, False, False], ["RFC 25", "flux-core"]),
    (job("node/slot/memory"), [True, False, True], ["RFC 25", "RFC 25"]),
    (changed("tasks/0/slot", "x"), [False, False, True], ["RFC 14"]),  # said once
    (changed("tasks/0/count", {"total": 99}), [True, True, True], []),  # only a warning
])  # fmt: skip
def test_each_verdict_says_its_own(document: Any, oks: list[bool], rules: list[str]) -> None:
    rulings = verdicts(document)
    assert [ruling.name for ruling in rulings] == ["RFC 14", "V1", "flux-core"]
    assert [ruling.ok for ruling in rulings] == oks
    assert [problem.rule for problem in rulings.problems] == rules
    warns = document["tasks"][0]["count"] == {"total": 99}
    assert [len(ruling.warnings) for ruling in rulings] == [0, int(warns), 0]


def test_problems_are_at_the_vertex_that_causes_them() -> None:
    document = job("[node=2-4/slot/[core;memory];gpu]")
    document["tasks"][0]["slot"] = "x"
    found = by_vertex(verdicts(document).problems)
    counts = {path: len(problems) for path, problems in found.items()}
    memory = "resources[0].with[0].with[1]"
    assert counts == {"resources": 1, "resources[0]": 2, memory: 1, "resources[1]": 1}


# Texts that cannot be read

CORRECTED_SHAPES = """
    slot=4/core=8;gpu -> slot=4/[core=8;gpu]
    slot=4/core=8,gpu -> slot=4/[core=8;gpu]
    slot=4/core=8, gpu=1 -> slot=4/[core=8; gpu=1]
    slot=4/[core=8,gpu -> slot=4/[core=8;gpu]
    slot=4/(core=8;gpu) -> slot=4/[core=8;gpu]
    rack/node=2/slot=3/core=2;gpu;memory=5 -> rack/node=2/slot=3/[core=2;gpu;memory=5]
    node=2;core -> [node=2;core]
    slot=4/core=8] -> slot=4/core=8
    slot=4/core=8]/gpu -> None
    core=4=2 -> None
    node=2==3 -> None
    slot/"core(1)";gpu -> slot/["core(1)";gpu]
    slot=4//core -> slot=4/core
    slot==4/core -> slot=4/core
    slot=4/core 8 -> slot=4/core=8
    slot{a/core -> slot{a}/core
    slot=4/[core=8;;gpu] -> slot=4/[core=8;gpu]
    slot=4/[core; -> slot=4/[core]
    slot=4/core=x -> None
    slot=4/ -> None
    slot=4/core=8; -> None
    slot=4/core -> None
"""
CORRECTED_QUERIES = """
    (gpu&-debug -> (gpu&-debug)
    gpu debug) -> (gpu debug)
    gpu|batch) & debug -> (gpu|batch) & debug
    a|b) & (c|d -> (a|b) & (c|d)
    ((a|b)&(c -> ((a|b)&(c))
    gpu |& x -> gpu | x
    gpu & ) b -> None
    and gpu -> gpu
    gpu & !debug -> gpu & -debug
    a & !(b|c) -> a & not (b|c)
    host:a[1-3 & gpu -> host:a[1-3] & gpu
    gpu & "a b -> gpu & "a" b
    'gpu & batch -> 'gpu' & batch
    don't & can't -> None
    a and ! b -> a and -b
    rank:!3 -> None
    gpu != icelake -> None
    a! & b -> None
    a^b -> None
    gpu& -> None
    --gpu -> None
    {"not": -> None
"""


def test_a_text_that_cannot_be_read_is_corrected() -> None:
    for table, correct in (
        (CORRECTED_SHAPES, corrected_shape),
        (CORRECTED_QUERIES, corrected_query),
    ):
        rows = [row.strip().split(" -> ") for row in table.strip().splitlines()]
        assert [[text, str(correct(text))] for text, _ in rows] == rows
