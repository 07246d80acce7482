"""The edits of the whole jobspec: its fields, its text, and its place among the other texts.

The document is the one truth. The shape, the constraint, the queue, the fields and the YAML are
views of it: what is typed in one of them changes the document, and the others follow.
"""

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.documents.document import MAX_LEVELS, dump, not_json
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Problem, no_character, printable
from fluxtui.notation.query.format import from_constraint
from fluxtui.workbench.job import Begun, Form, Job, Raw
from fluxtui.workbench.state import Ask, State

if TYPE_CHECKING:
    from fluxtui.model.documents.rewrite import Written
    from fluxtui.model.form.field import Context

# The fields that are views of something beyond the document.
QUEUE, CONSTRAINTS = "queue", "constraints"

SHOWN = 30  # characters of the text of a field that cannot be read


def with_shape(job: Job, resources: Sequence[Mapping[str, Any]], request: ResourceRequest) -> Job:
    """The job after its shape became one with these resources; request is these, parsed.

    A task that had to leave its slot goes back there once the slot is back.
    """
    if job.document is None:
        return replace(job, raw=None)
    document = jobspec.with_resources(job.document, resources, request)
    aims = dict(job.aims)
    there, tasks = request.labels, document.get("tasks")
    if isinstance(tasks, list):
        moved = any(map(operator.is_not, tasks, job.document["tasks"]))
        before = parse(job.document.get("resources")).labels if moved else there
        for number, task in enumerate(tasks):
            if aims.get(number) in there:
                tasks[number] = {**task, "slot": aims.pop(number)}
            elif task is not job.document["tasks"][number] and len(there) != len(before):
                aims.setdefault(number, job.document["tasks"][number].get("slot"))
    return replace(changed(job, document), aims=aims)


def with_constraint(job: Job, ask: Ask) -> Job:
    """The job after the constraint bar got another constraint, which is not one of its own."""
    if job.own:
        return job
    constraints = to_json(ask.constraint) if ask.constraint is not None else None
    return _with_system(job, CONSTRAINTS, constraints)


def with_queue(job: Job, queue: str | None) -> Job:
    """The job after it was sent to another queue."""
    if job.document is not None and jobspec.system(job.document).get(QUEUE) == queue:
        return job
    return _with_system(job, QUEUE, queue)


def _with_system(job: Job, key: str, value: Any | None) -> Job:
    if job.document is None:
        return replace(job, raw=None)
    return changed(job, jobspec.with_system(job.document, key, value))


def changed(job: Job, document: Mapping[str, Any]) -> Job:
    """The job with another document: a text of it that could not be read gives way to it.

    Texts of fields stay as they were typed, but for those of parts that are others now.
    """
    if document is job.document:
        return job
    typed = job.typed
    if typed and job.document is not None:
        from fluxtui.model.form import fields

        before = job.document
        parts = {name: fields.by_name(name) for name in typed}
        typed = {
            name: text
            for name, text in typed.items()
            if identical(parts[name].get(before), parts[name].get(document))
        }
    unread = {name: why for name, why in job.unread.items() if name in typed}
    own = job.own and CONSTRAINTS in jobspec.system(document)
    return replace(job, document=document, typed=typed, unread=unread, raw=None, own=own)


def constraint_text(constraints: object) -> str:
    """The text for the constraint bar that stands for the constraints of a document."""
    if not isinstance(constraints, Mapping) or not constraints:
        return ""
    import json

    return from_constraint(constraints) or json.dumps(constraints)


def context(state: State, document: Mapping[str, Any]) -> "Context":
    """What the fields of the job know of the world around it."""
    from fluxtui.model.form.field import Context

    config = state.cluster.config
    names = tuple(queue.name for queue in config.queues) if config is not None else ()
    around = state.around
    return Context(environ=around.environ, cwd=around.cwd, queues=names, document=document)


def field_text(state: State, name: str) -> str:
    """The text of a field: as it was typed, or else as the document says it."""
    typed = state.job.typed.get(name)
    if typed is not None:
        return typed
    if name == CONSTRAINTS and not state.job.own:
        return ""
    from fluxtui.model.form import fields

    return fields.text(fields.by_name(name), state.jobspec())


def type_field(state: State, name: str, text: str) -> Job:
    """The job after a field got this text; what it cannot take stays beside it, as typed.

    Meanwhile the job holds what it held before the field was begun to be changed, not what a
    beginning of the text happens to say: ``2 hours`` is not 2 seconds.
    """
    from fluxtui.model.form import fields
    from fluxtui.model.jobspec.jobspec import MISSING

    if text == field_text(state, name):
        return state.job
    job, field = state.job, fields.by_name(name)
    document = job.document if job.document is not None else state.jobspec()
    begun = job.begun
    if begun is None or begun.name != name or begun.after is not job.document:
        begun = Begun(name, document, job.own, document)
    odd = no_character(text)
    if odd is not None:
        return job.with_typed(name, text, (odd,))
    found = field.read(text, context(state, document))
    own, after = begun.own, begun.before
    if found.ok:
        own, after = job.own, document
        value = found.value
        if name == CONSTRAINTS:
            own = value is not MISSING
            if not own and state.ask.constraint is not None:
                value = to_json(state.ask.constraint)
        after = field.put(document, value)
    if after is not document or own != job.own:
        job = replace(changed(job, after), own=own, begun=replace(begun, after=after))
    if not found.ok:
        return job.with_typed(name, text, found.problems)
    return job.with_typed(name, None if fields.text(field, after) == text else text)


def unread_again(state: State) -> Job:
    """The job with the reasons why texts of fields say nothing, as where it is from a draft."""
    from fluxtui.model.form import fields

    job, document = state.job, state.jobspec()
    for name, text in job.typed.items():
        found = fields.by_name(name).read(text, context(state, document))
        if not found.ok:
            job = job.with_typed(name, text, found.problems)
    return job


@dataclass(frozen=True, slots=True)
class Unread:
    """A field whose text cannot be read.

    label    what the field is called
    text     its text as it was typed
    held     the text of what the job holds instead, as it did before; "" for nothing
    problem  why the text cannot be read, and what was expected; its path is that of the field
    """

    label: str
    text: str
    held: str
    problem: Problem

    @property
    def words(self) -> str:
        """``Duration '2 hours' cannot be read``."""
        return f"{self.label} '{_short(self.text)}' cannot be read"

    @property
    def instead(self) -> str:
        """``with 1h``: what the job holds instead."""
        return f"with {_short(self.held)}" if self.held.strip() else "with the field blank"


def unread(state: State) -> tuple[Unread, ...]:
    """The fields that cannot be read, in the order of the form."""
    if not state.job.unread:
        return ()
    from fluxtui.model.form import fields

    job, document = state.job, state.jobspec()
    found = []
    for field in fields.FIELDS:
        errors = (p for p in job.unread.get(field.name, ()) if p.severity == "error")
        if (problem := next(errors, None)) is not None:
            held = fields.text(field, document)
            found.append(Unread(field.label, job.typed[field.name], held, problem))
    return tuple(found)


def _short(text: str) -> str:
    """A text in one short line."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def read_text(text: str, form: Form) -> "tuple[Written | None, tuple[Problem, ...]]":
    """A text of a whole jobspec, in YAML or JSON; None where it is none, with the reasons."""
    from fluxtui.model.documents import document, rewrite

    found = document.read_json(text) if form == "json" else document.read_yaml(text)
    wrong = tuple(problem for problem in found.problems if problem.severity == "error")
    if not found.readable or wrong:
        return None, found.problems
    if not isinstance(found.value, dict):
        keys = ", ".join(jobspec.KEYS)
        message = f"a jobspec is a dictionary with the keys {keys}"
        return None, (Problem(message, rule="RFC 14"),)
    is_odd = text.count("[") + text.count("{") > MAX_LEVELS or _HALVED.search(text)
    if form == "json" and is_odd and (odd := not_json(found.value)):
        return None, found.located((odd,))
    return rewrite.read(found), found.problems


# An escape that stands for half of a character, beside the other half or alone.
_HALVED = re.compile(r"\\u[dD][89a-fA-F]")


def job_text(state: State, form: Form) -> str:
    """The text of the whole jobspec in a form, in the layout that a person gave it."""
    job = state.job
    if job.raw is not None and job.raw.form == form:
        return job.raw.text
    written = job.written.get(form)
    if written is not None:
        from fluxtui.model.documents import rewrite

        return rewrite.rewritten(written, state.jobspec()).text
    return dump(state.jobspec(), form)


def is_text(job: Job, text: str, form: Form) -> bool:
    """A text says what the job has been read from, or what it could not be read from, last."""
    if job.raw is not None:
        return job.raw.form == form and job.raw.text == text
    written = job.written.get(form)
    return written is not None and written.text == text and written.value is job.document


def type_jobspec(state: State, text: str, form: Form) -> State:
    """The state after the whole jobspec was typed, but for the shape and the constraint.

    A text whose resources are no list of vertices, as on the way to one, is no text of a job where
    there are vertices so far: those stay.
    """
    from fluxtui.workbench.vertices import are_vertices, no_vertices

    written, problems = read_text(text, form)
    some = state.build.resources and are_vertices(state.jobspec())
    if some and written is not None and not are_vertices(written.value):
        written, problems = None, no_vertices(text, form)
    if written is None:
        return replace(state, job=replace(state.job, raw=Raw(text, form, problems)))
    job = changed(state.job, written.value)
    return replace(state, job=replace(job, written={**job.written, form: written}))


def new_ask(state: State) -> requires.Requires | None:
    """The constraint of the document as a text for the bar; None where the bar says it already."""
    document = state.job.document
    if document is None or state.job.own:
        return None
    wanted = jobspec.system(document).get(CONSTRAINTS)
    asked = to_json(state.ask.constraint) if state.ask.constraint is not None else None
    if wanted == asked or (not wanted and asked is None):
        return None
    return requires.read(constraint_text(wanted))
