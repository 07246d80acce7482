"""The help: the keys, and the two notations in one screen."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from fluxtui.ui.actions import ACTIONS, key_name
from fluxtui.ui.constraint.explain import ExplainPane
from fluxtui.ui.job.tree import TreePane
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import written
from fluxtui.ui.nodes.view_keys import VIEW_KEYS

SHAPE = (
    ("node=4/slot/[core=8;gpu]", "on each of 4 nodes a slot of 8 cores and 1 gpu"),
    ("slot=10/core=2", "10 slots of 2 cores, on any nodes"),
    ("slot=4/node", "4 slots, each a whole node (RFC 14, beyond V1)"),
    ("core=2+   core=2-8   core=2,4,8", "2 or more; 2 to 8; one of these"),
    ("slot=2{db}/node{x}", "a label; exclusive (also {-x}, not exclusive)"),
    ("memory=4{unit:GB}", "a unit, or any other key"),
)
QUERY = (
    ("gpu", "nodes with the property gpu"),
    ("gpu&-debug   gpu -debug", "gpu and not debug"),
    ("gpu|bigmem", "gpu or bigmem"),
    ("host:dune[001-016]   rank:0-15", "by host name, by rank"),
    ("not (gpu|debug)", "neither"),
    ('{"properties": ["gpu"]}', "the same as RFC 31 JSON"),
)
TREE = tuple(
    (written(one.key.split(",")[0]), one.tooltip)
    for one in TreePane.BINDINGS
    if isinstance(one, Binding)
)
FORM = (
    ("↓  ↑  enter", "to the next field, or the one before"),
    ("page down  page up", "on by as many fields as are seen, or back"),
    ("letters", "replace what is there; end or home first keeps it"),
    ("ctrl+space", "what may come next: ↓ ↑ choose, enter or tab takes it, esc closes it"),
    ("enter  letters", "on the script: write it in a box, which ctrl+s or esc closes and keeps"),
    ("✗", "cannot be read: the text stays, and the job keeps what it held"),
    ("esc  F12", "to where you typed before; F12 also brings the YAML back"),
)
HANDS = (
    ("↓  ↑  ctrl+space", "in an input: what may come next; what was typed before; ask for it"),
    ("enter", "on the YAML or JSON: edit it, esc ends that"),
    ("paste", "into the shape: also a command line or script of flux, Slurm or PBS"),
    ("", "into any input: an R document, a graph, a configuration or a jobspec opens"),
    ("tab  shift+tab", "go through the inputs and the panes"),
    ("/   s   ?", "outside inputs and lists: to the constraint, to the shape, to this help"),
    ("arrows  n  p", "in the cluster: move; next and previous match"),
    ("space  shift+arrows  a", "there: select a node, a range, all that match; esc selects none"),
    ("x", "there: write a short constraint for just the selected nodes"),
    ("w", "there: save the selected nodes, or those that match: R document, CSV, hosts, ranks"),
    ("enter  !  a", "on a property: require it, exclude it (again: no longer), select its nodes"),
    ("/  o", "there: list those that hold a text; by name, nodes, or nodes that match"),
    ("enter 1 … 9", "in the room: take a way out"),
    ("enter  e  x", "on a queue: take it for the job; what if it were disabled, or stopped"),
    ("d  D", "in the cluster: what differs from another open document; the same as a list"),
    ("[  ]", "outside inputs: the open document before, the next one"),
    ("mouse", "hover shows a node, a click goes there, dragging selects, ctrl+click too"),
    ("", "titles and tabs are buttons"),
)


class HelpDialog(Dialog[None]):
    """Shows the help; any of its keys leaves it."""

    BINDINGS = [("f1,q,enter", "dismiss_dialog", "Leave")]  # noqa: RUF012  # Textual reads it so

    def compose(self) -> ComposeResult:
        """A few short tables."""
        keys = [(key_name(action), action.help) for action in ACTIONS if action.keys]
        with VerticalScroll(id="box") as box:
            box.border_title = "Help"
            box.border_subtitle = "esc leaves · ↑↓ scroll"
            for title, rows in (
                ("A shape says what you need (RFC 46)", SHAPE),
                ("A constraint says which nodes to use (RFC 35, RFC 31)", QUERY),
                ("In the jobspec tree", TREE),
                ("In the form of the job (F12)", FORM),
                ("In Explain (F3)", _keys_of(ExplainPane.BINDINGS)),
                *(
                    (f"In the {name} of the cluster (F2)", [(k.shown, k.help) for k in keys])
                    for name, keys in VIEW_KEYS.items()
                ),
                ("Getting about", HANDS),
                (
                    "Keys",
                    (*keys, ("ctrl+p", "All of these by name, and more: the command palette")),
                ),
            ):
                yield Static(_section(title, rows))


def _keys_of(bindings: Sequence[BindingType]) -> list[tuple[str, str]]:
    """The keys of a pane that have a name, with what they do."""
    named = (b for b in bindings if isinstance(b, Binding) and b.description)
    return [("  ".join(map(written, b.key.split(","))), b.tooltip) for b in named]


def _section(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.title = Text(title, style="bold")
    table.title_justify = "left"
    table.add_column(width=31, no_wrap=True)
    table.add_column()
    for left, right in rows:
        table.add_row(Text(left, style="bold dim"), Text(right))
    table.add_row()
    return table
