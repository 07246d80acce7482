"""What is said of a job that a queue refuses: Flux's own words, and ours."""

import json
from typing import Any

from fluxtui.answers.admission import Person
from tests.answers.admissions import QUEUES, admit, job, read
from tests.each import for_each
from tests.model.cases import Case, cases

#: A queue, a shape, its system attributes, and other keys of the jobspec. Below are the words of
#: Flux, the sentence for a person, and its path with what was expected.
SENTENCES = """
batch | node=5/slot/[core=4;gpu]
    requested nnodes (5) exceeds policy limit of 4 for queue batch
    5 nodes are asked for; queue batch takes at most 4 (policy.limits.job-size.max.nnodes)
    resources[0].count: at most 4 nodes
short | node/slot=3/[core=30;gpu]
    requested ncores (90) exceeds policy limit of 64 for queue short
    90 cores are asked for; queue short takes at most 64
        (queues.batch.policy.limits.job-size.max.ncores)
    resources[0].with[0].with[0].count: at most 64 cores
batch | slot/core
    requested ngpus (0) is under policy limit of 1 for queue batch
    0 gpus are asked for; queue batch takes at least 1
        (queues.batch.policy.limits.job-size.min.ngpus)
    resources: at least 1 gpu
batch | node/slot/[core;gpu] | {"duration": 4000}
    requested duration (1.1h) exceeds policy limit of 1h for queue batch
    1 hour 6 minutes 40 seconds is asked for; queue batch takes at most 1 hour
        (policy.limits.duration)
    attributes.system.duration: at most 1h
short | node/slot/[core;gpu] | {"duration": 90.6}
    requested duration (1.5m) exceeds policy limit of 1.5m for queue short
    1 minute 30.6 seconds is asked for; queue short takes at most 1 minute 30 seconds
        (queues.short.policy.limits.duration)
    attributes.system.duration: at most 90
mine | slot/core
    -
    only user ada, eve and members of physics may submit to queue mine
        (queues.mine.policy.access.allow-user, queues.mine.policy.access.allow-group); flux-core
        0.88 does not enforce this yet
    attributes.system.queue:
bach | slot/core
    Invalid queue 'bach' specified
    queue bach is not configured; did you mean batch?
    attributes.system.queue: batch, short, free, mine
"" | slot/core
    '' is not a valid queue
    the name of the queue is empty
    attributes.system.queue: batch, short, free, mine
free | node=2-4/slot/core
    resource count must be an integer for type 'node' (got 'dict')
    the count of node is a range, and Flux compares one whole number with its limits
    resources[0].count: a whole number
free | node=1,3/slot/core
    resource count must be an integer for type 'node' (got 'str')
    the count of node is a set of numbers, and Flux compares one whole number with its limits
    resources[0].count: a whole number
free | node=2-4/slot/core | {} | {"version": 9999}
    level 0: Expected integer, got object
    the count of node is a range, and Flux compares one whole number with its limits
    resources[0].count: a whole number
free | slot/core | {} | {"resources": [{"type": "slot", "count": "2"}], "version": 2}
    level 0: Expected integer, got string
    the count of slot is a text, and Flux compares one whole number with its limits
    resources[0].count: a whole number
free | slot/core | {} | {"resources": [{"type": "gpu", "count": 0}]}
    Invalid count 0 for type 'gpu'
    the count of gpu is 0, and Flux counts from 1
    resources[0].count: 1 or more
free | slot/core | {} | {"resources": [{"type": "gpu", "count": 1.5}]}
    -
    the count of gpu is not a number
    resources[0].count: a whole number
free | slot/core | {} | {"resources": [{"type": "node", "count": 1, "with": {}}]}
    level 1: must be an array
    with is a list of resources
    resources[0].with:
free | slot/core | {} | {"resources": [5]}
    -
    a resource is a dictionary with a type
    resources[0]:
free | slot/core | {} | {"resources": 5}
    -
    resources is a list
    resources:
free | node=2/core=4
    Unable to determine slot count
    Flux counts cores by the slot, and no slot is asked for
    resources: a slot
free | slot=2/gpu
    Unable to determine slot size
    Flux counts slots by their cores, and no core is asked for
    resources: a core
free | slot/core | {"duration": "1h"}
    attributes.system.duration must be a number
    duration is a number of seconds; found a string
    attributes.system.duration: 3600
free | slot/core | {"constraints": ["gpu"]}
    -
    a constraint is a dictionary; found a list
    attributes.system.constraints: {...}
free | slot/core | {"constraints": {"properties": "gpu"}}
    -
    properties of a constraint is an array of names
    attributes.system.constraints.properties: [...]
free | slot/core | {} | {"attributes": 5}
    -
    attributes is a dictionary; found 5
    attributes: {...}
"""

#: A shape likewise, and the configuration that leads to a refusal.
ELSEWHERE = """
slot=8/core
    config: [policy.limits]
    config: job-size.min.nnodes = 2
    requested nnodes (0) is under policy limit of 2
    0 nodes are asked for, as slots without nodes count as none; Flux takes at least 2
        (policy.limits.job-size.min.nnodes)
node/slot/core
    config: [policy.limits]
    config: job-size.max.nnodes = 0
    requested nnodes (1) exceeds policy limit of 0
    1 node is asked for; Flux takes at most 0 (policy.limits.job-size.max.nnodes)
slot/core
    config: [policy.limits]
    config: duration = '1h'
    requested duration (unlimited) exceeds policy limit of 1h
    no duration is asked for; Flux takes at most 1 hour (policy.limits.duration)
slot/core
    config: [policy.limits]
    config: duration = 'inf'
    requested duration (unlimited) exceeds policy limit of infinity
    no duration is asked for; under a limit, even an infinite one, Flux wants one
        (policy.limits.duration)
slot/core
    config: [policy]
    config: jobspec.defaults.system.duration = 'inf'
    duration must be a normal, finite value
    a job without a duration gets an infinite one, which Flux refuses
        (policy.jobspec.defaults.system.duration)
slot/core
    config: [policy]
    config: limits.duration = '1h'
    config: jobspec.defaults.system.duration = '2h'
    requested duration (2h) exceeds policy limit of 1h
    2 hours is the default duration (policy.jobspec.defaults.system.duration); Flux takes at
        most 1 hour (policy.limits.duration)
slot/core
    config: [queues.a]
    no queue specified
    no queue is named, and none is the default
slot/core
    config: [queues.a]
    config: [ingest.frobnicator]
    config: disable = true
    a named queue is required
    no queue is named, and none is the default
slot/core | {"queue": "a"}
    'a' is not a valid queue
    queue a is not configured; there is only the queue without a name
slot/core | {"queue": "a"}
    config: [policy.jobspec.defaults]
    Invalid queue 'a' specified
    queue a is not configured; there is only the queue without a name
slot/core | {"queue": ""}
    '' is not a valid queue
    the name of the queue is empty
slot/core | {"queue": 5}
    config: [queues.a]
    -
    queue is a string
slot/core
    config: [policy.access]
    config: allow-user = []
    -
    nobody may submit (policy.access.allow-user); flux-core 0.88 does not enforce this yet
slot/core
    config: [policy.access]
    config: allow-group = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    -
    only members of a, b, c, d, e and 2 more may submit (policy.access.allow-group); flux-core
        0.88 does not enforce this yet
"""


def document_of(shape: str, system: str = "{}", others: str = "{}") -> dict[str, Any]:
    """The jobspec of a case."""
    return {**job(shape, **json.loads(system)), **json.loads(others)}


@for_each("case", cases(SENTENCES))
def test_refused_in_these_words(case: Case) -> None:
    queue, *parts = case.given.split(" | ")
    found = admit(document_of(*parts), read(QUEUES), queue.strip('"'), Person("bob", ()))
    first = found.refusals[0]
    problem = first.problem
    expected = f"{problem.path}: {', '.join(problem.expected)}".strip()
    assert [first.words or "-", problem.message, expected] == case.lines
    assert problem.rule.startswith("RFC ")
    assert (found.admitted, found.stored, found.queue) == (False, None, queue.strip('"'))


@for_each("case", cases(ELSEWHERE))
def test_refused_elsewhere(case: Case) -> None:
    *config, words, message = case.lines
    text = "\n".join(line.removeprefix("config: ") for line in config)
    found = admit(document_of(*case.given.split(" | ")), read(text), user=Person("bob", ()))
    assert found.admitted is False
    assert found.refusals[0].words == words.removeprefix("-")
    assert found.refusals[0].problem.message == message
