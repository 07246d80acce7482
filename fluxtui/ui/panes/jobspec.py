"""The jobspec tree: what the shape asks for, level by level, in words."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from fluxtui.model import jobspec
from fluxtui.notation.shape import Shape
from fluxtui.notation.source import Problem, at, printable
from fluxtui.ui import vertex_edits
from fluxtui.ui.palette import Palette
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.prompt import Prompt
from fluxtui.ui.wording import shorten
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.notation.shape_edit import Edited

_VERTEX = re.compile(r"resources\[\d+\](?:\.with\[\d+\])*")
SHOWN_LIMIT = 2000  # vertices; beyond this a tree is no help to anyone


class JobspecTree(Tree[str], inherit_bindings=False):
    """The tree widget; a node's data is its path in the resources list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", "Up", show=False),
        Binding("down", "cursor_down", "Down", show=False),
        Binding("left", "cursor_parent", "Out", show=False),
        Binding("right", "cursor_in", "In", show=False),
        Binding("space", "toggle_node", "Fold", show=False),
    ]

    show_root = False
    guide_depth = 2
    auto_expand = False

    def action_cursor_in(self) -> None:
        """To the first thing that a vertex holds."""
        node = self.cursor_node
        if node is not None and node.children:
            node.expand()
            self.move_cursor(node.children[0])

    def render_label(self, node: TreeNode[str], base_style: Style, style: Style) -> Text:
        """The label in its own colours, also on the line of the cursor."""
        text = super().render_label(node, base_style, Style())
        text.stylize_before(style)
        return text


class JobspecPane(Pane):
    """Shows the resources list as a tree, patching only the lines that differ."""

    title: ClassVar[str] = "Jobspec"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key.key, f"vertex('{key.name}')", key.help, show=False)
            for key in vertex_edits.VERTEX_KEYS
        ),
        Binding("f", "mend", "Mend", show=False),
        Binding("v", "app.verdicts", "Verdicts", show=False),
    ]

    def __init__(
        self, on_edit: Callable[[str], None], on_mend: Callable[[Problem | None], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._on_edit = on_edit
        self._on_mend = on_mend
        self._shape: Shape | None = None
        self._wanted: tuple[int, ...] | None = None
        self._prompt: Prompt | None = None
        self._faults: dict[str, Problem] = {}
        self._stale = False
        self._places: dict[str, str] = {}
        self._drawn: dict[str, object] = {}  # by path, what the label there was made of
        self.view = JobspecTree("resources", id="jobspec-tree")
        self.view.root.expand()

    def compose(self) -> ComposeResult:
        """The tree alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the tree of a shape; while the shape has none, the last one, marked stale.

        Where there is room, the tree says where; where there is none, what it is missing for.
        """
        tree = self.view
        self._shape = state.build.shape
        build, found = state.build, state.outlook.fit
        self._stale = build.stale
        missing = found.own.reasons if found is not None and found.feasible is False else ()
        said = state.verdicts
        canonical = said.canonical.problems if said is not None else ()
        v1 = said.v1.problems if said is not None else ()
        flux = said.flux.problems if said is not None else ()
        listed = (*build.v1, *v1, *missing, *build.canonical, *canonical, *flux)
        self._faults = faults = {_vertex_of(p): p for p in reversed(listed)}
        self._places = _places(state)
        if not build.resources:
            self._show_hint(tree)
            self._say_fault()
            return
        budget = [SHOWN_LIMIT]
        self._patch(tree.root, build.resources, "resources", faults, budget)
        tree.refresh()
        self._follow()
        self._say_fault()

    # Editing

    async def action_vertex(self, name: str) -> None:
        """Edit the vertex with the cursor: at once, or after a question."""
        shape, node = self._shape, self.view.cursor_node
        if shape is None or self._stale:
            return
        if not shape.vertices:
            if name in ("change", "child", "sibling"):
                question = vertex_edits.Ask(
                    "what", "", lambda text: vertex_edits.first(shape, text)
                )
                await self._ask(question)
            return
        if node is None or not node.data:
            return
        from fluxtui.notation.shape_edit import path_of

        found = vertex_edits.do(name, shape, path_of(node.data))
        if isinstance(found, vertex_edits.Ask):
            await self._ask(found)
        else:
            self._take(found)

    async def _ask(self, question: vertex_edits.Ask) -> None:
        from fluxtui.notation import shape

        if self._prompt is None:
            self._prompt = Prompt(self._leave_prompt, id="vertex-prompt")
            await self.mount(self._prompt)
        vertex = question.question not in ("label", "unit", "key:value")
        self._prompt.ask(
            question.question,
            question.text,
            lambda text: self._take(question.edit(text)),
            lambda text: question.edit(text).problem if text.strip() else None,
            shape.completions if vertex else None,
        )

    def _leave_prompt(self) -> None:
        self.view.focus()

    def _take(self, edited: "Edited") -> Problem | None:
        """Hand an edit on, with the cursor to go where it leads; the problem that it has."""
        if edited.problem is not None:
            self.border_subtitle = Content(
                shorten(printable(edited.problem.message), self.size.width - 6)
            )
            return edited.problem
        self._wanted = edited.path
        self._on_edit(edited.text)
        self._follow()
        return None

    def _follow(self) -> None:
        """Put the cursor where the last edit leads."""
        if self._wanted is None:
            return
        node: TreeNode[str] = self.view.root
        for step in self._wanted:
            if step >= len(node.children):
                break
            node = node.children[step]
        if node is not self.view.root:
            self._wanted = None
            self.view.move_cursor(node)

    def action_mend(self) -> None:
        """Mend what is wrong with the vertex, or else the first thing that is wrong."""
        node = self.view.cursor_node
        self._on_mend(self._faults.get(node.data or "") if node is not None else None)

    def on_tree_node_highlighted(self) -> None:
        """Another vertex is selected."""
        self._say_fault()

    def _say_fault(self) -> None:
        """Say in the frame why the selected vertex is marked, or that the tree is an older one."""
        node = self.view.cursor_node
        fault = self._faults.get(node.data or "") if node is not None else None
        if self._stale:
            self.border_subtitle = "stale: the last shape that had a tree"
        elif fault is not None and self.view.has_focus:
            words = shorten(printable(fault.message), self.size.width - 6)
            self.border_subtitle = Content(words)
        else:
            self.border_subtitle = ""

    def _show_hint(self, tree: JobspecTree) -> None:
        lines = (
            "Type a shape above, such as",
            " ",
            "  slot=10/core=2",
            "  node=4/slot/[core=8;gpu]",
            "  slot=3-30/node",
            " ",
            "F1 explains the notation.",
        )
        _trim(tree.root, len(lines))
        self._drawn.clear()
        for number, line in enumerate(lines):
            _put(tree.root, number, Text(line, style=self.style.quiet), "", leaf=True)
        tree.refresh()

    def _patch(
        self,
        node: TreeNode[str],
        vertices: Sequence[Mapping[str, Any]],
        path: str,
        faults: Mapping[str, Problem],
        budget: list[int],
    ) -> None:
        """Make a node's children show these vertices, keeping what is already right."""
        shown = vertices[: max(budget[0], 0)]
        budget[0] -= len(vertices)
        _trim(node, len(shown))
        for number, vertex in enumerate(shown):
            here = at(path, number)
            children = vertex.get("with") or ()
            fault, place = faults.get(here), self._places.get(str(vertex.get("type")))
            own = {key: value for key, value in vertex.items() if key != "with"}
            drawn = (own, fault is None, place, self.style, not children)
            known = number < len(node.children)
            if known and self._drawn.get(here) == drawn:
                child = node.children[number]
            else:
                self._drawn[here] = drawn
                label = vertex_label(vertex, self.style, fault)
                if place and fault is None:
                    label.append(f"  {place}", style=self.style.match)
                child = _put(node, number, label, here, leaf=not children)
            self._patch(child, children, at(here, "with"), faults, budget)


def vertex_label(vertex: Mapping[str, Any], style: Palette, fault: Problem | None) -> Text:
    """One vertex in words: ``node 2 or more  exclusive``."""
    kind = str(vertex["type"])
    text = Text(no_wrap=True)
    text.append(printable(kind), style=style.slot if kind == "slot" else style.strong)
    text.append(f" {jobspec.count_words(vertex['count'])}", style=style.count)
    for key, value in vertex.items():
        if key in ("type", "count", "with"):
            continue
        text.append("  ")
        if key == "label":
            text.append(printable(str(value)), style=style.label)
        elif key == "unit":
            text.append(printable(str(value)), style=style.plain)
        elif key == "exclusive" and isinstance(value, bool):
            text.append("exclusive" if value else "shared", style=style.key)
        else:
            text.append(f"{printable(str(key))} ", style=style.key)
            text.append(printable(_words(value)), style=style.plain)
    if fault is not None:
        text.append("  ✗", style=style.problem)
    return text


def _places(state: State) -> dict[str, str]:
    """Where the placement puts the nodes, and which cores and gpus it takes, by type."""
    placement = state.outlook.placement
    if placement is None or state.outlook.stale:
        return {}
    resources = state.cluster.resources
    places = {"node": printable(resources.hosts_of(placement.mask, limit=3))}
    shares = {(share.cores, share.gpus) for share in placement.shares}
    if len(shares) == 1:
        cores, gpus = shares.pop()
        places |= {"core": f"[{cores}]" if cores else "", "gpu": f"[{gpus}]" if gpus else ""}
    return places


def _vertex_of(problem: Problem) -> str:
    """The path of the vertex that a problem is about, whichever of its keys it names."""
    found = _VERTEX.match(problem.path or "")
    return found[0] if found else ""


def _words(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _trim(node: TreeNode[str], count: int) -> None:
    for child in list(node.children)[count:]:
        child.remove()


def _put(node: TreeNode[str], number: int, label: Text, data: str, *, leaf: bool) -> TreeNode[str]:
    """Make the child of that number show a label, adding it if it is the next one."""
    if number >= len(node.children):
        return node.add(label, data, expand=True, allow_expand=not leaf)
    child = node.children[number]
    if child.label != label:
        child.set_label(label)
    child.data = data
    if child.allow_expand == leaf:
        child.allow_expand = not leaf
        child.expand()
    return child
