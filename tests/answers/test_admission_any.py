"""Admission beside a plain reading of its rules, and on anything at all."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.admission import changes
from fluxtui.model import queues
from fluxtui.model.constraint import tree
from tests.answers.admissions import QUEUES, admit, job, read, system_of
from tests.answers.explain.cases import Case, clusters, constraints

sizes = st.sampled_from([None, -1, 0, 1, 2, 4, 8, 16])
bounds = st.fixed_dictionaries(dict.fromkeys(("nnodes", "ncores", "ngpus"), sizes))
seconds = st.sampled_from([None, "0", "1s", "90s", "1h"])
policies = st.fixed_dictionaries(
    {"max": bounds, "min": bounds, "limit": seconds, "default": seconds}
)
FSD = {"0": 0, "1s": 1, "90s": 90, "1h": 3600}


def table(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy table that says so; what is None is left out."""
    limits: dict[str, Any] = {
        "job-size": {
            bound: {k: v for k, v in policy[bound].items() if v is not None}
            for bound in ("max", "min")
        }
    }
    if policy["limit"] is not None:
        limits["duration"] = policy["limit"]
    system = {"duration": policy["default"]} if policy["default"] is not None else {}
    return {"limits": limits, "jobspec": {"defaults": {"system": system}}}


def first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


@given(
    st.lists(policies, min_size=3, max_size=3),
    st.tuples(*[st.integers(1, 4)] * 3, st.integers(0, 2)),
    st.booleans(),
    st.sampled_from([0, 1, 60, 90.5, 5000]),
)
def test_limits_by_a_plain_reading(
    layers: list[dict[str, Any]], size: tuple[int, ...], nodes: bool, asked: float
) -> None:
    common, parent, own = layers
    config = queues.read_config(
        {
            "policy": table(common),
            "queues": {
                "p": {"policy": table(parent)},
                "v": {"parent": "p", "policy": table(own)},
            },
        }
    )
    n, s, c, g = size
    gpus = [{"type": "gpu", "count": g}] if g else []
    slot = {"type": "slot", "count": s, "with": [{"type": "core", "count": c}, *gpus]}
    top = {"type": "node", "count": n, "with": [slot]} if nodes else slot
    document = {**job("slot/core", duration=asked), "resources": [top]}
    times = n if nodes else 1
    numbers = {"nnodes": n if nodes else 0, "ncores": times * s * c, "ngpus": times * s * g}
    for queue, lists in (("p", (parent, common)), ("v", (own, parent, common))):
        wanted = []
        for bound in ("max", "min"):
            for key, number in numbers.items():
                limit = first(*[layer[bound][key] for layer in lists])
                if limit in (None, -1):
                    continue
                if (number > limit) if bound == "max" else (number < limit):
                    wanted.append(f"{bound} {key}")
        duration = asked or FSD[first(*[layer["default"] for layer in lists], "0")]
        limit = FSD[first(*[layer["limit"] for layer in lists], "0")]
        if limit and (not duration or duration > limit):
            wanted.append("duration")
        found = admit(document, config, queue)
        assert [refusal.kind for refusal in found.refusals] == wanted
        assert found.admitted is not bool(wanted)
        if found.admitted:
            assert system_of(found)["duration"] == duration


names = st.sampled_from(["a", "b", "^b", "+q", "zz"])


@given(clusters(), constraints, st.lists(names, max_size=3) | constraints)
def test_joining_keeps_the_meaning(case: Case, asked: Any, requires: Any) -> None:
    config = queues.read_config({"queues": {"q": {"requires": requires}}})
    found = admit(job("slot/core", queue="q", constraints=asked), config)
    stored = tree.read(system_of(found)["constraints"]).value
    mine = tree.read(asked).value
    theirs = tree.read(requires if isinstance(requires, dict) else {"properties": requires})
    assert stored is not None
    assert mine is not None
    assert theirs.value is not None
    both = matching.match(mine, case.resources) & matching.match(theirs.value, case.resources)
    assert matching.match(stored, case.resources) == both
    again = admit(found.stored or {}, config)
    assert system_of(again).keys() == system_of(found).keys()
    twice = tree.read(system_of(again)["constraints"]).value
    assert twice is not None
    assert matching.match(twice, case.resources) == both


@given(
    st.sampled_from(["batch", "short", "free", None]),
    st.sampled_from([0, 30, 60.5]),
    st.lists(names, max_size=3) | st.none(),
)
def test_what_is_stored_stays_as_it_is(queue: str | None, duration: float, asked: Any) -> None:
    document = job("node/slot/[core;gpu]", duration=duration)
    if asked is not None:
        document["attributes"]["system"]["constraints"] = {"properties": asked}
    found = admit(document, read(QUEUES), queue)
    assert found.stored is not None
    again = admit(found.stored, read(QUEUES))
    assert again == found
    assert changes(found.stored, again.stored or {}) == ()
