"""Saving a workbench as a draft, and restoring a draft."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from fluxtui.bridge import files
from fluxtui.bridge.draft_json import Draft, SavedFile
from fluxtui.opening.jobspecs import OpenFile
from fluxtui.opening.saving import unfinished
from fluxtui.workbench import Job, OpenJob, Raw, State
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from fluxtui.model.documents.rewrite import Written

_FORMS: tuple[Form, ...] = ("yaml", "json")


def draft_of(
    state: State, file: OpenFile | None, config: str | None = None, *, unsaved: bool = True
) -> Draft:
    """Return everything that the user made in a workbench.

    file is the one that the job belongs to, config the path of the cluster's configuration; unsaved
    says that the job differs from the file. A job with unfinished texts always counts as unsaved.
    """
    job, source = state.job, state.cluster.source
    document = job.document
    if document is None and state.ask.stale and state.ask.constraint is not None:
        document = state.jobspec()  # has the last valid constraint, which the text no longer has
    return Draft(
        shape=state.build.text,
        requires=state.ask.text,
        queue=state.submission.queue,
        document=document,
        typed=job.typed,
        written={form: written.text for form, written in job.written.items()},
        raw=(job.raw.text, job.raw.form) if job.raw is not None else None,
        own=job.own,
        path=job.path,
        file=SavedFile(file.path, file.stamp, file.text) if file is not None else None,
        unsaved=unsaved or unfinished(state),
        cluster=source.name,
        resources=files.kept(source.path) if source.path is not None else None,
        config=files.kept(config) if config is not None else None,
    )


def restoring(draft: Draft) -> OpenJob:
    """Return the edit that replaces the job of a workbench by a draft, as one step.

    Texts of fields that this version does not have are left out.
    """
    job = Job(
        document=draft.document,
        typed=_typed(draft.typed),
        written=_written(draft.written),
        raw=_raw(draft.raw),
        own=draft.own,
        path=draft.path,
    )
    return OpenJob(draft.shape, draft.requires, draft.queue, job)


def file_of(draft: Draft) -> OpenFile | None:
    """Return the file that the job of a draft belongs to, as it was last read or written."""
    if draft.file is None:
        return None
    from fluxtui.model.documents import document

    saved = draft.file
    found = document.read(saved.text, saved.path)
    known = found.value if found.readable and isinstance(found.value, dict) else None
    form: Form = "json" if found.form == "json" else "yaml"
    return OpenFile(saved.path, saved.stamp, saved.text, form, known)


def _typed(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts of known fields: a newer version may have had others."""
    if not texts:
        return texts
    from fluxtui.model.form.fields import FIELDS

    names = {field.name for field in FIELDS}
    return {name: text for name, text in texts.items() if name in names}


def _written(texts: Mapping[str, str]) -> "Mapping[Form, Written]":
    """Return the texts that the document was read from, parsed again; unreadable ones left out."""
    from fluxtui.workbench.authoring import read_text

    found: dict[Form, Written] = {}
    for form in _FORMS:
        written, _ = read_text(texts[form], form) if form in texts else (None, ())
        if written is not None:
            found[form] = written
    return found


def _raw(raw: tuple[str, str] | None) -> Raw | None:
    """Return a text that is not the job's yet, with its problems; None if it can be read now."""
    if raw is None:
        return None
    from fluxtui.workbench.authoring import read_text
    from fluxtui.workbench.vertices import are_vertices, no_vertices

    text, name = raw
    form: Literal["yaml", "json"] = "json" if name == "json" else "yaml"
    written, problems = read_text(text, form)
    if written is not None and not are_vertices(written.value):
        written, problems = None, no_vertices(text, form)
    return Raw(text, form, problems) if written is None else None
