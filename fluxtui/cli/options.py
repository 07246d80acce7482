"""What command lines share: manners, options, and expressions that begin with a dash."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from fluxtui.notation.problem import did_you_mean, nearest, printable, shortened


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Help of one width; measuring the terminal would load much for each option added."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=80)


class Parser(argparse.ArgumentParser):
    """What a verb declares; it keeps the layout of its texts and takes no shortened options.

    exits    what each exit code means; 2 is wrong usage, unless it says otherwise
    answers  the JSON that it prints: by the options that ask for it, "-" for the lines of standard
             input and "" for none, the name of its schema in ``schemas.json``
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
        self.color = False  # of Python 3.14, whose help would have codes in it
        self.exits = {2: "wrong usage", **exits}
        self.answers = answers or {}

    def declared(self) -> tuple[argparse.Action, ...]:
        """Its options and arguments, in the order of the help."""
        return tuple(self._actions)

    def places(self) -> list[argparse.Action]:
        """Its arguments that are no options."""
        return [one for one in self.declared() if not one.option_strings]

    def format_help(self) -> str:
        """The help, which ends with the exit codes."""
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
        """Say what is wrong with the usage and where to read more; exit 2."""
        self.exit(2, f"{self.prog}: {printable(message)}\nFor help: {self.prog} --help\n")


class _Once(argparse.Action):
    """Keeps the value of an option that stands once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep it; exit 2 where there is one already."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is given twice; it takes one document")
        setattr(namespace, self.dest, values)


class _Instance(argparse.Action):
    """Keeps the address of a running instance as the document that is asked about."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep it as ``live:URI``; exit 2 where there is a document already."""
        if namespace.resources is not None:
            parser.error(f"{option_string} and -r cannot be given together")
        several = self.const
        namespace.resources = [f"live:{values}"] if several else f"live:{values}"


def add_resources(parser: Parser, metavar: str = "R", *, several: bool = False) -> None:
    """The option that names the R document; where there may be several, they are a list."""
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
    """The options on queues, and on who submits to which of them."""
    add = parser.add_argument
    add("-c", "--config", metavar="PATH", help="a Flux TOML file or directory (queues, policy)")
    add("--queue", metavar="NAME", help="the queue, instead of the one a job names")
    add("--user", metavar="NAME", help="who submits, for queues that only some may use (you)")
    add("--status", metavar="FILE", help="the state of the queues, as JSON (RFC 33)")


def add_texts(parser: Parser, shape: str, requires: str) -> None:
    """The options that give a shape and a constraint, with what is said of them in the help."""
    add = parser.add_argument
    add("-s", "--shape", metavar="SHAPE", help=f"{shape} (RFC 46)")
    add(
        "-q",
        "--requires",
        metavar="EXPR",
        help=f"{requires}: a query (RFC 35) or a JSON object (RFC 31)",
    )


def joined(arguments: list[str]) -> list[str]:
    """``-q -gpu`` as ``--requires=-gpu``, for a query often begins with a dash."""
    found: list[str] = []
    rest = iter(arguments)
    for word in rest:
        value = next(rest, None) if word in {"-q", "--requires"} else None
        found.append(word if value is None else f"--requires={value}")
    return found


def parse_expression(parser: Parser, arguments: list[str], takes_value: str) -> argparse.Namespace:
    """Parse a command line whose expression may begin with a dash, as ``-gpu`` does.

    Only the options themselves, each a word of its own, are options; every other word belongs to
    the expression, whose words are joined by spaces into ``expression``. takes_value names the
    single-letter options that have a value. A word that begins with two dashes is an option.
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
