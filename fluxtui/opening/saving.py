"""A job into a file: the text that it is saved as, and the file as it is then."""

from typing import TYPE_CHECKING

from fluxtui.bridge import files
from fluxtui.notation.problem import Problem
from fluxtui.opening.jobspecs import OpenFile
from fluxtui.workbench import State, job_text, unread
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from fluxtui.bridge.in_place import Over
    from fluxtui.model.documents.rewrite import Rewriting


def save_job(
    state: State, path: str, form: Form, over: "Over" = "anything"
) -> tuple[OpenFile | None, tuple[Problem, ...]]:
    """Write the jobspec of a state to a file; the file as it is then, None where it is not written.

    Problems say why it is not, or that the layout of the text could not be kept. A text that cannot
    be read is written as it stands. What was asked about is overwritten, and nothing that came in
    its place since: the file has to be as over has it.
    """
    text, odd = saved_text(state, form)
    stamp, problems = files.save(path, text, keep_mark=True, over=over)
    if stamp is None:
        return None, problems
    document = state.jobspec() if state.job.raw is None else None
    return OpenFile(str(files.expanded(path).absolute()), stamp, text, form, document), odd


def saved_text(state: State, form: Form) -> tuple[str, tuple[Problem, ...]]:
    """The text that a job is saved as, with a warning where the layout could not be kept."""
    job = state.job
    written = job.written.get(form) if job.raw is None else None
    if written is None:
        return job_text(state, form), ()
    from fluxtui.model.documents import rewrite

    found = rewrite.verified(written, state.jobspec())
    return found.text, _said(found)


def lost(state: State, form: Form) -> tuple[Problem, ...]:
    """A warning where the text of a job, as it is shown, could not keep its layout."""
    written = state.job.written.get(form) if state.job.raw is None else None
    if written is None:
        return ()
    from fluxtui.model.documents import rewrite

    return _said(rewrite.rewritten(written, state.jobspec()))


def _said(found: "Rewriting") -> tuple[Problem, ...]:
    return () if found.kept else (Problem(found.why, severity="warning"),)


def unfinished(state: State) -> bool:
    """Whether a text cannot be read, so that the job is what it was before that text."""
    return state.stale or bool(unread(state))


def differs(state: State, file: OpenFile) -> bool:
    """Whether a job is not what its file holds: another jobspec, or the same in another text.

    The text counts where a person wrote it, as with a comment that was added; a layout that the
    program chose is no change.
    """
    from fluxtui.notation.json_value import same

    if state.job.raw is not None:
        return state.job.raw.text != file.text
    document = state.jobspec()
    if document != file.document or not same(document, file.document):
        return True
    written = state.job.written.get(file.form)
    is_own = written is not None and same(written.value, document)
    return written is not None and is_own and written.text != file.text
