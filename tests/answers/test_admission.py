"""Whether queues take a job (RFC 33)."""

import time

from fluxtui.answers.admission import Counts, Person, counts
from fluxtui.model import queues
from fluxtui.model.jobspec.request import parse
from fluxtui.model.queues import Status
from tests.answers.admissions import QUEUES, RECORDED, admit, answers, matrix, read, system_of
from tests.each import for_each
from tests.model.jobspecs import job
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
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        answers = matrix(document, config, Person("bob", ("users",)))
        best = min(best, time.process_time() - start)
    assert all(answer.admitted is False for answer in answers)
    assert best < 0.016
