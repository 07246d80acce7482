"""Recorded answers: the funnel of every constraint ends with the nodes that count."""

import json

from fluxtui.answers.explain import names
from fluxtui.answers.explain.findings import findings
from fluxtui.answers.explain.relaxations import relaxations
from fluxtui.answers.explain.why import why, why_set
from fluxtui.model.constraint import requires
from fluxtui.notation.query.format import from_constraint
from tests.answers.explain.cases import explained
from tests.conformance.cases import Row, cases, cluster

ROWS = cases("match")


def answer(row: Row) -> tuple[bool, str]:
    """The answer that counts: RFC 31's where it is given, else Flux's."""
    rfc = row.get("rfc", {})
    says = rfc if rfc and rfc["follows"] != "unspecified" else row
    return says["ok"], says.get("out") or ""


def test_the_funnel_ends_with_the_recorded_answer() -> None:
    seen = 0
    for row in ROWS:
        fine, out = answer(row)
        reading = requires.read(json.dumps(row["constraint"]))
        if not fine or reading.constraint is None:
            continue
        seen += 1
        found = cluster(row["R"])
        explanation = explained(reading.text, found)
        assert found.ranks_text(explanation.mask) == out, row["id"]
        left = explanation.funnel[-1].left
        assert left == explanation.count == explanation.mask.bit_count()
        assert findings(explanation) is not None
        for index in range(min(found.node_count, 4)):
            assert why(explanation, index).matches == bool(explanation.mask >> index & 1)
        told = why_set(explanation, found.everything)
        assert told.out == found.everything ^ explanation.mask
        unknown = names.unknown(reading.constraint, found)
        for one in relaxations(explanation, unknown):
            again = explained(one.text, found)
            assert again.count == one.count > explanation.count
        text = from_constraint(row["constraint"])
        if text:
            assert explained(text, found).mask == explanation.mask
    assert seen > 100
