"""Reading shapes and queries, beside Flux's own parsers; and checking a jobspec.

Flux's command line builds a parser for each text it reads. Here both are measured: a text with a
new parser, and a text with a parser that was built before and has kept its tables.
"""

from collections.abc import Callable
from typing import Any, Literal

from fluxtui.model import verdict
from fluxtui.model.documents import document
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.benchmarks.measure import bounded, report, side_by_side, timed
from tests.reference import flux

#: Use case 2.4 of RFC 46.
SHAPE = "node/[slot=10{read-db}/[core;memory=4{unit:GB}];slot{db}/[core=6;memory=24{unit:GB}]]"

#: 60 characters with every kind of operator.
QUERY = "gpu&-debug|host:n[1-3,7]&not (bigmem|rank:0-63)&ssd,amd-mi50"

ROUNDS = 41
TIMES = 200

#: The most time a check may take after the first, in seconds.
CHECK = 0.005


def _beside(what: str, text: str, ours: Callable[[str], Any], new: Callable[[], Any]) -> bool:
    """Compare one reader with Flux's, both ways."""
    theirs, kept = "Flux, a new parser for each text", "Flux, a parser built before"
    parser = new()
    medians = side_by_side(
        {
            theirs: lambda: timed(lambda: new().parse(text), 5),
            kept: lambda: timed(lambda: parser.parse(text), TIMES),
            "fluxtui, tolerant, with places": lambda: timed(lambda: ours(text), TIMES),
        },
        ROUNDS,
    )
    limits = {"fluxtui, tolerant, with places": 0.5}
    good = report(f"{what} of {len(text)} characters, a new parser each", medians, theirs, limits)
    del medians[theirs]
    report("  the same beside a parser built before, for comparison", medians, kept, {})
    return good


def _jobspec() -> dict[str, Any]:
    """A jobspec of some 4 KB."""
    resources = to_resources(parse_shape(SHAPE))
    document = jobspec.build(resources, ["app", *(f"--option-{n}=value" for n in range(30))])
    document["attributes"]["system"]["environment"] = {f"NAME_{n}": "value" * 4 for n in range(80)}
    return document


def _check() -> bool:
    """Checking a jobspec after the first: from its text to its verdict."""
    good = True
    print("\nChecking a jobspec after the first, from its text to its verdict")
    forms: tuple[Literal["json", "yaml"], ...] = ("json", "yaml")
    for form in forms:
        text = dump(_jobspec(), form)

        def check(text: str = text) -> verdict.Verdict:
            return verdict.judge(document.read(text).value)

        assert check().valid
        good &= bounded(f"{len(text):,} bytes of {form.upper()}", check, CHECK, ROUNDS)
    return good


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    kept = _check()
    if why := flux.missing():
        print(f"\nNothing to compare with: {why}")
        return kept
    kept &= _beside("A shape", SHAPE, parse_shape, flux.new_shape_parser)
    return _beside("A query", QUERY, parse_query, flux.new_query_parser) and kept
