"""All global actions: the one source of keys, palette, footer and help."""

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import isawaitable
from operator import attrgetter

from textual.actions import parse
from textual.binding import Binding

from fluxtui.notation.problem import is_digits
from fluxtui.ui.kit.keys import bind, keys_in_force
from fluxtui.ui.layout import ZONES, Tab


def _is_special(key: str) -> bool:
    return key == "escape" or (key[0] == "f" and is_digits(key[1:]))


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do wherever they are.

    name      its name, and the id of its key in a keymap
    keys      the keys that do it everywhere, comma-separated
    label     one or two words, for the footer and the palette
    help      a sentence, for the palette and the help
    run       the method of the app, or of one of its parts, that does it: ``saving.save``
    synonyms  other words that find it in the palette
    footer    whether the footer shows it
    first     whether it comes before what the widget with the focus would do with the key
    """

    name: str
    keys: str
    label: str
    help: str
    run: str
    synonyms: str = ""
    footer: bool = False
    first: bool = True

    def __post_init__(self) -> None:
        """Take the keys from the person's keymap."""
        object.__setattr__(self, "keys", keys_in_force(self.name, self.keys))

    @property
    def letters(self) -> tuple[str, ...]:
        """Its printable keys, which the focused widget may use for itself."""
        return tuple(k for k in self.keys.split(",") if k and "+" not in k and not _is_special(k))

    def binding(self) -> Binding:
        """The key binding."""
        call = f"do({self.name!r})"
        return bind(
            self.name, self.keys, call, self.label, self.help, footer=self.footer, first=self.first
        )


ACTIONS = (
    Action(
        "help",
        "f1,question_mark",
        "Help",
        "Show the keys that work here, and the two notations",
        "commands.help",
        synonyms="keys shortcuts notation manual",
        footer=True,
    ),
    Action(
        "commands",
        "ctrl+p,colon",
        "Commands",
        "Find any command by what it does",
        "commands.show",
        synonyms="palette menu search",
        footer=True,
    ),
    Action(
        "new_job",
        "N",
        "New job",
        "Start a new job; the current one is kept",
        "authoring.new_job",
        synonyms="clear empty start",
    ),
    Action(
        "open",
        "ctrl+o",
        "Open",
        "Open an R document, a configuration or a job",
        "documents.ask",
        synonyms="import load read file recent",
        footer=True,
    ),
    Action(
        "save",
        "ctrl+s",
        "Save",
        "Save the jobspec as YAML or JSON",
        "saving.save",
        synonyms="write store submit sbatch export",
        footer=True,
    ),
    Action(
        "copy",
        "ctrl+y,y",
        "Copy",
        "Copy the shape, the jobspec, command lines, or nodes in several forms",
        "export.copy",
        synonyms="clipboard yank export hosts sbatch submit slurm",
        footer=True,
        first=False,
    ),
    Action(
        "edit_outside",
        "ctrl+e",
        "Editor",
        "Edit the job, or the script in the form, in your own editor ($VISUAL, $EDITOR)",
        "authoring.edit_outside",
        synonyms="external vim emacs nano yaml script",
        first=False,
    ),
    Action(
        "fix",
        "ctrl+f",
        "Apply the best fix",
        "Apply the best fix for what is wrong",
        "fixes.apply_best",
        synonyms="fix mend repair nearest problem",
    ),
    Action(
        "verdicts",
        "ctrl+l",
        "Verdicts",
        "Show everything that is wrong with the job, and its fixes",
        "authoring.show_verdicts",
        synonyms="problems errors fix validate check diagnose",
    ),
    Action(
        "undo",
        "ctrl+z",
        "Undo",
        "Undo the last edit, wherever it was made",
        "authoring.undo",
        synonyms="revert back",
        footer=True,
    ),
    Action("redo", "ctrl+r", "Redo", "Redo the last edit that was undone", "authoring.redo"),
    Action("focus_shape", "s", "Shape", "Go to the shape", "focus_shape"),
    Action(
        "focus_constraint",
        "r",
        "Requires",
        "Go to the constraint",
        "focus_constraint",
        synonyms="constraint query search",
    ),
    Action(
        "find",
        "slash",
        "Find",
        "Find nodes: filter the table, or go to a host or a rank",
        "find",
        synonyms="search filter host rank node",
    ),
    Action(
        "jump",
        "ctrl+g,g",
        "Jump",
        "Label each part of the screen with a letter; type one to go there",
        "jump",
        synonyms="go focus",
    ),
    Action("next_pane", "full_stop,f6", "Next pane", "Go to the next pane", "go_round(1)"),
    Action(
        "previous_pane",
        "comma,f7",
        "Previous pane",
        "Go to the previous pane",
        "go_round(-1)",
    ),
    Action(
        "maximize",
        "z,f8",
        "Maximize",
        "Maximize the focused pane, or restore it",
        "maximize_pane",
        synonyms="zoom maximise full screen",
    ),
    Action(
        "split_left",
        "ctrl+left,left_curly_bracket",
        "Edge left",
        "Move the edge beside the pane to the left",
        'move_split("left")',
        synonyms="resize layout",
        first=False,
    ),
    Action(
        "split_right",
        "ctrl+right,right_curly_bracket",
        "Edge right",
        "Move the edge beside the pane to the right",
        'move_split("right")',
        synonyms="resize layout",
        first=False,
    ),
    Action(
        "split_up",
        "ctrl+up",
        "Edge up",
        "Move the edge above or below the pane up",
        'move_split("up")',
        synonyms="resize layout",
        first=False,
    ),
    Action(
        "split_down",
        "ctrl+down",
        "Edge down",
        "Move the edge above or below the pane down",
        'move_split("down")',
        synonyms="resize layout",
        first=False,
    ),
    Action(
        "view",
        "f2",
        "Next view",
        "Switch between map, table and graph",
        'go_to_digit("2")',
    ),
    Action(
        "explain",
        "f3",
        "Explain",
        "Go to the explanation of the constraint, or back",
        'toggle_pane("explain")',
        synonyms="why diagnose reading",
    ),
    Action(
        "text_form",
        "f4",
        "YAML or JSON",
        "Switch between YAML, JSON, what Flux stores, and command lines",
        "authoring.next_form",
    ),
    Action(
        "queues",
        "f5",
        "Queues",
        "Go to the queues, with what they require and allow, or back",
        'toggle_pane("queues")',
        synonyms="partition",
    ),
    Action(
        "form",
        "f12",
        "Form",
        "Go to the form (command, limits, environment), or back",
        'toggle_pane("form")',
        synonyms="submit command limits environment",
    ),
    Action(
        "next_match",
        "n",
        "Next match",
        "Go to the next node that matches",
        "next_match(1)",
        synonyms="find",
    ),
    Action(
        "previous_match",
        "p",
        "Previous match",
        "Go to the previous node that matches",
        "next_match(-1)",
        synonyms="find",
    ),
    Action(
        "documents",
        "ctrl+d",
        "Documents",
        "List the open documents: switch, close, compare",
        "documents.list",
        synonyms="tabs files switch",
        first=False,
    ),
    Action(
        "next_document",
        "right_square_bracket",
        "Next document",
        "Go to the next open document",
        "documents.go(1)",
    ),
    Action(
        "previous_document",
        "left_square_bracket",
        "Previous document",
        "Go to the previous open document",
        "documents.go(-1)",
    ),
    Action(
        "close_document",
        "",
        "Close document",
        "Close the current document",
        "documents.close_shown",
    ),
    Action(
        "compare_documents",
        "",
        "Compare documents",
        "Compare with another open document, or stop comparing",
        "comparison.compare_documents",
        synonyms="diff difference",
    ),
    Action(
        "changes",
        "",
        "Changes",
        "List what differs between two documents",
        "comparison.list_changes",
        synonyms="diff difference",
    ),
    Action(
        "compare",
        "A",
        "Keep as A",
        "Keep the constraint as A to compare another with it, or stop",
        "comparison.compare_constraints",
        synonyms="diff difference compare constraints",
    ),
    Action(
        "swap_compared",
        "",
        "Swap A and B",
        "Put A, the kept constraint, in the input and keep B",
        "comparison.swap_constraints",
    ),
    Action(
        "name_selected",
        "",
        "Constraint for the selected nodes",
        "Write a short constraint that matches exactly the selected nodes",
        "selection.find_constraint",
        synonyms="constraint requires",
    ),
    Action(
        "save_nodes",
        "",
        "Save nodes",
        "Save selected or matching nodes: R document, CSV, hosts, ranks",
        "export.save_nodes",
        synonyms="export csv hosts ranks",
    ),
    Action(
        "examples",
        "E",
        "Examples",
        "Start from an example in the RFCs",
        "authoring.show_examples",
        synonyms="templates samples tutorial",
    ),
    Action(
        "paste_request",
        "",
        "Command line",
        "Read a command line or a script of Flux, Slurm or PBS as a job",
        "authoring.ask_command",
        synonyms="import slurm sbatch pbs qsub script translate",
    ),
    Action(
        "open_pasted",
        "",
        "Open from the clipboard",
        "Paste an R document, a resource graph, a configuration or a jobspec, and open it",
        "pasting.ask",
        synonyms="import paste",
    ),
    Action(
        "stage",
        "P,f11",
        "Stage",
        "Present constraints one by one: RFC 31's examples, or a list",
        "stage.open",
        synonyms="slides talk demo show",
    ),
    Action(
        "examples_on_stage",
        "",
        "Stage: RFC 31",
        "Present the examples of RFC 31",
        "stage.open_examples",
    ),
    Action(
        "view_text",
        "",
        "View as text",
        "Copy the constraint, its answer and its explanation, for a chat",
        "export.copy_view",
        synonyms="share chat",
    ),
    Action(
        "read_again",
        "",
        "Reload",
        "Read the open document and its queues again",
        "watcher.read_again",
        synonyms="refresh",
    ),
    Action(
        "watch",
        "",
        "Auto-reload",
        "Turn reloading on or off for files that change",
        "watcher.toggle",
        synonyms="refresh live watch",
    ),
    Action(
        "demo",
        "",
        "Demo cluster",
        "Open the built-in demo cluster",
        'documents.open_source("demo")',
        synonyms="sample",
    ),
    Action(
        "themes",
        "T,f9",
        "Theme",
        "Choose another theme",
        "themes.choose",
        synonyms="colours colors settings appearance",
    ),
    Action(
        "picture",
        "",
        "Screenshot",
        "Save the screen as an SVG picture in this folder",
        "saving.save_picture",
        synonyms="picture image svg",
    ),
    Action(
        "unselect",
        "",
        "Clear selection",
        "Clear the selection; with none, go back to the inputs",
        "selection.unselect",
        first=False,
    ),
    Action(
        "leave",
        "escape",
        "Back",
        "One step back: stop what is running, restore the pane, or go to the inputs and back",
        "leave",
        first=False,
    ),
    Action(
        "quit",
        "ctrl+q,f10",
        "Quit",
        "Quit the workbench",
        "saving.quit",
        synonyms="exit close",
        footer=True,
    ),
)

BY_NAME = {action.name: action for action in ACTIONS}
LETTERS = {action.name: action.letters for action in ACTIONS}  # asked for at each key


def bindings(tabs: Iterable[Tab]) -> list[Binding]:
    """The bindings of all actions that have keys, and of the digits that go to panes."""
    found = [action.binding() for action in ACTIONS if action.keys]
    for title, digit, _ in ZONES.values():
        found.append(_digit(digit, title, f"Go to the {title.lower()}; again for its next tab"))
    digits = (tab for tab in tabs if tab.digit)
    return [
        *found,
        *(_digit(tab.digit, tab.title, f"Go to the {tab.title} pane") for tab in digits),
    ]


def _digit(digit: str, title: str, help: str) -> Binding:
    return bind(f"pane.{digit}", digit, f"digit({digit!r})", title, help, first=True)


async def run(app: object, action: Action) -> None:
    """Run an action in an app that has its method."""
    part, name, arguments = parse(action.run)
    done = getattr(attrgetter(part)(app) if part else app, name)(*arguments)
    if isawaitable(done):
        await done
