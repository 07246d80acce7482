"""``fluxtui`` without a verb: open the workbench."""

import argparse
import gc

from fluxtui import __version__
from fluxtui.cli.options import Parser, add_resources, add_submission, add_texts, joined
from fluxtui.cli.output import print_json, print_text
from fluxtui.cli.verbs import NAMES, VERBS

_USAGE = "fluxtui [options] [FILE ...]\n       fluxtui VERB ..."

_DESCRIPTION = """\
A workbench for people who request resources on a Flux cluster: type a shape,
browse a cluster, ask for nodes, and see at once what fits where and why.
Without options it opens on the Flux that runs here, or else on a demo cluster. A
FILE is a jobspec, an R document, a configuration, a job script or a list of
constraints to show, recognised by its content, or 'demo', or a running Flux:
'live', or a URI such as local:///run/flux/local."""

_EPILOG = """\
examples:
  fluxtui
  fluxtui job.yaml
  fluxtui --restore
  fluxtui yesterday.json today.json
  fluxtui -r R.json -c /etc/flux/system/conf.d
  fluxtui /etc/flux/system/conf.d
  flux R encode -r 0-3 -c 0-7 | fluxtui -r -
  fluxtui live
  fluxtui live conf.d
  fluxtui -s 'node=4/slot/[core=8;gpu]' -q 'gpu&-debug'
  fluxtui -r R.json --stage talk.yaml
  fluxtui -r R.json --stage talk.yaml --export talk.html
  fluxtui --plain -r R.json -s slot=4/core=8 -q gpu
  fluxtui match -r R.json 'gpu&-debug'
  fluxtui check jobspec.yaml R.json flux.toml
  fluxtui fit -r R.json -c /etc/flux/system/conf.d job.yaml
  fluxtui fit -r demo -s 'node=4/slot/core=8' -q gpu"""

_EXITS = {
    0: "fine",
    1: "the answer is no or an input is bad",
}


def _epilog() -> str:
    """The help text after the options."""
    rows = (f"  {f'{verb.name} {verb.takes}':21} {verb.summary}" for verb in VERBS)
    return "\n".join(
        (
            "verbs, which answer without opening the workbench:",
            *rows,
            "  See 'fluxtui VERB --help'. Those with a line of standard input as '-' answer it",
            "  with one JSON object a line.",
            "",
            _EPILOG,
        )
    )


def parser() -> Parser:
    """The parser of the program without a verb."""
    declared = Parser("fluxtui", _DESCRIPTION, _epilog(), _EXITS, {"--spec": "spec"}, _USAGE)
    add = declared.add_argument
    add_resources(declared, "FILE", several=True)
    add(
        "--live",
        action=argparse.BooleanOptionalAction,
        help="the Flux that runs here, as -r live; without either, only where FLUX_URI names one",
    )
    add_texts(declared, "start with this shape", "start with this constraint")
    add("-j", "--jobspec", metavar="FILE", help="open this jobspec")
    add_submission(declared)
    add("--theme", metavar="NAME", help="the colours to use")
    add("--stage", metavar="FILE", help="show the constraints of this list, one by one")
    add(
        "--export",
        metavar="PAGE",
        help="write that list as one page for any browser, with maps and a box for queries",
    )
    add(
        "--plain",
        action="store_true",
        help="print the whole screen as plain lines, for a screen reader, and exit",
    )
    add(
        "--restore",
        action="store_true",
        help="reopen the newest: the last session, or a draft that was not closed",
    )
    add("--version", action="version", version=f"fluxtui {__version__}")
    add("--man", action=_Printed, const="manual", help="print the manual page: | man -l -")
    add("--spec", action=_Printed, const="spec", help="print this help for machines, as JSON")
    add("words", metavar="FILE", nargs="*", help="a document of any kind, 'live' or 'demo'")
    return declared


class _Printed(argparse.Action):
    """Prints the manual page or the JSON description of the command line, and exits."""

    def __init__(self, option_strings: list[str], dest: str, const: str, help: str) -> None:
        super().__init__(option_strings, dest, 0, const, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Print it; exit 0."""
        if self.const == "spec":
            from fluxtui.cli import spec

            print_json(spec.spec())
        else:
            from fluxtui.cli import manual

            print_text(manual.manual())
        parser.exit()


def run(arguments: list[str]) -> int:
    """Open the workbench, and return the exit code."""
    from fluxtui.bridge import files

    declared = parser()
    options = declared.parse_args(joined(arguments))
    for word in options.words:
        if (wrong := _misplaced(word)) is not None:
            declared.error(wrong)
    texts = (options.shape, options.requires, options.jobspec)
    if options.restore and any(given is not None for given in texts):
        declared.error("--restore brings back a job of its own, without -s, -q and -j")
    if options.live and options.resources:
        declared.error("--live and -r cannot be given together")
    resources, *further = options.resources or ("live" if options.live else None,)
    words: list[str] = options.words
    if resources is None and words and (files.is_live(words[0]) or words[0] == files.DEMO):
        resources, *words = words
    if "-" in further:
        why = "is read once" if resources == "-" else "comes first: -r - -r FILE"
        declared.error(f"standard input {why}")
    if options.export is not None:
        if further or words or options.restore:
            declared.error("--export takes one cluster, by -r, and one list, by --stage")
        from fluxtui.cli import page

        return page.export(
            options.export,
            stage=options.stage,
            resources=resources,
            config=options.config,
            requires=options.requires,
            theme=options.theme,
        )
    if options.plain:
        if options.restore or options.stage is not None:
            declared.error("--plain cannot be combined with --restore or --stage")
        from fluxtui.cli import plain

        return plain.show(options, resources, [*further, *words])
    # Objects made before the first frame live on; the workbench turns garbage collection on later.
    was_on = gc.isenabled()
    gc.disable()
    try:
        from fluxtui.ui.launch import launch

        return launch(
            resources=resources,
            config=options.config,
            shape=options.shape,
            requires=options.requires,
            jobspec=options.jobspec,
            queue=options.queue,
            user=options.user,
            status=options.status,
            theme=options.theme,
            stage=options.stage,
            others=[*further, *words],
            restore=options.restore,
            find_live=options.live is None,
        )
    finally:
        if was_on:
            gc.enable()


def _misplaced(word: str) -> str | None:
    """Why a positional word is wrong, with a suggestion; None if it names a document."""
    import os

    from fluxtui.bridge import files

    if word in NAMES:
        return f"the verb comes first: fluxtui {word} ..."
    if word == files.DEMO or os.path.exists(word) or files.is_instance(word):
        return None
    from fluxtui.notation.problem import nearest, printable

    shown = printable(word)
    near = nearest(word, (*NAMES, "help"))
    if near:
        near = "--help" if near == "help" else near
        return f"there is no verb '{shown}'; did you mean {near}?"
    return f"there is no file and no verb '{shown}'; the verbs are {', '.join(NAMES)}"
