"""The job templates of the user's settings, as examples to start from."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from fluxtui.bridge.settings import Template
from fluxtui.library import Example
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.form import fields
from fluxtui.model.form.field import NOWHERE
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import printable
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.opening.jobspecs import open_jobspec

#: The origin that these examples show.
ORIGIN = "Templates"


def examples_of(templates: Iterable[Template]) -> tuple[Example, ...]:
    """Return templates as examples, each with a whole jobspec; reads the files that they name.

    A file without a readable jobspec is left out, and so is a field that is unknown or unreadable.
    """
    return tuple(_examples(templates))


def _examples(templates: Iterable[Template]) -> Iterator[Example]:
    for number, template in enumerate(templates):
        if template.jobspec is None:
            document, shape, constraint = _document(template), template.shape, template.requires
        else:
            opened, _ = open_jobspec(template.jobspec)
            if opened is None or opened.job.document is None:
                continue
            document, shape, constraint = dict(opened.job.document), opened.shape, opened.requires
        yield Example(
            id=f"template-{number}",
            rfc=ORIGIN,
            section="of your site",
            title=printable(template.name),
            text=printable(template.description) or "A job of your site.",
            shape=shape,
            requires=constraint,
            constraint=jobspec.system(document).get("constraints"),
            document=document,
        )


def _document(template: Template) -> dict[str, Any]:
    """Return the jobspec of a template's shape, constraint and fields."""
    constraint = requires.read(template.requires).constraint
    document = jobspec.build(
        to_resources(parse_shape(template.shape)),
        constraints=None if constraint is None else to_json(constraint),
    )
    for field in fields.FIELDS:
        if field.name in template.form:
            text = template.form[field.name]
            read = field.read(text, replace(NOWHERE, document=document))
            document = field.put(document, read.value) if read.ok else document
    return document
