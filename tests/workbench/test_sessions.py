"""What edits do to the state, recorded whole in ``sessions.txt``.

What is asked is one line of ``FACTS: START | EDIT | EDIT ...``. START is a cluster, a shape, a
constraint, and more of who submits; where it begins with a configuration, that is of the cluster
`queued`. EDIT is an edit of the workbench with its arguments, or one of
`OTHER`. Arguments are JSON, or the name of a cluster; hosts with plus signs between are the cluster
of these. What is answered are the facts at the start, and those that each edit changes.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench as wb
from fluxtui.answers.compare import changes
from fluxtui.model import queues
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Status
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.shape.format import format_shape
from tests.each import the
from tests.model.clusters import alike, document, lite
from tests.opened import after, demo, done, of_document
from tests.recorded import Agree, rerun

RECORDED = Path(__file__).with_name("sessions.txt")

QUEUES: dict[str, Any] = {
    "policy": {"jobspec": {"defaults": {"system": {"queue": "a", "duration": "1h"}}}},
    "queues": {
        "a": {"requires": ["a"]},
        "g": {"requires": ["g"], "policy": {"limits": {"job-size": {"max": {"nnodes": 1}}}}},
        "v": {"parent": "a"},
        "shut": {"policy": {"access": {"allow-user": ["alice"]}}},
    },
}
TWO = queues.read_config({"queues": {"a": {}, "b": {}}})


def queued(config: dict[str, Any] | None = QUEUES) -> wb.Cluster:
    """Four nodes of 8 cores, two of 4 cores and 2 gpus, and some queues."""
    entries = (lite("0-3", "0-7"), lite("4-5", "0-3", "0-1"))
    properties = {"a": "0-3", "g": "4-5", "both": "3-4"}
    read = None if config is None else queues.read_config(config)
    return of_document(document(*entries, nodelist=["n[0-5]"], properties=properties), config=read)


def listed(hosts: str, config: queues.Config | None = TWO) -> wb.Cluster:
    """A cluster of these hosts; those that begin with g have the property gpu."""
    given = hosts.split("+")
    gpus = ",".join(str(place) for place, host in enumerate(given) if host.startswith("g"))
    every, properties = ",".join(map(str, range(len(given)))), {"gpu": gpus} if gpus else {}
    raw = document(lite(every), nodelist=given, properties=properties)
    return of_document(raw, hosts, config, "/R.json")


PROPERTIES = {"gpu": "6-7", "debug": "0,7", "big": "4-6"}
CLUSTERS: dict[str, Callable[[], wb.Cluster]] = {
    "nothing": lambda: wb.start().cluster,
    "demo": demo,
    "small": lambda: of_document(alike(8, properties=PROPERTIES), "small"),
    "other": lambda: of_document(alike(12, properties={"gpu": "0-2", "big": "2-3"}), "other"),
    "a": lambda: of_document(alike(8, properties={"gpu": "0-1"}), "a", path="/a"),
    "b": lambda: of_document(alike(12, properties={"gpu": "0-1"}), "b", path="/b"),
    "c": lambda: of_document(alike(4, properties={"gpu": "0-1"}), "c", path="/c"),
    "b-again": lambda: of_document(alike(3), "b", path="/b"),
    "empty": lambda: of_document(document(nodelist=[]), "empty", path="/empty"),
    "queued": queued,
    "unqueued": lambda: queued(None),
    "pasted": lambda: of_document(alike(2), "pasted"),
    "pasted-too": lambda: of_document(alike(3), "pasted"),
    "alike": lambda: of_document(
        document(lite("2-5"), nodelist=["n"] * 4), "alike", TWO, "/R.json"
    ),
    "alike-less": lambda: of_document(
        document(lite("3,5,9"), nodelist=["n"] * 3), "alike", None, "/R.json"
    ),
    "one-queue": lambda: listed("n0", queues.read_config({"queues": {"a": {}}})),
}


@cache
def cluster(name: str) -> wb.Cluster:
    """A cluster by its name, or by its hosts."""
    return CLUSTERS[name]() if name in CLUSTERS else listed(name)


def words(text: str) -> Iterator[Any]:
    """The words of a step: names of clusters, and values of JSON."""
    reader, text = json.JSONDecoder(), text.strip()
    while text:
        name, _, rest = text.partition(" ")
        if text[0] in '"[{-0123456789' or name in ("null", "true", "false"):
            value, end = reader.raw_decode(text)
            yield value
            text = text[end:].strip()
        else:
            yield cluster(name)
            text = rest.strip()


def compared(one: wb.Cluster, other: wb.Cluster) -> wb.CompareDocuments:
    found = the(changes(one.resources, other.resources))
    return wb.CompareDocuments(wb.Compared(one, other, found, ()))


def reloading(before: wb.Cluster, again: wb.Cluster) -> wb.ReloadCluster:
    return wb.ReloadCluster(before, again, the(changes(before.resources, again.resources)))


#: Steps that are no edits of the workbench, or take a state or two to make.
OTHER: dict[str, Callable[..., wb.History]] = {
    "undo": lambda history: history.undo(),
    "redo": lambda history: history.redo(),
    "compare": lambda history, *two: history.do(compared(*two)),
    "reload": lambda history, again: history.do(reloading(history.state.cluster, again)),
    "reload-other": lambda history, *two: history.do(reloading(*two)),
    "yaml": lambda history, *change: history.do(
        wb.TypeJobspec(wb.job_text(history.state, "yaml").replace(*change, 1), "yaml")
    ),
    "type": lambda history, field, text: typed(history, wb.TypeField, text, field),
    "type-shape": lambda history, text: typed(history, wb.TypeShape, text),
    "type-requires": lambda history, text: typed(history, wb.TypeRequires, text),
}


def typed(history: wb.History, edit: Callable[..., wb.Edit], text: str, *place: str) -> wb.History:
    """The history after a text was typed character by character."""
    for end in range(1, len(text) + 1):
        history = history.do(edit(*place, text[:end]))
    return history


# Facts


def ranks(state: wb.State, mask: int) -> str:
    return state.cluster.resources.ranks_text(mask) or "none"


def _documents(state: wb.State) -> str:
    here = state.place if state.documents else None
    named = [
        f"{one.cluster.source.name}/{one.cluster.resources.node_count}" for one in state.documents
    ]
    return " ".join(f"[{name}]" if n == here else name for n, name in enumerate(named)) or "none"


def _cursor(state: wb.State) -> str:
    at, nodes = state.cursor, state.cluster.resources
    return "none" if at is None else f"{nodes.host(at)} at {at}"


def _shape(state: wb.State) -> str:
    build = state.build
    tree = f", tree {format_shape(build.vertices)}" if build.stale else ""
    return f"{build.text!r}{tree}{', faulty' if build.syntax and not build.blank else ''}"


def _verdict(state: wb.State) -> str:
    if state.verdicts is None:
        return "none"
    canonical = state.verdicts.canonical.ok
    found = {"canonical": canonical, "V1": state.verdicts.v1.ok}
    words = ", ".join(f"{'' if ok else 'not '}{name}" for name, ok in found.items())
    return f"{words}{'' if canonical == (not state.build.canonical) else ', though its shape is'}"


def _requires(state: wb.State) -> str:
    ask = state.ask
    where = any(problem.span for problem in ask.problems if problem.severity == "error")
    kind = f"{', stale' if ask.stale else ''}{', faulty' if where else ''}"
    return (
        f"{ask.text!r} on {ranks(state, ask.mask)}{', JSON' if ask.requires.is_json else ''}{kind}"
    )


def _totals(state: wb.State) -> str:
    found = state.ask.totals
    return f"{found.nodes} nodes, {found.cores} cores, {found.gpus} gpus"


def _kept(state: wb.State) -> str:
    found, kept = state.comparison, state.kept
    if found is None or kept is None:
        return "none"
    sides = {"both": found.both, "gained": found.gained, "lost": found.lost}
    words = ", ".join(f"{name} {ranks(state, mask)}" for name, mask in sides.items())
    return f"{kept.text!r} on {ranks(state, kept.mask)}; {words}"


def _fit(state: wb.State) -> str:
    fit = state.outlook.fit
    words = {True: "yes", False: "no", None: "unknown"}
    return f"{'none' if fit is None else words[fit.feasible]}{', stale' * state.outlook.stale}"


def _queues(state: wb.State) -> str:
    found = []
    for name, one in sorted(state.outlook.statuses.items()):
        enabled = "enabled" if one.enabled else f"disabled ({one.disable_reason})"
        started = "started" if one.started else f"stopped ({one.why_stopped})"
        found.append(f"{name} {enabled} {started}")
    return ", ".join(found)


def _raw(state: wb.State) -> str:
    raw = state.job.raw
    if raw is None:
        return "none"
    found = (f"{p.path}: {p.message}{'' if p.span else ', nowhere'}" for p in raw.errors)
    return f"{'; '.join(found)}{', stale' * state.stale}"


FACTS: dict[str, Callable[[wb.State], object]] = {
    "documents": _documents,
    "cursor": _cursor,
    "selected": lambda state: ranks(state, state.selected),
    "shape": _shape,
    "verdict": _verdict,
    "requires": _requires,
    "totals": _totals,
    "kept": _kept,
    "compared": lambda state: "yes" if state.compared else "no",
    "queue": lambda state: f"{state.submission.queue}, known as {state.known_queue}",
    "looked at": lambda state: state.looked_at,
    "supposed": lambda state: ", ".join(state.submission.what_if) or "nothing",
    "queues": _queues,
    "goes to": lambda state: state.outlook.queue,
    "admitted": lambda state: state.outlook.admitted,
    "fit": _fit,
    "rooms": lambda state: state.outlook.rooms,
    "runs in": lambda state: {
        name: state.outlook.runs_in(name) for name in ("a", "g", "shut", "no")
    },
    "why": lambda state: the(state.outlook.fit).own.reasons[0].message,
    "refused": lambda state: [(r.kind, r.words) for r in the(state.outlook.own).refusals],
    "sent": lambda state: json.dumps(jobspec.system(state.outlook.jobspec)),
    "notes": lambda state: [note.message for note in the(state.outlook.own).notes],
    "left": lambda state: ranks(state, state.left),
    "system": lambda state: json.dumps(jobspec.system(state.jobspec())),
    "tasks": lambda state: json.dumps(
        [(t["slot"], *t["command"]) for t in state.jobspec()["tasks"]]
    ),
    "own": lambda state: state.job.own,
    "raw": _raw,
    "unread": lambda state: [f"{u.label} {u.text!r} {u.instead}".strip() for u in wb.unread(state)],
}


def answers(line: str) -> Iterator[str]:
    """The facts of a session."""
    asked, _, session = line.partition(": ")
    first, *steps = session.split(" | ")
    config, first = QUEUES, first.strip()
    if first.startswith("{"):
        config, end = json.JSONDecoder().raw_decode(first)
        first = f"queued{first[end:]}"
    on, shape, requires, submission = [*words(first), *["", "", {}][len([*words(first)]) - 1 :]]
    history = wb.History(
        wb.start(
            queued(config) if config is not QUEUES else on,
            shape,
            requires,
            submission=wb.Submission(
                submission.get("queue"),
                submission.get("user"),
                (),
                {name: Status(**one) for name, one in submission.get("statuses", {}).items()},
            ),
        )
    )
    known: dict[str, object] = {}
    for step in ("", *steps):
        before, steps_before = history, len(history.past)
        name, _, given = step.partition(" ")
        if name in OTHER:
            history = OTHER[name](history, *words(given))
        elif name:
            history = history.do(getattr(wb, name)(*words(given)))
        facts = {name: FACTS[name](history.state) for name in asked.split(", ")}
        new = [f"{name} {fact}" for name, fact in facts.items() if known.get(name, ...) != fact]
        if history.state is before.state and step:
            new = ["the same state"]
        steps_now = len(history.past) - steps_before
        more = [f"{steps_now:+} step{'s' * (abs(steps_now) > 1)}"] if steps_now else []
        yield f"{step or 'start'}: {'; '.join([*new, *more]) or 'nothing of that'}"
        known = facts


def test_sessions_are_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


def test_selecting_changes_nothing_else_and_ends_with_the_cluster() -> None:
    state = wb.start(cluster("small"), "node=2/slot/core=2", "gpu")
    chosen = after(state, wb.Select(0b11))
    for name in ("ask", "outlook", "verdicts", "cursor"):
        assert getattr(chosen, name) is getattr(state, name)
    assert after(chosen, wb.OpenCluster(cluster("other"))).selected == 0
    # Another configuration beside the same nodes takes the place of that before.
    beside = wb.Cluster.of(state.cluster.source, state.cluster.resources)
    again = after(chosen, wb.OpenCluster(beside))
    assert (again.selected, len(again.documents), again.cluster) == (0b11, 1, beside)


# From nodes to a constraint


@given(st.integers(min_value=1, max_value=0xFF))
def test_the_constraint_for_nodes_has_just_these(mask: int) -> None:
    found = the(wb.constraint_for(mask, cluster("small").resources, lambda: False))
    state = after(wb.start(cluster("small")), wb.EditRequires(found.text))
    assert state.ask.mask == mask
    assert not state.ask.stale


def test_properties_tell_nodes_apart_where_they_can() -> None:
    found = the(wb.constraint_for(0b11000000, cluster("small").resources, lambda: False))
    assert (found.by, found.text) == ("properties", "gpu")
    assert wb.constraint_for(0b101, cluster("small").resources, lambda: True) is None  # not wanted


# Documents that are closed, and read again


def test_what_is_closed_is_let_go() -> None:
    class Seen(Resources):
        gone: ClassVar[list[str]] = []

        def __del__(self) -> None:
            self.gone.append("gone")

    def open_and_close() -> wb.History:
        found = cluster("b").resources
        seen = Seen(**{f.name: getattr(found, f.name) for f in fields(found) if f.name[0] != "_"})
        on = wb.OpenCluster(wb.Cluster.of(wb.Source("seen", "/seen"), seen))
        texts = map(wb.EditRequires, ("gpu", "rank:2", "gpu|rank:3"))
        history = done(wb.History(wb.start(a)), on, *texts)
        history = done(history, wb.KeepConstraint(), wb.EditRequires("")).undo()
        history = done(history, wb.SwapConstraints(), wb.EditRequires("rank:1")).undo()
        return history.do(wb.CloseDocument(1))

    a = cluster("a")
    history = open_and_close()
    assert Seen.gone == ["gone"]
    history = history.undo().undo()
    assert history.state.cluster is a
    again = after(wb.start(a), wb.EditRequires(history.state.ask.text))
    assert history.state.ask.mask == again.ask.mask


def hosts_of(state: wb.State) -> set[str]:
    """The hosts that are selected."""
    found = state.cluster.resources
    return {found.host(at) for at in range(found.node_count) if state.selected >> at & 1}


HOSTS = st.lists(st.sampled_from([f"n{i}" for i in range(9)]), min_size=1, unique=True)


@given(HOSTS, HOSTS, st.integers(0, 511), st.integers(0, 8))
def test_it_is_what_names_one_by_one_give(
    before: list[str], hosts: list[str], mask: int, cursor: int
) -> None:
    state = after(wb.start(listed("+".join(before))), wb.Select(mask), wb.MoveCursor(cursor))
    then = after(state, reloading(state.cluster, listed("+".join(hosts))))
    chosen, kept = (hosts_of(one) for one in (state, then))
    assert kept == chosen & set(hosts)
    under, now = (one.cluster.resources.host(the(one.cursor)) for one in (state, then))
    assert now == under if under in hosts else now in hosts
