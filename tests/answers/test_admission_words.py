"""What is said of a job that a queue refuses: Flux's own words, and ours."""

from typing import Any

import pytest

from fluxtui.answers.admission.refusal import Person
from tests.answers.admissions import QUEUES, admit, job, read

#: The words of Flux and the sentence for a person, by the queue and the job that lead to them.
SENTENCES = [
    (
        "batch",
        job("node=5/slot/[core=4;gpu]"),
        "requested nnodes (5) exceeds policy limit of 4 for queue batch",
        "5 nodes are asked for; queue batch takes at most 4 (policy.limits.job-size.max.nnodes)",
        "resources[0].count",
        "at most 4 nodes",
    ),
    (
        "short",
        job("node/slot=3/[core=30;gpu]"),
        "requested ncores (90) exceeds policy limit of 64 for queue short",
        "90 cores are asked for; queue short takes at most 64 "
        "(queues.batch.policy.limits.job-size.max.ncores)",
        "resources[0].with[0].with[0].count",
        "at most 64 cores",
    ),
    (
        "batch",
        job("slot/core"),
        "requested ngpus (0) is under policy limit of 1 for queue batch",
        "0 gpus are asked for; queue batch takes at least 1 "
        "(queues.batch.policy.limits.job-size.min.ngpus)",
        "resources",
        "at least 1 gpu",
    ),
    (
        "batch",
        job("node/slot/[core;gpu]", duration=4000),
        "requested duration (1.1h) exceeds policy limit of 1h for queue batch",
        "1 hour 6 minutes 40 seconds is asked for; queue batch takes at most 1 hour "
        "(policy.limits.duration)",
        "attributes.system.duration",
        "at most 1h",
    ),
    (
        "short",
        job("node/slot/[core;gpu]", duration=90.6),
        "requested duration (1.5m) exceeds policy limit of 1.5m for queue short",
        "1 minute 30.6 seconds is asked for; queue short takes at most 1 minute 30 seconds "
        "(queues.short.policy.limits.duration)",
        "attributes.system.duration",
        "at most 90",
    ),
    (
        "mine",
        job("slot/core"),
        "",
        "only user ada, eve and members of physics may submit to queue mine "
        "(queues.mine.policy.access.allow-user, queues.mine.policy.access.allow-group); "
        "flux-core 0.88 does not enforce this yet",
        "attributes.system.queue",
        "",
    ),
    (
        "bach",
        job("slot/core"),
        "Invalid queue 'bach' specified",
        "queue bach is not configured; did you mean batch?",
        "attributes.system.queue",
        "batch, short, free, mine",
    ),
    (
        "",
        job("slot/core"),
        "'' is not a valid queue",
        "the name of the queue is empty",
        "attributes.system.queue",
        "batch, short, free, mine",
    ),
    (
        "free",
        job("node=2-4/slot/core"),
        "resource count must be an integer for type 'node' (got 'dict')",
        "the count of node is a range, and Flux compares one whole number with its limits",
        "resources[0].count",
        "a whole number",
    ),
    (
        "free",
        job("node=1,3/slot/core"),
        "resource count must be an integer for type 'node' (got 'str')",
        "the count of node is a set of numbers, and Flux compares one whole number with its limits",
        "resources[0].count",
        "a whole number",
    ),
    (
        "free",
        {**job("node=2-4/slot/core"), "version": 9999},
        "level 0: Expected integer, got object",
        "the count of node is a range, and Flux compares one whole number with its limits",
        "resources[0].count",
        "a whole number",
    ),
    (
        "free",
        {**job("node/slot/core"), "resources": [{"type": "slot", "count": "2"}], "version": 2},
        "level 0: Expected integer, got string",
        "the count of slot is a text, and Flux compares one whole number with its limits",
        "resources[0].count",
        "a whole number",
    ),
    (
        "free",
        {**job("node/slot/core"), "resources": [{"type": "gpu", "count": 0}]},
        "Invalid count 0 for type 'gpu'",
        "the count of gpu is 0, and Flux counts from 1",
        "resources[0].count",
        "1 or more",
    ),
    (
        "free",
        {**job("node/slot/core"), "resources": [{"type": "gpu", "count": 1.5}]},
        "",
        "the count of gpu is no number",
        "resources[0].count",
        "a whole number",
    ),
    (
        "free",
        {**job("node/slot/core"), "resources": [{"type": "node", "count": 1, "with": {}}]},
        "level 1: must be an array",
        "with is a list of resources",
        "resources[0].with",
        "",
    ),
    (
        "free",
        {**job("node/slot/core"), "resources": [5]},
        "",
        "a resource is a dictionary with a type",
        "resources[0]",
        "",
    ),
    (
        "free",
        {**job("node/slot/core"), "resources": 5},
        "",
        "resources is a list",
        "resources",
        "",
    ),
    (
        "free",
        job("node=2/core=4"),
        "Unable to determine slot count",
        "Flux counts cores by the slot, and no slot is asked for",
        "resources",
        "a slot",
    ),
    (
        "free",
        job("slot=2/gpu"),
        "Unable to determine slot size",
        "Flux counts slots by their cores, and no core is asked for",
        "resources",
        "a core",
    ),
    (
        "free",
        job("slot/core", duration="1h"),
        "attributes.system.duration must be a number",
        "duration is a number of seconds; found a string",
        "attributes.system.duration",
        "3600",
    ),
    (
        "free",
        job("slot/core", constraints=["gpu"]),
        "",
        "a constraint is a dictionary; found a list",
        "attributes.system.constraints",
        "{...}",
    ),
    (
        "free",
        job("slot/core", constraints={"properties": "gpu"}),
        "",
        "properties of a constraint is an array of names",
        "attributes.system.constraints.properties",
        "[...]",
    ),
    (
        "free",
        {**job("slot/core"), "attributes": 5},
        "",
        "attributes is a dictionary; found 5",
        "attributes",
        "{...}",
    ),
]


@pytest.mark.parametrize(
    ("queue", "document", "words", "message", "path", "wanted"),
    SENTENCES,
    ids=[sentence[3] for sentence in SENTENCES],
)
def test_refused_in_these_words(
    queue: str, document: Any, words: str, message: str, path: str, wanted: str
) -> None:
    found = admit(document, read(QUEUES), queue, Person("bob", ()))
    first = found.refusals[0]
    problem = first.problem
    assert (first.words, problem.message) == (words, message)
    assert (problem.path, ", ".join(problem.expected)) == (path, wanted)
    assert problem.rule.startswith("RFC ")
    assert (found.admitted, found.stored, found.queue) == (False, None, queue)


#: The same where a configuration of its own leads to them.
ELSEWHERE = [
    (
        "[policy.limits]\njob-size.min.nnodes = 2",
        job("slot=8/core"),
        "requested nnodes (0) is under policy limit of 2",
        "0 nodes are asked for, as slots alone count for none; Flux takes at least 2 "
        "(policy.limits.job-size.min.nnodes)",
    ),
    (
        "[policy.limits]\njob-size.max.nnodes = 0",
        job("node/slot/core"),
        "requested nnodes (1) exceeds policy limit of 0",
        "1 node is asked for; Flux takes at most 0 (policy.limits.job-size.max.nnodes)",
    ),
    (
        "[policy.limits]\nduration = '1h'",
        job("slot/core"),
        "requested duration (unlimited) exceeds policy limit of 1h",
        "no duration is asked for; Flux takes at most 1 hour (policy.limits.duration)",
    ),
    (
        "[policy.limits]\nduration = 'inf'",
        job("slot/core"),
        "requested duration (unlimited) exceeds policy limit of infinity",
        "no duration is asked for; under a limit, even an infinite one, Flux wants one "
        "(policy.limits.duration)",
    ),
    (
        "[policy]\njobspec.defaults.system.duration = 'inf'",
        job("slot/core"),
        "duration must be a normal, finite value",
        "a job without a duration gets an infinite one, which Flux refuses "
        "(policy.jobspec.defaults.system.duration)",
    ),
    (
        "[policy]\nlimits.duration = '1h'\njobspec.defaults.system.duration = '2h'",
        job("slot/core"),
        "requested duration (2h) exceeds policy limit of 1h",
        "2 hours is the default duration (policy.jobspec.defaults.system.duration); "
        "Flux takes at most 1 hour (policy.limits.duration)",
    ),
    (
        "[queues.a]",
        job("slot/core"),
        "no queue specified",
        "no queue is named, and none is the default",
    ),
    (
        "[queues.a]\n[ingest.frobnicator]\ndisable = true",
        job("slot/core"),
        "a named queue is required",
        "no queue is named, and none is the default",
    ),
    (
        "",
        job("slot/core", queue="a"),
        "'a' is not a valid queue",
        "queue a is not configured; there is only the queue without a name",
    ),
    (
        "[policy.jobspec.defaults]",
        job("slot/core", queue="a"),
        "Invalid queue 'a' specified",
        "queue a is not configured; there is only the queue without a name",
    ),
    ("", job("slot/core", queue=""), "'' is not a valid queue", "the name of the queue is empty"),
    ("[queues.a]", job("slot/core", queue=5), "", "queue is a string"),
    (
        "[policy.access]\nallow-user = []",
        job("slot/core"),
        "",
        "nobody may submit (policy.access.allow-user); flux-core 0.88 does not enforce this yet",
    ),
    (
        "[policy.access]\nallow-group = ['a', 'b', 'c', 'd', 'e', 'f', 'g']",
        job("slot/core"),
        "",
        "only members of a, b, c, d, e and 2 more may submit (policy.access.allow-group); "
        "flux-core 0.88 does not enforce this yet",
    ),
]


@pytest.mark.parametrize(
    ("text", "document", "words", "message"), ELSEWHERE, ids=[row[3] for row in ELSEWHERE]
)
def test_refused_elsewhere(text: str, document: Any, words: str, message: str) -> None:
    found = admit(document, read(text), user=Person("bob", ()))
    assert found.admitted is False
    assert (found.refusals[0].words, found.refusals[0].problem.message) == (words, message)
