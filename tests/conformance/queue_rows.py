"""Queue configurations and what their queues do to jobs (RFC 33)."""

import tomllib

from fluxtui.answers.admission import Admission, Person, admit_everywhere
from fluxtui.answers.feasibility import sched_simple as simple
from fluxtui.model import queues
from tests.conformance.cases import Row, cluster
from tests.conformance.reasons import queue_reason
from tests.conformance.verdict import Answer, Verdict, judge, written


def queue_row(row: Row) -> Verdict:
    """Whether a configuration is valid."""
    ours = Answer(queues.read_config(tomllib.loads(row["toml"])).ok)
    expected = row.get("rfc", {}).get("config_ok", row["config_ok"])
    flux = {"": Answer(row["config_ok"])}
    return judge(row["id"], row["toml"], ours, Answer(expected), flux, queue_reason(row, ours.ok))


def has_job(row: Row) -> bool:
    """Whether a row says what becomes of a job: not where the configuration is refused."""
    return "accepted" in row or "accepted" in row.get("rfc", {})


def admission_row(row: Row) -> Verdict:
    """Whether a job is taken, and its system attributes then; Flux's words where it is not."""
    rfc = row.get("rfc", {})
    found, words = _answer(row)
    system = found.stored["attributes"]["system"] if found.stored is not None else {}
    ours = Answer(not words and found.admitted is True, system)
    flux = Answer(row.get("accepted", False), row.get("system"))
    counts = Answer(rfc.get("accepted", flux.ok), flux.value)
    if "constraints" in rfc:
        ours = Answer(ours.ok, system.get("constraints"))
        counts = Answer(rfc["accepted"], rfc["constraints"])
    asked = written(row["request"]["attributes"]["system"])
    given = f"{row['toml']}{written(row['request']['resources'])} {asked}"
    reason = "queue-hosts" if "constraints" in rfc else "queue-access" if not ours.ok else ""
    settled = None if rfc.get("ambiguous") else counts
    verdict = judge(row["id"], given, ours, settled, {"": flux}, reason)
    if verdict.outcome == "agreed" and not ours.ok:
        theirs = Answer(True, row["error"])
        return judge(row["id"], given, Answer(True, words), theirs, {"": theirs}, "")
    return verdict


def _answer(row: Row) -> tuple[Admission, str]:
    """The answer to a job, and what Flux would say where it is refused.

    The scheduler is asked too where the configuration wants that at submission.
    """
    config = queues.read_config(tomllib.loads(row["toml"]))
    found = admit_everywhere(row["request"], config, Person(row["user"], ()))[0]
    if found.refusals:
        return found, found.refusals[0].words
    if config.ingest.feasibility and found.stored is not None:
        return found, simple.check_feasibility(found.stored, cluster(row["R"])).words
    return found, ""
