"""What a person wrote in a workbench, to be held against what is there later; and a job to open."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from fluxtui import workbench
from fluxtui.workbench import State

#: A jobspec with comments and a layout of its own.
JOB = """\
# what a person wrote
version: 1
resources:   # two nodes
  - type: node
    count: 2
    with:
      - {type: slot, count: 1, label: task, with: [{type: core, count: 4}]}
tasks:
  - command: [ "hostname", '-s' ]
    slot: task
    count: {per_slot: 1}
attributes:
  system:
    duration: 3600.0
    queue: gpu     # not every cluster has it
    constraints: {properties: [gpu]}
"""


class Written(NamedTuple):
    """All that a person wrote, to be held against what is there later."""

    document: str
    shape: str
    requires: str
    queue: str | None
    typed: Mapping[str, str]
    raw: tuple[str, str] | None
    yaml: str
    json: str
    own: bool

    @classmethod
    def of(cls, state: State) -> "Written":
        """What is written in the workbench; numbers count with their kind, keys with their order.

        The texts are those that would be saved.
        """
        job = state.job
        return cls(
            json.dumps(state.jobspec()),
            state.build.text,
            state.ask.text,
            state.submission.queue,
            dict(job.typed),
            (job.raw.text, job.raw.form) if job.raw is not None else None,
            workbench.job_text(state, "yaml"),
            workbench.job_text(state, "json"),
            job.own,
        )
