"""What the tests of admission start from: configurations and jobspecs; and recorded answers."""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fluxtui.answers.admission import Admission, Person, admit_everywhere, changes
from fluxtui.model import queues
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Config, Status
from fluxtui.notation.problem import Problem
from tests.model.jobspecs import job


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


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


# Recorded answers


RECORDED = Path(__file__).with_name("admissions.txt")


def answers() -> Callable[[str], Iterable[str]]:
    """What is answered to the lines of the file, one after the other; see `tests.recorded`.

    Lines that begin with ``:`` are the configuration of what follows. What is asked is one line::

        QUEUE | SHAPE [| SYSTEM [| KEYS]]

    QUEUE is ``-`` where the job names its own; SYSTEM and KEYS are the JSON of system attributes
    and of other keys of the jobspec. The answer has each refusal in the words of Flux and in ours,
    and what Flux adds.
    """
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

    return answer


def _answer(asked: str, config: Config) -> Iterator[str]:
    queue, shape, system, keys = (*asked.split(" | "), "", "")[:4]
    document = {**job(shape, **json.loads(system or "{}")), **json.loads(keys or "{}")}
    named = "as written" if queue == "-" else queue.strip('"')
    found = admit(document, config, named, user=Person("bob", ()))
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
