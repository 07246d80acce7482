"""Start the workbench from the command line: what to open, and where the keys come from."""

import sys

from fluxtui import opening, workbench
from fluxtui.bridge import files, paths, terminal, themes
from fluxtui.notation.source import Problem, render


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
    whose resources, constraints and queue take the place of shape, requires and queue. user is who
    submits, status a JSON file that says how the queues stand. What cannot be opened is said on
    standard error, and the workbench does not start.
    """
    problems = _cannot_start(resources, config)
    opened = None
    wrong: tuple[Problem, ...] = ()
    if jobspec is not None and not problems:
        opened, wrong = opening.open_jobspec(jobspec)
        problems = () if opened is not None else wrong
    if opened is not None:
        queue = queue or opened.queue
    submission = None
    if not problems:
        submission, odd = opening.open_submission(user, status, queue)
        problems, wrong = (odd, wrong) if submission is None else ((), wrong + odd)
    if problems:
        for problem in problems:
            print(f"fluxtui: {render(problem)}", file=sys.stderr)
        return 1
    if resources == "-":
        reason = terminal.keep_keys_apart()
        if reason is not None:
            print(f"fluxtui: there is no terminal to take keys from: {reason}", file=sys.stderr)
            return 1
    from fluxtui.ui.app import FluxTUI

    builtin = resources in (None, files.DEMO)
    cluster, problems = opening.open_cluster(files.DEMO, config) if builtin else (None, ())
    if opened is not None:
        state = workbench.start(cluster, opened.shape, opened.requires, opened.document, submission)
    else:
        state = workbench.start(cluster, shape or "", requires or "", submission=submission)
    app = FluxTUI(state, theme or themes.DEFAULT)
    app.config_path = config
    app.open_when_ready(None if builtin else resources, problems + wrong)
    app.run()
    return app.return_code or 0


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
