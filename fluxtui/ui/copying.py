"""What can be copied or saved from a state."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from fluxtui.model import jobspec
from fluxtui.model.constraint import to_json
from fluxtui.ui.wording import counted, shorten
from fluxtui.workbench import State, job_text, looked
from fluxtui.workbench.job import Form

FORMS: tuple[tuple[str, Form], ...] = (("y", "yaml"), ("j", "json"))


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to copy: the letter that picks it, its name, what it is now, and its text."""

    key: str
    label: str
    detail: str
    text: Callable[[], str]


def _json(document: object) -> str:
    return jobspec.dump(document, "json")


def choices(state: State) -> list[Choice]:
    """What there is to copy now, most wanted first."""
    found: list[Choice] = []
    build, ask, resources = state.build, state.ask, state.cluster.resources
    if build.resources:
        found.append(Choice("s", "shape", shorten(build.text, 48), lambda: build.text))
        found += [
            Choice(
                letter,
                f"jobspec as {form.upper()}",
                "",
                partial(job_text, state, form),
            )
            for letter, form in FORMS
        ]
    if ask.mask:
        which = "matching" if ask.constraint is not None else "all"
        detail = counted(ask.totals.nodes, "node")
        found += [
            Choice("h", f"{which} hosts", detail, lambda: resources.hosts_of(ask.mask, limit=None)),
            Choice("r", f"{which} ranks", detail, lambda: str(resources.ranks_of(ask.mask))),
        ]
    constraint = ask.constraint
    if constraint is not None:
        found.append(
            Choice("c", "constraint as JSON", "RFC 31", lambda: json.dumps(to_json(constraint)))
        )
    outlook = state.outlook
    if outlook.placement is not None and not outlook.old:
        placed = outlook.placement.mask
        detail = counted(placed.bit_count(), "node")
        found.append(
            Choice("p", "placed hosts", detail, lambda: resources.hosts_of(placed, limit=None))
        )
    own = looked(state).own if outlook.unasked and not outlook.stale else outlook.own
    stored = own.stored if own is not None else None
    if stored is not None and not outlook.stale:
        found.append(Choice("f", "jobspec as Flux stores it", "JSON", partial(_json, stored)))
    cursor = state.cursor
    if cursor is not None:
        host = resources.host(cursor)
        found.append(Choice("n", "selected node", host, lambda: host))
    return found
