"""Pages for tests, and what fluxtui itself answers to the texts that are typed on them."""

import json
import random
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fluxtui.answers.explain import explanation, names
from fluxtui.bridge import themes
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import Problem, surrogate_problem
from fluxtui.opening.clusters import open_cluster
from fluxtui.page.colours import Colours
from fluxtui.page.page import RANGES, page
from tests.campaign import seeds
from tests.campaign.mutation import Source
from tests.conformance import cases
from tests.each import the

ROOT = Path(__file__).parents[2]
# Clusters whose names are hard to tell apart.
ODD = ("odd", "sparse", "twice", "racks")
_NEAR = [
    *("foo1", "bar01", "n1", "SSD", "gup", "big-men", "rack1n5", "h[0-9]", "n1-x[1-3]", "r07-s0"),
    *("a1b2", "logn", "3-7", "x+z", "foo00[1-3]", "rakc1n0"),
]
_LEADS = ("", "", "host:", "rank:", "-", "gpu|")
# Numbers at the limit of their digits, and what messages do not quote whole or as it is.
_LONG_SETS = [
    text.replace("@", "1" * count)
    for count in (20, 99, 100, 101, 160, 5000)
    for text in ("0-@", "@", "3,@", "0-3,@-@", "n[0-@]", "n@", "n[0-3,@]")
]
_LONG = [
    *(
        f'{{"{sign * count}": 1, "{sign}": 2}}'
        for sign in "a\x1f\u202e日"
        for count in (60, 61, 300)
    ),
    *(f'{{"properties": [{sign * 70}]}}' for sign in "x1-"),
    *(f"{sign * count}({sign}" for sign in "a\x1b\u2800👩" for count in (61, 600)),
]


@cache
def odd(name: str) -> Resources:
    """One of those clusters."""
    hosts, ranks, properties = {
        "odd": (
            ["n[0-9]-x1", "n1-x[2-9]", "n[01-03]", "n[1-3]", "login", "a1b2", "n10-x1"],
            "0-26",
            {"gpu": "0-9", "n1": "3", "foo1": "5-7", "foo2": "6-9", "a1b2x": "1", "3": "4"},
        ),
        "sparse": (
            ["foo[1-5,7,9-12]", "bar001", "bar[2-4]"],
            "0-3,7,10-12,100-105",
            {"ssd": "0-3", "SSD2": "7", "big-mem": "10-12", "x+y": "100"},
        ),
        "twice": (["h[0-3]", "h[0-3]", "h[2-5]"], "0-11", {"gpu": "0-5", "gpus": "6"}),
        "racks": (["rack[1-3]n0", "rack1n[1-4]", "r[08-12]-s0"], "0-11", {"a": "0", "b": "1-3"}),
    }[name]
    execution = {
        "R_lite": [{"rank": ranks, "children": {"core": "0-3"}}],
        "nodelist": hosts,
        "properties": properties,
    }
    found = document.read_text(json.dumps({"version": 1, "execution": execution}))
    assert found.ok, found.problems
    return found


def colours(name: str) -> Colours:
    """Those of a theme that ships."""
    file = the(themes.read_theme(themes.theme_paths(shipped=True)[name]).value)
    return Colours(file.dark, file.colors, file.roles)


@cache
def demo() -> Resources:
    """The cluster that ships."""
    return the(open_cluster("demo", None)[0]).resources


def written(resources: Resources, *constraints: str, title: str = "A list") -> str:
    """The page of a list of constraints."""
    steps = tuple(Step(f"Step {number}", text) for number, text in enumerate(constraints, 1))
    shown = [colours("paper"), colours("dusk")]
    return page(Stage(title, steps), resources, "R.json", shown, colours("paper"))


def texts() -> Iterator[tuple[str, str]]:
    """What is typed, on the cluster of which name: every recorded case, and changed ones."""
    asked = seeds.asked("json", "idset", "hostlist", "why")
    yield from (("", text) for text in [*seeds.queries(), *asked])
    if not cases.missing():
        yield from ((row["R"], json.dumps(row["constraint"])) for row in cases.rows("match"))
    chance = random.Random(35)
    sets = [text for name in ("idset", "hostlist") for text in seeds.asked(name)]
    for source in (Source(seeds.queries), Source(lambda: sets), Source(lambda: _NEAR)):
        for _ in range(500):
            text = source.mutant(chance)
            # A browser may know characters that this Python does not.
            is_known = "Cn" not in map(unicodedata.category, text)
            if len(text) < 120 and is_known and surrogate_problem(text) is None:
                yield chance.choice(("", *ODD)), chance.choice(_LEADS) + text
    for text in (*_LONG, *(f"{lead}{text}" for lead in _LEADS for text in _LONG_SETS)):
        yield "", text


def cluster(name: str) -> Resources:
    """The cluster of a name: of none the one that ships."""
    if name in ODD:
        return odd(name)
    return cases.cluster(name) if name else demo()


def _as_json(problem: Problem) -> list[Any]:
    span = list(problem.span) if problem.span else None
    one = problem
    return [one.message, span, one.path, [*one.expected], one.rule, one.severity]


def answered(text: str, resources: Resources) -> dict[str, Any]:
    """What fluxtui says of a text: as `SCRIPT` has the page say it."""
    reading = requires.read(text)
    found: dict[str, Any] = {
        "problems": [*map(_as_json, reading.problems)],
        "tokens": [[token.kind, list(token.span)] for token in reading.tokens],
    }
    shown = explanation.explain(reading, resources)
    if shown is None or reading.constraint is None:
        return found
    hints = reading.located(names.hints(reading.constraint, resources))
    totals = resources.totals(shown.mask)
    return {
        "problems": [*found["problems"], *map(_as_json, hints)],
        "tokens": found["tokens"],
        "constraint": json.loads(json.dumps(to_json(reading.constraint))),
        "ranks": resources.ranks_text(shown.mask),
        "hosts": resources.hosts_of(shown.mask, limit=RANGES),
        "totals": [totals.nodes, totals.cores, totals.gpus],
        "parts": [
            [line.part.alone, line.part.left, line.guide, line.words, line.note]
            for line in explanation.lines(shown.root)
        ],
    }


#: What the page answers to a list of [cluster, text], the clusters being JSON by their names.
SCRIPT = """
((clusters, texts) => {
    const known = {};
    for (const name in clusters) known[name] = new Cluster(JSON.parse(clusters[name]));
    return texts.map(([name, text]) => {
        const cluster = known[name], found = answer(text, cluster);
        const problems = found.problems.map(
            (one) => [one.message, one.span, one.path, one.expected, one.rule, one.severity]);
        const said = {problems, tokens: found.tokens};
        if (found.constraint) {
            said.constraint = JSON.parse(objectText(found.constraint));
            said.ranks = cluster.ranksText(found.mask);
            said.hosts = cluster.hostsText(found.mask);
            said.totals = [found.count, found.cores, found.gpus];
            said.parts = found.lines.map(({part, guide, words, note}) =>
                [part.alone, part.left, guide, words, note]);
        }
        return said;
    });
})
"""
