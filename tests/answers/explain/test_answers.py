"""What is told of constraints on the cluster that ships inside, recorded whole: ``answers.txt``.

A line asks with a kind and the JSON of its arguments, what is answered is indented below it.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fluxtui.answers import matching
from fluxtui.answers.explain import edit, names
from fluxtui.answers.explain.expression import choices
from fluxtui.answers.explain.findings import findings
from fluxtui.answers.explain.properties import toggled
from fluxtui.answers.explain.relaxations import best_pairs, relaxations
from fluxtui.answers.explain.target import find
from fluxtui.answers.explain.why import why, why_set
from fluxtui.answers.listing.filtering import Filter
from fluxtui.model.constraint import requires, tree
from tests.answers.explain.cases import DEMO, explained
from tests.each import the
from tests.model.clusters import cluster
from tests.recorded import Agree, by_kind, rerun

#: Nodes for the filter, and what some of them are now.
NODES = cluster(
    "0-9,100-109",
    "login[1-2],n[0-7],GPU[01-08],nfree8,n9",
    batch="0-9",
    Big="5-100",
    big2="101",
    mi50="108-109",
    none="",
    free="5",
)
STATES = {"draining": 1, "drained": 0b11000, "torpid": 0, "free": 0b1100000110}


def _why(text: str, host: str = "dune017") -> Iterator[str]:
    (index,) = DEMO.host_index.places(host)
    yield why(explained(text, DEMO), index).sentence


def _why_set(text: str, chosen: str) -> Iterator[str]:
    """The nodes of a property, of a name, or all, none or those not in debug."""
    named = {"all": DEMO.everything, "none": 0, **DEMO.properties}
    named["not debug"] = DEMO.everything ^ DEMO.properties["debug"]
    mask = named[chosen] if chosen in named else find(chosen, DEMO).value.mask
    yield why_set(explained(text, DEMO), mask).sentence


def _findings(text: str) -> Iterator[str]:
    for one in findings(explained(text, DEMO)):
        yield f"{one.kind} {json.dumps(text[slice(*one.problem.span or (0, 0))])}: {one.message}"


def _relaxations(text: str) -> Iterator[str]:
    explanation = explained(text, DEMO)
    unknown = names.unknown(explanation.root.constraint, DEMO)
    for offer in (relaxations, best_pairs):
        for one in offer(explanation, unknown):
            assert one.sentence.endswith(("node", "nodes"))
            yield f"{one.sentence}: {one.text}"
        yield "two at once:" if offer is relaxations else "no more"


def _node(text: str) -> Iterator[str]:
    found = find(text, DEMO)
    assert found.ok
    yield f"{DEMO.ranks_text(found.value.mask)}{', a set' * found.value.is_set}"


def _filter(text: str, states: bool = False) -> Iterator[str]:
    nodes = Filter(NODES)
    found = (nodes.at(STATES) if states else nodes).nodes(text)
    assert found.problem is None
    yield f"{NODES.ranks_of(found.mask)}: {found.words}"


def _expressions(text: str) -> Iterator[str]:
    """All that selects the nodes of a text, the best first."""
    for one in choices(explained(text, DEMO).mask, DEMO):
        yield f"{one.by}: {one.text}"


def _edit(change: Callable[..., edit.Edited], text: str, piece: str, *more: str) -> Iterator[str]:
    """The text after an edit of a part, and the part that is selected then."""
    explanation = explained(text, DEMO)
    parts = (part for part in explanation.root.walk() if part.span)
    done = change(explanation, next(p for p in parts if text[slice(*p.span)] == piece), *more)
    assert done.problem is None
    after = the(explained(done.text, DEMO).part(done.path))
    yield done.text
    yield f"selected: {done.text[slice(*after.span)]}"


def _rewritten(text: str, path: str, new: Any = None) -> Iterator[str]:
    yield json.dumps(edit.rewritten(requires.read(text), {path: new and tree.read(new).value}))


def _turned(text: str) -> Iterator[str]:
    """With the property g asked for, and with it excluded."""
    for wanted in (True, False):
        yield json.dumps(toggled(requires.read(text), "g", wanted=wanted))


KINDS: dict[str, Callable[..., Iterator[str]]] = {
    "why": _why,
    "why set": _why_set,
    "findings": _findings,
    "relaxations": _relaxations,
    "node": _node,
    "expressions": _expressions,
    "filter": _filter,
    "in words": lambda obj: iter([matching.describe(tree.read(obj).value)]),
    "negate": partial(_edit, edit.negate),
    "swap": partial(_edit, edit.swap),
    "delete": partial(_edit, edit.delete),
    "join": partial(_edit, edit.join),
    "rewrite": _rewritten,
    "turn": _turned,
}


def test_answers_are_as_recorded(agree: Agree) -> None:
    path = Path(__file__).with_name("answers.txt")
    agree(path, rerun(path, by_kind(KINDS)))
