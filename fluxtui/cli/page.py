"""``fluxtui --stage LIST --export FILE``: a list of constraints as one page for a browser."""

import os
from typing import TYPE_CHECKING

from fluxtui.cli.output import print_text, report
from fluxtui.notation.problem import Problem, counted

if TYPE_CHECKING:
    from fluxtui.model.resources.resource_set import Resources
    from fluxtui.model.stage import Stage
    from fluxtui.page.colours import Colours

#: Of a page without a theme of its own; the browser takes the one its reader prefers.
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
    """Write the page to a file, or ``-``; returns the exit code.

    stage is the file of the list, without which the examples of RFC 31 are shown. The cluster is
    that of resources, or else the one that the workbench would open. requires is a constraint that
    comes before the list. theme is the name of one; else there is a light and a dark one.
    """
    from fluxtui import opening
    from fluxtui.bridge import files, settings
    from fluxtui.opening.clusters import open_cluster

    configured = settings.load(os.environ)
    shown, problems = opening.open_stage(stage) if stage is not None else (None, ())
    report(problems)
    if stage is not None and shown is None:
        return 1
    where = resources or configured.resources or files.DEMO
    cluster, problems = open_cluster(where, config or configured.config)
    report(problems)
    if cluster is None:
        return 1
    report(one for one in cluster.resources.problems if one.severity == "error")
    colours, problems = _colours(theme)
    report(problems)
    if not colours:
        return 1
    made = _with_own(shown, requires, cluster.resources)
    from fluxtui.page.page import page

    printed, _ = _colours(LIGHT, shipped=True)
    text = page(made, cluster.resources, cluster.source.name, colours, printed[0])
    if path == "-":
        print_text(text.removesuffix("\n"))
        return 0
    wrong = files.write_atomic(path, text)
    report(wrong)
    if wrong:
        return 1
    where = ", ".join(cluster.resources.whole.words())
    print_text(f"{path}: {counted(len(made.steps), 'constraint')} on {where}")
    return 0


def _with_own(shown: "Stage | None", requires: str | None, resources: "Resources") -> "Stage":
    """The list, or that of RFC 31, behind a constraint that was given."""
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
    """The colours of a theme, or of a light one and a dark one; none where it has a fault."""
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
