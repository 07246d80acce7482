"""``fluxtui --stage LIST --export FILE``: a list of constraints as one page for a browser."""

import os
from typing import TYPE_CHECKING

from fluxtui.cli.output import print_text, report
from fluxtui.notation.problem import Problem, counted

if TYPE_CHECKING:
    from fluxtui.model.resources.resource_set import Resources
    from fluxtui.model.stage import Stage
    from fluxtui.page.colours import Colours

#: The themes of a page if none is given; the browser chooses the one its reader prefers.
LIGHT, DARK = "paper", "dusk"


def export(
    path: str,
    *,
    stage: str | None,
    resources: str | None,
    config: str | None,
    requires: str | None,
    theme: str | None,
) -> int:
    """Write the page to a file, or ``-``, and return the exit code.

    stage is the file of the list, by default the examples of RFC 31. resources is the document of
    the cluster, by default the one that the workbench would open. requires is a constraint to show
    before the list. theme is a name; by default the page has a light and a dark theme.
    """
    from fluxtui import opening
    from fluxtui.bridge import files, settings
    from fluxtui.opening.clusters import open_cluster

    configured = settings.load(os.environ)
    shown, faults = opening.open_stage(stage) if stage is not None else (None, ())
    report(faults)
    if stage is not None and shown is None:
        return 1
    where = resources or configured.resources or files.DEMO
    cluster, problems = open_cluster(where, config or configured.config)
    report(problems)
    if cluster is None:
        return 1
    report(problem for problem in cluster.resources.problems if problem.severity == "error")
    colours, problems = _colours(theme)
    report(problems)
    if not colours:
        return 1
    complete = _with_own(shown, requires, cluster.resources)
    from fluxtui.page.page import page

    printed, _ = _colours(LIGHT, shipped=True)
    text = page(complete, cluster.resources, cluster.source.name, colours, printed[0])
    code = 1 if any(problem.severity == "error" for problem in faults) else 0
    if path == "-":
        print_text(text.removesuffix("\n"))
        return code
    wrong = files.write_atomic(path, text)
    report(wrong)
    if wrong:
        return 1
    where = ", ".join(cluster.resources.whole.words())
    as_is = ", written with what is wrong in the list" if code else ""
    print_text(f"{path}: {counted(len(complete.steps), 'constraint')} on {where}{as_is}")
    return code


def _with_own(shown: "Stage | None", requires: str | None, resources: "Resources") -> "Stage":
    """Return the list, by default that of RFC 31, after the given constraint, if any."""
    from dataclasses import replace

    from fluxtui.model.stage import Step

    if shown is None:
        from fluxtui.library.stages import rfc31

        shown = rfc31(resources)
    own = (Step("Your constraint", requires),) if requires and requires.strip() else ()
    return replace(shown, steps=(*own, *shown.steps))


def _colours(
    name: str | None, *, shipped: bool = False
) -> tuple[list["Colours"], tuple[Problem, ...]]:
    """Return the colours of a theme, or of a light and a dark one; empty if there are problems."""
    if name is None:
        return _colours(LIGHT, shipped=True)[0] + _colours(DARK, shipped=True)[0], ()
    from fluxtui.bridge import themes
    from fluxtui.page.colours import Colours, are_plain

    paths = themes.theme_paths(shipped=shipped)
    if name in paths:
        file, problems = themes.read_theme(paths[name])
        return ([Colours(file.dark, file.colors, file.roles)] if file else []), problems
    from fluxtui.ui.terminal.themed import built_in

    dark, colors = built_in(name)
    if not colors:
        return [], (Problem(f"there is no theme {name}", expected=tuple(paths), rule="theme"),)
    if not are_plain(colors):
        message = f"theme {name} has the colours of a terminal, which a page does not know"
        return [], (Problem(message, expected=tuple(paths), rule="theme"),)
    return [Colours(dark, colors, {})], ()
