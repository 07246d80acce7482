"""The title line: what is open, its size, and its problems."""

import re

from rich.text import Text

from fluxtui.notation.problem import counted, how_many, printable
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.workbench import State

FACTS = "   "  # before them
PARTS = re.compile(f"{FACTS}|{wording.DOT}")


class Title(OneLine):
    """Shows the open document with its facts, or the one being read."""

    _named = 0  # characters before the facts: what parts these may stand in a name

    async def on_click(self) -> None:
        """Go to the details of the document."""
        await self.run_action("app.go_to('node')")

    def show_state(self, state: State, reading: str = "", file: str = "") -> None:
        """Show the open document, the file of the job and the queue that it goes to.

        reading says which document is on its way and how far it is; file names that of the job.
        """
        style = palette_of(self)
        cluster = state.cluster
        resources = cluster.resources
        left = Text.assemble(("fluxtui", style.slot), "  ", no_wrap=True, end="")
        left.append(printable(cluster.source.name), style=style.strong)
        if len(state.documents) > 1:
            left.append(f" {state.place + 1}/{len(state.documents)}", style=style.quiet)
        self._named = len(left)
        if resources.node_count:
            words = wording.totals(resources.whole)
            left.append(f"{FACTS}{words}", style=style.quiet)
        right = Text(end="", no_wrap=True)
        if reading:
            right.append(f"reading {reading} esc stops", style=style.warning)
        elif resources.problems:
            count = counted(how_many(resources.problems), "problem")
            right.append(f"! {count} in the document", style=style.problem)
        elif file:
            right.append(wording.shorten(file, 40), style=style.plain)
        if not reading and not resources.problems and state.outlook.queue:
            right.append(wording.DOT if right else "", style=style.quiet)
            default = "" if state.submission.queue is not None else " (default)"
            if not cluster.has_queue(state.outlook.queue):
                default = " (unknown here)"
            name = wording.shorten(printable(state.outlook.queue), 24)
            right.append(f"queue {name}{default}", style=style.quiet)
        self.show(left, right)

    def cut(self, text: Text, room: int) -> Text:
        """Whole facts alone, as many as there is room for: half a number is another one."""
        for mark in reversed([*PARTS.finditer(text.plain, self._named)]):
            facts = text[: mark.start()]
            if facts.cell_len <= room:
                return facts
        return super().cut(text, room)
