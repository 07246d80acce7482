"""Everything a person can do, once: the source of keys, palette, footer and help."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding

from fluxtui.ui.kit.keys import bind, written

if TYPE_CHECKING:
    from fluxtui.ui.app import FluxTUI


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do wherever they are.

    name      its name, and the id of its key in a keymap
    keys      the keys that do it everywhere, comma-separated
    label     one or two words, for the footer and the palette
    help      a sentence, for the palette and the help
    run       does it
    synonyms  other words that find it in the palette
    footer    whether the footer shows it
    first     whether it comes before what the widget with the focus would do with the key
    """

    name: str
    keys: str
    label: str
    help: str
    run: "Callable[[FluxTUI], object]"
    synonyms: str = ""
    footer: bool = False
    first: bool = True

    def binding(self) -> Binding:
        """The key binding."""
        call, keys = f"do({self.name!r})", self.keys
        return bind(
            self.name, keys, call, self.label, self.help, footer=self.footer, first=self.first
        )


ACTIONS = (
    Action(
        "help",
        "f1",
        "Help",
        "Show the keys and the two notations",
        lambda app: app.action_help(),
        synonyms="keys shortcuts notation manual",
        footer=True,
    ),
    Action(
        "map_or_table",
        "f2",
        "View",
        "Go on from map to table to graph of the nodes",
        lambda app: app.action_map_or_table(),
        footer=True,
    ),
    Action(
        "explain",
        "f3",
        "Why",
        "Go to how the constraint is read, with counts; and back",
        lambda app: app.action_explain(),
        synonyms="explain why diagnose",
        footer=True,
    ),
    Action(
        "text_form",
        "f4",
        "JSON",
        "Change between YAML, JSON, what Flux stores, and command lines",
        lambda app: app.action_text_form(),
    ),
    Action(
        "queues",
        "f5",
        "Queues",
        "Show the queues, what they require and allow",
        lambda app: app.action_queues(),
        synonyms="partition",
        footer=True,
    ),
    Action(
        "form",
        "f12",
        "Form",
        "Show the form of the job: command, limits, environment",
        lambda app: app.action_form(),
        synonyms="submit command limits environment",
        footer=True,
    ),
    Action(
        "next_pane", "f6", "Next pane", "Go to the next pane", lambda app: app.action_next_pane()
    ),
    Action(
        "previous_pane",
        "f7",
        "Previous pane",
        "Go to the pane before",
        lambda app: app.action_previous_pane(),
    ),
    Action(
        "zoom",
        "f8",
        "Zoom",
        "Give the whole screen to the pane with the focus, and back",
        lambda app: app.action_zoom(),
        synonyms="maximise maximize full screen",
    ),
    Action(
        "themes",
        "f9",
        "Theme",
        "Choose another theme",
        lambda app: app.action_themes(),
        synonyms="colours colors settings appearance",
    ),
    Action(
        "open",
        "ctrl+o",
        "Open",
        "Open an R document, a configuration or a job",
        lambda app: app.action_open(),
        synonyms="import load read file",
        footer=True,
    ),
    Action(
        "documents",
        "ctrl+d",
        "Documents",
        "List what is open: go there, close it, compare",
        lambda app: app.action_documents(),
        synonyms="tabs files switch",
    ),
    Action(
        "next_document",
        "",
        "Next document",
        "Go to the next open document (] in a pane)",
        lambda app: app.action_next_document(),
    ),
    Action(
        "previous_document",
        "",
        "Previous document",
        "Go to the open document before ([ in a pane)",
        lambda app: app.action_previous_document(),
    ),
    Action(
        "close_document",
        "",
        "Close document",
        "Close the document that is shown",
        lambda app: app.action_close_document(),
    ),
    Action(
        "compare_documents",
        "",
        "Compare documents",
        "Show what differs from another open document (d in the cluster); or end",
        lambda app: app.action_compare_documents(),
        synonyms="diff difference",
    ),
    Action(
        "changes",
        "",
        "Changes",
        "List what differs between two documents (D in the cluster)",
        lambda app: app.action_changes(),
        synonyms="diff difference",
    ),
    Action(
        "save",
        "ctrl+s",
        "Save",
        "Save the jobspec as YAML or JSON",
        lambda app: app.action_save(),
        synonyms="write store yaml json submit script sbatch",
        footer=True,
    ),
    Action(
        "copy",
        "ctrl+y",
        "Copy",
        "Copy the shape, the jobspec, or nodes in several forms",
        lambda app: app.action_copy(),
        synonyms="clipboard yank export hosts sbatch submit command line",
    ),
    Action(
        "undo",
        "ctrl+z",
        "Undo",
        "Take back the last edit, wherever it was made, or the opening of a job",
        lambda app: app.action_undo(),
        synonyms="take back revert",
    ),
    Action("redo", "ctrl+r", "Redo", "Do again what was taken back", lambda app: app.action_redo()),
    Action(
        "focus_shape", "ctrl+n", "Shape", "Go to the shape", lambda app: app.action_focus_shape()
    ),
    Action(
        "focus_constraint",
        "ctrl+t",
        "Requires",
        "Go to the constraint",
        lambda app: app.action_focus_constraint(),
    ),
    Action(
        "examples",
        "ctrl+g",
        "Examples",
        "Begin with an example of the RFCs",
        lambda app: app.action_examples(),
        synonyms="templates samples tutorial",
    ),
    Action(
        "verdicts",
        "ctrl+l",
        "Verdicts",
        "Show what is wrong with the job, and mend it",
        lambda app: app.action_verdicts(),
        synonyms="problems errors fix validate check diagnose",
    ),
    Action(
        "fix",
        "ctrl+f",
        "Fix",
        "Apply the best fix of what is wrong with the job or the constraint",
        lambda app: app.fixes.apply_best(),
        synonyms="repair mend correct",
    ),
    Action(
        "compare",
        "ctrl+k",
        "Compare",
        "Keep the constraint as A, see what another changes; or end",
        lambda app: app.action_compare(),
        synonyms="diff difference",
    ),
    Action(
        "swap_compared",
        "",
        "Swap A and B",
        "Put A, which is kept, in the bar, and keep B",
        lambda app: app.action_swap_compared(),
    ),
    Action(
        "name_selected",
        "",
        "Constraint for the selected nodes",
        "Write a short constraint for just these nodes (x in the cluster)",
        lambda app: app.action_name_selected(),
        synonyms="constraint requires",
    ),
    Action(
        "save_nodes",
        "",
        "Save nodes",
        "Save selected or matching nodes: R document, CSV, hosts, ranks (w in the cluster)",
        lambda app: app.action_save_nodes(),
        synonyms="export csv hosts ranks",
    ),
    Action(
        "paste_request",
        "",
        "Command line",
        "Read a command line or a script of Flux, Slurm or PBS as a job",
        lambda app: app.action_paste_request(),
        synonyms="import slurm sbatch pbs qsub script translate",
    ),
    Action(
        "stage",
        "f11",
        "Stage",
        "Show constraints one by one: RFC 31's examples, or a list",
        lambda app: app.action_stage(),
        synonyms="present slides talk demo",
    ),
    Action(
        "examples_on_stage",
        "",
        "Stage: RFC 31",
        "Show the examples of RFC 31 on the stage",
        lambda app: app.action_examples_on_stage(),
    ),
    Action(
        "view_text",
        "",
        "View as text",
        "Copy the constraint, its answer and reading for a chat",
        lambda app: app.action_view_text(),
        synonyms="share chat",
    ),
    Action(
        "open_pasted",
        "",
        "Open from the clipboard",
        "Paste an R document, a resource graph, a configuration or a jobspec, and open it",
        lambda app: app.action_open_pasted(),
        synonyms="clipboard",
    ),
    Action(
        "read_again",
        "",
        "Read again",
        "Read the open document and its queues again, now",
        lambda app: app.action_read_again(),
        synonyms="reload refresh",
    ),
    Action(
        "watch",
        "",
        "Watch files",
        "Read what is open again when it changes, or no longer",
        lambda app: app.action_watch(),
        synonyms="reload refresh live",
    ),
    Action(
        "demo",
        "",
        "Demo cluster",
        "Open the cluster that ships inside",
        lambda app: app.action_demo(),
        synonyms="sample",
    ),
    Action(
        "unselect",
        "",
        "Select nothing",
        "Select no node any more; leave, where none is selected",
        lambda app: app.action_unselect(),
        first=False,
    ),
    Action(
        "leave",
        "escape",
        "Leave",
        "Stop reading, end the zoom; else to the cluster and back",
        lambda app: app.action_leave(),
        first=False,
    ),
    Action(
        "picture",
        "",
        "Picture",
        "Save the screen as an SVG picture in this folder",
        lambda app: app.action_picture(),
        synonyms="screenshot svg image",
    ),
    Action(
        "quit",
        "f10,ctrl+q",
        "Quit",
        "Leave the workbench",
        lambda app: app.action_quit(),
        synonyms="exit close leave",
        footer=True,
    ),
)

BY_NAME = {action.name: action for action in ACTIONS}

#: The actions that the footer shows, what leads on and out first: in a narrow one the last are left
#: out.
LASTING = (
    *("do('help')", "do('quit')"),
    *(f"do({a.name!r})" for a in ACTIONS if a.footer and a.name not in ("help", "quit")),
)


def bindings() -> list[Binding]:
    """The bindings of every action that has a key."""
    return [action.binding() for action in ACTIONS if action.keys]


def key_name(action: Action) -> str:
    """The keys of an action: ``F10, ^q``."""
    return ", ".join(written(key) for key in action.keys.split(","))
