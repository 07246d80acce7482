"""Whether queues take a job (RFC 33)."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.admission import Counts, Person, changes, counts
from fluxtui.model import queues
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.request import parse
from fluxtui.model.queues import Status
from tests.answers.admissions import QUEUES, RECORDED, admit, answers, matrix, read, system_of
from tests.answers.explain.cases import Case, clusters, constraints
from tests.each import for_each, the
from tests.model.jobspecs import job
from tests.pace import within
from tests.recorded import Agree, rerun


def test_answers_are_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers()))


def test_a_disabled_queue_is_named_between_what_flux_cannot_count_and_limits() -> None:
    statuses = {"short": Status(False, True, "maintenance")}
    for text, kinds in (
        ("node=5/slot/core", ["disabled", "max nnodes", "min ngpus"]),
        ("node=2-4/slot/core", ["range", "disabled"]),
        ("node/core", ["disabled", "counts"]),
    ):
        found = admit(job(text), read(QUEUES), "short", statuses=statuses)
        assert [refusal.kind for refusal in found.refusals] == kinds


def test_a_disabled_queue() -> None:
    config = read(QUEUES)
    found = admit(job("slot/core"), config, "free", None, {"free": Status(False, True)})
    assert found.refusals[0].words == "job submission to free is disabled"
    off = Status(False, False, "disk is full", "disk is full")
    found = admit(job("slot/core"), config, "free", None, {"free": off})
    assert found.refusals[0].words == "job submission to free is disabled: disk is full"
    assert found.refusals[0].problem.message == "queue free accepts no jobs: disk is full"
    found = admit(job("slot/core"), read(""), statuses={"": off})
    assert found.refusals[0].words == "job submission is disabled: disk is full"
    assert found.refusals[0].problem.message == "Flux accepts no jobs: disk is full"


def test_a_stopped_queue_takes_jobs_and_does_not_schedule_them() -> None:
    statuses = {"batch": Status(True, False, None, "tests of the network")}
    found = matrix(job("node/slot/[core;gpu]"), read(QUEUES), Person("ada"), statuses)
    assert [answer.admitted for answer in found] == [True] * 4
    assert [(answer.schedules, answer.held) for answer in found] == [
        (False, "tests of the network"),
        (False, "parent queue 'batch' is stopped"),
        (True, ""),
        (True, ""),
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
    found = counts(parse(job(text)["resources"]))
    assert isinstance(found, Counts)
    assert tuple(found.by_flux.values()) == numbers
    assert tuple(found.in_all.values()) == in_all


@for_each("person, admitted", [
    (Person("ada", ()), True),
    (Person("bob", ("chemistry",)), False),
    (Person("bob"), None),
])  # fmt: skip
def test_who_may_submit(person: Person | None, admitted: bool | None) -> None:
    found = admit(job("slot/core"), read(QUEUES), "mine", person)
    assert found.admitted is admitted
    assert (found.stored is None) == (admitted is False)
    said = [*[r.problem for r in found.refusals], *found.notes]
    assert ("only user ada, eve" in "".join(p.message for p in said)) == (admitted is not True)
    if found.refusals:
        allowed = {"allow-user": ("ada", "eve"), "allow-group": ("physics",)}
        assert found.refusals[0].allowed == allowed
    long = admit(job("slot/core", duration=1e6), read(QUEUES), "mine", person)
    assert long.admitted is False


def test_the_queue_of_the_jobspec_or_another() -> None:
    config = read(QUEUES)
    document = job("node/slot/[core;gpu]", queue="short")
    assert admit(document, config).queue == "short"
    assert admit(document, config, "free").queue == "free"
    assert admit(document, config, None).queue == "batch"
    assert [answer.queue for answer in matrix(document, config)] == [
        "batch",
        "short",
        "free",
        "mine",
    ]
    (answer,) = matrix(document, read(""))
    assert (answer.queue, answer.admitted) == ("", True)
    assert "queue" not in system_of(answer)


def test_fifty_queues_within_a_frame() -> None:
    policy = {
        "limits": {"duration": "8h", "job-size": {"max": {"nnodes": 64, "ncores": 4096}}},
        "access": {"allow-group": ["users"]},
    }
    config = queues.read_config(
        {"queues": {f"q{i}": {"requires": [f"p{i}"], "policy": policy} for i in range(50)}}
    )
    document = job("node=4/slot=2/[core=4;gpu]", constraints={"properties": ["ssd"]})
    answers = within(0.016, lambda: matrix(document, config, Person("bob", ("users",))))
    assert all(answer.admitted is False for answer in answers)


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
    limits: dict[str, Any] = {
        "job-size": {
            bound: {k: v for k, v in policy[bound].items() if v is not None}
            for bound in ("max", "min")
        }
    }
    if policy["limit"] is not None:
        limits["duration"] = policy["limit"]
    system = {"duration": policy["default"]} if policy["default"] is not None else {}
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
    config = queues.read_config(
        {
            "policy": table(common),
            "queues": {
                "p": {"policy": table(parent)},
                "v": {"parent": "p", "policy": table(own)},
            },
        }
    )
    n, s, c, g = size
    gpus = [{"type": "gpu", "count": g}] if g else []
    slot = {"type": "slot", "count": s, "with": [{"type": "core", "count": c}, *gpus]}
    top = {"type": "node", "count": n, "with": [slot]} if nodes else slot
    document = {**job("slot/core", duration=asked), "resources": [top]}
    times = n if nodes else 1
    numbers = {"nnodes": n if nodes else 0, "ncores": times * s * c, "ngpus": times * s * g}
    for queue, lists in (("p", (parent, common)), ("v", (own, parent, common))):
        wanted = []
        for bound in ("max", "min"):
            for key, number in numbers.items():
                limit = first(*[layer[bound][key] for layer in lists])
                if limit in (None, -1):
                    continue
                if (number > limit) if bound == "max" else (number < limit):
                    wanted.append(f"{bound} {key}")
        duration = asked or FSD[first(*[layer["default"] for layer in lists], "0")]
        limit = FSD[first(*[layer["limit"] for layer in lists], "0")]
        if limit and (not duration or duration > limit):
            wanted.append("duration")
        found = admit(document, config, queue)
        assert [refusal.kind for refusal in found.refusals] == wanted
        assert found.admitted is not bool(wanted)
        if found.admitted:
            assert system_of(found)["duration"] == duration


names = st.sampled_from(["a", "b", "^b", "+q", "zz"])


@given(clusters(), constraints, st.lists(names, max_size=3) | constraints)
def test_joining_keeps_the_meaning(case: Case, asked: Any, requires: Any) -> None:
    config = queues.read_config({"queues": {"q": {"requires": requires}}})
    found = admit(job("slot/core", queue="q", constraints=asked), config)
    stored = tree.read(system_of(found)["constraints"]).value
    mine = tree.read(asked).value
    theirs = tree.read(requires if isinstance(requires, dict) else {"properties": requires})
    assert stored is not None
    assert mine is not None
    both = matching.match(mine, case.resources) & matching.match(the(theirs.value), case.resources)
    assert matching.match(stored, case.resources) == both
    again = admit(found.stored or {}, config)
    assert system_of(again).keys() == system_of(found).keys()
    twice = the(tree.read(system_of(again)["constraints"]).value)
    assert matching.match(twice, case.resources) == both


@given(
    st.sampled_from(["batch", "short", "free", None]),
    st.sampled_from([0, 30, 60.5]),
    st.lists(names, max_size=3) | st.none(),
)
def test_what_is_stored_stays_as_it_is(queue: str | None, duration: float, asked: Any) -> None:
    document = job("node/slot/[core;gpu]", duration=duration)
    if asked is not None:
        document["attributes"]["system"]["constraints"] = {"properties": asked}
    found = admit(document, read(QUEUES), queue)
    assert found.stored is not None
    again = admit(found.stored, read(QUEUES))
    assert again == found
    assert changes(found.stored, again.stored or {}) == ()
