"""The tree of the job's resources: what the shape asks for, level by level, edited by keys.

The code that edits shapes is imported by the first key that needs it, not for the first frame.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from fluxtui.model.jobspec.request import count_words
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import TOO_LONG, Problem, at, counted, printable
from fluxtui.notation.shape.completion import completions
from fluxtui.notation.shape.tree import Path, Shape, from_resources, path_of, vertex_at
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.prompt import Prompt, Trouble
from fluxtui.workbench import EditShape, State

if TYPE_CHECKING:
    from fluxtui.notation.shape.edit import Edited

#: The pieces of a line, each as its text and the name of its style.
Parts: TypeAlias = tuple[tuple[str, str], ...]

SHOWN_LIMIT = 2000  # vertices; nobody would read a longer tree
KINDS = 100  # kinds of nodes that are considered for the suggested shapes


# The bindings for the vertex under the cursor: name, keys, action, label and help.
KEYS = (
    ("change", "enter", "ask('change')", "Change", "Change its type, count and keys"),
    ("more", "plus,equals_sign", "edit('step_count', 1)", "More", "Ask for one more"),
    ("fewer", "minus", "edit('step_count', -1)", "Fewer", "Ask for one fewer"),
    ("add_inside", "a", "ask('inside')", "Add inside", "Add something inside it"),
    ("add_beside", "o", "ask('beside')", "Add beside", "Add another vertex beside it"),
    ("wrap", "w", "ask('around')", "Wrap", "Put something around it"),
    ("delete", "d,delete", "edit('delete')", "Delete", "Delete it and what it holds"),
    ("lift", "b", "edit('lift')", "Unwrap", "Delete it but keep what it holds"),
    ("duplicate", "c", "edit('duplicate')", "Duplicate", "Duplicate it"),
    ("exclusive", "x", "edit('toggle_exclusive')", "Exclusive", "Exclusive, shared, or neither"),
    ("label", "l", "ask('label')", "Label", "Give it a label"),
    ("unit", "u", "ask('unit')", "Unit", "Give it a unit, such as GB"),
    ("key", "k", "ask('key')", "Key", "Set another of its keys"),
    ("move_up", "shift+up,K", "edit('move', -1)", "Move up", "Move it up"),
    ("move_down", "shift+down,J", "edit('move', 1)", "Move down", "Move it down"),
    ("indent", "right_angle_bracket,greater_than_sign", "edit('indent')", "Indent",
     "Move it into the one above"),
    ("outdent", "left_angle_bracket,less_than_sign", "edit('outdent')", "Outdent",
     "Move it out of the one around it"),
    ("fix", "f", "mend", "Fix", "Fix what is wrong with it, or with the job"),
    ("verdicts", "v", "app.do('verdicts')", "Verdicts", "List what is wrong with the job"),
)  # fmt: skip
FIRST = "node=2, or any shape"  # the placeholder of the question for the first vertex
BEGIN = ("change", "inside", "beside")  # these also work while there is no shape
FOOTER = ("change", "more", "fewer", "add_inside", "wrap", "delete")


# What the tree shows, as functions of the state


class Row(NamedTuple):
    """A line of the tree.

    path    that of its vertex in the jobspec, such as ``resources[0].with[1]``
    offer   the shape that it suggests while there is none
    action  the action of the app that it runs
    inside  the rows below it
    """

    parts: Parts
    path: str = ""
    offer: str = ""
    action: str = ""
    inside: tuple["Row", ...] = ()


def vertex_rows(
    vertices: Sequence[Mapping[str, Any]],
    faults: Collection[str],
    places: Mapping[str, str],
    path: str = "resources",
    left: Iterator[int] | None = None,
) -> tuple[Row, ...]:
    """Return the rows of a resources list (RFC 14).

    faults has the paths of the vertices with a problem, places where the vertices of a type would
    be placed. left yields once for each row that may still be added.
    """
    left = left if left is not None else iter(range(SHOWN_LIMIT))
    rows = []
    for (number, vertex), _ in zip(enumerate(vertices), left, strict=False):
        here = at(path, number)
        place = places.get(str(vertex["type"]), "")
        parts = vertex_parts(vertex, place, marked=here in faults)
        below = vertex_rows(vertex.get("with") or (), faults, places, at(here, "with"), left)
        rows.append(Row(parts, here, inside=below))
    return tuple(rows)


def vertex_parts(vertex: Mapping[str, Any], place: str = "", *, marked: bool = False) -> Parts:
    """Return the line of a vertex: ``node 2 or more  exclusive``.

    place is where it would be placed; marked adds the mark of a problem.
    """
    kind = str(vertex["type"])
    parts = [
        (printable(kind), "slot" if kind == "slot" else "strong"),
        (f" {count_words(vertex['count'])}", "count"),
    ]
    for key, value in vertex.items():
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if key in ("label", "unit"):
            parts.append((f"  {printable(written)}", "label" if key == "label" else "plain"))
        elif key == "exclusive" and isinstance(value, bool):
            parts.append(("  exclusive" if value else "  shared", "key"))
        elif key not in ("type", "count", "with"):
            parts += [(f"  {printable(str(key))} ", "key"), (printable(written), "plain")]
    if marked:
        parts.append(("  ✗", "problem"))
    elif place:
        parts.append((f"  {place}", "placed"))
    return tuple(parts)


def hints(
    resources: Resources, *, focused: bool, start: str = "Type a shape, or"
) -> tuple[Row, ...]:
    """Return the rows of an empty tree: shapes to try, and other ways to begin.

    Without the focus they name esc, as the shape input takes letters until then. start begins the
    first row.
    """
    tries = shapes_to_try(resources)
    width = max(len(shape) for shape, _ in tries)
    way = "try one with enter" if focused else "esc to try one"
    others = (
        ("", "", ""),
        ("E      ", "more examples", "examples"),
        ("paste  ", "an srun, qsub or flux command", ""),
        ("?      ", "notation and keys", "help"),
    )
    return (
        Row(((f"{start} {way}:", "quiet"),)),
        *(
            Row(((f"  {shape:<{width}}", "strong"), (f"  {words}", "quiet")), offer=shape)
            for shape, words in tries
        ),
        *(
            Row(((f"  {keys}", "key"), (f"  {words}", "quiet")), action=action)
            for keys, words, action in others
        ),
    )


def shapes_to_try(resources: Resources) -> list[tuple[str, str]]:
    """Return three shapes that fit on a cluster, each with a description of what it asks for."""
    kinds = resources.kinds[:KINDS]
    if not kinds:
        return [
            ("slot=4/core", "4 tasks of a core"),
            ("node=2/slot/core=8", "2 nodes, 8 cores each"),
            ("slot=2/[core=8;gpu]", "2 tasks with a gpu"),
        ]
    common = max(kinds, key=lambda kind: len(kind.indices))
    nodes, cores = min(len(common.indices), 2), max(len(common.cores), 1)
    shapes = [
        (f"slot={min(cores, 4)}/core", f"{counted(min(cores, 4), 'task')} of a core"),
        (f"node={nodes}/slot/core={cores}", f"{counted(nodes, 'node')}, all cores"),
    ]
    gpu = next((kind for kind in kinds if kind.gpus), None)
    if gpu is not None:
        parts = [part for part in resources.inside_at(gpu.indices.first).walk() if part.gpus]
        share = max(min(part.cores.count // part.gpus.count for part in parts), 1)
        tasks = min(sum(part.gpus.count for part in parts) * len(gpu.indices), 2)
        words = f"{counted(tasks, 'task')} with a gpu"
        shapes.append((f"slot={tasks}/[core={share};gpu]", words))
    else:
        half = max(cores // 2, 1)
        shapes.append((f"node={nodes}/slot=2/core={half}", "2 tasks per node"))
    return shapes


def faults_of(state: State) -> dict[str, Problem]:
    """Return the first problem of each vertex by path: a broken rule, or why it does not fit."""
    if state.verdicts is None:
        return {}
    # Imported here, as the first frame has no verdicts.
    from fluxtui.model.jobspec.verdicts import by_vertex

    fit = state.outlook.fit
    missing = fit.own.reasons if fit is not None and fit.hopeless and not state.outlook.old else ()
    by_path = by_vertex((*state.faults, *missing))
    return {path: problems[0] for path, problems in by_path.items()}


def places_of(state: State) -> dict[str, str]:
    """Return the hosts, cores and gpus of the placement by type; empty if unknown."""
    placement = state.outlook.placement
    if placement is None or state.outlook.old:
        return {}
    places = {"node": printable(state.cluster.resources.hosts_of(placement.mask, limit=3))}
    shares = {(share.cores, share.gpus) for share in placement.shares}
    if len(shares) == 1:
        cores, gpus = shares.pop()
        places |= {"core": f"[{cores}]" if cores else "", "gpu": f"[{gpus}]" if gpus else ""}
    return places


def left_out(state: State) -> Any:
    """Return the resources of the document if they differ from the shape's; else None."""
    document = state.job.document
    if document is None or state.build.stale:
        return None
    listed = document.get("resources")
    return None if identical(listed, list(state.build.resources)) else listed


def _types(resources: object) -> object:
    """Return the nested types of a resources list, as far as it can be read, for comparison."""
    if not isinstance(resources, Sequence):
        return resources
    return [
        (item.get("type"), _types(item.get("with") or ())) if isinstance(item, Mapping) else item
        for item in resources
    ]


#: The placeholders of questions without an initial answer.
HINTS = {
    "inside": "core=8, or any shape",
    "beside": "gpu, or any shape",
    "around": "node=2, or slot",
    "label": "a name",
    "unit": "e.g. GB",
    "key": "e.g. id:0-3",
}


def question(name: str, shape: Shape, path: Path) -> "tuple[str, str, Callable[[str], Edited]]":
    """Return the label of a question about a vertex, its initial answer, and the edit it makes.

    With the path () it asks for the first vertex.
    """
    from fluxtui.notation.shape import edit

    if not path:
        return ("first vertex", "", partial(edit.add_child, shape, path))
    vertex = vertex_at(shape.vertices, path)
    assert vertex is not None
    kind, texts = vertex.type, {k.key: k.value for k in vertex.keys if isinstance(k.value, str)}
    label = (vertex.label if kind == "slot" else texts.get("label")) or ""
    unit = texts.get("unit", "")
    return {
        "change": (kind, edit.line_of(shape, path), partial(edit.edit_vertex, shape, path)),
        "inside": (f"in {kind}", "", partial(edit.add_child, shape, path)),
        "beside": (f"beside {kind}", "", partial(edit.add_sibling, shape, path)),
        "around": (f"around {kind}", "", partial(edit.wrap, shape, path)),
        "label": ("label", label, partial(edit.set_label, shape, path)),
        "unit": ("unit", unit, partial(edit.set_text, shape, path, "unit")),
        "key": ("key:value", "", partial(edit.set_pair, shape, path)),
    }[name]


def in_slot(name: str, shape: Shape, path: Path) -> bool:
    """Return whether a slot contains what is asked for: inside, beside or around a vertex."""
    above = [path[:length] for length in range(1, len(path) + (name == "inside"))]
    vertices = (vertex_at(shape.vertices, ancestor) for ancestor in above)
    return any(vertex is not None and vertex.type == "slot" for vertex in vertices)


# The widgets


class VertexTree(Tree[Row], inherit_bindings=False):
    """A tree of rows, which updates only the labels that changed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("tree.up", "up", "cursor_up", ""),
        bind("tree.down", "down", "cursor_down", ""),
        bind("tree.page_up", "pageup", "page_up", ""),
        bind("tree.page_down", "pagedown", "page_down", ""),
        bind("tree.first", "home", "scroll_home", ""),
        bind("tree.last", "end", "scroll_end", ""),
        bind("tree.out", "left", "cursor_parent", ""),
        bind("tree.in", "right", "cursor_in", ""),
        bind("tree.fold", "space", "toggle_node", "Fold", "Fold or unfold what the vertex holds"),
    ]

    show_root = False
    guide_depth = 2
    auto_expand = False

    _shown: tuple[tuple[Row, ...], Palette] | None = None

    def __init__(self, *, id: str) -> None:
        super().__init__(Text("resources"), id=id)
        self.root.expand()

    @property
    def row(self) -> Row:
        """The row under the cursor; an empty row if there is none."""
        node = self.cursor_node
        return node.data if node is not None and node.data is not None else Row(())

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show these rows instead."""
        palette = palette_of(self)
        if self._shown != (rows, palette):
            recolour = self._shown is None or self._shown[1] != palette
            self._shown = rows, palette
            self._put(self.root, rows, palette, recolour=recolour)
            self.refresh()

    def _put(
        self, node: TreeNode[Row], rows: Sequence[Row], palette: Palette, *, recolour: bool
    ) -> None:
        for child in list(node.children)[len(rows) :]:
            child.remove()
        for number, row in enumerate(rows):
            if number == len(node.children):
                node.add(Text(), expand=True, allow_expand=False)
            child = node.children[number]
            before, child.data = child.data, row
            if recolour or before is None or before.parts != row.parts:
                parts = ((text, palette.role(role)) for text, role in row.parts)
                child.set_label(Text.assemble(*parts, no_wrap=True))
            if child.allow_expand != bool(row.inside):
                child.allow_expand = bool(row.inside)
                child.expand()
            self._put(child, row.inside, palette, recolour=recolour)

    def go_to_first(self) -> None:
        """Move the cursor to the first vertex or suggested shape."""
        rows = self._shown[0] if self._shown is not None else ()
        self.cursor_line = next((n for n, row in enumerate(rows) if row.path or row.offer), 0)

    def watch_show_root(self, show_root: bool) -> None:
        """Move the cursor off the first line, where Textual puts it when the tree is mounted."""
        super().watch_show_root(show_root)
        self.go_to_first()

    def go_to(self, path: Path) -> bool:
        """Move the cursor to the vertex at a path, or to its closest ancestor that exists.

        Return False if there is none.
        """
        node: TreeNode[Row] = self.root
        for step in path:
            if step >= len(node.children):
                break
            node.expand()
            node = node.children[step]
        if node is self.root:
            return False
        _ = self.last_line  # rebuilds the lines; a new vertex has none before
        self.move_cursor(node)
        return True

    def action_cursor_in(self) -> None:
        """Go to the first child of a vertex."""
        node = self.cursor_node
        if node is not None and node.children:
            node.expand()
            self.move_cursor(node.children[0])

    def render_label(self, node: TreeNode[Row], base_style: Style, style: Style) -> Text:
        """Return the label in its own colours, even on the line of the cursor."""
        text = super().render_label(node, base_style, Style())
        text.stylize_before(style)
        return text


class TreePane(WorkbenchPane):
    """Shows the resources list as a tree that is edited by keys."""

    # The keys that ask have priority, so that keys typed right after go to the question.
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(f"tree.{name}", keys, action, label, help,
             footer=name in FOOTER, first=action.startswith("ask"))
        for name, keys, action, label, help in KEYS
    ]  # fmt: skip

    _question_shape: Shape | None = None  # the shape that the open question is about
    _cursor_target: Path | None = None  # where the cursor goes once that vertex exists
    _faults: Mapping[str, Problem] = {}
    _left_out: Any = None  # the resources of the document if they differ from the shape's
    _partial = False  # whether they have what no shape can express, such as a count of -1
    _too_long: Problem | None = None  # why nothing of the shape is read
    _edit_fault = ""  # why the last edit failed, until the shape or the cursor changes

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = VertexTree(id="jobspec-tree")
        self.note = Trouble(id="tree-note")
        self.parts = (self.view, self.note)

    def show(self, state: State) -> None:
        """Show the tree of the shape; while that is invalid, the last valid one, marked stale.

        A question about another shape is closed, as its answer would restore that shape.
        """
        before, self.shown = self.shown, state
        if before is not None and before.build.shape is not state.build.shape:
            self._edit_fault = ""
        build = state.build
        if self._question_shape is not None and self._question_shape is not build.shape:
            self._question_shape = None
            if (prompt := Prompt.open_in(self)) is not None:
                prompt.close()
        listed = left_out(state)
        if listed is not self._left_out:
            self._left_out = listed
            self._partial = listed is not None and not from_resources(listed).ok
        is_same = listed is None or _types(listed) == _types(build.resources)
        self._faults = faults_of(state) if is_same else {}
        self._too_long = next((p for p in build.syntax if p.code == TOO_LONG), None)
        if build.resources:
            rows = vertex_rows(build.resources, self._faults, places_of(state))
        else:
            start = "The shape is too long;" if self._too_long else "Type a shape, or"
            rows = hints(state.cluster.resources, focused=self.view.has_focus, start=start)
        self.view.show_rows(rows)
        if before is None or bool(before.build.resources) != bool(build.resources):
            self.view.go_to_first()
            self.refresh_bindings()
        self._follow()
        self._say()

    def say_keys(self) -> None:
        """Show the problem of the vertex, or how to try a shape: both depend on the focus."""
        self.show_again()

    def on_tree_node_highlighted(self) -> None:
        """Show the problem of the vertex that the cursor moved to."""
        self._edit_fault = ""
        self._say()

    def _say(self) -> None:
        is_stale = self.shown is not None and self.shown.build.stale
        fault = self._faults.get(self.view.row.path) if self.view.has_focus else None
        words = printable(fault.message) if fault is not None and not is_stale else ""
        if self._too_long is not None:
            words = self._too_long.message
        if self._edit_fault and self.view.has_focus:
            words = self._edit_fault
        if words or self.note.display:
            self.note.say(words)
        partly = "not all of the job is shown" * self._partial
        self.say_in_frame("stale: the last valid shape" if is_stale else partly)

    # Editing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys of a vertex if there is none, and while a question has the focus."""
        if action not in ("ask", "edit", "mend"):
            return True
        begins = action == "mend" or (action == "ask" and parameters[0] in BEGIN)
        return (begins or bool(self.view.row.path)) and self.has_keys(self.view)

    @property
    def _shape(self) -> Shape | None:
        """The shape to edit; None while the typed one is invalid."""
        return None if self.state.build.stale else self.state.build.shape

    async def action_edit(self, name: str, *more: int) -> None:
        """Edit the vertex under the cursor with the function of `shape.edit` that has this name."""
        from fluxtui.notation.shape import edit

        shape, path = self._shape, self.view.row.path
        if shape is not None and path:
            self._apply_edit(getattr(edit, name)(shape, path_of(path), *more))

    async def action_ask(self, name: str) -> None:
        """Edit the vertex under the cursor after a question, or try the suggested shape."""
        shape, row = self._shape, self.view.row
        if shape is None:
            return
        if not shape.vertices and name == "change":
            await self._begin(row)
            return
        if shape.vertices and not row.path:
            return
        prompt = await Prompt.within(self, self.view.focus, id="vertex-prompt")
        if shape is not self._shape:  # the shape changed meanwhile
            return
        self._question_shape = shape
        path = path_of(row.path)
        words, begin, edit = question(name, shape, path)
        known, within = self.state.cluster.types, in_slot(name, shape, path)
        complete = partial(completions, known=known, in_slot=within)
        prompt.ask(
            words,
            begin,
            lambda text: self._apply_edit(edit(text)),
            lambda text: edit(text).problem if text.strip() else None,
            complete if name not in ("label", "unit", "key") else None,
            hint=HINTS.get(name, "") if path else FIRST,
        )

    async def _begin(self, row: Row) -> None:
        """Do what a row offers while there is no shape; otherwise focus the input of the shape."""
        if row.offer:
            self.app.edit(EditShape(row.offer))
        elif row.action:
            await self.run_action(f"app.do({row.action!r})")
        else:
            self.app.focus_shape()

    def _apply_edit(self, edited: "Edited") -> Problem | None:
        """Apply an edit and move the cursor; return the problem if it failed."""
        if edited.problem is not None:
            self._edit_fault = printable(edited.problem.message)
            self._say()
            return edited.problem
        self._cursor_target = edited.path
        self.app.edit(EditShape(edited.text))
        self._follow()
        return None

    def follow_change(self, state: State) -> None:
        """Move the cursor, once this state is shown, to the first vertex that will have changed."""
        from fluxtui.workbench.vertices import changed_path

        was, now = self.state.build.resources, state.build.resources
        self._cursor_target = changed_path(was, now, path_of(self.view.row.path)) or None

    def _follow(self) -> None:
        """Move the cursor to the vertex of the last edit, once it exists."""
        if self._cursor_target is not None and self.view.go_to(self._cursor_target):
            self._cursor_target = None

    def action_mend(self) -> None:
        """Fix the problem of the vertex under the cursor, or apply the best fix of all."""
        self.app.fixes.mend(self._faults.get(self.view.row.path))
