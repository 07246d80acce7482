"""No answer of ``fluxtui fit`` holds an escape, whatever a job, a queue or its state holds."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.cli import fit_jobs, fit_words
from fluxtui.model import queues
from fluxtui.model.queues import Status
from fluxtui.model.resources.document import read_text
from fluxtui.workbench import Cluster, Source, Submission, prospect

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}],
        "nodelist": ["n[0-3]"],
        "properties": {"batch": "0-2", "debug": "3"},
    },
}


NASTY = "x\x1b[31m\x07\x9b2J"
TEXT = st.sampled_from([NASTY, "a", "batch", "\u202e", "\ud800", "gpu"])
VALUES = st.recursive(
    TEXT | st.integers(-2, 9) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
VERTICES = st.recursive(
    st.fixed_dictionaries(
        {"type": TEXT | st.sampled_from(["core", "gpu", "slot"])},
        optional={"count": VALUES, "label": VALUES, "unit": TEXT, NASTY: VALUES},
    ),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["node", "slot", "socket", NASTY]), "count": st.integers(0, 9)},
        optional={"with": st.lists(inner, max_size=2), "label": TEXT},
    ),
    max_leaves=4,
)
SYSTEM = st.fixed_dictionaries(
    {},
    optional={
        "queue": VALUES,
        "duration": VALUES,
        "constraints": VALUES | st.dictionaries(st.sampled_from(["properties", NASTY]), VALUES),
        NASTY: VALUES,
    },
)
NASTY_CONFIG = queues.read_config(
    {
        "queues": {
            "batch": {"requires": ["batch"], "policy": {"access": {"allow-user": [NASTY]}}},
            NASTY: {"policy": {"limits": {"duration": "1m"}}},
        }
    }
)


@given(
    st.lists(VERTICES, max_size=2),
    SYSTEM,
    st.sampled_from([None, NASTY_CONFIG]),
    st.sampled_from([None, NASTY, "batch"]),
    st.booleans(),
)
def test_no_answer_holds_an_escape(
    vertices: list[Any], system: dict[str, Any], config: Any, queue: str | None, enabled: bool
) -> None:
    resources = read_text(json.dumps(R).replace('"debug"', json.dumps(NASTY)))
    cluster = Cluster.of(Source("R"), resources, config)
    status = Status(enabled=enabled, started=False, disable_reason=NASTY, stop_reason=NASTY)
    submission = Submission(None, "x", (), {"batch": status, NASTY: status, "": status})
    document = {"version": 1, "resources": vertices, "attributes": {"system": system}}
    outlook = prospect(fit_jobs.in_queue(document, queue), cluster, submission)
    text = fit_words.answer_text(outlook, cluster)
    assert all(line.isprintable() for line in text.split("\n"))
    json.dumps(fit_words.answer_json(outlook, cluster), allow_nan=False)
