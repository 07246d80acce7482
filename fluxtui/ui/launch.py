"""Start the workbench from the command line: what to open, and where the keys come from."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui import opening, workbench
from fluxtui.bridge import files, paths, terminal, themes
from fluxtui.notation.source import Problem, render


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the workbench starts with: the texts, the jobspec behind them, and who submits."""

    shape: str
    requires: str
    document: Mapping[str, Any] | None
    submission: workbench.Submission


def launch(
    *,
    resources: str | None = None,
    config: str | None = None,
    shape: str | None = None,
    requires: str | None = None,
    jobspec: str | None = None,
    queue: str | None = None,
    user: str | None = None,
    status: str | None = None,
    theme: str | None = None,
) -> int:
    """Run the workbench until it is left; the exit status of the program.

    resources is a path, ``-`` or ``demo``; config a Flux TOML file or directory; jobspec a file
    whose resources and constraints take the place of shape and requires, and whose queue counts
    where queue is None. user is who submits, status a JSON file that says how the queues stand.
    What cannot be opened is said on standard error, and the workbench does not start.
    """
    problems = _cannot_start(resources, config)
    if problems:
        return _refused(problems)
    asked, problems = _asked(jobspec, shape, requires)
    if asked is None:
        return _refused(problems)
    wanted = queue if queue is not None else asked.submission.queue
    submission, odd = opening.open_submission(user, status, wanted)
    if submission is None:
        return _refused(odd)
    if resources == "-":
        reason = terminal.keep_keys_apart()
        if reason is not None:
            return _refused(_one(f"there is no terminal to take keys from: {reason}"))
    asked = _Asked(asked.shape, asked.requires, asked.document, submission)
    return _run(asked, problems + odd, resources, config, theme)


def _asked(
    jobspec: str | None, shape: str | None, requires: str | None
) -> tuple[_Asked | None, tuple[Problem, ...]]:
    """What is asked for, by a jobspec or by texts; None where the jobspec cannot be opened."""
    if jobspec is None:
        return _Asked(shape or "", requires or "", None, workbench.Submission()), ()
    opened, problems = opening.open_jobspec(jobspec)
    if opened is None:
        return None, problems
    submission = workbench.Submission(opened.queue)
    return _Asked(opened.shape, opened.requires, opened.document, submission), problems


def _run(
    asked: _Asked,
    odd: tuple[Problem, ...],
    resources: str | None,
    config: str | None,
    theme: str | None,
) -> int:
    """Open what is asked for on the cluster, which is read once the screen stands."""
    from fluxtui.ui.app import FluxTUI

    builtin = resources in (None, files.DEMO)
    cluster, problems = opening.open_cluster(files.DEMO, config) if builtin else (None, ())
    if cluster is not None:
        odd += opening.unknown_queues(asked.submission, cluster)
    state = workbench.start(cluster, asked.shape, asked.requires, asked.document, asked.submission)
    app = FluxTUI(state, theme or themes.DEFAULT)
    app.config_path = config
    app.open_when_ready(None if builtin else resources, problems + odd)
    app.run()
    return app.return_code or 0


def _refused(problems: Iterable[Problem]) -> int:
    """Say why the workbench does not start; the exit status of the program."""
    for problem in problems:
        print(f"fluxtui: {render(problem)}", file=sys.stderr)
    return 1


def _cannot_start(resources: str | None, config: str | None) -> tuple[Problem, ...]:
    """Why no workbench can run here: its keys come from a terminal, and it draws on one."""
    if not sys.stderr.isatty():  # Textual draws on standard error
        return _one(
            "the workbench draws on standard error, which is not a terminal",
            expected=("no redirection of it; or a verb, such as fluxtui match -r demo gpu",),
        )
    if not sys.stdin.isatty() and resources != "-":
        return _one(
            "standard input is not a terminal, so no key would arrive",
            expected=("-r - to read an R document from it",),
        )
    if resources == "-" and sys.stdin.isatty():
        return _one(
            "-r - reads an R document from standard input, and nothing is piped in",
            expected=("flux resource R | fluxtui -r -", "fluxtui -r FILE"),
        )
    if config == "-":
        return _one("the configuration is a TOML file or a directory, not standard input")
    if resources not in (None, "-", files.DEMO):
        reason = paths.why_unreadable(resources)
        if reason is not None:
            return _one(f"cannot read '{resources}': {reason}")
    return ()


def _one(message: str, expected: tuple[str, ...] = ()) -> tuple[Problem, ...]:
    return (Problem(message, expected=expected),)
