"""What the tests of admission start from: configurations and jobspecs."""

import tomllib
from typing import Any

from fluxtui.answers.admission.admission import Admission
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import queues
from fluxtui.model.queues.queues import Config
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


def job(text: str, **system: Any) -> dict[str, Any]:
    """The jobspec of a shape with other system attributes."""
    document = jobspec.build(to_resources(parse_shape(text)))
    document["attributes"]["system"].update(system)
    return document


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
