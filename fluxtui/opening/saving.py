"""Saving a job to a file: the text to save, and the file afterwards."""

from typing import TYPE_CHECKING

from fluxtui.bridge import files
from fluxtui.notation.problem import Problem
from fluxtui.opening.jobspecs import OpenFile
from fluxtui.workbench import State, job_text, missing_from_job, unread
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from fluxtui.bridge.in_place import Over
    from fluxtui.model.documents.rewrite import Rewriting


def save_job(
    state: State, path: str, form: Form, over: "Over" = "anything"
) -> tuple[OpenFile | None, tuple[Problem, ...]]:
    """Write the jobspec of a state to a file and return the file; None if it was not written.

    Problems say why it was not, or that the layout of the text could not be kept. A text that
    cannot be read is written as typed. An existing file is overwritten only if it is still as over
    says, that is as the user was asked about.
    """
    text, warnings = saved_text(state, form)
    stamp, problems = files.save(path, text, keep_mark=True, over=over)
    if stamp is None:
        return None, problems
    document = state.jobspec() if state.job.raw is None else None
    return OpenFile(str(files.expanded(path).absolute()), stamp, text, form, document), warnings


def batch_script(state: State) -> tuple[str | None, tuple[str, ...]]:
    """Return the job as a script for ``flux batch``, with notes; None if none expresses it."""
    from fluxtui.answers.commands.translation import to_command

    (command,) = to_command(state.jobspec(), ("flux batch",))
    if command.script is None and not command.notes:
        return None, ("no batch script expresses this job",)
    return command.script, command.notes


def save_script(state: State, path: str, over: "Over") -> tuple[bool, tuple[Problem, ...]]:
    """Write the job as a script for ``flux batch``, and return whether it was written.

    Problems say why it was not, or what the script does not say of the job. over is as for
    `save_job`.
    """
    script, notes = batch_script(state)
    if script is None:
        return False, tuple(map(Problem, notes))
    stamp, problems = files.save(path, script, over=over)
    return stamp is not None, problems or tuple(Problem(note, severity="warning") for note in notes)


def saved_text(state: State, form: Form) -> tuple[str, tuple[Problem, ...]]:
    """Return the text that a job is saved as, with a warning if its layout could not be kept."""
    job = state.job
    written = job.written.get(form) if job.raw is None else None
    if written is None:
        return job_text(state, form), ()
    from fluxtui.model.documents import rewrite

    found = rewrite.verified(written, state.jobspec())
    return found.text, _layout_warnings(found)


def lost(state: State, form: Form) -> tuple[Problem, ...]:
    """Return a warning if the displayed text of a job could not keep its layout."""
    written = state.job.written.get(form) if state.job.raw is None else None
    if written is None:
        return ()
    from fluxtui.model.documents import rewrite

    return _layout_warnings(rewrite.rewritten(written, state.jobspec()))


def _layout_warnings(found: "Rewriting") -> tuple[Problem, ...]:
    return () if found.kept else (Problem(found.why, severity="warning"),)


def unfinished(state: State) -> bool:
    """Whether the job lacks something of a text that was typed, as that has an error."""
    return state.job.raw is not None or bool(missing_from_job(state)) or bool(unread(state))


def differs(state: State, file: OpenFile) -> bool:
    """Whether a job differs from its file: in the jobspec, or in a text that the user wrote.

    An added comment is a difference; a layout chosen by the program is not.
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
