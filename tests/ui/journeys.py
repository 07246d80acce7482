"""Journeys: keys and what a person sees change after them, recorded word for word.

A journey is a text file of lines that say what a person does, each with what is another than before
indented below it, a name and a value in a line::

    # a comment
    begin {"requires": "gpu"}    anew, with what `Hands.afresh` takes; on is nodes and properties
    keys f3 down 'abc' enter     one key after the other; what is between quotes is typed at once
    burst f3 'abc' enter         all at once
    paste "text"                 where the focus is
    retype "text"                in place of all that an editor has
    put "text" #shape-input      in place of what an input has; without a name the constraint
    go map                       to a pane; focus #id to a part of it
    document [8, {"gpu": "0"}]   another document opens
    file c.json {...}            a file is written; open c.json opens it, as well as a.json and
                                 b.json, which are those of `tests.ui.comparing`
    history ["slot/core"]        what shapes were typed before
    do comparison.swap           what a command does that has no key
    cursor 3                     to a node; select 0-3 selects some
    click #id 1 2                the mouse; drag #id 1 2 1 4 with its button down
    show #answer                 what a part of the screen says; show #node-table 3 its first lines

With ``pytest --snapshot-update`` what is seen now is recorded: look at the difference then.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual import events
from textual.content import Content
from textual.geometry import Offset
from textual.widget import Widget
from textual.widgets import Input, Static, Tree

from fluxtui.model.jobspec import jobspec
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.form import FieldRow
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.entry import InputHistory
from fluxtui.ui.kit.lines import LinesView, LineView, OneLine, RowsView
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.kit.popup import Popup
from fluxtui.ui.kit.prompt import Prompt, Trouble
from fluxtui.ui.kit.text_editor import TextEditor
from fluxtui.ui.nodes.graph import GraphTree
from fluxtui.ui.stage.stage_screen import StageScreen
from fluxtui.workbench import Cluster, MoveCursor, OpenCluster, Select, Source
from tests.model.topologies import APU, XEON, tree
from tests.recorded import questions
from tests.ui.documents import cluster, opened, racks, racks_in_r, write_document, xeons
from tests.ui.helpers import Hands
from tests.ui.seen import messages, plain, screen_lines, tree_labels

FOLDER = Path(__file__).with_name("journeys")
FILES = sorted(FOLDER.glob("*.txt"))
MANY = 100  # rows of a list that are not counted
FEW = 4  # rows of a list that are told

#: Clusters by their names; others are given as so many nodes with properties.
CLUSTERS = {
    "racks": lambda: opened(racks()),
    "racks in R": lambda: opened(racks_in_r()),
    "xeons": xeons,
    "two kinds": lambda: opened(tree(("0-3", XEON, "0-119", "0-7"), ("4-7", APU, "0-95", "0-3"))),
}


def _marked(entry: Input) -> str:
    """The text of an input, with a bar at the cursor, or angles around what is selected in it."""
    start, end = sorted(entry.selection)
    text, marks = entry.value, ("❬", "❭") if start != end else ("▏", "")
    if start == end and not (text and entry.has_focus):
        return text
    return f"{text[:start]}{marks[0]}{text[start:end]}{marks[1]}{text[end:]}"


def _many(count: int) -> str:
    """A count; of a list of all commands it is not told, which another command would change."""
    return "many" if count >= MANY else str(count)


def _rows(rows: list[str], at: int | None) -> str:
    """The first rows of a list, how many more there are, and the one at the cursor marked."""
    told = [f"›{row}" if number == at else row for number, row in enumerate(rows)]
    shown = told[:FEW] if at is None or at < FEW else [told[0], "…", told[at]]
    return " · ".join(shown) + (f" of {_many(len(rows))}" if len(rows) > FEW else "")


def _row(app: FluxTUI) -> str:
    """The row at the cursor of what has the focus, its blanks put together."""
    view, row = app.focused, ""
    if isinstance(view, RowsView) and view.lines:
        row = view.lines[view.row].plain
    elif isinstance(view, GraphTree):
        shown = (view.render_line(y).text for y in range(view.size.height))
        row = next((line[1:] for line in shown if line.startswith("›")), "")
    elif isinstance(view, Tree) and view.cursor_node is not None:
        row = str(view.cursor_node.label)
    elif isinstance(view, TextEditor):
        row = json.dumps(view.text)
    elif isinstance(view, Input) and view not in (app.shape_bar.entry, app.ask_bar.entry):
        row = _marked(view)
    return " ".join(row.split())


def seen(app: FluxTUI) -> Iterator[tuple[str, str]]:
    """What a person sees or has made, by names."""
    screen, state, pane = app.screen, app.state, app.focused_pane
    if isinstance(screen, Dialog):
        title = Content.from_markup(str(screen.query_one("#box").border_title or "")).plain
        yield "dialog", re.sub(r"\d+$", lambda found: _many(int(found[0])), title)
        if isinstance(screen, Picker):
            at = screen.found.index(screen.item) if screen.item else None
            yield "items", _rows(screen.labels, at)
    if isinstance(screen, StageScreen):
        parts = (screen.head, screen.heading, screen.constraint)
        yield "stage", " / ".join(" ".join(part.plain.split()) for part in parts)
    yield "focus", str(app.focused and app.focused.id)
    yield "row", _row(app)
    yield "shape", _marked(app.shape_bar.entry)
    yield "constraint", _marked(app.ask_bar.entry)
    below = app.screen_stack[0]
    yield "answer", below.query_one("#answer", OneLine).plain
    for selector in ("#shape-message", "#ask-message"):
        yield selector[1:], " ".join(below.query_one(selector, OneLine).plain.split())
    for popup in screen.query(Popup):
        yield "offered", _rows([row.text for row in popup.rows], popup.chosen)
    for trouble in screen.query(Trouble):
        yield "trouble", plain(app, f"#{trouble.id}") if trouble.display and trouble.id else ""
    resources = state.cluster.resources
    if state.cursor is not None and state.cursor < resources.node_count:
        yield "node", resources.host(state.cursor) or str(state.cursor)
    yield "selected", resources.ranks_text(state.selected, limit=FEW)
    if pane is not None:
        yield "frame", Content.from_markup(str(pane.border_subtitle or "")).plain
    system = dict(jobspec.system(state.jobspec()))
    for key, value in (*system.items(), ("tasks", (state.jobspec().get("tasks") or [{}])[0])):
        if key != "constraints" and (key != "environment" or value):
            yield f"job {key}", json.dumps(value, sort_keys=True)
    yield "clipboard", json.dumps(app.clipboard)


def _drawn(view: Widget) -> list[str]:
    """What a part of the screen says, or the lines of it that are in sight."""
    if isinstance(view, Tree):
        return tree_labels(view.app)  # type: ignore[arg-type]
    if isinstance(view, LineView) and not isinstance(view, LinesView):
        lines = [view.render_line(y).text for y in range(view.size.height)]
        return [line for line in lines if line.strip()]
    if type(view) is Static or isinstance(view, Prompt) or isinstance(view.parent, FieldRow):
        x, y, width, height = (view.parent if isinstance(view.parent, FieldRow) else view).region
        return [line[x : x + width] for line in screen_lines(view.app)[y : y + height]]
    text: str = view.plain  # type: ignore[attr-defined]
    return text.splitlines()


def _cluster(name: Any) -> Cluster | None:
    if isinstance(name, str):
        return CLUSTERS[name]()
    return cluster(name[0], name[1], **(name[2] if len(name) > 2 else {})) if name else None


class Journey:
    """A person at a workbench that runs."""

    def __init__(self, pilot: Hands) -> None:
        self.pilot, self.app = pilot, pilot.workbench
        self._before: dict[str, str] = {}

    async def rerun(self, path: Path) -> str:
        """The file of a journey, with what is seen now."""
        kept = []
        for line, asks in questions(path):
            kept.append(line)
            if asks:
                kept += [f"  {one}" for one in await self._after(line)]
        return "\n".join(kept) + "\n"

    async def _after(self, line: str) -> list[str]:
        """Do what a line says; what is another then."""
        what, _, rest = line.partition(" ")
        if what == "show":
            selector, _, count = rest.partition(" ")
            drawn = _drawn(self.app.screen.query_one(selector))
            return [row.rstrip() or "|" for row in drawn[: int(count) if count else None]]
        await getattr(self, what)(rest)
        await self.pilot.done()
        now, told = dict(seen(self.app)), messages(self.app)
        self.app.clear_notifications()
        self.app.messages.clear()
        changed = {
            key: now.get(key, "")
            for key in {**now, **self._before}  # in the order of now
            if now.get(key, "") != self._before.get(key, "") and what != "begin"
        }
        self._before = now
        news = [f"{key:<11} {value}".rstrip() for key, value in changed.items()]
        news += [f"told        {' '.join(one.split())}" for one in told]
        return news or ["(no change)"] * (what != "begin")

    async def begin(self, rest: str) -> None:
        with_ = json.loads(rest or "{}")
        await self.pilot.afresh(**{**with_, "on": _cluster(with_.get("on"))})

    async def keys(self, rest: str) -> None:
        await self.pilot.type(rest)

    async def burst(self, rest: str) -> None:
        found = re.findall(r"'(.+?)'|(\S+)", rest)
        await self.pilot.burst(*(key for typed, key in found for key in (typed or (key,))))

    async def document(self, rest: str) -> None:
        nodes, named = json.loads(rest)
        on = replace(cluster(nodes, named), source=Source(f"{nodes} nodes"))
        self.app.edit(OpenCluster(on))

    async def file(self, rest: str) -> None:
        name, _, content = rest.partition(" ")
        write_document(Path(name), json.loads(content))

    async def open(self, rest: str) -> None:
        await self.pilot.open(*rest.split())

    async def history(self, rest: str) -> None:
        texts = json.loads(rest)
        self.app.shape_bar.entry.history = InputHistory(lambda: texts, lambda text: None)

    async def paste(self, rest: str) -> None:
        await self.pilot.paste(json.loads(rest))

    async def retype(self, rest: str) -> None:
        """Put another text into the editor, as a paste over all of it does."""
        editor = self.app.focused
        assert isinstance(editor, TextEditor)
        editor.select_all()
        editor.replace(json.loads(rest), *editor.selection)

    async def put(self, rest: str) -> None:
        text, into = re.fullmatch(r'(".*")(?: (#\S+))?', rest).groups()  # type: ignore[union-attr]
        await self.pilot.put(json.loads(text), into or "#constraint-input")

    async def go(self, rest: str) -> None:
        await self.pilot.go(rest)

    async def focus(self, rest: str) -> None:
        self.app.screen.query_one(rest).focus()

    async def do(self, rest: str) -> None:
        owner, name = rest.split(".")
        getattr(getattr(self.app, owner), name)()

    async def cursor(self, rest: str) -> None:
        await self.pilot.edit(MoveCursor(int(rest)))

    async def select(self, rest: str) -> None:
        resources = self.app.state.cluster.resources
        await self.pilot.edit(Select(resources.properties[rest]))

    async def click(self, rest: str) -> None:
        selector, x, y, *how = rest.split()
        at = {"offset": (int(x), int(y)), "times": 1 + ("double" in how)}
        await self.pilot.click(selector, **at, control="control" in how)  # type: ignore[arg-type]

    async def drag(self, rest: str) -> None:
        selector, *at = rest.split()
        x, y, to_x, to_y = map(int, at)
        view = self.app.screen.query_one(selector)
        await self.pilot.mouse_down(selector, offset=(x, y))
        to = view.content_region.offset + Offset(to_x, to_y)
        moved = events.MouseMove(view, *to, 0, 0, 1, False, False, False, *to)
        self.app.screen._forward_event(moved)
        await self.pilot.settle()
        await self.pilot.mouse_up(selector, offset=(to_x, to_y))

    async def hover(self, rest: str) -> None:
        selector, x, y = rest.split()
        await self.pilot.hover(selector, offset=(int(x), int(y)))

    async def size(self, rest: str) -> None:
        width, height = rest.split()
        await self.pilot.resize_terminal(int(width), int(height))
