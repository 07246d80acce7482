"""What all command lines share: the parser's manners, and expressions that begin with a dash."""

import argparse
from typing import NoReturn


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Help of one width; measuring the terminal would load much for each option added."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=80)


class Parser(argparse.ArgumentParser):
    """An argument parser that keeps the layout of its texts and takes no shortened options."""

    def __init__(self, prog: str, description: str, epilog: str, usage: str | None = None) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            description=description,
            epilog=epilog,
            formatter_class=_Layout,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the usage and where to read more; exit 2."""
        self.exit(2, f"{self.prog}: {message}\nFor help: {self.prog} --help\n")


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
            if "=" not in word and word[2:] in {"resources", "output"}:
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
        parser.error("'-' reads expressions from standard input and stands alone")
    return found
