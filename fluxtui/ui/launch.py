"""Start the workbench from the command line."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fluxtui import opening, workbench
from fluxtui.bridge import files, paths, settings, terminal, themes
from fluxtui.bridge.chosen import LAYOUT, THEME, Chosen
from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.drafts import Store
from fluxtui.bridge.person import limits
from fluxtui.bridge.settings import Settings
from fluxtui.bridge.typed import Typed
from fluxtui.notation.problem import Problem, render
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.terminal.environment import no_terminal, wrong_environment

if TYPE_CHECKING:
    from fluxtui.bridge.drafts import Kept
    from fluxtui.opening import OpenFile
    from fluxtui.ui.app import FluxTUI

# Seconds to wait for the files written at the end; a file system may hang.
PATIENCE = 3.0

USAGE = 2  # exit status for a wrong environment, the same as for wrong options


class _Request(NamedTuple):
    """The job to start with: texts for the inputs, the job behind them, and the file it is from."""

    shape: str = ""
    requires: str = ""
    queue: str | None = None
    job: workbench.Job | None = None
    file: "OpenFile | None" = None


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
    others: Sequence[str] = (),
    restore: bool = False,
    stage: str | None = None,
    find_live: bool = False,
) -> int:
    """Run the workbench until the user quits, and return the exit status of the program.

    resources is a path, ``-`` or ``demo``; config a Flux TOML file or directory; jobspec a file
    whose resources, constraints and queue replace shape and requires, and queue if that is None.
    user is who submits, status a JSON file with the status of the queues. others are paths of any
    kind, recognised by content. restore starts with the newest session or draft; stage is a file
    with a list of constraints to show first. theme is the name of a theme. If something cannot be
    opened, that is reported on standard error and the workbench does not start. Defaults come from
    the user's configuration, whose problems do not prevent starting. With a running instance,
    config is a change to rehearse. If resources is None, find_live opens the Flux that runs here,
    unless the configuration turns that off, or the default document if it cannot be reached.
    """
    configured = settings.load(os.environ)
    named = config
    drafts = Store()
    kept, odd = _newest(drafts) if restore else (None, ())
    odd = (*configured.problems, *odd)
    is_default = is_found = False  # resources are the default; they are a Flux found running here
    otherwise: str | None = None
    if kept is not None:
        otherwise = resources
        resources, config, gone = _where_it_was(kept.draft, resources, config)
        is_found = otherwise is None and files.is_live(resources or "")
        odd += gone
    else:
        is_default = resources is None
        config = config if config is not None else configured.config
        finds = settings.live_in_force(configured, os.environ).value == "true"
        is_found = find_live and is_default and finds
        otherwise = resources if resources is not None else configured.resources
        resources = files.LIVE if is_found else otherwise
    if files.is_live(resources or ""):  # it has its own configuration: the other is rehearsed
        others, config = (*((named,) if named is not None else ()), *others), None
    problems = _cannot_start(resources, config, others)
    if problems:
        return _refused(problems)
    odd_environment = wrong_environment(os.environ)
    if odd_environment is not None:
        _refused((odd_environment,))
        return USAGE
    request, problems = _request(jobspec, shape, requires)
    if request is None:
        return _refused(problems)
    builtin = resources in (None, files.DEMO)
    shown, odd_steps = opening.open_stage(stage) if stage is not None else (None, ())
    if stage is not None and shown is None:
        return _refused(odd_steps)
    state, unsure = _state(request, config, builtin=builtin, queue=queue, user=user, status=status)
    if state is None:
        return _refused(unsure)
    if resources == "-":
        reason = terminal.keep_keys_apart()
        if reason is not None:
            return _refused(_one(f"there is no terminal to read keys from: {reason}"))
    chosen = Chosen()
    kept_theme = next(iter(chosen.load(THEME)), None)
    in_force = settings.theme_in_force(theme, kept_theme, configured, themes.DEFAULT)
    # With others, a demo named on the command line is one of the documents; they do not replace it.
    first = () if resources is None or (builtin and not others) else (resources,)
    # The first of several clusters is shown: the configured one only if no other is named.
    opens = (*others, *first) if is_default else (*first, *others)
    # What is opened is in the first frame already; without that, little is made before it.
    is_plain = not opens and request.file is None and kept is None and shown is None
    app = _app(state, in_force.value or themes.DEFAULT, configured)
    app.settings = configured
    app.config_path = config
    from fluxtui.ui.layout import Splits

    app.workspace.put_splits(Splits.of(chosen.load(LAYOUT), configured.layout))

    def equip() -> None:
        app.documents.resources_path = resources if config is not None and kept is None else None
        app.drafts.store = drafts
        app.recall.use(Typed())
        app.preferences.store = chosen
        app.saving.remember(request.file)
        if request.file is not None:
            from fluxtui.ui.job.text import TextPane

            app.pane(TextPane).turn_to(request.file.legible)
        if kept is not None:
            app.drafts.restore(kept, queue)
        app.documents.files_to_open = opens
        app.documents.otherwise = (otherwise or files.DEMO) if is_found else None
        app.stage.first, app.stage.first_faults = shown, odd_steps

    app.equip = equip
    if not is_plain:
        app.complete()
    app.open_when_ready(None, odd + problems + unsure)
    return _run(app)


def _newest(drafts: Store) -> tuple["Kept | None", tuple[Problem, ...]]:
    """Return the draft to start with, or None and why."""
    found, problems = drafts.found()
    if found:
        return found[0], problems + _replaced(found)
    message = "there is no draft or last session to restore"
    return None, (*problems, Problem(message, severity="warning"))


def _replaced(found: "Sequence[Kept]") -> tuple[Problem, ...]:
    """Return a warning about jobs that the newest draft, or another of its run, replaced."""
    newest, *others = found
    count = sum(not kept.crashed and kept.is_of_run(newest) for kept in others)
    if not count:
        return ()
    of = "a job that was replaced" if count == 1 else f"{count} jobs that were replaced"
    message = f"{of} before being saved: {key_of('commands', 'ctrl+p')} 'Restore the last session'"
    return (Problem(message, severity="warning"),)


def _where_it_was(
    draft: Draft, resources: str | None, config: str | None
) -> tuple[str | None, str | None, tuple[Problem, ...]]:
    """Return the resources and configuration of a draft, unless others are named, and problems."""
    if resources is not None:
        return resources, config, ()
    config = config if config is not None else draft.config
    if draft.resources is None:
        return None, config, ()
    reason = _why_not_opened(draft.resources)
    if reason is None:
        return draft.resources, config, ()
    message = f"'{draft.resources}', which was open then, cannot be read: {reason}"
    return None, None, (Problem(message, severity="warning"),)


def _request(
    jobspec: str | None, shape: str | None, requires: str | None
) -> tuple[_Request | None, tuple[Problem, ...]]:
    """Return the job of a jobspec file or of texts, or None and why the file cannot be opened."""
    if jobspec is None:
        return _Request(shape or "", requires or ""), ()
    opened, problems = opening.open_jobspec(jobspec)
    if opened is None:
        return None, problems
    return _Request(opened.shape, opened.requires, opened.queue, opened.job, opened.file), problems


def _state(
    request: _Request,
    config: str | None,
    *,
    builtin: bool,
    queue: str | None,
    user: str | None,
    status: str | None,
) -> tuple[workbench.State | None, tuple[Problem, ...]]:
    """Return the initial state and warnings; None and why if the status file cannot be read.

    With builtin, the built-in cluster is open; otherwise none is, because resources are read once
    the screen is up. queue replaces the queue that the job names.
    """
    submission, problems = opening.open_submission(user, status, request.queue)
    if submission is None:
        return None, problems
    cluster, unread = opening.open_cluster(files.DEMO, config) if builtin else (None, ())
    if cluster is not None:
        problems += opening.unknown_queues(submission, cluster)
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        folder = ""
    around = workbench.Surroundings(dict(os.environ), folder, limits())
    job = (request.shape, request.requires, request.job)
    state = workbench.start(cluster, *job, submission, around)
    if queue is not None:
        state = workbench.step(state, workbench.ChooseQueue(queue))
    return state, unread + problems


def _app(state: workbench.State, theme: str, configured: Settings) -> "FluxTUI":
    """Return the app, which is imported only now, after everything else has been checked."""
    preset = settings.preset_in_force(configured, os.environ).value
    if configured.keymap or preset != "default":
        from fluxtui.ui.kit.keys import use_keymap

        use_keymap(partial(settings.keys_in_force, configured, preset))
    from fluxtui.ui.app import FluxTUI

    return FluxTUI(state, theme, complete=False)


def _run(app: "FluxTUI") -> int:
    """Run the app, save what must not be lost at the end, and return the exit status."""
    left = False
    try:
        with terminal.in_front():
            app.run()
        left = not app.return_code  # the user quit: no signal, no crash
    finally:
        # The shell and the kernel each send a SIGHUP; the second must not interrupt the writing.
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        closing = threading.Thread(target=lambda: app.close(left=left), daemon=True)
        closing.start()
        closing.join(PATIENCE)
        signal.signal(signal.SIGHUP, before)
    farewell = app.drafts.farewell() if left and app.controllers else ""
    if farewell:
        with contextlib.suppress(OSError):  # the terminal may be gone
            print(farewell, file=sys.stderr)
    return app.return_code or 0


def _refused(problems: Iterable[Problem]) -> int:
    """Report why the workbench does not start, and return the exit status."""
    for problem in problems:
        print(f"fluxtui: {render(problem)}", file=sys.stderr)
    return 1


def _cannot_start(
    resources: str | None, config: str | None, others: Sequence[str]
) -> tuple[Problem, ...]:
    """Return why the workbench cannot run here or with these documents; empty if it can."""
    problem = no_terminal(os.environ, piped=resources == "-")
    if problem is not None:
        return (problem,)
    if config == "-":
        return _one("the configuration is a TOML file or a directory, not standard input")
    for path in (resources, *others):
        reason = _why_not_opened(path) if path not in (None, "-", files.DEMO) else None
        if reason is not None:
            return _one(f"cannot read '{path}': {reason}")
    return ()


def _why_not_opened(path: str) -> str | None:
    """Return why a document, folder or instance cannot be opened, as far as is known beforehand."""
    if files.is_instance(path):
        return None
    if paths.is_folder(path):
        return None if paths.has_configuration(path) else "a directory without a *.toml file"
    return paths.why_unreadable(path)


def _one(message: str) -> tuple[Problem, ...]:
    return (Problem(message),)
