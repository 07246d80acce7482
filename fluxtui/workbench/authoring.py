"""Edits of the whole jobspec: its fields, its text, and how the other texts follow it.

The document is the single source of truth. The shape, the constraint, the queue, the fields and
the YAML are views of it: typing in one of them changes the document, which updates the others.
"""

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.documents.document import MAX_LEVELS, dump, not_json
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Problem, shortened, surrogate_problem
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from fluxtui.workbench.job import Begun, Form, Job, Raw
from fluxtui.workbench.state import Ask, Build, State

if TYPE_CHECKING:
    from fluxtui.model.documents.rewrite import Written
    from fluxtui.model.form.field import Context

# The fields that are also shown outside the form: as the chosen queue and in the constraint bar.
QUEUE, CONSTRAINTS = "queue", "constraints"

SHOWN = 30  # characters quoted from the text of a field that cannot be read
SHAPE_SHOWN = 50  # characters quoted from a shape


def with_shape(job: Job, earlier: Build, build: Build) -> Job:
    """Return the job with the resources of a new shape; what the edit left as it was stays.

    A task that was moved because its slot was removed moves back once the slot exists again.
    """
    if job.document is None:
        return replace(job, raw=None)
    from fluxtui.workbench.vertices import as_in_document

    listed = as_in_document(earlier.resources, build.resources, job.document.get("resources"))
    request = build.request if listed is build.resources else parse(listed)
    document = jobspec.with_resources(job.document, listed, request)
    former = dict(job.former_slots)
    labels, tasks = request.labels, document.get("tasks")
    if isinstance(tasks, list):
        moved = any(map(operator.is_not, tasks, job.document["tasks"]))
        before = parse(job.document.get("resources")).labels if moved else labels
        for number, task in enumerate(tasks):
            if former.get(number) in labels:
                tasks[number] = {**task, "slot": former.pop(number)}
            elif task is not job.document["tasks"][number] and len(labels) != len(before):
                former.setdefault(number, job.document["tasks"][number].get("slot"))
    return replace(changed(job, document), former_slots=former)


def with_constraint(job: Job, ask: Ask) -> Job:
    """Return the job with the constraint of the bar, unless it has a constraint of its own."""
    if job.own:
        return job
    constraints = to_json(ask.constraint) if ask.constraint is not None else None
    return _with_system(job, CONSTRAINTS, constraints)


def with_queue(job: Job, queue: str | None) -> Job:
    """Return the job with this queue."""
    if job.document is not None and jobspec.system(job.document).get(QUEUE) == queue:
        return job
    return _with_system(job, QUEUE, queue)


def _with_system(job: Job, key: str, value: Any | None) -> Job:
    if job.document is None:
        return replace(job, raw=None)
    return changed(job, jobspec.with_system(job.document, key, value))


def changed(job: Job, document: Mapping[str, Any]) -> Job:
    """Return the job with another document, which replaces any jobspec text that is unreadable.

    Typed texts of fields are kept, except those whose value in the document has changed.
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
    """Return the text for the constraint bar for the constraints of a document; "" for none."""
    if not isinstance(constraints, Mapping) or not constraints:
        return ""
    import json

    return from_constraint(constraints) or json.dumps(constraints)


def context(state: State, document: Mapping[str, Any]) -> "Context":
    """Return the context in which the fields of the job are read: environment, cwd and queues."""
    from fluxtui.model.form.field import Context

    config = state.cluster.config
    names = tuple(queue.name for queue in config.queues) if config is not None else ()
    around = state.around
    return Context(environ=around.environ, cwd=around.cwd, queues=names, document=document)


def field_text(state: State, name: str) -> str:
    """Return the text of a field: as it was typed, or else formatted from the document."""
    typed = state.job.typed.get(name)
    if typed is not None:
        return typed
    if name == CONSTRAINTS and not state.job.own:
        return ""
    from fluxtui.model.form import fields

    return fields.text(fields.by_name(name), state.jobspec())


def type_field(state: State, name: str, text: str) -> Job:
    """Return the job after a field got this text; a text that cannot be read is kept as typed.

    Until it can be read, the job keeps the value from before the field was edited, not the value
    that a beginning of the text happens to have: ``2 hours`` is not 2 seconds.
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
    control = surrogate_problem(text)
    if control is not None:
        return job.with_typed(name, text, (control,))
    reading = field.read(text, context(state, document))
    own, after = begun.own, begun.before
    if reading.ok:
        own, after = job.own, document
        value = reading.value
        if name == CONSTRAINTS:
            own = value is not MISSING
            if not own and state.ask.constraint is not None:
                value = to_json(state.ask.constraint)
        after = field.put(document, value)
    if after is not document or own != job.own:
        job = replace(changed(job, after), own=own, begun=replace(begun, after=after))
    if not reading.ok:
        return job.with_typed(name, text, reading.problems)
    return job.with_typed(name, None if fields.text(field, after) == text else text)


def unread_again(state: State) -> Job:
    """Return the job with its typed field texts read again, for their problems (for a draft)."""
    from fluxtui.model.form import fields

    job, document = state.job, state.jobspec()
    for name, text in job.typed.items():
        reading = fields.by_name(name).read(text, context(state, document))
        if not reading.ok:
            job = job.with_typed(name, text, reading.problems)
    return job


@dataclass(frozen=True, slots=True)
class Unread:
    """A field whose text cannot be read.

    label    the label of the field
    text     its text as typed
    held     the text of the value that the job holds instead, the previous one; "" for none
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
        """``with 1h``: the value that the job holds instead."""
        return f"with {_short(self.held)}" if self.held.strip() else "with the field blank"


def unread(state: State) -> tuple[Unread, ...]:
    """Return the fields that cannot be read, in the order of the form."""
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


def missing_from_job(state: State) -> tuple[str, ...]:
    """Say what of the typed shape and constraint the jobspec does not hold; empty if it holds both.

    ``the shape has an error: the job asks for slot=4/core=8``. A text that was not typed but shows
    what the document holds, wrong as that may be, leaves out nothing.
    """
    build, ask, found = state.build, state.ask, []
    has_bad_shape = not build.blank and not build.shape.ok
    if not has_bad_shape and not ask.stale:
        return ()  # as after nearly every key, for which the jobspec need not be built
    document = state.jobspec()
    if has_bad_shape:
        held = format_shape(from_resources(document.get("resources", ())).value)
        if held != build.text:
            held = f"asks for {shortened(held, SHAPE_SHOWN)}" if held else "has none"
            found.append(f"the shape has an error: the job {held}")
    if ask.stale:
        constraint = jobspec.system(document).get(CONSTRAINTS)
        if constraint_text(constraint) != ask.text:
            held = "the last valid one" if constraint else "none"
            found.append(f"the constraint has an error: the job has {held}")
    return tuple(found)


def _short(text: str) -> str:
    """Return a text as one short line."""
    return shortened(" ".join(text.split()), SHOWN)


def read_text(text: str, form: Form) -> "tuple[Written | None, tuple[Problem, ...]]":
    """Read the text of a whole jobspec, in YAML or JSON; return None with problems if it is not."""
    from fluxtui.model.documents import document, rewrite

    found = document.read_json(text) if form == "json" else document.read_yaml(text)
    errors = tuple(p for p in found.problems if p.severity == "error")
    if not found.readable or errors:
        return None, found.problems
    if not isinstance(found.value, dict):
        keys = ", ".join(jobspec.KEYS)
        message = f"a jobspec is a dictionary with the keys {keys}"
        return None, (Problem(message, rule="RFC 14"),)
    suspect = text.count("[") + text.count("{") > MAX_LEVELS or _HALVED.search(text)
    if form == "json" and suspect and (problem := not_json(found.value)):
        return None, found.located((problem,))
    return rewrite.read(found), found.problems


# An escape for one half of a surrogate pair, paired or alone.
_HALVED = re.compile(r"\\u[dD][89a-fA-F]")


def job_text(state: State, form: Form) -> str:
    """Return the text of the whole jobspec as YAML or JSON, in the layout that the user gave it."""
    job = state.job
    if job.raw is not None and job.raw.form == form:
        return job.raw.text
    written = job.written.get(form)
    if written is not None:
        from fluxtui.model.documents import rewrite

        return rewrite.rewritten(written, state.jobspec()).text
    return dump(state.jobspec(), form)


def is_text(job: Job, text: str, form: Form) -> bool:
    """Whether a text is the one that the job was last read from, or last failed to be read from."""
    if job.raw is not None:
        return job.raw.form == form and job.raw.text == text
    written = job.written.get(form)
    return written is not None and written.text == text and written.value is job.document


def type_jobspec(state: State, text: str, form: Form) -> State:
    """Return the state after the jobspec text was typed; shape and constraint are not yet updated.

    If the job has vertices so far, a text without a list of vertices is treated as unreadable, as
    it is probably unfinished: the vertices are kept.
    """
    from fluxtui.workbench.vertices import are_vertices, no_vertices

    written, problems = read_text(text, form)
    has_vertices = state.build.resources and are_vertices(state.jobspec())
    if has_vertices and written is not None and not are_vertices(written.value):
        written, problems = None, no_vertices(text, form)
    if written is None:
        return replace(state, job=replace(state.job, raw=Raw(text, form, problems)))
    job = changed(state.job, written.value)
    return replace(state, job=replace(job, written={**job.written, form: written}))


def new_ask(state: State) -> requires.Requires | None:
    """Return the document's constraint, read from its text for the bar; None if the bar has it."""
    document = state.job.document
    if document is None or state.job.own:
        return None
    wanted = jobspec.system(document).get(CONSTRAINTS)
    shown = to_json(state.ask.constraint) if state.ask.constraint is not None else None
    if wanted == shown or (not wanted and shown is None):
        return None
    return requires.read(constraint_text(wanted))
