"""The shared parts of command lines: layout, options, and expressions that begin with a dash."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from fluxtui.notation.problem import did_you_mean, nearest, printable, shortened


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width, since measuring the terminal imports a lot for each added option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=80)


class Parser(argparse.ArgumentParser):
    """The parser of a verb; keeps the layout of its texts and accepts no abbreviated options.

    exits    the meaning of each exit code; 2 is wrong usage, unless given
    answers  the JSON answers: the options that select one, "-" for lines of standard input and ""
             for no option -> the name of its schema in ``schemas.json``
    """

    def __init__(
        self,
        prog: str,
        description: str,
        epilog: str,
        exits: Mapping[int, str],
        answers: Mapping[str, str] | None = None,
        usage: str | None = None,
    ) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            description=description,
            epilog=epilog,
            formatter_class=_Layout,
            allow_abbrev=False,
        )
        self.color = False  # Python 3.14 colours help with terminal codes
        self.exits = {2: "wrong usage", **exits}
        self.answers = answers or {}

    def declared(self) -> tuple[argparse.Action, ...]:
        """The options and arguments, in the order of the help."""
        return tuple(self._actions)

    def places(self) -> list[argparse.Action]:
        """The positional arguments."""
        return [action for action in self.declared() if not action.option_strings]

    def format_help(self) -> str:
        """The help text, with the exit codes at its end."""
        from textwrap import fill

        codes = ", ".join(f"{code} {means}" for code, means in sorted(self.exits.items()))
        return f"{super().format_help()}\n{fill(f'exit codes: {codes}', 80)}\n"

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> argparse.Namespace:
        """Parse a command line; exit 2 on what is not declared, with what may be meant."""
        found: argparse.Namespace
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            name = next((one for one in unknown if one.startswith("-")), "").partition("=")[0]
            known = (text for one in self.declared() for text in one.option_strings[-1:])
            near = did_you_mean(nearest(name, known)) if name else ""
            extra = f"'{shortened(unknown[0])}' is one argument too many"
            self.error(f"there is no option '{shortened(name)}'{near}" if name else extra)
        return found

    def error(self, message: str) -> NoReturn:
        """Report wrong usage and how to get help; exit 2."""
        self.exit(2, f"{self.prog}: {printable(message)}\nFor help: {self.prog} --help\n")


class _Once(argparse.Action):
    """Stores the value of an option that may be given only once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Store it; exit 2 if there is one already."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is given twice; it takes one document")
        setattr(namespace, self.dest, values)


class _Instance(argparse.Action):
    """Stores the address of a running instance as the R document."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Store it as ``live:URI``; exit 2 if there is a document already."""
        if namespace.resources is not None:
            parser.error(f"{option_string} and -r cannot be given together")
        several = self.const
        namespace.resources = [f"live:{values}"] if several else f"live:{values}"


def add_resources(parser: Parser, metavar: str = "R", *, several: bool = False) -> None:
    """Add the options for the R document; with several it can be repeated, giving a list."""
    help_text = (
        "an R document, or a Flux configuration that lists its nodes, with its queues; "
        "'-' is standard input, 'demo' the cluster that ships inside, 'live' the Flux that runs "
        "here; a snapshot of it works as well"
    )
    if several:
        help_text += "; repeat for more documents"
    action = "append" if several else _Once
    parser.add_argument("-r", "--resources", metavar=metavar, action=action, help=help_text)
    parser.add_argument(
        "--uri",
        action=_Instance,
        const=several,
        help="a running Flux other than that of FLUX_URI: local://, ssh://, or a job's id",
    )


def add_submission(parser: Parser) -> None:
    """Add the options for the queues, the queue to submit to, and the user who submits."""
    add = parser.add_argument
    add("-c", "--config", metavar="PATH", help="a Flux TOML file or directory (queues, policy)")
    add("--queue", metavar="NAME", help="the queue, instead of the one a job names")
    add("--user", metavar="NAME", help="who submits, for queues that only some may use (you)")
    add(
        "--status",
        metavar="FILE",
        help='the state of the queues: {"batch": {"enable": true, "start": false}, ...}',
    )


def add_texts(parser: Parser, shape: str, requires: str) -> None:
    """Add the options for a shape and a constraint; the parameters begin their help texts."""
    add = parser.add_argument
    add("-s", "--shape", metavar="SHAPE", help=f"{shape} (RFC 46)")
    add(
        "-q",
        "--requires",
        metavar="EXPR",
        help=f"{requires}: a query (RFC 35) or a JSON object (RFC 31)",
    )


def joined(arguments: list[str]) -> list[str]:
    """Rewrite ``-q -gpu`` to ``--requires=-gpu``, since a query often begins with a dash."""
    found: list[str] = []
    rest = iter(arguments)
    for word in rest:
        value = next(rest, None) if word in {"-q", "--requires"} else None
        found.append(word if value is None else f"--requires={value}")
    return found


def parse_expression(parser: Parser, arguments: list[str], takes_value: str) -> argparse.Namespace:
    """Parse a command line whose expression may begin with a dash, as ``-gpu`` does.

    A word is an option if it begins with two dashes, is ``-h``, or is a single-letter option in
    takes_value, which are those with a value. All other words belong to the expression: they are
    joined by spaces into ``expression`` of the result.
    """
    options: list[str] = []
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            words += rest
        elif word == "-h" or word.startswith("--"):
            options.append(word)
            if "=" not in word and word[2:] in {"resources", "output", "uri", "state"}:
                options += [value for value in (next(rest, None),) if value is not None]
        elif len(word) == 2 and word[0] == "-" and word[1] in takes_value:
            options += [word, *(value for value in (next(rest, None),) if value is not None)]
        else:
            words.append(word)
    found = parser.parse_args([*options, "--", *words])
    found.expression = " ".join(words)
    if not words:
        parser.error("an expression is missing, such as 'gpu&-debug'")
    if "-" in words and len(words) > 1:
        parser.error("'-' reads expressions from standard input and goes with no other word")
    return found
