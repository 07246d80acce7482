"""The jobspec tree: what the shape asks for, level by level, and its edits by keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.shape.tree import Shape, from_resources
from fluxtui.ui.job.vertex_edits import VERTEX_KEYS, Question, first
from fluxtui.ui.job.vertex_tree import JobspecTree
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.notation.shape.edit import Edited

HINT = (
    "Type a shape above, such as",
    "  slot=10/core=2",
    "  node=4/slot/[core=8;gpu]",
    " ",
    "F1      the notation, and all keys",
    "ctrl+g  examples to begin with",
    "F12     the form of all the rest",
    "paste   an srun, qsub or flux line",
)


class JobspecPane(Pane):
    """Shows the resources list as a tree, which keys edit.

    on_edit is called with the text of the shape after an edit, on_mend with the problem that is to
    be mended, or None for the first one of the job.
    """

    title: ClassVar[str] = "Jobspec"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key.key, f"vertex({number})", key.help, show=False)
            for number, key in enumerate(VERTEX_KEYS)
        ),
        Binding("f", "mend", "Mend", show=False),
        Binding("v", "app.do('verdicts')", "Verdicts", show=False),
    ]

    def __init__(
        self, on_edit: Callable[[str], None], on_mend: Callable[[Problem | None], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._on_edit = on_edit
        self._on_mend = on_mend
        self._shape: Shape | None = None
        self._asked: Shape | None = None  # the shape that the open question is about
        self._wanted: tuple[int, ...] | None = None
        self._prompt: Prompt | None = None
        self._faults: Mapping[str, Problem] = {}
        self._stale = False
        self._listed: Any = None  # the resources of the document where the shape is not the same
        self._partial = False  # they hold what no shape can say
        self.view = JobspecTree(id="jobspec-tree")

    def compose(self) -> ComposeResult:
        """The tree alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the tree of a shape; while the shape has none, the last one, marked stale.

        Where there is room, the tree says where; where there is none, what it is missing for. An
        open question about another shape is closed, as its answer would bring that one back.
        """
        build = state.build
        self._shape = build.shape
        if self._prompt is not None and self._prompt.display and self._asked is not build.shape:
            self._prompt.close()
        self._stale = build.stale
        listed = _listed(state)
        if listed is not self._listed:
            self._listed = listed
            self._partial = listed is not None and bool(from_resources(listed).problems)
        self._faults = _faults(state) if listed is None or _alike(listed, build.resources) else {}
        if build.resources:
            self.view.show_vertices(build.resources, frozenset(self._faults), _places(state))
            self._follow()
        else:
            self.view.show_hint(HINT)
        self._say()

    # Editing

    async def action_vertex(self, number: int) -> None:
        """Edit the vertex with the cursor by a key: at once, or after a question."""
        shape, key = self._shape, VERTEX_KEYS[number]
        if shape is None or self._stale:
            return
        if not shape.vertices:
            if key.begins:
                await self._ask(shape, first(shape))
            return
        if not self.view.path:
            return
        from fluxtui.notation.shape.tree import path_of

        found = key.act(shape, path_of(self.view.path))
        if isinstance(found, Question):
            await self._ask(shape, found)
        else:
            self._take(found)

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
        """Hand an edit on, with the cursor to go where it leads; the problem that it has."""
        if edited.problem is not None:
            self._put_in_frame(edited.problem.message)
            return edited.problem
        self._wanted = edited.path
        self._on_edit(edited.text)
        self._follow()
        return None

    def _follow(self) -> None:
        """Put the cursor where the last edit leads, as soon as that is there."""
        if self._wanted is not None and self.view.go_to(self._wanted):
            self._wanted = None

    def action_mend(self) -> None:
        """Mend what is wrong with the vertex, or else the first thing that is wrong."""
        self._on_mend(self._faults.get(self.view.path))

    # The frame

    def on_tree_node_highlighted(self) -> None:
        """Another vertex is selected."""
        self._say()

    def _say(self) -> None:
        """Say in the frame why the selected vertex is marked, or what the tree does not show."""
        fault = self._faults.get(self.view.path)
        if self._stale:
            self._put_in_frame("stale: the last shape that had a tree")
        elif fault is not None and self.view.has_focus:
            self._put_in_frame(fault.message)
        elif self._partial:
            self._put_in_frame("leaves out what no shape can say; an edit drops it")
        else:
            self.say_in_frame("")

    def _put_in_frame(self, text: str) -> None:
        self.say_in_frame(shorten(printable(text), self.size.width - 6))


def _listed(state: State) -> Any:
    """The resources of the document where the shape says them otherwise, or not in full."""
    document = state.job.document
    if document is None or state.build.stale:
        return None
    listed = document.get("resources")
    return None if identical(listed, list(state.build.resources)) else listed


def _alike(listed: object, vertices: Sequence[Mapping[str, Any]]) -> bool:
    """The places in a document are those in the tree: the same types stand at each of them."""
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


def _faults(state: State) -> dict[str, Problem]:
    """What is wrong with each vertex, by its path: by the rules, or else why it finds no room."""
    if state.verdicts is None:
        return {}
    # Not at module level: the first frame does without, and has no verdicts.
    from fluxtui.model.jobspec.verdicts import by_vertex

    found = state.outlook.fit
    none = found is not None and found.feasible is False and not state.outlook.old
    missing = found.own.reasons if found is not None and none else ()
    sorted_out = by_vertex((*state.verdicts.problems, *missing))
    return {path: problems[0] for path, problems in sorted_out.items()}


def _places(state: State) -> dict[str, str]:
    """Where the placement puts the nodes, and which cores and gpus it takes, by type."""
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
