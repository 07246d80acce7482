"""Whether queues take a job (RFC 33): recorded answers, and a plain reading of the rules.

``admissions.txt`` holds what is answered to a line, indented below it; lines that begin with ``:``
are the configuration of what follows::

    QUEUE | SHAPE [| SYSTEM [| KEYS]]

QUEUE is ``-`` where the job names its own; SYSTEM and KEYS are the JSON of system attributes and of
other keys of the jobspec. The answer has each refusal in the words of Flux and in ours, and what
Flux adds.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.admission import Admission, Person, admit_everywhere, changes, counts
from fluxtui.model import queues
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.model.queues import Config, Status
from fluxtui.notation.problem import Problem
from tests.answers.explain.cases import Case, clusters, constraints
from tests.each import for_each, the
from tests.model.jobspecs import job
from tests.recorded import Agree, rerun


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


def admit(
    document: Any,
    config: Config,
    queue: str | None = "as written",
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
) -> Admission:
    """The answer of the queue that a job names, or of another where it names that."""
    if queue != "as written":
        document = jobspec.with_system(document, "queue", queue)
    return admit_everywhere(document, config, user, statuses)[0]


def system_of(found: Admission) -> dict[str, Any]:
    assert found.stored is not None, found.refusals
    system: dict[str, Any] = found.stored["attributes"]["system"]
    return system


QUEUES = """
[policy]
limits.duration = "1h"
limits.job-size.max.nnodes = 4
jobspec.defaults.system = { queue = "batch", duration = "10m" }
[queues.batch]
requires = ["batch"]
policy.limits.job-size.max.ncores = 64
policy.limits.job-size.min.ngpus = 1
[queues.short]
parent = "batch"
policy.limits.duration = "90s"
policy.jobspec.defaults.system.duration = "1m"
[queues.free]
policy.limits = { duration = "0", job-size.max.nnodes = -1 }
[queues.mine]
policy.access = { allow-user = ["ada", "eve"], allow-group = ["physics"] }
"""


# Recorded answers


def test_answers_are_as_recorded(agree: Agree) -> None:
    path = Path(__file__).with_name("admissions.txt")
    toml: list[str] = []
    is_complete = True

    def answer(line: str) -> Iterable[str]:
        nonlocal is_complete
        if line.startswith(":"):
            toml[:] = [*([] if is_complete else toml), line[1:].strip()]
            is_complete = False
            return ()
        is_complete = True
        return _answer(line, read("\n".join(toml)))

    agree(path, rerun(path, answer))


def _answer(asked: str, config: Config) -> Iterator[str]:
    queue, shape, system, keys = (*asked.split(" | "), "", "")[:4]
    document = {**job(shape, **json.loads(system or "{}")), **json.loads(keys or "{}")}
    person, name = Person("bob", ()), queue.strip('"')
    found, every = admit_everywhere(document, config, person)
    if queue != "-":
        known = [answer for answer in every if answer.queue == name and config.queues]
        found = known[0] if known else admit(document, config, name, person)
    assert (found.stored is None) == (found.admitted is False) == bool(found.refusals)
    if found.admitted:
        yield f"{found.queue or 'Flux'} takes it"
    for refusal in found.refusals:
        asked, allowed = refusal.asked, refusal.allowed
        yield f"{found.queue or 'Flux'} refuses: {refusal.kind}; asked {asked}, allowed {allowed}"
        if refusal.words:
            yield f"Flux: {refusal.words}"
        yield from _problem(refusal.problem)
    for note in found.notes:
        yield from _problem(note)
    for change in changes(document, found.stored or document):
        yield f"{change.path} = {json.dumps(change.after)}, not {json.dumps(change.before)}"


def _problem(problem: Problem) -> Iterator[str]:
    expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
    yield f"{problem.path} ({problem.rule}): {problem.message}{expected}"


# What no recorded answer holds


@for_each("text, queue, reason, kinds, words, message", [
    ("node=5/slot/core", "short", "x", ["disabled", "max nnodes", "min ngpus"],
     "job submission to short is disabled: x", "queue short accepts no jobs: x"),
    ("node=2-4/slot/core", "short", None, ["range", "disabled"],
     "job submission to short is disabled", "queue short accepts no jobs"),
    ("node/core", "short", None, ["disabled", "counts"],
     "job submission to short is disabled", "queue short accepts no jobs"),
    ("slot/core", "free", "full", ["disabled"],
     "job submission to free is disabled: full", "queue free accepts no jobs: full"),
    ("slot/core", "", "full", ["disabled"],
     "job submission is disabled: full", "Flux accepts no jobs: full"),
])  # fmt: skip
def test_a_disabled_queue_is_named_between_what_flux_cannot_count_and_limits(
    text: str, queue: str, reason: str | None, kinds: list[str], words: str, message: str
) -> None:
    config, statuses = read(QUEUES if queue else ""), {queue: Status(False, True, reason)}
    found = admit(job(text), config, queue or "as written", None, statuses)
    assert [refusal.kind for refusal in found.refusals] == kinds
    disabled = found.refusals[kinds.index("disabled")]
    assert (disabled.words, disabled.problem.message) == (words, message)


def test_a_stopped_queue_takes_jobs_and_does_not_schedule_them() -> None:
    statuses = {"batch": Status(True, False, None, "tests of the network")}
    document, config = job("node/slot/[core;gpu]"), read(QUEUES)
    _, found = admit_everywhere(document, config, Person("ada"), statuses)
    assert [(one.queue, one.admitted, one.schedules, one.held) for one in found] == [
        ("batch", True, False, "tests of the network"),
        ("short", True, False, "parent queue 'batch' is stopped"),
        ("free", True, True, ""),
        ("mine", True, True, ""),
    ]


@for_each("text, numbers, in_all", [
    ("slot=4/[core=2;gpu=3]", (0, 8, 12), (0, 8, 12)),
    ("node=2/slot=3/[core=4;gpu]", (2, 24, 6), (2, 24, 6)),
    ("rack=2/node=3/slot=2/core=4", (6, 48, 0), (6, 48, 0)),
    # What follows only Flux counts so.
    ("node=2/socket=2/slot/core=4", (2, 8, 0), (2, 16, 0)),
    ("slot=2/socket=2/core=4", (0, 8, 0), (0, 16, 0)),
    ("slot=2/node=3/core=4", (6, 48, 0), (6, 24, 0)),
    ("[slot{a}=2/[core=3;gpu=2];slot{b}=5/core=7]", (0, 35, 10), (0, 41, 4)),
    ("[node=2/slot{a}=2/core=3;node=3/slot{b}/core=4]", (3, 12, 0), (5, 24, 0)),
    ("slot=2/[core=3;memory=16]", (0, 6, 0), (0, 6, 0)),
])  # fmt: skip
def test_counts(text: str, numbers: tuple[int, ...], in_all: tuple[int, ...]) -> None:
    found: Any = counts(parse(job(text)["resources"]))
    assert (*found.by_flux.values(), *found.in_all.values()) == (*numbers, *in_all)


@for_each("person, admitted", [
    (Person("ada", ()), True),
    (Person("bob", ("chemistry",)), False),
    (Person("bob"), None),
])  # fmt: skip
def test_who_may_submit(person: Person | None, admitted: bool | None) -> None:
    found = admit(job("slot/core"), read(QUEUES), "mine", person)
    assert found.admitted is admitted
    said = [*[r.problem for r in found.refusals], *found.notes]
    assert ("only user ada, eve" in "".join(p.message for p in said)) == (admitted is not True)
    if found.refusals:
        allowed = {"allow-user": ("ada", "eve"), "allow-group": ("physics",)}
        assert found.refusals[0].allowed == allowed
    long = admit(job("slot/core", duration=1e6), read(QUEUES), "mine", person)
    assert long.admitted is False


# Beside a plain reading of the rules


sizes = st.sampled_from([None, -1, 0, 1, 2, 4, 8, 16])
bounds = st.fixed_dictionaries(dict.fromkeys(("nnodes", "ncores", "ngpus"), sizes))
seconds = st.sampled_from([None, "0", "1s", "90s", "1h"])
policies = st.fixed_dictionaries(
    {"max": bounds, "min": bounds, "limit": seconds, "default": seconds}
)
FSD = {"0": 0, "1s": 1, "90s": 90, "1h": 3600}


def table(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy table that says so; what is None is left out."""

    def known(**values: Any) -> dict[str, Any]:
        return {key: value for key, value in values.items() if value is not None}

    sizes = {bound: known(**policy[bound]) for bound in ("max", "min")}
    system = known(duration=policy["default"])
    limits = {"job-size": sizes, **known(duration=policy["limit"])}
    return {"limits": limits, "jobspec": {"defaults": {"system": system}}}


def first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


@given(
    st.lists(policies, min_size=3, max_size=3),
    st.tuples(*[st.integers(1, 4)] * 3, st.integers(0, 2)),
    st.booleans(),
    st.sampled_from([0, 1, 60, 90.5, 5000]),
)
def test_limits_by_a_plain_reading(
    layers: list[dict[str, Any]], size: tuple[int, ...], nodes: bool, asked: float
) -> None:
    common, parent, own = layers
    two = {"p": {"policy": table(parent)}, "v": {"parent": "p", "policy": table(own)}}
    config = queues.read_config({"policy": table(common), "queues": two})
    n, s, c, g = size
    slot = f"slot={s}/[core={c};gpu={g}]" if g else f"slot={s}/core={c}"
    document = job(f"node={n}/{slot}" if nodes else slot, duration=asked)
    times = n if nodes else 1
    numbers = {"nnodes": n if nodes else 0, "ncores": times * s * c, "ngpus": times * s * g}
    answers = admit_everywhere(document, config)[1]
    for found, lists in zip(answers, ((parent, common), (own, parent, common)), strict=True):
        wanted = []
        for bound in ("max", "min"):
            for key, number in numbers.items():
                limit = first(*[layer[bound][key] for layer in lists], -1)
                if limit >= 0 and ((number > limit) if bound == "max" else (number < limit)):
                    wanted.append(f"{bound} {key}")
        duration = asked or FSD[first(*[layer["default"] for layer in lists], "0")]
        limit = FSD[first(*[layer["limit"] for layer in lists], "0")]
        if limit and (not duration or duration > limit):
            wanted.append("duration")
        assert [refusal.kind for refusal in found.refusals] == wanted
        assert found.admitted is not bool(wanted)
        if found.admitted:
            assert system_of(found)["duration"] == duration
            again = admit(found.stored, config)  # what is stored stays as it is
            assert again == found
            assert changes(the(found.stored), the(again.stored)) == ()


names = st.sampled_from(["a", "b", "^b", "+q", "zz"])


@given(clusters(), constraints, st.lists(names, max_size=3) | constraints)
def test_joining_keeps_the_meaning(case: Case, asked: Any, requires: Any) -> None:
    config = queues.read_config({"queues": {"q": {"requires": requires}}})

    def nodes(constraint: Any) -> int:
        return matching.match(the(tree.read(constraint).value), case.resources)

    found = admit(job("slot/core", queue="q", constraints=asked), config)
    theirs = requires if isinstance(requires, dict) else {"properties": requires}
    both = nodes(asked) & nodes(theirs)
    assert nodes(system_of(found)["constraints"]) == both
    again = admit(found.stored, config)
    assert system_of(again).keys() == system_of(found).keys()
    assert nodes(system_of(again)["constraints"]) == both
