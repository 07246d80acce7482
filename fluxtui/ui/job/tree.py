"""The tree of the job's resources: what the shape asks for, level by level, edited by keys.

What edits a shape is loaded with the first key that needs it, as the first frame does without.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from fluxtui.model.jobspec.request import count_words
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Problem, at, counted, printable
from fluxtui.notation.shape.tree import Shape, Vertex, from_resources, path_of
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.prompt import Prompt, Trouble
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.notation.shape.edit import Edited

#: (0, 1) is the second child of the first vertex at the top.
Path: TypeAlias = tuple[int, ...]

#: The pieces of a label, each with the name of its style.
Parts: TypeAlias = tuple[tuple[str, str], ...]

SHOWN_LIMIT = 2000  # vertices; beyond this a tree is no help to anyone
KINDS = 100  # of nodes, that shapes to try are made for


# The keys of the vertex with the cursor: name, keys, action, label and help of each binding.
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
FOOTER = ("change", "more", "fewer", "add_inside", "wrap", "delete")


# What the tree shows, as functions of the state


def vertex_parts(vertex: Mapping[str, Any], place: str = "", *, marked: bool = False) -> Parts:
    """One vertex in words: ``node 2 or more  exclusive``.

    place is where it would be placed; marked says that something is wrong with it.
    """
    kind = str(vertex["type"])
    parts = [
        (printable(kind), "slot" if kind == "slot" else "strong"),
        (f" {count_words(vertex['count'])}", "count"),
    ]
    for key, value in vertex.items():
        if key in ("type", "count", "with"):
            continue
        if key == "label":
            parts.append((f"  {printable(str(value))}", "label"))
        elif key == "unit":
            parts.append((f"  {printable(str(value))}", "plain"))
        elif key == "exclusive" and isinstance(value, bool):
            parts.append(("  exclusive" if value else "  shared", "key"))
        else:
            parts.append((f"  {printable(str(key))} ", "key"))
            parts.append((printable(_value_words(value)), "plain"))
    if marked:
        parts.append(("  ✗", "problem"))
    elif place:
        parts.append((f"  {place}", "placed"))
    return tuple(parts)


def _value_words(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def shapes_to_try(resources: Resources) -> list[tuple[str, str]]:
    """Three shapes that fit on a cluster, each with what it asks for in words."""
    kinds = resources.kinds[:KINDS]
    if not kinds:
        return [
            ("slot=4/core", "4 tasks of a core"),
            ("node=2/slot/core=8", "2 nodes, 8 cores each"),
            ("node=4/slot/[core=8;gpu]", "4 nodes, a gpu each"),
        ]
    common = max(kinds, key=lambda kind: len(kind.indices))
    nodes, cores = min(len(common.indices), 2), max(len(common.cores), 1)
    found = [
        (f"slot={min(cores, 4)}/core", f"{counted(min(cores, 4), 'task')} of a core"),
        (f"node={nodes}/slot/core={cores}", f"{counted(nodes, 'node')}, all cores"),
    ]
    gpu = next((kind for kind in kinds if kind.gpus), None)
    if gpu is not None:
        share = max(len(gpu.cores) // len(gpu.gpus), 1)
        tasks = min(len(gpu.gpus) * len(gpu.indices), 2)
        words = f"{counted(tasks, 'gpu')}, {counted(share, 'core')} each"
        found.append((f"slot={tasks}/[core={share};gpu]", words))
    else:
        half = max(cores // 2, 1)
        found.append((f"node={nodes}/slot=2/core={half}", "2 tasks on each node"))
    return found


def faults_of(state: State) -> dict[str, Problem]:
    """The problem of each vertex by its path: a broken rule, or why it does not fit."""
    if state.verdicts is None:
        return {}
    # Not at module level: the first frame does without, and has no verdicts.
    from fluxtui.model.jobspec.verdicts import by_vertex

    fit = state.outlook.fit
    hopeless = fit is not None and fit.feasible is False and not state.outlook.old
    missing = fit.own.reasons if fit is not None and hopeless else ()
    sorted_out = by_vertex((*state.verdicts.problems, *missing))
    return {path: problems[0] for path, problems in sorted_out.items()}


def places_of(state: State) -> dict[str, str]:
    """Where the placement puts nodes, cores and gpus, by type."""
    placement = state.outlook.placement
    if placement is None or state.outlook.old:
        return {}
    resources = state.cluster.resources
    places = {"node": printable(resources.hosts_of(placement.mask, limit=3))}
    shares = {(share.cores, share.gpus) for share in placement.shares}
    if len(shares) == 1:
        cores, gpus = shares.pop()
        places |= {"core": f"[{cores}]" if cores else "", "gpu": f"[{gpus}]" if gpus else ""}
    return places


def _listed(state: State) -> Any:
    """The resources of the document where the shape says them otherwise, or not in full."""
    document = state.job.document
    if document is None or state.build.stale:
        return None
    listed = document.get("resources")
    return None if identical(listed, list(state.build.resources)) else listed


def _alike(listed: object, vertices: Sequence[Mapping[str, Any]]) -> bool:
    """The places in a document are those in the tree: each of them has the same type."""
    if not vertices:
        return not listed
    if not isinstance(listed, list) or len(listed) != len(vertices):
        return False
    return all(
        isinstance(one, Mapping)
        and one.get("type") == vertex["type"]
        and _alike(one.get("with"), vertex.get("with") or ())
        for one, vertex in zip(listed, vertices, strict=True)
    )


# Questions before edits


class Question(NamedTuple):
    """A question asked before an edit.

    text    what is asked for
    begin   the answer to begin with
    edit    the edit for an answer
    vertex  the answer is a vertex, and not a label or a key
    """

    text: str
    begin: str
    edit: "Callable[[str], Edited]"
    vertex: bool = True


def question(name: str, shape: Shape, path: Path) -> Question:
    """The question that a key asks about the vertex at a path, or about an empty shape."""
    from fluxtui.notation.shape import edit

    if not path:
        return Question("what", "", lambda text: edit.add_sibling(shape, (), text))
    vertex = _vertex(shape, path)
    kind = vertex.type
    match name:
        case "inside":
            return Question(f"in {kind}", "", lambda text: edit.add_child(shape, path, text))
        case "beside":
            return Question(f"beside {kind}", "", lambda text: edit.add_sibling(shape, path, text))
        case "around":
            return Question(f"around {kind}", "", lambda text: edit.wrap(shape, path, text))
        case "label":
            label = vertex.label or "" if kind == "slot" else _text_of(vertex, "label")
            return Question(
                "label", label, lambda text: edit.set_label(shape, path, text), vertex=False
            )
        case "unit":
            unit = _text_of(vertex, "unit")
            return Question("unit", unit, lambda text: _with_unit(shape, path, text), vertex=False)
        case "key":
            return Question(
                "key:value", "", lambda text: _with_pair(shape, path, text), vertex=False
            )
    line = edit.line_of(shape, path)
    return Question(kind, line, lambda text: edit.edit_vertex(shape, path, text))


def _with_unit(shape: Shape, path: Path, text: str) -> "Edited":
    """Set the unit; an empty text takes it away."""
    from fluxtui.notation.shape.edit import remove_key, set_key

    if text.strip():
        return set_key(shape, path, "unit", text.strip())
    return remove_key(shape, path, "unit")


def _with_pair(shape: Shape, path: Path, text: str) -> "Edited":
    """Set the key of ``key:value``; a key alone is true, one after ``-`` false."""
    from fluxtui.notation.shape.edit import Edited, set_key
    from fluxtui.notation.shape.parser import parse_shape

    if not text.strip():
        return Edited(shape.text, path)
    parsed = parse_shape(f"x{{{text}}}")
    vertices = parsed.vertices
    # A brace in the text may end the keys early, and other vertices follow.
    alone = parsed.ok and len(vertices) == 1 and not vertices[0].children
    items = vertices[0].keys if alone else ()
    if len(items) != 1 or parsed.tokens[-1].span.end != len(parsed.text):
        message = "not a key with a value"
        wanted = ("id:0-3", "unit:GB", "x", "-x")
        return Edited(shape.text, path, Problem(message, None, None, wanted, "RFC 46"))
    return set_key(shape, path, items[0].key, items[0].value)


def _vertex(shape: Shape, path: Path) -> Vertex:
    vertex = shape.vertices[path[0]]
    for step in path[1:]:
        vertex = vertex.children[step]
    return vertex


def _text_of(vertex: Vertex, key: str) -> str:
    """The value of a key where that is a text; else an empty one."""
    found = next((item.value for item in vertex.keys if item.key == key), "")
    return found if isinstance(found, str) else ""


# The widgets


class VertexTree(Tree[str], inherit_bindings=False):
    """Vertices as a tree, of which only the labels that differ are made anew.

    A node's data is its path in the jobspec, such as ``resources[0].with[1]``; that of a shape to
    try is the shape after ``=``.
    """

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

    def __init__(self, *, id: str) -> None:
        super().__init__("resources", id=id)
        self._drawn: dict[str, Parts] = {}  # by path, what its label was made of
        self._offered: tuple[Sequence[tuple[Parts, str]], Palette] | None = None
        self._palette: Palette | None = None
        self._left = 0  # how many vertices more may be shown
        self.root.expand()

    @property
    def path(self) -> str:
        """The path of the vertex with the cursor; empty where there is none."""
        data = self._data
        return data if not data.startswith("=") else ""

    @property
    def offer(self) -> str:
        """The suggested shape under the cursor; empty if there is none."""
        data = self._data
        return data[1:] if data.startswith("=") else ""

    @property
    def _data(self) -> str:
        node = self.cursor_node
        return node.data or "" if node is not None else ""

    def show_vertices(
        self,
        resources: Sequence[Mapping[str, Any]],
        marked: frozenset[str],
        places: Mapping[str, str],
    ) -> None:
        """Show a resources list (RFC 14).

        marked are the paths of the vertices that something is wrong with; places says by type
        where a vertex would be placed.
        """
        palette = palette_of(self)
        self._offered = None
        if palette != self._palette:
            self._drawn.clear()
            self._palette = palette
        self._left = SHOWN_LIMIT
        if self._patch(self.root, resources, "resources", marked, places):
            self.refresh()

    def show_offers(self, lines: Sequence[tuple[Parts, str]]) -> None:
        """Show lines in place of vertices, some of which suggest a shape."""
        palette = palette_of(self)
        if self._offered == (lines, palette):
            return
        self._offered = (lines, palette)
        self._drawn.clear()
        _trim(self.root, len(lines))
        for number, (parts, shape) in enumerate(lines):
            child = self._put(self.root, number, _label(parts, palette), is_leaf=True)
            child.data = f"={shape}" if shape else ""
            _trim(child, 0)
        self.refresh()

    def go_to(self, path: Path) -> bool:
        """Put the cursor on the vertex at a path, or on the last one on the way that is there.

        False where not even the first one is.
        """
        node: TreeNode[str] = self.root
        for step in path:
            if step >= len(node.children):
                break
            node = node.children[step]
        if node is self.root:
            return False
        _ = self.last_line  # a vertex that is new has no line before these are made again
        self.move_cursor(node)
        return True

    def action_cursor_in(self) -> None:
        """Go to the first child of a vertex."""
        node = self.cursor_node
        if node is not None and node.children:
            node.expand()
            self.move_cursor(node.children[0])

    def render_label(self, node: TreeNode[str], base_style: Style, style: Style) -> Text:
        """The label in its own colours, also on the line of the cursor."""
        text = super().render_label(node, base_style, Style())
        text.stylize_before(style)
        return text

    def _patch(
        self,
        node: TreeNode[str],
        vertices: Sequence[Mapping[str, Any]],
        path: str,
        marked: frozenset[str],
        places: Mapping[str, str],
    ) -> bool:
        """Make a node's children show these vertices; whether that changes a label."""
        shown = vertices[: max(self._left, 0)]
        self._left -= len(vertices)
        _trim(node, len(shown))
        changed = False
        for number, vertex in enumerate(shown):
            here, children = at(path, number), vertex.get("with") or ()
            place = places.get(str(vertex["type"]), "")
            parts = vertex_parts(vertex, place, marked=here in marked)
            if number < len(node.children) and self._drawn.get(here) == parts:
                child = node.children[number]
                if child.allow_expand != bool(children):
                    child.allow_expand = bool(children)
            else:
                self._drawn[here] = parts
                label = _label(parts, palette_of(self))
                child = self._put(node, number, label, is_leaf=not children)
                child.data = here
                changed = True
            changed |= self._patch(child, children, at(here, "with"), marked, places)
        return changed

    def _put(
        self, node: TreeNode[str], number: int, label: Text, *, is_leaf: bool
    ) -> TreeNode[str]:
        """The child of that number with a label, added if it is the next one."""
        if number >= len(node.children):
            return node.add(label, expand=True, allow_expand=not is_leaf)
        child = node.children[number]
        child.set_label(label)
        if child.allow_expand == is_leaf:
            child.allow_expand = not is_leaf
            child.expand()
        return child


def _label(parts: Parts, palette: Palette) -> Text:
    return Text.assemble(*((text, palette.role(role)) for text, role in parts), no_wrap=True)


def _trim(node: TreeNode[str], count: int) -> None:
    for child in list(node.children)[count:]:
        child.remove()


class TreePane(Pane):
    """Shows the resources list as a tree, which keys edit.

    on_edit is called with the text of the shape after an edit, on_mend with the problem that is to
    be mended, or None for the best fix of all.
    """

    title = "Tree"

    BINDINGS: ClassVar[list[BindingType]] = [
        bind(f"tree.{name}", keys, action, label, help, footer=name in FOOTER)
        for name, keys, action, label, help in KEYS
    ]

    def __init__(
        self, on_edit: Callable[[str], None], on_mend: Callable[[Problem | None], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._on_edit = on_edit
        self._on_mend = on_mend
        self._shape: Shape | None = None
        self._asked: Shape | None = None  # the shape that the open question is about
        self._wanted: Path | None = None
        self._begins: Resources | None = None  # the cluster of the suggested shapes
        self._prompt: Prompt | None = None
        self._faults: Mapping[str, Problem] = {}
        self._stale = False
        self._listed: Any = None  # the resources of the document where the shape is not the same
        self._partial = False  # they hold what no shape can express
        self.view = VertexTree(id="jobspec-tree")
        self.note = Trouble(id="tree-note")

    def compose(self) -> ComposeResult:
        """The tree, and below it the problem of the selected vertex."""
        yield self.view
        yield self.note

    def show(self, state: State) -> None:
        """Show the tree of a shape; while the shape has none, the last one, marked stale.

        An open question about another shape is closed, as its answer would bring that one back.
        """
        build = state.build
        self._shape, self._stale = build.shape, build.stale
        if self._prompt is not None and self._prompt.display and self._asked is not build.shape:
            self._prompt.close()
        listed = _listed(state)
        if listed is not self._listed:
            self._listed = listed
            self._partial = listed is not None and bool(from_resources(listed).problems)
        is_same = listed is None or _alike(listed, build.resources)
        self._faults = faults_of(state) if is_same else {}
        self._begins = None
        if build.resources:
            self.view.show_vertices(build.resources, frozenset(self._faults), places_of(state))
            self._follow()
        else:
            self._offer(state.cluster.resources)
        self._say()

    def _offer(self, resources: Resources) -> None:
        self._begins = resources
        self.view.show_offers(_hints(resources, here=self.view.has_focus))

    # Editing

    async def action_edit(self, name: str, *more: int) -> None:
        """Edit the vertex under the cursor at once, by a function of `shape.edit`."""
        from fluxtui.notation.shape import edit

        if self._shape is not None and not self._stale and self.view.path:
            self._take(getattr(edit, name)(self._shape, path_of(self.view.path), *more))

    async def action_ask(self, name: str) -> None:
        """Edit the vertex under the cursor after a question, or try the suggested shape."""
        shape, path = self._shape, self.view.path
        if shape is None or self._stale:
            return
        if self.view.offer and name == "change":
            self._on_edit(self.view.offer)
        elif path:
            await self._ask(shape, question(name, shape, path_of(path)))
        elif not shape.vertices and name in ("change", "inside", "beside"):
            await self._ask(shape, question(name, shape, ()))

    async def _ask(self, shape: Shape, question: Question) -> None:
        from fluxtui.notation.shape.completion import completions

        if self._prompt is None:
            self._prompt = Prompt(self.view.focus, id="vertex-prompt")
            await self.mount(self._prompt)
            if shape is not self._shape:  # another one came meanwhile
                return
        self._asked = shape
        self._prompt.ask(
            question.text,
            question.begin,
            lambda text: self._take(question.edit(text)),
            lambda text: question.edit(text).problem if text.strip() else None,
            completions if question.vertex else None,
        )

    def _take(self, edited: "Edited") -> Problem | None:
        """Pass on an edit and note where the cursor goes; return its problem."""
        if edited.problem is not None:
            self.note.say(printable(edited.problem.message))
            return edited.problem
        self._wanted = edited.path
        self._on_edit(edited.text)
        self._follow()
        return None

    def _follow(self) -> None:
        """Move the cursor where the last edit leads, once it is there."""
        if self._wanted is not None and self.view.go_to(self._wanted):
            self._wanted = None

    def action_mend(self) -> None:
        """Fix the problem of the vertex, or apply the best fix."""
        self._on_mend(self._faults.get(self.view.path))

    # Notes on the selected vertex

    def on_tree_node_highlighted(self) -> None:
        """Show the problem of the newly selected vertex."""
        self._say()

    def say_keys(self) -> None:
        """Show the problem of the selected vertex while the tree has the focus."""
        if self._begins is not None:
            self._offer(self._begins)
        self._say()

    def _say(self) -> None:
        fault = self._faults.get(self.view.path) if self.view.has_focus else None
        self.note.say(printable(fault.message) if fault is not None and not self._stale else "")
        if self._stale:
            self.say_in_frame("stale: the last valid shape")
        elif self._partial:
            self.say_in_frame("only part of the job is shown; an edit drops the rest")
        else:
            self.say_in_frame("")


def _hints(resources: Resources, *, here: bool) -> list[tuple[Parts, str]]:
    """What an empty tree shows: shapes to try, and other ways to begin.

    The letters are text in an input: so esc comes first until the focus is here.
    """
    tries = shapes_to_try(resources)
    width = max(len(shape) for shape, _ in tries)
    way = "try one with enter" if here else "esc to try one"
    lines: list[tuple[Parts, str]] = [(((f"Type a shape, or {way}:", "quiet"),), "")]
    for shape, words in tries:
        lines.append((((f"  {shape:<{width}}", "strong"), (f"  {words}", "quiet")), shape))
    for keys, words in (
        ("", ""),
        ("E      ", "more examples"),
        ("paste  ", "an srun, qsub or flux command"),
        ("?      ", "notation and keys"),
    ):
        lines.append((((f"  {keys}", "key"), (f"  {words}", "quiet")), ""))
    return lines
