"""Who submits a job, and the status of the queues."""

from fluxtui.bridge import files, person
from fluxtui.model import queues
from fluxtui.notation.problem import Problem, did_you_mean, nearest
from fluxtui.workbench import Cluster, Submission


def open_submission(
    user: str | None, status: str | None, queue: str | None = None
) -> tuple[Submission | None, tuple[Problem, ...]]:
    """Return who submits, to which queue, and the status of the queues (RFC 33).

    user defaults to the one who runs the program; the groups of a user who does not exist here are
    unknown, with a warning. status is a JSON file; if it cannot be read, the submission is None and
    the problems say why.
    """
    found: tuple[Problem, ...] = ()
    who: tuple[str, tuple[str, ...] | None] | None = person.groups_of(user)
    if who is None and user is not None:
        message = f"there is no user '{user}' here, so their groups are not known"
        found = (Problem(message, severity="warning"),)
        who = (user, None)
    name, groups = who if who is not None else (None, None)
    if status is None:
        return Submission(queue, name, groups), found
    from fluxtui.model.documents import document

    source, problems = files.read_file(status)
    if source is None:
        return None, found + problems
    read = document.read_json(source.text)
    statuses, problems = queues.read_status(read.value) if read.readable else ({}, ())
    problems = tuple(files.in_file(p, source) for p in (*read.problems, *read.located(problems)))
    has_errors = any(problem.severity == "error" for problem in problems)
    return None if has_errors else Submission(queue, name, groups, statuses), found + problems


def unknown_queues(submission: Submission, cluster: Cluster) -> tuple[Problem, ...]:
    """Return warnings about queues that have a status but are not configured."""
    config = cluster.config or queues.Config()
    names = tuple(queue.name for queue in config.queues) or ("",)
    found = []
    for name in submission.statuses:
        if name not in names:
            near = nearest(name, names) if name else None
            which = f"queue '{name}'" if name else "the queue without a name"
            message = f"the status is that of {which}, which is not configured"
            message += did_you_mean(near)
            found.append(Problem(message, rule="RFC 33", severity="warning"))
    return tuple(found)
