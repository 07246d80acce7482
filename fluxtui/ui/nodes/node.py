"""The details of one node, and the facts of the document it stands in."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from fluxtui.answers import matching
from fluxtui.notation.problem import Problem, counted, how_many, printable
from fluxtui.notation.sets.bits import has
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import property_name
from fluxtui.workbench import Cluster, Compared, State
from fluxtui.workbench.documents import is_nothing

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation

PROBLEMS_SHOWN = CONDITIONS_SHOWN = 50
KINDS_SHOWN = 3  # of problems, before the node itself


class NodePane(Pane):
    """Shows a node: where it is, what it has, and whether and why it matches."""

    title = "Node"

    def __init__(
        self,
        explain: "Callable[[State], Explanation | None]",
        seen: "Callable[[], int | None]",
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._seen = seen
        self._explain = explain
        self.view = LinesView(id="node-details", wrap=True)

    def compose(self) -> ComposeResult:
        """The details alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the node that is seen, then the document; the document alone, where none is."""
        index = self._seen()
        lines = self._problems(state)
        if index is not None:
            lines += self._node(state, index)
            lines.append(Text())
        lines += self._document(state)
        self.view.show_lines(lines)

    def _node(self, state: State, index: int) -> list[Text]:
        style = self.style
        resources = state.cluster.resources
        node = resources.node(index)
        lines = [
            self.line(
                (printable(node.host) or "no host name", style.strong),
                (f"  rank {node.rank}", style.quiet),
            ),
            self.line(
                (f"{counted(len(node.cores), 'core'):<9}", style.plain),
                (f" {node.cores}", style.quiet),
            ),
        ]
        if node.gpus:
            lines.append(
                self.line(
                    (f"{counted(len(node.gpus), 'gpu'):<9}", style.plain),
                    (f" {node.gpus}", style.quiet),
                )
            )
        if node.properties:
            lines.append(self.line(("  ".join(map(property_name, node.properties)), style.plain)))
        else:
            lines.append(self.line(("no properties", style.quiet)))
        if state.compared is not None:
            lines += self._changes(state.compared, state.cluster, index)
        if state.ask.constraint is not None:
            lines += self._verdict(state, index)
        return lines

    def _changes(self, compared: Compared, here: Cluster, index: int) -> list[Text]:
        """What differs in the node from another document, or that it is not there at all."""
        from fluxtui.answers.compare import of_node

        style, changes = self.style, compared.changes
        other = compared.before if here is compared.after else compared.after
        name = printable(other.source.name)
        if other is compared.before:
            there = changes.pairing.node_before(index)
            after = index
        else:
            there = changes.back.node_before(index)
            after = there if there is not None else 0
        if there is None:
            sign, look = ("▲", style.count) if other is compared.before else ("▽", style.problem)
            return [self.line((f"{sign} ", look), (f"not in {name}", style.plain))]
        said = of_node(changes, after)
        if not said:
            return [self.line(("· ", style.quiet), (f"the same in {name}", style.quiet))]
        way = "since" if other is compared.before else "in"
        words = printable(" · ".join(said))
        return [
            self.line(("◪ ", style.slot), (f"{way} {name}: ", style.quiet), (words, style.plain))
        ]

    def _verdict(self, state: State, index: int) -> list[Text]:
        """Whether the node matches and why, and of several conditions which it meets."""
        style = self.style
        assert state.ask.counted is not None
        lit = has(state.ask.mask, index)
        look = style.match if lit else style.strong
        lines = [self.line(("✓ matches" if lit else "✗ does not match", look))]
        explanation = self._explain(state)
        if explanation is not None:
            from fluxtui.answers.explain.why import why

            lines.append(self.line((printable(why(explanation, index).sentence), style.quiet)))
        conditions = matching.conditions(state.ask.counted)
        for condition in conditions[:CONDITIONS_SHOWN] if len(conditions) > 1 else ():
            holds = has(condition.mask, index)
            mark = ("  ✓ ", style.quiet) if holds else ("  ✗ ", style.problem)
            words = printable(matching.describe(condition.constraint))
            lines.append(self.line(mark, (words, style.quiet)))
        more = len(conditions) - CONDITIONS_SHOWN
        if more > 0:
            lines.append(self.line((f"    and {more:,} more", style.quiet)))
        return lines

    def _document(self, state: State) -> list[Text]:
        style = self.style
        source, resources = state.cluster.source, state.cluster.resources
        if is_nothing(state.cluster):
            return [self.line((source.name, style.quiet))]
        lines = [
            self.line((printable(source.name), style.plain)),
            self.line((wording.totals(resources.whole), style.quiet)),
        ]
        start, end = resources.starttime, resources.expiration
        if start is not None or end is not None:
            words = [f"from {wording.moment(start)}"] if start is not None else []
            words += [f"until {wording.moment(end)}"] if end is not None else []
            words += ["(expired)"] if end is not None and end < time.time() else []
            lines.append(self.line((f"valid {' '.join(words)}", style.quiet)))
        else:
            lines.append(self.line(("no start time, no expiration", style.quiet)))
        problems = resources.problems
        if not problems:
            lines.append(self.line(("no problems found in the document", style.quiet)))
        kinds = wording.alike(problems)
        if len(kinds) > KINDS_SHOWN or len(kinds) < len(problems):
            lines.append(self.line(("all of its problems", style.quiet)))
            lines += [self._problem(problem, 1) for problem in problems[:PROBLEMS_SHOWN]]
            more = how_many(problems[PROBLEMS_SHOWN:])
            if more:
                lines.append(self.line((f"and {more:,} more", style.quiet)))
        return lines

    def _problems(self, state: State) -> list[Text]:
        """What is wrong with the document, one line for problems that are alike; errors first.

        The title says how many there are: whoever comes here for them is to find them at once.
        """
        problems = state.cluster.resources.problems
        kinds = sorted(wording.alike(problems), key=lambda kind: kind[0].severity)
        lines = [self._problem(*kind) for kind in kinds[:KINDS_SHOWN]]
        more = len(kinds) - KINDS_SHOWN
        if more > 0:
            lines.append(self.line((f"and {more:,} other kinds, below", self.style.quiet)))
        return [*lines, Text()] if lines else []

    def _problem(self, problem: Problem, count: int) -> Text:
        look = self.style.problem if problem.severity == "error" else self.style.warning
        more = f"  and {count - 1:,} alike" if count > 1 else ""
        return self.line(("! ", look), wording.problem_words(problem), (more, self.style.quiet))
