"""Everything a person can do, once: the source of keys, palette, footer and help."""

from typing import NamedTuple

from textual.binding import Binding

from fluxtui.notation.problem import is_digits


class Action(NamedTuple):
    """One thing a person can do.

    name    the app's action method, ``action_NAME``, and the id of its key
    keys    the keys that do it everywhere, comma-separated
    label   one or two words, for the footer
    help    a sentence, for the palette and the help
    shown   whether the footer shows it
    first   whether it comes before what the widget with the focus would do with the key
    """

    name: str
    keys: str
    label: str
    help: str
    shown: bool = False
    first: bool = True

    def binding(self) -> Binding:
        """The key binding."""
        return Binding(
            self.keys,
            self.name,
            self.label,
            show=self.shown,
            priority=self.first,
            id=self.name,
            tooltip=self.help,
        )


ACTIONS = (
    Action("help", "f1", "Help", "Show the keys and the two notations", True),
    Action("map_or_table", "f2", "View", "Go on from map to table to graph of the nodes", True),
    Action("reading", "f3", "Why", "Go to how the constraint is read, with counts; and back", True),
    Action(
        "text_form", "f4", "JSON", "Change between YAML, JSON, what Flux stores, and command lines"
    ),
    Action("queues", "f5", "Queues", "Show the queues, what they require and allow", True),
    Action("form", "f12", "Form", "Show the form of the job: command, limits, environment", True),
    Action("next_pane", "f6", "Next pane", "Go to the next pane"),
    Action("previous_pane", "f7", "Previous pane", "Go to the pane before"),
    Action("zoom", "f8", "Zoom", "Give the whole screen to the pane with the focus, and back"),
    Action("themes", "f9", "Theme", "Choose another theme"),
    Action("open", "ctrl+o", "Open", "Open an R document, a configuration or a job", True),
    Action("documents", "ctrl+d", "Documents", "List what is open: go there, close it, compare"),
    Action("next_document", "", "Next document", "Go to the next open document (] in a pane)"),
    Action(
        "previous_document", "", "Previous document", "Go to the open document before ([ in a pane)"
    ),
    Action("close_document", "", "Close document", "Close the document that is shown"),
    Action(
        "compare_documents",
        "",
        "Compare documents",
        "Show what differs from another open document (d in the cluster); or end",
    ),
    Action("changes", "", "Changes", "List what differs between two documents (D in the cluster)"),
    Action("save", "ctrl+s", "Save", "Save the jobspec as YAML or JSON", True),
    Action("copy", "ctrl+y", "Copy", "Copy the shape, the jobspec, or nodes in several forms"),
    Action(
        "undo",
        "ctrl+z",
        "Undo",
        "Take back the last edit, wherever it was made, or the opening of a job",
    ),
    Action("redo", "ctrl+r", "Redo", "Do again what was taken back"),
    Action("focus_shape", "ctrl+n", "Shape", "Go to the shape"),
    Action("focus_constraint", "ctrl+t", "Requires", "Go to the constraint"),
    Action("examples", "ctrl+g", "Examples", "Begin with an example of the RFCs"),
    Action("verdicts", "ctrl+l", "Verdicts", "Show what is wrong with the job, and mend it"),
    Action(
        "compare", "ctrl+k", "Compare", "Keep the constraint as A, see what another changes; or end"
    ),
    Action("swap_compared", "", "Swap A and B", "Put A, which is kept, in the bar, and keep B"),
    Action(
        "name_selected",
        "",
        "Constraint for the selected nodes",
        "Write a short constraint for just these nodes (x in the cluster)",
    ),
    Action(
        "save_nodes",
        "",
        "Save nodes",
        "Save selected or matching nodes: R document, CSV, hosts, ranks (w in the cluster)",
    ),
    Action(
        "paste_request",
        "",
        "Command line",
        "Read a command line or a script of Flux, Slurm or PBS as a job",
    ),
    Action("stage", "f11", "Stage", "Show constraints one by one: RFC 31's examples, or a list"),
    Action("examples_on_stage", "", "Stage: RFC 31", "Show the examples of RFC 31 on the stage"),
    Action(
        "view_text", "", "View as text", "Copy the constraint, its answer and reading for a chat"
    ),
    Action(
        "open_pasted",
        "",
        "Open from the clipboard",
        "Paste an R document, a resource graph, a configuration or a jobspec, and open it",
    ),
    Action("read_again", "", "Read again", "Read the open document and its queues again, now"),
    Action("watch", "", "Watch files", "Read what is open again when it changes, or no longer"),
    Action("demo", "", "Demo cluster", "Open the cluster that ships inside"),
    Action(
        "leave",
        "escape",
        "Leave",
        "Stop reading, end the zoom; else to the cluster and back",
        first=False,
    ),
    Action("picture", "", "Picture", "Save the screen as an SVG picture in this folder"),
    Action("quit", "f10,ctrl+q", "Quit", "Leave the workbench", True),
)

#: The actions that the footer shows, what leads on and out first: in a narrow one the last are left
#: out.
LASTING = (
    *("help", "quit"),
    *(a.name for a in ACTIONS if a.shown and a.name not in ("help", "quit")),
)


def bindings() -> list[Binding]:
    """The bindings of every action that has a key."""
    return [action.binding() for action in ACTIONS if action.keys]


def is_f_key(key: str) -> bool:
    """Whether a key, as Textual names it, is one of F1 to F12."""
    return key[:1] == "f" and is_digits(key[1:])


def key_label(key: str) -> str:
    """A key as keyboards and manuals write it: ``F10``, ``ctrl+q``, ``esc``."""
    return key.upper() if is_f_key(key) else key.replace("escape", "esc")


def key_name(action: Action) -> str:
    """The keys of an action: ``F10, ctrl+q``."""
    return ", ".join(key_label(key) for key in action.keys.split(","))
