"""All global actions: the one source of keys, palette, footer and help."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import isawaitable
from operator import attrgetter

from textual.actions import parse
from textual.binding import Binding

from fluxtui.ui.kit.keys import bind
from fluxtui.ui.layout import ZONES, Tab


@dataclass(frozen=True, slots=True)
class Action:
    """An action that is available everywhere in the workbench.

    name      its name, and the id of its key in a keymap
    keys      its keys, comma-separated
    label     one or two words, for the footer and the palette
    run       the method to call, of the app or of one of its parts: ``saving.save``
    help      a sentence, for the palette and the help
    synonyms  other words that find it in the palette
    footer    whether the footer shows it
    first     whether its keys take priority over bindings of the focused widget
    """

    name: str
    keys: str
    label: str
    run: str
    help: str
    synonyms: str = ""
    footer: bool = False
    first: bool = True


ACTIONS = (
    Action("help", "f1,question_mark", "Help", "commands.help",
           "Show the keys that work here, the two notations, and the documentation",
           "keys shortcuts notation manual",
           footer=True),
    Action("docs", "", "Documentation", "commands.documentation",
           "Read the documentation that ships with fluxtui, or look for words in it",
           "docs manual guide readme about"),
    Action("commands", "ctrl+p,colon", "Commands", "commands.show",
           "Find any command by what it does", "palette menu search", footer=True),
    Action("new_job", "N", "New job", "authoring.new_job",
           "Start a new job; the current one is kept", "clear empty start"),
    Action("open", "ctrl+o", "Open", "documents.ask",
           "Open an R document, a configuration, a job, or a running Flux",
           "import load read file recent live snapshot record",
           footer=True),
    Action("save", "ctrl+s", "Save", "saving.save",
           "Save the jobspec as YAML or JSON", "write store submit sbatch export", footer=True),
    Action("submit", "S", "Submit", "submitting.submit",
           "Review the job, submit it to the running Flux, and follow it",
           "run send start flux"),
    Action("submit_script", "", "Submit as a batch script", "submitting.submit_script",
           "Submit the job to the running Flux as a script of flux batch", "batch script sbatch"),
    Action("submitted", "", "Submitted jobs", "submitting.show_list",
           "List the jobs that were submitted from here, and follow one again",
           "history jobs follow output"),
    Action("copy", "ctrl+y,y", "Copy", "export.copy",
           "Copy the shape, the jobspec, command lines, or nodes in several forms",
           "clipboard yank export hosts sbatch submit slurm", footer=True),
    Action("edit_outside", "ctrl+e", "Editor", "authoring.edit_outside",
           "Edit the job, or the script in the form, in your own editor ($VISUAL, $EDITOR)",
           "external vim emacs nano yaml script", first=False),
    Action("fix", "ctrl+f", "Apply the best fix", "fixes.mend",
           "Apply the best fix for what is wrong", "fix mend repair nearest problem"),
    Action("verdicts", "ctrl+l", "Verdicts", "authoring.show_verdicts",
           "Show everything that is wrong with the job, and how to fix it",
           "problems errors fix validate check diagnose"),
    Action("undo", "ctrl+z", "Undo", "authoring.undo",
           "Undo the last edit, wherever it was made", "revert back", footer=True),
    Action("redo", "ctrl+r", "Redo", "authoring.redo",
           "Redo the last edit that was undone"),
    Action("focus_shape", "s", "Shape", "focus_shape",
           "Go to the shape"),
    Action("focus_constraint", "r", "Requires", "focus_constraint",
           "Go to the constraint", "constraint query search"),
    Action("find", "slash", "Find", "find",
           "Find nodes: filter the table, or go to a host or a rank",
           "search filter host rank node"),
    Action("jump", "ctrl+g,g", "Jump", "jump",
           "Label each part of the screen with a letter; type one to go there", "go focus"),
    Action("next_pane", "full_stop,f6", "Next pane", "go_round(1)",
           "Go to the next pane"),
    Action("previous_pane", "comma,f7", "Previous pane", "go_round(-1)",
           "Go to the previous pane"),
    Action("maximize", "z,f8", "Maximize", "maximize_pane",
           "Maximize the focused pane, or restore it", "zoom maximise full screen"),
    Action("split_left", "ctrl+left,left_curly_bracket", "Edge left", 'move_split("left")',
           "Move the edge beside the pane to the left", "resize layout", first=False),
    Action("split_right", "ctrl+right,right_curly_bracket", "Edge right", 'move_split("right")',
           "Move the edge beside the pane to the right", "resize layout", first=False),
    Action("split_up", "ctrl+up", "Edge up", 'move_split("up")',
           "Move the edge above or below the pane up", "resize layout", first=False),
    Action("split_down", "ctrl+down", "Edge down", 'move_split("down")',
           "Move the edge above or below the pane down", "resize layout", first=False),
    Action("view", "f2", "Next view", 'action_digit("2")',
           "Switch between map, table and graph"),
    Action("explain", "f3", "Explain", 'toggle_pane("explain")',
           "Go to the explanation of the constraint, or back", "why diagnose reading"),
    Action("text_form", "f4", "YAML or JSON", "authoring.next_form",
           "Switch between YAML, JSON, what Flux stores, and command lines"),
    Action("queues", "f5", "Queues", 'toggle_pane("queues")',
           "Go to the queues, with what they require and allow, or back", "partition"),
    Action("form", "f12", "Form", 'toggle_pane("form")',
           "Go to the form (command, limits, environment), or back",
           "submit command limits environment"),
    Action("next_match", "n", "Next match", "next_match(1)",
           "Go to the next matching node; without a constraint, the next selected one", "find"),
    Action("previous_match", "p", "Previous match", "next_match(-1)",
           "Go to the previous matching node; without a constraint, the previous selected one",
           "find"),
    Action("earlier", "left_parenthesis", "Earlier", "replay.step(-1)",
           "Show the previous picture in a record of a running Flux", "time back history record"),
    Action("later", "right_parenthesis", "Later", "replay.step(1)",
           "Show the next picture in a record of a running Flux", "time forward history record"),
    Action("play", "", "Play the record", "replay.play",
           "Play the record, picture by picture, or stop", "time replay movie"),
    Action("documents", "ctrl+d", "Documents", "documents.list",
           "List the open documents: switch, close, compare", "tabs files switch", first=False),
    Action("next_document", "right_square_bracket", "Next document", "documents.go(1)",
           "Go to the next open document"),
    Action("previous_document", "left_square_bracket", "Previous document", "documents.go(-1)",
           "Go to the previous open document"),
    Action("close_document", "", "Close document", "documents.close_shown",
           "Close the current document"),
    Action("compare_documents", "", "Compare documents", "comparison.compare_documents",
           "Compare with another open document, or stop comparing", "diff difference"),
    Action("changes", "", "Changes", "comparison.list_changes",
           "List what differs between two documents", "diff difference"),
    Action("compare", "A", "Keep as A", "comparison.compare_constraints",
           "Keep the constraint as A to compare another with it, or stop",
           "diff difference compare constraints"),
    Action("swap_compared", "", "Swap A and B", "comparison.swap_constraints",
           "Put A, the kept constraint, in the input and keep B"),
    Action("name_selected", "", "Constraint for the selected nodes", "selection.find_constraint",
           "Write a short constraint that matches exactly the selected nodes",
           "constraint requires"),
    Action("save_nodes", "", "Save nodes", "export.save_nodes",
           "Save selected or matching nodes: R document, CSV, hosts, ranks",
           "export csv hosts ranks"),
    Action("examples", "E", "Examples", "authoring.show_examples",
           "Start from an example in the RFCs", "templates samples tutorial"),
    Action("paste_request", "", "Command line", "authoring.ask_command",
           "Read a command line or a script of Flux, Slurm, PBS or LSF as a job",
           "import slurm sbatch pbs qsub lsf bsub script translate"),
    Action("open_pasted", "", "Open from the clipboard", "documents.ask_text",
           "Paste an R document, a resource graph, a configuration or a jobspec, and open it",
           "import paste"),
    Action("stage", "P,f11", "Stage", "stage.open",
           "Present constraints one by one: RFC 31's examples, or a list", "slides talk demo show"),
    Action("examples_on_stage", "", "Stage: RFC 31", "stage.open_examples",
           "Present the examples of RFC 31"),
    Action("view_text", "", "View as text", "export.copy_view",
           "Copy the constraint, its answer and its explanation, for a chat", "share chat"),
    Action("read_aloud", "R", "Read aloud", "aloud.show",
           "Show the pane as plain lines, for a screen reader or to copy",
           "accessible blind speech text linear plain"),
    Action("messages", "M", "Messages", "aloud.show_messages",
           "List all messages so far in full", "log notifications warnings toasts history"),
    Action("read_again", "", "Reload", "watcher.read_again",
           "Read the open document and its queues again", "refresh"),
    Action("watch", "", "Auto-reload", "watcher.toggle",
           "Turn automatic reloading of changed files on or off", "refresh live watch"),
    Action("demo", "", "Demo cluster", 'documents.open_source("demo")',
           "Open the built-in demo cluster", "sample"),
    Action("live", "", "Live Flux", 'documents.open_source("live")',
           "Open the Flux that runs here, or that FLUX_URI names", "running instance"),
    Action("themes", "T,f9", "Theme", "themes.choose",
           "Choose another theme", "colours colors settings appearance"),
    Action("picture", "", "Screenshot", "saving.save_picture",
           "Save the screen as an SVG picture in this folder", "picture image svg"),
    Action("unselect", "", "Clear selection", "selection.unselect",
           "Clear the selection", first=False),
    Action("leave", "escape", "Back", "leave",
           "Go one step back: stop what is running, restore the pane, or leave an input",
           first=False),
    Action("quit", "ctrl+q,f10", "Quit", "saving.quit",
           "Quit the workbench", "exit close", footer=True),
)  # fmt: skip

BY_NAME = {action.name: action for action in ACTIONS}

_BINDINGS = [
    bind(action.name, action.keys, f"do({action.name!r})", action.label, action.help,
         footer=action.footer, first=action.first)
    for action in ACTIONS
]  # fmt: skip

# A letter, or ctrl+y, which yanks in an input.
_LETTER = re.compile(r"(?!escape|f[0-9]+)[^+]+|ctrl\+y")

#: The printable keys of each action; a binding of the focused widget goes before these.
LETTERS = {
    binding.id: [key for key in binding.key.split(",") if _LETTER.fullmatch(key)]
    for binding in _BINDINGS
}


def bindings(tabs: Iterable[Tab]) -> list[Binding]:
    """Return the bindings of all actions that have keys, and of the digits that go to panes."""
    found = [binding for binding in _BINDINGS if binding.key]
    digits = [
        (digit, title, f"Go to the {title.lower()}; again for its next tab")
        for title, digit, _ in ZONES.values()
    ]
    digits += [(tab.digit, tab.title, f"Go to the {tab.title} pane") for tab in tabs if tab.digit]
    for digit, title, help in digits:
        found.append(bind(f"pane.{digit}", digit, f"digit({digit!r})", title, help, first=True))
    return found


async def run(app: object, action: Action) -> None:
    """Run an action in an app that has the method it names."""
    part, name, arguments = parse(action.run)
    result = getattr(attrgetter(part)(app) if part else app, name)(*arguments)
    if isawaitable(result):
        await result
