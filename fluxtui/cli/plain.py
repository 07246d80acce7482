"""``fluxtui --plain``: the whole screen as plain lines, for a screen reader."""

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fluxtui.cli.output import print_text, report
from fluxtui.notation.problem import Problem

if TYPE_CHECKING:
    from fluxtui import workbench


def show(options: Namespace, resources: str | None, others: Sequence[str]) -> int:
    """Print what the workbench would show with these options, and return the exit code.

    resources is the document of the cluster, or None for the one that the workbench would open;
    others are further documents of any kind.
    """
    from fluxtui import opening, workbench
    from fluxtui.bridge import files, settings
    from fluxtui.opening.clusters import open_cluster
    from fluxtui.ui.terminal.themed import built_in, load_theme

    if options.theme is not None and not built_in(options.theme)[1]:
        report(load_theme(options.theme)[1])  # plain output needs no theme: this only warns
    configured = settings.load(os.environ)
    shape, requires, queue, job = options.shape or "", options.requires or "", None, None
    if options.jobspec is not None:
        opened, problems = opening.open_jobspec(options.jobspec)
        report(problems)
        if opened is None:
            return 1
        shape, requires, queue, job = opened.shape, opened.requires, opened.queue, opened.job
    submission, problems = opening.open_submission(options.user, options.status, queue)
    report(problems)
    where = resources or configured.resources or files.DEMO
    config = options.config or configured.config
    cluster, problems = open_cluster(where, config)
    report(problems)
    if cluster is None or submission is None:
        return 1
    around = workbench.Surroundings(dict(os.environ), os.getcwd())
    state = workbench.start(cluster, shape, requires, job, submission, around)
    for name in others:
        is_default = resources is None and state.cluster.source == cluster.source
        edit = _edit(name, config, state.cluster, behind=not is_default)
        if edit is None:
            return 1
        state = workbench.step(state, edit)
    if options.queue is not None:
        state = workbench.step(state, workbench.ChooseQueue(options.queue))
    if state.outlook.due:
        found = workbench.find_outlook(state)
        state = workbench.step(state, workbench.FindRoom(state.outlook, found))
    from fluxtui.ui import plain
    from fluxtui.ui.registry import ROWS

    for line in plain.screen(state, [row.tab for row in ROWS]):
        print_text(line)
    return 0


def _edit(
    name: str, config: str | None, cluster: "workbench.Cluster", *, behind: bool
) -> "workbench.Edit | None":
    """Return the edit that opens a document, a cluster perhaps behind the current one.

    None if it cannot be opened; problems are printed.
    """
    from fluxtui import opening, workbench

    found, problems = opening.open_any(name, config, cluster)
    report(problems)
    match found:
        case opening.OpenedJob(jobspec):
            return jobspec.edit
        case opening.OpenedCluster(opened):
            return workbench.OpenCluster(opened, behind)
        case opening.OpenedConfig(opened, beside=beside):
            return workbench.OpenCluster(opened, beside)
        case opening.OpenedStage():
            report([Problem(f"'{name}' is a list of constraints, which only the workbench shows")])
    return None
