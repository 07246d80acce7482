"""A job into a file: the text that it is saved as, and the file as it is then."""

from fluxtui.bridge import files
from fluxtui.model import jobspec
from fluxtui.notation.source import Problem
from fluxtui.opening.jobspecs import OpenFile
from fluxtui.workbench import State
from fluxtui.workbench.job import Form


def save_job(state: State, path: str, form: Form) -> tuple[OpenFile | None, tuple[Problem, ...]]:
    """Write the jobspec of a state to a file; the file as it is then, None where it is not written.

    Problems say why it is not, or that the layout of the text could not be kept. A text that cannot
    be read is written as it stands.
    """
    text, odd = saved_text(state, form)
    stamp, problems = files.save(path, text)
    if stamp is None:
        return None, problems
    document = state.jobspec() if state.job.raw is None else None
    return OpenFile(str(files.expanded(path).absolute()), stamp, text, form, document), odd


def saved_text(state: State, form: Form) -> tuple[str, tuple[Problem, ...]]:
    """The text that a job is saved as, with a warning where the layout could not be kept."""
    from fluxtui.model import rewrite

    job = state.job
    if job.raw is not None and job.raw.form == form:
        return job.raw.text, ()
    written = job.written.get(form)
    if written is None:
        return jobspec.dump(state.jobspec(), form), ()
    found = rewrite.verified(written, state.jobspec())
    if found.kept:
        return found.text, ()
    return found.text, (Problem(found.why, severity="warning"),)


def differs(state: State, file: OpenFile) -> bool:
    """Whether a job is not what its file holds."""
    from fluxtui.model.rewrite_align import same

    if state.job.raw is not None:
        return state.job.raw.text != file.text
    job = state.jobspec()
    return job != file.document or not same(job, file.document)
