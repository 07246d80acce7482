"""What the fields of the form answer, recorded whole in ``fields.txt``.

What is asked is one line of ``FIELD | TEXT [| FIELD := VALUE]`` or ``FIELD := VALUE``: a text that
is typed into a field, in a job where another field has a value, or a field of which the job has
this value. Texts and values are JSON; ``nothing`` is a part that is not there.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fluxtui.model.constraint.completion import Names
from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.jobspec.jobspec import MISSING
from tests.each import the
from tests.model.jobspecs import RFC25

PATH = Path(__file__).parent / "fields.txt"
ROUND = Context(
    environ={"HOME": "/home/me", "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"},
    cwd="/home/me/run",
    queues=("batch", "debug"),
    document=RFC25["2.4"],
    names=Names({"gpu": 48, "ssd": 8}),
)


def _value(text: str) -> Any:
    return MISSING if text == "nothing" else json.loads(text)


def _text(value: Any) -> str:
    return "nothing" if value is MISSING else json.dumps(value, ensure_ascii=False)


def answer(asked: str) -> Iterator[str]:
    """What a field reads, writes, describes, offers at the end, and what is wrong."""
    where, _, given = asked.rpartition(" | ") if asked.count(" | ") == 2 else (asked, "", asked)
    name, is_set, value = given.partition(" := ")
    document = ROUND.document
    if is_set:
        document = fields.by_name(name).put(document, _value(value))
    name, is_typed, text = where.partition(" | ")
    field = fields.by_name(name.partition(" := ")[0])
    if is_typed:
        text = json.loads(text)
        context = Context(ROUND.environ, ROUND.cwd, ROUND.queues, document, ROUND.names)
        found = field.read(text, context)
        if found.ok:
            yield f"reads {_text(found.value)}"
            if (canonical := field.write(found.value)) != text:
                yield f"writes {_text(canonical)}"
            if words := field.describe(found.value, context):
                yield f"describes {words}"
        offers = field.complete(text, len(text), context)
        if offers:
            made = [text[: o.span.start] + o.text + text[o.span.end :] for o in offers]
            yield f"offers {_text(made)}"
    else:
        text = fields.text(field, document)
        yield f"shows {_text(text)}"
    for problem in fields.problems(field, text, document, ROUND):
        place = text[slice(*the(problem.span))]
        at = "" if place == text else f" at {_text(place)}"
        path = "" if problem.path == field.path else f" of {problem.path}"
        expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
        yield f"{problem.severity}{at}{path}: {problem.message}{expected} [{problem.rule}]"
