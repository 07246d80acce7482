"""What the tests of admission start from: configurations and jobspecs."""

import tomllib
from collections.abc import Mapping
from typing import Any

from fluxtui.answers.admission import Admission, Person, admit_everywhere
from fluxtui.model import queues
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Config, Status
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


def job(text: str, **system: Any) -> dict[str, Any]:
    """The jobspec of a shape with other system attributes."""
    document = jobspec.build(to_resources(parse_shape(text)))
    document["attributes"]["system"].update(system)
    return document


def matrix(
    document: Any,
    config: Config,
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
) -> tuple[Admission, ...]:
    """The answer of every queue."""
    return admit_everywhere(document, config, user, statuses)[1]


def admit(
    document: Any,
    config: Config,
    queue: str | None = "as written",
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
) -> Admission:
    """The answer of the queue that a job names, or of another as though it named that."""
    if queue == "as written":
        return admit_everywhere(document, config, user, statuses)[0]
    answers = matrix(document, config, user, statuses)
    named = next((answer for answer in answers if answer.queue == queue), None)
    if named is not None and config.queues:
        return named
    if isinstance(document, dict):
        document = jobspec.with_system(document, "queue", queue)
    return admit(document, config, user=user)


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
