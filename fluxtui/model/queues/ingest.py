"""What Flux does to a job as it comes in: the ``ingest`` table of a configuration.

No RFC describes the table; flux-core does, in flux-config-ingest(5).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Ingest(NamedTuple):
    """The steps between submission and queue.

    defaults     the default queue and duration are filled in
    constraints  what the queue requires is added to the job's constraint
    feasibility  the scheduler is asked whether there is room at all
    """

    defaults: bool = True
    constraints: bool = True
    feasibility: bool = False


def read_ingest(table: Mapping[str, Any]) -> Ingest:
    """The steps that a whole configuration asks for; what is malformed counts as not there.

    Jobs are filled in where the configuration has queues or defaults of jobspecs, or names the
    plugins to do it, unless that is disabled.
    """
    frobnicator = _table(table, "ingest", "frobnicator")
    named = _names(frobnicator.get("plugins"))
    wanted = named or "queues" in table or "defaults" in _table(table, "policy", "jobspec")
    on = bool(wanted) and frobnicator.get("disable") is not True
    checks = _names(_table(table, "ingest", "validator").get("plugins"))
    return Ingest(
        defaults=on and (not named or "defaults" in named),
        constraints=on and (not named or "constraints" in named),
        feasibility="feasibility" in checks,
    )


def _table(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The table within tables; an empty one where there is none."""
    for key in keys:
        found = table.get(key)
        table = found if isinstance(found, dict) else {}
    return table


def _names(value: object) -> list[str]:
    """The plugins of an array; one entry may hold several with commas between."""
    entries = value if isinstance(value, list) else ()
    return [name for entry in entries if isinstance(entry, str) for name in entry.split(",")]
